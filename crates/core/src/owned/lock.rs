//! A lock of a folder: commands that change it work one at a time.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::interrupt::{self, CleanupGuard};
use crate::system::{self, Access, EntryKind, OpenFolder};

use super::folder::SharedFolder;

const NAME: &str = ".heapsmith-lock";

/// A command that ends holds the lock for a moment in order to remove its file; that is worth waiting for.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// The right to work in a folder, until it is dropped.
#[derive(Debug)]
#[doc(hidden)]
pub struct FolderLock {
    /// None if the folder is read-only.
    file: Option<File>,
    folder: SharedFolder,
    way: LockMode,
    /// A signal removes the file, too.
    _listed: Option<CleanupGuard>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockMode {
    Exclusive,
    Shared,
}

impl FolderLock {
    /// The right to change a folder: no other command works in it.
    ///
    /// # Errors
    /// If another command works in it, or it is read-only.
    #[doc(hidden)]
    pub fn exclusive(root: &SharedFolder) -> Result<FolderLock, Error> {
        FolderLock::acquire(root, LockMode::Exclusive)
    }

    /// The right to read a folder: no other command changes it. A read-only folder goes without a lock.
    ///
    /// # Errors
    /// If another command changes it.
    #[doc(hidden)]
    pub fn shared(root: &SharedFolder) -> Result<FolderLock, Error> {
        FolderLock::acquire(root, LockMode::Shared)
    }

    fn acquire(root: &SharedFolder, way: LockMode) -> Result<FolderLock, Error> {
        let failed = |e| Error::io(format!("locking {}", root.name_of(NAME)), e);
        let unlocked = || FolderLock { file: None, folder: root.clone(), way, _listed: None };
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                thread::sleep(PAUSE);
            }
            let file = match open(root, way)? {
                LockFile::File(file) => file,
                LockFile::Nothing => continue,
                LockFile::ReadOnly => return Ok(unlocked()),
            };
            let locked = match way {
                LockMode::Exclusive => file.try_lock(),
                LockMode::Shared => file.try_lock_shared(),
            };
            match locked {
                // The file may have been removed between opening and locking it.
                Ok(()) if root.opened().holds(&file, NAME) => {
                    let copy = file.try_clone().map_err(failed)?;
                    let folder = Arc::clone(root.opened());
                    let listed = Some(interrupt::register_cleanup(move || remove(&copy, &folder, way)));
                    return Ok(FolderLock { file: Some(file), folder: root.clone(), way, _listed: listed });
                }
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(e)) if way == LockMode::Shared && e.kind() == ErrorKind::Unsupported => {
                    return Ok(unlocked());
                }
                Err(TryLockError::Error(e)) => return Err(failed(e)),
            }
        }
        Err(Error::Usage(format!(
            "{} is in use by another heapsmith command; wait until that has ended, then run this command again",
            root.path().display()
        )))
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            remove(file, self.folder.opened(), self.way);
        }
    }
}

/// Leaves no file in the folder, unless another command has a lock on it, too.
fn remove(file: &File, folder: &OpenFolder, way: LockMode) {
    // Elsewhere an open file cannot be removed, or not be recognised: there the empty file stays.
    let is_alone = system::RECOGNISES_FILES && (way == LockMode::Exclusive || file.try_lock().is_ok());
    let is_empty = file.metadata().is_ok_and(|found| found.len() == 0);
    if is_alone && is_empty && folder.holds(file, NAME) {
        // A file that stays does no harm.
        let _ = folder.remove_file(NAME);
    }
}

enum LockFile {
    File(File),
    /// The file was made or removed meanwhile.
    Nothing,
    ReadOnly,
}

/// Opens the file without following a link, makes it if need be.
fn open(root: &SharedFolder, way: LockMode) -> Result<LockFile, Error> {
    let is_there = match root.kind(NAME)? {
        None => false,
        Some(EntryKind::File) => true,
        Some(_) => {
            return Err(Error::Usage(format!(
                "{} is not a file that heapsmith made; remove it, then run this command again",
                root.name_of(NAME)
            )));
        }
    };
    let folder = root.opened();
    let opened = match is_there {
        // Another user's file can be locked, too.
        true => folder.open_plain_for(NAME, Access::Write).or_else(|_| folder.open_plain(NAME)),
        false => folder.create_public(NAME),
    };
    match opened {
        Ok(file) => Ok(LockFile::File(file)),
        Err(e) if is_there && e.kind() == ErrorKind::NotFound => Ok(LockFile::Nothing),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(LockFile::Nothing),
        Err(e) if way == LockMode::Shared && is_refused(&e) => Ok(LockFile::ReadOnly),
        Err(e) => Err(Error::io(format!("locking {}", root.name_of(NAME)), e)),
    }
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}
