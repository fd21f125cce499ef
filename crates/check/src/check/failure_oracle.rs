//! Whether a dump still shows something: what [`crate::reduce`] asks. By the exit code of a command, or by what is wrong of an
//! implementation's answer.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fs::OpenOptions;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::check::cause_reduction::{CasePredicate, RetryProcess, SymptomOracle};
use crate::check::declarations::IDENTIFIES;
use crate::check::evidence::suspects;
use crate::check::experiment::{Observation, ProbeOracle};
use crate::check::introduction::required_hello;
use crate::check::judge::{
    AnswerJudgement, AnsweredTask, judge, judge_large, left_out_facets, limit_subject, other_facts,
};
use crate::check::process::{Budget, Limits, Process, StdoutTarget, StopReason};
use crate::check::protocol::Hello;
use crate::check::report::symptom::{symptom_of, symptoms_of};
use crate::check::report::{CaseResult, Cause, Outcome, Suspect};
use crate::check::sources::{UserDump, case_from_bytes};
use crate::check::subject::{BATCH, QuestionFiles, Session, Subject};
use crate::check::task::{CaseSource, Task, TaskOperation};
use crate::check::tasks::{asked_case, skip_reason, why_not_large};
use crate::corpus::Case;
use heapsmith_core::error::Error;
use heapsmith_core::interrupt::Stop;
use heapsmith_core::system;
use heapsmith_core::temporary::TemporaryFolder;

/// A command that tells by its exit code whether a dump shows something: 0 is yes, any other end is no.
#[derive(Clone, Debug)]
pub struct CommandOracle {
    words: Vec<String>,
    supervisor: PathBuf,
    budget: Budget,
    stop: Stop,
}

impl CommandOracle {
    /// A command, as words; `{}` stands for the path of the dump. `supervisor` is heapsmith's own program.
    pub fn new(words: Vec<String>, supervisor: PathBuf, budget: Budget, stop: &Stop) -> CommandOracle {
        CommandOracle { words, supervisor, budget, stop: stop.clone() }
    }

    /// Asks about a dump.
    ///
    /// # Errors
    /// If the command cannot be started, or the dump cannot be written.
    pub fn shows(&self, dump: &[u8]) -> Result<bool, Error> {
        let suffix = heapsmith_core::format::Family::guess(dump).suffix();
        self.exits_with_zero(&QuestionFiles::with_bytes("heapsmith-", &format!("dump.{suffix}"), dump, "out")?)
    }

    /// Asks about a file, under another name.
    ///
    /// # Errors
    /// If the command cannot be started, or the file cannot be read.
    pub fn shows_file(&self, dump: &UserDump) -> Result<bool, Error> {
        self.exits_with_zero(&QuestionFiles::link_user_dump(dump, "out")?)
    }

    fn exits_with_zero(&self, files: &QuestionFiles) -> Result<bool, Error> {
        let failed = |e| Error::io("preparing the files of a test", e);
        let path = files.input.to_str().ok_or_else(|| {
            let path = files.input.display();
            Error::Usage(format!("{path}: expected a path in UTF-8; set TMPDIR to another folder"))
        })?;
        let command: Vec<String> = self.words.iter().map(|word| word.replace("{}", path)).collect();
        let temporary = TemporaryFolder::new("heapsmith-").map_err(failed)?;
        let output = OpenOptions::new().write(true).open(system::NOWHERE).map_err(failed)?;
        let mut process =
            Process::start(&self.supervisor, &command, temporary.path(), StdoutTarget::File(output), &self.stop)?;
        let stopped = process.wait_for_end(&Limits::for_dump(&self.budget, files.size, Some(files.answer_place())));
        process.kill();
        match stopped {
            StopReason::NotStarted(why) => {
                let program = self.words.first().map_or("", String::as_str);
                Err(Error::Usage(format!("{program}: the test cannot be started: {why}")))
            }
            StopReason::Shortage(why) => Err(Error::io("starting the test", std::io::Error::other(why))),
            StopReason::Ended(code, _) => Ok(code == Some(0)),
            // Nothing is known of the dump.
            StopReason::Interrupted => Err(Error::stopped()),
            _ => Ok(false),
        }
    }
}

/// An implementation with a wrong answer, and the symptom of it: another dump shows the failure if its answer has the
/// symptom, too.
pub struct FailureOracle<'s> {
    subject: Cow<'s, Subject>,
    /// The subject with a shorter time limit, for dumps that are not asked about alone.
    hurried: Option<Subject>,
    hello: Option<Hello>,
    operation: TaskOperation,
    sought: SoughtSymptom,
}

