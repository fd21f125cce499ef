//! Classes and objects: identifiers of every size, hierarchies, and what is not in the dump.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = [(1, 0x51), (2, 0x6c), (4, 0xa2), (8, 0x10e)].map(|(id, body)| sized(id, body)).to_vec();
    cases.extend([
        high_ids(),
        three_levels(),
        class_object(),
        dangling_reference(),
        unknown_class(),
        missing_superclass(),
        array_class(),
        element_class(),
        filler_array(),
        empty_properties(),
        instance_size(),
        overlapping_arrays(),
        no_load(),
    ]);
    cases
}

/// Every place of an identifier in one heap, in each size. `<20>` stands for the identifier 20 in the size.
fn sized(size: usize, body: u32) -> Case {
    let record = |fixed: usize, ids: usize| format!("{:08x}", fixed + ids * size);
    let (text, array_text, load) = (record(1, 1), record(4, 1), record(8, 2));
    let hex = [
        "4a4156412050524f46494c4520 312e302e32 00",
        &format!("{size:08x} 0000000000000000"),
        // The strings 1 "A" and 2 "[LA;"; the classes 10 and 11 of these names.
        &format!("01 00000000 {text} <1> 41  01 00000000 {array_text} <2> 5b4c413b"),
        &format!("02 00000000 {load} 00000001 <10> 00000000 <1>  02 00000000 {load} 00000002 <11> 00000000 <2>"),
        &format!("1c 00000000 {body:08x}"),
        // Class 10: constant pool entry 7 names 20; its static field names 30; a field. Instances have one identifier.
        "20 <10> 00000000 <0> <0> <0> <0> <0> <0>",
        &format!("{size:08x} 0001 0007 02 <20> 0001 <1> 02 <30> 0001 <1> 02"),
        "20 <11> 00000000 <10> <0> <0> <0> <0> <0> 00000000 0000 0000 0000",
        // Object 20 refers to 30, an array of 20 and null. A JNI global reference fe to 20.
        &format!("21 <20> 00000000 <10> {size:08x} <30>"),
        "22 <30> 00000000 00000002 <11> <20> <0>",
        "01 <20> <fe>",
        END,
    ]
    .concat();
    let mut spelled = String::new();
    for part in hex.split('<') {
        match part.split_once('>') {
            Some((id, rest)) => spelled += &format!("{id:0>width$}{rest}", width = 2 * size),
            None => spelled += part,
        }
    }
    let own = Class {
        instance_size: Some(ByteLen(size as u64)),
        constant_pool: Some(vec![crate::model::PoolEntry { index: 7, value: reference(0x20) }]),
        statics: Some(vec![fixed("A", reference(0x30))]),
        fields: Some(vec![field("A", FieldType::Object)]),
        ..class(1, 0x10, "A")
    };
    let told = told()
        .but(|heap| heap.facts.identifier_size = Some(ByteLen(size as u64)))
        .text(1, "A")
        .text(2, "[LA;")
        .load(1, 0x10, 1)
        .load(2, 0x11, 2)
        .class(own)
        .class(Class { superclass: Some(Address(0x10)), ..class(2, 0x11, "[LA;") })
        .object(instance(0x20, 0x10, vec![reference(0x30)]))
        .object(object_array(0x30, 0x11, &[0x20, 0]))
        .root(0x20, RootKind::JniGlobal(Address(0xfe)));
    let summary = format!("identifiers of {size} bytes in every place that has one");
    valid(&format!("id-{size}"), &summary, &[&spelled], 11, told).showing(&[
        "hprof.id.size",
        "hprof.class.layout",
        "hprof.class.values",
        "hprof.instance.layout",
        "hprof.object-array.layout",
    ])
}

