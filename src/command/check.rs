use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::check::{
    CaseChoice, CaseResult, CheckOptions, CheckProgress, CheckReport, CheckResult, ExpectedFailures, ExpectedUpdate,
    Filter, KeptFiles, OperationKind, Outcome, OutdatedLine, ReportFolder, Sweeper, UserDump, WantedOperations, check,
};
use crate::compare::Facet;
use crate::error::Error;
use crate::format::Family;
use crate::generate::{Oddity, OddityForm};
use crate::input::{LONGEST_TEXT, read_text};
use crate::interrupt;
use clap::{ArgGroup, Args, ValueEnum};

use crate::command::help::HelpEnding;
use crate::command::report_output::{self, PrintedForm};
use crate::command::subjects::SubjectOpts;
use crate::command::terminal::TerminalProgress;
use crate::command::{CommandOutcome, family, files, scaling, terminal};

/// Failures that are printed while others are still waited for; the rest is counted.
const MOST_LIVE: usize = 10;

const RANDOM: &str = "Number of random dumps besides the corpus";

/// The long help of `--random`, with the oddities.
fn random_help() -> String {
    let odd = |form: &OddityForm| format!("  {}: {} ({})", form.name, form.summary, form.formats.join(", "));
    let all: Vec<String> = Oddity::FORMS.iter().map(odd).collect();
    format!(
        "{RANDOM}. Of ten, six are plain (random-plain-...), three have one thing out of the ordinary \
         (random-odd-NAME-...), and one has several (random-several-...). What is out of the ordinary:\n{}",
        all.join("\n")
    )
}

