use std::io::Write;
use std::path::PathBuf;

use crate::convert::{
    self, Addresses, ArrayHeader, ArrayLengths, BUDGET, Conversion, ConvertOptions, HeaderFound, LostFacet,
};
use crate::error::Error;
use crate::format::{Format, Lowering, text};
use crate::model::HeapSource;
use crate::output::{GzipBlocks, Output};
use clap::builder::UnknownArgumentValueParser;
use clap::{Args, ValueEnum};

use crate::command::help::HelpEnding;
use crate::command::spelling::SpellingOpts;
use crate::command::tolerate::{self, ToleratedReport};
use crate::command::{CommandOutcome, open, outputs, terminal};

/// Writes the heap of a dump as a dump of another format, and reports what that cost: what is lost, what is changed by a known
/// rule, and what had to be synthesised. The same input gives the same bytes.
///
/// The input is read three times or more. Memory is the class table, the roots, mostly 8 bytes or less for each class and object
/// while the input is validated, and 8 bytes an address where addresses are renumbered. The report goes to standard error if the dump
/// goes to standard output.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING)]
pub(crate) struct ConvertOpts {
    /// Dump, listing or heap file (its name ends in .kdl); `-` is standard input. A listing is held in memory: some 700 bytes an
    /// object, and the contents of arrays.
    input: PathBuf,
    /// File to write; `-` is standard output, also without this option.
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    #[arg(long, value_name = "FORMAT", help = format!("Format to write: {}", Format::names()))]
    to: Format,
    /// What the other commands call --to.
    #[arg(long, hide = true, value_parser = UnknownArgumentValueParser::suggest_arg("--to"))]
    format: Option<String>,
    #[command(flatten)]
    spelling: SpellingOpts,
    /// Seed from which the profile `any` draws its spelling.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// What to do if the output cannot hold some addresses (in PHD those that are not multiples of 4; everywhere those that are
    /// wider than a word or an identifier).
    #[arg(long, value_enum, default_value_t = AddressesOpt::Renumber)]
    addresses: AddressesOpt,
    /// Most bytes to synthesise where the input lacks what the output needs: field values, elements and contents of arrays, lists
    /// of superclasses.
    #[arg(long, value_name = "BYTES", default_value_t = BUDGET)]
    budget: u64,
    /// Header of arrays in the VM that wrote the input. Classic text has the sizes of arrays without their lengths: lengths are
    /// worked out from this header. Where the input has lengths without sizes, sizes are worked out.
    #[arg(long, value_enum, default_value_t = ArrayHeaderOpt::Auto)]
    array_header: ArrayHeaderOpt,
    #[command(flatten)]
    reading: open::HeapInputOpts,
    /// Print a JSON report instead of text.
    #[arg(long)]
    json: bool,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long)]
    force: bool,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Convert PHD to HPROF", "heapsmith convert heapdump.phd -o heap.hprof --to hprof"),
        (
            "Convert HPROF to PHD as OpenJ9 writes it",
            "heapsmith convert heapdump.hprof -o heap.phd --to phd6 --profile openj9",
        ),
    ],
    exit_codes: &[(1, "the input is not a valid dump, or its heap cannot be written so")],
};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AddressesOpt {
    /// Renumber all addresses, in their order.
    Renumber,
    /// Refuse the conversion.
    Keep,
}

#[derive(Clone, Copy, ValueEnum)]
enum ArrayHeaderOpt {
    /// As the sizes of the input's arrays of references show.
    Auto,
    /// 8 bytes, references of 4: 64-bit VMs with compressed references, and 32-bit VMs.
    Compressed,
    /// 16 bytes, references of 8: 64-bit VMs without compressed references.
    Full,
    /// 16 bytes, references of 4: OpenJ9 with the address of the data in headers; 32-bit J9 2.4.
    CompressedDataAddress,
    /// 24 bytes, references of 8: OpenJ9 with the address of the data in headers, without compressed references.
    FullDataAddress,
}

impl ArrayHeaderOpt {
    fn array_header(self) -> Option<ArrayHeader> {
        Some(match self {
            ArrayHeaderOpt::Auto => return None,
            ArrayHeaderOpt::Compressed => ArrayHeader::Compressed,
            ArrayHeaderOpt::Full => ArrayHeader::Full,
            ArrayHeaderOpt::CompressedDataAddress => ArrayHeader::CompressedDataAddress,
            ArrayHeaderOpt::FullDataAddress => ArrayHeader::FullDataAddress,
        })
    }
}

