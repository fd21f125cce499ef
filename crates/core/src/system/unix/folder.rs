//! A folder by its descriptor: what its path leads to later does not matter.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags, Stat, fstat, fsync, linkat, mkdirat, openat, renameat, stat,
    statat, unlinkat,
};
use rustix::io::Errno;

use crate::system::{Access, EntryKind};

/// A folder that is open. What is done in it by a name concerns the entry of that name itself, and never what a link leads to.
#[derive(Debug)]
pub struct OpenFolder(OwnedFd);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const PRIVATE: u32 = 0o600;
/// The permissions of a new file; those that the process masks are taken away.
const PUBLIC: u32 = 0o666;

impl OpenFolder {
    /// Opens the folder at a path, which is not a link.
    pub fn open(path: &Path) -> io::Result<OpenFolder> {
        Ok(OpenFolder(openat(CWD, path, FOLDER | OFlags::NOFOLLOW, Mode::empty())?))
    }

    /// Opens the folder that a path leads to, through links as well.
    pub fn follow(path: &Path) -> io::Result<OpenFolder> {
        Ok(OpenFolder(openat(CWD, path, FOLDER, Mode::empty())?))
    }

    /// Opens a folder in it.
    ///
    /// # Errors
    /// If there is none, or a link.
    pub fn open_folder(&self, name: &str) -> io::Result<OpenFolder> {
        Ok(OpenFolder(openat(&self.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty())?))
    }

    /// Whether a path still leads to it.
    pub fn is_at(&self, path: &Path) -> bool {
        matches!((fstat(&self.0), stat(path)), (Ok(open), Ok(there)) if is_same(&open, &there))
    }

    /// Creates a file that is not there yet, for reading and writing, which only its owner can open.
    pub fn create(&self, name: &str) -> io::Result<File> {
        self.create_with(name, PRIVATE)
    }

    /// Creates a file that is not there yet, for reading and writing, with the permissions of any new file.
    pub fn create_public(&self, name: &str) -> io::Result<File> {
        self.create_with(name, PUBLIC)
    }

    fn create_with(&self, name: &str, mode: u32) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.0, name, flags, Mode::from_raw_mode(mode))?))
    }

    /// Opens a file in it for reading, if it is a plain one itself. Nothing is waited for: not for the other end of a
    /// pipe, and not for a device.
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
        let purpose = match access {
            Access::Read => OFlags::RDONLY,
            Access::Write => OFlags::RDWR,
            Access::Append => OFlags::WRONLY | OFlags::APPEND,
        };
        let flags = purpose | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, name, flags, Mode::empty())?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file")),
        }
    }

    /// The kind of an entry; `None` if there is none.
    pub fn kind(&self, name: &str) -> io::Result<Option<EntryKind>> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(match FileType::from_raw_mode(found.st_mode) {
                FileType::RegularFile => EntryKind::File,
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Link,
                _ => EntryKind::Special,
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Whether an open file is the entry of this name.
    pub fn holds(&self, file: &File, name: &str) -> bool {
        let there = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW);
        matches!((fstat(file), there), (Ok(open), Ok(there)) if is_same(&open, &there))
    }

    /// The names in it, in no order.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        let name =
            |entry: rustix::io::Result<DirEntry>| Ok(OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned());
        let is_own = |name: &io::Result<OsString>| !matches!(name, Ok(name) if name == "." || name == "..");
        Dir::read_from(&self.0)?.map(name).filter(is_own).collect()
    }

    /// Creates a folder in it.
    pub fn create_folder(&self, name: &str) -> io::Result<()> {
        Ok(mkdirat(&self.0, name, Mode::from_raw_mode(0o777))?)
    }

    /// Gives a file another name, in this folder or another; what has that name is replaced.
    pub fn rename(&self, from: &str, folder: &OpenFolder, to: &str) -> io::Result<()> {
        Ok(renameat(&self.0, from, &folder.0, to)?)
    }

    /// Gives a file another name, in this folder or another, which nothing has yet.
    pub fn rename_to_new(&self, from: &str, folder: &OpenFolder, to: &str) -> io::Result<()> {
        match linkat(&self.0, from, &folder.0, to, AtFlags::empty()) {
            Ok(()) => self.remove_file(from),
            Err(Errno::EXIST) => Err(Errno::EXIST.into()),
            // Some file systems have no second name for a file.
            Err(_) if folder.kind(to)?.is_none() => self.rename(from, folder, to),
            Err(e) => Err(e.into()),
        }
    }

    /// Removes a file; of a link, the link.
    pub fn remove_file(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes a folder that is empty.
    pub fn remove_folder(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Waits until the names in it are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        Ok(fsync(&self.0)?)
    }
}

fn is_same(one: &Stat, other: &Stat) -> bool {
    (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
}

/// Gives a file another name: what is removed, or put beside it, under that name is not beside the file.
pub fn another_name(file: &Path, name: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::canonicalize(file)?, name)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::symlink;

    use super::*;

    fn read(folder: &OpenFolder, name: &str) -> io::Result<String> {
        let mut text = String::new();
        folder.open_plain(name)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn files_are_created_once_and_only_plain_ones_are_opened() {
        let there = tempfile::tempdir().expect("there is room for a folder");
        let (folder, there) = (OpenFolder::open(there.path()).expect("a folder"), there.path());
        folder.create("a").expect("a file").write_all(b"text").expect("there is room");
        assert_eq!(read(&folder, "a").expect("a plain file"), "text");
        assert!(folder.create("a").is_err(), "it is there");
        symlink("/dev/zero", there.join("link")).expect("a link");
        symlink(there.join("a"), there.join("own link")).expect("a link");
        fs::create_dir(there.join("folder")).expect("a folder");
        rustix::fs::mknodat(CWD, there.join("pipe"), rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0)
            .expect("a pipe");
        for name in ["link", "own link", "folder", "pipe", "nothing"] {
            assert!(read(&folder, name).is_err(), "{name}");
        }
        assert!(folder.create("link").is_err(), "a link is there");
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_leads_nowhere() {
        let other = tempfile::tempdir().expect("there is room for a folder");
        fs::write(other.path().join("answer"), "foreign").expect("there is room");
        let there = tempfile::tempdir().expect("there is room for a folder");
        let folder = OpenFolder::open(there.path()).expect("a folder");
        let moved = other.path().join("moved");
        fs::rename(there.path(), &moved).expect("it can be moved");
        symlink(other.path(), there.path()).expect("a link");
        assert!(OpenFolder::open(there.path()).is_err(), "it is a link");
        assert!(folder.open_plain("answer").is_err());
        folder.create("new").expect("the folder is there, elsewhere");
        assert!(moved.join("new").exists());
    }
}
