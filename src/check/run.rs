//! Running many cases: batches side by side, what looks like an accident once more alone.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::compare::Facet;
use crate::error::Error;
use crate::setters::setters;
use crate::system;

use super::evidence::evidence;
use super::expected::{ExpectedFailures, Seen};
use super::filter;
use super::introduction::{declared, hello};
use super::judge::{Asked, Judgement, judge};
use super::kept::Kept;
use super::protocol::Hello;
use super::repeat::repeat;
use super::report::{CaseFacts, CaseResult, Chosen, Incomplete, Outcome, Report, ReportFolder, Run, SCHEMA, Tested};
use super::subject::{Files, Reply, Session, Subject};
use super::task::{Choice, Source, Task, Wanted, tasks, why_not};

/// How many cases a process serves (specs/adapter.md). What a case is asked after does not depend on how many run at a
/// time.
pub const BATCH: usize = 32;

/// How to run.
#[derive(Debug)]
#[non_exhaustive]
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
    /// After this number of failures of an implementation that are not expected, the rest is not asked any more.
    pub max_failures: Option<usize>,
    /// Facets that are not judged.
    pub left_out: BTreeSet<Facet>,
    /// Where the reports will go. What an earlier run left there is removed when all implementations have started and
    /// answered; without such a folder no answers of failed cases are kept.
    pub folder: Option<ReportFolder>,
}

/// Reading the whole corpus, a batch at a time.
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
        option folder: ReportFolder;
    }
}

/// What came of a run.
#[derive(Debug)]
pub struct Checked {
    /// What is to be said of it.
    pub report: Report,
    /// The answers of failed cases.
    pub kept: Option<Kept>,
}

/// What is heard of a run while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'p> {
    /// So many cases more will be asked.
    Planned(usize),
    /// A case was asked.
    Asked,
    /// A case failed that is not expected to: the implementation's label, the case's id and what came of it. What looks
    /// like an accident is asked again in the end, and told in the report alone.
    Failed(&'p str, &'p str, &'p Outcome),
}

/// Runs implementations over cases. If a subject's `stop` is asked for meanwhile, the report has what was judged so far,
/// and says that it is incomplete.
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
    options.expected.check_cases(&cases.iter().map(|case| case.id.clone()).collect(), &options.choice)?;
    let sources = Source::among(cases, &options.choice)?;
    let mut run = Run { jobs: options.jobs as u64, ..Run::default() };
    let mut report = Report {
        schema: SCHEMA,
        heapsmith: env!("CARGO_PKG_VERSION").to_owned(),
        chosen: chosen(options),
        ..Report::default()
    };
    let kept = options.folder.as_ref().map(|_| Kept::default());
    let silent = Silent { left: AtomicUsize::new(subjects.len()), folder: options.folder.as_ref() };
    let mut all: Vec<One<'_>> = Vec::new();
    for subject in subjects {
        let shared = Shared { options, progress, kept: kept.as_ref(), silent: &silent };
        let one = One::new(subject, shared, &sources, &all)?;
        all.push(one);
    }
    // One that cannot say what it can will not answer anything.
    if all.iter().any(|one| one.hello.is_ok()) {
        all.iter().filter(|one| one.hello.is_err()).try_for_each(One::answered)?;
    }
    let mut planned = 0;
    let mut done = Vec::new();
    for one in all {
        planned += one.count();
        let told = one.run()?;
        run.milliseconds.insert(told.tested.label.clone(), told.milliseconds.into_iter().collect());
        done.push((told.tested.label.clone(), told.tasks));
        report.implementations.push(told.tested);
        report.cases.extend(told.facts);
    }
    report.cases.sort_by(|a, b| a.id.cmp(&b.id));
    report.cases.dedup_by(|a, b| a.id == b.id);
    report.incomplete = subjects.iter().find_map(|subject| subject.stop.signal()).map(|signal| Incomplete {
        signal: system::name_of(signal),
        judged: report.implementations.iter().map(|tested| tested.results.len() as u64).sum(),
        planned,
    });
    run.seconds = started.elapsed().as_secs_f64();
    report.run = Some(run);
    let kept = kept.map(|mut kept| {
        done.into_iter().for_each(|(label, tasks)| kept.enter(&label, tasks));
        kept
    });
    Ok(Checked { report, kept })
}

fn chosen(options: &Options) -> Chosen {
    let choice = &options.choice;
    Chosen {
        random: choice.random,
        seed: choice.seed,
        format: choice.format.map(|family| family.name().to_owned()),
        filters: choice.filters.iter().map(ToString::to_string).collect(),
        left_out: options.left_out.iter().copied().collect(),
        max_failures: options.max_failures.map(|most| most as u64),
        shard: choice.shard.map(|(number, of)| format!("{number}/{of}")),
    }
}

