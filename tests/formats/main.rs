//! What is read, written, judged, compared and converted, by way of the library.
//!
//! One program for all of these: every program links the whole library, and one of many tests keeps every processor busy.
//! Each module is named as its tests begin: `cargo test --test formats hostile::`.
// Steps are counted where debug assertions are on.
#[cfg(debug_assertions)]
mod ahead;
mod answers;
mod broken_maps;
#[cfg(debug_assertions)]
mod chains;
mod classic_bytes;
mod classic_rules;
mod conversion;
mod coverage;
mod dangling;
mod describe;
mod digest;
mod edit_plans;
mod errors_alone;
mod facets;
mod faults;
mod generator;
mod hostile;
mod hprof_bytes;
mod hprof_rules;
mod large;
mod long;
mod mutations;
mod mutator;
mod orders;
mod phd_bytes;
mod presets;
mod procedural;
mod profiles;
mod properties;
mod random_dumps;
mod realism;
mod relies_classic;
mod relies_hprof;
mod relies_phd;
mod round_trip;
mod rulebook;
mod salvage;
mod segments;
#[path = "../shape/mod.rs"]
mod shape;
mod shapes;
mod smaller;
mod spelled;
mod structure;
mod swarm;
mod verify;
mod windows;
mod witnesses;