/// Identifiers from 80000000 on.
fn high_ids() -> Case {
    let hex = [
        HEADER,
        "01 00000000 00000005 f0000001 41",
        "02 00000000 00000010 00000001 80001000 00000000 f0000001",
        "1c 00000000 0000004a",
        "20 80001000 00000000 00000000 fffffff8 00000000 00000000 00000000 00000000 00000004 0000 0000",
        "0001 f0000001 02",
        "21 fffffff8 00000000 80001000 00000004 80001000",
        "05 80001000",
        END,
    ];
    let told = told()
        .text(0xf000_0001, "A")
        .load(1, 0x8000_1000, 0xf000_0001)
        .class(Class {
            loader: Some(Address(0xffff_fff8)),
            instance_size: Some(ByteLen(4)),
            fields: Some(vec![field("A", FieldType::Object)]),
            ..class(1, 0x8000_1000, "A")
        })
        .object(instance(0xffff_fff8, 0x8000_1000, vec![reference(0x8000_1000)]))
        .root(0x8000_1000, RootKind::StickyClass);
    valid("high-ids", "identifiers of 4 bytes from 80000000 on", &hex, 7, told).showing(&["hprof.id.unsigned"])
}

/// C extends B extends A, in this order in the file, behind an instance of C.
fn three_levels() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        "01 00000000 00000005 00000002 42  01 00000000 00000005 00000003 43",
        LOAD_A,
        "02 00000000 00000010 00000002 00001100 00000000 00000002",
        "02 00000000 00000010 00000003 00001200 00000000 00000003",
        "1c 00000000 000000b1",
        // C's short and reference, B's byte, A's int.
        "21 00002000 00000000 00001200 0000000b 1234 00002000 7f 00000099",
        "20 00001200 00000000 00001100 00000000 00000000 00000000 00000000 00000000 0000000b 0000 0000",
        "0002 00000003 09 00000003 02",
        "20 00001100 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000005 0000 0000",
        "0001 00000002 08",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000004 0000 0000",
        "0001 00000001 0a",
        END,
    ];
    let short = PrimitiveType::Short;
    let class = |serial, address, name: &str, superclass, size, fields| Class {
        superclass: Some(Address(superclass)),
        instance_size: Some(ByteLen(size)),
        fields: Some(fields),
        ..class(serial, address, name)
    };
    let own = vec![field("C", FieldType::Primitive(short)), field("C", FieldType::Object)];
    let values = vec![
        Value::primitive(short, 0x1234),
        reference(0x2000),
        Value::primitive(PrimitiveType::Byte, 0x7f),
        int(0x99),
    ];
    let told = told()
        .text(1, "A")
        .text(2, "B")
        .text(3, "C")
        .load(1, 0x1000, 1)
        .load(2, 0x1100, 2)
        .load(3, 0x1200, 3)
        .object(instance(0x2000, 0x1200, values))
        .class(class(3, 0x1200, "C", 0x1100, 11, own))
        .class(class(2, 0x1100, "B", 0x1000, 5, vec![field("B", BYTE)]))
        .class(class(1, 0x1000, "A", 0, 4, vec![field("A", INT)]));
    valid("three-levels", "an instance before its class, that before its superclasses", &hex, 12, told).showing(&[
        "hprof.instance.field-order",
        "hprof.sub-record.order",
        "hprof.class.superclass-none",
        "hprof.class.instance-size-meaning",
    ])
}

/// java/lang/Class declares a field, which class objects have no value of; int's class object is an instance.
fn class_object() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        "01 00000000 00000013 00000002 6a6176612f6c616e672f436c617373",
        LOAD_A,
        "02 00000000 00000010 00000002 00001100 00000000 00000002",
        "1c 00000000 0000007a",
        DUMP_A,
        "20 00001100 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000004 0000 0000",
        "0001 00000001 0a",
        "21 00002000 00000000 00001100 00000004 0000000a",
        "05 00001000 05 00001100",
        END,
    ];
    let told = told()
        .text(1, "A")
        .text(2, "java/lang/Class")
        .load(1, 0x1000, 1)
        .load(2, 0x1100, 2)
        .class(class_a())
        .class(Class {
            superclass: Some(Address(0x1000)),
            instance_size: Some(ByteLen(4)),
            fields: Some(vec![field("A", INT)]),
            ..class(2, 0x1100, "java/lang/Class")
        })
        .object(instance(0x2000, 0x1100, vec![int(10)]))
        .root(0x1000, RootKind::StickyClass)
        .root(0x1100, RootKind::StickyClass);
    valid("class-object", "class objects are CLASS DUMPs; that of a primitive type is an instance", &hex, 11, told)
        .showing(&["hprof.class.object"])
}

