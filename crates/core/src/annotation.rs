//! Entries of a byte map, alike in every format.

use std::ops::Range;

use crate::bytes::field_error::FieldError;
use crate::bytes::{Cursor, FieldSpan, FieldTrace};
use crate::error::{DecodeError, Problem, RuleId};

/// A field of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation<'a> {
    /// Offset of its first byte, in the decompressed stream.
    pub offset: u64,
    /// Its bytes; of long contents, a piece of them.
    pub bytes: &'a [u8],
    /// Index of its record; `None` where it belongs to none.
    pub record: Option<u64>,
    /// Field name.
    pub name: &'static str,
    /// Its value, if it is a number: sign-extended where the format says signed.
    pub value: Option<i64>,
    /// The field's meaning here; of a field at which reading stops, the expected and the found bytes.
    pub meaning: String,
    /// The rule that it breaks, if reading stops at it. The field is the last one then, and has no bytes where the data end.
    pub breaks: Option<RuleId>,
}

/// Whether the fields of a byte map come with their meanings. Spelling these takes most of the time of a byte map.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meanings {
    /// Every field has its meaning.
    Spelled,
    /// The meanings are empty, but for that of a field at which reading stops.
    Omitted,
}

impl Meanings {
    /// The meaning of a field, if it is wanted.
    pub(crate) fn spell(self, meaning: impl FnOnce() -> String) -> String {
        match self {
            Meanings::Spelled => meaning(),
            Meanings::Omitted => String::new(),
        }
    }
}

/// A record as its decoder delivers it, before its fields are looked at.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedRecord {
    /// Its bytes, in the decompressed stream; of a record that holds others, those of its head.
    pub at: Range<usize>,
    /// Its tag, or what stands for one where records have none.
    pub tag: u8,
    /// Whether another record holds it.
    pub is_held: bool,
}

impl MappedRecord {
    pub(crate) fn new(offset: u64, length: u64, tag: u8, is_held: bool) -> MappedRecord {
        let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        MappedRecord { at: place(offset)..place(offset.saturating_add(length)), tag, is_held }
    }
}

/// One step through the records of a dump.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordStep<'a> {
    /// A record begins: its fields follow if they are wanted.
    Record(MappedRecord),
    /// A field of the header, or of the record before.
    Field(Annotation<'a>),
}

/// A value of a field: wide numbers, such as identifiers, in hexadecimal.
pub fn value_shown(value: i64) -> String {
    if value.unsigned_abs() > 1 << 40 { format!("{:#x}", value as u64) } else { value.to_string() }
}

/// A function that takes the fields of a byte map.
pub(crate) type VisitAnnotations<'v> = &'v mut dyn FnMut(Annotation<'_>) -> Result<(), DecodeError>;

/// Whether a field of this name counts the bytes after it.
#[doc(hidden)]
pub fn is_length(name: &str) -> bool {
    name.ends_with("length")
}

impl<'a> Annotation<'a> {
    /// The field of a span in a slice that begins at `base`.
    pub(crate) fn from_span(
        span: &FieldSpan,
        bytes: &'a [u8],
        base: u64,
        record: Option<u64>,
        meaning: String,
    ) -> Self {
        Annotation {
            offset: base + span.at.start as u64,
            bytes: &bytes[span.at.clone()],
            record,
            name: span.name,
            value: span.value,
            meaning,
            breaks: None,
        }
    }
}

/// The fields of bytes that have been decoded once already.
pub(crate) fn spans(
    bytes: &[u8],
    read: impl FnOnce(&mut Cursor<'_, &mut Vec<FieldSpan>>) -> Result<(), FieldError>,
) -> Vec<FieldSpan> {
    let (spans, again) = read_spans(bytes, read);
    debug_assert!(again.is_ok(), "these bytes were decoded before");
    spans
}

/// Passes on the fields of bytes that have been decoded once already, one at a time: a record may have a field for each
/// byte.
///
/// # Errors
/// The first error that `each` returns; nothing is passed on after it.
pub(crate) fn each_span(
    bytes: &[u8],
    read: impl FnOnce(&mut Cursor<'_, &mut EachSpan<'_>>) -> Result<(), FieldError>,
    each: &mut dyn FnMut(&FieldSpan) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut spans = EachSpan { each, ended: Ok(()) };
    let again = read(&mut Cursor::new(bytes, &mut spans));
    debug_assert!(again.is_ok(), "these bytes were decoded before");
    spans.ended
}

/// Passes on fields until that fails.
pub(crate) struct EachSpan<'e> {
    each: &'e mut dyn FnMut(&FieldSpan) -> Result<(), DecodeError>,
    ended: Result<(), DecodeError>,
}

impl FieldTrace for &mut EachSpan<'_> {
    fn field(&mut self, name: &'static str, at: Range<usize>, value: Option<i64>) {
        if self.ended.is_ok() {
            self.ended = (self.each)(&FieldSpan { name, at, value });
        }
    }
}

