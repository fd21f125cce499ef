//! Lengths that stand in a dump, and what becomes of them where bytes are left out.

use std::ops::Range;

use crate::compare::Facet;
use crate::draw::Draw;

use super::Family;

/// A part of a dump whose length stands before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedLength {
    /// Offset of the length: 4 bytes, big-endian.
    pub at: usize,
    /// The bytes that it counts; fewer where the dump ends before.
    pub of: Range<usize>,
}

/// A dump without a record, as it is read by who passes it over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassedOver {
    /// The dump.
    pub dump: Vec<u8>,
    /// The facets of what the record says.
    pub facets: &'static [Facet],
}

/// The changes of a family's dumps as a whole, where their records have lengths.
pub trait Framing: Sync {
    /// The parts of a dump whose length stands in it, the outer ones first, as far as they can be found; a broken dump has
    /// some, too. A part can be made shorter only together with its length.
    fn lengths(&self, dump: &[u8]) -> Vec<StatedLength>;

    /// A dump without the record that breaks a rule at an offset, where the record's own length is right and leads a reader over it.
    fn passing_over(&self, dump: &[u8], rule: &str, offset: u64) -> Option<PassedOver>;

    /// A dump with one heap more, in which some of its objects are again; `None` where a dump has only one. `starts` has the places
    /// where records begin.
    fn another_heap(&self, dump: &[u8], starts: &[usize], draw: &mut dyn Draw) -> Option<Vec<u8>>;

    /// A dump whose heaps are one, as it is taken by a reader that knows of no others.
    fn join_heaps(&self, dump: &[u8]) -> Vec<u8>;
}

impl Family {
    /// See [`Framing::lengths`]; none, where records have no lengths.
    pub fn lengths(self, dump: &[u8]) -> Vec<StatedLength> {
        self.framing().map_or_else(Vec::new, |framing| framing.lengths(dump))
    }
}

/// A dump without some places, in their order. A length counts what is left; one that is left out itself, or of which a part is,
/// counts as before.
#[doc(hidden)]
pub fn remove_ranges(dump: &[u8], lengths: &[StatedLength], gone: &[Range<usize>]) -> Vec<u8> {
    let mut dump = dump.to_vec();
    if gone.is_empty() {
        return dump;
    }
    for StatedLength { at, of } in lengths {
        let from = gone.partition_point(|gone| gone.end <= of.start);
        let inside = gone[from..].iter().take_while(|gone| gone.start < of.end);
        let less = inside.map(|gone| gone.end.min(of.end) - gone.start.max(of.start)).sum::<usize>() as u32;
        if let Some(field) = dump.get_mut(*at..at + 4).and_then(|field| <&mut [u8; 4]>::try_from(field).ok()) {
            *field = u32::from_be_bytes(*field).saturating_sub(less).to_be_bytes();
        }
    }
    let mut left = Vec::with_capacity(dump.len());
    let mut from = 0;
    for gone in gone {
        left.extend_from_slice(&dump[from.min(gone.start)..gone.start]);
        from = gone.end;
    }
    left.extend_from_slice(&dump[from..]);
    left
}
