use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;

use crate::answers::{
    Amount, Analysis, Answers, EdgeOptions, EntryGraph, GeneratedHistogram, RootDistances, ShapeAnswers, answers,
};
use crate::compare::listing::{Hex, Text};
use crate::error::Error;
use crate::model::Address;
use crate::output::Output;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::tolerate::{self, ToleratedReport};
use crate::command::{CommandOutcome, open, outputs, terminal};

/// Prints what a heap analyser should find in a dump: objects and bytes by class, what roots reach, strongly connected
/// components, what holds most, duplicate strings; and for each object, if wanted, its immediate dominator, its retained size and
/// its distance from a root.
///
/// specs/answers.md defines each answer, and says what analysers define otherwise. PHD and classic text record no roots:
/// what depends on roots is left out for them.
///
/// Memory is the class table and, for each class and object, some 80 bytes, for each reference 24, and for each string some 100.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct AnswersOpts {
    /// Dump, listing, heap file (its name ends in .kdl) or recipe; `-` is standard input. A listing is held in memory, too: some
    /// 700 bytes an object, and the contents of arrays.
    file: PathBuf,
    /// Write the answers about each class and object to this file, too, as JSON Lines; `-` is standard output, and then the report
    /// goes to standard error. Without it, only those about the whole.
    #[arg(long, value_name = "FILE")]
    entries: Option<PathBuf>,
    /// Print a shortest path from a root to the object or class at this address, too. May be repeated. Without it, none.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    path: Vec<Address>,
    /// Count the referents of soft, weak, phantom and final references, too. Without it, an object that only such references
    /// lead to is not reachable.
    #[arg(long)]
    referents: bool,
    /// Leave out the reference of each object to its class. Without it, an object keeps its class reachable, and with it its
    /// static fields.
    #[arg(long)]
    no_class_references: bool,
    /// Let the object of each thread refer to its locals (roots of the kinds java-frame, jni-local, native-stack, thread-block and
    /// jni-monitor), so that it retains them. Without it, each of them is a root of its own.
    #[arg(long)]
    locals_of_threads: bool,
    /// Replace the file of --entries if it exists. Without it, an existing file is an error.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    reading: open::HeapInputOpts,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Print what an analyser should find", "heapsmith answers heapdump.hprof"),
        ("Print what keeps an object, too", "heapsmith answers heapdump.hprof --path 0x7f001200"),
        ("Write the retained size of each object", "heapsmith answers heapdump.hprof --entries objects.jsonl"),
    ],
    exit_codes: &[(1, "the dump is not valid; or no root leads to the object of --path, or none is recorded")],
};

/// What is printed as JSON.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub(crate) struct AnswersReport {
    #[serde(flatten)]
    answers: Answers,
    /// The paths that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paths: Vec<RootPath>,
}

/// What `generate --answers` writes.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Known")]
pub(crate) struct GeneratedAnswers {
    /// Version of this report's schema.
    pub(crate) schema: u32,
    /// The recipe of the dump.
    pub(crate) recipe: String,
    /// What is known of the heap's shapes, whatever their size.
    pub(crate) shapes: Vec<ShapeAnswers>,
    /// The classes and objects of the dump, and their bytes, whatever their number.
    #[serde(flatten)]
    pub(crate) histogram: GeneratedHistogram,
    /// The answers about the dump, as `answers --json` prints them; absent for more than 20 million objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answers: Option<Answers>,
}

/// A shortest path from a root.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Path")]
struct RootPath {
    /// The address that was asked for.
    to: Hex,
    /// Whether the dump has a class or an object there.
    exists: bool,
    /// From what a root keeps to the address, both included; absent where no root leads there, and where
    /// the dump records no roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Vec<RootPathStep>>,
}

/// A class or an object on a path.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Step")]
struct RootPathStep {
    /// Its address.
    address: Hex,
    /// The name of its class, or its own, if it is a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<Text>,
}

/// An address in hexadecimal digits after 0x, or in decimal ones.
pub(crate) fn address(text: &str) -> Result<Address, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    parsed.map(Address).ok_or_else(|| "expected an address such as 0x7f001200".to_owned())
}

