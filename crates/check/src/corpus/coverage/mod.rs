//! The coverage of the rule books by the corpus: of every rule, in every kind of record that it concerns, of every
//! statement of the documents, and of every erratum.

mod grid;
mod record_parts;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use heapsmith_core::error::Error;
use heapsmith_core::findings::{CaseRole, Rule, RuleKind, Rulebook};
use heapsmith_core::format::Family;

use super::{Case, cases};
pub use grid::{Grid, GridCell, GridDimension};
use record_parts::RecordParts;

/// What is covered, by format.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Coverage {
    /// Version of this report's schema: 1.
    pub schema: u32,
    /// Whether nothing is missing.
    pub complete: bool,
    /// The formats that were looked at.
    pub formats: Vec<FormatCoverage>,
}

/// What is covered of a format.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct FormatCoverage {
    /// The format.
    pub format: &'static str,
    /// How much of each measure.
    pub counts: Vec<MeasureCount>,
    /// What is missing, and what to add.
    pub missing: Vec<CoverageGap>,
    /// What the rule book says need not be there.
    pub exempt: Vec<Exempt>,
}

/// One measure in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Count")]
pub struct MeasureCount {
    /// What is measured.
    pub measure: CoverageMeasure,
    /// How many there are, those without exemption.
    pub all: usize,
    /// How many of these are covered.
    pub covered: usize,
    /// How many more are exempt.
    pub exempt: usize,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Measure")]
pub enum CoverageMeasure {
    /// Rules of the bytes that a case keeps.
    RulesKept,
    /// Rules of the bytes that a case breaks.
    RulesBroken,
    /// Rules of readers and writers that a case shows.
    RulesShown,
    /// Kinds of record, by rule of the bytes, in which a case keeps the rule.
    RecordsKept,
    /// Kinds of record, by rule of the bytes, in which a case breaks the rule.
    RecordsBroken,
    /// Statements of the documents, by section and ordinal, with a rule; exempt are those that need none.
    Statements,
    /// Errata with a rule that settles them.
    Errata,
}

/// Something that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Gap")]
pub struct CoverageGap {
    /// In which measure.
    pub measure: CoverageMeasure,
    /// Of which rule, statement or erratum.
    pub of: String,
    /// In which kind of record, for records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<&'static str>,
    /// What to add.
    pub add: String,
}

/// Something that need not be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Exempt {
    /// In which measure.
    pub measure: CoverageMeasure,
    /// Of which rule or statement.
    pub of: String,
    /// In which kind of record, for records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<&'static str>,
    /// Why.
    pub reason: &'static str,
}

impl CoverageMeasure {
    /// Every measure.
    pub const ALL: [CoverageMeasure; 7] = [
        CoverageMeasure::RulesKept,
        CoverageMeasure::RulesBroken,
        CoverageMeasure::RulesShown,
        CoverageMeasure::RecordsKept,
        CoverageMeasure::RecordsBroken,
        CoverageMeasure::Statements,
        CoverageMeasure::Errata,
    ];

    /// The measure in words.
    pub const fn title(self) -> &'static str {
        match self {
            CoverageMeasure::RulesKept => "rules of the bytes that a case keeps",
            CoverageMeasure::RulesBroken => "rules of the bytes that a case breaks",
            CoverageMeasure::RulesShown => "rules of readers and writers that a case shows",
            CoverageMeasure::RecordsKept => "kinds of record in which a case keeps a rule",
            CoverageMeasure::RecordsBroken => "kinds of record in which a case breaks a rule",
            CoverageMeasure::Statements => "statements of the documents with a rule",
            CoverageMeasure::Errata => "errata with a rule",
        }
    }
}

/// The coverage of some formats by the corpus.
///
/// # Errors
/// If a case cannot be generated or read, which the tests rule out.
pub fn coverage(formats: &[Family]) -> Result<Coverage, Error> {
    let cases = cases()?;
    let formats = formats.iter().map(|&format| FormatCoverage::from_cases(format, &cases));
    let formats = formats.collect::<Result<Vec<_>, Error>>()?;
    Ok(Coverage { schema: 1, complete: formats.iter().all(|format| format.missing.is_empty()), formats })
}

impl FormatCoverage {
    /// The coverage of a format by these cases.
    ///
    /// # Errors
    /// If a case cannot be read, which is a defect.
    #[doc(hidden)]
    pub fn from_cases(format: Family, cases: &[Case]) -> Result<FormatCoverage, Error> {
        let parts = RuleCoverage::from_cases(format, cases.iter().filter(|case| case.format.family() == format))?;
        let mut tally = CoverageTally::default();
        for rule in format.book().rule {
            tally.count_rule(rule, &parts);
        }
        tally.count_statements(format.book());
        Ok(tally.finish(format.name()))
    }
}

