//! The records of an HPROF dump in words, and as they are spelled.

use std::fmt::Display;
use std::io::Write;

use crate::error::{DecodeError, Error};
use crate::family::{ListedPart, RecordField, RecordLine, Records, flush_if_full, write_failed};
use crate::input::InputStream;
use crate::model::{Address, Name};

use super::record::{Record, RecordBody, Segment, SegmentLength};
use super::sub_record::{ArrayHead, SubRecord};
use super::tags::{FlatField, FlatValues, FlatWidth};
use super::{DecodeStep, Decoder, encode};

/// An HPROF dump at its start.
pub(super) struct HprofRecords(pub(super) Decoder<InputStream>);

impl Records for HprofRecords {
    fn copy(self: Box<Self>, out: &mut dyn Write) -> Result<Option<DecodeError>, Error> {
        let mut decoder = self.0;
        let mut buffer = Vec::new();
        encode::header(&mut buffer, decoder.header());
        let id = decoder.header().id_size;
        decoder.visit(|step| {
            match step {
                DecodeStep::Record(at, record) => encode::record(&mut buffer, id, record, at.rest)?,
                DecodeStep::Segment(_, segment) => encode::segment(&mut buffer, &segment),
                DecodeStep::Sub(_, sub_record) => encode::sub_record(&mut buffer, id, sub_record)?,
                DecodeStep::More(at) => buffer.extend_from_slice(at.bytes),
                DecodeStep::SegmentEnd(_) => {}
            }
            flush_if_full(&mut buffer, out)
        })?;
        out.write_all(&buffer).map_err(write_failed)?;
        Ok(None)
    }

    fn list(self: Box<Self>, each: &mut dyn FnMut(ListedPart) -> Result<(), Error>) -> Result<(), Error> {
        let mut decoder = self.0;
        decoder.visit(|step| {
            let (at, kind, address, fields) = match step {
                DecodeStep::Record(at, record) => (at, record.tag().to_string(), None, record_fields(record)),
                DecodeStep::Segment(at, segment) => (at, segment.tag.to_string(), None, segment_fields(&segment)),
                DecodeStep::Sub(at, sub_record) => {
                    let kind = format!("  {}", sub_record.tag());
                    (at, kind, sub_record.address().map(|a| a.to_string()), sub_fields(sub_record))
                }
                DecodeStep::More(_) | DecodeStep::SegmentEnd(_) => return Ok(()),
            };
            let length = at.bytes.len() as u64 + at.rest;
            each(ListedPart::Record(RecordLine { record: at.index, offset: at.offset, length, kind, address, fields }))
        })?;
        Ok(())
    }
}

fn record_fields(record: &Record<'_>) -> Vec<RecordField> {
    let (tag, values) = record.body.values();
    let mut fields = flat_fields(tag.fields(), &values);
    fields.extend(match &record.body {
        RecordBody::Text(_, text) => Some(RecordField::new("string", Name::from_bytes(text.as_ref()).quoted())),
        RecordBody::Trace(r) => Some(RecordField::new("number of frames", r.frames.len())),
        RecordBody::AllocSites(r) => Some(RecordField::new("number of sites", r.sites.len())),
        RecordBody::CpuSamples(r) => Some(RecordField::new("number of traces", r.traces.len())),
        RecordBody::Unknown(_, bytes) => Some(RecordField::new("bytes", bytes.len())),
        _ => None,
    });
    fields
}

fn segment_fields(segment: &Segment) -> Vec<RecordField> {
    let stated = RecordField::new("length", segment.stated);
    match segment.length {
        SegmentLength::Stated => vec![stated],
        SegmentLength::Wrapped(length) => vec![stated, RecordField::new("true length", length)],
        SegmentLength::Unpatched => vec![stated, RecordField::new("true length", "never patched")],
    }
}

fn sub_fields(sub_record: &SubRecord<'_>) -> Vec<RecordField> {
    let field = |name, value: &dyn Display| RecordField::new(name, value);
    let array =
        |head: &ArrayHead| vec![field("element type", &head.element), field("number of elements", &head.length)];
    if let Some((form, values)) = sub_record.values() {
        return flat_fields(form.fields, &values);
    }
    match sub_record {
        SubRecord::Class(r) => vec![
            field("super class object id", &r.superclass),
            field("class loader object id", &r.loader),
            field("instance size", &r.instance_size),
            field("number of static fields", &r.statics.len()),
            field("number of instance fields", &r.fields.len()),
        ],
        SubRecord::Instance(r) => {
            vec![field("class object id", &r.class), field("number of bytes that follow", &r.length)]
        }
        SubRecord::ObjectArray(r) => {
            vec![field("array class object id", &r.class), field("number of elements", &r.length)]
        }
        SubRecord::PrimitiveArray(r) => array(&r.head),
        SubRecord::NoDataArray(head) => array(head),
        SubRecord::Root(_) | SubRecord::HeapInfo(..) | SubRecord::Flat(..) => Vec::new(),
    }
}

fn flat_fields(fields: &[FlatField], values: &FlatValues) -> Vec<RecordField> {
    let field = |(field, value): (&FlatField, &u64)| match field.width {
        FlatWidth::Id => RecordField::new(field.name, Address(*value)),
        FlatWidth::Unsigned(_) => RecordField::new(field.name, value),
        FlatWidth::Signed(_) => RecordField::new(field.name, *value as i64),
    };
    fields.iter().zip(values).map(field).collect()
}
