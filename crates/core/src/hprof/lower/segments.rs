//! The ends of segments, and their lengths: the only place that knows.
//!
//! A segment of bounded size is held in memory until it ends, or until what it ends with is known. The length of one that may grow without bound is
//! known from a pass that only measures, so a stream that cannot seek is written in the same way as a file.

use std::collections::VecDeque;
use std::io::Write;

use crate::bytes::WindowWriter;
use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::{Error, LowerError};
use crate::hprof::encode;
use crate::hprof::record::{Segment, SegmentLength};
use crate::hprof::wire::{HEAD, RecordTag, SubRecordTag};
use crate::model::long::{SPOOLED, Spool, SpoolEntry};

use super::profiles::{Framing, SegmentCut};

/// Writes records and sub-records, putting segments around the latter.
pub(super) struct SegmentWriter<'o> {
    out: WindowSink<'o>,
    framing: Framing,
    cutter: SegmentCutter,
    buffer: Vec<u8>,
    /// The place of the open segment's head in the buffer, while it is still there.
    head: Option<usize>,
    /// The bytes before the buffer, of an open segment that has become too long to be held.
    overflow: Option<SegmentOverflow>,
    open: bool,
    /// Bytes of sub-records in the open segment.
    length: u64,
    time: u32,
    pass: SegmentPass,
}

/// The receiver of the bytes.
pub(super) type WindowSink<'o> = WindowWriter<&'o mut dyn Write>;

/// The outcome of a pass.
pub(super) struct WrittenSegments {
    /// The facts that were to be found out.
    pub(super) measures: SegmentMeasures,
    /// Length of the dump.
    pub(super) bytes: u64,
}

/// The facts about segments that a pass in advance finds out.
#[derive(Default)]
pub(super) struct SegmentMeasures {
    /// Lengths of segments without bound.
    lengths: VecDeque<u64>,
    /// The number of sub-records of each heap, those left out that a segment begins with by itself.
    sub_records: VecDeque<u64>,
}

impl SegmentMeasures {
    /// Refuses more segments than a heap has sub-records: none is empty.
    pub(super) fn check_cut(&self, cut: SegmentCut) -> Result<(), Error> {
        let SegmentCut::Count(segments) = cut else { return Ok(()) };
        let fewest = self.sub_records.iter().copied().enumerate().min_by_key(|(_, count)| *count);
        // A heap without a sub-record has a dump record all the same.
        let Some((number, count)) = fewest.filter(|(_, count)| segments > *count.max(&1)) else { return Ok(()) };
        let heap = if self.sub_records.len() > 1 { format!("heap {number}") } else { "the heap".to_owned() };
        let most = count.max(1);
        Err(Error::Usage(format!(
            "segments={segments}: {heap} has {count} sub-records here, and each segment takes at least one; ask for at most {most}"
        )))
    }
}

/// The start of a segment, and what follows it in a temporary file.
struct SegmentOverflow {
    start: Vec<u8>,
    spool: Spool,
    filling: SpoolEntry,
}

/// A pass over a dump.
pub(super) enum SegmentPass {
    /// Finds out: nothing is written.
    Measure(SegmentMeasures),
    /// Writes, with what was found out before.
    Write(SegmentMeasures),
}

impl<'o> SegmentWriter<'o> {
    pub(super) fn new(out: WindowSink<'o>, framing: Framing, seed: u64, pass: SegmentPass) -> SegmentWriter<'o> {
        SegmentWriter {
            out,
            framing,
            cutter: SegmentCutter::new(framing.cut, seed),
            buffer: Vec::with_capacity(FLUSH * 2),
            head: None,
            overflow: None,
            open: false,
            length: 0,
            time: 0,
            pass,
        }
    }

    /// Bytes outside of segments; an open one ends.
    pub(super) fn write_raw(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), LowerError>,
    ) -> Result<(), Error> {
        self.close()?;
        let start = self.buffer.len();
        write(&mut self.buffer)?;
        self.cutter.count_raw((self.buffer.len() - start) as u64);
        self.flush_if_full()
    }

