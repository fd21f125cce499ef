//! A command in an empty folder, interrupted when something has come to be.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub(crate) const HEAPSMITH: &str = env!("CARGO_BIN_EXE_heapsmith");

/// Much longer than anything here takes on a busy machine: what is waited for longer does not come.
const PATIENCE: Duration = Duration::from_secs(240);

/// Where a command runs: its folder, and the folder of its temporary files.
pub(crate) struct Place {
    _folder: TempDir,
    pub(crate) work: PathBuf,
    pub(crate) temporary: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Place {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        let [work, temporary] = ["work", "temporary"].map(|name| folder.path().join(name));
        fs::create_dir(&work).and_then(|()| fs::create_dir(&temporary)).expect("there is room for folders");
        Place { _folder: folder, work, temporary }
    }

    /// Starts a command with what it prints going to files, so that it need not be read.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running<'_> {
        let log = |name: &str| File::create(self.work.with_extension(name)).expect("a file");
        let mut child = Command::new(HEAPSMITH)
            .args(arguments)
            .current_dir(&self.work)
            .env("TMPDIR", &self.temporary)
            .env("PATH", with_heapsmith())
            .stdin(Stdio::piped())
            .stdout(log("out"))
            .stderr(log("err"))
            .spawn()
            .expect("heapsmith can be run");
        let input = child.stdin.take();
        Running { place: self, child, input, what: arguments.join(" ") }
    }

    /// The names in both folders, with what lies deeper.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut ahead = vec![self.work.clone(), self.temporary.clone()];
        while let Some(folder) = ahead.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    ahead.push(entry.path());
                }
                names.push(entry.path().display().to_string());
            }
        }
        names.sort();
        names
    }
}

fn with_heapsmith() -> String {
    let folder = Path::new(HEAPSMITH).parent().expect("it lies in a folder");
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default())
}

/// A command that runs.
pub(crate) struct Running<'p> {
    place: &'p Place,
    child: Child,
    input: Option<ChildStdin>,
    what: String,
}

impl Running<'_> {
    /// Writes to its standard input, until it has taken all but what a pipe holds; the pipe stays open.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        // It may have refused what it read so far.
        let _ = self.input.as_mut().expect("it is open").write_all(bytes);
    }

    /// The file in which Linux counts how much it has read.
    pub(crate) fn counted_file(&self) -> PathBuf {
        PathBuf::from(format!("/proc/{}/io", self.child.id()))
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits until something is there; gives whether the command still runs then.
    pub(crate) fn until(&mut self, mut is_there: impl FnMut() -> bool) -> bool {
        let asked = Instant::now();
        loop {
            if self.child.try_wait().expect("it is ours").is_some() {
                return false;
            }
            if is_there() {
                return true;
            }
            assert!(asked.elapsed() < PATIENCE, "{}: what was waited for does not come", self.what);
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Sends a signal, when the command listens: until its handlers are complete a signal may be lost, as where the tests
    /// run in the background of a script, which ignores SIGINT.
    pub(crate) fn signal(&mut self, signal: Signal) {
        if cfg!(target_os = "linux") {
            let threads = format!("/proc/{}/task", self.child.id());
            self.until(|| {
                let name = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
                fs::read_dir(&threads).into_iter().flatten().flatten().any(|thread| name(thread) == "signals\n")
            });
        }
        let _ = kill_process(Pid::from_child(&self.child), signal);
    }

    /// Waits for the end, and for what was printed. The code of a command that a signal ended before it could handle
    /// any is that of a shell, too.
    pub(crate) fn end(mut self) -> Output {
        self.until(|| false);
        let read = |name: &str| fs::read(self.place.work.with_extension(name)).expect("a file");
        let status = self.child.wait().expect("it is ours");
        let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(-1);
        Output { status: std::process::ExitStatus::from_raw(code << 8), stdout: read("out"), stderr: read("err") }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
