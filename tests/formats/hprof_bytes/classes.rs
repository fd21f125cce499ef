//! CLASS DUMP: every basic type in its constant pool, static fields and instance fields.

use heapsmith::hprof::SubRecord;
use heapsmith::hprof::sub_record::ClassDump;
use heapsmith::model::{Address, FieldType, PrimitiveType, Serial, TextId, Value};
use hex_literal::hex;

use super::dump::{END, SIZES, failure, file, read, segment};
use super::rows::{Ids, Row, check_sub_records};

#[test]
fn every_class_dump_is_read_and_written_as_the_page_has_it() {
    check_sub_records(&rows());
}

#[test]
fn the_largest_class_has_65535_of_everything() {
    // Identifiers of 1 byte: each constant pool entry has 4 bytes, each static 3, each field 2.
    let head = hex!("20 01 00000001 00 00 00 00 00 00 00000000");
    let pool = [&hex!("ffff")[..], &hex!("0001 04 01").repeat(65535)].concat();
    let statics = [&hex!("ffff")[..], &hex!("02 08 80").repeat(65535)].concat();
    let fields = [&hex!("ffff")[..], &hex!("03 02").repeat(65535)].concat();
    let seen = read(&file(1, &[&segment(&[&head, &pool, &statics, &fields, &hex!("05 01")]), &END]));
    let [_, super::dump::Seen::Sub(_, SubRecord::Class(class)), root, ..] = &seen[..] else {
        panic!("{} steps", seen.len());
    };
    assert_eq!(class.constant_pool, vec![(1, boolean(1)); 65535]);
    assert_eq!(class.statics, vec![(TextId(2), primitive(PrimitiveType::Byte, 0x80)); 65535]);
    assert_eq!(class.fields, vec![(TextId(3), FieldType::Object); 65535]);
    assert!(matches!(root, super::dump::Seen::Sub(_, SubRecord::Root(_))));
}

#[test]
fn type_codes_are_2_and_4_to_11_and_nothing_else() {
    for code in [0u8, 1, 3, 12, 13, 0x7f, 0x80, 0xff] {
        for (at, size) in SIZES.into_iter().enumerate() {
            let before = [&hex!("20")[..], &vec![0; 7 * size + 8]].concat();
            // Enough after it for any value.
            let after = [0; 32];
            let id = vec![0; size];
            let pool = [&before[..], &hex!("0001 0000"), &[code], &after].concat();
            let statics = [&before[..], &hex!("0000 0001"), &id, &[code], &after].concat();
            let fields = [&before[..], &hex!("0000 0000 0001"), &id, &[code], &after].concat();
            // Tag, identifiers and two numbers are 16, 23, 37 or 65 bytes.
            let head = [16, 23, 37, 65][at];
            for (place, sub_record, field, code_at) in [
                ("constant pool", pool, "type of entry", head + 4),
                ("static field", statics, "type of field", head + 4 + size as u64),
                ("instance field", fields, "type of field", head + 6 + size as u64),
            ] {
                let expected = ("hprof.type.code", 40 + code_at, Some(1), field);
                assert_eq!(failure(&file(size, &[&segment(&[&sub_record])])), expected, "{place}, code {code}");
            }
        }
    }
}

fn boolean(bits: u64) -> Value {
    primitive(PrimitiveType::Boolean, bits)
}

fn primitive(kind: PrimitiveType, bits: u64) -> Value {
    Value { kind: FieldType::Primitive(kind), bits }
}

fn object(id: u64) -> Value {
    Value { kind: FieldType::Object, bits: id }
}

/// A value of each type, in the order of the codes: 2, then 4 to 11.
fn values(i: Ids) -> [Value; 9] {
    use PrimitiveType::{Byte, Char, Double, Float, Int, Long, Short};
    [
        object(i.f()),
        boolean(1),
        primitive(Char, 0xfffe),
        primitive(Float, 0x8000_0001),
        primitive(Double, 0x8000_0000_0000_0002),
        primitive(Byte, 0x80),
        primitive(Short, 0x8003),
        primitive(Int, 0x8000_0004),
        primitive(Long, 0x8000_0000_0000_0005),
    ]
}

