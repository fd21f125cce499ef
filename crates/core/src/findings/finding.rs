//! Findings.

use serde::{Deserialize, Serialize};

use crate::error::{DecodeError, RuleId, TextPosition};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A sign for one reading of an ambiguity, or a curiosity: nothing is wrong.
    Note,
    /// Readers tolerate it.
    Warning,
    /// The dump is not valid.
    Error,
}

/// Something that a rule has to say about a place in a dump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Id of the rule in `specs/`.
    #[cfg_attr(feature = "schemas", schemars(with = "String"))]
    #[serde(serialize_with = "rule_id")]
    pub rule: RuleId,
    /// How much it matters.
    pub severity: Severity,
    /// Offset in the (decompressed) dump, in bytes.
    pub offset: u64,
    /// Index of the record in the body, from 0, where the finding is inside one.
    pub record: Option<u64>,
    /// Line of the offset, from 1, in a dump that is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Column of the offset, from 1, in bytes, in a dump that is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// What the rule wants.
    pub expected: String,
    /// What the dump has.
    pub found: String,
    /// Whether nothing after this place can be read.
    pub fatal: bool,
}

/// A place in a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpPosition {
    /// Offset in the (decompressed) dump, in bytes.
    pub offset: u64,
    /// Index of the record, from 0, where the place is inside one.
    pub record: Option<u64>,
    /// Line and column, in a dump that is text.
    pub position: Option<TextPosition>,
}

/// How much of a dump is sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Sound"))]
pub struct SoundCounts {
    /// Records; of an HPROF dump the sub-records too.
    pub records: u64,
    /// Objects.
    pub objects: u64,
    /// Classes.
    pub classes: u64,
    /// References other than null. What the instances of an HPROF dump refer to is told by their classes, so
    /// that it is counted only with the rules of the whole graph.
    pub references: u64,
}

/// Findings of one dump: the first few of each rule, and the number of all.
#[derive(Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    /// By rule, in the order in which they were found: there are few.
    counts: Vec<(RuleId, u64)>,
}

/// How many findings a rule had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct FindingCounts {
    /// Id of the rule.
    #[cfg_attr(feature = "schemas", schemars(with = "String"))]
    #[serde(serialize_with = "rule_id")]
    pub rule: RuleId,
    /// Its findings, those beyond the kept ones included.
    pub count: u64,
}

/// Findings of one rule that are kept in full: enough to see a pattern, and memory stays constant.
const KEPT_PER_RULE: u64 = 20;

impl Finding {
    fn new(rule: RuleId, severity: Severity, place: DumpPosition, expected: String, found: String) -> Finding {
        Finding {
            rule,
            severity,
            offset: place.offset,
            record: place.record,
            line: place.position.map(|p| p.line),
            column: place.position.map(|p| p.column),
            expected,
            found,
            fatal: false,
        }
    }
}

impl Findings {
    /// Adds a finding; `severity` and `describe` (expected, found) are called only if it is kept: a rule can be broken by every
    /// record.
    pub fn add(
        &mut self,
        rule: RuleId,
        severity: impl FnOnce(RuleId) -> Severity,
        offset: u64,
        record: Option<u64>,
        describe: impl FnOnce() -> (String, String),
    ) {
        self.add_at(rule, severity, DumpPosition { offset, record, position: None }, describe);
    }

    /// Adds a finding at a place that may have a line and a column.
    pub fn add_at(
        &mut self,
        rule: RuleId,
        severity: impl FnOnce(RuleId) -> Severity,
        place: DumpPosition,
        describe: impl FnOnce() -> (String, String),
    ) {
        let count = self.count(rule);
        *count += 1;
        if *count <= KEPT_PER_RULE {
            let (expected, found) = describe();
            self.kept.push(Finding::new(rule, severity(rule), place, expected, found));
        }
    }

    /// The number of findings of a rule.
    fn count(&mut self, rule: RuleId) -> &mut u64 {
        // The same rule is mostly the same text: whole names need not be compared.
        let is_it = |known: RuleId| std::ptr::eq(known.0, rule.0) || known == rule;
        let at = self.counts.iter().position(|(known, _)| is_it(*known)).unwrap_or_else(|| {
            self.counts.push((rule, 0));
            self.counts.len() - 1
        });
        &mut self.counts[at].1
    }

    /// Adds the error at which decoding stopped.
    pub fn add_fatal(&mut self, error: &DecodeError, severity: Severity) {
        *self.count(error.rule()) += 1;
        let place = DumpPosition { offset: error.offset(), record: error.record(), position: error.position() };
        let finding = Finding::new(error.rule(), severity, place, error.expected(), error.found());
        self.kept.push(Finding { fatal: severity == Severity::Error, ..finding });
    }

    /// Whether a rule was found broken at an offset, or so often that not all its findings were kept.
    pub fn has(&self, rule: RuleId, offset: u64) -> bool {
        self.counts.iter().any(|(known, count)| *known == rule && *count > KEPT_PER_RULE)
            || self.kept.iter().any(|finding| finding.rule == rule && finding.offset == offset)
    }

    /// Whether a rule was found broken anywhere.
    #[doc(hidden)]
    pub fn breaks(&self, rule: &str) -> bool {
        self.counts.iter().any(|(found, _)| found.0 == rule)
    }

    /// The kept findings by place, and the counts by rule.
    pub fn finish(mut self) -> (Vec<Finding>, Vec<FindingCounts>) {
        self.kept.sort_by_key(|f| (f.offset, f.rule));
        self.counts.sort_unstable();
        (self.kept, self.counts.into_iter().map(|(rule, count)| FindingCounts { rule, count }).collect())
    }
}

fn rule_id<S: serde::Serializer>(rule: &RuleId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule.0)
}
