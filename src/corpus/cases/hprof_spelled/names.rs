//! Names of classes and fields.

use super::*;

pub(super) fn cases() -> Vec<Case> {
    vec![odd_names(), plain_utf_8(), class_names(), java_names(), same_name_twice(), same_field_twice(), no_name()]
}

/// Field names: empty, NUL, a supplementary character, a lone surrogate of either half.
fn odd_names() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        "01 00000000 00000004 00000002",
        "01 00000000 00000008 00000003 61c08062",
        "01 00000000 0000000a 00000004 eda0bdedb880",
        "01 00000000 00000007 00000005 eda080  01 00000000 00000007 00000006 edb080",
        LOAD_A,
        // 43 bytes and 5 for each of five fields of type byte.
        "1c 00000000 00000044",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000005 0000 0000 0005",
        "00000002 08 00000003 08 00000004 08 00000005 08 00000006 08",
        END,
    ];
    let high = || Name::from_bytes([0xed, 0xa0, 0x80]);
    let low = || Name::from_bytes([0xed, 0xb0, 0x80]);
    let told = told()
        .text(1, "A")
        .text(2, "")
        .text(3, "a\u{0}b")
        .text(4, "\u{1f600}")
        .text(5, high())
        .text(6, low())
        .load(1, 0x1000, 1)
        .class(Class {
            instance_size: Some(ByteLen(5)),
            fields: Some(vec![
                field("", BYTE),
                field("a\u{0}b", BYTE),
                field("\u{1f600}", BYTE),
                field(high(), BYTE),
                field(low(), BYTE),
            ]),
            ..class_a()
        });
    valid("odd-names", "names: empty, with NUL, beyond the BMP, lone surrogates", &hex, 10, told)
        .showing(&["hprof.text.layout"])
}

/// Four bytes for a character beyond the BMP, as SA writes it.
fn plain_utf_8() -> Case {
    let hex = [HEADER, "01 00000000 00000008 00000001 f09f9880", LOAD_A, "1c 00000000 0000002b", DUMP_A, END];
    let name = || Name::from_bytes([0xf0, 0x9f, 0x98, 0x80]);
    let told = told().text(1, name()).load(1, 0x1000, 1).class(class(1, 0x1000, name()));
    valid("plain-utf-8", "a name in plain UTF-8, kept as bytes", &hex, 5, told).noted("hprof.text.encoding", 0x1f)
}

/// Names of the VM's form: with slashes, of an array, of a lambda and of a hidden class.
fn class_names() -> Case {
    let hex = [
        HEADER,
        // 1: "p/A", 2: "[Lp/A;", 3: "A$$Lambda$14+0x00007f6d9c007228", 4: "A$$Lambda/0x7f", 5: "p.A".
        "01 00000000 00000007 00000001 702f41  01 00000000 0000000a 00000002 5b4c702f413b",
        "01 00000000 00000023 00000003 4124244c616d6264612431342b30783030303037663664396330303732 3238",
        "01 00000000 00000012 00000004 4124244c616d6264612f30783766",
        "01 00000000 00000007 00000005 702e41",
        LOAD_A,
        "02 00000000 00000010 00000002 00001100 00000000 00000002",
        "02 00000000 00000010 00000003 00001200 00000000 00000003",
        "02 00000000 00000010 00000004 00001300 00000000 00000004",
        "02 00000000 00000010 00000005 00001400 00000000 00000005",
        "1c 00000000 000000d7",
        DUMP_A,
        "20 00001100 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
        "20 00001200 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
        "20 00001300 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
        "20 00001400 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
        END,
    ];
    let names = ["p/A", "[Lp/A;", "A$$Lambda$14+0x00007f6d9c007228", "A$$Lambda/0x7f", "p.A"];
    let mut all = told();
    for (name, id) in names.into_iter().zip(1..) {
        all = all.text(id, name);
    }
    for n in 1..=5 {
        all = all.load(n, 0xf00 + 0x100 * u64::from(n), n.into());
    }
    for (name, n) in names.into_iter().zip(1..) {
        let superclass = Some(Address(if n == 1 { 0 } else { 0x1000 }));
        all = all.class(Class { superclass, ..class(n, 0xf00 + 0x100 * u64::from(n), name) });
    }
    valid("class-names", "names of an array, a lambda and a hidden class; p/A beside p.A", &hex, 17, all)
        .showing(&["hprof.name.forms", "hprof.name.repeated"])
}

