use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::annotation::Annotation;
use heapsmith::error::Error;
use heapsmith::format::{Listed, RecordLine};
use schemars::JsonSchema;
use serde::Serialize;

use crate::open;
use crate::{Answer, terminal};

/// Shows a dump's records with their offsets, or every byte with its field and meaning.
///
/// Memory does not grow with the dump, only with its largest record; --bytes of an HPROF dump holds its
/// classes and strings as well, to name fields.
///
/// Example: heapsmith inspect --bytes small.phd
#[derive(Args)]
pub(crate) struct Opts {
    /// Dump; `-` is standard input.
    file: PathBuf,
    /// Every byte: offset, hexadecimal, field, value, meaning.
    #[arg(long)]
    bytes: bool,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: open::ReadingOpts,
}

/// A field, as `inspect --bytes --json` prints it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FieldLine {
    /// Offset in the decompressed dump.
    offset: u64,
    /// The bytes in hexadecimal.
    bytes: String,
    /// Index of the field's record, if it has one.
    record: Option<u64>,
    /// Field name.
    field: String,
    /// Its value, if it is a number.
    value: Option<i64>,
    /// What it means.
    meaning: String,
}

impl Opts {
    pub(crate) fn run(self) -> Result<Answer, Error> {
        let mut out = std::io::BufWriter::new(match self.json {
            true => terminal::data(),
            false => Box::new(terminal::stdout()),
        });
        let inspected = self.inspect(&mut out);
        // What was sound has been shown before the error is.
        out.flush().map_err(failed)?;
        open::tolerate_missing_end(&self.file.display().to_string(), inspected)?;
        Ok(Answer::Yes)
    }

    fn inspect(&self, out: &mut dyn Write) -> Result<(), Error> {
        let reading = self.reading.reading();
        if self.bytes {
            return open::dump(&self.file, reading)?.annotate(&mut |field| self.field(&field, out));
        }
        open::records(&self.file, reading)?.list(&mut |listed| match listed {
            Listed::Record(line) => self.record(&line, out),
            Listed::Other { .. } if self.json => Ok(()),
            Listed::Other { offset, length, what } => {
                writeln!(out, "          {offset:08x}  {length:>5}  {what}").map_err(failed)
            }
        })
    }

    fn field(&self, field: &Annotation<'_>, out: &mut dyn Write) -> Result<(), Error> {
        let line = FieldLine {
            offset: field.offset,
            bytes: field.bytes.iter().map(|b| format!("{b:02x}")).collect(),
            record: field.record,
            field: field.name.to_owned(),
            value: field.value,
            meaning: field.meaning.clone(),
        };
        if self.json {
            return json(out, &line);
        }
        if matches!(line.field.as_str(), "tag" | "sub-record tag" | "end tag") {
            writeln!(out).map_err(failed)?;
        }
        // Long fields take several lines; the first names the field.
        let (first, rest) = line.bytes.split_at(line.bytes.len().min(PER_LINE));
        let value = line.value.map(shown).unwrap_or_default();
        writeln!(out, "{:08x}  {first:<PER_LINE$}  {:<20}  {value:<12}  {}", line.offset, line.field, line.meaning)
            .map_err(failed)?;
        for (index, piece) in rest.as_bytes().chunks(PER_LINE).enumerate() {
            let offset = line.offset + ((index + 1) * PER_LINE / 2) as u64;
            writeln!(out, "{offset:08x}  {}", String::from_utf8_lossy(piece)).map_err(failed)?;
        }
        Ok(())
    }

    fn record(&self, line: &RecordLine, out: &mut dyn Write) -> Result<(), Error> {
        if self.json {
            return json(out, line);
        }
        let RecordLine { record, offset, length, kind, address, detail } = line;
        let address = address.as_deref().unwrap_or_default();
        let text = format!("{record:>8}  {offset:08x}  {length:>5}  {kind:<20}  {address:<18}  {detail}");
        writeln!(out, "{}", text.trim_end()).map_err(failed)
    }
}

/// Identifiers and other wide numbers in hexadecimal.
fn shown(value: i64) -> String {
    if value.unsigned_abs() > 1 << 40 { format!("{:#x}", value as u64) } else { value.to_string() }
}

/// Hexadecimal digits in a line of `--bytes`.
const PER_LINE: usize = 32;

fn json(out: &mut dyn Write, line: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string(line).map_err(|e| failed(e.into()))?;
    writeln!(out, "{text}").map_err(failed)
}

fn failed(error: std::io::Error) -> Error {
    Error::io("writing standard output", error)
}
