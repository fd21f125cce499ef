//! The summary of a campaign: its status, and a report like those of `check`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::campaign::failure_modes::{FailureModes, KeptFailures};
use crate::check::campaign::state::{CampaignHeader, RecordedCampaign, ReducedDumpRecord, line_location};
use crate::check::campaign::totals::{CampaignTotals, DumpCoverage, SimilarFailures};
use crate::check::causes::{RuleCounts, counted_causes, is_fact};
use crate::check::effort::Effort;
use crate::check::kept_answers::{KeptDump, ListedDump};
use crate::check::report::{
    CampaignChosen, CaseFacts, CaseResult, Cause, CheckReport, ChosenCases, FollowedReading, ReducedDump, SCHEMA,
    Symptom, TestedImplementation,
};
use heapsmith_core::error::Error;
use heapsmith_core::interrupt::Stop;
use heapsmith_core::owned::SharedFolder;

/// Version of the schema of [`CampaignStatus`].
pub const STATUS_SCHEMA: u32 = 1;

/// How far a campaign is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Status")]
pub struct CampaignStatus {
    /// Version of this schema.
    pub schema: u32,
    /// What is tested: its name and version, or its command.
    pub label: String,
    /// The command.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// The batches that were run, as ranges.
    pub batches: String,
    /// Number of cases.
    pub cases: u64,
    /// Seconds that it took, over all runs.
    pub seconds: f64,
    /// Number of cases by verdict.
    pub tally: BTreeMap<String, u64>,
    /// What the failures have in common.
    pub causes: Vec<StatusCause>,
    /// What the dumps had.
    pub reached: DumpCoverage,
    /// Lines of the state that were damaged, and whose batches are run again.
    pub damaged: u64,
}

/// A cause, and the dump that shows it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatusCause {
    /// What it is called.
    pub id: String,
    /// What the implementation does wrong.
    pub sentence: String,
    /// In how many cases.
    pub cases: u64,
    /// The smallest dump that shows it, where one was reduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<ReducedDump>,
    /// The first case that shows it.
    pub first: String,
    /// The case with the smallest dump.
    pub example: String,
    /// How that dump is made.
    pub recipe: String,
}

/// The status of the campaign in a folder.
///
/// # Errors
/// If the folder holds no campaign.
pub fn status(root: &Path) -> Result<CampaignStatus, Error> {
    let known = RecordedCampaign::read(&SharedFolder::open(root)?)?;
    let begun = known.begun.clone().unwrap_or_default();
    let mut report = build_report(&begun, known.totals.clone(), &known.reduced);
    let CampaignTotals { batches, cases, seconds, tally, reached, failures, .. } = known.totals;
    let tested = report.implementations.remove(0);
    let recipes: BTreeMap<&str, &str> = report.cases.iter().map(|case| (&*case.id, &*case.recipe)).collect();
    let kinds: BTreeMap<&str, &str> = failures
        .iter()
        .flat_map(|(seen, alike)| alike.smallest.iter().map(move |failure| (&*failure.case.id, &**seen)))
        .collect();
    let causes = tested.causes.iter().map(|cause| {
        let mut of: Vec<&str> = cause.cases.iter().filter_map(|case| kinds.get(&**case).copied()).collect();
        of.sort_unstable();
        of.dedup();
        StatusCause {
            id: cause.id.clone(),
            sentence: cause.sentence.clone(),
            cases: cause.all_failures(),
            reduced: cause.reduced.clone(),
            first: first_case(cause, &of, &failures),
            example: cause.example.clone(),
            recipe: recipes.get(&*cause.example).map(|recipe| (*recipe).to_owned()).unwrap_or_default(),
        }
    });
    Ok(CampaignStatus {
        schema: STATUS_SCHEMA,
        label: begun.label,
        command: begun.command,
        seed: begun.plan.seed,
        batches: batches.to_string(),
        cases,
        seconds,
        tally,
        causes: causes.collect(),
        reached,
        damaged: known.damaged,
    })
}

/// The first case of a cause: that of failures with its signature, if all of those that were kept are its own, and else
/// the first of its own that was kept.
fn first_case(cause: &Cause, of: &[&str], failures: &BTreeMap<String, SimilarFailures>) -> String {
    let is_own = |alike: &&SimilarFailures| alike.smallest.iter().all(|failure| cause.cases.contains(&failure.case.id));
    let whole = of.iter().filter_map(|seen| failures.get(*seen)).filter(is_own).map(|alike| &alike.first);
    whole.chain(&cause.cases).min().cloned().unwrap_or_default()
}

