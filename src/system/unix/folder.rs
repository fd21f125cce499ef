//! A folder by its descriptor: what its path leads to later does not matter.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

/// A folder that is open.
#[derive(Debug)]
pub(crate) struct OpenFolder(OwnedFd);

impl OpenFolder {
    /// Opens the folder at a path, which is not a link.
    pub(crate) fn open(path: &Path) -> io::Result<OpenFolder> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(OpenFolder(openat(CWD, path, flags, Mode::empty())?))
    }

    /// Creates a file that is not there yet, for reading and writing.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.0, name, flags, Mode::from_raw_mode(0o600))?))
    }

    /// Opens a file in it for reading, if it is a plain one itself. Nothing is waited for: not for the other end of a
    /// pipe, and not for a device.
    ///
    /// # Errors
    /// If there is none, or something else: a link, a folder, a pipe, a device.
    pub(crate) fn open_plain(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, name, flags, Mode::empty())?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file")),
        }
    }
}

/// Gives a file another name: what is removed, or put beside it, under that name is not beside the file.
pub(crate) fn another_name(file: &Path, name: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::canonicalize(file)?, name)
}

/// Waits until the names in a folder are on the disk.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() { File::open(path)?.sync_all() } else { Ok(()) }
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
