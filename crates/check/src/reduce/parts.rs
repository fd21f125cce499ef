//! The parts of a dump: records, fields or bytes, those after an unreadable place included.

use std::borrow::Cow;
use std::ops::Range;

use heapsmith_core::annotation::{Annotation, is_length};
use heapsmith_core::family::{StatedLength, remove_ranges};

use super::open_dump;

/// The most bytes of a dump that is reduced byte by byte and text by text; the unreadable rest of a larger one is cut
/// into pieces.
pub(super) const MOST_BYTES: usize = 4096;
/// The number of these pieces.
const PIECES: usize = 64;
/// The bytes that are read in all attempts to find out where a broken dump becomes readable again.
const READ_AGAIN: usize = 32 << 20;

/// The unit of removal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PartUnit {
    Records,
    Fields,
    Bytes,
}

/// A dump by its parts.
pub(super) struct DumpParts {
    dump: Vec<u8>,
    spans: Vec<Range<usize>>,
    lengths: Vec<StatedLength>,
}

impl DumpParts {
    /// Splits a dump into parts. `broken` are the places that [`unreadable_places`] finds in it.
    pub(super) fn new(dump: &[u8], unit: PartUnit, broken: &[Range<usize>]) -> DumpParts {
        let mut parts = DumpParts { dump: dump.to_vec(), spans: Vec::new(), lengths: stated_lengths(dump) };
        let bytes = |part: Range<usize>| part.map(|byte| byte..byte + 1);
        if unit == PartUnit::Bytes && dump.len() <= MOST_BYTES {
            parts.spans = bytes(0..dump.len()).collect();
            return parts;
        }
        let framed = parts.framed_records();
        let ends_in_header = |first: &Range<usize>| {
            let known =
                ReadableDump::without_places(dump, &parts.lengths, &[]).records().last().map_or(0, |record| record.end);
            known <= first.start
        };
        if unit == PartUnit::Records && framed.first().is_some_and(ends_in_header) {
            let end = framed.last().map_or(0, |last| last.end);
            parts.spans = framed;
            parts.spans.extend((end < dump.len()).then_some(end..dump.len()));
            return parts;
        }
        let whole = ReadableDump::without_places(dump, &parts.lengths, broken);
        let mut spans = whole.spans(unit);
        if unit == PartUnit::Records {
            spans.extend_from_slice(broken);
        } else {
            // Up to the error a broken record has fields.
            let fields = ReadableDump::without_places(dump, &parts.lengths, &[]).spans(unit);
            for place in broken {
                let inside: Vec<_> = fields.iter().filter(|field| place.contains(&field.start)).cloned().collect();
                let known = inside.last().map_or(place.start, |field| field.end);
                spans.extend(inside);
                spans.push(known..place.end);
            }
        }
        spans.sort_by_key(|span| (span.start, span.end));
        let known = spans.last().map_or(0, |span| span.end);
        match unit {
            PartUnit::Bytes => {
                let piece = (dump.len() - known).div_ceil(PIECES).max(1);
                spans.extend((known..dump.len()).step_by(piece).map(|at| at..(at + piece).min(dump.len())));
            }
            _ => spans.push(known..dump.len()),
        }
        let mut end = 0;
        spans.retain(|span| {
            let is_next = !span.is_empty() && span.start >= end;
            end = if is_next { span.end } else { end };
            is_next
        });
        parts.spans = spans;
        parts
    }

    /// The records as their lengths delimit them: if the header cannot be read, nothing else shows their places.
    fn framed_records(&self) -> Vec<Range<usize>> {
        let [first, second, ..] = &*self.lengths else { return Vec::new() };
        let Some(head) = second.at.checked_sub(first.of.end) else { return Vec::new() };
        let start = |stated: &StatedLength| stated.at.saturating_sub(head);
        self.lengths.iter().map(|stated| start(stated)..stated.of.end).collect()
    }

    /// The number of parts.
    pub(super) fn count(&self) -> usize {
        self.spans.len()
    }

    /// The dump without some parts.
    pub(super) fn keep(&self, kept: &[bool]) -> Vec<u8> {
        let gone: Vec<Range<usize>> =
            self.spans.iter().zip(kept).filter(|(_, kept)| !**kept).map(|(span, _)| span.clone()).collect();
        remove_ranges(&self.dump, &self.lengths, &gone)
    }
}

