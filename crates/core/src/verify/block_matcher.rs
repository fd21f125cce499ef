//! Comparison of objects by their bytes, so that they need not be decoded.

use crate::family::{SkippedRecords, SpelledBlocks};

/// The bytes that the writer of a dump makes of blocks, to be compared with those of the dump.
///
/// A writer and a reader that share a mistake agree with each other: so the first block of each shape is decoded and compared
/// field by field, and only then its bytes count.
pub(super) struct BlockMatcher<'h> {
    blocks: Box<dyn SpelledBlocks + 'h>,
    /// The shapes of which a block was decoded.
    seen: Vec<bool>,
    /// The block that was spelled last, and its bytes.
    spelled: Option<u64>,
    bytes: Vec<u8>,
}

/// A place among the objects in blocks.
#[derive(Clone, Copy)]
pub(super) struct BlockPosition {
    pub(super) block: u64,
    pub(super) shape: usize,
    pub(super) object: usize,
    /// Whether contents are compared, or only where the objects are.
    pub(super) in_full: bool,
}

impl<'h> BlockMatcher<'h> {
    pub(super) fn new(blocks: Box<dyn SpelledBlocks + 'h>, shapes: usize) -> BlockMatcher<'h> {
        BlockMatcher { blocks, seen: vec![false; shapes], spelled: None, bytes: Vec::new() }
    }

    /// Notes that a block of this shape was decoded, and is right.
    pub(super) fn mark_decoded(&mut self, shape: usize) {
        self.seen[shape] = true;
    }

    /// Passes over the objects from a place on, up to the end of their block, as far as the dump's bytes are the
    /// writer's.
    pub(super) fn skip_matching(&mut self, at: BlockPosition, bytes: &[u8]) -> SkippedRecords {
        if !self.seen[at.shape] {
            return SkippedRecords::default();
        }
        if !at.in_full {
            return self.skip_by_length(at, bytes);
        }
        if self.spelled != Some(at.block) {
            // Where objects come in another order, it is not worth while to spell a block for each of them.
            self.spelled = Some(at.block).filter(|_| at.object == 0);
            self.bytes.clear();
            if self.spelled.is_none() || self.blocks.spell(at.block, &mut self.bytes).is_err() {
                self.spelled = None;
                return SkippedRecords::default();
            }
        }
        let ends = self.blocks.ends(at.block);
        let start = if at.object == 0 { 0 } else { ends[at.object - 1] };
        let due = &self.bytes[start..];
        let shorter = due.len().min(bytes.len());
        let same = match due[..shorter] == bytes[..shorter] {
            true => shorter,
            false => due.iter().zip(bytes).take_while(|(due, found)| due == found).count(),
        };
        skipped(ends, at.object, start + same)
    }

    /// The objects that are passed over where only identifiers are compared: of the bytes between them, no more than
    /// the length is known.
    fn skip_by_length(&self, at: BlockPosition, bytes: &[u8]) -> SkippedRecords {
        let ends = self.blocks.ends(at.block);
        let start = if at.object == 0 { 0 } else { ends[at.object - 1] };
        let (mut object, mut from) = (at.object, start);
        while let Some(rest) = bytes.get(from - start..).filter(|_| object < ends.len())
            && ends[object] - from <= rest.len()
            && self.blocks.is_next(at.block, object, rest)
        {
            (object, from) = (object + 1, ends[object]);
        }
        skipped(ends, at.object, from)
    }
}

/// The objects from one on that end at most there.
fn skipped(ends: &[usize], object: usize, end: usize) -> SkippedRecords {
    let start = if object == 0 { 0 } else { ends[object - 1] };
    let records = ends[object..].partition_point(|to| *to <= end);
    match records {
        0 => SkippedRecords::default(),
        _ => SkippedRecords { bytes: ends[object + records - 1] - start, records: records as u64 },
    }
}
