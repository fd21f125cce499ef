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
//!    corpus, random dumps ──check─────┘  (a listing that a third-party program gives)
//! ```
//!
//! Between a heap and bytes there are two steps, not one. *Which* record to write, how wide its fields
//! are and what a class cache holds is a writer's policy ([`phd::lower`]); *how* a record is spelled is
//! the format ([`phd::encode`]). The way back is the same: [`phd::decode`] gives records with the widths
//! and flags that they were written with, [`phd::lift`] gives addresses and classes. So exact dumps of
//! known writers, dumps in any other legal spelling, and damaged ones ([`corrupt`]) come out of one
//! encoder, and a finding of [`mod@validate`] can name a byte.
//!
//! # Example
//!
//! A random heap, written as a dump, validated, read again and compared:
//!
//! ```
//! use heapsmith::{Format, Heap, assert_same_heap, read, validate};
//!
//! let heap = Heap::random(7);
//! let dump = heap.write(Format::HPROF)?;
//! assert!(validate(&dump).valid);
//! let parsed = read(&dump)?;
//! assert_same_heap!(heap, parsed, as Format::HPROF);
//! # Ok::<(), heapsmith::Error>(())
//! ```
//!
//! A heap that you say yourself, by names; [docs/heap-file.md] has the same as text:
//!
//! ```
//! use heapsmith::Format;
//! use heapsmith::builder::{HeapBuilder, HeapSettings};
//!
//! let mut heap = HeapBuilder::new(HeapSettings::default());
//! let order = heap.class("shop.Order")?.field("int", "id")?.field("shop.Order", "next")?.id();
//! let first = heap.object(order)?.set("id", 1)?.id();
//! let second = heap.object(order)?.set("id", 2)?.set("next", first)?.id();
//! let cache = heap.instance("java.util.HashMap")?.entries([("first", first), ("second", second)])?.id();
//! heap.root("jni-global", cache)?;
//! let dump = heap.build()?.write(Format::HPROF)?;
//! # assert!(heapsmith::validate(&dump).findings.is_empty());
//! # Ok::<(), heapsmith::Error>(())
//! ```
//!
//! [docs/heap-file.md]: https://github.com/OWNER/heapsmith/blob/main/docs/heap-file.md
//!
//! | to | see |
//! |---|---|
//! | make a heap | [`Heap::random`], [`generate`], [`builder::HeapBuilder`], [`heap_file::HeapFile`] |
//! | name a dump in a line | [`recipe::Recipe`] |
//! | write it | [`Heap::write`] with a [`Format`] or [`DumpOptions`] |
//! | read a dump | [`read`], [`read_dump`]; larger than memory: [`format::DumpFile`] |
//! | check a dump | [`validate()`]; from a file: [`validate::validate`](mod@validate) |
//! | test a parser in a test of yours | [`check_decoder`] |
//! | change a dump in a fuzzing engine | [`mutator`] |
//! | compare heaps | [`compare()`], [`assert_same_heap!`]; larger than memory: [`compare::compare_sources`] |
//!
//! Nothing here panics on a dump's bytes, allocates by an unchecked count, or depends on a clock or on
//! the order of a map or of threads.

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod command;

#[doc(inline)]
pub use heapsmith_core::{
    DumpOptions, Error, Format, Heap, Uncompared, WrittenDump, annotation, assert_same_heap, builder, bytes, classic,
    compare, convert, corrupt, draw, error, family, format, generate, hprof, input, lower, model, mutator, phd, read,
    read_dump, recipe, salvage, validate, verify,
};
#[doc(hidden)]
pub use heapsmith_core::{assert_same, visible};

#[cfg(feature = "answers")]
#[doc(inline)]
pub use heapsmith_core::answers;
#[cfg(feature = "digest")]
#[doc(inline)]
pub use heapsmith_core::digest;
#[cfg(feature = "heap-file")]
#[doc(inline)]
pub use heapsmith_core::heap_file;
#[cfg(feature = "html")]
#[doc(inline)]
pub use heapsmith_core::page;
#[cfg(feature = "properties")]
#[doc(hidden)]
pub use heapsmith_core::properties;
#[cfg(any(feature = "arbitrary", feature = "quickcheck"))]
#[doc(inline)]
pub use heapsmith_core::random;
#[cfg(feature = "files")]
#[doc(hidden)]
pub use heapsmith_core::{interrupt, output};

#[cfg(feature = "corpus")]
#[doc(inline)]
pub use heapsmith_check::corpus;
#[cfg(feature = "check")]
#[doc(inline)]
pub use heapsmith_check::{check, check::check_decoder, reduce};
