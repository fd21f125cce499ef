//! The explanation of a rule: its statement, its sources, and dumps that keep and break it.

mod book;
#[cfg_attr(not(feature = "corpus"), path = "explain/no_cases.rs")]
mod cases;

use std::io::{self, Write};
use std::path::PathBuf;

use crate::error::{self, Error};
use crate::format::Family;
use crate::validate::{Citation, Rule, RuleKind, RuleScope, Rulebook, Severity, rulebook};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::field::FieldLine;
use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, family, terminal};
use cases::CorpusCases;

/// Explains a rule: what it says, where that comes from, who follows it, and which cases of the corpus keep and break it, with
/// the bytes of the smallest ones.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct ExplainOpts {
    /// The id of a rule, as findings name it; or its first parts, to list all rules that begin with them. Required unless
    /// --list or --book is given.
    #[arg(required_unless_present_any = ["list", "book"], conflicts_with_all = ["list", "book"])]
    rule: Option<String>,
    /// List the rules with their first sentences, all or those of a format, instead of explaining one.
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, value_parser = family)]
    list: Option<Option<Family>>,
    /// Write a page in Markdown for each rule, with statement, sources, cases and bytes, and SUMMARY.md with the list of the
    /// pages, to this folder, which must be new or empty, instead of explaining one rule.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["list", "json"])]
    book: Option<PathBuf>,
    /// Print a JSON object for each rule, one a line, instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Explain a rule that a finding names", "heapsmith explain phd.gap.base"),
        ("List the rules of a format", "heapsmith explain --list hprof"),
        ("Write a page for each rule", "heapsmith explain --book rules"),
    ],
    exit_codes: &[(2, "there is no such rule (the nearest ones are named), or a page could not be written")],
};

/// The error for a rule that does not exist.
pub(crate) fn unknown_rule(wanted: &str) -> Error {
    let ids: Vec<&str> = find_rules(|_, _| true).iter().map(|(_, rule)| rule.id).collect();
    error::unknown("rule", wanted, ids, "`heapsmith explain --list` shows all")
}

/// A rule with all that is known of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Explanation {
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
    /// Whether the rest of a dump that breaks it cannot be read.
    stops: bool,
    /// What it takes to judge it (`pass`, `graph`), or what it is about (`record`, `header`, `file`).
    scope: &'static str,
    /// The release that introduced it.
    since: &'static str,
    /// What is so.
    statement: &'static str,
    /// What the documents have instead, or leave open.
    documents: Option<&'static str>,
    /// Documents and implementations that have it.
    sources: Vec<Citation>,
    /// Versions of the format that it holds for; empty where the format has none.
    versions: Vec<String>,
    /// Writers of heapsmith that follow it, for rules of writers.
    writers: &'static [&'static str],
    /// What is misleading in documents and implementations, and settled by it.
    errata: Vec<ErratumText>,
    /// The titles of sources that these texts call by a key, such as S0.
    keys: Vec<SourceTitle>,
    /// Facets that a reader gets wrong that does not follow it, or `all`.
    facets: &'static [&'static str],
    /// The cases of the corpus, if the program has them.
    cases: Option<RuleCases>,
    /// The bytes of the smallest cases.
    examples: Vec<CaseExample>,
}

