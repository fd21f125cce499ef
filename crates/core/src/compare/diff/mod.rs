//! Comparison of two heaps by the facts that both record.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashSet};

use crate::error::Error;
use crate::model::{Address, Class, Facts, Heap, HeapSource, Name, Object, Surroundings};
use crate::setters::setters;

use super::carriage::CarriageColumn;
use super::facet::Facet;
use super::facts::ListingHead;
use super::sorted::{FileOrder, HeapConventions, MEMORY, SortedSide};

mod entry;
mod long;
mod pairing;
mod report;
mod show;
mod side;
mod surroundings;
#[cfg(test)]
pub(crate) mod tests;
mod text;

use pairing::EntryPairing;
pub use report::{ClassDifference, Comparison, FacetDifference, NotCompared, NotComparedReason, RecordSpan};
use side::{ComparedEntry, HeapSide, SortedClasses, SortedEntries};

/// Options of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompareOptions<'o> {
    /// Facets that are not compared.
    pub left_out: BTreeSet<Facet>,
    /// The carriages of the second heap's format, if a converter made the second heap of the first one: facts that only
    /// the second heap records are then no differences, and known rules are applied to both heaps first.
    pub carried: Option<&'o CarriageColumn>,
    /// The address to which the comparison is restricted.
    pub only: Option<Address>,
    /// Bytes of objects that are held in memory, for each side; more objects go to temporary files.
    pub memory: usize,
    /// Facts that a converter declares to lose.
    pub(crate) lost: Option<LostFacts<'o>>,
}

/// Facets that the second heap may lack, and how an object of the first one loses what is lacking.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct LostFacts<'f> {
    #[doc(hidden)]
    pub facets: &'f [Facet],
    #[doc(hidden)]
    pub lose: fn(&mut Object, &Object, &[Facet]),
}

setters! {
    impl<'o> CompareOptions<'o> {
        set left_out: BTreeSet<Facet>;
        option carried: &'o CarriageColumn;
        option only: Address;
        set memory: usize;
    }
}

impl Default for CompareOptions<'_> {
    fn default() -> Self {
        CompareOptions { left_out: BTreeSet::new(), carried: None, only: None, memory: MEMORY, lost: None }
    }
}

/// Compares two heaps, address by address, except in the facets left out.
pub fn compare(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>) -> Comparison {
    let options = CompareOptions { left_out: left_out.clone(), ..CompareOptions::default() };
    // Heaps in memory need no file that could fail.
    compare_sorted(
        [HeapContext::from_source(left), HeapContext::from_source(right)],
        [SortedSide::from_heap(left), SortedSide::from_heap(right)],
        &options,
    )
    .unwrap_or_default()
}

/// Compares two sources, whose objects are sorted outside of memory where they are many. If the objects of the second
/// source ascend, they are compared as they are read.
///
/// # Errors
/// If reading the sources fails, or a temporary file.
pub fn compare_sources(
    left: &mut dyn HeapSource,
    right: &mut dyn HeapSource,
    options: &CompareOptions<'_>,
) -> Result<Comparison, Error> {
    let l = SortedSide::from_source(left, options.memory)?;
    match HeapConventions::from_ascending(right)? {
        Some(habits) => compare_ascending(HeapContext::from_source(&*left), l, right, habits, options),
        None => {
            let r = SortedSide::from_source(right, options.memory)?;
            compare_sorted([HeapContext::from_source(&*left), HeapContext::from_source(&*right)], [l, r], options)
        }
    }
}

/// The facts, classes and surroundings of a heap: everything but its objects.
#[derive(Clone, Copy)]
struct HeapContext<'h> {
    facts: &'h Facts,
    classes: &'h [Class],
    surroundings: &'h Surroundings,
}

