//! Two heaps, fact by fact; and the listing, the text form of a heap that other programs speak.

pub mod carriage;
mod diff;
mod facet;
pub(crate) mod facts;
#[cfg(test)]
pub(crate) mod fixture;
mod java_names;
pub mod listing;
pub mod recorded;
pub mod renaming;
pub(crate) mod sorted;
mod spelled_value;
mod spelling;

#[doc(hidden)]
pub use diff::LostFacts;
#[cfg(test)]
pub(crate) use diff::tests::changes;
pub use diff::{
    ClassDifference, CompareOptions, Comparison, FacetDifference, NotCompared, NotComparedReason, RecordSpan, compare,
    compare_sources,
};
pub use facet::{DigestRole, Facet};
pub use java_names::JavaNames;
pub use sorted::MEMORY;
