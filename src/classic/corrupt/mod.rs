//! Edits of classic heap dumps.

mod edits;
mod effect;
mod map;
mod spell;

pub use map::{Map, RecordAt, RecordKind};

use crate::error::Error;
use crate::family::Family;
use crate::family::edit::{self, Edit};

use super::open::FAMILY;

impl edit::Map for Map {
    const FAMILY: Family = FAMILY;
    const EDITS: &'static [Edit<Map>] = edits::EDITS;

    fn of(bytes: Vec<u8>) -> Result<Map, Error> {
        Map::of(bytes)
    }
}
