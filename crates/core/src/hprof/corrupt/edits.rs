//! The edits: one for each rule of the bytes that an edit can break.
//!
//! Most put a record in front of all others, or a sub-record after all others, and so have a place in any dump.

use crate::family::edit::Effect::{Changes, Refused, Same};
use crate::family::edit::{Edit, Edited, FieldAt};
use crate::hprof::{RecordTag, SubRecordTag, Version, book, wire};
use crate::model::{
    Address, AllocationSites, ControlSettings, EventKind, HeapSummary, Name, Object, ObjectKind, PrimitiveType,
    RootKind, Serial, TextId,
};

use super::effect::{self, empty_byte_array, first_object, push_object, push_root};
use super::map::MappedDump;
use super::spell::*;

/// Every edit.
pub(super) const EDITS: &[Edit<MappedDump>] = &[
    Edit::in_record(
        "cut-in-a-sub-record",
        book::FILE_TRUNCATED,
        "ends the file inside its last sub-record",
        |map, target| {
            let last = || map.records.iter().rposition(|record| record.sub_tag.is_some());
            let index = target.index().or_else(last)?;
            map.records.get(index).filter(|record| record.sub_tag.is_some())?;
            let (record, stop) = (map.records[index], map.last_field(index)?);
            Some(edited(map.bytes[..record.end_offset() - 1].to_vec(), stop.offset, index))
        },
        Refused,
    ),
    Edit::new(
        "misspell-the-magic",
        book::HEADER_MAGIC,
        "changes a letter of the magic text",
        |map| Some(edited([b"JAVA PROFILF ", &map.bytes[13..]].concat(), 0, 0)),
        Refused,
    ),
    Edit::new(
        "translate-to-ebcdic",
        book::HEADER_TEXT_MODE,
        "translates \"JAVA PROFILE \" to EBCDIC (IBM-037)",
        |map| {
            let text = b"\xd1\xc1\xe5\xc1\x40\xd7\xd9\xd6\xc6\xc9\xd3\xc5\x40";
            Some(edited([text, &map.bytes[13..]].concat(), 0, 0))
        },
        Refused,
    ),
    Edit::new(
        "prefix-a-byte-order-mark",
        book::HEADER_TEXT_MODE,
        "puts a UTF-8 byte order mark in front",
        |map| Some(edited(map.with_inserted(0, b"\xef\xbb\xbf"), 0, 0)),
        Refused,
    ),
    Edit::new(
        "drop-the-zero-bytes",
        book::HEADER_TEXT_MODE,
        "removes every zero byte",
        |map| {
            map.records.first()?;
            // A file that ends where the rest of its version could stand is a cut one.
            let rest: Vec<u8> = map.bytes.iter().copied().filter(|&byte| byte != 0).collect();
            (rest.len() > 64).then(|| edited(rest, 18, 0))
        },
        Refused,
    ),
    Edit::new(
        "turn-zero-bytes-into-spaces",
        book::HEADER_TEXT_MODE,
        "turns every zero byte into a space",
        |map| Some(edited(map.bytes.iter().map(|&byte| if byte == 0 { b' ' } else { byte }).collect(), 18, 0)),
        Refused,
    ),
    Edit::new(
        "raise-the-version",
        book::HEADER_VERSION,
        "sets version 1.0.4",
        |map| Some(edited([&map.bytes[..17], b"4", &map.bytes[18..]].concat(), 13, 0)),
        Refused,
    ),
    Edit::new(
        "set-identifiers-of-3-bytes",
        book::HEADER_ID_SIZE,
        "sets the size of identifiers to 3",
        |map| {
            let field = map.field("size of identifiers", |_| true)?;
            Some(edited(map.with_value(&field, 3), field.offset, 0))
        },
        Refused,
    ),
    Edit::in_record(
        "add-an-array-without-identifier",
        book::ID_NULL,
        "adds a byte[0] with the identifier 0",
        |map, target| append_sub_record(map, target, &array(map, 0, 0, 8, &[])),
        Changes(|_, heap| push_object(heap, empty_byte_array(Address(0)))),
    ),
    Edit::in_record(
        "add-an-unknown-record",
        book::RECORD_UNKNOWN_TAG,
        "puts a record with the tag 2a in front",
        |map, target| insert_record_before(map, target, 0x2a, b"?"),
        Changes(|_, heap| effect::insert_event_in_front(heap, EventKind::Unknown { tag: 0x2a, body: b"?".to_vec() })),
    ),
    Edit::in_record(
        "shorten-a-record",
        book::RECORD_LENGTH,
        "lowers the length of the first LOAD CLASS by one",
        |map, target| {
            let is_load = |f: &FieldAt| map.record(f).is_some_and(|record| record.tag == Some(RecordTag::LOAD_CLASS));
            let length = map.field("length", |f| target.has(f) && is_load(f))?;
            let name = map.field("class name string id", |f| f.record == length.record)?;
            Some(edited(map.with_value(&length, length.value - 1), name.offset, length.record? as usize))
        },
        Refused,
    ),
    Edit::in_record(
        "lengthen-a-record",
        book::RECORD_REST,
        "adds two bytes to the first LOAD CLASS",
        |map, target| {
            let mut records = map.records.iter().enumerate().filter(|(index, _)| target.allows(*index));
            let (_, record) = records.find(|(_, record)| record.tag == Some(RecordTag::LOAD_CLASS))?;
            Some(edited(map.with_lengthened_record(record, b"\x0c\x1c"), record.offset, map.records.len()))
        },
        Same,
    ),
    Edit::in_record(
        "add-a-string-of-other-bytes",
        book::TEXT_ENCODING,
        "puts a string with the byte ff in front",
        |map, target| {
            insert_record_before(
                map,
                target,
                RecordTag::STRING_IN_UTF8.0,
                &[map.spelled(map.unused_number(0)?), vec![0xff]].concat(),
            )
        },
        Changes(|at, heap| {
            effect::insert_event_in_front(
                heap,
                EventKind::Text(TextId(at.map.unused_number(0)?), Name::from_bytes([0xff])),
            )
        }),
    ),
    Edit::in_record(
        "add-a-frame-without-method",
        book::TEXT_UNKNOWN_ID,
        "puts a frame in front whose method is no string",
        |map, target| {
            insert_record_before(map, target, RecordTag::STACK_FRAME.0, &frame_body(map, map.unused_number(1)?, 1)?)
        },
        Changes(|at, heap| effect::insert_event_in_front(heap, at.frame(at.map.unused_number(1)?, 1)?)),
    ),
    Edit::in_record(
        "repeat-a-string-identifier",
        book::TEXT_DUPLICATE_ID,
        "puts another string of the first one's identifier in front",
        |map, target| {
            let field = map.field("string id", |f| target.has(f))?;
            let made = insert_record_before(
                map,
                target,
                RecordTag::STRING_IN_UTF8.0,
                &[map.spelled(field.value as u64), b"other".to_vec()].concat(),
            )?;
            let shift = made.bytes.len() - map.bytes.len();
            Some(Edited { offset: (map.record(&field)?.offset + shift) as u64, ..made })
        },
        Changes(|at, heap| {
            let id = TextId(at.value(RecordTag::STRING_IN_UTF8, "string id")?);
            effect::insert_event_in_front(heap, EventKind::Text(id, "other".into()))
        }),
    ),
    Edit::in_record(
        "load-a-class-of-serial-0",
        book::CLASS_SERIAL_ZERO,
        "puts a LOAD CLASS with the serial number 0 in front",
        |map, target| insert_record_before(map, target, RecordTag::LOAD_CLASS.0, &load_class_body(map, 0)?),
        Changes(|at, heap| effect::insert_event_in_front(heap, EventKind::LoadClass(at.load(Serial(0))?))),
    ),
    Edit::in_record(
        "load-a-class-without-dump",
        book::LOAD_CLASS_NO_DUMP,
        "puts a LOAD CLASS of an unknown class in front",
        |map, target| {
            insert_record_before(
                map,
                target,
                RecordTag::LOAD_CLASS.0,
                &load_class_body(map, map.unused_number(1)? as u32)?,
            )
        },
        Changes(|at, heap| effect::insert_event_in_front(heap, EventKind::LoadClass(at.load(at.unused_serial(1)?)?))),
    ),
    Edit::in_record(
        "dump-a-class-without-load",
        book::CLASS_NO_LOAD,
        "adds a CLASS DUMP of an unknown class",
        |map, target| {
            let nulls = map.spelled(0).repeat(6);
            append_sub_record(
                map,
                target,
                &[&[0x20], &map.spelled(map.unused_number(0)?)[..], &[0; 4], &nulls, &[0; 10]].concat(),
            )
        },
        Changes(|at, heap| effect::push_class(heap, effect::empty_class(at.unused_address(0)?))),
    ),
    Edit::in_record(
        "unload-an-unknown-class",
        book::CLASS_UNKNOWN_SERIAL,
        "puts an UNLOAD CLASS of an unknown number in front",
        |map, target| {
            insert_record_before(map, target, RecordTag::UNLOAD_CLASS.0, &(map.unused_number(0)? as u32).to_be_bytes())
        },
        Changes(|at, heap| effect::insert_event_in_front(heap, EventKind::UnloadClass(at.unused_serial(0)?))),
    ),
    Edit::in_record(
        "set-line-0",
        book::FRAME_LINE,
        "puts a frame with the line 0 in front",
        |map, target| insert_record_before(map, target, RecordTag::STACK_FRAME.0, &frame_body(map, 0, 0)?),
        Changes(|at, heap| effect::insert_event_in_front(heap, at.frame(0, 0)?)),
    ),
    Edit::in_record(
        "name-an-unknown-frame",
        book::FRAME_UNKNOWN_ID,
        "puts a trace of an unknown frame in front",
        |map, target| {
            let (serial, frame) = ((map.unused_number(0)? as u32).to_be_bytes(), map.spelled(map.unused_number(1)?));
            insert_record_before(
                map,
                target,
                RecordTag::STACK_TRACE.0,
                &[&serial, &[0; 4], &1_u32.to_be_bytes()[..], &frame].concat(),
            )
        },
        Changes(effect::trace_of_an_unknown_frame),
    ),
    Edit::in_record(
        "name-an-unknown-trace",
        book::TRACE_UNKNOWN_SERIAL,
        "adds a byte[0] of an unknown stack trace",
        |map, target| {
            append_sub_record(map, target, &array(map, map.unused_number(0)?, map.unused_number(1)? as u32, 8, &[]))
        },
        Changes(|at, heap| {
            push_object(heap, Object { trace: Some(at.unused_serial(1)?), ..empty_byte_array(at.unused_address(0)?) })
        }),
    ),
    Edit::in_record(
        "name-an-unknown-thread",
        book::THREAD_UNKNOWN_SERIAL,
        "adds a root of an unknown thread",
        |map, target| {
            let serial = (map.unused_number(0)? as u32).to_be_bytes();
            append_sub_record(map, target, &[&[0x04], &map.spelled(some_object(map)?)[..], &serial].concat())
        },
        Changes(|at, heap| push_root(heap, effect::some_object(heap)?, RootKind::NativeStack(at.unused_serial(0)?))),
    ),
    Edit::in_record(
        "set-a-reserved-flag-of-sites",
        book::SITES_RESERVED_FLAGS,
        "puts ALLOC SITES with the flag 8 in front",
        |map, target| insert_record_before(map, target, RecordTag::ALLOC_SITES.0, &[&[0, 8], &[0; 32][..]].concat()),
        Changes(|_, heap| {
            let sites = AllocationSites { flags: 8, cutoff: 0, totals: HeapSummary::default(), sites: Vec::new() };
            effect::insert_event_in_front(heap, EventKind::AllocationSites(sites))
        }),
    ),
    Edit::in_record(
        "set-a-reserved-control-flag",
        book::CONTROL_RESERVED_FLAGS,
        "puts CONTROL SETTINGS with the flag 4 in front",
        |map, target| insert_record_before(map, target, RecordTag::CONTROL_SETTINGS.0, &[0, 0, 0, 4, 0, 0]),
        Changes(|_, heap| {
            let settings = ControlSettings { flags: 4, depth: 0 };
            effect::insert_event_in_front(heap, EventKind::ControlSettings(settings))
        }),
    ),
    Edit::in_record(
        "leave-a-length-unpatched",
        book::SEGMENT_UNPATCHED_LENGTH,
        "sets the length of the last dump record to 0",
        |map, target| {
            let record = map.chosen_dump(target).filter(|record| record.length > wire::HEAD)?;
            let length = map.field("length", |field| field.offset == record.offset + 5)?;
            Some(edited(map.with_value(&length, 0), record.offset, map.records.len()))
        },
        Same,
    ),
    Edit::new(
        "lower-the-version",
        book::SEGMENT_VERSION,
        "sets version 1.0.1 in a file with segments",
        |map| {
            let segment = map.records.iter().find(|record| record.tag == Some(RecordTag::HEAP_DUMP_SEGMENT))?;
            Some(edited([&map.bytes[..17], b"1", &map.bytes[18..]].concat(), segment.offset, map.records.len()))
        },
        Changes(|_, heap| {
            heap.facts.header_version = Some("1.0.1".into());
            Some(())
        }),
    ),
    Edit::new(
        "drop-the-end",
        book::SEGMENT_END_MISSING,
        "ends the file before its last HEAP DUMP END",
        |map| {
            let end = map.records.last().filter(|record| record.tag == Some(RecordTag::HEAP_DUMP_END))?;
            Some(edited(map.bytes[..end.offset].to_vec(), end.offset, map.records.len() - 1))
        },
        Same,
    ),
    Edit::new(
        "add-an-end",
        book::SEGMENT_END_ALONE,
        "puts another HEAP DUMP END at the end of the file",
        |map| {
            let end = record(RecordTag::HEAP_DUMP_END.0, &[]);
            Some(edited([&map.bytes[..], &end].concat(), map.bytes.len(), map.records.len() + 1))
        },
        Same,
    ),
    Edit::in_record(
        "give-the-end-a-body",
        book::SEGMENT_END_BODY,
        "adds two bytes to the last HEAP DUMP END",
        |map, target| {
            let end = map.records.get(target.index_or_last(map.records.len())?);
            let end = end.filter(|record| record.tag == Some(RecordTag::HEAP_DUMP_END))?;
            Some(edited(map.with_lengthened_record(end, b"\x0c\x1c"), end.offset, map.records.len()))
        },
        Same,
    ),
    Edit::in_record(
        "add-an-empty-segment",
        book::SEGMENT_EMPTY,
        "puts an empty segment after the last one",
        |map, target| {
            let last = map.chosen_dump(target).filter(|record| record.tag == Some(RecordTag::HEAP_DUMP_SEGMENT))?;
            let empty = record(RecordTag::HEAP_DUMP_SEGMENT.0, &[]);
            Some(edited(map.with_inserted(last.end_offset(), &empty), last.end_offset(), map.records.len() + 1))
        },
        Same,
    ),
    Edit::in_record(
        "use-an-unknown-sub-record",
        book::SUB_RECORD_TAG,
        "adds a sub-record with the tag 24",
        |map, target| with_records_before(map, append_sub_record(map, target, &[0x24])?),
        Refused,
    ),
    Edit::in_record(
        "claim-too-many-elements",
        book::SUB_RECORD_OVERRUN,
        "sets the length of a primitive array to 2^32 - 1",
        |map, target| {
            let count = map.field_of_target(target, SubRecordTag::PRIMITIVE_ARRAY_DUMP, "number of elements")?;
            Some(edited(map.with_value(&count, 0xffff_ffff), count.offset + 5, count.record? as usize))
        },
        Refused,
    ),
    Edit::in_record(
        "shorten-a-dump-record",
        book::SUB_RECORD_OVERRUN,
        "lowers the length of the last dump record by one",
        |map, target| {
            let dump = map.chosen_dump(target)?;
            let index = map
                .records
                .iter()
                .rposition(|record| record.end_offset() == dump.end_offset() && record.sub_tag.is_some())?;
            let length = map.field("length", |field| field.offset == dump.offset + 5)?;
            Some(edited(map.with_value(&length, length.value - 1), map.last_field(index)?.offset, index))
        },
        Refused,
    ),
    Edit::in_record(
        "add-a-root-of-nothing",
        book::ROOT_DANGLING,
        "adds a sticky class that is nothing in the dump",
        |map, target| append_sub_record(map, target, &[&[0x05], &map.spelled(map.unused_number(0)?)[..]].concat()),
        Changes(|at, heap| push_root(heap, at.unused_address(0)?, RootKind::StickyClass)),
    ),
    Edit::in_record(
        "repeat-a-class",
        book::CLASS_DUPLICATE,
        "adds the first CLASS DUMP again",
        |map, target| {
            let class = map.record(&map.field_of_target(target, SubRecordTag::CLASS_DUMP, "class object id")?)?;
            append_sub_record(map, target, &map.bytes[class.offset..class.end_offset()])
        },
        Changes(|_, heap| effect::push_class(heap, heap.classes.first()?.clone())),
    ),
    Edit::in_record(
        "name-an-unknown-superclass",
        book::CLASS_SUPERCLASS,
        "gives a class that nothing needs an unknown superclass",
        |map, target| set_field(map, &superclass_of_unused_class(map, target)?, map.unused_number(0)? as i64),
        Changes(|at, heap| {
            at.class(heap)?.superclass = Some(at.unused_address(0)?);
            Some(())
        }),
    ),
    Edit::in_record(
        "close-the-superclass-chain",
        book::CLASS_SUPERCLASS_CYCLE,
        "makes a class that nothing needs its own superclass",
        |map, target| {
            let superclass = superclass_of_unused_class(map, target)?;
            let own = map.field("class object id", |field| field.record == superclass.record)?;
            set_field(map, &superclass, own.value)
        },
        Changes(|at, heap| at.class(heap).map(|class| class.superclass = Some(class.address))),
    ),
    Edit::in_record(
        "misstate-an-instance-size",
        book::CLASS_INSTANCE_SIZE,
        "raises the instance size of the first class by one",
        |map, target| {
            let field = map.field_of_target(target, SubRecordTag::CLASS_DUMP, "instance size")?;
            set_field(map, &field, field.value + 1)
        },
        Changes(|_, heap| heap.classes.first_mut()?.instance_size.as_mut().map(|size| size.0 += 1)),
    ),
    Edit::in_record(
        "set-a-reserved-identifier",
        book::CLASS_RESERVED,
        "sets a reserved identifier of the first class to 1",
        |map, target| set_field(map, &map.field_of_target(target, SubRecordTag::CLASS_DUMP, "reserved")?, 1),
        Same,
    ),
    Edit::in_record(
        "lengthen-an-instance",
        book::INSTANCE_LENGTH,
        "adds an instance of one byte more than another of its class has",
        |map, target| {
            let (class, length) = map.class_with_instance()?;
            append_sub_record(map, target, &instance(map, class, length as u32 + 1)?)
        },
        Changes(|at, heap| {
            let (class, length) = at.map.class_with_instance()?;
            push_object(heap, effect::instance(at.unused_address(0)?, Address(class), vec![0; length + 1]))
        }),
    ),
    Edit::in_record(
        "name-a-class-that-is-no-array",
        book::ARRAY_CLASS,
        "adds an array whose class is that of an instance",
        |map, target| {
            let (class, _) = map.class_with_instance()?;
            append_sub_record(map, target, &object_array(map, class, &[])?)
        },
        Changes(effect::add_array_of_instance_class),
    )
    .or(&[("hprof.array-class=elements", effect::add_array_of_element_class)]),
    Edit::in_record(
        "use-type-code-3",
        book::TYPE_CODE,
        "gives the first field the type code 3",
        |map, target| {
            let field = map.field("type of field", |f| target.has(f))?;
            Some(edited(map.with_value(&field, 3), field.offset, field.record? as usize))
        },
        Refused,
    ),
    Edit::in_record(
        "set-a-boolean-to-2",
        book::BOOLEAN_VALUE,
        "adds a boolean[1] of the value 2",
        |map, target| append_sub_record(map, target, &array(map, map.unused_number(0)?, 0, 4, &[2])),
        Changes(|at, heap| {
            push_object(heap, effect::primitive_array(at.unused_address(0)?, PrimitiveType::Boolean, vec![2]))
        }),
    ),
    Edit::in_record(
        "repeat-an-object",
        book::OBJECT_DUPLICATE,
        "adds a byte[0] with the identifier of another object",
        |map, target| append_sub_record(map, target, &array(map, some_object(map)?, 0, 8, &[])),
        Changes(|_, heap| push_object(heap, empty_byte_array(effect::some_object(heap)?))),
    ),
    Edit::in_record(
        "name-an-unknown-class",
        book::OBJECT_CLASS,
        "adds an instance of an unknown class",
        |map, target| append_sub_record(map, target, &instance(map, map.unused_number(1)?, 0)?),
        Changes(|at, heap| {
            push_object(heap, effect::instance(at.unused_address(0)?, at.unused_address(1)?, Vec::new()))
        }),
    ),
    Edit::in_record(
        "let-a-reference-dangle",
        book::OBJECT_DANGLING_REFERENCE,
        "adds an array of a reference to nothing",
        |map, target| {
            let class = map.field_of_sub(SubRecordTag::OBJECT_ARRAY_DUMP, "array class object id")?;
            append_sub_record(map, target, &object_array(map, class.value as u64, &[map.unused_number(1)?])?)
        },
        Changes(|at, heap| {
            let class = first_object(heap, ObjectKind::ObjectArray)?.class?;
            push_object(heap, effect::object_array(at.unused_address(0)?, class, vec![at.unused_address(1)?]))
        }),
    ),
    Edit::in_record(
        "use-android-in-1-0-2",
        book::EXTENSION_TAG,
        "adds an interned string to a file that is not of 1.0.3",
        |map, target| {
            let object = some_object(map).filter(|_| map.version != Version::V1_0_3)?;
            append_sub_record(map, target, &[&[0x89], &map.spelled(object)[..]].concat())
        },
        Changes(|_, heap| push_root(heap, effect::some_object(heap)?, RootKind::InternedString)),
    ),
];
