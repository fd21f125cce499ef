//! Text to records. Mirrors [`super::encode`].

mod references;
mod scan;

use std::io::{self, Cursor, Read};

use scan::{ReferencesEnd, SHOWN, Scan};

use crate::bytes::ebcdic::MappedStream;
use crate::bytes::field_error::{FieldError, keeping_error, refill, truncated};
use crate::bytes::{Allowance, IncompleteField, Window, quoted_or_hex};
use crate::error::{DecodeError, Problem, TextPosition};
use crate::family::ReadOptions;

use super::book;
use super::record::{Record, ReferenceList};
use super::wire::{Charset, Encoding, START};

pub(super) use scan::{ScannedPart, is_blank};

/// Reads a classic heap dump record by record.
///
/// Memory is bounded: references beyond [`WHOLE`] bytes come in pieces, and names, comments and runs of white space
/// may have [`LONGEST`] bytes.
#[derive(Debug)]
pub struct Decoder<R> {
    window: Window<MappedStream<PeekedSource<R>>>,
    encoding: Encoding,
    declared: Option<u64>,
    index: u64,
    /// The place of the window's first byte.
    position: TextPosition,
    /// Whether trailer record 2 was there.
    ended: bool,
    values: Vec<u64>,
    reading: ReadOptions,
    allowance: Allowance,
}

/// A source whose start was read before, up to where that failed, if it did.
#[derive(Debug)]
struct PeekedSource<R> {
    start: Cursor<Vec<u8>>,
    failed: Option<io::Error>,
    source: R,
}

impl<R: Read> Read for PeekedSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.start.read(buffer)? {
            0 => self.failed.take().map_or_else(|| self.source.read(buffer), Err),
            count => Ok(count),
        }
    }
}

/// Records are delivered whole up to this number of bytes; more references than that come in pieces.
pub const WHOLE: usize = 256 * 1024;
/// The longest name, comment, number or run of white space, in bytes. Class names have at most 65,535 (The Java Virtual
/// Machine Specification, 4.4.7).
pub const LONGEST: usize = 1 << 20;

/// A record or a piece of one, and where it stands.
#[derive(Clone, Copy, Debug)]
pub enum DecodeStep<'s> {
    /// A record, or an entry with its first references.
    Record(RecordSlice<'s>, Record<'s>),
    /// More references of the entry before.
    More(RecordSlice<'s>, ReferenceList<'s>),
}

/// The place of a record or piece.
#[derive(Clone, Copy, Debug)]
pub struct RecordSlice<'s> {
    /// The record's index, from 0, white space before the first record included.
    pub index: u64,
    /// Offset of its first byte, in bytes from the start of the decompressed stream.
    pub offset: u64,
    /// Line and column of its first byte.
    pub position: TextPosition,
    /// The text.
    pub bytes: &'s [u8],
    /// Whether more references of the record follow.
    pub open: bool,
}

/// The visitor that a decoder's loop calls through a pointer: one copy of the loop serves all callers.
type Visit<'v> = dyn FnMut(DecodeStep<'_>) -> Result<(), DecodeError> + 'v;

impl<R: Read> Decoder<R> {
    /// Reads the start of a text and detects its encoding.
    ///
    /// # Errors
    /// If it is not a classic heap dump, or cannot be read.
    pub fn new(source: R) -> Result<Decoder<R>, DecodeError> {
        Decoder::with_length(source, None)
    }

    /// Like [`Decoder::new`], for a source that has this number of bytes unless it shrinks.
    ///
    /// # Errors
    /// If it is not a classic heap dump, or cannot be read.
    pub fn with_length(mut source: R, declared: Option<u64>) -> Result<Decoder<R>, DecodeError> {
        let mut start = Vec::new();
        let failed = match source.by_ref().take(START as u64).read_to_end(&mut start) {
            Err(e) if start.is_empty() => {
                return Err(DecodeError::new(book::FILE_TRUNCATED, 0, "data", Problem::Io(e)));
            }
            read => read.err(),
        };
        let Some(encoding) = Encoding::detect(&start) else { return Err(not_classic(&start)) };
        Ok(Decoder {
            window: Window::new(MappedStream::new(
                PeekedSource { start: Cursor::new(start), failed, source },
                encoding.table(),
            )),
            encoding,
            declared,
            index: 0,
            position: TextPosition { line: 1, column: 1 },
            ended: false,
            values: Vec::new(),
            reading: ReadOptions::default(),
            allowance: Allowance::new(u64::MAX, book::FILE_TRUNCATED),
        })
    }

    /// Sets the reading of what the text alone does not decide.
    #[must_use]
    pub fn with_reading(self, reading: ReadOptions) -> Decoder<R> {
        Decoder { reading, ..self }
    }

    /// Lets what has to be known of the dump as a whole take this many bytes of memory.
    #[must_use]
    pub fn allowing(self, bytes: u64) -> Decoder<R> {
        Decoder { allowance: Allowance::new(bytes, book::FILE_TRUNCATED), ..self }
    }

