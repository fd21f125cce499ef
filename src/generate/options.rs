//! What kind of heap to make.

use crate::model::{HashRegime, WordSize};

/// Options of the generator.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        }
    }
}
