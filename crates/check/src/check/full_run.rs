//! A whole run: implementations over cases, then causes, evidence and reduced dumps.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use crate::check::cause_reduction::{CauseReducer, SymptomOracle, dump_path};
use crate::check::causes::list_causes;
use crate::check::differential::{DifferentialRun, DisagreementOracle};
use crate::check::effort::Effort;
use crate::check::evidence::point_at_causes;
use crate::check::experiment::{AskedCase, ExperimentBudget, MadePair, ProbeOracle, explain_by_experiment};
use crate::check::failure_oracle::FailureOracle;
use crate::check::kept_answers::{KeptAnswers, KeptDump, KeptFiles};
use crate::check::output_rules::add_output_rules;
use crate::check::predecessors::name_predecessors;
use crate::check::repeat::pair_command;
use crate::check::report::{
    Cause, CausePair, CheckReport, ChosenCases, InterruptedRun, ReducedDump, RunCosts, SCHEMA, TestedImplementation,
};
use crate::check::run::{
    CheckOptions, CheckProgress, ImplementationRun, Peer, RelianceCache, RunContext, RunResult, SilentImplementations,
};
use crate::check::subject::Subject;
use crate::check::task::{CaseSource, Task, TaskOperation};
use crate::check::tasks::reading_tasks;
use heapsmith_core::error::Error;
use heapsmith_core::format::Family;
use heapsmith_core::{interrupt, system};

/// The result of a run.
#[derive(Debug)]
pub struct CheckResult {
    /// The report.
    pub report: CheckReport,
    /// The answers of failed cases.
    pub kept: Option<KeptAnswers>,
    /// Reduced dumps, by their paths below the folder of reports.
    pub dumps: Vec<(String, KeptDump)>,
}

