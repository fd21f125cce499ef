//! Heap files of heaps that are spelled by hand.

use pretty_assertions::assert_eq;

use super::*;
use crate::model::{
    ByteLen, Class, Contents, Event, EventKind, Facts, Field, FieldType, HashRegime, IdentityHash, Object, ObjectKind,
    PoolEntry, PrimitiveType, Region, Root, RootKind, Serial, StackFrame, StackTrace, Static, Surroundings, TextId,
    Thread, Value, WordSize,
};

const REFERENCE: FieldType = FieldType::Object;
const INT: FieldType = FieldType::Primitive(PrimitiveType::Int);
const BYTE: FieldType = FieldType::Primitive(PrimitiveType::Byte);

fn text(heap: &Heap, options: &DescribeOptions) -> String {
    let dump = Dump { heaps: vec![heap.clone()], tail: Vec::new() };
    let mut text = Vec::new();
    describe(&dump, options, &mut text).unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(text).expect("text")
}

fn refusal(heap: &Heap) -> String {
    let dump = Dump { heaps: vec![heap.clone()], tail: Vec::new() };
    let mut text = Vec::new();
    let error = describe(&dump, &DescribeOptions::default(), &mut text).expect_err("a refusal");
    assert!(text.is_empty(), "written before the error");
    error.to_string()
}

fn class(address: u64, name: &str, superclass: u64, fields: &[(&str, FieldType)]) -> Class {
    let fields = fields.iter().map(|(name, kind)| Field { name: (*name).into(), kind: *kind });
    Class {
        address: Address(address),
        name: name.into(),
        superclass: Some(Address(superclass)),
        fields: Some(fields.collect()),
        ..Class::default()
    }
}

fn object(address: u64, class: u64, values: Vec<Value>) -> Object {
    Object {
        class: Some(Address(class)),
        contents: Contents::Fields(values),
        ..Object::new(Address(address), ObjectKind::Instance)
    }
}

fn bytes(address: u64, class: u64, bytes: &[u8]) -> Object {
    Object {
        class: Some(Address(class)),
        length: Some(bytes.len() as u64),
        contents: Contents::Primitives(bytes.to_vec()),
        ..Object::new(Address(address), ObjectKind::PrimitiveArray(PrimitiveType::Byte))
    }
}

fn reference_to(address: u64) -> Value {
    Value::reference(Address(address))
}

fn int(number: i32) -> Value {
    Value::primitive(PrimitiveType::Int, number as u32 as u64)
}

fn byte(number: u8) -> Value {
    Value::primitive(PrimitiveType::Byte, number.into())
}

/// Orders with texts: one has a String of its own, and two share one.
fn orders() -> Heap {
    let string = [("value", REFERENCE), ("coder", BYTE), ("hash", INT)];
    let order = [("id", INT), ("text", REFERENCE), ("next", REFERENCE)];
    let mut statics = class(0x50, "shop/Shop", 0x10, &[]);
    statics.statics = Some(vec![
        Static { name: "count".into(), value: int(3) },
        Static { name: "first".into(), value: reference_to(0x100) },
        Static { name: "last".into(), value: reference_to(0) },
    ]);
    Heap {
        classes: vec![
            class(0x10, "java/lang/Object", 0, &[]),
            class(0x20, "java/lang/String", 0x10, &string),
            class(0x30, "[B", 0x10, &[]),
            class(0x40, "shop/Order", 0x10, &order),
            statics,
            class(0x60, "[Lshop/Order;", 0x10, &[]),
        ],
        objects: vec![
            object(0x300, 0x40, vec![int(-7), reference_to(0x140), reference_to(0x9999)]),
            object(0x100, 0x40, vec![int(1), reference_to(0x120), reference_to(0x200)]),
            object(0x200, 0x40, vec![int(0), reference_to(0x140), reference_to(0x300)]),
            object(0x120, 0x20, vec![reference_to(0x130), byte(0), int(0)]),
            bytes(0x130, 0x30, b"@one {"),
            object(0x140, 0x20, vec![reference_to(0x150), byte(1), int(0x20ac)]),
            bytes(0x150, 0x30, b"\xac\x20"),
            bytes(0x160, 0x30, b""),
            bytes(0x170, 0x30, b"\0\0\0"),
            Object {
                class: Some(Address(0x60)),
                length: Some(3),
                contents: Contents::Elements(vec![Address(0x100), Address(0), Address(0x40)]),
                ..Object::new(Address(0x180), ObjectKind::ObjectArray)
            },
        ],
        surroundings: Surroundings {
            roots: Some(vec![
                Root { object: Address(0x180), kind: RootKind::JniGlobal(Address(0x7)), after: Some(0) },
                Root { object: Address(0x40), kind: RootKind::StickyClass, after: None },
            ]),
            ..Surroundings::default()
        },
        ..Heap::default()
    }
}

