use std::path::PathBuf;

use clap::Args;
use heapsmith::check::report::merge;
use heapsmith::check::{KeptFiles, ReportFolder};
use heapsmith::error::Error;

use crate::report::{self, Form};
use crate::{Answer, reports};

/// Puts the reports of shards together (`check --shard`), or those of several implementations over the same cases.
///
/// Exit code 0: every failure in them is an expected one. The dumps and answers of failed cases stay in the
/// folders of the shards.
///
/// Example: heapsmith merge shard1/report.json shard2/report.json --report whole
#[derive(Args)]
pub(crate) struct Opts {
    /// Reports in JSON (report.json).
    #[arg(required = true)]
    reports: Vec<PathBuf>,
    /// Write reports to this folder (report.html, report.json, report.md, report.sarif, junit.xml); it is created. A folder that holds
    /// anything but a report is refused. Without it, the report is only printed.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Replace the report that the folder of --report holds. Without it, an existing report is an error.
    #[arg(long, requires = "report")]
    force: bool,
    /// Print all causes, and all failing cases of each. Without it, the first 20 lines of each implementation.
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let read = self.reports.iter().map(|path| reports::read(path));
        let merged = merge(read.collect::<Result<_, _>>()?)?;
        let folder = self.report.as_deref().map(|path| ReportFolder::claim(path, self.force)).transpose()?;
        report::tell(&merged, folder.as_ref(), KeptFiles::default(), Form::of(self.json, self.all))
    }
}
