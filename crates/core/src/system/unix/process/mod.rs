//! A program and all that it starts, which a supervisor watches: a process of its own, so that nothing of it stays.

mod control;
mod footprint;
mod storage;
mod supervisor;
mod sweeper;
mod tree;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use footprint::FootprintMeter;
use rustix::process::{Pid, Signal, kill_process};

use crate::system::program::{Footprint, ProgramEnd, ProgramState};

pub use supervisor::supervise;
pub use sweeper::{adopt_orphans, sweep};

/// A standard stream of a program.
pub(crate) type StandardStream = OwnedFd;

/// The signal that ended a process.
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// A program that runs under a supervisor. When this is dropped, it is killed.
#[derive(Debug)]
pub struct Program {
    supervisor: Child,
    control: UnixStream,
    scales: FootprintMeter,
    is_gone: bool,
}

impl Program {
    /// Starts a program with these streams. `supervisor` is heapsmith's own program; `temporary` is a folder for this
    /// program alone, which it is given as `TMPDIR`.
    pub fn start(
        supervisor: &Path,
        command: &[String],
        temporary: &Path,
        streams: [StandardStream; 3],
    ) -> io::Result<Program> {
        let (control, theirs) = UnixStream::pair()?;
        let mut built = Command::new(supervisor);
        built.arg("supervise").arg("--").args(command).env("TMPDIR", temporary).process_group(0);
        built.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let supervisor = sweeper::start(|| built.spawn())?;
        // Its copy of the other end: what is left open here is no end of the socket.
        drop(built);
        let program = Program { supervisor, control, scales: FootprintMeter::new(temporary), is_gone: false };
        match control::send(&program.control, &streams) {
            // It is gone already, which is seen at its end.
            Err(e) if matches!(e.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => Ok(program),
            sent => sent.map(|()| program),
        }
    }

    /// Whether it runs.
    pub fn state(&mut self) -> io::Result<ProgramState> {
        Ok(match self.supervisor.try_wait()? {
            None => ProgramState::Running,
            Some(status) => {
                self.mark_gone();
                ProgramState::Gone { in_order: status.success() }
            }
        })
    }

    /// Whether it was seen to be gone.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// The end of the program, once it is gone. To be called once.
    pub fn ended(&mut self) -> ProgramEnd {
        control::receive_end(&self.control)
    }

    /// The memory and disk of the program, with all that it started; also in a folder besides its temporary one.
    pub fn footprint(&mut self, beside: Option<&Path>) -> Footprint {
        self.scales.measure(Pid::from_child(&self.supervisor), beside)
    }

    /// Whether its files were not looked at for a while.
    pub fn is_to_be_looked_at(&self) -> bool {
        !self.is_gone && self.scales.is_due()
    }

    /// Forgets how much memory it had so far.
    pub fn forget_peak(&mut self) {
        self.scales.forget_peak(Pid::from_child(&self.supervisor));
    }

    /// The most memory that it had since then at any [`footprint`](Program::footprint), with all that it started; `None`
    /// where the system has no such number.
    pub fn peak(&self) -> Option<u64> {
        self.scales.peak()
    }

    /// Kills the program and all that it started, and waits until they are gone.
    pub fn kill(&mut self) {
        if self.is_gone {
            return;
        }
        let pid = Pid::from_child(&self.supervisor);
        // It may have been stopped by what it watches.
        for signal in [Signal::TERM, Signal::CONT] {
            let _ = kill_process(pid, signal);
        }
        let asked = Instant::now();
        loop {
            match self.supervisor.try_wait() {
                Ok(Some(_)) => return self.mark_gone(),
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
            Ok(Some(_)) => self.mark_gone(),
            _ => {
                self.is_gone = true;
                sweeper::forget_supervisor(pid);
            }
        }
    }

    /// The supervisor is gone: with all that it watched, unless it was killed itself or had too little time.
    fn mark_gone(&mut self) {
        if !self.is_gone {
            self.is_gone = true;
            sweeper::forget_supervisor(Pid::from_child(&self.supervisor));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The time for which a supervisor may take to kill everything.
const PATIENCE: Duration = Duration::from_secs(10);
