//! Threads, traces, roots and regions, with their names resolved.

use heapsmith::model::{Address, Name, Region, Root, RootKind, Serial, StackFrame, StackTrace, Thread};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{END, file, heap, name, segment};

/// Strings 1 to 4: "run", "()V", "A.java" and "main".
const STRINGS: &[u8] = &hex!(
    "01 00000000 00000007 00000001 72756e"
    "01 00000000 00000007 00000002 282956"
    "01 00000000 0000000a 00000003 412e6a617661"
    "01 00000000 00000008 00000004 6d61696e"
);

/// Class serial number 7 is 0x1001.
const LOAD: &[u8] = &hex!("02 00000000 00000010 00000007 00001001 00000001 00000004");

fn frame(source: Option<&str>, class: Option<u64>, line: i32) -> StackFrame {
    let (method, signature) = (name("run"), name("()V"));
    StackFrame { method, signature, source: source.map(name), class: class.map(Address), line }
}

#[test]
fn a_trace_names_the_methods_sources_and_classes_of_its_frames() {
    let log = hex!(
        "04 00000000 00000018 000000f1 00000001 00000002 00000003 00000007 00000102" // line 258
        "04 00000000 00000018 000000f2 00000001 00000002 00000000 00000008 fffffffd" // no source, no such class, -3
        "04 00000000 00000018 000000f3 00000001 00000002 00000063 00000007 ffffffff" // string 0x63 is unknown
        "05 00000000 00000018 80000001 80000002 00000003 000000f2 000000f1 000000f2"
        "05 00000000 00000014 00000002 00000000 00000002 000000f3 000000f9" // frame 0xf9 is unknown
        "05 00000000 0000000c 00000003 00000001 00000000"
    );
    let heap = heap(&file(4, &[STRINGS, LOAD, &log, &segment(&[]), &END]));
    let first = frame(Some("A.java"), Some(0x1001), 258);
    let native = frame(None, None, -3);
    let expected = [
        StackTrace {
            serial: Serial(0x8000_0001),
            thread: Serial(0x8000_0002),
            frames: [native.clone(), first, native].into(),
        },
        StackTrace { serial: Serial(2), thread: Serial(0), frames: [frame(None, Some(0x1001), -1)].into() },
        StackTrace { serial: Serial(3), thread: Serial(1), frames: [].into() },
    ];
    assert_eq!(heap.surroundings.traces, Some(expected.to_vec()));
    assert_eq!(heap.surroundings.threads, Some(Vec::new()));
}

#[test]
fn accepts_frames_after_trace_and_uses_last_trace_of_serial() {
    let trace = hex!("05 00000000 00000010 00000001 00000002 00000001 000000f1");
    let frame_f1 = hex!("04 00000000 00000018 000000f1 00000001 00000002 00000003 00000007 00000005");
    let again = hex!("05 00000000 0000000c 00000001 00000003 00000000");
    let expected =
        StackTrace { serial: Serial(1), thread: Serial(2), frames: [frame(Some("A.java"), Some(0x1001), 5)].into() };
    let late = heap(&file(4, &[&trace, &segment(&[]), &frame_f1, LOAD, STRINGS, &END]));
    assert_eq!(late.surroundings.traces, Some(vec![expected]));
    let twice = heap(&file(4, &[&trace, &frame_f1, LOAD, STRINGS, &again, &segment(&[]), &END]));
    let expected = StackTrace { serial: Serial(1), thread: Serial(3), frames: [].into() };
    assert_eq!(twice.surroundings.traces, Some(vec![expected]));
}

#[test]
fn threads_come_from_their_start_and_from_their_roots() {
    let log = hex!(
        "0a 00000000 00000018 00000001 000000b1 00000005 00000004 00000001 00000002" // "main"
        "0a 00000000 00000018 00000002 000000b2 00000006 00000063 00000001 00000002" // a name that is unknown
        "0b 00000000 00000004 00000002"                                              // has ended
    );
    let roots: [&[u8]; 3] = [
        &hex!("08 000000c1 00000001 00000007"), // thread 1, another object and trace
        &hex!("08 000000b3 80000003 80000008"), // a thread that never started
        &hex!("06 000000b4 00000004"),          // a thread block is no thread
    ];
    let heap = heap(&file(4, &[STRINGS, &log, &segment(&roots), &END]));
    let thread = |serial, object, name: Option<&str>, trace| Thread {
        serial: Serial(serial),
        object: Address(object),
        name: name.map(Name::from),
        trace: Some(Serial(trace)),
    };
    let expected =
        [thread(1, 0xc1, Some("main"), 7), thread(2, 0xb2, None, 6), thread(0x8000_0003, 0xb3, None, 0x8000_0008)];
    assert_eq!(heap.surroundings.threads, Some(expected.to_vec()));
    let roots = [
        (0xc1, RootKind::ThreadObject(Serial(1), Serial(7))),
        (0xb3, RootKind::ThreadObject(Serial(0x8000_0003), Serial(0x8000_0008))),
        (0xb4, RootKind::ThreadBlock(Serial(4))),
    ]
    .map(|(object, kind)| Root { object: Address(object), kind, after: Some(0) });
    assert_eq!(heap.surroundings.roots, Some(roots.to_vec()));
}

