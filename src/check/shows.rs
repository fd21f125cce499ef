//! Whether a dump still shows something: what [`crate::reduce`] asks. By the exit code of a command, or by what is wrong of an
//! implementation's answer.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::path::PathBuf;

use crate::error::Error;
use crate::interrupt::Stop;
use crate::system;
use crate::temporary::Folder;

use super::causes::symptom_of;
use super::evidence::suspects;
use super::introduction::hello;
use super::judge::{Asked, judge};
use super::own::own_case;
use super::process::{Budget, Limits, Output, Process, Stopped};
use super::protocol::Hello;
use super::report::{CaseResult, Outcome, Suspect};
use super::subject::{Files, Subject};
use super::task::{Operation, Source, Task, why_not};

/// A command that says of a dump by its exit code whether it shows something: 0 is yes, and any other end is no.
#[derive(Clone, Debug)]
pub struct Test {
    words: Vec<String>,
    supervisor: PathBuf,
    budget: Budget,
    stop: Stop,
}

impl Test {
    /// A command, as words; `{}` stands for the path of the dump. `supervisor` is heapsmith's own program.
    pub fn new(words: Vec<String>, supervisor: PathBuf, budget: Budget, stop: &Stop) -> Test {
        Test { words, supervisor, budget, stop: stop.clone() }
    }

    /// Asks about a dump.
    ///
    /// # Errors
    /// If the command cannot be started, or the dump cannot be written.
    pub fn shows(&self, dump: &[u8]) -> Result<bool, Error> {
        let failed = |e| Error::io("preparing the files of a test", e);
        let suffix = crate::format::Family::guess(dump).suffix();
        let files = Files::with("heapsmith-", &format!("dump.{suffix}"), dump, "out")?;
        let path = files.input.to_str().ok_or_else(|| {
            let path = files.input.display();
            Error::Usage(format!("{path}: expected a path in UTF-8; set TMPDIR to another folder"))
        })?;
        let command: Vec<String> = self.words.iter().map(|word| word.replace("{}", path)).collect();
        let temporary = Folder::new("heapsmith-").map_err(failed)?;
        let output = OpenOptions::new().write(true).open(system::NOWHERE).map_err(failed)?;
        let mut process =
            Process::start(&self.supervisor, &command, temporary.path(), Output::File(output), &self.stop)?;
        let stopped = process.end(&Limits::of(&self.budget, dump.len() as u64, Some(&files.output)));
        process.kill();
        match stopped {
            Stopped::NotStarted(why) => {
                let program = self.words.first().map_or("", String::as_str);
                Err(Error::Usage(format!("{program}: the test cannot be started: {why}")))
            }
            Stopped::Ended(code, _) => Ok(code == Some(0)),
            _ => Ok(false),
        }
    }
}

/// An implementation that answers wrongly, and what is wrong of its answer: another dump shows the same if the same is wrong.
pub struct Wrong<'s> {
    subject: &'s Subject,
    hello: Option<Hello>,
    what: String,
}

impl std::fmt::Debug for Wrong<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wrong").field("what", &self.what).finish_non_exhaustive()
    }
}

impl<'s> Wrong<'s> {
    /// Asks an implementation about a dump.
    ///
    /// # Errors
    /// If the implementation cannot be asked, the dump is of no known format, or nothing is wrong of the answer.
    pub fn of(subject: &'s Subject, dump: &[u8]) -> Result<Wrong<'s>, Error> {
        let hello = hello(subject)?.map_err(|how| Error::Usage(format!("{}: {how}", subject.command)))?;
        let wrong = Wrong { subject, hello, what: String::new() };
        match wrong.answer(dump)? {
            (_, Some(what)) => Ok(Wrong { what, ..wrong }),
            (Outcome::Skip { reason, .. }, None) => {
                Err(Error::Usage(format!("{}: the dump is not asked about: {reason}", subject.command)))
            }
            (_, None) => Err(Error::Usage(format!("{}: nothing is wrong of its answer to this dump", subject.command))),
        }
    }

    /// What is wrong, in words.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What is wrong of the answer to a dump, with what was expected and what was found.
    ///
    /// # Errors
    /// If a program cannot be started, or the dump cannot be written.
    pub fn detail(&self, dump: &[u8]) -> Result<String, Error> {
        Ok(self.answer(dump)?.0.detail())
    }

    /// Whether the same is wrong of the answer to another dump.
    ///
    /// # Errors
    /// If a program cannot be started, or the dump cannot be written.
    pub fn shows(&self, dump: &[u8]) -> Result<bool, Error> {
        match self.answer(dump) {
            Ok((_, what)) => Ok(what.as_ref() == Some(&self.what)),
            // Of no known format any more.
            Err(Error::Decode(_) | Error::Usage(_)) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// What comes of the answer, and what is seen of it if it is wrong.
    fn answer(&self, dump: &[u8]) -> Result<(Outcome, Option<String>), Error> {
        let case = own_case("dump", dump.to_vec())?;
        if case.heap.is_some() {
            return Err(Error::Usage("dump: expected a dump with one heap, found several".to_owned()));
        }
        let operation = match &self.subject.kind {
            super::Kind::Adapter | super::Kind::Decoder => Operation::Parse,
            super::Kind::Converter { to, .. } => Operation::Convert(to.clone()),
            super::Kind::Encoder { to, .. } => Operation::Encode(to.clone()),
        };
        let source = Source::Corpus(Box::new(case));
        let task = Task { id: "dump".to_owned(), source, operation, renames: false };
        let Source::Corpus(case) = &task.source else { return Ok((skipped("no case"), None)) };
        if let Some(reason) = why_not(self.subject, self.hello.as_ref(), &task, case) {
            return Ok((skipped(&reason), None));
        }
        let files = Files::write(&task, case)?;
        let mut session = self.subject.open(self.hello.as_ref());
        let reply = session.ask(&task, case, &files)?;
        let left_out = BTreeSet::new();
        let hello = self.hello.as_ref();
        let asked = Asked { subject: self.subject, hello, task: &task, case, files: &files, left_out: &left_out };
        let Some(judgement) = judge(&asked, reply, session.as_mut()) else {
            return Ok((skipped("the run is to stop"), None));
        };
        let of_case = suspects(case, &judgement)?;
        let suspect = |(rule, (offset, length)): (&str, (u64, u64))| Suspect { rule: rule.to_owned(), offset, length };
        let result = CaseResult {
            id: case.id.clone(),
            suspects: of_case.wrong.into_iter().map(suspect).collect(),
            outcome: judgement.outcome,
            first: None,
            others: Vec::new(),
            refused_at: None,
            followed: Vec::new(),
            readings: Vec::new(),
            expected: None,
            evidence: None,
            repeat: None,
        };
        let what = result.outcome.is_failure().then(|| symptom_of(&result)).flatten();
        Ok((result.outcome, what))
    }
}

fn skipped(reason: &str) -> Outcome {
    Outcome::Skip { reason: reason.to_owned(), link: None }
}
