//! Top-level records: a tag, a time, a length and a body.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 1 | tag |
//! | 1 | 4 | time: microseconds since the header's time stamp, modulo 2^32 |
//! | 5 | 4 | length: bytes of the body, unsigned |
//! | 9 | | body |
//!
//! (S3, record.) I stands for the header's size of identifiers.

use std::borrow::Cow;

use crate::model::{
    AllocationSites, ControlSettings, CpuSamples, Frame, HeapSummary, LoadClass, Serial, StartThread, TextId, Trace,
};

use super::tags::{FlatValues, RecordTag, flat_values};

/// A record that is not a part of a heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Microseconds since the header's time stamp.
    pub time: u32,
    /// The fields and contents of the record.
    pub body: RecordBody<'a>,
    /// Bytes after the fields that the record is known to have; kept.
    pub rest: Cow<'a, [u8]>,
}

/// The body of a record: the fields that [`RecordTag::FORMS`] has for its tag, and what is said here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordBody<'a> {
    /// STRING IN UTF8: the rest of the body is the string, without a terminating zero: modified UTF-8, not always valid.
    Text(TextId, Cow<'a, [u8]>),
    /// LOAD CLASS. One class may be loaded several times; the last record counts. Serial numbers are above 0.
    LoadClass(LoadClass),
    /// UNLOAD CLASS.
    UnloadClass(Serial),
    /// STACK FRAME. A line number above 0 is a line, -1 unknown, -2 compiled, -3 native.
    Frame(Frame),
    /// STACK TRACE: after the fields the number of frames (4), and their ids (I each).
    Trace(Trace),
    /// ALLOC SITES. Flags: 1 incremental, 2 sorted by allocation, 4 force a collection; the cutoff ratio is the bits of a
    /// float. After the fields the number of sites (4); of each (25) array indicator (1), class serial, trace serial, live
    /// bytes, live instances, bytes allocated, instances allocated.
    AllocSites(AllocationSites),
    /// HEAP SUMMARY.
    HeapSummary(HeapSummary),
    /// START THREAD.
    StartThread(StartThread),
    /// END THREAD.
    EndThread(Serial),
    /// CPU SAMPLES: after the fields the number of traces (4), then samples (4) and stack trace serial number (4) of each.
    CpuSamples(CpuSamples),
    /// CONTROL SETTINGS. Flags: 1 allocation traces, 2 CPU sampling.
    ControlSettings(ControlSettings),
    /// HEAP DUMP END, 0x2c: no body.
    End,
    /// A tag that no document lists: readers skip it by its length.
    Unknown(RecordTag, Cow<'a, [u8]>),
}

impl Record<'_> {
    /// The record's tag.
    pub fn tag(&self) -> RecordTag {
        self.body.values().0
    }
}

impl RecordBody<'_> {
    /// The tag, and the values of the tag's fields.
    pub(super) fn values(&self) -> (RecordTag, FlatValues) {
        let (tag, values): (_, &[u64]) = match self {
            RecordBody::Text(id, _) => (RecordTag::STRING_IN_UTF8, &[id.0]),
            RecordBody::LoadClass(r) => {
                (RecordTag::LOAD_CLASS, &[r.serial.0.into(), r.class.0, r.trace.0.into(), r.name.0])
            }
            RecordBody::UnloadClass(serial) => (RecordTag::UNLOAD_CLASS, &[serial.0.into()]),
            RecordBody::Frame(r) => (
                RecordTag::STACK_FRAME,
                &[r.id.0, r.method.0, r.signature.0, r.source.0, r.class.0.into(), r.line as u64],
            ),
            RecordBody::Trace(r) => (RecordTag::STACK_TRACE, &[r.serial.0.into(), r.thread.0.into()]),
            RecordBody::AllocSites(r) => {
                let [a, b, c, d] = totals(&r.totals);
                (RecordTag::ALLOC_SITES, &[r.flags.into(), r.cutoff.into(), a, b, c, d])
            }
            RecordBody::HeapSummary(r) => (RecordTag::HEAP_SUMMARY, &totals(r)),
            RecordBody::StartThread(r) => (
                RecordTag::START_THREAD,
                &[r.serial.0.into(), r.object.0, r.trace.0.into(), r.name.0, r.group.0, r.parent_group.0],
            ),
            RecordBody::EndThread(serial) => (RecordTag::END_THREAD, &[serial.0.into()]),
            RecordBody::CpuSamples(r) => (RecordTag::CPU_SAMPLES, &[r.total.into()]),
            RecordBody::ControlSettings(r) => (RecordTag::CONTROL_SETTINGS, &[r.flags.into(), r.depth.into()]),
            RecordBody::End => (RecordTag::HEAP_DUMP_END, &[]),
            RecordBody::Unknown(tag, _) => (*tag, &[]),
        };
        (tag, flat_values(values))
    }
}

fn totals(summary: &HeapSummary) -> [u64; 4] {
    let HeapSummary { live_bytes, live_instances, allocated_bytes, allocated_instances } = *summary;
    [live_bytes.into(), live_instances.into(), allocated_bytes, allocated_instances]
}

/// HEAP DUMP, 0x0c, or HEAP DUMP SEGMENT, 0x1c: the record around sub-records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The tag: one of the two.
    pub tag: RecordTag,
    /// Microseconds since the header's time stamp.
    pub time: u32,
    /// The length as the record states it.
    pub stated: u32,
    /// The length that it was read with.
    pub length: SegmentLength,
}

/// The reach of a segment's sub-records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentLength {
    /// As the record states.
    Stated,
    /// The stated length wrapped at 2^32; this is the true one.
    Wrapped(u64),
    /// The stated length is 0 because the writer died before it patched it: to the end of the file, or to
    /// a byte that begins no sub-record but a dump record.
    Unpatched,
}

impl Segment {
    /// Bytes of the body, where they are known.
    pub fn bytes(&self) -> Option<u64> {
        match self.length {
            SegmentLength::Stated => Some(u64::from(self.stated)),
            SegmentLength::Wrapped(length) => Some(length),
            SegmentLength::Unpatched => None,
        }
    }
}
