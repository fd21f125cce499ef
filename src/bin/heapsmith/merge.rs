use std::path::PathBuf;

use clap::Args;
use heapsmith::check::ReportFolder;
use heapsmith::check::report::merge;
use heapsmith::error::Error;

use crate::report::{self, Form};
use crate::{Answer, reports};

/// Puts the reports of shards together (`check --shard`), or those of several implementations over the same cases.
///
/// Exit code 0: nothing in them is a failure that nobody expects. The dumps and answers of failed cases stay in the
/// folders of the shards.
///
/// Example: heapsmith merge shard1/report.json shard2/report.json --report whole
#[derive(Args)]
pub(crate) struct Opts {
    /// Reports in JSON.
    #[arg(required = true)]
    reports: Vec<PathBuf>,
    /// Write reports to this folder (report.html, report.json, report.md, report.sarif, junit.xml); it is created. A folder that holds
    /// anything but a report is refused.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Replace the report that the folder of --report holds.
    #[arg(long, requires = "report")]
    force: bool,
    /// Print all causes, and all failing cases of each.
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// A JSON report on standard output.
    #[arg(long)]
    json: bool,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let read = self.reports.iter().map(|path| reports::read(path));
        let merged = merge(read.collect::<Result<_, _>>()?)?;
        let folder = self.report.as_deref().map(|path| ReportFolder::claim(path, self.force)).transpose()?;
        report::tell(&merged, folder.as_ref(), None, Form::of(self.json, self.all))
    }
}
