//! Every part of a text with its meaning.

use std::io::Read;

use crate::annotation::{Annotation, MappedRecord, Meanings, RecordStep, UndecodableBytes, VisitAnnotations};
use crate::bytes::FieldSpan;
use crate::bytes::field_error::{is_visitor_error, keeping_error};
use crate::error::{DecodeError, Problem};
use crate::model::{Address, ObjectKind};

use super::decode::{DecodeStep, Decoder, RecordSlice, ScannedPart, is_blank};
use super::lift;
use super::record::{EntryRecord, Record, ReferenceList};
use super::wire::{Charset, EntryRecordKind};

/// Calls `visit` with every part of the text in file order. The bytes are those of the text: of an EBCDIC dump, its
/// characters in ISO 8859-1.
///
/// # Errors
/// An error of `visit`, or one of decoding; the last part is the one at which it stopped.
pub fn visit<R, E, F>(decoder: &mut Decoder<R>, visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Annotation<'_>) -> Result<(), E>,
{
    visit_with(decoder, Meanings::Spelled, visit)
}

/// Like [`visit`], perhaps without the meanings.
pub(super) fn visit_with<R, E, F>(decoder: &mut Decoder<R>, meanings: Meanings, mut visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Annotation<'_>) -> Result<(), E>,
{
    keeping_error(|keep| visit_fields(decoder, meanings, &mut |field| keep(visit(field))))
}

/// Calls `visit` with the parts of the records that are wanted, without meanings.
pub(super) fn visit_wanted<R, E, F>(decoder: &mut Decoder<R>, mut visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(RecordStep<'_>) -> Result<bool, E>,
{
    let charset = decoder.encoding().charset;
    keeping_error(|keep| {
        let mut step = |step: RecordStep<'_>| {
            let mut is_wanted = false;
            keep(visit(step).map(|wanted| is_wanted = wanted)).map(|()| is_wanted)
        };
        let ended = decoder.visit(|decoded| {
            // Further references of a record have no beginning of their own.
            let DecodeStep::Record(at, record) = decoded else { return Ok(()) };
            let begun = MappedRecord::new(at.offset, at.bytes.len() as u64, record_kind(&record), false);
            if !step(RecordStep::Record(begun))? {
                return Ok(());
            }
            let mut visit = |field: Annotation<'_>| step(RecordStep::Field(field)).map(|_| ());
            let start = visit_head(&at, &record, charset, Meanings::Omitted, &mut visit)?;
            references_of(&record)
                .map_or(Ok(()), |references| visit_references(&at, start, references, Meanings::Omitted, &mut visit))
        });
        ended.map(|_| ())
    })
}

/// A number for each kind of record.
fn record_kind(record: &Record<'_>) -> u8 {
    match record {
        Record::Space(_) => 0,
        Record::Version(_) => 1,
        Record::Entry(entry) => match ObjectKind::from_class_name(entry.name) {
            _ if entry.kind == EntryRecordKind::Class => 2,
            ObjectKind::Instance => 3,
            ObjectKind::ObjectArray => 4,
            ObjectKind::PrimitiveArray(_) => 5,
        },
        Record::Breakdown(..) => 6,
        Record::Eof(..) => 7,
        Record::Comment(_) => 8,
    }
}

/// The references that a piece of a record has from a byte on.
fn visit_references(
    at: &RecordSlice<'_>,
    start: usize,
    references: ReferenceList<'_>,
    meanings: Meanings,
    visit: VisitAnnotations<'_>,
) -> Result<(), DecodeError> {
    for (byte, bytes, value) in references.parts() {
        let name = if value.is_some() { "reference" } else { "white space" };
        let place = start + byte..start + byte + bytes.len();
        let span = FieldSpan { name, at: place, value: value.map(|to| to as i64) };
        let meaning = meanings.spell(|| value.map(reference_meaning).unwrap_or_default());
        visit(Annotation::from_span(&span, at.bytes, at.offset, Some(at.index), meaning))?;
    }
    Ok(())
}

/// The body of [`visit`] through a pointer, so that the program has one copy for every kind of visitor and error.
fn visit_fields<R: Read>(
    decoder: &mut Decoder<R>,
    meanings: Meanings,
    visit: VisitAnnotations<'_>,
) -> Result<(), DecodeError> {
    let charset = decoder.encoding().charset;
    // Whether references are to come that do not begin a record.
    let mut open = false;
    let ended = decoder.visit(|step| {
        let (at, start, references) = match step {
            DecodeStep::Record(at, record) => {
                (at, visit_head(&at, &record, charset, meanings, visit)?, references_of(&record))
            }
            DecodeStep::More(at, references) => (at, 0, Some(references)),
        };
        open = at.open;
        references.map_or(Ok(()), |references| visit_references(&at, start, references, meanings, visit))
    });
    match ended {
        Err(error) if !is_visitor_error(&error) => {
            let (base, bytes, parts) = decoder.at_hand(open);
            let mut spans: Vec<FieldSpan> = parts.iter().map(|part| span_of(part, bytes)).collect();
            spans.extend(word_at(&error, base, bytes));
            let meaning = |span: &FieldSpan| broken_meaning(span, &bytes[span.at.clone()], charset);
            UndecodableBytes { base, bytes, spans: &spans }.visit_spans(&error, meaning, visit)?;
            Err(error)
        }
        ended => ended.map(|_| ()),
    }
}

/// The word at which reading stops; where the data end, there is none.
fn word_at(error: &DecodeError, base: u64, bytes: &[u8]) -> Option<FieldSpan> {
    let Problem::Unexpected { .. } = error.problem() else { return None };
    let start = usize::try_from(error.offset().checked_sub(base)?).ok()?;
    let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
    let length = rest.iter().take(WORD).position(|byte| is_blank(*byte)).unwrap_or(rest.len().min(WORD)).max(1);
    Some(FieldSpan { name: error.field(), at: start..start + length, value: None })
}

/// Bytes that are shown of a word at most.
const WORD: usize = 64;

/// The start of a text that is no classic heap dump.
pub(super) fn broken_header(bytes: &[u8], error: &DecodeError, visit: VisitAnnotations<'_>) -> Result<(), DecodeError> {
    UndecodableBytes { base: 0, bytes, spans: &[] }.visit_spans(error, |_| String::new(), visit)
}

/// The parts of a record but for its references, and their length.
fn visit_head(
    at: &RecordSlice<'_>,
    record: &Record<'_>,
    charset: Charset,
    meanings: Meanings,
    visit: VisitAnnotations<'_>,
) -> Result<usize, DecodeError> {
    let parts = record.parts();
    let head = if references_of(record).is_some() { &parts[..parts.len() - 1] } else { parts.as_slice() };
    let mut start = 0;
    for (name, bytes) in head.iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let (value, meaning) = match meanings {
            Meanings::Spelled => meaning(record, name, charset),
            Meanings::Omitted => (value(record, name), String::new()),
        };
        let span = FieldSpan { name, at: start..start + bytes.len(), value };
        visit(Annotation::from_span(&span, at.bytes, at.offset, Some(at.index), meaning))?;
        start += bytes.len();
    }
    Ok(start)
}

fn references_of<'a>(record: &Record<'a>) -> Option<ReferenceList<'a>> {
    match record {
        Record::Entry(entry) => Some(entry.references),
        _ => None,
    }
}

