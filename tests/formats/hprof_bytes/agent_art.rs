//! Files of the JVMTI agent and of ART.
//!
//! Identifiers of strings are ours: 0x90000010 and on, as in HotSpot's. So are the agent's times (a millisecond between
//! two records), its sites and samples, and its thread group.

use heapsmith::hprof::{Decoder, lift, lower};
use heapsmith::lower::Adherence;
use heapsmith::model::{Address, Contents, Dump, Object, ObjectKind, PrimitiveType, Region};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{name, spelled};
use super::writers::{Numbers, check, framed, options, small_heap};

/// Threads from 200000, traces from 300000, and every trace names thread 0.
const AGENT: Numbers = Numbers { thread: 200_001, of_trace: 0, trace: 300_001 };

/// Events in the order in which they happened, classes from 100000.
const LOG_OF_AGENT: &[u8] = &hex!(
    "0e 000003e8 00000006 00000001 0004" // CONTROL SETTINGS
    // Names as in Java's source, each where it is first used.
    "01 000007d0 00000014 90000010 6a6176612e6c616e672e4f626a656374" // "java.lang.Object"
    "02 00000bb8 00000010 000186a0 00001000 000493e0 90000010"
    "01 00000fa0 00000005 90000030 41"         // "A"
    "02 00001388 00000010 000186a1 00001010 000493e0 90000030"
    "01 00001770 00000007 90000050 415b5d"     // "A[]"
    "02 00001b58 00000010 000186a2 00001020 000493e0 90000050"
    "01 00001f40 00000009 90000070 696e745b5d" // "int[]"
    "02 00002328 00000010 000186a3 00001030 000493e0 90000070"
    "01 00002710 00000008 90000090 6e657874"   // "next"
    "01 00002af8 00000005 900000b0 6e"         // "n"
    "01 00002ee0 00000008 900000d0 53454c46"   // "SELF"
    "01 000032c8 00000009 900000f0 434f554e54" // "COUNT"
    "01 000036b0 00000007 90000110 72756e"     // "run"
    "01 00003a98 00000007 90000130 282956"     // "()V"
    "01 00003e80 0000000a 90000150 412e6a617661" // "A.java"
    "05 00004268 0000000c 000493e0 00000000 00000000" // trace 300000
    "04 00004650 00000018 00000001 90000110 90000130 90000150 000186a1 0000002a"
    "05 00004a38 00000010 000493e1 00000000 00000001 00000001"
    "01 00004e20 00000008 90000170 6d61696e"   // "main"
    "01 00005208 0000000a 90000190 73797374656d" // "system"
    // START THREAD. The thread is a root: it has not come to its end.
    "0a 000055f0 00000018 00030d41 00002000 000493e1 90000170 90000170 90000190"
    // ALLOC SITES, HEAP SUMMARY, CPU SAMPLES.
    "06 000059d8 00000054 0002 3ba3d70a 00001000 00000005 0000000200000000 0000000100000000 00000002"
    "00 000186a3 000493e0 00000040 00000002 00000060 00000003"
    "08 00000000 000493e0 00000040 00000002 00000060 00000003"
    "07 00005dc0 00000018 00001000 00000005 0000000200000000 0000000100000000"
    "0d 000061a8 00000018 00000007 00000002 00000004 000493e0 00000003 000493e1"
);

/// Roots, then objects, then classes: 53 + 72 + 211 bytes. A thread that is no object comes first, then JNI globals,
/// system classes, threads and their locals.
const BODY_OF_AGENT: &[u8] = &hex!(
    "08 00000000 00030d40 000493e0"
    "01 00002020 00003000"
    "05 00001000"
    "08 00002000 00030d41 000493e1"
    "03 00002000 00030d41 00000000"
    "21 00002000 000493e0 00001010 00000008 00002010 fffffff9"
    "22 00002010 000493e0 00000002 00001020 00002000 00000000"
    "23 00002020 000493e0 00000002 0a 00000001 fffffffe"
    "20 00001000 000493e0 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"
    "20 00001010 000493e0 00001000 00002040 00002050 00002060 00000000 00000000 00000008"
    "0001 0003 02 00002000" // a constant pool: objects
    "0002 900000d0 02 00002000 900000f0 0b 0000000000000005"
    "0002 90000090 02 900000b0 0a"
    "20 00001020 000493e0 00001000 00002040 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"
    "20 00001030 000493e0 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"
);

