//! Long primitive array records, tag 7 (S0, Array records, 2).

use heapsmith::model::PrimitiveType;
use heapsmith::phd::Record;
use heapsmith::phd::record::{LongPrimitiveArray, StoredHash};
use heapsmith::phd::wire::Width;
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{address, bits16, bits32, gap, length, primitive_array, read_body};
use super::rows::{Row, Size, WORDS_32, WORDS_32_HASHED, WORDS_64, WORDS_64_HASHED, check};

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "long primitive array, 32-bit words",
            setting: WORDS_32,
            bytes: hex!(
                "07" // tag
                "c0" // 110 0 00 00: int, gap and length take 1 byte, no hash
                "10" // 16 units on: 0x1018 + 0x40
                "03" // 3 elements
            )
            .to_vec(),
            record: Record::LongPrimitiveArray(LongPrimitiveArray {
                element: PrimitiveType::Int,
                flags: 0x00,
                gap: gap(Width::One, 16),
                length: 3,
                hash: StoredHash::Absent,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000006"), words: 6, in_bytes: 24 }),
            item: primitive_array(0x1058, PrimitiveType::Int, 3, None),
            in_8_byte_units: Some((0x20b0, &[])),
        },
        Row {
            name: "long primitive array, 32-bit words, 32-bit hash",
            setting: WORDS_32,
            bytes: hex!(
                "07"       // tag
                "92"       // 100 1 00 10: byte, gap and length take a word, a 32-bit hash
                "00000100" // 256 units on: 0x1018 + 0x400
                "00000101" // 257 elements
                "12345678" // hash
            )
            .to_vec(),
            record: Record::LongPrimitiveArray(LongPrimitiveArray {
                element: PrimitiveType::Byte,
                flags: 0x02,
                gap: gap(Width::Four, 256),
                length: 257,
                hash: StoredHash::Bits32(0x1234_5678),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000044"), words: 68, in_bytes: 272 }),
            item: primitive_array(0x1418, PrimitiveType::Byte, 257, bits32(0x1234_5678)),
            in_8_byte_units: Some((0x2830, &[])),
        },
        Row {
            name: "long primitive array, 32-bit words, 16-bit hash",
            setting: WORDS_32_HASHED,
            bytes: hex!(
                "07"   // tag
                "a3"   // 101 0 00 11: short, gap and length take 1 byte; 0x02 has no say here
                "ff"   // 1 unit back: 0x1018 - 4
                "ff"   // 255 elements
                "8000" // hash
            )
            .to_vec(),
            record: Record::LongPrimitiveArray(LongPrimitiveArray {
                element: PrimitiveType::Short,
                flags: 0x03,
                gap: gap(Width::One, -1),
                length: 255,
                hash: StoredHash::Bits16(0x8000),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000084"), words: 132, in_bytes: 528 }),
            item: primitive_array(0x1014, PrimitiveType::Short, 255, bits16(0x8000)),
            in_8_byte_units: None,
        },
        Row {
            name: "long primitive array, 64-bit words",
            setting: WORDS_64,
            bytes: hex!(
                "07"               // tag
                "11"               // 000 1 00 01: boolean, gap and length take a word; 0x01 means nothing
                "fffffffffffffffc" // 4 units back: 0x1018 - 0x10
                "0000000000000000" // empty
            )
            .to_vec(),
            record: Record::LongPrimitiveArray(LongPrimitiveArray {
                element: PrimitiveType::Boolean,
                flags: 0x01,
                gap: gap(Width::Eight, -4),
                length: 0,
                hash: StoredHash::Absent,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000004"), words: 4, in_bytes: 16 }),
            item: primitive_array(0x1008, PrimitiveType::Boolean, 0, None),
            in_8_byte_units: Some((0x2010, &[])),
        },
        Row {
            name: "long primitive array, 64-bit words, 32-bit hash",
            setting: WORDS_64,
            bytes: hex!(
                "07"       // tag
                "22"       // 001 0 00 10: char, gap and length take 1 byte, a 32-bit hash
                "20"       // 32 units on: 0x1018 + 0x80
                "7f"       // 127 elements
                "ffffffff" // hash
            )
            .to_vec(),
            record: Record::LongPrimitiveArray(LongPrimitiveArray {
                element: PrimitiveType::Char,
                flags: 0x02,
                gap: gap(Width::One, 32),
                length: 127,
                hash: StoredHash::Bits32(0xffff_ffff),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000046"), words: 70, in_bytes: 280 }),
            item: primitive_array(0x1098, PrimitiveType::Char, 127, bits32(0xffff_ffff)),
            in_8_byte_units: Some((0x2130, &[])),
        },
        Row {
            name: "long primitive array, 64-bit words, 16-bit hash",
            setting: WORDS_64_HASHED,
            bytes: hex!(
                "07"               // tag
                "f0"               // 111 1 00 00: long, gap and length take a word
                "0000000000000004" // 4 units on: 0x1018 + 0x10
                "0000000000010000" // 65536 elements
                "7fff"             // hash
            )
            .to_vec(),
            record: Record::LongPrimitiveArray(LongPrimitiveArray {
                element: PrimitiveType::Long,
                flags: 0x00,
                gap: gap(Width::Eight, 4),
                length: 65536,
                hash: StoredHash::Bits16(0x7fff),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00020004"), words: 131_076, in_bytes: 524_304 }),
            item: primitive_array(0x1028, PrimitiveType::Long, 65536, bits16(0x7fff)),
            in_8_byte_units: None,
        },
    ]
}

#[test]
fn long_primitive_array_records_read_and_write_as_spelled() {
    check(&rows());
}

#[test]
fn the_type_codes_of_long_primitive_arrays_are_in_the_order_of_the_documents() {
    let rows = [
        (hex!("07 02 01 05 00000007"), PrimitiveType::Boolean), // 000 0 00 10
        (hex!("07 22 01 05 00000007"), PrimitiveType::Char),    // 001 0 00 10
        (hex!("07 42 01 05 00000007"), PrimitiveType::Float),   // 010 0 00 10
        (hex!("07 62 01 05 00000007"), PrimitiveType::Double),  // 011 0 00 10
        (hex!("07 82 01 05 00000007"), PrimitiveType::Byte),    // 100 0 00 10
        (hex!("07 a2 01 05 00000007"), PrimitiveType::Short),   // 101 0 00 10
        (hex!("07 c2 01 05 00000007"), PrimitiveType::Int),     // 110 0 00 10
        (hex!("07 e2 01 05 00000007"), PrimitiveType::Long),    // 111 0 00 10
    ];
    for (bytes, element) in rows {
        assert_eq!(read_body(5, 4, &bytes).items, [primitive_array(4, element, 5, bits32(7))]);
    }
}

#[test]
fn a_one_byte_length_beside_a_one_byte_gap_is_unsigned() {
    let dump = read_body(
        5,
        5,
        &hex!(
            "07 82 7f 80 00000001" // 127 units on, 0x1fc; 128 elements
            "07 82 7f ff 00000001" // 127 units on, 0x3f8; 255 elements
            "07 82 80 00 00000001" // 128 units back, 0x1f8; empty
        ),
    );
    let read: Vec<_> = dump.items.iter().map(|item| (address(item), length(item))).collect();
    assert_eq!(read, [(0x1fc, Some(128)), (0x3f8, Some(255)), (0x1f8, Some(0))]);
}
