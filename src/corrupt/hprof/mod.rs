//! Edits of HPROF dumps.

mod edits;
mod effect;
mod map;
mod spell;

pub use map::{Map, RecordAt};

use super::Edit;
use crate::error::Error;
use crate::format::Family;

impl super::Map for Map {
    const FAMILY: Family = Family::HPROF;
    const EDITS: &'static [Edit<Map>] = edits::EDITS;

    fn of(bytes: Vec<u8>) -> Result<Map, Error> {
        Map::of(bytes)
    }
}
