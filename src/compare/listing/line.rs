//! [`Line`], which is any line after the first, and what lines of classes and objects share.

use serde::{Deserialize, Serialize};

use crate::model::{Address, IdentityHash};

use super::class::ClassLine;
use super::event::EventLine;
use super::object::{InstanceLine, ObjectArrayLine, PrimitiveArrayLine};
use super::spelling::Hex;
use super::surroundings::{RegionLine, RootLine, ThreadLine, TraceLine};

/// A line of a listing after the first, by its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Line {
    /// A class.
    Class(Box<ClassLine>),
    /// A plain instance.
    Object(Box<InstanceLine>),
    /// An array of references.
    ObjectArray(Box<ObjectArrayLine>),
    /// An array of primitive values.
    PrimitiveArray(Box<PrimitiveArrayLine>),
    /// A GC root.
    Root(RootLine),
    /// A thread.
    Thread(ThreadLine),
    /// A stack trace.
    Trace(TraceLine),
    /// A part of the heap begins.
    Region(RegionLine),
    /// An entry of the process's log.
    Event(Box<EventLine>),
}

/// Where a class or object stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index of the record.
    pub record: u64,
    /// Offset in bytes.
    pub offset: Option<u64>,
}

impl Line {
    /// A line of any kind. Keys that are not the kind's are skipped.
    pub(super) fn parse(text: &str) -> serde_json::Result<Line> {
        #[derive(Deserialize)]
        struct Kinded {
            kind: Kind,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        enum Kind {
            Class,
            Object,
            ObjectArray,
            PrimitiveArray,
            Root,
            Thread,
            Trace,
            Region,
            Event,
        }
        let Kinded { kind } = serde_json::from_str(text)?;
        Ok(match kind {
            Kind::Class => Line::Class(serde_json::from_str(text)?),
            Kind::Object => Line::Object(serde_json::from_str(text)?),
            Kind::ObjectArray => Line::ObjectArray(serde_json::from_str(text)?),
            Kind::PrimitiveArray => Line::PrimitiveArray(serde_json::from_str(text)?),
            Kind::Root => Line::Root(serde_json::from_str(text)?),
            Kind::Thread => Line::Thread(serde_json::from_str(text)?),
            Kind::Trace => Line::Trace(serde_json::from_str(text)?),
            Kind::Region => Line::Region(serde_json::from_str(text)?),
            Kind::Event => Line::Event(serde_json::from_str(text)?),
        })
    }
}

pub(super) fn hashes(hash: Option<IdentityHash>) -> (Option<Hex>, Option<Hex>) {
    match hash {
        None => (None, None),
        Some(IdentityHash::Bits16(hash)) => (Some(Hex(hash.into())), None),
        Some(IdentityHash::Bits32(hash)) => (None, Some(Hex(hash.into()))),
    }
}

pub(super) fn hash(hash16: Option<Hex>, hash32: Option<Hex>) -> Result<Option<IdentityHash>, String> {
    Ok(match (hash16, hash32) {
        (Some(_), Some(_)) => return Err("expected hash16 or hash32, found both".to_owned()),
        (Some(hash), None) => Some(IdentityHash::Bits16(hash.narrow("hash16")?)),
        (None, Some(hash)) => Some(IdentityHash::Bits32(hash.narrow("hash32")?)),
        (None, None) => None,
    })
}

pub(super) fn hexes(addresses: &[Address]) -> Vec<Hex> {
    addresses.iter().copied().map(Hex::from).collect()
}

pub(super) fn addresses(hexes: Vec<Hex>) -> Vec<Address> {
    hexes.into_iter().map(Hex::address).collect()
}
