//! Temporary folders of our own.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::interrupt::{self, CleanupGuard};
use crate::system::OpenFolder;

/// A temporary folder with an unpredictable name, which only its owner can enter. It is removed with what is in it, but nothing
/// that links in it lead to; and if a link stands in its place by then, that alone. A signal removes it, too.
#[derive(Debug)]
#[doc(hidden)]
pub struct TemporaryFolder {
    /// Closed before the folder is removed, which may take what there is of open files.
    opened: OpenFolder,
    folder: RemovedOnDrop,
    _listed: CleanupGuard,
}

/// A folder that is removed when this is dropped.
#[derive(Debug)]
struct RemovedOnDrop(PathBuf);

impl Drop for RemovedOnDrop {
    fn drop(&mut self) {
        interrupt::remove_folder(&self.0);
    }
}

/// Attempts to make a new folder where another process is quicker to put something else in its place.
const TRIES: u32 = 8;

impl TemporaryFolder {
    /// Creates a folder among the system's temporary files, with a name that begins with `prefix`.
    #[doc(hidden)]
    pub fn new(prefix: &str) -> io::Result<TemporaryFolder> {
        let mut tried = 1;
        loop {
            let create = || Ok(RemovedOnDrop(tempfile::Builder::new().prefix(prefix).tempdir()?.keep()));
            let (folder, listed) = interrupt::create_temporary(create, |folder| &folder.0)?;
            match OpenFolder::open(&folder.0) {
                Ok(opened) => return Ok(TemporaryFolder { opened, folder, _listed: listed }),
                Err(e) if tried == TRIES => return Err(e),
                Err(_) => tried += 1,
            }
        }
    }

    /// The folder's path.
    #[doc(hidden)]
    pub fn path(&self) -> &Path {
        &self.folder.0
    }

    /// The path of a file in it.
    #[doc(hidden)]
    pub fn join(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    /// Creates a file that is not there yet, for reading and writing.
    #[doc(hidden)]
    pub fn create(&self, name: &str) -> io::Result<File> {
        self.opened.create(name)
    }

    /// Opens a file in it for reading, if it is a plain one itself.
    ///
    /// # Errors
    /// If there is none, or something else: a link, a folder, a pipe, a device.
    #[doc(hidden)]
    pub fn open_plain(&self, name: &str) -> io::Result<File> {
        self.opened.open_plain(name)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn what_is_created_in_a_folder_is_opened_and_goes_with_it() {
        let folder = TemporaryFolder::new("heapsmith-").expect("there is room for a folder");
        folder.create("a").expect("a file").write_all(b"text").expect("there is room");
        let mut text = String::new();
        folder.open_plain("a").and_then(|mut file| file.read_to_string(&mut text)).expect("a plain file");
        assert_eq!(text, "text");
        assert!(folder.create("a").is_err(), "it is there");
        fs::create_dir(folder.join("folder")).expect("a folder");
        for name in ["folder", "nothing"] {
            assert!(folder.open_plain(name).is_err(), "{name}");
        }
        let path = folder.path().to_owned();
        drop(folder);
        assert!(path.symlink_metadata().is_err(), "it is removed");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_folder_is_removed_alone() {
        let other = tempfile::tempdir().expect("there is room for a folder");
        fs::write(other.path().join("answer"), "foreign").expect("there is room");
        let folder = TemporaryFolder::new("heapsmith-").expect("there is room for a folder");
        let path = folder.path().to_owned();
        fs::rename(&path, other.path().join("moved")).expect("it can be moved");
        crate::system::symlink(other.path(), &path).expect("a link");
        drop(folder);
        assert!(path.symlink_metadata().is_err(), "the link is removed");
        assert_eq!(fs::read_to_string(other.path().join("answer")).expect("it is there"), "foreign");
    }
}