impl AnswersOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        let entries = self.entries.as_deref();
        outputs::require_distinct(&[&self.file], entries.as_slice())?;
        let edges = EdgeOptions::default().referents(self.referents).classes(!self.no_class_references);
        let edges = edges.locals(self.locals_of_threads);
        let (mut heap, tolerated) = self.reading.open(&self.file)?;
        let out = entries.map(|path| Output::create(path, self.force)).transpose()?;
        let analysis = Analysis::new(EntryGraph::from_source(heap.source(), edges)?);
        let answers = answers(heap.source(), &analysis)?;
        if let Some(mut out) = out {
            analysis.visit_entries(|entry| {
                let failed = |e| Error::io("writing the answers about entries", e);
                terminal::write_json(&mut out, &entry).map_err(failed)
            })?;
            out.finish()?;
        }
        let distances = if self.path.is_empty() { None } else { analysis.distances() };
        let paths: Vec<RootPath> = self.path.iter().map(|to| find_path(&analysis, distances.as_ref(), *to)).collect();
        let found = paths.iter().all(|path| path.path.is_some());
        let failed = |e| Error::io("writing the report", e);
        if self.json {
            let report = ToleratedReport { report: AnswersReport { answers, paths }, tolerated };
            terminal::print_json_beside(entries, &report)?;
        } else {
            let mut out = terminal::text_beside(entries);
            describe(&answers, &mut out).map_err(failed)?;
            let has_roots = answers.reachable.is_some();
            paths.iter().try_for_each(|path| describe_path(path, has_roots, &mut out)).map_err(failed)?;
            for line in tolerate::describe(tolerated.as_deref()) {
                writeln!(out, "{line}").map_err(failed)?;
            }
        }
        Ok(if found { CommandOutcome::Yes } else { CommandOutcome::No })
    }
}

fn find_path(analysis: &Analysis, distances: Option<&RootDistances>, to: Address) -> RootPath {
    let graph = analysis.graph();
    let entry = graph.find(to);
    let step = |entry: &u32| RootPathStep {
        address: Hex(graph.address(*entry).0),
        class: analysis.class_of(*entry).map(Text::from),
    };
    let path = entry.and_then(|entry| distances?.path(entry)).map(|path| path.iter().map(step).collect());
    RootPath { to: Hex(to.0), exists: entry.is_some(), path }
}

/// Rows of the histogram that are printed.
const ROWS: usize = 20;

fn describe(answers: &Answers, out: &mut dyn Write) -> std::io::Result<()> {
    let entries = answers.entries;
    let objects = entries.instances + entries.object_arrays + entries.primitive_arrays;
    writeln!(out, "classes       {}", entries.classes)?;
    writeln!(
        out,
        "objects       {objects} ({} instances, {} object arrays, {} primitive arrays)",
        entries.instances, entries.object_arrays, entries.primitive_arrays
    )?;
    let references = &answers.references;
    writeln!(out, "references    {}, and {} dangling", references.references, references.dangling)?;
    writeln!(out, "  most from   {}", describe_most(references.from.most, references.from.address))?;
    writeln!(out, "  most to     {}", describe_most(references.to.most, references.to.address))?;
    match (&answers.reachable, &answers.unreachable) {
        (Some(reachable), Some(unreachable)) => {
            writeln!(out, "reachable     {}", describe_amount(reachable))?;
            writeln!(out, "unreachable   {}", describe_amount(unreachable))?;
        }
        _ => writeln!(out, "reachable     unknown: the dump records no roots")?,
    }
    let components = &answers.components;
    let cyclic = match components.cycles {
        0 => "no cycles".to_owned(),
        cycles => format!(
            "{cycles} of several objects, {} in them, the largest with {} at {}",
            components.in_cycles,
            components.largest,
            hex(components.address)
        ),
    };
    writeln!(out, "components    {} strongly connected; {cyclic}", components.components)?;
    if let Some(strings) = &answers.strings {
        writeln!(
            out,
            "strings       {} with {} texts; duplicates take {} bytes",
            strings.strings, strings.texts, strings.duplicate_bytes
        )?;
    }
    if let Some(rows) = answers.roots.as_ref().filter(|rows| !rows.is_empty()) {
        let mut table = terminal::table(["roots", "records", "entries", "dangling", "reach objects", "bytes"]);
        for row in rows {
            let numbers = [row.roots, row.entries, row.dangling, row.reachable.objects, row.reachable.bytes];
            table.add_row([row.kind.to_owned()].into_iter().chain(numbers.map(|number| number.to_string())));
        }
        writeln!(out, "\n{}", terminal::render(&table))?;
    }
    write_histogram(answers, out)?;
    write_holders(answers, out)?;
    write_duplicates(answers, out)
}

