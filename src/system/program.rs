//! What is known of a program that was started.

use std::io::{self, ErrorKind};
use std::process::ExitStatus;

use super::chosen::is_out_of_files;

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
    /// Neither, since the machine has too little of something.
    Shortage(String),
    /// It was killed as asked, or its supervisor was.
    Killed,
}

/// Bytes that a program has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// In memory.
    pub(crate) memory: u64,
    /// In its temporary folder, if that is not in memory, and in open files on disk that have no name.
    pub(crate) disk: u64,
    /// In another folder that was named.
    pub(crate) beside: u64,
}

/// Whether the machine has too little of something: threads, processes, memory, open files, room on a disk.
pub(crate) fn is_shortage(error: &io::Error) -> bool {
    use ErrorKind::{OutOfMemory, ResourceBusy, StorageFull, WouldBlock};
    matches!(error.kind(), OutOfMemory | ResourceBusy | StorageFull | WouldBlock) || is_out_of_files(error)
}
