use crate::error::Error;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::command::help::HelpEnding;
use crate::command::{Cli, CommandOutcome, terminal};

/// Prints a script with which a shell completes commands and options.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct CompletionsOpts {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Complete in bash", "heapsmith completions bash > ~/.local/share/bash-completion/completions/heapsmith"),
        ("Complete in fish", "heapsmith completions fish > ~/.config/fish/completions/heapsmith.fish"),
    ],
    exit_codes: &[],
};

impl CompletionsOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "heapsmith", &mut script);
        terminal::data().write_all(&script).map_err(|e| Error::io("writing standard output", e))?;
        Ok(CommandOutcome::Yes)
    }
}
