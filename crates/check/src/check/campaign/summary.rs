//! The summary of a campaign: its status, and a report like those of `check`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::campaign::state::{CampaignHeader, RecordedCampaign, RecordedCause, line_location};
use crate::check::campaign::totals::{CampaignTotals, DumpCoverage, SimilarFailures};
use crate::check::causes::list_causes;
use crate::check::kept_answers::{KeptDump, ListedDump};
use crate::check::report::{
    CampaignChosen, CaseFacts, CaseResult, Cause, CheckReport, ChosenCases, FollowedReading, ReducedDump, SCHEMA,
    TestedImplementation,
};
use heapsmith_core::error::Error;
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
    let mut report = build_report(&begun, known.totals.clone(), &known.causes);
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
    let (mut causes, mut files) = (Vec::new(), Vec::new());
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
        for mut recorded in known.causes {
            let mut list = |file: &mut String, length: u64, sha256: &str| {
                let path = file.clone();
                if roots.len() > 1 {
                    *file = shard_file_name(number + 1, &path);
                }
                let (folder, listed_in) = (folder.clone(), line_location(&folder, recorded.line));
                let sha256 = sha256.to_owned();
                files.push((file.clone(), KeptDump::Listed(ListedDump { folder, path, length, sha256, listed_in })));
            };
            let Cause { reduced, pair, .. } = &mut recorded.cause;
            if let Some(dump) = reduced {
                list(&mut dump.file, dump.bytes, &dump.sha256);
                if let Some(pair) = pair {
                    pair.fails.file.clone_from(&dump.file);
                }
            }
            if let Some(pair) = pair {
                list(&mut pair.passes.file, pair.passes.bytes, &pair.passes.sha256);
            }
            causes.push(recorded);
        }
    }
    let (begun, totals) = all.ok_or_else(|| Error::Usage("expected the folder of a campaign".to_owned()))?;
    let report = build_report(&begun, totals, &causes);
    // Of those that show the same, one is enough.
    let told = report.implementations.iter().flat_map(|one| &one.causes);
    let shown: Vec<&str> = told
        .flat_map(|Cause { reduced, pair, .. }| {
            let reduced = reduced.as_ref().map(|dump| &*dump.file);
            reduced.into_iter().chain(pair.as_ref().map(|pair| &*pair.passes.file))
        })
        .collect();
    files.retain(|(name, _)| shown.contains(&&**name));
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
pub(super) fn build_report(begun: &CampaignHeader, totals: CampaignTotals, recorded: &[RecordedCause]) -> CheckReport {
    let CampaignTotals { batches, cases, unexpected, tally, readings, failures, .. } = totals;
    let chosen = CampaignChosen { batches: batches.to_string(), cases, unexpected };
    let mut alike_of: BTreeMap<String, usize> = BTreeMap::new();
    let counts: Vec<u64> = failures.values().map(|alike| alike.count).collect();
    let (mut facts, mut results): (Vec<CaseFacts>, Vec<CaseResult>) = (Vec::new(), Vec::new());
    for (number, alike) in failures.into_values().enumerate() {
        for failure in alike.smallest {
            alike_of.insert(failure.case.id.clone(), number);
            facts.push(failure.case);
            results.push(failure.result);
        }
    }
    // Smaller ones may be kept by now.
    for RecordedCause { failure, .. } in recorded {
        if !alike_of.contains_key(&failure.case.id) && results.iter().all(|result| result.id != failure.case.id) {
            facts.push(failure.case.clone());
            results.push(failure.result.clone());
        }
    }
    facts.sort_by(|a, b| a.id.cmp(&b.id));
    results.sort_by(|a, b| a.id.cmp(&b.id));
    let held = readings.into_iter().filter_map(|(reading, choices)| {
        // Of several, what most batches show.
        let (choice, batches) = choices.into_iter().max_by_key(|(_, count)| *count)?;
        Some(FollowedReading { reading, choice, declared: false, cases: Some(batches) })
    });
    let mut causes: Vec<Cause> = Vec::new();
    for RecordedCause { cause, .. } in recorded {
        match causes.iter_mut().find(|same| same.is_of_the_same_mistake(cause)) {
            Some(same) => same.add(cause.clone()),
            None => causes.push(cause.clone()),
        }
    }
    let mut tested = TestedImplementation {
        label: begun.label.clone(),
        kind: begun.kind.clone(),
        command: begun.command.clone(),
        declared: begun.declared.clone(),
        readings: held.collect(),
        causes,
        results,
        ..TestedImplementation::default()
    };
    tested.count();
    tested.tally.extend(tally);
    let mut report = CheckReport {
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
    list_causes(&mut report);
    for tested in &mut report.implementations {
        count_failures(&mut tested.causes, &alike_of, &counts);
    }
    report
}

/// Counts the cases of causes. Of failures that look alike and have several causes, most are not kept, so that it is not known of which
/// cause they are: the one with most of those that were kept counts them all, and the others only those that were kept.
fn count_failures(causes: &mut [Cause], alike_of: &BTreeMap<String, usize>, counts: &[u64]) {
    let kept: Vec<BTreeMap<usize, u64>> = causes
        .iter()
        .map(|cause| {
            let mut kept: BTreeMap<usize, u64> = BTreeMap::new();
            let kinds = cause.cases.iter().filter_map(|case| alike_of.get(case));
            kinds.for_each(|kind| *kept.entry(*kind).or_default() += 1);
            kept
        })
        .collect();
    for (at, cause) in causes.iter_mut().enumerate() {
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
        cause.failures = Some(kept[at].iter().map(of_kind).sum::<u64>().max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten failures look like the first two and the last, of which seven were not kept, and four like the third.
    #[test]
    fn counts_failures_that_were_not_kept_once() {
        let part = |cases: &[&str]| {
            let cases = cases.iter().map(|case| (*case).to_owned()).collect();
            Cause { cases, ..Cause::default() }
        };
        let mut parts = [part(&["a", "b", "c"]), part(&["d"])];
        let alike_of = [("a", 0), ("b", 0), ("c", 1), ("d", 0)].map(|(case, kind)| (case.to_owned(), kind)).into();
        count_failures(&mut parts, &alike_of, &[10, 4]);
        assert_eq!(parts.map(|cause| cause.failures), [Some(9 + 4), Some(1)]);
    }
}