#[test]
fn describes_objects_by_name_with_texts_in_place() {
    assert_eq!(
        text(&orders(), &DescribeOptions::default()),
        "\
// 6 classes and 10 objects
// Not written without --exact: 16 addresses, the order of the file
heap world=none
class java.lang.Object
class java.lang.String extends=java.lang.Object { Object value; byte coder; int hash }
class shop.Order extends=java.lang.Object { int id; Object text; Object next }
class shop.Shop extends=java.lang.Object { static int count 3; static Object first @order1; static Object last }
object order1 shop.Order id=1 text=\"@@one \\u{7b}\" next=@order2
string string2 \"€\" hash=8364
array bytes3 \"byte[]\"
array bytes4 \"byte[]\" length=3
array orders1 \"shop.Order[]\" @order1 #null @class:shop.Order
object order2 shop.Order text=@string2 next=@order3
object order3 shop.Order id=-7 text=@string2 next=@0x9999
root jni-global @orders1 reference=0x7
root sticky-class @class:shop.Order
"
    );
}

#[test]
fn describes_exactly_with_every_address_in_the_order_of_the_file() {
    let mut heap = orders();
    heap.classes.truncate(3);
    heap.objects = vec![bytes(0x300, 0x30, b"ab"), object(0x100, 0x20, vec![reference_to(0x300), byte(0), int(0)])];
    heap.objects[0].hash = Some(IdentityHash::Bits32(0x1234));
    heap.objects[0].size = Some(ByteLen(24));
    heap.objects[1].trace = Some(Serial(1));
    heap.classes[1].serial = Some(Serial(2));
    heap.classes[1].instance_size = Some(ByteLen(9));
    heap.classes[1].after_objects = Some(1);
    heap.classes[1].constant_pool = Some(vec![PoolEntry { index: 7, value: reference_to(0x300) }]);
    heap.facts = Facts {
        word_size: Some(WordSize::Bits32),
        version_text: Some("J9 \u{7}".into()),
        hash_regime: Some(HashRegime::WhereUsed32),
        ..Facts::default()
    };
    let event = |kind| Event::new(5, 2, kind);
    heap.surroundings = Surroundings {
        roots: Some(vec![Root { object: Address(0x100), kind: RootKind::JavaFrame(Serial(1), -1), after: Some(4) }]),
        threads: Some(vec![Thread { serial: Serial(1), object: Address(0x100), name: Some("".into()), trace: None }]),
        traces: Some(vec![StackTrace {
            serial: Serial(2),
            thread: Serial(1),
            frames: [
                StackFrame {
                    method: "run".into(),
                    signature: "()V".into(),
                    source: Some("Main.java".into()),
                    class: Some(Address(0x20)),
                    line: 42,
                },
                StackFrame { method: "a.b".into(), class: None, line: -3, ..StackFrame::default() },
                StackFrame { method: "<init>".into(), class: Some(Address(0x99)), line: -7, ..StackFrame::default() },
            ]
            .into(),
        }]),
        events: Some(vec![
            event(EventKind::Text(TextId(0x10), "{#".into())),
            Event { repeats: 2, ..event(EventKind::EndThread(Serial(1))) },
        ]),
        times: Some((3, 4)),
        ..Surroundings::default()
    };
    let options = DescribeOptions::default().exact(true);
    assert_eq!(
        text(&heap, &options),
        "\
// 3 classes and 2 objects
heap world=none word=32 instance-sizes=fields
header version=\"J9 \\u{7}\" hashes=where-used-32 dumped=\"3 4\"
class java.lang.Object @address=0x10
class java.lang.String extends=java.lang.Object @address=0x20 @size=9 @serial=2 @after=1 { Object value; byte coder; int hash; @constant 7 Object @bytes1 }
class \"byte[]\" extends=java.lang.Object @address=0x30
array bytes1 \"byte[]\" hex=\"6162\" @address=0x300 @hash=0x1234 @size=24
object string1 java.lang.String value=@bytes1 @address=0x100 @trace=1
root java-frame @string1 thread=1 frame=-1 @after=4
@trace 2 thread=1 {
    frame java.lang.String.run file=Main.java line=42
    frame a.b class=#null signature=\"\" line=native
    frame <init> class=@0x99 signature=\"\" line=(bits)-7
}
@thread 1 object=@string1 name=\"\"
@event #\"{\"kind\":\"event\",\"after\":2,\"time\":5,\"event\":\"text\",\"id\":\"0x10\",\"text\":\"\\u007b\\u0023\"}\"#
@event #\"{\"kind\":\"event\",\"after\":2,\"time\":5,\"event\":\"end-thread\",\"serial\":1}\"# times=3
"
    );
}

