//! INSTANCE DUMP, OBJECT ARRAY DUMP, PRIMITIVE ARRAY DUMP, and Android's arrays without elements.

use heapsmith::hprof::SubRecord;
use heapsmith::hprof::sub_record::{ArrayHead, InstanceDump, ObjectArrayDump, PrimitiveArrayDump};
use heapsmith::model::{Address, PrimitiveType, Serial};
use hex_literal::hex;

use super::dump::{SIZES, failure, file, segment};
use super::rows::{Ids, Row, check_sub_records};

#[test]
fn every_object_is_read_and_written_as_the_page_has_it() {
    check_sub_records(&rows());
}

#[test]
fn arrays_have_elements_of_every_basic_type() {
    for with_data in [true, false] {
        check_sub_records(&of_every_type(with_data));
    }
}

#[test]
fn element_types_are_4_to_11_and_nothing_else() {
    for code in [0u8, 1, 2, 3, 12, 13, 0x7f, 0x80, 0xff] {
        for size in SIZES {
            // The array's id, stack trace serial number and number of elements stand before the type.
            for tag in [0x23, 0xc3] {
                let array = [&[tag][..], &vec![0; size + 8], &[code], &[0; 16]].concat();
                let expected = ("hprof.type.code", 40 + 9 + size as u64, Some(1), "element type");
                assert_eq!(failure(&file(size, &[&segment(&[&array])])), expected, "code {code}, I = {size}");
            }
        }
    }
}

fn array_head(i: Ids, length: u32, element: PrimitiveType) -> ArrayHead {
    ArrayHead { id: Address(i.a()), trace: Serial(0x8102_0304), length, element }
}

pub(crate) fn rows() -> Vec<Row<SubRecord<'static>>> {
    vec![
        Row {
            name: "INSTANCE DUMP",
            fields: "1 I 4 I 4 L",
            spelled: [
                // Object, stack trace serial number, class, bytes that follow, values.
                &hex!("21 a1 81020304 b1 00000005 0102030405"),
                &hex!("21 a1a2 81020304 b1b2 00000005 0102030405"),
                &hex!("21 a1a2a3a4 81020304 b1b2b3b4 00000005 0102030405"),
                &hex!("21 a1a2a3a4a5a6a7a8 81020304 b1b2b3b4b5b6b7b8 00000005 0102030405"),
            ],
            says: |i| {
                SubRecord::Instance(InstanceDump {
                    id: Address(i.a()),
                    trace: Serial(0x8102_0304),
                    class: Address(i.b()),
                    length: 5,
                    values: b"\x01\x02\x03\x04\x05".into(),
                })
            },
        },
        Row {
            name: "INSTANCE DUMP without fields",
            fields: "1 I 4 I 4",
            spelled: [
                &hex!("21 ff ffffffff 00 00000000"),
                &hex!("21 ffff ffffffff 0000 00000000"),
                &hex!("21 ffffffff ffffffff 00000000 00000000"),
                &hex!("21 ffffffffffffffff ffffffff 0000000000000000 00000000"),
            ],
            says: |i| {
                SubRecord::Instance(InstanceDump {
                    id: Address(i.ff()),
                    trace: Serial(u32::MAX),
                    class: Address(0),
                    length: 0,
                    values: b"".into(),
                })
            },
        },
        Row {
            name: "OBJECT ARRAY DUMP",
            fields: "1 I 4 4 I L",
            spelled: [
                // Array, stack trace serial number, number of elements, class of the array, elements.
                &hex!("22 a1 81020304 00000003 b1 c1 00 ff"),
                &hex!("22 a1a2 81020304 00000003 b1b2 c1c2 0000 ffff"),
                &hex!("22 a1a2a3a4 81020304 00000003 b1b2b3b4 c1c2c3c4 00000000 ffffffff"),
                &hex!(
                    "22 a1a2a3a4a5a6a7a8 81020304 00000003 b1b2b3b4b5b6b7b8"
                    "c1c2c3c4c5c6c7c8 0000000000000000 ffffffffffffffff"
                ),
            ],
            says: |i| {
                let elements: &[u8] = match i.ff() {
                    0xff => b"\xc1\0\xff",
                    0xffff => b"\xc1\xc2\0\0\xff\xff",
                    0xffff_ffff => b"\xc1\xc2\xc3\xc4\0\0\0\0\xff\xff\xff\xff",
                    _ => b"\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
                };
                SubRecord::ObjectArray(ObjectArrayDump {
                    id: Address(i.a()),
                    trace: Serial(0x8102_0304),
                    length: 3,
                    class: Address(i.b()),
                    elements: elements.into(),
                })
            },
        },
        Row {
            name: "OBJECT ARRAY DUMP without elements",
            fields: "1 I 4 4 I",
            spelled: [
                &hex!("22 00 00000000 00000000 ff"),
                &hex!("22 0000 00000000 00000000 ffff"),
                &hex!("22 00000000 00000000 00000000 ffffffff"),
                &hex!("22 0000000000000000 00000000 00000000 ffffffffffffffff"),
            ],
            says: |i| {
                SubRecord::ObjectArray(ObjectArrayDump {
                    id: Address(0),
                    trace: Serial(0),
                    length: 0,
                    class: Address(i.ff()),
                    elements: b"".into(),
                })
            },
        },
        Row {
            name: "PRIMITIVE ARRAY DUMP",
            fields: "1 I 4 4 1 L",
            spelled: [
                // Array, stack trace serial number, number of elements, type (5: char), elements.
                &hex!("23 a1 81020304 00000003 05 0001 8002 ffff"),
                &hex!("23 a1a2 81020304 00000003 05 0001 8002 ffff"),
                &hex!("23 a1a2a3a4 81020304 00000003 05 0001 8002 ffff"),
                &hex!("23 a1a2a3a4a5a6a7a8 81020304 00000003 05 0001 8002 ffff"),
            ],
            says: |i| {
                SubRecord::PrimitiveArray(PrimitiveArrayDump {
                    head: array_head(i, 3, PrimitiveType::Char),
                    elements: b"\0\x01\x80\x02\xff\xff".into(),
                })
            },
        },
        Row {
            name: "PRIMITIVE ARRAY DUMP without elements",
            fields: "1 I 4 4 1",
            spelled: [
                &hex!("23 a1 81020304 00000000 0b"),
                &hex!("23 a1a2 81020304 00000000 0b"),
                &hex!("23 a1a2a3a4 81020304 00000000 0b"),
                &hex!("23 a1a2a3a4a5a6a7a8 81020304 00000000 0b"),
            ],
            says: |i| {
                SubRecord::PrimitiveArray(PrimitiveArrayDump {
                    head: array_head(i, 0, PrimitiveType::Long),
                    elements: b"".into(),
                })
            },
        },
        Row {
            name: "PRIMITIVE ARRAY NO DATA DUMP",
            fields: "1 I 4 4 1",
            spelled: [
                // As many elements as can be, and none of them there.
                &hex!("c3 a1 81020304 ffffffff 0b"),
                &hex!("c3 a1a2 81020304 ffffffff 0b"),
                &hex!("c3 a1a2a3a4 81020304 ffffffff 0b"),
                &hex!("c3 a1a2a3a4a5a6a7a8 81020304 ffffffff 0b"),
            ],
            says: |i| SubRecord::NoDataArray(array_head(i, u32::MAX, PrimitiveType::Long)),
        },
    ]
}

