//! Subjects: implementations under test, and their replies.

mod adapter;
mod bounds;
mod files;
mod hosted;
mod one_shot;

use std::path::PathBuf;

use crate::check::declarations::Declares;
use crate::check::process::{BY_ITSELF, Budget, StopReason};
use crate::check::protocol::{Accepted, Hello, Level};
use crate::check::report::Outcome;
use crate::check::task::Task;
use crate::corpus::Case;
use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpTarget, Format};
use heapsmith_core::interrupt::Stop;
use heapsmith_core::setters::setters;
use heapsmith_core::system;

pub(super) use adapter::{Adapter, AdapterSession, exit_grace};
pub(super) use bounds::{LONG, cut};
pub(super) use files::{AnswerFile, MadeDump, NoAnswer, QuestionFiles};
pub use hosted::HostedAdapter;

/// The number of cases that a process serves (specs/adapter.md). It does not depend on `jobs`, so that each case
/// follows the same cases in every run.
pub const BATCH: usize = 32;

/// An implementation under test.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The kind of program.
    pub kind: SubjectKind,
    /// The command as it was given: for messages.
    pub command: String,
    /// The words of the command.
    pub words: Vec<String>,
    /// heapsmith's own program, which supervises what is run.
    pub supervisor: PathBuf,
    /// The adapter in this process that is asked in place of the command.
    pub host: Option<HostedAdapter>,
    /// Time and memory.
    pub budget: Budget,
    /// The level that an adapter is asked for instead of its highest.
    pub level: Option<Level>,
    /// The declarations of a decoder, as an adapter has them in its answer to hello.
    pub declares: Declares,
    /// The request to stop.
    pub stop: Stop,
}

setters! {
    impl Subject {
        set budget: Budget;
        option level: Level;
        set declares: Declares;
        set stop: Stop;
    }
}

/// The kind of a program, by which it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// A program that speaks the protocol of specs/adapter.md.
    Adapter,
    /// A program that runs once for each dump, whose path takes the place of `{}`, and prints a listing.
    Decoder,
    /// A program that runs once for each dump, from `{in}` to `{out}`.
    Converter {
        /// The format that it reads, if not every version of a format.
        from: Option<Format>,
        /// Whether the new dump has addresses of its own.
        renames: bool,
        /// The format or writer that it makes.
        to: DumpTarget,
    },
    /// A program that runs once for each listing, from `{in}` to `{out}`.
    Encoder {
        /// Whether the dump has addresses of its own.
        renames: bool,
        /// The format or writer that it writes.
        to: DumpTarget,
    },
}

impl SubjectKind {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            SubjectKind::Adapter => "adapter",
            SubjectKind::Decoder => "decoder",
            SubjectKind::Converter { .. } => "converter",
            SubjectKind::Encoder { .. } => "encoder",
        }
    }
}

/// The reply to a question about a case.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// It was done; a listing or dump is in the file of the answer.
    Accepted(Box<Accepted>),
    /// The dump was refused: the message, and the offset.
    Refused(String, Option<u64>),
    /// The question cannot be put: the reason, and a link.
    Skipped(String, Option<String>),
    /// There is no such program, or too few resources for it.
    NotStarted(String),
    /// The adapter failed.
    Error(String),
    /// The process ended before the answer.
    Crash(String),
    /// A crash that the adapter reports and survives.
    Failed(String),
    /// There was no answer in time.
    Hang(String),
    /// The process took too much memory.
    OutOfMemory(String),
    /// The run is to stop: nothing is known.
    Interrupted,
    /// This may be a second answer to the question before, so that both are in doubt.
    Doubted,
}

