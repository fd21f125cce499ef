//! A request from outside to stop, which every reader of files looks at.
//!
//! Without a program that asks for it ([`stop_on_signal`]) there is none: a library leaves signals alone.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};

/// The stop that the first signal asks, where it does not end the program.
static SIGNAL_STOP: OnceLock<Stop> = OnceLock::new();

/// A request from outside to stop. Copies are one.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicI32>);

impl Stop {
    /// The signal that asked, by its number; `None` until one does.
    pub fn signal(&self) -> Option<i32> {
        Some(self.0.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// Whether to stop.
    pub fn is_asked(&self) -> bool {
        self.signal().is_some()
    }

    /// Asks to stop, as this signal would.
    pub fn ask(&self, signal: i32) {
        self.0.store(signal, Ordering::Relaxed);
    }
}

/// Makes the first signal set the returned [`Stop`], and do no more. Work that does not look at it must not wait for
/// anyone from here on: pipes are read before.
pub fn stop_on_signal() -> Stop {
    SIGNAL_STOP.get_or_init(Stop::default).clone()
}

/// The stop that [`stop_on_signal`] returned, if it was called.
#[cfg(feature = "files")]
pub(crate) fn stop_of_signal() -> Option<&'static Stop> {
    SIGNAL_STOP.get()
}

/// The signal that asked this program to stop, by its number, where the first one does not end it.
pub fn signal() -> Option<i32> {
    SIGNAL_STOP.get().and_then(Stop::signal)
}

/// Fails once a signal has asked this program to stop.
pub(crate) fn check() -> io::Result<()> {
    if signal().is_some() { Err(stopped()) } else { Ok(()) }
}

/// The error of work that is given up because of a signal. It is of no kind that readers try again after, or take for damaged data.
pub(crate) fn stopped() -> io::Error {
    io::Error::other(StoppedError)
}

/// Whether an error is that of work that was given up because of a signal.
pub(crate) fn is_stopped(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<StoppedError>())
}

#[derive(Debug)]
struct StoppedError;

impl fmt::Display for StoppedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a signal ended it")
    }
}

impl std::error::Error for StoppedError {}

/// A stream that fails once a signal has asked this program to stop.
#[derive(Debug)]
pub(crate) struct StoppingStream<R>(pub(crate) R);

impl<R: Read> Read for StoppingStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        check()?;
        self.0.read(buffer)
    }
}

impl<R: Seek> Seek for StoppingStream<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_one_in_all_its_copies() {
        let stop = Stop::default();
        let copy = stop.clone();
        assert!(!copy.is_asked());
        stop.ask(15);
        assert_eq!(copy.signal(), Some(15));
    }
}
