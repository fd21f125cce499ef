//! Running somebody's program: with limits, and so that nothing of it stays behind.

mod stream;
mod supervisor;
mod tree;

use std::fs::File;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::error::Error;

use stream::{Lines, Tail};
use supervisor::Ended;

pub(super) use stream::Line;
pub use supervisor::{Sweeper, supervise};

/// Time and memory for a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Time for a small dump.
    pub time: Duration,
    /// Time for each MiB of a dump besides.
    pub time_per_mib: Duration,
    /// Memory for a small dump, in bytes.
    pub memory: u64,
    /// Memory for each byte of a dump besides.
    pub memory_per_byte: u64,
}

impl Default for Budget {
    /// What the slowest implementation at hand needs a tenth of.
    fn default() -> Budget {
        Budget {
            time: Duration::from_secs(10),
            time_per_mib: Duration::from_millis(500),
            memory: 2 << 30,
            memory_per_byte: 32,
        }
    }
}

impl Budget {
    /// The time for a dump of this many bytes.
    pub fn time_for(&self, size: u64) -> Duration {
        self.time + self.time_per_mib.mul_f64(size as f64 / f64::from(1 << 20))
    }

    /// The memory for a dump of this many bytes.
    pub fn memory_for(&self, size: u64) -> u64 {
        self.memory.saturating_add(self.memory_per_byte.saturating_mul(size))
    }

    /// How long what takes a moment may take. On a slow machine, where more time was asked for, moments are longer, too.
    pub(super) fn grace(&self) -> Duration {
        GRACE.max(self.time / 20)
    }

    /// The longest file that an answer about a dump of this many bytes may fill.
    pub(super) fn output_for(size: u64) -> u64 {
        (256 << 20) + 512 * size
    }
}

/// The limits of one wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<'p> {
    /// How long.
    pub(super) time: Duration,
    /// How long the end of a program that closed its standard output, and the last line of one that is gone.
    pub(super) grace: Duration,
    /// How much memory, over the program and all that it started.
    pub(super) memory: u64,
    /// A file that the program writes, and how long it may get.
    pub(super) output: Option<(&'p Path, u64)>,
}

impl<'p> Limits<'p> {
    /// The limits for a dump of this many bytes.
    pub(super) fn of(budget: &Budget, size: u64, output: Option<&'p Path>) -> Limits<'p> {
        Limits {
            time: budget.time_for(size),
            grace: budget.grace(),
            memory: budget.memory_for(size),
            output: output.map(|path| (path, Budget::output_for(size))),
        }
    }
}

/// Why a wait ended without what was waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The program ended: its exit code, if it has one, and how in words.
    Ended(Option<i32>, String),
    /// It could not be started.
    NotStarted(String),
    /// It closed its standard output and goes on.
    Closed,
    /// The time is up.
    OutOfTime(Duration),
    /// It has more memory than the limit.
    OutOfMemory(u64),
    /// It writes a file without end.
    Endless(u64),
}

/// A program that runs under a supervisor.
#[derive(Debug)]
pub(super) struct Process {
    supervisor: Child,
    input: Option<ChildStdin>,
    lines: Option<Lines>,
    messages: Tail,
    status: PathBuf,
    is_gone: bool,
}

/// Where a program's standard output goes.
pub(super) enum Output {
    /// Read line by line.
    Lines,
    /// Into a file.
    File(File),
}

impl Process {
    /// Starts a program. `supervisor` is heapsmith's own program; `scratch` is a folder for this process alone, which it
    /// is told of as `TMPDIR`.
    pub(super) fn start(
        supervisor: &Path,
        command: &[String],
        scratch: &Path,
        output: Output,
    ) -> Result<Process, Error> {
        let failed = |e| Error::io(format!("starting {}", command.first().map_or("nothing", String::as_str)), e);
        let status = scratch.join("status");
        let _ = std::fs::remove_file(&status);
        let temporary = scratch.join("tmp");
        std::fs::create_dir_all(&temporary).map_err(failed)?;
        let mut built = Command::new(supervisor);
        let own = std::process::id().to_string();
        built.arg("supervise").arg(own).arg(&status).arg("--").args(command).env("TMPDIR", &temporary).process_group(0);
        let (stdin, stdout) = match output {
            Output::Lines => (Stdio::piped(), Stdio::piped()),
            Output::File(file) => (Stdio::null(), Stdio::from(file)),
        };
        let mut supervisor = built.stdin(stdin).stdout(stdout).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let messages = Tail::of(supervisor.stderr.take());
        let lines = supervisor.stdout.take().map(Lines::of);
        let input = supervisor.stdin.take();
        Ok(Process { supervisor, input, lines, messages, status, is_gone: false })
    }

