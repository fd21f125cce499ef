//! Synthesises JVM heap dumps and tests whether parsers and converters get them right.
//!
//! The dumps are IBM's and OpenJ9's portable heap dumps (PHD), versions 4, 5 and 6, HPROF, and the classic text heap
//! dump. The command `heapsmith` is a thin layer over this crate.
//!
//! ```text
//! seed, fuzzer's bytes ──generate──▶ model::Heap ──lower──▶ records ──encode──▶ bytes
//!                                    model::Heap ◀──lift─── records ◀──decode── bytes
//!                                     │       ▲                │                  │
//!                           compare ◀─┤       └── listing      └──▶ validate      └──▶ inspect
//!                                     │
//!    corpus, random dumps ──check─────┘  (a listing that somebody else's program gives)
//! ```
//!
//! Between a heap and bytes there are two steps, not one. *Which* record to write, how wide its fields
//! are and what a class cache holds is a writer's policy ([`phd::lower`]); *how* a record is spelled is
//! the format ([`phd::encode`]). The way back is the same: [`phd::decode`] gives records with the widths
//! and flags that they were written with, [`phd::lift`] gives addresses and classes. So exact dumps of
//! known writers, dumps in any other legal spelling, and damaged ones ([`corrupt`]) come out of one
//! encoder, and a finding of [`validate`] can name a byte.
//!
//! # Example
//!
//! A random heap, written as a PHD of version 6, read again and compared:
//!
//! ```
//! use std::collections::BTreeSet;
//!
//! use heapsmith::compare::compare;
//! use heapsmith::generate::{GenerateOptions, from_seed};
//! use heapsmith::phd::lower::{self, LowerOptions};
//! use heapsmith::phd::{Decoder, Version, lift};
//!
//! let mut heap = from_seed(&GenerateOptions { objects: 50, ..GenerateOptions::default() }, 7);
//! let options = LowerOptions::new(Version::V6);
//! let dump = lower::to_bytes(&heap, &options)?;
//!
//! let (decoded, ended) = lift::heap(&mut Decoder::new(dump.as_slice())?);
//! ended?;
//!
//! // The heap has field values and threads, which no PHD can hold: `carry` is what a reader gets back.
//! let told = lower::carry(&mut heap, &options)?;
//! assert_eq!(decoded.objects.len(), 50);
//! assert!(compare(&told, &decoded, &BTreeSet::new()).equal);
//! # Ok::<(), heapsmith::error::Error>(())
//! ```
//!
//! Nothing here panics on a dump's bytes, allocates by an unchecked count, or depends on a clock or on
//! the order of a map or of threads.

pub mod annotation;
pub mod bytes;
#[cfg(feature = "check")]
pub mod check;
pub mod classic;
pub mod compare;
pub mod convert;
#[cfg(feature = "corpus")]
pub mod corpus;
pub mod corrupt;
#[cfg(feature = "digest")]
pub mod digest;
pub mod draw;
pub mod error;
mod findings;
pub mod format;
pub mod generate;
pub mod hprof;
pub mod input;
#[cfg(feature = "files")]
pub mod interrupt;
pub mod lower;
pub mod model;
#[cfg(feature = "files")]
pub mod output;
#[cfg(feature = "corpus")]
mod owned;
pub mod phd;
#[cfg(feature = "properties")]
pub mod properties;
mod system;
#[cfg(feature = "check")]
mod temporary;
mod units;
pub mod validate;
pub mod visible;
