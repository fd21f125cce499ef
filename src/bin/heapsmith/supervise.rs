use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use heapsmith::check::supervise;
use heapsmith::error::Error;

use crate::Answer;

/// Stands between `check` and a program that it runs, so that nothing of it is left behind.
#[derive(Args)]
pub(crate) struct Opts {
    /// The process that asks for it.
    parent: u32,
    /// Where to write how the program ended.
    status: PathBuf,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        supervise(&self.command, self.parent, &self.status)?;
        Ok(Answer::Yes)
    }
}
