//! Which bytes of an HPROF dump rely on which rule: dumps spelled by hand, and the whole corpus.

use std::collections::BTreeSet;
use std::io::Read;

use hex_literal::hex;
use pretty_assertions::assert_eq;

use heapsmith::compare::Facet;
use heapsmith::corpus::cases;
use heapsmith::format::{DumpFile, Family, rulebook};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;

/// JAVA PROFILE 1.0.2, identifiers of 4 bytes, time stamp 0: 31 bytes.
const HEADER: [u8; 31] = hex!("4a4156412050524f46494c4520312e302e3200 00000004 0000000000000000");
/// The string 1 "A": 14 bytes.
const TEXT: [u8; 14] = hex!("01 00000000 00000005 00000001 41");
/// The class 1000 is loaded as 1 "A", with the serial number 1: 25 bytes.
const LOAD: [u8; 25] = hex!("02 00000000 00000010 00000001 00001000 00000000 00000001");
/// The class 1000 without a superclass and without fields: 43 bytes.
const CLASS: [u8; 43] =
    hex!("20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000");
/// An instance of the class 1000 at 2000, without values: 17 bytes.
const OBJECT: [u8; 17] = hex!("21 00002000 00000000 00001000 00000000");
/// `byte[0]` at 3000: 14 bytes.
const ARRAY: [u8; 14] = hex!("23 00003000 00000000 00000000 08");
/// HEAP DUMP END.
const END: [u8; 9] = hex!("2c 00000000 00000000");

/// Where the first record stands.
const FIRST: u64 = 31;
/// Where the first sub-record of the first record does.
const SUB: u64 = FIRST + 9;

fn dump_record(tag: u8, subs: &[&[u8]]) -> Vec<u8> {
    let body = subs.concat();
    [&[tag, 0, 0, 0, 0], &(body.len() as u32).to_be_bytes()[..], &body].concat()
}

/// A file of records.
fn file(records: &[&[u8]]) -> Vec<u8> {
    [&HEADER[..], &records.concat()].concat()
}

/// A file of one segment, after other records.
fn heap(records: &[&[u8]], subs: &[&[u8]]) -> Vec<u8> {
    file(&[&records.concat(), &dump_record(0x1c, subs), &END])
}

/// The header with bytes in the place of others.
fn header(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut header = HEADER.to_vec();
    header[at..at + bytes.len()].copy_from_slice(bytes);
    header
}

/// Offset, length, and the class or object.
type Found = (u64, u64, Option<u64>);

fn dump(bytes: &[u8]) -> DumpFile {
    DumpFile::new(Input::from_memory("dump", bytes.to_vec()), ReadOptions::default()).expect("memory")
}

/// The places that rely on a rule.
fn relies(bytes: &[u8], rule: &str) -> Vec<Found> {
    let all = dump(bytes).reliances().expect("memory");
    let of_rule = all.into_iter().filter(|reliance| reliance.rule.0.strip_prefix("hprof.") == Some(rule));
    of_rule.map(|reliance| (reliance.offset, reliance.length, reliance.of.map(|of| of.0))).collect()
}

