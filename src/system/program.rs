//! What is known of a program that was started.

use std::process::ExitStatus;

/// Whether a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It does.
    Running,
    /// It has ended, and so has its supervisor.
    Gone {
        /// Whether its supervisor ended by itself, and saw all of it go.
        in_order: bool,
    },
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// By itself, or by a signal that was not ours.
    By(ExitStatus),
    /// It was never started.
    NotStarted(String),
    /// It was killed as asked, or its supervisor was.
    Killed,
}

/// Bytes that a program has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// In memory.
    pub(crate) memory: u64,
    /// In its temporary folder, if that is not in memory.
    pub(crate) disk: u64,
}
