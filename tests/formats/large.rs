//! Cases whose dumps are too large to be stored: lengths and first bytes as spelled by hand, and small dumps of the same
//! make, which the reference decoder reads.

use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};

use heapsmith::check::serve;
use heapsmith::corpus::{CaseVerdict, LargeCase, large_cases};
use heapsmith::format::Family;
use heapsmith::input::Input;
use heapsmith::validate::{Severity, ValidateOptions, validate};
use hex_literal::hex;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn all() -> Vec<LargeCase> {
    large_cases().expect("the files can be read")
}

/// The first bytes of an output, which takes no more than these.
struct Head {
    bytes: Vec<u8>,
    at: u64,
    most: usize,
}

impl Write for Head {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.at >= self.most as u64 {
            return Err(io::Error::other("that is enough"));
        }
        let at = self.at as usize;
        let taken = bytes.len().min(self.most - at);
        self.bytes.resize(at.max(self.bytes.len()), 0);
        self.bytes.extend_from_slice(&bytes[..taken]);
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Head {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Current(by) => self.at.checked_add_signed(by).expect("it goes forward"),
            other => panic!("{other:?}"),
        };
        Ok(self.at)
    }
}

fn start(case: &LargeCase, most: usize) -> Vec<u8> {
    let mut head = Head { bytes: Vec::new(), at: 0, most };
    // It ends with the error that this is enough, or where the rest is a hole.
    let _ = case.make(&mut head);
    head.bytes
}

/// The length of each dump, record by record.
#[rustfmt::skip]
fn lengths() -> BTreeMap<&'static str, u64> {
    BTreeMap::from([
        ("classic-recipe-4-gib", 17 + 140_000_000 * 32 + 32 + 83 + 53),
        // The last line begins 15 bytes in front of the last multiple of 1 MiB.
        ("classic-recipe-across-1-mib", 8 * (1 << 20) - 15 + 49),
        ("classic-recipe-deep-chain", 17 + 999_999 * 35 + 24 + 24 + 81 + 56),
        ("classic-recipe-long-line", 17 + 23 + 110_000_000 + 1 + 24 + 75 + 52),
        ("classic-recipe-long-name", 17 + 24 + 20 + 2_097_152 + 3),
        ("classic-recipe-many-classes", 17 + 70_000 * (30 + 2 + 12) + 79 + 49),
        // As `wc -c` counts what `heapsmith generate` writes.
        ("classic-recipe-many-objects", 1_005_520_643),
        ("hprof-recipe-2-gib", 70 + 9 + 43 + 14 + (1 << 31)),
        ("hprof-recipe-4-gib", 70 + 9 + 43 + 14 + (1 << 32) - 1),
        ("hprof-recipe-across-1-mib", 31 * (1 << 20) - 7 + 9),
        ("hprof-recipe-after-4-gib", 70 + 9 + 43 + 14 + (1 << 31) + 16 + 9 + 14 + (1 << 31) + 16 + 9 + 17 + 5 + 9),
        ("hprof-recipe-deep-chain", 70 + 9 + 48 + 21 * 1_000_000),
        ("hprof-recipe-long-array", 70 + 9 + 43 + 14 + (1 << 31) + 8),
        ("hprof-recipe-long-lists", 70 + 17 + 25 + 9 + 34 + 9 + 8 + 9 + 43 + 43 + 17 + 9 + 65_536 * (25 + 8 + 4) + 65_535 * (7 + 9 + 5)),
        ("hprof-recipe-long-string", 70 + 9 + 4 + (1 << 31) + 16 + 9 + 43 + 17),
        ("hprof-recipe-longest-record", 70 + 9 + (1 << 32) - 1),
        ("hprof-recipe-longest-segment", 70 + 9 + (1 << 32) - 1 + 9 + 17 + 9),
        ("hprof-recipe-many-classes", 45 + 25 * 250_000 + 9 + 43 * 250_000),
        ("hprof-recipe-many-empty-heaps", 70 + 9 * 70_000 + 9 + 43),
        ("hprof-recipe-many-ends", 70 + 9 + 43 + 17 + 9 * 70_000),
        ("hprof-recipe-many-heaps", 70 + 4_000 * (9 + 43 + 17)),
        ("hprof-recipe-many-objects", 791_614_417),
        ("hprof-recipe-many-of-each-kind", 70 + 70_000 * (14 + 33 + 21 + 33 + 13 + 13 + 43 + 33 + 17 + 15 + 12) + 9 + 43 + 70_000 * 138 + 9),
        ("hprof-recipe-many-regions", 70 + 9 + 43 + 26 * 1_000_000 + 9),
        ("hprof-recipe-many-segments", 70 + 9 + 43 + 26 * 1_000_000 + 9),
        ("hprof-recipe-many-threads", 70 + 9 + 43 + 13 * 400_000),
        ("hprof-recipe-many-values", 70 + 14 + 25 + 9 + 2 * (43 + 5 * 32_768) + 17 + 65_536 + 9),
        ("hprof-recipe-object-array", 70 + 17 + 25 + 9 + 86 + 17 + (1 << 31) + 4),
        ("hprof-recipe-retained-sums", 31 + 33 + 36 + 19 + 3 * 33 + 3 * (9 + 18 + 1_610_612_736) + 3 * 71 + 9 + 126 + 9),
        ("hprof-recipe-unpatched", 70 + 9 + 43 + 14 + (1 << 32) - 1),
        ("hprof-recipe-wrapped-objects", 70 + 9 + (1 << 32) + 17),
        ("phd-recipe-2-gib", 31 + 38 + 15 + (1 << 31) + 8 + 8 + 10 + 1),
        ("phd-recipe-4-gib", 31 + 38 + 15 + (1 << 32) + 8 + 3),
        ("phd-recipe-across-1-mib", 8 * (1 << 20) - 14 + 22 + 1),
        ("phd-recipe-deep-chain", 31 + 34 + 7 + 999_998 * 3 + 3),
        ("phd-recipe-long-name", 31 + 34 + 14 + 65_535 + 5),
        ("phd-recipe-many-classes", 31 + 34 + 250_000 * 18 + 1),
        ("phd-recipe-many-objects", 31 + 34 + 6 + 19_999_999 * 2 + 1),
        ("phd-recipe-many-of-each-kind", 31 + 34 + 70_000 * (11 + 6 + 15 + 19 + 8 + 7) + 1),
    ])
}

