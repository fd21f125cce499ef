//! What there is to tell of a campaign: how far it is, and a report like those of `check`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;

use super::super::causes::{Counted, counted_causes, is_fact};
use super::super::kept::KeptDump;
use super::super::report::{CampaignChosen, CaseFacts, CaseResult, Cause, Chosen, Held, Report, SCHEMA, Tested};
use super::state::{Begun, Known, ReducedDump};
use super::totals::{Reached, Totals};

/// Version of the schema of [`Status`].
pub const STATUS_SCHEMA: u32 = 1;

/// How far a campaign is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Status {
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
    pub reached: Reached,
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

/// How far the campaign of a folder is.
///
/// # Errors
/// If the folder holds no campaign.
pub fn status(root: &Path) -> Result<Status, Error> {
    let known = Known::read(root)?;
    let begun = known.begun.clone().unwrap_or_default();
    let mut report = report_of(&begun, known.totals.clone(), &known.reduced);
    let Totals { batches, cases, seconds, tally, reached, failures, .. } = known.totals;
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
            first: of
                .iter()
                .filter_map(|seen| failures.get(*seen))
                .map(|alike| &alike.first)
                .min()
                .cloned()
                .unwrap_or_default(),
            example: cause.example.clone(),
            recipe: recipes.get(&*cause.example).map(|recipe| (*recipe).to_owned()).unwrap_or_default(),
        }
    });
    Ok(Status {
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

/// The report of a campaign, or of the shards of one, which add up whatever their order. Of failures that look alike it has
/// those with the smallest dumps. With it, the files of reduced dumps: their paths in the report and where they are.
///
/// # Errors
/// If a folder holds no campaign, the campaigns are not shards of one, or a batch was run in two of them.
pub fn campaign_report(roots: &[PathBuf]) -> Result<(Report, Vec<(String, KeptDump)>), Error> {
    let mut all: Option<(Begun, Totals)> = None;
    let (mut reduced, mut files) = (Vec::new(), Vec::new());
    for (number, root) in roots.iter().enumerate() {
        let known = Known::read(root)?;
        let usage = |why: &str| Error::Usage(format!("{}: {why}", root.display()));
        let begun = Begun { shard: None, ..known.begun.ok_or_else(|| usage("the campaign has not begun"))? };
        match &mut all {
            None => all = Some((begun, known.totals)),
            Some((first, _)) if *first != begun => {
                return Err(usage("expected shards of one campaign: of the same seed, options and implementation"));
            }
            Some((_, totals)) if totals.batches.meets(&known.totals.batches) => {
                return Err(usage("batches of this folder are in another one, too; name each shard once"));
            }
            Some((_, totals)) => totals.add(known.totals),
        }
        for dump in known.reduced {
            let name = if roots.len() == 1 { dump.file.clone() } else { named(number + 1, &dump.file) };
            files.push((name.clone(), KeptDump::File(root.join(&dump.file))));
            reduced.push(ReducedDump { file: name, ..dump });
        }
    }
    let (begun, totals) = all.ok_or_else(|| Error::Usage("expected the folder of a campaign".to_owned()))?;
    let report = report_of(&begun, totals, &reduced);
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

/// The name of a file of one of several folders.
fn named(number: usize, file: &str) -> String {
    match file.split_once('/') {
        Some((folder, name)) => format!("{folder}/shard-{number}-{name}"),
        None => file.to_owned(),
    }
}

pub(super) fn report_of(begun: &Begun, totals: Totals, reduced: &[ReducedDump]) -> Report {
    let Totals { batches, cases, unexpected, tally, passed, readings, failures, .. } = totals;
    let chosen = CampaignChosen { batches: batches.to_string(), cases, unexpected };
    let mut alike_of: BTreeMap<String, usize> = BTreeMap::new();
    let counts: Vec<u64> = failures.values().map(|alike| alike.count).collect();
    let mut counted = Counted { passed, weights: BTreeMap::new() };
    let (mut facts, mut results): (Vec<CaseFacts>, Vec<CaseResult>) = (Vec::new(), Vec::new());
    for (number, alike) in failures.into_values().enumerate() {
        let weight = alike.count as f64 / alike.smallest.len().max(1) as f64;
        for failure in alike.smallest {
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
        Some(Held { reading, choice, declared: false, cases: Some(batches) })
    });
    let mut tested = Tested {
        label: begun.label.clone(),
        kind: begun.kind.clone(),
        command: begun.command.clone(),
        declared: begun.declared.clone(),
        readings: held.collect(),
        results,
        ..Tested::default()
    };
    tested.count();
    tested.tally.extend(tally);
    let known: BTreeMap<&str, &CaseFacts> = facts.iter().map(|case| (&*case.id, case)).collect();
    let mut causes = counted_causes(&tested, &known, &counted);
    for cause in &mut causes {
        let kinds: BTreeSet<usize> = cause.cases.iter().filter_map(|case| alike_of.get(case).copied()).collect();
        cause.failures = Some(kinds.into_iter().map(|kind| counts[kind]).sum());
        cause.reduced = shown(cause, reduced).cloned();
    }
    causes.sort_by_key(|cause| (cause.unexpected == 0, std::cmp::Reverse(cause.failures)));
    tested.causes = causes;
    Report {
        schema: SCHEMA,
        heapsmith: begun.heapsmith.clone(),
        chosen: Chosen {
            seed: begun.plan.seed,
            format: begun.plan.format.clone(),
            campaign: Some(chosen),
            shard: begun.shard.map(|(number, of)| format!("{number}/{of}")),
            ..Chosen::default()
        },
        cases: facts,
        implementations: vec![tested],
        ..Report::default()
    }
}

/// The smallest dump that shows a cause: by its rule and a symptom, or by a message or a place in a program alone.
pub(super) fn shown<'r>(cause: &Cause, reduced: &'r [ReducedDump]) -> Option<&'r ReducedDump> {
    let is_seen = |what: &String| cause.symptoms.iter().any(|symptom| symptom.what == *what);
    let is_placed = |what: &String| !is_fact(what) && is_seen(what);
    let of_rule = |dump: &ReducedDump| dump.rule == cause.rule || dump.rule.is_none();
    let smallest = |of_cause: &dyn Fn(&ReducedDump) -> bool| {
        reduced.iter().filter(|dump| of_cause(dump)).min_by_key(|dump| (dump.bytes, &dump.file))
    };
    smallest(&|dump| of_rule(dump) && dump.shows.iter().any(is_seen))
        .or_else(|| smallest(&|dump| dump.shows.iter().any(is_placed)))
}
