//! Comparing two heaps on what both of them tell.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Address, Class, Contents, HashRegime, Heap, IdentityHash, Name, Object};

use super::facet::Facet;

mod entry;
mod show;
mod surroundings;
#[cfg(test)]
pub(crate) mod tests;

/// The outcome of a comparison.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Comparison {
    /// Version of this report's schema.
    pub schema: u32,
    /// Whether no compared fact differs.
    pub equal: bool,
    /// Facts compared, over all facets.
    pub compared: u64,
    /// Differences, one entry a facet.
    pub differences: Vec<FacetDifference>,
    /// Facets, or some objects' facets, that were not compared, and why.
    pub not_compared: Vec<NotCompared>,
}

/// The differences of one facet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FacetDifference {
    /// The facet.
    pub facet: Facet,
    /// How many classes or objects differ in it.
    pub count: u64,
    /// The lowest address where it differs; absent for facts of the whole heap.
    pub address: Option<String>,
    /// What the first heap says there.
    pub left: String,
    /// What the second heap says there.
    pub right: String,
}

/// A facet that was not compared for some or all of the heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotCompared {
    /// The facet.
    pub facet: Facet,
    /// How many classes or objects (or heaps) it was left out for.
    pub count: u64,
    /// Why.
    pub why: Side,
}

/// Whose silence keeps a facet from being compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The first does not tell.
    UnknownLeft,
    /// The second does not tell.
    UnknownRight,
    /// It was asked to be left out.
    LeftOut,
}

/// Compares two heaps, address by address, except in the facets left out.
pub fn compare(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>) -> Comparison {
    let mut diff = Diff::new(left, right, left_out);
    diff.facts(left, right);
    diff.entries(left, right);
    diff.record_order(left, right);
    diff.surroundings(&left.surroundings, &right.surroundings);
    diff.finish()
}

enum Entry<'h> {
    Class(&'h Class),
    Object(&'h Object),
}

/// What one heap tells as a whole.
struct HeapSide<'h> {
    /// Whether it tells identity hashes of 32 bits.
    hashes: bool,
    /// Whether it lists null references.
    nulls: bool,
    names: HashMap<Address, &'h Name>,
}

