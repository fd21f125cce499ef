//! Folders of reports. A marker lists the files that were written, so that no others are removed.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use crate::check::kept_answers::KeptFiles;
use crate::check::report::{CheckReport, html, junit, markdown, sarif};
use heapsmith_core::error::{Error, Remedy};
use heapsmith_core::input::{LONGEST_REPORT, read_bytes};
use heapsmith_core::owned::{self, Existing, FolderLock, SharedFolder};

/// The file that marks a folder as a report, and lists its files.
const MARKER: &str = ".heapsmith-report";
/// Version of the marker's form.
const FORM: u32 = 1;

#[derive(Debug, Default, Serialize, Deserialize)]
struct ReportMarker {
    schema: u32,
    /// Relative paths of these files.
    files: Vec<String>,
}

/// A form of the report, and its file.
type ReportForm = (&'static str, fn(&CheckReport, &mut dyn Write) -> Result<(), Error>);

/// The report that programs read.
const DATA: &str = "report.json";

const FORMS: [ReportForm; 5] = [
    (DATA, write_json),
    ("report.html", html::write),
    ("report.md", markdown::write),
    ("report.sarif", sarif::write),
    ("junit.xml", junit::write),
];

/// The page, which people open.
const PAGE: &str = "report.html";

/// Reads a report of `check`: a file in JSON, or that of a folder.
///
/// # Errors
/// If there is none or it cannot be read. The path of the user may lead through links; in a folder, which others may have written,
/// only a plain file is a report.
pub fn read_report(path: &Path) -> Result<CheckReport, Error> {
    let (name, bytes) = match path.is_dir() {
        true => {
            let folder = SharedFolder::open(path)?;
            let name = folder.name_of(DATA);
            let bytes = folder.read(DATA)?;
            (name.clone(), bytes.ok_or_else(|| Error::io(format!("reading {name}"), ErrorKind::NotFound.into()))?)
        }
        false => (path.display().to_string(), read_bytes(path, LONGEST_REPORT)?),
    };
    let wrong = |e: &dyn std::fmt::Display| {
        Error::Usage(format!("{name}: expected a report in JSON as `check --report` writes it: {e}"))
    };
    let report: CheckReport = serde_json::from_slice(&bytes).map_err(|e| wrong(&e))?;
    report.check_dump_paths().map_err(|e| wrong(&e))?;
    Ok(report)
}

/// The folder for the reports of a run, locked against other commands. Everything happens in the folder that was
/// claimed: another one that takes its place meanwhile is left alone.
#[derive(Debug)]
pub struct ReportFolder {
    folder: SharedFolder,
    /// Whether nothing of an earlier report is there any more.
    is_clear: AtomicBool,
    _lock: FolderLock,
}

impl ReportFolder {
    /// The name of a file in the folder, as messages have it.
    pub(in crate::check) fn name_of(&self, file: &str) -> String {
        self.folder.name_of(file)
    }

    /// Takes a folder for reports; it is made if it is missing. Nothing in it is changed.
    ///
    /// # Errors
    /// If it holds anything but a report; if it holds a report, unless `force`; if another command writes there, or the
    /// folder cannot be written to.
    pub fn claim(path: &Path, force: bool) -> Result<ReportFolder, Error> {
        let folder = SharedFolder::create(path)?;
        let lock = FolderLock::exclusive(&folder)?;
        let folder = ReportFolder { folder, is_clear: AtomicBool::new(false), _lock: lock };
        let marker = folder.read_marker();
        // A file with the marker's name that is none is not ours.
        let is_other = |name: &String| !owned::is_own(name) || name == MARKER && marker.is_none();
        let other = folder.folder.entries()?.into_iter().find(is_other);
        match (marker, other) {
            (None, None) => folder.write_marker(&[])?,
            (None, Some(other)) => {
                return Err(Error::Usage(format!(
                    "{} is not empty ({other}) and is not a report of heapsmith; name an empty folder or a new one for the \
                     report",
                    path.display()
                )));
            }
            (Some(marker), Some(_)) if !marker.files.is_empty() && !force => {
                let message = format!("{} holds a report already", path.display());
                return Err(Error::refused(message, Remedy::Replace));
            }
            (Some(_), _) => {}
        }
        Ok(folder)
    }

    /// The page in the folder.
    pub fn page(&self) -> PathBuf {
        self.folder.path().join(PAGE)
    }

    /// Removes the files of an earlier report, and nothing else.
    ///
    /// # Errors
    /// If a file cannot be removed.
    #[doc(hidden)]
    pub fn clear(&self) -> Result<(), Error> {
        let Some(marker) = self.read_marker() else { return Ok(()) };
        owned::remove_listed(&self.folder, &marker.files)?;
        self.is_clear.store(true, Ordering::Relaxed);
        self.write_marker(&[])
    }

    /// Whether an earlier report is in the folder: nothing has answered that a new one could be about.
    pub fn holds_earlier_report(&self) -> bool {
        let is_listed = || self.read_marker().is_some_and(|marker| !marker.files.is_empty());
        !self.is_clear.load(Ordering::Relaxed) && is_listed()
    }

    /// Writes all forms of a report, and the files of failed cases; what an earlier run wrote is removed. Where one file
    /// cannot be written, the others are all the same.
    ///
    /// # Errors
    /// If a dump that belongs to the report is not what the campaign wrote: the earlier report stays then. The first file that could
    /// not be written. If the folder's path leads to another one by now: what was taken has the report all the same.
    pub fn write(&self, report: &CheckReport, kept: KeptFiles<'_>) -> Result<(), Error> {
        let mut files: Vec<String> = FORMS.iter().map(|(file, _)| (*file).to_owned()).collect();
        kept.visit(report, &mut |file| {
            files.push(file.path);
            Ok(())
        })?;
        self.clear()?;
        // Before they are there: what an interruption leaves is known to be ours. What is there already is not.
        let mut lost = WriteFailures::default();
        files.retain(|file| match self.folder.kind(file) {
            Ok(None) => true,
            Ok(Some(_)) => {
                lost.record(self.foreign_file_error(file));
                false
            }
            Err(error) => {
                lost.record(error);
                false
            }
        });
        self.write_marker(&files)?;
        let ours: BTreeSet<&str> = files.iter().map(String::as_str).collect();
        for (file, write) in FORMS.iter().filter(|(file, _)| ours.contains(file)) {
            lost.try_to(|| {
                let mut text = Vec::new();
                write(report, &mut text)?;
                self.folder.put_file(file, &text, Existing::Kept)
            });
        }
        kept.visit(report, &mut |file| {
            if ours.contains(file.path.as_str()) {
                lost.try_to(|| self.write_file(&file.path, file.contents));
            }
            Ok(())
        })?;
        lost.into_result()?;
        if self.folder.is_in_place() {
            return Ok(());
        }
        let path = self.folder.path().display();
        Err(Error::Usage(format!(
            "{path} was moved or replaced while the command ran: the report is in the folder that was there when it began, \
             wherever that is now; what is at {path} was left alone"
        )))
    }

    /// Writes a file that is not there yet, with the folders on its way.
    fn write_file(&self, path: &str, mut contents: Box<dyn Read>) -> Result<(), Error> {
        let mut file = self.folder.create_file(path)?;
        let written = io::copy(&mut contents, &mut file).map(drop);
        written.map_err(|e| Error::io(format!("writing {}", self.folder.name_of(path)), e))
    }

    fn read_marker(&self) -> Option<ReportMarker> {
        let text = self.folder.read(MARKER).ok()??;
        serde_json::from_slice::<ReportMarker>(&text).ok().filter(|marker| marker.schema == FORM)
    }

    fn write_marker(&self, files: &[String]) -> Result<(), Error> {
        let marker = ReportMarker { schema: FORM, files: files.to_vec() };
        let failed = |e: serde_json::Error| Error::io(format!("writing {}", self.folder.name_of(MARKER)), e.into());
        let text = serde_json::to_string_pretty(&marker).map_err(failed)? + "\n";
        // A link that stands there by now is replaced, and not followed.
        self.folder.put_file(MARKER, text.as_bytes(), Existing::Replaced)
    }

    fn foreign_file_error(&self, path: &str) -> Error {
        let message = "it is there and was not written by heapsmith; move it away, or name another folder";
        let error = io::Error::new(io::ErrorKind::AlreadyExists, message);
        Error::io(format!("writing {}", self.folder.name_of(path)), error)
    }
}

/// Files that could not be written.
#[derive(Debug, Default)]
struct WriteFailures {
    first: Option<Error>,
    more: u64,
}

impl WriteFailures {
    fn try_to(&mut self, write: impl FnOnce() -> Result<(), Error>) {
        if let Err(error) = write() {
            self.record(error);
        }
    }

    fn record(&mut self, error: Error) {
        match self.first {
            Some(_) => self.more += 1,
            None => self.first = Some(error),
        }
    }

    fn into_result(self) -> Result<(), Error> {
        match (self.first, self.more) {
            (None, _) => Ok(()),
            (Some(Error::Io { action, source }), more @ 1..) => {
                Err(Error::io(format!("{action} (and {more} more files of the report)"), source))
            }
            (Some(error), _) => Err(error),
        }
    }
}

fn write_json(report: &CheckReport, out: &mut dyn Write) -> Result<(), Error> {
    let failed = |e: io::Error| Error::io("writing the report", e);
    serde_json::to_writer_pretty(&mut *out, report).map_err(|e| failed(e.into()))?;
    out.write_all(b"\n").map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_of_other_things_is_refused_untouched() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        for marker in [None, Some("{}"), Some("{\"schema\":1}"), Some("no JSON")] {
            fs::write(folder.path().join("mine"), "mine").expect("there is room");
            if let Some(marker) = marker {
                fs::write(folder.path().join(MARKER), marker).expect("there is room");
            }
            assert!(ReportFolder::claim(folder.path(), true).is_err(), "{marker:?}");
            assert_eq!(fs::read_to_string(folder.path().join("mine")).expect("a file"), "mine");
        }
    }

    #[test]
    fn ignores_marker_paths_outside_folder() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let path = folder.path().join("report");
        fs::create_dir(&path).expect("there is room for a folder");
        fs::write(folder.path().join("mine"), "mine").expect("there is room");
        for hostile in ["../mine", "/etc/hostname", "a/../../mine"] {
            let marker = ReportMarker { schema: FORM, files: vec![hostile.to_owned()] };
            fs::write(path.join(MARKER), serde_json::to_vec(&marker).expect("JSON")).expect("there is room");
            let claimed = ReportFolder::claim(&path, true).expect("a marker");
            assert!(claimed.clear().is_err(), "{hostile}");
            assert!(folder.path().join("mine").exists());
        }
    }
}
