//! Which bytes of a PHD rely on which rule: places spelled by hand, and the whole corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use heapsmith::compare::Facet;
use heapsmith::corpus::cases;
use heapsmith::family::Reliance;
use heapsmith::format::{DumpFile, Family};
use heapsmith::input::Input;
use heapsmith::model::Address;
use heapsmith::validate::{rule, rulebook};
use pretty_assertions::assert_eq;

/// `00 12` and "portable heap dump": 20 bytes.
const MAGIC: &str = "0012 706f727461626c65 2068656170 2064756d70";

/// Headers without records: they end in front of byte 31.
const V5: &str = "00000005 00000004 01 02 02";
const V5_64: &str = "00000005 00000005 01 02 02";
const V5_HASHED: &str = "00000005 00000006 01 02 02";
const V6: &str = "00000006 00000004 01 02 02";
/// Of a Sovereign VM: without flag 4.
const V4: &str = "00000004 00000000 01 02 02";

/// A medium object of class 1000, 8 bytes on: 6 bytes.
const OBJECT: &str = "40 02 00001000";
/// An empty array of byte, 8 bytes on: 3 bytes.
const ARRAY: &str = "30 02 00";
/// A class with the name "" and the instance size 8, 8 bytes on: 17 bytes.
const CLASS: &str = "06 00 02 00000008 00000000 0000 00000000";

/// A place: offset, length, and the address that it is about.
type Place = (u64, u64, Option<u64>);

/// A rule, a dump by its header and body, the places that rely on the rule, and dumps without any.
#[derive(Clone, Copy)]
struct Row {
    rule: &'static str,
    header: &'static str,
    body: &'static [&'static str],
    places: &'static [Place],
    without: &'static [(&'static str, &'static [&'static str])],
}

const fn row(
    rule: &'static str,
    (header, body): (&'static str, &'static [&'static str]),
    places: &'static [Place],
    without: &'static [(&'static str, &'static [&'static str])],
) -> Row {
    Row { rule, header, body, places, without }
}

const OF_HEADERS: &[Row] = &[
    row("phd.header.magic", (V5, &[]), &[(0, 20, None)], &[]),
    row("phd.words.byte-order", (V5, &[]), &[(20, 4, None)], &[]),
    row("phd.header.version", (V6, &[]), &[(20, 4, None)], &[(V5, &[])]),
    row("phd.header.start-tag", (V5, &[]), &[(28, 1, None)], &[]),
    row("phd.header.body-tag", (V5, &[]), &[(30, 1, None)], &[]),
    row("phd.header.record-tag", ("00000005 00000004 01 04 0001 41 02 02", &[]), &[(29, 1, None)], &[(V5, &[])]),
    row("phd.header.optional-records", (V5, &[]), &[(29, 1, None)], &[("00000005 00000004 01 04 0001 41 02 02", &[])]),
    // Record 1 after record 4, at 29.
    row(
        "phd.header.optional-records",
        ("00000005 00000004 01 04 0001 41 01 00000000 00000000 02 02", &[]),
        &[(33, 1, None)],
        &[("00000005 00000004 01 01 00000000 00000000 04 0001 41 02 02", &[])],
    ),
    row(
        "phd.header.record-payloads",
        ("00000005 00000004 01 01 00000000 00000000 03 00000001 00000002 04 0000 02 02", &[]),
        &[(30, 8, None), (39, 8, None), (48, 2, None)],
        &[("00000005 00000004 01 04 0001 41 02 02", &[])],
    ),
    row(
        "phd.header.tag-namespaces",
        ("00000005 00000004 01 01 00000000 00000000 02 02", &[]),
        &[(29, 1, None)],
        &[("00000005 00000004 01 03 00000001 00000002 02 02", &[])],
    ),
    row(
        "phd.header.repeated-record",
        ("00000005 00000004 01 01 00000001 00000000 01 00000000 00000000 02 02", &[]),
        &[(38, 9, None)],
        &[("00000005 00000004 01 01 00000000 00000000 01 00000000 00000000 02 02", &[])],
    ),
    row(
        "phd.header.totals",
        ("00000005 00000004 01 01 00000001 00000000 02 02", &[]),
        &[(30, 8, None)],
        &[("00000005 00000004 01 01 00000001 00000000 02 02", &[ARRAY])],
    ),
    row(
        "phd.header.version-text-encoding",
        ("00000005 00000004 01 04 0002 41ff 02 02", &[]),
        &[(32, 2, None)],
        &[("00000005 00000004 01 04 0002 4142 02 02", &[])],
    ),
    // Flag 2 without flag 4.
    row(
        "phd.header.hashed-without-j9",
        ("00000005 00000002 01 02 02", &[ARRAY]),
        &[(24, 4, None)],
        &[("00000005 00000002 01 02 02", &[]), (V5_HASHED, &["30 02 00 0001"])],
    ),
    row("phd.body.end-tag", (V5, &[ARRAY]), &[(34, 1, None)], &[]),
    row("phd.body.trailing-bytes", (V5, &["03 00"]), &[(32, 2, None)], &[(V5, &[])]),
];

