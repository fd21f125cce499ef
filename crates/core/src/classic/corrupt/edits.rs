//! The edits: one for each rule of the bytes that an edit can break.
//!
//! The trailers count what stands before them, so that most edits change, move or swap what is there: a further object
//! would make the totals wrong besides.

use std::collections::HashSet;

use crate::classic::book;
use crate::classic::wire::EntryRecordKind;
use crate::family::edit::Effect::{Changes, Refused, Same};
use crate::family::edit::{Edit, Edited, FieldAt, RecordTarget};
use crate::model::{Address, ByteLen, ObjectKind};

use super::effect::{self, rename_unused_class, unreferenced_object};
use super::map::{ClassicRecordKind, MappedDump, RecordAt};
use super::spell::*;

/// Every edit.
pub(super) const EDITS: &[Edit<MappedDump>] = &[
    Edit::new(
        "prefix-a-hash-sign",
        book::FILE_START,
        "puts a hash sign in front",
        |map| {
            // The words in its first bytes tell what a dump that begins like none resembles; those in EBCDIC do not.
            let words: [&[u8]; 3] = [b"] OBJ ", b"] CLS ", b"// "];
            let start = &map.text[..map.text.len().min(4000)];
            let has = |word: &&[u8]| start.windows(word.len()).any(|window| window == *word);
            if map.is_ebcdic() || !words.iter().any(has) {
                return None;
            }
            insert_text(map, 0, b"#", 0)
        },
        Refused,
    ),
    Edit::in_record(
        "cut-in-the-last-class",
        book::FILE_TRUNCATED,
        "ends the file after the type of the last object or class",
        |map, target| {
            let last = map.records.iter().rfind(|record| record.is_entry() && target.allows(record.index))?;
            let name = map.field(last, "type")?;
            let end = name.offset + name.length;
            edited(map, &[(end, map.text.len() - end, Vec::new())], end, last.index)
        },
        Refused,
    ),
    Edit::new(
        "prefix-a-byte-order-mark",
        book::FILE_BYTE_ORDER_MARK,
        "puts a UTF-8 byte order mark in front",
        |map| {
            if map.is_ebcdic() {
                return None;
            }
            insert_text(map, 0, b"\xef\xbb\xbf", map.records.len() + 1)
        },
        Same,
    ),
    Edit::in_record(
        "mix-line-ends",
        book::FILE_LINE_ENDS,
        "puts a comment with another line end before the last record",
        |map, target| {
            let (last, before) = map.records.get(..=target.index_or_last(map.records.len())?)?.split_last()?;
            let own = map.newline();
            before.iter().find(|record| map.text[..record.end_offset()].ends_with(own))?;
            let other: &[u8] = if own == b"\n" { b"\r\n" } else { b"\n" };
            let comment = b"// from elsewhere";
            let made = insert_text(map, last.offset, &[comment, other].concat(), map.records.len() + 1)?;
            Some(Edited { offset: (last.offset + comment.len()) as u64, ..made })
        },
        Same,
    ),
    Edit::new(
        "drop-the-version-line",
        book::HEADER_MISSING,
        "takes the version line away",
        |map| {
            let version = map.first(ClassicRecordKind::Version)?;
            let is_trailer =
                |record: &RecordAt| matches!(record.kind, ClassicRecordKind::Breakdown | ClassicRecordKind::Eof);
            let first = map.records.iter().find(|record| record.is_entry() || is_trailer(record))?;
            edited(map, &[(version.offset, version.length, Vec::new())], first.offset, map.records.len() - 1)
        },
        Changes(|_, heap| {
            heap.facts.version_text = None;
            Some(())
        }),
    ),
    Edit::in_record(
        "add-a-version-line",
        book::HEADER_SINGLE,
        "puts another version line in front of the last record",
        |map, target| {
            let (last, before) = map.records.get(..=target.index_or_last(map.records.len())?)?.split_last()?;
            before.iter().find(|record| record.is_entry() || record.kind == ClassicRecordKind::Version)?;
            let line = [b"// Version: another", map.newline()].concat();
            insert_text(map, last.offset, &line, map.records.len() + 1)
        },
        Same,
    ),
    Edit::in_record(
        "add-a-stray-line",
        book::RECORD_START,
        "puts a line of a question mark in front of the first object",
        |map, target| {
            let first = chosen_entry(map, target)?;
            map.records[..first.index].iter().find(|record| record.kind != ClassicRecordKind::Space)?;
            insert_line_before(map, &first, b"?")
        },
        Refused,
    ),
    Edit::in_record(
        "misname-the-kind-of-a-record",
        book::RECORD_TYPE,
        "writes ARR in the place of the first OBJ",
        |map, target| {
            let first = chosen_entry(map, target)?;
            replace_field(map, &map.field(&first, "record type")?, b"ARR", first.index)
        },
        Refused,
    ),
    Edit::in_record(
        "move-an-object-to-0",
        book::RECORD_NULL_ADDRESS,
        "gives an object that nothing refers to the address 0",
        |map, target| {
            let address = unreferenced_object_address(map, target)?;
            let zero = format!("0x{}", "0".repeat(address.length - 2));
            replace_field(map, &address, zero.as_bytes(), map.records.len())
        },
        Changes(|_, heap| unreferenced_object(heap).map(|object| object.address = Address::NULL)),
    ),
    Edit::in_record(
        "misspell-a-digit",
        book::NUMBER_HEXADECIMAL,
        "turns the last digit of the first reference into a G",
        |map, target| {
            let field = map.fields.iter().find(|field| field.name == "reference" && target.has(field))?;
            let last = field.offset + field.length - 1;
            edited(map, &[(last, 1, b"G".to_vec())], last, field.record? as usize)
        },
        Refused,
    ),
    Edit::in_record(
        "negate-a-size",
        book::NUMBER_SIZE,
        "puts a minus sign in front of the first size",
        |map, target| {
            let first = chosen_entry(map, target)?;
            let size = map.field(&first, "size")?;
            edited(map, &[(size.offset + 1, 0, b"-".to_vec())], size.offset, first.index)
        },
        Refused,
    ),
    Edit::in_record(
        "raise-a-size",
        book::NUMBER_SIZE_RANGE,
        "sets the first size to 2^63",
        |map, target| {
            let size = map.field(&chosen_entry(map, target)?, "size")?;
            replace_field(map, &size, b"[9223372036854775808]", map.records.len())
        },
        Changes(|_, heap| heap.objects.first_mut().map(|object| object.size = Some(ByteLen(1 << 63)))),
    ),
    Edit::in_record(
        "widen-an-address",
        book::NUMBER_WORD,
        "raises the address of an object that nothing refers to by 2^32",
        |map, target| {
            map.field(&first_entry(map)?, "address").filter(|field| field.length == 10)?;
            let address = unreferenced_object_address(map, target)?;
            let wide = format!("0x{:016X}", (1_u64 << 32) + address.value as u64);
            replace_field(map, &address, wide.as_bytes(), map.records.len())
        },
        Changes(|_, heap| unreferenced_object(heap).map(|object| object.address.0 += 1 << 32)),
    ),
    Edit::in_record(
        "empty-a-name",
        book::NAME_EMPTY,
        "takes the name of a class without objects away",
        |map, target| {
            let name = unused_class_names(map).rfind(|field| target.has(field))?;
            let after = name.offset + name.length;
            let blanks = map.text[after..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let made = replace_field(map, &name, b"", map.records.len())?;
            Some(Edited { offset: made.offset + blanks as u64, ..made })
        },
        Changes(|_, heap| rename_unused_class(heap, |_, _| Vec::new())),
    ),
    Edit::in_record(
        "add-a-stray-byte-to-a-name",
        book::NAME_ENCODING,
        "puts the byte ff before the name of a class without objects",
        |map, target| {
            let name = unused_class_names(map).rfind(|field| target.has(field)).filter(|_| !map.is_ebcdic())?;
            insert_text(map, name.offset, &[0xff], map.records.len())
        },
        Changes(|_, heap| rename_unused_class(heap, |_, name| [b"\xff", name].concat())),
    ),
    Edit::in_record(
        "break-a-name",
        book::NAME_LINE_BREAK,
        "adds a line break and an x to the name of a class without objects",
        |map, target| {
            let name = unused_class_names(map).rfind(|field| target.has(field))?;
            let end = name.offset + name.length;
            insert_text(map, end, b"\nx", map.records.len())
        },
        Changes(|_, heap| rename_unused_class(heap, |_, name| [name, b"\nx"].concat())),
    ),
    Edit::in_record(
        "break-an-array-signature",
        book::NAME_SIGNATURE,
        "renames a class without objects to [L;",
        |map, target| {
            replace_field(map, &unused_class_names(map).rfind(|field| target.has(field))?, b"[L;", map.records.len())
        },
        Changes(|_, heap| rename_unused_class(heap, |_, _| b"[L;".to_vec())),
    ),
    Edit::new(
        "add-a-stray-reference",
        book::REFERENCE_WITHOUT_RECORD,
        "puts a line of a reference in front of the first object",
        |map| {
            let first = first_entry(map)?;
            let made = insert_line_before(map, &first, b"0x10 ")?;
            Some(Edited { offset: made.offset + 5, ..made })
        },
        Refused,
    ),
    Edit::in_record(
        "move-references",
        book::REFERENCE_PRIMITIVE_ARRAY,
        "moves two references of an object to a primitive array",
        |map, target| {
            let kind = |record: &RecordAt| ObjectKind::from_class_name(map.name(record));
            let is_primitive = |record: &RecordAt| matches!(kind(record), ObjectKind::PrimitiveArray(_));
            let mut arrays = map.entries(EntryRecordKind::Object).filter(is_primitive);
            let array = arrays.find(|record| target.allows(record.index))?;
            let donor = entry_with_references(map, RecordTarget::ANY)?;
            let mut taken = map.parts(&donor, "reference").rev();
            let (last, one) = (taken.next()?, taken.next()?);
            let name = map.field(&array, "type")?;
            let line_end = name.offset + map.text[name.offset..].iter().position(|byte| *byte == b'\n')? + 1;
            let put = [map.spelled(&one), b" ", map.spelled(&last), b" "].concat();
            let gone = |field: FieldAt| (field.offset, field.length, Vec::new());
            let mut changes = vec![gone(one), gone(last), (line_end, 0, put)];
            changes.sort();
            edited(map, &changes, array.offset, map.records.len())
        },
        Changes(effect::move_references),
    ),
    Edit::new(
        "misspell-trailer-1",
        book::TRAILER_SYNTAX,
        "adds a word to trailer 1",
        |map| {
            let trailer = map.first(ClassicRecordKind::Breakdown)?;
            let line = map.field(&trailer, "breakdown")?;
            edited(map, &[(line.offset + line.length, 0, b" more".to_vec())], trailer.offset, trailer.index)
        },
        Refused,
    ),
    Edit::new(
        "drop-trailer-2",
        book::TRAILER_MISSING,
        "ends the file before trailer 2",
        |map| {
            let last = last_trailer(map)?;
            edited(map, &[(last.offset, last.length, Vec::new())], last.offset, last.index)
        },
        Changes(|_, heap| {
            heap.facts.null_references = None;
            Some(())
        }),
    ),
    Edit::new(
        "drop-trailer-1",
        book::TRAILER_BREAKDOWN_MISSING,
        "takes trailer 1 away",
        |map| {
            let (first, last) = (map.first(ClassicRecordKind::Breakdown)?, last_trailer(map)?);
            edited(map, &[(first.offset, first.length, Vec::new())], last.offset, map.records.len() - 1)
        },
        Same,
    ),
    Edit::new(
        "repeat-trailer-2",
        book::TRAILER_REPEATED,
        "adds trailer 2 again",
        |map| {
            let line = map.field(&last_trailer(map)?, "totals")?;
            append_record(map, map.spelled(&line))
        },
        Same,
    ),
    Edit::new(
        "swap-the-trailers",
        book::TRAILER_ORDER,
        "moves trailer 1 after trailer 2",
        |map| {
            let (first, _) = (map.first(ClassicRecordKind::Breakdown)?, last_trailer(map)?);
            let line = map.spelled(&map.field(&first, "breakdown")?).to_vec();
            let (added, lead) = line_at_end(map, &line);
            let changes = [(first.offset, first.length, Vec::new()), (map.text.len(), 0, added)];
            let made = edited(map, &changes, first.offset, map.records.len())?;
            Some(Edited { offset: (map.text.len() - first.length + lead) as u64, ..made })
        },
        Same,
    ),
    Edit::new(
        "move-trailer-1-before-the-last-record",
        book::TRAILER_RECORD_BETWEEN,
        "moves trailer 1 in front of the last object or class",
        |map| {
            let (trailer, _) = (map.first(ClassicRecordKind::Breakdown)?, last_trailer(map)?);
            let last = map.records[..trailer.index].iter().rfind(|record| record.is_entry())?;
            let line = [map.spelled(&map.field(&trailer, "breakdown")?), map.newline()].concat();
            let shift = line.len();
            let changes = [(last.offset, 0, line), (trailer.offset, trailer.length, Vec::new())];
            let made = edited(map, &changes, last.offset, map.records.len())?;
            Some(Edited { offset: (last.offset + shift) as u64, ..made })
        },
        Same,
    ),
    Edit::new(
        "add-a-class-after-the-trailers",
        book::TRAILER_RECORD_AFTER,
        "adds a class after trailer 2",
        |map| {
            last_trailer(map)?;
            let class = format!("0x{:08X} [64] CLS added/Class\n\t", map.unused_address());
            append_record(map, class.replace('\n', &String::from_utf8_lossy(map.newline())).as_bytes())
        },
        Changes(effect::add_a_class),
    ),
    Edit::new(
        "add-a-comment-after-the-trailers",
        book::TRAILER_COMMENT_AFTER,
        "adds a comment after trailer 2",
        |map| {
            last_trailer(map)?;
            append_record(map, b"// bye")
        },
        Same,
    ),
    Edit::new(
        "misstate-the-classes",
        book::TRAILER_COUNTS,
        "raises the classes of trailer 1 by one",
        |map| {
            let trailer = map.first(ClassicRecordKind::Breakdown)?;
            raise_number(map, &trailer, &map.field(&trailer, "breakdown")?, b"Classes", 1)
        },
        Same,
    ),
    Edit::new(
        "misstate-the-total",
        book::TRAILER_TOTAL,
        "raises the total of trailer 2 by one",
        |map| {
            let trailer = map.first(ClassicRecordKind::Eof)?;
            raise_number(map, &trailer, &map.field(&trailer, "totals")?, b"(null)", 1)
        },
        Same,
    ),
    Edit::new(
        "misstate-the-references",
        book::TRAILER_REFERENCES,
        "raises the references of trailer 2 by 1000",
        |map| {
            // By one it could come to a total that leaves class blocks out, or does not.
            let trailer = map.first(ClassicRecordKind::Eof)?;
            let line = map.field(&trailer, "totals")?;
            let comma = map.spelled(&line).iter().rposition(|byte| *byte == b',')?;
            let rest = FieldAt { offset: line.offset + comma, length: line.length - comma, ..line };
            raise_number(map, &trailer, &rest, b",", 1000)
        },
        Same,
    ),
    Edit::in_record(
        "repeat-an-address",
        book::GRAPH_DUPLICATE_ADDRESS,
        "gives the last object the first one's address",
        |map, target| {
            let first = map.field(&first_entry(map)?, "address")?;
            let address = unreferenced_object_address(map, target)?;
            replace_field(map, &address, map.spelled(&first), map.records.len())
        },
        Changes(effect::repeat_an_address),
    ),
    Edit::in_record(
        "let-a-reference-dangle",
        book::GRAPH_DANGLING_REFERENCE,
        "leads a reference to nothing",
        |map, target| {
            let donor = entry_with_references(map, target)?;
            let last = map.parts(&donor, "reference").next_back()?;
            let made =
                replace_field(map, &last, format!("0x{:08X}", map.unused_address()).as_bytes(), map.records.len())?;
            Some(Edited { offset: donor.offset as u64, ..made })
        },
        Changes(|at, heap| effect::references_of_donor(heap)?.last_mut().map(|last| last.0 = at.map.unused_address())),
    ),
    Edit::in_record(
        "name-an-unknown-type",
        book::GRAPH_TYPE,
        "gives the first instance a type that no class has",
        |map, target| {
            let is_chosen = |record: &RecordAt| target.allows(record.index) && is_instance(map.name(record));
            let instance = map.entries(EntryRecordKind::Object).find(is_chosen)?;
            let made = replace_field(map, &map.field(&instance, "type")?, b"no/SuchClass", map.records.len())?;
            Some(Edited { offset: instance.offset as u64, ..made })
        },
        Changes(effect::lose_a_type),
    ),
    Edit::in_record(
        "repeat-a-name",
        book::GRAPH_SAME_NAME,
        "gives the last class without objects the name of the first one",
        |map, target| {
            // Where another name stands twice already, that is what is found.
            let mut names = HashSet::new();
            if !map.entries(EntryRecordKind::Class).all(|class| names.insert(map.name(&class).to_vec())) {
                return None;
            }
            let mut loose = unused_class_names(map);
            let (first, last) = (loose.next()?, loose.rfind(|field| target.has(field))?);
            let record = map.records.get(last.record? as usize)?;
            let made = replace_field(map, &last, map.spelled(&first), map.records.len())?;
            Some(Edited { offset: record.offset as u64, ..made })
        },
        Changes(|_, heap| rename_unused_class(heap, |first, _| first.to_vec())),
    ),
];
