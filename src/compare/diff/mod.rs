//! Comparison of two heaps by the facts that both record.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashSet};

use crate::error::Error;
use crate::model::{Address, Class, Facts, Heap, HeapSource, Name, Object, Surroundings};
use crate::setters::setters;

use super::carriage::Column;
use super::facet::Facet;
use super::facts::Head;
use super::sorted::{FileOrder, Habits, MEMORY, Side as Sides};

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

use pairing::Pairing;
pub use report::{ClassDifference, Comparison, FacetDifference, NotCompared, Side, Span};
use side::{Classes, Entries, Entry, HeapSide};

/// Options of a comparison.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options<'o> {
    /// Facets that are not compared.
    pub left_out: BTreeSet<Facet>,
    /// The carriages of the second heap's format, if a converter made the second heap of the first one: facts that only
    /// the second heap records are then no differences, and known rules are applied to both heaps first.
    pub carried: Option<&'o Column>,
    /// The address to which the comparison is restricted.
    pub only: Option<Address>,
    /// Bytes of objects that are held in memory, for each side; more objects go to temporary files.
    pub memory: usize,
    /// Facts that a converter declares to lose.
    pub(crate) lost: Option<LostFacts<'o>>,
}

/// Facets that the second heap may lack, and how an object of the first one loses what is lacking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LostFacts<'f> {
    pub(crate) facets: &'f [Facet],
    pub(crate) lose: fn(&mut Object, &Object, &[Facet]),
}

setters! {
    impl<'o> Options<'o> {
        set left_out: BTreeSet<Facet>;
        option carried: &'o Column;
        option only: Address;
        set memory: usize;
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { left_out: BTreeSet::new(), carried: None, only: None, memory: MEMORY, lost: None }
    }
}

/// Compares two heaps, address by address, except in the facets left out.
pub fn compare(left: &Heap, right: &Heap, left_out: &BTreeSet<Facet>) -> Comparison {
    let options = Options { left_out: left_out.clone(), ..Options::default() };
    // Heaps in memory need no file that could fail.
    sorted([Told::of(left), Told::of(right)], [Sides::of_heap(left), Sides::of_heap(right)], &options)
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
    options: &Options<'_>,
) -> Result<Comparison, Error> {
    let l = Sides::of_source(left, options.memory)?;
    match Habits::of_ascending(right)? {
        Some(habits) => as_they_come(Told::of(&*left), l, right, habits, options),
        None => {
            let r = Sides::of_source(right, options.memory)?;
            sorted([Told::of(&*left), Told::of(&*right)], [l, r], options)
        }
    }
}

/// The facts, classes and surroundings of a heap: everything but its objects.
#[derive(Clone, Copy)]
struct Told<'h> {
    facts: &'h Facts,
    classes: &'h [Class],
    surroundings: &'h Surroundings,
}

impl<'h> Told<'h> {
    fn of(source: &'h dyn HeapSource) -> Told<'h> {
        Told { facts: source.facts(), classes: source.classes(), surroundings: source.surroundings() }
    }
}

/// Compares heaps whose objects are sorted.
fn sorted<'h>(told: [Told<'h>; 2], sides: [Sides<'h>; 2], options: &Options<'_>) -> Result<Comparison, Error> {
    let carried = carried(told, options);
    let mut diff = Diff::new(told, [sides[0].habits, sides[1].habits], options, carried.as_ref());
    let [l, r] = sides;
    let mut pairing = Pairing::new(Entries::new(l.objects, told[0].classes))?;
    let mut entries = Entries::new(r.objects, told[1].classes);
    while let Some(entry) = entries.next()? {
        pairing.right(entry, &mut diff)?;
    }
    pairing.end(&mut diff)?;
    diff.finish(told, [l.order, r.order])
}

