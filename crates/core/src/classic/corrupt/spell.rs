//! The text that edits put into a dump, and where.

use std::collections::HashSet;

use crate::classic::wire::EntryRecordKind;

use super::map::{ClassicRecordKind, MappedDump, RecordAt, TextChange};
use crate::family::edit::{Edited, FieldAt, RecordTarget};

/// The text with changes; the finding stands where `offset` was.
pub(super) fn edited(map: &MappedDump, changes: &[TextChange], offset: usize, due: usize) -> Option<Edited> {
    let (bytes, moved) = map.changed(changes, offset);
    Some(Edited { bytes, offset: moved as u64, records_due: due as u64 })
}

/// Puts text somewhere. The finding is at its beginning.
pub(super) fn insert_text(map: &MappedDump, at: usize, text: &[u8], due: usize) -> Option<Edited> {
    edited(map, &[(at, 0, text.to_vec())], at, due)
}

/// Puts a line in front of a record, at which reading stops.
pub(super) fn insert_line_before(map: &MappedDump, record: &RecordAt, line: &[u8]) -> Option<Edited> {
    insert_text(map, record.offset, &[line, map.newline()].concat(), record.index)
}

/// Replaces a part of a record. The finding is there.
pub(super) fn replace_field(map: &MappedDump, field: &FieldAt, text: &[u8], due: usize) -> Option<Edited> {
    edited(map, &[(field.offset, field.length, text.to_vec())], field.offset, due)
}

/// A line at the end of the text, and how many bytes of it end the line before.
pub(super) fn line_at_end(map: &MappedDump, line: &[u8]) -> (Vec<u8>, usize) {
    let newline = map.newline();
    let lead = if map.text.ends_with(b"\n") { &[] } else { newline };
    ([lead, line, newline].concat(), lead.len())
}

/// Adds a record at the end of the text.
pub(super) fn append_record(map: &MappedDump, line: &[u8]) -> Option<Edited> {
    let (text, lead) = line_at_end(map, line);
    let end = map.text.len();
    let made = insert_text(map, end, &text, map.records.len() + 1)?;
    Some(Edited { offset: (end + lead) as u64, ..made })
}

/// Raises the first number after a word of a trailer.
pub(super) fn raise_number(
    map: &MappedDump,
    trailer: &RecordAt,
    line: &FieldAt,
    word: &[u8],
    by: u64,
) -> Option<Edited> {
    let text = map.spelled(line);
    let word = text.windows(word.len()).position(|window| window == word)? + word.len();
    let start = word + text[word..].iter().position(u8::is_ascii_digit)?;
    let digits: String = text[start..].iter().take_while(|b| b.is_ascii_digit()).map(|b| char::from(*b)).collect();
    let raised = digits.parse::<u64>().ok()?.checked_add(by)?.to_string().into_bytes();
    edited(map, &[(line.offset + start, digits.len(), raised)], trailer.offset, map.records.len())
}

pub(super) fn first_entry(map: &MappedDump) -> Option<RecordAt> {
    map.records.iter().find(|record| record.is_entry()).copied()
}

/// The chosen object or class, or else the first one.
pub(super) fn chosen_entry(map: &MappedDump, target: RecordTarget) -> Option<RecordAt> {
    map.records.iter().find(|record| record.is_entry() && target.allows(record.index)).copied()
}

/// Trailer 2, if the text ends with it.
pub(super) fn last_trailer(map: &MappedDump) -> Option<RecordAt> {
    map.records.last().filter(|record| record.kind == ClassicRecordKind::Eof).copied()
}

/// The address of the last object that nothing refers to, and that is not the first record.
pub(super) fn unreferenced_object_address(map: &MappedDump, target: RecordTarget) -> Option<FieldAt> {
    let first = first_entry(map)?;
    let named: HashSet<i64> = map.fields.iter().filter(|f| f.name == "reference").map(|f| f.value).collect();
    let objects = map.entries(EntryRecordKind::Object).rev().filter(|record| target.allows(record.index));
    let addresses = objects.filter_map(|record| map.field(&record, "address"));
    addresses.filter(|field| field.record != Some(first.index as u64)).find(|field| !named.contains(&field.value))
}

/// The names of classes, but those of arrays, that no object has, in file order.
pub(super) fn unused_class_names(map: &MappedDump) -> impl DoubleEndedIterator<Item = FieldAt> {
    let types: HashSet<&[u8]> = map.entries(EntryRecordKind::Object).map(|record| map.name(&record)).collect();
    let names = map.entries(EntryRecordKind::Class).filter_map(|record| map.field(&record, "type"));
    let loose = names.filter(|field| is_instance(map.spelled(field)) && !types.contains(map.spelled(field)));
    loose.collect::<Vec<_>>().into_iter()
}

/// The first object or class with three references or more: one that keeps its first one without two.
pub(super) fn entry_with_references(map: &MappedDump, target: RecordTarget) -> Option<RecordAt> {
    let many = |record: &&RecordAt| target.allows(record.index) && map.parts(record, "reference").count() > 2;
    map.records.iter().find(many).copied()
}

pub(super) fn is_instance(name: &[u8]) -> bool {
    name.first().is_some_and(|first| *first != b'[')
}
