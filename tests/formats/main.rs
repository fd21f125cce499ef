//! What is read, written, judged, compared and converted, by way of the library.
//!
//! One program for all of these: every program links the whole library, and one of many tests keeps every processor busy.
//! Each module is named as its tests begin: `cargo test --test formats hostile::`.
mod classic_bytes;
mod conversion;
mod digest;
mod faults;
mod hostile;
mod hprof_bytes;
mod long;
mod orders;
mod phd_bytes;
mod profiles;
mod properties;
mod round_trip;
mod rulebook;
#[path = "../shape/mod.rs"]
mod shape;
mod structure;
mod witnesses;
