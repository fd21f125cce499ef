//! Signals that ask a process to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// SIGINT, SIGTERM and SIGHUP, as they come.
pub struct Signals(signal_hook::iterator::Signals);

impl Signals {
    /// Listens from now on.
    pub fn new() -> io::Result<Signals> {
        // Who was started with `nohup` stays.
        let all = [SIGINT, SIGTERM, SIGHUP];
        let heard = all.into_iter().filter(|signal| *signal != SIGHUP || !is_ignored(SIGHUP));
        Ok(Signals(signal_hook::iterator::Signals::new(heard)?))
    }

    /// Waits for the next one.
    pub fn wait(&mut self) -> Option<i32> {
        self.0.forever().next()
    }
}

/// A file that is longer than the process may write is a failed write, and not the end of the process.
pub fn ignore_long_files() -> io::Result<()> {
    // A handler, which programs that are started do not inherit.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

/// The name of a signal, such as SIGINT.
pub fn name_of(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned)
}

/// Whether a signal is ignored, as far as the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