/// The form of Java source, in a dump as the hprof agent writes it.
fn java_names() -> Case {
    let hex = [
        HEADER_1,
        // 1: "p.A", 2: "p.A[][]", 3: "int[]".
        "01 00000000 00000007 00000001 702e41  01 00000000 0000000b 00000002 702e415b5d5b5d",
        "01 00000000 00000009 00000003 696e745b5d",
        LOAD_A,
        "02 00000000 00000010 00000002 00001100 00000000 00000002",
        "02 00000000 00000010 00000003 00001200 00000000 00000003",
        "0c 00000000 0000008f",
        // An int[0] before every class.
        "23 00002000 00000000 00000000 0a",
        DUMP_A,
        "20 00001100 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
        "20 00001200 00000000 00001000 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
    ];
    let of_a = |n, address, name: &str| Class { superclass: Some(Address(0x1000)), ..class(n, address, name) };
    let told = told()
        .version("1.0.1")
        .text(1, "p.A")
        .text(2, "p.A[][]")
        .text(3, "int[]")
        .load(1, 0x1000, 1)
        .load(2, 0x1100, 2)
        .load(3, 0x1200, 3)
        .object(array(0x2000, PrimitiveType::Int, 0, ""))
        .class(class(1, 0x1000, "p.A"))
        .class(of_a(2, 0x1100, "p.A[][]"))
        .class(of_a(3, 0x1200, "int[]"));
    valid("java-names", "class names of the form of Java source", &hex, 11, told)
        .showing(&["hprof.name.forms", "hprof.primitive-array.class"])
}

/// Two classes of one name, under the boot loader and the loader 2000.
fn same_name_twice() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "02 00000000 00000010 00000002 00001100 00000000 00000001",
        "1c 00000000 00000067",
        DUMP_A,
        "20 00001100 00000000 00000000 00002000 00000000 00000000 00000000 00000000 00000000 0000 0000 0000",
        OBJECT,
        END,
    ];
    let told = told_a()
        .load(2, 0x1100, 1)
        .class(class_a())
        .class(Class { loader: Some(Address(0x2000)), ..class(2, 0x1100, "A") })
        .object(object_of_a());
    valid("same-name-twice", "two classes of the same name under two class loaders", &hex, 8, told)
        .showing(&["hprof.name.repeated", "hprof.id.none"])
}

/// Two static fields, two fields, all of the name "A"; values tell them apart.
fn same_field_twice() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 00000060",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000008 0000",
        "0002 00000001 0a 00000011 00000001 0a 00000022 0002 00000001 0a 00000001 0a",
        "21 00002000 00000000 00001000 00000008 00000033 00000044",
        END,
    ];
    let told = told_a()
        .class(Class {
            instance_size: Some(ByteLen(8)),
            statics: Some(vec![fixed("A", int(0x11)), fixed("A", int(0x22))]),
            fields: Some(vec![field("A", INT), field("A", INT)]),
            ..class_a()
        })
        .object(instance(0x2000, 0x1000, vec![int(0x33), int(0x44)]));
    valid("same-field-twice", "two static fields and two fields of the same name", &hex, 6, told)
        .showing(&["hprof.name.repeated"])
}

/// A static field without a name: the identifier 0.
fn no_name() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 00000034",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000",
        "0001 00000000 0a 00000011 0000",
        END,
    ];
    let told = told_a().class(Class { statics: Some(vec![fixed("", int(0x11))]), ..class_a() });
    valid("no-name", "a field whose name has the identifier 0", &hex, 5, told).showing(&["hprof.id.none"])
}
