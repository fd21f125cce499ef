//! A folder that others may have written. It is opened once: whatever its path leads to later, files are looked up, made and
//! removed in the folder that was opened. Without Unix calls, this holds only as long as no other process changes the folder
//! meanwhile (crates/core/src/system/portable/folder.rs).

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::bytes::hexadecimal;
use crate::error::Error;
use crate::interrupt;
use crate::system::{Access, EntryKind, OpenFolder};

use super::paths::{OWN, folders_of, is_own, is_plain_relative};

/// A file before it has its name.
const PART: &str = ".heapsmith-part";
/// The most bytes of a dump or listing in such a folder.
const LONGEST_FILE: u64 = 256 << 20;
/// The most bytes of a file that says something of others: a manifest, the marker of an unfinished folder, the state of a campaign.
#[doc(hidden)]
pub const LONGEST_LIST: u64 = 1 << 30;

/// A folder that others may have written. Copies are one.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct SharedFolder {
    /// Its path, as it was named; for messages.
    path: PathBuf,
    opened: Arc<OpenFolder>,
}

/// A file that a list names. Nothing that the list says is trusted.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct ListedFile<'l> {
    /// Its path below the folder.
    #[doc(hidden)]
    pub path: &'l str,
    /// Its length in bytes.
    #[doc(hidden)]
    pub length: u64,
    /// The SHA-256 of its bytes.
    #[doc(hidden)]
    pub sha256: &'l str,
    /// The place that names it, such as a file and a line.
    #[doc(hidden)]
    pub listed_in: &'l str,
}

/// The treatment of a file that is in the place of a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Existing {
    /// The file is replaced; of a link, the link.
    Replaced,
    /// The file stays, and the new one is refused.
    Kept,
}

impl SharedFolder {
    /// Opens the folder that a path leads to. Its path may be a link; nothing below it may.
    ///
    /// # Errors
    /// If there is none.
    #[doc(hidden)]
    pub fn open(path: &Path) -> Result<SharedFolder, Error> {
        let opened = OpenFolder::follow(path).map_err(|e| Error::io(format!("reading {}", path.display()), e))?;
        Ok(SharedFolder { path: path.to_owned(), opened: Arc::new(opened) })
    }

    /// Opens a folder, which is made if it is missing.
    ///
    /// # Errors
    /// If it cannot be made, or is a file.
    #[doc(hidden)]
    pub fn create(path: &Path) -> Result<SharedFolder, Error> {
        if !path.is_dir() {
            fs::create_dir_all(path).map_err(|e| Error::io(format!("making the folder {}", path.display()), e))?;
        }
        SharedFolder::open(path)
    }

    /// Its path, as it was named.
    #[doc(hidden)]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its path still leads to it.
    #[doc(hidden)]
    pub fn is_in_place(&self) -> bool {
        self.opened.is_at(&self.path)
    }

    /// A path in it, for messages.
    #[doc(hidden)]
    pub fn name_of(&self, path: &str) -> String {
        self.path.join(path).display().to_string()
    }

    /// Refuses a path that a list should not have: one that is not plain, is one of our own names, or has anything but
    /// folders on its way.
    pub(crate) fn check(&self, path: &str) -> Result<(), Error> {
        if is_plain_relative(path) && path.split('/').any(is_own) {
            return Err(Error::Usage(format!(
                "{path:?} is listed as a file, and names that begin with {OWN} are reserved"
            )));
        }
        self.find(path).map(drop)
    }

