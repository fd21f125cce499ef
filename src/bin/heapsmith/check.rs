use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use heapsmith::check::{CaseResult, Outcome, Report, Subject, check, random_cases};
use heapsmith::corpus::{Case, cases};
use heapsmith::error::Error;
use heapsmith::format::Family;
use heapsmith::output::Output;

use crate::{Answer, terminal};

/// Runs somebody else's parser over the corpus and over random dumps, and judges its listings.
///
/// The program takes a dump's path and prints a listing (specs/listing.md) with exit code 0, or
/// refuses the dump with exit code 1. Anything else is a crash. Exit code 0: every case passed.
///
/// Example: heapsmith check --decoder 'my-parser --listing {}' --random 100 --seed 1
#[derive(Args)]
pub(crate) struct Opts {
    /// The command, quoted as for a shell; `{}` stands for the dump's path, `{heap}` for the index of the heap that
    /// is asked for. Without `{heap}` dumps of several heaps are left out.
    #[arg(long)]
    decoder: String,
    /// Number of random dumps besides the corpus.
    #[arg(long, default_value_t = 0)]
    random: u64,
    /// Seed of the random dumps.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only dumps of this format: phd, hprof or classic.
    #[arg(long, value_parser = family)]
    format: Option<Family>,
    /// Only cases whose id contains this.
    #[arg(long)]
    filter: Option<String>,
    /// Seconds for a case.
    #[arg(long, default_value_t = 10.0)]
    time_limit: f32,
    /// Keep the dumps of cases that are not passed in this folder; it is created.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// A JSON report.
    #[arg(long)]
    json: bool,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let command = shell_words::split(&self.decoder)
            .map_err(|e| Error::Usage(format!("--decoder {:?} cannot be split into words: {e}", self.decoder)))?;
        if !command.iter().any(|part| part.contains("{}")) {
            return Err(Error::Usage("--decoder has no {}, where the dump's path goes".to_owned()));
        }
        let limit = Duration::try_from_secs_f32(self.time_limit)
            .map_err(|e| Error::Usage(format!("--time-limit {}: {e}", self.time_limit)))?;
        let mut chosen = cases()?;
        let families = self.format.map_or(Family::ALL.to_vec(), |family| vec![family]);
        chosen.extend(random_cases(self.random, self.seed, &families)?);
        if !command.iter().any(|part| part.contains("{heap}")) {
            chosen.retain(|case| case.heap.is_none());
        }
        if let Some(format) = self.format {
            chosen.retain(|case| case.format.family() == format);
        }
        if let Some(filter) = &self.filter {
            chosen.retain(|case| case.id.contains(filter.as_str()));
        }
        if chosen.is_empty() {
            return Err(Error::Usage("no case has such an id; `corpus list` shows them".to_owned()));
        }
        let bar = terminal::steps(chosen.len() as u64, "checking");
        let report = check(&Subject { command, limit }, &chosen, |_| bar.inc(1))?;
        bar.finish_and_clear();
        if let Some(folder) = &self.keep {
            keep(folder, &chosen, &report)?;
        }
        let passed = report.cases.iter().filter(|case| case.outcome.is_pass()).count();
        let failed = |e| Error::io("writing standard output", e);
        let mut out = terminal::stdout();
        if self.json {
            let text = serde_json::to_string(&report).map_err(|e| failed(e.into()))?;
            writeln!(out, "{text}").map_err(failed)?;
        } else {
            write!(out, "{}", self.describe(&report)).map_err(failed)?;
        }
        Ok(if passed == report.cases.len() { Answer::Yes } else { Answer::No })
    }

    fn describe(&self, report: &Report) -> String {
        let mut text = String::new();
        for CaseResult { id, outcome, .. } in &report.cases {
            let detail = match outcome {
                Outcome::Pass { .. } => continue,
                Outcome::Fail { facet, address, expected, found } => {
                    let facet = facet.map_or_else(|| "listing".to_owned(), |f| f.to_string());
                    let at = address.as_deref().map(|a| format!(" at {a}")).unwrap_or_default();
                    format!("{facet}{at}\n  expected: {expected}\n  found:    {found}")
                }
                Outcome::WrongVerdict { expected, found } => format!("expected to {expected}; {found}"),
                Outcome::Crash { how } | Outcome::Hang { how } => how.clone(),
            };
            text += &format!("{} {id}: {detail}\n  repeat:   {}\n", terminal::bad(outcome.name()), self.repeat(id));
        }
        text + &summary(report)
    }

    /// The command that runs one case again.
    fn repeat(&self, id: &str) -> String {
        let decoder = shell_words::quote(&self.decoder);
        let random = if id.starts_with("random") {
            // Which dumps are drawn depends on the formats.
            let format = self.format.map(|family| format!(" --format {}", family.name())).unwrap_or_default();
            format!(" --random {} --seed {}{format}", self.random, self.seed)
        } else {
            String::new()
        };
        format!("heapsmith check --decoder {decoder}{random} --filter {id}")
    }
}

fn family(name: &str) -> Result<Family, String> {
    Family::ALL.into_iter().find(|family| family.name() == name).ok_or_else(|| "phd, hprof or classic".to_owned())
}

/// Writes the dumps of the cases that were not passed.
fn keep(folder: &Path, cases: &[Case], report: &Report) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|e| Error::io(format!("creating {}", folder.display()), e))?;
    for case in cases {
        if report.cases.iter().any(|result| result.id == case.id && !result.outcome.is_pass()) {
            let path = folder.join(case.file());
            let mut output = Output::create(&path, true)?;
            output.write_all(&case.bytes).map_err(|e| Error::io(format!("writing {}", path.display()), e))?;
            output.finish()?;
        }
    }
    Ok(())
}

fn summary(report: &Report) -> String {
    let mut text = String::new();
    let mut omitted: Vec<String> =
        report.cases.iter().flat_map(|case| &case.omitted).map(|facet| facet.to_string()).collect();
    omitted.sort();
    omitted.dedup();
    let mut table = terminal::table(["verdict", "cases"]);
    for name in ["pass", "fail", "wrong-verdict", "crash", "hang"] {
        let count = report.cases.iter().filter(|case| case.outcome.name() == name).count();
        table.add_row([name.to_owned(), count.to_string()]);
    }
    text += &terminal::render(&table);
    text += "\n";
    if !omitted.is_empty() {
        text += &format!("not judged, since the decoder omits it: {}\n", omitted.join(", "));
    }
    text
}
