//! Totals of batches: counts, and the smallest dumps of failures with one signature. The totals of two sets of batches
//! add up to those of both, in any order.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::check::report::symptom::{is_fact, symptoms_of};
use crate::check::report::{CaseFacts, CaseResult, FollowedReading};
use crate::check::task::first_heap;
use crate::corpus::{Case, CaseVerdict};
use heapsmith_core::annotation::Annotation;
use heapsmith_core::compare::recorded::FacetCounts;
use heapsmith_core::error::Error;
use heapsmith_core::format::DumpFile;
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;

/// The number of failures of one signature whose dumps and answers are kept.
const ALIKE: usize = 8;
/// The most signatures; a program may say something else each time.
const KINDS: usize = 500;

/// The totals of some batches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CampaignTotals {
    /// The numbers of the batches.
    pub(super) batches: BatchRanges,
    /// Number of cases.
    pub(super) cases: u64,
    /// The time that they took.
    pub(super) seconds: f64,
    /// Number of cases by verdict.
    pub(super) tally: BTreeMap<String, u64>,
    /// The failures that fail the run.
    pub(super) unexpected: u64,
    /// The features of the dumps.
    pub(super) reached: DumpCoverage,
    /// The readings that answers follow, with the number of batches by choice.
    pub(super) readings: BTreeMap<String, BTreeMap<String, u64>>,
    /// Failures by signature.
    pub(super) failures: BTreeMap<String, SimilarFailures>,
}

/// The failures of one signature.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SimilarFailures {
    pub(super) count: u64,
    /// The id of the first one. Within a campaign, ids have the order of the cases.
    pub(super) first: String,
    /// The failures with the smallest dumps; and for each rule on which the smallest one relies, the smallest that does
    /// not: it may be of another failure mode.
    pub(super) smallest: Vec<CampaignFailure>,
}

/// A failed case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CampaignFailure {
    pub(super) case: CaseFacts,
    pub(super) result: CaseResult,
}

/// The signature of a failure: its symptoms. A message, or a place in a program, may stand for several mistakes; then
/// the rule that the dump breaks belongs to it, and whether the dump is compressed.
fn failure_signature(case: &Case, result: &CaseResult) -> String {
    let mut looks: Vec<String> = symptoms_of(result).into_iter().collect();
    if looks.iter().any(|seen| !is_fact(seen)) {
        let broken = case.breaks.filter(|_| case.verdict != CaseVerdict::Valid);
        looks.extend(broken.map(|(rule, _)| rule.to_owned()));
        let is_compressed = Input::from_memory(&case.id, case.bytes.clone()).is_compressed();
        looks.extend(is_compressed.then(|| "compressed".to_owned()));
    }
    looks.join("; ")
}

/// What the dumps of a campaign had, and in how many of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Reached")]
pub struct DumpCoverage {
    /// Rules on which bytes rely.
    pub rules: BTreeMap<String, u64>,
    /// Rules that are broken.
    pub broken: BTreeMap<String, u64>,
    /// Kinds of record, and parts of the header.
    pub records: BTreeMap<String, u64>,
    /// Formats with the widths of words or identifiers.
    pub widths: BTreeMap<String, u64>,
    /// Facets that the right heap records.
    pub facets: BTreeMap<String, u64>,
}

/// Numbers of batches, as ranges in ascending order: first and last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BatchRanges(pub(super) Vec<(u64, u64)>);

impl BatchRanges {
    pub(super) fn contains(&self, batch: u64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&batch))
    }

    pub(super) fn add(&mut self, first: u64, last: u64) {
        self.0.push((first, last));
        self.0.sort_unstable();
        let mut all: Vec<(u64, u64)> = Vec::new();
        for &(first, last) in &self.0 {
            match all.last_mut().filter(|(_, end)| *end + 1 >= first) {
                Some((_, end)) => *end = last.max(*end),
                None => all.push((first, last)),
            }
        }
        self.0 = all;
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Whether any batch is in both.
    pub(super) fn overlaps(&self, other: &BatchRanges) -> bool {
        self.0.iter().any(|(first, last)| other.0.iter().any(|(start, end)| first <= end && start <= last))
    }
}

