//! Running many cases: batches side by side, what looks like an accident once more alone.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use tempfile::TempDir;

use crate::error::Error;

use super::evidence::evidence;
use super::expected::ExpectedFailures;
use super::introduction::{declared, hello};
use super::judge::{Asked, Judgement, judge};
use super::kept::Kept;
use super::protocol::Hello;
use super::repeat::repeat;
use super::report::{CaseFacts, CaseResult, Chosen, Outcome, Report, Run, SCHEMA, Tested};
use super::subject::{Files, Reply, Session, Subject};
use super::task::{Choice, Source, Task, Wanted, tasks, why_not};

/// How many cases a process serves (specs/adapter.md). What a case is asked after does not depend on how many run at a
/// time.
pub const BATCH: usize = 32;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which cases.
    pub choice: Choice,
    /// What adapters are asked to do.
    pub operations: Wanted,
    /// How many batches run at a time.
    pub jobs: usize,
    /// Failures that are expected.
    pub expected: ExpectedFailures,
    /// After so many cases without an answer, which nobody expects to hang, the rest is not asked any more.
    pub max_hangs: usize,
    /// Where the dumps and answers of failed cases are kept.
    pub keep: Option<PathBuf>,
}

/// What is heard of a run while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many cases more will be asked.
    Planned(usize),
    /// A case was asked.
    Asked,
}

/// Runs implementations over cases.
///
/// # Errors
/// If cases cannot be made or written, or heapsmith's own program cannot be started. What goes wrong with an
/// implementation is a verdict.
pub fn check(subjects: &[Subject], options: &Options, progress: &(dyn Fn(Progress) + Sync)) -> Result<Report, Error> {
    let started = Instant::now();
    let sources = Source::chosen(&options.choice)?;
    if let Some(folder) = &options.keep {
        Kept::clear(folder)?;
    }
    let mut run = Run { jobs: options.jobs as u64, ..Run::default() };
    let mut report = Report {
        schema: SCHEMA,
        heapsmith: env!("CARGO_PKG_VERSION").to_owned(),
        chosen: chosen(&options.choice),
        ..Report::default()
    };
    for subject in subjects {
        let folder = tempfile::tempdir().map_err(|e| Error::io("creating a temporary folder", e))?;
        let one = One::new(subject, options, &sources, &folder, progress, &report.implementations)?;
        let (tested, facts, milliseconds) = one.run()?;
        run.milliseconds.insert(tested.label.clone(), milliseconds.into_iter().collect());
        report.implementations.push(tested);
        report.cases.extend(facts);
    }
    report.cases.sort_by(|a, b| a.id.cmp(&b.id));
    report.cases.dedup_by(|a, b| a.id == b.id);
    run.seconds = started.elapsed().as_secs_f64();
    report.run = Some(run);
    Ok(report)
}

fn chosen(choice: &Choice) -> Chosen {
    Chosen {
        random: choice.random,
        seed: choice.seed,
        format: choice.format.map(|family| family.name().to_owned()),
        filter: choice.filter.clone(),
        shard: choice.shard.map(|(number, of)| format!("{number}/{of}")),
    }
}

fn unique(label: String, others: &[Tested]) -> String {
    let is_taken = |label: &str| others.iter().any(|other| other.label == label);
    let numbered = (2..).map(|number| format!("{label} ({number})"));
    std::iter::once(label.clone()).chain(numbered).find(|label| !is_taken(label)).unwrap_or(label)
}

/// A task's answer, judged.
#[derive(Clone, Debug)]
struct Answered {
    judgement: Judgement,
    milliseconds: f64,
    /// Whether it is asked once more, alone.
    is_doubtful: bool,
}

/// What there is to tell of a task, where it was asked.
type Slot = Option<Answered>;

/// The run of one implementation.
struct One<'r> {
    subject: &'r Subject,
    options: &'r Options,
    folder: &'r TempDir,
    progress: &'r (dyn Fn(Progress) + Sync),
    label: String,
    hello: Result<Option<Hello>, String>,
    tasks: Vec<Task>,
    kept: Option<Kept>,
}

type Told = (Tested, Vec<CaseFacts>, Vec<(String, f64)>);

