//! Class records, tag 6 (S0, Class records).

use heapsmith::model::Name;
use heapsmith::phd::Record;
use heapsmith::phd::lift::DumpItem;
use heapsmith::phd::record::{ClassRecord, StoredHash};
use heapsmith::phd::wire::Width;
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{address, bits16, bits32, class, gap, no_refs, read_body, refs};
use super::rows::{Row, WORDS_32, WORDS_32_HASHED, WORDS_64, WORDS_64_HASHED, check};

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "class, 32-bit words",
            setting: WORDS_32,
            bytes: hex!(
                "06"       // tag
                "00"       // 00 00 0000: 1-byte gap, 1-byte references, no hash
                "10"       // 16 units on: 0x1018 + 0x40
                "00000018" // instances take 24 bytes
                "00005000" // superclass
                "0001 41"  // 1 byte: A
                "00000001" // one reference
                "04"       // 4 units on
            )
            .to_vec(),
            record: Record::Class(ClassRecord {
                flags: 0x00,
                gap: gap(Width::One, 16),
                instance_size: 24,
                hash: StoredHash::Absent,
                superclass: 0x5000,
                name: b"A".into(),
                references: refs(Width::One, hex!("04")),
            }),
            size: None,
            item: class(0x1058, "A", 0x5000, 24, None, &[0x1068], 4),
            in_8_byte_units: Some((0x20b0, &[0x20d0])),
        },
        Row {
            name: "class, 32-bit words, 32-bit hash",
            setting: WORDS_32,
            bytes: hex!(
                "06"          // tag
                "58"          // 01 01 1000: 2-byte gap, 2-byte references, a 32-bit hash
                "0100"        // 256 units on: 0x1018 + 0x400
                "00000010"    // instances take 16 bytes
                "12345678"    // hash
                "00005000"    // superclass
                "0003 6f2f42" // 3 bytes: o/B
                "00000002"    // two references
                "0080 ff80"   // 128 units on and back: 0x200 bytes
            )
            .to_vec(),
            record: Record::Class(ClassRecord {
                flags: 0x08,
                gap: gap(Width::Two, 256),
                instance_size: 16,
                hash: StoredHash::Bits32(0x1234_5678),
                superclass: 0x5000,
                name: b"o/B".into(),
                references: refs(Width::Two, hex!("0080 ff80")),
            }),
            size: None,
            item: class(0x1418, "o/B", 0x5000, 16, bits32(0x1234_5678), &[0x1618, 0x1218], 4),
            in_8_byte_units: Some((0x2830, &[0x2c30, 0x2430])),
        },
        Row {
            name: "class, 32-bit words, 16-bit hash",
            setting: WORDS_32_HASHED,
            bytes: hex!(
                "06"        // tag
                "a0"        // 10 10 0000: 4-byte gap, 4-byte references
                "00020000"  // 131072 units on: 0x1018 + 0x80000
                "fffffff8"  // instance size: of array classes it is garbage, kept all the same
                "beef"      // hash
                "00000000"  // no superclass
                "0002 5b49" // 2 bytes: [I
                "00000001"  // one reference
                "ffff7fff"  // 32769 units back: 0x20004 bytes
            )
            .to_vec(),
            record: Record::Class(ClassRecord {
                flags: 0x00,
                gap: gap(Width::Four, 131_072),
                instance_size: 0xffff_fff8,
                hash: StoredHash::Bits16(0xbeef),
                superclass: 0,
                name: b"[I".into(),
                references: refs(Width::Four, hex!("ffff7fff")),
            }),
            size: None,
            item: class(0x81018, "[I", 0, 4_294_967_288, bits16(0xbeef), &[0x61014], 4),
            in_8_byte_units: None,
        },
        Row {
            name: "class, 64-bit words",
            setting: WORDS_64,
            bytes: hex!(
                "06"               // tag
                "f0"               // 11 11 0000: 8-byte gap, 8-byte references, no hash
                "fffffffffffffffe" // 2 units back: 0x1018 - 8
                "00000020"         // instances take 32 bytes, in 4 bytes here too
                "0000000700005000" // superclass
                "0003 696e74"      // 3 bytes: int
                "00000001"         // one reference
                "0000000200000000" // 2^33 units on: 32 GiB
            )
            .to_vec(),
            record: Record::Class(ClassRecord {
                flags: 0x00,
                gap: gap(Width::Eight, -2),
                instance_size: 32,
                hash: StoredHash::Absent,
                superclass: 0x7_0000_5000,
                name: b"int".into(),
                references: refs(Width::Eight, hex!("0000000200000000")),
            }),
            size: None,
            item: class(0x1010, "int", 0x7_0000_5000, 32, None, &[0x8_0000_1010], 4),
            in_8_byte_units: Some((0x2020, &[0x10_0000_2020])),
        },
        Row {
            name: "class, 64-bit words, 32-bit hash",
            setting: WORDS_64,
            bytes: hex!(
                "06"               // tag
                "08"               // 00 00 1000: 1-byte gap, a 32-bit hash
                "7f"               // 127 units on: 0x1018 + 0x1fc
                "00000028"         // instances take 40 bytes
                "ffffffff"         // hash
                "0000000700005000" // superclass
                "0000"             // an empty name
                "00000000"         // no reference
            )
            .to_vec(),
            record: Record::Class(ClassRecord {
                flags: 0x08,
                gap: gap(Width::One, 127),
                instance_size: 40,
                hash: StoredHash::Bits32(0xffff_ffff),
                superclass: 0x7_0000_5000,
                name: b"".into(),
                references: no_refs(),
            }),
            size: None,
            item: class(0x1214, "", 0x7_0000_5000, 40, bits32(0xffff_ffff), &[], 4),
            in_8_byte_units: Some((0x2428, &[])),
        },
        Row {
            name: "class, 64-bit words, 16-bit hash",
            setting: WORDS_64_HASHED,
            bytes: hex!(
                "06"               // tag
                "98"               // 10 01 1000: 4-byte gap, 2-byte references; 0x08 has no say here
                "00000001"         // 1 unit on: 0x1018 + 4
                "00000000"         // instance size 0
                "0001"             // hash
                "0000000700005000" // superclass
                "0001 43"          // 1 byte: C
                "00000002"         // two references
                "0000 ffff"        // itself, 1 unit back
            )
            .to_vec(),
            record: Record::Class(ClassRecord {
                flags: 0x08,
                gap: gap(Width::Four, 1),
                instance_size: 0,
                hash: StoredHash::Bits16(1),
                superclass: 0x7_0000_5000,
                name: b"C".into(),
                references: refs(Width::Two, hex!("0000 ffff")),
            }),
            size: None,
            item: class(0x101c, "C", 0x7_0000_5000, 0, bits16(1), &[0x101c, 0x1018], 4),
            in_8_byte_units: None,
        },
    ]
}

