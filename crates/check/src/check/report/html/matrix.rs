//! The matrix of rules and implementations, with the results of each rule's cases.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::report::group::CasesById;
use crate::check::report::html::ResultKind;
use crate::check::report::html::causes::CauseSection;
use crate::check::report::html::rows::{MatrixRows, OTHER, RANDOM, row_keys};
use crate::check::report::{CaseResult, CheckReport, TestedImplementation};
use heapsmith_core::format;
use heapsmith_core::page::RuleDescription;

/// The whole table.
pub(super) struct Matrix<'a> {
    pub(super) labels: Vec<&'a str>,
    /// Rules with failures.
    pub(super) families: Vec<FormatRows>,
    /// Rules without any.
    pub(super) clean: Vec<CleanRule>,
}

/// The rows of a format.
pub(super) struct FormatRows {
    pub(super) title: String,
    pub(super) cells: Vec<MatrixCell>,
    pub(super) rows: Vec<RuleRow>,
}

/// The cases of a rule.
pub(super) struct RuleRow {
    pub(super) title: String,
    /// The row's number, by which causes name it.
    pub(super) number: usize,
    pub(super) rule: Option<RuleDescription>,
    pub(super) cells: Vec<MatrixCell>,
}

/// A rule without failures, with the results of all implementations together.
pub(super) struct CleanRule {
    pub(super) title: String,
    pub(super) words: String,
}

/// The results of some cases with one implementation.
#[derive(Default)]
pub(super) struct MatrixCell {
    tally: CellTally,
    pub(super) href: Option<String>,
}

#[derive(Clone, Copy, Default)]
struct CellTally {
    passed: usize,
    skipped: usize,
    expected: usize,
    unexpected: usize,
    /// The worst unexpected failure, and the worst expected one.
    worst: Option<ResultKind>,
    worst_expected: Option<ResultKind>,
}

impl<'a> Matrix<'a> {
    pub(super) fn from_report(
        report: &'a CheckReport,
        cases: &CasesById<'a>,
        rows: &MatrixRows,
        sections: &[CauseSection<'a>],
    ) -> Matrix<'a> {
        let mut keys_of: BTreeMap<usize, Vec<(&str, usize)>> = BTreeMap::new();
        for (key, number) in &rows.numbers {
            keys_of.entry(family_place(key)).or_default().push((key, *number));
        }
        let tallies: Vec<ImplementationTallies> =
            report.implementations.iter().map(|tested| ImplementationTallies::from_results(tested, cases)).collect();
        let mut matrix = Matrix {
            labels: report.implementations.iter().map(|tested| tested.label.as_str()).collect(),
            families: Vec::new(),
            clean: Vec::new(),
        };
        for (place, keys) in keys_of {
            let (name, title) = titled_families().nth(place).unwrap_or_default();
            let fails = |(key, _): &(&str, usize)| tallies.iter().any(|tallies| tallies.row(key).failed() > 0);
            let (failing, clean): (Vec<_>, Vec<_>) = keys.into_iter().partition(fails);
            matrix.clean.extend(clean.into_iter().map(|(key, _)| CleanRule::from_key(key, &tallies)));
            let mut rows: Vec<RuleRow> =
                failing.into_iter().map(|(key, number)| RuleRow::from_key(key, number, &tallies, sections)).collect();
            // Rules first, what has none last.
            rows.sort_by_key(|row| row.rule.is_none());
            let cells = tallies.iter().map(|tallies| MatrixCell { tally: tallies.family(name), href: None }).collect();
            if !rows.is_empty() {
                matrix.families.push(FormatRows { title: title.to_owned(), cells, rows });
            }
        }
        matrix
    }
}

