//! Campaigns: batches of generated and damaged dumps without an end, whose failures become causes with reduced dumps.
//!
//! ```text
//! plan, number ─▶ batch of cases ─▶ one run, judged ─▶ totals ─▶ a line of the state ─▶ causes ─▶ reduced dumps
//! ```
//!
//! A batch is a function of the plan and its number, so that shards need to agree on nothing else, and what is missing is run
//! again. What came of batches adds up in any order.

mod failure_modes;
mod state;
mod summary;
mod totals;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use failure_modes::KeptFailures;
use state::{CampaignFolder, CampaignHeader, ReducedDumpRecord};
use totals::CampaignTotals;

use crate::check::cause_reduction::{CauseReducer, ReducedExample, SymptomOracle, dump_path};
use crate::check::causes::{cause_of, is_fact};
use crate::check::evidence::rules_of_dump;
use crate::check::expected::ExpectedFailures;
use crate::check::failure_oracle::FailureOracle;
use crate::check::introduction::{label, reported_declaration, required_hello};
use crate::check::protocol::Hello;
use crate::check::report::symptom::symptoms_of;
use crate::check::report::{Cause, CheckReport, ReducedDump};
use crate::check::run::{CheckOptions, ImplementationRun, RelianceCache, RunContext, RunResult, SilentImplementations};
use crate::check::sources::{CampaignPlan, DrawnCase};
use crate::check::subject::{Subject, SubjectKind};
use crate::check::task::{CaseChoice, CaseSource, OperationKind, TaskOperation, WantedOperations};
use crate::check::tasks::{is_wanted, subject_tasks};
use crate::corpus::CaseVerdict;
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::format::{Family, Format};
use heapsmith_core::setters::setters;
use heapsmith_core::threads::map_side_by_side;

pub use crate::check::sources::CASES;
pub use summary::{CampaignStatus, STATUS_SCHEMA, StatusCause, campaign_report, status};
pub use totals::DumpCoverage;

/// The number of processes for a batch.
const SIDE_BY_SIDE: usize = 2;
/// Number of batches after which causes and other failure modes are looked for even if nothing looks new.
const LATER: usize = 32;
/// The part of a campaign's time, as a divisor, for other failure modes after its end.
const AT_THE_END: u32 = 4;
/// The most reduced dumps: a program may fail in a new way each time.
const MOST_REDUCED: usize = 200;
/// The part of these dumps that may be reduced for other failure modes.
const MOST_OF_WAYS: usize = 100;

/// The options of a campaign.
#[derive(Debug)]
#[non_exhaustive]
pub struct CampaignOptions {
    /// The seed of all cases.
    pub seed: u64,
    /// The only format, if any.
    pub format: Option<Family>,
    /// Dumps of the user, which are asked about and damaged.
    pub seeds: Vec<PathBuf>,
    /// The shard that is run: its number from 1, and the number of shards.
    pub shard: Option<(u64, u64)>,
    /// The number of cases after which the campaign ends, over all its runs and shards; a batch that has begun is
    /// finished.
    pub cases: Option<u64>,
    /// The number of known causes at which the campaign ends.
    pub causes: Option<usize>,
    /// The time after the start from which no batch begins.
    pub time: Option<Duration>,
    /// The operations that adapters are asked for.
    pub operations: WantedOperations,
    /// The number of cases at a time; it does not change the results.
    pub jobs: usize,
    /// Failures that are expected.
    pub expected: ExpectedFailures,
    /// Facets that are not judged.
    pub left_out: BTreeSet<Facet>,
    /// The most dumps that are tried to reduce one; 0 to reduce none.
    pub trials: u64,
}

impl Default for CampaignOptions {
    fn default() -> CampaignOptions {
        CampaignOptions {
            seed: 0,
            format: None,
            seeds: Vec::new(),
            shard: None,
            cases: None,
            causes: None,
            time: None,
            operations: WantedOperations::default(),
            jobs: 1,
            expected: ExpectedFailures::default(),
            left_out: BTreeSet::new(),
            trials: 400,
        }
    }
}