    /// A heap begins, whose dump records have this TIME.
    pub(super) fn begin_heap(&mut self, time: u32) {
        self.time = time;
        let sub_records = match &mut self.pass {
            SegmentPass::Measure(_) => None,
            SegmentPass::Write(measures) => measures.sub_records.pop_front(),
        };
        self.cutter.begin_heap(sub_records);
    }

    /// Makes room for a sub-record of that many bytes; whether a segment begins with it.
    pub(super) fn make_room(&mut self, tag: SubRecordTag, length: u64) -> Result<bool, Error> {
        if self.open && self.cutter.ends_before(tag, length) {
            self.close()?;
        }
        if self.open {
            return Ok(false);
        }
        for _ in 0..self.cutter.empty_segments() {
            self.open()?;
            self.close()?;
        }
        self.open()?;
        self.cutter.begins_with(length);
        Ok(true)
    }

    /// The sub-record that room was made for.
    pub(super) fn sub_record(
        &mut self,
        tag: SubRecordTag,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), LowerError>,
    ) -> Result<(), Error> {
        let start = self.buffer.len();
        write(&mut self.buffer)?;
        let length = (self.buffer.len() - start) as u64;
        self.length += length;
        self.cutter.wrote(tag, length);
        self.flush_if_full()
    }

    /// Whether the open segment has room for that many sub-records with that many bytes in all, whatever they are.
    pub(super) fn has_room_for(&self, length: u64, count: u64) -> bool {
        self.open && self.cutter.has_room_for(length, count)
    }

    /// Sub-records of that many bytes that the open segment takes.
    pub(super) fn sub_records(
        &mut self,
        length: u64,
        count: u64,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), LowerError>,
    ) -> Result<(), Error> {
        if self.writes() {
            write(&mut self.buffer)?;
        }
        self.length += length;
        self.cutter.wrote_together(length, count);
        self.flush_if_full()
    }

    /// A sub-record of this length whose contents are put piece by piece ([`SegmentWriter::write_piece`]).
    pub(super) fn long_sub_record(
        &mut self,
        tag: SubRecordTag,
        length: u64,
        put: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.writes() {
            if let Some(head) = self.head
                && self.cutter.ends_after(tag, self.length + length)
            {
                self.state_length(head, self.length + length)?;
                self.head = None;
                self.flush_overflow()?;
            }
            put(self)?;
        }
        self.length += length;
        self.cutter.wrote(tag, length);
        self.flush_if_full()
    }

    /// A piece of a long sub-record.
    pub(super) fn write_piece(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), LowerError>,
    ) -> Result<(), Error> {
        write(&mut self.buffer)?;
        self.flush_if_full()
    }

    /// A heap ends. One without a sub-record has a dump record all the same.
    pub(super) fn end_heap(&mut self, empty: bool, time: u32) -> Result<(), Error> {
        if empty {
            self.open()?;
        }
        self.close()?;
        if let SegmentPass::Measure(measures) = &mut self.pass {
            measures.sub_records.push_back(self.cutter.shares.written);
        }
        if self.framing.end {
            self.write_raw(|out| {
                encode::head(out, RecordTag::HEAP_DUMP_END, time, 0);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The numbers of segments before and after the window, of `count` that come next, with `length` bytes of
    /// sub-records each.
    pub(super) fn segments_outside_window(&mut self, count: u64, length: u64) -> Result<(u64, u64), Error> {
        self.close()?;
        self.flush()?;
        Ok(self.out.beyond(count, HEAD as u64 + length))
    }

    /// Counts such segments as written.
    pub(super) fn skip(&mut self, count: u64, length: u64) -> Result<(), Error> {
        self.close()?;
        self.flush()?;
        self.out.skip(count * (HEAD as u64 + length));
        Ok(())
    }

    /// A segment of its own for sub-records of that many bytes.
    pub(super) fn segment(
        &mut self,
        length: u64,
        count: u64,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), LowerError>,
    ) -> Result<(), Error> {
        self.close()?;
        self.open()?;
        self.sub_records(length, count, write)?;
        self.close()
    }

    /// Writes what is left.
    pub(super) fn finish(mut self) -> Result<WrittenSegments, Error> {
        self.close()?;
        self.flush()?;
        let (SegmentPass::Measure(measures) | SegmentPass::Write(measures)) = self.pass;
        Ok(WrittenSegments { measures, bytes: self.out.offset() })
    }

    /// Whether this pass writes.
    fn writes(&self) -> bool {
        matches!(self.pass, SegmentPass::Write(_))
    }

    fn open(&mut self) -> Result<(), Error> {
        let is_bounded = self.framing.cut.is_bounded();
        let stated = match &mut self.pass {
            SegmentPass::Write(measures) if !is_bounded => measures.lengths.pop_front().unwrap_or_default(),
            _ => 0,
        };
        let stated = self.length_field(stated)?;
        self.head = (is_bounded && self.writes()).then_some(self.buffer.len());
        let (tag, time) = (self.framing.tag, self.time);
        encode::segment(&mut self.buffer, &Segment { tag, time, stated, length: SegmentLength::Stated });
        self.cutter.opened();
        self.open = true;
        self.length = 0;
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        if !std::mem::take(&mut self.open) {
            return Ok(());
        }
        if let Some(head) = self.head.take() {
            self.state_length(head, self.length)?;
            self.flush_overflow()?;
        } else if let SegmentPass::Measure(measures) = &mut self.pass
            && !self.framing.cut.is_bounded()
        {
            measures.lengths.push_back(self.length);
        }
        self.cutter.closed();
        self.flush_if_full()
    }

    /// Puts the length of a segment into its head.
    fn state_length(&mut self, head: usize, length: u64) -> Result<(), Error> {
        let field = self.length_field(length)?.to_be_bytes();
        let start = self.overflow.as_mut().map_or(&mut self.buffer, |overflow| &mut overflow.start);
        start[head + 5..head + 9].copy_from_slice(&field);
        Ok(())
    }

    fn length_field(&self, length: u64) -> Result<u32, LowerError> {
        u32::try_from(length).map_err(|_| {
            let remedy = match self.framing.cut {
                SegmentCut::Count(_) => "ask for more segments",
                _ => "take a profile with segments",
            };
            LowerError::Profile(format!("a dump record of {length} bytes is beyond its 4-byte length; {remedy}"))
        })
    }

    fn flush_if_full(&mut self) -> Result<(), Error> {
        match self.head {
            None if self.buffer.len() >= FLUSH => self.flush(),
            Some(_) if self.buffer.len() >= OVERFLOW => self.spool_buffer(),
            _ => Ok(()),
        }
    }

    /// Takes what there is of an open segment out of memory.
    fn spool_buffer(&mut self) -> Result<(), Error> {
        // One that is too long already would only fill the disk.
        self.length_field(self.length)?;
        let failed = |e| Error::io("holding a segment", e);
        let bytes = std::mem::take(&mut self.buffer);
        match &mut self.overflow {
            None => {
                let mut spool = Spool::new(0, SPOOLED);
                let filling = spool.begin().map_err(failed)?;
                self.overflow = Some(SegmentOverflow { start: bytes, spool, filling });
            }
            Some(SegmentOverflow { spool, filling, .. }) => {
                spool.append(filling, &bytes).map_err(failed)?;
                self.buffer = bytes;
                self.buffer.clear();
            }
        }
        Ok(())
    }

    /// Writes what was taken out of memory of a segment that has ended.
    fn flush_overflow(&mut self) -> Result<(), Error> {
        let Some(SegmentOverflow { start, mut spool, filling }) = self.overflow.take() else { return Ok(()) };
        let mut write = |bytes: &[u8]| self.out.write_all(bytes).map_err(|e| Error::io("writing the dump", e));
        write(&start)?;
        spool.finish(filling).plain().visit(write)?;
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.writes() {
            self.out.write_all(&self.buffer).map_err(|e| Error::io("writing the dump", e))?;
        }
        self.buffer.clear();
        Ok(())
    }
}

/// When a writer ends a segment. All of them see to it before a sub-record, never inside one.
struct SegmentCutter {
    cut: SegmentCut,
    draw: SeedDraw,
    /// The buffer that sub-records go through, as far as it is used.
    used: u64,
    /// Its part that the present segment may fill, and how much of that is filled.
    capacity: u64,
    position: u64,
    /// Whether nothing more comes into the segment: its first sub-record is larger than the buffer, say.
    alone: bool,
    /// Whether a heap dump info came last: the object that it is for stays with it.
    info_last: bool,
    /// Classes, objects and roots in the segment, and the bytes of all sub-records.
    count: u64,
    length: u64,
    shares: SegmentShares,
}

/// The classes, objects and roots of a heap, shared out over an asked-for number of segments, of which each has as many as
/// every other, or one more.
#[derive(Clone, Copy, Debug, Default)]
struct SegmentShares {
    segments: u64,
    sub_records: u64,
    /// The segments that have ended.
    ended: u64,
    written: u64,
}

impl SegmentShares {
    /// The number that are written when the open segment ends; the last one takes what comes.
    fn written_at_end(self) -> u64 {
        let next = u128::from(self.ended) + 1;
        if next >= u128::from(self.segments) {
            return u64::MAX;
        }
        (next * u128::from(self.sub_records) / u128::from(self.segments)) as u64
    }
}

impl SegmentCutter {
    fn new(cut: SegmentCut, seed: u64) -> SegmentCutter {
        let draw = SeedDraw::new(seed, DrawStream::Cuts);
        let capacity = if let SegmentCut::OwnBuffer(size) = cut { size } else { BUFFER };
        SegmentCutter {
            cut,
            draw,
            used: 0,
            capacity,
            position: 0,
            alone: false,
            info_last: false,
            count: 0,
            length: 0,
            shares: SegmentShares::default(),
        }
    }

    /// A heap begins, with that many classes, objects and roots if they were counted.
    fn begin_heap(&mut self, sub_records: Option<u64>) {
        self.shares = match (self.cut, sub_records) {
            (SegmentCut::Count(segments), Some(sub_records)) => {
                SegmentShares { segments, sub_records, ..SegmentShares::default() }
            }
            _ => SegmentShares::default(),
        };
    }

    /// Bytes outside of segments. HotSpot up to 21 sends them through the same buffer.
    fn count_raw(&mut self, bytes: u64) {
        if self.cut == SegmentCut::SharedBuffer {
            self.fill_buffer(bytes);
        }
    }

    fn ends_before(&mut self, tag: SubRecordTag, length: u64) -> bool {
        match self.cut {
            SegmentCut::Whole | SegmentCut::Giant => false,
            SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_) => self.alone || length > self.capacity - self.position,
            SegmentCut::Arrays => self.alone || is_array(tag),
            SegmentCut::Each => true,
            SegmentCut::Android => {
                let is_full = self.count >= ANDROID_COUNT || HEAD as u64 + self.length >= ANDROID_BYTES;
                is_full && !self.info_last
            }
            SegmentCut::Drawn => self.draw.one_in(6),
            // A heap dump info goes with the object that it is for.
            SegmentCut::Count(_) => self.shares.written >= self.shares.written_at_end(),
        }
    }

    /// Whether the open segment ends with a sub-record that brings it to `length` bytes, whatever comes next.
    fn ends_after(&self, tag: SubRecordTag, length: u64) -> bool {
        match self.cut {
            SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_) => self.alone,
            SegmentCut::Arrays => is_array(tag),
            SegmentCut::Each => true,
            SegmentCut::Android => self.count + 1 >= ANDROID_COUNT || HEAD as u64 + length >= ANDROID_BYTES,
            SegmentCut::Count(_) => {
                tag != SubRecordTag::HEAP_DUMP_INFO && self.shares.written + 1 >= self.shares.written_at_end()
            }
            SegmentCut::Whole | SegmentCut::Giant | SegmentCut::Drawn => false,
        }
    }

    /// Segments without a sub-record that stand before the next one.
    fn empty_segments(&mut self) -> u64 {
        if self.cut == SegmentCut::Drawn && self.draw.one_in(8) { self.draw.between(1, 2) } else { 0 }
    }

    fn opened(&mut self) {
        self.count = 0;
        self.length = 0;
        if matches!(self.cut, SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_)) {
            if self.position > 0 {
                self.flush();
            }
            self.fill_buffer(HEAD as u64);
        }
    }

    fn begins_with(&mut self, length: u64) {
        if matches!(self.cut, SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_)) {
            self.alone = length > self.capacity - HEAD as u64;
        }
    }

    fn wrote(&mut self, tag: SubRecordTag, bytes: u64) {
        self.info_last = tag == SubRecordTag::HEAP_DUMP_INFO;
        self.count += u64::from(!self.info_last);
        self.shares.written += u64::from(!self.info_last);
        self.length += bytes;
        if self.cut == SegmentCut::Arrays {
            // Roots never end a segment.
            let is_object = matches!(tag, SubRecordTag::CLASS_DUMP | SubRecordTag::INSTANCE_DUMP);
            self.alone |= is_array(tag) || is_object && self.length + HEAD as u64 > BUFFER;
        }
        if matches!(self.cut, SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_)) {
            self.fill_buffer(bytes);
        }
    }

    /// Whether that many sub-records with that many bytes in all go into the open segment, whatever they are.
    fn has_room_for(&self, length: u64, count: u64) -> bool {
        match self.cut {
            SegmentCut::Count(_) => self.shares.written.saturating_add(count) <= self.shares.written_at_end(),
            SegmentCut::Whole | SegmentCut::Giant => true,
            SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_) => {
                !self.alone && length <= self.capacity - self.position
            }
            SegmentCut::Arrays | SegmentCut::Each | SegmentCut::Android | SegmentCut::Drawn => false,
        }
    }

    fn wrote_together(&mut self, bytes: u64, count: u64) {
        self.info_last = false;
        self.count += count;
        self.shares.written += count;
        self.length += bytes;
        if matches!(self.cut, SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_)) {
            self.fill_buffer(bytes);
        }
    }

    fn closed(&mut self) {
        self.alone = false;
        self.shares.ended += 1;
        if matches!(self.cut, SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_)) {
            self.flush();
        }
    }

    /// A buffer is filled to the brim before it is flushed.
    fn fill_buffer(&mut self, mut bytes: u64) {
        while bytes > self.capacity - self.position {
            bytes -= self.capacity - self.position;
            self.position = self.capacity;
            self.flush();
        }
        self.position += bytes;
    }

    /// Empties the buffer. The rest of a shared buffer serves on, if it is more than a little.
    fn flush(&mut self) {
        if let SegmentCut::OwnBuffer(size) = self.cut {
            (self.capacity, self.position) = (size, 0);
            return;
        }
        self.used += self.position;
        if BUFFER - self.used <= WASTE {
            self.used = 0;
        }
        self.capacity = BUFFER - self.used;
        self.position = 0;
    }
}

fn is_array(tag: SubRecordTag) -> bool {
    matches!(tag, SubRecordTag::OBJECT_ARRAY_DUMP | SubRecordTag::PRIMITIVE_ARRAY_DUMP)
}

/// HotSpot's buffer (dumps of JDK 17, 21 and 25).
const BUFFER: u64 = 1 << 20;
/// Less than this of a shared buffer is not used on (dumps of JDK 17 and 21).
const WASTE: u64 = 10 * 1024;
/// ART ends a segment that has that many classes, objects and roots, or that many bytes with its head (hprof.cc).
const ANDROID_COUNT: u64 = 128;
const ANDROID_BYTES: u64 = 4096;
const FLUSH: usize = 64 * 1024;
/// An open segment is held up to this number of bytes.
const OVERFLOW: usize = 32 << 20;
