//! The objects of a heap that were decided on: their classes, sizes and owners, and what each is for.

use std::collections::BTreeMap;

use crate::model::{Address, ObjectKind, count_step};

use super::classes::ClassPlan;

/// Planned objects, without contents.
#[derive(Debug)]
pub(super) struct ObjectPlan {
    pub(super) addresses: Vec<Address>,
    pub(super) shapes: Vec<PlannedObject>,
    pub(super) owners: Owners,
    /// Objects with many references to them, the most popular first.
    pub(super) popular: Vec<Address>,
    /// Requested objects without room.
    pub(super) missing: MissingObjects,
}

/// Objects that options ask for and the heap has no room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MissingObjects {
    pub(super) loaders: u64,
    pub(super) threads: u64,
}

/// An object that was decided on: its class and its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedObject {
    pub(super) class: usize,
    pub(super) kind: ObjectKind,
    pub(super) length: u64,
    pub(super) size: u64,
    pub(super) part: ObjectPurpose,
}

/// The purpose of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectPurpose {
    /// Nothing in particular.
    Any,
    /// The characters of a string.
    Text,
    /// The characters of a string with one beyond ASCII: those of ISO 8859-1.
    NarrowText,
    /// The characters of a string in UTF-16.
    WideText,
    /// The characters of the name of the thread with this number, from 1.
    Name(u32),
    /// The characters of a word that many strings share.
    Word(u8),
    /// A string; its characters are the next object, if there is one.
    String,
    /// A thread; its name, or the name's characters, is the next object.
    Thread,
    /// A class loader.
    Loader,
    /// The array that refers to the other objects of a block.
    Holder,
}

impl ObjectPurpose {
    /// Whether the object holds characters.
    pub(super) fn is_text(self) -> bool {
        use ObjectPurpose::{Name, NarrowText, Text, WideText, Word};
        matches!(self, Text | NarrowText | WideText | Name(_) | Word(_))
    }
}

/// The owners of objects.
#[derive(Debug, Default)]
pub(super) struct Owners {
    /// The object that each field or element owns, by the owner and the index of the field or element.
    pub(super) owned: BTreeMap<(usize, usize), usize>,
    /// Objects for which no owner had room.
    pub(super) left: Vec<usize>,
}

impl Owners {
    /// The object that a field or element owns.
    pub(super) fn owned_object(&self, object: usize, item: usize) -> Option<usize> {
        self.owned.get(&(object, item)).copied()
    }
}

/// The number of references to other blocks in the array of a block.
pub(super) const HELD: usize = 2;

/// The number of popular objects.
pub(super) const POPULAR: usize = 256;

impl ObjectPlan {
    /// Whether the references of an object may lead to any object.
    pub(super) fn is_free(&self, index: usize, classes: &ClassPlan) -> bool {
        let shape = &self.shapes[index];
        shape.part == ObjectPurpose::Any && (shape.kind == ObjectKind::Instance || classes.takes_anything(shape.class))
    }

    /// Whether an object holds the characters of a word that many strings share.
    pub(super) fn is_word(&self, index: usize) -> bool {
        matches!(self.shapes[index].part, ObjectPurpose::Word(_))
    }

    /// The address of the object that a field or element owns.
    pub(super) fn owned_address(&self, index: usize, item: usize) -> Option<Address> {
        self.owners.owned_object(index, item).map(|owned| self.addresses[owned])
    }

    /// The address of an array that may hold any object, if there is one.
    pub(super) fn any_array(&self, classes: &ClassPlan) -> Option<Address> {
        let any = self.shapes.iter().position(|shape| classes.takes_anything(shape.class));
        any.map(|index| self.addresses[index])
    }

    /// The objects for which no owner had room.
    pub(super) fn ownerless(&self) -> impl Iterator<Item = Address> {
        self.owners.left.iter().map(|index| self.addresses[*index])
    }

    /// Whether an object holds characters.
    pub(super) fn is_text(&self, index: usize) -> bool {
        self.shapes[index].part.is_text()
    }

    pub(super) fn with_purpose(&self, wanted: ObjectPurpose) -> Vec<Address> {
        let placed = self.shapes.iter().zip(&self.addresses);
        placed
            .inspect(|_| count_step())
            .filter(|(shape, _)| shape.part == wanted)
            .map(|(_, address)| *address)
            .collect()
    }

    /// The first class loader, if there is one: it is the first object.
    pub(super) fn loader(&self) -> Address {
        let first = self.shapes.first().filter(|shape| shape.part == ObjectPurpose::Loader);
        first.map_or(Address::NULL, |_| self.addresses[0])
    }

    /// The object after another one, if it has the wanted purpose; else null.
    pub(super) fn next_if(&self, index: usize, is_wanted: fn(ObjectPurpose) -> bool) -> Address {
        let is_next = self.shapes.get(index + 1).is_some_and(|shape| is_wanted(shape.part));
        if is_next { self.addresses[index + 1] } else { Address::NULL }
    }
}
