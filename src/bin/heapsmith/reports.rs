use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use heapsmith::check::read_report;
use heapsmith::check::report::{ChangedCause, ReportDiff, diff};
use heapsmith::error::Error;

use crate::{Answer, terminal};

/// Compares reports of `check`.
#[derive(Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Diff(Diff),
}

/// Shows what has changed between two reports: causes that are new, gone, or have other cases.
///
/// Implementations are the same if their labels are, or else the only two of one name, or else the only ones that are left. Exit
/// code 0: nothing is worse; 1: a cause is new, a case fails that passed, or something was not judged again; 2: no implementation
/// is in both.
///
/// Example: heapsmith report diff before after --markdown >> "$GITHUB_STEP_SUMMARY"
#[derive(Args)]
struct Diff {
    /// A report in JSON, or the folder of `check --report`.
    old: PathBuf,
    /// A later one, over the same cases.
    new: PathBuf,
    /// Print Markdown, for a pull request, instead of text.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let Command::Diff(Diff { old, new, markdown, json }) = self.command;
        let told = diff(&read_report(&old)?, &read_report(&new)?)?;
        let written = |e| Error::io("writing standard output", e);
        let mut out = terminal::data();
        if json {
            let text = serde_json::to_string(&told).map_err(|e| Error::io("writing the difference", e.into()))?;
            writeln!(out, "{text}").map_err(written)?;
        } else if markdown {
            told.write_markdown(&mut out)?;
        } else {
            out.write_all(text(&told).as_bytes()).map_err(written)?;
        }
        Ok(if told.fine { Answer::Yes } else { Answer::No })
    }
}

fn text(told: &ReportDiff) -> String {
    let mut text = format!("{}\n", told.headline());
    for tested in &told.implementations {
        let mut put = |line: String| text += &format!("{}  {line}\n", terminal::line(&tested.label));
        for cause in &tested.new {
            put(format!(
                "new      {}: {} {} cases",
                terminal::line(&cause.id),
                terminal::line(&cause.sentence),
                cause.cases.len()
            ));
            put(format!("         smallest dump: {}", terminal::line(&cause.example)));
        }
        for cause in &tested.gone {
            put(format!("gone     {}: {} cases", terminal::line(&cause.id), cause.cases.len()));
        }
        for ChangedCause { cause, more, fewer, before, .. } in &tested.changed {
            let before = before.as_ref().map(|before| format!(" (before: {})", terminal::line(before)));
            let (id, before) = (terminal::line(&cause.id), before.unwrap_or_default());
            put(format!("changed  {id}{before}: {} cases more, {} fewer", more.len(), fewer.len()));
            more.iter().take(SHOWN).for_each(|case| put(format!("         fails now: {}", terminal::line(case))));
            if more.len() > SHOWN {
                put(format!("         and {} more", more.len() - SHOWN));
            }
        }
        tested.left_unjudged().into_iter().for_each(&mut put);
    }
    for (what, labels) in [("added", &told.added), ("removed", &told.removed)] {
        labels.iter().for_each(|label| text += &format!("{}  implementation {what}\n", terminal::line(label)));
    }
    text
}

/// The number of cases that are named because they fail now.
const SHOWN: usize = 5;
