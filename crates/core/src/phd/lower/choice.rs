//! The question that a profile answers for each record, and the arithmetic of the answers.

use crate::model::{Address, WordSize};
use crate::phd::record::StoredHash;
use crate::phd::wire::{RecordLayout, Units, Width};

/// A record that is due, before it is spelled.
#[derive(Debug)]
pub struct PendingRecord {
    /// The kind of record.
    pub kind: PendingKind,
    /// The file's layout.
    pub layout: RecordLayout,
    /// Whether the preceding address is 0, as before the first record.
    pub after_null: bool,
    /// Distance from the preceding record.
    pub gap: Units,
    /// The extent of all references.
    pub references: ReferenceSpread,
    /// The class cache slots that hold the object's class.
    pub slots: [bool; 4],
    /// The hash to store.
    pub hash: StoredHash,
    /// Number of elements of an array, if it is to be stored.
    pub length: Option<u64>,
}

/// The extent of a record's references, as far as a choice needs to know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReferenceSpread {
    /// The number of references.
    pub count: u64,
    /// Their distances, in address units.
    pub distances: SignedRange,
    /// Their addresses, as signed integers.
    pub addresses: SignedRange,
}

/// The least and the greatest of some numbers and 0, which every width holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignedRange {
    least: i64,
    most: i64,
}

impl ReferenceSpread {
    /// Takes in a reference.
    #[inline]
    pub fn include(&mut self, target: Address, distance: Units) {
        self.count += 1;
        self.distances.include(distance.0);
        self.addresses.include(target.0 as i64);
    }
}

impl ReferenceSpread {
    /// The extent of these references, with their distances.
    #[inline]
    pub fn new(targets: &[Address], distances: &[Units]) -> ReferenceSpread {
        let mut spread = ReferenceSpread { count: targets.len() as u64, ..ReferenceSpread::default() };
        distances.iter().for_each(|distance| spread.distances.include(distance.0));
        targets.iter().for_each(|target| spread.addresses.include(target.0 as i64));
        spread
    }
}

impl SignedRange {
    #[inline]
    fn include(&mut self, number: i64) {
        self.least = self.least.min(number);
        self.most = self.most.max(number);
    }

    fn width(self) -> Width {
        Width::of_signed(self.least).max(Width::of_signed(self.most))
    }
}

/// The kinds of record that a profile chooses a form for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingKind {
    /// A plain object.
    Instance,
    /// An object array.
    ObjectArray,
    /// A primitive array.
    PrimitiveArray,
    /// A class.
    Class,
}

/// The spelling of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordSpelling {
    /// The form of the record.
    pub form: RecordForm,
    /// Width of the gap (and of an array's length).
    pub gap: Width,
    /// Width of the references.
    pub references: Width,
    /// The low four bits of the flags byte, where there is one.
    pub flags: u8,
    /// Object arrays: tag 8 with the true length, or tag 5 without.
    pub true_length: bool,
}

/// The record forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordForm {
    /// Short object record through this cache slot.
    Short(u8),
    /// Medium object record.
    Medium,
    /// The record with a flags byte of its own.
    Long,
    /// Primitive array record.
    Plain,
}

/// The arithmetic in which a writer subtracts addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// In machine words: 32-bit differences wrap.
    Word,
    /// Always in 64 bits: the difference of two 32-bit addresses needs no wrapping.
    Wide,
}

impl Arithmetic {
    /// The distance between two addresses, in address units.
    #[inline]
    pub fn units(self, to: Address, from: Address, layout: RecordLayout) -> Units {
        self.distance_from(from, layout)(to)
    }

    /// The distances from an address, in address units.
    #[inline]
    pub fn distance_from(self, from: Address, layout: RecordLayout) -> impl Fn(Address) -> Units {
        // Units are 4 or 8 bytes, and addresses that are no multiples are refused.
        let shift = layout.unit.trailing_zeros();
        let unused = if self == Arithmetic::Word && layout.word == WordSize::Bits32 { 32 } else { 0 };
        move |to| Units((to.0.wrapping_sub(from.0) as i64) << unused >> unused >> shift)
    }
}

impl PendingRecord {
    /// The first cache slot that holds the object's class.
    pub fn slot(&self) -> Option<u8> {
        self.slots.iter().position(|&held| held).map(|slot| slot as u8)
    }

    /// Whether a 32-bit hash has to be stored, which short and medium records cannot.
    pub fn has_hash32(&self) -> bool {
        matches!(self.hash, StoredHash::Bits32(_))
    }

    /// Smallest width of the gap as a signed integer.
    pub fn gap_signed(&self) -> Width {
        Width::of_signed(self.gap.0)
    }

    /// Smallest width that also holds the gap's negation: -128 takes two bytes.
    pub fn gap_symmetric(&self) -> Width {
        symmetric(self.gap)
    }

    /// Smallest width that holds each reference as a signed integer.
    pub fn references_signed(&self) -> Width {
        self.references.distances.width()
    }

    /// Smallest width that holds the reference farthest away in either direction.
    pub fn references_symmetric(&self) -> Width {
        let SignedRange { least, most } = self.references.distances;
        symmetric(Units(least)).max(symmetric(Units(most)))
    }

    /// Smallest width that holds each reference's absolute address as a signed integer.
    pub fn references_absolute(&self) -> Width {
        self.references.addresses.width()
    }

    /// Smallest width of an array's length as a *signed* integer, as the known writers count it.
    pub fn length_signed(&self) -> Width {
        Width::of_signed(self.length.map_or(0, |length| i64::try_from(length).unwrap_or(i64::MAX)))
    }

    /// A width for the record with one width for gap and length: long primitive arrays have a byte
    /// or a word.
    pub fn byte_or_word(&self, needed: Width) -> Width {
        if needed == Width::One { Width::One } else { Width::of_word(self.layout.word) }
    }
}

fn symmetric(units: Units) -> Width {
    Width::of_signed(i64::try_from(units.0.unsigned_abs()).unwrap_or(i64::MAX))
}
