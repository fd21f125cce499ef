//! Edits of classic heap dumps.

mod edits;
mod effect;
mod map;
mod spell;

pub use map::{Map, RecordAt, RecordKind};

use super::Edit;
use crate::error::Error;
use crate::format::Family;

impl super::Map for Map {
    const FAMILY: Family = Family::CLASSIC;
    const EDITS: &'static [Edit<Map>] = edits::EDITS;

    fn of(bytes: Vec<u8>) -> Result<Map, Error> {
        Map::of(bytes)
    }
}
