//! Campaigns: batches of generated and damaged dumps without an end, whose failures become causes with reduced dumps.
//!
//! ```text
//! plan, number ─▶ batch of cases ─▶ one run, judged ─▶ totals ─▶ a line of the state ─▶ causes ─▶ reduced dumps
//! ```
//!
//! A batch is a function of the plan and its number, so that shards need to agree on nothing else, and what is missing is run
//! again. What came of batches adds up in any order.

mod state;
mod summary;
mod totals;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use state::{CampaignFolder, CampaignHeader, RecordedCause};
use totals::{CampaignFailure, CampaignTotals};

use crate::check::cause_reduction::dump_path;
use crate::check::effort::Effort;
use crate::check::expected::ExpectedFailures;
use crate::check::experiment::{
    AskedCase, ExperimentBudget, ExplainedCause, Explanations, FurtherCauses, LARGEST, MadePair, RecordedExplanation,
};
use crate::check::failure_oracle::FailureOracle;
use crate::check::introduction::{label, reported_declaration, required_hello};
use crate::check::protocol::Hello;
use crate::check::report::{Cause, ReducedDump};
use crate::check::run::{CheckOptions, ImplementationRun, RelianceCache, RunContext, RunResult, SilentImplementations};
use crate::check::sources::{CampaignPlan, DrawnCase};
use crate::check::subject::{Subject, SubjectKind};
use crate::check::task::{CaseChoice, CaseSource, OperationKind, Task, TaskOperation, WantedOperations};
use crate::check::tasks::{is_wanted, subject_tasks};
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::format::{Family, Format, rule};
use heapsmith_core::setters::setters;
use heapsmith_core::threads::map_side_by_side;

pub use crate::check::sources::CASES;
pub use summary::{CampaignStatus, STATUS_SCHEMA, StatusCause, campaign_report, status};
pub use totals::DumpCoverage;

/// The number of processes for a batch.
const SIDE_BY_SIDE: usize = 2;
/// The most causes that are looked for: a program may fail in a new way each time.
const MOST_CAUSES: usize = 200;
/// The most bytes of a case of the corpus whose answer experiments look at.
const SMALL: usize = 4 << 10;

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
    /// Files that a coverage-guided engine found, if the dumps among them are all that is asked about. Each run of the campaign asks about
    /// those that are new.
    pub coverage: Option<Vec<PathBuf>>,
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
    /// The most dumps that are asked about for one cause; 0 to explain nothing.
    pub trials: u64,
}

impl Default for CampaignOptions {
    fn default() -> CampaignOptions {
        CampaignOptions {
            seed: 0,
            format: None,
            seeds: Vec::new(),
            coverage: None,
            shard: None,
            cases: None,
            causes: None,
            time: None,
            operations: WantedOperations::default(),
            jobs: 1,
            expected: ExpectedFailures::default(),
            left_out: BTreeSet::new(),
            trials: 1500,
        }
    }
}

