//! The edits: one for each rule of the bytes that an edit can break.

use crate::model::Address;
use crate::phd::rules;

use super::super::{Edit, Edited, FieldAt};
use super::map::{Map, RecordAt};

macro_rules! edits {
    ($($name:literal breaks $rule:ident: $summary:literal => $apply:expr;)*) => {
        /// Every edit.
        pub const EDITS: &[Edit] = &[
            $(Edit { name: $name, rule: rules::$rule, summary: $summary, apply: $apply }),*
        ];
    };
}

edits! {
    "cut-in-a-record" breaks FILE_TRUNCATED: "ends the file inside its last record" => cut_in_a_record;
    "misspell-the-magic" breaks HEADER_MAGIC: "changes a letter of the magic text" => |map| {
        let edited = set(map, &map.field("magic", |_| true)?, i64::from_be_bytes(*b"qortable"), 0)?;
        Some(Edited { offset: 0, ..edited })
    };
    "translate-to-ascii" breaks HEADER_TEXT_MODE: "translates the magic text as if it were EBCDIC (IBM-037)" => |map| {
        // "portable heap dump", each byte taken for IBM-037 and written as ISO 8859-1.
        let text = b"\xf8?\xca\xc8/\xc2%\xc1\x80\xc7\xc1/\xf8\x80\xc0\xcd_\xf8";
        let bytes = [&[0x00, 0x12], &text[..], &map.bytes[20..]].concat();
        Some(Edited { bytes, offset: 0, records_due: 0 })
    };
    "drop-the-zero-bytes" breaks HEADER_TEXT_MODE: "removes every zero byte" => |map| {
        let bytes = map.bytes.iter().copied().filter(|&b| b != 0).collect();
        Some(Edited { bytes, offset: 0, records_due: 0 })
    };
    "raise-the-version" breaks HEADER_VERSION: "sets version 7" => |map| header(map, "version", 7);
    "set-a-reserved-file-flag" breaks HEADER_RESERVED_FLAGS: "sets flag 0x100" => |map| {
        let field = map.field("flags", |f| f.record.is_none())?;
        set(map, &field, field.value | 0x100, map.records.len())
    };
    "change-the-start-tag" breaks HEADER_START_TAG: "changes the tag that starts the header" => |map| {
        header(map, "start of header tag", 9)
    };
    "change-a-header-record-tag" breaks HEADER_RECORD_TAG: "gives the first header record tag 9" => |map| {
        header(map, "header record tag", 9)
    };
    "flood-the-header" breaks HEADER_LIMIT: "adds 5000 header records" => |map| {
        let at = map.field("header record tag", |_| true)?.offset;
        let offset = (at + 4096 * 3) as u64;
        Some(Edited { bytes: map.inserting(at, &[4, 0, 0].repeat(5000)), offset, records_due: 0 })
    };
    "change-the-body-tag" breaks HEADER_BODY_TAG: "changes the tag that starts the body" => |map| {
        header(map, "start of body tag", 9)
    };
    "repeat-a-header-record" breaks HEADER_REPEATED_RECORD: "puts another version text before the version text" => |map| {
        let at = map.field("header record tag", |f| f.value == 4)?.offset;
        let bytes = map.inserting(at, &[4, 0, 3, b'o', b'l', b'd']);
        Some(Edited { bytes, offset: at as u64 + 6, records_due: map.records.len() as u64 })
    };
    "misstate-the-totals" breaks HEADER_TOTALS: "adds a totals record with wrong counts" => |map| {
        let at = map.field("header record tag", |f| f.value == 2)?.offset;
        let bytes = map.inserting(at, &[1, 0, 0, 0x27, 0x0f, 0, 0, 0x27, 0x0f]);
        Some(Edited { bytes, offset: map.body as u64 + 9, records_due: map.records.len() as u64 })
    };
    "break-the-version-text" breaks HEADER_VERSION_TEXT_ENCODING: "puts 0xff into the version text" => |map| {
        let field = map.field("version text", |_| true)?;
        set(map, &FieldAt { length: 1, ..field }, 0xff, map.records.len())
    };
    "drop-the-j9-flag" breaks HEADER_ADDRESS_UNIT: "clears flag 4 of a version 6 dump" => |map| {
        map.field("version", |f| f.value == 6)?;
        let field = map.field("flags", |f| f.record.is_none() && f.value & 6 == 4)?;
        let edited = set(map, &field, field.value & !4, map.records.len())?;
        Some(Edited { offset: 20, ..edited })
    };
    "claim-hashes-without-j9" breaks HEADER_HASHED_WITHOUT_J9: "sets flag 2 and clears flag 4" => |map| {
        let field = map.field("flags", |f| f.record.is_none() && f.value & 2 == 0)?;
        set(map, &field, field.value & !4 | 2, map.records.len())
    };
    "use-a-reserved-tag" breaks RECORD_TAG: "gives the second record tag 9" => |map| {
        let record = map.records.get(1)?;
        set(map, &map.field("tag", |f| f.offset == record.offset)?, 9, 1)
    };
    "set-a-reserved-record-flag" breaks RECORD_RESERVED_FLAGS: "sets flag 0x04 of a record" => |map| {
        let field = map.field("flags", |f| f.record.is_some())?;
        in_record(map, &field, field.value | 0x04)
    };
    "name-an-empty-slot" breaks SHORT_OBJECT_CACHE_SLOT: "lets a short object name cache slot 3 before it is filled" => |map| {
        let field = map.field("tag", |f| map.record(f).is_some_and(|r| r.kind == "short object" && r.filled < 4))?;
        in_record(map, &field, field.value | 0x60)
    };
    "claim-2-to-the-31-references" breaks REFERENCES_COUNT: "sets a number of references to 2^31" => |map| {
        let field = map.field("number of references", |_| true)?;
        let due = field.record? as usize;
        set(map, &field, 1 << 31, due)
    };
    "refer-to-null" breaks REFERENCES_NULL: "points a reference at address 0" => |map| {
        point(map, |_, _| true, |_| Address::NULL)
    };
    "refer-to-the-class-first" breaks REFERENCES_FIRST_IS_CLASS: "points reference 0 at the object's class" => |map| {
        // Only in J9 dumps does the DTFJ reader drop it.
        map.field("flags", |f| f.record.is_none() && f.value & 4 != 0)?;
        let is_first = |field: &FieldAt, map: &Map| {
            map.fields.iter().find(|f| f.record == field.record && f.name == "reference") == Some(field)
        };
        point(map, is_first, |record| record.class_word.unwrap_or_default())
    };
    "claim-too-many-elements" breaks ARRAY_LENGTH: "sets an array's length to 2^32 - 1" => |map| {
        let field = map.field("true length", |_| true).or_else(|| map.field("length", |f| f.length >= 4))?;
        in_record(map, &field, 0xffff_ffff)
    };
    "shorten-an-array" breaks OBJECT_ARRAY_LENGTH: "sets a true length below the number of references" => |map| {
        let count = |f: &FieldAt| map.field("number of references", |n| n.record == f.record).map_or(0, |n| n.value);
        let field = map.field("true length", |f| count(f) > 0)?;
        in_record(map, &field, count(&field) - 1)
    };
    "put-the-size-first" breaks OBJECT_ARRAY_FIELD_ORDER: "swaps an array's true length and instance size" => |map| {
        let words = |f: &FieldAt| map.field("instance size / 4", |n| n.record == f.record).map_or(0, |n| n.value);
        let length = map.field("true length", |f| words(f) >= f.value + 2)?;
        let size = map.field("instance size / 4", |n| n.record == length.record)?;
        let swapped = Map { bytes: map.with(&length, size.value), ..map.clone() };
        let edited = in_record(map, &length, size.value)?;
        Some(Edited { bytes: swapped.with(&size, length.value), ..edited })
    };
    "break-a-class-name" breaks CLASS_NAME_ENCODING: "puts 0xff into a class name" => |map| {
        let field = map.field("name", |_| true)?;
        in_record(map, &FieldAt { length: 1, ..field }, 0xff)
    };
    "drop-the-end-tag" breaks BODY_END_TAG: "ends the file before its end tag" => |map| {
        let bytes = map.bytes[..map.end].to_vec();
        Some(Edited { bytes, offset: map.end as u64, records_due: map.records.len() as u64 })
    };
    "append-bytes" breaks BODY_TRAILING_BYTES: "puts bytes behind the end tag" => |map| {
        let bytes = [&map.bytes[..], b"trailing"].concat();
        Some(Edited { bytes, offset: map.end as u64 + 1, records_due: map.records.len() as u64 })
    };
    "repeat-a-record" breaks GRAPH_DUPLICATE_ADDRESS: "puts the last record there twice, the second time with gap 0" => |map| {
        let record = map.records.last()?;
        let gap = map.field("gap", |f| f.record == Some(map.records.len() as u64 - 1))?;
        let mut twin = map.bytes[record.offset..map.end].to_vec();
        twin[gap.offset - record.offset..][..gap.length].fill(0);
        let bytes = map.inserting(map.end, &twin);
        Some(Edited { bytes, offset: map.end as u64, records_due: map.records.len() as u64 })
    };
    "let-a-reference-dangle" breaks GRAPH_DANGLING_REFERENCE: "points a reference behind its object" => |map| {
        let taken = |address: Address| map.records.iter().any(|r| r.address == address);
        let free = |record: &RecordAt| {
            let unit = map.layout.unit;
            (1..16).map(|n| Address(record.address.0 + n * unit)).find(|&a| !taken(a)).unwrap_or_default()
        };
        point(map, |field, map| map.record(field).is_some_and(|r| !free(r).is_null()), free)
    };
    "break-a-class-word" breaks GRAPH_CLASS_WORD: "changes an object array's class word, which enters no cache" => |map| {
        let free = |value: i64| !map.records.iter().any(|r| r.address.0 as i64 == value);
        let field = map.field_of("object array", "class word").filter(|f| free(f.value ^ 4))?;
        in_record(map, &field, field.value ^ 4)
    };
    "break-a-superclass-word" breaks GRAPH_SUPERCLASS: "changes a superclass word" => |map| {
        let field = map.field("superclass word", |f| f.value != 0)?;
        in_record(map, &field, field.value ^ 4)
    };
    "close-the-superclass-chain" breaks GRAPH_SUPERCLASS_CYCLE: "makes a class without a superclass its own" => |map| {
        let field = map.field("superclass word", |f| f.value == 0)?;
        let own = map.record(&field)?.address;
        in_record(map, &field, own.0 as i64)
    };
}

