//! The bytes of a dump that state a fact.

use std::collections::BTreeSet;

use crate::check::report::evidence::{Evidence, EvidenceField};
use crate::check::task::first_heap;
use crate::corpus::Case;
use heapsmith_core::annotation::Annotation;
use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::family::ReadOptions;
use heapsmith_core::format::DumpFile;
use heapsmith_core::input::Input;
use heapsmith_core::model::{Address, ObjectKind};

/// The number of fields that are shown, and of bytes of each.
const FIELDS: usize = 24;
const BYTES: usize = 24;
/// The distance, in bytes, up to which fields outside of records are shown.
const NEAR: u64 = 64;

/// The fields that state a fact of the object at an address, or of the whole dump.
pub(super) fn evidence_for_fact(
    case: &Case,
    facet: Facet,
    address: Option<Address>,
    (expected, found): (&str, &str),
) -> Result<Option<Evidence>, Error> {
    let Some(file) = open(case) else { return Ok(None) };
    let is_array = address.is_some_and(|address| {
        let mut objects = first_heap(case).into_iter().flat_map(|heap| &heap.objects);
        objects.any(|object| object.address == address && object.kind != ObjectKind::Instance)
    });
    let (names, rule) = case.format.family().fields(facet, is_array);
    let rule = (!rule.is_empty()).then_some(rule);
    let record = match address {
        Some(address) => {
            let places = file.places(case.heap.unwrap_or_default() as usize, &BTreeSet::from([address]))?;
            match places.get(&address) {
                Some(place) => Some(place.record),
                // No record has it.
                None => return Ok(None),
            }
        }
        None => None,
    };
    let mut shown = Vec::new();
    visit(&file, |field| {
        let is_there = if record.is_some() { field.record == record } else { names.contains(&field.name) };
        if is_there && (shown.len() < FIELDS || names.contains(&field.name) && shown.len() < 4 * FIELDS) {
            shown.push((field_excerpt(field), field.bytes.len() as u64));
        }
    });
    if shown.is_empty() {
        return Ok(None);
    }
    // Where a list is wrong, the members that are missing from the answer are meant.
    let missing = hex_words(expected).difference(&hex_words(found)).cloned().collect::<BTreeSet<String>>();
    let said = |field: &EvidenceField| names.contains(&field.name.as_str());
    let is_missing = |field: &EvidenceField| said(field) && !missing.is_disjoint(&hex_words(&field.meaning));
    let by_member = shown.iter().filter(|(field, _)| is_missing(field)).count();
    for (field, _) in &mut shown {
        field.wrong = if by_member > 0 { is_missing(field) } else { said(field) };
    }
    let wrong = |(field, _): &&(EvidenceField, u64)| field.wrong;
    let first = shown.iter().find(wrong).or(shown.first());
    let last = shown.iter().rfind(wrong).or(shown.last());
    let offset = first.map_or(0, |(field, _)| field.offset);
    let end = last.map_or(0, |(field, length)| field.offset + length);
    let rule = rule.map(str::to_owned);
    let fields = shown.into_iter().map(|(field, _)| field).take(2 * FIELDS).collect();
    Ok(Some(Evidence { offset, length: end.saturating_sub(offset), record, rule, fields, neighbourhood: None }))
}

/// The fields around an offset, and the bytes there where nothing can be read.
pub(super) fn evidence_around(case: &Case, offset: u64, rule: Option<&str>) -> Result<Evidence, Error> {
    let mut evidence = Evidence { offset, length: 1, rule: rule.map(str::to_owned), ..Evidence::default() };
    let mut before = Vec::new();
    let mut following = 0;
    let mut end = 0;
    if let Some(file) = open(case) {
        visit(&file, |field| {
            let after = field.offset + field.bytes.len() as u64;
            end = end.max(after);
            let is_here = field.offset <= offset && offset < after;
            if after <= offset {
                before.push(field_excerpt(field));
                if before.len() > FIELDS / 3 {
                    before.remove(0);
                }
            } else if is_here || following < FIELDS / 3 {
                following += u64::from(!is_here) as usize;
                if is_here {
                    evidence.record = field.record;
                    evidence.offset = field.offset;
                    evidence.length = field.bytes.len() as u64;
                }
                before.push(EvidenceField { wrong: is_here, ..field_excerpt(field) });
            }
        });
    }
    evidence.fields = before;
    if offset >= end {
        // After the last field that can be read. Offsets are those of the decompressed dump, which is not at hand here.
        let bytes = if case.bytes.starts_with(&[0x1f, 0x8b]) { &[][..] } else { &case.bytes[..] };
        let from = |offset: u64| usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let mut put = |at: u64, bytes: &[u8], meaning: &str, wrong| {
            let (bytes, meaning) = (hex_excerpt(bytes), meaning.to_owned());
            evidence.fields.push(EvidenceField { offset: at, bytes, name: String::new(), meaning, wrong });
        };
        if end < offset {
            let gap = from(end);
            put(end, &gap[..gap.len().min((offset - end) as usize)], "in front of it, in the same record", false);
        }
        let rest = from(offset);
        put(offset, rest, if rest.is_empty() { "the end of the data" } else { "cannot be read on from here" }, true);
    }
    Ok(evidence)
}

/// The record with the bytes that rely on a rule, or what is around them where they stand in none.
pub(super) fn evidence_for_rule(case: &Case, rule: &str, offset: u64, length: u64) -> Result<Option<Evidence>, Error> {
    let Some(file) = open(case) else { return Ok(None) };
    let end = offset.saturating_add(length.max(1));
    let is_there = |field: &Annotation<'_>| field.offset < end && offset < field.offset + field.bytes.len() as u64;
    let mut record = None;
    visit(&file, |field| {
        if record.is_none() && is_there(field) {
            record = Some(field.record);
        }
    });
    let Some(record) = record else { return Ok(None) };
    let mut fields = Vec::new();
    visit(&file, |field| {
        let wrong = is_there(field);
        let is_shown = field.record == record && (record.is_some() || field.offset.abs_diff(offset) < NEAR);
        if is_shown && (fields.len() < FIELDS || wrong && fields.len() < 2 * FIELDS) {
            fields.push(EvidenceField { wrong, ..field_excerpt(field) });
        }
    });
    let rule = Some(rule.to_owned());
    Ok(Some(Evidence { offset, length: length.max(1), record, rule, fields, neighbourhood: None }))
}

/// The dump of a case; `None`, if its start is damaged: then it has nothing to show.
pub(super) fn open(case: &Case) -> Option<DumpFile> {
    DumpFile::new(Input::from_memory(&case.id, case.bytes.clone()), ReadOptions::default()).ok()
}

/// Visits all fields, as far as the dump can be read.
fn visit(file: &DumpFile, mut visit: impl FnMut(&Annotation<'_>)) {
    let _ended = file.annotate(&mut |field| {
        // The one at which reading stops is the matter of the error.
        if field.breaks.is_none() {
            visit(&field);
        }
        Ok(())
    });
}

fn field_excerpt(field: &Annotation<'_>) -> EvidenceField {
    EvidenceField {
        offset: field.offset,
        bytes: hex_excerpt(field.bytes),
        name: field.name.to_owned(),
        meaning: field.meaning.clone(),
        wrong: false,
    }
}

fn hex_excerpt(bytes: &[u8]) -> String {
    let shown = hexadecimal(&bytes[..bytes.len().min(BYTES)]);
    if bytes.len() > BYTES { format!("{shown}…") } else { shown }
}

/// The hexadecimal numbers in a text.
fn hex_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.starts_with("0x")).map(str::to_owned).collect()
}
