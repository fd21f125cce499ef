//! Lengths of arrays from their sizes, and sizes from lengths.
//!
//! A record of classic text has an array's size in bytes and not its length. The size is that of a header, which differs
//! between VMs, and of the elements, and as a rule is rounded up, so that several lengths fit it. specs/conversion.md has the
//! headers with their sources, and how good the lengths are that are worked out here.

use std::ops::RangeInclusive;

use serde::Serialize;

use crate::error::Error;
use crate::family::HeapRequirements;
use crate::model::{
    Address, ByteLen, Contents, Facts, HeapSource, Object, ObjectKind, PiecewiseContents, PrimitiveType, WordSize,
};

/// The header of an array in memory, and the width of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ArrayHeader {
    /// 8 bytes, references of 4: 64-bit VMs with compressed references, and 32-bit VMs.
    Compressed,
    /// 16 bytes, references of 8: 64-bit VMs without compressed references.
    Full,
    /// 16 bytes, references of 4: OpenJ9 with compressed references where headers have the address of the data; 32-bit J9 2.4.
    CompressedDataAddress,
    /// 24 bytes, references of 8: OpenJ9 without compressed references where headers have the address of the data.
    FullDataAddress,
}

impl ArrayHeader {
    /// Every header, the most frequent one last.
    const ALL: [ArrayHeader; 4] =
        [ArrayHeader::FullDataAddress, ArrayHeader::CompressedDataAddress, ArrayHeader::Full, ArrayHeader::Compressed];

    /// Bytes of the header.
    pub fn bytes(self) -> u64 {
        match self {
            ArrayHeader::Compressed => 8,
            ArrayHeader::Full | ArrayHeader::CompressedDataAddress => 16,
            ArrayHeader::FullDataAddress => 24,
        }
    }

    /// Bytes of a reference.
    pub fn reference(self) -> u64 {
        match self {
            ArrayHeader::Compressed | ArrayHeader::CompressedDataAddress => 4,
            ArrayHeader::Full | ArrayHeader::FullDataAddress => 8,
        }
    }

    /// Bytes of an element of an array.
    fn element(self, kind: ObjectKind) -> u64 {
        match kind {
            ObjectKind::PrimitiveArray(element) => PrimitiveType::size(element),
            ObjectKind::Instance | ObjectKind::ObjectArray => self.reference(),
        }
    }

    /// Bytes of the header and this number of elements, before rounding up.
    fn unrounded_size(self, length: u64, kind: ObjectKind) -> u64 {
        length.saturating_mul(self.element(kind)).saturating_add(self.bytes())
    }
}

/// How the array header of a source was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HeaderFound {
    /// An option says so.
    Option,
    /// All arrays of references have room for the references that they list, and more of them are filled exactly than with
    /// another header.
    Arrays,
    /// No array of references says anything. An address of 64 GiB or more cannot be compressed.
    Addresses,
    /// No array of references says anything: the usual one of the word size.
    Default,
}

/// Lengths of arrays that were worked out from their sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ArrayLengths {
    /// The header that arrays were taken to have.
    pub header: ArrayHeader,
    /// Its bytes.
    pub header_bytes: u64,
    /// The bytes of a reference.
    pub reference_bytes: u64,
    /// How it was found.
    pub found: HeaderFound,
    /// What sizes are a multiple of: 8 or less.
    pub alignment: u64,
    /// Arrays whose length was worked out.
    pub derived: u64,
    /// Those among them whose length may be another one, since padding may stand for elements.
    pub uncertain: u64,
}

/// The number of lengths that were worked out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DerivedLengths {
    derived: u64,
    uncertain: u64,
}

impl DerivedLengths {
    pub(super) fn add(&mut self, fits: FittingLength) {
        self.derived += 1;
        self.uncertain += u64::from(fits.is_uncertain);
    }
}

/// A length that fits a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FittingLength {
    pub(super) length: u64,
    /// Whether another length fits as well.
    is_uncertain: bool,
}

/// The relation between lengths and sizes of a source's arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct LengthEstimate {
    header: ArrayHeader,
    found: HeaderFound,
    alignment: u64,
    /// The header by which sizes are computed from lengths.
    of_sizes: ArrayHeader,
}

/// The most elements of a Java array: the largest `int`.
const LONGEST: u64 = i32::MAX as u64;
/// The size of the smallest object, an empty array.
const SMALLEST: u64 = 16;
/// The limit of references of 4 bytes, shifted by at most 4 bits.
const COMPRESSED: u64 = 1 << 36;