const OF_DISTANCES: &[Row] = &[
    // The array at 10 comes before the one at 8.
    row("phd.gap.signed", (V5, &["30 04 00", "30 fe 00"]), &[(35, 1, Some(8))], &[(V5, &[ARRAY, ARRAY])]),
    row(
        "phd.gap.base",
        (V5, &[CLASS, ARRAY, OBJECT, OBJECT]),
        &[(49, 1, Some(0x10)), (52, 1, Some(0x18))],
        &[(V5, &[OBJECT, OBJECT, ARRAY]), (V5, &["30 00 00", ARRAY])],
    ),
    row("phd.gap.base", (V5, &[OBJECT, CLASS]), &[(39, 1, Some(0x10))], &[]),
    row("phd.gap.unit", (V4, &["30 01 00"]), &[(32, 1, Some(8))], &[(V4, &["30 00 00"]), (V5, &[ARRAY])]),
    row("phd.gap.unit", (V5_64, &[ARRAY]), &[(32, 1, Some(8))], &[(V5_64, &["30 00 00"])]),
    // At 0, so the gap counts nothing; of its three references the second does.
    row("phd.gap.unit", (V4, &["58 00 00001000 00 01 00"]), &[(38, 1, Some(0))], &[(V5, &["58 00 00001000 00 01 00"])]),
    row(
        "phd.header.address-unit",
        ("00000006 00000000 01 02 02", &["30 01 00 00000004"]),
        &[(32, 1, Some(8))],
        &[(V6, &["30 02 00 00000004"]), (V4, &["30 01 00"])],
    ),
    // 8 bytes in front of 0; 8 bytes in front of 0 from 8.
    row("phd.words.modulo-2-32", (V5, &["30 fe 00"]), &[(32, 1, Some(0xffff_fff8))], &[(V5, &[ARRAY])]),
    row(
        "phd.words.modulo-2-32",
        (V5, &["50 02 00001000 00 fc"]),
        &[(38, 1, Some(8))],
        &[(V5_64, &["50 02 0000000000001000 00 fc"]), (V5, &["50 02 00001000 00 fe"])],
    ),
    row("phd.references.base", (V5, &["48 02 00001000 01"]), &[(37, 1, Some(8))], &[(V5, &[OBJECT])]),
    row(
        "phd.references.null",
        (V5, &["50 02 00001000 01 fe"]),
        &[(38, 1, Some(8))],
        &[(V5, &["50 02 00001000 01 ff"])],
    ),
    // At 8, of the class 10.
    row(
        "phd.references.first-is-class",
        (V4, &["48 01 00000010 01"]),
        &[(37, 1, Some(8))],
        &[(V4, &["50 01 00000010 02 01"])],
    ),
];