/// The places of a dump without which it can be read: each begins with an unreadable record, and ends where the
/// furthest readable rest begins. The search ends after a number of bytes that are read for it.
pub(super) fn unreadable_places(dump: &[u8]) -> Vec<Range<usize>> {
    let lengths = stated_lengths(dump);
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut left = READ_AGAIN;
    loop {
        let now = ReadableDump::without_places(dump, &lengths, &places);
        let records = now.records();
        let Some(last) = records.last() else { return places };
        let (start, mut furthest) = (now.original_place(last.start), None);
        if now.original_place(last.end) == dump.len() || places.iter().any(|place| place.start >= start) {
            return places;
        }
        for end in now.original_place(last.end)..dump.len() {
            let Some(rest) = left.checked_sub(dump.len()) else { break };
            left = rest;
            let mut tried = places.clone();
            tried.push(start..end);
            let without = ReadableDump::without_places(dump, &lengths, &tried);
            let reached = without.records().last().map_or(0, |record| without.original_place(record.end));
            if reached > end && furthest.is_none_or(|(most, _)| reached > most) {
                furthest = Some((reached, end));
            }
            if reached == dump.len() {
                break;
            }
        }
        let Some((_, end)) = furthest else { return places };
        places.push(start..end);
    }
}

/// The fields of a dump's header.
pub(super) fn header_fields(dump: &[u8]) -> Vec<Range<usize>> {
    let fields = ReadableDump::without_places(dump, &[], &[]).fields();
    fields.take_while(|(record, _)| record.is_none()).map(|(_, field)| field).collect()
}

/// A text whose length stands before it.
pub(super) struct CountedText {
    length: Range<usize>,
    pub(super) text: Range<usize>,
}

/// The texts of a dump, and all other fields that the field before them counts.
pub(super) fn texts(dump: &[u8]) -> Vec<CountedText> {
    let mut texts = Vec::new();
    let mut length: Option<(Range<usize>, i64)> = None;
    if let Some(file) = open_dump(dump) {
        let _ = file.annotate(&mut |Annotation { offset, bytes, name, value, .. }| {
            let field = offset as usize..offset as usize + bytes.len();
            if let Some((length, count)) = length.take()
                && length.end == field.start
                && count == bytes.len() as i64
                && field.end <= dump.len()
            {
                texts.push(CountedText { length, text: field.clone() });
            }
            length = value.filter(|count| is_length(name) && *count > 0).map(|count| (field, count));
            Ok(())
        });
    }
    texts
}

impl CountedText {
    /// The dump with only the first bytes of the text.
    pub(super) fn truncated(&self, dump: &[u8], left: usize) -> Vec<u8> {
        let gone = self.text.start + left..self.text.end;
        let mut shorter = remove_ranges(dump, &stated_lengths(dump), std::slice::from_ref(&gone));
        let count = (left as u64).to_be_bytes();
        let width = self.length.len().min(count.len());
        shorter[self.length.end - width..self.length.end].copy_from_slice(&count[count.len() - width..]);
        shorter
    }
}

fn stated_lengths(dump: &[u8]) -> Vec<StatedLength> {
    open_dump(dump).map_or(Vec::new(), |file| file.family().lengths(dump))
}

/// A dump without some places, with the origin of its bytes.
struct ReadableDump<'p> {
    dump: Cow<'p, [u8]>,
    without: &'p [Range<usize>],
}

impl<'p> ReadableDump<'p> {
    fn without_places(dump: &'p [u8], lengths: &[StatedLength], gone: &'p [Range<usize>]) -> ReadableDump<'p> {
        // A dump without broken places is not copied.
        let left = if gone.is_empty() { Cow::Borrowed(dump) } else { remove_ranges(dump, lengths, gone).into() };
        ReadableDump { dump: left, without: gone }
    }

    /// The place of a byte in the original dump.
    fn original_place(&self, at: usize) -> usize {
        self.without.iter().fold(at, |at, gone| if gone.start <= at { at + gone.len() } else { at })
    }

    /// The parts of the readable dump, by their places in the original.
    fn spans(&self, unit: PartUnit) -> Vec<Range<usize>> {
        let spans =
            if unit == PartUnit::Records { self.records() } else { self.fields().map(|(_, span)| span).collect() };
        spans
            .into_iter()
            .filter(|span| !span.is_empty())
            .map(|span| self.original_place(span.start)..self.original_place(span.end - 1) + 1)
            .collect()
    }

    fn records(&self) -> Vec<Range<usize>> {
        let mut records: Vec<(Option<u64>, Range<usize>)> = Vec::new();
        for (record, span) in self.fields() {
            match records.last_mut().filter(|(of, last)| record.is_some() && *of == record && last.end == span.start) {
                Some((_, last)) => last.end = span.end,
                None => records.push((record, span)),
            }
        }
        records.into_iter().map(|(_, span)| span).collect()
    }

    /// The fields and their records.
    fn fields(&self) -> impl Iterator<Item = (Option<u64>, Range<usize>)> + use<> {
        let mut fields = Vec::new();
        if let Some(file) = open_dump(&self.dump) {
            // A dump that is broken has fields up to there.
            let _ = file.annotate(&mut |Annotation { offset, bytes, record, .. }| {
                let start = offset as usize;
                fields.push((record, start..start.saturating_add(bytes.len()).min(self.dump.len())));
                Ok(())
            });
        }
        fields.into_iter()
    }
}
