//! How much memory and disk a program and all that it started have.
//!
//! Memory is: the resident sets of all its processes, added up, so that a page that several share counts for each of
//! them; shared memory that is mapped by none of them at the moment, as long as one of them holds it open or has made it
//! (memfd_create, shm_open, System V); and the files in its `TMPDIR` where that lies in memory (tmpfs). Disk is the files
//! there where it does not. On systems without `/proc` nothing is seen.
//!
//! The peak of memory is taken from the kernel's high-water marks of resident sets, which can be reset (proc(5),
//! `clear_refs`): looking once at the end is enough for a process that is still there.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::system::program::Footprint;

use super::tree::descendants;

/// Looks at a program again and again. What takes long is looked at less often.
#[derive(Debug)]
pub(super) struct Scales {
    temporary: PathBuf,
    /// Whether the temporary folder is in memory.
    in_memory: bool,
    /// Processes that were seen, which shared memory may outlive.
    seen: HashSet<i32>,
    /// Files in memory, and on disk, when they were looked at last.
    files: (u64, u64),
    /// When they are looked at again.
    next: Instant,
    /// The processes that were there at the last look.
    last: Vec<Pid>,
    /// Whether their high-water marks are those since [`Scales::forget_peak`].
    has_marks: bool,
    /// The most memory since then, as far as it was seen.
    peak: Option<u64>,
}

/// How long files are not looked at again, at least, and by how much longer than looking took.
const PAUSE: Duration = Duration::from_millis(100);
const TIMES: u32 = 20;
/// More files in a temporary folder, or open ones, are not looked at: they are too many.
const ENTRIES: usize = 100_000;
/// What a block of a file is in `stat`, whatever the file system's blocks are.
const BLOCK: u64 = 512;
/// The kinds of file systems that are in memory: tmpfs, which memfd's files are in as well, ramfs, hugetlbfs (statfs(2)).
#[cfg(target_os = "linux")]
const IN_MEMORY: [u64; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

impl Scales {
    /// For a program that has this temporary folder.
    pub(super) fn new(temporary: &Path) -> Scales {
        let in_memory = is_in_memory(temporary);
        // Most cases are over before the first look at files.
        let next = Instant::now() + PAUSE;
        let (temporary, seen, last) = (temporary.to_owned(), HashSet::new(), Vec::new());
        Scales { temporary, in_memory, seen, files: (0, 0), next, last, has_marks: true, peak: None }
    }

    /// Forgets the peak so far. Processes that are started later have marks of their own.
    pub(super) fn forget_peak(&mut self, root: Pid) {
        if self.last.is_empty() {
            self.weigh(root);
        }
        self.has_marks = self.last.iter().all(|pid| reset_mark(*pid));
        self.peak = None;
    }

    /// The most memory of all looks since the peak was forgotten. At each of them the peaks of all processes are added up,
    /// so that it is too high where these were not at the same time, and too low where a process came and went between
    /// two looks. `None` where the system has no such number.
    pub(super) fn peak(&self) -> Option<u64> {
        self.peak
    }

    /// Looks at all descendants of a process.
    pub(super) fn weigh(&mut self, root: Pid) -> Footprint {
        let processes = descendants(root);
        self.seen.extend(processes.iter().map(|pid| pid.as_raw_nonzero().get()));
        let (mut own, mut mapped, mut marks) = (0, 0, 0);
        for pid in &processes {
            let Resident { private, shared, most } = resident(*pid);
            own += private;
            mapped += shared;
            marks += most;
        }
        let now = Instant::now();
        if now >= self.next {
            self.files = self.look(&processes);
            self.next = Instant::now() + PAUSE.max(now.elapsed() * TIMES);
        }
        self.last = processes;
        // What is mapped is most often a file that is open, too.
        let memory = mapped.max(self.files.0).saturating_add(own);
        if self.has_marks && marks > 0 {
            self.peak = self.peak.max(Some(memory.max(marks)));
        }
        Footprint { memory, disk: self.files.1 }
    }

    /// Files in memory, and those on disk.
    fn look(&self, processes: &[Pid]) -> (u64, u64) {
        let mut files = HashMap::new();
        let mut left = ENTRIES;
        processes.iter().for_each(|pid| open_in_memory(*pid, &mut files, &mut left));
        let mut temporary = HashMap::new();
        let are_all = below(&self.temporary, &mut temporary) && left > 0;
        let sum = |files: &HashMap<_, u64>| files.values().fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        let disk = match (are_all, self.in_memory) {
            // Files without end are written as well as a file without end.
            (false, _) => u64::MAX,
            (true, true) => {
                files.extend(temporary);
                0
            }
            (true, false) => sum(&temporary),
        };
        (sum(&files).saturating_add(self.system_v()), disk)
    }

    /// Shared memory of System V that a process of the program has made, or used last.
    fn system_v(&self) -> u64 {
        let table = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
        let mut lines = table.lines();
        let heads: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
        let column = |name| heads.iter().position(|head| *head == name);
        let (Some(maker), Some(last), Some(resident)) = (column("cpid"), column("lpid"), column("rss")) else {
            return 0;
        };
        let bytes = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let pid = |at: usize| words.get(at).and_then(|word| word.parse().ok());
            let is_ours = [maker, last].into_iter().filter_map(pid).any(|pid: i32| self.seen.contains(&pid));
            if is_ours { words.get(resident)?.parse::<u64>().ok() } else { None }
        };
        lines.filter_map(bytes).sum()
    }
}

