//! The command line.
#![allow(missing_docs, reason = "a binary's documentation is its --help")]

#[cfg(feature = "check")]
mod adapter;
mod answers;
#[cfg(feature = "check")]
mod check;
mod check_conversion;
mod compare;
mod completions;
mod convert;
#[cfg(feature = "corpus")]
mod corpus;
mod corrupt;
mod decode;
mod demo;
mod digest;
mod encode;
mod explain;
mod facets;
mod field;
mod files;
#[cfg(feature = "check")]
mod fuzz;
mod generate;
#[cfg(test)]
mod help;
mod inspect;
mod man;
#[cfg(feature = "check")]
mod merge;
mod open;
mod outputs;
#[cfg(feature = "check")]
mod reduce;
#[cfg(feature = "check")]
mod report;
#[cfg(feature = "check")]
mod reports;
mod rewrite;
#[cfg(feature = "check")]
mod scaling;
mod schema;
mod spec;
mod spelling;
#[cfg(feature = "check")]
mod subjects;
#[cfg(feature = "check")]
mod supervise;
mod terminal;
mod tolerate;
mod validate;
mod verify;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use heapsmith::error::{Error, Remedy};
use heapsmith::family::Setting;
use heapsmith::format::Family;
use heapsmith::visible::{visible_bytes, visible_line};

/// Synthesises JVM heap dumps, and tests whether parsers and converters get them right.
///
/// Exit codes, everywhere: 0 fine; 1 the answer is no (a finding, a difference, an input that is not
/// a valid dump); 2 usage or I/O error: the command could not run; 3 not decided within a budget; 130, 143 and 129:
/// ended by SIGINT (Ctrl-C), SIGTERM or SIGHUP, without temporary files or half-written outputs.
#[derive(Parser)]
#[command(name = "heapsmith", version = version(), max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    manner: terminal::Manner,
    #[command(flatten)]
    limit: open::LimitOpt,
}

/// The version with the commit, where that is known, and the version of the generator, which recipes name.
fn version() -> String {
    let commit = option_env!("HEAPSMITH_COMMIT").map_or_else(String::new, |commit| format!("commit {commit}, "));
    format!("{} ({commit}generator {})", env!("CARGO_PKG_VERSION"), heapsmith::recipe::version())
}

#[derive(Subcommand)]
enum Command {
    Demo(demo::Opts),
    Generate(generate::Opts),
    Inspect(inspect::Opts),
    Decode(decode::Opts),
    Encode(encode::Opts),
    Rewrite(rewrite::Opts),
    Validate(validate::Opts),
    Verify(verify::Opts),
    Explain(explain::Opts),
    Spec(spec::Opts),
    Compare(compare::Opts),
    Digest(digest::Opts),
    Answers(answers::Opts),
    Facets(facets::Opts),
    Convert(convert::Opts),
    CheckConversion(check_conversion::Opts),
    Corrupt(corrupt::Opts),
    #[cfg(feature = "corpus")]
    Corpus(corpus::Opts),
    #[cfg(feature = "check")]
    Check(check::Opts),
    #[cfg(feature = "check")]
    Fuzz(fuzz::Opts),
    #[cfg(feature = "check")]
    Reduce(reduce::Opts),
    #[cfg(feature = "check")]
    Merge(merge::Opts),
    #[cfg(feature = "check")]
    Report(reports::Opts),
    #[cfg(feature = "check")]
    Adapter(adapter::Opts),
    #[cfg(feature = "check")]
    #[command(hide = true)]
    Supervise(supervise::Opts),
    Schema(schema::Opts),
    Completions(completions::Opts),
    Man(man::Opts),
}

impl Command {
    /// Whether the command handles signals itself: a supervisor ends its child, and not itself.
    fn has_its_own_signals(&self) -> bool {
        #[cfg(feature = "check")]
        return matches!(self, Command::Supervise(_));
        #[cfg(not(feature = "check"))]
        false
    }
}

/// The answer of a command that could be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// Not decided within the bounds that were set.
    Undecided,
    /// A signal ended the work, by its number; what is known was said.
    #[cfg(feature = "check")]
    Interrupted(i32),
}

fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let begun = terminal::begin();
    cli.manner.take();
    cli.limit.take();
    if !cli.command.has_its_own_signals()
        && let Err(error) = heapsmith::interrupt::install()
    {
        terminal::error(&error.to_string());
        return ExitCode::from(exit_code(&error));
    }
    let result = match cli.command {
        Command::Demo(opts) => opts.run(),
        Command::Generate(opts) => opts.run(),
        Command::Inspect(opts) => opts.run(),
        Command::Decode(opts) => opts.run(),
        Command::Encode(opts) => opts.run(),
        Command::Rewrite(opts) => opts.run(),
        Command::Validate(opts) => opts.run(),
        Command::Verify(opts) => opts.run(),
        Command::Explain(opts) => opts.run(),
        Command::Spec(opts) => opts.run(),
        Command::Compare(opts) => opts.run(),
        Command::Digest(opts) => opts.run(),
        Command::Answers(opts) => opts.run(),
        Command::Facets(opts) => opts.run(),
        Command::Convert(opts) => opts.run(),
        Command::CheckConversion(opts) => opts.run(),
        Command::Corrupt(opts) => opts.run(),
        #[cfg(feature = "corpus")]
        Command::Corpus(opts) => opts.run(),
        #[cfg(feature = "check")]
        Command::Check(opts) => opts.run(),
        #[cfg(feature = "check")]
        Command::Fuzz(opts) => opts.run(),
        #[cfg(feature = "check")]
        Command::Reduce(opts) => opts.run(),
        #[cfg(feature = "check")]
        Command::Merge(opts) => opts.run(),
        #[cfg(feature = "check")]
        Command::Report(opts) => opts.run(),
        #[cfg(feature = "check")]
        Command::Adapter(opts) => opts.run(),
        #[cfg(feature = "check")]
        Command::Supervise(opts) => opts.run(),
        Command::Schema(opts) => opts.run(),
        Command::Completions(opts) => opts.run(),
        Command::Man(opts) => opts.run(),
    };
    heapsmith::interrupt::remnants().iter().for_each(|remnant| terminal::warning(&remnant.to_string()));
    terminal::said(&format!("{} took {:.2} s", version(), begun.elapsed().as_secs_f64()));
    match result {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Undecided) => ExitCode::from(3),
        #[cfg(feature = "check")]
        Ok(Answer::Interrupted(signal)) => ExitCode::from(exit_code_of_signal(signal)),
        // The reader of our output has seen enough.
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            let signal = heapsmith::interrupt::signal();
            if signal.is_none() || !error.is_stop() {
                terminal::error(&message(&error));
            }
            ExitCode::from(signal.map_or_else(|| exit_code(&error), exit_code_of_signal))
        }
    }
}

/// An error, and the option that gives another outcome.
fn message(error: &Error) -> String {
    let Some(remedy) = error.remedy() else { return error.to_string() };
    let option = match remedy {
        Remedy::Replace => "--force replaces it",
        Remedy::ChooseHeap { heaps } => return format!("{error}; choose one with --heap 0 to {}", heaps - 1),
        Remedy::Text => return format!("{error}; --encoding and --newline apply to {} only", texts()),
        Remedy::WordSize => "use --word instead of --id-size",
        Remedy::IdSize => "use --id-size instead of --word",
        Remedy::Tolerate => "--tolerate accepts the dump as it is",
        Remedy::Budget { bytes } => return format!("{error}; --budget {bytes} allows it"),
        Remedy::InputLimit => "--input-limit BYTES allows more",
        Remedy::Renumber => "omit --addresses keep to renumber the addresses in ascending order",
        _ => return error.to_string(),
    };
    format!("{error}; {option}")
}

/// The formats that are text.
fn texts() -> String {
    let is_text = |family: &Family| family.settings().contains(&Setting::Text);
    Family::ALL.into_iter().filter(is_text).map(|family| family.name()).collect::<Vec<_>>().join(" and ")
}

/// The format of an argument that names no version.
fn family(name: &str) -> Result<Family, String> {
    Family::named(name).ok_or_else(|| format!("expected {}", Family::names()))
}

/// The parsed command line; or, after help, the version or a usage error was printed, the exit code.
fn parse() -> Result<Cli, ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let error = match Cli::try_parse_from(&arguments) {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    // The same arguments with hidden characters spelled out are wrong in the same way, and what clap quotes is visible.
    let shown = arguments.iter().map(|argument| visible_line(&visible_bytes(argument.as_encoded_bytes())));
    match Cli::try_parse_from(shown) {
        Err(again) if again.kind() == error.kind() => terminal::usage(&again),
        // As text without colours it is quoted like any other.
        _ => terminal::error(error.render().to_string().trim_start_matches("error: ").trim_end()),
    }
    Err(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)))
}

/// The exit code of a process that a signal ended, as shells state it.
fn exit_code_of_signal(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

fn exit_code(error: &Error) -> u8 {
    if error.is_the_inputs() { 1 } else { 2 }
}
