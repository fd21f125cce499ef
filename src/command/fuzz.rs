//! `fuzz`.

mod text;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::check::campaign::{CampaignEvent, campaign_report, status};
use crate::check::{
    Campaign, CampaignOptions, ExpectedFailures, KeptFiles, OperationKind, Subject, Sweeper, WantedOperations,
};
use crate::compare::Facet;
use crate::error::Error;
use crate::format::Family;
use crate::interrupt;
use clap::{ArgGroup, Args, Subcommand};

use crate::command::check::{OperationOpt, left_out, shard};
use crate::command::help::HelpEnding;
use crate::command::report_output::ReportOutputOpts;
use crate::command::subjects::SubjectOpts;
use crate::command::terminal::TerminalProgress;
use crate::command::{CommandOutcome, family, files, terminal};

/// Asks a parser, converter or writer about random and damaged dumps without an end, and reduces a dump of each cause.
///
/// What is found out stands in the folder of --state. The same command goes on where an earlier one ended, and one that was killed
/// loses no more than the batches that it was at. Each batch has 64 dumps of one format, of options that its number draws: sizes,
/// writers, widths, what is out of the ordinary; some are damaged by a named edit, so that the right answer is known. A cause is
/// printed when it is written down, and then the dump that it was reduced to. A signal (Ctrl-C) ends it.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(group(ArgGroup::new("subject").required(true).args(["adapter", "decoder", "converter", "encoder"])))]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct FuzzOpts {
    #[command(subcommand)]
    command: Option<FuzzCommand>,
    #[command(flatten)]
    subject: SubjectOpts,
    /// Folder of the campaign: what is known of it, and reduced dumps. It is created; one that holds anything but this campaign is
    /// refused.
    #[arg(long, value_name = "DIR", required = true)]
    state: Option<PathBuf>,
    /// How long, such as 90s, 20m or 8h: no batch begins later. Without it, until it is ended.
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    time: Option<Duration>,
    /// Ends when this number of cases was asked, over all runs and shards, in whole batches. Without it, it has no end.
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// Ends when this number of causes is known. Without it, it goes on.
    #[arg(long, value_name = "N")]
    causes: Option<usize>,
    /// Seed of the cases. The same seed gives the same cases.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[arg(long, value_parser = family, help = format!("Only dumps of this format: {}. Without it, of all that it can be asked about", Family::names()))]
    format: Option<Family>,
    /// Dumps of your own of up to 4 MiB, which every fourth batch asks about, first as they are and then with edits: files, folders,
    /// patterns, or `-` for a list on standard input. Without it, all dumps are generated.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    seeds: Vec<PathBuf>,
    /// What a coverage-guided engine found, such as libFuzzer's corpus or AFL++'s queue: files, folders, patterns, or `-` for a list on
    /// standard input. Its dumps of up to 4 MiB are all that is asked about, each once; the same command asks about those
    /// that are new. Without it, dumps are drawn.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["seeds", "shard"])]
    coverage: Vec<PathBuf>,
    /// What adapters are asked to do. Without it, to parse, if they can.
    #[arg(long, value_enum)]
    operation: Option<OperationOpt>,
    /// Only a part of the batches: the Kth of N parts, each with a folder of its own. `fuzz report` puts them together. Without it,
    /// all.
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<(u64, u64)>,
    /// The number of cases that run at a time; it does not change the results. Without it, as many as there are processors.
    #[arg(long, short)]
    jobs: Option<NonZeroUsize>,
    /// Do not judge these facets, separated by commas. `heapsmith facets` prints them. Without it, all that the implementation
    /// reports.
    #[arg(long, value_name = "FACETS", value_delimiter = ',', value_parser = left_out)]
    leave_out: Vec<Facet>,
    /// A file of failures that are expected, as `check --expected` has it. Without it, every failure counts.
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,
    /// Most dumps to ask about for one cause; 0 explains nothing.
    #[arg(long, value_name = "N", default_value_t = 1500)]
    trials: u64,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Ask a parser for a night", "heapsmith fuzz --adapter 'python3 adapter.py' --state night --for 8h"),
        (
            "Ask about what an engine found",
            "heapsmith fuzz --adapter 'python3 adapter.py' --state found --coverage corpus",
        ),
        ("Write a report of what was found", "heapsmith fuzz report night --report report"),
    ],
    exit_codes: &[(0, "nothing failed that is not expected"), (1, "something failed that is not expected")],
};

