//! A sound dump, spelled by hand, and for each rule what breaks it.

use std::collections::BTreeSet;

use hex_literal::hex;
use pretty_assertions::assert_eq;

use heapsmith::error::RuleId;
use heapsmith::generate::{GenerateOptions, Placement, from_seed};
use heapsmith::hprof::lower::{self, LowerOptions, PROFILES};
use heapsmith::hprof::rules::{self, PassRules};
use heapsmith::hprof::wire::{Header, IdSize, RecordTag, Version};
use heapsmith::hprof::{DecodeStep, RecordSlice, Segment, decode, record};
use heapsmith::input::Input;
use heapsmith::model::WordSize;
use heapsmith::validate::{Findings, Severity, SoundCounts, ValidateOptions, ValidationReport, validate};

/// JAVA PROFILE 1.0.2, identifiers of 4 bytes, time stamp 0.
pub(super) const HEADER: [u8; 31] = hex!("4a4156412050524f46494c4520312e302e3200 00000004 0000000000000000");

/// Strings 1 "A", 2 "[LA;" and 3 "x"; the classes 0x100 "A" and 0x200 "[LA;", loaded; trace 1.
pub(super) const TABLES: [u8; 116] = hex!(
    "01 00000000 00000005 00000001 41"
    "01 00000000 00000008 00000002 5b4c413b"
    "01 00000000 00000005 00000003 78"
    "02 00000000 00000010 00000001 00000100 00000001 00000001"
    "02 00000000 00000010 00000002 00000200 00000001 00000002"
    "05 00000000 0000000c 00000001 00000000 00000000"
);

/// The class 0x100 with a reference "x", the class 0x200, the instance 0x110 that refers to the array 0x120, which
/// holds the instance and null, and a root.
pub(super) const SUBS: [u8; 142] = hex!(
    "20 00000100 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000004 0000 0000 0001 00000003 02"
    "20 00000200 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"
    "21 00000110 00000001 00000100 00000004 00000120"
    "22 00000120 00000001 00000002 00000200 00000110 00000000"
    "05 00000100"
);

const END: [u8; 9] = hex!("2c 00000000 00000000");

/// Where a record after [`TABLES`] stands, and how many are before it.
const RECORD: (u64, Option<u64>) = (31 + 116, Some(6));
/// Where a sub-record after [`SUBS`] stands.
const SUB: (u64, Option<u64>) = (RECORD.0 + 9 + 142, Some(6 + 1 + 5));
/// The same after [`LOAD_300`].
const SUB_300: (u64, Option<u64>) = (SUB.0 + 25, Some(13));

/// The class 0x300 is loaded.
const LOAD_300: [u8; 25] = hex!("02 00000000 00000010 00000003 00000300 00000001 00000001");

fn dump_record(tag: u8, subs: &[&[u8]]) -> Vec<u8> {
    let body = subs.concat();
    [&[tag, 0, 0, 0, 0], &(body.len() as u32).to_be_bytes()[..], &body].concat()
}

fn file(parts: &[&[u8]]) -> Vec<u8> {
    [&[&HEADER[..]], parts].concat().concat()
}

/// The sound dump with a record more.
fn with_record(record: &[u8]) -> Vec<u8> {
    file(&[&TABLES, record, &dump_record(0x1c, &[&SUBS]), &END])
}

/// The sound dump with a sub-record more.
fn with_sub(sub: &[u8]) -> Vec<u8> {
    file(&[&TABLES, &dump_record(0x1c, &[&SUBS, sub]), &END])
}

/// The sound dump with a class 0x300 more.
fn with_class(sub: &[u8]) -> Vec<u8> {
    file(&[&TABLES, &LOAD_300, &dump_record(0x1c, &[&SUBS, sub]), &END])
}

fn report(bytes: &[u8], graph: bool) -> ValidationReport {
    let options = ValidateOptions::default().graph(graph);
    validate(&Input::from_memory("dump", bytes.to_vec()), options).expect("readable")
}