impl<'r> One<'r> {
    fn new(
        subject: &'r Subject,
        options: &'r Options,
        sources: &[Source],
        folder: &'r TempDir,
        progress: &'r (dyn Fn(Progress) + Sync),
        others: &[Tested],
    ) -> Result<One<'r>, Error> {
        let hello = hello(subject, folder.path())?;
        let told = hello.as_ref().ok().and_then(Option::as_ref);
        let label = match told {
            Some(hello) => format!("{} {}", hello.name, hello.version).trim().to_owned(),
            None => subject.command.clone(),
        };
        let mut tasks = tasks(subject, told, sources, options.operations);
        if let Some(filter) = options.choice.filter.as_ref().filter(|filter| filter.contains(':')) {
            let is_one = tasks.iter().any(|task| task.id == *filter);
            tasks.retain(|task| if is_one { task.id == *filter } else { task.id.contains(filter.as_str()) });
        }
        let label = unique(label, others);
        let kept = options.keep.as_deref().map(|folder| Kept::new(folder, &label));
        Ok(One { subject, options, folder, progress, label, hello, tasks, kept })
    }

    fn hello(&self) -> Option<&Hello> {
        self.hello.as_ref().ok().and_then(Option::as_ref)
    }

    fn run(self) -> Result<Told, Error> {
        let mut batches: Vec<(usize, &[Task])> = self.tasks.chunks(BATCH).enumerate().collect();
        if let Some((number, of)) = self.options.choice.shard {
            batches.retain(|(index, _)| *index as u64 % of == number - 1);
        }
        let count = batches.iter().map(|(_, tasks)| tasks.len()).sum();
        (self.progress)(Progress::Planned(count));
        let slots: Vec<Vec<Slot>> = match &self.hello {
            Ok(_) => self.side_by_side(&batches)?,
            // It cannot be asked anything.
            Err(how) => {
                let outcome = Outcome::AdapterError { how: how.clone() };
                let answered = Answered { judgement: plain(outcome), milliseconds: 0.0, is_doubtful: false };
                batches.iter().map(|(_, tasks)| vec![Some(answered.clone()); tasks.len()]).collect()
            }
        };
        let mut results = Vec::new();
        let mut all_facts = Vec::new();
        let mut milliseconds = Vec::new();
        let mut omitted = Vec::new();
        let tasks = batches.iter().flat_map(|(_, tasks)| tasks.iter());
        let mut hangs = 0;
        for (task, slot) in tasks.zip(slots.into_iter().flatten()) {
            let mut first = None;
            let answered = match slot {
                // What comes behind the last hang that is waited for is not told, whether it was asked or not: that is
                // a matter of chance.
                _ if hangs >= self.options.max_hangs => self.given_up(task)?,
                Some(answered) if !answered.is_doubtful => answered,
                slot => {
                    let alone = self.alone(task)?;
                    let is_other = |first: &Outcome| first.name() != alone.judgement.outcome.name();
                    first = slot.map(|slot| slot.judgement.outcome).filter(is_other);
                    alone
                }
            };
            let is_hang = matches!(answered.judgement.outcome, Outcome::Hang { .. });
            hangs += usize::from(is_hang && !self.is_expected_to_fail(task)?);
            let (result, facts) = self.result(task, &answered.judgement, first)?;
            results.push(result);
            all_facts.push(facts);
            milliseconds.push((task.id.clone(), answered.milliseconds));
            omitted.extend(answered.judgement.omitted);
        }
        omitted.sort_unstable();
        omitted.dedup();
        let mut tested = Tested {
            label: self.label.clone(),
            kind: self.subject.kind.name().to_owned(),
            command: self.subject.command.clone(),
            declared: self.hello().map(|hello| declared(self.subject, hello, &self.tasks)),
            omitted,
            results,
            ..Tested::default()
        };
        tested.count();
        Ok((tested, all_facts, milliseconds))
    }

    /// Runs batches, several at a time.
    fn side_by_side(&self, batches: &[(usize, &[Task])]) -> Result<Vec<Vec<Slot>>, Error> {
        let next = AtomicUsize::new(0);
        let is_over = AtomicBool::new(false);
        let hangs: Vec<AtomicUsize> = batches.iter().map(|_| AtomicUsize::new(0)).collect();
        let slots: Vec<Mutex<Vec<Slot>>> = batches.iter().map(|_| Mutex::default()).collect();
        let failed: Mutex<Option<Error>> = Mutex::default();
        let work = |worker: usize| {
            let folder = self.folder.path().join(format!("worker{worker}"));
            while !is_over.load(Ordering::Relaxed) {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some((_, tasks)) = batches.get(place) else { return };
                match self.batch(tasks, &folder, place, &hangs) {
                    Ok(told) => *slots[place].lock().unwrap_or_else(PoisonError::into_inner) = told,
                    Err(error) => {
                        is_over.store(true, Ordering::Relaxed);
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            }
        };
        thread::scope(|scope| {
            for worker in 0..self.options.jobs.clamp(1, batches.len().max(1)) {
                scope.spawn(move || work(worker));
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => {
                Ok(slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
            }
        }
    }

    /// Runs the tasks of a batch in one process, as far as it lives.
    fn batch(&self, tasks: &[Task], folder: &Path, place: usize, hangs: &[AtomicUsize]) -> Result<Vec<Slot>, Error> {
        let mut slots: Vec<Slot> = vec![None; tasks.len()];
        let mut session = self.subject.open(self.hello(), &folder.join("process"));
        // Which tasks were asked, by the number of the question.
        let mut asked = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            let before: usize = hangs[..=place].iter().map(|hangs| hangs.load(Ordering::Relaxed)).sum();
            if before >= self.options.max_hangs {
                // Whatever comes of the batches before: the limit is reached, and this is not told any more.
                break;
            }
            let (answered, was_asked) = self.task(task, folder, session.as_mut())?;
            if was_asked {
                asked.push(index);
            }
            if matches!(answered.judgement.outcome, Outcome::Hang { .. }) && !self.is_expected_to_fail(task)? {
                hangs[place].fetch_add(1, Ordering::Relaxed);
            }
            slots[index] = Some(answered);
            (self.progress)(Progress::Asked);
        }
        for (question, _) in session.finish() {
            if let Some(answered) = asked.get(question).and_then(|index| slots[*index].as_mut()) {
                answered.is_doubtful = true;
            }
        }
        Ok(slots)
    }

    /// Asks one task; and whether it was asked at all.
    fn task(&self, task: &Task, folder: &Path, session: &mut dyn Session) -> Result<(Answered, bool), Error> {
        let case = task.source.case()?;
        if let Some(reason) = why_not(self.subject, self.hello(), task, &case) {
            let judgement = plain(Outcome::Skip { reason, link: None });
            return Ok((Answered { judgement, milliseconds: 0.0, is_doubtful: false }, false));
        }
        let files = Files::write(&folder.join("case"), task, &case)?;
        let started = Instant::now();
        let reply = session.ask(task, &case, &files)?;
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        let is_doubtful = reply.is_fatal();
        let asked = Asked { subject: self.subject, hello: self.hello(), task, case: &case, files: &files };
        let judgement = judge(&asked, reply, session);
        if let Some(kept) = &self.kept {
            kept.put(&task.id, &judgement.outcome, &files, &case)?;
        }
        files.remove();
        Ok((Answered { judgement, milliseconds, is_doubtful }, true))
    }

    /// Asks a task alone, in a process of its own, and waits for the process's end: what it says behind its answer counts.
    fn alone(&self, task: &Task) -> Result<Answered, Error> {
        let folder = self.folder.path().join("alone");
        let mut session = self.subject.open(self.hello(), &folder.join("process"));
        let (mut answered, _) = self.task(task, &folder, session.as_mut())?;
        let behind = match session.finish().into_iter().next() {
            Some((_, Reply::Crash(how))) => Outcome::Crash { how },
            Some((_, Reply::Error(how))) => Outcome::AdapterError { how },
            _ => return Ok(answered),
        };
        // What was wrong with the answer itself is told first.
        if !answered.judgement.outcome.is_failure() {
            if let Some(kept) = &self.kept {
                kept.note(&task.id, &behind)?;
            }
            answered.judgement = plain(behind);
        }
        Ok(answered)
    }

    /// A task that is not asked any more.
    fn given_up(&self, task: &Task) -> Result<Answered, Error> {
        let judgement = plain(given_up(self.options.max_hangs));
        if let Some(kept) = &self.kept {
            kept.forget(&task.id)?;
        }
        Ok(Answered { judgement, milliseconds: 0.0, is_doubtful: false })
    }

    fn is_expected_to_fail(&self, task: &Task) -> Result<bool, Error> {
        if self.options.expected.is_empty() {
            return Ok(false);
        }
        let case = task.source.case()?;
        Ok(self.options.expected.find(&self.label, &task.id, &rules(&case)).is_some())
    }

    fn result(
        &self,
        task: &Task,
        judged: &Judgement,
        first: Option<Outcome>,
    ) -> Result<(CaseResult, CaseFacts), Error> {
        let case = task.source.case()?;
        let facts = CaseFacts {
            id: task.id.clone(),
            summary: case.summary.clone(),
            format: case.format.to_string(),
            verdict: case.verdict.name().to_owned(),
            recipe: case.recipe.clone(),
            size: case.bytes.len() as u64,
            rules: rules(&case),
        };
        let outcome = judged.outcome.clone();
        let expected = self.options.expected.find(&self.label, &task.id, &facts.rules);
        let is_parse = task.operation == super::task::Operation::Parse;
        let evidence = match outcome.is_failure() {
            true => evidence(&case, &outcome, judged.facet.filter(|_| is_parse), judged.offset)?,
            false => None,
        };
        let repeat = outcome.is_failure().then(|| repeat(self.subject, &self.options.choice, &task.id));
        Ok((CaseResult { id: task.id.clone(), outcome, first, expected, evidence, repeat }, facts))
    }
}

fn plain(outcome: Outcome) -> Judgement {
    Judgement { outcome, facet: None, offset: None, omitted: Vec::new() }
}

fn given_up(max_hangs: usize) -> Outcome {
    Outcome::Skip {
        reason: format!("not asked: {max_hangs} cases in front of it had no answer in time (--max-hangs)"),
        link: None,
    }
}

/// The rules of a case.
fn rules(case: &crate::corpus::Case) -> Vec<String> {
    let broken = case.breaks.iter().map(|(rule, _)| *rule);
    let mut rules: Vec<String> =
        broken.chain(case.keeps.iter().copied()).chain(case.shows.iter().copied()).map(str::to_owned).collect();
    rules.sort();
    rules.dedup();
    rules
}
