//! Removing a folder with what is in it, whatever that is.

use std::collections::HashSet;
use std::ffi::CString;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fchmod, fstat, openat, unlinkat};
use rustix::io::Errno;

use crate::system::remnant::Remnant;

use super::descent::Descent;
use super::file::is_out_of_files;

/// Folders in a folder whose names are held at a time.
const AHEAD: usize = 1024;
/// Attempts of the removal where a process is still there that moves folders or makes new ones.
const TRIES: u32 = 8;
/// The most files and folders that are named of those left.
const NAMED: usize = 20;
/// The number and length of pauses in which the removal waits for other threads to close files, where no more can be
/// opened.
const WAITS: u32 = 200;
const WAIT: Duration = Duration::from_millis(10);

/// Removes a folder with what is in it, also folders that their owner may not enter or write to; of a link, the link. Nothing
/// that links lead to is touched, and nothing of a file system that is mounted there. Gives what is left.
pub fn remove_all(folder: &Path) -> Vec<Remnant> {
    let mut tried = 1;
    loop {
        let mut removal = Removal { top: folder, remnants: Vec::new(), unnamed: 0 };
        match removal.run() {
            Ok(()) => return Vec::new(),
            Err(_) if !removal.remnants.is_empty() => return removal.remnants(),
            Err(reason) if tried == TRIES => return vec![Remnant::new(folder, reason)],
            Err(_) => tried += 1,
        }
    }
}

/// The notes about a folder on the way.
#[derive(Debug, Default)]
struct Notes {
    /// Folders in it that are not removed yet.
    ahead: Vec<CString>,
    /// Whether `ahead` has all that are left.
    are_all: bool,
    /// Entries that cannot be removed.
    stuck: HashSet<CString>,
}

type RemovalWalk = Descent<Notes>;

struct Removal<'p> {
    top: &'p Path,
    remnants: Vec<Remnant>,
    /// The number of remnants that are not named.
    unnamed: u64,
}