#[derive(Subcommand)]
enum FuzzCommand {
    Status(FuzzStatusOpts),
    Report(FuzzReportOpts),
}

/// Prints how far a campaign is: cases, causes, and what its dumps had. The campaign may be running.
#[derive(Args)]
#[command(after_long_help = STATUS_ENDING)]
struct FuzzStatusOpts {
    /// Folder of the campaign.
    state: PathBuf,
    /// Print all that was reached. Without it, only how much of it.
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const STATUS_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Show how far a campaign is", "heapsmith fuzz status night"),
        ("Show all that its dumps had", "heapsmith fuzz status night --all"),
    ],
    exit_codes: &[],
};

/// Prints the causes that a campaign found, or the shards of one, as `check` does.
///
/// Of failures that look alike, the report has those with the smallest dumps.
#[derive(Args)]
#[command(after_long_help = REPORT_ENDING)]
struct FuzzReportOpts {
    /// Folders of the campaign: one, or those of its shards.
    #[arg(required = true)]
    states: Vec<PathBuf>,
    #[command(flatten)]
    report: ReportOutputOpts,
}

const REPORT_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write a report", "heapsmith fuzz report night --report report"),
        ("Put two shards together, and print JSON", "heapsmith fuzz report night-1 night-2 --json"),
    ],
    exit_codes: &[(0, "every failure is an expected one"), (1, "a failure is not expected")],
};

impl FuzzOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        match self.command {
            Some(FuzzCommand::Status(opts)) => opts.run(),
            Some(FuzzCommand::Report(opts)) => opts.run(),
            None => self.run_campaign(),
        }
    }

    fn run_campaign(self) -> Result<CommandOutcome, Error> {
        // What comes through pipes is read before: from then on a signal waits for what is at work.
        let seeds = if self.seeds.is_empty() { Vec::new() } else { files::expand_with_lists(&self.seeds)? };
        let coverage = (!self.coverage.is_empty()).then(|| files::expand_with_lists(&self.coverage)).transpose()?;
        let expected = self.expected.as_deref().map(ExpectedFailures::read).transpose()?.unwrap_or_default();
        let stop = interrupt::stop_on_signal();
        let subjects = self.subject.subjects(&stop)?;
        let [subject] = &subjects[..] else {
            return Err(Error::Usage(
                "expected one implementation, found several; begin a campaign for each".to_owned(),
            ));
        };
        let format = match self.format {
            None => self.subject.format()?,
            format => format,
        };
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let options = CampaignOptions::default()
            .seed(self.seed)
            .format(format)
            .seeds(seeds)
            .coverage(coverage)
            .shard(self.shard)
            .cases(self.cases)
            .causes(self.causes)
            .time(self.time)
            .operations(WantedOperations(self.operation.map(OperationKind::from)))
            .jobs(self.jobs.unwrap_or_else(processors).get())
            .left_out(self.leave_out.iter().flat_map(|facet| facet.with_part()).collect())
            .trials(self.trials)
            .expected(expected);
        let sweeper = Sweeper::new()?;
        let root = self.state.clone().unwrap_or_default();
        let outcome = run_and_print(&root, subject, &options);
        drop(sweeper);
        let answer = outcome?;
        Ok(stop.signal().map_or(answer, CommandOutcome::Interrupted))
    }
}

