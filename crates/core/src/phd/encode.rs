//! Records to bytes. Mirrors [`super::decode`]: the same names in the same order.
//!
//! Nothing is decided here: a record that says something unreadable is spelled that way.

use crate::error::LowerError;
use crate::model::PrimitiveType;

use super::record::{
    ClassRecord, Header, HeaderRecord, LongObject, LongPrimitiveArray, MediumObject, ObjectArray, PrimitiveArray,
    Record, RecordGap, ReferenceList, ShortObject, StoredHash,
};
use super::wire::{MAGIC, RecordLayout, Units, Width, header_tag, record_tag};

/// Appends the header, up to and including the tag that starts the body.
///
/// # Errors
/// If a version text is longer than its two-byte length can say; nothing is appended then.
pub fn header(out: &mut Vec<u8>, header: &Header) -> Result<(), LowerError> {
    let start = out.len();
    let written = fields_of_header(out, header);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

fn fields_of_header(out: &mut Vec<u8>, header: &Header) -> Result<(), LowerError> {
    put_text(out, "the magic text", MAGIC)?;
    out.extend_from_slice(&header.version.number().to_be_bytes());
    out.extend_from_slice(&header.flags.0.to_be_bytes());
    out.push(header_tag::START_OF_HEADER);
    for record in &header.records {
        match record {
            HeaderRecord::Totals(totals) => {
                out.push(header_tag::TOTALS);
                out.extend_from_slice(&totals.objects.to_be_bytes());
                out.extend_from_slice(&totals.references.to_be_bytes());
            }
            HeaderRecord::HashcodeRandoms(first, second) => {
                out.push(header_tag::HASHCODE_RANDOMS);
                out.extend_from_slice(&first.to_be_bytes());
                out.extend_from_slice(&second.to_be_bytes());
            }
            HeaderRecord::FullVersion(text) => {
                out.push(header_tag::FULL_VERSION);
                put_text(out, "the version text", text)?;
            }
        }
    }
    out.push(header_tag::END_OF_HEADER);
    out.push(header_tag::START_OF_DUMP);
    Ok(())
}

/// Appends one record.
///
/// # Errors
/// If a class name is longer than its two-byte length can say; nothing is appended then.
pub fn record(out: &mut Vec<u8>, layout: RecordLayout, record: &Record<'_>) -> Result<(), LowerError> {
    match record {
        Record::Short(r) => short_object(out, r),
        Record::Medium(r) => medium_object(out, layout, r),
        Record::PrimitiveArray(r) => primitive_array(out, r),
        Record::Long(r) => long_object(out, layout, r),
        Record::ObjectArray(r) => object_array(out, layout, r),
        Record::Class(r) => class(out, layout, r)?,
        Record::LongPrimitiveArray(r) => long_primitive_array(out, r),
    }
    Ok(())
}

/// A record on both sides of its references, which are too many to be held: `put` appends them.
///
/// Only long object and object array records have more than seven; of another nothing is appended.
///
/// # Errors
/// An error of `put`.
pub fn record_around<E>(
    out: &mut Vec<u8>,
    layout: RecordLayout,
    record: &Record<'_>,
    count: u32,
    put: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    match record {
        Record::Long(r) => {
            long_object_head(out, layout, r, count);
            put(out)
        }
        Record::ObjectArray(r) => {
            object_array_head(out, layout, r, count);
            put(out)?;
            object_array_tail(out, r);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Appends the tag that ends the body.
pub fn end_tag(out: &mut Vec<u8>) {
    out.push(record_tag::END_OF_DUMP);
}

#[inline]
fn short_object(out: &mut Vec<u8>, r: &ShortObject<'_>) {
    let count = r.references.len() as u8;
    let width = r.references.width.code();
    out.push(record_tag::SHORT_OBJECT | (r.slot & 3) << 5 | (count & 3) << 3 | (r.gap.width.code() & 1) << 2 | width);
    put_gap(out, r.gap);
    put_hash16(out, r.hash);
    put_references(out, &r.references);
}

#[inline]
fn medium_object(out: &mut Vec<u8>, layout: RecordLayout, r: &MediumObject<'_>) {
    let count = r.references.len() as u8;
    let width = r.references.width.code();
    out.push(record_tag::MEDIUM_OBJECT | (count & 7) << 3 | (r.gap.width.code() & 1) << 2 | width);
    put_gap(out, r.gap);
    put_word(out, layout, r.class_word);
    put_hash16(out, r.hash);
    put_references(out, &r.references);
}

#[inline]
fn primitive_array(out: &mut Vec<u8>, r: &PrimitiveArray) {
    out.push(record_tag::PRIMITIVE_ARRAY | element(r.element) << 2 | r.gap.width.code());
    put_gap(out, r.gap);
    put_unsigned(out, r.gap.width, r.length);
    put_hash16(out, r.hash);
    put_array_size(out, r.size_words);
}

#[inline]
fn long_object(out: &mut Vec<u8>, layout: RecordLayout, r: &LongObject<'_>) {
    long_object_head(out, layout, r, r.references.len() as u32);
    put_references(out, &r.references);
}

fn long_object_head(out: &mut Vec<u8>, layout: RecordLayout, r: &LongObject<'_>, count: u32) {
    out.push(record_tag::LONG_OBJECT);
    out.push(r.gap.width.code() << 6 | r.references.width.code() << 4 | r.flags & 0x0f);
    put_gap(out, r.gap);
    put_word(out, layout, r.class_word);
    put_hash(out, r.hash);
    put_reference_count(out, count);
}

#[inline]
fn object_array(out: &mut Vec<u8>, layout: RecordLayout, r: &ObjectArray<'_>) {
    object_array_head(out, layout, r, r.references.len() as u32);
    put_references(out, &r.references);
    object_array_tail(out, r);
}

fn object_array_head(out: &mut Vec<u8>, layout: RecordLayout, r: &ObjectArray<'_>, count: u32) {
    out.push(if r.length.is_some() { record_tag::NEW_OBJECT_ARRAY } else { record_tag::OBJECT_ARRAY });
    out.push(r.gap.width.code() << 6 | r.references.width.code() << 4 | r.flags & 0x0f);
    put_gap(out, r.gap);
    put_word(out, layout, r.class_word);
    put_hash(out, r.hash);
    put_reference_count(out, count);
}

fn object_array_tail(out: &mut Vec<u8>, r: &ObjectArray<'_>) {
    if let Some(length) = r.length {
        out.extend_from_slice(&length.to_be_bytes());
    }
    put_array_size(out, r.size_words);
}

fn class(out: &mut Vec<u8>, layout: RecordLayout, r: &ClassRecord<'_>) -> Result<(), LowerError> {
    let name_length = LowerError::length16("the class name", r.name.len(), "bytes")?;
    out.push(record_tag::CLASS);
    out.push(r.gap.width.code() << 6 | r.references.width.code() << 4 | r.flags & 0x0f);
    put_gap(out, r.gap);
    out.extend_from_slice(&r.instance_size.to_be_bytes());
    put_hash(out, r.hash);
    put_word(out, layout, r.superclass);
    out.extend_from_slice(&name_length.to_be_bytes());
    out.extend_from_slice(&r.name);
    put_reference_count(out, r.references.len() as u32);
    put_references(out, &r.references);
    Ok(())
}

fn long_primitive_array(out: &mut Vec<u8>, r: &LongPrimitiveArray) {
    out.push(record_tag::LONG_PRIMITIVE_ARRAY);
    let wide = if r.gap.width == Width::One { 0 } else { 0x10 };
    out.push(element(r.element) << 5 | wide | r.flags & 0x0f);
    put_gap(out, r.gap);
    put_unsigned(out, r.gap.width, r.length);
    put_hash(out, r.hash);
    put_array_size(out, r.size_words);
}

#[inline]
fn put_gap(out: &mut Vec<u8>, RecordGap { width, units: Units(units) }: RecordGap) {
    put_unsigned(out, width, units as u64);
}

#[inline]
fn put_unsigned(out: &mut Vec<u8>, width: Width, value: u64) {
    match width {
        Width::One => out.push(value as u8),
        Width::Two => out.extend_from_slice(&(value as u16).to_be_bytes()),
        Width::Four => out.extend_from_slice(&(value as u32).to_be_bytes()),
        Width::Eight => out.extend_from_slice(&value.to_be_bytes()),
    }
}

#[inline]
fn put_word(out: &mut Vec<u8>, layout: RecordLayout, value: u64) {
    put_unsigned(out, Width::of_word(layout.word), value);
}

#[inline]
fn put_hash16(out: &mut Vec<u8>, hash: Option<u16>) {
    if let Some(hash) = hash {
        out.extend_from_slice(&hash.to_be_bytes());
    }
}

#[inline]
fn put_hash(out: &mut Vec<u8>, hash: StoredHash) {
    match hash {
        StoredHash::Bits16(hash) => out.extend_from_slice(&hash.to_be_bytes()),
        StoredHash::Bits32(hash) => out.extend_from_slice(&hash.to_be_bytes()),
        StoredHash::Absent => {}
    }
}

#[inline]
fn put_reference_count(out: &mut Vec<u8>, count: u32) {
    out.extend_from_slice(&count.to_be_bytes());
}

#[inline]
fn put_references(out: &mut Vec<u8>, references: &ReferenceList<'_>) {
    out.extend_from_slice(&references.bytes);
}

fn put_array_size(out: &mut Vec<u8>, size_words: Option<u32>) {
    if let Some(words) = size_words {
        out.extend_from_slice(&words.to_be_bytes());
    }
}

fn put_text(out: &mut Vec<u8>, what: &'static str, text: &[u8]) -> Result<(), LowerError> {
    let length = LowerError::length16(what, text.len(), "bytes")?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(text);
    Ok(())
}

fn element(element: PrimitiveType) -> u8 {
    element.code() - 4
}
