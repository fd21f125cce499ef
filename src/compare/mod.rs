//! Two heaps, fact by fact; and the listing, the text form of a heap that other programs speak.

mod diff;
mod facet;
#[cfg(test)]
pub(crate) mod fixture;
pub mod listing;

#[cfg(test)]
pub(crate) use diff::tests::changes;
pub use diff::{Comparison, FacetDifference, NotCompared, Side, compare};
pub use facet::Facet;
