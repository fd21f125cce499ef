//! The files that a program and all that it started have: in folders, and open ones without a name.

use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;
use std::{fs, io};

use rustix::fs::{AtFlags, FileType, Stat, statat};
use rustix::process::{Pid, getpid};

use crate::system::unix::descent::{Descent, FileId, id_of};
use crate::system::unix::file::is_out_of_files;

/// More files in a folder, or open ones, are not looked at: they are too many.
pub(super) const ENTRIES: usize = 100_000;
/// Attempts to look through a folder in which folders are moved meanwhile.
const TRIES: u32 = 3;
/// Bytes of a block in `stat`, whatever the file system's blocks are.
const BLOCK: u64 = 512;
/// The kinds of file systems that are in memory: tmpfs, which memfd's files are in as well, ramfs, hugetlbfs (statfs(2)).
#[cfg(target_os = "linux")]
const IN_MEMORY: [u64; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

/// Files with the bytes that each of them takes: each counts once, however many names it has and processes have it open.
#[derive(Debug, Default)]
pub(super) struct FileSizes(HashMap<FileId, u64>);

impl FileSizes {
    pub(super) fn sum(&self) -> u64 {
        self.0.values().fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }

    fn add(&mut self, id: FileId, blocks: u64) {
        self.0.insert(id, blocks.saturating_mul(BLOCK));
    }
}

/// The open files of processes.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    /// Files in memory, with a name or without.
    pub(super) in_memory: FileSizes,
    /// Files on disk that have no name any more, but those that were inherited.
    pub(super) unlinked: FileSizes,
    /// Whether these are all.
    pub(super) are_all: bool,
}

impl OpenFiles {
    pub(super) fn from_processes(processes: &[Pid]) -> OpenFiles {
        let mut files = OpenFiles { are_all: true, ..OpenFiles::default() };
        let mut left = ENTRIES;
        processes.iter().for_each(|pid| files.see(*pid, inherited(), &mut left));
        files
    }

    /// Looks at the files of a process; `left` entries may still be looked at.
    fn see(&mut self, pid: Pid, inherited: &HashSet<FileId>, left: &mut usize) {
        let Ok(open) = fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())) else { return };
        for entry in open.flatten() {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.are_all = false;
                return;
            }
            let path = entry.path();
            // Pipes and sockets have no such path. One that is too long to be told is that of a file.
            if fs::read_link(&path).is_ok_and(|name| !name.is_absolute()) {
                continue;
            }
            let Ok(file) = fs::metadata(&path) else { continue };
            let id = (file.dev(), file.ino());
            match (file.is_file(), file.nlink()) {
                (false, _) => {}
                _ if is_in_memory(&path) => self.in_memory.add(id, file.blocks()),
                (true, 0) if !inherited.contains(&id) => self.unlinked.add(id, file.blocks()),
                _ => {}
            }
        }
    }
}

/// The files without a name that this process had open when it first asked: programs that it starts may have inherited them.
fn inherited() -> &'static HashSet<FileId> {
    static INHERITED: OnceLock<HashSet<FileId>> = OnceLock::new();
    INHERITED.get_or_init(|| {
        let mut own = OpenFiles::default();
        own.see(getpid(), &HashSet::new(), &mut ENTRIES.clone());
        own.unlinked.0.into_keys().collect()
    })
}

/// The bytes of open files that have their names below a folder: a file that grows is found without a look at all others.
pub(super) fn open_below(processes: &[Pid], folder: &Path) -> u64 {
    let Ok(folder) = folder.canonicalize() else { return 0 };
    let mut files = FileSizes::default();
    let open = processes.iter().filter_map(|pid| fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())).ok());
    // More of them are too many, which a look at all files says.
    for entry in open.flatten().flatten().take(ENTRIES) {
        let path = entry.path();
        if fs::read_link(&path).is_ok_and(|name| name.starts_with(&folder))
            && let Ok(file) = fs::metadata(&path)
            && file.is_file()
            && file.nlink() > 0
        {
            files.add((file.dev(), file.ino()), file.blocks());
        }
    }
    files.sum()
}

/// Adds the files below a folder; links are not followed, and what is mounted there is another file system. Whether these are
/// all: too many files are not looked at, and a folder that is closed to us may hold anything.
///
/// # Errors
/// If no more files can be opened: nothing is known then.
pub(super) fn files_below(folder: &Path, files: &mut FileSizes) -> io::Result<bool> {
    // What is seen in vain counts as well: folders that move hide nothing for long.
    for _ in 0..TRIES {
        match look(folder, files) {
            Ok(are_all) => return Ok(are_all),
            Err(e) if is_out_of_files(&e) => return Err(e),
            Err(_) => {}
        }
    }
    Ok(true)
}

