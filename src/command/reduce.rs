mod issue;

use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::check::{Budget, CommandOracle, FailureOracle, Subject, SubjectKind, Sweeper, UserDump};
use crate::error::Error;
use crate::input::Input;
use crate::interrupt::{self, Stop};
use crate::output::Output;
use crate::reduce::{EndReason, LARGEST, ReduceOptions, ReduceProgress, Reduced, SAMPLED, reduce, reduce_large};
use clap::{ArgGroup, Args};

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use issue::Issue;

use crate::command::help::HelpEnding;
use crate::command::terminal::TerminalProgress;
use crate::command::{CommandOutcome, open, outputs, terminal};

/// Makes a dump smaller, as long as it still shows something: a crash, a refusal, a wrong answer.
///
/// Objects, classes, roots and threads go first, then values and names, then what the writer put around them, record by record.
/// Whatever is tried is as well-formed as the dump was. The result is no longer than the dump, and was confirmed twice. A dump
/// that several heaps are in is reduced to one of them where that is enough.
///
/// --test is a command that ends with exit code 0 if a dump still shows it. --adapter asks a parser as `check` does: a smaller
/// dump shows the same if the same is wrong of the answer. A large dump is asked about as `check --dumps` does, and smaller ones at
/// the same level of answers.
///
/// Of a file above 32 MiB, samples of its objects are tried first, and then parts of about 16 MiB; the whole file is held in memory
/// only if none of these shows the failure. That takes several times its size, and at most 1 GiB can be held.
#[derive(Args)]
#[command(group(ArgGroup::new("by").required(true).args(["test", "adapter", "decoder"])))]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct ReduceOpts {
    /// Dump, or the recipe of one.
    input: PathBuf,
    /// A command, quoted as for a shell, in which `{}` stands for the path of a dump: exit code 0 says that the dump still shows
    /// it. Without it, --adapter or --decoder.
    #[arg(long, value_name = "CMD {}")]
    test: Option<String>,
    /// An adapter (specs/adapter.md) whose answer to the dump is wrong. Without it, --test or --decoder.
    #[arg(long, value_name = "CMD ARGS")]
    adapter: Option<String>,
    /// A program that prints listings, as `check --decoder` runs it, whose answer is wrong. Without it, --test or --adapter.
    #[arg(long, value_name = "CMD {}")]
    decoder: Option<String>,
    /// Look for this symptom, as reports name it: what is seen of the answer, such as "references: missing". Without it, for what is
    /// wrong of the answer first.
    #[arg(long, value_name = "SYMPTOM", conflicts_with = "test")]
    symptom: Option<String>,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
    /// Most dumps to try.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    trials: u64,
    /// Most seconds to take. Without it, as many as it takes.
    #[arg(long, value_name = "SECONDS")]
    time: Option<f32>,
    /// The number of dumps that are tried at a time; it does not change the result. Without it, as many as there are processors.
    #[arg(long, short)]
    jobs: Option<NonZeroUsize>,
    /// Replace names, texts and the contents of arrays of bytes and characters as well. Without it, only where that makes the dump
    /// smaller.
    #[arg(long)]
    anonymise: bool,
    /// Keep what was found out in this file; with it, a run with the same --test, --adapter or --decoder (and --symptom) goes on
    /// where another ended. It is created if it is not there; any other file is refused. Without it, a run begins anew.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Write the text of an issue to this file, in Markdown: what is wrong, the dump as hexadecimal digits, its listing, its fields and
    /// what they mean, for a reader without heapsmith. Without it, none is written.
    #[arg(long, value_name = "FILE")]
    issue: Option<PathBuf>,
    /// Print a JSON report instead of text; the dump needs a file then (-o).
    #[arg(long)]
    json: bool,
    /// Seconds for a dump, and half a second more for each MiB of it.
    #[arg(long, default_value_t = 10.0)]
    time_limit: f32,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        (
            "Reduce a dump on which a program crashes",
            "heapsmith reduce crash.hprof --test './crashes.sh {}' -o smallest.hprof",
        ),
        (
            "Reduce a dump that a parser gets wrong",
            "heapsmith reduce wrong.phd --adapter 'python3 adapter.py' -o smallest.phd",
        ),
    ],
    exit_codes: &[],
};

