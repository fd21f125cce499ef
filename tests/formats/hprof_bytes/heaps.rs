//! Which record belongs to which heap, and what a heap knows from records before and after it.

use heapsmith::compare::RecordSpan;
use heapsmith::family::Opener;
use heapsmith::format::Family;
use heapsmith::hprof::{Decoder, lift};
use heapsmith::model::{
    Address, Class, Contents, DumpSource, EventKind, FieldType, Heap, Name, Object, PrimitiveType, Serial, StackFrame,
    StackTrace, TextId, Thread, Value,
};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{END, file, header, heap, heap_dump, heaps, name, segment};

/// `int[0]` with its address as the last byte.
fn array(at: u8) -> Vec<u8> {
    let mut array = hex!("23 00001000 00000001 00000000 0a").to_vec();
    array[4] = at;
    array
}

fn addresses(heap: &Heap) -> Vec<u64> {
    heap.objects.iter().map(|object| object.address.0 & 0xff).collect()
}

/// The addresses of each heap's objects.
fn split(records: &[&[u8]]) -> Vec<Vec<u64>> {
    heaps(&file(4, records)).heaps.iter().map(addresses).collect()
}

#[test]
fn a_heap_dump_is_a_heap_and_so_are_the_segments_up_to_an_end() {
    let (one, two, three) = (&array(1)[..], &array(2)[..], &array(3)[..]);
    assert_eq!(split(&[&heap_dump(&[one, two, three])]), [[1, 2, 3]]);
    assert_eq!(split(&[&heap_dump(&[one]), &heap_dump(&[two, three])]), [vec![1], vec![2, 3]]);
    assert_eq!(split(&[&segment(&[one]), &segment(&[two]), &segment(&[three]), &END]), [[1, 2, 3]]);
    // Without an END, too.
    assert_eq!(split(&[&segment(&[one]), &segment(&[two, three])]), [[1, 2, 3]]);
    assert_eq!(split(&[&segment(&[one]), &END, &segment(&[two]), &segment(&[three]), &END]), [vec![1], vec![2, 3]]);
    assert_eq!(split(&[&segment(&[one]), &END, &segment(&[two]), &END, &segment(&[three])]), [[1], [2], [3]]);
    // Segments after a HEAP DUMP are another heap, and so is a HEAP DUMP after segments.
    assert_eq!(split(&[&heap_dump(&[one]), &segment(&[two]), &segment(&[three]), &END]), [vec![1], vec![2, 3]]);
    assert_eq!(split(&[&segment(&[one]), &segment(&[two]), &heap_dump(&[three])]), [vec![1, 2], vec![3]]);
    // An END that ends nothing begins nothing.
    assert_eq!(split(&[&END, &END, &heap_dump(&[one]), &END, &segment(&[two]), &END, &END]), [[1], [2]]);
    // Empty ones are heaps as well, and empty segments only parts of one.
    assert_eq!(split(&[&heap_dump(&[]), &segment(&[]), &segment(&[]), &END]), [[0; 0], []]);
    assert_eq!(split(&[&segment(&[]), &segment(&[one]), &segment(&[]), &segment(&[two]), &END]), [[1, 2]]);
    // A file without any has an empty one, to which its log belongs.
    assert_eq!(split(&[]), [[0; 0]]);
    assert_eq!(split(&[&END]), [[0; 0]]);
}

#[test]
fn a_heap_begins_and_ends_when_its_records_say() {
    let dump = heaps(&file(
        4,
        &[
            &hex!("1c 00000005 00000000"),
            &hex!("1c 00000006 00000000"), // the same heap goes on
            &hex!("2c 00000007 00000000"),
            &hex!("0c 80000000 00000000"), // ends by itself
            &hex!("1c ffffffff 00000000"), // the clock wraps while it is written
            &hex!("2c 00000001 00000000"),
        ],
    ));
    let times: Vec<_> = dump.heaps.iter().map(|heap| heap.surroundings.times).collect();
    assert_eq!(times, [Some((5, 7)), Some((0x8000_0000, 0x8000_0000)), Some((0xffff_ffff, 1))]);
}

