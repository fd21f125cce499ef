//! Programs that are started for each case.

use std::fs::OpenOptions;
use std::path::Path;

use crate::check::process::{Limits, Process, StdoutTarget, StopReason};
use crate::check::subject::{NoAnswer, QuestionFiles, Reply, Session, Subject, SubjectKind, is_shortage, not_started};
use crate::check::task::Task;
use crate::corpus::Case;
use heapsmith_core::error::Error;
use heapsmith_core::system;
use heapsmith_core::temporary::TemporaryFolder;

/// Asks a program that prints a listing, or one that makes a file of another.
pub(super) struct OneShotSession<'s> {
    subject: &'s Subject,
    /// Peak memory of the last process, as far as it was seen.
    peak: Option<u64>,
}

impl<'s> OneShotSession<'s> {
    pub(super) fn new(subject: &'s Subject) -> OneShotSession<'s> {
        OneShotSession { subject, peak: None }
    }

    /// The command with the paths filled in.
    fn command(&self, case: &Case, files: &QuestionFiles) -> Result<Vec<String>, Error> {
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| {
                Error::Usage(format!(
                    "{}: the path is not valid UTF-8, as a command line needs it; set TMPDIR to another folder",
                    path.display()
                ))
            })
        };
        let (input, output) = (text(&files.input)?, text(&files.output)?);
        let heap = case.heap.unwrap_or_default().to_string();
        let places: &[(&str, &str)] = match self.subject.kind {
            SubjectKind::Converter { .. } | SubjectKind::Encoder { .. } => {
                &[("{in}", &input), ("{out}", &output), ("{heap}", &heap)]
            }
            SubjectKind::Decoder | SubjectKind::Adapter => &[("{}", &input), ("{heap}", &heap)],
        };
        let fill = |word: &String| places.iter().fold(word.clone(), |word, (place, path)| word.replace(place, path));
        Ok(self.subject.words.iter().map(fill).collect())
    }
}

impl Session for OneShotSession<'_> {
    fn ask(&mut self, _: &Task, case: &Case, files: &QuestionFiles) -> Result<Reply, Error> {
        self.peak = None;
        let failed = |e| Error::io("preparing the files of a case", e);
        let Subject { supervisor, budget, stop, .. } = self.subject;
        let command = self.command(case, files)?;
        // A file, not a pipe: what is printed is never held in memory. What a converter prints is not read.
        let is_printed = self.subject.kind == SubjectKind::Decoder;
        let output = if is_printed {
            files.create_printed_answer()
        } else {
            OpenOptions::new().write(true).open(system::NOWHERE)
        };
        let temporary = TemporaryFolder::new("heapsmith-").map_err(failed)?;
        let output = StdoutTarget::File(output.map_err(failed)?);
        let mut process = match Process::start(supervisor, &command, temporary.path(), output, stop) {
            Ok(process) => process,
            Err(e) if is_shortage(&e) => return Ok(Reply::Error(e.to_string())),
            Err(e) => return Err(e),
        };
        let size = files.size;
        let stopped = process.wait_for_end(&Limits::for_dump(budget, size, Some(files.answer_place())));
        self.peak = process.peak_memory();
        process.kill();
        let messages = files.shorten(&process.messages());
        Ok(match stopped {
            StopReason::Ended(Some(0), _) => match files.open_answer(budget, size) {
                Ok(()) => Reply::Accepted(Box::default()),
                Err(NoAnswer::Endless(limit)) => Reply::from_stop_reason(StopReason::Endless(limit), ""),
                Err(NoAnswer::NoFile(why)) => {
                    Reply::Crash(format!("exit code 0 without a plain file as the answer: {why}"))
                }
            },
            StopReason::NotStarted(why) => return Err(not_started(self.subject, &why)),
            StopReason::Ended(Some(1), _) => Reply::Refused(messages, None),
            stopped => Reply::from_stop_reason(stopped, &messages),
        })
    }

    fn ask_digest(&mut self, _: &Case, _: &QuestionFiles, _: bool, _: Option<u8>) -> Result<Reply, Error> {
        Ok(Reply::Error("it prints no digests".to_owned()))
    }

    fn was_first(&self) -> bool {
        true
    }

    fn peak_memory(&mut self) -> Option<u64> {
        self.peak
    }

    fn finish(&mut self) -> Vec<(usize, Reply)> {
        Vec::new()
    }
}