fn unique(label: String, others: &[One<'_>]) -> String {
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
    /// Whether it took as long as a question may, for nothing.
    was_in_vain: bool,
}

impl Answered {
    /// What came after the answer counts, too. What was wrong with the answer itself is told first.
    fn followed_by(&mut self, reply: Reply) {
        let after = match reply {
            Reply::Crash(how) => Outcome::Crash { how },
            Reply::Error(how) => Outcome::AdapterError { how },
            _ => return,
        };
        if !self.judgement.outcome.is_failure() {
            self.judgement = plain(after);
        }
    }
}

/// What there is to tell of a task, where it was asked.
type Slot = Option<Answered>;

/// Implementations that have not answered anything yet. When there is none, what an earlier run left is removed.
struct Silent<'r> {
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

/// What the runs of all implementations share.
#[derive(Clone, Copy)]
struct Shared<'r> {
    options: &'r Options,
    progress: &'r (dyn Fn(Progress<'_>) + Sync),
    kept: Option<&'r Kept>,
    silent: &'r Silent<'r>,
}

/// The run of one implementation.
struct One<'r> {
    subject: &'r Subject,
    shared: Shared<'r>,
    label: String,
    hello: Result<Option<Hello>, String>,
    /// Whether it has answered something.
    has_answered: AtomicBool,
    tasks: Vec<Task>,
}

/// What came of it.
struct Told {
    tested: Tested,
    facts: Vec<CaseFacts>,
    milliseconds: Vec<(String, f64)>,
    tasks: Vec<Task>,
}

