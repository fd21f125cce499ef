//! Values of every type: in fields, static fields, constant pools and arrays.

use crate::model::PoolEntry;

use super::*;

pub(super) fn cases() -> Vec<Case> {
    vec![every_type(), constant_pool(), arrays(), odd_boolean()]
}

/// A reference and the eight primitive types, in the order of their codes 2 and 4 to 11.
fn types() -> Vec<FieldType> {
    let primitive = PrimitiveType::ALL.map(FieldType::Primitive);
    std::iter::once(FieldType::Object).chain(primitive).collect()
}

fn values(bits: [u64; 9]) -> Vec<Value> {
    types().into_iter().zip(bits).map(|(kind, bits)| Value { kind, bits }).collect()
}

/// The lowest values: true, a surrogate, a signalling NaN, minus infinity, and the least integers.
const LOW: [u64; 9] =
    [0x2000, 1, 0xdc00, 0x7fa0_0001, 0xfff0_0000_0000_0000, 0x80, 0x8000, 0x8000_0000, 0x8000_0000_0000_0000];

/// The highest: null, false, "A", -1.0, 1.0, and the greatest integers.
const HIGH: [u64; 9] =
    [0, 0, 0x41, 0xbf80_0000, 0x3ff0_0000_0000_0000, 0x7f, 0x7fff, 0x7fff_ffff, 0x7fff_ffff_ffff_ffff];

fn every_type() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 000000da",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000022 0000 0009",
        "00000001 02 00002000  00000001 04 01  00000001 05 dc00  00000001 06 7fa00001",
        "00000001 07 fff0000000000000  00000001 08 80  00000001 09 8000  00000001 0a 80000000",
        "00000001 0b 8000000000000000",
        "0009 0000000102 0000000104 0000000105 0000000106 0000000107 0000000108 0000000109 000000010a 000000010b",
        "21 00002000 00000000 00001000 00000022",
        "00000000 00 0041 bf800000 3ff0000000000000 7f 7fff 7fffffff 7fffffffffffffff",
        END,
    ];
    let told = told_a()
        .class(Class {
            instance_size: Some(ByteLen(34)),
            statics: Some(values(LOW).into_iter().map(|value| fixed("A", value)).collect()),
            fields: Some(types().into_iter().map(|kind| field("A", kind)).collect()),
            ..class_a()
        })
        .object(instance(0x2000, 0x1000, values(HIGH)));
    valid("every-type", "fields and static fields of all nine types", &hex, 6, told).showing(&[
        "hprof.type.codes",
        "hprof.type.sizes",
        "hprof.class.values",
        "hprof.class.layout",
        "hprof.integer.byte-order",
    ])
}

/// A constant pool in front of a static field and a field, which a reader that skips it wrongly does not find.
fn constant_pool() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 0000008b",
        "20 00001000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000004 0009",
        "0000 02 00002000  0001 04 01  0002 05 dc00  0003 06 7fa00001  0004 07 fff0000000000000",
        "0005 08 80  0006 09 8000  0007 0a 80000000  ffff 0b 8000000000000000",
        "0001 00000001 0a 00000011  0001 00000001 0a",
        "21 00002000 00000000 00001000 00000004 00000022",
        END,
    ];
    let index = |n: usize| if n == 8 { u16::MAX } else { n as u16 };
    let pool = values(LOW).into_iter().enumerate().map(|(n, value)| PoolEntry { index: index(n), value });
    let told = told_a()
        .class(Class {
            instance_size: Some(ByteLen(4)),
            constant_pool: Some(pool.collect()),
            statics: Some(vec![fixed("A", int(0x11))]),
            fields: Some(vec![field("A", INT)]),
            ..class_a()
        })
        .object(instance(0x2000, 0x1000, vec![int(0x22)]));
    valid("constant-pool", "a constant pool with an entry of every type", &hex, 6, told)
        .showing(&["hprof.class.layout", "hprof.class.values"])
}

/// An array of one element and one without any, of every primitive type.
fn arrays() -> Case {
    let hex = [
        HEADER,
        TEXT_A,
        LOAD_A,
        "1c 00000000 00000129",
        DUMP_A,
        "23 00002000 00000000 00000001 04 01    23 00002010 00000000 00000000 04",
        "23 00002100 00000000 00000001 05 dc00  23 00002110 00000000 00000000 05",
        "23 00002200 00000000 00000001 06 7fa00001  23 00002210 00000000 00000000 06",
        "23 00002300 00000000 00000001 07 fff0000000000000  23 00002310 00000000 00000000 07",
        "23 00002400 00000000 00000001 08 80  23 00002410 00000000 00000000 08",
        "23 00002500 00000000 00000001 09 8000  23 00002510 00000000 00000000 09",
        "23 00002600 00000000 00000001 0a 80000000  23 00002610 00000000 00000000 0a",
        "23 00002700 00000000 00000001 0b 8000000000000000  23 00002710 00000000 00000000 0b",
        END,
    ];
    let contents = ["01", "dc00", "7fa00001", "fff0000000000000", "80", "8000", "80000000", "8000000000000000"];
    let mut told = told_a().class(class_a());
    for ((element, contents), n) in PrimitiveType::ALL.into_iter().zip(contents).zip(0..) {
        let at = 0x2000 + 0x100 * n;
        told = told.object(array(at, element, 1, contents)).object(array(at + 0x10, element, 0, ""));
    }
    valid("primitive-arrays", "arrays of every primitive type with one element and with none", &hex, 21, told)
        .showing(&["hprof.primitive-array.layout", "hprof.type.codes", "hprof.type.sizes"])
}

fn odd_boolean() -> Case {
    let hex = [HEADER, TEXT_A, LOAD_A, "1c 00000000 0000003b", DUMP_A, "23 00002000 00000000 00000002 04 01ff", END];
    let told = told_a().class(class_a()).object(array(0x2000, PrimitiveType::Boolean, 2, "01ff"));
    valid("odd-boolean", "a boolean that is neither 0 nor 1", &hex, 6, told).noted("hprof.boolean.value", 0x7a)
}