/// A rule, a dump, the places in it that rely on the rule, and a dump that does not rely on it.
type Row = (&'static str, Vec<u8>, Vec<Found>, Vec<u8>);

fn hold(rows: Vec<Row>) {
    for (rule, bytes, places, other) in rows {
        assert!(rulebook(Family::HPROF).rule(&format!("hprof.{rule}")).is_some(), "{rule}");
        assert_eq!(relies(&bytes, rule), places, "{rule}");
        assert_eq!(relies(&other, rule), [], "{rule}, of the other dump");
    }
}

#[test]
fn lists_reliances_of_headers_and_compressed_files() {
    // A gzip member with a stored block, the header of 1.0.1; and two, "JAVA" and the rest.
    let one = hex!(
        "1f8b 08 00 00000000 00 ff 01 1f00 e0ff"
        "4a4156412050524f46494c4520 312e302e31 00 00000004 0000000000000000 478df43a 1f000000"
    );
    let two = hex!(
        "1f8b 08 00 00000000 00 ff 01 0400 fbff 4a415641 660b8f49 04000000"
        "1f8b 08 00 00000000 00 ff 01 1b00 e4ff"
        "2050524f46494c4520 312e302e31 00 00000004 0000000000000000 fb101c05 1b000000"
    );
    hold(vec![
        ("header.version", header(13, b"1.0.1"), vec![(13, 6, None)], HEADER.to_vec()),
        ("android.version", header(13, b"1.0.3"), vec![(13, 6, None)], header(13, b"1.0.1")),
        ("header.id-size", header(22, &[2]), vec![(19, 4, None)], header(22, &[8])),
        ("id.size", header(22, &[8]), vec![(19, 4, None)], HEADER.to_vec()),
        // A size that is none is taken like any other by a reader that has a size of its own.
        ("id.size", header(22, &[3]), vec![(19, 4, None)], header(13, b"9.0.1")),
        ("header.layout", header(26, &[1]), vec![(23, 8, None)], HEADER.to_vec()),
        ("file.compressed", one.to_vec(), vec![(0, 31, None)], HEADER.to_vec()),
        ("file.gzip-members", two.to_vec(), vec![(4, 27, None)], one.to_vec()),
    ]);
}

#[test]
fn lists_reliances_of_record_headers() {
    let unknown = hex!("10 00000000 00000002 abcd");
    let heap_dump = dump_record(0x0c, &[&ARRAY]);
    let old = [&header(13, b"1.0.1")[..], &heap_dump].concat();
    let end_8 = hex!("2c 00000008 00000000");
    let at_3 = |end: &[u8]| file(&[&hex!("1c 00000003 0000000e"), &ARRAY, end]);
    hold(vec![
        ("record.layout", file(&[&TEXT, &END]), vec![(31, 9, None), (45, 9, None)], file(&[])),
        ("record.skip", file(&[&unknown]), vec![(31, 11, None)], file(&[&TEXT])),
        ("record.time", at_3(&end_8), vec![(32, 4, None), (55, 4, None)], heap(&[&TEXT], &[&ARRAY])),
        // The same time twice: what a reader does not read of the END it has already.
        ("record.time", at_3(&hex!("2c 00000003 00000000")), vec![(32, 4, None)], file(&[&TEXT])),
        ("segment.layout", file(&[&heap_dump]), vec![(31, 9, None)], heap(&[], &[&ARRAY])),
        ("header.segments-optional", file(&[&heap_dump]), vec![(31, 1, None)], old),
        // Both segments and the END; of what stands in the second segment its tag.
        (
            "segment.series",
            file(&[&dump_record(0x1c, &[&ARRAY]), &dump_record(0x1c, &[&OBJECT]), &END]),
            vec![(31, 9, None), (54, 9, None), (63, 1, Some(0x2000)), (80, 9, None)],
            file(&[&heap_dump]),
        ),
        ("segment.zero-length", file(&[&dump_record(0x1c, &[]), &END]), vec![(36, 4, None)], heap(&[], &[&ARRAY])),
        // Lengths that announce more than there is are read as far as the count: 2^30 elements of 4 bytes.
        (
            "record.length-unsigned",
            heap(&[], &[&hex!("22 00001000 00000000 40000000 00001100")]),
            vec![(SUB + 9, 4, None)],
            heap(&[], &[&hex!("22 00001000 00000000 3fffffff 00001100")]),
        ),
    ]);
}

#[test]
fn lists_reliances_of_strings_and_load_class_records() {
    let odd = hex!("01 00000000 00000008 00000001 41 c3a9 42");
    let path = hex!("01 00000000 00000007 00000001 412f42");
    let again = hex!("01 00000000 00000005 00000001 42");
    let serial_2 = hex!("02 00000000 00000010 00000002 00001000 00000000 00000001");
    let serial_high = hex!("02 00000000 00000010 80000001 00001000 00000000 00000001");
    let other_class = hex!("02 00000000 00000010 00000002 00001100 00000000 00000001");
    let class_1100 = [&hex!("20 00001100")[..], &CLASS[5..]].concat();
    let text_1000 = hex!("01 00000000 00000005 00001000 41");
    let a = Some(0x1000);
    hold(vec![
        ("text.layout", file(&[&TEXT]), vec![(31, 14, None)], file(&[&LOAD])),
        ("text.layout", file(&[&TEXT, &LOAD]), vec![(31, 14, a)], file(&[])),
        ("text.encoding", file(&[&odd, &LOAD]), vec![(45, 2, a)], file(&[&TEXT, &LOAD])),
        ("text.duplicate-id", file(&[&TEXT, &again, &LOAD]), vec![(54, 4, a)], file(&[&TEXT, &TEXT, &LOAD])),
        ("name.forms", file(&[&path, &LOAD]), vec![(44, 3, a)], file(&[&TEXT, &LOAD])),
        ("load-class.layout", file(&[&LOAD]), vec![(31, 25, a)], file(&[&TEXT])),
        ("load-class.last-wins", file(&[&LOAD, &serial_2]), vec![(56, 25, a)], file(&[&LOAD, &other_class])),
        ("class.serial-zero", file(&[&serial_high]), vec![(40, 4, a)], file(&[&LOAD])),
        ("record.order", file(&[&LOAD, &TEXT]), vec![(56, 14, a)], file(&[&TEXT, &LOAD])),
        (
            "record.order",
            file(&[&TEXT, &dump_record(0x1c, &[&CLASS]), &LOAD, &END]),
            vec![(97, 25, a)],
            heap(&[&TEXT, &LOAD], &[&CLASS]),
        ),
        (
            "tables.kept",
            file(&[&TEXT, &dump_record(0x1c, &[&CLASS]), &END, &LOAD]),
            // The LOAD CLASS for the class, and in it the name, whose string stands before the END.
            vec![(106, 25, a), (127, 4, a)],
            file(&[&TEXT, &dump_record(0x1c, &[&CLASS]), &LOAD, &END]),
        ),
        (
            "unload-class.layout",
            file(&[&LOAD, &hex!("03 00000000 00000004 00000001")]),
            vec![(56, 13, a)],
            file(&[&LOAD]),
        ),
        ("id.namespaces", heap(&[&text_1000], &[&CLASS]), vec![(40, 4, None)], heap(&[&TEXT], &[&CLASS])),
        (
            "name.repeated",
            heap(&[&TEXT, &LOAD, &other_class], &[&CLASS, &class_1100]),
            vec![(105, 4, a), (148, 4, Some(0x1100))],
            heap(&[&TEXT, &LOAD], &[&CLASS, &class_1100]),
        ),
    ]);
}

#[test]
fn lists_reliances_of_frames_traces_threads_and_statistics() {
    let frame = |id: u8, line: [u8; 4]| {
        let start = hex!("04 00000000 00000018 000000");
        [&start[..], &[id], &hex!("00000000 00000000 00000000 00000000"), &line].concat()
    };
    let (native, line_7) = (frame(1, [0xff, 0xff, 0xff, 0xfd]), frame(1, [0, 0, 0, 7]));
    let two = hex!("05 00000000 00000014 00000005 00000000 00000002 00000001 00000002");
    let one = hex!("05 00000000 00000010 00000005 00000000 00000001 00000001");
    let none = hex!("05 00000000 0000000c 00000005 00000000 00000000");
    let end_thread = hex!("0b 00000000 00000004 00000001");
    let samples = hex!("0d 00000000 00000008 00000002 00000000");
    let settings = hex!("0e 00000000 00000006 00000001 0002");
    hold(vec![
        ("frame.layout", file(&[&line_7]), vec![(31, 33, None)], file(&[&TEXT])),
        ("frame.line-signed", file(&[&native]), vec![(60, 4, None)], file(&[&line_7])),
        ("trace.layout", file(&[&one]), vec![(31, 25, None)], file(&[&TEXT])),
        ("trace.order", file(&[&two]), vec![(52, 8, None)], file(&[&one])),
        ("trace.order", file(&[&none]), vec![(48, 4, None)], file(&[&one])),
        ("record.order", file(&[&one, &line_7]), vec![(56, 33, None)], file(&[&line_7, &one])),
        ("end-thread.layout", file(&[&end_thread]), vec![(31, 13, None)], file(&[&TEXT])),
        ("samples.layout", file(&[&samples]), vec![(31, 17, None)], file(&[&TEXT])),
        ("control.layout", file(&[&settings]), vec![(31, 15, None)], file(&[&TEXT])),
    ]);
}

#[test]
fn lists_reliances_of_several_heaps() {
    let segment = dump_record(0x1c, &[&ARRAY]);
    let heap_dump = dump_record(0x0c, &[&ARRAY]);
    hold(vec![
        // The END lies between the two; a HEAP DUMP is itself the boundary.
        (
            "heap.extent",
            file(&[&segment, &END, &segment, &END]),
            vec![(54, 9, None)],
            file(&[&segment, &segment, &END]),
        ),
        ("heap.extent", file(&[&heap_dump, &heap_dump]), vec![(54, 9, None)], file(&[&heap_dump])),
        (
            "heap.several",
            file(&[&heap_dump, &heap_dump]),
            vec![(54, 9, None), (64, 4, Some(0x3000))],
            file(&[&heap_dump]),
        ),
    ]);
}

#[test]
fn lists_reliances_of_roots() {
    let local = |frame: [u8; 4]| [&hex!("02 00002000 00000001")[..], &frame].concat();
    let no_frame = local([0xff; 4]);
    let thread = hex!("08 00002000 00000001 00000000");
    let sticky = hex!("05 00001000");
    let global = hex!("01 00002000 00009000");
    let monitor = hex!("07 00002000");
    let after = |roots: &[&[u8]]| heap(&[], &[&[&CLASS[..], &OBJECT].concat(), &roots.concat()]);
    // After CLASS and OBJECT.
    let at = SUB + 43 + 17;
    hold(vec![
        ("root.layout", after(&[&monitor]), vec![(at, 5, None)], after(&[])),
        ("sub-record.namespace", after(&[&monitor]), vec![(at, 1, None)], after(&[&thread])),
        ("root.frame-number", after(&[&no_frame]), vec![(at + 9, 4, None)], after(&[&local([0, 0, 0, 3])])),
        ("root.jni-global", after(&[&global]), vec![(at + 5, 4, None)], after(&[&hex!("01 00002000 00002000")])),
        ("root.repeated", after(&[&monitor, &monitor]), vec![(at + 6, 4, None)], after(&[&monitor, &sticky])),
        ("class.object", after(&[&sticky]), vec![(at + 1, 4, None)], after(&[&monitor])),
        ("thread.serials", after(&[&thread]), vec![(at + 5, 4, None), (at + 9, 4, None)], after(&[&monitor])),
        // A local of a thread that a later root tells, and a root of an object that comes later.
        ("sub-record.order", after(&[&no_frame, &thread]), vec![(at + 5, 4, None)], after(&[&thread, &no_frame])),
        ("sub-record.order", heap(&[], &[&CLASS, &monitor, &OBJECT]), vec![(SUB + 44, 4, None)], after(&[&monitor])),
    ]);
}

#[test]
fn lists_reliances_of_classes_and_instances() {
    let class = |rest: &[u8]| {
        let start = hex!("20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000");
        [&start[..], rest].concat()
    };
    let one = |bytes: &[u8]| heap(&[], &[bytes]);
    let both = |first: &[u8], second: &[u8]| heap(&[], &[first, second]);
    // Static fields: the booleans 1 and 2, the shorts 0101 and 0102, null. Fields 5 and 5, 5 and 6, both bytes.
    let fields = |fields: &[u8]| class(&[&hex!("00000000 0000")[..], fields].concat());
    let boolean = |value: u8| fields(&[&hex!("0001 00000005 04")[..], &[value], &hex!("0000")].concat());
    let short = |value: u8| fields(&[&hex!("0001 00000005 09 01")[..], &[value], &hex!("0000")].concat());
    let null = fields(&hex!("0001 00000005 02 00000000 0000"));
    let twice = fields(&hex!("0000 0002 00000005 08 00000005 08"));
    let apart = fields(&hex!("0000 0002 00000005 08 00000006 08"));
    let child = [&hex!("20 00001000 00000000 00009000")[..], &CLASS[13..]].concat();
    let of_8 = class(&hex!("00000008 0000 0000 0000"));
    let loader = [&hex!("20 00001000 00000000 00000000 00009000 00009000 00009000")[..], &CLASS[25..]].concat();
    let a = Some(0x1000);
    hold(vec![
        ("class.layout", one(&CLASS), vec![(SUB, 43, a)], one(&ARRAY)),
        ("class.superclass-none", one(&CLASS), vec![(SUB + 9, 4, a)], one(&child)),
        (
            "id.none",
            one(&null),
            vec![(SUB + 13, 4, a), (SUB + 17, 4, a), (SUB + 21, 4, a), (SUB + 46, 4, a)],
            one(&loader),
        ),
        ("class.instance-size-meaning", one(&of_8), vec![(SUB + 33, 4, a)], one(&CLASS)),
        ("type.codes", one(&apart), vec![(SUB + 47, 6, a)], one(&CLASS)),
        ("type.sizes", one(&short(2)), vec![(SUB + 46, 2, a)], one(&null)),
        ("integer.byte-order", one(&short(2)), vec![(SUB + 46, 2, a)], one(&short(1))),
        ("boolean.value", one(&boolean(2)), vec![(SUB + 46, 1, a)], one(&boolean(1))),
        ("name.repeated", one(&twice), vec![(SUB + 48, 4, a)], one(&apart)),
        ("instance.layout", both(&CLASS, &OBJECT), vec![(SUB + 43, 17, Some(0x2000))], one(&CLASS)),
        ("sub-record.order", both(&OBJECT, &CLASS), vec![(SUB + 9, 4, Some(0x2000))], both(&CLASS, &OBJECT)),
    ]);
}

/// A class with a byte, a subclass 1100 with a field of another type, and an instance of that.
#[test]
fn lists_reliances_of_superclass_values_and_8_byte_references() {
    let upper = hex!(
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000001 0000 0000 0001 00000005 08"
    );
    let lower = |kind: u8, size: u8| {
        let start = hex!("20 00001100 00000000 00001000 00000000 00000000 00000000 00000000 00000000 000000");
        [&start[..], &[size], &hex!("0000 0000 0001 00000005"), &[kind]].concat()
    };
    let object =
        |values: &[u8]| [&hex!("21 00002000 00000000 00001100 000000")[..], &[values.len() as u8], values].concat();
    let shorts = heap(&[], &[&upper, &lower(9, 3), &object(&[1, 2, 3])]);
    let bytes = heap(&[], &[&upper, &lower(8, 2), &object(&[1, 2])]);
    let static_reference = |id_size: u8| {
        let id = |value: u8| [vec![0; usize::from(id_size) - 1], vec![value]].concat();
        let zeros = vec![0; 4 + 6 * usize::from(id_size) + 4 + 2];
        let class = [&[0x20][..], &id(1), &zeros, &[0, 1], &id(5), &[2], &id(0), &[0, 0]].concat();
        [header(22, &[id_size]), dump_record(0x1c, &[&class])].concat()
    };
    hold(vec![
        ("instance.field-order", shorts.clone(), vec![(SUB + 48 + 48 + 17, 3, Some(0x2000))], bytes.clone()),
        ("integer.byte-order", shorts, vec![(SUB + 48 + 48 + 17, 3, Some(0x2000))], bytes),
        (
            "class.values",
            static_reference(8),
            vec![(SUB + 1 + 8 + 4 + 48 + 4 + 2 + 2 + 8 + 1, 8, Some(1))],
            static_reference(4),
        ),
    ]);
}

#[test]
fn lists_reliances_of_arrays_and_high_identifiers() {
    let objects = hex!("22 00003000 00000000 00000001 00001000 00002000");
    let null = hex!("22 00003000 00000000 00000002 00001000 00002000 00000000");
    let high = hex!("22 00003000 00000000 00000001 00001000 80002000");
    let high_array = hex!("23 f0000000 00000000 00000000 08");
    let chars = hex!("23 00003000 00000000 00000001 05 0041");
    let same = hex!("23 00003000 00000000 00000001 05 4141");
    let bytes_name = hex!("01 00000000 00000006 00000001 5b42");
    let (one, array) = (|sub: &[u8]| heap(&[], &[sub]), Some(0x3000));
    hold(vec![
        ("object-array.layout", one(&objects), vec![(SUB, 21, array)], one(&ARRAY)),
        ("object-array.class", one(&objects), vec![(SUB + 13, 4, array)], one(&ARRAY)),
        ("id.none", one(&null), vec![(SUB + 17, 8, array)], one(&objects)),
        ("id.unsigned", one(&high), vec![(SUB + 17, 4, array)], one(&objects)),
        ("id.unsigned", one(&high_array), vec![(SUB + 1, 4, Some(0xf000_0000))], one(&ARRAY)),
        ("primitive-array.layout", one(&ARRAY), vec![(SUB, 14, array)], one(&objects)),
        (
            "primitive-array.class",
            one(&ARRAY),
            vec![(SUB + 13, 1, array)],
            heap(&[&bytes_name, &LOAD], &[&CLASS, &ARRAY]),
        ),
        ("integer.byte-order", one(&chars), vec![(SUB + 14, 2, array)], one(&same)),
        ("type.sizes", one(&chars), vec![(SUB + 14, 2, array)], one(&ARRAY)),
        ("type.codes", one(&ARRAY), vec![(SUB + 13, 1, array)], one(&objects)),
    ]);
}

#[test]
fn lists_reliances_of_android_records() {
    let info = hex!("fe 00000041 00000000");
    let android = |records: &[&[u8]]| [&header(13, b"1.0.3")[..], &records.concat(), &END].concat();
    let parts = |second: &[&[u8]]| android(&[&dump_record(0x1c, &[&info, &ARRAY]), &dump_record(0x1c, second)]);
    let no_data = hex!("c3 00003000 00000000 00000001 08");
    let one = |sub: &[u8]| android(&[&dump_record(0x1c, &[sub])]);
    hold(vec![
        ("android.roots", one(&hex!("90 00001000")), vec![(SUB, 5, None)], one(&hex!("07 00001000"))),
        ("android.no-data-array", one(&no_data), vec![(SUB, 14, Some(0x3000))], one(&ARRAY)),
        // The part 41 does not hold in the second segment, which says nothing.
        ("android.heap-info", parts(&[&OBJECT]), vec![(SUB, 9, None), (72, 1, None)], one(&ARRAY)),
        ("android.heap-info", parts(&[&info, &OBJECT]), vec![(SUB, 9, None), (72, 9, None)], one(&ARRAY)),
    ]);
}

/// Rules that no stored dump relies on, each with the reason.
const NOT_STORED: [(&str, &str); 1] = [("hprof.segment.wrapped", "takes more than 4 GiB")];

#[test]
fn corpus_relies_on_exactly_the_rules_with_facets() {
    let facets: BTreeSet<String> = Facet::ALL.iter().map(Facet::to_string).chain(["all".to_owned()]).collect();
    let rules = rulebook(Family::HPROF).rule;
    for rule in rules {
        assert!(rule.facets.iter().all(|facet| facets.contains(*facet)), "{}: {:?}", rule.id, rule.facets);
    }
    let mut relied = BTreeSet::new();
    for case in cases().expect("recipes").iter().filter(|case| case.format.family() == Family::HPROF) {
        let input = Input::from_memory("case", case.bytes.clone());
        let mut bytes = Vec::new();
        // Of damaged compressed data, what can be had of it.
        let _whole = input.stream().expect("memory").read_to_end(&mut bytes);
        let length = bytes.len() as u64;
        for reliance in dump(&case.bytes).reliances().expect("memory") {
            assert!(reliance.length > 0 && reliance.offset + reliance.length <= length, "{}: {reliance:?}", case.id);
            relied.insert(reliance.rule.0);
        }
    }
    let with_facets: BTreeSet<&str> = rules.iter().filter(|rule| !rule.facets.is_empty()).map(|rule| rule.id).collect();
    assert_eq!(relied.difference(&with_facets).collect::<Vec<_>>(), Vec::<&&str>::new(), "without facets");
    let excused: BTreeSet<&str> = NOT_STORED.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(with_facets.difference(&relied).copied().collect::<BTreeSet<_>>(), excused, "never relied on");
}

#[test]
fn record_cut_by_its_length_relies_on_layout() {
    // END THREAD has a serial number of 4 bytes; of this one there are 3, and then the file ends.
    let short = file(&[&TEXT, &hex!("0b 00000000 00000003 000000")]);
    assert_eq!(relies(&short, "end-thread.layout"), [(45, 9, None)]);
    // Of an array that its segment cuts nothing is told.
    assert_eq!(relies(&file(&[&dump_record(0x1c, &[&ARRAY[..10]])]), "primitive-array.layout"), []);
}

#[test]
fn a_length_that_was_never_patched_relies_on_the_end_of_the_file() {
    // HEAP DUMP of length 0, and its sub-records to the end of the file.
    let unpatched = file(&[&TEXT, &LOAD, &hex!("0c 00000000 00000000"), &CLASS, &OBJECT]);
    assert_eq!(relies(&unpatched, "file.truncated"), [(31 + 14 + 25 + 5, 4, None)]);
    assert_eq!(relies(&heap(&[&TEXT, &LOAD], &[&CLASS, &OBJECT]), "file.truncated"), []);
}

#[test]
fn lists_reliances_before_damage() {
    // Nothing in it depends on what comes later.
    let whole = file(&[&TEXT, &dump_record(0x1c, &[&ARRAY, &ARRAY]), &END]);
    let all = dump(&whole).reliances().expect("memory");
    for cut in 0..whole.len() {
        let found = dump(&whole[..cut]).reliances().expect("not the machine's fault");
        let of_whole = |end: u64| all.iter().filter(move |reliance| reliance.offset + reliance.length <= end);
        assert!(found.iter().all(|reliance| of_whole(cut as u64).any(|known| known == reliance)), "cut at {cut}");
        // The string ends at 45, the first array at 68.
        let has = |rule: &str| found.iter().any(|reliance| reliance.rule.0 == rule);
        assert_eq!(has("hprof.text.layout"), cut >= 45, "cut at {cut}");
        assert_eq!(has("hprof.primitive-array.layout"), cut >= 68, "cut at {cut}");
    }
    // After a sub-record that no one knows nothing can be told.
    let unknown = file(&[&TEXT, &dump_record(0x1c, &[&ARRAY, &[0x77], &ARRAY]), &END]);
    assert_eq!(relies(&unknown, "primitive-array.layout"), [(54, 14, Some(0x3000))]);
    assert_eq!(relies(b"no dump at all", "record.layout"), []);
}
