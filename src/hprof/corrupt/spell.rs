//! The bytes that edits put into a dump, and where.

use crate::hprof::{SubTag, Tag};

use super::map::{Map, RecordAt};
use crate::family::edit::{Edited, FieldAt};

pub(super) fn edited(bytes: Vec<u8>, offset: usize, due: usize) -> Edited {
    Edited { bytes, offset: offset as u64, records_due: due as u64 }
}

pub(super) fn record(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag, 0, 0, 0, 0], &(body.len() as u32).to_be_bytes()[..], body].concat()
}

/// Puts a record in front of all others. Every record is still due, and one more.
pub(super) fn front(map: &Map, tag: u8, body: &[u8]) -> Option<Edited> {
    Some(edited(map.inserting(map.body, &record(tag, body)), map.body, map.records.len() + 1))
}

/// Puts a sub-record at the end of the last dump record. Every record is still due, and one more.
pub(super) fn append(map: &Map, sub_record: &[u8]) -> Option<Edited> {
    let dump = map.last_dump()?;
    Some(edited(map.lengthened(dump, sub_record), dump.end(), map.records.len() + 1))
}

/// The edit with the records that are due if reading stops there.
pub(super) fn fatal(map: &Map, made: Edited) -> Option<Edited> {
    let before = |record: &&RecordAt| (record.offset as u64) < made.offset;
    let records_due = map.records.iter().filter(before).count() as u64;
    Some(Edited { records_due, ..made })
}

/// Sets a field of a record; the finding stands at the record, and every record is still due.
pub(super) fn in_record(map: &Map, field: &FieldAt, value: i64) -> Option<Edited> {
    Some(edited(map.with(field, value), map.record(field)?.offset, map.records.len()))
}

/// Any object of the dump.
pub(super) fn some_object(map: &Map) -> Option<u64> {
    let field = map.field_of_sub(SubTag::INSTANCE_DUMP, "object id");
    let array = |field: &FieldAt| map.record(field).is_some_and(|record| record.offset >= map.heap);
    field.or_else(|| map.field("array object id", array)).map(|field| field.value as u64)
}

/// The superclass of a class without instances and subclasses.
pub(super) fn loose_class(map: &Map) -> Option<FieldAt> {
    let dumped = map.fields.iter().filter(|field| field.name == "super class object id" && field.value != 0);
    let named = |id: i64, name: &str, tag| {
        let of = |field: &FieldAt| map.record(field).is_some_and(|record| record.sub_tag == Some(tag));
        map.fields.iter().any(|field| field.name == name && field.value == id && of(field))
    };
    let is_loose = |field: &&FieldAt| {
        let own = map.field("class object id", |id| id.record == field.record).map_or(0, |id| id.value);
        !named(own, "class object id", SubTag::INSTANCE_DUMP)
            && !named(own, "super class object id", SubTag::CLASS_DUMP)
    };
    dumped.clone().find(is_loose).copied()
}

/// The body of a frame with this method and line.
pub(super) fn frame(map: &Map, method: u64, line: u32) -> Option<Vec<u8>> {
    let class = map.field_of(Tag::LOAD_CLASS, "class serial number")?.value as u32;
    let names = [map.spelled(method), map.spelled(0), map.spelled(0)].concat();
    Some([&map.spelled(map.free(0)?)[..], &names, &class.to_be_bytes(), &line.to_be_bytes()].concat())
}

/// The body of a LOAD CLASS of an unknown class with a known name.
pub(super) fn load(map: &Map, serial: u32) -> Option<Vec<u8>> {
    let name = map.spelled(map.field_of(Tag::LOAD_CLASS, "class name string id")?.value as u64);
    Some([&serial.to_be_bytes(), &map.spelled(map.free(0)?)[..], &[0; 4], &name].concat())
}

pub(super) fn array(map: &Map, id: u64, trace: u32, code: u8, elements: &[u8]) -> Vec<u8> {
    let count = (elements.len() as u32).to_be_bytes();
    [&[0x23], &map.spelled(id)[..], &trace.to_be_bytes(), &count, &[code], elements].concat()
}

pub(super) fn object_array(map: &Map, class: u64, elements: &[u64]) -> Option<Vec<u8>> {
    let count = (elements.len() as u32).to_be_bytes();
    let elements: Vec<u8> = elements.iter().flat_map(|&to| map.spelled(to)).collect();
    Some([&[0x22], &map.spelled(map.free(0)?)[..], &[0; 4], &count, &map.spelled(class), &elements].concat())
}

/// An instance of this number of zero bytes.
pub(super) fn instance(map: &Map, class: u64, length: u32) -> Option<Vec<u8>> {
    let values = vec![0; length as usize];
    Some(
        [&[0x21], &map.spelled(map.free(0)?)[..], &[0; 4], &map.spelled(class), &length.to_be_bytes(), &values]
            .concat(),
    )
}