fn reference_meaning(to: u64) -> String {
    if to == 0 { "null".to_owned() } else { format!("to {}", Address(to)) }
}

/// A part of a record that cannot be read, with its value.
fn span_of(part: &ScannedPart, bytes: &[u8]) -> FieldSpan {
    let text = std::str::from_utf8(&bytes[part.at.clone()]).unwrap_or_default();
    let value = match part.name {
        "address" => u64::from_str_radix(text.get(2..).unwrap_or_default(), 16).ok(),
        "size" => text.trim_matches(['[', ']']).parse().ok(),
        _ => part.to,
    };
    FieldSpan { name: part.name, at: part.at.clone(), value: value.map(|value| value as i64) }
}

fn broken_meaning(span: &FieldSpan, bytes: &[u8], charset: Charset) -> String {
    match (span.name, span.value) {
        ("reference", Some(to)) => reference_meaning(to as u64),
        ("record type", _) if bytes == EntryRecordKind::Class.word() => "a class".to_owned(),
        ("record type", _) => "an object".to_owned(),
        ("type", _) => lift::name(bytes, charset).to_java_form().quoted(),
        (name, Some(value)) => number_meaning(name, value as u64),
        _ => String::new(),
    }
}

fn number_meaning(part: &str, value: u64) -> String {
    if part == "size" { format!("{value} bytes") } else { format!("address {}", Address(value)) }
}

