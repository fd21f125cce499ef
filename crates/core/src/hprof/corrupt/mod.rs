//! Edits of HPROF dumps.

mod edits;
mod effect;
mod map;
mod root;
mod spell;

pub use map::{MappedDump, RecordAt};
pub(super) use root::with_root_kind;

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
