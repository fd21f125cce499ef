//! IBM/OpenJ9 portable heap dumps (PHD), versions 4, 5 and 6.
//!
//! ```text
//! model::Heap ──lower──▶ records ──encode──▶ bytes
//! model::Heap ◀──lift─── records ◀──decode── bytes
//! ```
//!
//! [`decode`] and [`encode`] know how a record is spelled and nothing else; they keep widths, flag
//! bits and trailing bytes, so decoding and encoding again is the identity. What crosses records
//! (the previous address, the class cache) lives in [`lift`] and [`lower`] alone; which spelling to
//! use is a writer's policy and lives in [`lower`]. [`rules`] judges.

pub mod annotate;
mod book;
mod carries {
    //! Made from `specs/phd.toml` by `build.rs`.
    include!(concat!(env!("OUT_DIR"), "/phd_carries.rs"));
}
#[cfg(feature = "corpus")]
mod cases;
pub mod corrupt;
pub mod decode;
pub mod encode;
pub mod family;
pub mod lift;
mod list;
pub mod lower;
mod open;
#[cfg(feature = "properties")]
#[doc(hidden)]
pub mod properties;
pub mod record;
pub mod rules;
mod salvage;
pub mod wire;

pub use decode::{BodyEnd, Decoder, LocatedRecord};
pub use lift::{PhdSource, Resolver};
pub use lower::{LowerOptions, Profile};
pub use record::Record;
pub use wire::{FileFlags, RecordLayout, Version};
