//! A program without a supervisor: it is killed alone, so that what it started may stay; and how much memory and disk it
//! has is not seen.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::system::program::{Footprint, ProgramEnd, ProgramState};

use super::file::is_shortage;

/// A standard stream of a program.
pub(crate) type StandardStream = Stdio;

/// The signal that ended a process: none that is known here.
pub fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// A program that runs. When this is dropped, it is killed.
#[derive(Debug)]
pub struct Program {
    /// The process, or why there is none.
    child: Result<Child, ProgramEnd>,
    is_gone: bool,
}

/// The variables that name the folder of temporary files, on any system.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

impl Program {
    /// Starts a program with these streams, without a supervisor. `temporary` is a folder for this program alone.
    pub fn start(
        _: &Path,
        command: &[String],
        temporary: &Path,
        [stdin, stdout, stderr]: [StandardStream; 3],
    ) -> io::Result<Program> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut built = Command::new(program);
        built.args(arguments).envs(TEMPORARY.map(|name| (name, temporary)));
        let child = built.stdin(stdin).stdout(stdout).stderr(stderr).spawn().map_err(|e| match is_shortage(&e) {
            true => ProgramEnd::Shortage(e.to_string()),
            false => ProgramEnd::NotStarted(e.to_string()),
        });
        Ok(Program { is_gone: child.is_err(), child })
    }

    /// Whether it runs.
    pub fn state(&mut self) -> io::Result<ProgramState> {
        if let Ok(child) = &mut self.child
            && child.try_wait()?.is_none()
        {
            return Ok(ProgramState::Running);
        }
        self.is_gone = true;
        Ok(ProgramState::Gone { in_order: true })
    }

    /// Whether it was seen to be gone.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// The end of the program, once it is gone.
    pub fn ended(&mut self) -> ProgramEnd {
        match &mut self.child {
            Ok(child) => child.try_wait().ok().flatten().map_or(ProgramEnd::Killed, ProgramEnd::By),
            Err(ended) => ended.clone(),
        }
    }

    /// The memory and disk of the program: they cannot be seen.
    pub fn footprint(&mut self, _: Option<&Path>) -> Footprint {
        Footprint::default()
    }

    /// Never true: nothing can be seen.
    pub fn is_to_be_looked_at(&self) -> bool {
        false
    }

    /// Forgets how much memory it had so far.
    pub fn forget_peak(&mut self) {}

    /// The most memory that it had since then: it cannot be seen.
    pub fn peak(&self) -> Option<u64> {
        None
    }

    /// Kills the program, and waits until it is gone.
    pub fn kill(&mut self) {
        if let (false, Ok(child)) = (self.is_gone, &mut self.child) {
            let _ = child.kill();
            let _ = child.wait();
            self.is_gone = true;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Refuses: `check` starts programs itself here.
pub fn supervise(_: &OsString, _: &[OsString]) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "programs have a supervisor on Unix alone"))
}

/// Does nothing: orphaned processes cannot be adopted.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Does nothing: no other process is known.
pub fn sweep() {}