impl ReduceOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let written = self.output_paths();
        outputs::require_distinct(&[&self.input], &written)?;
        if self.json && written.contains(&Path::new("-")) {
            let message = "--json prints the report on standard output; name files for the dump (-o) and for --issue";
            return Err(Error::Usage(message.to_owned()));
        }
        let seconds = |flag: &str, value: f32| {
            Duration::try_from_secs_f32(value)
                .map_err(|_| Error::Usage(format!("{flag} {value}: expected a number of seconds")))
        };
        let budget = Budget::default().time(seconds("--time-limit", self.time_limit)?);
        let time = self.time.map(|time| seconds("--time", time)).transpose()?;
        let supervisor = std::env::current_exe().map_err(|e| Error::io("finding heapsmith's own program", e))?;
        let dump = ReduceInput::open(&self.input)?;
        // What comes through a pipe is there by now.
        let stop = interrupt::stop_on_signal();
        let output = Output::create_binary(&self.output, self.force)?;
        let processors = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mut options = ReduceOptions::default()
            .trials(self.trials)
            .jobs(self.jobs.unwrap_or_else(processors))
            .anonymise(self.anonymise)
            .stop(stop.clone());
        if let Some(time) = time {
            options = options.time(time);
        }
        if let Some(journal) = self.journal.clone() {
            options = options.journal(journal).question(self.question()?);
        }
        let sweeper = Sweeper::new()?;
        let length = dump.length();
        let issue = self.issue.as_deref().map(|path| Output::create(path, self.force)).transpose()?;
        let (reduced, wrong) = self.reduce_dump(dump, &options, supervisor, budget, &stop)?;
        drop(sweeper);
        let what = wrong.as_ref().map(|(what, _)| what.as_str());
        let issue = issue.map(|issue| {
            let wrong = wrong.as_ref().map(|(what, detail)| (what.as_str(), detail.clone()));
            Ok::<_, Error>((issue, Issue { command: self.asked_command()?, wrong }.text(&reduced.bytes)?))
        });
        let issue = issue.transpose()?;
        write_output(output, &reduced.bytes)?;
        if let Some((issue, text)) = issue {
            write_output(issue, text.as_bytes())?;
        }
        match self.json {
            true => print_report(&reduced, length, what)?,
            false => self.print_summary(&reduced, length, what),
        }
        Ok(stop.signal().map_or(CommandOutcome::Yes, CommandOutcome::Interrupted))
    }

    fn reduce_dump(
        &self,
        dump: ReduceInput,
        options: &ReduceOptions,
        supervisor: PathBuf,
        budget: Budget,
        stop: &Stop,
    ) -> Result<(Reduced, Option<(String, String)>), Error> {
        let bar = std::sync::Mutex::new(TerminalProgress::tries("reducing"));
        let heard = |progress: ReduceProgress<'_>| {
            let mut bar = bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match progress {
                ReduceProgress::Tried(trials) => bar.set_tried(trials),
                ReduceProgress::Better(dump) => bar.set_message(&format!("reducing, {} bytes now", dump.len())),
            }
        };
        if let Some(command) = &self.test {
            let words = split_command("--test", command)?;
            if !words.iter().any(|word| word.contains("{}")) {
                return Err(Error::Usage("--test must contain {} where the path of a dump goes".to_owned()));
            }
            let test = CommandOracle::new(words, supervisor, budget, stop);
            let shows = |dump: &[u8]| test.shows(dump);
            let reduced = match dump {
                ReduceInput::Held(dump) => reduce(dump, &shows, options, &heard)?,
                ReduceInput::Large(input, own) => {
                    reduce_large(&input, &|| test.shows_file(&own), &shows, options, &heard)?
                }
            };
            return Ok((reduced, None));
        }
        let (flag, command) = self.asked_command()?;
        let kind = if flag == "--adapter" { SubjectKind::Adapter } else { SubjectKind::Decoder };
        let subject =
            Subject::new(kind, command, split_command(flag, command)?, supervisor).budget(budget).stop(stop.clone());
        let symptom = self.symptom.as_deref();
        let dump = match dump {
            // What a decoder prints of a large dump has no bound, unless the dump is held.
            ReduceInput::Large(input, _) if flag == "--decoder" => ReduceInput::Held(read_bytes(input)?),
            dump => dump,
        };
        let (wrong, reduced) = match dump {
            ReduceInput::Held(dump) => {
                let wrong = FailureOracle::from_dump(&subject, &dump, symptom)?;
                let asking = wrong.pool();
                let reduced = reduce(dump, &|dump| asking.shows(dump), options, &heard)?;
                drop(asking);
                (wrong, reduced)
            }
            ReduceInput::Large(input, own) => {
                let wrong = FailureOracle::from_file(&subject, &own, symptom)?;
                let asking = wrong.pool();
                let shows = |dump: &[u8]| asking.shows(dump);
                let reduced = reduce_large(&input, &|| asking.shows_file(&own), &shows, options, &heard)?;
                drop(asking);
                (wrong, reduced)
            }
        };
        let detail = match wrong.describe_answer(&reduced.bytes) {
            // Nothing more is asked after a signal.
            Err(e) if e.is_stop() => String::new(),
            detail => detail?,
        };
        Ok((reduced, Some((wrong.description(), detail))))
    }

    /// The flag that says who is asked, and its command.
    fn asked_command(&self) -> Result<(&'static str, &str), Error> {
        let flags = [("--test", &self.test), ("--adapter", &self.adapter), ("--decoder", &self.decoder)];
        let given = flags.into_iter().find_map(|(flag, command)| Some((flag, command.as_deref()?)));
        given.ok_or_else(|| Error::Usage("expected --test, --adapter or --decoder".to_owned()))
    }

    /// The question that is asked about each dump.
    fn question(&self) -> Result<String, Error> {
        let (flag, command) = match &self.test {
            Some(command) => ("--test", &**command),
            None => self.asked_command()?,
        };
        let symptom = self.symptom.as_ref().map_or_else(String::new, |symptom| format!(" --symptom {symptom}"));
        Ok(format!("{flag} {command}{symptom}"))
    }

    /// The outputs.
    fn output_paths(&self) -> Vec<&Path> {
        [Some(&self.output), self.issue.as_ref(), self.journal.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .collect()
    }

    fn print_summary(&self, reduced: &Reduced, length: usize, what: Option<&str>) {
        let what = what.map_or_else(String::new, |what| format!("; it shows: {what}"));
        let ended = match reduced.ended {
            None => "nothing more can be left out",
            Some(EndReason::Trials) => "no more trials were left (--trials)",
            Some(EndReason::Time) => "the time was over (--time)",
            Some(EndReason::Stopped) => "a signal ended it",
        };
        let text = format!("{} bytes of {length} after {} trials: {ended}{what}", reduced.bytes.len(), reduced.trials);
        let on_stdout = self.output_paths().into_iter().find(|output| *output == Path::new("-"));
        // What is wanted is written by now.
        let _ = writeln!(terminal::text_beside(on_stdout), "{text}");
        if reduced.flaky > 0 {
            let flaky = reduced.flaky;
            terminal::warning(&format!(
                "{flaky} dumps showed it once and not again: the test is not the same each time"
            ));
        }
    }
}