#[test]
fn lengths_are_those_of_the_records_by_hand() {
    let found: BTreeMap<String, Option<u64>> = all().into_iter().map(|case| (case.id.clone(), case.size())).collect();
    let due = lengths().into_iter().map(|(id, length)| (id.to_owned(), Some(length))).collect();
    assert_eq!(found, due);
}

/// A dump of HPROF from its 70th byte on, with identifiers of 4 bytes, the string 1 "A" and the class 1000.
#[track_caller]
fn goes_on(case: &LargeCase, version: u8, due: &[u8]) {
    let mut whole = b"JAVA PROFILE 1.0.".to_vec();
    whole.push(version);
    whole.extend(hex!("00 00000004 0000000000000000  01 00000000 00000005 00000001 41"));
    whole.extend(hex!("02 00000000 00000010 00000001 00001000 00000000 00000001"));
    whole.extend(due);
    assert_eq!(start(case, whole.len()), whole, "{}", case.id);
}

const CLASS: [u8; 43] =
    hex!("20 00001000 00000000" "0000000000000000000000000000000000000000000000000000000000000000" "0000");

#[test]
fn hprof_begins_with_these_bytes() {
    let all = all();
    let of = |id: &str| all.iter().find(|case| case.id == format!("hprof-recipe-{id}")).expect("there is such a case");
    let with_class = |record: &[u8], sub_record: &[u8]| [record, &CLASS, sub_record].concat();
    let rows: [(&str, u8, Vec<u8>); 12] = [
        ("2-gib", b'1', with_class(&hex!("0c 00000000 80000039"), &hex!("23 00002000 00000000 80000000 08"))),
        ("long-array", b'1', with_class(&hex!("0c 00000000 80000041"), &hex!("23 00002000 00000000 10000001 0b"))),
        ("longest-record", b'1', with_class(&hex!("0c 00000000 ffffffff"), &hex!("23 00002000 00000000 ffffffc6 08"))),
        ("longest-segment", b'2', with_class(&hex!("1c 00000000 ffffffff"), &hex!("23 00002000 00000000 ffffffc6 08"))),
        ("after-4-gib", b'2', with_class(&hex!("1c 00000000 80000049"), &hex!("23 00002000 00000000 80000010 08"))),
        (
            "4-gib",
            b'1',
            with_class(&hex!("0c 00000000 00000038"), &hex!("23 00002000 00000000 ffffffff 08 ffffffffffffffff")),
        ),
        (
            "wrapped-objects",
            b'1',
            with_class(&hex!("0c 00000000 00000011"), &hex!("23 00002000 00000000 ffffffc7 08 ffffffffffffffff")),
        ),
        ("unpatched", b'1', with_class(&hex!("0c 00000000 00000000"), &hex!("23 00002000 00000000 ffffffff 08"))),
        // 43 + 13 * 400000 is 4f58ab.
        (
            "many-threads",
            b'1',
            with_class(
                &hex!("0c 00000000 004f58ab"),
                &hex!("08 00001000 00000001 00000000  08 00001000 00000002 00000000"),
            ),
        ),
        (
            "many-segments",
            b'2',
            with_class(
                &hex!("1c 00000000 0000002b"),
                &hex!("1c 00000000 00000011 21 00010000 00000000 00001000 00000000"
                      "1c 00000000 00000011 21 00010008 00000000 00001000 00000000"),
            ),
        ),
        (
            "many-heaps",
            b'1',
            with_class(
                &hex!("0c 00000000 0000003c"),
                &hex!("21 00010000 00000000 00001000 00000000  0c 00000000 0000003c 20 00001000"),
            ),
        ),
        // 43 + 26 * 1000000 is 18cbaab.
        (
            "many-regions",
            b'3',
            with_class(
                &hex!("1c 00000000 018cbaab"),
                &hex!("fe 00000001 00000001 21 00010000 00000000 00001000 00000000  fe 00000002"),
            ),
        ),
    ];
    for (id, version, due) in rows {
        goes_on(of(id), version, &due);
    }
    let chain = hex!("0c 00000000 01406f70 20 00001000"
        "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000004 0000 0000 0001 00000001 02"
        "21 00010000 00000000 00001000 00000004 00010008 21 00010008 00000000 00001000 00000004 00010010");
    goes_on(of("deep-chain"), b'1', &chain);
    assert!(start(of("many-classes"), 200)[45..].starts_with(&hex!(
        "02 00000000 00000010 00000001 00001000 00000000 00000001  02 00000000 00000010 00000002 00001008"
    )));
    assert!(start(of("object-array"), 400)[112..].starts_with(&hex!("0c 00000000 8000006b 20 00001000")));
    assert!(start(of("object-array"), 400)[207..].ends_with(&hex!("22 00002000 00000000 20000001 00001100")));
}

