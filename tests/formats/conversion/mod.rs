//! Conversions hold what the table of facets promises: no more and no less.
//!
//! Random heaps are written as each kind of dump, converted to each other kind, and back. What the table calls exact has
//! to be the same, what it calls changed has to be the same under its rule, and what it calls lost has to be lost: a
//! wrong entry fails in both directions.

mod addresses;
mod faithful;
mod generated;
mod lengths;
mod sample;
mod synthesised;
mod table;
