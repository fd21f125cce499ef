//! Edits at chosen places: small sound dumps, spelled by hand, and what is broken in them afterwards.

use std::fs;
use std::path::Path;

use hex_literal::hex;
use pretty_assertions::assert_eq;

use heapsmith::corrupt::{DamagedDump, EditMap, EditPlan, Edited, RecordEdit, RecordTarget};
use heapsmith::error::Error;
use heapsmith::format::{DumpFile, DumpPart, RecordSelector};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;
use heapsmith::validate::{ValidateOptions, validate};

use super::classic_rules::NATIVE;
use super::hprof_rules::{HEADER, SUBS, TABLES};

/// A PHD of 32 bits: at 1f the class 0x1000, and at 41 and 47 medium objects of it, 0x1008 and 0x1010; the end at 4d.
fn phd(version: u8) -> Vec<u8> {
    let before = hex!("0012 706f727461626c6520686561702064756d70 000000");
    let after = hex!(
        "00000004 01 02 02"
        "06 40 0400 00000008 00000000 0010 6a6176612f6c616e672f4f626a656374 00000000"
        "40 02 00001000"
        "40 02 00001000"
        "03"
    );
    [&before[..], &[version], &after].concat()
}

/// An HPROF: at 31 three strings (records 0 to 2), at 76 and 101 two classes, at 126 a trace, and at 147 the dump record
/// (record 6) with two classes at 156 and 204, the instance 0x110 at 247, the array 0x120 at 268 and a root at 293; from 1.0.2 on,
/// its end at 298.
fn hprof(version: u8) -> Vec<u8> {
    let mut dump = [&HEADER[..], &TABLES].concat();
    dump[17] = version;
    let is_segmented = version != b'1';
    dump.extend([if is_segmented { 0x1c } else { 0x0c }, 0, 0, 0, 0, 0, 0, 0, 142]);
    dump.extend(SUBS);
    if is_segmented {
        dump.extend(hex!("2c 00000000 00000000"));
    }
    dump
}

fn file(dump: &[u8]) -> DumpFile {
    DumpFile::new(Input::from_memory("dump", dump.to_vec()), ReadOptions::default()).expect("memory can be read")
}

/// An edit, a place, a field and a value: `-` stands for none.
type Edit<'e> = [&'e str; 4];

fn apply(dump: &[u8], [edit, place, field, value]: Edit<'_>) -> Result<DamagedDump, Error> {
    let given = |text: &str| (text != "-").then(|| text.to_owned());
    let place = given(place).map(|text| text.parse::<RecordSelector>().expect("a place"));
    EditPlan::new(edit).place(place).field(given(field)).value(given(value)).apply(&file(dump))
}

/// The findings of a dump, by rule.
fn findings(dump: &[u8]) -> Vec<(String, u64)> {
    let report = validate(&Input::from_memory("dump", dump.to_vec()), ValidateOptions::default()).expect("readable");
    let mut found: Vec<(String, u64)> = report.findings.iter().map(|f| (f.rule.0.to_owned(), f.offset)).collect();
    found.sort();
    found
}

/// An edit; the findings afterwards, that of the edit first; the records that are due, and whether they are all.
type Row<'r> = (Edit<'r>, &'r [(&'r str, u64)], (u64, bool));