fn dangling_reference() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 00000034",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000",
        "0001 00000001 02 dead0000 0000",
        END,
    ];
    let told = told_a().class(Class { statics: Some(vec![fixed("A", reference(0xdead_0000))]), ..class_a() });
    valid("dangling-reference", "a static field that refers to nothing in the dump", &hex, 5, told)
        .noted("hprof.object.dangling-reference", 0x4f)
}

/// Nothing says what the three bytes of the instance are.
fn unknown_class() -> Case {
    let hex =
        [HEADER, TEXT_A, LOAD_A, "1c 00000000 0000003f", DUMP_A, "21 00002000 00000000 00001100 00000003 0c1c2c", END];
    let raw = Object { contents: Contents::Raw(vec![0x0c, 0x1c, 0x2c]), ..instance(0x2000, 0x1100, Vec::new()) };
    let told = told_a().class(class_a()).object(raw);
    valid("unknown-class", "an instance of a class that is not in the dump", &hex, 6, told)
        .tolerated("hprof.object.class", 0x7a)
}

fn missing_superclass() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 00000047",
        "20 00001000 00000000 00001100 00000000 00000000 00000000 00000000 00000000 00000006 0000 0000",
        "0001 00000001 0a",
        "21 00002000 00000000 00001000 00000006 00000011 2233",
        END,
    ];
    let raw = Contents::Raw(vec![0, 0, 0, 0x11, 0x22, 0x33]);
    let told = told_a()
        .class(Class {
            superclass: Some(Address(0x1100)),
            instance_size: Some(ByteLen(6)),
            fields: Some(vec![field("A", INT)]),
            ..class_a()
        })
        .object(Object { contents: raw, ..object_of_a() });
    let mut case = valid("missing-superclass", "a superclass that is not in the dump", &hex, 6, told.clone())
        .tolerated("hprof.class.superclass", 0x4f);
    // What a reader makes of the class's own fields is right as well; more it cannot know.
    let own = told.but(|heap| heap.objects[0].contents = Contents::Fields(vec![int(0x11)]));
    case.answers.push(Answer::Reads("the class's own fields, and nothing of its superclass's", Box::new(own.0)));
    case
}

/// "[LA;" is the class of an array of A, null, A.
fn array_class() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        "01 00000000 00000008 00000002 5b4c413b",
        LOAD_A,
        "02 00000000 00000010 00000002 00001100 00000000 00000002",
        "1c 00000000 00000095",
        DUMP_A,
        "20 00001100 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
        OBJECT,
        "22 00002100 00000000 00000003 00001100 00002000 00000000 00002000",
        "22 00002200 00000000 00000000 00001100",
        END,
    ];
    let told = told()
        .text(1, "A")
        .text(2, "[LA;")
        .load(1, 0x1000, 1)
        .load(2, 0x1100, 2)
        .class(class_a())
        .class(Class { superclass: Some(Address(0x1000)), ..class(2, 0x1100, "[LA;") })
        .object(object_of_a())
        .object(object_array(0x2100, 0x1100, &[0x2000, 0, 0x2000]))
        .object(object_array(0x2200, 0x1100, &[]));
    Case {
        keeps: vec!["hprof.object.dangling-reference"],
        ..valid(
            "array-class",
            "arrays name their own class; a null between two references; no elements",
            &hex,
            11,
            told,
        )
        .showing(&["hprof.object-array.class", "hprof.object-array.layout", "hprof.id.none"])
    }
}

fn element_class() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 00000051",
        DUMP_A,
        OBJECT,
        "22 00002100 00000000 00000001 00001000 00002000",
        END,
    ];
    let told = told_a().class(class_a()).object(object_of_a()).object(object_array(0x2100, 0x1000, &[0x2000]));
    valid("element-class", "an array whose class has the name of no array", &hex, 7, told)
        .noted("hprof.array.class", 0x8b)
}