#[test]
fn assigns_records_to_log_of_heap_and_last_ones_to_tail() {
    let text = |id: u8| [&hex!("01 00000000 00000005 000000")[..], &[id, b'A' + id]].concat();
    let dump = heaps(&file(
        4,
        &[
            &text(1),
            &segment(&[&array(1), &hex!("05 00000009")]),
            &text(2), // one object before it; roots do not count
            &segment(&[&array(2)]),
            &text(3),
            &END,
            &text(4),
            &heap_dump(&[&array(3)]),
            &text(5),
            &text(6),
        ],
    ));
    let told = |events: &[heapsmith::model::Event]| -> Vec<(u64, u64)> {
        let told = |event: &heapsmith::model::Event| match &event.kind {
            EventKind::Text(id, text) => {
                assert_eq!(text.as_bytes(), [b'A' + id.0 as u8]);
                (id.0, event.after)
            }
            other => panic!("{other:?}"),
        };
        events.iter().map(told).collect()
    };
    assert_eq!(told(dump.heaps[0].surroundings.events.as_deref().expect("a log")), [(1, 0), (2, 1), (3, 2)]);
    assert_eq!(told(dump.heaps[1].surroundings.events.as_deref().expect("a log")), [(4, 0)]);
    assert_eq!(told(&dump.tail), [(5, 0), (6, 0)]);
}

/// A class of no fields at 0x1001 and so on, under superclass 0.
fn class(at: u8) -> Vec<u8> {
    let mut class =
        hex!("20 00001000 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000")
            .to_vec();
    class[4] = at;
    class
}

const A: [u8; 14] = hex!("01 00000000 00000005 00000001 41"); // string 1 is "A"
const B: [u8; 14] = hex!("01 00000000 00000005 00000002 42"); // string 2 is "B"
const LOAD_A: [u8; 25] = hex!("02 00000000 00000010 00000007 00001001 00000001 00000001"); // serial 7: class 0x1001, "A"

fn names(heap: &Heap) -> Vec<&[u8]> {
    heap.classes.iter().map(|class| class.name.as_bytes()).collect()
}

#[test]
fn names_may_come_after_their_use() {
    let expected: Vec<&[u8]> = vec![b"A"];
    let class = segment(&[&class(1)]);
    for records in [
        [&A[..], &LOAD_A, &class, &END],
        [&LOAD_A, &A, &class, &END],
        [&class, &LOAD_A, &A, &END],
        [&class, &A, &LOAD_A, &END],
        [&A, &class, &LOAD_A, &END],
    ] {
        assert_eq!(names(&heap(&file(4, &records))), expected);
    }
    // And after the end of the heap, where nothing before gives one.
    for records in [[&class[..], &END, &A, &LOAD_A], [&A, &class, &END, &LOAD_A], [&LOAD_A, &class, &END, &A]] {
        assert_eq!(names(&heaps(&file(4, &records)).heaps[0]), expected);
    }
}

#[test]
fn unnamed_classes_have_empty_names() {
    let with_members = hex!(
        "20 00001001 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000004 0000"
        "0001 00000063 0a 00000005"
        "0001 00000064 0a"
    );
    for log in [&[][..], &LOAD_A, &A] {
        let heap = heap(&file(4, &[log, &segment(&[&with_members]), &END]));
        let class = &heap.classes[0];
        assert_eq!(class.name, Name::default());
        assert_eq!(class.serial, (log == LOAD_A).then_some(Serial(7)));
        assert_eq!(class.statics.as_ref().map(|s| (s[0].name.clone(), s[0].value.bits)), Some((Name::default(), 5)));
        let int = FieldType::Primitive(PrimitiveType::Int);
        assert_eq!(class.fields.as_ref().map(|f| (f[0].name.clone(), f[0].kind)), Some((Name::default(), int)));
    }
}

#[test]
fn uses_last_load_class_record() {
    let again = hex!("02 00000000 00000010 00000009 00001001 00000001 00000002"); // serial 9, and "B"
    let class = segment(&[&class(1)]);
    for records in [
        [&A[..], &B, &LOAD_A, &again, &class, &END],
        [&A, &B, &LOAD_A, &class, &again, &END],
        [&A, &B, &class, &LOAD_A, &again, &END],
    ] {
        let heap = heap(&file(4, &records));
        assert_eq!((names(&heap), heap.classes[0].serial), (vec![&b"B"[..]], Some(Serial(9))));
    }
    // What stands after the last heap counts for that one.
    for records in [[&A[..], &B, &class, &END, &LOAD_A, &again], [&A, &B, &LOAD_A, &class, &END, &again]] {
        let heap = heaps(&file(4, &records)).heaps.remove(0);
        assert_eq!((names(&heap), heap.classes[0].serial), (vec![&b"B"[..]], Some(Serial(9))));
    }
    let unloaded = hex!("03 00000000 00000004 00000007"); // of serial 7; does not take the name away
    let heap = heap(&file(4, &[&A, &LOAD_A, &unloaded, &class, &END]));
    assert_eq!(names(&heap), [b"A"]);
}

