//! Dumps for fuzzing engines, in their process: changed, crossed over, trimmed, or made of a fuzzer's bytes.
//!
//! An engine such as libFuzzer or AFL++ mutates bytes, and a parser of heap dumps refuses nearly all of what comes out: a length is
//! wrong, and the rest of the file is lost. A dump that is changed here can mostly be read to its end. What depends on a seed depends
//! on nothing else: the same bytes and seed give the same dump.
//!
//! ```
//! use heapsmith_core::mutator::{generate, mutate};
//!
//! let dump = generate("preset=tiny,objects=20,format=hprof", 65536)?;
//! let mutant = mutate(&dump, 7, 65536);
//! assert!(mutant != dump && mutant.len() <= 65536);
//! assert_eq!(mutant, mutate(&dump, 7, 65536));
//! # Ok::<(), heapsmith_core::Error>(())
//! ```

mod bounded;
mod changes;
mod in_place;
mod trim;

pub use bounded::generate;
pub use changes::{cross_over, dump_from_bytes, is_dump, mutate};
pub use in_place::{cross_over_into, mutate_in_place};
pub use trim::Trimmer;