    /// Forgets the messages so far: what comes now is about the next question.
    pub(super) fn forget_messages(&self) {
        self.messages.clear();
    }

    /// Writes a line. That nobody reads it is seen at the wait for the answer.
    pub(super) fn write_line(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            let _ = input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).and_then(|()| input.flush());
        }
    }

    /// Closes the program's standard input.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// The end of what the program wrote to standard error. For programs that are gone.
    pub(super) fn messages(&self) -> String {
        self.messages.text()
    }

    /// Waits for a line.
    pub(super) fn line(&mut self, limits: &Limits<'_>) -> Result<Line, Stopped> {
        let started = Instant::now();
        loop {
            match self.lines.as_ref().map(|lines| lines.next_within(TICK)) {
                Some(Ok(Some(line))) => return Ok(line),
                Some(Ok(None)) => {
                    if self.supervisor.try_wait().is_ok_and(|ended| ended.is_some()) {
                        // With it all that it watches is gone, and what they wrote was read; or it was killed by them.
                        return match self.lines.as_ref().map(|lines| lines.next_within(limits.grace)) {
                            Some(Ok(Some(line))) => Ok(line),
                            _ => Err(self.end(limits)),
                        };
                    }
                    self.check(limits, started)?;
                }
                // Standard output is closed: the end is near, or the program lives on without it.
                Some(Err(_)) | None => {
                    let grace = Limits { time: limits.time.min(limits.grace), ..*limits };
                    return Err(match self.end(&grace) {
                        Stopped::OutOfTime(_) => Stopped::Closed,
                        stopped => stopped,
                    });
                }
            }
        }
    }

    /// Waits for the end.
    pub(super) fn end(&mut self, limits: &Limits<'_>) -> Stopped {
        let started = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match self.supervisor.try_wait() {
                Ok(None) => {}
                Ok(Some(_)) => {
                    self.is_gone = true;
                    return match supervisor::ended(&self.status) {
                        Ended::By(status) => Stopped::Ended(status.code(), describe(status)),
                        Ended::NotStarted(why) => Stopped::NotStarted(why),
                        Ended::Killed => Stopped::Ended(None, "its supervisor was killed".to_owned()),
                    };
                }
                Err(e) => return Stopped::Ended(None, format!("lost: {e}")),
            }
            if let Err(stopped) = self.check(limits, started) {
                return stopped;
            }
            std::thread::sleep(pause.min(limits.time.saturating_sub(started.elapsed())));
            pause = (pause * 2).min(TICK);
        }
    }

    /// Holds the program against its limits.
    fn check(&self, limits: &Limits<'_>, started: Instant) -> Result<(), Stopped> {
        if let Some((path, longest)) = limits.output
            && std::fs::metadata(path).is_ok_and(|file| file.len() > longest)
        {
            return Err(Stopped::Endless(longest));
        }
        if tree::memory(Pid::from_child(&self.supervisor)) > limits.memory {
            return Err(Stopped::OutOfMemory(limits.memory));
        }
        if started.elapsed() >= limits.time {
            return Err(Stopped::OutOfTime(limits.time));
        }
        Ok(())
    }

    /// Kills the program and all that it started, and waits until they are gone.
    pub(super) fn kill(&mut self) {
        if self.is_gone {
            return;
        }
        self.is_gone = true;
        self.input = None;
        let pid = Pid::from_child(&self.supervisor);
        let _ = kill_process(pid, Signal::TERM);
        let asked = Instant::now();
        while let Ok(None) = self.supervisor.try_wait() {
            if asked.elapsed() > PATIENCE {
                let _ = self.supervisor.kill();
                let _ = self.supervisor.wait();
                return;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How often memory and files are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long a program may take to end after it closed its standard output, at least.
const GRACE: Duration = Duration::from_secs(1);
/// How long a supervisor may take to kill everything.
const PATIENCE: Duration = Duration::from_secs(10);

fn describe(status: std::process::ExitStatus) -> String {
    match (status.signal(), status.code()) {
        // Whether a core was dumped is the machine's matter.
        (Some(signal), _) => match signal_hook::low_level::signal_name(signal) {
            Some(name) => format!("ended by {name}"),
            None => format!("ended by signal {signal}"),
        },
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => status.to_string(),
    }
}
