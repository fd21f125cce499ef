//! The records of an HPROF dump in words, and as they are spelled.

use std::io::Write;

use crate::error::{DecodeError, Error};
use crate::family::{Listed, RecordLine, Records, flush_if_full, write_failed};
use crate::input::Stream;
use crate::model::{Address, Name};

use super::record::{Body, Record, Segment, SegmentLength};
use super::sub_record::SubRecord;
use super::tags::FlatWidth;
use super::{Decoder, Step, encode};

/// An HPROF dump at its start.
pub(super) struct HprofRecords(pub(super) Decoder<Stream>);

impl Records for HprofRecords {
    fn copy(self: Box<Self>, out: &mut dyn Write) -> Result<Option<DecodeError>, Error> {
        let mut decoder = self.0;
        let mut buffer = Vec::new();
        encode::header(&mut buffer, decoder.header());
        let id = decoder.header().id_size;
        decoder.visit(|step| {
            match step {
                Step::Record(at, record) => encode::record(&mut buffer, id, record, at.rest)?,
                Step::Segment(_, segment) => encode::segment(&mut buffer, &segment),
                Step::Sub(_, sub_record) => encode::sub_record(&mut buffer, id, sub_record)?,
                Step::More(at) => buffer.extend_from_slice(at.bytes),
                Step::SegmentEnd(_) => {}
            }
            flush_if_full(&mut buffer, out)
        })?;
        out.write_all(&buffer).map_err(write_failed)?;
        Ok(None)
    }

    fn list(self: Box<Self>, each: &mut dyn FnMut(Listed) -> Result<(), Error>) -> Result<(), Error> {
        let mut decoder = self.0;
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
            each(Listed::Record(RecordLine { record: at.index, offset: at.offset, length, kind, address, detail }))
        })?;
        Ok(())
    }
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
        SubRecord::Flat(form, values) => {
            let shown = form.fields.iter().zip(values).map(|(field, value)| match field.width {
                FlatWidth::Id => format!("{} {}", field.name, Address(*value)),
                FlatWidth::Unsigned(_) | FlatWidth::Signed(_) => format!("{} {}", field.name, *value as i64),
            });
            shown.collect::<Vec<_>>().join(", ")
        }
    }
}
