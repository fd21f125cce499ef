//! Who refers to whom, in arrays that are as small as they can be.
//!
//! A heap is a graph of *entries*: its class objects, in the order of the class table, and its objects, in the order of the dump.
//! They are numbered in this order. `specs/answers.md` says which references there are.

mod build;
mod characters;
mod edges;
mod layout;
mod places;
mod sizes;

use std::hint::black_box;
use std::ops::Range;

use foldhash::HashMap;

use crate::model::{Address, Name, ObjectKind};

pub(super) use places::FETCHED;
use places::Places;

use characters::Characters;
pub(super) use characters::Part;
pub use edges::{Edges, OfClasses};
pub use sizes::Sizes;

/// The entries of a heap and their references.
#[derive(Clone, Debug)]
pub struct Graph {
    /// How many of the entries are classes.
    classes: usize,
    addresses: Vec<u64>,
    places: Places,
    /// By entry, where its references begin in `targets`; and their end.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// By object, its type's place in `types`.
    type_of: Vec<u32>,
    types: Vec<Type>,
    /// Names of classes in the form of Java source, each once.
    names: Vec<Name>,
    /// By object, its size in bytes.
    sizes: Vec<u32>,
    /// The sizes that have no room there, by entry.
    large: HashMap<u32, u64>,
    /// By class, its name's place in `names`.
    class_names: Vec<u32>,
    /// By class, the size of the class object, where the dump records it.
    class_sizes: Vec<Option<u64>>,
    edges: Edges,
    dangling: u64,
    characters: Characters,
    roots: Option<Vec<Rooted>>,
}

/// What objects have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Type {
    kind: ObjectKind,
    /// The entry of the class, if it is followed.
    class: Option<u32>,
    /// The name of the class.
    name: Option<u32>,
}

/// A root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rooted {
    /// The place of its kind in [`RootKind::FORMS`](crate::model::RootKind::FORMS).
    pub kind: usize,
    /// The entry that it keeps, if the dump has that.
    pub entry: Option<u32>,
    /// The entry of the thread that holds it instead, where [`Edges::locals`] says so.
    pub thread: Option<u32>,
}

/// In `sizes`: the dump does not record it.
const UNKNOWN: u32 = u32::MAX;
/// In `sizes`: it stands in `large`.
const LARGE: u32 = u32::MAX - 1;

impl Graph {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// How many of them are classes: the first ones.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The address of an entry.
    pub fn address(&self, entry: u32) -> Address {
        Address(self.addresses[entry as usize])
    }

    /// The entry at an address.
    pub fn find(&self, address: Address) -> Option<u32> {
        self.places.find(&self.addresses, address.0)
    }

    /// What kind of object an entry is; `None` for a class.
    pub fn kind(&self, entry: u32) -> Option<ObjectKind> {
        self.type_of(entry).map(|of| of.kind)
    }

    /// The name of the class of an object, in the form of Java source, as its place among [`Graph::names`]; that of a class
    /// itself, for its class object.
    pub fn name(&self, entry: u32) -> Option<u32> {
        match self.type_of(entry) {
            Some(of) => of.name,
            None => Some(self.class_names[entry as usize]),
        }
    }

    /// What objects have in common, by its number ([`Graph::type_number`]): their kind, and the name of their class.
    pub(super) fn types(&self) -> impl Iterator<Item = (ObjectKind, Option<u32>)> {
        self.types.iter().map(|of| (of.kind, of.name))
    }

    /// The number of what an entry has in common with others; `None` for a class.
    #[inline]
    pub(super) fn type_number(&self, entry: u32) -> Option<u32> {
        (entry as usize).checked_sub(self.classes).map(|object| self.type_of[object])
    }

    /// The names of classes, each once, in the order in which they come.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// The size of an entry in bytes, as the dump records it.
    pub fn size(&self, entry: u32) -> Option<u64> {
        let Some(object) = (entry as usize).checked_sub(self.classes) else { return self.class_sizes[entry as usize] };
        match self.sizes[object] {
            UNKNOWN => None,
            LARGE => self.large.get(&entry).copied(),
            size => Some(size.into()),
        }
    }

    /// The entries to which an entry refers, each as often as it does; an object's class is the last.
    #[inline]
    pub fn references(&self, entry: u32) -> impl Iterator<Item = u32> {
        let (from, to) = (self.starts[entry as usize] as usize, self.starts[entry as usize + 1] as usize);
        self.targets[from..to].iter().copied().chain(self.class_of(entry))
    }

    /// The references of an entry but that to its class, as places for [`Graph::target`].
    #[inline]
    pub(super) fn listed(&self, entry: u32) -> Range<u32> {
        self.starts[entry as usize]..self.starts[entry as usize + 1]
    }

    /// The entry to which the reference of a place leads.
    #[inline]
    pub(super) fn target(&self, place: u32) -> u32 {
        self.targets[place as usize]
    }

    /// Looks at what the references of some entries are read from: asked one by one, each would have to be waited for.
    pub(super) fn fetch(&self, entries: &[u32]) {
        let mut starts = [0; FETCHED];
        for (start, entry) in starts.iter_mut().zip(entries) {
            *start = self.starts[*entry as usize];
            let object = (*entry as usize).checked_sub(self.classes);
            black_box(object.map(|object| self.type_of[object]));
        }
        for start in &starts[..entries.len().min(FETCHED)] {
            black_box(self.targets.get(*start as usize).copied());
        }
    }

    /// How many references an entry has.
    #[inline]
    pub fn degree(&self, entry: u32) -> u64 {
        let listed = self.starts[entry as usize + 1] - self.starts[entry as usize];
        u64::from(listed) + u64::from(self.class_of(entry).is_some())
    }

    /// References to addresses that the dump has no entry of.
    pub fn dangling(&self) -> u64 {
        self.dangling
    }

    /// The roots, in the dump's order; `None` where the dump records none.
    pub fn roots(&self) -> Option<&[Rooted]> {
        self.roots.as_deref()
    }

    /// The entries that roots keep, each once, in the order of the first root of each.
    pub fn rooted(&self) -> Option<Vec<u32>> {
        let mut seen = vec![false; self.len()];
        let entries = self.roots.as_ref()?.iter().filter(|root| root.keeps()).filter_map(|root| root.entry);
        Some(entries.filter(|entry| !std::mem::replace(&mut seen[*entry as usize], true)).collect())
    }

    /// The strings, and the arrays that can hold their characters.
    pub(super) fn characters(&self) -> &Characters {
        &self.characters
    }

    /// Which references were taken in.
    pub fn edges(&self) -> Edges {
        self.edges
    }

    #[inline]
    fn type_of(&self, entry: u32) -> Option<&Type> {
        let object = (entry as usize).checked_sub(self.classes)?;
        Some(&self.types[self.type_of[object] as usize])
    }

    /// The class of an object, if a reference leads to it.
    #[inline]
    pub(super) fn class_of(&self, entry: u32) -> Option<u32> {
        self.type_of(entry)?.class
    }
}
