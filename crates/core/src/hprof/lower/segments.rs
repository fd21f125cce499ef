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
    lengths: SegmentLengths,
}

/// The receiver of the bytes.
pub(super) type WindowSink<'o> = WindowWriter<&'o mut dyn Write>;

/// The lengths that a writer counted.
pub(super) struct WrittenSegments {
    /// Lengths of segments without bound, where they were to be found out.
    pub(super) lengths: Vec<u64>,
    /// Length of the dump.
    pub(super) bytes: u64,
}

/// The start of a segment, and what follows it in a temporary file.
struct SegmentOverflow {
    start: Vec<u8>,
    spool: Spool,
    filling: SpoolEntry,
}

/// Lengths of segments without bound.
pub(super) enum SegmentLengths {
    /// To be found out: nothing is written.
    Measure(Vec<u64>),
    /// Found out before.
    Known(VecDeque<u64>),
}

impl<'o> SegmentWriter<'o> {
    pub(super) fn new(out: WindowSink<'o>, framing: Framing, seed: u64, lengths: SegmentLengths) -> SegmentWriter<'o> {
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
            lengths,
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

    /// The dump records from here on have this TIME.
    pub(super) fn set_time(&mut self, time: u32) {
        self.time = time;
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

    /// Whether the open segment has room for sub-records of that many bytes, whatever they are.
    pub(super) fn has_room_for(&self, length: u64) -> bool {
        self.open && self.cutter.has_room_for(length)
    }

    /// Sub-records of that many bytes that the open segment takes.
    pub(super) fn sub_records(
        &mut self,
        length: u64,
        count: u64,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), LowerError>,
    ) -> Result<(), Error> {
        if matches!(self.lengths, SegmentLengths::Known(_)) {
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
        if matches!(self.lengths, SegmentLengths::Known(_)) {
            if let Some(head) = self.head
                && self.cutter.ends_after(tag, self.length + length)
            {
                self.state_length(head, self.length + length)?;
                self.head = None;
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
        let lengths = match self.lengths {
            SegmentLengths::Measure(measured) => measured,
            SegmentLengths::Known(_) => Vec::new(),
        };
        Ok(WrittenSegments { lengths, bytes: self.out.offset() })
    }

    fn open(&mut self) -> Result<(), Error> {
        let stated = match &mut self.lengths {
            _ if self.framing.cut.is_bounded() => 0,
            SegmentLengths::Measure(_) => 0,
            SegmentLengths::Known(lengths) => length_field(lengths.pop_front().unwrap_or_default())?,
        };
        self.head = self.framing.cut.is_bounded().then_some(self.buffer.len());
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
        } else if let SegmentLengths::Measure(measured) = &mut self.lengths {
            measured.push(self.length);
        }
        self.cutter.closed();
        self.flush_if_full()
    }

    /// Puts the length of a segment into its head.
    fn state_length(&mut self, head: usize, length: u64) -> Result<(), Error> {
        let start = self.overflow.as_mut().map_or(&mut self.buffer, |overflow| &mut overflow.start);
        start[head + 5..head + 9].copy_from_slice(&length_field(length)?.to_be_bytes());
        Ok(())
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
        if matches!(self.lengths, SegmentLengths::Known(_)) {
            self.out.write_all(&self.buffer).map_err(|e| Error::io("writing the dump", e))?;
        }
        self.buffer.clear();
        Ok(())
    }
}

fn length_field(length: u64) -> Result<u32, LowerError> {
    u32::try_from(length).map_err(|_| {
        let message =
            format!("a dump record of {length} bytes is beyond its 4-byte length; take a profile with segments");
        LowerError::Profile(message)
    })
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
}

impl SegmentCutter {
    fn new(cut: SegmentCut, seed: u64) -> SegmentCutter {
        let draw = SeedDraw::new(seed, DrawStream::Cuts);
        let capacity = if let SegmentCut::OwnBuffer(size) = cut { size } else { BUFFER };
        SegmentCutter { cut, draw, used: 0, capacity, position: 0, alone: false, info_last: false, count: 0, length: 0 }
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
        }
    }

    /// Whether the open segment ends with a sub-record that brings it to `length` bytes, whatever comes next.
    fn ends_after(&self, tag: SubRecordTag, length: u64) -> bool {
        match self.cut {
            SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_) => self.alone,
            SegmentCut::Arrays => is_array(tag),
            SegmentCut::Each => true,
            SegmentCut::Android => self.count + 1 >= ANDROID_COUNT || HEAD as u64 + length >= ANDROID_BYTES,
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

    /// Whether sub-records of that many bytes in all go into the open segment, whatever they are.
    fn has_room_for(&self, length: u64) -> bool {
        match self.cut {
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
        self.length += bytes;
        if matches!(self.cut, SegmentCut::SharedBuffer | SegmentCut::OwnBuffer(_)) {
            self.fill_buffer(bytes);
        }
    }

    fn closed(&mut self) {
        self.alone = false;
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
