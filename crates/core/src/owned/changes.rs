//! Every change of a folder's files goes through here: its path is checked, and a test can stop before it.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::system::EntryKind;

use super::folder::{Existing, SharedFolder};
use super::paths::folders_of;

/// The next change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Step {
    /// The marker is written: the folder is unfinished from here on.
    Begin,
    /// A folder is made.
    MakeFolder,
    /// A file is written.
    Put,
    /// A file goes.
    RemoveFile,
    /// An empty folder goes.
    RemoveFolder,
    /// The marker goes: the folder is finished.
    Finish,
}

/// Changes of the files in a folder.
#[doc(hidden)]
pub struct Changes<'c> {
    root: &'c SharedFolder,
    step: &'c mut dyn FnMut(Step),
}

impl<'c> Changes<'c> {
    /// Changes in a folder; `step` is called before each of them.
    #[doc(hidden)]
    pub fn new(root: &'c SharedFolder, step: &'c mut dyn FnMut(Step)) -> Changes<'c> {
        Changes { root, step }
    }

    /// The folder.
    pub(crate) fn root(&self) -> &'c SharedFolder {
        self.root
    }

    /// Makes the folders on the way to a file that are missing.
    pub(super) fn make_folders_of(&mut self, path: &str) -> Result<(), Error> {
        for folder in folders_of(path) {
            if self.root.kind(folder)?.is_none() {
                (self.step)(Step::MakeFolder);
                self.root.create_folder(folder)?;
            }
        }
        Ok(())
    }

    /// Writes a file that is whole under its name, and on the disk.
    pub(super) fn put_file(&mut self, path: &str, bytes: &[u8], existing: Existing, step: Step) -> Result<(), Error> {
        (self.step)(step);
        self.root.put_file(path, bytes, existing)
    }

    /// Removes a file, or a link without what it leads to.
    pub(super) fn remove_file(&mut self, path: &str, step: Step) -> Result<(), Error> {
        (self.step)(step);
        self.root.remove_file(path)
    }

    /// Removes a folder that is empty; one that is not stays.
    fn remove_empty(&mut self, path: &str) -> Result<(), Error> {
        (self.step)(Step::RemoveFolder);
        self.root.remove_empty(path)
    }

    /// [`super::remove_listed`].
    pub(super) fn remove_listed(&mut self, files: &[String]) -> Result<(), Error> {
        for file in files {
            self.root.check(file)?;
        }
        for file in files {
            // A folder in the place of a file is not what was listed.
            if self.root.kind(file)?.is_some_and(|found| found != EntryKind::Folder) {
                self.remove_file(file, Step::RemoveFile)?;
            }
        }
        let folders: BTreeSet<&str> = files.iter().flat_map(|file| folders_of(file)).collect();
        // In order of their names a folder comes before what it holds.
        for folder in folders.into_iter().rev() {
            if self.root.kind(folder)? == Some(EntryKind::Folder) {
                self.remove_empty(folder)?;
            }
        }
        Ok(())
    }

    /// Waits until the names in a folder are on the disk.
    pub(super) fn sync(&self, folder: &str) -> Result<(), Error> {
        self.root.sync(folder)
    }
}
