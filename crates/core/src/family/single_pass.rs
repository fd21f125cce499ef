//! Reading a dump once, and blocks of objects as a dump spells them.

use crate::error::Error;
use crate::model::{Class, Dump, Object};

use super::Opening;

/// See [`DumpFamily::single_pass_reader`](super::DumpFamily::single_pass_reader). Fails with what decoding runs into, and with what the visitor
/// returns.
pub type SinglePassReader = dyn Fn(Opening, &[Class], &mut dyn SinglePassVisitor) -> Result<Dump, Error> + Sync;

/// A visitor of a dump's objects while the dump is read once.
pub trait SinglePassVisitor {
    /// An object, as it comes.
    ///
    /// # Errors
    /// An error that ends the reading.
    fn object(&mut self, object: &Object) -> Result<(), Error>;

    /// Bytes that come next, from the start of a record on, before they are decoded. Objects whose spelling is known can be
    /// passed over; they are not visited then.
    fn skip_known(&mut self, bytes: &[u8]) -> SkippedRecords {
        let _ = bytes;
        SkippedRecords::default()
    }
}

/// Records that are passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedRecords {
    /// Bytes of whole records.
    pub bytes: usize,
    /// The number of these records.
    pub records: u64,
}

/// The objects of blocks as the dumps of one writer spell them, where that depends on nothing that stands before them.
pub trait SpelledBlocks: Send + Sync {
    /// The end of each object of a block, in bytes from the block's first.
    fn ends(&self, block: u64) -> &[usize];

    /// Appends the objects of a block.
    ///
    /// # Errors
    /// If the dump cannot say where they are.
    fn spell(&mut self, block: u64, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Whether the object of this place in a block is what these bytes begin with, going by its identifier.
    fn is_next(&self, block: u64, object: usize, bytes: &[u8]) -> bool;
}
