//! Records to bytes. Mirrors [`super::decode`]: the same names in the same order.
//!
//! Nothing is decided here: a record that says something unreadable is spelled that way. Contents that come in
//! pieces are appended by the caller as they are.

use crate::error::LowerError;
use crate::model::{AllocationSites, CpuSamples, FieldType, HeapSummary, RootKind, Serial, Trace, Value};

use super::record::{Body, Record, Segment};
use super::sub_record::{ArrayHead, ClassDump, InstanceDump, ObjectArrayDump, RootRecord, SubRecord};
use super::wire::{HEAD, Header, IdSize, MAGIC, SubTag, Tag, size_of, type_code};

/// Appends the header.
pub fn header(out: &mut Vec<u8>, header: &Header) {
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(header.version.text().as_bytes());
    out.push(0);
    out.extend_from_slice(&(header.id_size.bytes() as u32).to_be_bytes());
    out.extend_from_slice(&header.timestamp.to_be_bytes());
}

/// Appends the three fields in front of every body.
pub fn head(out: &mut Vec<u8>, tag: Tag, time: u32, length: u32) {
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
    head(out, record.tag(), record.time, 0);
    let written = body(out, id, &record.body).and_then(|()| {
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

fn body(out: &mut Vec<u8>, id: IdSize, body: &Body<'_>) -> Result<(), LowerError> {
    match body {
        Body::Text(text, bytes) => {
            put_id(out, id, text.0);
            out.extend_from_slice(bytes);
        }
        Body::LoadClass(load) => {
            put_serial(out, load.serial);
            put_id(out, id, load.class.0);
            put_serial(out, load.trace);
            put_id(out, id, load.name.0);
        }
        Body::UnloadClass(serial) | Body::EndThread(serial) => put_serial(out, *serial),
        Body::Frame(frame) => {
            put_id(out, id, frame.id.0);
            put_id(out, id, frame.method.0);
            put_id(out, id, frame.signature.0);
            put_id(out, id, frame.source.0);
            put_serial(out, frame.class);
            out.extend_from_slice(&frame.line.to_be_bytes());
        }
        Body::Trace(trace) => stack_trace(out, id, trace)?,
        Body::AllocSites(sites) => alloc_sites(out, sites)?,
        Body::HeapSummary(summary) => heap_summary(out, summary),
        Body::StartThread(thread) => {
            put_serial(out, thread.serial);
            put_id(out, id, thread.object.0);
            put_serial(out, thread.trace);
            put_id(out, id, thread.name.0);
            put_id(out, id, thread.group.0);
            put_id(out, id, thread.parent_group.0);
        }
        Body::CpuSamples(samples) => cpu_samples(out, samples)?,
        Body::ControlSettings(settings) => {
            out.extend_from_slice(&settings.flags.to_be_bytes());
            out.extend_from_slice(&settings.depth.to_be_bytes());
        }
        Body::End => {}
        Body::Unknown(_, bytes) => out.extend_from_slice(bytes),
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
    if let SubRecord::Class(class) = sub_record {
        return class_dump(out, id, class);
    }
    out.push(sub_record.tag().0);
    match sub_record {
        SubRecord::Root(r) => root(out, id, r),
        SubRecord::Class(_) => {}
        SubRecord::Instance(r) => instance_dump(out, id, r),
        SubRecord::ObjectArray(r) => object_array_dump(out, id, r),
        SubRecord::PrimitiveArray(r) => {
            array_head(out, id, &r.head);
            out.extend_from_slice(&r.elements);
        }
        SubRecord::NoDataArray(head) => array_head(out, id, head),
        SubRecord::HeapInfo(heap, name) => {
            out.extend_from_slice(&heap.to_be_bytes());
            put_id(out, id, name.0);
        }
    }
    Ok(())
}

/// Bytes that a sub-record takes, with its tag and with contents that are still to come.
pub fn length_of(id: IdSize, sub_record: &SubRecord<'_>) -> u64 {
    let i = id.bytes() as u64;
    1 + match sub_record {
        SubRecord::Root(RootRecord { kind, .. }) => {
            i + match kind {
                RootKind::JniGlobal(_) => i,
                RootKind::JniLocal(..)
                | RootKind::JavaFrame(..)
                | RootKind::ThreadObject(..)
                | RootKind::JniMonitor(..) => 8,
                RootKind::NativeStack(_) | RootKind::ThreadBlock(_) => 4,
                RootKind::Unknown
                | RootKind::StickyClass
                | RootKind::MonitorUsed
                | RootKind::InternedString
                | RootKind::Finalizing
                | RootKind::Debugger
                | RootKind::ReferenceCleanup
                | RootKind::VmInternal
                | RootKind::Unreachable => 0,
            }
        }
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
        SubRecord::HeapInfo(..) => 4 + i,
    }
}

fn stack_trace(out: &mut Vec<u8>, id: IdSize, trace: &Trace) -> Result<(), LowerError> {
    put_serial(out, trace.serial);
    put_serial(out, trace.thread);
    put_count(out, "the list of frames", trace.frames.len())?;
    for frame in &trace.frames {
        put_id(out, id, frame.0);
    }
    Ok(())
}

fn alloc_sites(out: &mut Vec<u8>, sites: &AllocationSites) -> Result<(), LowerError> {
    out.extend_from_slice(&sites.flags.to_be_bytes());
    out.extend_from_slice(&sites.cutoff.to_be_bytes());
    heap_summary(out, &sites.totals);
    put_count(out, "the list of allocation sites", sites.sites.len())?;
    for site in &sites.sites {
        out.push(site.array);
        put_serial(out, site.class);
        put_serial(out, site.trace);
        out.extend_from_slice(&site.live_bytes.to_be_bytes());
        out.extend_from_slice(&site.live_instances.to_be_bytes());
        out.extend_from_slice(&site.allocated_bytes.to_be_bytes());
        out.extend_from_slice(&site.allocated_instances.to_be_bytes());
    }
    Ok(())
}

fn heap_summary(out: &mut Vec<u8>, summary: &HeapSummary) {
    out.extend_from_slice(&summary.live_bytes.to_be_bytes());
    out.extend_from_slice(&summary.live_instances.to_be_bytes());
    out.extend_from_slice(&summary.allocated_bytes.to_be_bytes());
    out.extend_from_slice(&summary.allocated_instances.to_be_bytes());
}

fn cpu_samples(out: &mut Vec<u8>, samples: &CpuSamples) -> Result<(), LowerError> {
    out.extend_from_slice(&samples.total.to_be_bytes());
    put_count(out, "the list of samples", samples.traces.len())?;
    for (count, trace) in &samples.traces {
        out.extend_from_slice(&count.to_be_bytes());
        put_serial(out, *trace);
    }
    Ok(())
}

fn root(out: &mut Vec<u8>, id: IdSize, root: &RootRecord) {
    put_id(out, id, root.object.0);
    match root.kind {
        RootKind::JniGlobal(reference) => put_id(out, id, reference.0),
        RootKind::JniLocal(thread, frame)
        | RootKind::JavaFrame(thread, frame)
        | RootKind::JniMonitor(thread, frame) => {
            put_serial(out, thread);
            out.extend_from_slice(&frame.to_be_bytes());
        }
        RootKind::NativeStack(thread) | RootKind::ThreadBlock(thread) => put_serial(out, thread),
        RootKind::ThreadObject(thread, trace) => {
            put_serial(out, thread);
            put_serial(out, trace);
        }
        RootKind::Unknown
        | RootKind::StickyClass
        | RootKind::MonitorUsed
        | RootKind::InternedString
        | RootKind::Finalizing
        | RootKind::Debugger
        | RootKind::ReferenceCleanup
        | RootKind::VmInternal
        | RootKind::Unreachable => {}
    }
}

fn class_dump(out: &mut Vec<u8>, id: IdSize, class: &ClassDump) -> Result<(), LowerError> {
    let pool_length = LowerError::length16("the constant pool", class.constant_pool.len(), "entries")?;
    let statics_length = LowerError::length16("the list of static fields", class.statics.len(), "entries")?;
    let fields_length = LowerError::length16("the list of instance fields", class.fields.len(), "entries")?;
    out.push(SubTag::CLASS_DUMP.0);
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
    put_id(out, id, instance.id.0);
    put_serial(out, instance.trace);
    put_id(out, id, instance.class.0);
    out.extend_from_slice(&instance.length.to_be_bytes());
    out.extend_from_slice(&instance.values);
}

fn object_array_dump(out: &mut Vec<u8>, id: IdSize, array: &ObjectArrayDump<'_>) {
    put_id(out, id, array.id.0);
    put_serial(out, array.trace);
    out.extend_from_slice(&array.length.to_be_bytes());
    put_id(out, id, array.class.0);
    out.extend_from_slice(&array.elements);
}

fn array_head(out: &mut Vec<u8>, id: IdSize, head: &ArrayHead) {
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
