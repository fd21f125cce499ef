//! Reading back, and what a failed assertion says.

use std::panic::catch_unwind;

use heapsmith::model::{ByteLen, Dump, Name, Root, RootKind};
use heapsmith::{DumpOptions, Format, Heap, assert_same_heap, compare, read, read_dump, validate};

#[test]
fn round_trips_random_heap_through_every_format() {
    for format in Format::all() {
        let heap = Heap::random(7);
        let dump = heap.write(format).expect("every format can hold it");
        assert!(validate(&dump).valid, "{format}");
        assert_same_heap!(heap, read(&dump).expect("a valid dump"), as format);
    }
}

#[test]
fn options_choose_the_writer_and_a_dump_is_read_without_them() {
    let heap = Heap::random(8);
    for (format, profile) in [(Format::PHD5, "j9-2.4"), (Format::HPROF, "hotspot-17"), (Format::CLASSIC, "jdmpview")] {
        let options = DumpOptions::new(format).profile(profile);
        let parsed = read(heap.write(&options).expect("a profile of the format")).expect("a valid dump");
        assert_same_heap!(&heap, parsed, as &options);
    }
    let error = heap.write(DumpOptions::new(Format::PHD6).profile("hotspot-25")).expect_err("not a writer of PHD");
    assert!(error.to_string().contains("hotspot-25"), "{error}");
}

#[test]
fn a_failed_assertion_names_facts_addresses_and_both_sides() {
    let left = Heap::random(7);
    let mut right = left.clone();
    right.objects[3].size = Some(ByteLen(4096));
    right.classes[0].name = Name::from_text("java/lang/Objekt");
    let removed = right.objects.pop().expect("200 objects").address;
    let panic = catch_unwind(|| assert_same_heap!(left, right)).expect_err("they differ");
    let message = panic.downcast_ref::<String>().expect("a formatted message");
    for part in [
        "the heaps are not the same",
        "object-size differs in 1 place",
        &format!("at {}", left.objects[3].address),
        "right: 4096 bytes",
        "left:  java/lang/Object",
        "right: java/lang/Objekt",
        &format!("at {removed}"),
        "right: nothing",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn reports_facts_not_compared_because_one_heap_lacks_them() {
    let left = Heap::random(7);
    let mut right = left.clone();
    right.surroundings.roots = None;
    assert_same_heap!(left, right);
    assert!(compare(&left, &right).to_string().contains("not compared: roots"));
}

#[test]
fn a_dump_of_several_heaps_is_read_as_a_dump() {
    let dump = Dump { heaps: vec![Heap::random(1), Heap::random(2)], tail: Vec::new() };
    let bytes = dump.write(Format::HPROF).expect("HPROF has as many heaps as there are");
    let parsed = read_dump(&bytes).expect("a valid dump");
    assert_eq!(parsed.heaps.len(), 2);
    let error = read(&bytes).expect_err("which of them?");
    assert!(error.to_string().contains("2 heaps"), "{error}");
    assert!(dump.write(Format::PHD6).is_err(), "a PHD has one");
}

#[test]
fn reads_compressed_dumps_and_locates_error_of_other_bytes() {
    let gzip = std::fs::read("corpus/phd/golden/phd6-compressed.phd.gz").expect("a dump of the corpus");
    assert!(read(&gzip).is_ok() && validate(&gzip).valid);
    for bytes in [&b""[..], b"hello", b"\x00\x12portable heap dump\x00\x00\x00\x09", b"JAVA PROFILE 1.0.9\0"] {
        let report = validate(bytes);
        assert!(!report.valid && !report.findings.is_empty(), "{bytes:?}");
        let error = read(bytes).expect_err("no dump");
        assert!(error.to_string().contains("offset"), "{error}");
    }
}

/// Three monitors, which HotSpot does not write since JDK 9.
#[test]
fn counts_roots_that_a_dump_leaves_out() {
    let mut heap = Heap::random(7);
    let object = heap.objects[0].address;
    let roots = heap.surroundings.roots.get_or_insert_default();
    roots.extend([Root { object, kind: RootKind::MonitorUsed, after: None }; 3]);
    let dump = heap.write(Format::HPROF).expect("it can be written");
    let monitors = dump.unwritten().roots.iter().find(|roots| roots.kind == "monitor-used").expect("they are left out");
    assert_eq!(monitors.count, 3);
    let told = assert_same_heap!(heap, read(&dump).expect("a valid dump"), as Format::HPROF).to_string();
    assert!(told.contains("roots that hprof/hotspot-25 leaves out: ") && told.contains("monitor-used (3)"), "{told}");
    let any = heap.write(DumpOptions::new(Format::HPROF).profile("any")).expect("it can be written");
    assert_eq!(any.unwritten().roots, []);
}
