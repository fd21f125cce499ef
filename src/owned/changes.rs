//! Every change of a folder's files goes through here: its path is checked, and a test can stop before it.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::system;

use super::paths::{check, folders_of, kind};

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A folder is made.
    MakeFolder,
    /// An empty file is made.
    MakeFile,
    /// A file that was made gets its content.
    Fill,
    /// The journal appears: from here on the new files win.
    Commit,
    /// A new file gets its place.
    Place,
    /// A file goes.
    RemoveFile,
    /// An empty folder goes.
    RemoveFolder,
}

/// Changes of the files in a folder.
pub(crate) struct Changes<'c> {
    root: &'c Path,
    step: &'c mut dyn FnMut(Step),
}

impl<'c> Changes<'c> {
    /// Changes in a folder; `step` is called before each of them.
    pub(crate) fn new(root: &'c Path, step: &'c mut dyn FnMut(Step)) -> Changes<'c> {
        Changes { root, step }
    }

    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        self.root
    }

    /// Makes the folder itself, if it is missing.
    ///
    /// # Errors
    /// If it cannot be made, or is a file.
    pub(crate) fn make_root(&mut self) -> Result<(), Error> {
        if self.root.is_dir() {
            return Ok(());
        }
        (self.step)(Step::MakeFolder);
        fs::create_dir_all(self.root).map_err(|e| Error::io(format!("making the folder {}", self.root.display()), e))
    }

    /// Makes a folder in the folder.
    pub(super) fn make_folder(&mut self, path: &str) -> Result<(), Error> {
        let path = self.root.join(path);
        (self.step)(Step::MakeFolder);
        fs::create_dir(&path).map_err(|e| Error::io(format!("making the folder {}", path.display()), e))
    }

    /// Makes a file that is not there yet, and waits until it is on the disk.
    pub(super) fn make_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.root.join(path);
        let failed = |e| Error::io(format!("writing {}", path.display()), e);
        (self.step)(Step::MakeFile);
        // A new file is never a link to another one.
        let mut file = OpenOptions::new().write(true).create_new(true).open(&path).map_err(failed)?;
        (self.step)(Step::Fill);
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)
    }

    /// Renames a file of ours to where it belongs. What is there, a link too, is replaced.
    pub(super) fn rename(&mut self, from: &str, to: &str, step: Step) -> Result<(), Error> {
        let (from, to) = (self.root.join(from), self.root.join(to));
        (self.step)(step);
        fs::rename(&from, &to).map_err(|e| Error::io(format!("renaming {} to {}", from.display(), to.display()), e))
    }

    /// Removes a file, or a link without what it leads to.
    pub(super) fn remove_file(&mut self, path: &str) -> Result<(), Error> {
        let path = self.root.join(path);
        (self.step)(Step::RemoveFile);
        gone(fs::remove_file(&path), &path)
    }

    /// Removes a folder that is empty; one that is not stays.
    pub(super) fn remove_empty(&mut self, path: &str) -> Result<(), Error> {
        let path = self.root.join(path);
        (self.step)(Step::RemoveFolder);
        match fs::remove_dir(&path) {
            Err(e) if e.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            removed => gone(removed, &path),
        }
    }

    /// [`super::remove_listed`].
    pub(super) fn remove_listed(&mut self, files: &[String]) -> Result<(), Error> {
        for file in files {
            check(self.root, file)?;
        }
        for file in files {
            // A folder in the place of a file is not what was listed.
            if kind(&self.root.join(file))?.is_some_and(|found| !found.is_dir()) {
                self.remove_file(file)?;
            }
        }
        let folders: BTreeSet<&str> = files.iter().flat_map(|file| folders_of(file)).collect();
        // In order of their names a folder comes before what it holds.
        for folder in folders.into_iter().rev() {
            if kind(&self.root.join(folder))?.is_some_and(|found| found.is_dir()) {
                self.remove_empty(folder)?;
            }
        }
        Ok(())
    }

    /// Waits until the names in a folder are on the disk.
    pub(super) fn sync(&self, folder: &str) -> Result<(), Error> {
        let path: PathBuf = self.root.join(folder);
        system::sync_folder(&path).map_err(|e| Error::io(format!("writing the folder {}", path.display()), e))
    }
}

/// What is not there need not be removed.
fn gone(removed: io::Result<()>, path: &Path) -> Result<(), Error> {
    match removed {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(Error::io(format!("removing {}", path.display()), e)),
        _ => Ok(()),
    }
}