#[test]
fn the_agent_writes_its_events_then_roots_objects_and_classes() {
    let heap = small_heap(true, AGENT);
    // 1.0.2 with one segment and an END, which have the time of the last event.
    let file = [
        &hex!("4a41564120 50524f46494c4520 312e302e32 00 00000004 0000018b cfe56800")[..],
        LOG_OF_AGENT,
        &hex!("1c 000061a8 00000150"),
        BODY_OF_AGENT,
        &hex!("2c 000061a8 00000000"),
    ]
    .concat();
    check(&heap, &options("agent"), &file, "agent");
    // Or 1.0.1 with a HEAP DUMP and none.
    let file = [
        &hex!("4a41564120 50524f46494c4520 312e302e31 00 00000004 0000018b cfe56800")[..],
        LOG_OF_AGENT,
        &hex!("0c 000061a8 00000150"),
        BODY_OF_AGENT,
    ]
    .concat();
    check(&heap, &framed("agent", 1), &file, "agent");
}

#[test]
fn a_second_heap_in_a_file_of_the_agent_brings_only_what_is_new() {
    let heap = small_heap(true, AGENT);
    let mut second = heap.clone();
    second.classes[0].name = name("Root");
    second.surroundings.traces = None;
    second.surroundings.threads = None;
    second.surroundings.roots = None;
    second.objects.clear();
    let mut dump = Dump { heaps: vec![heap, second], ..Dump::default() };
    let mut written = Vec::new();
    lower::write_dump(&mut dump, &options("agent"), &mut written).expect("the heaps can be said");
    let first = 31 + LOG_OF_AGENT.len() + 9 + BODY_OF_AGENT.len() + 9;
    let expected = [
        // Neither settings nor known strings nor known classes; the one that has another name now, with the next serial.
        &hex!(
            "01 00006590 00000008 900001b0 526f6f74" // "Root"
            "02 00006978 00000010 000186a4 00001000 000493e0 900001b0"
            "06 00006d60 00000054 0002 3ba3d70a 00001000 00000001 0000000200000000 0000000100000000 00000002"
            "00 000186a3 000493e0 00000040 00000002 00000060 00000003"
            "08 00000000 000493e0 00000040 00000002 00000060 00000003"
            "07 00007148 00000018 00001000 00000001 0000000200000000 0000000100000000"
            "0d 00007530 00000018 00000007 00000002 00000004 000493e0 00000003 000493e0"
            "1c 00007530 000000e0"
        )[..],
        &BODY_OF_AGENT[..13],
        &BODY_OF_AGENT[125..],
        &hex!("2c 00007530 00000000"),
    ]
    .concat();
    assert_eq!(spelled(&written[first..]), spelled(&expected));
}

#[test]
fn the_agents_settings_come_once_though_the_first_heap_has_no_traces() {
    let mut heap = small_heap(true, AGENT);
    heap.surroundings.traces = None;
    let mut dump = Dump { heaps: vec![heap.clone(), heap], ..Dump::default() };
    let mut written = Vec::new();
    lower::write_dump(&mut dump, &options("agent"), &mut written).expect("the heaps can be said");
    let settings = hex!("00000006 00000001 0004");
    let places: Vec<_> = (0..written.len()).filter(|&at| written[at..].starts_with(&settings)).collect();
    assert_eq!(places, [31 + 5]);
}