/// The fields of bytes that cannot be decoded, as far as they were read.
pub(crate) fn spans_before_error(
    bytes: &[u8],
    read: impl FnOnce(&mut Cursor<'_, &mut Vec<FieldSpan>>) -> Result<(), FieldError>,
) -> Vec<FieldSpan> {
    read_spans(bytes, read).0
}

fn read_spans(
    bytes: &[u8],
    read: impl FnOnce(&mut Cursor<'_, &mut Vec<FieldSpan>>) -> Result<(), FieldError>,
) -> (Vec<FieldSpan>, Result<(), FieldError>) {
    let mut spans = Vec::new();
    let mut cursor = Cursor::new(bytes, &mut spans);
    let read = read(&mut cursor);
    (spans, read)
}

/// A header, record or piece at which reading stopped: where it begins (`base`), the bytes of it that there are, and
/// the fields that were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndecodableBytes<'a> {
    pub(crate) base: u64,
    pub(crate) bytes: &'a [u8],
    pub(crate) spans: &'a [FieldSpan],
}

impl UndecodableBytes<'_> {
    /// Passes on the fields that could be read, and then the one at which reading stopped, with the error. They are
    /// contiguous, so that no byte before the error is left out. An error of the machine says nothing about the bytes.
    pub(crate) fn visit_spans(
        self,
        error: &DecodeError,
        meaning: impl Fn(&FieldSpan) -> String,
        visit: VisitAnnotations<'_>,
    ) -> Result<(), DecodeError> {
        if error.is_machine_fault() {
            return Ok(());
        }
        let UndecodableBytes { base, bytes, spans } = self;
        // Where the data end, what is left is the start of the field that was to be read.
        let is_cut = !matches!(error.problem(), Problem::Unexpected { .. });
        let place = usize::try_from(error.offset().saturating_sub(base)).unwrap_or(usize::MAX);
        let stop = if is_cut { bytes.len() } else { place.min(bytes.len()) };
        let sound = spans.iter().take_while(|span| span.at.end <= stop).count();
        for span in &spans[..sound] {
            visit(Annotation::from_span(span, bytes, base, error.record(), meaning(span)))?;
        }
        let next = spans[..sound].last().map_or(0, |span| span.at.end);
        let part = |name, at: std::ops::Range<usize>, value| FieldSpan { name, at, value };
        if !is_cut && next < stop {
            // The error is inside a field, or what was looked at was not read.
            let name = spans.get(sound).map_or(error.field(), |span| span.name);
            visit(Annotation::from_span(&part(name, next..stop, None), bytes, base, error.record(), String::new()))?;
        }
        let own = spans[sound..].iter().find(|span| span.at.start == stop && span.name == error.field());
        let field = match own {
            _ if is_cut => part(error.field(), next..stop, None),
            Some(span) => span.clone(),
            None => part(error.field(), stop..bytes.len().min(stop + SHOWN), None),
        };
        let meaning = format!("expected {}, found {}", error.expected(), error.found());
        let breaks = Some(error.rule());
        visit(Annotation { breaks, ..Annotation::from_span(&field, bytes, base, error.record(), meaning) })
    }
}

/// Bytes that are shown of a field whose end is not known.
const SHOWN: usize = 16;