#[derive(Serialize, JsonSchema)]
struct ErratumText {
    /// Its id in the rule book.
    id: &'static str,
    /// What it says.
    statement: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Key")]
struct SourceTitle {
    /// The key.
    key: &'static str,
    /// Full title of the document.
    title: &'static str,
}

/// Ids of cases, the smallest dump first.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "CasesOf")]
struct RuleCases {
    /// Dumps that keep the rule in a place where they could break it.
    keep: Vec<String>,
    /// Dumps that break it.
    breaks: Vec<String>,
    /// Dumps that show it: rules of writers and readers.
    show: Vec<String>,
}

/// Bytes of a case.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Example")]
struct CaseExample {
    /// Id of the case.
    case: String,
    /// What it is about.
    summary: String,
    /// `breaks`, `keeps` or `shows`.
    part: &'static str,
    /// Fields around the place, in the order of the dump.
    fields: Vec<ExampleField>,
}

#[derive(Serialize, JsonSchema)]
struct ExampleField {
    /// Whether it is the field that the rule is about; of a case that breaks the rule, that at which the finding stands.
    place: bool,
    #[serde(flatten)]
    field: FieldLine,
}

impl ExplainOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        if let Some(folder) = &self.book {
            let count = book::write(folder)?;
            writeln!(terminal::stdout(), "{count} pages written to {}", folder.display()).map_err(failed)?;
            return Ok(CommandOutcome::Yes);
        }
        let Some(wanted) = &self.rule else {
            let of = self.list.flatten();
            return self.print_rules(&find_rules(|book, _| of.is_none_or(|of| book.format == of.name())));
        };
        if let [only] = find_rules(|_, rule| rule.id == wanted)[..] {
            return self.print_rules(&[only]);
        }
        let beneath =
            find_rules(|_, rule| rule.id.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.starts_with('.')));
        if beneath.is_empty() { Err(unknown_rule(wanted)) } else { self.print_rules(&beneath) }
    }

    /// One rule in full, or a list of several.
    fn print_rules(&self, rules: &[(&'static Rulebook, &'static Rule)]) -> Result<CommandOutcome, Error> {
        let said = if self.json {
            let cases = CorpusCases::load()?;
            rules.iter().try_for_each(|(book, rule)| terminal::print_json(&explanation(book, rule, &cases)?))
        } else if let [(book, rule)] = rules {
            write!(terminal::stdout(), "{}", explanation_text(&explanation(book, rule, &CorpusCases::load()?)?))
                .map_err(failed)
        } else {
            let mut table = terminal::table(["rule", "", "first sentence"]);
            for (_, rule) in rules {
                table.add_row([rule.id.to_owned(), severity_or_kind(rule), first_sentence(rule.statement).to_owned()]);
            }
            writeln!(terminal::stdout(), "{}", terminal::render(&table)).map_err(failed)
        };
        said.map(|()| CommandOutcome::Yes)
    }
}

/// The rules of all books that a condition takes.
pub(crate) fn find_rules(takes: impl Fn(&Rulebook, &Rule) -> bool) -> Vec<(&'static Rulebook, &'static Rule)> {
    let books = Family::ALL.into_iter().map(rulebook);
    books
        .flat_map(|book| book.rule.iter().map(move |rule| (book, rule)))
        .filter(|(book, rule)| takes(book, rule))
        .collect()
}

fn explanation(book: &'static Rulebook, rule: &'static Rule, cases: &CorpusCases) -> Result<Explanation, Error> {
    let (cases, examples) = cases.for_rule(rule)?;
    let errata = book.errata(rule).map(|erratum| ErratumText { id: erratum.id, statement: erratum.statement });
    Ok(Explanation {
        schema: 1,
        rule: rule.id,
        format: book.format,
        kind: kind(rule.kind),
        severity: rule.severity,
        stops: rule.stops,
        scope: scope(rule.scope),
        since: rule.since,
        statement: rule.statement,
        documents: rule.documents,
        sources: book.citations(rule),
        versions: rule.versions.iter().filter_map(|version| version_name(book.format, *version)).collect(),
        writers: rule.profiles,
        errata: errata.collect(),
        keys: source_titles(book, rule),
        facets: rule.facets,
        cases,
        examples,
    })
}

/// The documents that the texts of a rule call by their keys. Only documents have such keys: an S and a number.
fn source_titles(book: &'static Rulebook, rule: &'static Rule) -> Vec<SourceTitle> {
    let errata = book.errata(rule).map(|erratum| erratum.statement);
    let texts: Vec<&str> = errata.chain(rule.documents).chain([rule.statement]).collect();
    let is_in =
        |key: &str| texts.iter().any(|text| text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == key));
    let documents = book.source.iter().filter(|source| source.key.starts_with('S') && is_in(source.key));
    documents.map(|source| SourceTitle { key: source.key, title: source.title }).collect()
}

