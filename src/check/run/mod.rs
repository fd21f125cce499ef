//! Runs over many cases: batches side by side, and doubtful answers once more alone.

mod answered;
mod batches;
mod large;
mod one;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::compare::Facet;
use crate::corpus::Case;
use crate::error::Error;
use crate::interrupt;
use crate::setters::setters;
use crate::system;

use super::among::{Again, Among};
use super::campaign::ReducedDump;
use super::causes::Effort;
use super::evidence::{of_dump, point_at_causes};
use super::expected::ExpectedFailures;
use super::kept::{Kept, KeptDump};
use super::report::{CaseFacts, Chosen, Incomplete, Outcome, Report, ReportFolder, Run, SCHEMA};
use super::shows::Wrong;
use super::smallest::{Question, Smaller, file_of};
use super::subject::Subject;
use super::task::{Choice, Source, Task, Wanted, to_read};

pub(super) use answered::{enough, given_up, is_in_vain};
pub(super) use batches::{Batches, Counters, batches, side_by_side};
pub(super) use large::under_limits;
pub(super) use one::{One, Party, Told, others};

/// The number of cases that a process serves (specs/adapter.md). It does not depend on `jobs`, so that each case
/// follows the same cases in every run.
pub const BATCH: usize = 32;

/// The options of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Options {
    /// The choice of cases.
    pub choice: Choice,
    /// The operations that adapters are asked for.
    pub operations: Wanted,
    /// The number of batches at a time.
    pub jobs: usize,
    /// Failures that are expected.
    pub expected: ExpectedFailures,
    /// The number of unexpected cases without an answer after which the rest is skipped.
    pub max_hangs: usize,
    /// The number of unexpected failures of an implementation after which the rest is skipped.
    pub max_failures: Option<usize>,
    /// Facets that are not judged.
    pub left_out: BTreeSet<Facet>,
    /// Whether implementations are compared with each other, and no answer counts as right.
    pub among: bool,
    /// The most dumps that are tried to reduce one of each unexpected cause; `None` to reduce none.
    pub reduce: Option<u64>,
    /// The folder of the reports. An earlier report in it is removed when all implementations have started and
    /// answered; without a folder no answers of failed cases are kept.
    pub folder: Option<ReportFolder>,
}

/// The whole corpus, a batch at a time.
impl Default for Options {
    fn default() -> Options {
        Options {
            choice: Choice::default(),
            operations: Wanted::default(),
            jobs: 1,
            expected: ExpectedFailures::default(),
            max_hangs: 10,
            max_failures: None,
            left_out: BTreeSet::new(),
            among: false,
            reduce: None,
            folder: None,
        }
    }
}

setters! {
    impl Options {
        set choice: Choice;
        set operations: Wanted;
        set jobs: usize;
        set expected: ExpectedFailures;
        set max_hangs: usize;
        option max_failures: usize;
        set left_out: BTreeSet<Facet>;
        set among: bool;
        option reduce: u64;
        option folder: ReportFolder;
    }
}

/// The result of a run.
#[derive(Debug)]
pub struct Checked {
    /// The report.
    pub report: Report,
    /// The answers of failed cases.
    pub kept: Option<Kept>,
    /// Reduced dumps, by their paths below the folder of reports.
    pub dumps: Vec<(String, KeptDump)>,
}

/// An event of a running check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'p> {
    /// The number of further cases that will be asked.
    Planned(usize),
    /// A case was asked.
    Asked,
    /// The number of dumps tried in the reduction of a cause.
    Reducing(u64),
    /// An unexpected failure: the implementation's label, the case's id, and the outcome. A failure that may be an
    /// accident is asked again in the end, and is in the report only.
    Failed(&'p str, &'p str, &'p Outcome),
}