/// HotSpot's filler arrays are of int, and their class has the name of an object array. There is no class of int[].
fn filler_array() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        "01 00000000 00000024 00000002 5b4c6a646b2f696e7465726e616c2f766d2f46696c6c6572456c656d656e743b",
        LOAD_A,
        "02 00000000 00000010 00000002 00001100 00000000 00000002",
        "1c 00000000 0000006c",
        DUMP_A,
        "20 00001100 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
        "23 00002000 00000000 00000002 0a deadbeef deadbeef",
        END,
    ];
    let name = "[Ljdk/internal/vm/FillerElement;";
    let told = told()
        .text(1, "A")
        .text(2, name)
        .load(1, 0x1000, 1)
        .load(2, 0x1100, 2)
        .class(class_a())
        .class(Class { superclass: Some(Address(0x1000)), ..class(2, 0x1100, name) })
        .object(array(0x2000, PrimitiveType::Int, 2, "deadbeef deadbeef"));
    valid("filler-array", "an int array without a class int[]; a filler's class", &hex, 9, told)
        .showing(&["hprof.primitive-array.class"])
}

/// A class that tools look for, without what they look for.
fn empty_properties() -> Case {
    let hex = [
        HEADER,
        "01 00000000 00000018 00000001 6a6176612f7574696c2f50726f70657274696573",
        "01 00000000 00000007 00000002 6d6170",
        LOAD_A,
        "1c 00000000 00000045",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000004 0000 0000",
        "0001 00000002 02",
        "21 00002000 00000000 00001000 00000004 00000000",
        END,
    ];
    let told = told()
        .text(1, "java/util/Properties")
        .text(2, "map")
        .load(1, 0x1000, 1)
        .class(Class {
            instance_size: Some(ByteLen(4)),
            fields: Some(vec![field("map", FieldType::Object)]),
            ..class(1, 0x1000, "java/util/Properties")
        })
        .object(instance(0x2000, 0x1000, vec![reference(0)]));
    valid("empty-properties", "a Properties without a map, and no java/lang/Object", &hex, 7, told)
        .showing(&["hprof.id.none"])
}

/// 16 bytes of memory, as ART counts; 4 of fields.
fn instance_size() -> Case {
    let hex = [
        HEADER_3,
        TEXT_A,
        LOAD_A,
        "1c 00000000 00000045",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000010 0000 0000",
        "0001 00000001 0a",
        "21 00002000 00000000 00001000 00000004 00000011",
        END,
    ];
    let told = told_a()
        .version("1.0.3")
        .class(Class { instance_size: Some(ByteLen(16)), fields: Some(vec![field("A", INT)]), ..class_a() })
        .object(instance(0x2000, 0x1000, vec![int(0x11)]));
    valid("instance-size", "an instance size that is more than the field bytes", &hex, 6, told)
        .noted("hprof.class.instance-size", 0x4f)
        .showing(&["hprof.class.instance-size-meaning", "hprof.android.version"])
}

/// Identifiers are no places: byte[16] at 2000 and int[1] at 2008 are two arrays.
fn overlapping_arrays() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 0000005b",
        DUMP_A,
        "23 00002000 00000000 00000010 08 000102030405060708090a0b0c0d0e0f",
        "23 00002008 00000000 00000001 0a fffffffe",
        END,
    ];
    let told = told_a()
        .class(class_a())
        .object(array(0x2000, PrimitiveType::Byte, 16, "000102030405060708090a0b0c0d0e0f"))
        .object(array(0x2008, PrimitiveType::Int, 1, "fffffffe"));
    valid("overlapping-arrays", "two arrays that would overlap if identifiers were places", &hex, 7, told)
        .showing(&["hprof.primitive-array.layout"])
}

fn no_load() -> Case {
    let hex = [HEADER, "1c 00000000 0000002b", DUMP_A, END];
    let told = told().class(Class { serial: None, ..class(0, 0x1000, "") });
    valid("class-without-load", "a CLASS DUMP without a LOAD CLASS has no name", &hex, 3, told)
        .tolerated("hprof.class.no-load", 0x28)
}
