//! Bytes to records. Mirrors [`super::encode`]: the same names in the same order.

mod records;
mod sub_records;

use std::io::{self, Read};

use crate::bytes::field_error::{FieldError, keeping_error, refill, truncated};
use crate::bytes::{Allowance, Cursor, IncompleteField, NoTrace, Window};
use crate::error::{DecodeError, Problem};
use crate::family::SkippedRecords;
pub use crate::family::{ReadOptions, RegionStarts, RepeatedTexts, WrappedLength, ZeroLength};

use super::book;
use super::record::{Record, Segment, SegmentLength};
use super::sub_record::SubRecord;
use super::wire::{HEAD, Header, IdSize, MAGIC, RecordTag};

pub(crate) use records::flat;
pub(crate) use records::{head, header, record};
pub(crate) use sub_records::sub_record;

/// Reads an HPROF dump record by record and sub-record by sub-record.
///
/// Memory is bounded by the largest record that is no string or unknown record, and the largest CLASS DUMP:
/// contents of arrays, instances, strings and unknown records beyond [`WHOLE`] bytes come in pieces.
#[derive(Debug)]
pub struct Decoder<R> {
    window: Window<R>,
    header: Header,
    header_bytes: Vec<u8>,
    declared: Option<u64>,
    reading: ReadOptions,
    beyond: Option<Box<dyn Lookahead>>,
    /// The offset from which on the records are known to chain to the end of the file.
    chained: Option<u64>,
    index: u64,
    allowance: Allowance,
}

/// A record at which reading can go on.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResumePoint {
    /// The record's offset and index.
    pub(crate) offset: u64,
    index: u64,
    /// The length that was known to a decoder that had read the whole dump.
    declared: Option<u64>,
    chained: Option<u64>,
}

/// A second look at the same stream, to decide what the bytes at hand do not.
pub trait Lookahead: std::fmt::Debug {
    /// Length of the (decompressed) stream in bytes, if a length beyond `at_least` is possible at all.
    ///
    /// # Errors
    /// An error of reading.
    fn length(&mut self, at_least: u64) -> io::Result<Option<u64>>;

    /// Whether the records from `offset` on, hopped over by their lengths, end exactly where the stream does.
    ///
    /// # Errors
    /// An error of reading.
    fn chains(&mut self, offset: u64) -> io::Result<bool>;
}

