//! The edits: one for each rule of the bytes that an edit can break.

use crate::family::edit::Effect::{Changes, Refused, Same};
use crate::family::edit::{Edit, Edited, FieldAt, RecordTarget};
use crate::model::{Address, HeaderTotals};
use crate::phd::book;

use super::effect::{self, spoil_name};
use super::map::{MappedDump, RecordAt};

/// Every edit.
pub(super) const EDITS: &[Edit<MappedDump>] = &[
    Edit::in_record(
        "cut-in-a-record",
        book::FILE_TRUNCATED,
        "ends the file inside its last record",
        cut_in_a_record,
        Refused,
    ),
    Edit::new(
        "misspell-the-magic",
        book::HEADER_MAGIC,
        "changes a letter of the magic text",
        |map| {
            let edited = set_field(map, &map.field("magic", |_| true)?, i64::from_be_bytes(*b"qortable"), 0)?;
            Some(Edited { offset: 0, ..edited })
        },
        Refused,
    ),
    Edit::new(
        "translate-to-ascii",
        book::HEADER_TEXT_MODE,
        "translates the magic text as if it were EBCDIC (IBM-037)",
        |map| {
            // "portable heap dump", each byte taken for IBM-037 and written as ISO 8859-1.
            let text = b"\xf8?\xca\xc8/\xc2%\xc1\x80\xc7\xc1/\xf8\x80\xc0\xcd_\xf8";
            let bytes = [&[0x00, 0x12], &text[..], &map.bytes[20..]].concat();
            Some(Edited { bytes, offset: 0, records_due: 0 })
        },
        Refused,
    ),
    Edit::new(
        "drop-the-zero-bytes",
        book::HEADER_TEXT_MODE,
        "removes every zero byte",
        |map| {
            let bytes = map.bytes.iter().copied().filter(|&b| b != 0).collect();
            Some(Edited { bytes, offset: 0, records_due: 0 })
        },
        Refused,
    ),
    Edit::new(
        "raise-the-version",
        book::HEADER_VERSION,
        "sets version 7",
        |map| set_header_field(map, "version", 7),
        Refused,
    ),
    Edit::new(
        "set-a-reserved-file-flag",
        book::HEADER_RESERVED_FLAGS,
        "sets flag 0x100",
        |map| {
            let field = map.field("flags", |f| f.record.is_none())?;
            set_field(map, &field, field.value | 0x100, map.records.len())
        },
        Same,
    ),
    Edit::new(
        "change-the-start-tag",
        book::HEADER_START_TAG,
        "changes the tag that starts the header",
        |map| set_header_field(map, "start of header tag", 9),
        Refused,
    ),
    Edit::new(
        "change-a-header-record-tag",
        book::HEADER_RECORD_TAG,
        "gives the first header record tag 9",
        |map| set_header_field(map, "header record tag", 9),
        Refused,
    ),
    Edit::new(
        "flood-the-header",
        book::HEADER_LIMIT,
        "adds 5000 header records",
        |map| {
            let at = map.field("header record tag", |_| true)?.offset;
            let offset = (at + 4096 * 3) as u64;
            Some(Edited { bytes: map.with_inserted(at, &[4, 0, 0].repeat(5000)), offset, records_due: 0 })
        },
        // How many are too many is a choice of ours.
        Same,
    ),
    Edit::new(
        "change-the-body-tag",
        book::HEADER_BODY_TAG,
        "changes the tag that starts the body",
        |map| set_header_field(map, "start of body tag", 9),
        Refused,
    ),
    Edit::new(
        "repeat-a-header-record",
        book::HEADER_REPEATED_RECORD,
        "puts another version text before the version text",
        |map| {
            let at = map.field("header record tag", |f| f.value == 4)?.offset;
            let bytes = map.with_inserted(at, &[4, 0, 3, b'o', b'l', b'd']);
            Some(Edited { bytes, offset: at as u64 + 6, records_due: map.records.len() as u64 })
        },
        Same,
    ),
    Edit::new(
        "misstate-the-totals",
        book::HEADER_TOTALS,
        "adds a totals record with wrong counts",
        |map| {
            let at = map.field("header record tag", |f| f.value == 2)?.offset;
            let bytes = map.with_inserted(at, &[1, 0, 0, 0x27, 0x0f, 0, 0, 0x27, 0x0f]);
            Some(Edited { bytes, offset: map.body as u64 + 9, records_due: map.records.len() as u64 })
        },
        Changes(|_, heap| {
            heap.facts.totals = Some(HeaderTotals { objects: 9999, references: 9999 });
            Some(())
        }),
    ),
    Edit::new(
        "break-the-version-text",
        book::HEADER_VERSION_TEXT_ENCODING,
        "puts 0xff into the version text",
        |map| {
            let field = map.field("version text", |_| true)?;
            set_field(map, &FieldAt { length: 1, ..field }, 0xff, map.records.len())
        },
        Changes(|_, heap| heap.facts.version_text.as_mut().map(|text| *text = spoil_name(text))),
    ),
    Edit::new(
        "drop-the-j9-flag",
        book::HEADER_ADDRESS_UNIT,
        "clears flag 4 of a version 6 dump",
        |map| {
            map.field("version", |f| f.value == 6)?;
            let field = map.field("flags", |f| f.record.is_none() && f.value & 6 == 4)?;
            let edited = set_field(map, &field, field.value & !4, map.records.len())?;
            Some(Edited { offset: 20, ..edited })
        },
        Changes(effect::double_addresses),
    )
    .read_as("phd.address-unit=8")
    .or(&[("phd.address-unit=4", effect::keep_heap)]),
    Edit::<MappedDump>::new(
        "claim-hashes-without-j9",
        book::HEADER_HASHED_WITHOUT_J9,
        "sets flag 2 and clears flag 4",
        |map| {
            let field = map.field("flags", |f| f.record.is_none() && f.value & 2 == 0)?;
            set_field(map, &field, field.value & !4 | 2, map.records.len())
        },
        Same,
    )
    // A hash in every record leads nowhere: none was written.
    .read_as("phd.hashes-without-j9=none")
    .or_refused("phd.hashes-without-j9=every-record")
    // Without its J9 flag a version 6 dump would be ambiguous in its address unit as well.
    .in_golden("phd5-j9-2.6-64"),
    Edit::in_record(
        "use-a-reserved-tag",
        book::RECORD_TAG,
        "gives the second record tag 9",
        |map, target| {
            let index = target.index().unwrap_or(1);
            let record = map.records.get(index)?;
            set_field(map, &map.field("tag", |f| f.offset == record.offset)?, 9, index)
        },
        Refused,
    ),
    Edit::in_record(
        "set-a-reserved-record-flag",
        book::RECORD_RESERVED_FLAGS,
        "sets flag 0x04 of a record",
        |map, target| {
            let field = map.field("flags", |f| target.has(f))?;
            set_record_field(map, &field, field.value | 0x04)
        },
        Same,
    ),
    Edit::in_record(
        "name-an-empty-slot",
        book::SHORT_OBJECT_CACHE_SLOT,
        "lets a short object name cache slot 3 before it is filled",
        |map, target| {
            let has_free_slot = |f: &FieldAt| map.record(f).is_some_and(|r| r.kind == "short object" && r.filled < 4);
            let field = map.field("tag", |f| target.has(f) && has_free_slot(f))?;
            set_record_field(map, &field, field.value | 0x60)
        },
        Changes(|at, heap| {
            let object = at.object(heap)?;
            (object.class, object.class_word) = (Some(Address::NULL), Some(Address::NULL));
            Some(())
        }),
    ),
    Edit::in_record(
        "claim-2-to-the-31-references",
        book::REFERENCES_COUNT,
        "sets a number of references to 2^31",
        |map, target| {
            let field = map.field("number of references", |f| target.has(f))?;
            let due = field.record? as usize;
            set_field(map, &field, 1 << 31, due)
        },
        Refused,
    ),
    Edit::in_record(
        "refer-to-null",
        book::REFERENCES_NULL,
        "points a reference at address 0",
        |map, target| point_first_reference(map, target, |_, _| true, |_| Address::NULL),
        Changes(effect::null_the_reference),
    )
    .or(&[("phd.null-references=left-out", effect::leave_out_nulls)]),
    Edit::in_record(
        "refer-to-the-class-first",
        book::REFERENCES_FIRST_IS_CLASS,
        "points reference 0 at the object's class",
        |map, target| {
            // Only in J9 dumps does the DTFJ reader drop it.
            map.field("flags", |f| f.record.is_none() && f.value & 4 != 0)?;
            let is_first = |field: &FieldAt, map: &MappedDump| {
                map.fields.iter().find(|f| f.record == field.record && f.name == "reference") == Some(field)
            };
            point_first_reference(map, target, is_first, |record| record.class_word.unwrap_or_default())
        },
        Changes(effect::refer_to_the_class),
    )
    .or(&[("phd.first-reference=dropped", effect::drop_first_references)]),
    Edit::in_record(
        "claim-too-many-elements",
        book::ARRAY_LENGTH,
        "sets an array's length to 2^32 - 1",
        |map: &MappedDump, target| {
            let length = map.field("true length", |f| target.has(f));
            let field = length.or_else(|| map.field("length", |f| target.has(f) && f.length >= 4))?;
            set_record_field(map, &field, 0xffff_ffff)
        },
        Refused,
    )
    .by_reading(effect::answers_by_length_and_size),
    Edit::in_record(
        "lengthen-an-array",
        book::ARRAY_LENGTH_AND_SIZE,
        "adds 64 to a primitive array's length and leaves its instance size",
        |map, target| {
            let has_size =
                |f: &FieldAt| map.field("instance size / 4", |n| n.record == f.record && n.value > 0).is_some();
            let is_free = |f: &FieldAt| target.has(f) && f.value < 64 && has_size(f);
            let field = map.field("length", is_free)?;
            set_record_field(map, &field, field.value + 64)
        },
        Changes(effect::lengthen_the_array),
    ),
    Edit::in_record(
        "shorten-an-array",
        book::OBJECT_ARRAY_LENGTH,
        "sets a true length below the number of references",
        |map: &MappedDump, target| {
            let count =
                |f: &FieldAt| map.field("number of references", |n| n.record == f.record).map_or(0, |n| n.value);
            let field = map.field("true length", |f| target.has(f) && count(f) > 0)?;
            set_record_field(map, &field, count(&field) - 1)
        },
        Refused,
    )
    .by_reading(effect::answers_by_length_and_size),
    Edit::in_record(
        "put-the-size-first",
        book::OBJECT_ARRAY_FIELD_ORDER,
        "swaps an array's true length and instance size",
        |map, target| {
            let words = |f: &FieldAt| map.field("instance size / 4", |n| n.record == f.record).map_or(0, |n| n.value);
            let length = map.field("true length", |f| target.has(f) && words(f) >= f.value + 2)?;
            let size = map.field("instance size / 4", |n| n.record == length.record)?;
            let swapped = MappedDump { bytes: map.with_value(&length, size.value), ..map.clone() };
            let edited = set_record_field(map, &length, size.value)?;
            Some(Edited { bytes: swapped.with_value(&size, length.value), ..edited })
        },
        Changes(effect::swap_length_and_size),
    )
    .or(&[("phd.length-and-size=by-size", effect::keep_heap)]),
    Edit::in_record(
        "break-a-class-name",
        book::CLASS_NAME_ENCODING,
        "puts 0xff into a class name",
        |map, target| {
            let field = map.field("name", |f| target.has(f))?;
            set_record_field(map, &FieldAt { length: 1, ..field }, 0xff)
        },
        Changes(|at, heap| at.class(heap).map(|class| class.name = spoil_name(&class.name))),
    ),
    Edit::new(
        "drop-the-end-tag",
        book::BODY_END_TAG,
        "ends the file before its end tag",
        |map| {
            let bytes = map.bytes[..map.end].to_vec();
            Some(Edited { bytes, offset: map.end as u64, records_due: map.records.len() as u64 })
        },
        Same,
    ),
    Edit::new(
        "append-bytes",
        book::BODY_TRAILING_BYTES,
        "puts bytes after the end tag",
        |map| {
            let bytes = [&map.bytes[..], b"trailing"].concat();
            Some(Edited { bytes, offset: map.end as u64 + 1, records_due: map.records.len() as u64 })
        },
        Same,
    ),
    Edit::in_record(
        "repeat-a-record",
        book::GRAPH_DUPLICATE_ADDRESS,
        "puts the last record there twice, the second time with gap 0",
        |map, target| {
            let index = target.index_or_last(map.records.len())?;
            let record = map.records.get(index)?;
            let end = record.offset + record.length;
            // In front of others, a record that enters the class cache would change their classes.
            let is_cached = matches!(record.kind, "medium object" | "long object");
            let gap = map.field("gap", |f| f.record == Some(index as u64) && (end == map.end || !is_cached))?;
            let mut twin = map.bytes[record.offset..end].to_vec();
            twin[gap.offset - record.offset..][..gap.length].fill(0);
            let bytes = map.with_inserted(end, &twin);
            Some(Edited { bytes, offset: end as u64, records_due: map.records.len() as u64 })
        },
        Changes(|_, heap| {
            heap.classes.push(heap.classes.last()?.clone());
            Some(())
        }),
    ),
    Edit::in_record(
        "let-a-reference-dangle",
        book::GRAPH_DANGLING_REFERENCE,
        "points a reference after its object",
        |map, target| {
            let taken = |address: Address| map.records.iter().any(|r| r.address == address);
            let free = |record: &RecordAt| {
                let unit = map.layout.unit;
                (1..16).map(|n| Address(record.address.0 + n * unit)).find(|&a| !taken(a)).unwrap_or_default()
            };
            let has_free = |field: &FieldAt, map: &MappedDump| map.record(field).is_some_and(|r| !free(r).is_null());
            point_first_reference(map, target, has_free, free)
        },
        Changes(effect::let_a_reference_dangle),
    ),
    Edit::in_record(
        "break-a-class-word",
        book::GRAPH_CLASS_WORD,
        "changes an object array's class word, which enters no cache",
        |map, target| {
            let free = |value: i64| !map.records.iter().any(|r| r.address.0 as i64 == value);
            let is_of_array = |f: &FieldAt| map.record(f).is_some_and(|r| r.kind.starts_with("object array"));
            let field = map.field("class word", |f| target.has(f) && is_of_array(f)).filter(|f| free(f.value ^ 4))?;
            set_record_field(map, &field, field.value ^ 4)
        },
        Changes(|at, heap| at.object(heap)?.class_word.as_mut().map(|word| word.0 ^= 4)),
    ),
    Edit::in_record(
        "break-a-superclass-word",
        book::GRAPH_SUPERCLASS,
        "changes a superclass word",
        |map, target| {
            let field = map.field("superclass word", |f| target.has(f) && f.value != 0)?;
            set_record_field(map, &field, field.value ^ 4)
        },
        Changes(|at, heap| at.class(heap)?.superclass.as_mut().map(|word| word.0 ^= 4)),
    ),
    Edit::in_record(
        "close-the-superclass-chain",
        book::GRAPH_SUPERCLASS_CYCLE,
        "makes a class without a superclass its own",
        |map, target| {
            let field = map.field("superclass word", |f| target.has(f) && f.value == 0)?;
            let own = map.record(&field)?.address;
            set_record_field(map, &field, own.0 as i64)
        },
        Changes(|at, heap| at.class(heap).map(|class| class.superclass = Some(class.address))),
    ),
];

