//! Options of reading a dump: readings of what its bytes do not decide, which a format without such a choice ignores,
//! and how much of it is held.

use crate::input::Input;
use crate::model::long::{HELD, SPOOLED};
use crate::setters::setters;

/// Options of reading a dump: readings of what the bytes alone do not decide, and how much of an object's contents is
/// held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// A dump record of length 0.
    pub zero_length: ZeroLength,
    /// A HEAP DUMP whose length may have wrapped at 2^32.
    pub wrapped: WrappedLength,
    /// Strings of one identifier (HPROF).
    pub texts: RepeatedTexts,
    /// Parts of the heap (HPROF of Android).
    pub regions: RegionStarts,
    /// First references that may be class blocks (classic text).
    pub class_blocks: ClassBlocks,
    /// Contents of one object are held in memory up to this number of bytes; longer ones are read in pieces.
    pub held: usize,
    /// Bytes of long contents that temporary files may hold, where the dump is not a plain file.
    pub spooled: u64,
    /// Memory for the tables of a dump, in bytes: names, classes, roots, heaps, a log, addresses, and the record that
    /// is being read. Without it, [`INDEXED`] and [`INDEXED_PER_BYTE`] for each byte of the file.
    pub indexed: Option<u64>,
}

/// Memory that any dump may take for its tables, in bytes.
pub const INDEXED: u64 = 64 << 20;

/// Memory that a dump may take beyond that for each byte of its file, compressed or not. The records of a plain dump
/// take less, so that only compressed dumps reach this, and few of these: gzip makes at most a thousand bytes of one.
pub const INDEXED_PER_BYTE: u64 = 64;

/// Memory that a dump may take whose file has no length: it is read once, so that no more than its largest record is
/// held.
const STREAM_INDEXED: u64 = 1 << 30;

setters! {
    impl ReadOptions {
        set zero_length: ZeroLength;
        set wrapped: WrappedLength;
        set texts: RepeatedTexts;
        set regions: RegionStarts;
        set class_blocks: ClassBlocks;
        set held: usize;
        set spooled: u64;
        option indexed: u64;
    }
}

impl ReadOptions {
    /// The usual reading of a dump.
    pub const DEFAULT: ReadOptions = ReadOptions {
        zero_length: ZeroLength::ByChain,
        wrapped: WrappedLength::Repair,
        texts: RepeatedTexts::Last,
        regions: RegionStarts::Merged,
        class_blocks: ClassBlocks::Removed,
        held: HELD,
        spooled: SPOOLED,
        indexed: None,
    };

    /// Memory for the tables of a dump from this input, in bytes.
    pub fn allowed(&self, input: Option<&Input>) -> u64 {
        let by_length = |input: &Input| INDEXED.saturating_add(input.length().saturating_mul(INDEXED_PER_BYTE));
        self.indexed.unwrap_or_else(|| input.map_or(STREAM_INDEXED, by_length))
    }
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions::DEFAULT
    }
}

/// The reading of a dump record of length 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroLength {
    /// An empty segment when the records after it chain to the end of the file, and an unpatched length
    /// otherwise. Where nothing is known of what follows, an empty segment.
    #[default]
    ByChain,
    /// An empty segment.
    Empty,
    /// A length that its writer did not live to patch: sub-records follow.
    Unpatched,
}

/// The reading of a HEAP DUMP's length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WrappedLength {
    /// Wrapped at 2^32, when the bytes left in the file agree with it modulo 2^32 and no records chain to the
    /// end of the file after it.
    #[default]
    Repair,
    /// The length.
    Trust,
}

/// The string that counts of several with one identifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RepeatedTexts {
    /// The last up to the end of a heap.
    #[default]
    Last,
    /// The first of the file.
    First,
}

/// The records that begin a part of a heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegionStarts {
    /// Each HEAP DUMP INFO that gives another part than the one before.
    #[default]
    Merged,
    /// Each HEAP DUMP INFO.
    AsStated,
}

/// The reading of first references, where every object begins with one to a class of its type's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassBlocks {
    /// The object's class, and no reference of its heap.
    #[default]
    Removed,
    /// References like any other.
    Kept,
}
