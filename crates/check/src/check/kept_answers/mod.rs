//! Answers of failed cases, kept for the report. During a run they are in a file without a name, and right answers are
//! on no disk, so that a program under test finds neither.

mod folder;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use crate::check::report::{CheckReport, Outcome};
use crate::check::subject::QuestionFiles;
use crate::check::task::{Task, TaskOperation, first_heap, write_listing};
use crate::corpus::Case;
use heapsmith_core::error::Error;
use heapsmith_core::owned::{ListedFile, SharedFolder};
use heapsmith_core::system::Positioned;

pub use folder::{ReportFolder, read_report};

/// The length of the longest answer that is kept.
const LONGEST: u64 = 16 << 20;
/// The bytes of all answers that are kept; later ones are not.
const ALL: u64 = 1 << 30;

/// The answers of failed cases, with their tasks, from which the other files are made.
#[derive(Debug, Default)]
pub struct KeptAnswers {
    answers: Mutex<AnswerStore>,
    cases: Vec<KeptCase>,
}

/// The files of a folder of reports beside the reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeptFiles<'k> {
    /// The answers of failed cases.
    pub answers: Option<&'k KeptAnswers>,
    /// Reduced dumps, by their paths below the folder of the report.
    pub dumps: &'k [(String, KeptDump)],
}

/// The place of a dump.
#[derive(Clone, Debug)]
pub enum KeptDump {
    /// A folder that others may have written, with a list that names the dump.
    Listed(ListedDump),
    /// Memory.
    Bytes(Vec<u8>),
}

/// A dump in a list, such as the state of a campaign. It is checked when it is read.
#[derive(Clone, Debug)]
pub struct ListedDump {
    pub(super) folder: SharedFolder,
    /// The path below the folder.
    pub(super) path: String,
    /// The length and the hash that the list has.
    pub(super) length: u64,
    pub(super) sha256: String,
    /// The place in the list.
    pub(super) listed_in: String,
}

impl ListedDump {
    /// Reads it, and checks length and hash.
    fn read(&self) -> Result<Vec<u8>, Error> {
        let ListedDump { folder, path, length, sha256, listed_in } = self;
        folder.read_listed(&ListedFile { path, length: *length, sha256, listed_in })
    }
}

impl KeptFiles<'_> {
    pub(super) fn visit(
        self,
        report: &CheckReport,
        put: &mut dyn FnMut(KeptFile) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (path, dump) in self.dumps {
            let contents: Box<dyn Read> = match dump {
                KeptDump::Listed(dump) => Box::new(io::Cursor::new(dump.read()?)),
                KeptDump::Bytes(bytes) => Box::new(io::Cursor::new(bytes.clone())),
            };
            put(KeptFile { path: path.clone(), contents })?;
        }
        self.answers.map_or(Ok(()), |kept| kept.visit(report, put))
    }
}

/// A case that may have failed.
#[derive(Debug)]
struct KeptCase {
    label: String,
    /// The folder of its files, below the folder of the report.
    folder: String,
    task: Task,
}

#[derive(Debug, Default)]
struct AnswerStore {
    file: Option<Arc<File>>,
    length: u64,
    /// Answers by implementation and case: name, offset and length.
    places: BTreeMap<(String, String), (String, u64, u64)>,
}

/// A file of a report about a failed case.
pub(super) struct KeptFile {
    /// The path below the folder of the report.
    pub(super) path: String,
    /// Its bytes.
    pub(super) contents: Box<dyn Read>,
}

