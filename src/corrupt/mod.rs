//! Damaged dumps: named edits, each of which breaks one rule. Each format has its own.

use crate::format::Family;

pub use crate::family::edit::{Change, Damage, Edit, Edited, Effect, FieldAt, Map, NamedEdit};

/// Every edit of a format.
pub fn edits(family: Family) -> Vec<NamedEdit> {
    family.edits()
}
