//! Records to bytes. Mirrors [`super::decode`]: the same names in the same order.
//!
//! Nothing is decided here: a record that says something unreadable is spelled that way. Contents that come in
//! pieces are appended by the caller as they are.

use crate::error::LowerError;
use crate::model::{AllocationSite, FieldType, Serial, Value};

use super::record::{Record, RecordBody, Segment};
use super::sub_record::{ArrayHead, ClassDump, InstanceDump, ObjectArrayDump, SubRecord};
use super::tags::{FlatField, RecordTag, SubRecordTag};
use super::wire::{HEAD, Header, IdSize, MAGIC, size_of, type_code};

/// Appends the header.
pub fn header(out: &mut Vec<u8>, header: &Header) {
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(header.version.text().as_bytes());
    out.push(0);
    out.extend_from_slice(&(header.id_size.bytes() as u32).to_be_bytes());
    out.extend_from_slice(&header.timestamp.to_be_bytes());
}

/// Appends the three fields in front of every body.
pub fn head(out: &mut Vec<u8>, tag: RecordTag, time: u32, length: u32) {
    out.push(tag.0);
    out.extend_from_slice(&time.to_be_bytes());
    out.extend_from_slice(&length.to_be_bytes());
}

/// Appends one record, of whose contents `rest` bytes are still to come.
///
/// # Errors
/// If the body, or a list in it, is longer than its length field can say; nothing is appended then.
pub fn record(out: &mut Vec<u8>, id: IdSize, record: &Record<'_>, rest: u64) -> Result<(), LowerError> {
    let start = out.len();
    let (tag, values) = record.body.values();
    head(out, tag, record.time, 0);
    flat(out, id, tag.fields(), &values);
    let written = lists(out, id, &record.body).and_then(|()| {
        out.extend_from_slice(&record.rest);
        let length = (out.len() - start - HEAD) as u64;
        LowerError::length32("the body of a record", length.saturating_add(rest), "bytes")
    });
    match written {
        Ok(length) => out[start + HEAD - 4..start + HEAD].copy_from_slice(&length.to_be_bytes()),
        Err(_) => out.truncate(start),
    }
    written.map(|_| ())
}

