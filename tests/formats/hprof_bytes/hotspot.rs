//! HotSpot's files, and those of the serviceability agent.
//!
//! Identifiers of strings are heapsmith's own: 0x7f0000001010 and on, each 16 bytes and the text's length, rounded up
//! to 16, after the last. Which strings there are beside those in use, too.

use hex_literal::hex;

use super::writers::{HOTSPOT, check, framed, options, small_heap};

/// Strings, as every HotSpot has them: all in front.
const STRINGS: &[u8] = &hex!(
    "01 00000000 0000000e 00007f0000001010 3c696e69743e" // "<init>": most of the symbol table is in no use
    "01 00000000 0000000b 00007f0000001030 282956"       // "()V"
    "01 00000000 0000000c 00007f0000001050 436f6465"     // "Code"
    "01 00000000 00000018 00007f0000001070 6a6176612f6c616e672f4f626a656374" // "java/lang/Object"
    "01 00000000 00000009 00007f0000001090 41"           // "A"
    "01 00000000 0000000c 00007f00000010b0 6e657874"     // "next"
    "01 00000000 00000009 00007f00000010d0 6e"           // "n"
    "01 00000000 0000000c 00007f00000010f0 53454c46"     // "SELF"
    "01 00000000 0000000d 00007f0000001110 434f554e54"   // "COUNT"
);

/// CLASS DUMP of java/lang/Object: trace 1, no superclass, and nothing else.
const OBJECT: &[u8] = &hex!(
    "20 0000000000001000 00000001 0000000000000000 0000000000000000 0000000000000000 0000000000000000"
    "0000000000000000 0000000000000000 00000000 0000 0000 0000"
);

/// CLASS DUMP of A: loader, signers and protection domain; 12 bytes; no constant pool.
const CLASS_A: &[u8] = &hex!(
    "20 0000000000001010 00000001 0000000000001000 0000000000002040 0000000000002050 0000000000002060"
    "0000000000000000 0000000000000000 0000000c 0000"
    "0002 00007f00000010f0 02 0000000000002000 00007f0000001110 0b 0000000000000005"
    "0002 00007f00000010b0 02 00007f00000010d0 0a"
);

const INSTANCE: &[u8] = &hex!("21 0000000000002000 00000001 0000000000001010 0000000c 0000000000002010 fffffff9");
const INTS: &[u8] = &hex!("23 0000000000002020 00000001 00000002 0a 00000001 fffffffe");

/// The thread (1, trace 2), its local, a JNI global reference, a system class.
const ROOTS: &[u8] = &hex!(
    "08 0000000000002000 00000001 00000002"
    "03 0000000000002000 00000001 00000000"
    "01 0000000000002020 0000000000003000"
    "05 0000000000001000"
);

const END: &[u8] = &hex!("2c 00000000 00000000");

const HEADER_1_0_1: &[u8] = &hex!("4a41564120 50524f46494c4520 312e302e31 00 00000008 0000018b cfe56800");
const HEADER_1_0_2: &[u8] = &hex!("4a41564120 50524f46494c4520 312e302e32 00 00000008 0000018b cfe56800");

/// A file of HotSpot 21 or 25: each class is loaded once, and roots stand before objects. `frame` is the frame with its
/// trace.
fn new_file(frame: &[u8]) -> Vec<u8> {
    [
        HEADER_1_0_2,
        STRINGS,
        &hex!(
            "01 00000000 0000000c 00007f0000001130 5b4c413b"     // "[LA;"
            "01 00000000 0000000a 00007f0000001150 5b49"         // "[I"
            "01 00000000 0000000b 00007f0000001170 72756e"       // "run"
            "01 00000000 0000000e 00007f0000001190 412e6a617661" // "A.java"
            // Classes in the order of their dumps, which is that of their loading turned round, and primitive arrays
            // last; serials from 1, trace 1.
            "02 00000000 00000018 00000001 0000000000001020 00000001 00007f0000001130"
            "02 00000000 00000018 00000002 0000000000001010 00000001 00007f0000001090"
            "02 00000000 00000018 00000003 0000000000001000 00000001 00007f0000001070"
            "02 00000000 00000018 00000004 0000000000001030 00000001 00007f0000001150"
            // Trace 1, of thread 0, without frames.
            "05 00000000 0000000c 00000001 00000000 00000000"
        ),
        frame,
        // 336 bytes of classes, 60 of roots, 104 of objects.
        &hex!("1c 00000000 000001f4"),
        // Arrays have java/lang/Object above them, and their element's loader.
        &hex!(
            "20 0000000000001020 00000001 0000000000001000 0000000000002040 0000000000000000 0000000000000000"
            "0000000000000000 0000000000000000 00000000 0000 0000 0000"
        ),
        CLASS_A,
        OBJECT,
        &hex!(
            "20 0000000000001030 00000001 0000000000001000 0000000000000000 0000000000000000 0000000000000000"
            "0000000000000000 0000000000000000 00000000 0000 0000 0000"
        ),
        ROOTS,
        INSTANCE,
        &hex!("22 0000000000002010 00000001 00000002 0000000000001020 0000000000002000 0000000000000000"),
        INTS,
        END,
    ]
    .concat()
}

