//! The command line.
#![allow(missing_docs, reason = "a binary's documentation is its --help")]

mod adapter;
mod check;
mod check_conversion;
mod compare;
mod convert;
mod corpus;
mod decode;
mod demo;
mod digest;
mod encode;
mod facets;
mod generate;
mod inspect;
mod merge;
mod open;
mod report;
mod rewrite;
mod schema;
mod supervise;
mod terminal;
mod validate;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use heapsmith::error::Error;
use heapsmith::visible::visible_bytes;

/// Synthesises JVM heap dumps, and tests whether parsers and converters get them right.
///
/// Exit codes, everywhere: 0 fine; 1 the answer is no (a finding, a difference, an input that is not
/// a valid dump); 2 usage or I/O error: the command could not run; 3 not decided within a budget; 130, 143 and 129:
/// ended by SIGINT (Ctrl-C), SIGTERM or SIGHUP, without temporary files or half-written outputs.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
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
    Compare(compare::Opts),
    Digest(digest::Opts),
    Facets(facets::Opts),
    Convert(convert::Opts),
    CheckConversion(check_conversion::Opts),
    Corpus(corpus::Opts),
    Check(check::Opts),
    Merge(merge::Opts),
    Adapter(adapter::Opts),
    #[command(hide = true)]
    Supervise(supervise::Opts),
    Schema(schema::Opts),
}

/// The answer of a command that could be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// Nobody can say within the bounds that were set.
    Undecided,
    /// A signal ended the work, by its number; what is known was said.
    Interrupted(i32),
}

fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    // A supervisor has signals of its own.
    if !matches!(cli.command, Command::Supervise(_))
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
        Command::Compare(opts) => opts.run(),
        Command::Digest(opts) => opts.run(),
        Command::Facets(opts) => opts.run(),
        Command::Convert(opts) => opts.run(),
        Command::CheckConversion(opts) => opts.run(),
        Command::Corpus(opts) => opts.run(),
        Command::Check(opts) => opts.run(),
        Command::Merge(opts) => opts.run(),
        Command::Adapter(opts) => opts.run(),
        Command::Supervise(opts) => opts.run(),
        Command::Schema(opts) => opts.run(),
    };
    match result {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Undecided) => ExitCode::from(3),
        Ok(Answer::Interrupted(signal)) => ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX)),
        // Whoever read our output has seen enough.
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            terminal::error(&error.to_string());
            ExitCode::from(exit_code(&error))
        }
    }
}

/// The command line; what clap has to say instead is printed.
fn parse() -> Result<Cli, ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let error = match Cli::try_parse_from(&arguments) {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    // The same arguments with hidden characters spelled out are wrong in the same way, and what clap quotes is visible.
    let shown = arguments.iter().map(|argument| visible_bytes(argument.as_encoded_bytes()).into_owned());
    match Cli::try_parse_from(shown) {
        Err(again) if again.kind() == error.kind() => terminal::usage(&again),
        // As text without colours it is quoted like any other.
        _ => terminal::error(error.render().to_string().trim_start_matches("error: ").trim_end()),
    }
    Err(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)))
}

fn exit_code(error: &Error) -> u8 {
    if error.is_the_inputs() { 1 } else { 2 }
}
