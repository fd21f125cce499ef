//! The command line: a file for each command. Its documentation is its `--help`, and it is no part of the library's interface.

#[cfg(feature = "check")]
mod adapter;
mod answers;
mod build;
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
mod describe;
mod digest;
mod encode;
mod explain;
mod facets;
mod field;
mod files;
#[cfg(feature = "check")]
mod fuzz;
mod generate;
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
mod report_output;
mod rewrite;
mod salvage;
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

use crate::error::{Error, Remedy};
use crate::family::Setting;
use crate::format::Family;
use crate::visible::{visible_bytes, visible_line};
use clap::{Command, CommandFactory, Parser, Subcommand};
use help::{EXIT_CODES, HelpEnding};

/// Synthesises JVM heap dumps, and tests whether parsers and converters get them right.
#[derive(Parser)]
#[command(name = "heapsmith", version = version(), max_term_width = 100)]
#[command(after_long_help = HELP_ENDING)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
    #[command(flatten)]
    manner: terminal::TerminalOpts,
    #[command(flatten)]
    limit: open::LimitOpt,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write a dump whose content is known", "heapsmith generate --format hprof --seed 7 -o seven.hprof"),
        ("Find what is wrong with a dump", "heapsmith validate heapdump.hprof"),
        ("Judge a parser", "heapsmith check --format hprof --decoder 'my-parser {}'"),
    ],
    exit_codes: EXIT_CODES,
};

/// The version with the commit, where that is known, and the version of the generator, which recipes name.
fn version() -> String {
    let commit = option_env!("HEAPSMITH_COMMIT").map_or_else(String::new, |commit| format!("commit {commit}, "));
    format!("{} ({commit}generator {})", env!("CARGO_PKG_VERSION"), crate::recipe::version())
}

#[derive(Subcommand)]
enum CliCommand {
    Demo(demo::DemoOpts),
    Generate(generate::GenerateOpts),
    Build(build::BuildOpts),
    Inspect(inspect::InspectOpts),
    Decode(decode::DecodeOpts),
    Encode(encode::EncodeOpts),
    Describe(describe::DescribeOpts),
    Rewrite(rewrite::RewriteOpts),
    Salvage(salvage::SalvageOpts),
    Validate(validate::ValidateOpts),
    Verify(verify::VerifyOpts),
    Explain(explain::ExplainOpts),
    Spec(spec::SpecOpts),
    Compare(compare::CompareOpts),
    Digest(digest::DigestOpts),
    Answers(answers::AnswersOpts),
    Facets(facets::FacetsOpts),
    Convert(convert::ConvertOpts),
    CheckConversion(check_conversion::CheckConversionOpts),
    Corrupt(corrupt::CorruptOpts),
    #[cfg(feature = "corpus")]
    Corpus(corpus::CorpusOpts),
    #[cfg(feature = "check")]
    Check(check::CheckOpts),
    #[cfg(feature = "check")]
    Fuzz(fuzz::FuzzOpts),
    #[cfg(feature = "check")]
    Reduce(reduce::ReduceOpts),
    #[cfg(feature = "check")]
    Merge(merge::MergeOpts),
    #[cfg(feature = "check")]
    Report(report::ReportCommandOpts),
    #[cfg(feature = "check")]
    Adapter(adapter::AdapterOpts),
    #[cfg(feature = "check")]
    #[command(hide = true)]
    Supervise(supervise::SuperviseOpts),
    Schema(schema::SchemaOpts),
    Completions(completions::CompletionsOpts),
    Man(man::ManOpts),
}

impl CliCommand {
    /// Whether the command handles signals itself: a supervisor ends its child, and not itself.
    fn has_its_own_signals(&self) -> bool {
        #[cfg(feature = "check")]
        return matches!(self, CliCommand::Supervise(_));
        #[cfg(not(feature = "check"))]
        false
    }
}

/// The answer of a command that could be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandOutcome {
    Yes,
    No,
    /// Not decided within the bounds that were set.
    Undecided,
    /// A signal ended the work, by its number; what is known was said.
    #[cfg(feature = "check")]
    Interrupted(i32),
}

/// The definition of the command line, with every command below it.
#[must_use]
pub fn definition() -> Command {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    command
}

