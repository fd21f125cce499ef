//! Processes under test: programs that run with limits, and leave nothing running.

mod input;
mod stream;
mod sweeper;

use std::ffi::OsString;
use std::fs::File;
use std::io::pipe;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use input::Requests;
use stream::{OutputLines, ProgramMessages};

use heapsmith_core::error::Error;
use heapsmith_core::interrupt::Stop;
use heapsmith_core::setters::setters;
use heapsmith_core::system::{self, Program, ProgramEnd, ProgramState};

pub(super) use stream::{OutputLine, cut_middle};
pub use sweeper::Sweeper;

/// The longest line of an answer, in bytes.
pub const LONGEST_LINE: usize = 16 << 20;

/// Starts a program with the streams that come over standard input, and supervises it. `check` starts heapsmith's own
/// program for this, where the system has supervisors.
///
/// # Errors
/// If the system refuses what a supervisor needs.
pub fn supervise(command: &[OsString]) -> Result<(), Error> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::Usage("there is no program to supervise".to_owned()));
    };
    system::supervise(program, arguments).map_err(|e| Error::io("supervising a program", e))
}

/// The budget of time and memory for a case.
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
    /// Ten times the needs of the slowest implementation at hand.
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

    /// The time limit of momentary actions. It grows with the time that was asked for, since that is longer on a slow
    /// machine.
    pub(super) fn grace(&self) -> Duration {
        GRACE.max(self.time / 20)
    }

    /// The budget this many times: as to time and memory that do not grow with the dump.
    pub(super) fn times(self, times: u32) -> Budget {
        let memory = self.memory.saturating_mul(u64::from(times));
        Budget { time: self.time.saturating_mul(times), memory, ..self }
    }

    /// The longest answer about a dump of this many bytes, and the most that a program may put into its temporary
    /// folder besides: a listing has some twenty bytes for each byte of a dump.
    pub(super) fn output_for(size: u64) -> u64 {
        size.saturating_mul(512).saturating_add(64 << 20)
    }
}

/// The limits of one wait.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<'p> {
    /// The time.
    pub(super) time: Duration,
    /// The time for the end of a program that closed its standard output, and for the last line of one that is gone.
    pub(super) grace: Duration,
    /// Memory of the program and all that it started, in bytes.
    pub(super) memory: u64,
    /// The place of the answer.
    pub(super) answer: Option<AnswerPlace<'p>>,
    /// The longest answer, with everything that the program puts beside it; and the most that it may put into its
    /// temporary folder.
    pub(super) longest: u64,
}

/// The place where a program writes its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct AnswerPlace<'p> {
    pub(super) file: &'p Path,
    /// The folder that it is in, which is of one question.
    pub(super) folder: &'p Path,
    /// The bytes in this folder that are not the program's.
    pub(super) given: u64,
}

impl<'p> Limits<'p> {
    /// The limits for a dump of this many bytes.
    pub(super) fn for_dump(budget: &Budget, size: u64, answer: Option<AnswerPlace<'p>>) -> Limits<'p> {
        Limits {
            time: budget.time_for(size),
            grace: budget.grace(),
            memory: budget.memory_for(size),
            answer,
            longest: Budget::output_for(size),
        }
    }
}

/// The reason for which a wait ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// The program ended: its exit code, if it has one, and how in words.
    Ended(Option<i32>, String),
    /// The program could not be started.
    NotStarted(String),
    /// The machine has too few resources to start it.
    Shortage(String),
    /// The program closed its standard output and keeps running.
    Closed,
    /// The time is up.
    OutOfTime(Duration),
    /// The program took more memory than this limit.
    OutOfMemory(u64),
    /// The program wrote more than this limit.
    Endless(u64),
    /// The run is to stop.
    Interrupted,
}

/// A running program, with the readers and the writer of its streams. It is killed on drop.
#[derive(Debug)]
pub(super) struct Process {
    program: Program,
    requests: Option<Requests>,
    lines: Option<OutputLines>,
    messages: ProgramMessages,
    stop: Stop,
}

