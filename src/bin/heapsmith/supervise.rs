use std::ffi::OsString;

use clap::Args;
use heapsmith::check::supervise;
use heapsmith::error::Error;

use crate::Answer;

/// Stands between `check` and a program that it runs, so that nothing of it stays. Its standard input is a socket to
/// `check`.
#[derive(Args)]
pub(crate) struct Opts {
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        supervise(&self.command)?;
        Ok(Answer::Yes)
    }
}
