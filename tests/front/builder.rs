//! Heaps that are built by names.

use heapsmith::builder::{FieldInput, HeapBuilder, HeapSettings};
use heapsmith::generate::Library;
use heapsmith::model::{Address, ByteLen, Contents, Heap, Object, PrimitiveType, RootKind, WordSize};
use heapsmith::{Format, read};

fn object_of<'h>(heap: &'h Heap, class: &str) -> &'h Object {
    let class = heap.classes.iter().find(|known| known.name == class.into()).expect("a class").address;
    heap.objects.iter().find(|object| object.class == Some(class)).expect("an object")
}

/// Sizes as J9 has them: the header of an instance is a word (and a class, where references are compressed), that of an array
/// two words.
#[test]
fn works_out_sizes() {
    for (settings, expected) in [
        (HeapSettings::default(), [24, 32, 16]),
        (HeapSettings::default().compressed_references(true), [24, 32, 16]),
        (HeapSettings::default().word(WordSize::Bits32), [16, 24, 16]),
    ] {
        let mut heap = HeapBuilder::new(settings);
        let class = heap
            .class("A")
            .expect("it is there")
            .field("long", "a")
            .expect("it is there")
            .field("A", "b")
            .expect("it is there")
            .id();
        heap.object(class).expect("it is there");
        let ints = heap.class_named("int[]").expect("it is there");
        heap.array(ints, 4).expect("it is there");
        let bytes = heap.class_named("byte[]").expect("it is there");
        heap.array(bytes, 0).expect("it is there");
        let heap = heap.build().expect("it is there");
        let sizes: Vec<u64> = heap.objects.iter().map(|object| object.size.expect("it is there").0).collect();
        assert_eq!(sizes, expected, "{settings:?}");
        let class = heap.classes.iter().find(|class| class.name == "A".into()).expect("it is there");
        assert_eq!(class.instance_size, Some(ByteLen(expected[0])));
    }
}

