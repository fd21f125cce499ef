use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::format::{DumpFile, OpenedHeap};
use crate::heap_file::{DescribeOptions, LONGEST, describe};
use crate::model::{Address, Dump, DumpSource, Heap};
use crate::output::Output;
use crate::validate::validate_source;
use clap::Args;

use crate::command::help::HelpEnding;
use crate::command::tolerate::{self, TolerateOpt};
use crate::command::{CommandOutcome, answers, open, outputs, terminal};

/// Writes a dump as a heap file: text that a person reads and changes, and that `heapsmith build` makes a dump of (docs/heap-file.md).
///
/// Each class, object and root is a line. The library's classes, texts, boxed values, collections and threads stand in the short
/// forms that `heapsmith build` makes the same heap of, and in the plain form where it would make another one. Addresses, serial numbers of classes, the order of the file and the log are left out, and
/// counted at the head of the file; --exact writes them, so that the same bytes can be built again. What a heap file cannot say
/// is an error.
///
/// The dump is held in memory, and the text.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct DescribeOpts {
    /// Dump or listing; `-` is standard input.
    file: PathBuf,
    /// File to write, by custom with the ending .kdl; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
    /// Write every address, hash, size and serial number, the order of the file, and the log. Without it, only what the builder
    /// would not choose by itself.
    #[arg(long)]
    exact: bool,
    /// Describe only what is reachable from the object or class at this address. Without it, all objects.
    #[arg(long, value_name = "ADDRESS", value_parser = answers::address)]
    from: Option<Address>,
    /// Describe only the objects of this class, such as `java.lang.Thread`, and what is reachable from them. Without it, all objects.
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// Follow at most this number of references from there; those that lead further are written as addresses. Without it, all.
    #[arg(long, value_name = "N")]
    depth: Option<u64>,
    /// HPROF: describe only the heap of this number, from 0. Without it, all heaps of the dump, one after the other.
    #[arg(long, value_name = "N")]
    heap: Option<usize>,
    #[command(flatten)]
    reading: open::ReadingOpts,
    #[command(flatten)]
    tolerate: TolerateOpt,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Write a dump as text", "heapsmith describe heapdump.hprof -o heap.kdl"),
        ("Show an object and what it refers to", "heapsmith describe heapdump.hprof --from 0x7f001200 --depth 1"),
        ("Keep all that is needed for the same bytes", "heapsmith describe heapdump.phd --exact -o exact.kdl"),
    ],
    exit_codes: &[(1, "the input is not a valid dump, or has a fact that a heap file cannot say")],
};

impl DescribeOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        outputs::require_distinct(&[&self.file], &[&self.output])?;
        if self.depth.is_some() && self.from.is_none() && self.class.is_none() {
            return Err(Error::Usage("--depth counts references from --from ADDRESS or --class NAME".to_owned()));
        }
        let dump = self.read(&self.file)?;
        let options = DescribeOptions::default().exact(self.exact);
        let options = options.from(self.from).class(self.class).depth(self.depth);
        let mut output = Output::create(&self.output, self.force)?;
        let bytes = describe(&dump, &options, &mut output)?;
        output.finish()?;
        if bytes > LONGEST {
            terminal::warning(&format!(
                "the heap file has {bytes} bytes, and at most {LONGEST} of one are read; --from and --class describe a part"
            ));
        }
        Ok(CommandOutcome::Yes)
    }

    /// Reads all heaps, or the one that is chosen.
    fn read(&self, path: &Path) -> Result<Dump, Error> {
        let (input, reading) = (open::input(path)?, self.reading.reading());
        if OpenedHeap::is_listing(&input)? {
            let mut listing = OpenedHeap::open(input, self.heap, reading)?;
            return Ok(Dump { heaps: vec![Heap::collect(listing.source())?], tail: Vec::new() });
        }
        let file = DumpFile::new(input, reading)?;
        let (report, source) = validate_source(&file)?;
        let tolerated = self.tolerate.judge(&report)?;
        tolerate::describe(tolerated.as_deref()).iter().for_each(|line| terminal::warning(line));
        let mut source = source.map_or_else(|| file.source(), Ok)?;
        if let Some(left_behind) = source.unrecorded_end() {
            terminal::warning(&format!("{}: {left_behind}", file.input().name()));
        }
        if self.heap.is_some() {
            let number = crate::format::choose_heap(self.heap, source.heaps())?;
            return Ok(Dump { heaps: vec![Heap::collect(source.heap(number))?], tail: Vec::new() });
        }
        let heaps = (0..source.heaps()).map(|number| Heap::collect(source.heap(number))).collect::<Result<_, _>>()?;
        Ok(Dump { heaps, tail: source.tail().to_vec() })
    }
}
