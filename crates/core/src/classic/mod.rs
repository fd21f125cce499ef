//! The classic (text) heap dump of IBM's J9 and OpenJ9, in its dialects.
//!
//! Layout: S0 (OpenJ9, "Heap dump", Classic Heap Dump format) and S2 (IBM, text (classic) Heapdump); what the writers
//! do besides is in `specs/classic.md`.

pub mod annotate;
mod book;
mod carries {
    //! Made from `specs/classic.toml` by `build.rs`.
    include!(concat!(env!("OUT_DIR"), "/classic_carries.rs"));
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

pub use decode::{DecodeStep, Decoder};
pub use lower::{LowerOptions, PROFILES, Profile};
pub use record::Record;
pub use wire::{Charset, Encoding, Newline};