fn write_histogram(answers: &Answers, out: &mut dyn Write) -> std::io::Result<()> {
    let mut rows: Vec<_> = answers.histogram.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.retained.map(|retained| retained.bytes), row.bytes, row.objects)));
    let left = rows.len().saturating_sub(ROWS);
    let mut table = terminal::table(["class", "objects", "bytes", "retained bytes"]);
    for row in rows.into_iter().take(ROWS) {
        let retained = row.retained.map_or_else(String::new, |retained| retained.bytes.to_string());
        let bytes = match row.unsized_objects {
            0 => row.bytes.to_string(),
            unsized_objects if unsized_objects == row.objects => "not recorded".to_owned(),
            unsized_objects => format!("{}, and {unsized_objects} not recorded", row.bytes),
        };
        table.add_row([class_text(&row.class), row.objects.to_string(), bytes, retained]);
    }
    writeln!(out, "\n{}", terminal::render(&table))?;
    if left > 0 {
        writeln!(out, "and {left} more classes; --json has all")?;
    }
    Ok(())
}

fn write_holders(answers: &Answers, out: &mut dyn Write) -> std::io::Result<()> {
    let Some(holders) = answers.holders.as_ref().filter(|holders| !holders.is_empty()) else { return Ok(()) };
    let mut table = terminal::table(["holds most", "class", "objects", "bytes", "through"]);
    for holder in holders {
        let class = holder.class.as_ref().map_or_else(String::new, class_text);
        let class = if holder.is_class { format!("class {class}") } else { class };
        let through = match holder.steps {
            0 => String::new(),
            1 => hex(holder.to),
            steps => format!("{steps} more, to {}", hex(holder.to)),
        };
        table.add_row([
            hex(Some(holder.address)),
            class,
            holder.retained.entries.to_string(),
            holder.retained.bytes.to_string(),
            through,
        ]);
    }
    writeln!(out, "\n{}", terminal::render(&table))
}

fn write_duplicates(answers: &Answers, out: &mut dyn Write) -> std::io::Result<()> {
    let Some(strings) = answers.strings.as_ref().filter(|strings| !strings.most.is_empty()) else { return Ok(()) };
    let mut table = terminal::table(["duplicate string", "strings", "bytes of each", "first"]);
    for duplicate in &strings.most {
        let shown = duplicate.text.as_ref().map_or_else(String::new, |text| format!("{text:?}"));
        let numbers = [duplicate.strings, duplicate.bytes].map(|number| number.to_string());
        table.add_row([shown].into_iter().chain(numbers).chain([hex(Some(duplicate.address))]));
    }
    writeln!(out, "\n{}", terminal::render(&table))
}

fn describe_path(path: &RootPath, has_roots: bool, out: &mut dyn Write) -> std::io::Result<()> {
    let to = hex(Some(path.to));
    match &path.path {
        None if !path.exists => writeln!(out, "\npath to {to}: the dump has no class or object there"),
        None if !has_roots => writeln!(out, "\npath to {to}: unknown: the dump records no roots"),
        None => writeln!(out, "\npath to {to}: no root leads there"),
        Some(steps) => {
            writeln!(out, "\npath to {to}: {} references from a root", steps.len() - 1)?;
            for step in steps {
                let class = step.class.as_ref().map_or_else(String::new, class_text);
                writeln!(out, "  {} {class}", hex(Some(step.address)))?;
            }
            Ok(())
        }
    }
}

fn describe_most(most: u64, address: Option<Hex>) -> String {
    if most == 0 { "0".to_owned() } else { format!("{most}, at {}", hex(address)) }
}

fn describe_amount(amount: &Amount) -> impl Display {
    format!("{} classes, {} objects, {} bytes", amount.classes, amount.objects, amount.bytes)
}

fn hex(address: Option<Hex>) -> String {
    address.map_or_else(String::new, |address| format!("{:#x}", address.0))
}

fn class_text(name: &Text) -> String {
    match name {
        Text::Text(text) => terminal::single_line(text),
        Text::Bytes { bytes } | Text::Utf16 { utf16: bytes } => {
            format!("{:?}", crate::visible::visible_bytes(&bytes.0))
        }
    }
}
