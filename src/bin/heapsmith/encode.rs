use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use heapsmith::convert::{BUDGET, check_superclass_lists};
use heapsmith::error::Error;
use heapsmith::format::{Format, Lowering};
use heapsmith::input::Input;
use heapsmith::model::{Heap, HeapSource};
use heapsmith::output::Output;
use heapsmith::validate::{FindingCounts, Severity, ValidateOptions, validate};

use crate::spelling::{Spelling, warn_of_unwritten};
use crate::{Answer, open, outputs, terminal};

/// Writes a dump from a listing (see `decode`).
///
/// Without --profile, a listing gives its dump's bytes again, if it names the profile that does. With
/// --profile, that writer's order and hashes take the place of the listing's. The heap is held in memory: some 700 bytes an
/// object, and the contents of arrays. A heap whose dump would not be valid is refused with exit code 1. What the dump does not
/// record of the heap is said on standard error.
///
/// Example: heapsmith encode seven.jsonl --format phd6 -o seven.phd
#[derive(Args)]
pub(crate) struct Opts {
    /// Listing; `-` is standard input.
    listing: PathBuf,
    #[arg(long, help = format!("Dump format: {}", Format::names()))]
    format: Format,
    #[command(flatten)]
    spelling: Spelling,
    /// Seed from which the profile `any` draws its spelling.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Most bytes for the lists of superclasses that PHD and classic text have for each class.
    #[arg(long, value_name = "BYTES", default_value_t = BUDGET)]
    budget: u64,
    /// Write a dump that is not valid, and say on standard error which rules it breaks. Without it, that is an error.
    #[arg(long)]
    allow_invalid: bool,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
}

impl Opts {
    pub(crate) fn run(mut self) -> Result<Answer, Error> {
        outputs::apart(&[&self.listing], &[&self.output])?;
        let mut listing = open::listing(&Input::open_watched(&self.listing, &terminal::watch())?)?;
        let same_format = listing.head.format == Some(self.format.to_string());
        if let Some(line) = listing.nameless {
            let message = "expected a class's name, which every dump has".to_owned();
            return Err(Error::Listing { line, message });
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
        check_superclass_lists(&listing.heap.classes, &lowering.needs(&listing.heap.facts), self.budget)?;
        let heap = Arc::new(listing.heap);
        let mut source: &Heap = &heap;
        // What no dump can say is an error of the listing, before its dump is read.
        lowering.write(&mut (&mut source as &mut dyn HeapSource), &mut io::sink())?;
        // Some writers contradict their format, which is what their dumps are for.
        if !lowering.is_trap() && !self.is_valid(&heap, &lowering)? {
            return Ok(Answer::No);
        }
        warn_of_unwritten(&mut (&mut source as &mut dyn HeapSource), &lowering)?;
        let output = Output::create_binary(&self.output, self.force)?;
        self.spelling.write(&lowering, &mut (&mut source as &mut dyn HeapSource), output)?;
        Ok(Answer::Yes)
    }

    /// Whether the dump is valid or may be otherwise; says what is wrong with it.
    fn is_valid(&self, heap: &Arc<Heap>, lowering: &Lowering) -> Result<bool, Error> {
        let (written, lower) = (Arc::clone(heap), lowering.clone());
        let dump = Input::generated("the dump", move |out| {
            let mut source: &Heap = &written;
            lower.write(&mut (&mut source as &mut dyn HeapSource), out)
        });
        let report = validate(&dump, ValidateOptions::default().errors(true))?;
        let Some(finding) = report.findings.iter().find(|finding| finding.severity == Severity::Error) else {
            return Ok(true);
        };
        let is_error = |count: &&FindingCounts| {
            report.findings.iter().any(|finding| finding.rule == count.rule && finding.severity == Severity::Error)
        };
        let counts = report.counts.iter().filter(is_error);
        let rules: Vec<String> = counts.map(|count| format!("{} ({})", count.rule, count.count)).collect();
        let what = format!("the dump of this heap breaks {}", rules.join(", "));
        if self.allow_invalid {
            terminal::warning(&what);
            return Ok(true);
        }
        let input = self.listing.display();
        terminal::error(&format!(
            "{input}: {what}; the first time at offset {:#x}: expected {}, found {}; correct the listing, or --allow-invalid \
             writes it all the same",
            finding.offset, finding.expected, finding.found
        ));
        Ok(false)
    }
}
