//! The progress of a long command: on standard error if that is a terminal, once the command has taken a second.

use std::io::{self, Read};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::input::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{shows_progress, single_line};

/// The time at which the command began.
static BEGUN: OnceLock<Instant> = OnceLock::new();
/// Whether a progress bar is on the screen: two would draw over each other.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

const SOON: Duration = Duration::from_secs(1);

/// The time at which the command began: the first call.
pub(crate) fn command_start() -> Instant {
    *BEGUN.get_or_init(Instant::now)
}

/// The progress bar of a command.
pub(crate) struct TerminalProgress {
    bar: ProgressBar,
    /// Whether it may still be shown; no more once it is.
    waits: bool,
    is_shown: bool,
}

impl TerminalProgress {
    /// Progress in bytes, of this number where it is known.
    pub(crate) fn bytes(what: &str, length: Option<u64>) -> TerminalProgress {
        TerminalProgress::new(
            what,
            length,
            match length {
                Some(_) => "{msg} [{bar:30}] {bytes}/{total_bytes} {eta}",
                None => "{msg} {spinner} {bytes} {bytes_per_sec} {elapsed}",
            },
        )
    }

    /// Progress in steps, whose number is set with the first.
    #[cfg(feature = "corpus")]
    pub(crate) fn steps(what: &str) -> TerminalProgress {
        TerminalProgress::new(what, Some(0), "{msg} [{bar:30}] {pos}/{len} {eta}")
    }

    /// Progress in tries, whose number is not known before.
    #[cfg(feature = "check")]
    pub(crate) fn tries(what: &str) -> TerminalProgress {
        TerminalProgress::new(what, None, "{msg} {spinner} {pos} tried {elapsed}")
    }

    /// Sets the number of tries.
    #[cfg(feature = "check")]
    pub(crate) fn set_tried(&mut self, count: u64) {
        self.bar.set_position(count);
        self.show();
    }

    /// Adds steps that are to be done.
    #[cfg(feature = "check")]
    pub(crate) fn add_planned(&mut self, more: u64) {
        self.bar.inc_length(more);
    }

    /// Prints a line above the bar, if it is shown by now.
    #[cfg(feature = "check")]
    pub(crate) fn print_above(&self, text: &str) {
        self.bar.println(single_line(text));
    }

    /// Prints something else while the bar is off the screen.
    #[cfg(feature = "check")]
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Sets the text of the bar.
    #[cfg(feature = "check")]
    pub(crate) fn set_message(&mut self, what: &str) {
        self.bar.set_message(single_line(what));
    }

    fn new(what: &str, length: Option<u64>, template: &str) -> TerminalProgress {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(single_line(what));
        TerminalProgress { bar, waits: shows_progress(), is_shown: false }
    }

    /// Adds steps or bytes that are done.
    pub(crate) fn add_done(&mut self, done: u64) {
        self.bar.inc(done);
        self.show();
    }

    /// Sets the number of steps that are done, and of all steps.
    #[cfg(feature = "corpus")]
    pub(crate) fn set_done(&mut self, done: usize, of: usize) {
        self.bar.set_length(of as u64);
        self.bar.set_position(done as u64);
        self.show();
    }

    fn show(&mut self) {
        if self.waits && command_start().elapsed() >= SOON && !IS_SHOWN.swap(true, Ordering::Relaxed) {
            (self.waits, self.is_shown) = (false, true);
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        if self.is_shown {
            IS_SHOWN.store(false, Ordering::Relaxed);
        }
    }
}

/// Shows how far the streams of an input are.
pub(crate) fn watch() -> Watch {
    Watch::new(|name, length, source| Box::new(WatchedRead { source, progress: TerminalProgress::bytes(name, length) }))
}

struct WatchedRead {
    source: Box<dyn Read>,
    progress: TerminalProgress,
}

impl Read for WatchedRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.progress.add_done(read as u64);
        Ok(read)
    }
}
