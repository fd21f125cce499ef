//! The reference graph of a heap, in arrays that are as small as they can be.
//!
//! A heap is a graph of *entries*: its class objects, in the order of the class table, and its objects, in the order of the dump.
//! They are numbered in this order. `specs/answers.md` says which references there are.

mod build;
mod characters;
mod edges;
mod entry_index;
mod referent_fields;
mod sizes;

use std::ops::Range;

use crate::model::{Address, Name, ObjectKind};

use entry_index::EntryIndex;

pub(super) use characters::{CharacterArray, Characters};
pub use edges::{ClassEdges, EdgeOptions};
pub use sizes::ObjectSizes;

/// The entries of a heap and their references.
#[derive(Clone, Debug)]
pub struct EntryGraph {
    /// The number of classes, which are the first entries.
    classes: usize,
    addresses: Vec<u64>,
    places: EntryIndex,
    /// The head of each entry, and one more where the references end.
    heads: Vec<EntryHead>,
    targets: Vec<u32>,
    types: Vec<EntryType>,
    /// Names of classes in the form of Java source, each once.
    names: Vec<Name>,
    edges: EdgeOptions,
    dangling: u64,
    characters: Characters,
    roots: Option<Vec<GraphRoot>>,
}

/// The fixed part of an entry. Its fields stand together since heads are looked up at random.
#[derive(Clone, Copy, Debug, Default)]
struct EntryHead {
    /// The start of its references in `targets`.
    start: u32,
    /// The index of its type in `types`.
    of_type: u32,
}

/// The properties that many entries share: a heap has few classes, and arrays of few lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryType {
    /// The kind of object; `None` for a class.
    pub(super) kind: Option<ObjectKind>,
    /// The entry of the class, if references to classes count.
    pub(super) class: Option<u32>,
    /// The place among [`EntryGraph::names`] of the class's name: its own for a class, its class's for an object.
    pub(super) name: Option<u32>,
    /// The size of each entry in bytes, where the dump records it.
    pub(super) size: Option<u64>,
}

/// A root, by entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphRoot {
    /// The place of the root's kind in [`RootKind::FORMS`](crate::model::RootKind::FORMS).
    pub kind: usize,
    /// The entry of the root's object, if the dump has that object.
    pub entry: Option<u32>,
    /// The entry of the thread that holds the object instead, where [`EdgeOptions::locals`] says so.
    pub thread: Option<u32>,
}

impl EntryGraph {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.addresses.len()
    }

    /// Whether the graph is empty.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// The number of classes, which are the first entries.
    pub fn class_count(&self) -> usize {
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

    /// The kind of an object; `None` for a class.
    pub fn kind(&self, entry: u32) -> Option<ObjectKind> {
        self.type_of(entry).kind
    }

    /// The place among [`EntryGraph::names`] of an object's class name, or of a class's own name, in the form of Java
    /// source.
    pub fn name(&self, entry: u32) -> Option<u32> {
        self.type_of(entry).name
    }

    /// The types of entries, by number.
    pub(super) fn types(&self) -> &[EntryType] {
        &self.types
    }

    /// The number of an entry's type.
    #[inline]
    pub(super) fn type_number(&self, entry: u32) -> u32 {
        self.heads[entry as usize].of_type
    }

    /// The distinct names of classes, in order of first occurrence.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// The size of an entry in bytes, as the dump records it.
    pub fn size(&self, entry: u32) -> Option<u64> {
        self.type_of(entry).size
    }

    /// The entries that an entry refers to, each as often as it does; an object's class is the last.
    #[inline]
    pub fn references(&self, entry: u32) -> impl Iterator<Item = u32> {
        let listed = self.reference_range(entry);
        self.targets[listed.start as usize..listed.end as usize].iter().copied().chain(self.class_of(entry))
    }

    /// The references of an entry but that to its class, as places for [`EntryGraph::target`].
    #[inline]
    pub(super) fn reference_range(&self, entry: u32) -> Range<u32> {
        self.heads[entry as usize].start..self.heads[entry as usize + 1].start
    }

    /// The target of the reference at a place.
    #[inline]
    pub(super) fn target(&self, place: u32) -> u32 {
        self.targets[place as usize]
    }

    /// The number of references of an entry.
    #[inline]
    pub fn degree(&self, entry: u32) -> u64 {
        self.reference_range(entry).len() as u64 + u64::from(self.class_of(entry).is_some())
    }

    /// The number of references to addresses without an entry.
    pub fn dangling(&self) -> u64 {
        self.dangling
    }

    /// The roots, in the dump's order; `None` where the dump records none.
    pub fn roots(&self) -> Option<&[GraphRoot]> {
        self.roots.as_deref()
    }

    /// The distinct entries that roots keep, in the order of the first root of each.
    pub fn root_entries(&self) -> Option<Vec<u32>> {
        let mut seen = vec![false; self.len()];
        let entries = self.roots.as_ref()?.iter().filter(|root| root.keeps()).filter_map(|root| root.entry);
        Some(entries.filter(|entry| !std::mem::replace(&mut seen[*entry as usize], true)).collect())
    }

    /// The strings, and the arrays that can hold their characters.
    pub(super) fn characters(&self) -> &Characters {
        &self.characters
    }

    /// The options that chose the references.
    pub fn edges(&self) -> EdgeOptions {
        self.edges
    }

    #[inline]
    fn type_of(&self, entry: u32) -> &EntryType {
        &self.types[self.type_number(entry) as usize]
    }

    /// The class of an object, if references to classes count.
    #[inline]
    pub(super) fn class_of(&self, entry: u32) -> Option<u32> {
        self.type_of(entry).class
    }
}
