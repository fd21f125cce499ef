//! What is under test, and what it answers.

mod adapter;
mod one_shot;

use std::fs;
use std::path::{Path, PathBuf};

use crate::compare::table::Target;
use crate::corpus::Case;
use crate::error::Error;
use crate::format::Format;

use super::process::{Budget, Stopped};
use super::protocol::{Accepted, Hello, Level};
use super::task::{Operation, Task};

pub(super) use adapter::{Adapter, AdapterSession, leaving};

/// An implementation under test.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What is run, and how it is asked.
    pub kind: Kind,
    /// The command as it was given: for messages.
    pub command: String,
    /// Its words.
    pub words: Vec<String>,
    /// heapsmith's own program, which supervises what is run.
    pub supervisor: PathBuf,
    /// Time and memory.
    pub budget: Budget,
    /// For adapters: ask for this level instead of the highest.
    pub level: Option<Level>,
}

/// How a program is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By the protocol of specs/adapter.md.
    Adapter,
    /// One run for each dump, whose path takes the place of `{}`; it prints a listing.
    Decoder,
    /// One run for each dump, from `{in}` to `{out}`.
    Converter {
        /// What it reads, if not every version of a format.
        from: Option<Format>,
        /// Whether the new dump has addresses of its own.
        renames: bool,
        /// What it makes.
        to: Target,
    },
    /// One run for each listing, from `{in}` to `{out}`.
    Encoder {
        /// Whether the dump has addresses of its own.
        renames: bool,
        /// What it writes.
        to: Target,
    },
}

impl Kind {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Adapter => "adapter",
            Kind::Decoder => "decoder",
            Kind::Converter { .. } => "converter",
            Kind::Encoder { .. } => "encoder",
        }
    }
}

/// What came back for a case.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// It was done; listings and dumps are in the file that was asked for.
    Accepted(Box<Accepted>),
    /// The dump is refused.
    Refused(String, Option<u64>),
    /// It cannot be asked.
    Skipped(String, Option<String>),
    /// There is no such program.
    NotStarted(String),
    /// The adapter went wrong.
    Error(String),
    /// Ended before the answer.
    Crash(String),
    /// No answer in time.
    Hang(String),
    /// Too much memory.
    OutOfMemory(String),
}

impl Reply {
    /// Whether the process is not asked again.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(
            self,
            Reply::NotStarted(_) | Reply::Error(_) | Reply::Crash(_) | Reply::Hang(_) | Reply::OutOfMemory(_)
        )
    }

    fn stopped(stopped: Stopped, messages: &str) -> Reply {
        let with = |how: String| if messages.is_empty() { how } else { format!("{how}: {messages}") };
        match stopped {
            Stopped::Ended(_, how) => Reply::Crash(with(how)),
            Stopped::NotStarted(why) => Reply::NotStarted(why),
            Stopped::Closed => Reply::Error("it closed its standard output without an answer, and goes on".to_owned()),
            Stopped::OutOfTime(limit) => Reply::Hang(format!("no answer after {:.1} s", limit.as_secs_f32())),
            Stopped::OutOfMemory(limit) => Reply::OutOfMemory(format!("more than {} MiB", limit >> 20)),
            Stopped::Endless(limit) => Reply::Hang(format!("wrote more than {} MiB", limit >> 20)),
        }
    }
}

/// The error that a program is not there: whoever asked has to look at the command.
pub(super) fn not_started(subject: &Subject, why: &str) -> Error {
    let program = subject.words.first().map_or("nothing", String::as_str);
    Error::Usage(format!("running {program}, which --{} names: {why}", subject.kind.name()))
}

/// The files of one question, in a folder of their own.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
    /// What is handed over.
    pub(super) input: PathBuf,
    /// Where the answer goes.
    pub(super) output: PathBuf,
    /// What takes the place of the folder in messages.
    shown: String,
}

