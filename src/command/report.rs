use std::io::Write;
use std::path::PathBuf;

use crate::check::read_report;
use crate::check::report::{ChangedCause, ReportDiff, diff};
use crate::error::Error;
use clap::{Args, Subcommand};

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, terminal};

/// Compares reports of `check`.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct ReportCommandOpts {
    #[command(subcommand)]
    command: ReportCommand,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Show what a change did", "heapsmith report diff before after"),
        (
            "Add it to the page of a GitHub action",
            "heapsmith report diff before after --markdown >> \"$GITHUB_STEP_SUMMARY\"",
        ),
    ],
    exit_codes: &[
        (0, "nothing is worse"),
        (1, "a cause is new, a case fails that passed, or something was not judged again"),
        (2, "usage or I/O error, or no implementation is in both reports"),
    ],
};

#[derive(Subcommand)]
enum ReportCommand {
    Diff(ReportDiffOpts),
}

/// Shows what has changed between two reports: causes that are new, gone, or have other cases.
///
/// Implementations are the same if their labels are, or else the only two of one name, or else the only ones that are left.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
struct ReportDiffOpts {
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

impl ReportCommandOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let ReportCommand::Diff(ReportDiffOpts { old, new, markdown, json }) = self.command;
        let told = diff(&read_report(&old)?, &read_report(&new)?)?;
        let written = |e| Error::io("writing standard output", e);
        let mut out = terminal::data();
        if json {
            terminal::print_json(&told)?;
        } else if markdown {
            told.write_markdown(&mut out)?;
        } else {
            out.write_all(text(&told).as_bytes()).map_err(written)?;
        }
        Ok(if told.fine { CommandOutcome::Yes } else { CommandOutcome::No })
    }
}

fn text(told: &ReportDiff) -> String {
    let mut text = format!("{}\n", told.headline());
    for tested in &told.implementations {
        let mut put = |line: String| text += &format!("{}  {line}\n", terminal::single_line(&tested.label));
        for cause in &tested.new {
            put(format!(
                "new      {}: {} {} cases",
                terminal::single_line(&cause.id),
                terminal::single_line(&cause.sentence),
                cause.cases.len()
            ));
            put(format!("         smallest dump: {}", terminal::single_line(&cause.example)));
        }
        for cause in &tested.gone {
            put(format!("gone     {}: {} cases", terminal::single_line(&cause.id), cause.cases.len()));
        }
        for ChangedCause { cause, more, fewer, before, .. } in &tested.changed {
            let before = before.as_ref().map(|before| format!(" (before: {})", terminal::single_line(before)));
            let (id, before) = (terminal::single_line(&cause.id), before.unwrap_or_default());
            put(format!("changed  {id}{before}: {} cases more, {} fewer", more.len(), fewer.len()));
            more.iter()
                .take(SHOWN)
                .for_each(|case| put(format!("         fails now: {}", terminal::single_line(case))));
            if more.len() > SHOWN {
                put(format!("         and {} more", more.len() - SHOWN));
            }
        }
        tested.describe_unjudged().into_iter().for_each(&mut put);
    }
    for (what, labels) in [("added", &told.added), ("removed", &told.removed)] {
        labels.iter().for_each(|label| text += &format!("{}  implementation {what}\n", terminal::single_line(label)));
    }
    text
}

/// The number of cases that are named because they fail now.
const SHOWN: usize = 5;