/// The time limit of a smaller dump, as a multiple of the time for the first one with its process; and the least limit.
/// A program that hangs at small dumps takes all of this time for most of them.
const PATIENCE: u32 = 3;
const LEAST: Duration = Duration::from_millis(500);
/// The time limit of a smaller dump where the first one hangs.
const HANGING: Duration = Duration::from_secs(2);

/// The symptom that an answer has to show.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SoughtSymptom {
    /// This symptom comes first.
    First(String),
    /// One of these symptoms is among those shown.
    Any(BTreeSet<String>),
}

impl SoughtSymptom {
    fn is_shown_by(&self, result: &CaseResult) -> bool {
        match self {
            _ if !result.outcome().is_failure() => false,
            SoughtSymptom::First(what) => symptom_of(result).as_ref() == Some(what),
            SoughtSymptom::Any(all) => !symptoms_of(result).is_disjoint(all),
        }
    }
}

impl std::fmt::Debug for FailureOracle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FailureOracle").field("sought", &self.sought).finish_non_exhaustive()
    }
}

impl<'s> FailureOracle<'s> {
    /// Asks an implementation about a dump. What is looked for is a symptom, as reports name it; without one, what is seen first.
    ///
    /// # Errors
    /// If the implementation cannot be asked, the dump is of no known format, nothing is wrong of the answer, or it does not show
    /// the symptom.
    pub fn from_dump(subject: &'s Subject, dump: &[u8], symptom: Option<&str>) -> Result<FailureOracle<'s>, Error> {
        let wrong = FailureOracle::without_symptom(subject)?;
        let result = wrong.pool().ask_alone(case_source(case_from_bytes("dump", dump.to_vec())?))?;
        wrong.with_symptom(&result, symptom)
    }

    /// An oracle for a dump that is not held while it is judged. Smaller dumps are asked about at the same level of
    /// answers.
    ///
    /// # Errors
    /// Like `from_cause`; and where the implementation is not asked about dumps that are not held.
    pub fn from_file(
        subject: &'s Subject,
        dump: &Arc<UserDump>,
        symptom: Option<&str>,
    ) -> Result<FailureOracle<'s>, Error> {
        let mut wrong = FailureOracle::without_symptom(subject)?;
        let (source, usage) =
            (CaseSource::Own(dump.clone()), |why| Error::Usage(format!("{}: {why}", subject.command)));
        if let Some(streamed) = source.streamed(&source.case()?) {
            let limited = limit_subject(subject, wrong.hello.as_ref(), &streamed, &wrong.operation).map_err(usage)?;
            wrong.subject = Cow::Owned(limited);
        }
        let result = wrong.pool().ask_alone(source)?;
        wrong.with_symptom(&result, symptom)
    }

    fn without_symptom(subject: &'s Subject) -> Result<FailureOracle<'s>, Error> {
        let hello = required_hello(subject)?;
        let operation = match &subject.kind {
            super::SubjectKind::Adapter | super::SubjectKind::Decoder => TaskOperation::Parse,
            super::SubjectKind::Converter { to, .. } => TaskOperation::Convert(to.clone()),
            super::SubjectKind::Encoder { to, .. } => TaskOperation::Encode(to.clone()),
        };
        let (subject, sought) = (Cow::Borrowed(subject), SoughtSymptom::First(String::new()));
        Ok(FailureOracle { subject, hurried: None, hello, operation, sought })
    }

    fn with_symptom(mut self, result: &CaseResult, symptom: Option<&str>) -> Result<FailureOracle<'s>, Error> {
        self.sought =
            choose_symptom(result, symptom).map_err(|why| Error::Usage(format!("{}: {why}", self.subject.command)))?;
        Ok(self)
    }