/// The report of a campaign, or of its shards in any order, with the files of reduced dumps: their paths in the report
/// and their places. Of failures with one signature it has those with the smallest dumps.
///
/// # Errors
/// If a folder holds no campaign, the campaigns are not shards of one, or a batch was run in two of them.
pub fn campaign_report(roots: &[PathBuf]) -> Result<(CheckReport, Vec<(String, KeptDump)>), Error> {
    let mut all: Option<(CampaignHeader, CampaignTotals)> = None;
    let (mut reduced, mut files) = (Vec::new(), Vec::new());
    for (number, root) in roots.iter().enumerate() {
        let folder = SharedFolder::open(root)?;
        let known = RecordedCampaign::read(&folder)?;
        let usage = |why: &str| Error::Usage(format!("{}: {why}", root.display()));
        let begun = CampaignHeader { shard: None, ..known.begun.ok_or_else(|| usage("the campaign has not begun"))? };
        match &mut all {
            None => all = Some((begun, known.totals)),
            Some((first, _)) if *first != begun => {
                return Err(usage("expected shards of one campaign: of the same seed, options and implementation"));
            }
            Some((_, totals)) if totals.batches.overlaps(&known.totals.batches) => {
                return Err(usage("batches of this folder are in another one, too; name each shard once"));
            }
            Some((_, totals)) => totals.add(known.totals),
        }
        for shown in known.reduced {
            let dump = &shown.dump;
            let name = if roots.len() == 1 { dump.file.clone() } else { shard_file_name(number + 1, &dump.file) };
            files.push((
                name.clone(),
                KeptDump::Listed(ListedDump {
                    folder: folder.clone(),
                    path: dump.file.clone(),
                    length: dump.bytes,
                    sha256: dump.sha256.clone(),
                    listed_in: line_location(&folder, shown.line),
                }),
            ));
            reduced.push(ReducedDumpRecord { dump: ReducedDump { file: name, ..shown.dump }, ..shown });
        }
    }
    let (begun, totals) = all.ok_or_else(|| Error::Usage("expected the folder of a campaign".to_owned()))?;
    let report = build_report(&begun, totals, &reduced);
    // Of those that show the same, one is enough.
    let shown: Vec<&String> = report
        .implementations
        .iter()
        .flat_map(|one| &one.causes)
        .filter_map(|cause| Some(&cause.reduced.as_ref()?.file))
        .collect();
    files.retain(|(name, _)| shown.contains(&name));
    Ok((report, files))
}

/// The path of a reduced dump of one of several shards.
fn shard_file_name(number: usize, file: &str) -> String {
    match file.split_once('/') {
        Some((folder, name)) => format!("{folder}/shard-{number}-{name}"),
        None => file.to_owned(),
    }
}

/// The report of a campaign.
fn build_report(begun: &CampaignHeader, totals: CampaignTotals, reduced: &[ReducedDumpRecord]) -> CheckReport {
    report_and_unexplained(begun, totals, reduced, &BTreeSet::new(), &Stop::default()).0
}

