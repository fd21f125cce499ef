//! The rules that the bytes of a header rely on.

use std::ops::Range;

use crate::annotation::spans;
use crate::bytes::FieldSpan;
use crate::error::RuleId;
use crate::family::Reliance;
use crate::model::HeaderTotals;
use crate::phd::decode;
use crate::phd::record::{Header, HeaderRecord};
use crate::phd::rules::pass::is_plain_ascii;
use crate::phd::rules::{
    HEADER_BODY_TAG, HEADER_MAGIC, HEADER_OPTIONAL_RECORDS, HEADER_RECORD_PAYLOADS, HEADER_RECORD_TAG,
    HEADER_REPEATED_RECORD, HEADER_START_TAG, HEADER_TAG_NAMESPACES, HEADER_VERSION, HEADER_VERSION_TEXT_ENCODING,
    WORDS_BYTE_ORDER, WORDS_WORD,
};
use crate::phd::wire::{FileFlags, Version};

/// The file's flags (S0, General structure, 3).
pub(super) const FLAGS: Range<usize> = 24..28;

const MAGIC: Range<usize> = 0..20;

/// Bytes of the header that rely on a rule.
pub(super) fn reliance(rule: RuleId, at: Range<usize>) -> Reliance {
    Reliance { offset: at.start as u64, length: at.len() as u64, rule, of: None, record: None }
}

/// A header record with its bytes.
type PlacedHeaderRecord<'h> = (&'h HeaderRecord, Range<usize>);

/// Calls `found` for each place of a header, and returns the totals that count, with their place.
pub(super) fn reliances(
    header: &Header,
    bytes: &[u8],
    found: &mut dyn FnMut(Reliance),
) -> Option<(HeaderTotals, Range<usize>)> {
    let spans = spans(bytes, |cursor| decode::header(cursor).map(|_| ()));
    let mut tell = |rule, at| found(reliance(rule, at));
    fixed_fields(header, &spans, &mut tell);
    let starts = spans.iter().filter(|span| span.name == "header record tag").map(|span| span.at.start);
    let starts: Vec<usize> = starts.collect();
    let places = starts.windows(2).map(|pair| pair[0]..pair[1]);
    let records: Vec<PlacedHeaderRecord<'_>> = header.records.iter().zip(places).collect();
    record_order(&records, starts.last().copied(), &mut tell);
    for (record, at) in &records {
        tell(HEADER_RECORD_TAG, tag_of(at));
        payload(record, at, &mut tell);
    }
    let (mut totals, mut text) = (None, None);
    for (record, at) in records {
        match record {
            HeaderRecord::Totals(stated) => totals = Some((*stated, at.start + 1..at.end)),
            HeaderRecord::FullVersion(version) => text = Some((version, at.end - version.len()..at.end)),
            HeaderRecord::HashcodeRandoms(..) => {}
        }
    }
    if let Some((_, at)) = text.filter(|(text, _)| !is_plain_ascii(text)) {
        tell(HEADER_VERSION_TEXT_ENCODING, at);
    }
    totals
}

/// Tells the rules of the fields that every header has.
fn fixed_fields(header: &Header, spans: &[FieldSpan], tell: &mut impl FnMut(RuleId, Range<usize>)) {
    tell(HEADER_MAGIC, MAGIC);
    for FieldSpan { name, at, .. } in spans {
        let at = || at.clone();
        match *name {
            "version" => {
                tell(WORDS_BYTE_ORDER, at());
                // S1 calls version 5 the current one: no reader refuses that.
                if header.version != Version::V5 {
                    tell(HEADER_VERSION, at());
                }
            }
            "flags" if header.flags.has(FileFlags::WORD_64) => tell(WORDS_WORD, at()),
            "start of header tag" => tell(HEADER_START_TAG, at()),
            "start of body tag" => tell(HEADER_BODY_TAG, at()),
            _ => {}
        }
    }
}

/// Tells the rules of the header records that there are, and of their order. As J9 VMs write it, a header has the VM's
/// version, and other records by ascending tag in front of it.
fn record_order(records: &[PlacedHeaderRecord<'_>], end: Option<usize>, tell: &mut impl FnMut(RuleId, Range<usize>)) {
    // Next to the tag that starts the header, the same number looks like another start.
    if let Some((HeaderRecord::Totals(_), at)) = records.first() {
        tell(HEADER_TAG_NAMESPACES, tag_of(at));
    }
    let mut firsts = [None; 3];
    let mut highest = 0;
    for (record, at) in records {
        let slot = slot(record);
        if slot < highest {
            tell(HEADER_OPTIONAL_RECORDS, tag_of(at));
        }
        highest = highest.max(slot);
        // Where the first of its tag says the same, it does not matter which counts.
        if *firsts[slot].get_or_insert(record) != record {
            tell(HEADER_REPEATED_RECORD, at.clone());
        }
    }
    if let (None, Some(end)) = (firsts[VERSION_TEXT], end) {
        tell(HEADER_OPTIONAL_RECORDS, end..end + 1);
    }
}

fn payload(record: &HeaderRecord, at: &Range<usize>, tell: &mut impl FnMut(RuleId, Range<usize>)) {
    let from = at.start + 1;
    match record {
        // The documents give them no payload.
        HeaderRecord::Totals(_) | HeaderRecord::HashcodeRandoms(..) => tell(HEADER_RECORD_PAYLOADS, from..at.end),
        // An empty text, and a length with the sign bit of a byte.
        HeaderRecord::FullVersion(text) if text.is_empty() || text.len() > 0x7f => {
            tell(HEADER_RECORD_PAYLOADS, from..from + 2);
        }
        HeaderRecord::FullVersion(_) => {}
    }
}

const VERSION_TEXT: usize = 2;

/// The slot of a header record, by ascending tag: 1, 3 and 4.
fn slot(record: &HeaderRecord) -> usize {
    match record {
        HeaderRecord::Totals(_) => 0,
        HeaderRecord::HashcodeRandoms(..) => 1,
        HeaderRecord::FullVersion(_) => VERSION_TEXT,
    }
}

fn tag_of(record: &Range<usize>) -> Range<usize> {
    record.start..record.start + 1
}
