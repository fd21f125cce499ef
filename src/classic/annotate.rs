//! Every part of a text with its meaning.

use std::io::Read;

use crate::annotation::Annotation;
use crate::bytes::stop::keeping_error;
use crate::error::DecodeError;
use crate::model::{Address, ObjectKind};

use super::decode::{Decoder, Step};
use super::lift;
use super::record::{Entry, Record};
use super::wire::{Charset, EntryKind};

/// Calls `visit` with every part of the text in file order. The bytes are those of the text: of an EBCDIC dump, its
/// characters in ISO 8859-1.
///
/// # Errors
/// What `visit` returns, or what decoding runs into; the parts before it are sound.
pub fn visit<R, E, F>(decoder: &mut Decoder<R>, mut visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Annotation<'_>) -> Result<(), E>,
{
    keeping_error(|keep| fields(decoder, &mut |field| keep(visit(field))))
}

/// The same for every kind of visitor and error: one copy in the program.
fn fields<R: Read>(
    decoder: &mut Decoder<R>,
    visit: &mut dyn FnMut(Annotation<'_>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let charset = decoder.encoding().charset;
    decoder.visit_dyn(&mut |step| {
        let (at, references) = match step {
            Step::Record(at, record) => {
                let mut offset = at.offset;
                let parts = record.parts();
                let (head, references) = match record {
                    Record::Entry(entry) => (&parts[..parts.len() - 1], Some(entry.references)),
                    _ => (parts.as_slice(), None),
                };
                for (name, bytes) in head.iter().filter(|(_, bytes)| !bytes.is_empty()) {
                    let (value, meaning) = meaning(&record, name, charset);
                    visit(Annotation { offset, bytes, record: Some(at.index), name, value, meaning })?;
                    offset += bytes.len() as u64;
                }
                ((at.index, offset), references)
            }
            Step::More(at, references) => ((at.index, at.offset), Some(references)),
        };
        let Some(references) = references else { return Ok(()) };
        let (record, begin) = at;
        for (byte, bytes, value) in references.parts() {
            let (name, meaning) = match value {
                Some(0) => ("reference", "null".to_owned()),
                Some(to) => ("reference", format!("to {}", Address(to))),
                None => ("white space", String::new()),
            };
            let (offset, value) = (begin + byte as u64, value.map(|to| to as i64));
            visit(Annotation { offset, bytes, record: Some(record), name, value, meaning })?;
        }
        Ok(())
    })?;
    Ok(())
}

fn meaning(record: &Record<'_>, part: &str, charset: Charset) -> (Option<i64>, String) {
    match (record, part) {
        (_, "white space" | "line end") => (None, String::new()),
        (Record::Entry(entry), _) => entry_meaning(entry, part, charset),
        (Record::Version(line), _) => (None, format!("version \"{}\"", lift::name(line.version(), charset))),
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

fn entry_meaning(entry: &Entry<'_>, part: &str, charset: Charset) -> (Option<i64>, String) {
    let name = lift::name(entry.name, charset);
    match (part, entry.kind) {
        ("address", _) => (Some(entry.address.value as i64), format!("address {}", Address(entry.address.value))),
        ("size", _) => (Some(entry.size.value as i64), format!("{} bytes", entry.size.value)),
        ("record type", EntryKind::Class) => (None, "a class".to_owned()),
        ("record type", EntryKind::Object) => {
            let kind = match ObjectKind::of_class(name.as_bytes()) {
                ObjectKind::Instance => "an instance".to_owned(),
                ObjectKind::ObjectArray => "an array of references".to_owned(),
                ObjectKind::PrimitiveArray(element) => format!("an array of {element}"),
            };
            (None, kind)
        }
        _ => (None, name.to_java_form().to_string()),
    }
}
