//! The bytes that edits put into a dump, and where.

use crate::hprof::{RecordTag, SubRecordTag};

use super::map::{MappedDump, RecordAt};
use crate::family::edit::{Edited, FieldAt, RecordTarget};

pub(super) fn edited(bytes: Vec<u8>, offset: usize, due: usize) -> Edited {
    Edited { bytes, offset: offset as u64, records_due: due as u64 }
}

pub(super) fn record(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag, 0, 0, 0, 0], &(body.len() as u32).to_be_bytes()[..], body].concat()
}

/// Puts a record in front of the chosen one, or else in front of all others. Every record is still due, and one more.
pub(super) fn insert_record_before(map: &MappedDump, target: RecordTarget, tag: u8, body: &[u8]) -> Option<Edited> {
    let place = match target.index() {
        Some(index) => map.records.get(index).filter(|record| record.tag.is_some())?.offset,
        None => map.body,
    };
    Some(edited(map.with_inserted(place, &record(tag, body)), place, map.records.len() + 1))
}

/// Puts a sub-record after the chosen one, or at the end of the chosen dump record, or else of the last one. Every record is
/// still due, and one more.
pub(super) fn append_sub_record(map: &MappedDump, target: RecordTarget, sub_record: &[u8]) -> Option<Edited> {
    let (dump, place) = match target.index() {
        Some(index) => {
            let (dump, place) = (map.dump_of(index)?, map.records.get(index)?.end_offset());
            // Of a length that was never patched no end is known.
            (dump, Some(place).filter(|place| *place <= dump.end_offset())?)
        }
        None => map.last_dump().map(|dump| (dump, dump.end_offset()))?,
    };
    Some(edited(map.with_record_lengthened_at(dump, place, sub_record), place, map.records.len() + 1))
}

/// The edit with the records that are due if reading stops there.
pub(super) fn with_records_before(map: &MappedDump, made: Edited) -> Option<Edited> {
    let before = |record: &&RecordAt| (record.offset as u64) < made.offset;
    let records_due = map.records.iter().filter(before).count() as u64;
    Some(Edited { records_due, ..made })
}

/// Sets a field of a record; the finding stands at the record, and every record is still due.
pub(super) fn set_field(map: &MappedDump, field: &FieldAt, value: i64) -> Option<Edited> {
    Some(edited(map.with_value(field, value), map.record(field)?.offset, map.records.len()))
}

/// Any object of the dump.
pub(super) fn some_object(map: &MappedDump) -> Option<u64> {
    let field = map.field_of_sub(SubRecordTag::INSTANCE_DUMP, "object id");
    let array = |field: &FieldAt| map.record(field).is_some_and(|record| record.offset >= map.heap);
    field.or_else(|| map.field("array object id", array)).map(|field| field.value as u64)
}

/// The superclass of a class without instances and subclasses.
pub(super) fn superclass_of_unused_class(map: &MappedDump, target: RecordTarget) -> Option<FieldAt> {
    let mut dumped = map.fields.iter().filter(|field| field.name == "super class object id" && field.value != 0);
    let named = |id: i64, name: &str, tag| {
        let of = |field: &FieldAt| map.record(field).is_some_and(|record| record.sub_tag == Some(tag));
        map.fields.iter().any(|field| field.name == name && field.value == id && of(field))
    };
    let is_loose = |field: &&FieldAt| {
        let own = map.field("class object id", |id| id.record == field.record).map_or(0, |id| id.value);
        !named(own, "class object id", SubRecordTag::INSTANCE_DUMP)
            && !named(own, "super class object id", SubRecordTag::CLASS_DUMP)
    };
    dumped.find(|field| target.has(field) && is_loose(field)).copied()
}

/// The body of a frame with this method and line.
pub(super) fn frame_body(map: &MappedDump, method: u64, line: u32) -> Option<Vec<u8>> {
    let class = map.field_of(RecordTag::LOAD_CLASS, "class serial number")?.value as u32;
    let names = [map.spelled(method), map.spelled(0), map.spelled(0)].concat();
    Some([&map.spelled(map.unused_number(0)?)[..], &names, &class.to_be_bytes(), &line.to_be_bytes()].concat())
}

/// The body of a LOAD CLASS of an unknown class with a known name.
pub(super) fn load_class_body(map: &MappedDump, serial: u32) -> Option<Vec<u8>> {
    let name = map.spelled(map.field_of(RecordTag::LOAD_CLASS, "class name string id")?.value as u64);
    Some([&serial.to_be_bytes(), &map.spelled(map.unused_number(0)?)[..], &[0; 4], &name].concat())
}

pub(super) fn array(map: &MappedDump, id: u64, trace: u32, code: u8, elements: &[u8]) -> Vec<u8> {
    let count = (elements.len() as u32).to_be_bytes();
    [&[0x23], &map.spelled(id)[..], &trace.to_be_bytes(), &count, &[code], elements].concat()
}

pub(super) fn object_array(map: &MappedDump, class: u64, elements: &[u64]) -> Option<Vec<u8>> {
    let count = (elements.len() as u32).to_be_bytes();
    let elements: Vec<u8> = elements.iter().flat_map(|&to| map.spelled(to)).collect();
    Some([&[0x22], &map.spelled(map.unused_number(0)?)[..], &[0; 4], &count, &map.spelled(class), &elements].concat())
}

/// An instance of this number of zero bytes.
pub(super) fn instance(map: &MappedDump, class: u64, length: u32) -> Option<Vec<u8>> {
    let values = vec![0; length as usize];
    Some(
        [
            &[0x21],
            &map.spelled(map.unused_number(0)?)[..],
            &[0; 4],
            &map.spelled(class),
            &length.to_be_bytes(),
            &values,
        ]
        .concat(),
    )
}
