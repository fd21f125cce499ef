//! The checks of [heapsmith](https://docs.rs/heapsmith): the corpus of cases, third-party programs that are run over them,
//! and the smallest dump that still shows a failure.
//!
//! This crate is a part of `heapsmith`, whose root offers all of it: depend on that one.

#[cfg(feature = "check")]
pub mod check;
pub mod corpus;
#[cfg(feature = "embedding")]
pub mod embedding;
#[doc(hidden)]
pub mod fields;
#[cfg(feature = "check")]
pub mod reduce;
