//! Records with references that dangle.

use crate::error::RuleId;
use crate::model::Address;

use super::{Findings, Rulebook, Severity};

/// A record with references that dangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dangling {
    pub(crate) offset: u64,
    pub(crate) index: u64,
    /// The number of the record's references.
    pub(crate) count: u64,
    /// The number of those that dangle, and the first of them.
    pub(crate) dangling: u64,
    pub(crate) first: Address,
}

impl Dangling {
    /// A record of `count` references, at an offset and with an index, if any of the references dangles: those that do,
    /// in their order.
    pub(crate) fn of(
        (offset, index): (u64, u64),
        count: u64,
        mut dangling: impl Iterator<Item = u64>,
    ) -> Option<Dangling> {
        let first = Address(dangling.next()?);
        Some(Dangling { offset, index, count, dangling: 1 + dangling.count() as u64, first })
    }
}

/// The rule that they break.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DanglingRule {
    rule: RuleId,
    severity: Severity,
    expected: &'static str,
}

impl DanglingRule {
    /// The rule with this id in the book, and what it expects.
    pub(crate) fn new(rule: RuleId, book: &Rulebook, expected: &'static str) -> DanglingRule {
        DanglingRule { rule, severity: book.severity(rule), expected }
    }

    /// Reports a record.
    pub(crate) fn report(&self, record: &Dangling, findings: &mut Findings) {
        let Dangling { offset, index, count, dangling, first } = *record;
        let found = || format!("{dangling} of {count} dangle; first dangling reference: {first}");
        findings.add(self.rule, |_| self.severity, offset, Some(index), || (self.expected.to_owned(), found()));
    }
}
