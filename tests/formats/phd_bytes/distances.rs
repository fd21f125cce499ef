//! Gaps and references: signed, of four widths, from two bases, in units of 4 or 8 bytes.

use heapsmith::phd::record::ReferenceList;
use heapsmith::phd::wire::{Units, Width};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{Dump, address, read_body, references, spelled};

fn addresses(dump: &Dump) -> Vec<u64> {
    dump.items.iter().map(address).collect()
}

#[test]
fn a_gap_counts_from_the_preceding_record_of_whatever_kind() {
    let dump = read_body(
        6,
        5,
        &hex!(
            "48 04 0000000000000800 40"                               // medium; refers elsewhere, as all do
            "06 00 04 00000008 0000000000000000 0001 41 00000001 40"  // class
            "08 01 04 0000000000000800 00000001 40 00000001 00000006" // object array, tag 8
            "05 01 04 0000000000000800 00000001 40          00000006" // object array, tag 5
            "30 04 00 00000004"                                       // primitive array
            "07 82 04 00 00000001 00000004"                           // long primitive array
            "04 01 04 0000000000000800 00000001 40"                   // long
            "88 04 40"                                                // short
            "80 04"                                                   // short, to show what the other left
        ),
    );
    assert_eq!(addresses(&dump), [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90]);
}

#[test]
fn a_reference_counts_from_its_own_record() {
    // Every record is 16 bytes after the one before and refers to 4 bytes after itself.
    let dump = read_body(
        5,
        4,
        &hex!(
            "48 04 00000800 01"                              // medium
            "06 00 04 00000008 00000000 0001 41 00000001 01" // class
            "08 01 04 00000800 00000001 01 00000001"         // object array, tag 8
            "05 01 04 00000800 00000001 01"                  // object array, tag 5
            "04 01 04 00000800 00000001 01"                  // long
            "88 04 01"                                       // short
        ),
    );
    let read: Vec<_> = dump.items.iter().map(|item| (address(item), references(item))).collect();
    assert_eq!(
        read,
        [
            (0x10, vec![0x14]),
            (0x20, vec![0x24]),
            (0x30, vec![0x34]),
            (0x40, vec![0x44]),
            (0x50, vec![0x54]),
            (0x60, vec![0x64]),
        ]
    );
}

#[test]
fn gaps_of_all_four_widths_are_signed() {
    let dump = read_body(
        6,
        5,
        &hex!(
            "04 c1 0000000100000000 0000000000000800 00000000" // 11 00 0001: 2^32 units on, 0x4_0000_0000
            "04 01 7f               0000000000000800 00000000" // 00 00 0001: 127 on, 0x1fc bytes
            "04 01 80               0000000000000800 00000000" // 128 back, 0x200 bytes
            "04 41 7fff             0000000000000800 00000000" // 01 00 0001: 32767 on, 0x1fffc bytes
            "04 41 8000             0000000000000800 00000000" // 32768 back, 0x20000 bytes
            "04 81 7fffffff         0000000000000800 00000000" // 10 00 0001: 2^31 - 1 on, 0x1_ffff_fffc bytes
            "04 81 80000000         0000000000000800 00000000" // 2^31 back, 0x2_0000_0000 bytes
            "04 c1 ffffffff00000003 0000000000000800 00000000" // 2^32 - 3 back, 0x3_ffff_fff4 bytes
        ),
    );
    assert_eq!(
        addresses(&dump),
        [0x4_0000_0000, 0x4_0000_01fc, 0x3_ffff_fffc, 0x4_0001_fff8, 0x3_ffff_fff8, 0x5_ffff_fff4, 0x3_ffff_fff4, 0]
    );
}

/// Two references of one width: their bytes, what these count, and where they lead.
struct Pair {
    width: Width,
    bytes: &'static [u8],
    units: [Units; 2],
    from_4_0000_0000: [u64; 2],
}