/// The value of a part, if it is a number.
fn value(record: &Record<'_>, part: &str) -> Option<i64> {
    match (record, part) {
        (Record::Entry(entry), "address") => Some(entry.address.value as i64),
        (Record::Entry(entry), "size") => Some(entry.size.value as i64),
        _ => None,
    }
}

fn meaning(record: &Record<'_>, part: &str, charset: Charset) -> (Option<i64>, String) {
    match (record, part) {
        (_, "white space" | "line end") => (None, String::new()),
        (Record::Entry(entry), _) => entry_meaning(entry, part, charset),
        (Record::Version(line), _) => (None, format!("version {}", lift::name(line.version(), charset).quoted())),
        (Record::Breakdown(_, counts), _) => {
            let [classes, objects] = [counts.classes, counts.objects];
            let [arrays, primitive] = [counts.object_arrays, counts.primitive_arrays];
            (
                None,
                format!("{classes} classes, {objects} objects, {arrays} object arrays, {primitive} primitive arrays"),
            )
        }
        (Record::Eof(_, totals), _) => {
            let meaning =
                format!("{} objects, {} references, {} of them null", totals.objects, totals.references, totals.nulls);
            (None, meaning)
        }
        (Record::Comment(_), _) => (None, "a comment, which readers skip".to_owned()),
        (Record::Space(_), _) => (None, String::new()),
    }
}

fn entry_meaning(entry: &EntryRecord<'_>, part: &str, charset: Charset) -> (Option<i64>, String) {
    let name = lift::name(entry.name, charset);
    match (part, entry.kind) {
        ("address", _) => (Some(entry.address.value as i64), number_meaning(part, entry.address.value)),
        ("size", _) => (Some(entry.size.value as i64), number_meaning(part, entry.size.value)),
        ("record type", EntryRecordKind::Class) => (None, "a class".to_owned()),
        ("record type", EntryRecordKind::Object) => {
            let kind = match ObjectKind::from_class_name(name.as_bytes()) {
                ObjectKind::Instance => "an instance".to_owned(),
                ObjectKind::ObjectArray => "an array of references".to_owned(),
                ObjectKind::PrimitiveArray(element) => format!("an array of {element}"),
            };
            (None, kind)
        }
        _ => (None, name.to_java_form().quoted()),
    }
}

/// The parts of a dump that rules speak of: a record up to its type, the kinds of record, lines, and the end.
pub(super) const PARTS: [&str; 10] = [
    "record",
    "version line",
    "comment",
    "object",
    "object array",
    "primitive array",
    "class",
    "trailer 1",
    "trailer 2",
    "end",
];

/// The one of them that a field decides: of an object, its type.
pub(super) fn part(field: &Annotation<'_>) -> Option<&'static str> {
    match (field.name, field.breaks) {
        ("version", None) => Some("version line"),
        ("comment", None) => Some("comment"),
        ("breakdown", _) => Some("trailer 1"),
        ("totals", _) => Some("trailer 2"),
        // A trailer that cannot be read is named in what was expected.
        ("trailer", _) if field.meaning.starts_with("expected // Breakdown") => Some("trailer 1"),
        ("trailer", _) => Some("trailer 2"),
        ("record", Some(_)) if field.bytes.is_empty() => Some("end"),
        ("record type", None) if field.meaning == "a class" => Some("class"),
        ("type", None) => Some(match ObjectKind::from_class_name(field.bytes) {
            ObjectKind::Instance => "object",
            ObjectKind::ObjectArray => "object array",
            ObjectKind::PrimitiveArray(_) => "primitive array",
        }),
        _ => None,
    }
}
