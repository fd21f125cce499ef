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
mod targets;

use std::hint::black_box;
use std::ops::Range;

use crate::model::{Address, Name, ObjectKind};

pub(super) use places::FETCHED;
use places::Places;

pub(super) use characters::{CharacterArray, Characters};
pub use edges::{Edges, OfClasses};
pub use sizes::Sizes;

/// The entries of a heap and their references.
#[derive(Clone, Debug)]
pub struct Graph {
    /// How many of the entries are classes.
    classes: usize,
    addresses: Vec<u64>,
    places: Places,
    /// By entry; and one more, where the references end.
    heads: Vec<Head>,
    targets: Vec<u32>,
    types: Vec<Type>,
    /// Names of classes in the form of Java source, each once.
    names: Vec<Name>,
    edges: Edges,
    dangling: u64,
    characters: Characters,
    roots: Option<Vec<Rooted>>,
}

/// Of an entry. What is known of one stands together: it is looked up at random.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// Where its references begin in `targets`.
    start: u32,
    /// Its type's place in `types`.
    of_type: u32,
}

/// What entries have in common. Most have it in common with many others: a heap has few classes, and arrays of few lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    /// What kind of object they are; `None` for a class.
    pub(super) kind: Option<ObjectKind>,
    /// The entry of their class, if it is followed.
    pub(super) class: Option<u32>,
    /// The name of their class, or their own, if they are classes: its place among [`Graph::names`].
    pub(super) name: Option<u32>,
    /// The size of each in bytes, where the dump records it.
    pub(super) size: Option<u64>,
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
        self.type_of(entry).kind
    }

    /// The name of the class of an object, in the form of Java source, as its place among [`Graph::names`]; that of a class
    /// itself, for its class object.
    pub fn name(&self, entry: u32) -> Option<u32> {
        self.type_of(entry).name
    }

    /// The types of entries, by number.
    pub(super) fn types(&self) -> &[Type] {
        &self.types
    }

    /// The number of an entry's type.
    #[inline]
    pub(super) fn type_number(&self, entry: u32) -> u32 {
        self.heads[entry as usize].of_type
    }

    /// The names of classes, each once, in the order in which they come.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// The size of an entry in bytes, as the dump records it.
    pub fn size(&self, entry: u32) -> Option<u64> {
        self.type_of(entry).size
    }

    /// The entries to which an entry refers, each as often as it does; an object's class is the last.
    #[inline]
    pub fn references(&self, entry: u32) -> impl Iterator<Item = u32> {
        let listed = self.listed(entry);
        self.targets[listed.start as usize..listed.end as usize].iter().copied().chain(self.class_of(entry))
    }

    /// The references of an entry but that to its class, as places for [`Graph::target`].
    #[inline]
    pub(super) fn listed(&self, entry: u32) -> Range<u32> {
        self.heads[entry as usize].start..self.heads[entry as usize + 1].start
    }

    /// The entry to which the reference of a place leads.
    #[inline]
    pub(super) fn target(&self, place: u32) -> u32 {
        self.targets[place as usize]
    }

    /// Looks at what the references of some entries are read from: asked one by one, each would have to be waited for.
    pub(super) fn fetch(&self, entries: &[u32]) {
        let mut places = [const { 0..0 }; FETCHED];
        for (listed, entry) in places.iter_mut().zip(entries) {
            *listed = self.listed(*entry);
        }
        for listed in places.iter().filter(|listed| !listed.is_empty()) {
            black_box(self.targets[listed.start as usize]);
        }
    }

    /// How many references an entry has.
    #[inline]
    pub fn degree(&self, entry: u32) -> u64 {
        self.listed(entry).len() as u64 + u64::from(self.class_of(entry).is_some())
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
    fn type_of(&self, entry: u32) -> &Type {
        &self.types[self.type_number(entry) as usize]
    }

    /// The class of an object, if a reference leads to it.
    #[inline]
    pub(super) fn class_of(&self, entry: u32) -> Option<u32> {
        self.type_of(entry).class
    }
}