#[test]
fn phd_begins_with_these_bytes() {
    let all = all();
    let narrow = hex!("00000006 00000004 01 02 02  06 40 0400 00000008 00000000 0010");
    let wide = hex!("00000006 00000005 01 02 02  06 40 0400 00000008 0000000000000000 0010");
    let rows: [(&str, &[u8], &[u8]); 6] = [
        ("many-objects", &narrow, &hex!("40 02 00001000 8002 8002 8002")),
        ("4-gib", &wide, &hex!("04 30 02 0000000000001000 20000001")),
        ("2-gib", &wide, &hex!("08 30 02 0000000000001000 10000001")),
        ("long-name", &narrow, &hex!("06 40 0004 00000008 00001000 ffff 41414141")),
        ("many-classes", &narrow, &hex!("06 00 02 00000008 00001000 0001 41 00000000 06 00 02")),
        ("deep-chain", &narrow, &hex!("48 02 00001000 02 88 02 02 88 02 02")),
    ];
    for (id, header, rest) in rows {
        let case = all.iter().find(|case| case.id == format!("phd-recipe-{id}")).expect("there is such a case");
        let due = [&hex!("0012"), &b"portable heap dump"[..], header, b"java/lang/Object", &[0; 4], rest].concat();
        assert_eq!(start(case, due.len()), due, "{id}");
    }
}

#[test]
fn classic_text_begins_with_these_lines() {
    let all = all();
    let rows = [
        ("long-name", "0x00002000 [64] CLS A\n\t\n0x00003000 [64] CLS AAAA"),
        ("long-line", "0x00001000 [16] OBJ A\n\t0x00001000 0x00001000 0x00001000 "),
        ("deep-chain", "0x10000000 [16] OBJ A\n\t0x10000010 \n0x10000010 [16] OBJ A\n\t0x10000020 \n"),
        ("4-gib", "0x0000000100000000 [16] OBJ A\n\t\n0x0000000100000010 [16] OBJ A\n\t\n"),
    ];
    for (id, lines) in rows {
        let case = all.iter().find(|case| case.id == format!("classic-recipe-{id}")).expect("there is such a case");
        let due = format!("// Version: test\n{lines}");
        assert_eq!(String::from_utf8_lossy(&start(case, due.len())), due, "{id}");
    }
}

/// What the reference decoder answers about a dump.
fn answer(case: &LargeCase, bytes: &[u8], level: &str) -> Value {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().join("dump");
    std::fs::write(&path, bytes).expect("there is room");
    let request = json!({
        "id": 1, "op": "parse", "path": path, "format": case.format.to_string(), "heap": case.heap(), "level": level,
    });
    let mut answers = Vec::new();
    serve(format!("{request}\n").as_bytes(), &mut answers).expect("it is in memory");
    serde_json::from_slice(&answers).expect("an answer")
}

