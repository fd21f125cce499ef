//! Edits of classic heap dumps.

mod edits;
mod effect;
mod map;
mod spell;

pub use map::{ClassicRecordKind, MappedDump, RecordAt};

use crate::error::Error;
use crate::family::Family;
use crate::family::edit::{self, Edit};

use super::open::FAMILY;

impl edit::EditMap for MappedDump {
    const FAMILY: Family = FAMILY;
    const EDITS: &'static [Edit<MappedDump>] = edits::EDITS;

    fn from_bytes(bytes: Vec<u8>) -> Result<MappedDump, Error> {
        MappedDump::from_bytes(bytes)
    }
}
