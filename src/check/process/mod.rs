//! Running a program under test: with limits, and so that nothing of it stays.

mod control;
mod footprint;
mod input;
mod stream;
mod supervisor;
mod sweeper;
mod tree;

use std::fs::File;
use std::io::{self, pipe};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::error::Error;
use crate::interrupt::Stop;
use crate::setters::setters;
use crate::system;

use control::Ended;
use footprint::Scales;
use input::Requests;
use stream::{Lines, Tail};

pub(super) use stream::Line;
pub use supervisor::supervise;
pub use sweeper::Sweeper;

/// Time and memory for a case.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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

setters! {
    impl Budget {
        set time: Duration;
        set time_per_mib: Duration;
        set memory: u64;
        set memory_per_byte: u64;
    }
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
        self.time.saturating_add(self.time_per_mib.mul_f64(size as f64 / f64::from(1 << 20)))
    }

    /// The memory for a dump of this many bytes.
    pub fn memory_for(&self, size: u64) -> u64 {
        self.memory.saturating_add(self.memory_per_byte.saturating_mul(size))
    }

    /// How long what takes a moment may take. On a slow machine, where more time was asked for, moments are longer, too.
    pub(super) fn grace(&self) -> Duration {
        GRACE.max(self.time / 20)
    }

    /// How long an answer about a dump of this many bytes may be, and how much a program may put into its temporary
    /// folder besides: a listing has some twenty bytes for each of a dump.
    pub(super) fn output_for(size: u64) -> u64 {
        size.saturating_mul(512).saturating_add(64 << 20)
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
    /// A file that the program writes.
    pub(super) output: Option<&'p Path>,
    /// How long that may get, and how much the program may put into its temporary folder.
    pub(super) longest: u64,
}