/// One step through a dump.
#[derive(Clone, Copy, Debug)]
pub enum DecodeStep<'s, 'a> {
    /// A record that holds no sub-records.
    Record(RecordSlice<'a>, &'s Record<'a>),
    /// A HEAP DUMP or HEAP DUMP SEGMENT begins; its sub-records follow.
    Segment(RecordSlice<'a>, Segment),
    /// A sub-record.
    Sub(RecordSlice<'a>, &'s SubRecord<'a>),
    /// More of the contents of the record or sub-record before.
    More(RecordSlice<'a>),
    /// The segment ends at this offset.
    SegmentEnd(u64),
}

/// A record or a piece of it: its bytes and their place.
#[derive(Clone, Copy, Debug)]
pub struct RecordSlice<'a> {
    /// Index among all records and sub-records of the file, from 0.
    pub index: u64,
    /// Offset of the first byte, from the start of the (decompressed) stream.
    pub offset: u64,
    /// The bytes.
    pub bytes: &'a [u8],
    /// Bytes of contents that are still to come as [`DecodeStep::More`].
    pub rest: u64,
}

/// Says what is passed over, given the bytes that come next, as far as they are in memory and in the segment.
pub(crate) type SubRecordSkipper<'p> = dyn FnMut(&[u8]) -> SkippedRecords + 'p;

/// A sub-record as far as it was read from a slice, and how many bytes of its contents the slice did not have.
#[derive(Debug)]
pub(crate) struct ParsedRecord<T> {
    pub(crate) what: T,
    pub(crate) rest: u64,
}

/// Contents up to this many bytes are delivered whole.
pub const WHOLE: usize = 256 * 1024;

/// Pieces of contents are multiples of this, but for the last: whole elements of every size, and the same places
/// whatever the size of the reads.
const UNIT: usize = 8;

impl<R: Read> Decoder<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// If the stream does not begin with an HPROF header, or cannot be read.
    pub fn new(source: R) -> Result<Decoder<R>, DecodeError> {
        Decoder::with_length(source, None)
    }

    /// Reads the header of a file whose length is known: ending before it is then told apart from a
    /// file that was always short.
    ///
    /// # Errors
    /// Like [`Decoder::new`].
    pub fn with_length(source: R, declared: Option<u64>) -> Result<Decoder<R>, DecodeError> {
        let mut window = Window::new(source);
        loop {
            let mut cursor = Cursor::new(window.bytes(), NoTrace);
            match header(&mut cursor) {
                Ok(header) => {
                    let used = cursor.position();
                    let header_bytes = window.bytes()[..used].to_vec();
                    window.consume(used);
                    return Ok(Decoder {
                        window,
                        header,
                        header_bytes,
                        declared,
                        reading: ReadOptions::default(),
                        beyond: None,
                        chained: None,
                        index: 0,
                        allowance: Allowance::new(u64::MAX, book::FILE_TRUNCATED),
                    });
                }
                Err(FieldError::Incomplete(short)) => {
                    if !refill(&mut window, book::FILE_TRUNCATED)? {
                        return Err(header_cut_short(&window, short, declared));
                    }
                }
                Err(FieldError::Bad(bad)) => return Err(bad.into_error(window.offset())),
            }
        }
    }

    /// A decoder that goes on at the start of a record of a dump with this header, in a stream that begins there.
    pub(crate) fn resume(source: R, header: Header, place: ResumePoint) -> Decoder<R> {
        Decoder {
            window: Window::with_offset(source, place.offset),
            header,
            header_bytes: Vec::new(),
            declared: place.declared,
            reading: ReadOptions::default(),
            beyond: None,
            chained: place.chained.filter(|from| *from <= place.offset),
            index: place.index,
            allowance: Allowance::new(u64::MAX, book::FILE_TRUNCATED),
        }
    }

    /// The point at which another decoder can go on with a record of this offset and index.
    pub(crate) fn resume_at(&self, offset: u64, index: u64) -> ResumePoint {
        ResumePoint { offset, index, declared: self.declared, chained: self.chained }
    }

    /// Sets the reading of what the bytes alone do not decide, with a second look at the stream where there can be one.
    #[must_use]
    pub fn with_reading(mut self, reading: ReadOptions, beyond: Option<Box<dyn Lookahead>>) -> Decoder<R> {
        self.reading = reading;
        self.beyond = beyond;
        self
    }

    /// Lets the largest record, and what has to be known of the dump as a whole, take this many bytes of memory each.
    #[must_use]
    pub fn allowing(mut self, bytes: u64) -> Decoder<R> {
        self.allowance = Allowance::new(bytes, book::FILE_TRUNCATED);
        self.window.limit(bytes);
        self
    }

    /// The memory allowed for facts of the dump as a whole.
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// The reading of what the bytes alone do not decide.
    pub fn reading(&self) -> ReadOptions {
        self.reading
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The bytes of the header.
    pub fn header_bytes(&self) -> &[u8] {
        &self.header_bytes
    }

    /// Records and sub-records delivered so far.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The stream, as far as it was read.
    pub fn source(&self) -> &R {
        self.window.source()
    }

    /// Calls `visit` with every record and sub-record in file order, up to the end of the file, and returns
    /// the file's length.
    ///
    /// # Errors
    /// An error of `visit`, or a [`DecodeError`] after the last sound record or sub-record.
    pub fn visit<E, F>(&mut self, mut visit: F) -> Result<u64, E>
    where
        E: From<DecodeError>,
        F: FnMut(DecodeStep<'_, '_>) -> Result<(), E>,
    {
        keeping_error(|keep| self.visit_called(&mut |step| keep(visit(step))))
    }

    fn visit_called(
        &mut self,
        visit: &mut dyn FnMut(DecodeStep<'_, '_>) -> Result<(), DecodeError>,
    ) -> Result<u64, DecodeError> {
        self.visit_with(None, visit)
    }

    /// Like [`Decoder::visit`], without the sub-records that `pass` passes over.
    pub(crate) fn visit_with<E, F>(
        &mut self,
        mut pass: Option<&mut SubRecordSkipper<'_>>,
        mut visit: F,
    ) -> Result<u64, E>
    where
        E: From<DecodeError>,
        F: FnMut(DecodeStep<'_, '_>) -> Result<(), E>,
    {
        while let Some(segment) = self.records(&mut visit)? {
            let (id, length) = (self.header.id_size, segment.bytes());
            let pass = pass.as_deref_mut();
            match id {
                IdSize::One => self.sub_records::<1, E, F>(length, pass, &mut visit)?,
                IdSize::Two => self.sub_records::<2, E, F>(length, pass, &mut visit)?,
                IdSize::Four => self.sub_records::<4, E, F>(length, pass, &mut visit)?,
                IdSize::Eight => self.sub_records::<8, E, F>(length, pass, &mut visit)?,
            }
            visit(DecodeStep::SegmentEnd(self.window.offset()))?;
        }
        Ok(self.window.offset())
    }

    /// Delivers records up to and including the next that begins a segment; `None` at the end of the file.
    fn records<E, F>(&mut self, visit: &mut F) -> Result<Option<Segment>, E>
    where
        E: From<DecodeError>,
        F: FnMut(DecodeStep<'_, '_>) -> Result<(), E>,
    {
        let id = self.header.id_size;
        // Bytes with which a record was incomplete.
        let mut tried = 0;
        loop {
            let at = self.window.offset();
            if self.window.bytes().is_empty() && !self.refill()? {
                self.check_end()?;
                return Ok(None);
            }
            let mut cursor = Cursor::new(self.window.bytes(), NoTrace);
            let head = match head(&mut cursor) {
                Ok(head) => head,
                Err(short) => {
                    self.need_more(short)?;
                    continue;
                }
            };
            let index = self.index;
            if head.tag.is_dump() {
                let length = self.length_of(head.tag, head.length, at + HEAD as u64)?;
                let segment = Segment { tag: head.tag, time: head.time, stated: head.length, length };
                let bytes = &self.window.bytes()[..HEAD];
                visit(DecodeStep::Segment(RecordSlice { index, offset: at, bytes, rest: 0 }, segment))?;
                self.index += 1;
                self.window.consume(HEAD);
                return Ok(Some(segment));
            }
            let length = HEAD as u64 + u64::from(head.length);
            // Only strings and unknown records come in pieces; others say themselves how much they have.
            let wanted = if records::in_pieces(head.tag) { length.min((HEAD + WHOLE) as u64) } else { length };
            let whole = wanted <= self.window.bytes().len() as u64;
            let bytes = &self.window.bytes()[..self.window.bytes().len().min(wanted as usize)];
            // A stream may come in small pieces: a long record is looked at again when there is twice as much of it.
            if !whole && bytes.len() < 2 * tried && self.refill()? {
                continue;
            }
            let bytes = &self.window.bytes()[..self.window.bytes().len().min(wanted as usize)];
            tried = if whole { 0 } else { bytes.len() };
            let mut cursor = Cursor::new(bytes, NoTrace);
            match record(&mut cursor, id, length) {
                Ok(ParsedRecord { what, rest }) if whole => {
                    visit(DecodeStep::Record(RecordSlice { index, offset: at, bytes, rest }, &what))?;
                    drop(what);
                    self.window.consume(wanted as usize);
                    self.deliver_pieces(index, rest, visit)?;
                    self.index += 1;
                }
                // What is there of it is sound; the end of the file comes too early all the same.
                Ok(_) => {
                    let have = bytes.len();
                    self.need_more(IncompleteField {
                        field: "body",
                        at: have.min(HEAD),
                        needed: wanted - HEAD as u64,
                    })?;
                }
                Err(FieldError::Incomplete(short)) if whole => {
                    return Err(too_short(at, short, head.length).in_record(index).into());
                }
                Err(FieldError::Incomplete(short)) => self.need_more(short)?,
                Err(FieldError::Bad(bad)) => return Err(bad.into_error(at).in_record(index).into()),
            }
        }
    }

    /// Delivers the sub-records of a segment with this number of bytes.
    fn sub_records<const I: usize, E, F>(
        &mut self,
        length: Option<u64>,
        mut pass: Option<&mut SubRecordSkipper<'_>>,
        visit: &mut F,
    ) -> Result<(), E>
    where
        E: From<DecodeError>,
        F: FnMut(DecodeStep<'_, '_>) -> Result<(), E>,
    {
        let mut left = length.unwrap_or(u64::MAX);
        while left > 0 {
            let offset = self.window.offset();
            let all = self.window.bytes();
            let bytes = &all[..all.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
            let mut taken = 0;
            let mut rest = 0;
            let short = loop {
                let remaining = &bytes[taken..];
                if remaining.is_empty() {
                    break None;
                }
                if length.is_none()
                    && matches!(
                        RecordTag(remaining[0]),
                        RecordTag::HEAP_DUMP | RecordTag::HEAP_DUMP_SEGMENT | RecordTag::HEAP_DUMP_END
                    )
                {
                    self.window.consume(taken);
                    return Ok(());
                }
                let place = offset + taken as u64;
                if let Some(pass) = pass.as_deref_mut() {
                    let passed = pass(remaining);
                    if passed.bytes > 0 {
                        taken += passed.bytes;
                        self.index += passed.records;
                        continue;
                    }
                }
                let mut cursor = Cursor::new(remaining, NoTrace);
                let index = self.index;
                let delivered = sub_record::<_, I, _>(&mut cursor, left - taken as u64, |what, rest, used| {
                    let at = RecordSlice { index, offset: place, bytes: &remaining[..used], rest };
                    (visit(DecodeStep::Sub(at, what)), rest, used)
                });
                match delivered {
                    Ok((visited, beyond, used)) => {
                        visited?;
                        taken += used;
                        if beyond > 0 {
                            rest = beyond;
                            break None;
                        }
                        self.index += 1;
                    }
                    Err(FieldError::Incomplete(short)) => break Some(short),
                    Err(FieldError::Bad(bad)) => {
                        self.window.consume(taken);
                        return Err(bad.into_error(place).in_record(self.index).into());
                    }
                }
            };
            let cut_by_segment = bytes.len() as u64 == left;
            self.window.consume(taken);
            left -= taken as u64;
            if rest > 0 {
                let index = self.index;
                self.deliver_pieces(index, rest, visit)?;
                self.index += 1;
                left -= rest;
                continue;
            }
            match short {
                Some(short) if cut_by_segment => {
                    return Err(overrun(self.window.offset(), short, left).in_record(self.index).into());
                }
                Some(short) => self.need_more(short)?,
                None if left == 0 => {}
                None => {
                    if !self.refill()? {
                        if length.is_none() {
                            self.check_end()?;
                            return Ok(());
                        }
                        let short = IncompleteField { field: "sub-record tag", at: 0, needed: 1 };
                        return Err(self.cut_short(short).into());
                    }
                }
            }
        }
        Ok(())
    }

    /// Delivers the rest of contents, in pieces of whole units but for the last.
    fn deliver_pieces<E, F>(&mut self, index: u64, mut rest: u64, visit: &mut F) -> Result<(), E>
    where
        E: From<DecodeError>,
        F: FnMut(DecodeStep<'_, '_>) -> Result<(), E>,
    {
        while rest > 0 {
            let have = self.window.bytes().len() as u64;
            let take = if have >= rest { rest } else { have - have % UNIT as u64 };
            if take == 0 {
                self.need_more(IncompleteField { field: "contents", at: 0, needed: rest })?;
                continue;
            }
            rest -= take;
            let at =
                RecordSlice { index, offset: self.window.offset(), bytes: &self.window.bytes()[..take as usize], rest };
            visit(DecodeStep::More(at))?;
            self.window.consume(take as usize);
        }
        Ok(())
    }

    /// The meaning of a dump record's length, where the body begins at this offset.
    fn length_of(&mut self, tag: RecordTag, stated: u32, body: u64) -> Result<SegmentLength, DecodeError> {
        if stated == 0 {
            let is_empty = match self.reading.zero_length {
                ZeroLength::Empty => true,
                ZeroLength::Unpatched => false,
                ZeroLength::ByChain => self.chains(body)?,
            };
            return Ok(if is_empty { SegmentLength::Stated } else { SegmentLength::Unpatched });
        }
        if tag == RecordTag::HEAP_DUMP && self.reading.wrapped == WrappedLength::Repair {
            let end = body + u64::from(stated);
            if let Some(length) = self.stream_length(end + (1 << 32))?
                && length > end
                && (length - end).is_multiple_of(1 << 32)
                && !self.chains(end)?
            {
                return Ok(SegmentLength::Wrapped(length - body));
            }
        }
        Ok(SegmentLength::Stated)
    }

    /// Length of the stream, if it may be so long at all.
    fn stream_length(&mut self, at_least: u64) -> Result<Option<u64>, DecodeError> {
        match (self.declared, &mut self.beyond) {
            (Some(length), _) => Ok(Some(length)),
            (None, Some(beyond)) => beyond.length(at_least).map_err(|e| failed(self.window.offset(), e)),
            (None, None) => Ok(None),
        }
    }

    /// Whether the records from here on chain to the end of the file; assumed where there is no second look.
    fn chains(&mut self, offset: u64) -> Result<bool, DecodeError> {
        let Some(beyond) = &mut self.beyond else { return Ok(true) };
        // What follows on a chain is on the chain too, so one look is enough.
        if self.chained.is_none() && beyond.chains(offset).map_err(|e| failed(self.window.offset(), e))? {
            self.chained = Some(offset);
        }
        Ok(self.chained.is_some())
    }

    fn refill(&mut self) -> Result<bool, DecodeError> {
        refill(&mut self.window, book::FILE_TRUNCATED).map_err(|e| e.in_record(self.index))
    }

    fn need_more(&mut self, short: IncompleteField) -> Result<(), DecodeError> {
        if self.refill()? { Ok(()) } else { Err(self.cut_short(short)) }
    }

    /// The file ends between two records: was it longer when it was opened?
    fn check_end(&self) -> Result<(), DecodeError> {
        let length = self.window.offset();
        match self.declared.filter(|&opened| length < opened) {
            None => Ok(()),
            Some(opened) => {
                Err(DecodeError::new(book::FILE_TRUNCATED, length, "tag", Problem::Shrunk { opened })
                    .in_record(self.index))
            }
        }
    }

    /// After an error: the offset of the record, sub-record or piece that could not be read, and its bytes as far as they are
    /// at hand.
    pub(super) fn at_hand(&self) -> (u64, &[u8]) {
        (self.window.offset(), self.window.bytes())
    }

    fn cut_short(&self, short: IncompleteField) -> DecodeError {
        let length = self.window.offset() + self.window.bytes().len() as u64;
        if let Some(opened) = self.declared.filter(|&opened| length < opened) {
            return DecodeError::new(book::FILE_TRUNCATED, length, short.field, Problem::Shrunk { opened })
                .in_record(self.index);
        }
        truncated(book::FILE_TRUNCATED, self.window.offset(), self.window.bytes().len(), short).in_record(self.index)
    }
}

fn failed(offset: u64, error: io::Error) -> DecodeError {
    DecodeError::new(book::FILE_TRUNCATED, offset, "data", Problem::Io(error))
}

/// The fields of a record need more than its length says.
fn too_short(base: u64, short: IncompleteField, length: u32) -> DecodeError {
    let problem = Problem::Unexpected {
        expected: format!("{} bytes of {} inside the record", short.needed, short.field),
        found: format!("a record of {length} bytes that ends before"),
    };
    DecodeError::new(book::RECORD_LENGTH, base + short.at as u64, short.field, problem)
}

/// A sub-record goes on where its segment has ended.
fn overrun(base: u64, short: IncompleteField, left: u64) -> DecodeError {
    let problem = Problem::Unexpected {
        expected: format!("{} bytes of {} inside the segment", short.needed, short.field),
        found: format!("the segment's end {left} bytes after the sub-record's first"),
    };
    DecodeError::new(book::SUB_RECORD_OVERRUN, base + short.at as u64, short.field, problem)
}

fn header_cut_short<R: Read>(window: &Window<R>, short: IncompleteField, declared: Option<u64>) -> DecodeError {
    let bytes = window.bytes();
    if let Some(opened) = declared.filter(|&opened| (bytes.len() as u64) < opened) {
        return DecodeError::new(book::FILE_TRUNCATED, bytes.len() as u64, short.field, Problem::Shrunk { opened });
    }
    // A short file that does not even begin like an HPROF dump is not a truncated one.
    if !MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())])
        && let FieldError::Bad(bad) = records::not_an_hprof(bytes)
    {
        return bad.into_error(0);
    }
    truncated(book::FILE_TRUNCATED, 0, bytes.len(), short)
}
