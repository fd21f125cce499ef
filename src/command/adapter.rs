mod facet_page;
mod new;

use std::io::{self, Write, stdin};
use std::time::Duration;

use crate::check::{
    Budget, DECLARATIONS, Declaration, Examination, ExaminationStep, Fault, Subject, SubjectKind, Sweeper, ambiguities,
    examine, serve,
};
use crate::compare::Facet;
use crate::corpus::{Ambiguity, ReadingChoice};
use crate::error::Error;
use crate::format::Family;
use crate::interrupt;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, family, terminal};

/// Writes and tests adapters: programs through which heapsmith asks a parser, a converter or a writer (specs/adapter.md).
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct AdapterOpts {
    #[command(subcommand)]
    command: AdapterCommand,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Begin an adapter in Python", "heapsmith adapter new python my-parser"),
        ("Test it", "heapsmith adapter test 'python3 my-parser/adapter.py'"),
    ],
    exit_codes: &[(1, "an adapter needs a fix, or the parser failed")],
};

/// Checks an adapter against the protocol with a few small dumps: says what to fix in the adapter, and on which dumps the
/// parser fails. After a crash or a hang, the adapter is started again for the steps that follow.
///
/// Whether the answers are right is for `check` to find out.
#[derive(Args)]
#[command(after_long_help = TEST_ENDING)]
struct AdapterTestOpts {
    /// The adapter: a command, quoted as for a shell.
    #[arg(value_name = "CMD ARGS")]
    command: String,
    /// Seconds that an answer may take.
    #[arg(long, default_value_t = 10.0)]
    time_limit: f32,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const TEST_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Test an adapter", "heapsmith adapter test 'python3 adapter.py'"),
        (
            "Allow more time for an answer, and print JSON",
            "heapsmith adapter test 'java -jar adapter.jar' --time-limit 60 --json",
        ),
    ],
    exit_codes: &[(0, "nothing is wrong"), (1, "the adapter needs a fix, or the parser failed")],
};

impl AdapterTestOpts {
    fn run(self) -> Result<CommandOutcome, Error> {
        let words = shell_words::split(&self.command)
            .map_err(|e| Error::Usage(format!("{:?}: expected a command quoted as for a shell: {e}", self.command)))?;
        if words.is_empty() {
            return Err(Error::Usage(
                "the command is empty; expected an adapter, such as 'python3 adapter.py'".to_owned(),
            ));
        }
        let time = Duration::try_from_secs_f32(self.time_limit)
            .map_err(|e| Error::Usage(format!("--time-limit {}: {e}", self.time_limit)))?;
        let supervisor = std::env::current_exe().map_err(|e| Error::io("finding heapsmith's own program", e))?;
        let budget = Budget::default().time(time);
        let stop = interrupt::stop_on_signal();
        let subject =
            Subject::new(SubjectKind::Adapter, self.command, words, supervisor).budget(budget).stop(stop.clone());
        let _sweeper = Sweeper::new()?;
        let told = examine(&subject)?;
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            terminal::print_json(&told)?;
        } else {
            let mut out = terminal::stdout();
            told.steps.iter().try_for_each(|step| print_step(step, &mut out)).map_err(failed)?;
            writeln!(out, "{}", summary_line(&told)).map_err(failed)?;
        }
        Ok(match stop.signal() {
            Some(signal) => CommandOutcome::Interrupted(signal),
            None if told.is_fine() => CommandOutcome::Yes,
            None => CommandOutcome::No,
        })
    }
}

fn print_step(step: &ExaminationStep, out: &mut dyn Write) -> io::Result<()> {
    // Of one width with the blanks that follow.
    let mark = match (&step.problem, step.fault) {
        (None, _) => terminal::good("ok") + "      ",
        (Some(_), Some(Fault::Parser)) => terminal::bad("failed") + "  ",
        (Some(_), Some(Fault::Adapter)) => terminal::bad("fix") + "     ",
        (Some(_), None) => terminal::doubtful("skip") + "    ",
    };
    writeln!(out, "{mark}{}", step.what)?;
    if let Some(problem) = &step.problem {
        writeln!(out, "        {}", problem.replace('\n', "\n        "))?;
    }
    match &step.note {
        None => Ok(()),
        Some(note) => writeln!(out, "        {} {}", terminal::doubtful("note:"), note.replace('\n', " ")),
    }
}

/// The last line: how much is to do.
fn summary_line(told: &Examination) -> String {
    let count = |is: &dyn Fn(&&ExaminationStep) -> bool| told.steps.iter().filter(is).count();
    let fixes = count(&|step| step.fault == Some(Fault::Adapter));
    let failures = count(&|step| step.fault == Some(Fault::Parser));
    let untested = count(&|step| step.problem.is_some() && step.fault.is_none());
    let parts = [(fixes, "to fix in the adapter"), (failures, "failed by the parser"), (untested, "not tested")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let parts: Vec<String> = parts.collect();
    match parts.as_slice() {
        [] => format!("{} steps, all passed", told.steps.len()),
        parts => format!("{} steps: {}", told.steps.len(), parts.join(", ")),
    }
}

/// Lists the points that dumps leave open, and the readings of each, of which an adapter can declare one; and the keys of hello
/// that declare how it tells facts.
///
/// The first choice of each is the default.
#[derive(Args)]
#[command(after_long_help = READINGS_ENDING)]
struct AdapterReadingsOpts {
    #[arg(value_parser = family, help = format!("List the readings of dumps of this format only: {}. Without it, of all formats", Family::names()))]
    format: Option<Family>,
    /// Print JSON instead of text.
    #[arg(long)]
    json: bool,
}

const READINGS_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("List what PHD dumps leave open", "heapsmith adapter readings phd"),
        ("Print all as JSON", "heapsmith adapter readings --json"),
    ],
    exit_codes: &[],
};