/// The highest and the lowest of each width; of the fourth, the first beyond the third.
const PAIRS: [Pair; 4] = [
    Pair {
        width: Width::One,
        bytes: &hex!("7f 80"),
        units: [Units(127), Units(-128)],
        from_4_0000_0000: [0x4_0000_01fc, 0x3_ffff_fe00],
    },
    Pair {
        width: Width::Two,
        bytes: &hex!("7fff 8000"),
        units: [Units(32_767), Units(-32_768)],
        from_4_0000_0000: [0x4_0001_fffc, 0x3_fffe_0000],
    },
    Pair {
        width: Width::Four,
        bytes: &hex!("7fffffff 80000000"),
        units: [Units(2_147_483_647), Units(-2_147_483_648)],
        from_4_0000_0000: [0x5_ffff_fffc, 0x2_0000_0000],
    },
    Pair {
        width: Width::Eight,
        bytes: &hex!("0000000080000000 ffffffff7fffffff"),
        units: [Units(2_147_483_648), Units(-2_147_483_649)],
        from_4_0000_0000: [0x6_0000_0000, 0x1_ffff_fffc],
    },
];

/// A record of version 6 with 64-bit words around a pair of references.
struct Around {
    kind: &'static str,
    /// Tag, flags and a gap of 0, for each width.
    heads: [&'static [u8]; 4],
    before: &'static [u8],
    after: &'static [u8],
}

const AROUND: [Around; 6] = [
    Around {
        kind: "short",
        heads: [&hex!("90 00"), &hex!("91 00"), &hex!("92 00"), &hex!("93 00")], // 1 00 10 0 00 to 1 00 10 0 11
        before: &[],
        after: &[],
    },
    Around {
        kind: "medium",
        heads: [&hex!("50 00"), &hex!("51 00"), &hex!("52 00"), &hex!("53 00")], // 01 010 0 00 to 01 010 0 11
        before: &hex!("0000000000000800"),                                       // class
        after: &[],
    },
    Around {
        kind: "long",
        heads: [&hex!("04 01 00"), &hex!("04 11 00"), &hex!("04 21 00"), &hex!("04 31 00")], // 00 rr 0001
        before: &hex!("0000000000000800 00000002"),                                          // class, two references
        after: &[],
    },
    Around {
        kind: "object array, tag 5",
        heads: [&hex!("05 01 00"), &hex!("05 11 00"), &hex!("05 21 00"), &hex!("05 31 00")], // 00 rr 0001
        before: &hex!("0000000000000800 00000002"), // class word, two references
        after: &hex!("00000006"),                   // size
    },
    Around {
        kind: "object array, tag 8",
        heads: [&hex!("08 01 00"), &hex!("08 11 00"), &hex!("08 21 00"), &hex!("08 31 00")], // 00 rr 0001
        before: &hex!("0000000000000800 00000002"), // class word, two references
        after: &hex!("00000002 00000006"),          // true length, size
    },
    Around {
        kind: "class",
        heads: [&hex!("06 00 00"), &hex!("06 10 00"), &hex!("06 20 00"), &hex!("06 30 00")], // 00 rr 0000
        before: &hex!("00000008 0000000000000000 0001 41 00000002"), // size, superclass, A, two references
        after: &[],
    },
];

#[test]
fn references_of_all_four_widths_are_signed_in_every_record_kind() {
    let preceding = hex!(
        "04 c1 0000000100000000 0000000000000800 00000000" // a long object at 0x4_0000_0000
    );
    for Around { kind, heads, before, after } in AROUND {
        for (head, pair) in heads.into_iter().zip(PAIRS) {
            let place = format!("{kind}, {:?}", pair.width);
            let dump = read_body(6, 5, &[&preceding, head, before, pair.bytes, after].concat());
            assert_eq!(addresses(&dump), [0x4_0000_0000; 2], "{place}");
            assert_eq!(references(&dump.items[1]), pair.from_4_0000_0000, "{place}");

            let read = dump.records[1].references().expect("a kind with references");
            let expected = (pair.width, 2, spelled(pair.bytes));
            assert_eq!((read.width, read.len(), spelled(&read.bytes)), expected, "{place}");
            assert_eq!(read.iter().collect::<Vec<_>>(), pair.units, "{place}");
            let mut each = Vec::new();
            read.for_each(|units| each.push(units));
            assert_eq!(each, pair.units, "{place}");
            assert_eq!(*read, ReferenceList::from_units(pair.width, pair.units), "{place}");
        }
    }
}

#[test]
fn version_4_without_flag_4_counts_units_of_8_bytes() {
    let body = hex!(
        "48 02 00000801 ff"                              // medium: 2 units on, reference 1 back, class 0x801
        "06 00 04 00000008 00000803 0001 41 00000001 10" // class: 4 on, reference 16 on, superclass 0x803
        "05 01 04 00000805 00000002 fa 03"               // object array: 4 on, 6 back, 3 on, class word 0x805
        "30 fe 03"                                       // primitive array: 2 back, 3 elements
        "04 41 0100 00000807 00000001 01"                // long: 256 on, reference 1 on
        "8c 0100 01"                                     // short 1 00 01 1 00: 256 on, reference 1 on
        "07 82 01 03 00000001"                           // long primitive array: 1 on, 3 elements
    );
    let of_8_bytes = [
        (0x10, vec![0x8]),
        (0x30, vec![0xb0]),
        (0x50, vec![0x20, 0x68]),
        (0x40, vec![]),
        (0x840, vec![0x848]),
        (0x1040, vec![0x1048]),
        (0x1048, vec![]),
    ];
    let of_4_bytes = [
        (0x8, vec![0x4]),
        (0x18, vec![0x58]),
        (0x28, vec![0x10, 0x34]),
        (0x20, vec![]),
        (0x420, vec![0x424]),
        (0x820, vec![0x824]),
        (0x824, vec![]),
    ];
    for (version, flags, expected) in [
        (4, 0, &of_8_bytes), // Sovereign
        (4, 2, &of_8_bytes),
        (4, 4, &of_4_bytes), // J9 2.3
        (5, 0, &of_4_bytes),
        (5, 2, &of_4_bytes),
        (5, 4, &of_4_bytes),
    ] {
        let dump = read_body(version, flags, &body);
        let read: Vec<_> = dump.items.iter().map(|item| (address(item), references(item))).collect();
        assert_eq!(read, expected, "version {version}, flags {flags}");
    }
}

#[test]
fn a_gap_of_32_bit_words_wraps_around_at_4_gib() {
    // From 0 to 0xf0000000 is 0x10000000 bytes back in 32-bit arithmetic: 0x04000000 units.
    let rows: [(&str, &[u8]); 6] = [
        ("primitive array", &hex!("32 fc000000 00000000")),  // 001 100 10
        ("long", &hex!("04 81 fc000000 00000800 00000000")), // 10 00 0001
        ("object array, tag 5", &hex!("05 81 fc000000 00000800 00000000")),
        ("object array, tag 8", &hex!("08 81 fc000000 00000800 00000000 00000000")),
        ("class", &hex!("06 80 fc000000 00000008 00000000 0001 41 00000000")), // 10 00 0000
        ("long primitive array", &hex!("07 92 fc000000 00000000 00000001")),   // 100 1 00 10
    ];
    let back = hex!(
        "04 81 04000400 00000800 00000000" // 0x04000400 units on are 0x10001000 bytes: 0x1000
    );
    for (kind, bytes) in rows {
        for version in [4, 5] {
            let dump = read_body(version, 4, &[bytes, &back].concat());
            assert_eq!(addresses(&dump), [0xf000_0000, 0x1000], "{kind}");
        }
    }
}

#[test]
fn narrow_gaps_wrap_around_as_wide_ones_do() {
    let dump = read_body(
        6,
        4,
        &hex!(
            "40 fe 00000800"   // medium, 01 000 0 00: 2 units back from 0, 0xfffffff8
            "80 04"            // short, 1 00 00 0 00: 4 units on, 0x8
            "84 8000"          // short, 1 00 00 1 00: 32768 units back, 0x20000 bytes, 0xfffe0008
            "44 7fff 00000800" // medium, 01 000 1 00: 32767 units on, 0x1fffc bytes, 0x4
        ),
    );
    assert_eq!(addresses(&dump), [0xffff_fff8, 0x8, 0xfffe_0008, 0x4]);
}

#[test]
fn a_reference_of_32_bit_words_wraps_around_at_4_gib() {
    // 0x04000400 units on and back: 0x10001000 bytes.
    let both = hex!("04000400 fbfffc00");
    let at_f0000000 = hex!(
        "04 81 fc000000 00000800 00000000" // a long object, 0x04000000 units back from 0
    );
    let rows: [(&str, &[u8], &[u8]); 6] = [
        ("short", &hex!("92 00"), &[]),                     // 1 00 10 0 10
        ("medium", &hex!("52 00 00000800"), &[]),           // 01 010 0 10
        ("long", &hex!("04 21 00 00000800 00000002"), &[]), // 00 10 0001
        ("object array, tag 5", &hex!("05 21 00 00000800 00000002"), &[]),
        ("object array, tag 8", &hex!("08 21 00 00000800 00000002"), &hex!("00000002")),
        ("class", &hex!("06 20 00 00000008 00000000 0001 41 00000002"), &[]), // 00 10 0000
    ];
    for (kind, before, after) in rows {
        let dump = read_body(5, 4, &[&at_f0000000, before, &both, after].concat());
        assert_eq!(references(&dump.items[1]), [0x1000, 0xdfff_f000], "{kind}");
        // The same from 0x10000000 bytes further on, which is 0: there the other one wraps around.
        let to_0 = hex!("04 81 04000000 00000800 00000000");
        let dump = read_body(5, 4, &[&at_f0000000, &to_0, before, &both, after].concat());
        assert_eq!(address(&dump.items[2]), 0, "{kind}");
        assert_eq!(references(&dump.items[2]), [0x1000_1000, 0xefff_f000], "{kind}");
    }
}

#[test]
fn units_beyond_32_bit_words_wrap_around_too() {
    // Writers of 32-bit words never need them; a reader that forgets to mask gets them wrong.
    let dump = read_body(
        5,
        4,
        &hex!(
            "04 c1 0000000100000001 00000800 00000000"                  // 2^32 + 1 units: 16 GiB and 4 bytes
            "04 31 00               00000800 00000001 0000000040000002" // 2^30 + 2 units: 4 GiB and 8 bytes
        ),
    );
    assert_eq!(addresses(&dump), [4, 4]);
    assert_eq!(references(&dump.items[1]), [0xc]);
    // With 8-byte units, 4 bytes of units are enough.
    let dump = read_body(
        4,
        0,
        &hex!(
            "04 81 20000001 00000800 00000000"    // 2^29 + 1 units: 4 GiB and 8 bytes
            "04 20 00 00000800 00000001 e0000001" // 2^29 - 1 units back: 4 GiB but 8 bytes
        ),
    );
    assert_eq!(addresses(&dump), [8, 8]);
    assert_eq!(references(&dump.items[1]), [0x10]);
}

#[test]
fn addresses_of_64_bit_words_do_not_wrap_around_at_4_gib() {
    let dump = read_body(
        5,
        5,
        &hex!(
            "04 81 3c000000 0000000000000800 00000000"          // 0xf0000000
            "04 a1 04000400 0000000000000800 00000001 04000400" // 0x10001000 on, and as many to the reference
        ),
    );
    assert_eq!(addresses(&dump), [0xf000_0000, 0x1_0000_1000]);
    assert_eq!(references(&dump.items[1]), [0x1_1000_2000]);
}

#[test]
fn a_distance_may_be_wider_than_it_needs_to_be() {
    let dump = read_body(
        6,
        4,
        &hex!(
            "04 f1 0000000000000004 00000800 00000001 ffffffffffffffff" // 11 11 0001
            "04 a1 00000004         00000800 00000001 ffffffff"         // 10 10 0001
            "4d 0004                00000800          ffff"             // 01 001 1 01
            "3b 0000000000000004 0000000000000002 00000006"             // 001 110 11
        ),
    );
    assert_eq!(addresses(&dump), [0x10, 0x20, 0x30, 0x40]);
    assert_eq!(dump.items.iter().map(references).collect::<Vec<_>>(), [vec![0xc], vec![0x1c], vec![0x2c], vec![]]);
}
