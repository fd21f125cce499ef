//! The facets that may tell nodes apart: those that every node of a kind records, in both heaps. A fact that only one
//! side records is no difference.

use std::collections::{BTreeSet, HashMap};

use crate::compare::{Facet, recorded};
use crate::model::{Address, Class, Contents, HashRegime, Heap, IdentityHash, Name, Object, ObjectKind};

/// A set of facets, a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FacetSet(u64);

impl FacetSet {
    pub(super) fn contains(self, facet: Facet) -> bool {
        self.0 & FacetSet::bit(facet) != 0
    }

    fn bit(facet: Facet) -> u64 {
        const { assert!(Facet::ALL.len() <= 64, "a bit for each facet") };
        1 << facet as u32
    }

    fn collect(tell: impl FnOnce(&mut dyn FnMut(Facet))) -> FacetSet {
        let mut facets = 0;
        tell(&mut |facet| facets |= FacetSet::bit(facet));
        FacetSet(facets)
    }

    fn with_if(self, facet: Facet, told: bool) -> FacetSet {
        FacetSet(self.0 & !FacetSet::bit(facet) | if told { FacetSet::bit(facet) } else { 0 })
    }
}

/// The facets of each kind of node, and of surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeFacets {
    kinds: [FacetSet; 4],
    pub(super) beside: FacetSet,
}

impl NodeFacets {
    /// The facets that every node of both heaps records, except those left out.
    pub(super) fn recorded_by_all(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>) -> NodeFacets {
        NodeFacets::from_heaps(left, right, left_out, true)
    }

    /// The facets that some nodes of both heaps record, except those left out.
    pub(super) fn recorded_by_some(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>) -> NodeFacets {
        NodeFacets::from_heaps(left, right, left_out, false)
    }

    fn from_heaps(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>, by_all: bool) -> NodeFacets {
        let (l, r) = (recorded_facets(left, by_all), recorded_facets(right, by_all));
        let wanted = left_out.iter().fold(u64::MAX, |wanted, facet| wanted & !FacetSet::bit(*facet));
        let meet = |l: FacetSet, r: FacetSet| FacetSet(l.0 & r.0 & wanted);
        NodeFacets {
            kinds: std::array::from_fn(|kind| meet(l.kinds[kind], r.kinds[kind])),
            beside: meet(l.beside, r.beside),
        }
    }

    /// Whether some kind of node has facets here that it does not have in the others.
    pub(super) fn exceeds(&self, others: &NodeFacets) -> bool {
        self.kinds.iter().zip(&others.kinds).any(|(own, others)| own.0 & !others.0 != 0)
    }

    pub(super) fn class(&self) -> FacetSet {
        self.kinds[0]
    }

    pub(super) fn object(&self, kind: ObjectKind) -> FacetSet {
        self.kinds[kind_index(kind)]
    }
}

fn kind_index(kind: ObjectKind) -> usize {
    match kind {
        ObjectKind::Instance => 1,
        ObjectKind::ObjectArray => 2,
        ObjectKind::PrimitiveArray(_) => 3,
    }
}

/// The facets that all nodes of each kind record, or some.
fn recorded_facets(heap: &Heap, by_all: bool) -> NodeFacets {
    // An object without a hash was never asked for it, if the heap records such hashes at all.
    let mut all = heap.classes.iter().map(|class| class.hash).chain(heap.objects.iter().map(|object| object.hash));
    let hashes = heap.facts.hash_regime == Some(HashRegime::WhereUsed32)
        || all.any(|hash| matches!(hash, Some(IdentityHash::Bits32(_))));
    let names: HashMap<Address, &Name> = heap.classes.iter().map(|class| (class.address, &class.name)).collect();
    let mut kinds = [FacetSet(if by_all { u64::MAX } else { 0 }); 4];
    let mut tell = |kind: usize, told: FacetSet| match by_all {
        true => kinds[kind].0 &= told.0,
        false => kinds[kind].0 |= told.0,
    };
    heap.classes.iter().for_each(|class| tell(0, class_facets(class, hashes)));
    heap.objects.iter().for_each(|object| tell(kind_index(object.kind), object_facets(object, hashes, &names)));
    let beside = FacetSet::collect(|tell| recorded::surroundings_facets(&heap.surroundings, tell));
    NodeFacets { kinds, beside: beside.with_if(Facet::RootObjects, beside.contains(Facet::Roots)) }
}

fn class_facets(class: &Class, hashes: bool) -> FacetSet {
    let told = FacetSet::collect(|tell| recorded::class_facets(class, tell));
    let hash = hashes || told.contains(Facet::Hash32);
    // An empty constant pool is recorded, too.
    told.with_if(Facet::Hash32, hash).with_if(Facet::ConstantPool, class.constant_pool.is_some())
}

fn object_facets(object: &Object, hashes: bool, names: &HashMap<Address, &Name>) -> FacetSet {
    // Contents of a heap in memory need not be read.
    let told = FacetSet::collect(|tell| recorded::object_facets(object, tell).unwrap_or_default());
    let hash = hashes || told.contains(Facet::Hash32);
    let known = matches!(object.contents, Contents::References(_) | Contents::Fields(_) | Contents::Elements(_));
    let named = object.class_name.is_some() || object.class.is_some_and(|class| names.contains_key(&class));
    told.with_if(Facet::Hash32, hash).with_if(Facet::References, known).with_if(Facet::ClassName, named)
}
