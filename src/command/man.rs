use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::output::Output;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use crate::command::{Cli, CommandOutcome};

/// Writes a manual page for each command into a folder.
///
/// Example: heapsmith man -o man/man1
#[derive(Args)]
pub(crate) struct ManOpts {
    /// Folder for the pages; it is created.
    #[arg(short, long)]
    output: PathBuf,
    /// Replace pages that exist already. Without it, they are an error.
    #[arg(long)]
    force: bool,
}

impl ManOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let failed = |e| Error::io(format!("creating {}", self.output.display()), e);
        fs::create_dir_all(&self.output).map_err(failed)?;
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        self.write_pages(&command, "heapsmith")?;
        Ok(CommandOutcome::Yes)
    }

    /// The page of a command, and those of the commands below it.
    fn write_pages(&self, command: &Command, name: &str) -> Result<(), Error> {
        let page = command.clone().name(name.to_owned()).bin_name(name.replace('-', " "));
        let mut text = Vec::new();
        let path = self.output.join(Path::new(&format!("{name}.1")));
        let failed = |e| Error::io(format!("writing {}", path.display()), e);
        Man::new(page).render(&mut text).map_err(failed)?;
        let mut output = Output::create(&path, self.force)?;
        output.write_all(&text).map_err(failed)?;
        output.finish()?;
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        below.into_iter().try_for_each(|below| self.write_pages(below, &format!("{name}-{}", below.get_name())))
    }
}