impl Removal<'_> {
    /// # Errors
    /// If something is left.
    fn run(&mut self) -> io::Result<()> {
        // An empty one takes no descriptor.
        if unlinkat(CWD, self.top, AtFlags::REMOVEDIR).is_ok() {
            return Ok(());
        }
        let mut walk: RemovalWalk = match retry_open(|| Descent::open(self.top)) {
            Ok(walk) => walk,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            // A link, or something else that is no folder.
            Err(e) if is_no_folder(&e) => return Ok(unlinkat(CWD, self.top, AtFlags::empty())?),
            Err(e) if e.kind() == ErrorKind::PermissionDenied => {
                open_up(CWD, self.top)?;
                Descent::open(self.top)?
            }
            Err(e) => return Err(e),
        };
        allow_changes(&walk);
        loop {
            if let Some(name) = walk.notes.ahead.pop() {
                self.folder(&mut walk, name)?;
            } else if !walk.notes.are_all {
                self.entries(&mut walk)?;
            } else {
                let has_stuck = !walk.notes.stuck.is_empty();
                let Some(name) = retry_open(|| walk.ascend())? else { break };
                if has_stuck {
                    walk.notes.stuck.insert(name);
                } else if let Err(reason) = ignore_missing(unlinkat(walk.folder()?, &*name, AtFlags::REMOVEDIR)) {
                    // Something is new in it.
                    if reason.kind() == ErrorKind::DirectoryNotEmpty {
                        return Err(reason);
                    }
                    self.record_stuck(&mut walk, name, reason);
                }
            }
        }
        drop(walk);
        ignore_missing(unlinkat(CWD, self.top, AtFlags::REMOVEDIR))
    }

    /// Removes what is in a folder and no folder itself, and finds the folders in it.
    fn entries(&mut self, walk: &mut RemovalWalk) -> io::Result<()> {
        walk.notes.are_all = true;
        walk.rewind();
        while let Some(entry) = walk.next_entry() {
            let entry = entry?;
            let name = entry.file_name();
            if walk.notes.stuck.contains(name) {
                continue;
            }
            let is_folder = match entry.file_type() {
                FileType::Directory => true,
                _ => match ignore_missing(unlinkat(walk.folder()?, name, AtFlags::empty())) {
                    Ok(()) => false,
                    // As a file system says it that has no kinds of files in its entries.
                    Err(e) if e.kind() == ErrorKind::IsADirectory => true,
                    Err(reason) => {
                        self.record_stuck(walk, name.to_owned(), reason);
                        false
                    }
                },
            };
            if is_folder {
                walk.notes.ahead.push(name.to_owned());
                if walk.notes.ahead.len() == AHEAD {
                    walk.notes.are_all = false;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Removes a folder that is empty, or goes into it.
    fn folder(&mut self, walk: &mut RemovalWalk, name: CString) -> io::Result<()> {
        let removed = ignore_missing(unlinkat(walk.folder()?, &*name, AtFlags::REMOVEDIR));
        let entered = match removed {
            Ok(()) => return Ok(()),
            Err(e) if e.kind() == ErrorKind::DirectoryNotEmpty => retry_open(|| walk.descend(name.clone())),
            Err(e) => Err(e),
        };
        let entered = match entered {
            Err(e) if e.kind() == ErrorKind::PermissionDenied => {
                open_up(walk.folder()?, &*name).and_then(|()| retry_open(|| walk.descend(name.clone())))
            }
            entered => entered,
        };
        match entered {
            Ok(()) => allow_changes(walk),
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            // It has become something else.
            Err(e) if is_no_folder(&e) => walk.notes.are_all = false,
            Err(reason) => self.record_stuck(walk, name, reason),
        }
        Ok(())
    }

    fn record_stuck(&mut self, walk: &mut RemovalWalk, name: CString, reason: io::Error) {
        if self.remnants.len() < NAMED {
            self.remnants.push(Remnant::new(&self.top.join(walk.path_of(&name)), reason));
        } else {
            self.unnamed += 1;
        }
        walk.notes.stuck.insert(name);
    }

    fn remnants(mut self) -> Vec<Remnant> {
        if self.unnamed > 0 {
            self.remnants.push(Remnant::new(self.top, format!("{} more in it cannot be removed", self.unnamed)));
        }
        self.remnants
    }
}

/// Takes a missing entry for a removed one.
fn ignore_missing(removed: rustix::io::Result<()>) -> io::Result<()> {
    match removed {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        // Systems that say so of a folder with something in it.
        Err(Errno::EXIST) => Err(Errno::NOTEMPTY.into()),
        Err(e) => Err(e.into()),
    }
}

fn is_no_folder(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOTDIR | Errno::LOOP | Errno::MLINK))
}

/// Tries again while no more files can be opened, as long as it is likely that some are closed.
fn retry_open<T>(mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 0..WAITS {
        match open() {
            Err(e) if is_out_of_files(&e) => thread::sleep(WAIT),
            opened => return opened,
        }
    }
    open()
}

/// Lets the owner of the folder change it.
fn allow_changes(walk: &RemovalWalk) {
    let owner = Mode::RWXU;
    if let Ok(folder) = walk.folder()
        && fstat(folder).is_ok_and(|found| !Mode::from_raw_mode(found.st_mode).contains(owner))
    {
        // Where that fails, removing what is in it says why.
        let _ = fchmod(folder, owner);
    }
}

/// Lets the owner of a folder open it, which is not a link.
#[cfg(target_os = "linux")]
fn open_up<P: rustix::path::Arg>(parent: std::os::fd::BorrowedFd<'_>, name: P) -> io::Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder: OwnedFd = openat(parent, name, flags, Mode::empty())?;
    // No other call changes the mode of something that may not be opened and must not be a link.
    let by_descriptor = format!("/proc/self/fd/{}", folder.as_raw_fd());
    fs::set_permissions(by_descriptor, fs::Permissions::from_mode(0o700))
}

#[cfg(not(target_os = "linux"))]
fn open_up<P: rustix::path::Arg>(parent: std::os::fd::BorrowedFd<'_>, name: P) -> io::Result<()> {
    Ok(rustix::fs::chmodat(parent, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use rustix::fs::{mkdirat, mknodat};

    use super::*;

    /// Makes folders in each other, and gives the descriptor of the last one.
    fn nest(folder: &Path, levels: usize) -> OwnedFd {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut at = openat(CWD, folder, flags, Mode::empty()).expect("a folder");
        for _ in 0..levels {
            mkdirat(&at, "d", Mode::RWXU).expect("there is room for a folder");
            at = openat(&at, "d", flags, Mode::empty()).expect("a folder");
        }
        at
    }

    fn bench() -> (tempfile::TempDir, std::path::PathBuf) {
        // Thousands of folders take long on a busy disk.
        let bench = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let bench = bench.expect("there is room for a folder");
        let folder = bench.path().join("folder");
        fs::create_dir(&folder).expect("there is room for a folder");
        (bench, folder)
    }

    #[test]
    fn removes_folders_however_deep_and_many() {
        let (_bench, folder) = bench();
        let deepest = nest(&folder, 15_000);
        mknodat(&deepest, "pipe", FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
        // More than are held at a time.
        for number in 0..AHEAD + 7 {
            fs::create_dir_all(folder.join(format!("{number}/below"))).expect("there is room for folders");
        }
        assert_eq!(remove_all(&folder), []);
        assert!(folder.symlink_metadata().is_err(), "it is removed");
        assert_eq!(remove_all(&folder), [], "nothing is there, and nothing is left");
    }

    #[test]
    fn follows_no_link_and_opens_what_is_closed() {
        let (bench, folder) = bench();
        let other = bench.path().join("other");
        fs::create_dir(&other).expect("there is room for a folder");
        fs::write(other.join("file"), "foreign").expect("there is room");
        symlink(&other, folder.join("link")).expect("a link");
        for (name, mode) in [("closed", 0o000), ("read-only", 0o555), ("not-entered", 0o600)] {
            let closed = folder.join(name);
            fs::create_dir_all(closed.join("below")).expect("there is room for folders");
            fs::write(closed.join("file"), "text").expect("there is room");
            fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).expect("it is ours");
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).expect("it is ours");
        assert_eq!(remove_all(&folder), []);
        assert!(folder.symlink_metadata().is_err(), "it is removed");
        symlink(&other, &folder).expect("a link");
        assert_eq!(remove_all(&folder), []);
        assert!(folder.symlink_metadata().is_err(), "the link is removed");
        assert_eq!(fs::read_to_string(other.join("file")).expect("it is there"), "foreign");
    }

    /// Only root can make a file that no one may remove, on some file systems.
    #[test]
    fn names_what_cannot_be_removed_and_removes_the_rest() {
        // Not every file system has immutable files.
        let bench = tempfile::tempdir().expect("there is room for a folder");
        let folder = bench.path().join("folder");
        let kept = folder.join("a/kept");
        fs::create_dir_all(&kept).expect("there is room for folders");
        fs::write(folder.join("a/file"), "text").expect("there is room");
        fs::create_dir_all(folder.join("b/c")).expect("there is room for folders");
        let is_kept = |change: &str| {
            let changed = Command::new("chattr").arg(change).arg(&kept).output();
            changed.is_ok_and(|output| output.status.success())
        };
        if !is_kept("+i") {
            println!("skipped: chattr makes no file immutable here");
            return;
        }
        let left = remove_all(&folder);
        let entries: Vec<_> = fs::read_dir(folder.join("a")).expect("a folder").flatten().collect();
        assert!(is_kept("-i"));
        let [remnant] = &left[..] else { panic!("{left:?}") };
        assert_eq!(remnant.path, kept.display().to_string());
        assert!(remnant.reason.contains("not permitted"), "{remnant}");
        assert_eq!(entries.len(), 1, "the file beside it is gone");
        assert!(!folder.join("b").exists());
        assert_eq!(remove_all(&folder), []);
    }
}