#[test]
fn strings_classes_frames_and_traces_are_kept_across_the_end_of_a_heap() {
    let frame = hex!("04 00000000 00000018 00000005 00000001 00000002 00000000 00000007 ffffffff");
    let trace = hex!("05 00000000 00000010 00000003 00000004 00000001 00000005");
    let first = [&A[..], &B, &LOAD_A, &frame, &trace, &segment(&[&class(1)]), &END].concat();
    let root = hex!("08 00001001 00000004 00000003"); // thread 4, trace 3
    let dump = heaps(&file(4, &[&first, &segment(&[&class(1), &root]), &END]));
    let expected = StackTrace {
        serial: Serial(3),
        thread: Serial(4),
        frames: [StackFrame {
            method: name("A"),
            signature: name("B"),
            source: None,
            class: Some(Address(0x1001)),
            line: -1,
        }]
        .into(),
    };
    for heap in &dump.heaps {
        assert_eq!(names(heap), [b"A"]);
        assert_eq!(heap.surroundings.traces, Some(vec![expected.clone()]));
    }
    let thread = Thread { serial: Serial(4), object: Address(0x1001), name: None, trace: Some(Serial(3)) };
    assert_eq!(dump.heaps[0].surroundings.threads, Some(vec![]));
    assert_eq!(dump.heaps[1].surroundings.threads, Some(vec![thread]));
    assert_eq!(dump.heaps[1].surroundings.events, Some(vec![]));
}

#[test]
fn heap_lists_earlier_traces_and_threads_that_it_names() {
    let trace = |serial: u8, thread: u8| {
        let mut trace = hex!("05 00000000 0000000c 00000000 00000000 00000000").to_vec();
        (trace[12], trace[16]) = (serial, thread);
        trace
    };
    let traces = (1..=6).flat_map(|serial| trace(serial, 0)).collect::<Vec<u8>>();
    let threads = hex!(
        "0a 00000000 00000018 00000008 00002001 00000005 00000000 00000000 00000000" // trace 5
        "0a 00000000 00000018 00000009 00002002 00000006 00000000 00000000 00000000"
    );
    let array_of = |trace: u8| {
        let mut array = array(1);
        array[8] = trace;
        array
    };
    // Thread 4 and trace 3; thread 8.
    let roots = hex!("08 00001001 00000004 00000003" "04 00001001 00000008");
    let dump = heaps(&file(
        4,
        &[
            &traces,
            &threads,
            &heap_dump(&[&array(1)]),
            &trace(7, 0),
            &heap_dump(&[&roots, &array_of(2), &class(1), &array_of(2)]),
            &heap_dump(&[]),
            &heap_dump(&[&array_of(2)]),
            &trace(2, 6),
            &heap_dump(&[&array_of(2)]),
            &heap_dump(&[&array_of(2)]),
        ],
    ));
    let listed = |heap: &Heap| -> (Vec<(u32, u32)>, Vec<u32>) {
        let around = &heap.surroundings;
        let traces = around.traces.iter().flatten().map(|trace| (trace.serial.0, trace.thread.0));
        (traces.collect(), around.threads.iter().flatten().map(|thread| thread.serial.0).collect())
    };
    let expected = [
        (vec![(1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0)], vec![8, 9]),
        (vec![(1, 0), (2, 0), (3, 0), (5, 0), (7, 0)], vec![8, 4]),
        (vec![], vec![]),
        (vec![(2, 0)], vec![]),
        (vec![(2, 6)], vec![]),
        (vec![(2, 6)], vec![]),
    ];
    assert_eq!(dump.heaps.iter().map(listed).collect::<Vec<_>>(), expected);
}

#[test]
fn later_definitions_do_not_change_earlier_heap() {
    let (heap, again) = (segment(&[&class(1)]), hex!("01 00000000 00000005 00000001 43")); // string 1 is "C" now
    let load = hex!("02 00000000 00000010 00000009 00001001 00000001 00000002"); // class 0x1001 is "B" now
    let dump = heaps(&file(4, &[&A, &B, &LOAD_A, &heap, &END, &again, &heap, &END, &load, &heap, &END]));
    let names: Vec<_> = dump.heaps.iter().map(|heap| names(heap)[0]).collect();
    assert_eq!(names, [b"A", b"C", b"B"]);
    let serials: Vec<_> = dump.heaps.iter().map(|heap| heap.classes[0].serial).collect();
    assert_eq!(serials, [Some(Serial(7)), Some(Serial(7)), Some(Serial(9))]);
}

