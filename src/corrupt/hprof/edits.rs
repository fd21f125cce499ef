//! The edits: one for each rule of the bytes that an edit can break.
//!
//! Most put a record in front of all others, or a sub-record behind all others, and so have a place in any dump.

use crate::hprof::{SubTag, Tag, Version, rules, wire};

use super::super::{Edit, Edited, FieldAt};
use super::map::{Map, RecordAt};

macro_rules! edits {
    ($($name:literal breaks $rule:ident: $summary:literal => $apply:expr;)*) => {
        /// Every edit.
        pub const EDITS: &[Edit<Map>] = &[
            $(Edit { name: $name, rule: rules::$rule, summary: $summary, apply: $apply }),*
        ];
    };
}

edits! {
    "cut-in-a-sub-record" breaks FILE_TRUNCATED: "ends the file inside its last sub-record" => |map| {
        let index = map.records.iter().rposition(|record| record.sub_tag.is_some())?;
        let (record, stop) = (map.records[index], map.last_field(index)?);
        Some(edited(map.bytes[..record.end() - 1].to_vec(), stop.offset, index))
    };
    "misspell-the-magic" breaks HEADER_MAGIC: "changes a letter of the magic text" => |map| {
        Some(edited([b"JAVA PROFILF ", &map.bytes[13..]].concat(), 0, 0))
    };
    "translate-to-ebcdic" breaks HEADER_TEXT_MODE: "translates \"JAVA PROFILE \" to EBCDIC (IBM-037)" => |map| {
        let text = b"\xd1\xc1\xe5\xc1\x40\xd7\xd9\xd6\xc6\xc9\xd3\xc5\x40";
        Some(edited([text, &map.bytes[13..]].concat(), 0, 0))
    };
    "prefix-a-byte-order-mark" breaks HEADER_TEXT_MODE: "puts a UTF-8 byte order mark in front" => |map| {
        Some(edited(map.inserting(0, b"\xef\xbb\xbf"), 0, 0))
    };
    "drop-the-zero-bytes" breaks HEADER_TEXT_MODE: "removes every zero byte" => |map| {
        map.records.first()?;
        Some(edited(map.bytes.iter().copied().filter(|&byte| byte != 0).collect(), 18, 0))
    };
    "turn-zero-bytes-into-spaces" breaks HEADER_TEXT_MODE: "turns every zero byte into a space" => |map| {
        Some(edited(map.bytes.iter().map(|&byte| if byte == 0 { b' ' } else { byte }).collect(), 18, 0))
    };
    "raise-the-version" breaks HEADER_VERSION: "sets version 1.0.4" => |map| {
        Some(edited([&map.bytes[..17], b"4", &map.bytes[18..]].concat(), 13, 0))
    };
    "set-identifiers-of-3-bytes" breaks HEADER_ID_SIZE: "sets the size of identifiers to 3" => |map| {
        let field = map.field("size of identifiers", |_| true)?;
        Some(edited(map.with(&field, 3), field.offset, 0))
    };
    "add-an-array-without-identifier" breaks ID_NULL: "adds a byte[0] with the identifier 0" => |map| {
        behind(map, &array(map, 0, 0, 8, &[]))
    };
    "add-an-unknown-record" breaks RECORD_UNKNOWN_TAG: "puts a record with the tag 2a in front" => |map| {
        front(map, 0x2a, b"?")
    };
    "shorten-a-record" breaks RECORD_LENGTH: "lowers the length of the first LOAD CLASS by one" => |map| {
        let (length, name) = (map.field_of(Tag::LOAD_CLASS, "length")?, map.field("class name string id", |_| true)?);
        Some(edited(map.with(&length, length.value - 1), name.offset, length.record? as usize))
    };
    "lengthen-a-record" breaks RECORD_REST: "adds two bytes to the first LOAD CLASS" => |map| {
        let record = map.records.iter().find(|record| record.tag == Some(Tag::LOAD_CLASS))?;
        Some(edited(map.lengthened(record, b"\x0c\x1c"), record.offset, map.records.len()))
    };
    "add-a-string-of-other-bytes" breaks TEXT_ENCODING: "puts a string with the byte ff in front" => |map| {
        front(map, Tag::STRING_IN_UTF8.0, &[map.spelled(map.free(0)), vec![0xff]].concat())
    };
    "add-a-frame-without-method" breaks TEXT_UNKNOWN_ID: "puts a frame in front whose method is no string" => |map| {
        front(map, Tag::STACK_FRAME.0, &frame(map, map.free(1), 1)?)
    };
    "repeat-a-string-identifier" breaks TEXT_DUPLICATE_ID: "puts another string of the first one's identifier in front" => |map| {
        let field = map.field("string id", |_| true)?;
        let made = front(map, Tag::STRING_IN_UTF8.0, &[map.spelled(field.value as u64), b"other".to_vec()].concat())?;
        let shift = made.bytes.len() - map.bytes.len();
        Some(Edited { offset: (map.record(&field)?.offset + shift) as u64, ..made })
    };
    "load-a-class-of-serial-0" breaks CLASS_SERIAL_ZERO: "puts a LOAD CLASS with the serial number 0 in front" => |map| {
        front(map, Tag::LOAD_CLASS.0, &load(map, 0)?)
    };
    "load-a-class-without-dump" breaks LOAD_CLASS_NO_DUMP: "puts a LOAD CLASS of an unknown class in front" => |map| {
        front(map, Tag::LOAD_CLASS.0, &load(map, map.free(1) as u32)?)
    };
    "dump-a-class-without-load" breaks CLASS_NO_LOAD: "adds a CLASS DUMP of an unknown class" => |map| {
        let nulls = map.spelled(0).repeat(6);
        behind(map, &[&[0x20], &map.spelled(map.free(0))[..], &[0; 4], &nulls, &[0; 10]].concat())
    };
    "unload-an-unknown-class" breaks CLASS_UNKNOWN_SERIAL: "puts an UNLOAD CLASS of an unknown number in front" => |map| {
        front(map, Tag::UNLOAD_CLASS.0, &(map.free(0) as u32).to_be_bytes())
    };
    "set-line-0" breaks FRAME_LINE: "puts a frame with the line 0 in front" => |map| {
        front(map, Tag::STACK_FRAME.0, &frame(map, 0, 0)?)
    };
    "name-an-unknown-frame" breaks FRAME_UNKNOWN_ID: "puts a trace of an unknown frame in front" => |map| {
        let (serial, frame) = ((map.free(0) as u32).to_be_bytes(), map.spelled(map.free(1)));
        front(map, Tag::STACK_TRACE.0, &[&serial, &[0; 4], &1_u32.to_be_bytes()[..], &frame].concat())
    };
    "name-an-unknown-trace" breaks TRACE_UNKNOWN_SERIAL: "adds a byte[0] of an unknown stack trace" => |map| {
        behind(map, &array(map, map.free(0), map.free(1) as u32, 8, &[]))
    };
    "name-an-unknown-thread" breaks THREAD_UNKNOWN_SERIAL: "adds a root of an unknown thread" => |map| {
        let serial = (map.free(0) as u32).to_be_bytes();
        behind(map, &[&[0x04], &map.spelled(some_object(map)?)[..], &serial].concat())
    };
    "set-a-reserved-flag-of-sites" breaks SITES_RESERVED_FLAGS: "puts ALLOC SITES with the flag 8 in front" => |map| {
        front(map, Tag::ALLOC_SITES.0, &[&[0, 8], &[0; 32][..]].concat())
    };
    "set-a-reserved-control-flag" breaks CONTROL_RESERVED_FLAGS: "puts CONTROL SETTINGS with the flag 4 in front" => |map| {
        front(map, Tag::CONTROL_SETTINGS.0, &[0, 0, 0, 4, 0, 0])
    };
    "unpatch-a-length" breaks SEGMENT_UNPATCHED_LENGTH: "sets the length of the last dump record to 0" => |map| {
        let record = map.last_dump().filter(|record| record.length > wire::HEAD)?;
        let length = map.field("length", |field| field.offset == record.offset + 5)?;
        Some(edited(map.with(&length, 0), record.offset, map.records.len()))
    };
    "lower-the-version" breaks SEGMENT_VERSION: "sets version 1.0.1 in a file with segments" => |map| {
        let segment = map.records.iter().find(|record| record.tag == Some(Tag::HEAP_DUMP_SEGMENT))?;
        Some(edited([&map.bytes[..17], b"1", &map.bytes[18..]].concat(), segment.offset, map.records.len()))
    };
    "drop-the-end" breaks SEGMENT_END_MISSING: "ends the file before its last HEAP DUMP END" => |map| {
        let end = map.records.last().filter(|record| record.tag == Some(Tag::HEAP_DUMP_END))?;
        Some(edited(map.bytes[..end.offset].to_vec(), end.offset, map.records.len() - 1))
    };
    "add-an-end" breaks SEGMENT_END_ALONE: "puts another HEAP DUMP END at the end of the file" => |map| {
        let end = record(Tag::HEAP_DUMP_END.0, &[]);
        Some(edited([&map.bytes[..], &end].concat(), map.bytes.len(), map.records.len() + 1))
    };
    "give-the-end-a-body" breaks SEGMENT_END_BODY: "adds two bytes to the last HEAP DUMP END" => |map| {
        let end = map.records.last().filter(|record| record.tag == Some(Tag::HEAP_DUMP_END))?;
        Some(edited(map.lengthened(end, b"\x0c\x1c"), end.offset, map.records.len()))
    };
    "add-an-empty-segment" breaks SEGMENT_EMPTY: "puts an empty segment behind the last one" => |map| {
        let last = map.last_dump().filter(|record| record.tag == Some(Tag::HEAP_DUMP_SEGMENT))?;
        let empty = record(Tag::HEAP_DUMP_SEGMENT.0, &[]);
        Some(edited(map.inserting(last.end(), &empty), last.end(), map.records.len() + 1))
    };
    "use-an-unknown-sub-record" breaks SUB_RECORD_TAG: "adds a sub-record with the tag 24" => |map| {
        fatal(map, behind(map, &[0x24])?)
    };
    "claim-too-many-elements" breaks SUB_RECORD_OVERRUN: "sets the length of a primitive array to 2^32 - 1" => |map| {
        let count = map.field_of_sub(SubTag::PRIMITIVE_ARRAY_DUMP, "number of elements")?;
        Some(edited(map.with(&count, 0xffff_ffff), count.offset + 5, count.record? as usize))
    };
    "shorten-a-dump-record" breaks SUB_RECORD_OVERRUN: "lowers the length of the last dump record by one" => |map| {
        let dump = map.last_dump()?;
        let index = map.records.iter().rposition(|record| record.end() == dump.end() && record.sub_tag.is_some())?;
        let length = map.field("length", |field| field.offset == dump.offset + 5)?;
        Some(edited(map.with(&length, length.value - 1), map.last_field(index)?.offset, index))
    };
    "add-a-root-of-nothing" breaks ROOT_DANGLING: "adds a sticky class that is nothing in the dump" => |map| {
        behind(map, &[&[0x05], &map.spelled(map.free(0))[..]].concat())
    };
    "repeat-a-class" breaks CLASS_DUPLICATE: "adds the first CLASS DUMP again" => |map| {
        let class = map.records.iter().find(|record| record.sub_tag == Some(SubTag::CLASS_DUMP))?;
        behind(map, &map.bytes[class.offset..class.end()])
    };
    "lose-a-superclass" breaks CLASS_SUPERCLASS: "gives a class that nothing needs an unknown superclass" => |map| {
        in_record(map, &loose_class(map)?, map.free(0) as i64)
    };
    "close-the-superclass-chain" breaks CLASS_SUPERCLASS_CYCLE: "makes a class that nothing needs its own superclass" => |map| {
        let superclass = loose_class(map)?;
        let own = map.field("class object id", |field| field.record == superclass.record)?;
        in_record(map, &superclass, own.value)
    };
    "misstate-an-instance-size" breaks CLASS_INSTANCE_SIZE: "raises the instance size of the first class by one" => |map| {
        let field = map.field_of_sub(SubTag::CLASS_DUMP, "instance size")?;
        in_record(map, &field, field.value + 1)
    };
    "set-a-reserved-identifier" breaks CLASS_RESERVED: "sets a reserved identifier of the first class to 1" => |map| {
        in_record(map, &map.field_of_sub(SubTag::CLASS_DUMP, "reserved")?, 1)
    };
    "lengthen-an-instance" breaks INSTANCE_LENGTH: "adds an instance of one byte more than another of its class has" => |map| {
        let first = map.field_of_sub(SubTag::INSTANCE_DUMP, "class object id")?;
        let length = map.field("number of bytes that follow", |field| field.record == first.record)?;
        behind(map, &instance(map, first.value as u64, length.value as u32 + 1))
    };
    "name-a-class-of-no-array" breaks ARRAY_CLASS: "adds an array whose class is that of an instance" => |map| {
        let class = map.field_of_sub(SubTag::INSTANCE_DUMP, "class object id")?;
        behind(map, &object_array(map, class.value as u64, &[]))
    };
    "use-type-code-3" breaks TYPE_CODE: "gives the first field the type code 3" => |map| {
        let field = map.field("type of field", |_| true)?;
        Some(edited(map.with(&field, 3), field.offset, field.record? as usize))
    };
    "set-a-boolean-to-2" breaks BOOLEAN_VALUE: "adds a boolean[1] of the value 2" => |map| {
        behind(map, &array(map, map.free(0), 0, 4, &[2]))
    };
    "repeat-an-object" breaks OBJECT_DUPLICATE: "adds a byte[0] with the identifier of another object" => |map| {
        behind(map, &array(map, some_object(map)?, 0, 8, &[]))
    };
    "lose-a-class" breaks OBJECT_CLASS: "adds an instance of an unknown class" => |map| {
        behind(map, &instance(map, map.free(1), 0))
    };
    "let-a-reference-dangle" breaks OBJECT_DANGLING_REFERENCE: "adds an array of a reference to nothing" => |map| {
        let class = map.field_of_sub(SubTag::OBJECT_ARRAY_DUMP, "array class object id")?;
        behind(map, &object_array(map, class.value as u64, &[map.free(1)]))
    };
    "use-android-in-1-0-2" breaks EXTENSION_TAG: "adds an interned string to a file that is not of 1.0.3" => |map| {
        let object = some_object(map).filter(|_| map.version != Version::V1_0_3)?;
        behind(map, &[&[0x89], &map.spelled(object)[..]].concat())
    };
}

