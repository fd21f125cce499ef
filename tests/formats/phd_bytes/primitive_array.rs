//! Primitive array records, tag bit 0x20 (S0, Array records, 1).

use heapsmith::model::PrimitiveType;
use heapsmith::phd::Record;
use heapsmith::phd::record::PrimitiveArray;
use heapsmith::phd::wire::Width;
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{address, bits16, gap, length, primitive_array, read_body, size};
use super::rows::{Row, Size, WORDS_32, WORDS_32_HASHED, WORDS_64, WORDS_64_HASHED, check};

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "primitive array, 32-bit words",
            setting: WORDS_32,
            bytes: hex!(
                "30" // 001 100 00: byte, gap and length take 1 byte
                "10" // 16 units on: 0x1018 + 0x40
                "05" // 5 elements
            )
            .to_vec(),
            record: Record::PrimitiveArray(PrimitiveArray {
                element: PrimitiveType::Byte,
                gap: gap(Width::One, 16),
                length: 5,
                hash: None,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000006"), words: 6, in_bytes: 24 }),
            item: primitive_array(0x1058, PrimitiveType::Byte, 5, None),
            in_8_byte_units: Some((0x20b0, &[])),
        },
        Row {
            name: "primitive array, 32-bit words, 16-bit hash",
            setting: WORDS_32_HASHED,
            bytes: hex!(
                "25"   // 001 001 01: char, gap and length take 2 bytes
                "0100" // 256 units on: 0x1018 + 0x400
                "012c" // 300 elements
                "beef" // hash
            )
            .to_vec(),
            record: Record::PrimitiveArray(PrimitiveArray {
                element: PrimitiveType::Char,
                gap: gap(Width::Two, 256),
                length: 300,
                hash: Some(0xbeef),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("0000009a"), words: 154, in_bytes: 616 }),
            item: primitive_array(0x1418, PrimitiveType::Char, 300, bits16(0xbeef)),
            in_8_byte_units: None,
        },
        Row {
            name: "primitive array, 64-bit words",
            setting: WORDS_64,
            bytes: hex!(
                "3e"       // 001 111 10: long, gap and length take 4 bytes
                "00010000" // 65536 units on: 0x1018 + 0x40000
                "00010001" // 65537 elements
            )
            .to_vec(),
            record: Record::PrimitiveArray(PrimitiveArray {
                element: PrimitiveType::Long,
                gap: gap(Width::Four, 65536),
                length: 65537,
                hash: None,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00020006"), words: 131_078, in_bytes: 524_312 }),
            item: primitive_array(0x41018, PrimitiveType::Long, 65537, None),
            in_8_byte_units: Some((0x82030, &[])),
        },
        Row {
            name: "primitive array, 64-bit words, 16-bit hash",
            setting: WORDS_64_HASHED,
            bytes: hex!(
                "2f"               // 001 011 11: double, gap and length take 8 bytes
                "0000000100000000" // 2^32 units on: 16 GiB
                "0000000000000003" // 3 elements
                "8001"             // hash
            )
            .to_vec(),
            record: Record::PrimitiveArray(PrimitiveArray {
                element: PrimitiveType::Double,
                gap: gap(Width::Eight, 0x1_0000_0000),
                length: 3,
                hash: Some(0x8001),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("0000000a"), words: 10, in_bytes: 40 }),
            item: primitive_array(0x4_0000_1018, PrimitiveType::Double, 3, bits16(0x8001)),
            in_8_byte_units: None,
        },
    ]
}

#[test]
fn primitive_array_records_read_and_write_as_spelled() {
    check(&rows());
}

#[test]
fn the_type_codes_of_primitive_arrays_are_in_the_order_of_the_documents() {
    let rows = [
        (hex!("20 01 02"), PrimitiveType::Boolean), // 001 000 00
        (hex!("24 01 02"), PrimitiveType::Char),    // 001 001 00
        (hex!("28 01 02"), PrimitiveType::Float),   // 001 010 00
        (hex!("2c 01 02"), PrimitiveType::Double),  // 001 011 00
        (hex!("30 01 02"), PrimitiveType::Byte),    // 001 100 00
        (hex!("34 01 02"), PrimitiveType::Short),   // 001 101 00
        (hex!("38 01 02"), PrimitiveType::Int),     // 001 110 00
        (hex!("3c 01 02"), PrimitiveType::Long),    // 001 111 00
    ];
    for (bytes, element) in rows {
        assert_eq!(read_body(5, 4, &bytes).items, [primitive_array(4, element, 2, None)]);
    }
}

#[test]
fn lengths_of_one_and_two_bytes_are_unsigned_though_the_gap_beside_them_is_signed() {
    let dump = read_body(
        5,
        5,
        &hex!(
            "32 00000100 00000000" // 001 100 10: 256 units on, 0x400; empty
            "30 ff ff"             // 001 100 00: 1 unit back, 0x3fc; 255 elements
            "30 80 80"             // 128 units back, 0x1fc; 128 elements
            "31 0081 ffff"         // 001 100 01: 129 units on, 0x400; 65535 elements
            "31 ffff 8000"         // 1 unit back, 0x3fc; 32768 elements
        ),
    );
    let read: Vec<_> = dump.items.iter().map(|item| (address(item), length(item))).collect();
    assert_eq!(
        read,
        [(0x400, Some(0)), (0x3fc, Some(255)), (0x1fc, Some(128)), (0x400, Some(65535)), (0x3fc, Some(32768)),]
    );
}

#[test]
fn array_records_end_with_their_instance_size_in_version_6_alone() {
    // The same two arrays, 16 and 24 bytes large.
    let sized = hex!(
        "30 02 00 00000004" // 8; empty; 4 words
        "30 04 08 00000006" // 8 + 16; 8 elements; 6 words
    );
    let plain = hex!(
        "30 02 00"
        "30 04 08"
    );
    for (version, body, sizes) in
        [(4, &plain[..], [None, None]), (5, &plain, [None, None]), (6, &sized, [Some(16), Some(24)])]
    {
        let items = read_body(version, 5, body).items;
        let read: Vec<_> = items.iter().map(|item| (address(item), length(item), size(item))).collect();
        assert_eq!(read, [(8, Some(0), sizes[0]), (24, Some(8), sizes[1])], "version {version}");
    }
}

#[test]
fn an_instance_size_beyond_four_gibibytes_is_kept() {
    let dump = read_body(
        6,
        5,
        &hex!(
            "3a"       // 001 110 10: int, gap and length take 4 bytes
            "00000002" // 8
            "7fffffff" // 2^31 - 1 elements
            "80000003" // words: 4 x (2^31 + 3) bytes
        ),
    );
    assert_eq!(dump.items.iter().map(size).collect::<Vec<_>>(), [Some(8_589_934_604)]);
}
