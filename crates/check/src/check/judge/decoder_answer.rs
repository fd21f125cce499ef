//! Answers of a decoder that is a closure.

use crate::check::protocol::ObjectCounts;
use heapsmith_core::model::Heap;

/// The answer of a decoder to a dump. Only the parts that it contains are judged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DecoderAnswer {
    /// The decoder accepted the dump. Only accepting or refusing is judged. `()` converts to this.
    Read,
    /// Numbers of classes, objects and the like. Only counts that are `Some` are judged.
    Counts(ObjectCounts),
    /// A listing (a heap as JSON lines, specs/listing.md). Every fact is judged, except those that it declares as omitted. A
    /// `String` converts to this.
    Listing(String),
    /// A heap, every recorded fact of which is judged.
    Heap(Box<Heap>),
    /// The decoder cannot read such dumps at all, and why: the case is skipped.
    Skipped(String),
}

impl From<()> for DecoderAnswer {
    fn from((): ()) -> DecoderAnswer {
        DecoderAnswer::Read
    }
}

impl From<ObjectCounts> for DecoderAnswer {
    fn from(counts: ObjectCounts) -> DecoderAnswer {
        DecoderAnswer::Counts(counts)
    }
}

impl From<String> for DecoderAnswer {
    fn from(listing: String) -> DecoderAnswer {
        DecoderAnswer::Listing(listing)
    }
}

impl From<Heap> for DecoderAnswer {
    fn from(heap: Heap) -> DecoderAnswer {
        DecoderAnswer::Heap(Box::new(heap))
    }
}

/// The end of a decoder without an answer.
#[derive(Debug)]
pub(in crate::check) enum DecoderExit {
    Refused(String),
    Panicked(String),
}