/// The points that dumps leave open.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Readings")]
pub(crate) struct AdapterReadings {
    /// Version of this report's schema.
    schema: u32,
    /// Each point that is left open.
    readings: Vec<AmbiguityReadings>,
    /// Keys of the answer to hello that say how facts are told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    declarations: Vec<DeclarationKey>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Key")]
struct DeclarationKey {
    /// The key.
    key: &'static str,
    /// What is declared.
    about: &'static str,
    /// Whether it is a list of any number of choices, and by default an empty one.
    list: bool,
    /// Whether a pair of `converts` can have it, for the dumps that are made.
    converts: bool,
    /// The choices; the first is the default, unless it is a list.
    choices: Vec<NamedChoice>,
    /// The facets in which the listings of two choices differ.
    facets: Vec<Facet>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Reading")]
struct AmbiguityReadings {
    /// Its name in `readings` of the answer to hello.
    name: &'static str,
    /// What is left open.
    about: &'static str,
    /// The rule that says so.
    rule: &'static str,
    /// The readings; the first is the default.
    choices: Vec<NamedChoice>,
    /// The facets in which the listings of two readings differ.
    facets: Vec<Facet>,
}

#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Choice")]
struct NamedChoice {
    /// Its name.
    name: &'static str,
    /// What is read.
    about: &'static str,
}

impl AdapterReadingsOpts {
    fn run(self) -> Result<CommandOutcome, Error> {
        let is_asked = |ambiguity: &&Ambiguity| {
            self.format.is_none_or(|family| {
                ambiguity.name.strip_prefix(family.name()).is_some_and(|rest| rest.starts_with('.'))
            })
        };
        let named = |choices: &'static [ReadingChoice]| {
            choices.iter().map(|choice| NamedChoice { name: choice.name, about: choice.about }).collect()
        };
        let of_formats = ambiguities().into_iter().filter(|ambiguity| Declaration::find(ambiguity.name).is_none());
        let readings = of_formats.filter(is_asked).map(|ambiguity| AmbiguityReadings {
            name: ambiguity.name,
            about: ambiguity.about,
            rule: ambiguity.rule,
            choices: named(ambiguity.choices),
            facets: ambiguity.facets.to_vec(),
        });
        // Keys are about dumps of every format.
        let declarations = DECLARATIONS.iter().filter(|_| self.format.is_none()).map(|declaration| DeclarationKey {
            key: declaration.key,
            about: declaration.about,
            list: declaration.is_list,
            converts: declaration.of_dumps,
            choices: named(declaration.choices),
            facets: declaration.facets.to_vec(),
        });
        let told = AdapterReadings { schema: 4, readings: readings.collect(), declarations: declarations.collect() };
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            terminal::print_json(&told)?;
            return Ok(CommandOutcome::Yes);
        }
        let mut out = terminal::stdout();
        let readings = told.readings.iter().map(|of| (of.name, format!("{} ({})", of.about, of.rule), &of.choices));
        let keys = told.declarations.iter().map(|of| {
            let list = if of.list { "; a list" } else { "" };
            (of.key, format!("{} (a key of hello{list})", of.about), &of.choices)
        });
        for (name, about, choices) in readings.chain(keys) {
            writeln!(out, "{}  {about}", terminal::good(name)).map_err(failed)?;
            for NamedChoice { name, about } in choices {
                writeln!(out, "    {name}: {about}").map_err(failed)?;
            }
        }
        Ok(CommandOutcome::Yes)
    }
}

#[derive(Subcommand)]
enum AdapterCommand {
    New(new::AdapterNewOpts),
    Test(AdapterTestOpts),
    Readings(AdapterReadingsOpts),
    /// Answers the protocol with heapsmith's own decoder, converter and writer, on standard input and output.
    #[command(after_long_help = SERVE_ENDING)]
    Serve,
}

const SERVE_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Judge heapsmith's own decoder", "heapsmith check --adapter 'heapsmith adapter serve'"),
        (
            "Ask what it can do",
            "echo '{\"id\":1,\"op\":\"hello\",\"protocols\":[2],\"runner\":\"me\"}' | heapsmith adapter serve",
        ),
    ],
    exit_codes: &[],
};

impl AdapterOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        match self.command {
            AdapterCommand::New(opts) => opts.run(),
            AdapterCommand::Test(opts) => opts.run(),
            AdapterCommand::Readings(opts) => opts.run(),
            AdapterCommand::Serve => {
                serve(stdin().lock(), terminal::data())?;
                Ok(CommandOutcome::Yes)
            }
        }
    }
}