/// The report of a campaign, and a case without an explanation: the id of a failure that no reduced dump explains, and
/// its symptom. `passed_over` are not considered.
pub(super) fn report_and_unexplained(
    begun: &CampaignHeader,
    totals: CampaignTotals,
    reduced: &[ReducedDumpRecord],
    passed_over: &BTreeSet<String>,
    stop: &Stop,
) -> (CheckReport, Option<(String, String)>) {
    let ways = FailureModes::new(&totals, reduced);
    let CampaignTotals { batches, cases, unexpected, tally, passed, readings, failures, .. } = totals;
    let chosen = CampaignChosen { batches: batches.to_string(), cases, unexpected };
    let mut alike_of: BTreeMap<String, usize> = BTreeMap::new();
    let counts: Vec<u64> = failures.values().map(|alike| alike.count).collect();
    // Which of them were refused is not kept: all count as read.
    let read = passed.keys().cloned().collect();
    let mut counted = RuleCounts { passed, read, weights: BTreeMap::new() };
    let (mut facts, mut results): (Vec<CaseFacts>, Vec<CaseResult>) = (Vec::new(), Vec::new());
    for (number, alike) in failures.into_values().enumerate() {
        let weights: Vec<f64> = alike.weights().collect();
        for (failure, weight) in alike.smallest.into_iter().zip(weights) {
            counted.weights.insert(failure.case.id.clone(), weight);
            alike_of.insert(failure.case.id.clone(), number);
            facts.push(failure.case);
            results.push(failure.result);
        }
    }
    facts.sort_by(|a, b| a.id.cmp(&b.id));
    results.sort_by(|a, b| a.id.cmp(&b.id));
    let held = readings.into_iter().filter_map(|(reading, choices)| {
        // Of several, what most batches show.
        let (choice, batches) = choices.into_iter().max_by_key(|(_, count)| *count)?;
        Some(FollowedReading { reading, choice, declared: false, cases: Some(batches) })
    });
    let mut tested = TestedImplementation {
        label: begun.label.clone(),
        kind: begun.kind.clone(),
        command: begun.command.clone(),
        declared: begun.declared.clone(),
        readings: held.collect(),
        results,
        ..TestedImplementation::default()
    };
    tested.count();
    tested.tally.extend(tally);
    let kept = KeptFailures::new(&tested.results, &facts);
    let whole = counted_causes(&tested, &kept.cases, &counted, &Effort::new(stop));
    let unexplained = ways.find_unexplained(&whole, &kept, passed_over);
    let unexplained = unexplained.map(|(result, symptom)| (result.id.clone(), symptom));
    let mut causes = Vec::new();
    for cause in whole {
        let mut parts = ways.split(cause, &kept);
        count_failures(&mut parts, &alike_of, &counts);
        let is_split = parts.len() > 1;
        causes.extend(parts.into_iter().map(|(cause, way)| {
            let way = way.map(|way| &ways.reduced_dump(way).dump);
            let dump = way.filter(|_| is_split).or_else(|| dump_for_cause(&cause, reduced, way)).cloned();
            Cause { reduced: dump, ..cause }
        }));
    }
    causes.sort_by_key(|cause| (cause.unexpected == 0, std::cmp::Reverse(cause.failures)));
    let mut causes = merge_same_dump(causes, &kept);
    causes.sort_by_key(|cause| (cause.unexpected == 0, std::cmp::Reverse(cause.failures)));
    tested.causes = causes;
    let report = CheckReport {
        schema: SCHEMA,
        heapsmith: begun.heapsmith.clone(),
        chosen: ChosenCases {
            seed: begun.plan.seed,
            format: begun.plan.format.clone(),
            campaign: Some(chosen),
            shard: begun.shard.map(|(number, of)| format!("{number}/{of}")),
            ..ChosenCases::default()
        },
        cases: facts,
        implementations: vec![tested],
        ..CheckReport::default()
    };
    (report, unexplained)
}

/// Merges causes with the same message and the same reduced dump. The first one keeps its name.
fn merge_same_dump(causes: Vec<Cause>, kept: &KeptFailures<'_>) -> Vec<Cause> {
    let mut all: Vec<Cause> = Vec::new();
    for cause in causes {
        let message = |cause: &Cause| cause.symptoms.first().map(|first| first.what.clone());
        let is_same = |other: &&mut Cause| {
            let seen = message(&cause).filter(|what| !is_fact(what));
            other.reduced.is_some()
                && other.reduced == cause.reduced
                && seen.is_some_and(|what| message(other).as_ref() == Some(&what))
        };
        let Some(same) = all.iter_mut().find(is_same) else {
            all.push(cause);
            continue;
        };
        for Symptom { what, cases } in cause.symptoms {
            match same.symptoms.iter_mut().find(|symptom| symptom.what == what) {
                Some(symptom) => symptom.cases += cases,
                None => same.symptoms.push(Symptom { what, cases }),
            }
        }
        let cases: BTreeSet<String> = same.cases.drain(..).chain(cause.cases).collect();
        same.cases = cases.into_iter().collect();
        same.unexpected = kept.failures_of(same).filter(|one| one.result.is_unexpected()).count() as u64;
        same.failures = same.failures.zip(cause.failures).map(|(one, other)| one + other);
    }
    all
}