/// Runs a third-party parser, converter or writer over the corpus and over random dumps, and judges its answers.
///
/// An adapter (specs/adapter.md) serves many dumps, and says what it can; --adapter may be given several times, for a matrix. A
/// decoder takes a dump's path and prints a listing (specs/listing.md) with exit code 0, or refuses the dump with exit code 1.
/// A converter or encoder makes one file of another. A signal (Ctrl-C) ends the run: what was judged so far is reported; a
/// second one ends at once.
#[derive(Args)]
#[command(group(ArgGroup::new("subject").required(true).multiple(true)
    .args(["adapter", "decoder", "converter", "encoder"])))]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct CheckOpts {
    #[command(flatten)]
    subject: SubjectOpts,
    /// What adapters are asked to do. Without it, to parse, if they can.
    #[arg(long, value_enum)]
    operation: Option<OperationOpt>,
    #[arg(long, default_value_t = 0, help = RANDOM, long_help = random_help())]
    random: u64,
    /// Seed of the random dumps.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Instead of the corpus, ask about dumps that are too large to be stored: lengths above 2 and 4 GiB, many objects,
    /// heaps, threads. Each is made in a temporary folder, as a sparse file where it has zeros, asked about alone, and deleted
    /// before the next. Answers are judged by digests, counts or verdicts. Each dump has limits of its own, which
    /// --time-limit and --memory-limit change in proportion.
    #[arg(long, conflicts_with_all = ["decoder", "converter", "encoder", "operation", "random", "jobs", "scaling"])]
    large: bool,
    /// Instead of the corpus, ask about dumps of your own: files, folders (those in them that begin like a dump), patterns, recipes, or
    /// `-` for a list of paths on standard input. heapsmith's own reading counts as right; what `validate` finds in a dump is in its
    /// summary. Dumps above 4 MiB are read object by object: adapters are asked for a digest, counts or a verdict, what converters make
    /// is judged as by `check-conversion`, and decoders are not asked about them. Without it, the corpus.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["large", "encoder", "random", "scaling"])]
    dumps: Vec<PathBuf>,
    /// Compare the implementations with each other: a disagreement about a dump is a failure, and the report says which of them say
    /// the same. No answer counts as right, so dumps that heapsmith cannot read are compared, too. Needs at least two adapters or
    /// decoders. Without it, each implementation is judged by the right answer.
    #[arg(
        long,
        conflicts_with_all = ["converter", "encoder", "operation", "large", "scaling"]
    )]
    among: bool,
    #[arg(long, value_parser = family, help = format!("Only dumps of this format: {}. Without it, of all", Family::names()))]
    format: Option<Family>,
    /// Only these cases: a case's id, a part of ids, a pattern of ids (`*`, `?` and `[...]` as in a shell), or
    /// rule=PATTERN for those that keep, break or show such a rule. Several options add up. Without it, all
    /// cases.
    #[arg(long, value_name = "ID|PATTERN|rule=PATTERN")]
    filter: Vec<Filter>,
    /// Only a part of the batches of cases: the Kth of N parts. `merge` combines the reports. Without it, all.
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<(u64, u64)>,
    /// The number of cases that run at a time; it does not change the results. Without it, as many as there are processors.
    #[arg(long, short)]
    jobs: Option<NonZeroUsize>,
    /// After this many cases without an answer in time, or with an adapter error that took as long, the rest is skipped.
    #[arg(long, default_value_t = 10)]
    max_hangs: usize,
    /// After this many failures of an implementation that are not expected, the rest is skipped. Without it, all cases are asked.
    #[arg(long, value_name = "N")]
    max_failures: Option<NonZeroUsize>,
    /// After this many sound dumps that end the same way (the same crash, refusal or adapter error), the rest is skipped, as long as
    /// no sound dump has an answer. They are chosen from the whole run. 0 asks about all, and so does --update-expected.
    #[arg(long, value_name = "N", default_value_t = 12)]
    max_equal_ends: usize,
    /// Do not judge these facets, separated by commas. `heapsmith facets` prints them; addresses and kinds are always judged.
    /// Without it, all that the implementation reports.
    #[arg(long, value_name = "FACETS", value_delimiter = ',', value_parser = left_out)]
    leave_out: Vec<Facet>,
    /// Accept that more than half of the cases were skipped, or of those that a listing answers. Without it, the exit code is 1 then.
    #[arg(long)]
    allow_skips: bool,
    /// A file of failures that are expected, by verdict, fact, rule and case. Any other failure, and a case that is listed
    /// by its id and passes, fails the run. Without it, every failure does.
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,
    /// Append the new failures of this run to the file of expected failures, and list the lines that no longer apply, for you to
    /// delete. What the file has stays as it is. Without it, the file is only read.
    #[arg(long, requires = "expected")]
    update_expected: bool,
    /// Write reports to this folder (report.html, report.json, report.md, report.sarif, junit.xml), and the dumps and answers of
    /// failed cases; it is created. A folder that holds anything but a report is refused. Without it, the report is only printed.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Reduce a dump of each cause that is not expected, by at most that many trials, and write it to the folder of --report. Without it,
    /// none is reduced.
    #[arg(
        long,
        value_name = "TRIALS",
        num_args = 0..=1,
        default_missing_value = "400",
        requires = "report",
        conflicts_with_all = ["large", "shard"]
    )]
    reduce: Option<u64>,
    /// Explain failures by at most that many dumps for each implementation: dumps with one difference are made and asked about. With
    /// --large, and with --update-expected, none are made.
    #[arg(long, value_name = "TRIALS", default_value_t = 8000)]
    explain: u64,
    /// Take at most that many seconds to explain the failures of an implementation.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    explain_time: u64,
    /// Explain nothing: list failures by what is seen of them. Without it, they are explained.
    #[arg(long)]
    no_explain: bool,
    /// Replace the report that the folder of --report holds. Without it, an existing report is an error.
    #[arg(long, requires = "report")]
    force: bool,
    /// Print all causes, and all failing cases of each. Without it, the first 20 lines of each implementation.
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    scaling: scaling::ScalingOpts,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Judge a program that prints listings", "heapsmith check --format hprof --decoder 'my-parser {}'"),
        ("Judge a converter", "heapsmith check --converter 'my-converter {in} {out}' --from hprof --to phd6"),
        (
            "Ask about random dumps, too, and write a report",
            "heapsmith check --adapter 'python3 adapter.py' --random 100 --report report",
        ),
    ],
    exit_codes: &[
        (0, "nothing but passes, skips and expected failures"),
        (1, "a failure that is not expected, or more was skipped than judged"),
        (2, "usage or I/O error, or there was nothing to judge"),
    ],
};

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum OperationOpt {
    /// Read dumps.
    Parse,
    /// Convert dumps, from and to all formats that the adapter declares.
    Convert,
    /// Write dumps of listings.
    Encode,
}

