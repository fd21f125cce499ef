//! Memory and disk that a program and all that it started have.
//!
//! Memory is: the resident sets of all its processes, added up, so that a page that several share counts for each of
//! them; shared memory that is mapped by none of them at the moment, as long as one of them holds it open or has made it
//! (memfd_create, shm_open, System V); and the files in its `TMPDIR` where that lies in memory (tmpfs). Disk is the files
//! there where it does not, and files without a name that one of them holds open. On systems without `/proc` nothing is seen.
//!
//! The peak of memory is taken from the kernel's high-water marks of resident sets, which can be reset (proc(5),
//! `clear_refs`): looking once at the end is enough for a process that is still there.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use rustix::process::Pid;

use crate::system::program::Footprint;
use crate::system::unix::file::free_space;

use super::storage::{FileSizes, OpenFiles, files_below, is_in_memory, open_below};
use super::tree::descendants;

/// Looks at a program again and again. What takes long is looked at less often, unless the disk gets fuller.
#[derive(Debug)]
pub(super) struct FootprintMeter {
    temporary: PathBuf,
    /// Whether the temporary folder is in memory.
    in_memory: bool,
    /// Processes that were seen, which shared memory may outlive.
    seen: HashSet<i32>,
    /// Its files when they were looked at last.
    files: ProgramFiles,
    /// When the last look was over, and how long it took.
    looked: (Instant, Duration),
    /// The bytes that were free on the disk before it.
    free: Option<u64>,
    /// The processes that were there at the last look.
    last: Vec<Pid>,
    /// Whether their high-water marks are those since [`FootprintMeter::forget_peak`].
    has_marks: bool,
    /// The most memory since then, as far as it was seen.
    peak: Option<u64>,
}

/// Bytes of the files that a program has.
#[derive(Debug, Default)]
struct ProgramFiles {
    in_memory: u64,
    on_disk: u64,
    /// In another folder, and which it is.
    beside: Option<(PathBuf, u64)>,
}

/// The shortest time between two looks at files, and its ratio to the time that a look takes.
const PAUSE: Duration = Duration::from_millis(100);
const TIMES: u32 = 10;
/// The disk gets fuller, whatever fills it: by this number of bytes since the last look. Then the pause is as long as looking took.
const FILLED: u64 = 16 << 20;

impl FootprintMeter {
    /// For a program that has this temporary folder.
    pub(super) fn new(temporary: &Path) -> FootprintMeter {
        let mut scales = FootprintMeter {
            temporary: temporary.to_owned(),
            in_memory: is_in_memory(temporary),
            seen: HashSet::new(),
            files: ProgramFiles::default(),
            // Most cases are over before the first look at files.
            looked: (Instant::now(), Duration::ZERO),
            free: None,
            last: Vec::new(),
            has_marks: true,
            peak: None,
        };
        scales.free = scales.free();
        scales
    }

    /// The bytes that are free where its temporary files are.
    fn free(&self) -> Option<u64> {
        // The folder itself may be gone.
        free_space(self.temporary.parent()?)
    }

    /// Whether it is time to look at files again.
    pub(super) fn is_due(&self) -> bool {
        let (at, took) = self.looked;
        let since = at.elapsed();
        since >= PAUSE.max(took * TIMES) || since >= took && self.is_filled()
    }

    /// Whether the disk has got fuller since the last look began.
    fn is_filled(&self) -> bool {
        self.free.zip(self.free()).is_some_and(|(before, now)| now.saturating_add(FILLED) <= before)
    }

