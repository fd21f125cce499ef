use std::io::Write;
use std::path::PathBuf;

use crate::annotation::Annotation;
use crate::error::Error;
use crate::format::{DumpPart, ListedPart, RecordLine, RecordSelector};
use crate::output::Output;
use crate::page::bytes::{self, MOST_RECORDS};
use clap::{ArgGroup, Args};
use serde::Serialize;

use crate::command::field::FieldLine;
use crate::command::help::HelpEnding;
use crate::command::{CommandOutcome, open, outputs, terminal};

/// Shows a dump's records with their offsets, or every byte with its field and meaning, as text or as a page for a browser.
///
/// A dump that cannot be read to its end is shown up to there; with --bytes, the last field is that at which reading stops,
/// with the error, and a page begins with it. Text stands in quotation marks with escapes, bytes are pairs of hexadecimal
/// digits.
///
/// Memory does not grow with the dump, only with its largest record; --bytes and --html of an HPROF dump hold its
/// classes and strings as well, to name fields.
#[derive(Args)]
#[command(after_long_help = HELP_ENDING, group = ArgGroup::new("map").args(["bytes", "html"]))]
pub(crate) struct InspectOpts {
    /// Dump; `-` is standard input.
    file: PathBuf,
    /// Show every byte: offset, hexadecimal, field, value, meaning. Without it, a line for each record.
    #[arg(long)]
    bytes: bool,
    /// Print JSON objects, one a line, instead of text.
    #[arg(long)]
    json: bool,
    /// Instead of text, a page for a browser in one file: the kinds of record as a picture, and every record with its fields,
    /// with search.
    #[arg(long, conflicts_with_all = TEXT)]
    html: bool,
    /// With --bytes or --html: begin with the record that has the byte at OFFSET (decimal, or hexadecimal after 0x), with that of
    /// the number N (`record:N`), or with that of an object (`object:ADDRESS`). Without it, with the first byte. A page begins with
    /// the next record where none has the byte.
    #[arg(long, value_name = "OFFSET|record:N|object:ADDRESS", requires = "map")]
    from: Option<RecordSelector>,
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "html", conflicts_with_all = TEXT, help = records_help(),
        value_parser = clap::value_parser!(u64).range(1..=MOST_RECORDS))]
    records: u64,
    /// Page: output; `-` is standard output.
    #[arg(short, long, default_value = "-", requires = "html", conflicts_with_all = TEXT)]
    output: PathBuf,
    /// Replace an existing output. Without it, that is an error.
    #[arg(long, requires = "html", conflicts_with_all = TEXT)]
    force: bool,
    #[command(flatten)]
    reading: open::ReadingOpts,
}

const HELP_ENDING: HelpEnding = HelpEnding {
    examples: &[
        ("Show the first records", "heapsmith inspect heapdump.hprof | head"),
        ("Show every byte from a record on", "heapsmith inspect --bytes --from record:2 heapdump.hprof"),
        ("Write a page for a browser", "heapsmith inspect --html -o heapdump.html heapdump.phd"),
    ],
    exit_codes: &[(1, "the dump cannot be read to its end")],
};

/// The options that print text, which a page excludes.
const TEXT: [&str; 2] = ["bytes", "json"];

impl InspectOpts {
    pub(crate) fn run(self) -> Result<CommandOutcome, Error> {
        if self.html {
            return self.write_page();
        }
        let mut out = std::io::BufWriter::new(match self.json {
            true => terminal::data(),
            false => Box::new(terminal::stdout()),
        });
        let inspected = self.print(&mut out);
        // What was sound has been shown before the error is.
        out.flush().map_err(failed)?;
        open::tolerate_missing_end(&self.file.display().to_string(), inspected)?;
        Ok(CommandOutcome::Yes)
    }

    fn write_page(&self) -> Result<CommandOutcome, Error> {
        outputs::require_distinct(&[&self.file], &[&self.output])?;
        let dump = open::dump(&self.file, self.reading.reading())?;
        let from = match self.from {
            Some(RecordSelector::Offset(offset)) => offset,
            Some(choice) => dump.find_record(choice)?.offset,
            None => 0,
        };
        let options = bytes::BytePageOptions::default().from(from).records(self.records);
        let mut output = Output::create(&self.output, self.force)?;
        let ended = bytes::write(&dump, options, &mut output)?;
        output.finish()?;
        // The page has what was sound, and the error.
        open::tolerate_missing_end(dump.input().name(), ended.map_or(Ok(()), |error| Err(error.into())))?;
        Ok(CommandOutcome::Yes)
    }

    fn print(&self, out: &mut dyn Write) -> Result<(), Error> {
        let reading = self.reading.reading();
        if self.bytes {
            let dump = open::dump(&self.file, reading)?;
            let first = self.from.map(|choice| dump.find_part(choice)).transpose()?;
            let from = first.as_ref().map_or(0, |part| part.offset);
            if let Some(part) = first.filter(|part| part.offset > 0) {
                self.print_skipped(&part, out)?;
            }
            return dump.annotate(&mut |field| {
                if field.offset < from && field.breaks.is_none() { Ok(()) } else { self.print_field(&field, out) }
            });
        }
        open::records(&self.file, reading)?.list(&mut |listed| match listed {
            ListedPart::Record(line) => self.print_record(&line, out),
            ListedPart::Other { .. } if self.json => Ok(()),
            ListedPart::Other { offset, length, what } => {
                writeln!(out, "          {offset:08x}  {length:>5}  {what}").map_err(failed)
            }
        })
    }

    /// Says what stands before the part that the byte map begins with: in front of it, or beside JSON.
    fn print_skipped(&self, first: &DumpPart, out: &mut dyn Write) -> Result<(), Error> {
        let offset = first.offset;
        let bytes = if offset == 1 { "byte" } else { "bytes" };
        let skipped = format!("skipped: {offset} {bytes} ({offset:#x}) before {first}");
        if self.json { writeln!(terminal::stderr(), "{skipped}") } else { writeln!(out, "{skipped}") }.map_err(failed)
    }

    fn print_field(&self, field: &Annotation<'_>, out: &mut dyn Write) -> Result<(), Error> {
        let line = FieldLine::from_annotation(field);
        if self.json {
            return print_json(out, &line);
        }
        if line.begins_a_record() {
            writeln!(out).map_err(failed)?;
        }
        line.lines().try_for_each(|text| writeln!(out, "{text}")).map_err(failed)
    }

    fn print_record(&self, line: &RecordLine, out: &mut dyn Write) -> Result<(), Error> {
        if self.json {
            return print_json(out, line);
        }
        let RecordLine { record, offset, length, kind, address, fields } = line;
        let address = address.as_deref().unwrap_or_default();
        let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        let fields = fields.join(", ");
        let text = format!("{record:>8}  {offset:08x}  {length:>5}  {kind:<20}  {address:<18}  {fields}");
        writeln!(out, "{}", text.trim_end()).map_err(failed)
    }
}

fn records_help() -> String {
    format!(
        "Page: this many records, {MOST_RECORDS} at most; of a dump that cannot be read to its end, a few before the error besides"
    )
}

fn print_json(out: &mut dyn Write, line: &impl Serialize) -> Result<(), Error> {
    terminal::write_json(out, line).map_err(failed)
}

fn failed(error: std::io::Error) -> Error {
    Error::io("writing standard output", error)
}