    /// An oracle for a known failure: it looks for symptoms of the cause. `None` if the result shows none.
    pub(super) fn from_cause(
        subject: &'s Subject,
        hello: Option<Hello>,
        operation: TaskOperation,
        result: &CaseResult,
        cause: &Cause,
    ) -> Option<FailureOracle<'s>> {
        let of_cause: BTreeSet<String> = cause.symptoms.iter().map(|symptom| symptom.what.clone()).collect();
        let of_both: BTreeSet<String> = symptoms_of(result).intersection(&of_cause).cloned().collect();
        let sought = (!of_both.is_empty()).then_some(SoughtSymptom::Any(of_both))?;
        Some(FailureOracle { subject: Cow::Borrowed(subject), hurried: None, hello, operation, sought })
    }

    /// An oracle that looks for nothing: experiments look at what is seen of each answer.
    pub(super) fn for_probes(
        subject: &'s Subject,
        hello: Option<Hello>,
        operation: TaskOperation,
    ) -> FailureOracle<'s> {
        let sought = SoughtSymptom::First(String::new());
        FailureOracle { subject: Cow::Borrowed(subject), hurried: None, hello, operation, sought }
    }

    /// Shortens the time limit for smaller dumps: a program that hangs at some of them would take hours. A dump that is
    /// asked about in a process of its own keeps the limit.
    ///
    /// # Errors
    /// If the case cannot be made, or a program cannot be started.
    pub(super) fn with_shorter_time_limit(mut self, source: &CaseSource) -> Result<FailureOracle<'s>, Error> {
        let started = Instant::now();
        let enough = match self.pool().ask_alone(source.clone())?.outcome() {
            // How long an answer takes is not known.
            Outcome::Hang { .. } => HANGING,
            _ => (started.elapsed() * PATIENCE).max(LEAST),
        };
        let mut hurried = self.subject.clone().into_owned();
        hurried.budget.time = hurried.budget.time.min(enough);
        self.hurried = Some(hurried);
        Ok(self)
    }

    /// The symptom, in words.
    pub fn description(&self) -> String {
        match &self.sought {
            SoughtSymptom::First(what) => what.clone(),
            SoughtSymptom::Any(all) => all.iter().map(String::as_str).collect::<Vec<_>>().join("; "),
        }
    }

    /// The failure at a dump, with expected and found.
    ///
    /// # Errors
    /// If a program cannot be started, or the dump cannot be written.
    pub fn describe_answer(&self, dump: &[u8]) -> Result<String, Error> {
        Ok(self.pool().ask_alone(case_source(case_from_bytes("dump", dump.to_vec())?))?.outcome().detail())
    }

    /// Asks about many dumps.
    pub fn pool(&self) -> OraclePool<'_> {
        let (idle, idle_again, shown) = (Mutex::default(), Mutex::default(), Mutex::default());
        OraclePool { wrong: self, second: RetryProcess::Alone, idle, idle_again, shown }
    }

    /// Asks one process about cases in a row, and tells whether the last one fails.
    ///
    /// # Errors
    /// If a program cannot be started, or a dump cannot be written.
    pub(super) fn fails_last_of_row(&self, row: impl Iterator<Item = CaseSource>) -> Result<bool, Error> {
        let mut session = self.subject.open_session(self.hello.as_ref());
        let mut fails = false;
        for source in row {
            fails = self.ask(source, session.as_mut())?.0.judgement.outcome().is_failure();
        }
        Ok(fails)
    }

    /// The judged answer to a dump, and whether the process ended.
    fn ask(&self, source: CaseSource, session: &mut dyn Session) -> Result<(AnsweredDump, bool), Error> {
        let case = asked_case(&self.subject, self.hello.as_ref(), &self.operation, source.validated_case()?)?;
        let task = Task {
            id: "dump".to_owned(),
            source,
            operation: self.operation.clone(),
            renames: self.renames_addresses(),
        };
        let unasked = |case, skipped| {
            let judgement = AnswerJudgement::from_outcome(skipped);
            Ok((AnsweredDump { case, judgement, has_suspects: false }, false))
        };
        let hello = self.hello.as_ref();
        if let Some(reason) = skip_reason(&self.subject, hello, &task, &case) {
            return unasked(case, reason.outcome());
        }
        let streamed = task.source.streamed(&case);
        let files = match &task.source {
            CaseSource::Own(own) if streamed.is_some() => QuestionFiles::link_user_dump(own, task.answer_suffix())?,
            _ => QuestionFiles::write(&task, &case)?,
        };
        if let Some(streamed) = &streamed
            && let Some(reason) = why_not_large(&self.subject, hello, streamed, &files)?
        {
            return unasked(case, Outcome::skip(reason, None));
        }
        let reply = session.ask(&task, &case, &files)?;
        let is_over = reply.is_fatal();
        let left_out = left_out_facets(&case, &BTreeSet::new());
        let subject = &*self.subject;
        let asked = AnsweredTask { subject, hello, task: &task, case: &case, files: &files, left_out: &left_out };
        let judged = match &streamed {
            None => judge(&asked, reply, session),
            Some(streamed) => judge_large(&asked, streamed, reply, session),
        };
        // What is read of files ends with a signal, too.
        let Some(judgement) = judged.filter(|_| !self.subject.stop.is_asked()) else { return Err(Error::stopped()) };
        // A dump that is not held is not looked at byte by byte.
        let has_suspects = streamed.is_none();
        Ok((AnsweredDump { case, judgement, has_suspects }, is_over))
    }

    fn renames_addresses(&self) -> bool {
        match (&self.subject.kind, &self.hello) {
            (super::SubjectKind::Converter { renames, .. } | super::SubjectKind::Encoder { renames, .. }, _) => {
                *renames
            }
            (_, Some(hello)) => hello.declares.has(IDENTIFIES, "opaque"),
            _ => false,
        }
    }
}

