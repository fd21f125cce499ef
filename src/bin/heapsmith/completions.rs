use clap::{Args, CommandFactory};
use clap_complete::Shell;
use heapsmith::error::Error;

use crate::{Answer, Cli, terminal};

/// Prints a script with which a shell completes commands and options.
///
/// Example: heapsmith completions bash > ~/.local/share/bash-completion/completions/heapsmith
#[derive(Args)]
pub(crate) struct Opts {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "heapsmith", &mut script);
        terminal::data().write_all(&script).map_err(|e| Error::io("writing standard output", e))?;
        Ok(Answer::Yes)
    }
}
