use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::error::Error;
use heapsmith::input::Stream;
use heapsmith::model::{Address, Name};
use heapsmith::phd::record::StoredHash;
use heapsmith::phd::{Decoder, Located, Record, Resolver, annotate};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Answer, open};

/// Shows a dump's records with their offsets, or every byte with its field and meaning.
///
/// Memory does not grow with the dump, only with its largest record.
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
}

/// A record, as `inspect --json` prints it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RecordLine {
    /// Index in the body, from 0.
    record: u64,
    /// Offset in the decompressed dump.
    offset: u64,
    /// Length in bytes.
    length: u64,
    /// Record kind.
    kind: String,
    /// Absolute address.
    address: String,
    /// Details: class, name, length, hash, number of references.
    detail: String,
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
        let mut decoder = open::decoder_once(&self.file)?;
        let mut out = std::io::BufWriter::new(std::io::stdout());
        let inspected =
            if self.bytes { self.fields(&mut decoder, &mut out) } else { self.records(&mut decoder, &mut out) };
        // What was sound has been shown before the error is.
        out.flush().map_err(failed)?;
        open::tolerate_missing_end(&self.file.display().to_string(), inspected)?;
        Ok(Answer::Yes)
    }

    fn fields(&self, decoder: &mut Decoder<Stream>, out: &mut dyn Write) -> Result<(), Error> {
        annotate::visit(decoder, |field| {
            let line = FieldLine {
                offset: field.offset,
                bytes: field.bytes.iter().map(|b| format!("{b:02x}")).collect(),
                record: field.record,
                field: field.name.to_owned(),
                value: field.value,
                meaning: field.meaning,
            };
            if self.json {
                return json(out, &line);
            }
            if matches!(line.field.as_str(), "tag" | "end tag") {
                writeln!(out).map_err(failed)?;
            }
            // Long fields take several lines; the first names the field.
            let (first, rest) = line.bytes.split_at(line.bytes.len().min(PER_LINE));
            let value = line.value.map(|v| v.to_string()).unwrap_or_default();
            writeln!(out, "{:08x}  {first:<PER_LINE$}  {:<20}  {value:<12}  {}", line.offset, line.field, line.meaning)
                .map_err(failed)?;
            for (index, piece) in rest.as_bytes().chunks(PER_LINE).enumerate() {
                let offset = line.offset + ((index + 1) * PER_LINE / 2) as u64;
                writeln!(out, "{offset:08x}  {}", String::from_utf8_lossy(piece)).map_err(failed)?;
            }
            Ok(())
        })
    }

    fn records(&self, decoder: &mut Decoder<Stream>, out: &mut dyn Write) -> Result<(), Error> {
        let mut resolver = Resolver::new(decoder.layout());
        let ended = decoder.visit(|located| {
            let resolved = resolver.resolve(located.record);
            let line = RecordLine {
                record: located.index,
                offset: located.offset,
                length: located.bytes.len() as u64,
                kind: located.record.kind().to_owned(),
                address: resolved.address.to_string(),
                detail: detail(located, resolved.class_word),
            };
            if self.json {
                return json(out, &line);
            }
            let RecordLine { record, offset, length, kind, address, detail } = line;
            writeln!(out, "{record:>8}  {offset:08x}  {length:>5}  {kind:<20}  {address:<18}  {detail}").map_err(failed)
        })?;
        if !self.json {
            writeln!(out, "          {:08x}      1  end", ended.end_tag).map_err(failed)?;
        }
        let trailing = decoder.visit_trailing::<Error, _>(|_| Ok(()))?;
        if !self.json && trailing > 0 {
            let offset = ended.end_tag + 1;
            writeln!(out, "          {offset:08x}  {trailing:>5}  bytes behind the end").map_err(failed)?;
        }
        Ok(())
    }
}

/// Hexadecimal digits in a line of `--bytes`.
const PER_LINE: usize = 32;

fn detail(located: Located<'_, '_>, class_word: Option<Address>) -> String {
    let mut parts = Vec::new();
    match located.record {
        Record::Class(r) => {
            parts.push(Name::from_bytes(r.name.as_ref()).to_string());
            parts.push(format!("super {:#x}", r.superclass));
            parts.push(format!("instances of {} bytes", r.instance_size));
        }
        Record::PrimitiveArray(r) => parts.push(format!("{}[{}]", r.element, r.length)),
        Record::LongPrimitiveArray(r) => parts.push(format!("{}[{}]", r.element, r.length)),
        Record::ObjectArray(r) => {
            if let Some(length) = r.length {
                parts.push(format!("length {length}"));
            }
        }
        Record::Short(_) | Record::Medium(_) | Record::Long(_) => {}
    }
    if let Some(class_word) = class_word {
        parts.push(format!("class {class_word}"));
    }
    match located.record.hash() {
        StoredHash::Absent => {}
        StoredHash::Bits16(hash) => parts.push(format!("hash {hash:#06x}")),
        StoredHash::Bits32(hash) => parts.push(format!("hash {hash:#010x}")),
    }
    if let Some(references) = located.record.references() {
        parts.push(match references.len() {
            1 => "1 reference".to_owned(),
            count => format!("{count} references"),
        });
    }
    parts.join(", ")
}

fn json(out: &mut dyn Write, line: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string(line).map_err(|e| failed(e.into()))?;
    writeln!(out, "{text}").map_err(failed)
}

fn failed(error: std::io::Error) -> Error {
    Error::io("writing standard output", error)
}
