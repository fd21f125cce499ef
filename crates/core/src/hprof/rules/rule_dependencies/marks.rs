//! The bytes of one record that rely on rules.

use std::ops::Range;

use crate::error::RuleId;
use crate::family::Reliance;
use crate::model::Address;

/// The bytes of one record that rely on rules, by their places in it. Fields of one name, such as those of a list, are
/// one stretch, so that no record gives more than a few.
#[derive(Debug, Default)]
pub(super) struct RecordMarks(Vec<(RuleId, &'static str, Range<u64>)>);

impl RecordMarks {
    /// Bytes of a field rely on a rule.
    pub(super) fn mark(&mut self, rule: RuleId, field: &'static str, at: Range<u64>) {
        match self.0.iter_mut().find(|(known, name, _)| (*known, *name) == (rule, field)) {
            Some((_, _, known)) => known.end = at.end,
            None => self.0.push((rule, field, at)),
        }
    }

    /// Marks bytes of a field as relying on a rule, if `holds`.
    pub(super) fn mark_if(&mut self, holds: bool, rule: RuleId, field: &'static str, at: Range<u64>) {
        if holds {
            self.mark(rule, field, at);
        }
    }

    /// Tells everything, for each of the classes and objects that the record is about.
    pub(super) fn report(self, place: RecordStart, about: &[Option<Address>], found: &mut dyn FnMut(Reliance)) {
        for (rule, _, at) in self.0 {
            about.iter().for_each(|&of| found(place.reliance(rule, at.clone(), of)));
        }
    }
}

/// The place at which a record begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordStart {
    pub(super) offset: u64,
    pub(super) record: Option<u64>,
}

impl RecordStart {
    /// Bytes of the record that rely on a rule.
    pub(super) fn reliance(self, rule: RuleId, at: Range<u64>, of: Option<Address>) -> Reliance {
        Reliance { offset: self.offset + at.start, length: at.end - at.start, rule, of, record: self.record }
    }
}
