//! Answers of a decoder that is a closure.

use crate::check::protocol::Counts;
use crate::model::Heap;

/// The answer of a decoder to a dump. Only the parts that it contains are judged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// The decoder accepted the dump. Only accepting or refusing is judged. `()` converts to this.
    Read,
    /// Numbers of classes, objects and the like. Only counts that are `Some` are judged.
    Counts(Counts),
    /// A listing (a heap as JSON lines, specs/listing.md). Every fact is judged, except those that it declares as omitted. A
    /// `String` converts to this.
    Listing(String),
    /// A heap, every recorded fact of which is judged.
    Heap(Box<Heap>),
    /// The decoder cannot read such dumps at all, and why: the case is skipped.
    Skipped(String),
}

impl From<()> for Answer {
    fn from((): ()) -> Answer {
        Answer::Read
    }
}

impl From<Counts> for Answer {
    fn from(counts: Counts) -> Answer {
        Answer::Counts(counts)
    }
}

impl From<String> for Answer {
    fn from(listing: String) -> Answer {
        Answer::Listing(listing)
    }
}

impl From<Heap> for Answer {
    fn from(heap: Heap) -> Answer {
        Answer::Heap(Box::new(heap))
    }
}

/// The end of a decoder without an answer.
#[derive(Debug)]
pub(in crate::check) enum Ended {
    Refused(String),
    Panicked(String),
}
