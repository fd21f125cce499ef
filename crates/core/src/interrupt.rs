//! Signals that ask the program to end: nothing temporary stays, and work that can stop in order is asked to.
//!
//! A program installs this once ([`install`]). Then SIGINT, SIGTERM and SIGHUP remove every temporary file and folder
//! that this library has, and end the program with the exit code 128 + the signal's number. A command that has something
//! to say at its end asks for a [`Stop`] ([`stop_on_signal`]): the first signal only sets that, a second one ends at once. From the first
//! one on nothing more is read of any file.
//! Without `install` nothing of this happens: a library leaves signals alone.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::stop;
use crate::system;
use crate::threads;
use crate::visible::visible;

pub use crate::system::Remnant;

pub use crate::stop::{Stop, signal, stop_on_signal};

/// The work to do at the end: temporary files and folders are removed.
static LIST: Mutex<CleanupList> = Mutex::new(CleanupList { next: 0, work: BTreeMap::new() });
/// The last work of the program: ending the processes that it started.
static LAST: OnceLock<fn()> = OnceLock::new();
/// The temporary files and folders that could not be removed.
static REMNANTS: Mutex<Vec<Remnant>> = Mutex::new(Vec::new());

struct CleanupList {
    /// The number of the next entry.
    next: u64,
    work: BTreeMap<u64, Box<dyn Fn() + Send>>,
}

/// The time for which a signal waits for something temporary that is being created.
const PATIENCE: Duration = Duration::from_secs(1);

/// Handles signals from now on. SIGXFSZ, a file that gets too long for the limit of the process, is a failed write then.
///
/// # Errors
/// If the system refuses handlers or a thread.
pub fn install() -> Result<(), Error> {
    let failed = |e: io::Error| Error::io("handling signals", e);
    system::ignore_long_files().map_err(failed)?;
    let mut signals = system::Signals::new().map_err(failed)?;
    let listen = move || {
        while let Some(signal) = signals.wait() {
            match stop::stop_of_signal() {
                Some(stop) if !stop.is_asked() => stop.ask(signal),
                _ => clean_up_and_exit(signal),
            }
        }
    };
    threads::start("signals", listen).map(drop).map_err(failed)
}

/// Sets the last work of a signal that ends the program.
#[doc(hidden)]
pub fn set_last_work(work: fn()) {
    let _ = LAST.set(work);
}

/// A piece of work that is done if a signal ends the program, until this guard is dropped.
#[derive(Debug)]
pub(crate) struct CleanupGuard(u64);

impl Drop for CleanupGuard {
    fn drop(&mut self) {
        lock_list().work.remove(&self.0);
    }
}

/// Creates something temporary, a file or a folder. A signal removes it until the guard is dropped, which does not.
pub(crate) fn create_temporary<T>(
    create: impl FnOnce() -> io::Result<T>,
    path: impl FnOnce(&T) -> &Path,
) -> io::Result<(T, CleanupGuard)> {
    // Between creation and listing no signal may end the program.
    let mut list = lock_list();
    let created = create()?;
    let path = std::path::absolute(path(&created))?;
    let guard = list.insert(Box::new(move || remove(&path)));
    Ok((created, guard))
}

/// Lists what is to be done if a signal ends the program. Other threads may be in the middle of anything then.
#[cfg(feature = "corpus")]
pub(crate) fn register_cleanup(work: impl Fn() + Send + 'static) -> CleanupGuard {
    lock_list().insert(Box::new(work))
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(file) if file.is_dir() => remove_folder(path),
        _ => _ = fs::remove_file(path),
    }
}

/// Removes a temporary folder with what is in it; of a link, the link. What is left is one of the [`remnants`].
#[doc(hidden)]
pub fn remove_folder(path: &Path) {
    let left = system::remove_all(path);
    REMNANTS.lock().unwrap_or_else(PoisonError::into_inner).extend(left);
}

/// The temporary files and folders that could not be removed so far.
pub fn remnants() -> Vec<Remnant> {
    REMNANTS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl CleanupList {
    fn insert(&mut self, work: Box<dyn Fn() + Send>) -> CleanupGuard {
        let number = self.next;
        self.next += 1;
        self.work.insert(number, work);
        CleanupGuard(number)
    }
}

fn lock_list() -> MutexGuard<'static, CleanupList> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what is temporary and ends the program. The list stays locked, so that nothing more is created.
fn clean_up_and_exit(signal: i32) -> ! {
    if let Some(last) = LAST.get() {
        last();
    }
    let list = lock_list_within(PATIENCE);
    list.iter().flat_map(|list| list.work.values()).for_each(|work| work());
    for remnant in remnants() {
        // Where standard error takes nothing, there is no other place to say it.
        let _ = writeln!(io::stderr(), "warning: {}", visible(&remnant.to_string()));
    }
    std::process::exit(128 + signal)
}

fn lock_list_within(time: Duration) -> Option<MutexGuard<'static, CleanupList>> {
    let asked = Instant::now();
    loop {
        match LIST.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if asked.elapsed() > time => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_temporary_is_listed_as_long_as_its_guard_lives() {
        let (folder, guard) =
            create_temporary(tempfile::tempdir, |folder| folder.path()).expect("there is room for a folder");
        let number = guard.0;
        lock_list().work[&number]();
        assert!(!folder.path().exists());
        drop(guard);
        assert!(!lock_list().work.contains_key(&number));
    }
}