impl std::fmt::Display for BatchRanges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown =
            |&(first, last): &(u64, u64)| if first == last { first.to_string() } else { format!("{first}-{last}") };
        f.write_str(&self.0.iter().map(shown).collect::<Vec<_>>().join(", "))
    }
}

impl DumpCoverage {
    /// Takes note of a dump.
    pub(super) fn record_dump(&mut self, case: &Case, relies: &[String]) -> Result<(), Error> {
        let one = |of: &mut BTreeMap<String, u64>, key: String| *of.entry(key).or_default() += 1;
        relies.iter().for_each(|rule| one(&mut self.rules, rule.clone()));
        if let Some((rule, _)) = case.breaks {
            one(&mut self.broken, rule.to_owned());
        }
        let family = case.format.family();
        let mut parts = std::collections::BTreeSet::new();
        let dump = DumpFile::new(Input::from_memory(&case.id, case.bytes.clone()), ReadOptions::default())?;
        match dump.annotate(&mut |field: Annotation<'_>| {
            parts.extend(family.part(&field));
            Ok(())
        }) {
            Ok(()) | Err(Error::Decode(_)) => {}
            Err(e) => return Err(e),
        }
        parts.into_iter().for_each(|part| one(&mut self.records, format!("{}: {part}", family.name())));
        let heap = first_heap(case);
        let width = heap.and_then(|heap| heap.facts.identifier_size.map(|size| format!("identifiers of {size}")));
        let width = width.or_else(|| {
            heap.and_then(|heap| heap.facts.word_size.map(|word| format!("words of {} bits", word.bits())))
        });
        let width = width.map_or_else(String::new, |width| format!(", {width}"));
        one(&mut self.widths, format!("{}{width}", case.format));
        if let Some(heap) = heap {
            let mut heap = heap.clone();
            let counts = FacetCounts::from_source(&mut heap)?;
            counts.0.keys().for_each(|facet| one(&mut self.facets, facet.to_string()));
        }
        Ok(())
    }

    fn add(&mut self, other: DumpCoverage) {
        let DumpCoverage { rules, broken, records, widths, facets } = other;
        add_counts(&mut self.rules, rules);
        add_counts(&mut self.broken, broken);
        add_counts(&mut self.records, records);
        add_counts(&mut self.widths, widths);
        add_counts(&mut self.facets, facets);
    }
}

fn add_counts(of: &mut BTreeMap<String, u64>, more: BTreeMap<String, u64>) {
    more.into_iter().for_each(|(key, count)| *of.entry(key).or_default() += count);
}

impl SimilarFailures {
    fn add(&mut self, other: SimilarFailures) {
        self.first = match self.count {
            0 => other.first,
            _ => std::mem::take(&mut self.first).min(other.first),
        };
        self.count += other.count;
        self.smallest.extend(other.smallest);
        let key = |failure: &CampaignFailure| (failure.case.size, failure.case.id.clone());
        self.smallest.sort_by_cached_key(key);
        let mut common: Option<BTreeSet<String>> = None;
        let mut place = 0;
        self.smallest.retain(|failure| {
            let relies: BTreeSet<&String> = failure.case.relies.iter().collect();
            let common = common.get_or_insert_with(|| relies.iter().map(|rule| (*rule).clone()).collect());
            let before = common.len();
            common.retain(|rule| relies.contains(rule));
            place += 1;
            place <= ALIKE || common.len() < before
        });
    }
}

impl CampaignTotals {
    /// Takes note of a case.
    pub(super) fn record_case(&mut self, case: &Case, facts: CaseFacts, result: CaseResult) -> Result<(), Error> {
        self.cases += 1;
        *self.tally.entry(result.outcome().name().to_owned()).or_default() += 1;
        self.reached.record_dump(case, &facts.relies)?;
        if !result.outcome().is_failure() {
            return Ok(());
        }
        self.unexpected += u64::from(result.is_unexpected());
        let looks = failure_signature(case, &result);
        let failure = CampaignFailure { case: facts, result };
        let first = failure.case.id.clone();
        self.failures.entry(looks).or_default().add(SimilarFailures { count: 1, first, smallest: vec![failure] });
        self.limit_signatures();
        Ok(())
    }