    /// Forgets the peak so far. Processes that are started later have marks of their own.
    pub(super) fn forget_peak(&mut self, root: Pid) {
        if self.last.is_empty() {
            self.measure(root, None);
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

    /// Looks at all descendants of a process; and at its files, also those in a folder besides, if it is time for that.
    pub(super) fn measure(&mut self, root: Pid, beside: Option<&Path>) -> Footprint {
        let processes = descendants(root);
        self.seen.extend(processes.iter().map(|pid| pid.as_raw_nonzero().get()));
        let (mut own, mut mapped, mut marks) = (0, 0, 0);
        for pid in &processes {
            let ResidentSet { private, shared, most } = resident(*pid);
            own += private;
            mapped += shared;
            marks += most;
        }
        // Where no more files can be opened, they are looked at the next time.
        if self.is_due()
            && let (begun, free) = (Instant::now(), self.free())
            && let Ok(files) = self.look(&processes, beside)
        {
            self.files = files;
            self.looked = (Instant::now(), begun.elapsed());
            self.free = free;
        }
        // What was written while all files were looked at is most often in a file that is open.
        if self.is_filled() {
            self.look_at_open_files(&processes, beside);
        }
        self.last = processes;
        // What is mapped is most often a file that is open, too.
        let memory = mapped.max(self.files.in_memory).saturating_add(own);
        if self.has_marks && marks > 0 {
            self.peak = self.peak.max(Some(memory.max(marks)));
        }
        let seen_beside = self.files.beside.as_ref().filter(|(folder, _)| beside == Some(folder));
        Footprint { memory, disk: self.files.on_disk, beside: seen_beside.map_or(0, |(_, bytes)| *bytes) }
    }

    /// # Errors
    /// If no more files can be opened.
    fn look(&self, processes: &[Pid], beside: Option<&Path>) -> io::Result<ProgramFiles> {
        let OpenFiles { mut in_memory, mut unlinked, are_all } = OpenFiles::from_processes(processes);
        let temporary = if self.in_memory { &mut in_memory } else { &mut unlinked };
        let are_all = files_below(&self.temporary, temporary)? && are_all;
        // Files without end are written as well as a file without end.
        let sum = |files: &FileSizes, are_all| if are_all { files.sum() } else { u64::MAX };
        let mut files_beside = FileSizes::default();
        let beside = match beside {
            Some(folder) => {
                let are_all = files_below(folder, &mut files_beside)?;
                Some((folder.to_owned(), sum(&files_beside, are_all)))
            }
            None => None,
        };
        let in_memory = in_memory.sum().saturating_add(self.system_v());
        Ok(ProgramFiles { in_memory, on_disk: sum(&unlinked, are_all), beside })
    }

    /// Adds what open files have grown by since the last look.
    fn look_at_open_files(&mut self, processes: &[Pid], beside: Option<&Path>) {
        let bytes = if self.in_memory { &mut self.files.in_memory } else { &mut self.files.on_disk };
        *bytes = open_below(processes, &self.temporary).max(*bytes);
        let Some(folder) = beside else { return };
        let open = open_below(processes, folder);
        match &mut self.files.beside {
            Some((known, bytes)) if known == folder => *bytes = open.max(*bytes),
            other => *other = Some((folder.to_owned(), open)),
        }
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
struct ResidentSet {
    /// Its own pages and those of files.
    private: u64,
    /// Pages of shared memory.
    shared: u64,
    /// The most that there were of both; 0 where the system has no such number.
    most: u64,
}

fn resident(pid: Pid) -> ResidentSet {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) << 10
    };
    ResidentSet { private: of("RssAnon:") + of("RssFile:"), shared: of("RssShmem:"), most: of("VmHWM:") }
}

/// Lowers the high-water mark of a process to what it has now; whether no mark is left from before. One that is gone has
/// none.
fn reset_mark(pid: Pid) -> bool {
    let folder = PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()));
    fs::write(folder.join("clear_refs"), "5").is_ok() || !folder.exists()
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
            let mut scales = FootprintMeter::new(folder.path());
            let found = scales.look(&[pid], None).expect("files can be opened");
            let due = if is_in_memory(folder.path()) { found.in_memory } else { found.on_disk };
            assert!((3 * MIB..4 * MIB).contains(&due), "{}: {found:?}", folder.path().display());
            assert!(scales.measure(Pid::from_child(&child), None).memory < 4 * MIB, "`sleep` has started nothing");
        }
        child.kill().and_then(|()| child.wait()).expect("it is ours");
    }

    /// However long the last look took.
    #[test]
    fn files_are_looked_at_again_when_the_disk_gets_fuller() {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let mut scales = FootprintMeter::new(folder.path());
        scales.looked = (Instant::now(), Duration::from_secs(60));
        scales.free = Some(u64::MAX);
        assert!(!scales.is_due(), "looking takes no more than half of the time");
        scales.looked.0 -= Duration::from_secs(60);
        assert!(scales.is_due());
        scales.free = Some(0);
        assert!(!scales.is_due(), "it has more room than before");
    }

    /// A look at all files takes long where there are many, and is not due.
    #[test]
    fn finds_growth_of_open_file_between_looks() {
        let (temporary, beside) = (tempfile::tempdir_in("/var/tmp"), tempfile::tempdir_in("/var/tmp"));
        let folders = [temporary, beside].map(|folder| folder.expect("there is room for a folder"));
        for (at, folder) in folders.iter().enumerate() {
            let mut scales = FootprintMeter::new(folders[0].path());
            scales.looked = (Instant::now(), Duration::from_secs(600));
            let mut file = fs::File::create(folder.path().join("file")).expect("a file");
            file.write_all(&vec![1; 3 * MIB as usize]).and_then(|()| file.sync_all()).expect("there is room");
            let mut child = Command::new("sleep").arg("300").stdin(file).spawn().expect("`sleep` can be started");
            // This process is the parent.
            let found = [Some(0), Some(u64::MAX)].map(|free| {
                scales.free = free;
                let Footprint { disk, beside, .. } = scales.measure(rustix::process::getpid(), Some(folders[1].path()));
                [disk, beside]
            });
            child.kill().and_then(|()| child.wait()).expect("it is ours");
            assert_eq!(found[0], [0, 0], "the disk has got emptier");
            if !is_in_memory(folder.path()) {
                assert!((3 * MIB..4 * MIB).contains(&found[1][at]) && found[1][1 - at] == 0, "{found:?}");
            }
        }
    }

    #[test]
    fn the_resident_set_of_a_process_is_seen() {
        let ResidentSet { private, most, .. } = resident(rustix::process::getpid());
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
