//! The rows of the matrix.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::report::{CaseFacts, CheckReport};

/// The prefixes of rows that are not rules; a rule's id has no colon.
pub(super) const RANDOM: &str = "random:";
pub(super) const OTHER: &str = "other:";

/// The rows of the table, numbered: a rule each, or all cases of a format without any.
pub(super) struct MatrixRows {
    pub(super) numbers: BTreeMap<String, usize>,
}

impl MatrixRows {
    pub(super) fn new(report: &CheckReport) -> MatrixRows {
        let keys: BTreeSet<String> = report.cases.iter().flat_map(row_keys).collect();
        MatrixRows { numbers: keys.into_iter().enumerate().map(|(number, key)| (key, number)).collect() }
    }

    /// The rows in which a case is counted.
    pub(super) fn rows_of_case(&self, case: &CaseFacts) -> Vec<usize> {
        row_keys(case).iter().filter_map(|key| self.numbers.get(key)).copied().collect()
    }
}

/// The rows that a case is counted in: one for each of its rules, or one for all cases of its format without any.
pub(super) fn row_keys(case: &CaseFacts) -> BTreeSet<String> {
    if !case.rules.is_empty() {
        return case.rules.iter().cloned().collect();
    }
    let kind = if case.id.starts_with("random-") { RANDOM } else { OTHER };
    BTreeSet::from([format!("{kind}{}", case.format)])
}