fn run_and_print(
    root: &std::path::Path,
    subject: &Subject,
    options: &CampaignOptions,
) -> Result<CommandOutcome, Error> {
    let mut campaign = Campaign::open(root, subject, options)?;
    // What a kill leaves there is removed by the next run.
    let _ = tempfile::env::override_temp_dir(campaign.temporary_folder());
    let bar = Mutex::new(TerminalProgress::tries("asking"));
    let heard = |heard: CampaignEvent<'_>| {
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        match heard {
            CampaignEvent::GoesOn { cases: 0, .. } => {}
            CampaignEvent::GoesOn { cases, batches } => bar.suspend(|| {
                let unit = if batches == 1 { "batch" } else { "batches" };
                print_line(&format!("goes on after {cases} cases in {batches} {unit}"));
            }),
            CampaignEvent::Found(new, others) => bar.suspend(|| {
                let dumps = if new == 1 { "1 new dump".to_owned() } else { format!("{new} new dumps") };
                let others = match others {
                    0 => String::new(),
                    1 => "; 1 file is no dump of the formats asked about, or too long".to_owned(),
                    others => format!("; {others} files are no dumps of the formats asked about, or too long"),
                };
                print_line(&format!("{dumps} of the engine{others}"));
            }),
            CampaignEvent::Asked(cases, failures) => {
                bar.set_message(&format!("asking, {failures} failures"));
                bar.set_tried(cases);
            }
            CampaignEvent::Cause(cause) => bar.suspend(|| {
                print_line(&format!("{}: {}", terminal::bad("cause"), terminal::single_line(&cause.sentence)));
                print_line(&format!("  first seen in {}", terminal::single_line(&cause.example)));
            }),
            CampaignEvent::Reducing(trials) => bar.set_message(&format!("explaining, {trials} dumps asked")),
            CampaignEvent::NotReduced(_) => {
                bar.suspend(|| print_line("  cannot be reduced: its dump alone does not show it"))
            }
            CampaignEvent::Reduced(dump) => bar.suspend(|| {
                let path = root.join(&dump.file);
                print_line(&format!("  smallest dump: {} ({})", path.display(), dump.size()));
            }),
        }
    };
    let ended = campaign.run(&heard)?;
    drop(campaign);
    drop(bar);
    let causes = if ended.causes == 1 { "cause" } else { "causes" };
    let text = format!(
        "{} cases, {} failures that are not expected, {} {causes}",
        ended.cases, ended.unexpected, ended.causes
    );
    print_line(&text);
    print_line(&format!("`heapsmith fuzz report {}` has more", root.display()));
    Ok(if ended.unexpected == 0 { CommandOutcome::Yes } else { CommandOutcome::No })
}

impl FuzzStatusOpts {
    fn run(self) -> Result<CommandOutcome, Error> {
        let told = status(&self.state)?;
        let written = |e| Error::io("writing standard output", e);
        if self.json {
            terminal::print_json(&told)?;
        } else {
            write!(terminal::stdout(), "{}", text::status(&told, self.all)).map_err(written)?;
        }
        Ok(CommandOutcome::Yes)
    }
}

impl FuzzReportOpts {
    fn run(self) -> Result<CommandOutcome, Error> {
        let (told, dumps) = campaign_report(&self.states)?;
        self.report.print_and_write(&told, KeptFiles { answers: None, dumps: &dumps })
    }
}

/// Prints a line at once. A reader that has seen enough does not end the campaign.
fn print_line(text: &str) {
    let mut out = terminal::stdout();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// A time with its unit.
fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len());
    let seconds = match unit {
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => 0.0,
    };
    let time = number.parse::<f64>().ok().filter(|_| seconds > 0.0).map(|number| number * seconds);
    let time = time.and_then(|time| Duration::try_from_secs_f64(time).ok());
    time.ok_or_else(|| "expected a time such as 90s, 20m or 8h".to_owned())
}
