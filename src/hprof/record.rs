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

use super::wire::Tag;

/// A record that is not a part of a heap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Microseconds since the header's time stamp.
    pub time: u32,
    /// What it says.
    pub body: Body<'a>,
    /// Bytes behind the fields that the record is known to have; kept.
    pub rest: Cow<'a, [u8]>,
}

/// The body of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// STRING IN UTF8, 0x01: the rest of the body is the string, without a terminating zero.
    ///
    /// | bytes | field |
    /// |---|---|
    /// | I | string id |
    /// | to the end | modified UTF-8, not always valid |
    Text(TextId, Cow<'a, [u8]>),
    /// LOAD CLASS, 0x02. One class may be loaded several times; the last record counts.
    ///
    /// | bytes | field |
    /// |---|---|
    /// | 4 | class serial number, above 0 |
    /// | I | class object id |
    /// | 4 | stack trace serial number |
    /// | I | class name string id |
    LoadClass(LoadClass),
    /// UNLOAD CLASS, 0x03: 4 bytes of class serial number.
    UnloadClass(Serial),
    /// STACK FRAME, 0x04.
    ///
    /// | bytes | field |
    /// |---|---|
    /// | I | stack frame id |
    /// | I | method name string id |
    /// | I | method signature string id |
    /// | I | source file name string id |
    /// | 4 | class serial number |
    /// | 4 | line number, signed: above 0 a line, -1 unknown, -2 compiled, -3 native |
    Frame(Frame),
    /// STACK TRACE, 0x05.
    ///
    /// | bytes | field |
    /// |---|---|
    /// | 4 | stack trace serial number |
    /// | 4 | thread serial number |
    /// | 4 | number of frames |
    /// | I each | stack frame ids |
    Trace(Trace),
    /// ALLOC SITES, 0x06.
    ///
    /// | bytes | field |
    /// |---|---|
    /// | 2 | flags: 1 incremental, 2 sorted by allocation, 4 force a collection |
    /// | 4 | cutoff ratio, the bits of a float |
    /// | 4, 4, 8, 8 | live bytes, live instances, bytes allocated, instances allocated |
    /// | 4 | number of sites |
    /// | 25 each | array indicator (1), class serial, trace serial, live bytes, live instances, bytes allocated, instances allocated |
    AllocSites(AllocationSites),
    /// HEAP SUMMARY, 0x07: 4, 4, 8 and 8 bytes, the totals as in ALLOC SITES.
    HeapSummary(HeapSummary),
    /// START THREAD, 0x0a.
    ///
    /// | bytes | field |
    /// |---|---|
    /// | 4 | thread serial number |
    /// | I | thread object id |
    /// | 4 | stack trace serial number |
    /// | I | thread name string id |
    /// | I | thread group name string id |
    /// | I | thread group's parent's name string id |
    StartThread(StartThread),
    /// END THREAD, 0x0b: 4 bytes of thread serial number.
    EndThread(Serial),
    /// CPU SAMPLES, 0x0d: total samples (4), number of traces (4), then samples (4) and stack trace serial
    /// number (4) of each.
    CpuSamples(CpuSamples),
    /// CONTROL SETTINGS, 0x0e: flags (4; 1 allocation traces, 2 CPU sampling), stack trace depth (2).
    ControlSettings(ControlSettings),
    /// HEAP DUMP END, 0x2c: no body.
    End,
    /// A tag that no document lists: readers skip it by its length.
    Unknown(Tag, Cow<'a, [u8]>),
}

impl Record<'_> {
    /// The record's tag.
    pub fn tag(&self) -> Tag {
        match &self.body {
            Body::Text(..) => Tag::STRING_IN_UTF8,
            Body::LoadClass(_) => Tag::LOAD_CLASS,
            Body::UnloadClass(_) => Tag::UNLOAD_CLASS,
            Body::Frame(_) => Tag::STACK_FRAME,
            Body::Trace(_) => Tag::STACK_TRACE,
            Body::AllocSites(_) => Tag::ALLOC_SITES,
            Body::HeapSummary(_) => Tag::HEAP_SUMMARY,
            Body::StartThread(_) => Tag::START_THREAD,
            Body::EndThread(_) => Tag::END_THREAD,
            Body::CpuSamples(_) => Tag::CPU_SAMPLES,
            Body::ControlSettings(_) => Tag::CONTROL_SETTINGS,
            Body::End => Tag::HEAP_DUMP_END,
            Body::Unknown(tag, _) => *tag,
        }
    }
}

/// HEAP DUMP, 0x0c, or HEAP DUMP SEGMENT, 0x1c: the record around sub-records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Which of the two.
    pub tag: Tag,
    /// Microseconds since the header's time stamp.
    pub time: u32,
    /// The length as the record states it.
    pub stated: u32,
    /// The length that it was read with.
    pub length: SegmentLength,
}

/// How far the sub-records of a segment reach.
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
