//! Files of a question. The program under test is not trusted with them: their names say nothing of the case, each
//! question has a new folder with an unpredictable name, and the answer is opened once, without following links and
//! without waiting.

use std::cell::OnceCell;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::check::process::{AnswerPlace, Budget};
use crate::check::sources::UserDump;
use crate::check::task::{Task, TaskOperation, write_listing};
use crate::corpus::{Case, LargeCase};
use heapsmith_core::error::Error;
use heapsmith_core::format::Format;
use heapsmith_core::input::Input;
use heapsmith_core::interrupt::Stop;
use heapsmith_core::system::{self, FileStamp, Positioned};
use heapsmith_core::temporary::TemporaryFolder;

/// The files of a question, input and answer, in a folder of their own.
#[derive(Debug)]
pub(in crate::check) struct QuestionFiles {
    folder: TemporaryFolder,
    /// The path of the input.
    pub(in crate::check) input: PathBuf,
    /// The path of the answer.
    pub(in crate::check) output: PathBuf,
    /// The length of the dump, by which the answer is limited.
    pub(in crate::check) size: u64,
    /// The bytes that the dump takes in the folder.
    given: u64,
    /// The dump and its stamp before the question, where it is read once more after the answer.
    dump: Option<(File, FileStamp)>,
    /// The name that replaces the input's path in messages.
    shown: String,
    answered: OnceCell<AnswerFile>,
    /// The file of a program's standard output.
    printed: OnceCell<Arc<File>>,
}

/// The prefix of temporary folders.
const PREFIX: &str = "heapsmith-";
/// The reason for which there is no answer to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) enum NoAnswer {
    /// There is no plain file; with the reason.
    NoFile(&'static str),
    /// It is longer than this limit, which is usually noticed while it is written.
    Endless(u64),
}

/// The result of making a dump for a question.
#[derive(Debug)]
pub(in crate::check) enum MadeDump {
    /// The dump is there.
    Files(Box<QuestionFiles>),
    /// There is no room for it; with the reason.
    Not(String),
    /// The run is to stop.
    Stopped,
}

/// The bytes that stay free on a disk.
const SPARE: u64 = 64 << 20;
/// The length from which a dump allows no more output.
const LARGE: u64 = 16 << 20;

/// Whether a file cannot be as long as it is to be.
fn is_disk_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

/// A file whose writing ends when the run is to stop.
struct StoppableFile<'s> {
    file: &'s File,
    stop: &'s Stop,
}

