use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::convert::{BUDGET, LostFacet, OmittedRoots, RetypedValues, Unwritten, check_superclass_lists};
use crate::error::{Error, ListingError};
use crate::format::{Format, Lowering};
use crate::input::Input;
use crate::model::{Heap, HeapSource};
use crate::output::Output;
use crate::validate::{FindingCounts, Severity, ValidateOptions, validate};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::help::HelpEnding;
use crate::command::spelling::{SpellingOpts, warn_of_unwritten};
use crate::command::{CommandOutcome, open, outputs, terminal};

/// Writes a dump from a listing (see `decode`).
///
/// Without --profile, a listing gives its dump's bytes again, if it names the profile that does. With --profile, that writer's
/// order and hashes take the place of the listing's. The heap is held in memory: some 700 bytes an object, and the contents of
/// arrays. Numbers may be decimal, and values as Java has them (specs/listing.md). Sizes that the listing does not state are
/// worked out where the fields are known. A listing with errors is refused with all of them, and so is a heap whose dump would
/// not be valid. What the dump does not record of the heap is said on standard error.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct EncodeOpts {
    /// Listing; `-` is standard input.
    listing: PathBuf,
    #[arg(long, help = format!("Dump format: {}", Format::names()))]
    format: Format,
    #[command(flatten)]
    spelling: SpellingOpts,
    /// Seed from which the profile `any` draws its spelling.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Most bytes for the lists of superclasses that PHD and classic text have for each class.
    #[arg(long, value_name = "BYTES", default_value_t = BUDGET)]
    budget: u64,
    /// Write a dump that is not valid, and say on standard error which rules it breaks, or one without the types of values that
    /// are not those of their fields. Without it, that is an error.
    #[arg(long)]
    allow_invalid: bool,
    /// Print a JSON report of what the dump does not record and which rules it breaks, too; on standard error if the dump goes to
    /// standard output. Without it, only standard error says so, as text.
    #[arg(long)]
    json: bool,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write a PHD dump", "heapsmith encode heapdump.jsonl --format phd6 -o heapdump.phd"),
        (
            "Write an HPROF dump as HotSpot 25 does",
            "heapsmith encode heapdump.jsonl --format hprof --profile hotspot-25 -o heapdump.hprof",
        ),
    ],
    exit_codes: &[(1, "the input is not a listing, or its dump would not be valid")],
};

/// A dump that was written from a listing.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Report {
    /// Version of this report's schema.
    schema: u32,
    /// The dump's format and profile.
    to: String,
    /// Whether the dump was written: one that is not valid is refused without `--allow-invalid`.
    written: bool,
    /// The rules that the dump breaks.
    broken: Vec<FindingCounts>,
    /// Facets that the listing records and such dumps do not.
    lost: Vec<LostFacet>,
    /// Roots of the listing that the writer leaves out.
    omitted_roots: Vec<OmittedRoots>,
    /// Number of objects with values of another type than their class declares.
    retyped_objects: u64,
}

/// Version of the report.
const SCHEMA: u32 = 3;

impl EncodeOpts {
    pub(crate) fn run(mut self) -> Result<CommandOutcome, Error> {
        outputs::require_distinct(&[&self.listing], &[&self.output])?;
        open::refuse_heap_file(&self.listing)?;
        let mut listing = open::listing(&Input::open_watched(&self.listing, &terminal::watch())?)?;
        let same_format = listing.head.format == Some(self.format.to_string());
        if let Some(line) = listing.nameless {
            return Err(ListingError::of_line(line, "expected a class's name, which every dump has").into());
        }
        let named = self.spelling.writing.profile.is_none() && same_format && listing.head.profile.is_some();
        if named {
            self.spelling.writing.profile = listing.head.profile.take();
        }
        let mut lowering = self.spelling.lowering(self.format, self.seed)?;
        if named {
            // The listing's own writer: its order and hashes are the dump's.
            lowering = lowering.adhering();
        }
        check_superclass_lists(&listing.heap.classes, &lowering.requirements(&listing.heap.facts), self.budget)?;
        let heap = Arc::new(listing.heap);
        let mut source: &Heap = &heap;
        // What no dump can say is an error of the listing, before its dump is read.
        lowering.write(&mut (&mut source as &mut dyn HeapSource), &mut io::sink())?;
        // Some writers contradict their format, which is what their dumps are for.
        let broken = if lowering.is_trap() { Vec::new() } else { self.broken_rules(&heap, &lowering)? };
        let unwritten = Unwritten::from_dump(&mut (&mut source as &mut dyn HeapSource), &lowering)?;
        let retyped_objects = unwritten.retyped.as_ref().map_or(0, |retyped| retyped.objects);
        // A value of another type that is longer or shorter breaks a rule.
        if let Some(retyped) = unwritten.retyped.as_ref().filter(|_| broken.is_empty()) {
            self.say_of_retyped(retyped);
        }
        let written = broken.is_empty() && retyped_objects == 0 || self.allow_invalid;
        // Of what is not written, nothing is lost on the way.
        if written {
            warn_of_unwritten(&mut (&mut source as &mut dyn HeapSource), &lowering)?;
            let output = Output::create_binary(&self.output, self.force)?;
            self.spelling.write(&lowering, &mut (&mut source as &mut dyn HeapSource), output)?;
        }
        if self.json {
            let Unwritten { to, lost, roots: omitted_roots, .. } = unwritten;
            let report = Report { schema: SCHEMA, to, written, broken, lost, omitted_roots, retyped_objects };
            terminal::print_json_beside(Some(&self.output), &report)?;
        }
        Ok(if written { CommandOutcome::Yes } else { CommandOutcome::No })
    }

    fn say_of_retyped(&self, retyped: &RetypedValues) {
        if self.allow_invalid {
            return terminal::warning(&retyped.to_string());
        }
        let remedy = "correct the listing, or --allow-invalid writes them by their fields' types";
        terminal::error(&format!("{}: {retyped}; {remedy}", self.listing.display()));
    }

    /// The rules that the dump breaks; says on standard error what is wrong with it.
    fn broken_rules(&self, heap: &Arc<Heap>, lowering: &Lowering) -> Result<Vec<FindingCounts>, Error> {
        let (written, lower) = (Arc::clone(heap), lowering.clone());
        let dump = Input::from_generator("the dump", move |out| {
            let mut source: &Heap = &written;
            lower.write(&mut (&mut source as &mut dyn HeapSource), out)
        });
        let report = validate(&dump, ValidateOptions::default().errors(true))?;
        let Some(finding) = report.findings.iter().find(|finding| finding.severity == Severity::Error) else {
            return Ok(Vec::new());
        };
        let is_error = |count: &&FindingCounts| {
            report.findings.iter().any(|finding| finding.rule == count.rule && finding.severity == Severity::Error)
        };
        let broken: Vec<FindingCounts> = report.counts.iter().filter(is_error).cloned().collect();
        let rules: Vec<String> = broken.iter().map(|count| format!("{} ({})", count.rule, count.count)).collect();
        let what = format!("the dump of this heap breaks {}", rules.join(", "));
        if self.allow_invalid {
            terminal::warning(&what);
            return Ok(broken);
        }
        let input = self.listing.display();
        terminal::error(&format!(
            "{input}: {what}; the first time at offset {:#x}: expected {}, found {}; correct the listing, or --allow-invalid \
             writes it all the same",
            finding.offset, finding.expected, finding.found
        ));
        Ok(broken)
    }
}