const OBJECT: &[u8] = &hex!("23 00000001 00000001 00000000 04");
const CLASS: &[u8] =
    &hex!("20 00001001 00000001 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000");
const ROOT: &[u8] = &hex!("ff 00000001");
/// Heaps 'A' and 'Z', named "run" and "main".
const APP: &[u8] = &hex!("fe 00000041 00000001");
const ZYGOTE: &[u8] = &hex!("fe 0000005a 00000004");

#[test]
fn roots_know_how_many_classes_and_objects_stand_before_them() {
    let first = segment(&[ROOT, OBJECT, ROOT, APP, ROOT, CLASS, ROOT]);
    let heap = heap(&file(4, &[STRINGS, &first, &segment(&[ROOT, OBJECT, ROOT]), &END]));
    let after: Vec<_> = heap.surroundings.roots.iter().flatten().map(|root| root.after).collect();
    assert_eq!(after, [0, 1, 1, 2, 2, 3].map(Some));
}

/// Regions: heap id, name, entries before it.
fn regions(segments: &[&[&[u8]]]) -> Vec<(u32, String, u64)> {
    let segments: Vec<u8> = segments.iter().flat_map(|sub_records| segment(sub_records)).collect();
    let heap = heap(&file(4, &[STRINGS, &segments, &END]));
    let told = |region: &Region| (region.id, region.name.to_string(), region.after);
    heap.surroundings.regions.iter().flatten().map(told).collect()
}

fn region(id: u32, name: &str, after: u64) -> (u32, String, u64) {
    (id, name.to_owned(), after)
}

#[test]
fn a_heap_dump_info_holds_until_the_next_one() {
    assert_eq!(regions(&[&[ROOT, OBJECT, CLASS]]), []);
    let (app, zygote) = (region(0x41, "run", 0), region(0x5a, "main", 2));
    assert_eq!(regions(&[&[APP, OBJECT, CLASS, ZYGOTE, ROOT, OBJECT]]), [app.clone(), zygote.clone()]);
    // The same one again is no news.
    assert_eq!(regions(&[&[APP, OBJECT, APP, CLASS, ZYGOTE, ZYGOTE, OBJECT]]), [app, zygote]);
    // Objects before the first one are in no part.
    assert_eq!(regions(&[&[OBJECT, APP, OBJECT]]), [region(0x41, "run", 1)]);
    // The same number under another name is another part, and a name that is unknown is empty.
    let (renamed, unnamed) = (hex!("fe 00000041 00000002"), hex!("fe 00000000 00000063"));
    assert_eq!(
        regions(&[&[APP, OBJECT, &renamed, OBJECT, &unnamed, OBJECT]]),
        [region(0x41, "run", 0), region(0x41, "()V", 1), region(0, "", 2)]
    );
    // The part 0 without a name is that before the first one, whichever identifier has no name.
    assert_eq!(regions(&[&[&unnamed, OBJECT, APP, OBJECT]]), [region(0x41, "run", 1)]);
    let other = hex!("fe 00000000 00000064");
    let (app, none) = (region(0x41, "run", 0), region(0, "", 1));
    assert_eq!(regions(&[&[APP, OBJECT, &unnamed, OBJECT, &other, OBJECT]]), [app.clone(), none.clone()]);
    // A string with the identifier 0 is the name of nothing.
    let named = hex!("01 00000000 00000007 00000000 616263");
    let segments = [segment(&[APP, OBJECT]), segment(&[OBJECT])].concat();
    let heap = heap(&file(4, &[STRINGS, &named, &segments, &END]));
    let told =
        heap.surroundings.regions.iter().flatten().map(|region| (region.id, region.name.to_string(), region.after));
    assert_eq!(told.collect::<Vec<_>>(), [app, none]);
}

#[test]
fn a_heap_dump_info_ends_with_its_segment() {
    let (app, none) = (region(0x41, "run", 0), region(0, "", 1));
    // What follows without a word is in no part: an object, a class, a root.
    assert_eq!(regions(&[&[APP, OBJECT], &[OBJECT]]), [app.clone(), none.clone()]);
    assert_eq!(regions(&[&[APP, OBJECT], &[CLASS]]), [app.clone(), none.clone()]);
    assert_eq!(regions(&[&[APP, OBJECT], &[ROOT]]), [app.clone(), none.clone()]);
    assert_eq!(regions(&[&[APP, OBJECT], &[], &[ROOT], &[OBJECT]]), [app.clone(), none.clone()]);
    // A segment that says the same goes on in that part; one that says another leaves it.
    assert_eq!(regions(&[&[APP, OBJECT], &[APP, OBJECT], &[], &[APP, ROOT]]), std::slice::from_ref(&app));
    assert_eq!(regions(&[&[APP, OBJECT], &[ZYGOTE, OBJECT]]), [app.clone(), region(0x5a, "main", 1)]);
    assert_eq!(
        regions(&[&[APP, OBJECT], &[OBJECT, APP, OBJECT], &[OBJECT]]),
        [app.clone(), none, region(0x41, "run", 2), region(0, "", 3)]
    );
}
