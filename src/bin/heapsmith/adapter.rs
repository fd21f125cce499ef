mod new;

use std::io::{Write, stdin};
use std::time::Duration;

use clap::{Args, Subcommand};
use heapsmith::check::{Budget, Kind, Subject, Sweeper, ambiguities, examine, serve};
use heapsmith::compare::Facet;
use heapsmith::corpus::Ambiguity;
use heapsmith::error::Error;
use heapsmith::format::Family;
use heapsmith::interrupt;
use serde::Serialize;

use crate::{Answer, family, terminal};

/// Adapters: programs that put a parser, a converter or a writer behind the protocol of specs/adapter.md.
#[derive(Args)]
pub(crate) struct Opts {
    #[command(subcommand)]
    command: Command,
}

/// Checks an adapter against the protocol, and says what to mend.
///
/// Whether its answers are right is for `check` to find out. Exit code 0: nothing to mend.
///
/// Example: heapsmith adapter test 'python3 adapter.py'
#[derive(Args)]
struct TestOpts {
    /// The adapter: a command, quoted as for a shell.
    #[arg(value_name = "CMD ARGS")]
    command: String,
    /// Seconds for an answer.
    #[arg(long, default_value_t = 10.0)]
    time_limit: f32,
    /// A JSON report.
    #[arg(long)]
    json: bool,
}

impl TestOpts {
    fn run(self) -> Result<Answer, Error> {
        let words = shell_words::split(&self.command)
            .map_err(|e| Error::Usage(format!("{:?} cannot be split into words: {e}", self.command)))?;
        if words.is_empty() {
            return Err(Error::Usage("there is no command".to_owned()));
        }
        let time = Duration::try_from_secs_f32(self.time_limit)
            .map_err(|e| Error::Usage(format!("--time-limit {}: {e}", self.time_limit)))?;
        let supervisor = std::env::current_exe().map_err(|e| Error::io("finding heapsmith's own program", e))?;
        let budget = Budget::default().time(time);
        let stop = interrupt::gently();
        let (kind, command) = (Kind::Adapter, self.command);
        let subject = Subject { kind, command, words, supervisor, budget, level: None, stop: stop.clone() };
        let _sweeper = Sweeper::new()?;
        let told = examine(&subject)?;
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            let text = serde_json::to_string(&told).map_err(|e| failed(e.into()))?;
            writeln!(terminal::data(), "{text}").map_err(failed)?;
        } else {
            let mut out = terminal::stdout();
            for step in &told.steps {
                match &step.mend {
                    None => writeln!(out, "{}    {}", terminal::good("ok"), step.what),
                    Some(mend) => {
                        let mend = mend.replace('\n', "\n      ");
                        writeln!(out, "{}  {}\n      {mend}", terminal::bad("mend"), step.what)
                    }
                }
                .map_err(failed)?;
                if let Some(note) = &step.note {
                    writeln!(out, "      {} {}", terminal::doubtful("note:"), note.replace('\n', " "))
                        .map_err(failed)?;
                }
            }
        }
        Ok(match stop.signal() {
            Some(signal) => Answer::Interrupted(signal),
            None if told.is_fine() => Answer::Yes,
            None => Answer::No,
        })
    }
}

/// Lists what dumps leave open, with the readings of which an adapter can declare one each.
///
/// The first reading of each is the default. `booleans` and `names` are declared by keys of their own.
///
/// Example: heapsmith adapter readings phd
#[derive(Args)]
struct ReadingsOpts {
    #[arg(value_parser = family, help = format!("Of dumps of this format alone: {}", Family::names()))]
    format: Option<Family>,
    /// JSON.
    #[arg(long)]
    json: bool,
}

/// What dumps leave open.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Readings {
    /// Version of this report's schema.
    schema: u32,
    /// Each thing that is left open.
    readings: Vec<Reading>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Reading {
    /// Its name in `readings` of the answer to hello.
    name: &'static str,
    /// What is left open.
    about: &'static str,
    /// The rule that says so.
    rule: &'static str,
    /// The readings; the first is the default.
    choices: Vec<Choice>,
    /// The facets in which the listings of two readings differ.
    facets: Vec<Facet>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Choice {
    /// Its name.
    name: &'static str,
    /// What is read.
    about: &'static str,
}

impl ReadingsOpts {
    fn run(self) -> Result<Answer, Error> {
        let is_asked = |ambiguity: &&Ambiguity| {
            self.format.is_none_or(|family| {
                ambiguity.name.strip_prefix(family.name()).is_some_and(|rest| rest.starts_with('.'))
            })
        };
        let readings = ambiguities().into_iter().filter(is_asked).map(|ambiguity| Reading {
            name: ambiguity.name,
            about: ambiguity.about,
            rule: ambiguity.rule,
            choices: ambiguity.choices.iter().map(|choice| Choice { name: choice.name, about: choice.about }).collect(),
            facets: ambiguity.facets.to_vec(),
        });
        let told = Readings { schema: 1, readings: readings.collect() };
        let failed = |e| Error::io("writing standard output", e);
        if self.json {
            let text = serde_json::to_string(&told).map_err(|e| failed(e.into()))?;
            writeln!(terminal::data(), "{text}").map_err(failed)?;
            return Ok(Answer::Yes);
        }
        let mut out = terminal::stdout();
        for Reading { name, about, rule, choices, .. } in &told.readings {
            writeln!(out, "{}  {about} ({rule})", terminal::good(name)).map_err(failed)?;
            for Choice { name, about } in choices {
                writeln!(out, "    {name}: {about}").map_err(failed)?;
            }
        }
        Ok(Answer::Yes)
    }
}

#[derive(Subcommand)]
enum Command {
    New(new::NewOpts),
    Test(TestOpts),
    Readings(ReadingsOpts),
    /// The reference decoder, converter and writer behind the protocol, on standard input and output.
    Serve,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        match self.command {
            Command::New(opts) => opts.run(),
            Command::Test(opts) => opts.run(),
            Command::Readings(opts) => opts.run(),
            Command::Serve => {
                serve(stdin().lock(), terminal::data())?;
                Ok(Answer::Yes)
            }
        }
    }
}