/// Runs implementations over cases. If a subject's `stop` is asked for meanwhile, the report is marked as incomplete.
///
/// # Errors
/// If cases cannot be made or written, heapsmith's own program cannot be started, or a failure is expected of a case that
/// does not exist. What goes wrong with an implementation is a verdict.
pub fn check(
    subjects: &[Subject],
    options: &Options,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Checked, Error> {
    let started = Instant::now();
    let cases = crate::corpus::cases()?;
    let large = crate::corpus::large_cases()?.into_iter().map(|case| case.id);
    let own = options.choice.dumps.iter().map(|dump| dump.id.clone());
    let known = cases.iter().map(|case| case.id.clone()).chain(large).chain(own).collect();
    options.expected.check_cases(&known, &options.choice)?;
    let sources = match &options.choice {
        choice if choice.large || !choice.dumps.is_empty() => Source::chosen(choice)?,
        choice => Source::among(cases, choice)?,
    };
    let mut run = Run { jobs: options.jobs as u64, ..Run::default() };
    let mut report = Report {
        schema: SCHEMA,
        heapsmith: env!("CARGO_PKG_VERSION").to_owned(),
        chosen: chosen(options),
        ..Report::default()
    };
    let kept = options.folder.as_ref().map(|_| Kept::default());
    let silent = Silent { left: AtomicUsize::new(subjects.len()), folder: options.folder.as_ref() };
    let relied = Relied::default();
    let mut all: Vec<One<'_>> = Vec::new();
    for subject in subjects {
        let shared = Shared { options, progress, kept: kept.as_ref(), silent: &silent, relied: &relied };
        let one = One::new(subject, shared, &sources, &all)?;
        all.push(one);
    }
    // One that cannot say what it can will not answer anything.
    if all.iter().any(|one| one.hello.is_ok()) {
        all.iter().filter(|one| one.hello.is_err()).try_for_each(One::answered)?;
    }
    let mut planned = 0;
    let mut done = Vec::new();
    let parties: Vec<Party<'_>> = all.iter().map(One::party).collect();
    let runs: Vec<Running<'_>> = match options.among {
        true => {
            let shared = Shared { options, progress, kept: None, silent: &silent, relied: &relied };
            let tasks = to_read(&sources, &options.choice.filters);
            vec![Running::Among(Among::new(&parties, shared, tasks))]
        }
        false => all.into_iter().map(|one| Running::One(Box::new(one))).collect(),
    };
    for one in runs {
        planned += one.count();
        let told = one.run()?;
        run.milliseconds.insert(told.tested.label.clone(), told.milliseconds);
        run.peak_memory.insert(told.tested.label.clone(), told.peak_memory);
        done.push((told.tested.label.clone(), told.tasks));
        report.implementations.push(told.tested);
        report.cases.extend(told.facts);
    }
    report.cases.sort_by(|a, b| a.id.cmp(&b.id));
    report.cases.dedup_by(|a, b| a.id == b.id);
    // All subjects of a run have one.
    let stop = subjects.first().map(|subject| subject.stop.clone()).unwrap_or_default();
    let effort = Effort::new(&stop);
    report.explain(&effort);
    // A part of the cases says little; `merge` does it for all of them. Evidence takes time as well.
    if !effort.is_over() && options.choice.shard.is_none() && !options.choice.large && !options.among {
        for (tested, (_, tasks)) in report.implementations.iter_mut().zip(&done) {
            let tasks: HashMap<&str, &Task> = tasks.iter().map(|task| (&*task.id, task)).collect();
            let held = |id: &str| tasks.get(id).filter(|task| !task.source.is_streamed() && !effort.is_over());
            let pointed = point_at_causes(tested, &|id| held(id).map(|task| task.source.case()).transpose());
            // What a signal ends here is not missed: the rest of the report is there.
            Error::unless_stopped(pointed)?;
        }
    }
    let dumps = match options.reduce {
        Some(trials) => reduced(&parties, &mut report, &done, options, trials, progress)?,
        None => Vec::new(),
    };
    report.incomplete = subjects.iter().find_map(|subject| subject.stop.signal()).map(|signal| Incomplete {
        signal: system::name_of(signal),
        judged: report.implementations.iter().map(|tested| tested.results.len() as u64).sum(),
        planned,
    });
    run.seconds = started.elapsed().as_secs_f64();
    run.remnants = interrupt::remnants().into_iter().map(Into::into).collect();
    report.run = Some(run);
    let kept = kept.map(|mut kept| {
        done.into_iter().for_each(|(label, tasks)| kept.enter(&label, tasks));
        kept
    });
    Ok(Checked { report, kept, dumps })
}

/// A run of one implementation, or of several that are compared.
enum Running<'r> {
    One(Box<One<'r>>),
    Among(Among<'r>),
}

impl Running<'_> {
    fn count(&self) -> u64 {
        match self {
            Running::One(one) => one.count(),
            Running::Among(among) => among.count(),
        }
    }

    fn run(self) -> Result<Told, Error> {
        match self {
            Running::One(one) => one.run(),
            Running::Among(among) => among.run(),
        }
    }
}

/// The label of an implementation that was run, and its tasks.
type Done = (String, Vec<Task>);