/// Class, superclass, loader, signers, protection domain and reserved ones.
fn head(i: Ids) -> ClassDump {
    ClassDump {
        id: Address(i.a()),
        trace: Serial(0x8102_0304),
        superclass: Address(i.b()),
        loader: Address(i.c()),
        signers: Address(i.d()),
        protection_domain: Address(i.e()),
        reserved: [i.f(), i.ff()],
        instance_size: 0x8506_0708,
        ..ClassDump::default()
    }
}

pub(crate) fn rows() -> Vec<Row<SubRecord<'static>>> {
    vec![
        Row {
            name: "CLASS DUMP of a class without a pool, statics and fields",
            fields: "1 I 4 I I I I I I 4 2 2 2",
            spelled: [
                &hex!("20 a1 81020304 b1 c1 d1 e1 f1 ff 85060708 0000 0000 0000"),
                &hex!("20 a1a2 81020304 b1b2 c1c2 d1d2 e1e2 f1f2 ffff 85060708 0000 0000 0000"),
                &hex!(
                    "20 a1a2a3a4 81020304 b1b2b3b4 c1c2c3c4 d1d2d3d4 e1e2e3e4 f1f2f3f4 ffffffff"
                    "85060708 0000 0000 0000"
                ),
                &hex!(
                    "20 a1a2a3a4a5a6a7a8 81020304 b1b2b3b4b5b6b7b8 c1c2c3c4c5c6c7c8 d1d2d3d4d5d6d7d8"
                    "e1e2e3e4e5e6e7e8 f1f2f3f4f5f6f7f8 ffffffffffffffff 85060708 0000 0000 0000"
                ),
            ],
            says: |i| SubRecord::Class(head(i)),
        },
        Row {
            name: "CLASS DUMP with an entry of each type in the constant pool",
            fields: "1 I 4 I I I I I I 4 2 2 1 I 2 1 1 2 1 2 2 1 4 2 1 8 2 1 1 2 1 2 2 1 4 2 1 8 2 2",
            spelled: [
                &hex!(
                    "20 a1 81020304 b1 c1 d1 e1 f1 ff 85060708"
                    "0009" // entries: index, type, value
                    "8001 02 f1   8002 04 01   8003 05 fffe   8004 06 80000001   8005 07 8000000000000002"
                    "8006 08 80   8007 09 8003   8008 0a 80000004   8009 0b 8000000000000005"
                    "0000 0000"
                ),
                &hex!(
                    "20 a1a2 81020304 b1b2 c1c2 d1d2 e1e2 f1f2 ffff 85060708"
                    "0009"
                    "8001 02 f1f2   8002 04 01   8003 05 fffe   8004 06 80000001   8005 07 8000000000000002"
                    "8006 08 80   8007 09 8003   8008 0a 80000004   8009 0b 8000000000000005"
                    "0000 0000"
                ),
                &hex!(
                    "20 a1a2a3a4 81020304 b1b2b3b4 c1c2c3c4 d1d2d3d4 e1e2e3e4 f1f2f3f4 ffffffff 85060708"
                    "0009"
                    "8001 02 f1f2f3f4   8002 04 01   8003 05 fffe   8004 06 80000001   8005 07 8000000000000002"
                    "8006 08 80   8007 09 8003   8008 0a 80000004   8009 0b 8000000000000005"
                    "0000 0000"
                ),
                &hex!(
                    "20 a1a2a3a4a5a6a7a8 81020304 b1b2b3b4b5b6b7b8 c1c2c3c4c5c6c7c8 d1d2d3d4d5d6d7d8"
                    "e1e2e3e4e5e6e7e8 f1f2f3f4f5f6f7f8 ffffffffffffffff 85060708"
                    "0009"
                    "8001 02 f1f2f3f4f5f6f7f8   8002 04 01   8003 05 fffe   8004 06 80000001"
                    "8005 07 8000000000000002   8006 08 80   8007 09 8003   8008 0a 80000004"
                    "8009 0b 8000000000000005"
                    "0000 0000"
                ),
            ],
            says: |i| {
                let constant_pool = (0x8001..).zip(values(i)).collect();
                SubRecord::Class(ClassDump { constant_pool, ..head(i) })
            },
        },
        Row {
            name: "CLASS DUMP with a static field of each type",
            fields: "1 I 4 I I I I I I 4 2 2 I 1 I I 1 1 I 1 2 I 1 4 I 1 8 I 1 1 I 1 2 I 1 4 I 1 8 2",
            spelled: [
                &hex!(
                    "20 a1 81020304 b1 c1 d1 e1 f1 ff 85060708 0000"
                    "0009" // fields: name, type, value
                    "a1 02 f1   b1 04 01   c1 05 fffe   d1 06 80000001   e1 07 8000000000000002"
                    "f1 08 80   ff 09 8003   a1 0a 80000004   b1 0b 8000000000000005"
                    "0000"
                ),
                &hex!(
                    "20 a1a2 81020304 b1b2 c1c2 d1d2 e1e2 f1f2 ffff 85060708 0000"
                    "0009"
                    "a1a2 02 f1f2   b1b2 04 01   c1c2 05 fffe   d1d2 06 80000001   e1e2 07 8000000000000002"
                    "f1f2 08 80   ffff 09 8003   a1a2 0a 80000004   b1b2 0b 8000000000000005"
                    "0000"
                ),
                &hex!(
                    "20 a1a2a3a4 81020304 b1b2b3b4 c1c2c3c4 d1d2d3d4 e1e2e3e4 f1f2f3f4 ffffffff 85060708 0000"
                    "0009"
                    "a1a2a3a4 02 f1f2f3f4   b1b2b3b4 04 01   c1c2c3c4 05 fffe   d1d2d3d4 06 80000001"
                    "e1e2e3e4 07 8000000000000002   f1f2f3f4 08 80   ffffffff 09 8003   a1a2a3a4 0a 80000004"
                    "b1b2b3b4 0b 8000000000000005"
                    "0000"
                ),
                &hex!(
                    "20 a1a2a3a4a5a6a7a8 81020304 b1b2b3b4b5b6b7b8 c1c2c3c4c5c6c7c8 d1d2d3d4d5d6d7d8"
                    "e1e2e3e4e5e6e7e8 f1f2f3f4f5f6f7f8 ffffffffffffffff 85060708 0000"
                    "0009"
                    "a1a2a3a4a5a6a7a8 02 f1f2f3f4f5f6f7f8   b1b2b3b4b5b6b7b8 04 01   c1c2c3c4c5c6c7c8 05 fffe"
                    "d1d2d3d4d5d6d7d8 06 80000001   e1e2e3e4e5e6e7e8 07 8000000000000002"
                    "f1f2f3f4f5f6f7f8 08 80   ffffffffffffffff 09 8003   a1a2a3a4a5a6a7a8 0a 80000004"
                    "b1b2b3b4b5b6b7b8 0b 8000000000000005"
                    "0000"
                ),
            ],
            says: |i| {
                let names = [i.a(), i.b(), i.c(), i.d(), i.e(), i.f(), i.ff(), i.a(), i.b()].map(TextId);
                SubRecord::Class(ClassDump { statics: names.into_iter().zip(values(i)).collect(), ..head(i) })
            },
        },
        Row {
            name: "CLASS DUMP with an instance field of each type",
            fields: "1 I 4 I I I I I I 4 2 2 2 I 1 I 1 I 1 I 1 I 1 I 1 I 1 I 1 I 1",
            spelled: [
                &hex!(
                    "20 a1 81020304 b1 c1 d1 e1 f1 ff 85060708 0000 0000"
                    "0009" // fields: name, type
                    "a1 02   b1 04   c1 05   d1 06   e1 07   f1 08   ff 09   a1 0a   b1 0b"
                ),
                &hex!(
                    "20 a1a2 81020304 b1b2 c1c2 d1d2 e1e2 f1f2 ffff 85060708 0000 0000"
                    "0009"
                    "a1a2 02   b1b2 04   c1c2 05   d1d2 06   e1e2 07   f1f2 08   ffff 09   a1a2 0a   b1b2 0b"
                ),
                &hex!(
                    "20 a1a2a3a4 81020304 b1b2b3b4 c1c2c3c4 d1d2d3d4 e1e2e3e4 f1f2f3f4 ffffffff 85060708 0000 0000"
                    "0009"
                    "a1a2a3a4 02   b1b2b3b4 04   c1c2c3c4 05   d1d2d3d4 06   e1e2e3e4 07   f1f2f3f4 08"
                    "ffffffff 09   a1a2a3a4 0a   b1b2b3b4 0b"
                ),
                &hex!(
                    "20 a1a2a3a4a5a6a7a8 81020304 b1b2b3b4b5b6b7b8 c1c2c3c4c5c6c7c8 d1d2d3d4d5d6d7d8"
                    "e1e2e3e4e5e6e7e8 f1f2f3f4f5f6f7f8 ffffffffffffffff 85060708 0000 0000"
                    "0009"
                    "a1a2a3a4a5a6a7a8 02   b1b2b3b4b5b6b7b8 04   c1c2c3c4c5c6c7c8 05   d1d2d3d4d5d6d7d8 06"
                    "e1e2e3e4e5e6e7e8 07   f1f2f3f4f5f6f7f8 08   ffffffffffffffff 09   a1a2a3a4a5a6a7a8 0a"
                    "b1b2b3b4b5b6b7b8 0b"
                ),
            ],
            says: |i| {
                let names = [i.a(), i.b(), i.c(), i.d(), i.e(), i.f(), i.ff(), i.a(), i.b()].map(TextId);
                let fields = names.into_iter().zip(values(i).map(|value| value.kind)).collect();
                SubRecord::Class(ClassDump { fields, ..head(i) })
            },
        },
        Row {
            name: "CLASS DUMP with two of everything",
            fields: "1 I 4 I I I I I I 4 2 2 1 1 2 1 1 2 I 1 1 I 1 2 2 I 1 I 1",
            spelled: [
                &hex!(
                    "20 a1 81020304 b1 c1 d1 e1 f1 ff 85060708"
                    "0002 0000 04 00 ffff 08 ff   0002 b1 04 00 b1 05 0000   0002 c1 0a c1 0a"
                ),
                &hex!(
                    "20 a1a2 81020304 b1b2 c1c2 d1d2 e1e2 f1f2 ffff 85060708"
                    "0002 0000 04 00 ffff 08 ff   0002 b1b2 04 00 b1b2 05 0000   0002 c1c2 0a c1c2 0a"
                ),
                &hex!(
                    "20 a1a2a3a4 81020304 b1b2b3b4 c1c2c3c4 d1d2d3d4 e1e2e3e4 f1f2f3f4 ffffffff 85060708"
                    "0002 0000 04 00 ffff 08 ff   0002 b1b2b3b4 04 00 b1b2b3b4 05 0000"
                    "0002 c1c2c3c4 0a c1c2c3c4 0a"
                ),
                &hex!(
                    "20 a1a2a3a4a5a6a7a8 81020304 b1b2b3b4b5b6b7b8 c1c2c3c4c5c6c7c8 d1d2d3d4d5d6d7d8"
                    "e1e2e3e4e5e6e7e8 f1f2f3f4f5f6f7f8 ffffffffffffffff 85060708"
                    "0002 0000 04 00 ffff 08 ff   0002 b1b2b3b4b5b6b7b8 04 00 b1b2b3b4b5b6b7b8 05 0000"
                    "0002 c1c2c3c4c5c6c7c8 0a c1c2c3c4c5c6c7c8 0a"
                ),
            ],
            says: |i| {
                let int = FieldType::Primitive(PrimitiveType::Int);
                SubRecord::Class(ClassDump {
                    constant_pool: vec![(0, boolean(0)), (0xffff, primitive(PrimitiveType::Byte, 0xff))],
                    statics: vec![(TextId(i.b()), boolean(0)), (TextId(i.b()), primitive(PrimitiveType::Char, 0))],
                    fields: vec![(TextId(i.c()), int), (TextId(i.c()), int)],
                    ..head(i)
                })
            },
        },
    ]
}