impl From<OperationOpt> for OperationKind {
    fn from(operation: OperationOpt) -> OperationKind {
        match operation {
            OperationOpt::Parse => OperationKind::Parse,
            OperationOpt::Convert => OperationKind::Convert,
            OperationOpt::Encode => OperationKind::Encode,
        }
    }
}

impl CheckOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        // What comes through pipes is read before: from then on a signal waits for what is at work.
        let expected = match &self.expected {
            Some(path) if !self.update_expected || path.exists() => ExpectedFailures::read(path)?,
            _ => ExpectedFailures::default(),
        };
        let choice = self.choice()?;
        let stop = interrupt::stop_on_signal();
        let subjects = self.subject.subjects(&stop)?;
        if let Some(options) = self.scaling.options(self.format)? {
            return scaling::run(&subjects, &options, self.json, &stop);
        }
        if self.among && subjects.len() < 2 {
            return Err(Error::Usage(
                "--among compares the answers of several implementations: name two or more, by --adapter or --decoder"
                    .to_owned(),
            ));
        }
        let folder = self.report.as_deref().map(|path| ReportFolder::claim(path, self.force)).transpose()?;
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let operations = WantedOperations(self.operation.map(OperationKind::from));
        let options = CheckOptions::default()
            .choice(choice)
            .operations(operations)
            .jobs(self.jobs.unwrap_or_else(processors).get())
            .expected(expected)
            .max_hangs(self.max_hangs.max(1))
            .max_failures(self.max_failures.map(NonZeroUsize::get))
            .max_equal_ends(if self.update_expected { 0 } else { self.max_equal_ends })
            .left_out(self.leave_out.iter().flat_map(|facet| facet.with_part()).collect())
            .among(self.among)
            .reduce(self.reduce)
            .explain((!self.no_explain && !self.large && !self.update_expected).then_some(self.explain))
            .explain_time(Duration::from_secs(self.explain_time))
            .folder(folder);
        let sweeper = Sweeper::new()?;
        let bar = Mutex::new(TerminalProgress::steps("checking"));
        let failures = AtomicUsize::new(0);
        let outcome = check(&subjects, &options, &|progress| {
            let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
            match progress {
                CheckProgress::Planned(more) => bar.add_planned(more as u64),
                CheckProgress::Asked => bar.add_done(1),
                CheckProgress::Explaining(label, trials) => {
                    bar.set_message(&format!("explaining the failures of {label}, {trials} dumps asked"));
                }
                CheckProgress::Reducing(trials) => bar.set_message(&format!("reducing, {trials} tried")),
                CheckProgress::Failed(label, id, outcome) => {
                    let count = failures.fetch_add(1, Ordering::Relaxed) + 1;
                    if count <= MOST_LIVE {
                        let (verdict, detail) = (outcome.name(), outcome.detail());
                        let detail = detail.lines().next().unwrap_or_default();
                        bar.print_above(&format!("{verdict} {id} ({label}): {detail}"));
                    } else {
                        bar.set_message(&format!("checking, {count} failures"));
                    }
                }
            }
        });
        drop(bar);
        // Nothing that was started is there any more when what is right is written down.
        drop(sweeper);
        let CheckResult { report: mut told, kept, dumps } = outcome?;
        if self.shard.is_none() && told.incomplete.is_none() {
            ensure_case_was_judged(&told)?;
        }
        let is_whole = !self.large
            && self.dumps.is_empty()
            && self.filter.is_empty()
            && self.shard.is_none()
            && told.incomplete.is_none();
        let mut updated = Ok(());
        match &self.expected {
            Some(_) if self.update_expected && told.incomplete.is_some() => {
                terminal::warning("the file of expected failures stays as it is: the run is incomplete");
            }
            Some(path) if self.update_expected => {
                updated = append_expected(&mut told, path).map(|(outdated, idle)| {
                    for OutdatedLine { line, message } in outdated.iter().chain(idle.iter().filter(|_| is_whole)) {
                        terminal::warning(&format!("{}:{line}: {message}", path.display()));
                    }
                });
            }
            _ => {
                for reason in options.expected.unused_reasons(&told).into_iter().filter(|_| is_whole) {
                    terminal::warning(&format!(
                        "no failure of this run is one that the file of expected failures calls {reason:?}"
                    ));
                }
            }
        }
        let files = KeptFiles { answers: kept.as_ref(), dumps: &dumps };
        let answer = report_output::print_and_write(
            &told,
            options.folder.as_ref(),
            files,
            PrintedForm::from_flags(self.json, self.all),
        );
        let answer = updated.and(answer).map(|answer| match self.is_skipping_too_much(&told) {
            true if answer == CommandOutcome::Yes => CommandOutcome::No,
            _ => answer,
        });
        match stop.signal() {
            Some(signal) => {
                if let Err(error) = answer {
                    terminal::error(&error.to_string());
                }
                Ok(CommandOutcome::Interrupted(signal))
            }
            None => answer,
        }
    }

    /// Whether more was skipped than judged, and no one said that this is right. A limit of failures skips by itself.
    fn is_skipping_too_much(&self, told: &CheckReport) -> bool {
        !self.allow_skips && self.shard.is_none() && told.incomplete.is_none() && report_output::skips_too_much(told)
    }

    fn choice(&self) -> Result<CaseChoice, Error> {
        let format = match self.format {
            None => self.subject.format()?,
            format => format,
        };
        Ok(CaseChoice::default()
            .random(self.random)
            .seed(self.seed)
            .format(format)
            .filters(self.filter.clone())
            .shard(self.shard)
            .large(self.large)
            .dumps(UserDump::from_paths(&files::expand_with_lists(&self.dumps)?)?))
    }
}