const OF_FORMS: &[Row] = &[
    row("phd.short-object.layout", (V5, &[OBJECT, "80 02"]), &[(37, 2, Some(0x10))], &[(V5, &[OBJECT])]),
    row("phd.medium-object.layout", (V5, &[OBJECT]), &[(31, 6, Some(8))], &[(V5, &[ARRAY])]),
    row("phd.long-object.layout", (V5, &["04 00 02 00001000 00000000"]), &[(31, 11, Some(8))], &[(V5, &[OBJECT])]),
    row("phd.primitive-array.layout", (V5, &[ARRAY]), &[(31, 3, Some(8))], &[(V5, &["07 80 02 00"])]),
    row("phd.long-primitive-array.layout", (V5, &["07 80 02 00"]), &[(31, 4, Some(8))], &[(V5, &[ARRAY])]),
    row("phd.object-array.layout", (V5, &["05 00 02 00001000 00000000"]), &[(31, 11, Some(8))], &[(V5, &[OBJECT])]),
    row("phd.class.layout", (V5, &[CLASS]), &[(31, 17, Some(8))], &[(V5, &[OBJECT])]),
    row(
        "phd.object-array.tag-5",
        (V5, &["05 00 02 00001000 00000000"]),
        &[(31, 1, Some(8))],
        &[(V5, &["08 00 02 00001000 00000000 00000000"])],
    ),
    // Four references: 0x20 of the count is the bit of primitive arrays.
    row(
        "phd.record.tag-bits",
        (V5, &["60 02 00001000 01 01 01 01"]),
        &[(31, 1, Some(8))],
        &[(V5, &["58 02 00001000 01 01 01"])],
    ),
    row(
        "phd.record.width-codes",
        (V5, &["04 80 00000002 00001000 00000000", "32 00000002 00000000"]),
        &[(32, 1, Some(8)), (45, 1, Some(0x10))],
        // Without references their code means nothing.
        &[(V5, &["04 40 0002 00001000 00000000"]), (V5, &["04 20 02 00001000 00000000"])],
    ),
    row(
        "phd.record.flags-byte",
        (V5, &["04 40 0002 00001000 00000000"]),
        &[(32, 1, Some(8))],
        &[(V5, &["04 00 02 00001000 00000000"])],
    ),
    row(
        "phd.record.any-count",
        (V5, &[OBJECT, "04 00 02 00001000 00000000"]),
        &[(31, 1, Some(8)), (44, 4, Some(0x10))],
        &[(V5, &["60 02 00001000 01 01 01 01"]), (V5, &["04 02 02 00001000 00000001 00000000"])],
    ),
];

const OF_OBJECTS: &[Row] = &[
    row("phd.words.word", (V5, &["40 02 f0000000"]), &[(33, 4, Some(8))], &[(V5, &["40 02 70000000"])]),
    row("phd.words.word", (V5_64, &["40 02 0000000000001000"]), &[(24, 4, None), (33, 8, Some(8))], &[(V5, &[OBJECT])]),
    row("phd.short-object.cache-slot", (V5, &["80 02"]), &[(31, 1, Some(8))], &[(V5, &[OBJECT, "80 02"])]),
    row("phd.class-cache.round-robin", (V5, &[OBJECT, "80 02"]), &[(37, 1, Some(0x10))], &[(V5, &["80 02"])]),
    // An object array of class 5000 in front of the object.
    row(
        "phd.class-cache.untouched",
        (V5, &["05 00 02 00005000 00000000", OBJECT, "80 02"]),
        &[(48, 1, Some(0x18))],
        &[(V5, &[OBJECT, "05 00 02 00005000 00000000", "80 02"])],
    ),
    row("phd.hash.every-record", (V5_HASHED, &["30 02 00 0001"]), &[(34, 2, Some(8))], &[(V5, &[ARRAY])]),
    row(
        "phd.hash.16-bit-value",
        (V5_HASHED, &["30 02 00 8000"]),
        &[(34, 2, Some(8))],
        &[(V5_HASHED, &["30 02 00 7fff"])],
    ),
    // The flag 01 without effect; a class's hash.
    row(
        "phd.hash.where-used",
        (V5, &["04 01 02 00001000 00000000", "06 08 02 00000008 00001234 00000000 0000 00000000"]),
        &[(32, 1, Some(8)), (49, 4, Some(0x10))],
        &[(V5, &["04 00 02 00001000 00000000", CLASS])],
    ),
    row("phd.hash.computed", (V4, &["30 01 00"]), &[(31, 1, Some(8))], &[(V5, &[ARRAY])]),
];

