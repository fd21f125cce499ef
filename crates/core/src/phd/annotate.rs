//! Every byte of a dump with its field, value and meaning.
//!
//! The fields come from the decoder itself, which reads no byte except through a named field; the
//! meanings come from the resolved record.

use std::io::Read;

use crate::annotation::{
    Annotation, MappedRecord, Meanings, RecordStep, UndecodableBytes, VisitAnnotations, each_span, spans_before_error,
};
use crate::bytes::FieldSpan;
use crate::bytes::field_error::{is_visitor_error, keeping_error};
use crate::error::DecodeError;
use crate::model::{Address, ByteLen, Name};

use super::decode::{self, Decoder};
use super::lift::{Resolved, Resolver};
use super::record::{Record, ReferenceList, StoredHash, kind_of};
use super::wire::{FileFlags, Units, Width, record_flag, record_tag};

/// Calls `visit` with every field in file order: header, records, end tag, and what follows it.
///
/// # Errors
/// An error of `visit`, or one of decoding; the last field is the one at which it stopped.
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

/// Calls `visit` with the fields of the header and of the records that are wanted, without meanings.
pub(super) fn visit_wanted<R, E, F>(decoder: &mut Decoder<R>, mut visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(RecordStep<'_>) -> Result<bool, E>,
{
    let bytes = decoder.header_bytes().to_vec();
    let layout = decoder.layout();
    keeping_error(|keep| {
        let mut step = |step: RecordStep<'_>| {
            let mut is_wanted = false;
            keep(visit(step).map(|wanted| is_wanted = wanted)).map(|()| is_wanted)
        };
        each_span(&bytes, |cursor| decode::header(cursor).map(|_| ()), &mut |span| {
            step(RecordStep::Field(Annotation::from_span(span, &bytes, 0, None, String::new()))).map(|_| ())
        })?;
        let ended = decoder.visit(|located| {
            let tag = located.bytes.first().copied().unwrap_or_default();
            let (offset, length) = (located.offset, located.bytes.len() as u64);
            if !step(RecordStep::Record(MappedRecord::new(offset, length, record_kind(tag), false)))? {
                return Ok(());
            }
            each_span(located.bytes, |cursor| decode::record(cursor, layout).map(|_| ()), &mut |span| {
                let field = Annotation::from_span(span, located.bytes, offset, Some(located.index), String::new());
                step(RecordStep::Field(field)).map(|_| ())
            })
        });
        ended.map(|_| ())
    })
}

/// The bits of a tag that say of which kind a record is: the others are a part of its contents.
fn record_kind(tag: u8) -> u8 {
    if tag & record_tag::SHORT_OBJECT != 0 {
        record_tag::SHORT_OBJECT
    } else if tag & record_tag::MEDIUM_OBJECT != 0 {
        record_tag::MEDIUM_OBJECT
    } else if tag & record_tag::PRIMITIVE_ARRAY != 0 {
        record_tag::PRIMITIVE_ARRAY
    } else {
        tag
    }
}

/// The body of [`visit`] through a pointer, so that the program has one copy for every kind of visitor and error.
fn visit_fields<R: Read>(
    decoder: &mut Decoder<R>,
    meanings: Meanings,
    visit: VisitAnnotations<'_>,
) -> Result<(), DecodeError> {
    let bytes = decoder.header_bytes().to_vec();
    each_span(&bytes, |cursor| decode::header(cursor).map(|_| ()), &mut |span| {
        visit(Annotation::from_span(span, &bytes, 0, None, meanings.spell(|| header_meaning(span, &bytes))))
    })?;
    let layout = decoder.layout();
    let mut resolver = Resolver::new(layout);
    let visited = decoder.visit(|located| {
        let before = resolver.clone();
        let resolved = resolver.resolve(located.record);
        each_span(located.bytes, |cursor| decode::record(cursor, layout).map(|_| ()), &mut |span| {
            let meaning = meanings.spell(|| record_meaning(span, located.record, &resolved, &before));
            visit(Annotation::from_span(span, located.bytes, located.offset, Some(located.index), meaning))
        })
    });
    let ended = match visited {
        Err(error) if !is_visitor_error(&error) => {
            let (base, bytes) = decoder.at_hand();
            let spans = spans_before_error(bytes, |cursor| decode::record(cursor, layout).map(|_| ()));
            let meaning = |span: &FieldSpan| broken_meaning(span, &resolver);
            UndecodableBytes { base, bytes, spans: &spans }.visit_spans(&error, meaning, visit)?;
            return Err(error);
        }
        visited => visited?,
    };
    let end = [record_tag::END_OF_DUMP];
    let meaning = meanings.spell(|| "the body ends".to_owned());
    let span = FieldSpan { name: "end tag", at: 0..1, value: Some(3) };
    visit(Annotation::from_span(&span, &end, ended.end_tag, None, meaning))?;
    let mut offset = ended.end_tag + 1;
    let trailing = decoder.visit_trailing::<DecodeError, _>(|piece| {
        let meaning = meanings.spell(|| "after the end tag; readers ignore it".to_owned());
        let span = FieldSpan { name: "trailing bytes", at: 0..piece.len(), value: None };
        visit(Annotation::from_span(&span, piece, offset, None, meaning))?;
        offset += piece.len() as u64;
        Ok(())
    });
    match trailing {
        Err(error) if !is_visitor_error(&error) => {
            UndecodableBytes { base: offset, bytes: &[], spans: &[] }.visit_spans(&error, |_| String::new(), visit)?;
            Err(error)
        }
        trailing => trailing.map(|_| ()),
    }
}

/// The fields of a header that cannot be read.
pub(super) fn broken_header(bytes: &[u8], error: &DecodeError, visit: VisitAnnotations<'_>) -> Result<(), DecodeError> {
    let spans = spans_before_error(bytes, |cursor| decode::header(cursor).map(|_| ()));
    UndecodableBytes { base: 0, bytes, spans: &spans }.visit_spans(error, |span| header_meaning(span, bytes), visit)
}

fn header_meaning(span: &FieldSpan, bytes: &[u8]) -> String {
    let value = span.value.unwrap_or_default();
    match span.name {
        "magic length" => "length of the magic text".to_owned(),
        "magic" | "version text" => Name::from_bytes(&bytes[span.at.clone()]).quoted(),
        "version" => format!("PHD version {value}"),
        "flags" => {
            let flags = FileFlags(value as u32);
            let word = if flags.has(FileFlags::WORD_64) { "64-bit words" } else { "32-bit words" };
            let hashed = if flags.has(FileFlags::ALL_HASHED) { ", all objects hashed" } else { "" };
            let j9 = if flags.has(FileFlags::J9) { ", from a J9 VM" } else { ", not from a J9 VM" };
            format!("{word}{hashed}{j9}")
        }
        "start of header tag" => "the header starts".to_owned(),
        "start of body tag" => "the body starts".to_owned(),
        "header record tag" => match value {
            1 => "totals".to_owned(),
            2 => "the header ends".to_owned(),
            3 => "random numbers for hash codes".to_owned(),
            _ => "JVM version".to_owned(),
        },
        "version text length" => format!("{value} bytes"),
        _ => format!("{value}"),
    }
}

fn record_meaning(span: &FieldSpan, record: &Record<'_>, resolved: &Resolved, before: &Resolver) -> String {
    let value = span.value.unwrap_or_default();
    match span.name {
        "tag" => tag_meaning(record, before),
        "flags" => flags_meaning(record),
        "gap" => gap_meaning(resolved.address, value, before),
        "class word" => match record {
            Record::ObjectArray(_) => format!("class word {:#x}", value as u64),
            _ => format!("class {:#x}, into the class cache", value as u64),
        },
        "hash" => match record.hash() {
            StoredHash::Bits16(hash) => format!("16-bit identity hash {hash:#06x}"),
            _ => format!("32-bit identity hash {:#010x}", value as u32),
        },
        "name" => match record {
            Record::Class(r) => format!("class {}", Name::from_bytes(r.name.as_ref()).quoted()),
            _ => String::new(),
        },
        "reference" => {
            let target = before.offset(resolved.address, Units(value));
            if target.is_null() { "null".to_owned() } else { format!("to {target}") }
        }
        _ => plain_meaning(span),
    }
}

/// The meaning of a field in a record that cannot be read.
fn broken_meaning(span: &FieldSpan, before: &Resolver) -> String {
    let value = span.value.unwrap_or_default();
    match span.name {
        "tag" => kind_of(value as u8).to_owned(),
        "gap" => gap_meaning(before.offset(before.previous(), Units(value)), value, before),
        "class word" => format!("class {:#x}", value as u64),
        _ => plain_meaning(span),
    }
}

fn gap_meaning(address: Address, gap: i64, before: &Resolver) -> String {
    format!("address {address} ({} from {})", bytes_of(gap, before), before.previous())
}

/// The meaning of a field that is independent of its record.
fn plain_meaning(span: &FieldSpan) -> String {
    let value = span.value.unwrap_or_default();
    match span.name {
        "superclass word" if value == 0 => "no superclass".to_owned(),
        "superclass word" => format!("superclass {:#x}", value as u64),
        "length" | "true length" => format!("{} elements", value as u64),
        "instance size / 4" => format!("{} on the heap", ByteLen(value as u64 * 4)),
        "instance size" => format!("{} an instance", ByteLen(value as u64)),
        "name length" => format!("{value} bytes"),
        "number of references" if value == 1 => "1 reference".to_owned(),
        "number of references" => format!("{value} references"),
        _ => String::new(),
    }
}

fn tag_meaning(record: &Record<'_>, before: &Resolver) -> String {
    let gap = plural(record.gap().width);
    match record {
        Record::Short(r) => format!(
            "short object of class {} (cache slot {}), {}, gap of {gap}",
            before.cache()[usize::from(r.slot & 3)],
            r.slot,
            references_of(&r.references)
        ),
        Record::Medium(r) => format!("medium object, {}, gap of {gap}", references_of(&r.references)),
        Record::PrimitiveArray(r) => format!("array of {}, gap and length of {gap}", r.element),
        _ => record.kind().to_owned(),
    }
}

fn flags_meaning(record: &Record<'_>) -> String {
    let mut parts = vec![format!("gap of {}", plural(record.gap().width))];
    if let Some(references) = record.references() {
        parts.push(format!("references of {}", plural(references.width)));
    }
    if let Record::LongPrimitiveArray(r) = record {
        parts.push(format!("elements of type {}", r.element));
    }
    let meant = record.flags().map_or(0, |(flags, known)| flags & known);
    if meant & (record_flag::HASH_FOLLOWS | record_flag::CLASS_HASH_FOLLOWS) != 0 {
        parts.push("a hash follows".to_owned());
    }
    if meant & record_flag::HASHED != 0 {
        parts.push("flag 0x01, without effect".to_owned());
    }
    if record.reserved_flags() != 0 {
        parts.push(format!("reserved flags {:#x}", record.reserved_flags()));
    }
    parts.join(", ")
}

fn bytes_of(units: i64, resolver: &Resolver) -> String {
    let sign = if units < 0 { "-" } else { "+" };
    format!("{sign}{:#x}", units.unsigned_abs().saturating_mul(resolver.unit()))
}

fn references_of(references: &ReferenceList<'_>) -> String {
    match references.len() {
        0 => "no references".to_owned(),
        1 => format!("1 reference of {}", plural(references.width)),
        count => format!("{count} references of {}", plural(references.width)),
    }
}

fn plural(width: Width) -> String {
    match width.bytes() {
        1 => "1 byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    }
}

/// The parts of a dump that rules speak of: the header, its records, the kinds of record, and the end.
pub(super) const PARTS: [&str; 14] = [
    "header",
    "totals",
    "hash randoms",
    "version text",
    "short object",
    "medium object",
    "long object",
    "primitive array",
    "long primitive array",
    "object array (tag 5)",
    "object array (tag 8)",
    "class",
    "a reserved tag",
    "end",
];

/// The one of them that a field begins.
pub(super) fn part(field: &Annotation<'_>) -> Option<&'static str> {
    match (field.name, field.value) {
        ("magic length", _) | ("start of body tag", _) | ("header record tag", Some(2)) => Some("header"),
        ("header record tag", Some(1)) => Some("totals"),
        ("header record tag", Some(3)) => Some("hash randoms"),
        ("header record tag", Some(4)) => Some("version text"),
        ("header record tag", _) => Some("header"),
        ("tag", Some(tag)) => Some(kind_of(tag as u8)),
        ("tag", None) | ("end tag" | "trailing bytes", _) => Some("end"),
        _ => None,
    }
}