/// The resident set of a process, in bytes.
struct Resident {
    /// Its own pages and those of files.
    private: u64,
    /// Pages of shared memory.
    shared: u64,
    /// The most that there were of both; 0 where the system has no such number.
    most: u64,
}

fn resident(pid: Pid) -> Resident {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) << 10
    };
    Resident { private: of("RssAnon:") + of("RssFile:"), shared: of("RssShmem:"), most: of("VmHWM:") }
}

/// Lowers the high-water mark of a process to what it has now; whether no mark is left from before. One that is gone has
/// none.
fn reset_mark(pid: Pid) -> bool {
    let folder = PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()));
    fs::write(folder.join("clear_refs"), "5").is_ok() || !folder.exists()
}

type Files = HashMap<(u64, u64), u64>;

fn enter(files: &mut Files, file: &Metadata) {
    files.insert((file.dev(), file.ino()), file.blocks().saturating_mul(BLOCK));
}

/// The files in memory that a process has open; `left` entries may still be looked at.
fn open_in_memory(pid: Pid, files: &mut Files, left: &mut usize) {
    let Ok(open) = fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())) else { return };
    for entry in open.flatten() {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return;
        }
        let path = entry.path();
        // Pipes and sockets have no such path.
        if fs::read_link(&path).is_ok_and(|link| link.is_absolute())
            && is_in_memory(&path)
            && let Ok(file) = fs::metadata(&path)
            && file.is_file()
        {
            enter(files, &file);
        }
    }
}

/// The files below a folder, and whether these are all; links are not followed.
fn below(folder: &Path, files: &mut Files) -> bool {
    let mut ahead = vec![folder.to_owned()];
    let mut entries = 0;
    while let Some(folder) = ahead.pop() {
        if !fs::symlink_metadata(&folder).is_ok_and(|folder| folder.is_dir()) {
            continue;
        }
        let entries_there = match fs::read_dir(folder) {
            Ok(entries) => entries,
            // What is closed to us may hold anything.
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return false,
            Err(_) => continue,
        };
        for entry in entries_there.flatten() {
            entries += 1;
            if entries > ENTRIES {
                return false;
            }
            match entry.metadata() {
                Ok(file) if file.is_dir() => ahead.push(entry.path()),
                Ok(file) if file.is_file() => enter(files, &file),
                _ => {}
            }
        }
    }
    true
}

#[cfg(target_os = "linux")]
fn is_in_memory(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|system| IN_MEMORY.contains(&(system.f_type as u64)))
}

/// Elsewhere a file system does not say what it is in the same way.
#[cfg(not(target_os = "linux"))]
fn is_in_memory(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::Write;
    use std::process::{Child, Command};

    use super::*;

    const MIB: u64 = 1 << 20;

    fn sleeping() -> (Child, Pid) {
        let child = Command::new("sleep").arg("300").spawn().expect("`sleep` can be started");
        let pid = Pid::from_child(&child);
        (child, pid)
    }

    #[test]
    fn files_of_a_temporary_folder_count_as_what_they_lie_in() {
        let (mut child, pid) = sleeping();
        let folders = [tempfile::tempdir().ok(), tempfile::tempdir_in("/dev/shm").ok()];
        for folder in folders.into_iter().flatten() {
            let below = folder.path().join("a").join("b");
            fs::create_dir_all(&below).expect("there is room for folders");
            let mut file = fs::File::create(below.join("file")).expect("a file");
            file.write_all(&vec![1; 3 * MIB as usize]).and_then(|()| file.sync_all()).expect("there is room");
            std::os::unix::fs::symlink("/", folder.path().join("link")).expect("a link");
            let mut scales = Scales::new(folder.path());
            let found = scales.look(&[pid]);
            let due = if is_in_memory(folder.path()) { found.0 } else { found.1 };
            assert!((3 * MIB..4 * MIB).contains(&due), "{}: {found:?}", folder.path().display());
            assert!(scales.weigh(Pid::from_child(&child)).memory < 4 * MIB, "`sleep` has started nothing");
        }
        child.kill().and_then(|()| child.wait()).expect("it is ours");
    }

    #[test]
    fn the_resident_set_of_a_process_is_seen() {
        let Resident { private, most, .. } = resident(rustix::process::getpid());
        assert!(private > MIB / 4, "{private}");
        assert!(most > MIB / 4, "{most}");
    }

    #[test]
    fn a_high_water_mark_is_that_since_it_was_reset() {
        const HELD: u64 = 128 * MIB;
        let own = rustix::process::getpid();
        drop(std::hint::black_box(vec![1_u8; HELD as usize]));
        let before = resident(own).most;
        assert!(before > HELD, "{before}");
        assert!(reset_mark(own));
        let after = resident(own).most;
        assert!(after + HELD / 2 < before, "{after} after {before}");
        let (mut child, pid) = sleeping();
        child.kill().and_then(|()| child.wait()).expect("it is ours");
        assert!(reset_mark(pid), "one that is gone has no mark");
    }
}