/// What a dump was reduced to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct ReduceReport {
    /// Version of this schema: 1.
    schema: u32,
    /// Length of the dump before, in bytes.
    before: u64,
    /// Its length now.
    bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    sha256: String,
    /// Number of dumps that were tried.
    trials: u64,
    /// Number of dumps that showed it once and not again.
    flaky: u64,
    /// Why no more was tried: `trials`, `time` or `signal`; absent where nothing more can be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'static str>,
    /// What it shows, where heapsmith judges that.
    #[serde(skip_serializing_if = "Option::is_none")]
    shows: Option<String>,
}

fn print_report(reduced: &Reduced, length: usize, what: Option<&str>) -> Result<(), Error> {
    let report = ReduceReport {
        schema: 1,
        before: length as u64,
        bytes: reduced.bytes.len() as u64,
        sha256: Sha256::digest(&reduced.bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        trials: reduced.trials,
        flaky: reduced.flaky,
        ended: reduced.ended.map(|ended| match ended {
            EndReason::Trials => "trials",
            EndReason::Time => "time",
            EndReason::Stopped => "signal",
        }),
        shows: what.map(str::to_owned),
    };
    terminal::print_json(&report)
}

fn split_command(flag: &str, command: &str) -> Result<Vec<String>, Error> {
    let words = shell_words::split(command)
        .map_err(|e| Error::Usage(format!("{flag} {command:?}: expected a command quoted as for a shell: {e}")))?;
    if words.is_empty() {
        return Err(Error::Usage(format!("{flag}: expected a command, found an empty text")));
    }
    Ok(words)
}

/// The dump that is reduced.
enum ReduceInput {
    /// In memory, as it is stored.
    Held(Vec<u8>),
    /// A file that is too large for that.
    Large(Input, Arc<UserDump>),
}

impl ReduceInput {
    fn open(path: &Path) -> Result<ReduceInput, Error> {
        let input = open::input(path)?;
        match path.is_file() {
            true if !input.is_generated() && input.length() > SAMPLED => {
                let own = UserDump::from_paths(&[path.to_owned()])?.remove(0);
                Ok(ReduceInput::Large(input, own))
            }
            _ => read_bytes(input).map(ReduceInput::Held),
        }
    }

    /// The length of its file.
    fn length(&self) -> usize {
        match self {
            ReduceInput::Held(bytes) => bytes.len(),
            ReduceInput::Large(input, _) => input.length() as usize,
        }
    }
}

/// The dump in memory, as it is stored.
fn read_bytes(input: Input) -> Result<Vec<u8>, Error> {
    let name = input.name().to_owned();
    let mut bytes = Vec::new();
    let read = match input.original() {
        Some(_) if !input.is_generated() => {
            input.stream_from(0).and_then(|stream| stream.take(LARGEST + 1).read_to_end(&mut bytes))
        }
        _ => input.stream()?.take(LARGEST + 1).read_to_end(&mut bytes),
    };
    if read.map_err(|e| Error::io(format!("reading {name}"), e))? as u64 > LARGEST {
        return Err(Error::Usage(format!("{name}: expected a dump of at most {LARGEST} bytes")));
    }
    Ok(bytes)
}

fn write_output(mut output: Output, bytes: &[u8]) -> Result<(), Error> {
    output.write_all(bytes).map_err(|e| Error::io("writing the dump", e))?;
    output.finish()
}
