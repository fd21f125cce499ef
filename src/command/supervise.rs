use std::ffi::OsString;

use crate::check::supervise;
use crate::error::Error;
use clap::Args;

use crate::command::CommandOutcome;

/// Stands between `check` and a program that it runs, so that nothing of it stays. Its standard input is a socket to
/// `check`.
#[derive(Args)]
pub(crate) struct SuperviseOpts {
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl SuperviseOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        supervise(&self.command)?;
        Ok(CommandOutcome::Yes)
    }
}