#[test]
fn hotspot_25_counts_frames_from_2() {
    let file = new_file(&hex!(
        "04 00000000 00000028 0000000000000002 00007f0000001170 00007f0000001030 00007f0000001190 00000002 0000002a"
        "05 00000000 00000014 00000002 00000001 00000001 0000000000000002"
    ));
    check(&small_heap(true, HOTSPOT), &options("hotspot-25"), &file, "hotspot-25");
}

#[test]
fn hotspot_21_counts_frames_from_1() {
    let file = new_file(&hex!(
        "04 00000000 00000028 0000000000000001 00007f0000001170 00007f0000001030 00007f0000001190 00000002 0000002a"
        "05 00000000 00000014 00000002 00000001 00000001 0000000000000001"
    ));
    // Only where segments end tells 21 from 25.
    check(&small_heap(true, HOTSPOT), &options("hotspot-21"), &file, "hotspot-25");
}

/// Strings, classes, traces: what 8, 11 and 17 have in front of a heap without arrays of objects.
const LOG: &[u8] = &hex!(
    "01 00000000 0000000b 00007f0000001130 72756e"       // "run"
    "01 00000000 0000000e 00007f0000001150 412e6a617661" // "A.java"
    // The class that was loaded last comes first.
    "02 00000000 00000018 00000001 0000000000001010 00000001 00007f0000001090"
    "02 00000000 00000018 00000002 0000000000001000 00000001 00007f0000001070"
    "05 00000000 0000000c 00000001 00000000 00000000"
    // Frames are counted from 1.
    "04 00000000 00000028 0000000000000001 00007f0000001130 00007f0000001030 00007f0000001150 00000001 0000002a"
    "05 00000000 00000014 00000002 00000001 00000001 0000000000000001"
);

/// Classes, objects, roots: 123 + 71, 37 + 26, 60 bytes.
fn body() -> Vec<u8> {
    let body = [CLASS_A, OBJECT, INSTANCE, INTS, ROOTS].concat();
    assert_eq!(body.len(), 317);
    body
}

#[test]
fn hotspot_17_and_11_write_roots_after_objects() {
    let segment = hex!("1c 00000000 0000013d");
    let file = [HEADER_1_0_2, STRINGS, LOG, &segment, &body(), END].concat();
    let heap = small_heap(false, HOTSPOT);
    // So little tells 11 from 17 by nothing.
    check(&heap, &options("hotspot-17"), &file, "hotspot-17");
    check(&heap, &options("hotspot-11"), &file, "hotspot-17");
    check(&heap, &framed("hotspot-11", 1), &file, "hotspot-17");
}

#[test]
fn hotspot_8_writes_one_heap_dump_with_its_length_and_no_end() {
    let file = [HEADER_1_0_1, STRINGS, LOG, &hex!("0c 00000000 0000013d"), &body()].concat();
    check(&small_heap(false, HOTSPOT), &options("hotspot-8"), &file, "hotspot-8");
}

