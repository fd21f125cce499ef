//! A folder by its path. The kind of what stands at a path is looked at first, and the path is opened, renamed or removed then:
//! a process that renames the folder, or puts a link or a pipe in the place of a file, between the two redirects what is done, or
//! makes it wait. On Unix there is no such moment.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::system::remnant::Remnant;
use crate::system::{Access, EntryKind};

/// Removes a folder with what is in it; of a link, the link. What may not be removed stays. The deeper the folders in it, the
/// more of the stack and of open files it takes.
pub fn remove_all(folder: &Path) -> Vec<Remnant> {
    match fs::remove_dir_all(folder) {
        Err(reason) if reason.kind() != io::ErrorKind::NotFound => vec![Remnant::new(folder, reason)],
        _ => Vec::new(),
    }
}

/// A folder.
#[derive(Debug)]
pub struct OpenFolder(PathBuf);

impl OpenFolder {
    /// The folder at a path, which is not a link.
    pub fn open(path: &Path) -> io::Result<OpenFolder> {
        match fs::symlink_metadata(path)?.is_dir() {
            true => Ok(OpenFolder(path.to_owned())),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// The folder that a path leads to, through links as well.
    pub fn follow(path: &Path) -> io::Result<OpenFolder> {
        OpenFolder::open(&path.canonicalize()?)
    }

    /// A folder in it.
    ///
    /// # Errors
    /// If there is none, or a link.
    pub fn open_folder(&self, name: &str) -> io::Result<OpenFolder> {
        OpenFolder::open(&self.0.join(name))
    }

    /// Whether a path still leads to it: it does where the folder has gone nowhere else.
    pub fn is_at(&self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|there| there == self.0)
    }

    /// Creates a file that is not there yet, for reading and writing.
    pub fn create(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create_new(true).open(self.0.join(name))
    }

    /// Creates a file that is not there yet, for reading and writing.
    pub fn create_public(&self, name: &str) -> io::Result<File> {
        self.create(name)
    }

    /// Opens a file in it for reading, if it is a plain one itself.
    ///
    /// # Errors
    /// If there is none, or something else: a link, a folder, a pipe, a device.
    pub fn open_plain(&self, name: &str) -> io::Result<File> {
        self.open_plain_for(name, Access::Read)
    }

    /// Opens a plain file as [`OpenFolder::open_plain`] does, for a purpose.
    ///
    /// # Errors
    /// Like [`OpenFolder::open_plain`].
    pub fn open_plain_for(&self, name: &str, access: Access) -> io::Result<File> {
        let path = self.0.join(name);
        if !fs::symlink_metadata(&path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
        }
        let mut options = OpenOptions::new();
        match access {
            Access::Read => options.read(true),
            Access::Write => options.read(true).write(true),
            Access::Append => options.append(true),
        };
        options.open(path)
    }

    /// The kind of an entry; `None` if there is none.
    pub fn kind(&self, name: &str) -> io::Result<Option<EntryKind>> {
        match fs::symlink_metadata(self.0.join(name)) {
            Ok(found) => Ok(Some(found.file_type().into())),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Whether an open file is the entry of this name: always, since a file that others may have open is not removed.
    pub fn holds(&self, _: &File, _: &str) -> bool {
        true
    }

    /// The names in it, in no order.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// Creates a folder in it.
    pub fn create_folder(&self, name: &str) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    /// Gives a file another name, in this folder or another; what has that name is replaced.
    pub fn rename(&self, from: &str, folder: &OpenFolder, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), folder.0.join(to))
    }

    /// Gives a file another name, in this folder or another, which nothing has yet.
    pub fn rename_to_new(&self, from: &str, folder: &OpenFolder, to: &str) -> io::Result<()> {
        match folder.kind(to)? {
            None => self.rename(from, folder, to),
            Some(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    /// Removes a file; of a link, the link.
    pub fn remove_file(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Removes a folder that is empty.
    pub fn remove_folder(&self, name: &str) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    /// Does nothing: not every system can open a folder, and the names in it reach the disk in its own time.
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "Unix can")]
    pub fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives a file another name. A link needs rights here: it is a copy.
pub fn another_name(file: &Path, name: &Path) -> io::Result<()> {
    fs::copy(file, name).map(|_| ())
}