impl KeptAnswers {
    /// Keeps a copy of a failed case's answer; it replaces the one kept before. For any other case, only the earlier
    /// one is dropped.
    pub(super) fn keep_answer(
        &self,
        label: &str,
        id: &str,
        outcome: &Outcome,
        files: &QuestionFiles,
    ) -> Result<(), Error> {
        let failed = |e| Error::io("keeping an answer in a temporary file", e);
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (label.to_owned(), id.to_owned());
        answers.places.remove(&key);
        let Some((name, answer)) = files.named_answer().filter(|_| outcome.is_failure()) else { return Ok(()) };
        let length = answer.length();
        if length > LONGEST || answers.length + length > ALL {
            return Ok(());
        }
        let file = match &answers.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(answers.file.insert(Arc::new(tempfile::tempfile().map_err(failed)?))),
        };
        (&*file).seek(SeekFrom::Start(answers.length)).map_err(failed)?;
        // What cannot be read is the judge's matter.
        let Ok(copied) = io::copy(&mut answer.reader(), &mut &*file) else { return Ok(()) };
        let at = answers.length;
        answers.places.insert(key, (name, at, copied));
        answers.length += copied;
        Ok(())
    }

    /// Takes note of the cases of an implementation.
    pub(super) fn add_cases(&mut self, label: &str, tasks: Vec<Task>) {
        let numbered = (2..).map(|number| format!("{}-{number}", portable_name(label)));
        let is_new = |name: &String| !self.cases.iter().any(|case| case.folder.split('/').nth(1) == Some(name));
        let Some(own) = std::iter::once(portable_name(label)).chain(numbered).find(is_new) else { return };
        self.cases.extend(tasks.into_iter().map(|task| {
            let folder = format!("cases/{own}/{}", portable_name(&task.id));
            KeptCase { label: label.to_owned(), folder, task }
        }));
    }

    /// Calls `put` with each file of each failed case of a report: input, answer, right listing, and outcome.
    pub(super) fn visit(
        &self,
        report: &CheckReport,
        put: &mut dyn FnMut(KeptFile) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        for KeptCase { label, folder, task } in &self.cases {
            let tested = report.implementations.iter().find(|tested| tested.label == *label);
            let result = tested.and_then(|tested| tested.results.iter().find(|result| result.id == task.id));
            let Some(result) = result.filter(|result| result.outcome().is_failure()) else { continue };
            let mut file =
                |name: &str, contents: Box<dyn Read>| put(KeptFile { path: format!("{folder}/{name}"), contents });
            // A large dump is made anew from what the report says of it, or is where it was.
            if task.source.is_streamed() {
                continue;
            }
            let case = task.source.validated_case()?;
            // Where implementations are compared, nothing is expected.
            let is_expected = tested.is_some_and(|tested| tested.compared.is_empty());
            let listing = match first_heap(&case).filter(|_| is_expected) {
                Some(_) => {
                    let mut listing = Vec::new();
                    write_listing(&case, &mut listing)?;
                    Some(listing)
                }
                None => None,
            };
            let (name, input) = input_file(task, &case, listing.as_deref());
            file(&name, input)?;
            if let Some((name, at, length)) = answers.places.get(&(label.clone(), task.id.clone()))
                && let Some(kept) = &answers.file
            {
                let mut piece = Positioned::new(Arc::clone(kept), at + length);
                piece.seek(SeekFrom::Start(*at)).map_err(|e| Error::io("reading a kept answer", e))?;
                file(name, Box::new(piece))?;
            }
            if let Some(listing) = listing {
                file("expected.jsonl", Box::new(io::Cursor::new(listing)))?;
            }
            let text = format!("{}: {}\n", result.outcome().name(), result.outcome().detail());
            file("outcome.txt", Box::new(io::Cursor::new(text.into_bytes())))?;
        }
        Ok(())
    }
}

/// The input of a task, with the name that it is kept under.
fn input_file(task: &Task, case: &Case, listing: Option<&[u8]>) -> (String, Box<dyn Read>) {
    match task.operation {
        TaskOperation::Encode(_) => {
            (case.listing_file(0), Box::new(io::Cursor::new(listing.unwrap_or_default().to_vec())))
        }
        _ => (case.file(), Box::new(io::Cursor::new(case.bytes.clone()))),
    }
}

/// A file name that every system takes.
fn portable_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = name.chars().take(80).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if name.starts_with('.') || name.is_empty() { format!("_{name}") } else { name }
}