setters! {
    impl CampaignOptions {
        set seed: u64;
        option format: Family;
        set seeds: Vec<PathBuf>;
        option shard: (u64, u64);
        option cases: u64;
        option causes: usize;
        option time: Duration;
        set operations: WantedOperations;
        set jobs: usize;
        set expected: ExpectedFailures;
        set left_out: BTreeSet<Facet>;
        set trials: u64;
    }
}

/// An event of a running campaign.
#[derive(Clone, Copy, Debug)]
pub enum CampaignEvent<'h> {
    /// The campaign goes on, with this number of cases from earlier runs.
    GoesOn(u64),
    /// The numbers of cases and of failures so far, over all runs.
    Asked(u64, u64),
    /// A new cause, which is written down by now.
    Cause(&'h Cause),
    /// The number of dumps tried in a reduction.
    Reducing(u64),
    /// A dump was reduced.
    Reduced(&'h ReducedDump),
    /// A cause whose dump does not show it again, so that it cannot be reduced.
    NotReduced(&'h Cause),
}

/// The result of a campaign so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CampaignOutcome {
    /// Number of cases, over all runs.
    pub cases: u64,
    /// Failures that are not expected.
    pub unexpected: u64,
    /// Number of causes.
    pub causes: usize,
}

/// The folder of a campaign that this process writes to.
#[derive(Debug)]
pub struct Campaign<'s> {
    subject: &'s Subject,
    options: &'s CampaignOptions,
    hello: Option<Hello>,
    plan: Arc<CampaignPlan>,
    state: CampaignFolder,
}

