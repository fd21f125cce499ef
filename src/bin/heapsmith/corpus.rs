use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use heapsmith::corpus::{bless, cases, verify};
use heapsmith::error::Error;

use crate::{Answer, terminal};

/// Lists, verifies or writes the corpus of golden dumps.
///
/// Example: heapsmith corpus verify
#[derive(Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The cases with their verdicts; with --json, their rules and answers too.
    List {
        /// The manifest's entries, as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check a corpus folder: bytes against recipes, expectations against decoder and validator.
    Verify {
        /// The folder with manifest.json.
        #[arg(default_value = "corpus")]
        folder: PathBuf,
    },
    /// Write the corpus anew from its recipes, if every case holds.
    Bless {
        /// The folder with manifest.json.
        #[arg(default_value = "corpus")]
        folder: PathBuf,
    },
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let failed = |e| Error::io("writing standard output", e);
        let mut out = terminal::stdout();
        match self.command {
            Command::List { json: true } => {
                for case in cases()? {
                    let text = serde_json::to_string(&case.manifest()).map_err(|e| failed(e.into()))?;
                    writeln!(terminal::data(), "{text}").map_err(failed)?;
                }
            }
            Command::List { json: false } => {
                let mut table = terminal::table(["case", "verdict", "bytes", "summary"]);
                for case in cases()? {
                    let verdict = case.verdict.name().to_owned();
                    table.add_row([case.id, verdict, case.bytes.len().to_string(), case.summary]);
                }
                writeln!(out, "{}", terminal::render(&table)).map_err(failed)?;
            }
            Command::Verify { folder } => {
                let (count, troubles) = verify(&folder)?;
                for trouble in &troubles {
                    writeln!(out, "{}: {}", terminal::bad(&trouble.case), trouble.message).map_err(failed)?;
                }
                let verdict = match troubles.len() {
                    0 => "all as expected".to_owned(),
                    1 => "1 is not as expected".to_owned(),
                    many => format!("{many} are not as expected"),
                };
                writeln!(out, "{count} cases: {verdict}").map_err(failed)?;
                return Ok(if troubles.is_empty() { Answer::Yes } else { Answer::No });
            }
            Command::Bless { folder } => {
                let count = bless(&folder)?;
                writeln!(out, "{count} cases written to {}", folder.display()).map_err(failed)?;
            }
        }
        Ok(Answer::Yes)
    }
}