#[test]
fn writes_times_of_adhering_heap_and_0_otherwise() {
    use heapsmith::hprof::{Decoder, lift, lower};
    use heapsmith::lower::Adherence;
    let mut heap = small_heap(false, HOTSPOT);
    heap.surroundings.times = Some((5, 7));
    for (profile, as_heap, read) in [("hotspot-17", (5, 7), (5, 7)), ("hotspot-8", (5, 5), (5, 5))] {
        for (adherence, expected, read) in [(Adherence::Writer, (0, 0), (0, 0)), (Adherence::Heap, as_heap, read)] {
            let options = options(profile).adherence(adherence);
            let mut heap = heap.clone();
            // In its own way a heap has its own log; here it has none, and so no names.
            heap.surroundings.events = Some(Vec::new()).filter(|_| adherence == Adherence::Heap);
            heap.classes.truncate(usize::from(adherence == Adherence::Writer) * 2);
            let carried = lower::carry(&mut heap, &options).expect("the heap can be said");
            assert_eq!(carried.surroundings.times, Some(expected), "{profile}");
            let file = lower::to_bytes(&heap, &options).expect("the heap can be said");
            let (whole, ended) = lift::dump(|| Ok(Decoder::new(&file[..])?)).expect("a sound header");
            ended.expect("sound");
            assert_eq!(whole.dump.heaps[0].surroundings.times, Some(read), "{profile}");
        }
    }
}

#[test]
fn identifiers_are_as_wide_as_a_pointer_unless_the_options_say_otherwise() {
    use heapsmith::hprof::{IdSize, lower};
    use heapsmith::model::WordSize;
    let size_of = |word, id_size, profile| {
        let mut heap = small_heap(true, HOTSPOT);
        heap.facts.word_size = word;
        let options = options(profile).id_size(id_size);
        lower::to_bytes(&heap, &options).expect("the heap can be said")[19..23].to_vec()
    };
    for profile in ["hotspot-25", "hotspot-21", "hotspot-17", "hotspot-11", "hotspot-8", "sa"] {
        assert_eq!(size_of(None, None, profile), hex!("00000008"));
        assert_eq!(size_of(Some(WordSize::Bits32), None, profile), hex!("00000004"));
        assert_eq!(size_of(Some(WordSize::Bits64), Some(IdSize::Four), profile), hex!("00000004"));
        assert_eq!(size_of(None, Some(IdSize::Two), profile), hex!("00000002"));
    }
    for profile in ["agent", "art"] {
        assert_eq!(size_of(Some(WordSize::Bits64), None, profile), hex!("00000004"));
        assert_eq!(size_of(None, Some(IdSize::Eight), profile), hex!("00000008"));
    }
}

/// HotSpot 11 and 17 go through the classes of each loader and write each one with the arrays of it, array classes
/// included, and then the arrays of primitive types once more.
#[test]
fn hotspot_17_loads_array_classes_after_element_and_again_in_place() {
    use heapsmith::hprof::lower;
    let written = lower::to_bytes(&small_heap(true, HOTSPOT), &options("hotspot-17")).expect("the heap can be said");
    let expected = hex!(
        "02 00000000 00000018 00000001 0000000000001020 00000001 00007f0000001130" // [LA;, by itself
        "02 00000000 00000018 00000002 0000000000001010 00000001 00007f0000001090" // A
        "02 00000000 00000018 00000003 0000000000001020 00000001 00007f0000001130" // [LA;, after A
        "02 00000000 00000018 00000004 0000000000001000 00000001 00007f0000001070" // java/lang/Object
        "02 00000000 00000018 00000005 0000000000001030 00000001 00007f0000001150" // [I, by itself
        "02 00000000 00000018 00000006 0000000000001030 00000001 00007f0000001150" // [I, at the end
        "05 00000000 0000000c 00000001 00000000 00000000"
    );
    assert!(written.windows(expected.len()).any(|window| window == expected));
}

