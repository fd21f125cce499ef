//! The rules that one pass with constant state can judge.

use crate::validate::Findings;

use super::super::decode::Step;
use super::super::record::Record;
use super::super::wire::{Encoding, EntryKind};

/// Judges a dump's records, one by one.
#[derive(Debug)]
pub struct PassRules {
    encoding: Encoding,
    /// Class records seen.
    pub classes: u64,
    /// Object records seen.
    pub objects: u64,
    /// References seen, those that are not null.
    pub references: u64,
}

impl PassRules {
    /// Before the first record.
    pub fn new(encoding: Encoding) -> PassRules {
        PassRules { encoding, classes: 0, objects: 0, references: 0 }
    }

    /// Judges a record or a piece of one.
    pub fn step(&mut self, step: Step<'_>, _findings: &mut Findings) {
        let values = match step {
            Step::Record(_, Record::Entry(entry)) => {
                match entry.kind {
                    EntryKind::Class => self.classes += 1,
                    EntryKind::Object => self.objects += 1,
                }
                entry.references.values
            }
            Step::More(_, references) => references.values,
            Step::Record(..) => &[],
        };
        self.references += values.iter().filter(|value| **value != 0).count() as u64;
    }

    /// Judges the end of the text, which has so many bytes.
    pub fn end(&mut self, _length: u64, _findings: &mut Findings) {}
}