/// As PHD and classic text have them: references without fields, arrays without contents, and classes that are not there.
#[test]
fn describes_references_lengths_and_classes_that_are_not_in_the_heap() {
    let mut node = class(0x10, "Node", 0x70, &[]);
    (node.fields, node.instance_size) = (None, Some(ByteLen(24)));
    node.references = Some(vec![Address(0x100)]);
    node.hash = Some(IdentityHash::Bits16(0xbeef));
    let mut unnamed = class(0x18, "", 0, &[]);
    (unnamed.fields, unnamed.superclass) = (None, None);
    let listed = |address: u64, kind, word: u64, references: &[u64]| Object {
        class_word: Some(Address(word)),
        contents: Contents::References(references.iter().copied().map(Address).collect()),
        ..Object::new(Address(address), kind)
    };
    let instance = |address, class: u64, references: &[u64]| Object {
        class: Some(Address(class)),
        ..listed(address, ObjectKind::Instance, class, references)
    };
    let primitives = |address, kind| Object::new(Address(address), ObjectKind::PrimitiveArray(kind));
    let heap = Heap {
        facts: Facts { hash_regime: Some(HashRegime::Every16), hash_randoms: Some((1, 0x20)), ..Facts::default() },
        classes: vec![node, unnamed],
        objects: vec![
            instance(0x100, 0x10, &[0x108, 0]),
            instance(0x108, 0x70, &[]),
            listed(0x110, ObjectKind::ObjectArray, 0x10, &[0x100]),
            Object { length: Some(2), ..listed(0x118, ObjectKind::ObjectArray, 0x70, &[]) },
            Object { length: Some(5), ..primitives(0x120, PrimitiveType::Int) },
            Object { class_name: Some("[S".into()), ..primitives(0x128, PrimitiveType::Short) },
        ],
        ..Heap::default()
    };
    assert_eq!(
        text(&heap, &DescribeOptions::default()),
        "\
// 2 classes and 6 objects
// Not written without --exact: 8 addresses, the order of the file
heap world=none
header hashes=every-16 randoms=\"0x1 0x20\"
class Node extends=@0x70 @hash=0xbeef @size=24 { @references @node1 }
class (raw)\"\" extends=unknown id=class-1
object node1 Node { @references @object1 #null }
object object1 _ @stated-class=@0x70 { @references }
array objects1 \"_[]\" @class-word=@class:Node { @references @node1 }
array objects2 \"_[]\" @bare-length=2 @class-word=@0x70 { @references }
array ints1 \"int[]\" @bare-length=5 @stated-class=none
array shorts1 \"short[]\" @stated-class=none @class-name=\"[S\" { @references }
"
    );
}

/// Names that are twice there, or that no property has.
#[test]
fn names_classes_and_fields_that_others_hide() {
    let twin = |address, above, fields: &[(&str, FieldType)]| class(address, "pkg/Twin", above, fields);
    let heap = Heap {
        classes: vec![
            class(0x10, "pkg/Base", 0, &[("id", INT), ("", INT), ("x", INT)]),
            twin(0x20, 0x10, &[("x", INT), ("x", INT), ("a.b", INT)]),
            twin(0x30, 0x20, &[("x", INT), ("@y", INT)]),
            class(0x40, "java.lang.Dotted", 0x10, &[]),
            class(0x50, "[Lpkg/Twin;", 0, &[]),
            class(0x60, "int", 0, &[]),
        ],
        objects: vec![
            object(0x100, 0x30, [1, 2, 3, 4, 5, 6, 7, 8].map(int).to_vec()),
            object(0x108, 0x40, [1, 2, 3].map(int).to_vec()),
            Object {
                class: Some(Address(0x50)),
                length: Some(2),
                contents: Contents::Elements(vec![Address(0), Address(0)]),
                ..Object::new(Address(0x110), ObjectKind::ObjectArray)
            },
        ],
        ..Heap::default()
    };
    assert_eq!(
        text(&heap, &DescribeOptions::default()),
        "\
// 6 classes and 3 objects
// Not written without --exact: 9 addresses, the order of the file
heap world=none
class pkg.Base { int id; int \"\"; int x }
class pkg.Twin extends=pkg.Base id=pkg.Twin-1 { int x; int x; int a.b }
class pkg.Twin extends=pkg.Twin-1 id=pkg.Twin-2 { int x; int @@y }
class (raw)java.lang.Dotted extends=pkg.Base id=java.lang.Dotted
class (raw)int id=class-1
class (raw)\"[Lpkg/Twin;\" id=\"pkg.Twin[]\"
object twin1 pkg.Twin-2 x=1 id=6 pkg.Base.x=8 { @field 1 2; @field 2 3; @field 3 4; @field 4 5; @field 6 7 }
object dotted1 java.lang.Dotted id=1 x=3 { @field 1 2 }
array twins1 \"pkg.Twin[]\" length=2
"
    );
}

#[test]
fn keeps_the_order_of_a_heap_in_parts() {
    let mut heap = orders();
    heap.objects.truncate(1);
    heap.classes[3].after_objects = Some(1);
    heap.surroundings = Surroundings {
        regions: Some(vec![Region { id: 80, name: "app".into(), after: 3 }]),
        ..Surroundings::default()
    };
    let text = text(&heap, &DescribeOptions::default());
    assert!(text.contains("class shop.Order extends=java.lang.Object @after=1 {"), "{text}");
    assert!(text.ends_with("@region 80 app @after=3\n"), "{text}");
}

#[test]
fn describes_what_is_reachable_in_some_steps() {
    let whole = orders();
    let part = text(&whole, &DescribeOptions::default().from(Address(0x100)).depth(1));
    assert_eq!(
        part,
        "\
// 4 classes and 4 objects
// Part of a heap: 4 of 6 classes and 4 of 10 objects, without threads, traces and the log
// 2 references lead out of it, written as addresses
// Not written without --exact: 8 addresses, the order of the file
heap world=none
class java.lang.Object
class java.lang.String extends=java.lang.Object { Object value; byte coder; int hash }
class shop.Order extends=java.lang.Object { int id; Object text; Object next }
object order1 shop.Order id=1 text=\"@@one \\u{7b}\" next=@order2
object order2 shop.Order text=@0x140 next=@0x300
root sticky-class @class:shop.Order
"
    );
    let class = text(&whole, &DescribeOptions::default().class("shop.Order[]".to_owned()).depth(0));
    assert!(class.contains("array orders1 \"shop.Order[]\" @0x100 #null @class:shop.Order\n"), "{class}");
    let options = DescribeOptions::default();
    let refused = |options: DescribeOptions| {
        let dump = Dump { heaps: vec![whole.clone()], tail: Vec::new() };
        describe(&dump, &options, &mut Vec::new()).expect_err("a refusal").to_string()
    };
    assert_eq!(
        refused(options.clone().from(Address(0x101))),
        "no class or object lies at 0x101; `heapsmith decode` lists the addresses of all"
    );
    let message = refused(options.class("shop.Ordr".to_owned()));
    assert!(message.contains("shop.Order"), "{message}");
}

#[test]
fn refuses_facts_that_a_heap_file_cannot_say() {
    let mut heap = orders();
    heap.objects[0].contents = Contents::Fields(vec![int(1)]);
    assert_eq!(
        refusal(&heap),
        "the 1 values of an object whose class has 3 fields, at 0x300: a heap file has no words for it"
    );
    heap.objects[0] = object(0x300, 0x40, vec![int(1), int(2), reference_to(0)]);
    assert_eq!(
        refusal(&heap),
        "the value of type int in a field of type object at 0x300: a heap file has no words for it"
    );
    heap.objects[0] = object(0x100, 0x40, vec![int(1), reference_to(0), reference_to(0)]);
    assert_eq!(refusal(&heap), "the second class or object at 0x100: a heap file has no words for it");
    heap.objects[0] = Object { hash: Some(IdentityHash::Bits16(1)), ..object(0x300, 0x10, Vec::new()) };
    assert_eq!(refusal(&heap), "the hash of 16 bits among those of 32 at 0x300: a heap file has no words for it");
    heap.objects[0] = Object { length: Some(3), ..bytes(0x300, 0x30, b"ab") };
    assert_eq!(
        refusal(&heap),
        "the array whose length is not that of its contents at 0x300: a heap file has no words for it"
    );
}

/// Array classes that stand before those of their elements, characters that look like a reference, and a collection whose fields
/// are not known.
#[test]
fn describes_what_is_read_again() {
    let hash_map = Class { fields: None, ..class(0x40, "java/util/HashMap", 0, &[]) };
    let heap = Heap {
        classes: vec![
            class(0x10, "[[Lp/X;", 0, &[]),
            class(0x18, "[Lp/X;", 0, &[]),
            class(0x20, "p/X", 0, &[]),
            class(0x30, "[C", 0, &[]),
            hash_map,
        ],
        objects: vec![
            Object {
                class: Some(Address(0x30)),
                length: Some(2),
                contents: Contents::Primitives(vec![0, b'@', 0, b'a']),
                ..Object::new(Address(0x100), ObjectKind::PrimitiveArray(PrimitiveType::Char))
            },
            Object {
                class: Some(Address(0x40)),
                contents: Contents::References(vec![Address(0x100)]),
                ..Object::new(Address(0x200), ObjectKind::Instance)
            },
        ],
        ..Heap::default()
    };
    for exact in [false, true] {
        let text = text(&heap, &DescribeOptions::default().exact(exact));
        assert!(text.contains(" text=@@a"), "{text}");
        let file = crate::heap_file::HeapFile::parse(&text, &[]).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let built = file.into_dump().expect("a heap").heaps.remove(0);
        assert_eq!(built.objects[0].contents, heap.objects[0].contents);
        assert!(matches!(&built.objects[1].contents, Contents::References(listed) if listed.len() == 1));
        let mut names: Vec<_> = built.classes.iter().map(|class| class.name.to_string()).collect();
        let mut expected: Vec<_> = heap.classes.iter().map(|class| class.name.to_string()).collect();
        if !exact {
            names.sort();
            expected.sort();
        }
        assert_eq!(names, expected);
    }
}