fn edited(bytes: Vec<u8>, offset: usize, due: usize) -> Edited {
    Edited { bytes, offset: offset as u64, records_due: due as u64 }
}

fn record(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag, 0, 0, 0, 0], &(body.len() as u32).to_be_bytes()[..], body].concat()
}

/// Puts a record in front of all others. Every record is still due, and one more.
fn front(map: &Map, tag: u8, body: &[u8]) -> Option<Edited> {
    Some(edited(map.inserting(map.body, &record(tag, body)), map.body, map.records.len() + 1))
}

/// Puts a sub-record at the end of the last dump record. Every record is still due, and one more.
fn behind(map: &Map, sub_record: &[u8]) -> Option<Edited> {
    let dump = map.last_dump()?;
    Some(edited(map.lengthened(dump, sub_record), dump.end(), map.records.len() + 1))
}

/// The same edit, if reading stops there.
fn fatal(map: &Map, made: Edited) -> Option<Edited> {
    let before = |record: &&RecordAt| (record.offset as u64) < made.offset;
    let records_due = map.records.iter().filter(before).count() as u64;
    Some(Edited { records_due, ..made })
}

/// Sets a field of a record; the finding stands at the record, and every record is still due.
fn in_record(map: &Map, field: &FieldAt, value: i64) -> Option<Edited> {
    Some(edited(map.with(field, value), map.record(field)?.offset, map.records.len()))
}

