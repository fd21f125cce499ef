//! What each writer makes of one heap, by hand.

use heapsmith::classic::Encoding;
use heapsmith::lower::Adherence;
use heapsmith::model::{Address, Class, Contents, Field, FieldType, Heap, ObjectKind, PrimitiveType, WordSize};
use pretty_assertions::assert_eq;

use super::heap::{options, small, whole, written};

fn text(heap: &Heap, profile: &str) -> String {
    let bytes = written(heap, &options(profile, Encoding::default())).expect("writable");
    String::from_utf8(bytes).expect("text")
}

/// Neither nulls nor class blocks; elements from the last to the first; of a class its loader and statics, where a loader
/// that is null counts as a null reference; `[[I` counts as primitive.
const OPENJ9_32: &str = "\
// Version: JRE 1.8.0 Linux amd64-64 (build 1.8.0_232-b09)
0x00001000 [24] OBJ pkg/Foo
\t0x00001180\x20
0x00001040 [32] OBJ [I
\t
0x00001080 [32] OBJ [Lpkg/Foo;
\t0x00001180 0x00001000\x20
0x00001100 [24] OBJ [[I
\t0x00001040\x20
0x00001140 [16] OBJ java/lang/Object
\t
0x00001180 [32] OBJ pkg/Sub
\t0x00001080 0x00001040\x20
0x00009000 [64] CLS java/lang/Object
\t
0x00009100 [40] CLS java/lang/Runnable
\t
0x00009200 [96] CLS pkg/Foo
\t0x00001180 0x00001040\x20
0x00009300 [80] CLS pkg/Sub
\t
0x00009400 [32] CLS [I
\t
0x00009500 [32] CLS [Lpkg/Foo;
\t
// Breakdown - Classes: 6, Objects: 3, ObjectArrays: 1, PrimitiveArrays: 2
// EOF:  Total 'Objects',Refs(null) : 12,17(9)
";

const OPENJ9_64: &str = "\
// Version: JRE 1.8.0 Linux amd64-64 (build 1.8.0_232-b09)
0x0000000000001000 [24] OBJ pkg/Foo
\t0x0000000000001180\x20
0x0000000000001040 [32] OBJ [I
\t
0x0000000000001080 [32] OBJ [Lpkg/Foo;
\t0x0000000000001180 0x0000000000001000\x20
0x0000000000001100 [24] OBJ [[I
\t0x0000000000001040\x20
0x0000000000001140 [16] OBJ java/lang/Object
\t
0x0000000000001180 [32] OBJ pkg/Sub
\t0x0000000000001080 0x0000000000001040\x20
0x0000000000009000 [64] CLS java/lang/Object
\t
0x0000000000009100 [40] CLS java/lang/Runnable
\t
0x0000000000009200 [96] CLS pkg/Foo
\t0x0000000000001180 0x0000000000001040\x20
0x0000000000009300 [80] CLS pkg/Sub
\t
0x0000000000009400 [32] CLS [I
\t
0x0000000000009500 [32] CLS [Lpkg/Foo;
\t
// Breakdown - Classes: 6, Objects: 3, ObjectArrays: 1, PrimitiveArrays: 2
// EOF:  Total 'Objects',Refs(null) : 12,17(9)
";

/// The class block first, nulls with all their digits, elements by index; a class lists superclasses and interfaces,
/// then statics and the loader. The class of `[[I` is `[[I`'s own, which has no class record here.
const IBM_32: &str = "\
// Version: JRE 1.8.0 Linux amd64-64 (build 1.8.0_232-b09)
0x00001000 [24] OBJ pkg/Foo
\t0x00009200 0x00001180\x20
0x00001040 [32] OBJ [I
\t0x00009400\x20
0x00001080 [32] OBJ [Lpkg/Foo;
\t0x00009500 0x00001000 0x00000000 0x00001180\x20
0x00001100 [24] OBJ [[I
\t0x00009600 0x00001040 0x00000000\x20
0x00001140 [16] OBJ java/lang/Object
\t0x00009000\x20
0x00001180 [32] OBJ pkg/Sub
\t0x00009300 0x00001080 0x00001040 0x00000000\x20
0x00009000 [64] CLS java/lang/Object
\t
0x00009100 [40] CLS java/lang/Runnable
\t
0x00009200 [96] CLS pkg/Foo
\t0x00009000 0x00009100 0x00001040 0x00000000 0x00001180\x20
0x00009300 [80] CLS pkg/Sub
\t0x00009000 0x00009200\x20
0x00009400 [32] CLS [I
\t0x00009000\x20
0x00009500 [32] CLS [Lpkg/Foo;
\t0x00009000\x20
// Breakdown - Classes: 6, Objects: 3, ObjectArrays: 2, PrimitiveArrays: 1
// EOF: Total 'Objects',Refs(null) : 12,24(4)
";

/// Nulls as 0x0, elements from the last to the first; a class lists statics, protection domain, constant pool,
/// superclasses and loader; no spaces after the colons of the trailers.
const JDMPVIEW_64: &str = "\
// Version: JRE 1.8.0 Linux amd64-64 (build 1.8.0_232-b09)
0x0000000000001000 [24] OBJ pkg/Foo
\t0x0000000000001180\x20
0x0000000000001040 [32] OBJ [I
\t
0x0000000000001080 [32] OBJ [Lpkg/Foo;
\t0x0000000000001180 0x0 0x0000000000001000\x20
0x0000000000001100 [24] OBJ [[I
\t0x0 0x0000000000001040\x20
0x0000000000001140 [16] OBJ java/lang/Object
\t
0x0000000000001180 [32] OBJ pkg/Sub
\t0x0000000000001080 0x0000000000001040 0x0\x20
0x0000000000009000 [64] CLS java/lang/Object
\t
0x0000000000009100 [40] CLS java/lang/Runnable
\t
0x0000000000009200 [96] CLS pkg/Foo
\t0x0000000000001040 0x0 0x0000000000001100 0x0000000000001080 0x0000000000009000 0x0000000000001180\x20
0x0000000000009300 [80] CLS pkg/Sub
\t0x0000000000009000 0x0000000000009200\x20
0x0000000000009400 [32] CLS [I
\t0x0000000000009000\x20
0x0000000000009500 [32] CLS [Lpkg/Foo;
\t0x0000000000009000\x20
// Breakdown - Classes:6, Objects:3, ObjectArrays:2, PrimitiveArrays:1
// EOF: Total 'Objects',Refs(null) :12,19(4)
";

#[test]
fn openj9_lists_neither_nulls_nor_classes_and_counts_nulls() {
    assert_eq!(text(&small(WordSize::Bits32), "openj9"), OPENJ9_32);
    assert_eq!(text(&small(WordSize::Bits64), "openj9"), OPENJ9_64);
}

#[test]
fn writes_requested_word_size() {
    let wished = options("openj9", Encoding::default()).word(WordSize::Bits32);
    let bytes = written(&small(WordSize::Bits64), &wished).expect("writable");
    assert_eq!(String::from_utf8_lossy(&bytes), OPENJ9_32);
}

#[test]
fn ibm_lists_class_blocks_first_and_every_null() {
    let mut heap = small(WordSize::Bits32);
    heap.objects[4].class = Some(Address(0x9600));
    assert_eq!(text(&heap, "ibm-j9"), IBM_32);
    let wide = small_digits(IBM_32);
    let mut heap = small(WordSize::Bits64);
    heap.objects[4].class = Some(Address(0x9600));
    assert_eq!(text(&heap, "ibm-j9"), wide);
}

#[test]
fn jdmpview_lists_nulls_as_one_digit() {
    assert_eq!(text(&small(WordSize::Bits64), "jdmpview"), JDMPVIEW_64);
    assert_eq!(small_digits(&text(&small(WordSize::Bits32), "jdmpview")), JDMPVIEW_64);
}

/// 8 more digits in each address.
fn small_digits(text: &str) -> String {
    text.replace("0x0000", "0x000000000000")
}

/// The slots of class objects as the heap's java/lang/Class declares them: loader, protection domain, and one that is not
/// known, which is null.
#[test]
fn openj9_lists_and_counts_the_slots_of_class_objects() {
    let mut heap = small(WordSize::Bits32);
    let field = |name: &str, kind| Field { name: name.into(), kind };
    let slots = ["classLoader", "protectionDomain", "classNameString"].map(|name| field(name, FieldType::Object));
    let reference = field("vmRef", FieldType::Primitive(PrimitiveType::Long));
    let of_all = heap.classes[0].clone();
    heap.classes.push(Class {
        address: Address(0x9600),
        name: "java/lang/Class".into(),
        fields: Some([vec![reference], slots.to_vec()].concat()),
        ..of_all
    });
    let text = text(&heap, "openj9");
    assert!(text.contains("CLS pkg/Foo\n\t0x00001180 0x00001100 0x00001040 \n"), "{text}");
    // Seven classes of three slots each, 21 beside the 11 of objects and statics; all but two of pkg/Foo's are null.
    assert!(text.contains("Refs(null) : 13,32(23)"), "{text}");
}

#[test]
fn without_a_version_text_openj9_begins_with_the_line_break_of_the_next_record() {
    for (profile, start) in [
        ("openj9", "\n0x00001000 [24] OBJ pkg/Foo\n"),
        ("ibm-j9", "0x00001000 [24] OBJ pkg/Foo\n"),
        ("jdmpview", "0x00001000 [24] OBJ pkg/Foo\n"),
    ] {
        let mut heap = small(WordSize::Bits32);
        heap.facts.version_text = None;
        heap.objects[4].class = Some(Address(0x9600));
        let text = text(&heap, profile);
        assert!(text.starts_with(start), "{profile}: {text}");
        assert_eq!(whole(text.as_bytes()).facts.version_text, None);
    }
}

#[test]
fn a_dump_of_nothing_has_its_trailers() {
    let mut heap = Heap::default();
    let breakdown = "// Breakdown - Classes: 0, Objects: 0, ObjectArrays: 0, PrimitiveArrays: 0\n";
    assert_eq!(text(&heap, "openj9"), format!("\n{breakdown}// EOF:  Total 'Objects',Refs(null) : 0,0(0)\n"));
    assert_eq!(text(&heap, "ibm-j9"), format!("{breakdown}// EOF: Total 'Objects',Refs(null) : 0,0(0)\n"));
    heap.facts.version_text = Some("x".into());
    let tight = "\
// Version: x
// Breakdown - Classes:0, Objects:0, ObjectArrays:0, PrimitiveArrays:0
// EOF: Total 'Objects',Refs(null) :0,0(0)
";
    assert_eq!(text(&heap, "jdmpview"), tight);
    let read = whole(tight.as_bytes());
    assert_eq!((read.classes.len(), read.objects.len(), read.facts.null_references), (0, 0, Some(0)));
}

#[test]
fn keeps_order_of_adhering_heap() {
    let heap = small(WordSize::Bits32);
    let own = options("openj9", Encoding::default()).adherence(Adherence::Heap);
    let bytes = written(&heap, &own).expect("writable");
    let text = String::from_utf8(bytes).expect("text");
    // The class that stands after two objects does so; classes that say nothing of it stand last.
    let order: Vec<&str> = text.lines().filter(|l| l.starts_with("0x")).map(|l| &l[6..10]).collect();
    assert_eq!(order, ["1180", "1000", "9300", "1040", "1080", "1100", "1140", "9000", "9100", "9200", "9400", "9500"]);
    let read = whole(text.as_bytes());
    assert_eq!(read.classes[0].after_objects, Some(2));
    assert_eq!(read.classes[1].after_objects, Some(6));
}

/// Arrays of arrays of a primitive type hold references, however they are counted.
#[test]
fn arrays_of_several_dimensions_are_named_and_counted_by_dialect() {
    for (name, kind) in [
        ("[[I", "0, ObjectArrays: 0, PrimitiveArrays: 1"),
        ("[[[J", "0, ObjectArrays: 0, PrimitiveArrays: 1"),
        ("[Z", "0, ObjectArrays: 0, PrimitiveArrays: 1"),
        ("[[Lpkg/A;", "0, ObjectArrays: 1, PrimitiveArrays: 0"),
        ("[LA;", "0, ObjectArrays: 1, PrimitiveArrays: 0"),
        // No array has such a type; it is counted as what it looks like.
        ("[[X", "0, ObjectArrays: 1, PrimitiveArrays: 0"),
        ("I", "1, ObjectArrays: 0, PrimitiveArrays: 0"),
    ] {
        let mut heap = small(WordSize::Bits32);
        heap.classes.clear();
        heap.objects.drain(..4);
        heap.objects.truncate(1);
        heap.objects[0].class_name = Some(name.into());
        let native = text(&heap, "openj9");
        assert!(native.contains(&format!("OBJ {name}\n")), "{name}");
        assert!(native.contains(&format!("// Breakdown - Classes: 0, Objects: {kind}\n")), "{name}: {native}");
    }
    let read = whole(OPENJ9_32.as_bytes());
    assert_eq!(read.objects[3].kind, ObjectKind::ObjectArray);
    assert_eq!(read.objects[3].contents, Contents::References(vec![Address(0x1040)]));
}

#[test]
fn reads_facts_of_each_dialect() {
    let read = whole(OPENJ9_32.as_bytes());
    assert_eq!(read.facts.word_size, Some(WordSize::Bits32));
    assert_eq!(read.facts.null_references, Some(9));
    assert_eq!(read.facts.version_text, Some("JRE 1.8.0 Linux amd64-64 (build 1.8.0_232-b09)".into()));
    assert_eq!((read.objects[0].class, read.objects[0].class_word), (Some(Address(0x9200)), None));
    assert_eq!(read.objects[1].contents, Contents::Unknown);
    assert_eq!(read.objects[3].class, None);

    let read = whole(JDMPVIEW_64.as_bytes());
    assert_eq!((read.facts.word_size, read.facts.null_references), (Some(WordSize::Bits64), None));
    let elements = [0x1180, 0, 0x1000].map(Address).to_vec();
    assert_eq!(read.objects[2].contents, Contents::References(elements));

    // Where each first reference is a class of the object's type, it is the class block.
    let blocks = IBM_32.replace("// Breakdown", "0x00009600 [32] CLS [[I\n\t0x00009000 \n// Breakdown");
    let read = whole(blocks.as_bytes());
    assert_eq!((read.objects[3].class, read.objects[3].class_word), (Some(Address(0x9600)), None));
    assert_eq!(read.objects[3].contents, Contents::References([0x1040, 0].map(Address).to_vec()));
    assert_eq!(read.objects[1].contents, Contents::Unknown);
    // Where one is not, none is.
    let read = whole(IBM_32.as_bytes());
    assert_eq!(read.objects[0].contents, Contents::References([0x9200, 0x1180].map(Address).to_vec()));
}

#[test]
fn addresses_beyond_32_bits_are_refused_in_32_bit_dumps() {
    let options = |word| options("openj9", Encoding::default()).word(word);
    let refused = |change: fn(&mut Heap)| {
        let mut heap = small(WordSize::Bits64);
        change(&mut heap);
        assert!(written(&heap, &options(WordSize::Bits64)).is_ok());
        written(&heap, &options(WordSize::Bits32)).expect_err("too wide").to_string()
    };
    let expected = "address 0x100000000 does not fit the dump's 32-bit words";
    assert_eq!(refused(|heap| heap.objects[0].address = Address(0x1_0000_0000)), expected);
    assert_eq!(refused(|heap| heap.classes[1].address = Address(0x1_0000_0000)), expected);
    assert_eq!(refused(|heap| heap.objects[3].contents = Contents::Elements(vec![Address(1 << 32)])), expected);
    let mut widest = small(WordSize::Bits32);
    widest.objects[0].address = Address(0xffff_ffff);
    let text = text(&widest, "openj9");
    assert!(text.contains("\n0xFFFFFFFF [32] OBJ pkg/Sub\n"), "{text}");
}

#[test]
fn requires_facts_that_heap_lacks() {
    let refused = |profile: &str, change: fn(&mut Heap)| {
        let mut heap = small(WordSize::Bits32);
        change(&mut heap);
        written(&heap, &options(profile, Encoding::default())).expect_err("unknown").to_string()
    };
    let size = refused("openj9", |heap| heap.objects[2].size = None);
    assert_eq!(size, "the size of the object at 0x1040 is unknown, and the format needs it");
    let size = refused("jdmpview", |heap| heap.classes[0].class_object_size = None);
    assert_eq!(size, "the size of the object at 0x9000 is unknown, and the format needs it");
    let inside = refused("openj9", |heap| heap.objects[0].contents = Contents::Unknown);
    assert_eq!(inside, "what it refers to of the object at 0x1180 is unknown, and the format needs it");
    let statics = refused("openj9", |heap| heap.classes[2].statics = None);
    assert_eq!(statics, "what it refers to of the object at 0x9200 is unknown, and the format needs it");
    // `[[I` has no class record here.
    let block = refused("ibm-j9", |_| ());
    assert_eq!(block, "the class of the object at 0x1100 is unknown, and the format needs it");
}
