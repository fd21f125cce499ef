//! Files around the bytes of a test, and what they are read as.

use std::io::{self, Read};

use heapsmith::error::DecodeError;
use heapsmith::hprof::record::RecordBody;
use heapsmith::hprof::{DecodeStep, Decoder, Record, RecordSlice, Segment, SubRecord, encode, lift};
use heapsmith::model::{Dump, Heap, Name};
use hex_literal::hex;
use pretty_assertions::assert_eq;

/// The identifier sizes, in the order in which rows spell them.
pub(crate) const SIZES: [usize; 4] = [1, 2, 4, 8];

/// The last characters of the versions.
pub(crate) const VERSIONS: [u8; 3] = [b'1', b'2', b'3'];

/// Bytes of a header, and so the offset of the first record.
pub(crate) const FIRST: u64 = 31;

/// Bytes of a header and a segment's tag, time and length: the offset of the first sub-record.
pub(crate) const FIRST_SUB: u64 = 40;

/// A header with the last character of its version and a size of identifiers.
pub(crate) fn header(version: u8, size: usize) -> Vec<u8> {
    let mut header = hex!("4a415641 20 50524f46494c45 20 312e302e").to_vec(); // "JAVA PROFILE 1.0."
    header.extend([version, 0, 0, 0, 0, size as u8]);
    header.extend(hex!("0000018b cfe56800")); // 1,700,000,000,000 ms
    header
}

/// A file of version 1.0.2 with these records.
pub(crate) fn file(size: usize, records: &[&[u8]]) -> Vec<u8> {
    [&header(b'2', size)[..], &records.concat()].concat()
}

/// A HEAP DUMP SEGMENT around sub-records.
pub(crate) fn segment(sub_records: &[&[u8]]) -> Vec<u8> {
    dump_record(0x1c, sub_records)
}

/// A HEAP DUMP around sub-records.
pub(crate) fn heap_dump(sub_records: &[&[u8]]) -> Vec<u8> {
    dump_record(0x0c, sub_records)
}

fn dump_record(tag: u8, sub_records: &[&[u8]]) -> Vec<u8> {
    let body = sub_records.concat();
    let mut record = vec![tag, 0, 0, 0, 0];
    record.extend((body.len() as u32).to_be_bytes());
    record.extend(body);
    record
}

/// A HEAP DUMP END.
pub(crate) const END: [u8; 9] = hex!("2c 00000000 00000000");

/// Where a step was, with its bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spot {
    pub(crate) index: u64,
    pub(crate) offset: u64,
    pub(crate) bytes: Vec<u8>,
    pub(crate) rest: u64,
}