const OF_ARRAYS: &[Row] = &[
    // An array of byte in both forms, and of boolean.
    row(
        "phd.primitive-array.type-codes",
        (V5, &[ARRAY, "07 80 02 00"]),
        &[(31, 1, Some(8)), (35, 1, Some(0x10))],
        &[(V5, &["20 02 00", "07 00 02 00"])],
    ),
    row("phd.array.length-unsigned", (V5, &["30 02 ff"]), &[(33, 1, Some(8))], &[(V5, &["30 02 7f"])]),
    row("phd.array.instance-size", (V6, &["30 02 00 00000004"]), &[(34, 4, Some(8))], &[(V6, &[OBJECT])]),
    // The record ends with its length.
    row("phd.array.instance-size", (V5, &[ARRAY]), &[(33, 1, Some(8))], &[(V5, &[OBJECT])]),
    row(
        "phd.object-array.true-length",
        (V5, &["08 00 02 00001000 00000000 00000003"]),
        &[(42, 4, Some(8))],
        &[(V5, &["08 00 02 00001000 00000000 00000000"])],
    ),
    row(
        "phd.object-array.length",
        (V5, &["08 00 02 00001000 00000001 01 00000001"]),
        &[(43, 4, Some(8))],
        &[(V5, &["08 00 02 00001000 00000001 01 00000002"])],
    ),
    row(
        "phd.object-array.field-order",
        (V6, &["08 00 02 00001000 00000000 00000003 00000006"]),
        &[(42, 8, Some(8))],
        &[(V6, &["08 00 02 00001000 00000000 00000004 00000004"])],
    ),
    row(
        "phd.object-array.reference-order",
        (V5, &["05 00 02 00001000 00000002 01 02"]),
        &[(42, 2, Some(8))],
        &[(V5, &["05 00 02 00001000 00000002 01 01"]), (V5, &["50 02 00001000 01 02"])],
    ),
    row("phd.object-array.class-word", (V5, &["05 00 02 00001000 00000000"]), &[(34, 4, Some(8))], &[(V5, &[OBJECT])]),
];

const OF_CLASSES: &[Row] = &[
    row(
        "phd.class.instance-size",
        (V5, &[CLASS]),
        &[(34, 4, Some(8))],
        &[(V5, &["06 00 02 00000000 00000000 0000 00000000"])],
    ),
    row(
        "phd.graph.superclass",
        (V5, &[CLASS]),
        &[(38, 4, Some(8))],
        &[(V5, &["06 00 02 00000008 00001000 0000 00000000"])],
    ),
    // "/", "A" and "[I".
    row(
        "phd.class.name",
        (V5, &["06 00 02 00000008 00000000 0001 2f 00000000"]),
        &[(44, 1, Some(8))],
        &[(V5, &["06 00 02 00000008 00000000 0001 41 00000000"])],
    ),
    row(
        "phd.class.name",
        (V5, &["06 00 02 00000008 00000000 0002 5b49 00000000"]),
        &[(44, 2, Some(8))],
        &[(V5, &[CLASS])],
    ),
    // U+0000.
    row(
        "phd.class.name-encoding",
        (V5, &["06 00 02 00000008 00000000 0002 c080 00000000"]),
        &[(44, 2, Some(8))],
        &[(V5, &["06 00 02 00000008 00000000 0002 7f2f 00000000"])],
    ),
    row(
        "phd.class.references",
        (V5, &["06 00 02 00000008 00000000 0000 00000001 01"]),
        &[(48, 1, Some(8))],
        &[(V5, &[CLASS]), (V5, &["48 02 00001000 01"])],
    ),
    row("phd.class.position", (V5, &[ARRAY, CLASS]), &[(34, 1, Some(0x10))], &[(V5, &[CLASS, CLASS, ARRAY])]),
];

fn dump(header: &str, body: &[&str]) -> Vec<u8> {
    let digits: String = [MAGIC, header, &body.concat(), "03"].concat().split_whitespace().collect();
    let pairs = (0..digits.len() / 2).map(|index| &digits[2 * index..2 * index + 2]);
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("digits")).collect()
}

fn relies(bytes: &[u8]) -> Vec<Reliance> {
    let input = Input::from_memory("a dump", bytes.to_vec());
    DumpFile::new(input, Default::default()).and_then(|file| file.reliances()).expect("no error of the machine")
}

fn places(bytes: &[u8], rule: &str) -> Vec<Place> {
    let of = |reliance: &Reliance| (reliance.offset, reliance.length, reliance.of.map(|Address(of)| of));
    relies(bytes).iter().filter(|reliance| reliance.rule.0 == rule).map(of).collect()
}

#[test]
fn lists_reliances_on_each_rule_or_none() {
    for row in [OF_HEADERS, OF_DISTANCES, OF_FORMS, OF_OBJECTS, OF_ARRAYS, OF_CLASSES].concat() {
        let Row { rule, header, body, .. } = row;
        assert_eq!(places(&dump(header, body), rule), row.places, "{rule} in {header} {body:?}");
        for (header, body) in row.without {
            assert_eq!(places(&dump(header, body), rule), [], "{rule} in {header} {body:?}");
        }
    }
}