/// Whatever place array classes have in the heap, and however many dimensions.
#[test]
fn hotspot_11_and_17_have_arrays_after_their_element_and_those_of_primitive_types_last() {
    use heapsmith::hprof::lower;
    use heapsmith::model::{Address, Class, Heap};
    let class = |address, name: &str, loader| Class {
        address: Address(address),
        name: super::dump::name(name),
        superclass: Some(Address(0)),
        loader: Some(Address(loader)),
        statics: Some(Vec::new()),
        fields: Some(Vec::new()),
        ..Class::default()
    };
    let classes = vec![
        class(0x10, "[[I", 0),
        class(0x11, "[[LA;", 7),
        class(0x12, "[LGone;", 0),
        class(0x13, "A", 0),
        class(0x14, "A", 7),
        class(0x15, "[C", 0),
        class(0x16, "[LA;", 7),
        class(0x17, "[I", 0),
        class(0x18, "[D", 0),
        class(0x19, "[LA;", 0),
        // Not seen: a second class of the same arrays follows nothing, and nothing follows it.
        class(0x1a, "[LA;", 7),
    ];
    let heap = Heap { classes, ..Heap::default() };
    let rows: [(&str, &[u64], &[u64]); 3] = [
        // By loader and name: 13 and its array 19, 14 and its arrays 16 and 11; [C, [D, [I, [[I in the end.
        (
            "hotspot-17",
            &[
                0x10, 0x11, 0x12, 0x13, 0x19, 0x14, 0x16, 0x11, 0x15, 0x16, 0x11, 0x17, 0x10, 0x18, 0x19, 0x1a, 0x15,
                0x18, 0x17, 0x10,
            ],
            &[0x12, 0x13, 0x19, 0x14, 0x16, 0x11, 0x1a, 0x15, 0x18, 0x17, 0x10],
        ),
        // 11 has [I and [[I before [D.
        (
            "hotspot-11",
            &[
                0x10, 0x11, 0x12, 0x13, 0x19, 0x14, 0x16, 0x11, 0x15, 0x16, 0x11, 0x17, 0x10, 0x18, 0x19, 0x1a, 0x15,
                0x17, 0x10, 0x18,
            ],
            &[0x12, 0x13, 0x19, 0x14, 0x16, 0x11, 0x1a, 0x15, 0x17, 0x10, 0x18],
        ),
        (
            "hotspot-25",
            &[0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a],
            &[0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a],
        ),
    ];
    for (profile, loaded, dumped) in rows {
        let written = lower::to_bytes(&heap, &options(profile)).expect("the heap can be said");
        let id = |at: usize| u64::from_be_bytes(written[at..at + 8].try_into().expect("eight bytes"));
        let (mut loads, mut dumps, mut at) = (Vec::new(), Vec::new(), 31);
        while at < written.len() {
            let length = u32::from_be_bytes(written[at + 5..at + 9].try_into().expect("four bytes")) as usize;
            match written[at] {
                0x02 => loads.push(id(at + 13)),
                // CLASS DUMPs of 71 bytes.
                0x1c => dumps.extend((at + 9..at + 9 + length).step_by(71).map(|at| id(at + 1))),
                _ => {}
            }
            at += 9 + length;
        }
        assert_eq!((loads.as_slice(), dumps.as_slice()), (loaded, dumped), "{profile}");
    }
}

/// What the serviceability agent writes of a class: neither signers nor a protection domain. No strings but its own
/// stand before it.
const CLASS_A_OF_SA: &[u8] = &hex!(
    "20 0000000000001010 00000001 0000000000001000 0000000000002040 0000000000000000 0000000000000000"
    "0000000000000000 0000000000000000 0000000c 0000"
    "0002 00007f0000001070 02 0000000000002000 00007f0000001090 0b 0000000000000005"
    "0002 00007f0000001030 02 00007f0000001050 0a"
);

/// The thread has trace 1, as every thread.
const ROOTS_OF_SA: &[u8] = &hex!("08 0000000000002000 00000001 00000001" "02 0000000000002000 00000001 ffffffff");

/// A heap that has nothing which the serviceability agent would leave out.
fn heap_of_sa() -> heapsmith::model::Heap {
    use heapsmith::model::{Address, Root, RootKind, Serial};
    let mut heap = small_heap(false, HOTSPOT);
    heap.classes[1].signers = None;
    heap.classes[1].protection_domain = None;
    let root = |kind| Root { object: Address(0x2000), kind, after: None };
    heap.surroundings.roots =
        Some(vec![root(RootKind::ThreadObject(Serial(1), Serial(1))), root(RootKind::JniLocal(Serial(1), -1))]);
    heap
}

