//! Consequences: wrong facts that only follow from others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::check::index::EntriesByAddress;
use crate::check::judge::WrongFact;
use heapsmith_core::compare::Facet;
use heapsmith_core::compare::listing::HeapPlaces;
use heapsmith_core::model::{Address, Heap, Object, ObjectKind};

/// The facets whose wrong facts may cause one of this facet, in the same class or object or one that it depends on.
const fn may_follow(facet: Facet) -> &'static [Facet] {
    use Facet::{
        Address, ArrayLength, Class, ClassName, Elements, FieldValues, Fields, InstanceSize, Interfaces, Kind,
        References, Superclass,
    };
    match facet {
        Kind => &[Address],
        ClassName | ObjectSize => &[Address, Kind, ArrayLength, Class, ClassName, InstanceSize],
        FieldValues => &[Address, Kind, Class, Fields, Superclass, ClassName],
        References | NullReferences => {
            &[Address, Kind, Class, Fields, Superclass, ArrayLength, FieldValues, Elements, Interfaces]
        }
        ReferenceOrder => &[Address, Kind, Class, Fields, Superclass, References, FieldValues, Elements],
        Elements | PrimitiveContents => &[Address, Kind, ArrayLength],
        StringText => &[Address, Kind, Class, ClassName, Fields, FieldValues, ArrayLength, PrimitiveContents],
        Class | Superclass | Loader | ClassReferences | Statics | ConstantPool => &[Address, Kind],
        _ => &[],
    }
}

use Facet::{
    ClassReferences, ConstantPool, Loader, NullReferences, ObjectSize, PrimitiveContents, ReferenceOrder, Statics,
    StringText,
};

/// Facts of the whole dump by which everything else is read.
const WIDTHS: [Facet; 2] = [Facet::IdentifierSize, Facet::WordSize];

/// Puts independent facts first, and names the cause of each of the others.
pub(super) fn put_causes_first(heap: &Heap, differing: &mut [WrongFact]) {
    // What is known to follow from something, or not to, is no reason for the rest.
    differing.sort_by_key(|differing| !differing.is_settled);
    let settled = differing.partition_point(|differing| differing.is_settled);
    find_causes(heap, &mut differing[settled..]);
    differing.sort_by_key(|differing| (differing.follows.is_some(), differing.facet.is_some()));
}

fn find_causes(heap: &Heap, differing: &mut [WrongFact]) {
    let order = RecordOrder::new(heap);
    differing.iter_mut().for_each(|differing| order.describe_missing(heap, differing));
    if differing.len() < 2 {
        return;
    }
    let graph = ConcernGraph::new(heap);
    let lost = order.first_lost_record(differing);
    let first = |differing: &WrongFact| differing.at.iter().filter_map(|at| order.rank.get(at)).min().copied();
    let origin = differing.iter().filter_map(first).min();
    let causes: Vec<Option<Facet>> = differing
        .iter()
        .map(|one| {
            let facet = one.facet?;
            let others = || differing.iter().filter(move |other| other.facet != Some(facet));
            let is_wrong = |facet| differing.iter().any(|other| other.facet == Some(facet));
            // Where addresses are right all the same, nothing was read by a wrong width.
            let width = WIDTHS.into_iter().find(|width| is_wrong(*width) && is_wrong(Facet::Address));
            if width.is_some() && !WIDTHS.contains(&facet) {
                return width;
            }
            // After the record where a reader loses its place nothing can be right.
            if let (Some(origin), Some(mine)) = (origin, first(one))
                && lost.is_some_and(|lost| mine >= lost && origin < mine)
            {
                let is_origin = |other: &&WrongFact| {
                    // What refers to the missing objects is no reason for their missing.
                    first(other) == Some(origin) && !graph.all_concern(&other.at, &one.at)
                };
                return others().find(is_origin).and_then(|other| other.facet);
            }
            if facet == Facet::RecordOrder {
                return others().filter_map(|o| o.facet).find(|facet| [Facet::Address, Facet::Kind].contains(facet));
            }
            let possible = may_follow(facet);
            let from = |other: &&WrongFact| {
                other.facet.is_some_and(|facet| possible.contains(&facet)) && graph.all_concern(&one.at, &other.at)
            };
            others().find(from).and_then(|other| other.facet)
        })
        .collect();
    for (differing, cause) in differing.iter_mut().zip(&causes) {
        differing.follows = cause.map(|facet| facet.to_string());
    }
    // Two facts that follow from each other: the first is the cause.
    if causes.iter().all(Option::is_some) && !differing.is_empty() {
        let earliest = (0..differing.len()).min_by_key(|&index| first(&differing[index]).unwrap_or(u64::MAX));
        differing[earliest.unwrap_or_default()].follows = None;
    }
}