/// The target of a program's standard output.
pub(super) enum StdoutTarget {
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
        output: StdoutTarget,
        stop: &Stop,
    ) -> Result<Process, Error> {
        let failed = |e| Error::io(format!("starting {}", command.first().map_or("nothing", String::as_str)), e);
        let (messages, stderr) = pipe().map_err(failed)?;
        let (stdin, stdout, requests, lines) = match output {
            StdoutTarget::Lines => {
                let (stdin, requests) = pipe().map_err(failed)?;
                let (lines, stdout) = pipe().map_err(failed)?;
                let (requests, lines) =
                    (Requests::with_pipe(requests).map_err(failed)?, OutputLines::from_pipe(lines).map_err(failed)?);
                let (requests, lines) = (Some(requests), Some(lines));
                (stdin.into(), stdout.into(), requests, lines)
            }
            StdoutTarget::File(file) => (File::open(system::NOWHERE).map_err(failed)?.into(), file.into(), None, None),
        };
        let messages = ProgramMessages::from_pipe(messages).map_err(failed)?;
        let streams = [stdin, stdout, stderr.into()];
        let program = Program::start(supervisor, command, temporary, streams).map_err(failed)?;
        Ok(Process { program, requests, lines, messages, stop: stop.clone() })
    }

    /// Forgets the messages so far, before the next question.
    pub(super) fn forget_messages(&self) {
        self.messages.clear();
    }

    /// Forgets the peak of memory so far, before the next question.
    pub(super) fn forget_peak(&mut self) {
        self.program.forget_peak();
    }

    /// Peak memory of the program and all that it started since then. Processes that are gone count as far as their
    /// limits were checked. `None` where the system has no such number.
    pub(super) fn peak_memory(&mut self) -> Option<u64> {
        if !self.program.is_gone() {
            self.program.footprint(None);
        }
        self.program.peak()
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

    /// Both ends of what the program wrote to standard error. For programs that are gone.
    pub(super) fn messages(&self) -> String {
        self.messages.text()
    }

    /// Waits for a line.
    pub(super) fn wait_for_line(&mut self, limits: &Limits<'_>) -> Result<OutputLine, StopReason> {
        let started = Instant::now();
        loop {
            match self.lines.as_ref().map(|lines| lines.next_within(TICK)) {
                Some(Ok(Some(line))) => {
                    // What it says after its supervisor was killed is not an answer.
                    if self.was_killed() {
                        return Err(self.wait_for_end(limits));
                    }
                    // Many quick answers may leave much on the disk.
                    if self.program.is_to_be_looked_at() {
                        self.check_memory_and_files(limits)?;
                    }
                    return Ok(line);
                }
                Some(Ok(None)) => {
                    if self.was_killed() {
                        return Err(self.wait_for_end(limits));
                    }
                    if self.program.is_gone() {
                        // With it all that it watches is gone, and what they wrote was read.
                        return match self.lines.as_ref().map(|lines| lines.next_within(limits.grace)) {
                            Some(Ok(Some(line))) => Ok(line),
                            _ => Err(self.wait_for_end(limits)),
                        };
                    }
                    self.check_limits(limits, started)?;
                }
                // Standard output is closed: the end is near, or the program keeps running without it.
                Some(Err(_)) | None => {
                    let grace = Limits { time: limits.time.min(limits.grace), ..*limits };
                    return Err(match self.wait_for_end(&grace) {
                        StopReason::OutOfTime(_) => StopReason::Closed,
                        stopped => stopped,
                    });
                }
            }
        }
    }

    /// Whether the supervisor is gone, and did not end in order.
    fn was_killed(&mut self) -> bool {
        matches!(self.program.state(), Ok(ProgramState::Gone { in_order: false }))
    }

    /// Waits for the end.
    pub(super) fn wait_for_end(&mut self, limits: &Limits<'_>) -> StopReason {
        let started = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match self.program.state() {
                Ok(ProgramState::Running) => {}
                Ok(ProgramState::Gone { .. }) => {
                    return match self.program.ended() {
                        ProgramEnd::By(status) => StopReason::Ended(status.code(), describe_exit(status)),
                        ProgramEnd::NotStarted(why) => StopReason::NotStarted(why),
                        ProgramEnd::Shortage(why) => StopReason::Shortage(why),
                        ProgramEnd::Killed => StopReason::Ended(None, "its supervisor was killed".to_owned()),
                    };
                }
                Err(e) => return StopReason::Ended(None, format!("lost: {e}")),
            }
            if let Err(stopped) = self.check_limits(limits, started) {
                return stopped;
            }
            std::thread::sleep(pause.min(limits.time.saturating_sub(started.elapsed())));
            pause = (pause * 2).min(TICK);
        }
    }

    /// Checks time, memory and files against the limits.
    fn check_limits(&mut self, limits: &Limits<'_>, started: Instant) -> Result<(), StopReason> {
        if self.stop.is_asked() {
            return Err(StopReason::Interrupted);
        }
        if started.elapsed() >= limits.time {
            return Err(StopReason::OutOfTime(limits.time));
        }
        self.check_memory_and_files(limits)
    }

    /// Checks memory and files.
    fn check_memory_and_files(&mut self, limits: &Limits<'_>) -> Result<(), StopReason> {
        let answer = limits.answer.and_then(|answer| std::fs::symlink_metadata(answer.file).ok());
        let footprint = self.program.footprint(limits.answer.map(|answer| answer.folder));
        let beside = footprint.beside.saturating_sub(limits.answer.map_or(0, |answer| answer.given));
        if answer.map_or(0, |file| file.len()).max(footprint.disk).max(beside) > limits.longest {
            return Err(StopReason::Endless(limits.longest));
        }
        if footprint.memory > limits.memory {
            return Err(StopReason::OutOfMemory(limits.memory));
        }
        Ok(())
    }

    /// Kills the program and all that it started, and waits until they are gone.
    pub(super) fn kill(&mut self) {
        self.requests = None;
        self.program.kill();
    }
}

/// The interval between checks of memory and files.
const TICK: Duration = Duration::from_millis(20);
/// The least time that a program may take to end after it closed its standard output.
const GRACE: Duration = Duration::from_secs(1);

/// The prefix of the description of an end that the program itself brought about.
pub(super) const BY_ITSELF: &str = "exit code ";

fn describe_exit(status: ExitStatus) -> String {
    match (system::signal_of(status), status.code()) {
        // Whether a core was dumped is the machine's matter.
        (Some(signal), _) => format!("ended by {}", system::name_of(signal)),
        (None, Some(code)) => format!("{BY_ITSELF}{code}"),
        (None, None) => status.to_string(),
    }
}
