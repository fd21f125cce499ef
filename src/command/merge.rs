use std::path::PathBuf;

use crate::check::{KeptFiles, merge, read_report};
use crate::error::Error;
use clap::Args;

use crate::command::CommandOutcome;
use crate::command::help::HelpEnding;
use crate::command::report_output::{ReportOutputOpts, skips_too_much};

/// Puts the reports of shards together (`check --shard`), or those of several implementations over the same cases.
///
/// The dumps and answers of failed cases stay in the folders of the shards.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct MergeOpts {
    /// Reports in JSON (report.json), or the folders of `check --report`.
    #[arg(required = true)]
    reports: Vec<PathBuf>,
    /// Accept that more than half of the cases were skipped, or of those that a listing answers. Without it, the exit code is 1 then.
    #[arg(long)]
    allow_skips: bool,
    #[command(flatten)]
    report: ReportOutputOpts,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Put two shards together", "heapsmith merge shard1/report.json shard2/report.json --report whole"),
        ("Put the reports of two parsers side by side", "heapsmith merge mine theirs --all"),
    ],
    exit_codes: &[
        (0, "every failure is an expected one"),
        (1, "a failure is not expected, or more was skipped than judged"),
    ],
};

impl MergeOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let read = self.reports.iter().map(|path| read_report(path));
        let merged = merge(read.collect::<Result<_, _>>()?)?;
        let answer = self.report.print_and_write(&merged, KeptFiles::default())?;
        let is_too_much = !self.allow_skips && merged.incomplete.is_none() && skips_too_much(&merged);
        Ok(if is_too_much && answer == CommandOutcome::Yes { CommandOutcome::No } else { answer })
    }
}
