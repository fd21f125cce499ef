use std::io::Write;
use std::path::PathBuf;

use crate::error::{Error, TextPosition};
use crate::validate::{Finding, FindingCounts, Severity, ValidateOptions, ValidationReport, rule, sources, validate};
use clap::Args;

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, files, open, terminal};

/// Reports what is wrong with a dump, at which byte, and how much of it is sound. The first bytes tell the format.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct ValidateOpts {
    /// Dumps; `-` is standard input. Of a folder, all its files that begin like a dump, those of folders in it as well; of a
    /// pattern like `dumps/*.hprof`, the files that match.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Leave out the rules of the whole graph (duplicate addresses, dangling references and others): memory is that of the
    /// largest record then. Without this option, memory is mostly 8 bytes or less for each class and object (up to 64 where
    /// addresses are far apart), plus the classes (and an HPROF dump's tables).
    #[arg(long)]
    no_graph: bool,
    #[command(flatten)]
    reading: open::ReadingOpts,
    /// Show notes too, of each rule the first 20: what speaks for one reading or another where the bytes leave it open. Without
    /// it, they are counted.
    #[arg(long)]
    notes: bool,
    /// Exit with 1 for warnings, too. Without it, only errors do so.
    #[arg(long)]
    strict: bool,
    /// Print a JSON report for each file, one a line, instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Find what is wrong with a dump", "heapsmith validate heapdump.phd"),
        ("Validate all dumps of a folder; warnings count, too", "heapsmith validate --strict dumps"),
        ("Read standard input, and print JSON", "cat heapdump.hprof | heapsmith validate --json -"),
    ],
    exit_codes: &[(0, "no error; warnings and notes do not count, unless --strict"), (1, "an error")],
};

impl ValidateOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let mut answer = CommandOutcome::Yes;
        let mut unread = None;
        let options = ValidateOptions::default().graph(!self.no_graph).reading(self.reading.reading());
        let files = files::expand(&self.files)?;
        for file in &files {
            let report = open::input(file).and_then(|input| validate(&input, options));
            match report {
                Ok(report) => {
                    if !report.valid || self.strict && report.findings.iter().any(|f| f.severity == Severity::Warning) {
                        answer = CommandOutcome::No;
                    }
                    self.print(&report)?;
                }
                Err(error) if files.len() > 1 && !error.is_broken_pipe() => {
                    terminal::error(&error.to_string());
                    unread = Some(error);
                }
                Err(error) => return Err(error),
            }
        }
        match unread {
            None => Ok(answer),
            Some(_) => Err(Error::Usage("some files could not be read; the errors above name them".to_owned())),
        }
    }

    fn print(&self, report: &ValidationReport) -> Result<(), Error> {
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            return terminal::print_json(report);
        }
        let mut out = terminal::stdout();
        let is_shown = |severity: Severity| severity != Severity::Note || self.notes;
        let shown: Vec<&Finding> = report.findings.iter().filter(|finding| is_shown(finding.severity)).collect();
        // Where reading stops explains what is missing after it.
        let (fatal, others): (Vec<&Finding>, _) = shown.iter().partition(|finding| finding.fatal);
        for finding in fatal.into_iter().chain(others) {
            write!(out, "{}", describe(finding)).map_err(failed)?;
        }
        for count in &report.counts {
            let of_rule = shown.iter().filter(|finding| finding.rule == count.rule).count() as u64;
            if of_rule > 0 && count.count > of_rule {
                writeln!(out, "{}: {} more of these", count.rule, count.count - of_rule).map_err(failed)?;
            }
        }
        let sound = report.sound;
        let format = report.format.as_deref().unwrap_or("not a dump");
        let verdict = if report.valid { terminal::good("valid") } else { terminal::bad("not valid") };
        let graph = if report.graph_checked { "" } else { "; the rules of the whole graph were not checked" };
        let notes = count_notes(report);
        let shown = shown.iter().filter(|finding| finding.severity == Severity::Note).count() as u64;
        let hidden = match (notes, shown) {
            (0, _) => String::new(),
            (1, 0) => "; 1 note (--notes shows it)".to_owned(),
            (_, 0) => format!("; {notes} notes (--notes shows them)"),
            (_, shown) if shown < notes => format!("; {shown} of {notes} notes are shown"),
            _ => String::new(),
        };
        writeln!(
            out,
            "{}: {verdict} ({format}); sound: {} records, {} classes, {} objects, {} references{graph}{hidden}",
            terminal::single_line(&report.input),
            sound.records,
            sound.classes,
            sound.objects,
            sound.references
        )
        .map_err(failed)
    }
}

/// The number of a dump's notes, those beyond the kept ones included.
fn count_notes(report: &ValidationReport) -> u64 {
    let is_note = |count: &&FindingCounts| {
        report.findings.iter().any(|finding| finding.rule == count.rule && finding.severity == Severity::Note)
    };
    report.counts.iter().filter(is_note).map(|count| count.count).sum()
}

fn describe(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Error => terminal::bad("error"),
        Severity::Warning => terminal::doubtful("warning"),
        Severity::Note => "note".to_owned(),
    };
    let record = finding.record.map(|r| format!(", record {r}")).unwrap_or_default();
    let position = match (finding.line, finding.column) {
        (Some(line), Some(column)) => format!("{}, ", TextPosition { line, column }),
        _ => String::new(),
    };
    let sources = rule(finding.rule.0).map(sources).unwrap_or_default();
    let sources: String = sources.iter().map(|source| format!("  source:   {source}\n")).collect();
    let fatal = if finding.fatal { "; the rest of the file cannot be read" } else { "" };
    format!(
        "{severity}[{}] {position}offset {:#x}{record}{fatal}\n  expected: {}\n  found:    {}\n{sources}",
        finding.rule, finding.offset, finding.expected, finding.found
    )
}