impl<'p> Limits<'p> {
    /// The limits for a dump of this many bytes.
    pub(super) fn of(budget: &Budget, size: u64, output: Option<&'p Path>) -> Limits<'p> {
        Limits {
            time: budget.time_for(size),
            grace: budget.grace(),
            memory: budget.memory_for(size),
            output,
            longest: Budget::output_for(size),
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
    /// It writes files without end.
    Endless(u64),
    /// The run is to stop.
    Interrupted,
}

/// A program that runs under a supervisor.
#[derive(Debug)]
pub(super) struct Process {
    supervisor: Child,
    control: UnixStream,
    requests: Option<Requests>,
    lines: Option<Lines>,
    messages: Tail,
    scales: Scales,
    stop: Stop,
    is_gone: bool,
}

/// Where a program's standard output goes.
pub(super) enum Output {
    /// Read line by line; and standard input is for requests.
    Lines,
    /// Into a file; and standard input is empty.
    File(File),
}

impl Process {
    /// Starts a program. `supervisor` is heapsmith's own program; `temporary` is a folder for this process alone, which it
    /// is given as `TMPDIR`.
    pub(super) fn start(
        supervisor: &Path,
        command: &[String],
        temporary: &Path,
        output: Output,
        stop: &Stop,
    ) -> Result<Process, Error> {
        let failed = |e| Error::io(format!("starting {}", command.first().map_or("nothing", String::as_str)), e);
        let (control, theirs) = UnixStream::pair().map_err(failed)?;
        let (messages, stderr) = pipe().map_err(failed)?;
        let (stdin, stdout, requests, lines) = match output {
            Output::Lines => {
                let (stdin, requests) = pipe().map_err(failed)?;
                let (lines, stdout) = pipe().map_err(failed)?;
                let (requests, lines) = (Requests::to(requests).map_err(failed)?, Lines::of(lines).map_err(failed)?);
                let (requests, lines) = (Some(requests), Some(lines));
                (OwnedFd::from(stdin), OwnedFd::from(stdout), requests, lines)
            }
            Output::File(file) => (File::open("/dev/null").map_err(failed)?.into(), file.into(), None, None),
        };
        let mut built = Command::new(supervisor);
        built.arg("supervise").arg("--").args(command).env("TMPDIR", temporary).process_group(0);
        built.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let supervisor = sweeper::start(|| built.spawn()).map_err(failed)?;
        // Its copy of the other end: what is left open here is no end of the socket.
        drop(built);
        let messages = Tail::of(messages).map_err(failed)?;
        let scales = Scales::new(temporary);
        let stop = stop.clone();
        let process = Process { supervisor, control, requests, lines, messages, scales, stop, is_gone: false };
        match control::send(&process.control, &[stdin, stdout, stderr.into()]) {
            // It is gone already, which is seen at its end.
            Err(e) if matches!(e.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => Ok(process),
            sent => sent.map(|()| process).map_err(failed),
        }
    }

    /// Forgets the messages so far: what comes now is about the next question.
    pub(super) fn forget_messages(&self) {
        self.messages.clear();
    }

    /// Sends a line. That it is not read is seen at the wait for the answer.
    pub(super) fn write_line(&self, line: &str) {
        if let Some(requests) = &self.requests {
            requests.send(line);
        }
    }

    /// Closes the program's standard input.
    pub(super) fn close_input(&mut self) {
        self.requests = None;
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
                Some(Ok(Some(line))) => {
                    // What it says after its supervisor was killed is nobody's answer.
                    return if self.was_killed() { Err(self.end(limits)) } else { Ok(line) };
                }
                Some(Ok(None)) => {
                    if self.was_killed() {
                        return Err(self.end(limits));
                    }
                    if self.is_gone {
                        // With it all that it watches is gone, and what they wrote was read.
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

    /// Whether the supervisor is gone, and did not end in order.
    fn was_killed(&mut self) -> bool {
        match self.supervisor.try_wait() {
            Ok(Some(status)) => {
                self.gone();
                !status.success()
            }
            _ => false,
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
                    self.gone();
                    return match control::ended(&self.control) {
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
    fn check(&mut self, limits: &Limits<'_>, started: Instant) -> Result<(), Stopped> {
        if self.stop.is_asked() {
            return Err(Stopped::Interrupted);
        }
        if started.elapsed() >= limits.time {
            return Err(Stopped::OutOfTime(limits.time));
        }
        let written = limits.output.and_then(|path| std::fs::symlink_metadata(path).ok()).map_or(0, |file| file.len());
        let footprint = self.scales.weigh(Pid::from_child(&self.supervisor));
        if written.max(footprint.disk) > limits.longest {
            return Err(Stopped::Endless(limits.longest));
        }
        if footprint.memory > limits.memory {
            return Err(Stopped::OutOfMemory(limits.memory));
        }
        Ok(())
    }

    /// Kills the program and all that it started, and waits until they are gone.
    pub(super) fn kill(&mut self) {
        if self.is_gone {
            return;
        }
        self.requests = None;
        let pid = Pid::from_child(&self.supervisor);
        // It may have been stopped by what it watches.
        for signal in [Signal::TERM, Signal::CONT] {
            let _ = kill_process(pid, signal);
        }
        let asked = Instant::now();
        loop {
            match self.supervisor.try_wait() {
                Ok(Some(_)) => return self.gone(),
                Ok(None) if asked.elapsed() <= PATIENCE => std::thread::sleep(Duration::from_micros(500)),
                Ok(None) | Err(_) => break,
            }
        }
        // What it watches may hold it: all of it goes at once.
        sweeper::kill_until_gone(|| match self.supervisor.try_wait() {
            Ok(None) => [pid].into_iter().chain(tree::descendants(pid)).collect(),
            _ => Vec::new(),
        });
        match self.supervisor.try_wait() {
            Ok(Some(_)) => self.gone(),
            _ => {
                self.is_gone = true;
                sweeper::gone(pid);
            }
        }
    }

    /// The supervisor is gone: with all that it watched, unless it was killed itself or had too little time.
    fn gone(&mut self) {
        if !self.is_gone {
            self.is_gone = true;
            sweeper::gone(Pid::from_child(&self.supervisor));
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

fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        // Whether a core was dumped is the machine's matter.
        (Some(signal), _) => format!("ended by {}", system::name_of(signal)),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => status.to_string(),
    }
}