#[test]
fn art_writes_roots_first_and_heap_of_objects() {
    let mut heap = small_heap(true, Numbers { thread: 1, of_trace: 5, trace: 1 });
    // Classes are objects among objects: this one stands after the first.
    heap.classes[1].after_objects = Some(1);
    let region = |id, of: &str, after| Region { id, name: name(of), after };
    heap.surroundings.regions = Some(vec![region(0x41, "app", 0), region(0x5a, "zygote", 5)]);
    let file = hex!(
        "4a41564120 50524f46494c4520 312e302e33 00 00000004 0000018b cfe56800"
        "01 00000000 0000000a 90000010 3c696e69743e" // "<init>"
        "01 00000000 00000007 90000030 282956"       // "()V"
        "01 00000000 00000008 90000050 436f6465"     // "Code"
        "01 00000000 00000014 90000070 6a6176612e6c616e672e4f626a656374" // "java.lang.Object"
        "01 00000000 00000005 90000090 41"           // "A"
        "01 00000000 00000008 900000b0 6e657874"     // "next"
        "01 00000000 00000005 900000d0 6e"           // "n"
        "01 00000000 00000008 900000f0 53454c46"     // "SELF"
        "01 00000000 00000009 90000110 434f554e54"   // "COUNT"
        "01 00000000 00000007 90000130 415b5d"       // "A[]"
        "01 00000000 00000009 90000150 696e745b5d"   // "int[]"
        "01 00000000 00000007 90000170 72756e"       // "run"
        "01 00000000 0000000a 90000190 412e6a617661" // "A.java"
        "01 00000000 00000007 900001b0 617070"       // "app"
        "01 00000000 0000000a 900001d0 7a79676f7465" // "zygote"
        "02 00000000 00000010 00000001 00001000 00000000 90000070"
        "02 00000000 00000010 00000002 00001010 00000000 90000090"
        "02 00000000 00000010 00000003 00001020 00000000 90000130"
        "02 00000000 00000010 00000004 00001030 00000000 90000150"
        "05 00000000 0000000c 00000000 00000000 00000000" // trace 0, of no thread
        "04 00000000 00000018 00000001 90000170 90000030 90000190 00000002 0000002a"
        "05 00000000 00000010 00000001 00000005 00000001 00000001"
        // 40 bytes of roots, 18 of heap infos, 204 of classes, 72 of objects.
        "1c 00000000 0000014e"
        // Neither a trace nor a frame (hprof.cc, MarkRootObject).
        "08 00002000 00000001 ffffffff"
        "03 00002000 00000001 ffffffff"
        "01 00002020 00003000"
        "05 00001000"
        "fe 00000041 900001b0"
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"
        "20 00001020 00000000 00001000 00002040 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"
        "20 00001030 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000"
        "21 00002000 00000000 00001010 00000008 00002010 fffffff9"
        // Neither signers nor a protection domain.
        "20 00001010 00000000 00001000 00002040 00000000 00000000 00000000 00000000 00000008 0000"
        "0002 900000f0 02 00002000 90000110 0b 0000000000000005"
        "0002 900000b0 02 900000d0 0a"
        "fe 0000005a 900001d0"
        "22 00002010 00000000 00000002 00001020 00002000 00000000"
        "23 00002020 00000000 00000002 0a 00000001 fffffffe"
        "2c 00000000 00000000"
    );
    check(&heap, &options("art"), &file, "art");
}

/// ART calls PRIMITIVE ARRAY NO DATA DUMP obsolete (hprof.cc). A dump that has one is written again with it.
#[test]
fn art_has_no_arrays_without_elements_but_for_those_that_a_dump_had() {
    let mut heap = small_heap(true, Numbers { thread: 1, of_trace: 5, trace: 1 });
    heap.objects.push(Object {
        length: Some(7),
        contents: Contents::Unknown,
        ..Object::new(Address(0x2030), ObjectKind::PrimitiveArray(PrimitiveType::Byte))
    });
    let refused = lower::to_bytes(&heap, &options("art")).expect_err("ART cannot say it");
    assert!(refused.to_string().contains("the contents of the object at 0x2030"), "{refused}");
    let mut elements = heap.clone();
    elements.objects.last_mut().expect("an object").contents = Contents::Primitives(vec![0; 7]);
    let file = lower::to_bytes(&elements, &options("art")).expect("the heap can be said");
    let array = hex!("23 00002030 00000000 00000007 08 00000000000000" "2c 00000000 00000000");
    let whole = file.strip_suffix(&array).expect("the array comes last");
    let mut old = [whole, &hex!("c3 00002030 00000000 00000007 08" "2c 00000000 00000000")].concat();
    let segment = old.windows(5).rposition(|bytes| bytes == hex!("1c 00000000")).expect("one segment");
    let length = (old.len() - 9 - segment - 9) as u32;
    old[segment + 5..segment + 9].copy_from_slice(&length.to_be_bytes());
    let (whole, ended) = lift::dump(|| Ok(Decoder::new(&old[..])?)).expect("a sound header");
    ended.expect("sound");
    let again = lower::to_bytes(&whole.dump.heaps[0], &options("art").adherence(Adherence::Heap));
    assert_eq!(spelled(&again.expect("the heap can be said")), spelled(&old));
}
