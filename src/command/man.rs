use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::output::Output;
use clap::builder::Resettable;
use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, definition};

/// Writes a manual page for each command into a folder.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct ManOpts {
    /// Folder for the pages; it is created.
    #[arg(short, long)]
    output: PathBuf,
    /// Replace pages that exist already. Without it, they are an error.
    #[arg(long)]
    force: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write the pages", "heapsmith man -o man/man1"),
        ("Replace those of an earlier version", "heapsmith man -o man/man1 --force"),
    ],
    exit_codes: &[],
};

impl ManOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let failed = |e| Error::io(format!("creating {}", self.output.display()), e);
        fs::create_dir_all(&self.output).map_err(failed)?;
        self.write_pages(&definition(), "heapsmith")?;
        Ok(CommandOutcome::Yes)
    }

    /// The page of a command, and those of the commands below it.
    fn write_pages(&self, command: &Command, name: &str) -> Result<(), Error> {
        let page = command.clone().name(name.to_owned()).bin_name(name.replace('-', " "));
        let page = page.after_long_help(Resettable::Reset);
        let mut text = Vec::new();
        let path = self.output.join(Path::new(&format!("{name}.1")));
        let failed = |e| Error::io(format!("writing {}", path.display()), e);
        Man::new(page).render(&mut text).map_err(failed)?;
        ending(command).to_writer(&mut text).map_err(failed)?;
        let mut output = Output::create(&path, self.force)?;
        output.write_all(&text).map_err(failed)?;
        output.finish()?;
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        below.into_iter().try_for_each(|below| self.write_pages(below, &format!("{name}-{}", below.get_name())))
    }
}

/// The sections at the end of a command's help, whose lines stay as they are.
fn ending(command: &Command) -> Roff {
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let mut page = Roff::new();
    for line in text.lines() {
        match line.strip_suffix(':').filter(|heading| !heading.starts_with(' ')) {
            Some(heading) => page.control("SH", [heading.to_uppercase().as_str()]).control("nf", []),
            None => page.text([roman(line.trim_start())]),
        };
    }
    page.control("fi", []);
    page
}