#[test]
fn small_versions_match_their_counts() {
    for case in all() {
        // The numbers of the case itself are formulas of its size: other sizes have to do as well.
        for n in [case.small, case.small + 1, case.small * 3] {
            let small = case.with_size(n);
            let bytes = small.bytes().expect("it can be made");
            assert!(small.size().is_none_or(|size| size == bytes.len() as u64), "{}", case.id);
            let [counts, digest] = ["counts", "digest"].map(|level| answer(&small, &bytes, level));
            if counts["status"] == "reject" {
                assert_eq!(case.verdict, CaseVerdict::Ambiguous, "{} of {n}: {counts}", case.id);
                continue;
            }
            assert_eq!(counts["status"], "accept", "{} of {n}: {counts}", case.id);
            let told = &counts["counts"];
            let number = |name: &str| told[name].as_u64();
            for (name, due) in small.counts() {
                let found = match name {
                    "objects" => ["instances", "object-arrays", "primitive-arrays"].into_iter().map(number).sum(),
                    name => number(name),
                };
                assert_eq!(found, Some(due), "{name} of {} of {n}: {told}", case.id);
                if ["classes", "objects", "roots"].contains(&name) {
                    assert_eq!(digest["digest"][name].as_u64(), Some(due), "{name} of {} of {n}: {digest}", case.id);
                }
            }
        }
    }
}

#[test]
fn valid_large_cases_break_no_rule() {
    for case in all().into_iter().filter(|case| case.verdict == CaseVerdict::Valid) {
        let bytes = case.with_size(case.small).bytes().expect("it can be made");
        let report =
            validate(&Input::from_memory(&case.id, bytes), ValidateOptions::default()).expect("it is in memory");
        let errors: Vec<_> = report.findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", case.id);
    }
}

/// The manifest says for other programs what to make: here it is made of that alone.
#[test]
fn manifest_parts_reproduce_dump() {
    for case in all() {
        let small = case.with_size(case.small);
        let manifest = small.manifest();
        let made = manifest.parts.iter().map(|part| {
            let part = serde_json::to_value(part).expect("JSON");
            let times = part.get("times").map_or(1, |times| times.as_u64().expect("a number"));
            let spelled = |key: &str| part.get(key).map(|text| text.as_str().expect("a text").to_owned());
            match (spelled("bytes"), spelled("text"), part.get("zeros"), spelled("generate")) {
                (Some(bytes), ..) => (0..times).flat_map(|i| of_bytes(&with_numbers(&bytes, i, false))).collect(),
                (_, Some(text), ..) => (0..times).flat_map(|i| with_numbers(&text, i, true).into_bytes()).collect(),
                (_, _, Some(zeros), _) => vec![0; zeros.as_u64().expect("a number") as usize],
                (.., recipe) => {
                    let recipe = heapsmith::recipe::Recipe::read(&recipe.expect("one of four")).expect("a recipe");
                    let mut dump = Vec::new();
                    recipe.write(&mut dump).expect("it can be written");
                    dump
                }
            }
        });
        assert_eq!(made.collect::<Vec<Vec<u8>>>().concat(), small.bytes().expect("it can be made"), "{}", case.id);
    }
}

fn of_bytes(digits: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Replaces `{A+B*i:WIDTH}`, the only form that the manifest has so far.
fn with_numbers(spelled: &str, i: u64, is_text: bool) -> String {
    let mut parts = spelled.split('{');
    let mut text = parts.next().expect("at least one").to_owned();
    for part in parts {
        let (body, rest) = part.split_once('}').expect("an end");
        let (number, width) = body.split_once(':').expect("a width");
        let width: usize = width.parse().expect("a width");
        let value = number.split('+').map(|product| {
            product.split('*').fold(1, |value: u64, factor| {
                value
                    * match (factor, factor.strip_prefix("0x")) {
                        ("i", _) => i,
                        (_, Some(digits)) => u64::from_str_radix(digits, 16).expect("hexadecimal"),
                        (factor, _) => factor.parse().expect("a number"),
                    }
            })
        });
        let value: u64 = value.sum();
        text += &if is_text { format!("{value:0width$X}") } else { format!("{value:0w$x}", w = 2 * width) };
        text += rest;
    }
    text
}

#[test]
fn every_format_has_large_cases_with_unique_ids() {
    let all = all();
    for family in Family::ALL {
        assert!(all.iter().filter(|case| case.format.family() == family).count() >= 4, "{family}");
    }
    let ids: Vec<String> = heapsmith::corpus::cases().expect("the cases").into_iter().map(|case| case.id).collect();
    assert!(all.iter().all(|case| !ids.contains(&case.id)));
    assert!(all.windows(2).all(|two| two[0].id < two[1].id), "they are sorted, and each id is there once");
}