impl RuleRow {
    fn from_key(key: &str, number: usize, tallies: &[ImplementationTallies], sections: &[CauseSection<'_>]) -> RuleRow {
        let cell = |(index, tallies): (usize, &ImplementationTallies)| {
            let section = sections.iter().find(|section| section.index == index);
            let first = section.and_then(|section| section.firsts.get(&number));
            MatrixCell { tally: tallies.row(key), href: first.cloned() }
        };
        let cells = tallies.iter().enumerate().map(cell).collect();
        RuleRow { title: row_title(key), number, rule: RuleDescription::from_id(key), cells }
    }
}

impl CleanRule {
    fn from_key(key: &str, tallies: &[ImplementationTallies]) -> CleanRule {
        let mut all = CellTally::default();
        for tally in tallies.iter().map(|tallies| tallies.row(key)) {
            all.passed += tally.passed;
            all.skipped += tally.skipped;
        }
        CleanRule { title: row_title(key), words: MatrixCell { tally: all, href: None }.words() }
    }
}

/// The title of a row.
fn row_title(key: &str) -> String {
    match (key.strip_prefix(RANDOM), key.strip_prefix(OTHER)) {
        (Some(format), _) => format!("random dumps, {format}"),
        (_, Some(format)) => format!("cases without a rule, {format}"),
        _ => key.to_owned(),
    }
}

/// The format that a row belongs to: PHD for `phd.gap.base` and for `random:phd6`.
fn family_of_key(key: &str) -> &'static str {
    titled_families().nth(family_place(key)).map_or("", |(name, _)| name)
}

/// The place of a row's format among all.
fn family_place(key: &str) -> usize {
    place_among(&format::Family::ALL.map(|family| family.name()), key)
}

/// The place of a row's format among these names; their number, if it is none of them.
fn place_among(names: &[&str], key: &str) -> usize {
    let name = key.strip_prefix(RANDOM).or_else(|| key.strip_prefix(OTHER)).unwrap_or(key);
    names.iter().position(|family| name.starts_with(family)).unwrap_or(names.len())
}

/// Formats in the order of the table, by name and title; what belongs to none is the last.
fn titled_families() -> impl Iterator<Item = (&'static str, &'static str)> {
    format::Family::ALL.map(|family| (family.name(), family.title())).into_iter().chain([("other", "Others")])
}

/// The results of an implementation, by row and by format.
struct ImplementationTallies {
    rows: BTreeMap<String, CellTally>,
    families: BTreeMap<&'static str, CellTally>,
}

impl ImplementationTallies {
    fn from_results(tested: &TestedImplementation, cases: &CasesById<'_>) -> ImplementationTallies {
        let mut tallies = ImplementationTallies { rows: BTreeMap::new(), families: BTreeMap::new() };
        for result in &tested.results {
            let Some(case) = cases.get(result.id.as_str()) else { continue };
            let keys = row_keys(case);
            for family in keys.iter().map(|key| family_of_key(key)).collect::<BTreeSet<_>>() {
                tallies.families.entry(family).or_default().add(result);
            }
            for key in keys {
                tallies.rows.entry(key).or_default().add(result);
            }
        }
        tallies
    }

    fn row(&self, key: &str) -> CellTally {
        self.rows.get(key).copied().unwrap_or_default()
    }

    fn family(&self, name: &str) -> CellTally {
        self.families.get(name).copied().unwrap_or_default()
    }
}

impl CellTally {
    fn add(&mut self, result: &CaseResult) {
        let kind = ResultKind::from_result(result);
        let worse = |worst: Option<ResultKind>| kind.into_iter().chain(worst).min();
        match kind {
            Some(_) if result.is_unexpected() => {
                self.unexpected += 1;
                self.worst = worse(self.worst);
            }
            Some(_) => {
                self.expected += 1;
                self.worst_expected = worse(self.worst_expected);
            }
            None if result.outcome().is_pass() => self.passed += 1,
            None => self.skipped += 1,
        }
    }

    fn total(&self) -> usize {
        self.passed + self.skipped + self.failed()
    }

    /// The number of cases that failed, or passed unexpectedly.
    fn failed(&self) -> usize {
        self.expected + self.unexpected
    }
}

