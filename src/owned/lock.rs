//! One command at a time in a folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::interrupt::{self, Listed};
use crate::system;

use super::paths::kind;

const NAME: &str = ".heapsmith-lock";

/// A command that ends holds the lock for a moment in order to remove its file; that is worth waiting for.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// The right to work in a folder, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    /// None if the folder is read-only.
    file: Option<File>,
    path: PathBuf,
    way: Way,
    /// A signal removes the file, too.
    _listed: Option<Listed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Exclusive,
    Shared,
}

impl Lock {
    /// The right to change a folder: no other command works in it.
    ///
    /// # Errors
    /// If another command works in it, or it is read-only.
    pub(crate) fn exclusive(root: &Path) -> Result<Lock, Error> {
        Lock::take(root, Way::Exclusive)
    }

    /// The right to read a folder: no other command changes it. A read-only folder goes without a lock.
    ///
    /// # Errors
    /// If another command changes it.
    pub(crate) fn shared(root: &Path) -> Result<Lock, Error> {
        Lock::take(root, Way::Shared)
    }

    /// Whether there is a lock: not in a read-only folder.
    pub(crate) fn is_held(&self) -> bool {
        self.file.is_some()
    }

    fn take(root: &Path, way: Way) -> Result<Lock, Error> {
        fs::read_dir(root).map_err(|e| Error::io(format!("reading {}", root.display()), e))?;
        let path = root.join(NAME);
        let failed = |e| Error::io(format!("locking {}", path.display()), e);
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                thread::sleep(PAUSE);
            }
            let file = match open(&path, way)? {
                Opened::File(file) => file,
                Opened::Nothing => continue,
                Opened::ReadOnly => return Ok(Lock { file: None, path, way, _listed: None }),
            };
            let locked = match way {
                Way::Exclusive => file.try_lock(),
                Way::Shared => file.try_lock_shared(),
            };
            match locked {
                // The file may have been removed between opening and locking it.
                Ok(()) if system::is_at(&file, &path) => {
                    let copy = file.try_clone().map_err(failed)?;
                    let there = path.clone();
                    let listed = Some(interrupt::at_end(move || remove(&copy, &there, way)));
                    return Ok(Lock { file: Some(file), path, way, _listed: listed });
                }
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(e)) if way == Way::Shared && e.kind() == ErrorKind::Unsupported => {
                    return Ok(Lock { file: None, path, way, _listed: None });
                }
                Err(TryLockError::Error(e)) => return Err(failed(e)),
            }
        }
        Err(Error::Usage(format!(
            "{} is in use by another heapsmith command; wait until that has ended, then run this command again",
            root.display()
        )))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            remove(file, &self.path, self.way);
        }
    }
}

/// Leaves no file in the folder, unless another command has a lock on it, too.
fn remove(file: &File, path: &Path, way: Way) {
    // Elsewhere an open file cannot be removed, or not be recognised: there the empty file stays.
    let is_alone = system::RECOGNISES_FILES && (way == Way::Exclusive || file.try_lock().is_ok());
    let is_empty = file.metadata().is_ok_and(|found| found.len() == 0);
    if is_alone && is_empty && system::is_at(file, path) {
        // A file that stays does no harm.
        let _ = fs::remove_file(path);
    }
}

enum Opened {
    File(File),
    /// It was made or removed meanwhile.
    Nothing,
    ReadOnly,
}

/// Opens the file without following a link, makes it if need be.
fn open(path: &Path, way: Way) -> Result<Opened, Error> {
    let is_there = match kind(path)? {
        Some(found) if !found.is_file() => {
            return Err(Error::Usage(format!(
                "{} is not a file that heapsmith made; remove it, then run this command again",
                path.display()
            )));
        }
        found => found.is_some(),
    };
    let opened = match is_there {
        // Another user's file can be locked, too.
        true => OpenOptions::new().read(true).write(true).open(path).or_else(|_| File::open(path)),
        false => OpenOptions::new().read(true).write(true).create_new(true).open(path),
    };
    match opened {
        Ok(file) => Ok(Opened::File(file)),
        Err(e) if is_there && e.kind() == ErrorKind::NotFound => Ok(Opened::Nothing),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(Opened::Nothing),
        Err(e) if way == Way::Shared && is_refused(&e) => Ok(Opened::ReadOnly),
        Err(e) => Err(Error::io(format!("locking {}", path.display()), e)),
    }
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}