/// Compares a heap with a source whose objects ascend, as they are read.
fn as_they_come(
    left: Told<'_>,
    l: Sides<'_>,
    right: &mut dyn HeapSource,
    habits: Habits,
    options: &Options<'_>,
) -> Result<Comparison, Error> {
    let carried = carried([left, Told::of(&*right)], options);
    let mut diff = Diff::new([left, Told::of(&*right)], [l.habits, habits], options, carried.as_ref());
    // The source is not asked for classes while it gives its objects.
    let classes = right.classes().to_vec();
    let mut classes = Classes::new(&classes);
    let mut pairing = Pairing::new(Entries::new(l.objects, left.classes))?;
    let order = FileOrder::of_source(right, options.memory, &mut |object| {
        while let Some(class) = classes.up_to(Some(object.address)) {
            pairing.right(class, &mut diff)?;
        }
        pairing.right(Entry::Object(Cow::Borrowed(object)), &mut diff)
    })?;
    while let Some(class) = classes.up_to(None) {
        pairing.right(class, &mut diff)?;
    }
    pairing.end(&mut diff)?;
    diff.finish([left, Told::of(&*right)], [l.order, order])
}

fn carried(told: [Told<'_>; 2], options: &Options<'_>) -> Option<Column> {
    options.carried.map(|column| column.between(told[0].facts, told[1].facts))
}

/// The addresses of primitive types' classes on either side, where the target does not carry them as classes.
fn primitives(sides: [&[Class]; 2], carried: Option<&Column>) -> HashSet<Address> {
    let classes = sides.into_iter().flatten().filter(|class| class.is_primitive());
    let classes = classes.filter(|_| carried.is_some_and(Column::leaves_out_primitives));
    classes.map(|class| class.address).collect()
}

struct Diff<'f> {
    left: HeapSide,
    right: HeapSide,
    not_looked_at: HashSet<Address>,
    left_out: &'f BTreeSet<Facet>,
    carried: Option<&'f Column>,
    only: Option<Address>,
    lost: Option<LostFacts<'f>>,
    compared: u64,
    /// The address of the last entry of the left side.
    last: Option<Address>,
    /// The class name of the current entry.
    class: Option<Name>,
    differences: BTreeMap<Facet, Found>,
    not_compared: BTreeMap<(Facet, Side), u64>,
    /// The result of reading contents that are not held, for the current entry.
    read: Result<(), Error>,
}

/// The differences of a facet, with an index of their classes.
#[derive(Default)]
struct Found {
    difference: FacetDifference,
    classes: HashMap<Name, usize>,
}