#[test]
fn class_records_read_and_write_as_spelled() {
    check(&rows());
}

#[test]
fn the_superclass_word_is_an_absolute_address_in_bytes() {
    // Two classes in a row with one superclass, in 8-byte units, at an address that no unit divides.
    let dump = read_body(
        4,
        1,
        &hex!(
            "06 00 02 00000008 8000000000000001 0001 41 00000000" // 0x10; A, no reference
            "06 00 02 00000008 8000000000000001 0001 42 00000000" // 0x20; B, no reference
        ),
    );
    let superclass = 0x8000_0000_0000_0001;
    assert_eq!(
        dump.items,
        [class(0x10, "A", superclass, 8, None, &[], 0), class(0x20, "B", superclass, 8, None, &[], 0)]
    );
}

#[test]
fn an_empty_class_name_takes_its_length_alone() {
    let dump = read_body(
        5,
        4,
        &hex!(
            "06 00 02 00000008 00000000 0000 00000000"    // 8; no superclass, no name, no reference
            "06 00 02 00000008 00000000 0000 00000001 00" // 16; no name, itself
        ),
    );
    assert_eq!(dump.items, [class(8, "", 0, 8, None, &[], 0), class(16, "", 0, 8, None, &[16], 0)]);
}

#[test]
fn a_class_name_has_at_most_65535_bytes() {
    let before = hex!(
        "06 00 02 00000008 00000000" // 8; instances of 8 bytes, no superclass
        "ffff"                       // 65535 bytes
    );
    let after = hex!(
        "00000000" // no reference
    );
    let dump = read_body(6, 4, &[&before[..], &[0x61; 65535], &after].concat());
    assert_eq!(dump.items, [class(8, &"a".repeat(65535), 0, 8, None, &[], 0)]);
}

#[test]
fn a_class_name_is_kept_byte_by_byte() {
    let dump = read_body(
        6,
        4,
        &hex!(
            "06 00 02 00000008 00000000" // 8; instances of 8 bytes, no superclass
            "000c"                       // 12 bytes, of which
            "c080"                       // are U+0000 in modified UTF-8,
            "c3a9"                       // U+00E9,
            "eda0bdedb880"               // U+1F600 as two surrogates, and
            "00 ff"                      // neither modified nor plain UTF-8
            "00000000"                   // no reference
        ),
    );
    let DumpItem::Class(class) = &dump.items[0] else { panic!("{:?}", dump.items[0]) };
    assert_eq!(class.name, Name::from_bytes(hex!("c080 c3a9 eda0bdedb880 00ff")));
}

#[test]
fn classes_say_how_many_objects_stand_before_them() {
    let dump = read_body(
        5,
        4,
        &hex!(
            "06 00 02 00000008 00000000 0001 41 00000000" // 0x08: A
            "40 02 00000008"                              // 0x10: an instance of A
            "30 02 00"                                    // 0x18: an array
            "06 00 02 00000008 00000008 0001 42 00000000" // 0x20: B extends A
        ),
    );
    assert_eq!(dump.items[0], class(8, "A", 0, 8, None, &[], 0));
    assert_eq!(dump.items[3], class(0x20, "B", 8, 8, None, &[], 2));
    assert_eq!(dump.items.iter().map(address).collect::<Vec<_>>(), [0x8, 0x10, 0x18, 0x20]);
}
