//! No signals: what asks a process to end, ends it at once, and what is temporary then stays.

use std::io;

/// Signals, none of which comes.
pub struct Signals(());

impl Signals {
    /// Listens to nothing.
    pub fn new() -> io::Result<Signals> {
        Ok(Signals(()))
    }

    /// The next one: none.
    pub fn wait(&mut self) -> Option<i32> {
        None
    }
}

/// Does nothing: a limit of the length of files is Unix's.
pub fn ignore_long_files() -> io::Result<()> {
    Ok(())
}

/// A signal in words.
pub fn name_of(signal: i32) -> String {
    format!("signal {signal}")
}
