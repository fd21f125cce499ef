//! The dumps and answers of failed cases, for later looks.

use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::Case;
use crate::error::Error;

use super::report::{Outcome, Report};
use super::subject::Files;
use super::task::{first_heap, write_listing};

/// A folder with a folder for each failed case.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    folder: PathBuf,
}

/// Longer answers are not kept.
const LONGEST: u64 = 16 << 20;

impl Kept {
    pub(super) fn new(folder: &Path, label: &str) -> Kept {
        Kept { folder: folder.join("cases").join(plain(label)) }
    }

    /// Removes what an earlier run kept in a folder of reports.
    ///
    /// # Errors
    /// If there is a folder of that name, and no report beside it: then it is somebody else's.
    pub(super) fn clear(folder: &Path) -> Result<(), Error> {
        let cases = folder.join("cases");
        let report = || fs::read(folder.join("report.json")).ok();
        let is_ours = || report().is_some_and(|text| serde_json::from_slice::<Report>(&text).is_ok());
        if cases.exists() && !is_ours() {
            return Err(Error::Usage(format!(
                "{} is there, and no report of `check` beside it; name another folder for the report",
                cases.display()
            )));
        }
        match fs::remove_dir_all(&cases) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io(format!("removing {}", cases.display()), e))
            }
            _ => Ok(()),
        }
    }

    /// Removes what was kept of a case.
    pub(super) fn forget(&self, id: &str) -> Result<(), Error> {
        match fs::remove_dir_all(self.folder.join(plain(id))) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io("removing a kept case", e)),
            _ => Ok(()),
        }
    }

    /// Keeps what happened in a case, without its files.
    pub(super) fn note(&self, id: &str, outcome: &Outcome) -> Result<(), Error> {
        let folder = self.folder.join(plain(id));
        let text = format!("{}: {}\n", outcome.name(), outcome.detail());
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(folder.join("outcome.txt"), text))
            .map_err(|e| Error::io(format!("writing to {}", folder.display()), e))
    }

    /// Keeps what was handed over, what is right and what came back; or removes that, if the case is not failed.
    pub(super) fn put(&self, id: &str, outcome: &Outcome, files: &Files, case: &Case) -> Result<(), Error> {
        let folder = self.folder.join(plain(id));
        let failed = |e| Error::io(format!("writing to {}", folder.display()), e);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        if !outcome.is_failure() {
            return Ok(());
        }
        fs::create_dir_all(&folder).map_err(failed)?;
        for path in [&files.input, &files.output] {
            if let (Some(name), Ok(file)) = (path.file_name(), fs::metadata(path))
                && file.is_file()
                && file.len() <= LONGEST
            {
                fs::copy(path, folder.join(name)).map_err(failed)?;
            }
        }
        if first_heap(case).is_some() {
            let mut listing = Vec::new();
            write_listing(case, &mut listing)?;
            fs::write(folder.join("expected.jsonl"), listing).map_err(failed)?;
        }
        self.note(id, outcome)
    }
}

/// A name that is one everywhere.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = name.chars().take(80).map(|c| if is_plain(c) { c } else { '_' }).collect();
    if name.starts_with('.') { format!("_{name}") } else { name }
}
