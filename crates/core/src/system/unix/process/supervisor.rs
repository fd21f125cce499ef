//! Between `check` and each program that it starts stands a supervisor, a process of its own: all that the program
//! starts becomes the supervisor's descendant and stays that, whatever process group or session it moves to, so that
//! nothing is left. It ends with the program, when it is told to, or when `check` itself is gone.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, wait};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::system::program::ProgramEnd;
use crate::system::unix::file::is_shortage;

use super::control;
use super::sweeper::{adopt, kill_until_gone};
use super::tree::descendants;

/// Starts a program with the streams that come over standard input, and sees to its end. How it ended is said there,
/// too; and where that is over, so is the program.
///
/// # Errors
/// If the system refuses what a supervisor needs once the program runs.
pub fn supervise(program: &OsString, arguments: &[OsString]) -> io::Result<()> {
    let ended = match begin(program, arguments) {
        Ok((child, mut signals)) => {
            let ended = watch(child, &mut signals);
            kill_all(child);
            ended?.map_or(ProgramEnd::Killed, ProgramEnd::By)
        }
        Err(e) if is_shortage(&e) => ProgramEnd::Shortage(e.to_string()),
        Err(e) => ProgramEnd::NotStarted(e.to_string()),
    };
    // If `check` is gone, no one is there to read it.
    let _ = rustix::io::write(rustix::stdio::stdin(), control::encode_end(&ended).as_bytes());
    Ok(())
}

/// Starts the program, and whatever sees to its end.
fn begin(program: &OsString, arguments: &[OsString]) -> io::Result<(Pid, Signals)> {
    // Before anything is started: signals that come from now on are kept.
    let signals = Signals::new([SIGTERM, SIGINT, SIGHUP, SIGCHLD])?;
    adopt()?;
    shield()?;
    let streams = control::receive(rustix::stdio::stdin())?;
    thread::Builder::new().name("check".to_owned()).spawn(end_with_check)?;
    Ok((start(program, arguments, streams)?, signals))
}

/// Starts the program. Its streams are its own alone from then on: their end is its end.
fn start(program: &OsString, arguments: &[OsString], streams: control::Streams) -> io::Result<Pid> {
    let [stdin, stdout, stderr] = streams.map(Stdio::from);
    let child =
        Command::new(program).args(arguments).stdin(stdin).stdout(stdout).stderr(stderr).process_group(0).spawn()?;
    Ok(Pid::from_child(&child))
}

/// Ends this process in order when the socket ends, whose other end only `check` has.
fn end_with_check() {
    let mut byte = [0];
    loop {
        match io::stdin().lock().read(&mut byte) {
            Ok(1..) => {}
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => break,
        }
    }
    let _ = kill_process(getpid(), Signal::TERM);
}

/// Keeps what is watched from holding this process with a debugger's means, and from taking its socket.
#[cfg(target_os = "linux")]
fn shield() -> rustix::io::Result<()> {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
}

#[cfg(not(target_os = "linux"))]
fn shield() -> rustix::io::Result<()> {
    Ok(())
}

/// Waits until the program has ended, whose status is returned, or until this process is asked to end.
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

/// Kills every descendant until there is none.
fn kill_all(child: Pid) {
    if !cfg!(target_os = "linux") {
        // Descendants cannot be seen there: the group has to do.
        let _ = kill_process_group(child, Signal::KILL);
    }
    kill_until_gone(|| {
        let _ = reap(child);
        descendants(getpid())
    });
}