/// Runs implementations over cases. If a subject's `stop` is asked for meanwhile, the report is marked as incomplete.
///
/// # Errors
/// If cases cannot be made or written, heapsmith's own program cannot be started, or a failure is expected of a case that
/// does not exist. What goes wrong with an implementation is a verdict.
pub fn check(
    subjects: &[Subject],
    options: &CheckOptions,
    progress: &(dyn Fn(CheckProgress<'_>) + Sync),
) -> Result<CheckResult, Error> {
    let started = Instant::now();
    let cases = crate::corpus::cases()?;
    let large = crate::corpus::large_cases()?.into_iter().map(|case| case.id);
    let own = options.choice.dumps.iter().map(|dump| dump.id.clone());
    let known = cases.iter().map(|case| case.id.clone()).chain(large).chain(own).collect();
    options.expected.check_cases(&known, &options.choice)?;
    let sources = match &options.choice {
        choice if choice.large || !choice.dumps.is_empty() => CaseSource::from_choice(choice)?,
        choice => CaseSource::corpus_and_random(cases, choice)?,
    };
    let mut run = RunCosts { jobs: options.jobs as u64, ..RunCosts::default() };
    let mut report = CheckReport {
        schema: SCHEMA,
        heapsmith: env!("CARGO_PKG_VERSION").to_owned(),
        chosen: describe_choice(options),
        ..CheckReport::default()
    };
    let kept = options.folder.as_ref().map(|_| KeptAnswers::default());
    let silent = SilentImplementations { left: AtomicUsize::new(subjects.len()), folder: options.folder.as_ref() };
    let relied = RelianceCache::default();
    let mut all: Vec<ImplementationRun<'_>> = Vec::new();
    for subject in subjects {
        let shared = RunContext { options, progress, kept: kept.as_ref(), silent: &silent, relied: &relied };
        let one = ImplementationRun::new(subject, shared, &sources, &all)?;
        all.push(one);
    }
    // One that cannot say what it can will not answer anything.
    if all.iter().any(|one| one.hello.is_ok()) {
        all.iter().filter(|one| one.hello.is_err()).try_for_each(ImplementationRun::record_answered)?;
    }
    let mut planned = 0;
    let mut done = Vec::new();
    let parties: Vec<Peer<'_>> = all.iter().map(ImplementationRun::as_peer).collect();
    let runs: Vec<ScheduledRun<'_>> = match options.among {
        true => {
            let shared = RunContext { options, progress, kept: None, silent: &silent, relied: &relied };
            let tasks = reading_tasks(&sources, &options.choice.filters);
            vec![ScheduledRun::Among(DifferentialRun::new(&parties, shared, tasks))]
        }
        false => all.into_iter().map(|one| ScheduledRun::One(Box::new(one))).collect(),
    };
    for one in runs {
        planned += one.task_count();
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
    list_causes(&mut report);
    write_before_causes(&report, options);
    let mut dumps = Vec::new();
    if let Some(trials) = options.explain.filter(|_| !effort.is_over()) {
        for ((party, tested), (_, tasks)) in parties.iter().zip(&mut report.implementations).zip(&done) {
            let effort = Effort::new(&stop).within(options.explain_time);
            let label = tested.label.clone();
            let heard = |asked| progress(CheckProgress::Explaining(&label, asked));
            let mut budget = ExperimentBudget::new(&effort, trials, &heard);
            let among = options.among.then_some(&parties[..]);
            let explained = explain_tested(party, among, tested, tasks, options, &mut budget, &mut dumps);
            // What a signal ends here is not missed: the rest of the report is there.
            Error::unless_stopped(explained)?;
        }
        list_causes(&mut report);
    }
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
    if let Some(trials) = options.reduce {
        dumps.extend(reduce_causes(&parties, &mut report, &done, options, trials, progress)?);
    }
    report.incomplete = subjects.iter().find_map(|subject| subject.stop.signal()).map(|signal| InterruptedRun {
        signal: system::name_of(signal),
        judged: report.implementations.iter().map(|tested| tested.results.len() as u64).sum(),
        planned,
    });
    run.seconds = started.elapsed().as_secs_f64();
    run.remnants = interrupt::remnants().into_iter().map(Into::into).collect();
    report.run = Some(run);
    let kept = kept.map(|mut kept| {
        done.into_iter().for_each(|(label, tasks)| kept.add_cases(&label, tasks));
        kept
    });
    Ok(CheckResult { report, kept, dumps })
}

/// Writes a report with failures before their causes are worked out and their dumps reduced, which takes time: whatever
/// happens meanwhile, the verdicts are there. The whole report takes its place, and says why if it cannot be written.
fn write_before_causes(report: &CheckReport, options: &CheckOptions) {
    let failures = report.implementations.iter().flat_map(|tested| &tested.results);
    let has_failures = failures.into_iter().any(|result| result.outcome().is_failure());
    if let Some(folder) = options.folder.as_ref().filter(|folder| has_failures && !folder.holds_earlier_report()) {
        folder.write(report, KeptFiles::default()).ok();
    }
}

/// A run of one implementation, or of several that are compared.
enum ScheduledRun<'r> {
    One(Box<ImplementationRun<'r>>),
    Among(DifferentialRun<'r>),
}

impl ScheduledRun<'_> {
    fn task_count(&self) -> u64 {
        match self {
            ScheduledRun::One(one) => one.task_count(),
            ScheduledRun::Among(among) => among.task_count(),
        }
    }

    fn run(self) -> Result<RunResult, Error> {
        match self {
            ScheduledRun::One(one) => one.run(),
            ScheduledRun::Among(among) => among.run(),
        }
    }
}

/// The label of an implementation that was run, and its tasks.
type LabelledTasks = (String, Vec<Task>);

/// Reduces a dump of each cause that fails the run.
fn reduce_causes(
    parties: &[Peer<'_>],
    report: &mut CheckReport,
    done: &[LabelledTasks],
    options: &CheckOptions,
    trials: u64,
    progress: &(dyn Fn(CheckProgress<'_>) + Sync),
) -> Result<Vec<(String, KeptDump)>, Error> {
    let tried = |count| progress(CheckProgress::Reducing(count));
    let mut dumps = Vec::new();
    // Of implementations that are compared, there is one result.
    for ((party, tested), (_, tasks)) in parties.iter().zip(&mut report.implementations).zip(done) {
        let stop = &party.subject.stop;
        let smaller = CauseReducer { stop, trials, jobs: options.jobs, tried: &tried };
        for cause in tested.causes.iter_mut().filter(|cause| cause.unexpected > 0) {
            let result = tested.results.iter().find(|result| result.id == cause.example);
            let is_held = |task: &&Task| !task.source.is_streamed() && task.source.unknown_format_reason().is_none();
            let task = tasks.iter().find(|task| task.id == cause.example).filter(is_held);
            let (Some(result), Some(task), false) = (result, task, stop.is_asked()) else { continue };
            let operation = task.operation.clone();
            let question: Result<Option<Box<dyn SymptomOracle>>, Error> = match options.among {
                true => {
                    Ok(box_oracle(DisagreementOracle::from_cause(parties, &options.left_out, operation, result, cause)))
                }
                false => {
                    let wrong =
                        FailureOracle::from_cause(party.subject, party.hello().cloned(), operation, result, cause);
                    wrong.map(|wrong| wrong.with_shorter_time_limit(&task.source)).transpose().map(box_oracle)
                }
            };
            let smallest =
                question.and_then(|question| smaller.reduce_example(task, result, cause, question.as_deref()));
            // One that a signal cut short is not written down.
            let smallest = Error::unless_stopped(smallest)?;
            let Some(smallest) = smallest.filter(|smallest| smallest.is_reduced && !stop.is_asked()) else { continue };
            let suffix = task.source.case()?.format.family().suffix();
            let file = dump_path(dumps.len() + 1, &cause.id, suffix);
            dumps.push((file.clone(), KeptDump::Bytes(smallest.case.bytes)));
            cause.reduced = Some(ReducedDump { file, ..smallest.told });
        }
    }
    Ok(dumps)
}

/// Works out the causes of an implementation's failures by experiment, operation by operation. `among` are the implementations that
/// are compared, where no answer counts as right.
fn explain_tested(
    party: &Peer<'_>,
    among: Option<&[Peer<'_>]>,
    tested: &mut TestedImplementation,
    tasks: &[Task],
    options: &CheckOptions,
    budget: &mut ExperimentBudget<'_>,
    dumps: &mut Vec<(String, KeptDump)>,
) -> Result<(), Error> {
    let by_id: HashMap<&str, &Task> = tasks.iter().map(|task| (&*task.id, task)).collect();
    let failed =
        tested.results.iter().filter(|result| result.is_unexpected()).filter_map(|result| by_id.get(&*result.id));
    let mut operations: Vec<&TaskOperation> = Vec::new();
    for task in failed {
        if !operations.contains(&&task.operation) {
            operations.push(&task.operation);
        }
    }
    let mut causes: Vec<Cause> = Vec::new();
    for operation in operations {
        let mut asked = Vec::new();
        for result in &tested.results {
            let held = by_id.get(&*result.id).filter(|task| task.operation == *operation && !task.source.is_streamed());
            let Some(task) = held.filter(|task| task.source.unknown_format_reason().is_none()) else { continue };
            asked.push(AskedCase { result, case: task.source.case()? });
        }
        let explained = match among {
            Some(parties) => {
                let oracle = DisagreementOracle::for_probes(parties, &options.left_out, operation.clone());
                explain_by_experiment(asked, &oracle, budget)?
            }
            None => {
                let oracle = FailureOracle::for_probes(party.subject, party.hello().cloned(), operation.clone());
                explain_by_experiment(asked, &oracle.pool() as &dyn ProbeOracle, budget)?
            }
        };
        for mut one in explained {
            if among.is_none() && !one.is_steady {
                name_predecessors(party, &mut one.cause, &mut tested.results, tasks, options)?;
            }
            // One mistake in reading shows in whatever is written.
            if let Some(same) = causes.iter_mut().find(|same| same.is_of_the_same_mistake(&one.cause)) {
                same.add(one.cause);
                continue;
            }
            if let (Some(pair), None) = (&one.pair, among) {
                add_output_rules(&mut one.cause, pair, operation)?;
            }
            match one.pair.take() {
                Some(made) => one.cause.pair = Some(write_pair(made, &one.cause, party, among, options, dumps)),
                None if options.folder.is_some() => {
                    let file = dump_path(dumps.len() + 1, &one.cause.id, Family::guess(&one.reduced).suffix());
                    one.cause.reduced = Some(one.reduced_dump(file.clone()));
                    dumps.push((file, KeptDump::Bytes(one.reduced)));
                }
                None => {}
            }
            causes.push(one.cause);
        }
    }
    if budget.is_over() {
        let explained: HashSet<&String> = causes.iter().flat_map(|cause| &cause.cases).collect();
        let left = tested.results.iter().filter(|result| result.is_unexpected() && !explained.contains(&result.id));
        tested.unexplored = left.count() as u64;
    }
    tested.causes = causes;
    Ok(())
}

/// The pair of a cause, whose dumps are written where there is a folder of reports.
fn write_pair(
    made: MadePair,
    cause: &Cause,
    party: &Peer<'_>,
    among: Option<&[Peer<'_>]>,
    options: &CheckOptions,
    dumps: &mut Vec<(String, KeptDump)>,
) -> CausePair {
    let MadePair { mut pair, fails, passes } = made;
    let Some(folder) = &options.folder else { return pair };
    let number = dumps.len() + 1;
    let suffix = Family::guess(&fails).suffix();
    let mut paths = Vec::new();
    for (dump, bytes, what) in [(&mut pair.passes, passes, "passes"), (&mut pair.fails, fails, "fails")] {
        dump.file = dump_path(number, &format!("{what} {}", cause.id), suffix);
        paths.push(folder.name_of(&dump.file));
        dumps.push((dump.file.clone(), KeptDump::Bytes(bytes)));
    }
    let subjects: Vec<&Subject> =
        among.map_or_else(|| vec![party.subject], |all| all.iter().map(|one| one.subject).collect());
    pair.repeat = Some(pair_command(&subjects, &options.left_out, &paths));
    pair
}

fn box_oracle<'q>(question: Option<impl SymptomOracle + 'q>) -> Option<Box<dyn SymptomOracle + 'q>> {
    question.map(|question| Box::new(question) as Box<dyn SymptomOracle + 'q>)
}

fn describe_choice(options: &CheckOptions) -> ChosenCases {
    let choice = &options.choice;
    ChosenCases {
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