    /// The memory allowed for facts of the dump as a whole.
    pub fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// The reading of what the text alone does not decide.
    pub fn reading(&self) -> ReadOptions {
        self.reading
    }

    /// The encoding of the dump.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Records delivered so far.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Calls `visit` with every record in file order, up to the end of the text, and returns its length in bytes.
    ///
    /// # Errors
    /// An error of `visit`, or a [`DecodeError`] after the last sound record.
    pub fn visit<E, F>(&mut self, mut visit: F) -> Result<u64, E>
    where
        E: From<DecodeError>,
        F: FnMut(DecodeStep<'_>) -> Result<(), E>,
    {
        keeping_error(|keep| self.visit_called(&mut |step| keep(visit(step))))
    }

    fn visit_called(&mut self, visit: &mut Visit<'_>) -> Result<u64, DecodeError> {
        let mut values = std::mem::take(&mut self.values);
        self.space(visit)?;
        loop {
            while self.window.bytes().len() < 2 && self.refill()? {}
            if self.window.bytes().is_empty() {
                break;
            }
            self.record(&mut values, visit)?;
        }
        self.values = values;
        self.check_end()?;
        Ok(self.window.offset())
    }

    fn space(&mut self, visit: &mut Visit<'_>) -> Result<(), DecodeError> {
        loop {
            let whole = !self.window.bytes().is_empty() && self.window.has_ended();
            let mut scan = Scan::new(self.window.bytes(), whole, self.is_ebcdic());
            match scan.space() {
                Ok(None) => return Ok(()),
                Ok(Some(record)) => {
                    let (used, lines) = (scan.at, scan.lines);
                    visit(DecodeStep::Record(self.record_slice(used, false), record))?;
                    self.consume(used, lines);
                    self.index += 1;
                    return Ok(());
                }
                Err(stop) => self.refill_or_fail(stop, whole)?,
            }
        }
    }

    /// Delivers the next record. `values` is where its references go.
    fn record(&mut self, values: &mut Vec<u64>, visit: &mut Visit<'_>) -> Result<(), DecodeError> {
        loop {
            let bytes = self.window.bytes();
            let (whole, enough) = (self.window.has_ended(), bytes.len() >= WHOLE);
            let mut scan = Scan::new(bytes, whole, self.is_ebcdic());
            values.clear();
            match scan.record(values) {
                Ok((record, end)) => {
                    let open = matches!(end, ReferencesEnd::Slice);
                    let begun = matches!(&record, Record::Entry(entry) if !entry.references.values.is_empty());
                    if open && !(enough && begun) {
                        self.refill()?;
                        continue;
                    }
                    let (used, lines) = (scan.at, scan.lines);
                    self.ended |= matches!(record, Record::Eof(..));
                    if whole && used == bytes.len() && !is_settled(&record) {
                        self.check_last_line(used)?;
                    }
                    visit(DecodeStep::Record(self.record_slice(used, open), record))?;
                    self.consume(used, lines);
                    if open {
                        self.pieces(values, visit)?;
                    }
                    self.index += 1;
                    return Ok(());
                }
                Err(stop) => self.refill_or_fail(stop, whole)?,
            }
        }
    }

    /// Delivers the rest of a record's references.
    fn pieces(&mut self, values: &mut Vec<u64>, visit: &mut Visit<'_>) -> Result<(), DecodeError> {
        loop {
            let (bytes, whole) = (self.window.bytes(), self.window.has_ended());
            let mut scan = Scan::new(bytes, whole, self.is_ebcdic());
            values.clear();
            match scan.references(values, true) {
                Ok(end) => {
                    let open = matches!(end, ReferencesEnd::Slice);
                    let (used, lines) = (scan.at, scan.lines);
                    let references = ReferenceList { text: &bytes[..used], values };
                    if !values.is_empty() || !open {
                        if whole && used == bytes.len() && !ends_a_line(&references) {
                            self.check_last_line(used)?;
                        }
                        visit(DecodeStep::More(self.record_slice(used, open), references))?;
                        self.consume(used, lines);
                    }
                    if !open {
                        return Ok(());
                    }
                    self.refill()?;
                }
                Err(stop) => self.refill_or_fail(stop, whole)?,
            }
        }
    }

    /// After an error: the offset of the record or piece of references that could not be read, its bytes as far as they are
    /// at hand, and its parts as far as they could be read, with the references among them.
    pub(super) fn at_hand(&self, open: bool) -> (u64, &[u8], Vec<ScannedPart>) {
        let (bytes, whole) = (self.window.bytes(), self.window.has_ended());
        (self.window.offset(), bytes, scan::parts(bytes, whole, self.is_ebcdic(), open))
    }

    fn record_slice(&self, used: usize, open: bool) -> RecordSlice<'_> {
        let (offset, position) = (self.window.offset(), self.position);
        RecordSlice { index: self.index, offset, position, bytes: &self.window.bytes()[..used], open }
    }

    /// Line and column of a byte of the window, or of the one after it.
    fn position(&self, at: usize) -> TextPosition {
        let at = at.min(self.window.bytes().len());
        let ends = self.window.bytes()[..at].iter().filter(|byte| self.ends_line(**byte)).count();
        self.position_after(at, ends as u64)
    }

