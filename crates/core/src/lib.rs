//! The heaps and dumps of [heapsmith](https://docs.rs/heapsmith): the model, the three formats, the generator, validation,
//! comparison, conversion and answers.
//!
//! This crate is a part of `heapsmith`, whose root offers all of it: depend on that one. What stands here without
//! documentation in `heapsmith` is not stable.

pub mod annotation;
#[cfg(feature = "answers")]
pub mod answers;
// Heap files use more of it than it offers by itself.
#[cfg_attr(not(feature = "heap-file"), allow(dead_code))]
pub mod builder;
pub mod bytes;
pub mod classic;
pub mod compare;
pub mod convert;
pub mod corrupt;
#[cfg(feature = "digest")]
pub mod digest;
pub mod draw;
pub mod error;
pub mod family;
#[doc(hidden)]
pub mod findings;
pub mod format;
#[doc(hidden)]
pub mod front;
pub mod generate;
#[cfg(feature = "heap-file")]
pub mod heap_file;
pub mod hprof;
pub mod input;
#[cfg(feature = "files")]
#[doc(hidden)]
pub mod interrupt;
pub mod lower;
pub mod model;
pub mod mutator;
#[cfg(feature = "files")]
#[doc(hidden)]
pub mod output;
#[cfg(feature = "corpus")]
#[doc(hidden)]
pub mod owned;
#[cfg(feature = "html")]
pub mod page;
pub mod phd;
#[cfg(feature = "properties")]
#[doc(hidden)]
pub mod properties;
#[cfg(any(feature = "arbitrary", feature = "quickcheck"))]
pub mod random;
pub mod recipe;
pub mod salvage;
#[doc(hidden)]
pub mod setters;
#[doc(hidden)]
pub mod shrink;
#[doc(hidden)]
pub mod stop;
#[doc(hidden)]
pub mod system;
#[cfg(feature = "files")]
#[doc(hidden)]
pub mod temporary;
#[doc(hidden)]
pub mod threads;
#[doc(hidden)]
pub mod units;
pub mod validate;
pub mod verify;
#[doc(hidden)]
pub mod visible;

pub use error::Error;
pub use format::Format;
#[doc(hidden)]
pub use front::assert_same;
pub use front::{DumpOptions, Uncompared, WrittenDump, compare, read, read_dump, validate};
pub use model::Heap;