impl Write for StoppableFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.is_asked() {
            return Err(io::Error::other("the run is to stop"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for StoppableFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// The name of an answer, without its suffix.
const ANSWER: &str = "answer";

impl QuestionFiles {
    /// Writes down what a task hands over.
    pub(in crate::check) fn write(task: &Task, case: &Case) -> Result<QuestionFiles, Error> {
        let mut listing = Vec::new();
        let (shown, bytes) = match &task.operation {
            TaskOperation::Parse | TaskOperation::Convert(_) => (case.file(), &case.bytes),
            TaskOperation::Encode(_) => {
                write_listing(case, &mut listing)?;
                (case.listing_file(0), &listing)
            }
        };
        Ok(QuestionFiles {
            size: case.bytes.len() as u64,
            ..QuestionFiles::with_bytes(PREFIX, &shown, bytes, task.answer_suffix())?
        })
    }

    /// Makes the dump of a large case. It is opened once more by [`QuestionFiles::dump`].
    pub(in crate::check) fn make_large(large: &LargeCase, stop: &Stop) -> Result<MadeDump, Error> {
        let shown = format!("{}.{}", large.id, large.format.family().suffix());
        let files = QuestionFiles::with_bytes(PREFIX, &shown, &[], "jsonl")?;
        let (folder, mib) = (files.folder.path(), |bytes: u64| bytes.div_ceil(1 << 20));
        let (needed, free) = (large.stored().saturating_add(SPARE), system::free_space(folder));
        if let Some(free) = free.filter(|free| *free < needed) {
            let among = std::env::temp_dir();
            let why = format!(
                "its dump takes {} MiB in {}, where {} MiB are free; TMPDIR names another folder",
                mib(needed),
                among.display(),
                mib(free)
            );
            return Ok(MadeDump::Not(why));
        }
        let failed = |e| Error::io(format!("writing to {}", folder.display()), e);
        let file = OpenOptions::new().read(true).write(true).open(&files.input).map_err(failed)?;
        let mut out = StoppableFile { file: &file, stop };
        let made = large.make(&mut out).and_then(|length| file.set_len(length).map_err(failed));
        match made {
            Ok(()) => {}
            Err(_) if stop.is_asked() => return Ok(MadeDump::Stopped),
            Err(Error::Io { source, .. }) if is_disk_full(&source) => {
                return Ok(MadeDump::Not(format!("its dump cannot be made: {source}")));
            }
            Err(e) => return Err(e),
        }
        let stamp = FileStamp::from_file(&file).map_err(failed)?;
        let (size, given) = (stamp.length.min(LARGE), large.stored());
        Ok(MadeDump::Files(Box::new(QuestionFiles { size, given, dump: Some((file, stamp)), ..files })))
    }

    /// Links a large dump of the user into a folder of its own under another name: files that a program puts beside its
    /// input go with the folder.
    pub(in crate::check) fn link_user_dump(own: &UserDump, answer: &str) -> Result<QuestionFiles, Error> {
        let failed = |e| Error::io(format!("reading {}", own.path.display()), e);
        let (file, format) = (own.open()?, own.format.clone().unwrap_or(Format::HPROF));
        let stamp = FileStamp::from_file(&file).map_err(failed)?;
        let suffix = if Input::open(&own.path)?.is_compressed() { ".gz" } else { "" };
        let shown = format!("{}.{}{suffix}", own.id, format.family().suffix());
        let folder = TemporaryFolder::new(PREFIX).map_err(|e| Error::io("creating a temporary folder", e))?;
        let input = folder.join(&opaque_name(&shown));
        system::another_name(&own.path, &input).map_err(failed)?;
        let output = folder.join(&format!("{ANSWER}.{answer}"));
        let (answered, printed) = (OnceCell::new(), OnceCell::new());
        // A link takes nothing.
        let (size, given) = (stamp.length, 0);
        Ok(QuestionFiles { folder, input, output, size, given, dump: Some((file, stamp)), shown, answered, printed })
    }

    /// The dump of a large question; `None` if it has changed.
    pub(in crate::check) fn unchanged_dump(&self) -> Result<Option<Input>, Error> {
        let failed = |e| Error::io("reading the dump", e);
        let Some((file, stamp)) = &self.dump else { return Ok(None) };
        if FileStamp::from_file(file).map_err(failed)? != *stamp {
            return Ok(None);
        }
        Input::from_file(&self.shown, file.try_clone().map_err(failed)?, stamp.length).map(Some)
    }

    /// Writes down these bytes, in a folder whose name begins with `prefix`. Messages show the file as `shown`, whose
    /// suffix it has; the answer's file has the suffix `answer`.
    pub(in crate::check) fn with_bytes(
        prefix: &str,
        shown: &str,
        bytes: &[u8],
        answer: &str,
    ) -> Result<QuestionFiles, Error> {
        let folder = TemporaryFolder::new(prefix).map_err(|e| Error::io("creating a temporary folder", e))?;
        let name = opaque_name(shown);
        let failed = |e| Error::io(format!("writing to {}", folder.path().display()), e);
        folder.create(&name).and_then(|mut input| input.write_all(bytes)).map_err(failed)?;
        Ok(QuestionFiles {
            input: folder.join(&name),
            output: folder.join(&format!("{ANSWER}.{answer}")),
            size: bytes.len() as u64,
            given: bytes.len() as u64,
            dump: None,
            shown: shown.to_owned(),
            folder,
            answered: OnceCell::new(),
            printed: OnceCell::new(),
        })
    }

    /// The place of the answer.
    pub(in crate::check) fn answer_place(&self) -> AnswerPlace<'_> {
        AnswerPlace { file: &self.output, folder: self.folder.path(), given: self.given }
    }

    /// Creates the file of the answer, for a program that prints it.
    pub(super) fn create_printed_answer(&self) -> io::Result<File> {
        let file = self.folder.create(&self.answer_name())?;
        let copy = file.try_clone()?;
        let _ = self.printed.set(Arc::new(copy));
        Ok(file)
    }

    fn answer_name(&self) -> String {
        self.output.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Opens the answer to a question about a dump of `size` bytes, which is announced as complete.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(in crate::check) fn open_answer(&self, budget: &Budget, size: u64) -> Result<(), NoAnswer> {
        let file = match self.printed.get() {
            Some(file) => Arc::clone(file),
            None => match self.folder.open_plain(&self.answer_name()) {
                Ok(file) => Arc::new(file),
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(NoAnswer::NoFile("there is no such file")),
                Err(_) => return Err(NoAnswer::NoFile("what is there is not a plain file that can be read")),
            },
        };
        let stamp = FileStamp::from_file(&file).map_err(|_| NoAnswer::NoFile("it cannot be read"))?;
        let length = stamp.length;
        let longest = Budget::output_for(size);
        if length > longest {
            return Err(NoAnswer::Endless(longest));
        }
        let deadline = Instant::now().checked_add(budget.time_for(size).saturating_mul(READING));
        let _ = self.answered.set(AnswerFile { file, stamp, deadline });
        Ok(())
    }

    /// The answer, which was taken.
    pub(in crate::check) fn answer(&self) -> Result<&AnswerFile, Error> {
        self.answered
            .get()
            .ok_or_else(|| Error::io("reading the answer", io::Error::new(io::ErrorKind::NotFound, "there is none")))
    }

    /// The answer, if it was taken, and its name.
    pub(in crate::check) fn named_answer(&self) -> Option<(String, &AnswerFile)> {
        Some((self.answer_name(), self.answered.get()?))
    }

    /// A message without parts that differ in every run: names of temporary folders, and numbers of threads in Rust's
    /// panics.
    pub(in crate::check) fn shorten(&self, message: &str) -> String {
        let text = message.replace(&*self.input.to_string_lossy(), &self.shown);
        let text = text.replace(&format!("{}/", self.folder.path().to_string_lossy()), "");
        without_thread_numbers(&without_folders(&text, &std::env::temp_dir()))
    }
}

/// The time to read an answer, as a multiple of the time to give it: only a file system that does not answer takes so
/// long.
const READING: u32 = 6;

/// A file's name without the case's id, which would tell the verdict.
fn opaque_name(name: &str) -> String {
    match name.split_once('.') {
        Some((_, suffix)) => format!("dump.{suffix}"),
        None => "dump".to_owned(),
    }
}

/// The open file of an answer: its path may lead to another file by now.
#[derive(Debug)]
pub(in crate::check) struct AnswerFile {
    file: Arc<File>,
    stamp: FileStamp,
    deadline: Option<Instant>,
}

impl AnswerFile {
    /// Its bytes, as many as it had when it was opened.
    pub(in crate::check) fn reader(&self) -> impl Read + use<> {
        let (bytes, deadline) = (Positioned::new(Arc::clone(&self.file), self.stamp.length), self.deadline);
        DeadlineReader { bytes, deadline }
    }

    /// The file as an input.
    pub(in crate::check) fn input(&self) -> Result<Input, Error> {
        let file = self.file.try_clone().map_err(|e| Error::io("reading the answer", e))?;
        Input::from_file("the answer", file, self.stamp.length)
    }

    /// Its length in bytes.
    pub(in crate::check) fn length(&self) -> u64 {
        self.stamp.length
    }

    /// Whether it has become another since it was opened.
    pub(in crate::check) fn has_changed(&self) -> bool {
        FileStamp::from_file(&self.file).map_or(true, |stamp| stamp != self.stamp)
    }
}

/// A reader with a deadline.
struct DeadlineReader<R> {
    bytes: R,
    deadline: Option<Instant>,
}

impl<R: Read> Read for DeadlineReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.deadline.is_some_and(|deadline| Instant::now() > deadline) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "reading it takes too long"));
        }
        self.bytes.read(buffer)
    }
}