impl<'f> Diff<'f> {
    fn new(
        [left, right]: [Told<'_>; 2],
        [l, r]: [Habits; 2],
        options: &'f Options<'_>,
        carried: Option<&'f Column>,
    ) -> Diff<'f> {
        let mut diff = Diff {
            left: HeapSide::new(left.classes, left.surroundings, l, carried),
            right: HeapSide::new(right.classes, right.surroundings, r, carried),
            not_looked_at: primitives([left.classes, right.classes], carried),
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
        let head = |told: Told<'_>| Head::of(told.facts, told.surroundings);
        diff.facts(None, &head(left), &head(right), [None, None]);
        diff
    }

    /// Compares the entries of both sides at an address.
    fn pair(&mut self, one: Option<Entry<'_>>, other: Option<Entry<'_>>) -> Result<(), Error> {
        one.iter().for_each(|entry| self.left.see(entry));
        other.iter().for_each(|entry| self.right.see(entry));
        let at = one.as_ref().or(other.as_ref()).map(Entry::address);
        let is_other = self.only.is_some() && at != self.only;
        if is_other || at.is_some_and(|at| self.not_looked_at.contains(&at)) {
            return Ok(());
        }
        let is_repeated = one.is_none() && at == self.last;
        self.last = one.as_ref().map(Entry::address).or(self.last);
        self.class = match (&one, &other) {
            (Some(one), _) => self.left.label(one),
            (None, Some(other)) => self.right.label(other),
            (None, None) => None,
        };
        match (one, other) {
            (Some(one), Some(other)) => {
                self.compared += 1;
                self.entry(one, other)?;
                std::mem::replace(&mut self.read, Ok(()))?;
            }
            // A converter synthesises classes that the source lacks, and no objects.
            (None, Some(Entry::Object(made_up))) => {
                let kind = show::kind(&Entry::Object(made_up));
                self.differs(Facet::Address, at, || ("nothing".to_owned(), kind));
            }
            (one, other) => {
                self.one_sided(Facet::Address, at, one.as_ref().map(show::kind), other.as_ref().map(show::kind));
            }
        }
        self.class = None;
        if let Some(Found { difference, .. }) = self.differences.get_mut(&Facet::Address).filter(|_| is_repeated) {
            difference.repeated.extend(difference.addresses.last().filter(|last| Some(**last) == at));
        }
        Ok(())
    }

    fn entry(&mut self, mut left: Entry<'_>, mut right: Entry<'_>) -> Result<(), Error> {
        let at = left.address();
        if let (Some(lost), Entry::Object(left), Entry::Object(right)) = (self.lost, &mut left, &right) {
            (lost.lose)(left.to_mut(), right, lost.facets);
        }
        if let Some(column) = self.carried {
            left.change(column, &self.left)?;
            right.change(column, &self.right)?;
        }
        self.fact(Facet::Kind, Some(at), Some(show::kind(&left)), Some(show::kind(&right)), String::clone);
        match (&left, &right) {
            (Entry::Class(l), Entry::Class(r)) => self.facts(Some(at), &**l, &**r, [None, None]),
            (Entry::Object(l), Entry::Object(r)) if l.kind == r.kind => self.object(at, l, r),
            _ => {}
        }
        Ok(())
    }

    fn record_order(&mut self, l: (FileOrder, &[Class]), r: (FileOrder, &[Class])) -> Result<(), Error> {
        if self.is_left_out(Facet::RecordOrder) {
            return Ok(());
        }
        self.compared += 1;
        let orders = l.0.with_classes(l.1).zip(r.0.with_classes(r.1));
        for (place, (l, r)) in orders.enumerate() {
            let (l, r) = (l?, r?);
            if l != r {
                self.differs(Facet::RecordOrder, None, || {
                    (format!("record {place} is {l}"), format!("record {place} is {r}"))
                });
                break;
            }
        }
        Ok(())
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

    /// Compares lists in order; the first differing item is shown.
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

    /// Both sides' values, if the facet is compared; a side that does not record it is noted.
    fn both<T>(&mut self, facet: Facet, left: Option<T>, right: Option<T>) -> Option<(T, T)> {
        if left.is_none() && right.is_none() || self.is_left_out(facet) {
            return None;
        }
        let silent = match (left, right) {
            (Some(left), Some(right)) => {
                self.compared += 1;
                return Some((left, right));
            }
            (None, _) => Side::UnknownLeft,
            (Some(_), None) => Side::UnknownRight,
        };
        *self.not_compared.entry((facet, silent)).or_default() += 1;
        None
    }

    /// Reports an item that only one of two lists has. A converter may have added those that only the second list has.
    fn one_sided(
        &mut self,
        facet: Facet,
        at: Option<Address>,
        left: Option<impl Into<String>>,
        right: Option<impl Into<String>>,
    ) {
        if left.is_none() && self.carried.is_some() {
            *self.not_compared.entry((facet, Side::UnknownLeft)).or_default() += 1;
            return;
        }
        let nothing = || "nothing".to_owned();
        self.differs(facet, at, || (left.map_or_else(nothing, Into::into), right.map_or_else(nothing, Into::into)));
    }

    fn differs(&mut self, facet: Facet, at: Option<Address>, describe: impl FnOnce() -> (String, String)) {
        let Found { difference, classes } = self.differences.entry(facet).or_default();
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
            Side::LeftOut
        } else if self.carried.is_some_and(|column| column.is_silent_on(facet)) {
            Side::NotCarried
        } else {
            return false;
        };
        *self.not_compared.entry((facet, why)).or_default() += 1;
        true
    }

    /// Compares surroundings and the order of records, and ends the comparison.
    fn finish(mut self, [left, right]: [Told<'_>; 2], [l, r]: [FileOrder; 2]) -> Result<Comparison, Error> {
        self.record_order((l, left.classes), (r, right.classes))?;
        match self.carried {
            Some(column) => {
                let (mut l, mut r) = (left.surroundings.clone(), right.surroundings.clone());
                column.surroundings(&mut l, &self.left.roots);
                column.surroundings(&mut r, &self.right.roots);
                self.surroundings(&l, &r);
            }
            None => self.surroundings(left.surroundings, right.surroundings),
        }
        Ok(self.comparison())
    }

    fn comparison(self) -> Comparison {
        let mut differences: Vec<FacetDifference> =
            self.differences.into_values().map(|found| found.difference).collect();
        for difference in &mut differences {
            difference.classes.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.class.cmp(&b.class)));
        }
        Comparison {
            schema: 5,
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