impl<'s> Campaign<'s> {
    /// Takes the folder, and asks the implementation what it can.
    ///
    /// # Errors
    /// If the folder holds anything but this campaign, or the implementation does not say what it can.
    pub fn open(root: &Path, subject: &'s Subject, options: &'s CampaignOptions) -> Result<Campaign<'s>, Error> {
        let hello = required_hello(subject)?;
        let formats = testable_formats(subject, hello.as_ref(), options);
        if formats.is_empty() {
            let message = format!("{}: it declares none of the formats that are asked about", subject.command);
            return Err(Error::Usage(message));
        }
        let plan = Arc::new(CampaignPlan::new(options.seed, options.format, &formats, &options.seeds)?);
        let of_one = subject_tasks(subject, hello.as_ref(), &sources(&plan, 0), options.operations);
        let begun = CampaignHeader {
            heapsmith: env!("CARGO_PKG_VERSION").to_owned(),
            plan: (*plan).clone(),
            shard: options.shard,
            label: label(subject, hello.as_ref()),
            kind: subject.kind.name().to_owned(),
            command: subject.command.clone(),
            judged: super::repeat::judging_key(subject, options.operations, &options.left_out),
            declared: hello.as_ref().map(|hello| reported_declaration(subject, hello, &of_one)),
            ..CampaignHeader::default()
        };
        let state = CampaignFolder::open(root, &CampaignHeader { form: state::FORM, ..begun })?;
        Ok(Campaign { subject, options, hello, plan, state })
    }

    /// The folder for temporary files of the campaign. A campaign removes the files of one that was killed.
    pub fn temporary_folder(&self) -> &Path {
        self.state.temporary.path()
    }

    /// Runs the campaign to its end, or until the subject's `stop` is asked for: an unfinished batch is not counted.
    ///
    /// # Errors
    /// If cases cannot be made, files cannot be written, or a program cannot be started.
    pub fn run(&mut self, heard: &(dyn Fn(CampaignEvent<'_>) + Sync)) -> Result<CampaignOutcome, Error> {
        let started = Instant::now();
        heard(CampaignEvent::GoesOn(self.state.known.totals.cases));
        let mut known = self.reduce_causes(heard)?;
        let width = self.options.jobs.div_ceil(SIDE_BY_SIDE).max(1);
        let (mut next, mut run, mut kinds) = (0, 0, 0);
        let end = self.options.time.map(|time| started + time);
        let is_enough = |known: usize| self.options.causes.is_some_and(|causes| known >= causes);
        while !is_enough(known) && !self.subject.stop.is_asked() && end.is_none_or(|end| Instant::now() < end) {
            let batches = self.next_missing_batches(&mut next, width);
            if batches.is_empty() {
                break;
            }
            for totals in self.run_batches(&batches)? {
                self.state.record_batches(totals)?;
            }
            let totals = &self.state.known.totals;
            heard(CampaignEvent::Asked(totals.cases, totals.failures.values().map(|alike| alike.count).sum()));
            // What looks new has perhaps a cause of its own. More of the same may change what the others are explained by.
            let is_later = run / LATER != (run + batches.len()) / LATER;
            run += batches.len();
            if self.state.known.totals.failures.len() != kinds || is_later {
                kinds = self.state.known.totals.failures.len();
                known = self.reduce_causes(heard)?;
            }
            if is_later && !is_enough(known) {
                known = self.reduce_other_modes(end, heard)?;
            }
        }
        let is_stopped = self.subject.stop.is_asked();
        known = if is_stopped { self.causes().len() } else { self.reduce_causes(heard)? };
        if !is_stopped && !is_enough(known) {
            let end = self.options.time.map(|time| Instant::now() + time / AT_THE_END);
            known = self.reduce_other_modes(end, heard)?;
        }
        let totals = &self.state.known.totals;
        Ok(CampaignOutcome { cases: totals.cases, unexpected: totals.unexpected, causes: known })
    }

    /// The report so far, and a case without an explanation: the id of a failure that no reduced dump explains, and its
    /// symptom. `passed_over` are not considered.
    fn report_and_unexplained(&self, passed_over: &BTreeSet<String>) -> (CheckReport, Option<(String, String)>) {
        let known = &self.state.known;
        let begun = known.begun.clone().unwrap_or_default();
        summary::report_and_unexplained(&begun, known.totals.clone(), &known.reduced, passed_over, &self.subject.stop)
    }

    fn causes(&self) -> Vec<Cause> {
        self.report_and_unexplained(&BTreeSet::new())
            .0
            .implementations
            .pop()
            .map(|tested| tested.causes)
            .unwrap_or_default()
    }

    /// The next batches that are to be run.
    fn next_missing_batches(&self, next: &mut u64, count: usize) -> Vec<u64> {
        let end = self.options.cases.map_or(u64::MAX, |cases| cases.div_ceil(CASES));
        let mut missing = Vec::new();
        while *next < end && missing.len() < count {
            let is_own = self.options.shard.is_none_or(|(number, of)| *next % of == number - 1);
            if is_own && !self.state.known.totals.batches.contains(*next) {
                missing.push(*next);
            }
            *next += 1;
        }
        missing
    }

    /// Runs batches at the same time. The results lack those that a signal cut short.
    fn run_batches(&self, batches: &[u64]) -> Result<Vec<CampaignTotals>, Error> {
        let told = map_side_by_side(batches, |batch| self.run_batch(*batch));
        Ok(told.into_iter().collect::<Result<Vec<Option<CampaignTotals>>, Error>>()?.into_iter().flatten().collect())
    }

    fn run_batch(&self, batch: u64) -> Result<Option<CampaignTotals>, Error> {
        let started = Instant::now();
        let sources = sources(&self.plan, batch);
        let options = CheckOptions::default()
            .choice(CaseChoice::default().format(self.options.format))
            .operations(self.options.operations)
            .jobs(self.options.jobs.min(SIDE_BY_SIDE))
            .expected(self.options.expected.clone())
            .left_out(self.options.left_out.clone());
        let (silent, relied) = (SilentImplementations::default(), RelianceCache::default());
        let shared = RunContext { options: &options, progress: &|_| {}, kept: None, silent: &silent, relied: &relied };
        let one = ImplementationRun::with_hello(self.subject, shared, &sources, self.hello.clone());
        let RunResult { tested, facts, tasks, .. } = one.run()?;
        if self.subject.stop.is_asked() {
            return Ok(None);
        }
        let mut totals = CampaignTotals::default();
        totals.batches.add(batch, batch);
        totals.record_readings(&tested.readings);
        for ((result, facts), task) in tested.results.into_iter().zip(facts).zip(&tasks) {
            let repeat = result.repeat.as_ref().and_then(|_| self.repeat_command(&facts.recipe, &task.operation));
            totals.record_case(&task.source.case()?, facts, result.repeat(repeat))?;
        }
        totals.seconds = started.elapsed().as_secs_f64();
        Ok(Some(totals))
    }

    /// The command that asks about a dump again, if it has a recipe or a file.
    fn repeat_command(&self, recipe: &str, operation: &TaskOperation) -> Option<String> {
        let is_named = heapsmith_core::recipe::Recipe::is_recipe(recipe) || Path::new(recipe).is_file();
        is_named.then(|| super::repeat::dump_command(self.subject, &self.options.left_out, recipe, operation))
    }

    /// Reduces a dump of each cause without one. Returns the number of causes.
    fn reduce_causes(&mut self, heard: &(dyn Fn(CampaignEvent<'_>) + Sync)) -> Result<usize, Error> {
        let causes = self.causes();
        for cause in &causes {
            if self.has_reduced_dump(cause, &causes) || !self.may_reduce(MOST_REDUCED) {
                continue;
            }
            heard(CampaignEvent::Cause(cause));
            if let Some((told, is_reduced)) = self.reduce_example(cause, heard)? {
                if !is_reduced && self.options.trials > 0 {
                    heard(CampaignEvent::NotReduced(cause));
                }
                heard(CampaignEvent::Reduced(&told));
            }
        }
        // Reduced dumps may tell causes apart.
        Ok(self.causes().len())
    }

    /// Reduces dumps of failure modes that no reduced dump shows, until a point in time. The result is the number of
    /// causes. The rules by which modes are told apart are known only after many cases.
    fn reduce_other_modes(
        &mut self,
        end: Option<Instant>,
        heard: &(dyn Fn(CampaignEvent<'_>) + Sync),
    ) -> Result<usize, Error> {
        let mut passed_over = BTreeSet::new();
        while self.options.trials > 0
            && self.may_reduce(MOST_OF_WAYS)
            && end.is_none_or(|end| Instant::now() < end)
            && let (report, Some((id, symptom))) = self.report_and_unexplained(&passed_over)
        {
            let results = report.implementations.first().map_or(&[][..], |tested| &tested.results);
            let kept = KeptFailures::new(results, &report.cases);
            let Some(one) = kept.failures.get(&*id) else { break };
            let mut others = symptoms_of(one.result);
            others.remove(&symptom);
            match self.reduce_example(&cause_of(None, &[one.result], &others, &BTreeSet::new(), &kept.cases), heard)? {
                Some((told, _)) => {
                    // What it shows may be no cause of its own after all.
                    let causes = self.causes();
                    if let Some(cause) = causes.iter().find(|cause| cause.reduced.as_ref() == Some(&told)) {
                        heard(CampaignEvent::Cause(cause));
                        heard(CampaignEvent::Reduced(&told));
                    }
                }
                // A seed may have changed.
                None => _ = passed_over.insert(id),
            }
        }
        Ok(self.causes().len())
    }

    /// Whether another dump may be reduced.
    fn may_reduce(&self, most: usize) -> bool {
        !self.subject.stop.is_asked() && self.state.known.reduced.len() < most
    }

    /// Whether dumps show a cause already. A message, or a place in a program, that has as many dumps as causes shows all of
    /// them, whatever the rules are by now that explain it.
    fn has_reduced_dump(&self, cause: &Cause, causes: &[Cause]) -> bool {
        let of_causes = |what: &str| {
            causes.iter().filter(|cause| cause.symptoms.iter().any(|symptom| symptom.what == what)).count()
        };
        let of_dumps = |what: &str| {
            self.state.known.reduced.iter().filter(|shown| shown.dump.shows.iter().any(|shown| shown == what)).count()
        };
        let is_placed = |what: &str| !is_fact(what) && of_dumps(what) >= of_causes(what);
        cause.reduced.is_some() || cause.symptoms.iter().any(|symptom| is_placed(&symptom.what))
    }

    /// Reduces the dump of a cause's example; and whether it could. `None` if the dump cannot be made any more, or a
    /// signal came.
    fn reduce_example(
        &mut self,
        cause: &Cause,
        heard: &(dyn Fn(CampaignEvent<'_>) + Sync),
    ) -> Result<Option<(ReducedDump, bool)>, Error> {
        let failures = self.state.known.totals.failures.values().flat_map(|alike| &alike.smallest);
        let Some(failure) = failures.clone().find(|failure| failure.case.id == cause.example).cloned() else {
            return Ok(None);
        };
        let batch = DrawnCase::batch_of(&failure.case.id).unwrap_or_default();
        let task =
            subject_tasks(self.subject, self.hello.as_ref(), &sources(&self.plan, batch), self.options.operations)
                .into_iter()
                .find(|task| task.id == failure.case.id);
        let Some(task) = task else { return Ok(None) };
        let tried = |count| heard(CampaignEvent::Reducing(count));
        let smaller = CauseReducer {
            stop: &self.subject.stop,
            trials: self.options.trials,
            jobs: self.options.jobs,
            tried: &tried,
        };
        let (hello, operation) = (self.hello.clone(), task.operation.clone());
        let wrong = FailureOracle::from_cause(self.subject, hello, operation, &failure.result, cause);
        let smallest = wrong.map(|wrong| wrong.with_shorter_time_limit(&task.source)).transpose().and_then(|wrong| {
            let question = wrong.as_ref().map(|wrong| wrong as &dyn SymptomOracle);
            smaller.reduce_example(&task, &failure.result, cause, question)
        });
        let smallest = Error::unless_stopped(smallest)?.filter(|_| !self.subject.stop.is_asked());
        let Some(smallest) = smallest else { return Ok(None) };
        let ReducedExample { case, told, is_reduced, is_least } = smallest;
        let suffix = task.source.case()?.format.family().suffix();
        let file = dump_path(self.state.known.reduced.len() + 1, &cause.id, suffix);
        let told = ReducedDump { file, ..told };
        let broken = case.breaks.filter(|_| case.verdict != CaseVerdict::Valid);
        let before = &failure.case.relies;
        let shown = ReducedDumpRecord {
            dump: told.clone(),
            relies: rules_of_dump(&case)?.into_iter().map(str::to_owned).filter(|rule| before.contains(rule)).collect(),
            broken: broken.map(|(rule, _)| rule.to_owned()),
            is_least,
            ..ReducedDumpRecord::default()
        };
        self.state.write_reduced_dump(shown, &case.bytes)?;
        Ok(Some((told, is_reduced)))
    }
}

/// The formats that an implementation can be asked about.
fn testable_formats(subject: &Subject, hello: Option<&Hello>, options: &CampaignOptions) -> Vec<Format> {
    let is_asked = |format: &Format| match (&subject.kind, hello) {
        (SubjectKind::Adapter, Some(hello)) => {
            let wants = |what| is_wanted(options.operations, hello, what);
            wants(OperationKind::Parse) && hello.can_read(*format)
                || wants(OperationKind::Convert) && !hello.targets(*format).is_empty()
                || wants(OperationKind::Encode) && !hello.writers(*format).is_empty()
        }
        (SubjectKind::Converter { from, .. }, _) => from.is_none_or(|from| from == *format),
        (SubjectKind::Encoder { to, .. }, _) => to.format == *format,
        _ => true,
    };
    let is_chosen = |format: &Format| options.format.is_none_or(|family| format.family() == family);
    Format::all().filter(is_asked).filter(is_chosen).collect()
}

/// The cases of a batch as sources.
fn sources(plan: &Arc<CampaignPlan>, batch: u64) -> Vec<CaseSource> {
    plan.batch_sources(batch).into_iter().map(CaseSource::Drawn).collect()
}