impl MatrixCell {
    /// The class of the element.
    pub(super) fn class(&self) -> &'static str {
        match (self.tally.worst, self.tally.worst_expected) {
            (Some(kind), _) => kind.name(),
            (None, Some(_)) => "expected",
            _ if self.tally.passed > 0 => "pass",
            _ if self.tally.skipped > 0 => "skip",
            _ => "none",
        }
    }

    /// A letter or sign for the worst result.
    pub(super) fn sign(&self) -> String {
        match (self.tally.worst, self.tally.worst_expected) {
            (Some(kind), _) => kind.letter().to_owned(),
            (None, Some(kind)) => kind.letter().to_lowercase(),
            _ if self.tally.passed > 0 => "✓".to_owned(),
            _ if self.tally.skipped > 0 => "–".to_owned(),
            _ => "·".to_owned(),
        }
    }

    /// The numbers in the cell.
    pub(super) fn numbers(&self) -> String {
        let CellTally { passed, skipped, expected, unexpected, .. } = self.tally;
        let total = self.tally.total();
        match expected + unexpected {
            0 if total == 0 => String::new(),
            0 if passed == total || skipped == total => total.to_string(),
            0 => format!("{passed}/{total}"),
            told => format!("{told}/{total}"),
        }
    }

    /// The results in words.
    pub(super) fn words(&self) -> String {
        let CellTally { passed, skipped, expected, unexpected, .. } = self.tally;
        let mut words = Vec::new();
        if let Some(worst) = self.tally.worst {
            words.push(format!("{unexpected} of {} went wrong, the worst: {}", self.tally.total(), worst.name()));
        }
        if let Some(worst) = self.tally.worst_expected {
            words.push(format!("{expected} failed as expected, the worst: {}", worst.name()));
        }
        if passed > 0 {
            words.push(format!("{passed} passed"));
        }
        if skipped > 0 {
            words.push(format!("{skipped} skipped"));
        }
        if words.is_empty() {
            words.push("not tested".to_owned());
        }
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::CaseFacts;
    use crate::check::report::Expectation;
    use crate::check::report::Outcome;

    #[test]
    fn shows_worst_unexpected_verdict() {
        let mut tally = CellTally::default();
        let mut add = |outcome: Outcome, expected: bool| {
            let expected = expected.then(|| Expectation { reason: "known".to_owned(), link: None });
            let result = CaseResult::new("a", outcome).expected(expected);
            tally.add(&result);
            let cell = MatrixCell { tally, href: None };
            (cell.class(), cell.sign(), cell.numbers())
        };
        let how = || "signal 11".to_owned();
        assert_eq!(add(Outcome::skip(how(), None), false), ("skip", "–".to_owned(), "1".to_owned()));
        assert_eq!(add(Outcome::Pass { reading: None }, false), ("pass", "✓".to_owned(), "1/2".to_owned()));
        assert_eq!(add(Outcome::Crash { how: how() }, true), ("expected", "c".to_owned(), "1/3".to_owned()));
        assert_eq!(add(Outcome::Pass { reading: None }, true).0, "unexpected-pass");
        assert_eq!(add(Outcome::AdapterError { how: how() }, false).1, "A");
        assert_eq!(add(Outcome::Hang { how: how() }, false), ("hang", "H".to_owned(), "4/6".to_owned()));
        assert_eq!(add(Outcome::WrongVerdict { expected: how(), found: how() }, false).1, "H");
    }

    #[test]
    fn cases_without_a_rule_have_a_row_for_their_format() {
        let case = |id: &str| CaseFacts { id: id.to_owned(), format: "phd6".to_owned(), ..CaseFacts::default() };
        assert_eq!(row_keys(&case("random-1-000004")), BTreeSet::from(["random:phd6".to_owned()]));
        assert_eq!(row_keys(&case("phd-empty")), BTreeSet::from(["other:phd6".to_owned()]));
        let family = |key| ["phd", "hprof", "other"][place_among(&["phd", "hprof"], key)];
        assert_eq!(family("random:phd6"), "phd");
        assert_eq!(family("hprof.id.size"), "hprof");
        assert_eq!(family("<script>"), "other");
    }
}
