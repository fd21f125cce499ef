//! Damaged dumps: named edits, each of which breaks one rule.
//!
//! An edit is made in a dump's bytes by field ("the version", "the class word of the first medium or
//! long object"), never at a random place, so that the rule it breaks and the offset of the finding
//! are known beforehand.

pub mod classic;
pub mod hprof;
mod phd;

pub use phd::{EDITS, Map};

use crate::annotation::Annotation;
use crate::error::RuleId;

/// An edit that breaks one rule, in a dump of the format that the map is of.
pub struct Edit<M: 'static = Map> {
    /// Its name, stable.
    pub name: &'static str,
    /// The rule that it breaks.
    pub rule: RuleId,
    /// What it does, in a line.
    pub summary: &'static str,
    apply: fn(&M) -> Option<Edited>,
}

impl<M> Clone for Edit<M> {
    fn clone(&self) -> Edit<M> {
        *self
    }
}

impl<M> Copy for Edit<M> {}

impl<M> std::fmt::Debug for Edit<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Edit({})", self.name)
    }
}

/// A damaged dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where the finding belongs, in bytes from the start.
    pub offset: u64,
    /// Records before the damage: those that a tolerant reader still delivers.
    pub records_due: u64,
}

/// A field's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldAt {
    /// Its name, as `inspect --bytes` shows it.
    pub name: &'static str,
    /// Offset of its first byte.
    pub offset: usize,
    /// Its length in bytes.
    pub length: usize,
    /// Index of its record.
    pub record: Option<u64>,
    /// Its value.
    pub value: i64,
}

impl FieldAt {
    fn of(field: &Annotation<'_>) -> FieldAt {
        FieldAt {
            name: field.name,
            offset: field.offset as usize,
            length: field.bytes.len(),
            record: field.record,
            value: field.value.unwrap_or_default(),
        }
    }
}

impl Edit {
    /// The edit of PHD with this name.
    pub fn named(name: &str) -> Option<&'static Edit> {
        EDITS.iter().find(|edit| edit.name == name)
    }
}

impl<M> Edit<M> {
    /// Makes the edit in a valid dump. `None` if the dump has no place for it.
    pub fn apply(&self, map: &M) -> Option<Edited> {
        (self.apply)(map)
    }
}