impl OraclePool<'_> {
    /// What is seen of the answer to a dump, whatever it is.
    fn observe_pooled(&self, source: CaseSource) -> Result<Observation, Error> {
        let kept = lock(&self.idle).pop();
        let subject = self.wrong.hurried.as_ref().unwrap_or(&self.wrong.subject);
        let PooledSession(mut session, asked) =
            kept.unwrap_or_else(|| PooledSession(subject.open_session(self.wrong.hello.as_ref()), 0));
        let (answered, is_over) = self.wrong.ask(source, session.as_mut())?;
        if !is_over && asked + 1 < BATCH {
            lock(&self.idle).push(PooledSession(session, asked + 1));
        }
        Ok(answered.observation())
    }
}

impl ProbeOracle for OraclePool<'_> {
    fn observe(&self, dump: &[u8]) -> Result<Observation, Error> {
        let case = case_from_bytes("dump", dump.to_vec());
        known_observation(case.and_then(|case| self.observe_pooled(case_source(case))))
    }

    fn observe_alone(&self, case: Case) -> Result<Observation, Error> {
        let mut session = self.wrong.subject.open_session(self.wrong.hello.as_ref());
        let answered = self.wrong.ask(case_source(case), session.as_mut());
        known_observation(answered.map(|(answered, _)| answered.observation()))
    }
}

/// An observation. Nothing is known of a dump that is of no known format.
fn known_observation(seen: Result<Observation, Error>) -> Result<Observation, Error> {
    match seen {
        Err(Error::Decode(_) | Error::Usage(_)) => Ok(Observation::Unknown),
        seen => seen,
    }
}

impl SymptomOracle for FailureOracle<'_> {
    fn symptoms(&self) -> Vec<String> {
        match &self.sought {
            SoughtSymptom::First(what) => vec![what.clone()],
            SoughtSymptom::Any(all) => all.iter().cloned().collect(),
        }
    }

    fn predicate(&self, second: RetryProcess) -> Box<CasePredicate<'_>> {
        let asking = OraclePool { second, ..self.pool() };
        Box::new(move |case| asking.shows_case(case))
    }

    fn shows_alone(&self, case: Case) -> Result<bool, Error> {
        Ok(self.sought.is_shown_by(&self.pool().ask_alone(case_source(case))?))
    }
}

/// A dump with its judged answer.
struct AnsweredDump {
    case: Case,
    judgement: AnswerJudgement,
    has_suspects: bool,
}

impl AnsweredDump {
    /// What experiments look at.
    fn observation(&self) -> Observation {
        let outcome = self.judgement.outcome();
        let broken = self.case.breaks.map(|(rule, offset)| Suspect { rule: rule.to_owned(), offset, length: 1 });
        let result = CaseResult::new(&self.case.id, outcome.clone())
            .suspects(broken.into_iter().collect())
            .others(other_facts(&self.judgement));
        Observation::from_result(&result)
    }

    /// The result of the dump alone.
    fn result(&self) -> Result<CaseResult, Error> {
        let outcome = self.judgement.outcome();
        let suspects = if self.has_suspects { suspects(&self.case, outcome, &self.judgement)? } else { Vec::new() };
        Ok(CaseResult::new(&self.case.id, outcome.clone()).suspects(suspects).others(other_facts(&self.judgement)))
    }
}

