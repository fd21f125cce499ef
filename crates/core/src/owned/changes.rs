//! Every change of a folder's files goes through here: its path is checked, and a test can stop before it.

use std::collections::BTreeSet;
use std::io::Write;

use crate::error::Error;
use crate::system::EntryKind;

use super::folder::SharedFolder;
use super::paths::folders_of;

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Step {
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

    /// Makes a folder in the folder.
    pub(super) fn make_folder(&mut self, path: &str) -> Result<(), Error> {
        (self.step)(Step::MakeFolder);
        self.root.create_folder(path)
    }

    /// Makes a file that is not there yet, and waits until it is on the disk.
    pub(super) fn make_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        (self.step)(Step::MakeFile);
        // A new file is never a link to another one.
        let mut file = self.root.create_file(path)?;
        (self.step)(Step::Fill);
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        written.map_err(|e| Error::io(format!("writing {}", self.root.name_of(path)), e))
    }

    /// Renames a file of ours to where it belongs. What is there, a link too, is replaced.
    pub(super) fn rename(&mut self, from: &str, to: &str, step: Step) -> Result<(), Error> {
        (self.step)(step);
        self.root.rename(from, to)
    }

    /// Removes a file, or a link without what it leads to.
    pub(super) fn remove_file(&mut self, path: &str) -> Result<(), Error> {
        (self.step)(Step::RemoveFile);
        self.root.remove_file(path)
    }

    /// Removes a folder that is empty; one that is not stays.
    pub(super) fn remove_empty(&mut self, path: &str) -> Result<(), Error> {
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
                self.remove_file(file)?;
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