    pub(super) fn record_readings(&mut self, held: &[FollowedReading]) {
        for FollowedReading { reading, choice, .. } in held.iter().filter(|held| !held.declared) {
            *self.readings.entry(reading.clone()).or_default().entry(choice.clone()).or_default() += 1;
        }
    }

    /// Adds what came of other batches.
    pub(super) fn add(&mut self, other: CampaignTotals) {
        let CampaignTotals { batches, cases, seconds, tally, unexpected, reached, readings, failures } = other;
        batches.0.into_iter().for_each(|(first, last)| self.batches.add(first, last));
        self.cases += cases;
        self.seconds += seconds;
        self.unexpected += unexpected;
        add_counts(&mut self.tally, tally);
        self.reached.add(reached);
        readings.into_iter().for_each(|(reading, of)| add_counts(self.readings.entry(reading).or_default(), of));
        failures.into_iter().for_each(|(seen, alike)| self.failures.entry(seen).or_default().add(alike));
        self.limit_signatures();
    }

    fn limit_signatures(&mut self) {
        while self.failures.len() > KINDS {
            self.failures.pop_last();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::Outcome;

    /// Nearly all dumps rely on three rules: that of 30 bytes lacks one of them, and that of 39 another.
    fn failed(id: &str, size: u64, how: &str) -> CampaignTotals {
        let lacked = [(30, "y"), (39, "z")].map(|(of, rule)| (size == of).then_some(rule));
        let relies = ["x", "y", "z"].into_iter().filter(|rule| !lacked.contains(&Some(rule))).map(str::to_owned);
        let case = CaseFacts { id: id.to_owned(), size, relies: relies.collect(), ..CaseFacts::default() };
        let result = CaseResult::new(id, Outcome::Crash { how: how.to_owned() });
        let alike =
            SimilarFailures { count: 1, first: id.to_owned(), smallest: vec![CampaignFailure { case, result }] };
        let failures = BTreeMap::from([(how.to_owned(), alike)]);
        let mut totals = CampaignTotals { cases: 1, failures, ..CampaignTotals::default() };
        totals.batches.add(size, size);
        totals
    }

    #[test]
    fn totals_are_independent_of_batch_order() {
        let one = |size: u64| failed(&format!("case-{size}"), size, if size.is_multiple_of(3) { "a" } else { "b" });
        let added = |sizes: &mut dyn Iterator<Item = u64>| {
            sizes.fold(CampaignTotals::default(), |mut all, size| {
                all.add(one(size));
                all
            })
        };
        let forward = added(&mut (0..50));
        assert_eq!(added(&mut (0..50).rev()), forward);
        let (mut even, odd) = (added(&mut (0..50).step_by(2)), added(&mut (1..50).step_by(2)));
        even.add(odd);
        assert_eq!(even, forward);
        assert_eq!(forward.batches.0, [(0, 49)]);
        assert_eq!((forward.failures["a"].count, &*forward.failures["a"].first), (17, "case-0"));
        let sizes: Vec<u64> = forward.failures["a"].smallest.iter().map(|failure| failure.case.size).collect();
        assert_eq!(sizes, [0, 3, 6, 9, 12, 15, 18, 21, 30, 39]);
    }

    #[test]
    fn ranges_of_batches_grow_together() {
        let mut batches = BatchRanges::default();
        [5, 1, 3, 2, 9, 4].into_iter().for_each(|batch| batches.add(batch, batch));
        assert_eq!(batches.to_string(), "1-5, 9");
        assert_eq!(batches.count(), 6);
        assert!(batches.contains(3) && !batches.contains(8));
        assert!(
            batches.overlaps(&BatchRanges(vec![(9, 12)])) && !batches.overlaps(&BatchRanges(vec![(6, 8), (10, 12)]))
        );
    }
}