fn cut_in_a_record(map: &Map) -> Option<Edited> {
    let last = map.records.last()?;
    let mut own = map.fields.iter().filter(|f| f.record == Some(map.records.len() as u64 - 1));
    // References are read in one go, so that their first byte is where reading stops.
    let cut = own.clone().next_back()?;
    let cut = own.find(|f| f.name == "reference" && cut.name == "reference").unwrap_or(cut);
    let (at, due) = (last.offset + last.length - 1, map.records.len() as u64 - 1);
    Some(Edited { bytes: map.bytes[..at].to_vec(), offset: cut.offset as u64, records_due: due })
}

fn header(map: &Map, name: &str, value: i64) -> Option<Edited> {
    set(map, &map.field(name, |_| true)?, value, 0)
}

/// Sets a field; the finding stands at the field.
fn set(map: &Map, field: &FieldAt, value: i64, due: usize) -> Option<Edited> {
    Some(Edited { bytes: map.with(field, value), offset: field.offset as u64, records_due: due as u64 })
}

/// Sets a field of a record; the finding stands at the record, and every record is still due.
fn in_record(map: &Map, field: &FieldAt, value: i64) -> Option<Edited> {
    let record = map.record(field)?;
    let due = map.records.len() as u64;
    Some(Edited { bytes: map.with(field, value), offset: record.offset as u64, records_due: due })
}

/// Points the first reference that is wide enough somewhere else.
fn point(map: &Map, wanted: impl Fn(&FieldAt, &Map) -> bool, target: impl Fn(&RecordAt) -> Address) -> Option<Edited> {
    let units = |field: &FieldAt| {
        let record = map.record(field)?;
        let distance = target(record).0.wrapping_sub(record.address.0) as i64;
        let distance = if map.layout.word.bytes() == 4 { i64::from(distance as i32) } else { distance };
        Some(distance / map.layout.unit as i64)
    };
    let fits = |field: &FieldAt| {
        let unused = 64 - 8 * field.length as u32;
        units(field).is_some_and(|units| units << unused >> unused == units)
    };
    let has_class = |field: &FieldAt| map.record(field).is_some_and(|r| r.kind != "class");
    let field = map.field("reference", |f| has_class(f) && fits(f) && wanted(f, map))?;
    in_record(map, &field, units(&field)?)
}