/// Appends the new failures to the file of expected failures, so that they are none of this run. The lines that no longer apply, and
/// those of idle entries.
fn append_expected(told: &mut CheckReport, path: &Path) -> Result<(Vec<OutdatedLine>, Vec<OutdatedLine>), Error> {
    let text = if path.exists() { read_text(path, LONGEST_TEXT)? } else { String::new() };
    let update =
        ExpectedUpdate::after_run(&text, told).map_err(|e| Error::Usage(format!("{}: {e}", path.display())))?;
    if update.text != text {
        report_output::write_file(path, update.text.as_bytes())?;
    }
    told.apply_expected(&update.expected);
    Ok((update.outdated, update.idle))
}

/// A facet that need not be judged.
pub(crate) fn left_out(name: &str) -> Result<Facet, String> {
    let facet: Facet = name.parse().map_err(|e| format!("{e}"))?;
    if facet.is_omittable() { Ok(facet) } else { Err(format!("{facet} is always judged")) }
}

/// A run that asked nothing says nothing, and must not look like one in which all is well.
fn ensure_case_was_judged(told: &CheckReport) -> Result<(), Error> {
    let results = || told.implementations.iter().flat_map(|tested| &tested.results);
    if results().any(|result| !matches!(result.outcome(), Outcome::Skip { .. })) {
        return Ok(());
    }
    Err(Error::Usage(match results().next().map(CaseResult::outcome) {
        Some(Outcome::Skip { reason, .. }) => format!("every case was skipped, the first of them because: {reason}"),
        _ => "no case matches --filter and --format and can be asked of the implementation; `heapsmith corpus list` shows the \
              cases"
            .to_owned(),
    }))
}

pub(crate) fn shard(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((number @ 1.., of)) if number <= of => Ok((number, of)),
        _ => Err("a number from 1 and how many parts there are: 1/4".to_owned()),
    }
}
