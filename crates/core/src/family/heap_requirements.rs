//! Facts that a dump of some kind requires of a heap.

use crate::model::{Facts, WordSize};

/// Facts that a heap has to have before it can be written as a dump of some kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapRequirements {
    /// Addresses are multiples of this.
    pub unit: u64,
    /// The largest address.
    pub largest: u64,
    /// Whether the dump carries what stands beside classes and objects: roots, threads, traces. Where it does not, their
    /// addresses need not fit. Identifiers of JNI references, which are no addresses of the heap, would seldom do.
    pub surroundings: bool,
    /// Whether the class of each instance and object array has to be in the dump.
    pub classes: bool,
    /// Whether the class of each primitive array has to be in the dump.
    pub primitive_array_classes: bool,
    /// The class of an object array that has to be in the dump.
    pub array_class: ArrayClass,
    /// Whether classes have a superclass and an instance size, and of how many bytes the latter is a multiple.
    pub instance_sizes: Option<u64>,
    /// Whether contents are recorded by position: fields, static fields and their values, elements, primitive contents.
    /// References are only listed otherwise.
    pub positions: bool,
    /// Whether arrays have a length.
    pub lengths: bool,
    /// Whether each object has the name of its class and its size, and each class the size of its class object.
    pub names_and_sizes: bool,
    /// Whether arrays have a size of their own, and of how many bytes it is a multiple.
    pub array_sizes: Option<u64>,
    /// Bytes of an entry in the list of superclasses that the dump has for each class, if it has such lists.
    pub superclass_lists: Option<u64>,
    /// Whether the word size of the process is recorded.
    pub word_size: bool,
}

/// The class that an object array's record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayClass {
    /// The array's own class.
    Own,
    /// The class of its elements, alone.
    Component,
    /// Its own class, and the innermost class of its elements.
    OwnAndInnermost,
}

impl HeapRequirements {
    /// The largest address of a word size: the one that was asked for, else the heap's.
    pub fn largest_address(asked: Option<WordSize>, facts: &Facts) -> u64 {
        let of_identifiers = || facts.identifier_size.filter(|size| size.0 < 8).map(|_| WordSize::Bits32);
        asked.or(facts.word_size).or_else(of_identifiers).unwrap_or(WordSize::Bits64).mask(u64::MAX)
    }

    /// Whether the target can hold an address.
    pub fn holds(&self, address: u64) -> bool {
        address <= self.largest && address.is_multiple_of(self.unit)
    }
}