impl<'r> One<'r> {
    fn new(subject: &'r Subject, shared: Shared<'r>, sources: &[Source], others: &[One<'_>]) -> Result<One<'r>, Error> {
        let choice = &shared.options.choice;
        let hello = hello(subject)?;
        let told = hello.as_ref().ok().and_then(Option::as_ref);
        let label = match told {
            Some(hello) => format!("{} {}", hello.name, hello.version).trim().to_owned(),
            None => subject.command.clone(),
        };
        let mut tasks = tasks(subject, told, sources, shared.options.operations);
        filter::of_tasks(&choice.filters, &mut tasks);
        let label = unique(label, others);
        let one = One { subject, shared, label, hello, has_answered: AtomicBool::new(false), tasks };
        if one.hello().is_some() {
            one.answered()?;
        }
        Ok(one)
    }

    /// It has answered something: its declaration, or a question.
    fn answered(&self) -> Result<(), Error> {
        if self.has_answered.swap(true, Ordering::Relaxed) { Ok(()) } else { self.shared.silent.one_less() }
    }

    /// The batches of this run, with their numbers over all shards.
    fn batches(&self) -> Vec<(usize, &[Task])> {
        let mut batches: Vec<(usize, &[Task])> = self.tasks.chunks(BATCH).enumerate().collect();
        if let Some((number, of)) = self.shared.options.choice.shard {
            batches.retain(|(index, _)| *index as u64 % of == number - 1);
        }
        batches
    }

    /// Number of its tasks.
    fn count(&self) -> u64 {
        self.batches().iter().map(|(_, tasks)| tasks.len() as u64).sum()
    }

    fn hello(&self) -> Option<&Hello> {
        self.hello.as_ref().ok().and_then(Option::as_ref)
    }

    fn run(self) -> Result<Told, Error> {
        let batches = self.batches();
        (self.shared.progress)(Progress::Planned(self.count() as usize));
        let slots: Vec<Vec<Slot>> = match &self.hello {
            Ok(_) => self.side_by_side(&batches)?,
            Err(_) if self.subject.stop.is_asked() => {
                batches.iter().map(|(_, tasks)| vec![None; tasks.len()]).collect()
            }
            // It cannot be asked anything.
            Err(how) => {
                let answered = unasked(Outcome::AdapterError { how: how.clone() });
                batches.iter().map(|(_, tasks)| vec![Some(answered.clone()); tasks.len()]).collect()
            }
        };
        let mut results = Vec::new();
        let mut all_facts = Vec::new();
        let mut milliseconds = Vec::new();
        let mut omitted = Vec::new();
        let tasks = batches.iter().flat_map(|(_, tasks)| tasks.iter());
        let (mut in_vain, mut failed) = (0, 0);
        let max_failures = self.shared.options.max_failures.unwrap_or(usize::MAX);
        for (task, slot) in tasks.zip(slots.into_iter().flatten()) {
            let (answered, first) = match slot {
                // What comes after the last hang that is waited for is not told, whether it was asked or not: that is a
                // matter of chance.
                _ if in_vain >= self.shared.options.max_hangs => {
                    (unasked(given_up(self.shared.options.max_hangs)), None)
                }
                _ if failed >= max_failures => (unasked(enough(max_failures)), None),
                Some(answered) if !answered.is_doubtful => (answered, None),
                slot => match self.alone(task)? {
                    Some(alone) => settled(slot, alone),
                    // The run is to stop: what is not settled is not told.
                    None => continue,
                },
            };
            in_vain += usize::from(answered.was_in_vain && !self.is_expected(task, &answered.judgement.outcome)?);
            let (result, facts) = self.result(task, &answered.judgement, first)?;
            failed += usize::from(result.outcome.is_failure() && result.is_unexpected());
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
        Ok(Told { tested, facts: all_facts, milliseconds, tasks: self.tasks })
    }

    /// Runs batches, several at a time.
    fn side_by_side(&self, batches: &[(usize, &[Task])]) -> Result<Vec<Vec<Slot>>, Error> {
        let next = AtomicUsize::new(0);
        let is_over = AtomicBool::new(false);
        let zeros = || -> Vec<AtomicUsize> { batches.iter().map(|_| AtomicUsize::new(0)).collect() };
        let (hangs, failures) = (zeros(), zeros());
        let slots: Vec<Mutex<Vec<Slot>>> = batches.iter().map(|_| Mutex::default()).collect();
        let failed: Mutex<Option<Error>> = Mutex::default();
        let work = || {
            while !is_over.load(Ordering::Relaxed) {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some((_, tasks)) = batches.get(place) else { return };
                match self.batch(tasks, place, [&hangs, &failures]) {
                    Ok(told) => *slots[place].lock().unwrap_or_else(PoisonError::into_inner) = told,
                    Err(error) => {
                        is_over.store(true, Ordering::Relaxed);
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.shared.options.jobs.clamp(1, batches.len().max(1)) {
                scope.spawn(work);
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => {
                Ok(slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect())
            }
        }
    }

    /// Runs the tasks of a batch in one process, as far as it lives and nobody asks to stop.
    fn batch(&self, tasks: &[Task], place: usize, [hangs, failures]: [&[AtomicUsize]; 2]) -> Result<Vec<Slot>, Error> {
        let mut slots: Vec<Slot> = vec![None; tasks.len()];
        let mut session = self.subject.open(self.hello());
        // Which tasks were asked, by the number of the question.
        let mut asked = Vec::new();
        for (index, task) in tasks.iter().enumerate() {
            let so_far = |counts: &[AtomicUsize]| -> usize {
                counts[..=place].iter().map(|count| count.load(Ordering::Relaxed)).sum()
            };
            let max_failures = self.shared.options.max_failures.unwrap_or(usize::MAX);
            if so_far(hangs) >= self.shared.options.max_hangs || so_far(failures) >= max_failures {
                // Whatever comes of the batches before: the limit is reached, and this is not told any more.
                break;
            }
            let Some((answered, was_asked)) = self.task(task, session.as_mut())? else { break };
            if was_asked {
                asked.push(index);
            }
            let outcome = &answered.judgement.outcome;
            if outcome.is_failure() && !self.is_expected(task, outcome)? {
                hangs[place].fetch_add(usize::from(answered.was_in_vain), Ordering::Relaxed);
                // What is asked again alone may come out as no failure.
                failures[place].fetch_add(usize::from(!answered.is_doubtful), Ordering::Relaxed);
                if !answered.is_doubtful {
                    (self.shared.progress)(Progress::Failed(&self.label, &task.id, outcome));
                }
            }
            slots[index] = Some(answered);
            (self.shared.progress)(Progress::Asked);
        }
        for (question, reply) in session.finish() {
            if let Some(answered) = asked.get(question).and_then(|index| slots[*index].as_mut()) {
                answered.is_doubtful = true;
                answered.followed_by(reply);
            }
        }
        Ok(slots)
    }

    /// Asks one task; and whether it was asked at all. `None` if the run is to stop.
    fn task(&self, task: &Task, session: &mut dyn Session) -> Result<Option<(Answered, bool)>, Error> {
        if self.subject.stop.is_asked() {
            return Ok(None);
        }
        let case = task.source.case()?;
        if let Some(reason) = why_not(self.subject, self.hello(), task, &case) {
            return Ok(Some((unasked(Outcome::Skip { reason, link: None }), false)));
        }
        let files = Files::write(task, &case)?;
        let started = Instant::now();
        let reply = session.ask(task, &case, &files)?;
        let took = started.elapsed();
        if !matches!(reply, Reply::NotStarted(_) | Reply::Interrupted) {
            self.answered()?;
        }
        let is_doubtful = reply.is_fatal();
        let was_in_vain = is_in_vain(&reply, took, self.subject.budget.time_for(case.bytes.len() as u64));
        let left_out = &self.shared.options.left_out;
        let asked = Asked { subject: self.subject, hello: self.hello(), task, case: &case, files: &files, left_out };
        let Some(judgement) = judge(&asked, reply, session) else { return Ok(None) };
        if let Some(kept) = self.shared.kept {
            kept.put(&self.label, &task.id, &judgement.outcome, &files)?;
        }
        Ok(Some((Answered { judgement, milliseconds: took.as_secs_f64() * 1e3, is_doubtful, was_in_vain }, true)))
    }

    /// Asks a task alone, in a process of its own, and waits for the process's end: what it says after its answer counts.
    /// `None` if the run is to stop.
    fn alone(&self, task: &Task) -> Result<Option<Answered>, Error> {
        let mut session = self.subject.open(self.hello());
        let Some((mut answered, _)) = self.task(task, session.as_mut())? else { return Ok(None) };
        if let Some((_, reply)) = session.finish().into_iter().next() {
            answered.followed_by(reply);
        }
        Ok(Some(answered))
    }

    fn is_expected(&self, task: &Task, outcome: &Outcome) -> Result<bool, Error> {
        if self.shared.options.expected.is_empty() {
            return Ok(false);
        }
        let case = task.source.case()?;
        let seen = Seen { label: &self.label, id: &task.id, outcome, rule: None, rules: &rules(&case) };
        Ok(self.shared.options.expected.find(seen).is_some())
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
        let is_parse = task.operation == super::task::Operation::Parse;
        let evidence = match outcome.is_failure() {
            true => evidence(&case, &outcome, judged.facet.filter(|_| is_parse), judged.offset)?,
            false => None,
        };
        let rule = evidence.as_ref().and_then(|evidence| evidence.rule.as_deref());
        let seen = Seen { label: &self.label, id: &task.id, outcome: &outcome, rule, rules: &facts.rules };
        let expected = self.shared.options.expected.find(seen);
        let repeat = outcome
            .is_failure()
            .then(|| repeat(self.subject, &self.shared.options.choice, &self.shared.options.left_out, &task.id));
        Ok((CaseResult { id: task.id.clone(), outcome, first, expected, evidence, repeat }, facts))
    }
}

/// Whether an answer was waited for as long as one may be, and none came.
fn is_in_vain(reply: &Reply, took: Duration, limit: Duration) -> bool {
    match reply {
        // An adapter is wrong quickly or not at all.
        Reply::Error(_) => reply.is_wait_for_nothing() || took >= limit / 2,
        Reply::Crash(_) => took >= limit,
        _ => reply.is_wait_for_nothing(),
    }
}

/// What was asked in company and then alone: what counts, and what came out first if that is something else.
fn settled(first: Slot, mut alone: Answered) -> (Answered, Option<Outcome>) {
    let is_other = |first: &Outcome| first.name() != alone.judgement.outcome.name();
    let first = first.map(|slot| slot.judgement.outcome).filter(is_other);
    // That a case hung in company may be the machine's doing, and nothing else is.
    let remembers =
        matches!(first, Some(Outcome::Crash { .. } | Outcome::OutOfMemory { .. } | Outcome::AdapterError { .. }));
    match (&first, &alone.judgement.outcome) {
        (Some(first), Outcome::Pass { .. }) if remembers => {
            let how = format!("{}: {}", first.name(), first.detail());
            alone.judgement.outcome = Outcome::PassAlone { how };
        }
        // A question that is skipped when it is asked again was asked all the same.
        (Some(crash), Outcome::Skip { .. }) if remembers => {
            alone.judgement.outcome = crash.clone();
            return (alone, None);
        }
        _ => {}
    }
    (alone, first)
}

/// An outcome that nothing was asked for.
fn unasked(outcome: Outcome) -> Answered {
    Answered { judgement: plain(outcome), milliseconds: 0.0, is_doubtful: false, was_in_vain: false }
}

fn plain(outcome: Outcome) -> Judgement {
    Judgement { outcome, facet: None, offset: None, omitted: Vec::new() }
}

fn given_up(max_hangs: usize) -> Outcome {
    Outcome::Skip {
        reason: format!("not asked: {max_hangs} cases in front of it had no answer in time, which is the limit"),
        link: None,
    }
}

fn enough(max_failures: usize) -> Outcome {
    let reason = format!("not asked: {max_failures} cases in front of it failed, which is the limit");
    Outcome::Skip { reason, link: None }
}

/// The rules of a case.
pub(super) fn rules(case: &crate::corpus::Case) -> Vec<String> {
    let broken = case.breaks.iter().map(|(rule, _)| *rule);
    let mut rules: Vec<String> =
        broken.chain(case.keeps.iter().copied()).chain(case.shows.iter().copied()).map(str::to_owned).collect();
    rules.sort();
    rules.dedup();
    rules
}