/// A step, owned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Seen {
    Record(Spot, Record<'static>),
    Segment(Spot, Segment),
    Sub(Spot, SubRecord<'static>),
    More(Spot),
    SegmentEnd(u64),
}

/// Everything that a decoder delivers, and how it ends.
pub(crate) fn steps_of<R: Read>(decoder: &mut Decoder<R>) -> (Vec<Seen>, Result<u64, DecodeError>) {
    let mut seen = Vec::new();
    let ended = decoder.visit::<DecodeError, _>(|step| {
        seen.push(match step {
            DecodeStep::Record(at, record) => Seen::Record(spot(at), owned(record)),
            DecodeStep::Segment(at, segment) => Seen::Segment(spot(at), segment),
            DecodeStep::Sub(at, sub_record) => Seen::Sub(spot(at), sub_record.clone().into_owned()),
            DecodeStep::More(at) => Seen::More(spot(at)),
            DecodeStep::SegmentEnd(offset) => Seen::SegmentEnd(offset),
        });
        Ok(())
    });
    (seen, ended)
}

/// The same of a file at hand.
pub(crate) fn steps(file: &[u8]) -> (Vec<Seen>, Result<u64, DecodeError>) {
    steps_of(&mut Decoder::new(file).unwrap_or_else(|e| panic!("{e}: {}", spelled(file))))
}

/// The steps of a sound file, which is written again from them: the same bytes.
pub(crate) fn read(file: &[u8]) -> Vec<Seen> {
    let (seen, ended) = steps(file);
    let length = ended.unwrap_or_else(|e| panic!("{e}: {}", spelled(file)));
    assert_eq!(length, file.len() as u64, "read to the end: {}", spelled(file));
    let header = *Decoder::new(file).expect("read before").header();
    assert_eq!(spelled(&written(&header, &seen)), spelled(file), "written again");
    seen
}

/// What the encoder makes of steps.
pub(crate) fn written(header: &heapsmith::hprof::Header, seen: &[Seen]) -> Vec<u8> {
    let mut written = Vec::new();
    encode::header(&mut written, header);
    for step in seen {
        match step {
            Seen::Record(at, record) => {
                encode::record(&mut written, header.id_size, record, at.rest).expect("it was read");
            }
            Seen::Segment(_, segment) => encode::segment(&mut written, segment),
            Seen::Sub(_, sub_record) => {
                encode::sub_record(&mut written, header.id_size, sub_record).expect("it was read");
            }
            Seen::More(at) => written.extend(&at.bytes),
            Seen::SegmentEnd(_) => {}
        }
    }
    written
}

/// How reading a file fails: the rule, the offset, the record and the field.
pub(crate) fn failure(file: &[u8]) -> (&'static str, u64, Option<u64>, &'static str) {
    match Decoder::new(file) {
        Ok(mut decoder) => told(steps_of(&mut decoder).1.err()),
        Err(e) => told(Some(e)),
    }
}

pub(crate) fn told(error: Option<DecodeError>) -> (&'static str, u64, Option<u64>, &'static str) {
    let error = error.expect("reading fails");
    (error.rule().0, error.offset(), error.record(), error.field())
}

/// The heaps of a sound file.
pub(crate) fn heaps(file: &[u8]) -> Dump {
    read(file);
    let (whole, ended) = lift::dump(|| Ok(Decoder::new(file)?)).expect("the header is sound");
    ended.unwrap_or_else(|e| panic!("{e}: {}", spelled(file)));
    whole.dump
}

/// The only heap of a sound file.
pub(crate) fn heap(file: &[u8]) -> Heap {
    let mut dump = heaps(file);
    assert_eq!((dump.heaps.len(), dump.tail.len()), (1, 0));
    dump.heaps.remove(0)
}

/// A reader that gives this many bytes at a time.
#[derive(Debug)]
pub(crate) struct Trickle<'b>(pub(crate) &'b [u8], pub(crate) usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// Bytes as a failed assertion shows them best.
pub(crate) fn spelled(bytes: &[u8]) -> String {
    let shown = bytes.iter().take(2048).map(|b| format!("{b:02x} ")).collect();
    if bytes.len() > 2048 { format!("{shown}... {} bytes", bytes.len()) } else { shown }
}

pub(crate) fn name(text: &str) -> Name {
    Name::from_bytes(text.as_bytes())
}

fn spot(at: RecordSlice<'_>) -> Spot {
    Spot { index: at.index, offset: at.offset, bytes: at.bytes.to_vec(), rest: at.rest }
}

fn owned(record: &Record<'_>) -> Record<'static> {
    let body = match record.body.clone() {
        RecordBody::Text(id, text) => RecordBody::Text(id, text.into_owned().into()),
        RecordBody::LoadClass(r) => RecordBody::LoadClass(r),
        RecordBody::UnloadClass(r) => RecordBody::UnloadClass(r),
        RecordBody::Frame(r) => RecordBody::Frame(r),
        RecordBody::Trace(r) => RecordBody::Trace(r),
        RecordBody::AllocSites(r) => RecordBody::AllocSites(r),
        RecordBody::HeapSummary(r) => RecordBody::HeapSummary(r),
        RecordBody::StartThread(r) => RecordBody::StartThread(r),
        RecordBody::EndThread(r) => RecordBody::EndThread(r),
        RecordBody::CpuSamples(r) => RecordBody::CpuSamples(r),
        RecordBody::ControlSettings(r) => RecordBody::ControlSettings(r),
        RecordBody::End => RecordBody::End,
        RecordBody::Unknown(tag, body) => RecordBody::Unknown(tag, body.into_owned().into()),
    };
    Record { time: record.time, body, rest: record.rest.clone().into_owned().into() }
}