/// Any object of the dump.
fn some_object(map: &Map) -> Option<u64> {
    let field = map.field_of_sub(SubTag::INSTANCE_DUMP, "object id");
    field.or_else(|| map.field("array object id", |_| true)).map(|field| field.value as u64)
}

/// The superclass of a class without instances and subclasses.
fn loose_class(map: &Map) -> Option<FieldAt> {
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
fn frame(map: &Map, method: u64, line: u32) -> Option<Vec<u8>> {
    let class = map.field_of(Tag::LOAD_CLASS, "class serial number")?.value as u32;
    let names = [map.spelled(method), map.spelled(0), map.spelled(0)].concat();
    Some([&map.spelled(map.free(0))[..], &names, &class.to_be_bytes(), &line.to_be_bytes()].concat())
}

/// The body of a LOAD CLASS of an unknown class with a known name.
fn load(map: &Map, serial: u32) -> Option<Vec<u8>> {
    let name = map.spelled(map.field_of(Tag::LOAD_CLASS, "class name string id")?.value as u64);
    Some([&serial.to_be_bytes(), &map.spelled(map.free(0))[..], &[0; 4], &name].concat())
}

fn array(map: &Map, id: u64, trace: u32, code: u8, elements: &[u8]) -> Vec<u8> {
    let count = (elements.len() as u32).to_be_bytes();
    [&[0x23], &map.spelled(id)[..], &trace.to_be_bytes(), &count, &[code], elements].concat()
}

fn object_array(map: &Map, class: u64, elements: &[u64]) -> Vec<u8> {
    let count = (elements.len() as u32).to_be_bytes();
    let elements: Vec<u8> = elements.iter().flat_map(|&to| map.spelled(to)).collect();
    [&[0x22], &map.spelled(map.free(0))[..], &[0; 4], &count, &map.spelled(class), &elements].concat()
}

/// An instance of so many zero bytes.
fn instance(map: &Map, class: u64, length: u32) -> Vec<u8> {
    let values = vec![0; length as usize];
    [&[0x21], &map.spelled(map.free(0))[..], &[0; 4], &map.spelled(class), &length.to_be_bytes(), &values].concat()
}
