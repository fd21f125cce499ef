//! Edits of PHD.

mod edits;
mod effect;
mod map;

pub use map::{Map, RecordAt};

use super::Edit;
use crate::error::Error;
use crate::format::Family;

impl super::Map for Map {
    const FAMILY: Family = Family::PHD;
    const EDITS: &'static [Edit<Map>] = edits::EDITS;

    fn of(bytes: Vec<u8>) -> Result<Map, Error> {
        Map::of(bytes)
    }
}