    /// The folder that holds the last name of a path, and that name; `None` if a folder on the way is missing. Every look at a
    /// file and every change begins here.
    fn find<'p>(&self, path: &'p str) -> Result<Option<(Arc<OpenFolder>, &'p str)>, Error> {
        if !is_plain_relative(path) {
            let shown: String = path.chars().take(200).collect();
            return Err(Error::Usage(format!(
                "{shown:?}, listed as a file of {}: expected a relative path without `..`, of at most 1024 bytes",
                self.path.display()
            )));
        }
        let (mut folder, mut begin) = (Arc::clone(&self.opened), 0);
        for outer in folders_of(path) {
            let name = &outer[begin..];
            begin = outer.len() + 1;
            folder = match folder.open_folder(name) {
                Ok(inner) => Arc::new(inner),
                Err(e) => match folder.kind(name) {
                    Ok(None) => return Ok(None),
                    Ok(Some(EntryKind::Link)) => {
                        return Err(Error::Usage(format!(
                            "{} is a symbolic link, which is not followed; put a folder in its place",
                            self.name_of(outer)
                        )));
                    }
                    Ok(Some(EntryKind::File | EntryKind::Special)) => {
                        return Err(Error::Usage(format!(
                            "{} is not a folder, and {path} has to be in it; move it away",
                            self.name_of(outer)
                        )));
                    }
                    Ok(Some(EntryKind::Folder)) | Err(_) => return Err(self.failed("reading", outer, e)),
                },
            };
        }
        Ok(Some((folder, &path[begin..])))
    }

    /// The kind of what stands at a path, a link itself if it is one; `None` if nothing does.
    #[doc(hidden)]
    pub fn kind(&self, path: &str) -> Result<Option<EntryKind>, Error> {
        let Some((folder, name)) = self.find(path)? else { return Ok(None) };
        folder.kind(name).map_err(|e| self.failed("reading", path, e))
    }

    /// The names in the folder, in order. One that is not valid Unicode is shown with replacement characters.
    #[doc(hidden)]
    pub fn entries(&self) -> Result<BTreeSet<String>, Error> {
        let names = self.opened.names().map_err(|e| Error::io(format!("reading {}", self.path.display()), e))?;
        Ok(names.iter().map(|name| name.to_string_lossy().into_owned()).collect())
    }

    /// The names in a folder below it; none if there is no such folder.
    #[doc(hidden)]
    pub fn entries_of(&self, path: &str) -> Result<BTreeSet<String>, Error> {
        self.inner(path)?.map_or(Ok(BTreeSet::new()), |inner| inner.entries())
    }

    /// A folder below it; `None` if there is none.
    fn inner(&self, path: &str) -> Result<Option<SharedFolder>, Error> {
        if self.kind(path)? != Some(EntryKind::Folder) {
            return Ok(None);
        }
        let (folder, name) = self.find_or_fail("reading", path)?;
        let opened = folder.open_folder(name).map_err(|e| self.failed("reading", path, e))?;
        Ok(Some(SharedFolder { path: self.path.join(path), opened: Arc::new(opened) }))
    }

    /// Opens a plain file for a purpose; `None` if there is none. Nothing is followed or waited for.
    ///
    /// # Errors
    /// If something else is there: a link, a folder, a pipe, a device. If it cannot be opened.
    #[doc(hidden)]
    pub fn open_file(&self, path: &str, access: Access) -> Result<Option<File>, Error> {
        let Some((folder, name)) = self.find(path)? else { return Ok(None) };
        match folder.open_plain_for(name, access) {
            Ok(file) => Ok(Some(file)),
            Err(e) => match folder.kind(name) {
                Ok(None) => Ok(None),
                Ok(Some(EntryKind::File)) | Err(_) => Err(self.failed("opening", path, e)),
                Ok(Some(other)) => Err(Error::Usage(format!(
                    "{}: expected a plain file, found {}; put the file itself there",
                    self.name_of(path),
                    other.name()
                ))),
            },
        }
    }

    /// The bytes of a plain file that says something of others; `None` if there is none.
    ///
    /// # Errors
    /// Like [`SharedFolder::open_file`]; if it has more bytes than such a file may have.
    #[doc(hidden)]
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        self.read_within(path, LONGEST_LIST)
    }

    /// The bytes of a plain file; `None` if there is none.
    ///
    /// # Errors
    /// Like [`SharedFolder::open_file`]; if it has more than `most` bytes.
    #[doc(hidden)]
    pub fn read_within(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let file = self.open_file(path, Access::Read)?;
        file.map(|file| self.read_whole(path, file, most)).transpose()
    }

    fn read_whole(&self, path: &str, file: File, most: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let too_long = |length: u64| {
            let name = self.name_of(path);
            Error::Usage(format!(
                "{name}: expected at most {most} bytes, found {length} or more; restore the file first"
            ))
        };
        let length = file.metadata().map_err(|e| self.failed("reading", path, e))?.len();
        if length > most {
            return Err(too_long(length));
        }
        // It may grow meanwhile.
        let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
        match read.map_err(|e| self.failed("reading", path, e))? as u64 {
            length if length > most => Err(too_long(length)),
            _ => Ok(bytes),
        }
    }

    /// The bytes of a file that a list names, if they are those of which the list has the length and the sum.
    ///
    /// # Errors
    /// If the path is not plain or leads through a link; if there is no plain file, or another one. The message has the place that
    /// names the file.
    #[doc(hidden)]
    pub fn read_listed(&self, listed: &ListedFile<'_>) -> Result<Vec<u8>, Error> {
        let ListedFile { path, length, sha256, listed_in } = *listed;
        self.read_checked(path, length, sha256).map_err(|error| match error {
            Error::Io { action, source } => Error::io(format!("{listed_in}: {action}"), source),
            error => Error::Usage(format!("{listed_in}: {error}")),
        })
    }

    fn read_checked(&self, path: &str, length: u64, sha256: &str) -> Result<Vec<u8>, Error> {
        self.check(path)?;
        let there = self.open_file(path, Access::Read)?;
        let file = there.ok_or_else(|| self.failed("reading", path, ErrorKind::NotFound.into()))?;
        let bytes = self.read_whole(path, file, length.min(LONGEST_FILE))?;
        let found = hexadecimal(&Sha256::digest(&bytes));
        if bytes.len() as u64 != length || found != sha256 {
            return Err(Error::Usage(format!(
                "{}: expected {length} bytes with the SHA-256 {sha256:.64}, found {} with {found}; restore the file first",
                self.name_of(path),
                bytes.len()
            )));
        }
        Ok(bytes)
    }

    /// Whether a plain file has this content; one that cannot be read has another.
    pub(super) fn has_content(&self, path: &str, bytes: &[u8]) -> bool {
        let Ok(Some(file)) = self.open_file(path, Access::Read) else { return false };
        let length = bytes.len() as u64;
        file.metadata().is_ok_and(|found| found.len() == length)
            && self.read_whole(path, file, length).is_ok_and(|found| found == bytes)
    }

    /// Whether a plain file has this SHA-256; one that cannot be read has another.
    pub(super) fn has_sha256(&self, path: &str, sha256: &str) -> bool {
        let Ok(Some(file)) = self.open_file(path, Access::Read) else { return false };
        self.read_whole(path, file, LONGEST_FILE).is_ok_and(|found| hexadecimal(&Sha256::digest(&found)) == sha256)
    }

    /// Creates a file that is not there yet, with the folders on its way.
    ///
    /// # Errors
    /// If anything is there; if something else than folders is on its way; if it cannot be created.
    #[doc(hidden)]
    pub fn create_file(&self, path: &str) -> Result<File, Error> {
        for folder in folders_of(path) {
            if self.kind(folder)?.is_none() {
                self.create_folder(folder)?;
            }
        }
        let (folder, name) = self.find_or_fail("writing", path)?;
        folder.create_public(name).map_err(|e| self.failed("writing", path, e))
    }

    /// Writes a file: beside its place first, and under its name when it is whole. The folder's lock has to be held.
    ///
    /// # Errors
    /// If something is there that stays; if writing fails. Nothing is left over then.
    #[doc(hidden)]
    pub fn put_file(&self, path: &str, bytes: &[u8], existing: Existing) -> Result<(), Error> {
        let (folder, name) = self.find_or_fail("writing", path)?;
        let opened = Arc::clone(&self.opened);
        let _listed = interrupt::register_cleanup(move || _ = opened.remove_file(PART));
        // One may be left there of a command that was killed.
        let written = self.remove_file(PART).and_then(|()| {
            let place = || {
                let mut part = self.opened.create_public(PART)?;
                part.write_all(bytes)?;
                part.sync_all()?;
                match existing {
                    Existing::Replaced => self.opened.rename(PART, &folder, name),
                    Existing::Kept => self.opened.rename_to_new(PART, &folder, name),
                }
            };
            place().map_err(|e| self.failed("writing", path, e))
        });
        if written.is_err() {
            let _ = self.opened.remove_file(PART);
        }
        written
    }

    #[doc(hidden)]
    pub fn create_folder(&self, path: &str) -> Result<(), Error> {
        let (folder, name) = self.find_or_fail("making the folder", path)?;
        folder.create_folder(name).map_err(|e| self.failed("making the folder", path, e))
    }

    /// Removes a file, or a link without what it leads to. What is not there need not be removed.
    pub(super) fn remove_file(&self, path: &str) -> Result<(), Error> {
        let Some((folder, name)) = self.find(path)? else { return Ok(()) };
        match folder.remove_file(name) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(self.failed("removing", path, e)),
            _ => Ok(()),
        }
    }

    /// Removes a folder that is empty; one that is not stays.
    pub(super) fn remove_empty(&self, path: &str) -> Result<(), Error> {
        let Some((folder, name)) = self.find(path)? else { return Ok(()) };
        match folder.remove_folder(name) {
            Err(e) if !matches!(e.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {
                Err(self.failed("removing", path, e))
            }
            _ => Ok(()),
        }
    }

    /// Waits until the names in a folder are on the disk: in one below this one, or, without a path, in this one.
    pub(super) fn sync(&self, path: &str) -> Result<(), Error> {
        let inner = if path.is_empty() { Some(self.clone()) } else { self.inner(path)? };
        let synced = inner.map_or(Ok(()), |inner| inner.opened.sync());
        synced.map_err(|e| self.failed("writing the folder", path, e))
    }

    /// The folder itself, for its lock.
    pub(super) fn opened(&self) -> &Arc<OpenFolder> {
        &self.opened
    }

    fn find_or_fail<'p>(&self, action: &str, path: &'p str) -> Result<(Arc<OpenFolder>, &'p str), Error> {
        self.find(path)?.ok_or_else(|| self.failed(action, path, ErrorKind::NotFound.into()))
    }

    fn failed(&self, action: &str, path: &str, error: io::Error) -> Error {
        Error::io(format!("{action} {}", self.name_of(path)), error)
    }
}
