//! The written forms of a report.

mod causes;
mod cost;
mod text;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::check::report::{CaseResult, Outcome};
use crate::check::{CheckReport, KeptFiles, ReportFolder};
use crate::error::Error;
use crate::output::Output;
use clap::Args;

use crate::command::{CommandOutcome, terminal};

/// Writes a file whole.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut output = Output::create(path, true)?;
    output.write_all(bytes).map_err(|e| Error::io(format!("writing {}", path.display()), e))?;
    output.finish()
}

/// The options of a report: its folder, and the form in which it is printed.
#[derive(Args)]
pub(crate) struct ReportOutputOpts {
    /// Write reports to this folder (report.html, report.json, report.md, report.sarif, junit.xml), with reduced dumps where there
    /// are any; it is created. A folder that holds anything but a report is refused. Without it, the report is only printed.
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

impl ReportOutputOpts {
    /// Prints a report, and writes it where that is asked for.
    pub(crate) fn print_and_write(self, report: &CheckReport, kept: KeptFiles<'_>) -> Result<CommandOutcome, Error> {
        let folder = self.report.as_deref().map(|path| ReportFolder::claim(path, self.force)).transpose()?;
        print_and_write(report, folder.as_ref(), kept, PrintedForm::from_flags(self.json, self.all))
    }
}

/// The form in which a report is printed.
#[derive(Clone, Copy)]
pub(crate) enum PrintedForm {
    /// The first causes.
    Brief,
    /// All causes with all their cases.
    All,
    /// JSON.
    Json,
}

impl PrintedForm {
    /// The form that the flags `--json` and `--all` choose.
    pub(crate) fn from_flags(json: bool, all: bool) -> PrintedForm {
        match (json, all) {
            (true, _) => PrintedForm::Json,
            (_, true) => PrintedForm::All,
            _ => PrintedForm::Brief,
        }
    }
}

/// Prints a report on standard output, and then writes it to the folder of reports.
pub(crate) fn print_and_write(
    report: &CheckReport,
    folder: Option<&ReportFolder>,
    kept: KeptFiles<'_>,
    form: PrintedForm,
) -> Result<CommandOutcome, Error> {
    let failed = |e| Error::io("writing standard output", e);
    let printed = match form {
        PrintedForm::Json => terminal::write_json(terminal::data(), report),
        PrintedForm::Brief => write!(terminal::stdout(), "{}", text::text(report, false) + &cost::costs(report)),
        PrintedForm::All => write!(terminal::stdout(), "{}", text::text(report, true) + &cost::costs(report)),
    };
    if let Some(folder) = folder {
        if report.incomplete.is_some() && folder.holds_earlier_report() {
            terminal::warning("the earlier report stays: nothing was judged");
        } else {
            folder.write(report, kept)?;
            if !matches!(form, PrintedForm::Json) && printed.is_ok() {
                writeln!(terminal::stdout(), "written: {}", folder.page().display()).map_err(failed)?;
            }
        }
    }
    match printed {
        // The reader has seen enough; the exit code is the same.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {}
        printed => printed.map_err(failed)?,
    }
    Ok(if report.is_clean() { CommandOutcome::Yes } else { CommandOutcome::No })
}

/// Whether more was skipped than judged, of all cases or of those that a listing answers, and a warning of each implementation of which
/// that is so. Cases of formats that it does not declare do not count, nor those to which no one answer is right; a limit of failures
/// skips by itself.
pub(crate) fn skips_too_much(report: &CheckReport) -> bool {
    if report.chosen.max_failures.is_some() {
        return false;
    }
    let has_listing = |verdict: &str| matches!(verdict, "valid" | "ambiguous");
    let listed: HashSet<&str> =
        report.cases.iter().filter(|case| has_listing(&case.verdict)).map(|case| &*case.id).collect();
    let mut is_too_much = false;
    for tested in &report.implementations {
        let is_skip = |result: &&&CaseResult| matches!(result.outcome(), Outcome::Skip { .. });
        let is_exempt = |result: &&CaseResult| matches!(result.outcome(), Outcome::Skip { exempt: true, .. });
        let all: Vec<&CaseResult> = tested.results.iter().filter(|result| !is_exempt(result)).collect();
        let sound: Vec<&CaseResult> = all.iter().copied().filter(|result| listed.contains(&*result.id)).collect();
        for (results, what) in [(&all, "cases"), (&sound, "cases that a listing answers")] {
            let (skipped, all) = (results.iter().filter(is_skip).count(), results.len());
            if skipped * 2 > all {
                is_too_much = true;
                terminal::warning(&format!(
                    "{}: {skipped} of {all} {what} were skipped, which is more than half; --filter and --format choose what \
                     it can, and --allow-skips says that this is right",
                    tested.label
                ));
                break;
            }
        }
    }
    is_too_much
}