setters! {
    impl CampaignOptions {
        set seed: u64;
        option format: Family;
        set seeds: Vec<PathBuf>;
        option coverage: Vec<PathBuf>;
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
    /// The campaign goes on, with what earlier runs asked about.
    GoesOn {
        /// The number of cases.
        cases: u64,
        /// The number of their batches.
        batches: u64,
    },
    /// The number of an engine's dumps that are asked about for the first time, and of its files that are none of the formats asked about
    /// or too long.
    Found(u64, u64),
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
    /// The number of an engine's dumps that are new, and of its files that are not asked about.
    found: (u64, u64),
    /// What experiments found, by operation.
    explanations: BTreeMap<String, OperationExplanations>,
    /// Failures that were looked into in vain.
    passed_over: BTreeSet<String>,
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
        let mut plan = CampaignPlan::new(options.seed, options.format, &formats, &options.seeds)?;
        plan.coverage = options.coverage.is_some();
        let mut plan = Arc::new(plan);
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
        let mut state = CampaignFolder::open(root, &CampaignHeader { form: state::FORM, ..begun })?;
        let files = options.coverage.as_deref().unwrap_or_default();
        let (new, others) = plan.new_found(files, &state.known.found, |sha256, dump| state.keep_found(sha256, dump))?;
        state.record_found(&new)?;
        Arc::make_mut(&mut plan).found = state.known.found.clone();
        let (explanations, passed_over) = (BTreeMap::new(), BTreeSet::new());
        let found = (new.len() as u64, others);
        Ok(Campaign { subject, options, hello, plan, state, found, explanations, passed_over })
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
        let CampaignTotals { cases, batches, .. } = &self.state.known.totals;
        heard(CampaignEvent::GoesOn { cases: *cases, batches: batches.count() });
        if self.plan.coverage {
            heard(CampaignEvent::Found(self.found.0, self.found.1));
        }
        let mut known = self.explain_failures(heard)?;
        let width = self.options.jobs.div_ceil(SIDE_BY_SIDE).max(1);
        let mut next = 0;
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
            known = self.explain_failures(heard)?;
        }
        let totals = &self.state.known.totals;
        Ok(CampaignOutcome { cases: totals.cases, unexpected: totals.unexpected, causes: known })
    }

    fn causes(&self) -> Vec<Cause> {
        let known = &self.state.known;
        let begun = known.begun.clone().unwrap_or_default();
        let report = summary::build_report(&begun, known.totals.clone(), &known.causes);
        report.implementations.into_iter().flat_map(|tested| tested.causes).collect()
    }

    /// The next batches that are to be run.
    fn next_missing_batches(&self, next: &mut u64, count: usize) -> Vec<u64> {
        let end = match (self.plan.coverage, self.options.cases) {
            (false, cases) => cases.map_or(u64::MAX, |cases| cases.div_ceil(CASES)),
            // Batches of an engine's dumps may be short.
            (true, Some(cases)) if self.state.known.totals.cases >= cases => 0,
            (true, _) => self.plan.found.last_key_value().map_or(0, |(batch, _)| batch + 1),
        };
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

    /// Asks about cases, and judges the answers.
    fn judge(&self, sources: &[CaseSource], jobs: usize) -> Result<RunResult, Error> {
        let options = CheckOptions::default()
            .choice(CaseChoice::default().format(self.options.format))
            .operations(self.options.operations)
            .jobs(jobs)
            .expected(self.options.expected.clone())
            // A batch is a part of a campaign, which has limits of its own.
            .max_equal_ends(0)
            .left_out(self.options.left_out.clone());
        let (silent, relied) = (SilentImplementations::default(), RelianceCache::default());
        let shared = RunContext { options: &options, progress: &|_| {}, kept: None, silent: &silent, relied: &relied };
        ImplementationRun::with_hello(self.subject, shared, sources, self.hello.clone()).run()
    }

    fn run_batch(&self, batch: u64) -> Result<Option<CampaignTotals>, Error> {
        let started = Instant::now();
        let RunResult { tested, facts, tasks, .. } =
            self.judge(&sources(&self.plan, batch), self.options.jobs.min(SIDE_BY_SIDE))?;
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

    /// Explains the failures that were kept and that no cause explains. Returns the number of causes.
    fn explain_failures(&mut self, heard: &(dyn Fn(CampaignEvent<'_>) + Sync)) -> Result<usize, Error> {
        while self.options.trials > 0
            && !self.subject.stop.is_asked()
            && self.state.known.causes.len() < MOST_CAUSES
            && let Some((operation, failures)) = self.unexplained_failures()
        {
            let found = self.explain_operation(&operation, &failures, heard);
            // What a signal ended is looked into when the campaign goes on.
            Error::unless_stopped(found)?;
        }
        Ok(self.causes().len())
    }

    /// Failures of one operation that no cause explains and that were not looked into, each with its dump.
    fn unexplained_failures(&mut self) -> Option<(TaskOperation, Vec<(Task, CampaignFailure)>)> {
        let recorded = &self.state.known.causes;
        let explained: BTreeSet<&String> = recorded.iter().flat_map(|known| &known.cause.cases).collect();
        let kept = self.state.known.totals.failures.values().flat_map(|alike| &alike.smallest);
        let left: Vec<CampaignFailure> = kept
            .filter(|failure| failure.result.is_unexpected() && failure.case.size <= LARGEST as u64)
            .filter(|CampaignFailure { case, .. }| {
                !explained.contains(&case.id) && !self.passed_over.contains(&case.id)
            })
            .cloned()
            .collect();
        let mut first: Option<TaskOperation> = None;
        let mut found = Vec::new();
        for failure in left {
            let batch = DrawnCase::batch_of(&failure.case.id).unwrap_or_default();
            let sources = sources(&self.plan, batch);
            let tasks = subject_tasks(self.subject, self.hello.as_ref(), &sources, self.options.operations);
            // A seed may have changed.
            let Some(task) = tasks.into_iter().find(|task| task.id == failure.case.id) else {
                self.passed_over.insert(failure.case.id);
                continue;
            };
            if *first.get_or_insert_with(|| task.operation.clone()) == task.operation {
                found.push((task, failure));
            }
        }
        first.map(|operation| (operation, found))
    }

    /// Looks for one cause of these failures. Those that are explained, or looked into in vain, are not looked at again.
    fn explain_operation(
        &mut self,
        operation: &TaskOperation,
        failures: &[(Task, CampaignFailure)],
        heard: &(dyn Fn(CampaignEvent<'_>) + Sync),
    ) -> Result<(), Error> {
        let key = operation_of(&failures[0].1.case.id).to_owned();
        let mut known = match self.explanations.remove(&key) {
            Some(known) => known,
            None => self.restored_explanations(operation, &key)?,
        };
        let mut asked = Vec::new();
        for (task, failure) in failures {
            asked.push(AskedCase { result: &failure.result, case: task.source.case()? });
        }
        let effort = Effort::new(&self.subject.stop);
        let tried = |count| heard(CampaignEvent::Reducing(count));
        let mut budget = ExperimentBudget::new(&effort, self.options.trials, &tried);
        let oracle = FailureOracle::for_probes(self.subject, self.hello.clone(), operation.clone());
        let found = known.explanations.explain(asked, 1, &oracle.pool(), &mut budget)?;
        if self.subject.stop.is_asked() {
            return Ok(());
        }
        let FurtherCauses { known: joined, causes } = found;
        let mut progress = false;
        let mut cases: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        joined.into_iter().for_each(|(place, case)| cases.entry(place).or_default().push(case));
        for (place, cases) in cases {
            progress = true;
            self.state.record_cases(known.files[place].clone(), cases)?;
        }
        for cause in causes {
            progress = true;
            known.files.push(self.record_cause(cause, failures, heard)?);
        }
        if !progress {
            self.passed_over.extend(failures.iter().map(|(_, failure)| failure.case.id.clone()));
        }
        self.explanations.insert(key, known);
        Ok(())
    }

    /// The explanations of an operation as the state has them, and what the implementation gets right: small cases of the corpus.
    fn restored_explanations(&self, operation: &TaskOperation, key: &str) -> Result<OperationExplanations, Error> {
        let mut known = OperationExplanations::default();
        let small = |case: &crate::corpus::Case| case.bytes.len() <= SMALL;
        let all = crate::corpus::cases()?.into_iter().filter(small);
        let sources: Vec<CaseSource> = all.map(|case| CaseSource::Corpus(Box::new(case))).collect();
        let RunResult { tested, tasks, .. } = self.judge(&sources, self.options.jobs)?;
        let by_id: BTreeMap<&str, &Task> = tasks.iter().map(|task| (&*task.id, task)).collect();
        let mut asked = Vec::new();
        for result in tested.results.iter().filter(|result| result.outcome().is_pass()) {
            let Some(task) = by_id.get(&*result.id).filter(|task| task.operation == *operation) else { continue };
            asked.push(AskedCase { result, case: task.source.case()? });
        }
        let effort = Effort::new(&self.subject.stop);
        let mut budget = ExperimentBudget::new(&effort, 0, &|_| {});
        let oracle = FailureOracle::for_probes(self.subject, self.hello.clone(), operation.clone());
        known.explanations.explain(asked, 0, &oracle.pool(), &mut budget)?;
        let recorded = &self.state.known.causes;
        for RecordedCause { cause, condition, .. } in
            recorded.iter().filter(|known| operation_of(&known.cause.example) == key)
        {
            let Some(reduced) = &cause.reduced else { continue };
            let passes = cause.pair.as_ref().map(|pair| self.state.read_dump(&pair.passes.file, &pair.passes.sha256));
            known.explanations.restore(RecordedExplanation {
                fails: self.state.read_dump(&reduced.file, &reduced.sha256)?,
                passes: passes.transpose()?,
                condition: condition.as_deref(),
                symptoms: cause.symptoms.iter().map(|symptom| symptom.what.clone()).collect(),
                rules: cause.rule.iter().chain(&cause.other_rules).filter_map(|id| Some(rule(id)?.id)).collect(),
            })?;
            known.files.push(reduced.file.clone());
        }
        Ok(known)
    }

    /// Writes down a cause with its dumps. The result is the path of its reduced dump.
    fn record_cause(
        &mut self,
        explained: ExplainedCause,
        failures: &[(Task, CampaignFailure)],
        heard: &(dyn Fn(CampaignEvent<'_>) + Sync),
    ) -> Result<String, Error> {
        let number = self.state.known.causes.len() + 1;
        let suffix = Family::guess(&explained.reduced).suffix();
        let file = dump_path(number, &explained.cause.id, suffix);
        let told = explained.reduced_dump(file.clone());
        let ExplainedCause { mut cause, pair, reduced, condition, is_steady, .. } = explained;
        let mut dumps = vec![(file.clone(), reduced)];
        if let Some(MadePair { mut pair, passes, .. }) = pair {
            pair.fails.file.clone_from(&file);
            pair.passes.file = dump_path(number, &format!("passes {}", cause.id), suffix);
            dumps.push((pair.passes.file.clone(), passes));
            let paths: Vec<String> = [&pair.passes.file, &pair.fails.file].map(|file| self.state.name_of(file)).into();
            pair.repeat = Some(super::repeat::pair_command(&[self.subject], &self.options.left_out, &paths));
            cause.pair = Some(pair);
        }
        cause.reduced = Some(told.clone());
        let failure = failures.iter().find(|(_, failure)| failure.case.id == cause.example);
        let Some((_, failure)) = failure.cloned() else { return Ok(file) };
        self.state.write_cause(RecordedCause { cause: cause.clone(), failure, condition, line: 0 }, &dumps)?;
        heard(CampaignEvent::Cause(&cause));
        if !is_steady {
            heard(CampaignEvent::NotReduced(&cause));
        }
        heard(CampaignEvent::Reduced(&told));
        Ok(file)
    }
}

/// What experiments found of one operation, with the paths of the reduced dumps of its causes.
#[derive(Debug, Default)]
struct OperationExplanations {
    explanations: Explanations,
    files: Vec<String>,
}

/// The operation in the id of a case; none where dumps are only read.
fn operation_of(id: &str) -> &str {
    id.split_once(':').map_or("", |(_, operation)| operation)
}

/// The formats that an implementation can be asked about.
fn testable_formats(subject: &Subject, hello: Option<&Hello>, options: &CampaignOptions) -> Vec<Format> {
    let is_asked = |format: &Format| match (&subject.kind, hello) {
        (SubjectKind::Adapter, Some(hello)) => {
            let wants = |what| is_wanted(options.operations, hello, what);
            wants(OperationKind::Parse) && hello.can_read(*format)
                || wants(OperationKind::Convert) && !hello.targets(*format).is_empty()
                || wants(OperationKind::Encode) && hello.writers().iter().any(|to| to.format == *format)
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