impl<'h> HeapSide<'h> {
    fn new(heap: &'h Heap) -> HeapSide<'h> {
        let lists_null = |listed: &[Address]| listed.iter().any(|reference| reference.is_null());
        let in_object = |object: &Object| match &object.contents {
            Contents::References(listed) => lists_null(listed),
            _ => false,
        };
        let in_class = |class: &Class| class.references.as_deref().is_some_and(lists_null);
        HeapSide {
            hashes: heap.facts.hash_regime == Some(HashRegime::WhereUsed32)
                || heap.objects.iter().any(|object| matches!(object.hash, Some(IdentityHash::Bits32(_)))),
            nulls: heap.objects.iter().any(in_object) || heap.classes.iter().any(in_class),
            names: heap.classes.iter().map(|class| (class.address, &class.name)).collect(),
        }
    }

    /// The name of an object's own class.
    fn class_name(&self, object: &'h Object) -> Option<&'h Name> {
        object.class_name.as_ref().or_else(|| self.names.get(&object.class?).copied())
    }
}

struct Diff<'f, 'h> {
    left: HeapSide<'h>,
    right: HeapSide<'h>,
    left_out: &'f BTreeSet<Facet>,
    compared: u64,
    differences: BTreeMap<Facet, FacetDifference>,
    not_compared: BTreeMap<(Facet, Side), u64>,
}

impl<'f, 'h> Diff<'f, 'h> {
    fn new(left: &'h Heap, right: &'h Heap, left_out: &'f BTreeSet<Facet>) -> Diff<'f, 'h> {
        let (left, right) = (HeapSide::new(left), HeapSide::new(right));
        Diff { left, right, left_out, compared: 0, differences: BTreeMap::new(), not_compared: BTreeMap::new() }
    }

    fn facts(&mut self, left: &Heap, right: &Heap) {
        let (l, r) = (&left.facts, &right.facts);
        self.fact(Facet::NullReferences, None, l.null_references, r.null_references, u64::to_string);
        self.fact(Facet::WordSize, None, l.word_size, r.word_size, |w| format!("{} bits", w.bits()));
        self.fact(Facet::IdentifierSize, None, l.identifier_size, r.identifier_size, |s| s.to_string());
        self.fact(Facet::VersionText, None, l.version_text.as_ref(), r.version_text.as_ref(), |n| n.to_string());
        self.fact(Facet::HeaderVersion, None, l.header_version.as_ref(), r.header_version.as_ref(), |n| n.to_string());
        self.fact(Facet::TimeStamp, None, l.timestamp, r.timestamp, |t| format!("{t} ms"));
        self.fact(Facet::HeaderTotals, None, l.totals, r.totals, |t| {
            format!("{} objects, {} references", t.objects, t.references)
        });
        self.fact(Facet::HashRandoms, None, l.hash_randoms, r.hash_randoms, |(a, b)| format!("{a:#x}, {b:#x}"));
    }

    fn entries(&mut self, left: &'h Heap, right: &'h Heap) {
        let (left, right) = (by_address(left), by_address(right));
        let (mut l, mut r) = (left.as_slice(), right.as_slice());
        loop {
            match (l, r) {
                ([], []) => return,
                ([(a, left), l_rest @ ..], [(b, right), r_rest @ ..]) if a == b => {
                    self.compared += 1;
                    self.entry(*a, left, right);
                    (l, r) = (l_rest, r_rest);
                }
                ([(a, entry), rest @ ..], other) if other.first().is_none_or(|(b, _)| a < b) => {
                    self.differs(Facet::Address, Some(*a), || (show::kind(entry), "nothing".to_owned()));
                    l = rest;
                }
                (_, [(b, entry), rest @ ..]) => {
                    self.differs(Facet::Address, Some(*b), || ("nothing".to_owned(), show::kind(entry)));
                    r = rest;
                }
                (_, []) => return, // the arm before took every entry of the left side
            }
        }
    }

    fn entry(&mut self, at: Address, left: &Entry<'h>, right: &Entry<'h>) {
        self.fact(Facet::Kind, Some(at), Some(show::kind(left)), Some(show::kind(right)), String::clone);
        match (left, right) {
            (Entry::Class(l), Entry::Class(r)) => self.class(at, l, r),
            (Entry::Object(l), Entry::Object(r)) if l.kind == r.kind => self.object(at, l, r),
            _ => {}
        }
    }

    fn record_order(&mut self, left: &Heap, right: &Heap) {
        if self.is_left_out(Facet::RecordOrder) {
            return;
        }
        let (l, r) = (file_order(left), file_order(right));
        self.compared += 1;
        if let Some(place) = (0..l.len().min(r.len())).find(|&place| l[place] != r[place]) {
            self.differs(Facet::RecordOrder, None, || {
                (format!("record {place} is {}", l[place]), format!("record {place} is {}", r[place]))
            });
        }
    }

    fn fact<T: PartialEq>(
        &mut self,
        facet: Facet,
        at: Option<Address>,
        left: Option<T>,
        right: Option<T>,
        show: impl Fn(&T) -> String,
    ) {
        if let Some((left, right)) = self.both(facet, left, right)
            && left != right
        {
            self.differs(facet, at, || (show(&left), show(&right)));
        }
    }

    /// A list, compared in order; the first item that differs is shown.
    fn sequence<T: PartialEq>(
        &mut self,
        facet: Facet,
        at: Option<Address>,
        left: Option<&[T]>,
        right: Option<&[T]>,
        show: (&str, impl Fn(&T) -> String),
    ) {
        if let Some((left, right)) = self.both(facet, left, right)
            && left != right
        {
            self.differs(facet, at, || show::first_difference(left, right, show.0, show.1));
        }
    }

    /// What both sides tell, if it is to be compared; the silence of one is noted.
    fn both<T>(&mut self, facet: Facet, left: Option<T>, right: Option<T>) -> Option<(T, T)> {
        if self.is_left_out(facet) {
            return None;
        }
        let silent = match (left, right) {
            (Some(left), Some(right)) => {
                self.compared += 1;
                return Some((left, right));
            }
            (None, None) => return None,
            (None, Some(_)) => Side::UnknownLeft,
            (Some(_), None) => Side::UnknownRight,
        };
        *self.not_compared.entry((facet, silent)).or_default() += 1;
        None
    }

    fn differs(&mut self, facet: Facet, at: Option<Address>, describe: impl FnOnce() -> (String, String)) {
        if let Some(known) = self.differences.get_mut(&facet) {
            known.count += 1;
            return;
        }
        let (left, right) = describe();
        let address = at.map(|a| a.to_string());
        self.differences.insert(facet, FacetDifference { facet, count: 1, address, left, right });
    }

    fn is_left_out(&mut self, facet: Facet) -> bool {
        let left_out = self.left_out.contains(&facet);
        if left_out {
            *self.not_compared.entry((facet, Side::LeftOut)).or_default() += 1;
        }
        left_out
    }

    fn finish(self) -> Comparison {
        Comparison {
            schema: 1,
            equal: self.differences.is_empty(),
            compared: self.compared,
            differences: self.differences.into_values().collect(),
            not_compared: self
                .not_compared
                .into_iter()
                .map(|((facet, why), count)| NotCompared { facet, count, why })
                .collect(),
        }
    }
}

/// Classes and objects by address; those of one address stay in file order.
fn by_address(heap: &Heap) -> Vec<(Address, Entry<'_>)> {
    let classes = heap.classes.iter().map(|class| (class.address, Entry::Class(class)));
    let mut entries: Vec<_> =
        classes.chain(heap.objects.iter().map(|object| (object.address, Entry::Object(object)))).collect();
    entries.sort_by_key(|(address, _)| *address);
    entries
}

/// The addresses in file order.
fn file_order(heap: &Heap) -> Vec<Address> {
    let mut classes: Vec<&Class> = heap.classes.iter().collect();
    classes.sort_by_key(|class| class.after_objects.unwrap_or(u64::MAX));
    let mut classes = classes.into_iter().peekable();
    let mut order = Vec::with_capacity(heap.classes.len() + heap.objects.len());
    for (index, object) in heap.objects.iter().enumerate() {
        while let Some(class) = classes.next_if(|c| c.after_objects.is_some_and(|after| after <= index as u64)) {
            order.push(class.address);
        }
        order.push(object.address);
    }
    order.extend(classes.map(|class| class.address));
    order
}