/// Runs the command that the process was started with, and gives the exit code.
#[must_use]
pub fn run() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let begun = terminal::command_start();
    cli.manner.apply();
    cli.limit.apply();
    if !cli.command.has_its_own_signals()
        && let Err(error) = crate::interrupt::install()
    {
        terminal::error(&error.to_string());
        return ExitCode::from(exit_code(&error));
    }
    let result = match cli.command {
        CliCommand::Demo(opts) => opts.run(),
        CliCommand::Generate(opts) => opts.run(),
        CliCommand::Build(opts) => opts.run(),
        CliCommand::Inspect(opts) => opts.run(),
        CliCommand::Decode(opts) => opts.run(),
        CliCommand::Encode(opts) => opts.run(),
        CliCommand::Describe(opts) => opts.run(),
        CliCommand::Rewrite(opts) => opts.run(),
        CliCommand::Salvage(opts) => opts.run(),
        CliCommand::Validate(opts) => opts.run(),
        CliCommand::Verify(opts) => opts.run(),
        CliCommand::Explain(opts) => opts.run(),
        CliCommand::Spec(opts) => opts.run(),
        CliCommand::Compare(opts) => opts.run(),
        CliCommand::Digest(opts) => opts.run(),
        CliCommand::Answers(opts) => opts.run(),
        CliCommand::Facets(opts) => opts.run(),
        CliCommand::Convert(opts) => opts.run(),
        CliCommand::CheckConversion(opts) => opts.run(),
        CliCommand::Corrupt(opts) => opts.run(),
        #[cfg(feature = "corpus")]
        CliCommand::Corpus(opts) => opts.run(),
        #[cfg(feature = "check")]
        CliCommand::Check(opts) => opts.run(),
        #[cfg(feature = "check")]
        CliCommand::Fuzz(opts) => opts.run(),
        #[cfg(feature = "check")]
        CliCommand::Reduce(opts) => opts.run(),
        #[cfg(feature = "check")]
        CliCommand::Merge(opts) => opts.run(),
        #[cfg(feature = "check")]
        CliCommand::Report(opts) => opts.run(),
        #[cfg(feature = "check")]
        CliCommand::Adapter(opts) => opts.run(),
        #[cfg(feature = "check")]
        CliCommand::Supervise(opts) => opts.run(),
        CliCommand::Schema(opts) => opts.run(),
        CliCommand::Completions(opts) => opts.run(),
        CliCommand::Man(opts) => opts.run(),
    };
    crate::interrupt::remnants().iter().for_each(|remnant| terminal::warning(&remnant.to_string()));
    terminal::print_if_verbose(&format!("{} took {:.2} s", version(), begun.elapsed().as_secs_f64()));
    match result {
        Ok(CommandOutcome::Yes) => ExitCode::SUCCESS,
        Ok(CommandOutcome::No) => ExitCode::from(1),
        Ok(CommandOutcome::Undecided) => ExitCode::from(3),
        #[cfg(feature = "check")]
        Ok(CommandOutcome::Interrupted(signal)) => ExitCode::from(exit_code_of_signal(signal)),
        // The reader of our output has seen enough.
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            let signal = crate::interrupt::signal();
            if signal.is_none() || !error.is_stop() {
                terminal::error(&message_with_remedy(&error));
            }
            ExitCode::from(signal.map_or_else(|| exit_code(&error), exit_code_of_signal))
        }
    }
}

/// An error, and the option that gives another outcome.
fn message_with_remedy(error: &Error) -> String {
    let Some(remedy) = error.remedy() else { return error.to_string() };
    let option = match remedy {
        Remedy::Replace => "--force replaces it",
        Remedy::ChooseHeap { heaps } => return format!("{error}; choose one with --heap 0 to {}", heaps - 1),
        Remedy::Text => return format!("{error}; --encoding and --newline apply to {} only", text_family_names()),
        Remedy::WordSize => "use --word instead of --id-size",
        Remedy::IdSize => "use --id-size instead of --word",
        Remedy::Tolerate => "--tolerate accepts the dump as it is",
        Remedy::Budget { bytes } => return format!("{error}; --budget {bytes} allows it"),
        Remedy::InputLimit => "--input-limit BYTES allows more",
        Remedy::Renumber => "heapsmith convert without --addresses keep renumbers the addresses in ascending order",
        _ => return error.to_string(),
    };
    format!("{error}; {option}")
}

/// The formats that are text.
fn text_family_names() -> String {
    let is_text = |family: &Family| family.settings().contains(&Setting::Text);
    Family::ALL.into_iter().filter(is_text).map(|family| family.name()).collect::<Vec<_>>().join(" and ")
}

/// The format of an argument that names no version.
fn family(name: &str) -> Result<Family, String> {
    Family::from_name(name).ok_or_else(|| format!("expected {}", Family::names()))
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
    if error.is_input_fault() { 1 } else { 2 }
}
