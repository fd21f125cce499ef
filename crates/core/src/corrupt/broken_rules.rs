//! The rules that a dump breaks after an edit and did not break before, and the records that are left.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::error::{Error, RuleId};
use crate::family::{GraphRules, ListedPart, Opener, Opening};
use crate::findings::{Finding, FindingCounts, Findings, Severity};
use crate::format::Family;

/// A rule that a damaged dump breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleBreach {
    /// The rule.
    pub rule: RuleId,
    /// How much breaking it matters.
    pub severity: Severity,
    /// The offset of the first place at which it is broken.
    pub offset: u64,
    /// Whether reading stops there.
    pub stops: bool,
}

/// The findings of a dump.
pub(super) struct DumpJudgement {
    findings: Vec<Finding>,
    counts: Vec<FindingCounts>,
    family: Family,
}

impl DumpJudgement {
    pub(super) fn new(family: Family, dump: &[u8]) -> Result<DumpJudgement, Error> {
        let mut findings = Findings::default();
        family.judge(&Opener::from_memory("dump", dump), GraphRules::All, &mut findings)?;
        let (findings, counts) = findings.finish();
        Ok(DumpJudgement { findings, counts, family })
    }

    fn count(&self, rule: RuleId) -> u64 {
        self.counts.iter().find(|count| count.rule == rule).map_or(0, |count| count.count)
    }

    /// The findings of a rule that are kept.
    fn of_rule(&self, rule: RuleId) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.rule == rule)
    }

    /// The rule, if it is broken at an offset, or so often that not every place was kept.
    pub(super) fn broken(&self, rule: RuleId, offset: u64) -> Option<RuleBreach> {
        let at = self.of_rule(rule).find(|finding| finding.offset == offset);
        let is_cut = self.count(rule) > self.of_rule(rule).count() as u64;
        let any = self.of_rule(rule).next().filter(|_| is_cut);
        let (severity, stops) = at.or(any).map(|finding| (finding.severity, finding.fatal))?;
        Some(RuleBreach { rule, severity, offset, stops })
    }

    /// The rules that are broken and were not before the bytes at `changed` became others, of which there are `grown` more.
    /// First that at which reading stops, then those broken at `place`, then by severity.
    pub(super) fn newly_broken(
        &self,
        before: &DumpJudgement,
        changed: u64,
        grown: i64,
        place: RangeInclusive<u64>,
    ) -> Vec<RuleBreach> {
        let moved = |offset: u64| if offset < changed { offset } else { offset.saturating_add_signed(grown) };
        let known: BTreeSet<(RuleId, u64)> = before.findings.iter().map(|f| (f.rule, moved(f.offset))).collect();
        let mut broken: Vec<RuleBreach> = Vec::new();
        for FindingCounts { rule, count } in &self.counts {
            let new = |finding: &&Finding| !known.contains(&(finding.rule, finding.offset));
            // What was broken so often that not every place was kept may have been broken at any.
            let was_cut = before.count(*rule) > before.of_rule(*rule).count() as u64;
            if was_cut && *count <= before.count(*rule) {
                continue;
            }
            let first = self
                .of_rule(*rule)
                .filter(new)
                .min_by_key(|finding| (!finding.fatal, !place.contains(&finding.offset), finding.offset));
            if let Some(finding) = first {
                let Finding { severity, offset, fatal, .. } = *finding;
                broken.push(RuleBreach { rule: *rule, severity, offset, stops: fatal });
            } else if *count > before.count(*rule) {
                let severity = self.family.book().severity(*rule);
                broken.push(RuleBreach { rule: *rule, severity, offset: changed, stops: false });
            }
        }
        broken.sort_by_key(|b| (!b.stops, !place.contains(&b.offset), std::cmp::Reverse(b.severity), b.offset));
        broken
    }
}

/// The offsets at which the records of a dump begin, as far as it can be read.
pub(super) struct RecordStarts(Vec<u64>);

impl RecordStarts {
    pub(super) fn from_dump(family: Family, dump: &[u8]) -> Result<RecordStarts, Error> {
        let mut starts = Vec::new();
        let opener = Opener::from_memory("dump", dump);
        let opening = Opening::from_input(&opener.input, opener.reading)?;
        let listed = family.records(opening).map_err(Error::from).and_then(|records| {
            records.list(&mut |listed| {
                if let ListedPart::Record(line) = listed {
                    starts.push(line.offset);
                }
                Ok(())
            })
        });
        match listed {
            Err(Error::Decode(error)) if !error.is_machine_fault() => {}
            listed => listed?,
        }
        Ok(RecordStarts(starts))
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// The number of records that begin before an offset.
    pub(super) fn before(&self, offset: u64) -> u64 {
        self.0.partition_point(|start| *start < offset) as u64
    }

    /// Whether the records are those of a dump before it got `grown` bytes more in the record at `intact`.
    pub(super) fn is_in_step(&self, before: &RecordStarts, intact: u64, grown: i64) -> bool {
        let is_same =
            |(now, then): (&u64, &u64)| *now == if *then <= intact { *then } else { then.saturating_add_signed(grown) };
        let is_whole = self.0.len() == before.0.len() || self.count() == before.before(intact);
        is_whole && self.0.iter().zip(&before.0).all(is_same)
    }
}