/// # Errors
/// If a folder cannot be opened, or was moved: then not all was seen.
fn look(folder: &Path, files: &mut FileSizes) -> io::Result<bool> {
    let mut walk: Descent<Vec<CString>> = match Descent::open(folder) {
        Ok(walk) => walk,
        Err(e) => return holds_nothing(e),
    };
    let mut left = ENTRIES;
    loop {
        while let Some(entry) = walk.next_entry() {
            let Ok(entry) = entry else { break };
            left -= 1;
            if left == 0 {
                return Ok(false);
            }
            let (mut kind, name) = (entry.file_type(), entry.file_name());
            if !matches!(kind, FileType::Directory | FileType::RegularFile | FileType::Unknown) {
                continue;
            }
            if kind != FileType::Directory {
                let Ok(found) = statat(walk.folder()?, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
                kind = FileType::from_raw_mode(found.st_mode);
                if kind == FileType::RegularFile {
                    files.add(id_of(&found), blocks(&found));
                }
            }
            if kind == FileType::Directory {
                walk.notes.push(name.to_owned());
            }
        }
        // Into the next folder, of this one or one above.
        loop {
            match walk.notes.pop() {
                Some(name) => match walk.descend(name) {
                    Ok(()) => break,
                    Err(e) => match holds_nothing(e)? {
                        true => {}
                        false => return Ok(false),
                    },
                },
                None if walk.ascend()?.is_none() => return Ok(true),
                None => {}
            }
        }
    }
}

/// Whether a folder that cannot be opened holds nothing of the program: it is gone, or a link, or on another file system. One
/// that is closed to us may hold anything.
///
/// # Errors
/// If no more files can be opened.
fn holds_nothing(error: io::Error) -> io::Result<bool> {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Ok(false),
        _ if is_out_of_files(&error) => Err(error),
        _ => Ok(true),
    }
}

fn blocks(found: &Stat) -> u64 {
    u64::try_from(found.st_blocks).unwrap_or_default()
}

#[cfg(target_os = "linux")]
pub(super) fn is_in_memory(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|system| IN_MEMORY.contains(&(system.f_type as u64)))
}

/// Never true: elsewhere a file system does not say in the same way what it is in.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_in_memory(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;
    use std::io::Write;
    use std::process::Command;

    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

    use super::*;

    const MIB: u64 = 1 << 20;

    fn write(file: &mut File) {
        file.write_all(&vec![1; 3 * MIB as usize]).and_then(|()| file.sync_all()).expect("there is room");
    }

    #[test]
    fn finds_files_whose_path_is_longer_than_any_call_takes() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let name = "d".repeat(200);
        let mut at = openat(CWD, folder.path(), OFlags::DIRECTORY, Mode::empty()).expect("a folder");
        for _ in 0..40 {
            mkdirat(&at, &name, Mode::RWXU).expect("there is room for a folder");
            at = openat(&at, &name, OFlags::DIRECTORY, Mode::empty()).expect("a folder");
        }
        let flags = OFlags::CREATE | OFlags::WRONLY;
        write(&mut File::from(openat(&at, "file", flags, Mode::RWXU).expect("a file")));
        // A name more is no file more.
        rustix::fs::linkat(&at, "file", CWD, folder.path().join("again"), AtFlags::empty()).expect("a name");
        let mut files = FileSizes::default();
        assert!(files_below(folder.path(), &mut files).expect("files can be opened"));
        assert!((3 * MIB..4 * MIB).contains(&files.sum()), "{files:?}");
        assert_eq!(files.0.len(), 1);
        drop(at);
        assert_eq!(crate::system::remove_all(folder.path()), []);
    }

    #[test]
    fn finds_open_files_without_a_name() {
        inherited();
        let folder = tempfile::tempdir_in("/var/tmp").expect("there is room for a folder");
        let path = folder.path().join("file");
        let mut file = File::create(&path).expect("a file");
        write(&mut file);
        let mut child = Command::new("sleep").arg("300").stdin(file).spawn().expect("`sleep` can be started");
        let processes = [Pid::from_child(&child)];
        let sum = |files: &OpenFiles| files.unlinked.sum() + files.in_memory.sum();
        let named = OpenFiles::from_processes(&processes);
        let below = [folder.path(), Path::new("/proc")].map(|place| open_below(&processes, place));
        fs::remove_file(&path).expect("it is ours");
        let unlinked = OpenFiles::from_processes(&processes);
        assert_eq!(open_below(&processes, folder.path()), 0, "it has no name");
        child.kill().and_then(|()| child.wait()).expect("it is ours");
        if !is_in_memory(folder.path()) {
            assert_eq!(sum(&named), 0, "it is a file of a folder: {named:?}");
        }
        assert!((3 * MIB..4 * MIB).contains(&sum(&unlinked)), "{unlinked:?}");
        assert!((3 * MIB..4 * MIB).contains(&below[0]) && below[1] == 0, "{below:?}");
    }
}
