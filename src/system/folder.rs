//! A folder by its descriptor: what its path leads to later does not matter.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use tempfile::TempDir;

use crate::interrupt::{self, Listed};

/// A temporary folder with an unpredictable name, which only its owner can enter. It is removed with what is in it, but nothing
/// that links in it lead to; and if a link stands in its place by then, that alone.
#[derive(Debug)]
pub(crate) struct Folder {
    folder: TempDir,
    opened: OwnedFd,
    _listed: Listed,
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove_all(self.folder.path());
    }
}

/// Removes a folder with what is in it, also folders that their owner may not write to; of a link, the link.
pub(crate) fn remove_all(folder: &Path) {
    if fs::remove_dir_all(folder).is_ok() {
        return;
    }
    let mut ahead = vec![folder.to_owned()];
    while let Some(folder) = ahead.pop() {
        if fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
            let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
            ahead.extend(fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
    let _ = fs::remove_dir_all(folder);
}

/// How often a new one is tried where somebody is quicker to put something else in its place.
const TRIES: u32 = 8;

impl Folder {
    /// Makes one among the system's temporary files, with a name that begins so.
    pub(crate) fn new(prefix: &str) -> io::Result<Folder> {
        let mut tried = 1;
        loop {
            let create = || tempfile::Builder::new().prefix(prefix).tempdir();
            let (folder, listed) = interrupt::listed(create, TempDir::path)?;
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
            match openat(CWD, folder.path(), flags, Mode::empty()) {
                Ok(opened) => return Ok(Folder { folder, opened, _listed: listed }),
                Err(e) if tried == TRIES => return Err(e.into()),
                Err(_) => tried += 1,
            }
        }
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Creates a file that is not there yet, for reading and writing.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.opened, name, flags, Mode::from_raw_mode(0o600))?))
    }

    /// Opens a file in it for reading, if it is a plain one itself. Nothing is waited for: not for the other end of a
    /// pipe, and not for a device.
    ///
    /// # Errors
    /// If there is none, or something else: a link, a folder, a pipe, a device.
    pub(crate) fn open_plain(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(openat(&self.opened, name, flags, Mode::empty())?);
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::symlink;

    use super::*;

    fn read(folder: &Folder, name: &str) -> io::Result<String> {
        let mut text = String::new();
        folder.open_plain(name)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn files_are_created_once_and_only_plain_ones_are_opened() {
        let folder = Folder::new("heapsmith-").expect("there is room for a folder");
        folder.create("a").expect("a file").write_all(b"text").expect("there is room");
        assert_eq!(read(&folder, "a").expect("a plain file"), "text");
        assert!(folder.create("a").is_err(), "it is there");
        symlink("/dev/zero", folder.join("link")).expect("a link");
        symlink(folder.join("a"), folder.join("own link")).expect("a link");
        fs::create_dir(folder.join("folder")).expect("a folder");
        rustix::fs::mknodat(CWD, folder.join("pipe"), rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0)
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
        let folder = Folder::new("heapsmith-").expect("there is room for a folder");
        let (path, moved) = (folder.path().to_owned(), other.path().join("moved"));
        fs::rename(&path, &moved).expect("it can be moved");
        symlink(other.path(), &path).expect("a link");
        assert!(folder.open_plain("answer").is_err());
        folder.create("new").expect("the folder is there, elsewhere");
        assert!(moved.join("new").exists());
        drop(folder);
        assert!(path.symlink_metadata().is_err(), "the link is removed");
        assert_eq!(fs::read_to_string(other.path().join("answer")).expect("it is there"), "foreign");
    }
}
