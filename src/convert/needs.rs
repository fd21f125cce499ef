//! What a target needs of a heap beyond what a source may tell.

use crate::format::Lowering;
use crate::hprof::IdSize;
use crate::model::{Facts, WordSize};
use crate::phd::Version;
use crate::phd::lower::ArrayWord;

/// What a dump of the target cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    pub(super) family: Shape,
    /// Addresses are multiples of this.
    pub(super) unit: u64,
    /// The largest address.
    pub(super) largest: u64,
}

/// What the target's records are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Classes by address, arrays by what the class word names, no names in objects.
    Phd {
        /// What the class word of an object array names.
        word: ArrayWord,
        /// Whether arrays have a size of their own.
        sizes: bool,
    },
    /// Everything by field and position.
    Hprof,
    /// Names and sizes in every record.
    Classic {
        /// Whether the first reference of each object is its class.
        blocks: bool,
    },
}

impl Needs {
    pub(super) fn of(lowering: &Lowering, facts: &Facts) -> Needs {
        let own = facts.word_size.or(match facts.identifier_size {
            Some(size) if size.0 < 8 => Some(WordSize::Bits32),
            _ => None,
        });
        let word = |asked: Option<WordSize>| match asked.or(own).unwrap_or(WordSize::Bits64) {
            WordSize::Bits32 => u64::from(u32::MAX),
            WordSize::Bits64 => u64::MAX,
        };
        match lowering {
            Lowering::Phd(options) => Needs {
                family: Shape::Phd { word: options.profile.array_word, sizes: options.version == Version::V6 },
                unit: if options.profile.j9 == Some(false) && options.version == Version::V4 { 8 } else { 4 },
                largest: word(options.word),
            },
            Lowering::Hprof(options) => {
                let own = facts.identifier_size.and_then(|size| IdSize::from_bytes(size.0));
                let of_word = if own.is_none() && facts.word_size == Some(WordSize::Bits32) {
                    IdSize::Four
                } else {
                    IdSize::Eight
                };
                let id = options.id_size.or(options.profile.id_size).or(own).unwrap_or(of_word);
                Needs { family: Shape::Hprof, unit: 1, largest: id.max() }
            }
            Lowering::Classic(options) => Needs {
                family: Shape::Classic { blocks: options.profile.class_blocks },
                unit: 1,
                largest: word(options.word),
            },
        }
    }

    /// Whether the target carries what stands beside classes and objects: roots, threads, traces. Where it does not,
    /// their addresses need not fit it. Identifiers of JNI references would seldom do, which are no addresses of the heap.
    pub(super) fn surroundings(&self) -> bool {
        self.family == Shape::Hprof
    }

    /// Whether the target can hold an address.
    pub(super) fn holds(&self, address: u64) -> bool {
        address <= self.largest && address.is_multiple_of(self.unit)
    }
}
