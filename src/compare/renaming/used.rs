//! The facets that may tell nodes apart: those that every node of a kind records, in both heaps. A fact that only one
//! side records is no difference.

use std::collections::{BTreeSet, HashMap};

use crate::model::{Address, Class, Contents, HashRegime, Heap, IdentityHash, Name, Object, ObjectKind};

use super::super::{Facet, told};

/// A set of facets, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Facets(u64);

impl Facets {
    pub(super) fn contains(self, facet: Facet) -> bool {
        self.0 & Facets::bit(facet) != 0
    }

    fn bit(facet: Facet) -> u64 {
        const { assert!(Facet::ALL.len() <= 64, "a bit for each facet") };
        1 << facet as u32
    }

    fn of(tell: impl FnOnce(&mut dyn FnMut(Facet))) -> Facets {
        let mut facets = 0;
        tell(&mut |facet| facets |= Facets::bit(facet));
        Facets(facets)
    }

    fn with(self, facet: Facet, told: bool) -> Facets {
        Facets(self.0 & !Facets::bit(facet) | if told { Facets::bit(facet) } else { 0 })
    }
}

/// The facets of each kind of node, and of surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Used {
    kinds: [Facets; 4],
    pub(super) beside: Facets,
}

impl Used {
    /// The facets that every node of both heaps records, except those left out.
    pub(super) fn by_all(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>) -> Used {
        Used::of(left, right, left_out, true)
    }

    /// The facets that some nodes of both heaps record, except those left out.
    pub(super) fn by_some(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>) -> Used {
        Used::of(left, right, left_out, false)
    }

    fn of(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>, by_all: bool) -> Used {
        let (l, r) = (told_by(left, by_all), told_by(right, by_all));
        let wanted = left_out.iter().fold(u64::MAX, |wanted, facet| wanted & !Facets::bit(*facet));
        let meet = |l: Facets, r: Facets| Facets(l.0 & r.0 & wanted);
        Used { kinds: std::array::from_fn(|kind| meet(l.kinds[kind], r.kinds[kind])), beside: meet(l.beside, r.beside) }
    }

    /// Whether some kind of node has facets here that it does not have in the others.
    pub(super) fn exceeds(&self, others: &Used) -> bool {
        self.kinds.iter().zip(&others.kinds).any(|(own, others)| own.0 & !others.0 != 0)
    }

    pub(super) fn class(&self) -> Facets {
        self.kinds[0]
    }

    pub(super) fn object(&self, kind: ObjectKind) -> Facets {
        self.kinds[place(kind)]
    }
}

fn place(kind: ObjectKind) -> usize {
    match kind {
        ObjectKind::Instance => 1,
        ObjectKind::ObjectArray => 2,
        ObjectKind::PrimitiveArray(_) => 3,
    }
}

/// The facets that all nodes of each kind record, or some.
fn told_by(heap: &Heap, by_all: bool) -> Used {
    // An object without a hash was never asked for it, if the heap records such hashes at all.
    let mut all = heap.classes.iter().map(|class| class.hash).chain(heap.objects.iter().map(|object| object.hash));
    let hashes = heap.facts.hash_regime == Some(HashRegime::WhereUsed32)
        || all.any(|hash| matches!(hash, Some(IdentityHash::Bits32(_))));
    let names: HashMap<Address, &Name> = heap.classes.iter().map(|class| (class.address, &class.name)).collect();
    let mut kinds = [Facets(if by_all { u64::MAX } else { 0 }); 4];
    let mut tell = |kind: usize, told: Facets| match by_all {
        true => kinds[kind].0 &= told.0,
        false => kinds[kind].0 |= told.0,
    };
    heap.classes.iter().for_each(|class| tell(0, of_class(class, hashes)));
    heap.objects.iter().for_each(|object| tell(place(object.kind), of_object(object, hashes, &names)));
    let beside = Facets::of(|tell| told::of_surroundings(&heap.surroundings, tell));
    Used { kinds, beside: beside.with(Facet::RootObjects, beside.contains(Facet::Roots)) }
}

fn of_class(class: &Class, hashes: bool) -> Facets {
    let told = Facets::of(|tell| told::of_class(class, tell));
    let hash = hashes || told.contains(Facet::Hash32);
    // An empty constant pool is recorded, too.
    told.with(Facet::Hash32, hash).with(Facet::ConstantPool, class.constant_pool.is_some())
}

fn of_object(object: &Object, hashes: bool, names: &HashMap<Address, &Name>) -> Facets {
    // Contents of a heap in memory need not be read.
    let told = Facets::of(|tell| told::of_object(object, tell).unwrap_or_default());
    let hash = hashes || told.contains(Facet::Hash32);
    let known = matches!(object.contents, Contents::References(_) | Contents::Fields(_) | Contents::Elements(_));
    let named = object.class_name.is_some() || object.class.is_some_and(|class| names.contains_key(&class));
    told.with(Facet::Hash32, hash).with(Facet::References, known).with(Facet::ClassName, named)
}
