//! A folder by its path: another process that can rename it, or put a link in its place, can redirect what is done in it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::system::remnant::Remnant;

/// Removes a folder with what is in it; of a link, the link. What may not be removed stays. The deeper the folders in it, the
/// more of the stack and of open files it takes.
pub(crate) fn remove_all(folder: &Path) -> Vec<Remnant> {
    match fs::remove_dir_all(folder) {
        Err(reason) if reason.kind() != io::ErrorKind::NotFound => vec![Remnant::new(folder, reason)],
        _ => Vec::new(),
    }
}

/// A folder.
#[derive(Debug)]
pub(crate) struct OpenFolder(PathBuf);

impl OpenFolder {
    /// The folder at a path, which is not a link.
    pub(crate) fn open(path: &Path) -> io::Result<OpenFolder> {
        match fs::symlink_metadata(path)?.is_dir() {
            true => Ok(OpenFolder(path.to_owned())),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Creates a file that is not there yet, for reading and writing.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.0.join(name))
    }

    /// Opens a file in it for reading, if it is a plain one itself.
    ///
    /// # Errors
    /// If there is none, or something else: a link, a folder, a pipe, a device.
    pub(crate) fn open_plain(&self, name: &str) -> io::Result<File> {
        let path = self.0.join(name);
        match fs::symlink_metadata(&path)?.is_file() {
            true => File::open(path),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file")),
        }
    }
}

/// Gives a file another name. A link needs rights here: it is a copy.
pub(crate) fn another_name(file: &Path, name: &Path) -> io::Result<()> {
    fs::copy(file, name).map(|_| ())
}

/// Does nothing: not every system can open a folder, and the names in it reach the disk in its own time.
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