/// Two elements of each type, or a head that only counts them.
pub(crate) fn of_every_type(with_data: bool) -> Vec<Row<SubRecord<'static>>> {
    macro_rules! row {
        ($kind:ident, $code:literal, $elements:literal) => {
            if with_data {
                Row {
                    name: concat!("PRIMITIVE ARRAY DUMP of ", stringify!($kind)),
                    fields: "1 I 4 4 1 L",
                    spelled: [
                        &hex!("23 a1 81020304 00000002" $code $elements),
                        &hex!("23 a1a2 81020304 00000002" $code $elements),
                        &hex!("23 a1a2a3a4 81020304 00000002" $code $elements),
                        &hex!("23 a1a2a3a4a5a6a7a8 81020304 00000002" $code $elements),
                    ],
                    says: |i: Ids| {
                        SubRecord::PrimitiveArray(PrimitiveArrayDump {
                            head: array_head(i, 2, PrimitiveType::$kind),
                            elements: (&hex!($elements)).into(),
                        })
                    },
                }
            } else {
                Row {
                    name: concat!("PRIMITIVE ARRAY NO DATA DUMP of ", stringify!($kind)),
                    fields: "1 I 4 4 1",
                    spelled: [
                        &hex!("c3 a1 81020304 80000002" $code),
                        &hex!("c3 a1a2 81020304 80000002" $code),
                        &hex!("c3 a1a2a3a4 81020304 80000002" $code),
                        &hex!("c3 a1a2a3a4a5a6a7a8 81020304 80000002" $code),
                    ],
                    says: |i: Ids| SubRecord::NoDataArray(array_head(i, 0x8000_0002, PrimitiveType::$kind)),
                }
            }
        };
    }
    vec![
        row!(Boolean, "04", "01 00"),
        row!(Char, "05", "0041 ffff"),
        row!(Float, "06", "7fc00000 80000000"),
        row!(Double, "07", "7ff8000000000000 8000000000000000"),
        row!(Byte, "08", "80 7f"),
        row!(Short, "09", "8000 7fff"),
        row!(Int, "0a", "80000000 7fffffff"),
        row!(Long, "0b", "8000000000000000 7fffffffffffffff"),
    ]
}
