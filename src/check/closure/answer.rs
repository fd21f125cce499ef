//! What a decoder says of a dump.

use crate::check::protocol::Counts;
use crate::model::Heap;

/// What a decoder read of a dump. The more it says, the more is judged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// The dump was read: whether that is right is all that is judged. `()` becomes this.
    Read,
    /// Numbers of classes, objects and the like, those that are present.
    Counts(Counts),
    /// A listing (specs/listing.md), every fact of which is judged. A `String` becomes this.
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