#[test]
fn refuses_unknown_names_at_once() {
    let mut heap = HeapBuilder::new(HeapSettings::default());
    let order = heap
        .class("shop.Order")
        .expect("it is there")
        .field("int", "id")
        .expect("it is there")
        .field("byte", "kind")
        .expect("it is there")
        .id();
    let refused = [
        (heap.class_named("shop.Ordre").expect_err("a mistake"), "no class \"shop.Ordre\"; did you mean shop.Order?"),
        (
            heap.object(order).expect("it is there").set("idd", 1).expect_err("a mistake"),
            "no field \"idd\" in shop.Order; it has id, kind; did you mean id or kind?",
        ),
        (
            heap.object(order).expect("it is there").set("kind", 300).expect_err("a mistake"),
            "kind: 300 is no byte (-128 to 127)",
        ),
        (
            heap.object(order).expect("it is there").set("id", "x").expect_err("a mistake"),
            "id: \"x\" is no int (-2147483648 to 2147483647)",
        ),
        (
            heap.class("java.lang.String").expect_err("a mistake"),
            "java.lang.String is a class of the library; heap world=none leaves the library's classes out",
        ),
        (
            heap.class("A").expect("it is there").field("innt", "x").expect_err("a mistake"),
            "no type \"innt\"; did you mean int?",
        ),
        (
            heap.edit_class(order).field("int", "late").expect_err("a mistake"),
            "shop.Order has objects already: its fields and superclass come before them",
        ),
        (
            heap.root("jni-globl", Address(8)).expect_err("a mistake"),
            "no kind of root \"jni-globl\"; did you mean jni-global or jni-local?",
        ),
        (
            heap.instance("java.util.TreeMap").expect("it is there").entries([(1, 2)]).expect_err("a mistake"),
            "java.util.TreeMap is none of the collections whose layout is known: java.util.HashMap, java.util.LinkedHashMap, java.util.concurrent.ConcurrentHashMap, java.util.ArrayList, java.util.HashSet, java.util.LinkedHashSet",
        ),
    ];
    for (error, expected) in refused {
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn gives_addresses_past_those_that_are_given() {
    let mut heap = HeapBuilder::new(HeapSettings::default());
    let class = heap.class("A").expect("it is there").field("int", "n").expect("it is there").id();
    for n in 0..4 {
        let mut object = heap.object(class).expect("it is there").set("n", n).expect("it is there");
        // In the way of the automatic ones, which begin there.
        object.facts().address = (n == 2).then_some(Address(0x2000_0018));
    }
    let heap = heap.build().expect("it is there");
    let addresses: Vec<u64> = heap.objects.iter().map(|object| object.address.0).collect();
    // Objects of 16 bytes.
    assert_eq!(addresses, [0x2000_0000, 0x2000_0028, 0x2000_0018, 0x2000_0038]);
    let mut twice = HeapBuilder::new(HeapSettings::default());
    for _ in 0..2 {
        twice.instance("Object").expect("it is there").facts().address = Some(Address(0x4000));
    }
    assert_eq!(twice.build().expect_err("a mistake").to_string(), "two objects are given the address 0x4000");
}

/// The bytes of a text are Latin-1 or UTF-16, by the coder; in JDK 8 characters.
#[test]
fn lays_out_strings_as_library_does() {
    for (library, text, element, bytes, fields) in [
        (Library::Jdk17, "Aé", PrimitiveType::Byte, vec![0x41, 0xe9], 4),
        (Library::Jdk17, "€", PrimitiveType::Byte, vec![0xac, 0x20], 4),
        (Library::Jdk8, "A€", PrimitiveType::Char, vec![0, 0x41, 0x20, 0xac], 2),
        (Library::Android, "A", PrimitiveType::Char, vec![0, 0x41], 5),
    ] {
        let mut heap = HeapBuilder::new(HeapSettings::default().library(library));
        heap.string(text).expect("it is there");
        let heap = heap.build().expect("it is there");
        let Contents::Fields(values) = &object_of(&heap, "java/lang/String").contents else { panic!("an instance") };
        assert_eq!(values.len(), fields, "{library:?}");
        let array =
            heap.objects.iter().find(|object| matches!(object.contents, Contents::Primitives(_))).expect("it is there");
        assert_eq!(array.kind, heapsmith::model::ObjectKind::PrimitiveArray(element));
        assert_eq!(array.contents, Contents::Primitives(bytes), "{library:?}");
    }
}

#[test]
fn threads_have_traces_roots_and_locals() {
    let mut heap = HeapBuilder::new(HeapSettings::default().library(Library::Jdk21));
    let class = heap.class("A").expect("it is there").id();
    let held = heap.object(class).expect("it is there").id();
    let thread = heap.thread("main").expect("it is there");
    let frame = HeapBuilder::stack_frame(
        "run".into(),
        "()V".into(),
        Some("A.java".into()),
        heapsmith::builder::FrameLine::Line(7),
    );
    let number = heap.frame(thread, Some(class), frame);
    heap.local(thread, Some(number), held);
    heap.jni_local(thread, None, held);
    let key = heap.instance("java.lang.ThreadLocal").expect("it is there").id();
    heap.thread_local(thread, key, FieldInput::from("value")).expect("it is there");
    let heap = heap.build().expect("it is there");
    let parsed = read(heap.write(Format::HPROF).expect("it is there")).expect("it is there");
    let threads = parsed.surroundings.threads.expect("it is there");
    assert_eq!(threads.len(), 1);
    let trace = parsed
        .surroundings
        .traces
        .expect("it is there")
        .into_iter()
        .find(|trace| trace.serial == threads[0].trace.expect("it is there"))
        .expect("it is there");
    assert_eq!((trace.frames.len(), trace.frames[0].line, trace.frames[0].method.to_string()), (1, 7, "run".into()));
    let kinds: Vec<RootKind> =
        parsed.surroundings.roots.expect("it is there").into_iter().map(|root| root.kind).collect();
    assert!(kinds.contains(&RootKind::JavaFrame(threads[0].serial, 0)), "{kinds:?}");
    assert!(kinds.contains(&RootKind::JniLocal(threads[0].serial, -1)), "{kinds:?}");
}
