//! Short object records, tag bit 0x80 (S0, Object records, 1).

use heapsmith::phd::Record;
use heapsmith::phd::record::ShortObject;
use heapsmith::phd::wire::Width;
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{bits16, gap, instance, read_body, refs};
use super::rows::{Row, WORDS_32, WORDS_32_HASHED, WORDS_64, WORDS_64_HASHED, check};

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row {
            name: "short, 32-bit words",
            setting: WORDS_32,
            bytes: hex!(
                "d0"    // 1 10 10 0 00: slot 2, two references, 1-byte gap, 1-byte references
                "10"    // 16 units on: 0x1018 + 0x40
                "02 fe" // 2 units on and 2 back: 8 bytes
            )
            .to_vec(),
            record: Record::Short(ShortObject {
                slot: 2,
                gap: gap(Width::One, 16),
                hash: None,
                references: refs(Width::One, hex!("02 fe")),
            }),
            size: None,
            item: instance(0x1058, 0x2200, None, &[0x1060, 0x1050]),
            in_8_byte_units: Some((0x20b0, &[0x20c0, 0x20a0])),
        },
        Row {
            name: "short, 32-bit words, 16-bit hash",
            setting: WORDS_32_HASHED,
            bytes: hex!(
                "ed"   // 1 11 01 1 01: slot 3, one reference, 2-byte gap, 2-byte references
                "0200" // 512 units on: 0x1018 + 0x800
                "beef" // hash
                "ff00" // 256 units back: 0x400 bytes
            )
            .to_vec(),
            record: Record::Short(ShortObject {
                slot: 3,
                gap: gap(Width::Two, 512),
                hash: Some(0xbeef),
                references: refs(Width::Two, hex!("ff00")),
            }),
            size: None,
            item: instance(0x1818, 0x2300, bits16(0xbeef), &[0x1418]),
            in_8_byte_units: None,
        },
        Row {
            name: "short, 64-bit words",
            setting: WORDS_64,
            bytes: hex!(
                "9a"       // 1 00 11 0 10: slot 0, three references, 1-byte gap, 4-byte references
                "f8"       // 8 units back: 0x1018 - 0x20
                "00000100" // 256 units on: 0x400 bytes
                "ffffff00" // 256 units back
                "40000000" // 2^30 units on: 4 GiB
            )
            .to_vec(),
            record: Record::Short(ShortObject {
                slot: 0,
                gap: gap(Width::One, -8),
                hash: None,
                references: refs(Width::Four, hex!("00000100 ffffff00 40000000")),
            }),
            size: None,
            item: instance(0xff8, 0x7_0000_2000, None, &[0x13f8, 0xbf8, 0x1_0000_0ff8]),
            in_8_byte_units: Some((0x1ff0, &[0x27f0, 0x17f0, 0x2_0000_1ff0])),
        },
        Row {
            name: "short, 64-bit words, 16-bit hash",
            setting: WORDS_64_HASHED,
            bytes: hex!(
                "af"               // 1 01 01 1 11: slot 1, one reference, 2-byte gap, 8-byte references
                "fffe"             // 2 units back: 0x1018 - 8
                "8001"             // hash
                "0000000100000000" // 2^32 units on: 16 GiB
            )
            .to_vec(),
            record: Record::Short(ShortObject {
                slot: 1,
                gap: gap(Width::Two, -2),
                hash: Some(0x8001),
                references: refs(Width::Eight, hex!("0000000100000000")),
            }),
            size: None,
            item: instance(0x1010, 0x7_0000_2100, bits16(0x8001), &[0x4_0000_1010]),
            in_8_byte_units: None,
        },
    ]
}

#[test]
fn short_records_read_and_write_as_spelled() {
    check(&rows());
}

#[test]
fn a_short_tag_holds_slot_count_gap_width_and_reference_width() {
    use Width::{Eight, Four, One, Two};
    let rows = [
        ("1 00 00 0 00", &hex!("80 05")[..], 0, gap(One, 5), refs(One, [])),
        ("1 01 00 0 00", &hex!("a0 05"), 1, gap(One, 5), refs(One, [])),
        ("1 10 00 0 00", &hex!("c0 05"), 2, gap(One, 5), refs(One, [])),
        ("1 11 00 0 00", &hex!("e0 05"), 3, gap(One, 5), refs(One, [])),
        ("1 00 01 0 00", &hex!("88 05 01"), 0, gap(One, 5), refs(One, hex!("01"))),
        ("1 00 10 0 00", &hex!("90 05 01 02"), 0, gap(One, 5), refs(One, hex!("01 02"))),
        ("1 00 11 0 00", &hex!("98 05 01 02 03"), 0, gap(One, 5), refs(One, hex!("01 02 03"))),
        ("1 00 00 1 00", &hex!("84 0005"), 0, gap(Two, 5), refs(One, [])),
        ("1 00 01 0 01", &hex!("89 05 0001"), 0, gap(One, 5), refs(Two, hex!("0001"))),
        ("1 00 01 0 10", &hex!("8a 05 00000001"), 0, gap(One, 5), refs(Four, hex!("00000001"))),
        ("1 00 01 0 11", &hex!("8b 05 0000000000000001"), 0, gap(One, 5), refs(Eight, hex!("0000000000000001"))),
        // A reference width without references is read, kept and written.
        ("1 00 00 0 11", &hex!("83 05"), 0, gap(One, 5), refs(Eight, [])),
        ("1 11 11 1 01", &hex!("fd 8000 0001 0002 0003"), 3, gap(Two, -32768), refs(Two, hex!("0001 0002 0003"))),
    ];
    for (bits, bytes, slot, gap, references) in rows {
        let dump = read_body(6, 5, bytes);
        assert_eq!(dump.records, [Record::Short(ShortObject { slot, gap, hash: None, references })], "{bits}");
    }
}