impl LengthEstimate {
    /// Surveys the arrays of a source, if it may have sizes without lengths and the target needs these.
    pub(super) fn from_source(
        source: &mut dyn HeapSource,
        needs: &HeapRequirements,
        header: Option<ArrayHeader>,
    ) -> Result<LengthEstimate, Error> {
        let is_small = source.facts().word_size == Some(WordSize::Bits32);
        let of_words = if is_small { ArrayHeader::Compressed } else { ArrayHeader::Full };
        let of_sizes = header.unwrap_or(of_words);
        let usual = (header.unwrap_or(ArrayHeader::Compressed), HeaderFound::Default);
        let mut lengths = LengthEstimate { header: usual.0, found: usual.1, alignment: 8, of_sizes };
        if needs.lengths && lacks_lengths(source.facts()) {
            let mut seen = ArraySurvey::default();
            source.visit_objects(&mut |object| {
                seen.observe(object);
                Ok(())
            })?;
            lengths.alignment = seen.alignment();
            (lengths.header, lengths.found) = seen.header(is_small).unwrap_or(usual);
        }
        if let Some(header) = header {
            (lengths.header, lengths.found) = (header, HeaderFound::Option);
        }
        Ok(lengths)
    }

    /// The length of an array that lists this number of references, where its size is known and no length is.
    ///
    /// Of several lengths that fit, the middle one, rounded down: it is right most often, and otherwise nearest to the
    /// truth.
    pub(super) fn array_length(&self, array: &Object, listed: u64) -> Option<FittingLength> {
        let fitting = self.fitting_lengths(array.size?, array.kind, listed);
        let (least, most) = fitting.into_inner();
        let length = least + (most - least) / 2;
        // A reference that is not listed is null, and a size that no array of Java has stands for none of them.
        let is_array = matches!(array.kind, ObjectKind::PrimitiveArray(_)) || length <= LONGEST;
        is_array.then_some(FittingLength { length, is_uncertain: least < most })
    }

    /// Every length that gives this size.
    fn fitting_lengths(&self, size: ByteLen, kind: ObjectKind, listed: u64) -> RangeInclusive<u64> {
        let (room, element) = (size.0.saturating_sub(self.header.bytes()), self.header.element(kind));
        let most = (room / element).max(listed);
        // Whatever is smaller is rounded up to the smallest object.
        let needed = if size.0 <= SMALLEST { 0 } else { room.saturating_sub(self.alignment - 1) };
        needed.div_ceil(element).max(listed).min(most)..=most
    }

    /// The size of an array of this length.
    pub(super) fn footprint(&self, length: u64, kind: ObjectKind) -> u64 {
        ByteLen(self.of_sizes.unrounded_size(length, kind)).rounded_up(8).0.max(SMALLEST)
    }

    /// The report on the lengths that were worked out.
    pub(super) fn report(&self, DerivedLengths { derived, uncertain }: DerivedLengths) -> Option<ArrayLengths> {
        let LengthEstimate { header, found, alignment, .. } = *self;
        let (header_bytes, reference_bytes) = (header.bytes(), header.reference());
        (derived > 0).then_some(ArrayLengths {
            header,
            header_bytes,
            reference_bytes,
            found,
            alignment,
            derived,
            uncertain,
        })
    }
}

/// Whether a source is neither a PHD nor an HPROF dump, which record lengths.
fn lacks_lengths(facts: &Facts) -> bool {
    facts.hash_regime.is_none() && facts.identifier_size.is_none()
}

/// The evidence of arrays with a size and without a length.
#[derive(Default)]
struct ArraySurvey {
    /// The bits of all sizes.
    sizes: u64,
    highest: Address,
    /// The fit of each header.
    fit: [HeaderFit; 4],
}

/// The fit of a header to arrays of references.
#[derive(Clone, Copy, Default)]
struct HeaderFit {
    /// Arrays that list more references than they would have room for.
    too_small: u64,
    /// Arrays that are filled exactly.
    filled: u64,
}

impl ArraySurvey {
    fn observe(&mut self, object: &Object) {
        self.highest = self.highest.max(object.address);
        let (Some(size), None) = (object.size, object.length) else { return };
        if object.kind == ObjectKind::Instance {
            return;
        }
        self.sizes |= size.0;
        let listed = match &object.contents {
            Contents::References(listed) => listed.len() as u64,
            Contents::Long(PiecewiseContents::References(listed)) => listed.count(),
            _ => 0,
        };
        if object.kind == ObjectKind::ObjectArray && listed > 0 {
            for (header, fit) in ArrayHeader::ALL.into_iter().zip(&mut self.fit) {
                let needed = header.unrounded_size(listed, object.kind);
                fit.too_small += u64::from(needed > size.0);
                fit.filled += u64::from(needed <= size.0 && size.0 - needed < 8);
            }
        }
    }

    /// The common divisor of all sizes, 8 at most.
    fn alignment(&self) -> u64 {
        1 << self.sizes.trailing_zeros().min(3)
    }

    /// The header under which all arrays of references have room and most are filled; a header under which a single
    /// array has no room is another VM's.
    fn header(&self, is_small: bool) -> Option<(ArrayHeader, HeaderFound)> {
        let fits = ArrayHeader::ALL.into_iter().zip(&self.fit);
        let possible =
            fits.filter(|(header, fit)| fit.too_small == 0 && fit.filled > 0 && (!is_small || header.reference() == 4));
        if let Some((header, _)) = possible.max_by_key(|(_, fit)| fit.filled) {
            return Some((header, HeaderFound::Arrays));
        }
        (self.highest.0 >= COMPRESSED).then_some((ArrayHeader::Full, HeaderFound::Addresses))
    }
}