/// The classes and objects of a heap, in the order of its dump.
struct RecordOrder {
    rank: HashMap<Address, u64>,
    all: BTreeMap<u64, Address>,
}

impl RecordOrder {
    fn new(heap: &Heap) -> RecordOrder {
        let places = HeapPlaces::from_order(heap);
        let classes = heap.classes.iter().map(|class| class.address).zip(&places.classes);
        let objects = heap.objects.iter().map(|object| object.address).zip(&places.objects);
        let all: BTreeMap<u64, Address> =
            classes.chain(objects).map(|(address, place)| (place.record, address)).collect();
        RecordOrder { rank: all.iter().map(|(rank, address)| (*address, *rank)).collect(), all }
    }

    /// The first record from which on every class and object is wrong; `None` if that is the first of all.
    fn first_lost_record(&self, differing: &[WrongFact]) -> Option<u64> {
        let wrong: BTreeSet<u64> =
            differing.iter().flat_map(|d| &d.at).filter_map(|at| self.rank.get(at)).copied().collect();
        let right = self.all.keys().rev().find(|rank| !wrong.contains(rank))?;
        let rest: Vec<u64> = wrong.iter().filter(|rank| *rank > right).copied().collect();
        // A few at the end may be wrong for reasons of their own.
        rest.first().copied().filter(|_| rest.len() > 2)
    }

    /// Describes the first record that is missing; where all are missing from there on, their number as well.
    fn describe_missing(&self, heap: &Heap, differing: &mut WrongFact) {
        if differing.facet != Some(Facet::Address) {
            return;
        }
        let missing: BTreeSet<u64> = differing.at.iter().filter_map(|at| self.rank.get(at)).copied().collect();
        let Some((first, next)) = missing.first().and_then(|first| Some((first, self.all.get(first)?))) else { return };
        let what = describe_entry(heap, *next);
        differing.address = Some(next.to_string());
        (differing.expected, differing.found) = (what.clone(), "nothing".to_owned());
        let rest = self.all.range(first..).count() as u64;
        let before = self.all.len() as u64 - rest;
        if missing.len() as u64 == rest && rest > 1 && before > 0 {
            differing.expected = format!("{what}, and {} classes and objects after it", rest - 1);
            differing.found = format!("nothing after the first {before} classes and objects");
        }
    }
}

/// The kind of entry at an address, in the words of a comparison.
pub(super) fn describe_entry(heap: &Heap, address: Address) -> String {
    let object = heap.objects.iter().find(|object| object.address == address);
    match object.map(|object| object.kind) {
        None => "class".to_owned(),
        Some(ObjectKind::Instance) => "object".to_owned(),
        Some(ObjectKind::ObjectArray) => "object array".to_owned(),
        Some(ObjectKind::PrimitiveArray(element)) => format!("array of {element}"),
    }
}

/// The entries that each class and object depends on.
struct ConcernGraph<'h> {
    index: EntriesByAddress<'h>,
}

impl<'h> ConcernGraph<'h> {
    fn new(heap: &'h Heap) -> ConcernGraph<'h> {
        ConcernGraph { index: EntriesByAddress::new(heap) }
    }

    /// Whether each of some places is among others, or has to do with one of them. Places that are not known concern
    /// nothing, unless neither are known.
    fn all_concern(&self, places: &[Address], others: &[Address]) -> bool {
        if places.is_empty() || others.is_empty() {
            return places.is_empty() && !others.is_empty();
        }
        let others: BTreeSet<Address> = others.iter().copied().collect();
        let concerns = |at: &Address| others.contains(at) || self.neighbours(*at).any(|to| others.contains(&to));
        // What only the answer has is in no graph.
        let mut known = places.iter().filter(|at| self.contains(at)).peekable();
        known.peek().is_some() && known.all(concerns)
    }

    fn contains(&self, at: &Address) -> bool {
        self.index.classes.contains_key(at) || self.index.objects.contains_key(at)
    }

    /// The classes that an object or class is of or inherits from, and what it refers to.
    fn neighbours(&self, at: Address) -> impl Iterator<Item = Address> {
        let object = self.index.objects.get(&at);
        let class = object.map_or(Some(at), |object| object.class);
        let mut chain: Vec<Address> = Vec::new();
        let mut next = class;
        while let Some(class) = next.and_then(|at| self.index.classes.get(&at)) {
            if chain.contains(&class.address) || chain.len() > 64 {
                break;
            }
            chain.push(class.address);
            chain.extend(class.superclass);
            chain.extend(class.loader);
            chain.extend(class.references.iter().flatten());
            chain.extend(class.statics.iter().flatten().filter_map(|field| field.value.as_reference()));
            next = class.superclass;
        }
        let references: Vec<Address> = object.map(|object| Object::references(object).collect()).unwrap_or_default();
        class.filter(|_| object.is_some()).into_iter().chain(chain).chain(references)
    }
}
