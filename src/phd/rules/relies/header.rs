//! What the bytes of a header rely on.

use std::ops::Range;

use crate::annotation::spans;
use crate::bytes::FieldSpan;
use crate::error::RuleId;
use crate::family::Reliance;
use crate::model::Totals;

use super::super::super::decode;
use super::super::super::record::{Header, HeaderRecord};
use super::super::super::wire::{FileFlags, Version};
use super::super::pass::is_plain_ascii;
use super::super::{
    HEADER_BODY_TAG, HEADER_MAGIC, HEADER_OPTIONAL_RECORDS, HEADER_RECORD_PAYLOADS, HEADER_RECORD_TAG,
    HEADER_REPEATED_RECORD, HEADER_START_TAG, HEADER_TAG_NAMESPACES, HEADER_VERSION, HEADER_VERSION_TEXT_ENCODING,
    WORDS_BYTE_ORDER, WORDS_WORD,
};

/// The file's flags (S0, General structure, 3).
pub(super) const FLAGS: Range<usize> = 24..28;

const MAGIC: Range<usize> = 0..20;

/// Bytes of the header that rely on a rule.
pub(super) fn reliance(rule: RuleId, at: Range<usize>) -> Reliance {
    Reliance { offset: at.start as u64, length: at.len() as u64, rule, of: None, record: None }
}

/// Calls `found` for each place of a header, and returns the totals that count, with their place.
pub(super) fn relies(header: &Header, bytes: &[u8], found: &mut dyn FnMut(Reliance)) -> Option<(Totals, Range<usize>)> {
    let spans = spans(bytes, |cursor| decode::header(cursor).map(|_| ()));
    let mut tell = |rule, at| found(reliance(rule, at));
    tell(HEADER_MAGIC, MAGIC);
    for FieldSpan { name, at, .. } in &spans {
        let at = || at.clone();
        match *name {
            "version" => {
                tell(WORDS_BYTE_ORDER, at());
                // The one that S1 calls current is known to everybody.
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
    let starts: Vec<usize> =
        spans.iter().filter(|span| span.name == "header record tag").map(|span| span.at.start).collect();
    let places = starts.windows(2).map(|pair| pair[0]..pair[1]);
    let records = || header.records.iter().zip(places.clone());
    optional_records(records(), starts.last().copied(), &mut tell);
    let mut firsts = [None; 3];
    for (record, at) in records() {
        tell(HEADER_RECORD_TAG, tag_of(&at));
        payload(record, &at, &mut tell);
        // Where the first of its tag says the same, it does not matter which counts.
        if *firsts[slot(record)].get_or_insert(record) != record {
            tell(HEADER_REPEATED_RECORD, at);
        }
    }
    if let Some((HeaderRecord::FullVersion(text), at)) = records().filter(|(record, _)| slot(record) == 2).last()
        && !is_plain_ascii(text)
    {
        tell(HEADER_VERSION_TEXT_ENCODING, at.end - text.len()..at.end);
    }
    let totals = |(record, at): (&HeaderRecord, Range<usize>)| match record {
        HeaderRecord::Totals(totals) => Some((*totals, at.start + 1..at.end)),
        _ => None,
    };
    records().filter_map(totals).last()
}

/// A header as J9 VMs write it has the VM's version at least, and its records by ascending tag.
fn optional_records<'h>(
    records: impl Iterator<Item = (&'h HeaderRecord, Range<usize>)>,
    end: Option<usize>,
    tell: &mut impl FnMut(RuleId, Range<usize>),
) {
    let (mut highest, mut has_version) = (0, false);
    for (record, at) in records {
        if slot(record) < highest {
            tell(HEADER_OPTIONAL_RECORDS, tag_of(&at));
        }
        highest = highest.max(slot(record));
        has_version |= slot(record) == 2;
    }
    if let Some(end) = end.filter(|_| !has_version) {
        tell(HEADER_OPTIONAL_RECORDS, end..end + 1);
    }
}

fn payload(record: &HeaderRecord, at: &Range<usize>, tell: &mut impl FnMut(RuleId, Range<usize>)) {
    let behind = at.start + 1;
    match record {
        // The documents give them no payload, and the same tags other meanings elsewhere.
        HeaderRecord::Totals(_) | HeaderRecord::HashcodeRandoms(..) => {
            tell(HEADER_RECORD_PAYLOADS, behind..at.end);
            tell(HEADER_TAG_NAMESPACES, tag_of(at));
        }
        // An empty text, and a length with the sign bit of a byte.
        HeaderRecord::FullVersion(text) if text.is_empty() || text.len() > 0x7f => {
            tell(HEADER_RECORD_PAYLOADS, behind..behind + 2);
        }
        HeaderRecord::FullVersion(_) => {}
    }
}

/// By ascending tag: 1, 3 and 4.
fn slot(record: &HeaderRecord) -> usize {
    match record {
        HeaderRecord::Totals(_) => 0,
        HeaderRecord::HashcodeRandoms(..) => 1,
        HeaderRecord::FullVersion(_) => 2,
    }
}

fn tag_of(record: &Range<usize>) -> Range<usize> {
    record.start..record.start + 1
}