    /// Line and column after a number of bytes of the window, in which this number of lines ends.
    fn position_after(&self, used: usize, lines: u64) -> TextPosition {
        let TextPosition { line, column } = self.position;
        let last = || self.window.bytes()[..used].iter().rposition(|byte| self.ends_line(*byte));
        let column = match (lines > 0).then(last).flatten() {
            Some(last) => (used - last) as u64,
            None => column + used as u64,
        };
        TextPosition { line: line + lines, column }
    }

    fn ends_line(&self, byte: u8) -> bool {
        byte == b'\n' || byte == 0x85 && self.is_ebcdic()
    }

    fn is_ebcdic(&self) -> bool {
        self.encoding.charset != Charset::Utf8
    }

    fn consume(&mut self, used: usize, lines: u64) {
        self.position = self.position_after(used, lines);
        self.window.consume(used);
    }

    /// A record that could not be read: more bytes may help, unless the window has them all.
    fn refill_or_fail(&mut self, stop: FieldError, whole: bool) -> Result<(), DecodeError> {
        match stop {
            FieldError::Incomplete(short) if whole => Err(self.truncation_error(short)),
            FieldError::Incomplete(_) => self.refill().map(|_| ()),
            // The message shows what stands there: not less of it because a read ended there.
            FieldError::Bad(bad) if !whole && self.window.bytes().len() - bad.place() <= SHOWN => {
                self.refill().map(|_| ())
            }
            FieldError::Bad(bad) => Err(self.with_position(bad.into_error(self.window.offset()))),
        }
    }

    /// A record at the end of the text whose last line has not ended: what was its last number may be half of one.
    /// After trailer record 2 nothing is missing.
    fn check_last_line(&self, at: usize) -> Result<(), DecodeError> {
        if self.ended {
            return Ok(());
        }
        Err(self.truncation_error(IncompleteField { field: "line", at, needed: 1 }))
    }

    /// The text ends inside a field.
    fn truncation_error(&self, short: IncompleteField) -> DecodeError {
        let (start, available) = (self.window.offset(), self.window.bytes().len());
        let error = truncated(book::FILE_TRUNCATED, start, available, short);
        self.shrunk_error(start + available as u64).unwrap_or_else(|| self.with_position(error))
    }

    /// The error of a file that was longer when it was opened.
    fn shrunk_error(&self, length: u64) -> Option<DecodeError> {
        let opened = self.declared.filter(|&opened| length < opened)?;
        let error = DecodeError::new(book::FILE_TRUNCATED, length, "record", Problem::Shrunk { opened });
        Some(self.with_position(error))
    }

    fn refill(&mut self) -> Result<bool, DecodeError> {
        refill(&mut self.window, book::FILE_TRUNCATED).map_err(|e| self.with_position(e))
    }

    fn with_position(&self, error: DecodeError) -> DecodeError {
        let at = error.offset().saturating_sub(self.window.offset()) as usize;
        error.in_record(self.index).at_position(self.position(at))
    }

    /// The text ends between two records.
    fn check_end(&self) -> Result<(), DecodeError> {
        let length = self.window.offset();
        if let Some(error) = self.shrunk_error(length) {
            return Err(error);
        }
        if self.ended {
            return Ok(());
        }
        Err(self.with_position(DecodeError::new(book::TRAILER_MISSING, length, "record", Problem::MissingEnd)))
    }
}

/// Whether nothing is missing of a record that is the last one: its line has ended and, of an entry, that of its
/// references as well.
fn is_settled(record: &Record<'_>) -> bool {
    match record {
        Record::Space(_) => true,
        Record::Version(line) | Record::Breakdown(line, _) | Record::Eof(line, _) | Record::Comment(line) => {
            line_ends(line.after) > 0
        }
        Record::Entry(entry) => ends_a_line(&entry.references),
    }
}

/// Whether the line of the references has ended; where there is none, that of the type stands before it.
fn ends_a_line(references: &ReferenceList<'_>) -> bool {
    let white = references.text.iter().rev().take_while(|b| matches!(**b, b' ' | b'\t' | b'\r' | b'\n' | 0x85)).count();
    let after = &references.text[references.text.len() - white..];
    line_ends(after) >= if references.values.is_empty() { 2 } else { 1 }
}

fn line_ends(white: &[u8]) -> usize {
    white.iter().filter(|b| matches!(**b, b'\n' | 0x85)).count()
}

fn not_classic(start: &[u8]) -> DecodeError {
    let found = match start {
        [] => "nothing".to_owned(),
        _ => quoted_or_hex(&start[..start.len().min(16)]),
    };
    let expected = "a classic heap dump: \"//\" or an address that begins with 0x, in ASCII or EBCDIC".to_owned();
    let problem = Problem::Unexpected { expected, found };
    DecodeError::new(book::FILE_START, 0, "start", problem).at_position(TextPosition { line: 1, column: 1 })
}