fn cut_in_a_record(map: &MappedDump, target: RecordTarget) -> Option<Edited> {
    let index = target.index_or_last(map.records.len())?;
    let last = map.records.get(index)?;
    let mut own = map.fields.iter().filter(|f| f.record == Some(index as u64));
    // References are read in one go, so that their first byte is where reading stops.
    let cut = own.clone().next_back()?;
    let cut = own.find(|f| f.name == "reference" && cut.name == "reference").unwrap_or(cut);
    let at = last.offset + last.length - 1;
    Some(Edited { bytes: map.bytes[..at].to_vec(), offset: cut.offset as u64, records_due: index as u64 })
}

fn set_header_field(map: &MappedDump, name: &str, value: i64) -> Option<Edited> {
    set_field(map, &map.field(name, |_| true)?, value, 0)
}

/// Sets a field; the finding stands at the field.
fn set_field(map: &MappedDump, field: &FieldAt, value: i64, due: usize) -> Option<Edited> {
    Some(Edited { bytes: map.with_value(field, value), offset: field.offset as u64, records_due: due as u64 })
}

/// Sets a field of a record; the finding stands at the record, and every record is still due.
fn set_record_field(map: &MappedDump, field: &FieldAt, value: i64) -> Option<Edited> {
    let record = map.record(field)?;
    let due = map.records.len() as u64;
    Some(Edited { bytes: map.with_value(field, value), offset: record.offset as u64, records_due: due })
}

/// Points the first reference that is wide enough somewhere else.
fn point_first_reference(
    map: &MappedDump,
    target: RecordTarget,
    wanted: impl Fn(&FieldAt, &MappedDump) -> bool,
    referent: impl Fn(&RecordAt) -> Address,
) -> Option<Edited> {
    let units = |field: &FieldAt| {
        let record = map.record(field)?;
        let distance = referent(record).0.wrapping_sub(record.address.0) as i64;
        let distance = if map.layout.word.bytes() == 4 { i64::from(distance as i32) } else { distance };
        Some(distance / map.layout.unit as i64)
    };
    let fits = |field: &FieldAt| {
        let unused = 64 - 8 * field.length as u32;
        units(field).is_some_and(|units| units << unused >> unused == units)
    };
    let has_class = |field: &FieldAt| map.record(field).is_some_and(|r| r.kind != "class");
    let field = map.field("reference", |f| target.has(f) && has_class(f) && fits(f) && wanted(f, map))?;
    set_record_field(map, &field, units(&field)?)
}
