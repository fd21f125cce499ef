use std::io::Write;
use std::path::PathBuf;

use crate::error::Error;
use crate::format::damaged_family;
use crate::output::Output;
use crate::salvage::{SalvageOptions, SalvageReport, open_damaged};
use clap::Args;

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, open, outputs, terminal};

/// Keeps what is sound of a damaged dump: a valid dump of all that can be read for certain, as its writer spelled it.
///
/// HPROF is read on after a fault, where records chain again. In a PHD addresses are distances, so that nothing after the first
/// fault can be placed. Classic text in ASCII or UTF-8 is kept entry by entry. A compressed dump is decompressed as far as it
/// can be. References into what is lost dangle; roots of lost objects are left out and counted.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct SalvageOpts {
    /// Damaged dump; `-` is standard input.
    input: PathBuf,
    /// Dump to write. Without it, nothing is written, and the report says what is wrong.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Of several dumps that stand one after the other in the file, the one to keep, from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    part: usize,
    /// Keep each of several dumps that stand one after the other: FILE gets a number before its last dot. Without it, --part
    /// is kept.
    #[arg(long, conflicts_with = "part", requires = "output")]
    all: bool,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Say what is wrong, and write nothing", "heapsmith salvage damaged.hprof"),
        ("Keep what is sound", "heapsmith salvage damaged.hprof -o kept.hprof"),
        ("Take apart a file in which two dumps stand", "heapsmith salvage damaged.hprof -o kept.hprof --all"),
    ],
    exit_codes: &[
        (0, "the dump is sound, or a valid dump of what is sound was written"),
        (1, "without --output: something is wrong with the dump"),
    ],
};

/// Faults that are shown in words.
const SHOWN: usize = 20;

impl SalvageOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let output: Vec<&std::path::Path> = self.output.iter().map(PathBuf::as_path).collect();
        outputs::require_distinct(&[&self.input], &output)?;
        let damaged = open_damaged(&open::input(&self.input)?)?;
        let family = damaged_family(&damaged.input)?;
        let mut part = self.part;
        let mut reports: Vec<SalvageReport> = Vec::new();
        loop {
            let options = SalvageOptions::default().part(part);
            let mut report = match self.path_of(part) {
                None => family.salvage(&damaged.input, &options, None)?,
                Some(path) => {
                    let mut output = Output::create_binary(&path, self.force)?;
                    let report = family.salvage(&damaged.input, &options, Some(&mut output))?;
                    output.finish()?;
                    report
                }
            };
            damaged.add_to(&mut report);
            let dumps = report.dumps.len();
            reports.push(report);
            part += 1;
            if !self.all || part >= dumps {
                break;
            }
        }
        for report in &reports {
            self.print(report)?;
        }
        let is_fine = self.output.is_some() || reports.iter().all(SalvageReport::is_sound);
        Ok(if is_fine { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    /// The output of a dump of the file.
    fn path_of(&self, part: usize) -> Option<PathBuf> {
        let output = self.output.as_ref()?;
        if !self.all {
            return Some(output.clone());
        }
        let stem = output.file_stem().unwrap_or_default().to_string_lossy();
        let name = match output.extension() {
            Some(ending) => format!("{stem}.{part}.{}", ending.to_string_lossy()),
            None => format!("{stem}.{part}"),
        };
        Some(output.with_file_name(name))
    }

    fn print(&self, report: &SalvageReport) -> Result<(), Error> {
        if self.json {
            return terminal::print_json(report);
        }
        let failed = |e| Error::io("writing standard output", e);
        let mut out = terminal::stdout();
        for fault in report.faults.iter().take(SHOWN) {
            let lost = match fault.end - fault.offset {
                0 => String::new(),
                lost => format!("; {lost} bytes are left out"),
            };
            let what = terminal::bad(&fault.kind.to_string());
            writeln!(out, "at {:#x}: {what}{lost} ({})", fault.offset, fault.rests_on).map_err(failed)?;
        }
        let more = (report.faults.len().saturating_sub(SHOWN)) as u64 + report.more_faults;
        if more > 0 {
            writeln!(out, "and {more} more faults (--json lists up to 1,000)").map_err(failed)?;
        }
        if report.dumps.len() > 1 {
            let places: Vec<String> = report.dumps.iter().map(|dump| format!("{:#x}", dump.offset)).collect();
            let (count, part) = (report.dumps.len(), report.part);
            writeln!(out, "{count} dumps stand in the file, at {}; this is dump {part}", places.join(", "))
                .map_err(failed)?;
        }
        for change in &report.changes {
            writeln!(out, "changed: {change}").map_err(failed)?;
        }
        let kept = report.kept;
        let kept_word = terminal::good(if self.output.is_some() { "kept" } else { "sound" });
        writeln!(
            out,
            "{kept_word} ({}): {} classes, {} objects, {} roots, {} records; lost: {} of {} bytes{}{}",
            report.format,
            kept.classes,
            kept.objects,
            kept.roots,
            kept.records,
            report.lost_bytes,
            report.bytes,
            counted(report.dropped_roots, "root of a lost object", "roots of lost objects"),
            counted(report.duplicates, "repeated identifier", "repeated identifiers"),
        )
        .map_err(failed)
    }
}

fn counted(number: u64, one: &str, several: &str) -> String {
    match number {
        0 => String::new(),
        1 => format!(", 1 {one}"),
        _ => format!(", {number} {several}"),
    }
}
