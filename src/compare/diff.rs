//! Comparing two heaps on what both of them tell.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Address, Class, Contents, Heap, IdentityHash, Name, Object};

use super::facet::Facet;

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
    let mut diff = Diff::new(left_out);
    diff.facts(left, right);
    diff.entries(left, right);
    diff.record_order(left, right);
    diff.finish()
}

enum Entry<'h> {
    Class(&'h Class),
    Object(&'h Object),
}

struct Diff<'f> {
    left_out: &'f BTreeSet<Facet>,
    compared: u64,
    differences: BTreeMap<Facet, FacetDifference>,
    not_compared: BTreeMap<(Facet, Side), u64>,
}

impl<'f> Diff<'f> {
    fn new(left_out: &'f BTreeSet<Facet>) -> Diff<'f> {
        Diff { left_out, compared: 0, differences: BTreeMap::new(), not_compared: BTreeMap::new() }
    }

    fn facts(&mut self, left: &Heap, right: &Heap) {
        let (l, r) = (&left.facts, &right.facts);
        self.fact(Facet::WordSize, None, l.word_size, r.word_size, |w| format!("{} bits", w.bits()));
        self.fact(Facet::VersionText, None, l.version_text.as_ref(), r.version_text.as_ref(), |n| n.to_string());
        self.fact(Facet::HeaderTotals, None, l.totals, r.totals, |t| {
            format!("{} objects, {} references", t.objects, t.references)
        });
        self.fact(Facet::HashRandoms, None, l.hash_randoms, r.hash_randoms, |(a, b)| format!("{a:#x}, {b:#x}"));
    }

    fn entries(&mut self, left: &Heap, right: &Heap) {
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
                    self.differs(Facet::Address, Some(*a), || (kind(entry), "nothing".to_owned()));
                    l = rest;
                }
                (_, [(b, entry), rest @ ..]) => {
                    self.differs(Facet::Address, Some(*b), || ("nothing".to_owned(), kind(entry)));
                    r = rest;
                }
                (_, []) => return, // the arm before took every entry of the left side
            }
        }
    }

    fn entry(&mut self, at: Address, left: &Entry<'_>, right: &Entry<'_>) {
        self.fact(Facet::Kind, Some(at), Some(kind(left)), Some(kind(right)), String::clone);
        match (left, right) {
            (Entry::Class(l), Entry::Class(r)) => self.class(at, l, r),
            (Entry::Object(l), Entry::Object(r)) if l.kind == r.kind => self.object(at, l, r),
            _ => {}
        }
    }

    fn class(&mut self, at: Address, l: &Class, r: &Class) {
        self.fact(Facet::ClassName, Some(at), Some(&l.name), Some(&r.name), |n: &&Name| n.to_string());
        self.fact(Facet::Superclass, Some(at), l.superclass, r.superclass, Address::to_string);
        self.fact(Facet::InstanceSize, Some(at), l.instance_size, r.instance_size, |s| s.to_string());
        self.hash(at, l.hash, r.hash);
        self.references(Facet::ClassReferences, at, l.references.clone(), r.references.clone());
    }

    fn object(&mut self, at: Address, l: &Object, r: &Object) {
        use crate::model::ObjectKind;
        match l.kind {
            ObjectKind::Instance => self.fact(Facet::Class, Some(at), l.class, r.class, Address::to_string),
            ObjectKind::ObjectArray => {
                self.fact(Facet::ClassWord, Some(at), l.class_word, r.class_word, Address::to_string)
            }
            ObjectKind::PrimitiveArray(_) => {}
        }
        if l.kind != ObjectKind::Instance {
            self.fact(Facet::ArrayLength, Some(at), l.length, r.length, u64::to_string);
            self.fact(Facet::ObjectSize, Some(at), l.size, r.size, |s| s.to_string());
        }
        self.hash(at, l.hash, r.hash);
        if !matches!(l.kind, ObjectKind::PrimitiveArray(_)) {
            self.references(Facet::References, at, references(l), references(r));
        }
    }

    /// A hash is the one fact whose absence says something: the object was never asked for it.
    fn hash(&mut self, at: Address, l: Option<IdentityHash>, r: Option<IdentityHash>) {
        self.fact(Facet::Hash, Some(at), Some(l), Some(r), |h| h.map_or("no hash".to_owned(), show_hash));
    }

    fn references(&mut self, facet: Facet, at: Address, l: Option<Vec<Address>>, r: Option<Vec<Address>>) {
        let sorted = |references: &Vec<Address>| {
            let mut sorted = references.clone();
            sorted.sort_unstable();
            sorted
        };
        let show = |references: &Vec<Address>| show_list(references);
        let (ls, rs) = (l.as_ref().map(sorted), r.as_ref().map(sorted));
        let same = ls == rs;
        self.fact(facet, Some(at), ls, rs, show);
        if same {
            self.fact(Facet::ReferenceOrder, Some(at), l, r, show);
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
        if self.is_left_out(facet) {
            return;
        }
        match (left, right) {
            (Some(left), Some(right)) => {
                self.compared += 1;
                if left != right {
                    self.differs(facet, at, || (show(&left), show(&right)));
                }
            }
            (None, None) => {}
            (None, Some(_)) => *self.not_compared.entry((facet, Side::UnknownLeft)).or_default() += 1,
            (Some(_), None) => *self.not_compared.entry((facet, Side::UnknownRight)).or_default() += 1,
        }
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

fn references(object: &Object) -> Option<Vec<Address>> {
    match object.contents {
        Contents::References(_) | Contents::Fields(_) | Contents::Elements(_) => Some(object.references().collect()),
        Contents::Primitives(_) | Contents::Raw(_) | Contents::Unknown => None,
    }
}

fn kind(entry: &Entry<'_>) -> String {
    use crate::model::ObjectKind;
    match entry {
        Entry::Class(_) => "class".to_owned(),
        Entry::Object(object) => match object.kind {
            ObjectKind::Instance => "object".to_owned(),
            ObjectKind::ObjectArray => "object array".to_owned(),
            ObjectKind::PrimitiveArray(element) => format!("array of {element}"),
        },
    }
}

fn show_hash(hash: IdentityHash) -> String {
    match hash {
        IdentityHash::Bits16(hash) => format!("{hash:#06x} (16 bits)"),
        IdentityHash::Bits32(hash) => format!("{hash:#010x}"),
    }
}

/// A list of addresses, cut after a few.
fn show_list(references: &[Address]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = references.iter().take(SHOWN).map(Address::to_string).collect();
    let more = references.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} references: {}{tail}", references.len(), shown.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ByteLen, ObjectKind};

    fn heap() -> Heap {
        let options = crate::generate::GenerateOptions { objects: 60, ..Default::default() };
        crate::generate::from_seed(&options, 11)
    }

    fn facets(left: &Heap, right: &Heap) -> Vec<Facet> {
        compare(left, right, &BTreeSet::new()).differences.iter().map(|d| d.facet).collect()
    }

    #[test]
    fn a_heap_equals_itself() {
        assert!(compare(&heap(), &heap(), &BTreeSet::new()).equal);
    }

    #[test]
    fn one_changed_fact_is_found_under_its_own_facet() {
        let of = |wanted: ObjectKind| heap().objects.iter().position(|o| o.kind == wanted).expect("one");
        let array = of(ObjectKind::ObjectArray);
        type Change = Box<dyn Fn(&mut Heap)>;
        let changes: Vec<(Facet, Change)> = vec![
            (Facet::WordSize, Box::new(|h| h.facts.word_size = Some(crate::model::WordSize::Bits32))),
            (Facet::VersionText, Box::new(|h| h.facts.version_text = Some("other".into()))),
            (Facet::ClassName, Box::new(|h| h.classes[3].name = "renamed".into())),
            (Facet::Superclass, Box::new(|h| h.classes[12].superclass = Some(Address(8)))),
            (Facet::InstanceSize, Box::new(|h| h.classes[12].instance_size = Some(ByteLen(1)))),
            (Facet::Hash, Box::new(|h| h.objects[0].hash = Some(IdentityHash::Bits32(1)))),
            (Facet::Class, Box::new(|h| h.objects[0].class = Some(Address(8)))),
            (Facet::ArrayLength, Box::new(move |h| h.objects[array].length = Some(99_999))),
            (Facet::ObjectSize, Box::new(move |h| h.objects[array].size = Some(ByteLen(99_992)))),
            (Facet::References, Box::new(move |h| h.objects[array].contents = Contents::References(vec![Address(8)]))),
            (Facet::RecordOrder, Box::new(|h| h.objects.swap(0, 1))),
        ];
        for (facet, change) in changes {
            let mut changed = heap();
            change(&mut changed);
            assert_eq!(facets(&heap(), &changed), [facet]);
        }
    }

    #[test]
    fn a_missing_object_and_an_extra_one_are_both_found() {
        let mut fewer = heap();
        fewer.objects.remove(10);
        assert!(facets(&heap(), &fewer).contains(&Facet::Address));
        assert!(facets(&fewer, &heap()).contains(&Facet::Address));
    }

    #[test]
    fn swapped_references_differ_in_order_only() {
        let listed = |refs: [u64; 2]| {
            let mut heap = Heap::default();
            let contents = Contents::References(refs.map(Address).to_vec());
            heap.objects.push(Object { contents, ..Object::new(Address(8), ObjectKind::Instance) });
            heap
        };
        assert_eq!(facets(&listed([16, 24]), &listed([24, 16])), [Facet::ReferenceOrder]);
        assert_eq!(facets(&listed([16, 16]), &listed([16, 24])), [Facet::References]);
    }

    #[test]
    fn what_one_side_does_not_tell_is_named_and_not_counted_as_equal() {
        let mut silent = heap();
        silent.classes[5].superclass = None;
        let comparison = compare(&heap(), &silent, &BTreeSet::new());
        assert!(comparison.equal);
        let expected = NotCompared { facet: Facet::Superclass, count: 1, why: Side::UnknownRight };
        assert_eq!(comparison.not_compared, [expected]);
    }
}
