//! Edits of classic heap dumps.

mod edits;
mod map;

pub use edits::EDITS;
pub use map::{Map, RecordAt, RecordKind};

use super::Edit;

/// The edit of this name.
pub fn named(name: &str) -> Option<&'static Edit<Map>> {
    EDITS.iter().find(|edit| edit.name == name)
}