impl<'h> HeapContext<'h> {
    fn from_source(source: &'h dyn HeapSource) -> HeapContext<'h> {
        HeapContext { facts: source.facts(), classes: source.classes(), surroundings: source.surroundings() }
    }
}

/// Compares heaps whose objects are sorted.
fn compare_sorted<'h>(
    told: [HeapContext<'h>; 2],
    sides: [SortedSide<'h>; 2],
    options: &CompareOptions<'_>,
) -> Result<Comparison, Error> {
    let carried = carried_column(told, options);
    let mut diff = HeapDiff::new(told, [sides[0].habits, sides[1].habits], options, carried.as_ref());
    let [l, r] = sides;
    let mut pairing = EntryPairing::new(SortedEntries::new(l.objects, told[0].classes))?;
    let mut entries = SortedEntries::new(r.objects, told[1].classes);
    while let Some(entry) = entries.next()? {
        pairing.pair_right(entry, &mut diff)?;
    }
    pairing.finish(&mut diff)?;
    diff.finish(told, [l.order, r.order])
}

/// Compares a heap with a source whose objects ascend, as they are read.
fn compare_ascending(
    left: HeapContext<'_>,
    l: SortedSide<'_>,
    right: &mut dyn HeapSource,
    habits: HeapConventions,
    options: &CompareOptions<'_>,
) -> Result<Comparison, Error> {
    let carried = carried_column([left, HeapContext::from_source(&*right)], options);
    let mut diff =
        HeapDiff::new([left, HeapContext::from_source(&*right)], [l.habits, habits], options, carried.as_ref());
    // The source is not asked for classes while it gives its objects.
    let classes = right.classes().to_vec();
    let mut classes = SortedClasses::new(&classes);
    let mut pairing = EntryPairing::new(SortedEntries::new(l.objects, left.classes))?;
    let order = FileOrder::from_source(right, options.memory, &mut |object| {
        while let Some(class) = classes.next_up_to(Some(object.address)) {
            pairing.pair_right(class, &mut diff)?;
        }
        pairing.pair_right(ComparedEntry::Object(Cow::Borrowed(object)), &mut diff)
    })?;
    while let Some(class) = classes.next_up_to(None) {
        pairing.pair_right(class, &mut diff)?;
    }
    pairing.finish(&mut diff)?;
    diff.finish([left, HeapContext::from_source(&*right)], [l.order, order])
}

fn carried_column(told: [HeapContext<'_>; 2], options: &CompareOptions<'_>) -> Option<CarriageColumn> {
    options.carried.map(|column| column.for_headers(told[0].facts, told[1].facts))
}

/// The addresses of primitive types' classes on either side, where the target does not carry them as classes.
fn primitive_classes(sides: [&[Class]; 2], carried: Option<&CarriageColumn>) -> HashSet<Address> {
    let classes = sides.into_iter().flatten().filter(|class| class.is_primitive());
    let classes = classes.filter(|_| carried.is_some_and(CarriageColumn::leaves_out_primitives));
    classes.map(|class| class.address).collect()
}

struct HeapDiff<'f> {
    left: HeapSide,
    right: HeapSide,
    not_looked_at: HashSet<Address>,
    left_out: &'f BTreeSet<Facet>,
    carried: Option<&'f CarriageColumn>,
    only: Option<Address>,
    lost: Option<LostFacts<'f>>,
    compared: u64,
    /// The address of the last entry of the left side.
    last: Option<Address>,
    /// The class name of the current entry.
    class: Option<Name>,
    differences: BTreeMap<Facet, ClassedDifference>,
    not_compared: BTreeMap<(Facet, NotComparedReason), u64>,
    /// The result of reading contents that are not held, for the current entry.
    read: Result<(), Error>,
}

/// The differences of a facet, with an index of their classes.
#[derive(Default)]
struct ClassedDifference {
    difference: FacetDifference,
    classes: HashMap<Name, usize>,
}

impl<'f> HeapDiff<'f> {
    fn new(
        [left, right]: [HeapContext<'_>; 2],
        [l, r]: [HeapConventions; 2],
        options: &'f CompareOptions<'_>,
        carried: Option<&'f CarriageColumn>,
    ) -> HeapDiff<'f> {
        let mut diff = HeapDiff {
            left: HeapSide::new(left.classes, left.surroundings, l, carried),
            right: HeapSide::new(right.classes, right.surroundings, r, carried),
            not_looked_at: primitive_classes([left.classes, right.classes], carried),
            left_out: &options.left_out,
            carried,
            only: options.only,
            lost: options.lost,
            compared: 0,
            last: None,
            class: None,
            differences: BTreeMap::new(),
            not_compared: BTreeMap::new(),
            read: Ok(()),
        };
        let head = |told: HeapContext<'_>| ListingHead::from_facts(told.facts, told.surroundings);
        diff.compare_facts(None, &head(left), &head(right), [None, None]);
        diff
    }

    /// Compares the entries of both sides at an address.
    fn compare_pair(&mut self, one: Option<ComparedEntry<'_>>, other: Option<ComparedEntry<'_>>) -> Result<(), Error> {
        one.iter().for_each(|entry| self.left.observe(entry));
        other.iter().for_each(|entry| self.right.observe(entry));
        let at = one.as_ref().or(other.as_ref()).map(ComparedEntry::address);
        let is_other = self.only.is_some() && at != self.only;
        if is_other || at.is_some_and(|at| self.not_looked_at.contains(&at)) {
            return Ok(());
        }
        let is_repeated = one.is_none() && at == self.last;
        self.last = one.as_ref().map(ComparedEntry::address).or(self.last);
        self.class = match (&one, &other) {
            (Some(one), _) => self.left.label(one),
            (None, Some(other)) => self.right.label(other),
            (None, None) => None,
        };
        match (one, other) {
            (Some(one), Some(other)) => {
                self.compared += 1;
                self.compare_entries(one, other)?;
                std::mem::replace(&mut self.read, Ok(()))?;
            }
            // A converter synthesises classes that the source lacks, and no objects.
            (None, Some(ComparedEntry::Object(made_up))) => {
                let kind = show::kind(&ComparedEntry::Object(made_up));
                self.report_difference(Facet::Address, at, || ("nothing".to_owned(), kind));
            }
            (one, other) => {
                self.report_one_sided(Facet::Address, at, one.as_ref().map(show::kind), other.as_ref().map(show::kind));
            }
        }
        self.class = None;
        if let Some(ClassedDifference { difference, .. }) =
            self.differences.get_mut(&Facet::Address).filter(|_| is_repeated)
        {
            difference.repeated.extend(difference.addresses.last().filter(|last| Some(**last) == at));
        }
        Ok(())
    }

    fn compare_entries(&mut self, mut left: ComparedEntry<'_>, mut right: ComparedEntry<'_>) -> Result<(), Error> {
        let at = left.address();
        if let (Some(lost), ComparedEntry::Object(left), ComparedEntry::Object(right)) = (self.lost, &mut left, &right)
        {
            (lost.lose)(left.to_mut(), right, lost.facets);
        }
        if let Some(column) = self.carried {
            left.apply_rules(column, &self.left)?;
            right.apply_rules(column, &self.right)?;
        }
        self.compare_fact(Facet::Kind, Some(at), Some(show::kind(&left)), Some(show::kind(&right)), String::clone);
        match (&left, &right) {
            (ComparedEntry::Class(l), ComparedEntry::Class(r)) => {
                self.compare_facts(Some(at), &**l, &**r, [None, None])
            }
            (ComparedEntry::Object(l), ComparedEntry::Object(r)) if l.kind == r.kind => self.compare_objects(at, l, r),
            _ => {}
        }
        Ok(())
    }

    fn compare_record_order(&mut self, l: (FileOrder, &[Class]), r: (FileOrder, &[Class])) -> Result<(), Error> {
        if self.is_left_out(Facet::RecordOrder) {
            return Ok(());
        }
        self.compared += 1;
        let orders = l.0.with_classes(l.1).zip(r.0.with_classes(r.1));
        for (place, (l, r)) in orders.enumerate() {
            let (l, r) = (l?, r?);
            if l != r {
                self.report_difference(Facet::RecordOrder, None, || {
                    (format!("record {place} is {l}"), format!("record {place} is {r}"))
                });
                break;
            }
        }
        Ok(())
    }

    fn compare_fact<T: PartialEq>(
        &mut self,
        facet: Facet,
        at: Option<Address>,
        left: Option<T>,
        right: Option<T>,
        show: impl Fn(&T) -> String,
    ) {
        if let Some((left, right)) = self.both_recorded(facet, left, right)
            && left != right
        {
            self.report_difference(facet, at, || (show(&left), show(&right)));
        }
    }

    /// Compares lists in order; the first differing item is shown.
    fn compare_sequences<T: PartialEq>(
        &mut self,
        facet: Facet,
        at: Option<Address>,
        left: Option<&[T]>,
        right: Option<&[T]>,
        show: (&str, impl Fn(&T) -> String),
    ) {
        if let Some((left, right)) = self.both_recorded(facet, left, right)
            && left != right
        {
            self.report_difference(facet, at, || show::first_difference(left, right, show.0, show.1));
        }
    }

    /// Both sides' values, if the facet is compared; a side that does not record it is noted.
    fn both_recorded<T>(&mut self, facet: Facet, left: Option<T>, right: Option<T>) -> Option<(T, T)> {
        if left.is_none() && right.is_none() || self.is_left_out(facet) {
            return None;
        }
        let silent = match (left, right) {
            (Some(left), Some(right)) => {
                self.compared += 1;
                return Some((left, right));
            }
            (None, _) => NotComparedReason::UnknownLeft,
            (Some(_), None) => NotComparedReason::UnknownRight,
        };
        *self.not_compared.entry((facet, silent)).or_default() += 1;
        None
    }

    /// Reports an item that only one of two lists has. A converter may have added those that only the second list has.
    fn report_one_sided(
        &mut self,
        facet: Facet,
        at: Option<Address>,
        left: Option<impl Into<String>>,
        right: Option<impl Into<String>>,
    ) {
        if left.is_none() && self.carried.is_some() {
            *self.not_compared.entry((facet, NotComparedReason::UnknownLeft)).or_default() += 1;
            return;
        }
        let nothing = || "nothing".to_owned();
        self.report_difference(facet, at, || {
            (left.map_or_else(nothing, Into::into), right.map_or_else(nothing, Into::into))
        });
    }

    fn report_difference(&mut self, facet: Facet, at: Option<Address>, describe: impl FnOnce() -> (String, String)) {
        let ClassedDifference { difference, classes } = self.differences.entry(facet).or_default();
        difference.count += 1;
        difference.addresses.extend(at.filter(|_| difference.count <= report::ADDRESSES as u64));
        let class = at.and(self.class.clone()).unwrap_or_default();
        let known = classes.get(&class).copied();
        if let Some(known) = known.and_then(|known| difference.classes.get_mut(known)) {
            known.count += 1;
            return;
        }
        if known.is_some() {
            return; // a fact of the whole heap, of which the first is reported
        }
        let (left, right) = describe();
        let address = at.map(|a| a.to_string());
        classes.insert(class.clone(), difference.classes.len());
        if difference.count == 1 {
            let (left, right) = (left.clone(), right.clone());
            *difference = FacetDifference {
                facet,
                count: 1,
                address: address.clone(),
                left,
                right,
                addresses: std::mem::take(&mut difference.addresses),
                ..FacetDifference::default()
            };
        }
        if let Some(address) = address {
            let class = class.to_string();
            difference.classes.push(ClassDifference { class, count: 1, address, left, right });
        }
    }

    fn is_left_out(&mut self, facet: Facet) -> bool {
        let why = if self.left_out.contains(&facet) {
            NotComparedReason::LeftOut
        } else if self.carried.is_some_and(|column| column.is_silent_on(facet)) {
            NotComparedReason::NotCarried
        } else {
            return false;
        };
        *self.not_compared.entry((facet, why)).or_default() += 1;
        true
    }

    /// Compares surroundings and the order of records, and ends the comparison.
    fn finish(mut self, [left, right]: [HeapContext<'_>; 2], [l, r]: [FileOrder; 2]) -> Result<Comparison, Error> {
        self.compare_record_order((l, left.classes), (r, right.classes))?;
        match self.carried {
            Some(column) => {
                let (mut l, mut r) = (left.surroundings.clone(), right.surroundings.clone());
                column.change_surroundings(&mut l, &self.left.roots);
                column.change_surroundings(&mut r, &self.right.roots);
                self.compare_surroundings(&l, &r);
            }
            None => self.compare_surroundings(left.surroundings, right.surroundings),
        }
        Ok(self.into_comparison())
    }

    fn into_comparison(self) -> Comparison {
        let mut differences: Vec<FacetDifference> =
            self.differences.into_values().map(|found| found.difference).collect();
        for difference in &mut differences {
            difference.classes.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.class.cmp(&b.class)));
        }
        Comparison {
            schema: 6,
            equal: differences.is_empty(),
            compared: self.compared,
            differences,
            not_compared: self
                .not_compared
                .into_iter()
                .map(|((facet, why), count)| NotCompared { facet, count, why })
                .collect(),
        }
    }
}