/// A text without the names of our temporary folders: `heapsmith-`, and six letters and digits.
fn without_folders(text: &str, among: &Path) -> String {
    let start = format!("{}/heapsmith-", among.to_string_lossy().trim_end_matches('/'));
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(&start) {
        plain += before;
        let drawn = after.bytes().take_while(u8::is_ascii_alphanumeric).count();
        rest = match after.get(drawn..) {
            Some(after) if drawn == 6 => after.strip_prefix('/').unwrap_or(after),
            _ => {
                plain += &start;
                after
            }
        };
    }
    plain + rest
}

/// `thread 'main' (4711) panicked` without the number.
fn without_thread_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("' (") {
        plain += before;
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        match after[digits..].strip_prefix(") panicked") {
            Some(after) if digits > 0 => {
                plain += "' panicked";
                rest = after;
            }
            _ => {
                plain += "' (";
                rest = after;
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_thread_numbers_from_panics_only() {
        let panic = "thread 'main' (4711) panicked at src/lib.rs:7:1:";
        assert_eq!(without_thread_numbers(panic), "thread 'main' panicked at src/lib.rs:7:1:");
        for other in ["'a' (b) panicked", "' () panicked", "it's (12) fine", "' (12", ""] {
            assert_eq!(without_thread_numbers(other), other);
        }
    }

    #[test]
    fn names_of_temporary_folders_are_left_out() {
        let among = Path::new("/tmp/");
        let text = "cannot read /tmp/heapsmith-aB3dE9/x: see /tmp/heapsmith-aB3dE9 and /tmp/heapsmith-demo/y";
        assert_eq!(without_folders(text, among), "cannot read x: see  and /tmp/heapsmith-demo/y");
        assert_eq!(without_folders("/tmp/heapsmith-", among), "/tmp/heapsmith-");
    }

    #[test]
    fn opaque_names_hide_case() {
        assert_eq!(opaque_name("hprof-compressed.hprof.gz"), "dump.hprof.gz");
        assert_eq!(opaque_name("phd6-openj9-64.jsonl"), "dump.jsonl");
    }
}