/// The cases of each rule, and the kinds of record in which they concern it.
#[derive(Default)]
struct RuleCoverage {
    found: BTreeSet<(CaseRole, &'static str)>,
    records: BTreeSet<(CaseRole, &'static str, &'static str)>,
}

impl RuleCoverage {
    fn from_cases<'c>(format: Family, cases: impl Iterator<Item = &'c Case>) -> Result<RuleCoverage, Error> {
        let rules: BTreeMap<&str, &Rule> = format.book().rule.iter().map(|rule| (rule.id, rule)).collect();
        let mut parts = RuleCoverage::default();
        for case in cases {
            parts.found.extend(case.keeps.iter().map(|rule| (CaseRole::Keeps, *rule)));
            parts.found.extend(case.breaks.iter().map(|broken| (CaseRole::Breaks, broken.0)));
            parts.found.extend(case.shows.iter().map(|rule| (CaseRole::Shows, *rule)));
            if case.keeps.is_empty() && case.breaks.is_none() {
                continue;
            }
            let places = RecordParts::from_case(case)?;
            if let Some((rule, offset)) = case.breaks {
                let offsets = std::iter::once(offset).chain(case.breaks_also.iter().copied());
                parts.records.extend(offsets.map(|offset| (CaseRole::Breaks, rule, places.part_at(offset))));
            }
            for &rule in &case.keeps {
                let spoken = rules.get(rule).map_or(&[][..], |rule| rule.records);
                let there = spoken.iter().filter(|part| places.has(part));
                parts.records.extend(there.map(|part| (CaseRole::Keeps, rule, *part)));
            }
        }
        Ok(parts)
    }
}

#[derive(Default)]
struct CoverageTally {
    counts: BTreeMap<CoverageMeasure, MeasureCount>,
    missing: Vec<CoverageGap>,
    exempt: Vec<Exempt>,
}

impl CoverageTally {
    fn count_rule(&mut self, rule: &Rule, parts: &RuleCoverage) {
        let roles: &[(CaseRole, CoverageMeasure, CoverageMeasure)] = match rule.kind {
            RuleKind::Bytes => &[
                (CaseRole::Keeps, CoverageMeasure::RulesKept, CoverageMeasure::RecordsKept),
                (CaseRole::Breaks, CoverageMeasure::RulesBroken, CoverageMeasure::RecordsBroken),
            ],
            RuleKind::Reader | RuleKind::Writer => {
                &[(CaseRole::Shows, CoverageMeasure::RulesShown, CoverageMeasure::RecordsKept)]
            }
        };
        for &(role, of_rules, of_records) in roles {
            let name = role.name();
            let reason = |record: Option<&str>| {
                let exempt = rule.exempt.iter().filter(|exempt| exempt.from == role);
                let mut exempt = exempt.filter(|exempt| {
                    exempt.records.is_empty() || record.is_some_and(|record| exempt.records.contains(&record))
                });
                exempt.next().map(|exempt| exempt.reason)
            };
            let id = rule.id.to_owned();
            let is_found = parts.found.contains(&(role, rule.id));
            let add =
                || format!("a case with {:?} in its {name}: an edit, or specs/cases/{}/", rule.id, rule_family(rule));
            self.count_item(of_rules, id.clone(), None, is_found, reason(None), add);
            for &record in rule.records {
                let is_found = parts.records.contains(&(role, rule.id, record));
                let add = || match role {
                    CaseRole::Breaks => {
                        format!("a case that breaks the rule at an offset in a record of this kind: {record}")
                    }
                    _ => format!("a case that {name} the rule and has a record of this kind: {record}"),
                };
                self.count_item(of_records, id.clone(), Some(record), is_found, reason(Some(record)), add);
            }
            if role == CaseRole::Breaks && rule.records.is_empty() {
                let add = || format!("records = [...] to {}: the kinds of record that it speaks of", rule.id);
                self.count_item(of_records, id, None, false, None, add);
            }
        }
    }

    fn count_statements(&mut self, book: &Rulebook) {
        for section in book.section {
            for (index, statement) in section.statements.iter().enumerate() {
                let of = format!("{}, {}", section.name, index + 1);
                let is_known = |id: &&str| book.rule(id).is_some();
                let is_found = !statement.rules.is_empty() && statement.rules.iter().all(is_known);
                let add =
                    || format!("the rules that stand for \"{}\", or without = \"why it needs none\"", statement.says);
                self.count_item(CoverageMeasure::Statements, of, None, is_found, statement.without, add);
            }
        }
        for erratum in book.erratum {
            let is_found = book.rule.iter().any(|rule| rule.errata.contains(&erratum.id));
            let add = || format!("a rule with {:?} in its errata", erratum.id);
            self.count_item(CoverageMeasure::Errata, erratum.id.to_owned(), None, is_found, None, add);
        }
    }

    /// Counts an item. An item that is present is covered, with an exemption or without.
    fn count_item(
        &mut self,
        measure: CoverageMeasure,
        of: String,
        record: Option<&'static str>,
        is_found: bool,
        exempt: Option<&'static str>,
        add: impl FnOnce() -> String,
    ) {
        let count = self.counts.entry(measure).or_insert(MeasureCount { measure, all: 0, covered: 0, exempt: 0 });
        match (is_found, exempt) {
            (false, Some(reason)) => {
                count.exempt += 1;
                self.exempt.push(Exempt { measure, of, record, reason });
            }
            (true, _) => {
                count.all += 1;
                count.covered += 1;
            }
            (false, None) => {
                count.all += 1;
                self.missing.push(CoverageGap { measure, of, record, add: add() });
            }
        }
    }

    fn finish(self, format: &'static str) -> FormatCoverage {
        let CoverageTally { counts, missing, exempt } = self;
        FormatCoverage { format, counts: counts.into_values().collect(), missing, exempt }
    }
}

fn rule_family(rule: &Rule) -> &str {
    rule.id.split('.').next().unwrap_or_default()
}
