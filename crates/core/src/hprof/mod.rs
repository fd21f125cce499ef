//! HPROF dumps, header versions 1.0.1, 1.0.2 and 1.0.3.
//!
//! ```text
//! model::Heap ──lower──▶ records ──encode──▶ bytes
//! model::Heap ◀──lift─── records ◀──decode── bytes
//! ```
//!
//! A file is a header and a chain of [`record`]s, each with its length. Two of them, HEAP DUMP and HEAP DUMP
//! SEGMENT, hold [`sub_record`]s, which have none. [`decode`] and [`encode`] know how these are spelled and
//! nothing else, so decoding and encoding again is the identity. Names, field values and which heap a segment
//! belongs to are [`lift`]'s matter; order, names and segment cuts are a writer's policy and [`lower`]'s.

pub mod annotate;
mod book;
mod carries {
    //! Made from `specs/hprof.toml` by `build.rs`.
    include!(concat!(env!("OUT_DIR"), "/hprof_carries.rs"));
}
#[cfg(feature = "corpus")]
mod cases;
pub mod corrupt;
pub mod decode;
pub mod encode;
pub mod family;
mod frames;
pub mod lift;
mod list;
pub mod lower;
pub mod open;
#[cfg(feature = "properties")]
#[doc(hidden)]
pub mod properties;
pub mod record;
pub mod rules;
mod salvage;
#[doc(hidden)]
#[cfg(feature = "corpus")]
pub mod skip;
pub mod sub_record;
pub mod tags;
pub mod wire;

pub use decode::{DecodeStep, Decoder, Lookahead, ReadOptions, RecordSlice, ResumePoint};
pub use lower::{LowerOptions, PROFILES, Profile};
pub use open::open;
pub use record::{Record, Segment};
pub use sub_record::SubRecord;
pub use tags::{RecordTag, SubRecordTag};
pub use wire::{Header, IdSize, Version};