/// Counts the cases of parts of a cause. Of failures that look alike and are in several parts, most are not kept, so that it is not
/// known of which part they are: the part with most of those that were kept counts them all, and the others only those that were kept.
fn count_failures(parts: &mut [(Cause, Option<usize>)], alike_of: &BTreeMap<String, usize>, counts: &[u64]) {
    let kept: Vec<BTreeMap<usize, u64>> = parts
        .iter()
        .map(|(cause, _)| {
            let mut kept: BTreeMap<usize, u64> = BTreeMap::new();
            let kinds = cause.cases.iter().filter_map(|case| alike_of.get(case));
            kinds.for_each(|kind| *kept.entry(*kind).or_default() += 1);
            kept
        })
        .collect();
    for (at, (cause, _)) in parts.iter_mut().enumerate() {
        let of_kind = |(kind, own): (&usize, &u64)| {
            let others = kept.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<(u64, usize)> =
                others.filter_map(|(other, kept)| Some((*kept.get(kind)?, other))).collect();
            let has_more = |(count, other): &(u64, usize)| count > own || count == own && *other < at;
            match others.iter().any(has_more) {
                true => *own,
                false => counts[*kind].saturating_sub(others.iter().map(|(count, _)| count).sum()).max(*own),
            }
        };
        cause.failures = Some(kept[at].iter().map(of_kind).sum());
    }
}

/// The smallest dump that shows a cause: by its rule and a symptom, as it explains failures of it, or by a message or a place in a
/// program alone.
fn dump_for_cause<'r>(
    cause: &Cause,
    reduced: &'r [ReducedDumpRecord],
    way: Option<&'r ReducedDump>,
) -> Option<&'r ReducedDump> {
    let is_seen = |what: &String| cause.symptoms.iter().any(|symptom| symptom.what == *what);
    let is_placed = |what: &String| !is_fact(what) && is_seen(what);
    let of_rule = |dump: &ReducedDump| dump.rule == cause.rule || dump.rule.is_none();
    let smallest = |of_cause: &dyn Fn(&ReducedDump) -> bool| {
        reduced
            .iter()
            .map(|shown| &shown.dump)
            .filter(|dump| of_cause(dump))
            .min_by_key(|dump| (dump.bytes, &dump.file))
    };
    smallest(&|dump| dump.rule == cause.rule && dump.shows.iter().any(is_seen))
        .or(way)
        .or_else(|| smallest(&|dump| of_rule(dump) && dump.shows.iter().any(is_seen)))
        .or_else(|| smallest(&|dump| dump.shows.iter().any(is_placed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two causes with one message and one dump are one; another message, another dump, or a wrong fact is another cause.
    #[test]
    fn merges_causes_with_same_message_and_dump() {
        let cause = |what: &str, file: &str, cases: &[&str]| {
            let symptoms = vec![Symptom { what: what.to_owned(), cases: cases.len() as u64 }];
            let cases: Vec<String> = cases.iter().map(|case| (*case).to_owned()).collect();
            let reduced = Some(ReducedDump { file: file.to_owned(), ..ReducedDump::default() });
            Cause { id: what.to_owned(), symptoms, reduced, failures: Some(5), cases, ..Cause::default() }
        };
        let causes = vec![
            cause("crash: there", "1", &["a", "b"]),
            cause("crash: there", "2", &["c"]),
            cause("crash: there", "1", &["b", "d"]),
            cause("crash: elsewhere", "1", &["e"]),
            cause("address: missing", "1", &["f"]),
            cause("address: missing", "1", &["g"]),
        ];
        let kept = KeptFailures::new(&[], &[]);
        let told: Vec<(String, usize, Option<u64>)> = merge_same_dump(causes, &kept)
            .into_iter()
            .map(|cause| (cause.id, cause.cases.len(), cause.failures))
            .collect();
        let one = |id: &str, cases: usize, failures: u64| (id.to_owned(), cases, Some(failures));
        let expected = [
            one("crash: there", 3, 10),
            one("crash: there", 1, 5),
            one("crash: elsewhere", 1, 5),
            one("address: missing", 1, 5),
            one("address: missing", 1, 5),
        ];
        assert_eq!(told, expected);
    }

    /// Ten failures look like the first two and the last, of which seven were not kept, and four like the third.
    #[test]
    fn counts_failures_that_were_not_kept_once() {
        let part = |cases: &[&str]| {
            let cases = cases.iter().map(|case| (*case).to_owned()).collect();
            (Cause { cases, ..Cause::default() }, None)
        };
        let mut parts = [part(&["a", "b", "c"]), part(&["d"])];
        let alike_of = [("a", 0), ("b", 0), ("c", 1), ("d", 0)].map(|(case, kind)| (case.to_owned(), kind)).into();
        count_failures(&mut parts, &alike_of, &[10, 4]);
        assert_eq!(parts.map(|(cause, _)| cause.failures), [Some(9 + 4), Some(1)]);
    }
}