impl Reply {
    /// Whether the process is not asked again.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(
            self,
            Reply::NotStarted(_) | Reply::Error(_) | Reply::Crash(_) | Reply::Hang(_) | Reply::OutOfMemory(_)
        )
    }

    /// Whether the machine may have to do with it: a crash by the program's own doing is not repeated if nothing was asked before.
    pub(super) fn may_be_accidental(&self, is_first: bool) -> bool {
        match self {
            Reply::Crash(how) => !(is_first && how.starts_with(BY_ITSELF)),
            reply => reply.is_fatal(),
        }
    }

    /// Whether it follows a wait in vain, which took as long as an answer may take.
    pub(super) fn is_timeout(&self) -> bool {
        matches!(self, Reply::Hang(_)) || matches!(self, Reply::Error(how) if how.contains(CLOSED))
    }

    /// The outcome of a process that failed after a right answer.
    pub(super) fn after_answer(self) -> Option<Outcome> {
        match self {
            Reply::Crash(how) => Some(Outcome::Crash { how }),
            Reply::Error(how) => Some(Outcome::AdapterError { how }),
            Reply::Hang(how) => Some(Outcome::Hang { how }),
            Reply::OutOfMemory(how) => Some(Outcome::OutOfMemory { how }),
            _ => None,
        }
    }

    pub(super) fn from_stop_reason(stopped: StopReason, messages: &str) -> Reply {
        let with = |how: String| if messages.is_empty() { how } else { format!("{how}: {messages}") };
        match stopped {
            StopReason::Ended(_, how) => Reply::Crash(with(how)),
            StopReason::NotStarted(why) | StopReason::Shortage(why) => Reply::NotStarted(why),
            StopReason::Closed => Reply::Error(CLOSED.to_owned()),
            StopReason::OutOfTime(limit) => Reply::Hang(format!("no answer after {:.1} s", limit.as_secs_f32())),
            StopReason::OutOfMemory(limit) => Reply::OutOfMemory(format!("more than {} MiB", limit >> 20)),
            StopReason::Endless(limit) => Reply::Hang(format!("wrote more than {} MiB", limit >> 20)),
            StopReason::Interrupted => Reply::Interrupted,
        }
    }
}

/// Whether the system has too little of something to start a program, for which a program under test may have seen.
fn is_shortage(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if system::is_shortage(source))
}

/// The failure of an adapter that never answers.
const CLOSED: &str = "it closed standard output without answering but kept running";

/// The error of a program that does not exist: the command has to be corrected.
pub(super) fn not_started(subject: &Subject, why: &str) -> Error {
    let program = subject.words.first().map_or("nothing", String::as_str);
    Error::Usage(format!("running {program}, the {}: {why}", subject.kind.name()))
}

/// Processes that serve one case after the other.
pub(super) trait Session {
    /// Asks about a case. The answer to the last question of a batch may still be taken back by [`Session::finish`].
    fn ask(&mut self, task: &Task, case: &Case, files: &QuestionFiles) -> Result<Reply, Error>;

    /// Asks again about the same case, for a digest with its buckets, or with one of them.
    fn ask_digest(
        &mut self,
        case: &Case,
        files: &QuestionFiles,
        buckets: bool,
        bucket: Option<u8>,
    ) -> Result<Reply, Error>;

    /// Whether the process was asked nothing before the last question.
    fn was_first(&self) -> bool;

    /// Peak memory of the program and all that it started for the last question, in bytes. Exact where one process does
    /// everything and keeps running; processes that are gone by now count as far as their limits were checked. `None`
    /// where the system has no such number.
    fn peak_memory(&mut self) -> Option<u64>;

    /// Ends the process. Returns the questions, by their place among those asked, that have a second answer or a
    /// crash after the answer; a line without a request counts for the last one.
    fn finish(&mut self) -> Vec<(usize, Reply)>;
}

impl Subject {
    /// An implementation with the usual limits, which is asked at its highest level and declares nothing; nothing stops its run.
    pub fn new(kind: SubjectKind, command: impl Into<String>, words: Vec<String>, supervisor: PathBuf) -> Subject {
        let (budget, declares, stop) = (Budget::default(), Declares::default(), Stop::default());
        Subject { kind, command: command.into(), words, supervisor, host: None, budget, level: None, declares, stop }
    }

    /// Opens a session. Nothing is started before the first question.
    pub(super) fn open_session<'s>(&'s self, hello: Option<&'s Hello>) -> Box<dyn Session + Send + 's> {
        match (hello, &self.host) {
            (Some(hello), Some(host)) => Box::new(hosted::HostedSession::new(self, hello, host)),
            (Some(hello), None) => Box::new(AdapterSession::new(self, hello)),
            (None, _) => Box::new(one_shot::OneShotSession::new(self)),
        }
    }

    /// An adapter in this process, which nothing limits: one that hangs blocks the run.
    pub fn hosted(name: impl Into<String>, host: HostedAdapter) -> Subject {
        Subject { host: Some(host), ..Subject::new(SubjectKind::Adapter, name, Vec::new(), PathBuf::new()) }
    }

    /// The level that adapters are asked for.
    pub(super) fn effective_level(&self, hello: &Hello) -> Level {
        self.level.filter(|level| hello.levels.contains(level)).unwrap_or_else(|| hello.level())
    }
}