/// An explanation for people.
fn explanation_text(explained: &Explanation) -> String {
    let mut text = format!("{}: {}\n\n{}\n", explained.rule, heading(explained), explained.statement);
    let mut put = |name: &str, values: &[String]| {
        let separator = if values.iter().map(String::len).sum::<usize>() > LINE { "\n             " } else { ", " };
        if !values.is_empty() {
            text += &format!("\n{:<13}{}", format!("{name}:"), values.join(separator));
        }
    };
    let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    put("documents", &explained.documents.iter().map(|said| (*said).to_owned()).collect::<Vec<_>>());
    explained.sources.iter().for_each(|source| put("source", &[source.to_string()]));
    put("versions", &explained.versions);
    put("writers", &owned(explained.writers));
    for erratum in &explained.errata {
        put("erratum", &[format!("{}: {}", erratum.id, erratum.statement)]);
    }
    for SourceTitle { key, title } in &explained.keys {
        put(key, &[(*title).to_owned()]);
    }
    put("gets wrong", &owned(explained.facets));
    if let Some(cases) = &explained.cases {
        for (name, ids) in [("kept by", &cases.keep), ("broken by", &cases.breaks), ("shown by", &cases.show)] {
            put(name, &shortened(ids));
        }
    }
    text += "\n";
    for example in &explained.examples {
        text += &format!("\n{} {}: {}\n", example.case, example.part, example.summary);
        for ExampleField { place, field } in &example.fields {
            let mark = if *place { ">" } else { " " };
            let lines: Vec<String> = field.lines().collect();
            let shown = &lines[..lines.len().min(LINES)];
            shown.iter().for_each(|line| text += &format!("{mark} {}\n", line.trim_end()));
            if lines.len() > LINES {
                text += &format!("  {:8}  ... {} bytes in all\n", "", field.length());
            }
        }
    }
    text
}

fn heading(explained: &Explanation) -> String {
    let severity = match explained.severity {
        Some(Severity::Error) => ", breaking it is an error",
        Some(Severity::Warning) => ", breaking it is a warning",
        Some(Severity::Note) => ", breaking it is a note",
        None => "",
    };
    let stops = if explained.stops { ", nothing after it can be read then" } else { "" };
    let since = explained.since;
    format!("a rule of the {} ({}){severity}{stops}; since {since}", rule_subject(explained.kind), explained.scope)
}

/// The subject of a kind of rule, in the plural.
fn rule_subject(kind: &str) -> &'static str {
    match kind {
        "writer" => "writers",
        "reader" => "readers",
        _ => "bytes",
    }
}

/// The first ids, and the number of the others.
fn shortened(ids: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = ids.iter().take(IDS).cloned().collect();
    if ids.len() > IDS {
        shown.push(format!("{} more", ids.len() - IDS));
    }
    shown
}

pub(crate) fn severity_or_kind(rule: &Rule) -> String {
    match rule.severity {
        Some(Severity::Error) => "error".to_owned(),
        Some(Severity::Warning) => "warning".to_owned(),
        Some(Severity::Note) => "note".to_owned(),
        None => kind(rule.kind).to_owned(),
    }
}

pub(crate) fn first_sentence(statement: &str) -> &str {
    statement.split_inclusive(". ").next().unwrap_or(statement).trim_end()
}

pub(crate) fn kind(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Bytes => "bytes",
        RuleKind::Writer => "writer",
        RuleKind::Reader => "reader",
    }
}

fn scope(scope: RuleScope) -> &'static str {
    match scope {
        RuleScope::Pass => "pass",
        RuleScope::Graph => "graph",
        RuleScope::Record => "record",
        RuleScope::Header => "header",
        RuleScope::File => "file",
    }
}

/// A version as dumps of the format state it; classic text has none.
fn version_name(format: &str, version: u32) -> Option<String> {
    match Family::from_name(format) {
        Some(family) if family == Family::HPROF => Some(format!("1.0.{version}")),
        Some(family) if family.versions() == [0] => None,
        _ => Some(version.to_string()),
    }
}

fn failed(error: io::Error) -> Error {
    Error::io("writing standard output", error)
}

/// Values that take more characters stand on a line each.
const LINE: usize = 90;
/// Ids of cases that are shown; JSON has all.
const IDS: usize = 8;
/// Lines of a long field that are shown.
const LINES: usize = 2;
