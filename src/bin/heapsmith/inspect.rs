use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use heapsmith::annotation::Annotation;
use heapsmith::classic;
use heapsmith::error::Error;
use heapsmith::format::{Family, Records};
use heapsmith::hprof::record::{Body, SegmentLength};
use heapsmith::hprof::{self, Record, Segment, Step, SubRecord};
use heapsmith::input::Stream;
use heapsmith::model::{Address, Name};
use heapsmith::phd::record::StoredHash;
use heapsmith::phd::{self, Located, Record as PhdRecord, Resolver};
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
    /// Address of the object or class, if the record is one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// Details: class, name, length, hash, number of references, serial numbers.
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
        if !self.bytes {
            return match open::records(&self.file, reading)? {
                Records::Phd(decoder) => self.phd_records(decoder, out),
                Records::Hprof(decoder) => self.hprof_records(decoder, out),
                Records::Classic(decoder) => self.classic_records(decoder, out),
            };
        }
        let file = open::dump(&self.file, reading)?;
        match file.family() {
            Family::Phd => phd::annotate::visit(&mut file.phd()?, |field| self.field(&field, out)),
            Family::Hprof => {
                // Names and layouts come from a first pass, as far as the dump is sound.
                let (index, _) = hprof::lift::Index::read(&mut file.hprof()?);
                hprof::annotate::visit(&mut file.hprof()?, Some(&index), |field| self.field(&field, out))
            }
            Family::Classic => classic::annotate::visit(&mut file.classic()?, |field| self.field(&field, out)),
        }
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

    fn phd_records(&self, mut decoder: phd::Decoder<Stream>, out: &mut dyn Write) -> Result<(), Error> {
        let mut resolver = Resolver::new(decoder.layout());
        let ended = decoder.visit(|located| {
            let resolved = resolver.resolve(located.record);
            let line = RecordLine {
                record: located.index,
                offset: located.offset,
                length: located.bytes.len() as u64,
                kind: located.record.kind().to_owned(),
                address: Some(resolved.address.to_string()),
                detail: phd_detail(located, resolved.class_word),
            };
            self.record(&line, out)
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

    fn classic_records(&self, mut decoder: classic::Decoder<Stream>, out: &mut dyn Write) -> Result<(), Error> {
        let charset = decoder.encoding().charset;
        decoder.visit(|step| match step {
            classic::Step::Record(at, record) => self.record(&classic_line(&at, &record, charset), out),
            classic::Step::More(..) => Ok(()),
        })?;
        Ok(())
    }

    fn hprof_records(&self, mut decoder: hprof::Decoder<Stream>, out: &mut dyn Write) -> Result<(), Error> {
        decoder.visit(|step| {
            let (at, kind, address, detail) = match step {
                Step::Record(at, record) => (at, record.tag().to_string(), None, record_detail(record)),
                Step::Segment(at, segment) => (at, segment.tag.to_string(), None, segment_detail(&segment)),
                Step::Sub(at, sub_record) => {
                    let kind = format!("  {}", sub_record.tag());
                    (at, kind, sub_record.address().map(|a| a.to_string()), sub_detail(sub_record))
                }
                Step::More(_) | Step::SegmentEnd(_) => return Ok(()),
            };
            let length = at.bytes.len() as u64 + at.rest;
            self.record(&RecordLine { record: at.index, offset: at.offset, length, kind, address, detail }, out)
        })?;
        Ok(())
    }
}

fn classic_line(at: &classic::decode::At<'_>, record: &classic::Record<'_>, charset: classic::Charset) -> RecordLine {
    use heapsmith::classic::Record;
    let text = |bytes: &[u8]| classic::lift::name(bytes, charset).to_string();
    let (kind, address, detail) = match record {
        Record::Space(_) => ("white space", None, String::new()),
        Record::Version(line) => ("version", None, text(line.version())),
        Record::Breakdown(line, _) => ("breakdown", None, text(line.content())),
        Record::Eof(line, _) => ("totals", None, text(line.content())),
        Record::Comment(line) => ("comment", None, text(line.content())),
        Record::Entry(entry) => {
            let kind = if entry.kind == classic::wire::EntryKind::Class { "class" } else { "object" };
            let more = if at.open { " and more" } else { "" };
            let references = match entry.references.values.len() {
                1 if !at.open => "1 reference".to_owned(),
                count => format!("{count}{more} references"),
            };
            let detail = format!("{}, {} bytes, {references}", text(entry.name), entry.size.value);
            (kind, Some(Address(entry.address.value).to_string()), detail)
        }
    };
    let (record, offset, length) = (at.index, at.offset, at.bytes.len() as u64);
    RecordLine { record, offset, length, kind: kind.to_owned(), address, detail }
}

/// Identifiers and other wide numbers in hexadecimal.
fn shown(value: i64) -> String {
    if value.unsigned_abs() > 1 << 40 { format!("{:#x}", value as u64) } else { value.to_string() }
}

/// Hexadecimal digits in a line of `--bytes`.
const PER_LINE: usize = 32;

fn phd_detail(located: Located<'_, '_>, class_word: Option<Address>) -> String {
    let mut parts = Vec::new();
    match located.record {
        PhdRecord::Class(r) => {
            parts.push(Name::from_bytes(r.name.as_ref()).to_string());
            parts.push(format!("super {:#x}", r.superclass));
            parts.push(format!("instances of {} bytes", r.instance_size));
        }
        PhdRecord::PrimitiveArray(r) => parts.push(format!("{}[{}]", r.element, r.length)),
        PhdRecord::LongPrimitiveArray(r) => parts.push(format!("{}[{}]", r.element, r.length)),
        PhdRecord::ObjectArray(r) => {
            if let Some(length) = r.length {
                parts.push(format!("length {length}"));
            }
        }
        PhdRecord::Short(_) | PhdRecord::Medium(_) | PhdRecord::Long(_) => {}
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

fn record_detail(record: &Record<'_>) -> String {
    match &record.body {
        Body::Text(id, text) => format!("{id} \"{}\"", Name::from_bytes(text.as_ref())),
        Body::LoadClass(r) => format!("serial {}, class {}, trace {}, name {}", r.serial.0, r.class, r.trace.0, r.name),
        Body::UnloadClass(serial) => format!("class serial {}", serial.0),
        Body::Frame(r) => format!("{}, method {}, class serial {}, line {}", r.id, r.method, r.class.0, r.line),
        Body::Trace(r) => format!("serial {}, thread {}, {} frames", r.serial.0, r.thread.0, r.frames.len()),
        Body::AllocSites(r) => format!("{} sites", r.sites.len()),
        Body::HeapSummary(r) => format!("{} bytes in {} instances", r.live_bytes, r.live_instances),
        Body::StartThread(r) => format!("serial {}, object {}, name {}", r.serial.0, r.object, r.name),
        Body::EndThread(serial) => format!("serial {}", serial.0),
        Body::CpuSamples(r) => format!("{} samples, {} traces", r.total, r.traces.len()),
        Body::ControlSettings(r) => format!("flags {:#x}, depth {}", r.flags, r.depth),
        Body::End => String::new(),
        Body::Unknown(_, bytes) => format!("{} bytes", bytes.len()),
    }
}

fn segment_detail(segment: &Segment) -> String {
    match segment.length {
        SegmentLength::Stated => format!("{} bytes", segment.stated),
        SegmentLength::Wrapped(length) => format!("{length} bytes; the length {} wrapped", segment.stated),
        SegmentLength::Unpatched => "the length was never patched".to_owned(),
    }
}

fn sub_detail(sub_record: &SubRecord<'_>) -> String {
    match sub_record {
        SubRecord::Root(root) => format!("{} {:?}", root.object, root.kind),
        SubRecord::Class(r) => format!(
            "super {}, loader {}, instances of {} bytes, {} statics, {} fields",
            r.superclass,
            r.loader,
            r.instance_size,
            r.statics.len(),
            r.fields.len()
        ),
        SubRecord::Instance(r) => format!("class {}, {} bytes of fields", r.class, r.length),
        SubRecord::ObjectArray(r) => format!("class {}, {} elements", r.class, r.length),
        SubRecord::PrimitiveArray(r) => format!("{}[{}]", r.head.element, r.head.length),
        SubRecord::NoDataArray(head) => format!("{}[{}]", head.element, head.length),
        SubRecord::HeapInfo(id, name) => format!("heap {id}, name {name}"),
    }
}

fn json(out: &mut dyn Write, line: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string(line).map_err(|e| failed(e.into()))?;
    writeln!(out, "{text}").map_err(failed)
}

fn failed(error: std::io::Error) -> Error {
    Error::io("writing standard output", error)
}