#[test]
fn identifiers_of_strings_frames_classes_and_objects_may_collide() {
    // Everything has identifier 1: a string, a class, its field's name, a frame, and an object.
    let string = hex!("01 00000000 00000005 00000001 41");
    let load = hex!("02 00000000 00000010 00000001 00000001 00000001 00000001");
    let frame = hex!("04 00000000 00000018 00000001 00000001 00000001 00000001 00000001 00000001");
    let trace = hex!("05 00000000 00000010 00000001 00000001 00000001 00000001");
    let class = hex!(
        "20 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000000 00000001 0000 0000"
        "0001 00000001 04"
    );
    let instance = hex!("21 00000001 00000001 00000001 00000001 01");
    let heap = heap(&file(4, &[&string, &load, &frame, &trace, &segment(&[&class, &instance]), &END]));
    let frame = StackFrame {
        method: name("A"),
        signature: name("A"),
        source: Some(name("A")),
        class: Some(Address(1)),
        line: 1,
    };
    let trace = StackTrace { serial: Serial(1), thread: Serial(1), frames: [frame].into() };
    assert_eq!(heap.surroundings.traces, Some(vec![trace]));
    let Class { address, name: of_class, fields, .. } = &heap.classes[0];
    assert_eq!((*address, of_class, &fields.as_ref().expect("one")[0].name), (Address(1), &name("A"), &name("A")));
    let Object { address, class, contents, .. } = &heap.objects[0];
    let value = Value { kind: FieldType::Primitive(PrimitiveType::Boolean), bits: 1 };
    assert_eq!((*address, *class, contents), (Address(1), Some(Address(1)), &Contents::Fields(vec![value])));
}

#[test]
fn reads_time_version_and_identifier_size_from_header() {
    for (version, text) in [(b'1', "1.0.1"), (b'2', "1.0.2"), (b'3', "1.0.3")] {
        for size in [1, 2, 4, 8] {
            let facts = heap(&header(version, size)).facts;
            assert_eq!(facts.timestamp, Some(1_700_000_000_000));
            assert_eq!(facts.header_version, Some(name(text)));
            assert_eq!(facts.identifier_size.map(|bytes| bytes.0), Some(size as u64));
        }
    }
}

#[test]
fn streamed_dump_has_same_heaps_as_held_one() {
    let bytes = file(4, &[&A, &LOAD_A, &segment(&[&class(1), &array(1)]), &END, &B, &heap_dump(&[&array(2)]), &A]);
    let whole = heaps(&bytes);
    let mut dump = lift::HprofDump::new(|| Ok(Decoder::new(&bytes[..])?)).expect("sound");
    assert_eq!((dump.heaps(), dump.tail()), (2, &whole.tail[..]));
    for (number, expected) in whole.heaps.iter().enumerate() {
        let heap = Heap::collect(dump.heap(number)).expect("sound");
        assert_eq!(heap, *expected);
        assert_eq!(dump.heap(number).classes().len(), 1 - number);
    }
    assert_eq!(whole.heaps[0].surroundings.events.as_ref().map(Vec::len), Some(2));
    let EventKind::Text(TextId(1), _) = whole.tail[0].kind else { panic!("{:?}", whole.tail) };
    assert!(dump.into_heap(2).is_none());
}

#[test]
fn finds_places_in_requested_heap() {
    let bytes = file(4, &[&heap_dump(&[&array(1), &array(2)]), &heap_dump(&[&array(2)])]);
    let opener = Opener::from_memory("two heaps", &bytes);
    let places = |heap| {
        let mut places = Vec::new();
        let mut found = |address: Address, span: RecordSpan| places.push((address.0 & 0xff, span.offset));
        Family::HPROF.places(&opener, heap, &mut found).expect("sound");
        places
    };
    // The header has 31 bytes, the head of a record 9, and an array 14.
    assert_eq!(places(0), [(1, 31 + 9), (2, 31 + 9 + 14)]);
    assert_eq!(places(1), [(2, 31 + 9 + 2 * 14 + 9)]);
}
