//! Runs over many cases: batches side by side, and doubtful answers once more alone.

mod batches;
mod equal_ends;
mod implementation_run;
mod judged_answer;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::check::evidence::rules_of_dump;
use crate::check::expected::ExpectedFailures;
use crate::check::kept_answers::{KeptAnswers, ReportFolder};
use crate::check::report::{CaseFacts, Outcome};
use crate::check::task::{CaseChoice, Task, WantedOperations, case_rules};
use crate::corpus::Case;
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::setters::setters;

pub(super) use batches::{Counters, TaskBatches, run_side_by_side, split_into_batches};
pub(super) use implementation_run::{ImplementationRun, Peer, RunResult};
pub(super) use judged_answer::{exhausted_time_limit, skip_after_failures, skip_after_hangs};

/// The options of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// The choice of cases.
    pub choice: CaseChoice,
    /// The operations that adapters are asked for.
    pub operations: WantedOperations,
    /// The number of batches at a time.
    pub jobs: usize,
    /// Failures that are expected.
    pub expected: ExpectedFailures,
    /// The number of unexpected cases without an answer after which the rest is skipped.
    pub max_hangs: usize,
    /// The number of unexpected failures of an implementation after which the rest is skipped.
    pub max_failures: Option<usize>,
    /// The number of sound dumps that end the same way, without an answer, after which the rest is skipped, while none has one; 0
    /// to ask about all.
    pub max_equal_ends: usize,
    /// Facets that are not judged.
    pub left_out: BTreeSet<Facet>,
    /// Whether implementations are compared with each other, and no answer counts as right.
    pub among: bool,
    /// The most dumps that are tried to reduce one of each unexpected cause; `None` to reduce none.
    pub reduce: Option<u64>,
    /// The most dumps that are made and asked about to explain the failures of an implementation; `None` to list failures by what is
    /// seen of them.
    pub explain: Option<u64>,
    /// The most time for that, for each implementation.
    pub explain_time: Duration,
    /// The folder of the reports. An earlier report in it is removed when all implementations have started and
    /// answered; without a folder no answers of failed cases are kept.
    pub folder: Option<ReportFolder>,
}

/// The whole corpus, a batch at a time.
impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            choice: CaseChoice::default(),
            operations: WantedOperations::default(),
            jobs: 1,
            expected: ExpectedFailures::default(),
            max_hangs: 10,
            max_failures: None,
            max_equal_ends: 12,
            left_out: BTreeSet::new(),
            among: false,
            reduce: None,
            explain: None,
            explain_time: Duration::from_secs(600),
            folder: None,
        }
    }
}

setters! {
    impl CheckOptions {
        set choice: CaseChoice;
        set operations: WantedOperations;
        set jobs: usize;
        set expected: ExpectedFailures;
        set max_hangs: usize;
        option max_failures: usize;
        set max_equal_ends: usize;
        set left_out: BTreeSet<Facet>;
        set among: bool;
        option reduce: u64;
        option explain: u64;
        set explain_time: Duration;
        option folder: ReportFolder;
    }
}

/// An event of a running check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckProgress<'p> {
    /// The number of further cases that will be asked.
    Planned(usize),
    /// A case was asked.
    Asked,
    /// The number of dumps asked about to explain the failures of an implementation, by its label.
    Explaining(&'p str, u64),
    /// The number of dumps tried in the reduction of a cause.
    Reducing(u64),
    /// An unexpected failure: the implementation's label, the case's id, and the outcome. A failure that may be an
    /// accident is asked again in the end, and is in the report only.
    Failed(&'p str, &'p str, &'p Outcome),
}

/// The number of implementations without an answer yet. When it reaches 0, the earlier report is removed.
#[derive(Default)]
pub(super) struct SilentImplementations<'r> {
    pub(super) left: AtomicUsize,
    pub(super) folder: Option<&'r ReportFolder>,
}

impl SilentImplementations<'_> {
    fn record_first_answer(&self) -> Result<(), Error> {
        match (self.left.fetch_sub(1, Ordering::Relaxed), self.folder) {
            (1, Some(folder)) => folder.clear(),
            _ => Ok(()),
        }
    }
}

/// The context that the runs of all implementations share.
#[derive(Clone, Copy)]
pub(super) struct RunContext<'r> {
    pub(super) options: &'r CheckOptions,
    pub(super) progress: &'r (dyn Fn(CheckProgress<'_>) + Sync),
    pub(super) kept: Option<&'r KeptAnswers>,
    pub(super) silent: &'r SilentImplementations<'r>,
    pub(super) relied: &'r RelianceCache,
}

/// The rules on which the dumps of cases rely, by case: all implementations share them.
#[derive(Default)]
pub(super) struct RelianceCache(Mutex<HashMap<String, Vec<String>>>);

impl RunContext<'_> {
    /// The report's facts about the case of a task.
    pub(super) fn case_facts(&self, task: &Task, case: &Case) -> Result<CaseFacts, Error> {
        // Large dumps are not looked at byte by byte, and what is of no known format has no rules.
        let has_rules = !task.source.is_streamed() && task.source.unknown_format_reason().is_none();
        Ok(CaseFacts {
            id: task.id.clone(),
            summary: case.summary.clone(),
            format: case.format.to_string(),
            verdict: task.source.unknown_format_reason().map_or(case.verdict.name(), |_| UNKNOWN).to_owned(),
            recipe: case.recipe.clone(),
            size: task.source.size().unwrap_or(case.bytes.len() as u64),
            rules: case_rules(case),
            relies: if has_rules { self.relied.rules_for(case)? } else { Vec::new() },
        })
    }
}

/// The verdict of a dump whose format heapsmith cannot tell.
const UNKNOWN: &str = "unknown";

impl RelianceCache {
    fn rules_for(&self, case: &Case) -> Result<Vec<String>, Error> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&case.id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = to_owned_rules(rules_of_dump(case)?);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(case.id.clone(), found.clone());
        Ok(found)
    }
}

fn to_owned_rules(rules: BTreeSet<&str>) -> Vec<String> {
    rules.into_iter().map(str::to_owned).collect()
}
