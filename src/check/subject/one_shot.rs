//! Programs that are started anew for each case.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use crate::corpus::Case;
use crate::error::Error;

use super::super::process::{Limits, Output, Process, Stopped};
use super::super::task::Task;
use super::{Files, Kind, Reply, Session, Subject, not_started};

/// Asks a program that prints a listing, or one that makes a file of another.
pub(super) struct OneShot<'s> {
    subject: &'s Subject,
    scratch: PathBuf,
}

impl<'s> OneShot<'s> {
    pub(super) fn new(subject: &'s Subject, scratch: &Path) -> OneShot<'s> {
        OneShot { subject, scratch: scratch.to_owned() }
    }

    /// The command with the paths in their places.
    fn command(&self, case: &Case, files: &Files) -> Result<Vec<String>, Error> {
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(|| Error::Usage(format!("{} is not Unicode", path.display())))
        };
        let (input, output) = (text(&files.input)?, text(&files.output)?);
        let heap = case.heap.unwrap_or_default().to_string();
        let places: &[(&str, &str)] = match self.subject.kind {
            Kind::Converter { .. } | Kind::Encoder { .. } => &[("{in}", &input), ("{out}", &output), ("{heap}", &heap)],
            Kind::Decoder | Kind::Adapter => &[("{}", &input), ("{heap}", &heap)],
        };
        let fill = |word: &String| places.iter().fold(word.clone(), |word, (place, path)| word.replace(place, path));
        Ok(self.subject.words.iter().map(fill).collect())
    }
}

impl Session for OneShot<'_> {
    fn ask(&mut self, _: &Task, case: &Case, files: &Files) -> Result<Reply, Error> {
        let failed = |e| Error::io(format!("writing to {}", files.folder.display()), e);
        let command = self.command(case, files)?;
        // A file, not a pipe: what is printed is never held in memory. What a converter prints, nobody reads.
        let is_printed = self.subject.kind == Kind::Decoder;
        let output =
            if is_printed { File::create(&files.output) } else { OpenOptions::new().write(true).open("/dev/null") };
        let scratch = self.scratch.join("run");
        let output = Output::File(output.map_err(failed)?);
        let mut process = Process::start(&self.subject.supervisor, &command, &scratch, output)?;
        let limits = Limits::of(&self.subject.budget, case.bytes.len() as u64, Some(&files.output));
        let stopped = process.end(&limits);
        process.kill();
        let messages = files.shorten(&process.messages());
        let _ = fs::remove_dir_all(&scratch);
        Ok(match stopped {
            Stopped::Ended(Some(0), _) if is_printed || files.is_answered() => Reply::Accepted(Box::default()),
            Stopped::Ended(Some(0), _) => Reply::Crash("exit code 0, and no plain file written".to_owned()),
            Stopped::NotStarted(why) => return Err(not_started(self.subject, &why)),
            Stopped::Ended(Some(1), _) => Reply::Refused(messages, None),
            stopped => Reply::stopped(stopped, &messages),
        })
    }

    fn ask_digest(&mut self, _: &Case, _: &Files, _: bool, _: Option<u8>) -> Result<Reply, Error> {
        Ok(Reply::Error("it prints no digests".to_owned()))
    }

    fn finish(&mut self) -> Vec<(usize, Reply)> {
        Vec::new()
    }
}
