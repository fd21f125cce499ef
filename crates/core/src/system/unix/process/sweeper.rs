//! Processes that a killed supervisor leaves: `check` adopts them, finds them, and kills them at once.

use std::io;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

use super::tree::{children, descendants};

/// The time for which processes are waited for that do not die when they are killed: those in the middle of a disk's
/// answer.
const DYING: Duration = Duration::from_secs(5);

/// The children of this process.
static CHILDREN: Mutex<Children> = Mutex::new(Children { adopts: false, supervisors: Vec::new() });

#[derive(Debug)]
struct Children {
    /// Whether orphans become children of this process.
    adopts: bool,
    /// Supervisors, which are no orphans.
    supervisors: Vec<Pid>,
}

fn lock() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a supervisor. Orphans are not looked for between its start and its being known.
pub(super) fn start(spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    let mut children = lock();
    let child = spawn()?;
    children.supervisors.push(Pid::from_child(&child));
    Ok(child)
}

/// Takes note that a supervisor is gone. What it left is killed now.
pub(super) fn forget_supervisor(supervisor: Pid) {
    let mut children = lock();
    children.supervisors.retain(|pid| *pid != supervisor);
    if children.adopts {
        sweep_but(&children.supervisors);
    }
}

/// Kills all children of this process but those, and all that they started.
fn sweep_but(spared: &[Pid]) {
    kill_until_gone(|| {
        let orphans: Vec<Pid> = children(getpid()).into_iter().filter(|pid| !spared.contains(pid)).collect();
        // Each by its number: the end of a supervisor is for others to hear of.
        let left = orphans.into_iter().filter(|pid| !matches!(waitpid(Some(*pid), WaitOptions::NOHANG), Ok(Some(_))));
        left.flat_map(|pid| [pid].into_iter().chain(descendants(pid)).collect::<Vec<_>>()).collect()
    });
}

/// Kills what is left until nothing is. Each is stopped first: what is stopped starts no other.
pub(super) fn kill_until_gone(mut left: impl FnMut() -> Vec<Pid>) {
    let started = Instant::now();
    loop {
        let left = left();
        if left.is_empty() || started.elapsed() > DYING {
            return;
        }
        for signal in [Signal::STOP, Signal::KILL] {
            left.iter().for_each(|pid| _ = kill_process(*pid, signal));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Makes this process the parent of orphaned descendants, and kills from now on what a supervisor leaves. Elsewhere than on
/// Linux nothing is adopted.
pub fn adopt_orphans() -> io::Result<()> {
    adopt()?;
    lock().adopts = cfg!(target_os = "linux");
    Ok(())
}

/// Makes this process the parent of orphaned descendants, where there is such a thing.
pub(super) fn adopt() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(getpid()))?;
    Ok(())
}

/// Kills all children of this process, and all that they started.
pub fn sweep() {
    sweep_but(&[]);
}
