//! Medium object records, tag bit 0x40 (S0, Object records, 2).

use heapsmith::phd::Record;
use heapsmith::phd::record::MediumObject;
use heapsmith::phd::wire::Width;
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{bits16, gap, instance, no_refs, read_body, refs};
use super::rows::{Row, WORDS_32, WORDS_32_HASHED, WORDS_64, WORDS_64_HASHED, check};

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "medium, 32-bit words",
            setting: WORDS_32,
            bytes: hex!(
                "51"        // 01 010 0 01: two references, 1-byte gap, 2-byte references
                "7f"        // 127 units on: 0x1018 + 0x1fc
                "00003000"  // class
                "0100 ff80" // 256 units on, 0x400 bytes, and 128 back, 0x200 bytes
            )
            .to_vec(),
            record: Record::Medium(MediumObject {
                gap: gap(Width::One, 127),
                class_word: 0x3000,
                hash: None,
                references: refs(Width::Two, hex!("0100 ff80")),
            }),
            size: None,
            item: instance(0x1214, 0x3000, None, &[0x1614, 0x1014]),
            in_8_byte_units: Some((0x2428, &[0x2c28, 0x2028])),
        },
        Row {
            name: "medium, 32-bit words, 16-bit hash",
            setting: WORDS_32_HASHED,
            bytes: hex!(
                "44"       // 01 000 1 00: no reference, 2-byte gap, reference width code 0
                "0080"     // 128 units on: 0x1018 + 0x200
                "00003000" // class
                "0001"     // hash
            )
            .to_vec(),
            record: Record::Medium(MediumObject {
                gap: gap(Width::Two, 128),
                class_word: 0x3000,
                hash: Some(1),
                references: no_refs(),
            }),
            size: None,
            item: instance(0x1218, 0x3000, bits16(1), &[]),
            in_8_byte_units: None,
        },
        Row {
            name: "medium, 64-bit words",
            setting: WORDS_64,
            bytes: hex!(
                "78"                   // 01 111 0 00: seven references, 1-byte gap, 1-byte references
                "01"                   // 1 unit on: 0x1018 + 4
                "0000000700003000"     // class
                "01 02 03 04 ff fe 80" // 1 to 4 units on; 1, 2 and 128 back
            )
            .to_vec(),
            record: Record::Medium(MediumObject {
                gap: gap(Width::One, 1),
                class_word: 0x7_0000_3000,
                hash: None,
                references: refs(Width::One, hex!("01 02 03 04 ff fe 80")),
            }),
            size: None,
            item: instance(0x101c, 0x7_0000_3000, None, &[0x1020, 0x1024, 0x1028, 0x102c, 0x1018, 0x1014, 0xe1c]),
            in_8_byte_units: Some((0x2038, &[0x2040, 0x2048, 0x2050, 0x2058, 0x2030, 0x2028, 0x1c38])),
        },
        Row {
            name: "medium, 64-bit words, 16-bit hash",
            setting: WORDS_64_HASHED,
            bytes: hex!(
                "4f"               // 01 001 1 11: one reference, 2-byte gap, 8-byte references
                "0100"             // 256 units on: 0x1018 + 0x400
                "0000000700003000" // class
                "ffff"             // hash
                "fffffffffffffffe" // 2 units back: 8 bytes
            )
            .to_vec(),
            record: Record::Medium(MediumObject {
                gap: gap(Width::Two, 256),
                class_word: 0x7_0000_3000,
                hash: Some(0xffff),
                references: refs(Width::Eight, hex!("fffffffffffffffe")),
            }),
            size: None,
            item: instance(0x1418, 0x7_0000_3000, bits16(0xffff), &[0x1410]),
            in_8_byte_units: None,
        },
    ]
}

#[test]
fn medium_records_read_and_write_as_spelled() {
    check(&rows());
}

#[test]
fn a_medium_tag_holds_count_gap_width_and_reference_width() {
    use Width::{Eight, Four, One, Two};
    let rows = [
        ("01 000 0 00", &hex!("40 05 00003000")[..], gap(One, 5), refs(One, [])),
        ("01 000 1 00", &hex!("44 0005 00003000"), gap(Two, 5), refs(One, [])),
        ("01 001 0 00", &hex!("48 05 00003000 01"), gap(One, 5), refs(One, hex!("01"))),
        ("01 010 0 00", &hex!("50 05 00003000 01 02"), gap(One, 5), refs(One, hex!("01 02"))),
        ("01 100 0 00", &hex!("60 05 00003000 01 02 03 04"), gap(One, 5), refs(One, hex!("01 02 03 04"))),
        ("01 001 0 01", &hex!("49 05 00003000 0001"), gap(One, 5), refs(Two, hex!("0001"))),
        ("01 001 0 10", &hex!("4a 05 00003000 00000001"), gap(One, 5), refs(Four, hex!("00000001"))),
        ("01 001 0 11", &hex!("4b 05 00003000 0000000000000001"), gap(One, 5), refs(Eight, hex!("0000000000000001"))),
        // A reference width without references is read, kept and written.
        ("01 000 0 11", &hex!("43 05 00003000"), gap(One, 5), refs(Eight, [])),
        (
            "01 111 1 01",
            &hex!("7d 8000 00003000 0001 0002 0003 0004 0005 0006 0007"),
            gap(Two, -32768),
            refs(Two, hex!("0001 0002 0003 0004 0005 0006 0007")),
        ),
    ];
    for (bits, bytes, gap, references) in rows {
        let expected = Record::Medium(MediumObject { gap, class_word: 0x3000, hash: None, references });
        assert_eq!(read_body(6, 4, bytes).records, [expected], "{bits}");
    }
}