/// Reduces a dump of each cause that fails the run.
fn reduced(
    parties: &[Party<'_>],
    report: &mut Report,
    done: &[Done],
    options: &Options,
    trials: u64,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Vec<(String, KeptDump)>, Error> {
    let tried = |count| progress(Progress::Reducing(count));
    let mut dumps = Vec::new();
    // Of implementations that are compared, there is one result.
    for ((party, tested), (_, tasks)) in parties.iter().zip(&mut report.implementations).zip(done) {
        let stop = &party.subject.stop;
        let smaller = Smaller { stop, trials, jobs: options.jobs, tried: &tried };
        for cause in tested.causes.iter_mut().filter(|cause| cause.unexpected > 0) {
            let result = tested.results.iter().find(|result| result.id == cause.example);
            let is_held = |task: &&Task| !task.source.is_streamed() && task.source.why_unknown().is_none();
            let task = tasks.iter().find(|task| task.id == cause.example).filter(is_held);
            let (Some(result), Some(task), false) = (result, task, stop.is_asked()) else { continue };
            let operation = task.operation.clone();
            let question: Result<Option<Box<dyn Question>>, Error> = match options.among {
                true => Ok(boxed(Again::known(parties, &options.left_out, operation, result, cause))),
                false => {
                    let wrong = Wrong::known(party.subject, party.hello().cloned(), operation, result, cause);
                    wrong.map(|wrong| wrong.in_a_hurry(&task.source)).transpose().map(boxed)
                }
            };
            let smallest = question.and_then(|question| smaller.of(task, result, cause, question.as_deref()));
            // One that a signal cut short is not written down.
            let smallest = Error::unless_stopped(smallest)?;
            let Some(smallest) = smallest.filter(|smallest| smallest.is_reduced && !stop.is_asked()) else { continue };
            let suffix = task.source.case()?.format.family().suffix();
            let file = file_of(dumps.len() + 1, &cause.id, suffix);
            dumps.push((file.clone(), KeptDump::Bytes(smallest.case.bytes)));
            cause.reduced = Some(ReducedDump { file, ..smallest.told });
        }
    }
    Ok(dumps)
}

fn boxed<'q>(question: Option<impl Question + 'q>) -> Option<Box<dyn Question + 'q>> {
    question.map(|question| Box::new(question) as Box<dyn Question + 'q>)
}

fn chosen(options: &Options) -> Chosen {
    let choice = &options.choice;
    Chosen {
        random: choice.random,
        seed: choice.seed,
        dumps: choice.dumps.len() as u64,
        campaign: None,
        format: choice.format.map(|family| family.name().to_owned()),
        filters: choice.filters.iter().map(ToString::to_string).collect(),
        left_out: options.left_out.iter().copied().collect(),
        max_failures: options.max_failures.map(|most| most as u64),
        shard: choice.shard.map(|(number, of)| format!("{number}/{of}")),
    }
}

/// The number of implementations without an answer yet. When it reaches 0, the earlier report is removed.
#[derive(Default)]
pub(super) struct Silent<'r> {
    left: AtomicUsize,
    folder: Option<&'r ReportFolder>,
}

impl Silent<'_> {
    fn one_less(&self) -> Result<(), Error> {
        match (self.left.fetch_sub(1, Ordering::Relaxed), self.folder) {
            (1, Some(folder)) => folder.clear(),
            _ => Ok(()),
        }
    }
}

/// The context that the runs of all implementations share.
#[derive(Clone, Copy)]
pub(super) struct Shared<'r> {
    pub(super) options: &'r Options,
    pub(super) progress: &'r (dyn Fn(Progress<'_>) + Sync),
    pub(super) kept: Option<&'r Kept>,
    pub(super) silent: &'r Silent<'r>,
    pub(super) relied: &'r Relied,
}

/// The rules on which the dumps of cases rely, by case: all implementations share them.
#[derive(Default)]
pub(super) struct Relied(Mutex<HashMap<String, Vec<String>>>);

impl Shared<'_> {
    /// The report's facts about the case of a task.
    pub(super) fn facts(&self, task: &Task, case: &Case) -> Result<CaseFacts, Error> {
        // Large dumps are not looked at byte by byte, and what is of no known format has no rules.
        let has_rules = !task.source.is_streamed() && task.source.why_unknown().is_none();
        Ok(CaseFacts {
            id: task.id.clone(),
            summary: case.summary.clone(),
            format: case.format.to_string(),
            verdict: task.source.why_unknown().map_or(case.verdict.name(), |_| UNKNOWN).to_owned(),
            recipe: case.recipe.clone(),
            size: task.source.size().unwrap_or(case.bytes.len() as u64),
            rules: rules(case),
            relies: if has_rules { self.relied.of(case)? } else { Vec::new() },
        })
    }
}

/// The verdict of a dump whose format heapsmith cannot tell.
const UNKNOWN: &str = "unknown";

impl Relied {
    fn of(&self, case: &Case) -> Result<Vec<String>, Error> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&case.id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = owned(of_dump(case)?);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(case.id.clone(), found.clone());
        Ok(found)
    }
}

fn owned(rules: BTreeSet<&str>) -> Vec<String> {
    rules.into_iter().map(str::to_owned).collect()
}

/// The rules of a case.
pub(super) fn rules(case: &Case) -> Vec<String> {
    let broken = case.breaks.iter().map(|(rule, _)| *rule);
    let mut rules: Vec<String> =
        broken.chain(case.keeps.iter().copied()).chain(case.shows.iter().copied()).map(str::to_owned).collect();
    rules.sort();
    rules.dedup();
    rules
}