#[test]
fn the_serviceability_agent_frames_a_heap_in_three_ways() {
    use heapsmith::hprof::lower;
    let heap = heap_of_sa();
    // 123 + 71 + 37 + 26 + 17 + 17 bytes.
    let whole: &[&[u8]] = &[&hex!("0c 00000000 00000123"), CLASS_A_OF_SA, OBJECT, INSTANCE, INTS, ROOTS_OF_SA];
    // Compressing, on 17: the array alone.
    let arrays: &[&[u8]] = &[
        &hex!("1c 00000000 000000e7"),
        CLASS_A_OF_SA,
        OBJECT,
        INSTANCE,
        &hex!("1c 00000000 0000001a"),
        INTS,
        &hex!("1c 00000000 00000022"),
        ROOTS_OF_SA,
        END,
    ];
    // Compressing, on 25: everything alone.
    let (thread, local) = ROOTS_OF_SA.split_at(17);
    let each: &[&[u8]] = &[
        &hex!("1c 00000000 0000007b"),
        CLASS_A_OF_SA,
        &hex!("1c 00000000 00000047"),
        OBJECT,
        &hex!("1c 00000000 00000025"),
        INSTANCE,
        &hex!("1c 00000000 0000001a"),
        INTS,
        &hex!("1c 00000000 00000011"),
        thread,
        &hex!("1c 00000000 00000011"),
        local,
        END,
    ];
    for (number, expected) in [whole, arrays, each].into_iter().enumerate() {
        let written = lower::to_bytes(&heap, &framed("sa", number)).expect("the heap can be said");
        assert!(written.starts_with(HEADER_1_0_2), "framing {number}");
        let expected = expected.concat();
        assert!(written.ends_with(&expected), "framing {number}: {}", super::dump::spelled(&written));
    }
}

/// Strings stand where they are first used, and only those that are; trace 1 is written twice.
#[test]
fn the_serviceability_agent_writes_strings_before_their_use_and_trace_1_twice() {
    let trace_1 = hex!("05 00000000 0000000c 00000001 00000000 00000000");
    let log = hex!(
        "01 00000000 00000009 00007f0000001010 41"           // "A"
        "01 00000000 0000000c 00007f0000001030 6e657874"     // "next"
        "01 00000000 00000009 00007f0000001050 6e"           // "n"
        "01 00000000 0000000c 00007f0000001070 53454c46"     // "SELF"
        "01 00000000 0000000d 00007f0000001090 434f554e54"   // "COUNT"
        "01 00000000 00000018 00007f00000010b0 6a6176612f6c616e672f4f626a656374" // "java/lang/Object"
        "02 00000000 00000018 00000001 0000000000001010 00000001 00007f0000001010"
        "02 00000000 00000018 00000002 0000000000001000 00000001 00007f00000010b0"
    );
    let frame = hex!(
        "01 00000000 0000000b 00007f00000010d0 72756e"       // "run"
        "01 00000000 0000000b 00007f00000010f0 282956"       // "()V"
        "01 00000000 0000000e 00007f0000001110 412e6a617661" // "A.java"
        "04 00000000 00000028 0000000000000001 00007f00000010d0 00007f00000010f0 00007f0000001110 00000001 0000002a"
        "05 00000000 00000014 00000002 00000001 00000001 0000000000000001"
    );
    let head = hex!("0c 00000000 00000123");
    let parts =
        [HEADER_1_0_2, &trace_1, &log, &trace_1, &frame, &head, CLASS_A_OF_SA, OBJECT, INSTANCE, INTS, ROOTS_OF_SA];
    check(&heap_of_sa(), &options("sa"), &parts.concat(), "sa");
}

/// The serviceability agent gives neither signers nor protection domains, and every thread has trace 1. A thread's
/// JNI locals follow it, of no frame, and there are no other roots: it goes from thread to thread, so that a local of a
/// thread that is no root cannot be among them.
#[test]
fn the_serviceability_agent_leaves_out_signers_and_protection_domains() {
    use heapsmith::hprof::lower;
    use heapsmith::model::{Address, Root, RootKind, Serial};
    let mut heap = small_heap(false, HOTSPOT);
    let root = |object, kind| Root { object: Address(object), kind, after: None };
    heap.surroundings.roots.get_or_insert_default().extend([
        root(0x2020, RootKind::ThreadObject(Serial(7), Serial(8))),
        root(0x2020, RootKind::JniLocal(Serial(9), 3)),
        root(0x2010, RootKind::JniLocal(Serial(1), 2)),
        root(0x2000, RootKind::Unknown),
        root(0x2000, RootKind::JniLocal(Serial(1), -1)),
        root(0x2000, RootKind::MonitorUsed),
    ]);
    let expected = [
        CLASS_A_OF_SA,
        OBJECT,
        INSTANCE,
        INTS,
        &hex!(
            "08 0000000000002000 00000001 00000001"
            "02 0000000000002010 00000001 ffffffff"
            "02 0000000000002000 00000001 ffffffff"
            "08 0000000000002020 00000007 00000001"
        ),
    ];
    let written = lower::to_bytes(&heap, &options("sa")).expect("the heap can be said");
    assert!(written.ends_with(&expected.concat()), "{}", super::dump::spelled(&written));
}
