//! What kind of heap to make.

use crate::model::{HashRegime, WordSize};
use crate::setters::setters;

use super::library::Library;
use super::oddity::Oddities;

/// Options of the generator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GenerateOptions {
    /// Number of objects, classes not counted.
    pub objects: usize,
    /// Word size, which bounds addresses.
    pub word: WordSize,
    /// How identity hashes are kept.
    pub hashes: HashRegime,
    /// File order.
    pub placement: Placement,
    /// What addresses are like.
    pub addresses: AddressSpace,
    /// Whose library the classes come from that every program has.
    pub library: Library,
    /// What the heap has besides the ordinary.
    pub oddities: Oddities,
    /// Whether names have only characters of ISO 8859-1, for EBCDIC pages.
    pub latin1_names: bool,
    /// Whether the elements of some primitive arrays are unknown, as Android's dumps can have it.
    pub bare_arrays: bool,
}

setters! {
    impl GenerateOptions {
        set objects: usize;
        set word: WordSize;
        set hashes: HashRegime;
        set placement: Placement;
        set addresses: AddressSpace;
        set library: Library;
        set oddities: Oddities;
        set latin1_names: bool;
        set bare_arrays: bool;
    }
}

/// What the addresses of a generated heap are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// Places in memory, as wide as a word.
    Memory,
    /// Numbers from 1 on, for identifiers of 1 and 2 bytes.
    Numbers,
}

/// The order of a generated heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Objects by address, as JVMs write them; where classes stand is the writer's choice.
    Ordered,
    /// Objects partly out of order, classes among them.
    Mixed,
}

impl Default for GenerateOptions {
    fn default() -> GenerateOptions {
        GenerateOptions {
            objects: 200,
            word: WordSize::Bits64,
            hashes: HashRegime::WhereUsed32,
            placement: Placement::Ordered,
            addresses: AddressSpace::Memory,
            library: Library::default(),
            oddities: Oddities::NONE,
            latin1_names: false,
            bare_arrays: false,
        }
    }
}