impl ConvertOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        outputs::require_distinct(&[&self.input], &[&self.output])?;
        let lowering = self.spelling.lowering(self.to, self.seed)?;
        let (mut side, tolerated) = self.reading.open(&self.input)?;
        let mut output = Output::create_binary(&self.output, self.force)?;
        let conversion = self.write(side.source(), &lowering, &mut output)?;
        output.flush().map_err(|e| Error::io("writing the dump", e))?;
        output.finish()?;
        if conversion.roots == Some(0) {
            terminal::warning(&format!(
                "no roots are written, since the input records none that {} has; readers find no object reachable",
                conversion.to
            ));
        }
        let failed = |e| Error::io("writing the report", e);
        let text = |conversion| {
            let mut lines = describe(conversion);
            lines.extend(tolerate::describe(tolerated.as_deref()));
            lines.join("\n")
        };
        if self.json {
            let report = ToleratedReport { report: conversion, tolerated };
            terminal::print_json_beside(Some(&self.output), &report)?;
        } else {
            writeln!(terminal::text_beside(Some(&self.output)), "{}", text(&conversion)).map_err(failed)?;
        }
        Ok(CommandOutcome::Yes)
    }

    fn write(
        &self,
        source: &mut dyn HeapSource,
        lowering: &Lowering,
        output: &mut Output,
    ) -> Result<Conversion, Error> {
        let options = ConvertOptions::new(lowering)
            .keep_addresses(self.addresses == AddressesOpt::Keep)
            .budget(self.budget)
            .array_header(self.array_header.array_header());
        if !self.spelling.writing.gzip {
            return convert::convert(source, &options, output);
        }
        let mut blocks = GzipBlocks::new(output);
        let conversion = convert::convert(source, &options, &mut blocks)?;
        blocks.finish().map_err(|e| Error::io("writing the dump", e))?;
        Ok(conversion)
    }
}

fn describe(conversion: &Conversion) -> Vec<String> {
    let mut lines = vec![
        format!("written as {}", conversion.to),
        format!("addresses: {}", describe_addresses(conversion.addresses)),
    ];
    lines.extend(lost_lines(&conversion.lost));
    for changed in &conversion.changed {
        lines.push(format!("changed by rule: {} ({}): {}", changed.facet, changed.count, text(changed.rule)));
    }
    for roots in &conversion.omitted_roots {
        lines.push(format!("left out by the writer: {} roots of the kind {}", roots.count, roots.kind));
    }
    for invented in &conversion.invented {
        lines.push(format!("synthesised: {} ({}): {}", invented.facet, invented.count, invented.how));
    }
    lines.extend(conversion.array_lengths.iter().map(describe_array_lengths));
    lines
}

/// The facets that the output does not carry, as `check-conversion` lists them too.
pub(crate) fn lost_lines(lost: &[LostFacet]) -> impl Iterator<Item = String> {
    lost.iter().map(|lost| format!("lost: {} ({})", lost.facet, lost.count))
}

fn describe_array_lengths(lengths: &ArrayLengths) -> String {
    let ArrayLengths { header_bytes, reference_bytes, alignment, derived, uncertain, .. } = lengths;
    let found = match lengths.found {
        HeaderFound::Option => "as --array-header says",
        HeaderFound::Arrays => "as the arrays of references show",
        HeaderFound::Addresses => "since there are addresses of 64 GiB or more",
        HeaderFound::Default => "the usual ones; no array of references shows others",
    };
    format!(
        "array lengths worked out from sizes: {derived}, of which {uncertain} may be off by padding to {alignment} bytes; \
         headers of {header_bytes} bytes and references of {reference_bytes}, {found}"
    )
}

pub(crate) fn describe_addresses(addresses: Addresses) -> String {
    match addresses {
        Addresses::Kept => "kept".to_owned(),
        Addresses::Renumbered { count, first, step } => {
            format!("{count} renumbered in their order, from {first:#x} in steps of {step}")
        }
        Addresses::Renamed { count } => format!("{count} differ, and the graph is the same"),
    }
}