type Found = (&'static str, u64, Option<u64>);

/// A rule, a dump that breaks it, and the offset and record of the finding.
type Broken = (RuleId, Vec<u8>, (u64, Option<u64>));

fn findings(bytes: &[u8]) -> Vec<Found> {
    report(bytes, true).findings.iter().map(|f| (f.rule.0, f.offset, f.record)).collect()
}

/// Dumps that break one rule each, and the place of the finding.
fn broken() -> Vec<Broken> {
    let mut cases = headers();
    cases.extend(records());
    cases.extend(segments());
    cases.extend(sub_records());
    cases
}

fn headers() -> Vec<Broken> {
    let sound = file(&[&TABLES, &dump_record(0x1c, &[&SUBS]), &END]);
    let after_version = &sound[18..];
    let text = |start: &[u8], rest: &[u8]| [start, rest].concat();
    let without_zeros: Vec<u8> = after_version.iter().copied().filter(|&b| b != 0).collect();
    let with_spaces: Vec<u8> = after_version.iter().map(|&b| if b == 0 { b' ' } else { b }).collect();
    vec![
        (rules::FILE_TRUNCATED, sound[..40].to_vec(), (40, Some(0))),
        (rules::FILE_TRUNCATED, sound[..13].to_vec(), (13, None)),
        (rules::FILE_TRUNCATED, sound[..30].to_vec(), (27, None)),
        (rules::FILE_TRUNCATED, sound[..sound.len() - 10].to_vec(), (SUB.0 - 5 + 1, Some(11))),
        (rules::HEADER_TEXT_MODE, text(b"\xef\xbb\xbf", &sound), (0, None)),
        (rules::HEADER_TEXT_MODE, text(&hex!("d1c1e5c140d7d9d6c6c9d3c540 f14bf04bf2 00"), &sound[19..]), (0, None)),
        (rules::HEADER_TEXT_MODE, text(&sound[..18], &without_zeros), (18, None)),
        (rules::HEADER_TEXT_MODE, text(&sound[..18], &with_spaces), (18, None)),
        (rules::HEADER_VERSION, text(b"JAVA PROFILE 1.0\0", &sound[19..]), (13, None)),
        (rules::HEADER_VERSION, text(b"JAVA PROFILE 1.0.2-of-another-one", &sound[19..]), (13, None)),
        (rules::HEADER_ID_SIZE, text(b"JAVA PROFILE 1.0.2\0\0\0\0\x03", &sound[23..]), (19, None)),
        (rules::SEGMENT_VERSION, text(b"JAVA PROFILE 1.0.1", after_version), RECORD),
    ]
}

fn records() -> Vec<Broken> {
    let cases: &[(RuleId, &[u8])] = &[
        (rules::ID_NULL, &hex!("01 00000000 00000005 00000000 41")),
        (rules::RECORD_UNKNOWN_TAG, &hex!("10 00000000 00000001 00")),
        (rules::RECORD_REST, &hex!("03 00000000 00000005 00000001 00")),
        (rules::TEXT_ENCODING, &hex!("01 00000000 00000005 00000009 80")),
        (rules::TEXT_UNKNOWN_ID, &hex!("02 00000000 00000010 00000003 00000100 00000001 00000077")),
        (rules::TEXT_UNKNOWN_ID, &hex!("04 00000000 00000018 00000005 00000077 00000001 00000077 00000001 00000001")),
        (rules::TEXT_UNKNOWN_ID, &hex!("0a 00000000 00000018 00000009 00000110 00000001 00000000 00000000 00000077")),
        (rules::TEXT_DUPLICATE_ID, &hex!("01 00000000 00000005 00000001 42")),
        (rules::CLASS_SERIAL_ZERO, &hex!("02 00000000 00000010 00000000 00000100 00000001 00000001")),
        (rules::LOAD_CLASS_NO_DUMP, &hex!("02 00000000 00000010 00000003 00000300 00000001 00000001")),
        (rules::CLASS_UNKNOWN_SERIAL, &hex!("03 00000000 00000004 00000099")),
        (
            rules::CLASS_UNKNOWN_SERIAL,
            &hex!("04 00000000 00000018 00000005 00000001 00000001 00000000 00000099 ffffffff"),
        ),
        (rules::FRAME_LINE, &hex!("04 00000000 00000018 00000005 00000001 00000001 00000000 00000001 00000000")),
        (rules::FRAME_LINE, &hex!("04 00000000 00000018 00000005 00000001 00000001 00000000 00000001 fffffffc")),
        (rules::FRAME_UNKNOWN_ID, &hex!("05 00000000 00000010 00000002 00000000 00000001 00000055")),
        (rules::TRACE_UNKNOWN_SERIAL, &hex!("0d 00000000 00000010 00000001 00000001 00000001 00000099")),
        (rules::TRACE_UNKNOWN_SERIAL, &hex!("02 00000000 00000010 00000003 00000100 00000099 00000001")),
        (
            rules::TRACE_UNKNOWN_SERIAL,
            &hex!("0a 00000000 00000018 00000009 00000110 00000099 00000001 00000001 00000000"),
        ),
        // Of the sites the first has no class yet, the second one that is known.
        (
            rules::TRACE_UNKNOWN_SERIAL,
            &hex!(
                "06 00000000 00000054 0007 00000000 00000000 00000000 0000000000000000 0000000000000000 00000002"
                "00 00000000 00000001 00000000 00000000 00000000 00000000"
                "0a 00000002 00000099 00000000 00000000 00000000 00000000"
            ),
        ),
        (
            rules::SITES_RESERVED_FLAGS,
            &hex!("06 00000000 00000022 0008 00000000 00000000 00000000 0000000000000000 0000000000000000 00000000"),
        ),
        (rules::CONTROL_RESERVED_FLAGS, &hex!("0e 00000000 00000006 00000007 0004")),
        (rules::SEGMENT_END_ALONE, &END),
        (rules::SEGMENT_EMPTY, &hex!("1c 00000000 00000000")),
    ];
    let mut cases: Vec<_> = cases.iter().map(|(rule, record)| (*rule, with_record(record), RECORD)).collect();
    let short = with_record(&hex!("03 00000000 00000002 0001"));
    cases.push((rules::RECORD_LENGTH, short, (RECORD.0 + 9, RECORD.1)));
    cases
}

fn segments() -> Vec<Broken> {
    let segment = dump_record(0x1c, &[&SUBS]);
    let unpatched = [&hex!("1c 00000000 00000000"), &SUBS[..]].concat();
    let missing = rules::SEGMENT_END_MISSING;
    vec![
        (rules::SEGMENT_UNPATCHED_LENGTH, file(&[&TABLES, &unpatched, &END]), RECORD),
        (rules::SEGMENT_END_BODY, file(&[&TABLES, &segment, &hex!("2c 00000000 00000001 00")]), SUB),
        (missing, file(&[&TABLES, &segment]), (SUB.0, None)),
        (missing, file(&[&TABLES, &segment, &dump_record(0x0c, &[&SUBS])]), SUB),
        (rules::SEGMENT_END_ALONE, file(&[&TABLES, &dump_record(0x0c, &[&SUBS]), &END]), SUB),
        (rules::SEGMENT_EMPTY, file(&[&TABLES, &segment, &END, &dump_record(0x0c, &[])]), (SUB.0 + 9, Some(13))),
    ]
}

fn sub_records() -> Vec<Broken> {
    let subs: &[(RuleId, &[u8])] = &[
        (rules::ID_NULL, &hex!("23 00000000 00000001 00000000 08")),
        (rules::SUB_RECORD_TAG, &hex!("09")),
        (rules::ROOT_DANGLING, &hex!("05 00000999")),
        (rules::ROOT_DANGLING, &hex!("08 00000000 00000001 00000001")),
        (rules::THREAD_UNKNOWN_SERIAL, &hex!("04 00000110 00000007")),
        (rules::THREAD_UNKNOWN_SERIAL, &hex!("03 00000110 00000007 ffffffff")),
        (rules::TRACE_UNKNOWN_SERIAL, &hex!("08 00000110 00000007 00000099")),
        (rules::TRACE_UNKNOWN_SERIAL, &hex!("23 00000130 00000099 00000000 08")),
        (rules::BOOLEAN_VALUE, &hex!("23 00000130 00000001 00000003 04 000102")),
        (rules::INSTANCE_LENGTH, &hex!("21 00000130 00000001 00000100 00000003 000001")),
        (rules::INSTANCE_LENGTH, &hex!("21 00000130 00000001 00000100 00000005 0000011000")),
        (rules::ARRAY_CLASS, &hex!("22 00000130 00000001 00000000 00000100")),
        (rules::OBJECT_DUPLICATE, &hex!("21 00000110 00000001 00000100 00000004 00000000")),
        (rules::OBJECT_DUPLICATE, &hex!("23 00000100 00000001 00000000 08")),
        (rules::OBJECT_CLASS, &hex!("21 00000130 00000001 00000999 00000000")),
        (rules::OBJECT_CLASS, &hex!("22 00000130 00000001 00000000 00000999")),
        (rules::OBJECT_DANGLING_REFERENCE, &hex!("21 00000130 00000001 00000100 00000004 00000999")),
        (rules::OBJECT_DANGLING_REFERENCE, &hex!("22 00000130 00000001 00000002 00000200 00000110 00000999")),
        (rules::EXTENSION_TAG, &hex!("89 00000110")),
        (rules::EXTENSION_TAG, &hex!("c3 00000130 00000001 00000009 08")),
        (rules::EXTENSION_TAG, &hex!("fe 00000041 00000001")),
        (
            rules::CLASS_DUPLICATE,
            &hex!("20 00000200 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"),
        ),
    ];
    // A class 0x300 each, with one thing wrong.
    let classes: &[(RuleId, &[u8])] = &[
        (
            rules::CLASS_SUPERCLASS,
            &hex!("20 00000300 00000001 00000999 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"),
        ),
        (
            rules::CLASS_SUPERCLASS_CYCLE,
            &hex!("20 00000300 00000001 00000300 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"),
        ),
        (
            rules::CLASS_INSTANCE_SIZE,
            &hex!("20 00000300 00000001 00000100 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"),
        ),
        (
            rules::CLASS_RESERVED,
            &hex!("20 00000300 00000001 00000000 00000000 00000000 00000000 00000000 00000001 00000000 0000 0000 0000"),
        ),
        (
            rules::TEXT_UNKNOWN_ID,
            &hex!(
                "20 00000300 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000"
                "0000 0001 00000077 08 00 0000"
            ),
        ),
        (
            rules::BOOLEAN_VALUE,
            &hex!(
                "20 00000300 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000"
                "0000 0001 00000001 04 02 0000"
            ),
        ),
        // A constant pool entry, and a loader, that dangle.
        (
            rules::OBJECT_DANGLING_REFERENCE,
            &hex!(
                "20 00000300 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000"
                "0001 0007 02 00000999 0000 0000"
            ),
        ),
        (
            rules::OBJECT_DANGLING_REFERENCE,
            &hex!("20 00000300 00000001 00000000 00000999 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"),
        ),
    ];
    let mut cases: Vec<_> = subs.iter().map(|(rule, sub)| (*rule, with_sub(sub), SUB)).collect();
    cases.extend(classes.iter().map(|(rule, class)| (*rule, with_class(class), SUB_300)));
    let class: [u8; 43] =
        hex!("20 00000300 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000");
    cases.push((rules::CLASS_NO_LOAD, with_sub(&class), SUB));
    let cut = with_sub(&hex!("21 00000130 00000001 00000100 00000004 0000"));
    cases.push((rules::SUB_RECORD_OVERRUN, cut, (SUB.0 + 17, SUB.1)));
    let array_of_references = with_sub(&hex!("23 00000130 00000001 00000000 02"));
    cases.push((rules::TYPE_CODE, array_of_references, (SUB.0 + 13, SUB.1)));
    // An instance with a class after it that takes its identifier.
    let class_110 = [&hex!("20 00000110"), &class[5..]].concat();
    let load_110 = hex!("02 00000000 00000010 00000003 00000110 00000001 00000001");
    let taken = file(&[&TABLES, &load_110, &dump_record(0x1c, &[&SUBS, &class_110]), &END]);
    cases.push((rules::OBJECT_DUPLICATE, taken, SUB_300));
    cases
}

#[test]
fn a_sound_dump_has_no_findings_and_everything_is_counted() {
    let sound = file(&[&TABLES, &dump_record(0x1c, &[&SUBS]), &END]);
    assert_eq!(findings(&sound), []);
    let told = report(&sound, true);
    assert_eq!(told.format.as_deref(), Some("hprof-1.0.2"));
    assert!(told.valid && told.graph_checked);
    assert_eq!(told.sound, SoundCounts { records: 13, objects: 2, classes: 2, references: 2 });
    // What the instance refers to takes its class.
    assert_eq!(report(&sound, false).sound.references, 1);
}

#[test]
fn finds_only_broken_rule_at_its_place() {
    for (rule, bytes, (offset, record)) in broken() {
        let expected = (rule.0, offset, record);
        let found = findings(&bytes);
        // What an error hides is missing from the tables too.
        let fatal = report(&bytes, true).findings.iter().any(|f| f.fatal);
        if fatal {
            assert!(found.contains(&expected), "{found:?} for {expected:?}");
            assert_eq!(report(&bytes, false).findings.len(), 1, "{expected:?}");
        } else {
            assert_eq!(found, [expected]);
        }
    }
}

#[test]
fn every_rule_has_a_dump_that_breaks_it() {
    let mut tried: BTreeSet<RuleId> = broken().iter().map(|(rule, ..)| *rule).collect();
    // A HEAP DUMP beyond 4 GiB, and inputs of other formats, are below.
    tried.extend([rules::SEGMENT_WRAPPED_LENGTH, rules::HEADER_MAGIC]);
    assert_eq!(tried, rules::ALL.iter().copied().collect());
}

#[test]
fn reports_unknown_input_or_broken_header_by_format() {
    for (start, rule, words) in [
        (&b"PK\x03\x04 and some more bytes of it"[..], "phd.header.magic", "an HPROF dump"),
        (b"J4VA", "phd.header.magic", "an HPROF dump"),
        (b"", "phd.file.truncated", ""),
        (b"JAVA", "hprof.file.truncated", ""),
        (b"\x00\x12port", "phd.file.truncated", ""),
        (b"\xef\xbb\xbfJAVA PROFILE 1.0.2\0", "hprof.header.text-mode", ""),
        (b"\xef\xbb\xbf\x00\x12portable heap dump", "phd.header.text-mode", ""),
    ] {
        let told = report(start, true);
        assert_eq!((told.format, told.valid, told.findings.len()), (None, false, 1), "{start:x?}");
        assert_eq!(told.findings[0].rule.0, rule, "{start:x?}");
        assert!(told.findings[0].expected.contains(words), "{}", told.findings[0].expected);
    }
    let Err(error) = decode::Decoder::new(&b"\x00\x12portable heap dump"[..]) else { panic!("no HPROF dump") };
    assert_eq!((error.rule(), error.found().as_str()), (rules::HEADER_MAGIC, "a PHD"));
}

#[test]
fn a_wrapped_length_is_a_warning() {
    let header = Header { version: Version::V1_0_1, id_size: IdSize::Four, timestamp: 0 };
    let (mut rules, mut findings) = (PassRules::new(&header), Findings::default());
    let length = record::SegmentLength::Wrapped((1 << 32) + 5);
    let segment = Segment { tag: RecordTag::HEAP_DUMP, time: 0, stated: 5, length };
    rules.step(DecodeStep::Segment(RecordSlice { index: 0, offset: 31, bytes: &[], rest: 0 }, segment), &mut findings);
    let (kept, _) = findings.finish();
    let told: Vec<_> = kept.iter().map(|f| (f.rule, f.severity, f.offset, f.record)).collect();
    assert_eq!(told, [(rules::SEGMENT_WRAPPED_LENGTH, Severity::Warning, 31, Some(0))]);
}

#[test]
fn an_unpatched_length_is_an_error_and_reading_goes_on() {
    let unpatched = [&hex!("1c 00000000 00000000"), &SUBS[..]].concat();
    let told = report(&file(&[&TABLES, &unpatched, &END]), true);
    assert!(!told.valid && !told.findings[0].fatal);
    assert_eq!(told.sound, SoundCounts { records: 13, objects: 2, classes: 2, references: 2 });
}

#[test]
fn heaps_of_one_file_share_tables_and_not_objects() {
    let heap = dump_record(0x0c, &[&SUBS]);
    assert_eq!(findings(&file(&[&TABLES, &heap, &heap])), []);
    // The second heap refers to an object of the first, and its instance's class is there too.
    let foreign: &[u8] = &hex!("21 00000130 00000001 00000100 00000004 00000110 05 00000130");
    assert_eq!(
        findings(&file(&[&TABLES, &heap, &dump_record(0x0c, &[foreign])])),
        [("hprof.object.class", SUB.0 + 9, Some(13))]
    );
    let dangling: &[u8] = &hex!("22 00000130 00000001 00000001 00000200 00000110");
    let classes: &[u8] = &SUBS[..91];
    assert_eq!(
        findings(&file(&[&TABLES, &heap, &dump_record(0x0c, &[classes, dangling])])),
        [("hprof.object.dangling-reference", SUB.0 + 9 + 91, Some(15))]
    );
}

/// Large heaps, of which not each reference is looked up: both have 200,000 arrays, but the second one not that to which both refer,
/// the first one at its end and the second one at its beginning.
#[test]
fn large_heaps_of_one_file_do_not_share_objects() {
    let empty = |id: u32| [&hex!("23")[..], &id.to_be_bytes(), &hex!("00000001 00000000 08")].concat();
    let all: Vec<u8> = (0..200_000).flat_map(|number| empty(0x1000 + 128 * number)).collect();
    let refers = [&hex!("22 00000130 00000001 000007d0 00000200")[..], &hex!("00001000").repeat(2000)].concat();
    let whole = dump_record(0x0c, &[&SUBS, &all, &refers]);
    let without = dump_record(0x0c, &[&SUBS, &refers, &all[empty(0).len()..]]);
    assert_eq!(findings(&file(&[&TABLES, &whole, &whole])), []);
    let at = RECORD.0 + whole.len() as u64 + 9 + SUBS.len() as u64;
    let record = 6 + (1 + 5 + 200_000 + 1) + 1 + 5;
    let found = report(&file(&[&TABLES, &whole, &without]), true).findings;
    let found: Vec<_> = found.iter().map(|one| (one.rule.0, one.offset, one.record, &*one.found)).collect();
    let dangling = "2000 of 2000 dangle; first dangling reference: 0x1000";
    assert_eq!(found, [("hprof.object.dangling-reference", at, Some(record), dangling)]);
}

#[test]
fn accepts_records_after_their_first_use() {
    let segment = dump_record(0x1c, &[&SUBS]);
    assert_eq!(findings(&file(&[&segment, &TABLES, &END])), []);
}

#[test]
fn contents_that_come_in_pieces_are_judged_as_a_whole() {
    let many = decode::WHOLE / 4 + 10_000;
    let count = (many as u32).to_be_bytes();
    let array = |last: [u8; 4]| {
        let head = [&hex!("22 00000130 00000001")[..], &count, &hex!("00000200")].concat();
        [head, hex!("00000110").repeat(many - 1), last.to_vec()].concat()
    };
    assert_eq!(findings(&with_sub(&array(hex!("00000120")))), []);
    assert_eq!(report(&with_sub(&array(hex!("00000000"))), false).sound.references, many as u64);
    let dangles = with_sub(&array(hex!("00000999")));
    assert_eq!(findings(&dangles), [("hprof.object.dangling-reference", SUB.0, SUB.1)]);
    // Cut in its last element, it is no sound object.
    let cut = report(&dangles[..dangles.len() - 10], false);
    assert_eq!(cut.sound, SoundCounts { records: 12, objects: 2, classes: 2, references: 1 });

    let booleans = |last: u8| {
        let length = (4 * many as u32).to_be_bytes();
        let head = [&hex!("23 00000130 00000001"), &length[..], &[4]].concat();
        with_sub(&[head, vec![1; 4 * many - 1], vec![last]].concat())
    };
    assert_eq!(findings(&booleans(0)), []);
    assert_eq!(findings(&booleans(9)), [("hprof.boolean.value", SUB.0, SUB.1)]);

    let text = |end: &[u8]| {
        let text = [&hex!("00000009"), &b"\xc3\xa4".repeat(2 * many)[..], end].concat();
        with_record(&[&hex!("01 00000000"), &(text.len() as u32).to_be_bytes()[..], &text].concat())
    };
    assert_eq!(findings(&text(b"")), []);
    assert_eq!(findings(&text(b"\xc3")), [("hprof.text.encoding", RECORD.0, RECORD.1)]);
}

#[test]
fn a_reference_after_many_values_of_an_instance_is_found() {
    const FIELDS: usize = 65_535;
    let fields = [hex!("00000003 0b").repeat(FIELDS - 1), hex!("00000003 02").to_vec()].concat();
    let size = (8 * (FIELDS as u32 - 1) + 4).to_be_bytes();
    let head = hex!("20 00000300 00000001 00000000 00000000 00000000 00000000 00000000 00000000");
    let class = [&head[..], &size, &hex!("0000 0000 ffff"), &fields].concat();
    let values = [vec![0; 8 * (FIELDS - 1)], hex!("00000999").to_vec()].concat();
    let instance = [&hex!("21 00000130 00000001 00000300"), &size[..], &values].concat();
    let bytes = with_class(&[&class[..], &instance].concat());
    let place = (SUB_300.0 + class.len() as u64, Some(14));
    assert_eq!(findings(&bytes), [("hprof.object.dangling-reference", place.0, place.1)]);
    assert_eq!(report(&bytes, true).sound.references, 3);
}

#[test]
fn writers_dumps_have_no_errors_or_warnings() {
    for profile in PROFILES {
        for framing in profile.framings {
            for placement in [Placement::Ordered, Placement::Mixed] {
                for seed in 0..if profile.is_seeded() { 20 } else { 2 } {
                    let word = if seed % 2 == 0 { WordSize::Bits32 } else { WordSize::Bits64 };
                    let id_size = (word == WordSize::Bits64).then_some(IdSize::Eight);
                    let wanted = GenerateOptions::default().placement(placement).word(word).objects(150);
                    let options = LowerOptions::default().profile(profile).framing(framing).seed(seed).id_size(id_size);
                    let bytes = lower::to_bytes(&from_seed(&wanted, seed), &options).expect("a heap for every profile");
                    let told = report(&bytes, true);
                    let bad: Vec<_> = told.findings.iter().filter(|f| f.severity > Severity::Note).collect();
                    assert!(bad.is_empty(), "{} {framing:?} {placement:?} {seed}: {bad:#?}", profile.name);
                }
            }
        }
    }
}