fn check(dump: &[u8], rows: &[Row<'_>]) {
    assert_eq!(findings(dump), [], "sound before");
    for (edit, expected, due) in rows {
        let damaged = apply(dump, *edit).unwrap_or_else(|e| panic!("{edit:?}: {e}"));
        let found: Vec<(&str, u64)> = damaged.broken.iter().map(|broken| (broken.rule.0, broken.offset)).collect();
        assert_eq!(found.first(), expected.first(), "{edit:?}: {found:x?}");
        let mut expected: Vec<(String, u64)> = expected.iter().map(|(rule, at)| ((*rule).to_owned(), *at)).collect();
        expected.sort();
        assert_eq!(findings(&damaged.bytes), expected, "{edit:?}");
        let known = |(rule, at): &(&str, u64)| expected.contains(&((*rule).to_owned(), *at));
        assert!(found.iter().all(known), "{edit:?}: {found:x?}");
        assert_eq!((damaged.records_due, damaged.is_all_due), *due, "{edit:?}");
    }
}

#[test]
fn breaks_named_rule_of_phd_in_chosen_record() {
    for version in [4, 5, 6] {
        check(
            &phd(version),
            &[
                (["cut-after-a-record", "record:1", "-", "-"], &[("phd.body.end-tag", 0x47)], (2, true)),
                (
                    ["set-a-field", "object:0x1008", "class word", "0x1004"],
                    &[("phd.graph.class-word", 0x41)],
                    (3, true),
                ),
                // One byte of the number of references belongs to the name, and 0x40 references follow.
                (["set-a-length", "record:0", "-", "17"], &[("phd.file.truncated", 0x42)], (0, false)),
                (["set-a-length", "record:0", "-", "-"], &[("phd.file.truncated", 0x42)], (0, false)),
                (["set-a-field", "0x17", "-", "7"], &[("phd.header.version", 0x14)], (0, false)),
                (["use-a-reserved-tag", "0x48", "-", "-"], &[("phd.record.tag", 0x47)], (2, false)),
                (["cut-in-a-record", "object:4104", "-", "-"], &[("phd.file.truncated", 0x43)], (1, false)),
                (["repeat-a-record", "record:0", "-", "-"], &[("phd.graph.duplicate-address", 0x41)], (3, true)),
            ],
        );
    }
}

/// The instance 0x110 refers to the array 0x120, which is not read any more.
const LOST_ARRAY: (&str, u64) = ("hprof.object.dangling-reference", 247);

#[test]
fn breaks_named_rule_of_hprof_in_chosen_record() {
    for version in *b"123" {
        let records = if version == b'1' { 12 } else { 13 };
        check(
            &hprof(version),
            &[
                (
                    ["cut-after-a-record", "record:9", "-", "-"],
                    &[("hprof.file.truncated", 268), LOST_ARRAY],
                    (10, false),
                ),
                (["set-a-root-kind", "295", "-", "-"], &[("hprof.thread.unknown-serial", 293)], (records, true)),
                (["set-a-field", "294", "-", "0x999"], &[("hprof.root.dangling", 293)], (records, true)),
                (
                    ["set-a-field", "record:9", "class object id", "0x108"],
                    &[("hprof.object.class", 247)],
                    (records, true),
                ),
                // The tag of the array is a value of the instance then, and the first byte of its identifier a tag.
                (
                    ["set-a-length", "object:0x110", "-", "-"],
                    &[("hprof.sub-record.tag", 269), ("hprof.instance.length", 247)],
                    (9, false),
                ),
                (["set-a-field", "13", "-", "1.0.9"], &[("hprof.header.version", 13)], (0, false)),
                (
                    ["cut-in-a-sub-record", "object:0x120", "-", "-"],
                    &[("hprof.file.truncated", 285), LOST_ARRAY],
                    (10, false),
                ),
                (
                    ["shorten-a-record", "record:4", "-", "-"],
                    &[
                        ("hprof.record.length", 122),
                        ("hprof.load-class.no-dump", 76),
                        ("hprof.trace.unknown-serial", 76),
                    ],
                    (4, false),
                ),
                (["add-a-root-of-nothing", "record:9", "-", "-"], &[("hprof.root.dangling", 268)], (records + 1, true)),
                (
                    ["add-an-unknown-record", "record:5", "-", "-"],
                    &[("hprof.record.unknown-tag", 126)],
                    (records + 1, true),
                ),
            ],
        );
    }
    check(
        &hprof(b'2'),
        &[(["set-a-root-kind", "record:11", "-", "interned-string"], &[("hprof.extension.tag", 293)], (13, true))],
    );
    let valid = apply(&hprof(b'3'), ["set-a-root-kind", "record:11", "-", "interned-string"]).expect("it can be made");
    assert_eq!((valid.broken.as_slice(), valid.bytes[293]), (&[][..], 0x89), "Android has the kind");
}

#[test]
fn breaks_named_rule_of_classic_text_in_chosen_record() {
    let at = |part: &str| NATIVE.find(part).expect("it is there") as u64;
    let (first, second, trailer) = (at("0x00001000 [16]"), at("0x00001010 [16]"), at("// Break"));
    check(
        NATIVE.as_bytes(),
        &[
            (["cut-after-a-record", "record:4", "-", "-"], &[("classic.trailer.missing", trailer)], (5, true)),
            (
                ["cut-after-a-record", "record:1", "-", "-"],
                &[
                    ("classic.trailer.missing", second),
                    ("classic.graph.dangling-reference", first),
                    ("classic.graph.type", first),
                ],
                (2, true),
            ),
            (["set-a-field", "record:1", "size", "-5"], &[("classic.number.size", first + 11)], (1, false)),
            (["set-a-field", "34", "-", "ARR"], &[("classic.record.type", first + 16)], (1, false)),
            (
                ["set-a-field", "record:1", "reference", "0x1018"],
                &[("classic.graph.dangling-reference", first)],
                (7, true),
            ),
            (
                ["misname-the-kind-of-a-record", "object:0x1010", "-", "-"],
                &[("classic.record.type", second + 16), ("classic.graph.dangling-reference", first)],
                (2, false),
            ),
        ],
    );
}

#[test]
fn refuses_place_that_is_not_there_and_names_nearest() {
    let (phd, hprof) = (phd(6), hprof(b'2'));
    for (dump, edit, message) in [
        (
            &phd,
            ["cut-after-a-record", "record:3", "-", "-"],
            "dump: there is no record 3: the dump has records 0 to 2; the nearest is record 2 (medium object at 0x1010, offset 0x47)",
        ),
        (
            &phd,
            ["use-a-reserved-tag", "0x4d", "-", "-"],
            "dump: no record has the byte at offset 0x4d, which is in the end; the nearest is record 2 (medium object at \
             0x1010, offset 0x47)",
        ),
        (
            &phd,
            ["use-a-reserved-tag", "object:0x1009", "-", "-"],
            "dump: no class or object has the address 0x1009; the nearest is record 1 (medium object at 0x1008, offset 0x41)",
        ),
        (
            &phd,
            ["raise-the-version", "record:0", "-", "-"],
            "the edit raise-the-version acts on the header or on the whole file, and on no record that could be chosen; leave \
             the record out, or choose another edit (--list shows which of them act on a record)",
        ),
        (
            &phd,
            ["break-a-class-name", "record:1", "-", "-"],
            "the edit break-a-class-name cannot be made in dump: record 1 (medium object at 0x1008, offset 0x41) has no record, \
             field or value of the kind that it changes; choose another edit (--list shows all) or another record",
        ),
        (&phd, ["set-a-root-kind", "record:1", "-", "-"], "dump: PHD dumps record no roots"),
        (
            &phd,
            ["set-a-length", "record:1", "-", "-"],
            "dump: record 1 (medium object at 0x1008, offset 0x41) has no length and no number of parts; its fields are tag, gap, \
             class word",
        ),
        (
            &phd,
            ["set-a-field", "record:1", "class wrd", "1"],
            "dump: record 1 (medium object at 0x1008, offset 0x41) has no field \"class wrd\"; did you mean class word?; its \
             fields are tag, gap, class word",
        ),
        (
            &phd,
            ["set-a-field", "record:1", "gap[1]", "1"],
            "dump: record 1 (medium object at 0x1008, offset 0x41) has one field \"gap\", number 0; its fields are tag, gap, class word",
        ),
        (&phd, ["set-a-field", "record:1", "gap", "256"], "dump: gap has 1 byte, which hold -128 to 255, and not 256"),
        (
            &phd,
            ["set-a-field", "record:1", "gap", "2"],
            "the edit set-a-field changes nothing in record 1 (medium object at 0x1008, offset 0x41): sets gap at offset 0x42 to \
             2, which was 2, in record 1 (medium object at 0x1008, offset 0x41)",
        ),
        (&phd, ["set-a-field", "record:1", "gap", "-"], "the edit set-a-field needs a value"),
        (&phd, ["cut-after-a-record", "record:1", "gap", "-"], "the edit cut-after-a-record takes no field"),
        (&phd, ["cut-after-a-record", "record:1", "-", "1"], "the edit cut-after-a-record takes no value"),
        (
            &phd,
            ["cut-after-a-record", "-", "-", "-"],
            "the edit cut-after-a-record acts on one record, which has to be chosen",
        ),
        (
            &phd,
            ["use-a-reserved-tag", "-", "-", "1"],
            "the edit use-a-reserved-tag takes neither a field nor a value; set-a-root-kind, set-a-field, set-a-length do",
        ),
        (&hprof, ["set-a-root-kind", "record:9", "-", "-"], "dump: record 9 is no root"),
        (
            &hprof,
            ["set-a-root-kind", "record:11", "-", "sticky-class"],
            "dump: record 11 is a root of the kind sticky-class already",
        ),
    ] {
        assert_eq!(apply(dump, edit).expect_err("refused").to_string(), message, "{edit:?}");
    }
    let message = apply(&hprof, ["set-a-root-kind", "record:11", "-", "jni-globl"]).expect_err("refused").to_string();
    assert!(message.contains("unknown kind of root \"jni-globl\"; choose one of unknown,"), "{message}");
    assert!(message.ends_with("did you mean jni-global or jni-local?"), "{message}");
    let cut = phd[..phd.len() - 2].to_vec();
    for edit in [["cut-after-a-record", "record:0", "-", "-"], ["set-a-length", "record:0", "-", "-"]] {
        assert!(matches!(apply(&cut, edit), Err(Error::Input { .. })), "a valid dump is needed");
    }
}

/// Each edit of a format, in each record of golden dumps: where it can be made it changes something there, what it chooses
/// itself is one of these, and its rule is broken.
#[test]
fn makes_edit_in_chosen_record() {
    use heapsmith::{classic, hprof, phd};

    for dump in ["phd/golden/phd4-j9-2.3-32.phd", "phd/golden/phd5-j9-2.6-64.phd", "phd/golden/phd6-openj9-64.phd"] {
        keeps_to_record::<phd::corrupt::MappedDump>(dump);
    }
    keeps_to_record::<hprof::corrupt::MappedDump>("hprof/golden/hprof-hotspot-25-8.hprof");
    for dump in ["classic/golden/classic-openj9-32.txt", "classic/golden/classic-openj9-64-ibm-1047.txt"] {
        keeps_to_record::<classic::corrupt::MappedDump>(dump);
    }
}

fn keeps_to_record<M: EditMap>(golden: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(golden);
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{golden}: {e}"));
    let (map, dump) = (M::from_bytes(bytes.clone()).expect("sound"), file(&bytes));
    let records = (0..).map_while(|index| dump.find_record(RecordSelector::Index(index)).ok());
    let records: Vec<DumpPart> = records.collect();
    assert!(records.len() > 10, "{golden}");
    for edit in M::EDITS {
        let chosen = (0_u64..).zip(&records);
        let made =
            chosen.filter_map(|(index, part)| Some((part, edit.apply_in(&map, RecordTarget::from_index(index))?)));
        let made: Vec<(&DumpPart, Edited)> = made.collect();
        let name = edit.name;
        if !edit.takes_record() {
            assert!(made.is_empty(), "{golden}, {name}: it takes no record");
            continue;
        }
        // A chosen class is repeated after itself, and one that the edit chooses at the end.
        if let Some(own) = edit.apply(&map).filter(|_| name != "repeat-a-class") {
            assert!(made.iter().any(|(_, edited)| *edited == own), "{golden}, {name}: what it chooses can be chosen");
        }
        for (part, edited) in &made {
            assert!(edited.bytes != bytes, "{golden}, {name} in {part}");
            if name == "move-references" {
                // They come from a record before, so that the chosen one begins earlier.
                continue;
            }
            let end = part.end + edited.bytes.len().saturating_sub(bytes.len()) as u64;
            assert!((part.offset..=end).contains(&edited.offset), "{golden}, {name} in {part}: {:#x}", edited.offset);
        }
        // Some places are peculiar, so that the command refuses them.
        let is_found = |edited: &Edited| findings(&edited.bytes).contains(&(edit.rule.0.to_owned(), edited.offset));
        let found = made.iter().take(3).filter(|(_, edited)| is_found(edited)).count();
        assert!(found > 0 || made.is_empty(), "{golden}, {name}: never found");
    }
}

/// The edits of any format, in each record of small dumps: whatever can be made is answered, and what is said to be broken is found.
#[test]
fn answers_edit_of_any_record() {
    for dump in [phd(4), phd(6), hprof(b'1'), hprof(b'2'), NATIVE.as_bytes().to_vec()] {
        let dump_file = file(&dump);
        let records = (0..).take_while(|index| dump_file.find_record(RecordSelector::Index(*index)).is_ok()).count();
        let mut made = 0;
        for edit in RecordEdit::ALL {
            for index in 0..records {
                let fields = if edit.needs_value {
                    &["tag", "reference", "time", "type", "class object id"][..]
                } else {
                    &["-"]
                };
                for field in fields {
                    let value = if edit.needs_value { "77" } else { "-" };
                    let Ok(damaged) = apply(&dump, [edit.name, &format!("record:{index}"), field, value]) else {
                        continue;
                    };
                    made += 1;
                    let found = findings(&damaged.bytes);
                    for broken in &damaged.broken {
                        assert!(
                            found.contains(&(broken.rule.0.to_owned(), broken.offset)),
                            "{}: {broken:?}",
                            damaged.summary
                        );
                    }
                    assert_eq!(damaged.broken.is_empty(), found.is_empty(), "{}", damaged.summary);
                }
            }
        }
        assert!(made > 5, "{made}");
    }
}
