//! Between `check` and each program that it starts stands a supervisor, a process of its own: all that the program
//! starts becomes the supervisor's descendant and stays that, whatever process group or session it moves to, so that
//! nothing is left behind. It ends with the program, when it is told to, or when `check` itself is gone.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, getppid, kill_process, kill_process_group, wait};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::error::Error;

use super::tree::descendants;

/// How long processes that do not die when they are killed are waited for: those in the middle of a disk's answer.
const DYING: Duration = Duration::from_secs(5);

/// Starts a program with this process's standard streams, and sees to its end. `parent` is the process that asked for it. How it ended is written to `status`: the
/// text that `ended` reads.
///
/// # Errors
/// If the system refuses what a supervisor needs.
pub fn supervise(command: &[OsString], parent: u32, status: &Path) -> Result<(), Error> {
    let failed = |e: io::Error| Error::io("supervising a program", e);
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::Usage("there is no program to supervise".to_owned()));
    };
    // Before anything is started: signals that come from now on are kept.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGCHLD]).map_err(failed)?;
    adopt().map_err(|e| failed(e.into()))?;
    if getppid().is_none_or(|own| i64::from(own.as_raw_nonzero().get()) != i64::from(parent)) {
        // `check` was gone before its end could be heard of.
        return Ok(());
    }
    let text = match Command::new(program).args(arguments).process_group(0).spawn() {
        Ok(child) => {
            let child = Pid::from_child(&child);
            let ended = release_streams().and_then(|()| watch(child, &mut signals));
            kill_all(child);
            ended.map_err(failed)?.map_or_else(|| "killed".to_owned(), |status| status.into_raw().to_string())
        }
        Err(e) => format!("not started: {e}"),
    };
    // Written beside, then renamed: what is there is whole.
    let beside = status.with_extension("part");
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, status)).map_err(failed)
}

/// Adopts what a supervisor leaves behind that was killed itself, and kills it when it is dropped. For programs whose
/// only children are those of `check`: it kills all of them.
#[derive(Debug)]
pub struct Sweeper(());

impl Sweeper {
    /// Adopts from now on.
    ///
    /// # Errors
    /// If the system refuses that.
    pub fn new() -> Result<Sweeper, Error> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(getpid()))
            .map_err(|e| Error::io("adopting orphaned processes", e.into()))?;
        Ok(Sweeper(()))
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        kill_descendants(getpid());
    }
}

/// How a supervised program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself, or by a signal that was not ours.
    By(ExitStatus),
    /// It was never started.
    NotStarted(String),
    /// It was killed as asked, or its supervisor was.
    Killed,
}

/// What a supervisor wrote.
pub(super) fn ended(status: &Path) -> Ended {
    let text = fs::read_to_string(status).unwrap_or_default();
    match (text.strip_prefix("not started: "), text.parse()) {
        (Some(why), _) => Ended::NotStarted(why.to_owned()),
        (None, Ok(raw)) => Ended::By(ExitStatus::from_raw(raw)),
        (None, Err(_)) => Ended::Killed,
    }
}

/// Makes this process the parent of orphaned descendants, and lets it hear of its own parent's end.
#[cfg(target_os = "linux")]
fn adopt() -> rustix::io::Result<()> {
    rustix::process::set_child_subreaper(Some(getpid()))?;
    rustix::process::set_parent_process_death_signal(Some(Signal::TERM))
}

#[cfg(not(target_os = "linux"))]
fn adopt() -> rustix::io::Result<()> {
    Ok(())
}

/// Lets go of the streams, so that the program alone holds them: their end is its end.
fn release_streams() -> io::Result<()> {
    let nowhere = fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nowhere)?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    rustix::stdio::dup2_stderr(&nowhere)?;
    Ok(())
}

/// Waits until the program has ended, which is told, or until this process is asked to end.
fn watch(child: Pid, signals: &mut Signals) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = reap(child)? {
            return Ok(Some(status));
        }
        // Returns at once if a signal came since the last look.
        if signals.wait().any(|signal| signal != SIGCHLD) {
            return Ok(None);
        }
    }
}

/// Takes note of all children that have ended.
fn reap(child: Pid) -> io::Result<Option<ExitStatus>> {
    let mut found = None;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) if pid == child => found = Some(ExitStatus::from_raw(status.as_raw())),
            Ok(Some(_)) => {}
            Ok(None) | Err(rustix::io::Errno::CHILD) => return Ok(found),
            Err(e) => return Err(e.into()),
        }
    }
}

/// Kills every descendant until there is none. Each is stopped first: what is stopped starts no
/// other.
fn kill_all(child: Pid) {
    if !cfg!(target_os = "linux") {
        // Descendants cannot be seen there: the group has to do.
        let _ = kill_process_group(child, Signal::KILL);
    }
    kill_descendants(child);
}

/// Kills until there is none left; `child` is any of them.
fn kill_descendants(child: Pid) {
    let started = Instant::now();
    loop {
        let _ = reap(child);
        let left = descendants(getpid());
        if left.is_empty() || started.elapsed() > DYING {
            return;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            left.iter().for_each(|pid| _ = kill_process(*pid, signal));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
