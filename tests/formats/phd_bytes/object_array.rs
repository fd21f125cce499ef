//! Object array records, tag 5 (S1) and tag 8 (S0, Array records, 3).

use heapsmith::phd::Record;
use heapsmith::phd::record::{ObjectArray, StoredHash};
use heapsmith::phd::wire::Width;
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{
    address, bits16, bits32, class_word, gap, length, no_refs, object_array, read_body, references, refs, size,
};
use super::rows::{Row, Size, WORDS_32, WORDS_32_HASHED, WORDS_64, WORDS_64_HASHED, check};

pub(crate) fn rows_with_tag_5() -> Vec<Row> {
    vec![
        Row {
            name: "object array, tag 5, 32-bit words",
            setting: WORDS_32,
            bytes: hex!(
                "05"       // tag
                "01"       // 00 00 0001: 1-byte gap, 1-byte references, no hash
                "10"       // 16 units on: 0x1018 + 0x40
                "00004000" // class word
                "00000003" // three references
                "01 02 fd" // 1 and 2 units on, 3 back
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x01,
                gap: gap(Width::One, 16),
                class_word: 0x4000,
                hash: StoredHash::Absent,
                references: refs(Width::One, hex!("01 02 fd")),
                length: None,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000008"), words: 8, in_bytes: 32 }),
            item: object_array(0x1058, 0x4000, None, &[0x105c, 0x1060, 0x104c], None),
            in_8_byte_units: Some((0x20b0, &[0x20b8, 0x20c0, 0x2098])),
        },
        Row {
            name: "object array, tag 5, 32-bit words, 32-bit hash",
            setting: WORDS_32,
            bytes: hex!(
                "05"       // tag
                "43"       // 01 00 0011: 2-byte gap, 1-byte references, a 32-bit hash
                "0200"     // 512 units on: 0x1018 + 0x800
                "00004000" // class word
                "0badcafe" // hash
                "00000001" // one reference
                "80"       // 128 units back: 0x200 bytes
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x03,
                gap: gap(Width::Two, 512),
                class_word: 0x4000,
                hash: StoredHash::Bits32(0x0bad_cafe),
                references: refs(Width::One, hex!("80")),
                length: None,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000006"), words: 6, in_bytes: 24 }),
            item: object_array(0x1818, 0x4000, bits32(0x0bad_cafe), &[0x1618], None),
            in_8_byte_units: Some((0x3030, &[0x2c30])),
        },
        Row {
            name: "object array, tag 5, 32-bit words, 16-bit hash",
            setting: WORDS_32_HASHED,
            bytes: hex!(
                "05"        // tag
                "91"        // 10 01 0001: 4-byte gap, 2-byte references
                "00000400"  // 1024 units on: 0x1018 + 0x1000
                "00004000"  // class word
                "8000"      // hash
                "00000002"  // two references
                "0100 feff" // 256 units on, 0x400 bytes; 257 back, 0x404 bytes
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x01,
                gap: gap(Width::Four, 1024),
                class_word: 0x4000,
                hash: StoredHash::Bits16(0x8000),
                references: refs(Width::Two, hex!("0100 feff")),
                length: None,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("0000000a"), words: 10, in_bytes: 40 }),
            item: object_array(0x2018, 0x4000, bits16(0x8000), &[0x2418, 0x1c14], None),
            in_8_byte_units: None,
        },
        Row {
            name: "object array, tag 5, 64-bit words",
            setting: WORDS_64,
            bytes: hex!(
                "05"               // tag
                "e1"               // 11 10 0001: 8-byte gap, 4-byte references, no hash
                "0000000040000000" // 2^30 units on: 4 GiB
                "0000000700004000" // class word
                "00000001"         // one reference
                "c0000000"         // 2^30 units back
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x01,
                gap: gap(Width::Eight, 0x4000_0000),
                class_word: 0x7_0000_4000,
                hash: StoredHash::Absent,
                references: refs(Width::Four, hex!("c0000000")),
                length: None,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000006"), words: 6, in_bytes: 24 }),
            item: object_array(0x1_0000_1018, 0x7_0000_4000, None, &[0x1018], None),
            in_8_byte_units: Some((0x2_0000_2030, &[0x2030])),
        },
        Row {
            name: "object array, tag 5, 64-bit words, 32-bit hash",
            setting: WORDS_64,
            bytes: hex!(
                "05"               // tag
                "32"               // 00 11 0010: 1-byte gap, 8-byte references, a 32-bit hash
                "01"               // 1 unit on: 0x1018 + 4
                "0000000700004000" // class word
                "7fffffff"         // hash
                "00000001"         // one reference
                "0000000100000001" // 2^32 + 1 units on: 16 GiB and 4 bytes
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x02,
                gap: gap(Width::One, 1),
                class_word: 0x7_0000_4000,
                hash: StoredHash::Bits32(0x7fff_ffff),
                references: refs(Width::Eight, hex!("0000000100000001")),
                length: None,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000008"), words: 8, in_bytes: 32 }),
            item: object_array(0x101c, 0x7_0000_4000, bits32(0x7fff_ffff), &[0x4_0000_1020], None),
            in_8_byte_units: Some((0x2038, &[0x8_0000_2040])),
        },
        Row {
            name: "object array, tag 5, 64-bit words, 16-bit hash",
            setting: WORDS_64_HASHED,
            bytes: hex!(
                "05"               // tag
                "03"               // 00 00 0011: 1-byte gap; 0x02 has no say here
                "03"               // 3 units on: 0x1018 + 0xc
                "0000000700004000" // class word
                "0001"             // hash
                "00000000"         // no reference
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x03,
                gap: gap(Width::One, 3),
                class_word: 0x7_0000_4000,
                hash: StoredHash::Bits16(1),
                references: no_refs(),
                length: None,
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000004"), words: 4, in_bytes: 16 }),
            item: object_array(0x1024, 0x7_0000_4000, bits16(1), &[], None),
            in_8_byte_units: None,
        },
    ]
}

pub(crate) fn rows_with_tag_8() -> Vec<Row> {
    vec![
        Row {
            name: "object array, tag 8, 32-bit words",
            setting: WORDS_32,
            bytes: hex!(
                "08"       // tag
                "01"       // 00 00 0001: 1-byte gap, 1-byte references, no hash
                "20"       // 32 units on: 0x1018 + 0x80
                "00004000" // class word
                "00000002" // two references
                "7f 81"    // 127 units on and back: 0x1fc bytes
                "00000005" // 5 elements
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x01,
                gap: gap(Width::One, 32),
                class_word: 0x4000,
                hash: StoredHash::Absent,
                references: refs(Width::One, hex!("7f 81")),
                length: Some(5),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000008"), words: 8, in_bytes: 32 }),
            item: object_array(0x1098, 0x4000, None, &[0x1294, 0xe9c], Some(5)),
            in_8_byte_units: Some((0x2130, &[0x2528, 0x1d38])),
        },
        Row {
            name: "object array, tag 8, 32-bit words, 32-bit hash",
            setting: WORDS_32,
            bytes: hex!(
                "08"       // tag
                "a3"       // 10 10 0011: 4-byte gap, 4-byte references, a 32-bit hash
                "fffffffe" // 2 units back: 0x1018 - 8
                "00004000" // class word
                "00000001" // hash
                "00000001" // one reference
                "00020000" // 131072 units on: 0x80000 bytes
                "00000102" // 258 elements
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x03,
                gap: gap(Width::Four, -2),
                class_word: 0x4000,
                hash: StoredHash::Bits32(1),
                references: refs(Width::Four, hex!("00020000")),
                length: Some(258),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000106"), words: 262, in_bytes: 1048 }),
            item: object_array(0x1010, 0x4000, bits32(1), &[0x81010], Some(258)),
            in_8_byte_units: Some((0x2020, &[0x10_2020])),
        },
        Row {
            name: "object array, tag 8, 32-bit words, 16-bit hash",
            setting: WORDS_32_HASHED,
            bytes: hex!(
                "08"        // tag
                "51"        // 01 01 0001: 2-byte gap, 2-byte references
                "0004"      // 4 units on: 0x1018 + 0x10
                "00004000"  // class word
                "beef"      // hash
                "00000002"  // two references
                "0001 8000" // 1 unit on; 32768 back, 0x20000 bytes, which passes 0
                "00000003"  // 3 elements
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x01,
                gap: gap(Width::Two, 4),
                class_word: 0x4000,
                hash: StoredHash::Bits16(0xbeef),
                references: refs(Width::Two, hex!("0001 8000")),
                length: Some(3),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000006"), words: 6, in_bytes: 24 }),
            item: object_array(0x1028, 0x4000, bits16(0xbeef), &[0x102c, 0xfffe_1028], Some(3)),
            in_8_byte_units: None,
        },
        Row {
            name: "object array, tag 8, 64-bit words",
            setting: WORDS_64,
            bytes: hex!(
                "08"               // tag
                "c0"               // 11 00 0000: 8-byte gap, reference width code 0, no hash
                "0000000200000000" // 2^33 units on: 32 GiB
                "0000000700004000" // class word
                "00000000"         // no reference
                "00000009"         // 9 elements
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x00,
                gap: gap(Width::Eight, 0x2_0000_0000),
                class_word: 0x7_0000_4000,
                hash: StoredHash::Absent,
                references: no_refs(),
                length: Some(9),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("0000000e"), words: 14, in_bytes: 56 }),
            item: object_array(0x8_0000_1018, 0x7_0000_4000, None, &[], Some(9)),
            in_8_byte_units: Some((0x10_0000_2030, &[])),
        },
        Row {
            name: "object array, tag 8, 64-bit words, 32-bit hash",
            setting: WORDS_64,
            bytes: hex!(
                "08"                         // tag
                "63"                         // 01 10 0011: 2-byte gap, 4-byte references, a 32-bit hash
                "7fff"                       // 32767 units on: 0x1018 + 0x1fffc
                "0000000700004000"           // class word
                "fedcba98"                   // hash
                "00000003"                   // three references
                "00008000 00000000 ffff7fff" // 32768 units on, itself, 32769 back (0x20004 bytes)
                "00000004"                   // 4 elements
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x03,
                gap: gap(Width::Two, 32767),
                class_word: 0x7_0000_4000,
                hash: StoredHash::Bits32(0xfedc_ba98),
                references: refs(Width::Four, hex!("00008000 00000000 ffff7fff")),
                length: Some(4),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("0000000a"), words: 10, in_bytes: 40 }),
            item: object_array(0x21014, 0x7_0000_4000, bits32(0xfedc_ba98), &[0x41014, 0x21014, 0x1010], Some(4)),
            in_8_byte_units: Some((0x42028, &[0x82028, 0x42028, 0x2020])),
        },
        Row {
            name: "object array, tag 8, 64-bit words, 16-bit hash",
            setting: WORDS_64_HASHED,
            bytes: hex!(
                "08"               // tag
                "30"               // 00 11 0000: 1-byte gap, 8-byte references
                "02"               // 2 units on: 0x1018 + 8
                "0000000700004000" // class word
                "ffff"             // hash
                "00000001"         // one reference
                "0000004000000000" // 2^38 units on: 1 TiB
                "00000001"         // 1 element
            )
            .to_vec(),
            record: Record::ObjectArray(ObjectArray {
                flags: 0x00,
                gap: gap(Width::One, 2),
                class_word: 0x7_0000_4000,
                hash: StoredHash::Bits16(0xffff),
                references: refs(Width::Eight, hex!("0000004000000000")),
                length: Some(1),
                size_words: None,
            }),
            size: Some(Size { bytes: hex!("00000006"), words: 6, in_bytes: 24 }),
            item: object_array(0x1020, 0x7_0000_4000, bits16(0xffff), &[0x100_0000_1020], Some(1)),
            in_8_byte_units: None,
        },
    ]
}

#[test]
fn object_array_records_of_tag_5_read_and_write_as_spelled() {
    check(&rows_with_tag_5());
}

#[test]
fn object_array_records_of_tag_8_read_and_write_as_spelled() {
    check(&rows_with_tag_8());
}

/// S0 lists them the other way round; native writer, jdmpview writer and DTFJ reader agree on this.
#[test]
fn the_true_length_of_an_object_array_stands_before_its_instance_size() {
    let dump = read_body(
        6,
        4,
        &hex!(
            "08"       // tag
            "01"       // 00 00 0001
            "04"       // 0x10
            "00004000" // class word
            "00000000" // no reference
            "00000064" // 100 elements
            "00000068" // 104 words
        ),
    );
    let Record::ObjectArray(array) = &dump.records[0] else { panic!("{:?}", dump.records[0]) };
    assert_eq!((array.length, array.size_words), (Some(100), Some(104)));
    assert_eq!((length(&dump.items[0]), size(&dump.items[0])), (Some(100), Some(416)));
}

#[test]
fn in_version_6_an_object_array_of_tag_5_has_an_instance_size_but_no_length() {
    let dump = read_body(
        6,
        4,
        &hex!(
            "05"                // tag
            "01"                // 00 00 0001
            "04"                // 0x10
            "00004000"          // class word
            "00000001"          // one reference
            "01"                // 0x14
            "00000007"          // 7 words
            "30 01 00 00000004" // a primitive array, to show that nothing else was there
        ),
    );
    assert_eq!((length(&dump.items[0]), size(&dump.items[0])), (None, Some(28)));
    assert_eq!(address(&dump.items[1]), 0x14);
}

#[test]
fn before_version_6_an_object_array_of_tag_8_has_a_length_but_no_instance_size() {
    for version in [4, 5] {
        let dump = read_body(
            version,
            4,
            &hex!(
                "08"       // tag
                "01"       // 00 00 0001
                "04"       // 0x10
                "00004000" // class word
                "00000001" // one reference
                "01"       // 0x14
                "00000007" // 7 elements
                "30 01 00" // a primitive array, to show that nothing else was there
            ),
        );
        assert_eq!((length(&dump.items[0]), size(&dump.items[0])), (Some(7), None));
        assert_eq!(address(&dump.items[1]), 0x14);
    }
}

#[test]
fn the_class_word_of_an_object_array_is_an_absolute_address_in_bytes() {
    // Not a multiple of any unit, and above everything else, so that counting it in units or from
    // somewhere shows.
    let dump = read_body(
        4,
        0,
        &hex!(
            "05 00 02 f0000001 00000000" // flags 0, 2 units of 8 bytes on, class word, no reference
        ),
    );
    assert_eq!((address(&dump.items[0]), class_word(&dump.items[0])), (0x10, Some(0xf000_0001)));
}

/// The DTFJ reader drops reference 0 when it equals the class word: a guess at J9's version 4 arrays,
/// which hold their array class there. It loses genuine references.
#[test]
fn a_first_reference_that_equals_the_class_word_is_kept() {
    let dump = read_body(
        4,
        4,
        &hex!(
            "05"       // tag
            "01"       // 00 00 0001
            "08"       // 0x20
            "00000040" // class word
            "00000002" // two references
            "08 01"    // 0x40, which is the class word, and 0x24
        ),
    );
    assert_eq!(references(&dump.items[0]), [0x40, 0x24]);
}

#[test]
fn a_null_reference_is_read_as_address_0() {
    let dump = read_body(
        5,
        4,
        &hex!(
            "08"       // tag
            "01"       // 00 00 0001
            "08"       // 0x20
            "00004000" // class word
            "00000002" // two references
            "f8 01"    // 8 units back: 0; 0x24
            "00000003" // 3 elements
        ),
    );
    assert_eq!(references(&dump.items[0]), [0, 0x24]);
}