/// The symptom to look for, of those that a result shows.
fn choose_symptom(result: &CaseResult, symptom: Option<&str>) -> Result<SoughtSymptom, String> {
    if let Outcome::Skip { reason, .. } = result.outcome() {
        return Err(format!("the dump is not asked about: {reason}"));
    }
    let first = symptom_of(result).filter(|_| result.outcome().is_failure());
    let first = first.ok_or_else(|| "nothing is wrong of its answer to this dump".to_owned())?;
    let Some(symptom) = symptom else { return Ok(SoughtSymptom::First(first)) };
    let seen = symptoms_of(result);
    if seen.contains(symptom) {
        return Ok(SoughtSymptom::Any(BTreeSet::from([symptom.to_owned()])));
    }
    let known: Vec<&str> = seen.iter().map(String::as_str).collect();
    Err(format!("its answer to this dump does not show the symptom {symptom:?}; it shows: {}", known.join("; ")))
}

/// A pool of sessions that are asked about many dumps, several at a time. A dump that showed the symptom is asked about
/// a second time in a process of its own, or in a session for second questions.
#[derive(Debug)]
pub struct OraclePool<'w> {
    wrong: &'w FailureOracle<'w>,
    second: RetryProcess,
    idle: Mutex<Vec<PooledSession<'w>>>,
    /// Sessions for second questions.
    idle_again: Mutex<Vec<PooledSession<'w>>>,
    shown: Mutex<HashSet<[u8; 32]>>,
}

/// A session that may be asked again, with the number of its questions.
struct PooledSession<'w>(Box<dyn Session + Send + 'w>, usize);

impl std::fmt::Debug for PooledSession<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PooledSession").field(&self.1).finish()
    }
}

impl<'w> OraclePool<'w> {
    /// Whether the same is wrong of the answer to another dump: what heapsmith reads of it is right.
    ///
    /// # Errors
    /// If a program cannot be started, or the dump cannot be written.
    pub fn shows(&self, dump: &[u8]) -> Result<bool, Error> {
        match case_from_bytes("dump", dump.to_vec()) {
            Ok(case) => self.shows_case(case),
            // Of no known format any more.
            Err(Error::Decode(_) | Error::Usage(_)) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Whether a dump that may not be held shows the symptom.
    ///
    /// # Errors
    /// Like [`OraclePool::shows`].
    pub fn shows_file(&self, dump: &Arc<UserDump>) -> Result<bool, Error> {
        Ok(self.wrong.sought.is_shown_by(&self.ask_alone(CaseSource::Own(dump.clone()))?))
    }

    /// Whether a case shows the symptom. The case has the right answer.
    ///
    /// # Errors
    /// Like [`OraclePool::shows`].
    fn shows_case(&self, case: Case) -> Result<bool, Error> {
        let sum: [u8; 32] = Sha256::digest(&case.bytes).into();
        let is_again = lock(&self.shown).contains(&sum);
        let source = case_source(case);
        let result = match (is_again, self.second) {
            (false, _) => self.ask_pooled(&self.idle, source),
            (true, RetryProcess::InCompany) => self.ask_pooled(&self.idle_again, source),
            (true, RetryProcess::Alone) => self.ask_alone(source),
        };
        let shows = match result {
            Ok(result) => self.wrong.sought.is_shown_by(&result),
            Err(Error::Decode(_) | Error::Usage(_)) => false,
            Err(e) => return Err(e),
        };
        if shows {
            lock(&self.shown).insert(sum);
        }
        Ok(shows)
    }

    /// Asks in a process of its own, and waits for its end.
    fn ask_alone(&self, source: CaseSource) -> Result<CaseResult, Error> {
        let mut session = self.wrong.subject.open_session(self.wrong.hello.as_ref());
        let (mut answered, _) = self.wrong.ask(source, session.as_mut())?;
        if let Some((_, reply)) = session.finish().into_iter().next() {
            answered.judgement = answered.judgement.with_late_reply(reply);
        }
        answered.result()
    }

    fn ask_pooled(&self, idle: &Mutex<Vec<PooledSession<'w>>>, source: CaseSource) -> Result<CaseResult, Error> {
        let kept = lock(idle).pop();
        let subject = self.wrong.hurried.as_ref().unwrap_or(&self.wrong.subject);
        let PooledSession(mut session, asked) =
            kept.unwrap_or_else(|| PooledSession(subject.open_session(self.wrong.hello.as_ref()), 0));
        let (answered, is_over) = self.wrong.ask(source, session.as_mut())?;
        if !is_over && asked + 1 < BATCH {
            lock(idle).push(PooledSession(session, asked + 1));
        }
        answered.result()
    }
}

fn case_source(case: Case) -> CaseSource {
    CaseSource::Corpus(Box::new(case))
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
