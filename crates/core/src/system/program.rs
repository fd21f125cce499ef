//! The state of a program that was started.

use std::io::ErrorKind;
use std::process::ExitStatus;

/// Whether a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum ProgramState {
    /// It runs.
    Running,
    /// It has ended, and so has its supervisor.
    Gone {
        /// Whether its supervisor ended by itself, and saw all of it go.
        in_order: bool,
    },
}

/// The end of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum ProgramEnd {
    /// It ended by itself, or by a signal that was not ours.
    By(ExitStatus),
    /// It was never started.
    NotStarted(String),
    /// Neither, since the machine has too little of something.
    Shortage(String),
    /// It was killed as asked, or its supervisor was.
    Killed,
}

/// Bytes of memory and disk that a program takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// In memory.
    pub memory: u64,
    /// In its temporary folder, if that is not in memory, and in open files on disk that have no name.
    pub disk: u64,
    /// In another folder that was named.
    pub beside: u64,
}

/// Whether an error of this kind says that the machine has too little of something.
pub(crate) fn is_scarce(kind: ErrorKind) -> bool {
    use ErrorKind::{OutOfMemory, ResourceBusy, StorageFull, WouldBlock};
    matches!(kind, OutOfMemory | ResourceBusy | StorageFull | WouldBlock)
}