#[test]
fn lists_every_reliance_of_small_dump() {
    let name = |reliance: &Reliance| reliance.rule.0.trim_start_matches("phd.");
    let told = |r: &Reliance| (name(r), r.offset, r.length, r.of.map(|Address(of)| of), r.record);
    let told = relies(&dump(V5, &[OBJECT, ARRAY])).iter().map(told).collect::<Vec<_>>();
    let expected = [
        ("header.magic", 0, 20, None, None),
        ("words.byte-order", 20, 4, None, None),
        ("header.start-tag", 28, 1, None, None),
        ("header.optional-records", 29, 1, None, None),
        ("header.body-tag", 30, 1, None, None),
        ("record.any-count", 31, 1, Some(8), Some(0)),
        ("medium-object.layout", 31, 6, Some(8), Some(0)),
        ("primitive-array.type-codes", 37, 1, Some(0x10), Some(1)),
        ("primitive-array.layout", 37, 3, Some(0x10), Some(1)),
        ("array.instance-size", 39, 1, Some(0x10), Some(1)),
        ("body.end-tag", 40, 1, None, None),
    ];
    assert_eq!(told, expected);
}

#[test]
fn compressed_dump_relies_on_compression_rule() {
    let compressed = cases().expect("recipes").into_iter().find(|case| case.id == "phd6-compressed").expect("a case");
    assert_eq!(places(&compressed.bytes, "phd.file.compressed"), [(0, 2, None)]);
    assert_eq!(places(&dump(V6, &[]), "phd.file.compressed"), []);
}

#[test]
fn lists_reliances_before_truncation() {
    let whole = dump(V5, &[OBJECT, CLASS, "60 02 00001000 01 01 01 01", "30 02 ff"]);
    let all: BTreeSet<Reliance> = relies(&whole).into_iter().collect();
    // The records begin at 31, 37, 54 and 64; the end tag stands at 67.
    for cut in 0..whole.len() as u64 {
        let (prefix, kept): (Vec<Reliance>, Vec<Reliance>) =
            relies(&whole[..cut as usize]).into_iter().partition(|r| r.rule.0 != "phd.file.kept-prefix");
        let sound =
            if cut < 31 { 0 } else { [31, 37, 54, 64, 67].into_iter().filter(|at| *at <= cut).max().unwrap_or(0) };
        let expected: Vec<Reliance> = all.iter().filter(|r| r.offset < sound).copied().collect();
        assert_eq!(prefix, expected, "cut at {cut}");
        let last = kept.iter().map(|r| r.offset + r.length).collect::<Vec<_>>();
        assert_eq!(last, if sound > 31 { vec![sound] } else { vec![] }, "cut at {cut}");
    }
    // Of a record of which only a part of the size is there, the hash.
    let cut = |bytes: &'static str| dump("00000006 00000006 01 02 02", &[bytes]);
    let without_end = |bytes| cut(bytes).split_last().map(|(_, rest)| rest.to_vec()).expect("the end tag");
    assert_eq!(places(&without_end("30 02 00 abcd 0000"), "phd.hash.every-record"), [(34, 2, Some(8))]);
    assert_eq!(places(&without_end("30 02 00 ab"), "phd.hash.every-record"), []);
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0xff;
        let length = flipped.len() as u64;
        assert!(relies(&flipped).iter().all(|r| r.offset + r.length <= length), "flipped at {at}");
    }
}

#[test]
fn corpus_relies_on_every_rule_with_facets() {
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases().expect("recipes").into_iter().filter(|case| case.format.family() == Family::PHD) {
        let mut length = 0;
        let input = Input::from_memory(&case.id, case.bytes.clone());
        if let Ok(mut stream) = input.stream() {
            length = stream.read_to_end(&mut Vec::new()).unwrap_or_default() as u64;
        }
        for Reliance { offset, length: of, rule, .. } in relies(&case.bytes) {
            assert!(of > 0 && offset + of <= length, "{}: {rule} at {offset}", case.id);
            *used.entry(rule.0).or_default() += 1;
        }
    }
    let with_facets: BTreeSet<&str> =
        rulebook(Family::PHD).rule.iter().filter(|rule| !rule.facets.is_empty()).map(|rule| rule.id).collect();
    assert_eq!(used.into_keys().collect::<BTreeSet<_>>(), with_facets);
    for name in with_facets.iter().filter_map(|id| rule(id)).flat_map(|rule| rule.facets) {
        assert!(*name == "all" || name.parse::<Facet>().is_ok(), "there is no facet {name}");
    }
}
