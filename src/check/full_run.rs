//! A whole run: implementations over cases, then causes, evidence and reduced dumps.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use crate::check::among::{Again, Among};
use crate::check::causes::explain;
use crate::check::effort::Effort;
use crate::check::evidence::point_at_causes;
use crate::check::kept::{Kept, KeptDump, KeptFiles};
use crate::check::report::{Chosen, Incomplete, ReducedDump, Report, Run, SCHEMA};
use crate::check::run::{One, Options, Party, Progress, Relied, Shared, Silent, Told};
use crate::check::shows::Wrong;
use crate::check::smallest::{Question, Smaller, file_of};
use crate::check::subject::Subject;
use crate::check::task::{Source, Task};
use crate::check::tasks::to_read;
use crate::error::Error;
use crate::{interrupt, system};

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
    write_before_causes(&report, options);
    explain(&mut report, &effort);
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

/// Writes a report with failures before their causes are worked out and their dumps reduced, which takes time: whatever
/// happens meanwhile, the verdicts are there. The whole report takes its place, and says why if it cannot be written.
fn write_before_causes(report: &Report, options: &Options) {
    let failures = report.implementations.iter().flat_map(|tested| &tested.results);
    let has_failures = failures.into_iter().any(|result| result.outcome.is_failure());
    if let Some(folder) = options.folder.as_ref().filter(|folder| has_failures && !folder.holds_an_earlier_report()) {
        folder.write(report, KeptFiles::default()).ok();
    }
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