impl Files {
    /// Writes down what a task hands over.
    pub(super) fn write(folder: &Path, task: &Task, case: &Case) -> Result<Files, Error> {
        let failed = |e| Error::io(format!("writing to {}", folder.display()), e);
        fs::create_dir_all(folder).map_err(failed)?;
        let suffix = |format: Format| format.family().suffix();
        let (name, output) = match &task.operation {
            Operation::Parse => (case.file(), "answer.jsonl".to_owned()),
            Operation::Convert(to) => (case.file(), format!("answer.{}", suffix(to.format))),
            Operation::Encode(to) => (case.listing_file(0), format!("answer.{}", suffix(to.format))),
        };
        let input = folder.join(&name);
        match &task.operation {
            Operation::Encode(_) => {
                let mut listing = Vec::new();
                super::task::write_listing(case, &mut listing)?;
                fs::write(&input, listing).map_err(failed)?;
            }
            _ => fs::write(&input, &case.bytes).map_err(failed)?,
        }
        Ok(Files { folder: folder.to_owned(), input, output: folder.join(output), shown: name })
    }

    /// A message without what is another in every run: the names of temporary folders, and the numbers of threads that
    /// Rust's panics have.
    pub(super) fn shorten(&self, message: &str) -> String {
        let mut text = message.replace(&*self.input.to_string_lossy(), &self.shown);
        for folder in [Some(self.folder.as_path()), self.folder.parent()].into_iter().flatten() {
            text = text.replace(&format!("{}/", folder.to_string_lossy()), "");
        }
        without_thread_numbers(&text)
    }

    /// Whether the answer is there, as a plain file: whoever opens a pipe or a device may wait for ever.
    pub(super) fn is_answered(&self) -> bool {
        is_plain(&self.output)
    }

    /// Removes them.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Whether there is a file at this path itself, and not where it leads to.
pub(super) fn is_plain(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|file| file.is_file())
}

/// `thread 'main' (4711) panicked` without the number.
fn without_thread_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("' (") {
        plain += before;
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        match behind[digits..].strip_prefix(") panicked") {
            Some(after) if digits > 0 => {
                plain += "' panicked";
                rest = after;
            }
            _ => {
                plain += "' (";
                rest = behind;
            }
        }
    }
    plain + rest
}

/// Processes that serve one case after the other.
pub(super) trait Session {
    /// Asks about a case. The answer to the last question of a batch may still be taken back by [`Session::finish`].
    fn ask(&mut self, task: &Task, case: &Case, files: &Files) -> Result<Reply, Error>;

    /// Asks again about the same case, for a digest with its buckets, or with one of them.
    fn ask_digest(&mut self, case: &Case, files: &Files, buckets: bool, bucket: Option<u8>) -> Result<Reply, Error>;

    /// Ends the process. What it still says is an error: the questions, by their place among those asked, that have a
    /// second answer, or nobody's, or behind which it crashed.
    fn finish(&mut self) -> Vec<(usize, Reply)>;
}

impl Subject {
    /// Opens a session. Nothing is started before the first question.
    pub(super) fn open<'s>(&'s self, hello: Option<&'s Hello>, scratch: &Path) -> Box<dyn Session + 's> {
        match hello {
            Some(hello) => Box::new(AdapterSession::new(self, hello, scratch)),
            None => Box::new(one_shot::OneShot::new(self, scratch)),
        }
    }

    /// The level that adapters are asked for.
    pub(super) fn level_of(&self, hello: &Hello) -> Level {
        self.level.filter(|level| hello.levels.contains(level)).unwrap_or_else(|| hello.level())
    }
}

#[cfg(test)]
mod tests {
    use super::without_thread_numbers;

    #[test]
    fn numbers_of_threads_are_left_out_of_panics_alone() {
        let panic = "thread 'main' (4711) panicked at src/lib.rs:7:1:";
        assert_eq!(without_thread_numbers(panic), "thread 'main' panicked at src/lib.rs:7:1:");
        for other in ["'a' (b) panicked", "' () panicked", "it's (12) fine", "' (12", ""] {
            assert_eq!(without_thread_numbers(other), other);
        }
    }
}
