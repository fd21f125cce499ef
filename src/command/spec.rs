//! The rule books: their rules as a list, words in them, and what the corpus covers of them.

#[cfg(feature = "corpus")]
pub(crate) mod coverage;

use std::io::{self, Write};

use crate::error::Error;
use crate::format::Family;
use crate::validate::{Rule, RuleKind, Rulebook, Severity};
use clap::{Args, Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::explain::{find_rules, first_sentence, kind, severity_or_kind};
use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, family, terminal};

/// Lists and searches the rules of the formats, and measures which of them the corpus covers.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct SpecOpts {
    #[command(subcommand)]
    command: SpecCommand,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Find the rules about something", "heapsmith spec search class cache"),
        ("List the rules of a format", "heapsmith spec list --format phd"),
    ],
    exit_codes: &[(1, "no rule has the words, or something is not covered")],
};

#[derive(Subcommand)]
enum SpecCommand {
    /// The rules with their first sentences; with --json, in full.
    #[command(after_long_help = LIST_ENDING)]
    List {
        #[command(flatten)]
        chosen: RuleFilterOpts,
        /// A JSON object for each rule, one a line. Without it, text.
        #[arg(long)]
        json: bool,
    },
    /// The rules in which all of some words stand: in their ids, statements, sources, or in what the documents have instead.
    ///
    /// Upper and lower case are the same, and a part of a word is enough.
    #[command(after_long_help = SEARCH_ENDING)]
    Search {
        /// The words.
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        chosen: RuleFilterOpts,
        /// A JSON object for each rule, one a line. Without it, text.
        #[arg(long)]
        json: bool,
    },
    /// What the corpus and the rule books cover: each rule, each kind of record that a rule of the bytes speaks of, each
    /// statement of the documents, each erratum. What is missing is listed, with what to add.
    #[command(after_long_help = COVERAGE_ENDING)]
    #[cfg(feature = "corpus")]
    Coverage(coverage::CoverageOpts),
}

#[cfg(feature = "corpus")]
const COVERAGE_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Measure a format", "heapsmith spec coverage --format phd"),
        ("Measure all formats, and print JSON", "heapsmith spec coverage --json"),
        ("Show which fields were seen with which values", "heapsmith spec coverage --grid --format phd"),
    ],
    exit_codes: &[(1, "something is missing")],
};

const SEARCH_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Find a word", "heapsmith spec search superclass"),
        ("Find words among the rules for readers", "heapsmith spec search --kind reader \"big-endian\""),
    ],
    exit_codes: &[(1, "there is no such rule")],
};

const LIST_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("List the habits of writers", "heapsmith spec list --format hprof --kind writer"),
        ("Print all rules in full", "heapsmith spec list --json"),
    ],
    exit_codes: &[],
};

#[derive(Args)]
struct RuleFilterOpts {
    /// The rules of this format alone: phd, hprof or classic. Without it, of all.
    #[arg(long, value_name = "FORMAT", value_parser = family)]
    format: Option<Family>,
    /// Rules of this kind alone. Without it, of all kinds.
    #[arg(long)]
    kind: Option<RuleKindOpt>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleKindOpt {
    /// Can be judged from the bytes of a dump.
    Bytes,
    /// How bytes are to be understood.
    Reader,
    /// What a named writer chooses.
    Writer,
}

impl RuleFilterOpts {
    fn accepts(&self, book: &Rulebook, rule: &Rule) -> bool {
        let kind = match rule.kind {
            RuleKind::Bytes => RuleKindOpt::Bytes,
            RuleKind::Reader => RuleKindOpt::Reader,
            RuleKind::Writer => RuleKindOpt::Writer,
        };
        self.format.is_none_or(|format| book.format == format.name()) && self.kind.is_none_or(|wanted| wanted == kind)
    }
}

/// A rule as a rule book has it; `explain` has its cases.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Line")]
pub(crate) struct RuleLine {
    /// Version of this report's schema.
    schema: u32,
    /// Id of the rule.
    rule: &'static str,
    /// The format.
    format: &'static str,
    /// `bytes`: can be judged from the bytes of a dump; `writer`: what a named writer chooses; `reader`: how bytes are to be
    /// understood.
    kind: &'static str,
    /// How much breaking it matters, for rules of the bytes.
    severity: Option<Severity>,
    /// What is so.
    statement: &'static str,
    /// What the documents have instead, or leave open.
    documents: Option<&'static str>,
    /// Document or implementation, by its key, and place.
    source: &'static [&'static str],
    /// Kinds of record, and parts of the header and of the end, that it speaks of, for rules of the bytes.
    records: &'static [&'static str],
    /// The sections of the documents, each with the ordinal of a statement, for which it stands.
    statements: Vec<String>,
}

impl SpecOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        match self.command {
            SpecCommand::List { chosen, json } => {
                print_rules(&find_rules(|book, rule| chosen.accepts(book, rule)), json)
            }
            SpecCommand::Search { words, chosen, json } => {
                let words: Vec<String> =
                    words.iter().flat_map(|words| words.split_whitespace()).map(to_lowercase).collect();
                let found = find_rules(|book, rule| chosen.accepts(book, rule) && contains_words(rule, &words));
                if found.is_empty() && !json {
                    let none = format!("no rule has all of these words: {}", words.join(" "));
                    writeln!(terminal::stdout(), "{none}").map_err(failed)?;
                }
                if found.is_empty() { Ok(CommandOutcome::No) } else { print_rules(&found, json) }
            }
            #[cfg(feature = "corpus")]
            SpecCommand::Coverage(opts) => opts.run(),
        }
    }
}

/// Whether each word stands somewhere in a rule.
fn contains_words(rule: &Rule, words: &[String]) -> bool {
    let texts = [rule.id, rule.statement].into_iter().chain(rule.documents).chain(rule.source.iter().copied());
    let text = to_lowercase(&texts.collect::<Vec<_>>().join("\n"));
    words.iter().all(|word| text.contains(word.as_str()))
}

fn to_lowercase(text: &str) -> String {
    text.to_lowercase()
}

fn print_rules(rules: &[(&'static Rulebook, &'static Rule)], json: bool) -> Result<CommandOutcome, Error> {
    if json {
        for (book, rule) in rules {
            terminal::print_json(&rule_line(book, rule))?;
        }
        return Ok(CommandOutcome::Yes);
    }
    let mut table = terminal::table(["rule", "", "first sentence"]);
    for (_, rule) in rules {
        table.add_row([rule.id.to_owned(), severity_or_kind(rule), first_sentence(rule.statement).to_owned()]);
    }
    writeln!(terminal::stdout(), "{}", terminal::render(&table)).map_err(failed)?;
    Ok(CommandOutcome::Yes)
}

fn rule_line(book: &Rulebook, rule: &'static Rule) -> RuleLine {
    RuleLine {
        schema: 1,
        rule: rule.id,
        format: book.format,
        kind: kind(rule.kind),
        severity: rule.severity,
        statement: rule.statement,
        documents: rule.documents,
        source: rule.source,
        records: rule.records,
        statements: book.statements_of(rule).map(|(section, ordinal)| format!("{section}, {ordinal}")).collect(),
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("writing standard output", error)
}