/// Appends the lists and contents that follow a record's fields.
fn lists(out: &mut Vec<u8>, id: IdSize, body: &RecordBody<'_>) -> Result<(), LowerError> {
    match body {
        RecordBody::Text(_, bytes) | RecordBody::Unknown(_, bytes) => out.extend_from_slice(bytes),
        RecordBody::Trace(r) => {
            put_count(out, "the list of frames", r.frames.len())?;
            r.frames.iter().for_each(|frame| put_id(out, id, frame.0));
        }
        RecordBody::AllocSites(r) => {
            put_count(out, "the list of allocation sites", r.sites.len())?;
            r.sites.iter().for_each(|r| site(out, r));
        }
        RecordBody::CpuSamples(r) => {
            put_count(out, "the list of samples", r.traces.len())?;
            for (count, trace) in &r.traces {
                out.extend_from_slice(&count.to_be_bytes());
                put_serial(out, *trace);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Appends the head of a HEAP DUMP or HEAP DUMP SEGMENT.
pub fn segment(out: &mut Vec<u8>, segment: &Segment) {
    head(out, segment.tag, segment.time, segment.stated);
}

/// Appends one sub-record, or as much of it as its contents have.
///
/// # Errors
/// If a list of a class is longer than its two-byte length can say; nothing is appended then.
pub fn sub_record(out: &mut Vec<u8>, id: IdSize, sub_record: &SubRecord<'_>) -> Result<(), LowerError> {
    match sub_record {
        SubRecord::Class(r) => class_dump(out, id, r)?,
        SubRecord::Instance(r) => instance_dump(out, id, r),
        SubRecord::ObjectArray(r) => object_array_dump(out, id, r),
        SubRecord::PrimitiveArray(r) => {
            array_head(out, id, SubRecordTag::PRIMITIVE_ARRAY_DUMP, &r.head);
            out.extend_from_slice(&r.elements);
        }
        SubRecord::NoDataArray(head) => array_head(out, id, SubRecordTag::PRIMITIVE_ARRAY_NO_DATA_DUMP, head),
        SubRecord::Root(_) | SubRecord::HeapInfo(..) | SubRecord::Flat(..) => {
            let Some((form, values)) = sub_record.values() else { return Ok(()) };
            out.push(form.tag);
            flat(out, id, form.fields, &values);
        }
    }
    Ok(())
}

/// Bytes that a sub-record takes, with its tag and with contents that are still to come.
pub fn length_of(id: IdSize, sub_record: &SubRecord<'_>) -> u64 {
    let i = id.bytes() as u64;
    1 + match sub_record {
        SubRecord::Class(class) => {
            let value = |value: &Value| size_of(value.kind, id) as u64;
            let pool: u64 = class.constant_pool.iter().map(|(_, v)| 3 + value(v)).sum();
            let statics: u64 = class.statics.iter().map(|(_, v)| i + 1 + value(v)).sum();
            7 * i + 8 + 6 + pool + statics + class.fields.len() as u64 * (i + 1)
        }
        SubRecord::Instance(instance) => 2 * i + 8 + u64::from(instance.length),
        SubRecord::ObjectArray(array) => 2 * i + 8 + u64::from(array.length) * i,
        SubRecord::PrimitiveArray(array) => i + 9 + u64::from(array.head.length) * array.head.element.size(),
        SubRecord::NoDataArray(_) => i + 9,
        SubRecord::Root(_) | SubRecord::HeapInfo(..) | SubRecord::Flat(..) => {
            let fields = sub_record.values().map(|(form, _)| form.fields).unwrap_or_default();
            fields.iter().map(|field| field.width.bytes(id) as u64).sum()
        }
    }
}

/// Appends the fields of a row.
fn flat(out: &mut Vec<u8>, id: IdSize, fields: &[FlatField], values: &[u64]) {
    for (value, field) in values.iter().zip(fields) {
        out.extend_from_slice(&value.to_be_bytes()[8 - field.width.bytes(id)..]);
    }
}

fn site(out: &mut Vec<u8>, site: &AllocationSite) {
    out.push(site.array);
    let numbers = [site.live_bytes, site.live_instances, site.allocated_bytes, site.allocated_instances];
    for number in [site.class.0, site.trace.0].into_iter().chain(numbers) {
        out.extend_from_slice(&number.to_be_bytes());
    }
}

fn class_dump(out: &mut Vec<u8>, id: IdSize, class: &ClassDump) -> Result<(), LowerError> {
    let pool_length = LowerError::length16("the constant pool", class.constant_pool.len(), "entries")?;
    let statics_length = LowerError::length16("the list of static fields", class.statics.len(), "entries")?;
    let fields_length = LowerError::length16("the list of instance fields", class.fields.len(), "entries")?;
    out.push(SubRecordTag::CLASS_DUMP.0);
    put_id(out, id, class.id.0);
    put_serial(out, class.trace);
    put_id(out, id, class.superclass.0);
    put_id(out, id, class.loader.0);
    put_id(out, id, class.signers.0);
    put_id(out, id, class.protection_domain.0);
    put_id(out, id, class.reserved[0]);
    put_id(out, id, class.reserved[1]);
    out.extend_from_slice(&class.instance_size.to_be_bytes());
    out.extend_from_slice(&pool_length.to_be_bytes());
    for (index, value) in &class.constant_pool {
        out.extend_from_slice(&index.to_be_bytes());
        out.push(type_code(value.kind));
        put_value(out, id, *value);
    }
    out.extend_from_slice(&statics_length.to_be_bytes());
    for (name, value) in &class.statics {
        put_id(out, id, name.0);
        out.push(type_code(value.kind));
        put_value(out, id, *value);
    }
    out.extend_from_slice(&fields_length.to_be_bytes());
    for (name, kind) in &class.fields {
        put_id(out, id, name.0);
        out.push(type_code(*kind));
    }
    Ok(())
}

fn instance_dump(out: &mut Vec<u8>, id: IdSize, instance: &InstanceDump<'_>) {
    out.push(SubRecordTag::INSTANCE_DUMP.0);
    put_id(out, id, instance.id.0);
    put_serial(out, instance.trace);
    put_id(out, id, instance.class.0);
    out.extend_from_slice(&instance.length.to_be_bytes());
    out.extend_from_slice(&instance.values);
}

fn object_array_dump(out: &mut Vec<u8>, id: IdSize, array: &ObjectArrayDump<'_>) {
    out.push(SubRecordTag::OBJECT_ARRAY_DUMP.0);
    put_id(out, id, array.id.0);
    put_serial(out, array.trace);
    out.extend_from_slice(&array.length.to_be_bytes());
    put_id(out, id, array.class.0);
    out.extend_from_slice(&array.elements);
}

fn array_head(out: &mut Vec<u8>, id: IdSize, tag: SubRecordTag, head: &ArrayHead) {
    out.push(tag.0);
    put_id(out, id, head.id.0);
    put_serial(out, head.trace);
    out.extend_from_slice(&head.length.to_be_bytes());
    out.push(type_code(FieldType::Primitive(head.element)));
}

/// Appends a value in the bytes of its type.
pub fn put_value(out: &mut Vec<u8>, id: IdSize, value: Value) {
    let bytes = size_of(value.kind, id);
    out.extend_from_slice(&value.bits.to_be_bytes()[8 - bytes..]);
}

/// Appends an identifier.
#[inline]
pub fn put_id(out: &mut Vec<u8>, id: IdSize, value: u64) {
    out.extend_from_slice(&value.to_be_bytes()[8 - id.bytes()..]);
}

fn put_serial(out: &mut Vec<u8>, serial: Serial) {
    out.extend_from_slice(&serial.0.to_be_bytes());
}

fn put_count(out: &mut Vec<u8>, what: &'static str, count: usize) -> Result<(), LowerError> {
    out.extend_from_slice(&LowerError::length32(what, count as u64, "entries")?.to_be_bytes());
    Ok(())
}
