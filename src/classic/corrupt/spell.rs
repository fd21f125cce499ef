//! The text that edits put into a dump, and where.

use std::collections::HashSet;

use crate::classic::wire::EntryKind;

use super::map::{Change, Map, RecordAt, RecordKind};
use crate::family::edit::{Edited, FieldAt};

/// The text with changes; the finding stands where `offset` was.
pub(super) fn edited(map: &Map, changes: &[Change], offset: usize, due: usize) -> Option<Edited> {
    let (bytes, moved) = map.changed(changes, offset);
    Some(Edited { bytes, offset: moved as u64, records_due: due as u64 })
}

/// Puts text somewhere. The finding is at its beginning.
pub(super) fn put(map: &Map, at: usize, text: &[u8], due: usize) -> Option<Edited> {
    edited(map, &[(at, 0, text.to_vec())], at, due)
}

/// Puts a line in front of a record, at which reading stops.
pub(super) fn in_front(map: &Map, record: &RecordAt, line: &[u8]) -> Option<Edited> {
    put(map, record.offset, &[line, map.newline()].concat(), record.index)
}

/// Replaces a part of a record. The finding is there.
pub(super) fn replaced(map: &Map, field: &FieldAt, text: &[u8], due: usize) -> Option<Edited> {
    edited(map, &[(field.offset, field.length, text.to_vec())], field.offset, due)
}

/// A line at the end of the text, and how many bytes of it end the line before.
pub(super) fn added(map: &Map, line: &[u8]) -> (Vec<u8>, usize) {
    let newline = map.newline();
    let lead = if map.text.ends_with(b"\n") { &[] } else { newline };
    ([lead, line, newline].concat(), lead.len())
}

/// Adds a record at the end of the text.
pub(super) fn append(map: &Map, line: &[u8]) -> Option<Edited> {
    let (text, lead) = added(map, line);
    let end = map.text.len();
    let made = put(map, end, &text, map.records.len() + 1)?;
    Some(Edited { offset: (end + lead) as u64, ..made })
}

/// Raises the first number after a word of a trailer.
pub(super) fn raised(map: &Map, trailer: &RecordAt, line: &FieldAt, word: &[u8], by: u64) -> Option<Edited> {
    let text = map.spelled(line);
    let word = text.windows(word.len()).position(|window| window == word)? + word.len();
    let start = word + text[word..].iter().position(u8::is_ascii_digit)?;
    let digits: String = text[start..].iter().take_while(|b| b.is_ascii_digit()).map(|b| char::from(*b)).collect();
    let raised = digits.parse::<u64>().ok()?.checked_add(by)?.to_string().into_bytes();
    edited(map, &[(line.offset + start, digits.len(), raised)], trailer.offset, map.records.len())
}

pub(super) fn first_entry(map: &Map) -> Option<RecordAt> {
    map.records.iter().find(|record| record.is_entry()).copied()
}

/// Trailer 2, if the text ends with it.
pub(super) fn last_trailer(map: &Map) -> Option<RecordAt> {
    map.records.last().filter(|record| record.kind == RecordKind::Eof).copied()
}

/// The address of the last object that nothing refers to, and that is not the first record.
pub(super) fn loose_object(map: &Map) -> Option<FieldAt> {
    let first = first_entry(map)?;
    let named: HashSet<i64> = map.fields.iter().filter(|f| f.name == "reference").map(|f| f.value).collect();
    let addresses = map.entries(EntryKind::Object).rev().filter_map(|record| map.field(&record, "address"));
    addresses.filter(|field| field.record != Some(first.index as u64)).find(|field| !named.contains(&field.value))
}

/// The names of classes, but those of arrays, that no object has, in file order.
pub(super) fn loose_classes(map: &Map) -> impl DoubleEndedIterator<Item = FieldAt> {
    let types: HashSet<&[u8]> = map.entries(EntryKind::Object).map(|record| map.name(&record)).collect();
    let names = map.entries(EntryKind::Class).filter_map(|record| map.field(&record, "type"));
    let loose = names.filter(|field| is_instance(map.spelled(field)) && !types.contains(map.spelled(field)));
    loose.collect::<Vec<_>>().into_iter()
}

/// The first object or class with three references or more: one that keeps its first one without two.
pub(super) fn donor(map: &Map) -> Option<RecordAt> {
    let many = |record: &&RecordAt| map.parts(record, "reference").count() > 2;
    map.records.iter().find(many).copied()
}

pub(super) fn is_instance(name: &[u8]) -> bool {
    name.first().is_some_and(|first| *first != b'[')
}
