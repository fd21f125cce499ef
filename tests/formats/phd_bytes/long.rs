//! Long object records, tag 4 (S0, Object records, 3).

use heapsmith::phd::Record;
use heapsmith::phd::record::{LongObject, StoredHash};
use heapsmith::phd::wire::Width;
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{bits16, bits32, gap, instance, no_refs, read_body, references, refs};
use super::rows::{Row, WORDS_32, WORDS_32_HASHED, WORDS_64, WORDS_64_HASHED, check};

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "long, 32-bit words",
            setting: WORDS_32,
            bytes: hex!(
                "04"       // tag
                "41"       // 01 00 0001: 2-byte gap, 1-byte references, no hash
                "0100"     // 256 units on: 0x1018 + 0x400
                "00003000" // class
                "00000001" // one reference
                "7f"       // 127 units on: 0x1fc bytes
            )
            .to_vec(),
            record: Record::Long(LongObject {
                flags: 0x01,
                gap: gap(Width::Two, 256),
                class_word: 0x3000,
                hash: StoredHash::Absent,
                references: refs(Width::One, hex!("7f")),
            }),
            size: None,
            item: instance(0x1418, 0x3000, None, &[0x1614]),
            in_8_byte_units: Some((0x2830, &[0x2c28])),
        },
        Row {
            name: "long, 32-bit words, 32-bit hash",
            setting: WORDS_32,
            bytes: hex!(
                "04"        // tag
                "93"        // 10 01 0011: 4-byte gap, 2-byte references, a 32-bit hash
                "00010000"  // 65536 units on: 0x1018 + 0x40000
                "00003000"  // class
                "89abcdef"  // hash
                "00000002"  // two references
                "0080 8000" // 128 units on, 0x200 bytes; 32768 back, 0x20000 bytes
            )
            .to_vec(),
            record: Record::Long(LongObject {
                flags: 0x03,
                gap: gap(Width::Four, 65536),
                class_word: 0x3000,
                hash: StoredHash::Bits32(0x89ab_cdef),
                references: refs(Width::Two, hex!("0080 8000")),
            }),
            size: None,
            item: instance(0x41018, 0x3000, bits32(0x89ab_cdef), &[0x41218, 0x21018]),
            in_8_byte_units: Some((0x82030, &[0x82430, 0x42030])),
        },
        Row {
            name: "long, 32-bit words, 16-bit hash",
            setting: WORDS_32_HASHED,
            bytes: hex!(
                "04"       // tag
                "21"       // 00 10 0001: 1-byte gap, 4-byte references
                "fc"       // 4 units back: 0x1018 - 0x10
                "00003000" // class
                "beef"     // hash
                "00000001" // one reference
                "00008000" // 32768 units on: 0x20000 bytes
            )
            .to_vec(),
            record: Record::Long(LongObject {
                flags: 0x01,
                gap: gap(Width::One, -4),
                class_word: 0x3000,
                hash: StoredHash::Bits16(0xbeef),
                references: refs(Width::Four, hex!("00008000")),
            }),
            size: None,
            item: instance(0x1008, 0x3000, bits16(0xbeef), &[0x21008]),
            in_8_byte_units: None,
        },
        Row {
            name: "long, 64-bit words",
            setting: WORDS_64,
            bytes: hex!(
                "04"               // tag
                "c0"               // 11 00 0000: 8-byte gap, reference width code 0, no hash
                "0000000100000000" // 2^32 units on: 16 GiB
                "0000000700003000" // class
                "00000000"         // no reference
            )
            .to_vec(),
            record: Record::Long(LongObject {
                flags: 0x00,
                gap: gap(Width::Eight, 0x1_0000_0000),
                class_word: 0x7_0000_3000,
                hash: StoredHash::Absent,
                references: no_refs(),
            }),
            size: None,
            item: instance(0x4_0000_1018, 0x7_0000_3000, None, &[]),
            in_8_byte_units: Some((0x8_0000_2030, &[])),
        },
        Row {
            name: "long, 64-bit words, 32-bit hash",
            setting: WORDS_64,
            bytes: hex!(
                "04"               // tag
                "32"               // 00 11 0010: 1-byte gap, 8-byte references, a 32-bit hash
                "04"               // 4 units on: 0x1018 + 0x10
                "0000000700003000" // class
                "00000001"         // hash
                "00000002"         // two references
                "0000001000000000" // 2^36 units on: 256 GiB
                "ffffffffffffff00" // 256 units back: 0x400 bytes
            )
            .to_vec(),
            record: Record::Long(LongObject {
                flags: 0x02,
                gap: gap(Width::One, 4),
                class_word: 0x7_0000_3000,
                hash: StoredHash::Bits32(1),
                references: refs(Width::Eight, hex!("0000001000000000 ffffffffffffff00")),
            }),
            size: None,
            item: instance(0x1028, 0x7_0000_3000, bits32(1), &[0x40_0000_1028, 0xc28]),
            in_8_byte_units: Some((0x2050, &[0x80_0000_2050, 0x1850])),
        },
        Row {
            name: "long, 64-bit words, 16-bit hash",
            setting: WORDS_64_HASHED,
            bytes: hex!(
                "04"               // tag
                "53"               // 01 01 0011: 2-byte gap, 2-byte references; 0x02 has no say here
                "0008"             // 8 units on: 0x1018 + 0x20
                "0000000700003000" // class
                "7fff"             // hash
                "00000001"         // one reference
                "fff8"             // 8 units back: 0x20 bytes
            )
            .to_vec(),
            record: Record::Long(LongObject {
                flags: 0x03,
                gap: gap(Width::Two, 8),
                class_word: 0x7_0000_3000,
                hash: StoredHash::Bits16(0x7fff),
                references: refs(Width::Two, hex!("fff8")),
            }),
            size: None,
            item: instance(0x1038, 0x7_0000_3000, bits16(0x7fff), &[0x1018]),
            in_8_byte_units: None,
        },
    ]
}

#[test]
fn long_records_read_and_write_as_spelled() {
    check(&rows());
}

#[test]
fn the_number_of_references_takes_four_bytes_whatever_their_width() {
    let head = hex!(
        "04"       // tag
        "01"       // 00 00 0001: 1-byte gap, 1-byte references
        "04"       // 0x10
        "00003000" // class
        "00000103" // 259 references
    );
    let dump = read_body(6, 4, &[&head[..], &[0x01; 259]].concat());
    assert_eq!(references(&dump.items[0]), [0x14; 259]);
}
