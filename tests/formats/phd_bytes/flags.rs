//! Which hash a record carries, by the flags of the file and by its own.

use heapsmith::model::{HashRegime, IdentityHash};
use heapsmith::phd::{Record, lift};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{Dump, address, bits16, bits32, hash, read_body};

fn hashes(dump: &Dump) -> Vec<Option<IdentityHash>> {
    dump.items.iter().map(hash).collect()
}

/// The flags byte of a record as far as it is not about widths.
fn record_flags(record: &Record<'_>) -> u8 {
    match record {
        Record::Long(r) => r.flags,
        Record::ObjectArray(r) => r.flags,
        Record::Class(r) => r.flags,
        Record::LongPrimitiveArray(r) => r.flags,
        Record::Short(_) | Record::Medium(_) | Record::PrimitiveArray(_) => panic!("no flags byte"),
    }
}

/// S0 gives flag 2 a meaning of its own; the DTFJ reader looks for the hashes only with 4 as well.
#[test]
fn file_flag_2_without_4_puts_no_16_bit_hash_into_any_record() {
    let body = hex!(
        "40 02 00000800"                              // medium
        "80 02"                                       // short
        "30 02 00"                                    // primitive array
        "04 01 02 00000800 00000000"                  // long
        "05 01 02 00000800 00000000"                  // object array, tag 5
        "08 01 02 00000800 00000000 00000000"         // object array, tag 8
        "06 00 02 00000008 00000000 0001 41 00000000" // class
        "07 80 02 00"                                 // long primitive array
        "07 82 02 00 00000007"                        // long primitive array with a 32-bit hash
    );
    for (version, expected) in [
        (4, [0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90]), // 8-byte units
        (5, [0x8, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48]),
    ] {
        let dump = read_body(version, 2, &body);
        assert_eq!(dump.items.iter().map(address).collect::<Vec<_>>(), expected, "version {version}");
        assert_eq!(hashes(&dump), [None, None, None, None, None, None, None, None, bits32(7)]);
        assert_eq!(lift::facts(&dump.header).hash_regime, Some(HashRegime::WhereUsed32));
    }
}

#[test]
fn file_flags_2_and_4_put_a_16_bit_hash_into_every_record() {
    let body = hex!(
        "40 02 00000800 0001"                              // medium: after the class word
        "80 02 0002"                                       // short: after the gap
        "30 02 00 0003"                                    // primitive array: after the length
        "04 00 02 00000800 0004 00000000"                  // long: after the class word
        "05 00 02 00000800 0005 00000000"                  // object arrays: after the class word
        "08 00 02 00000800 0006 00000000 00000000"
        "06 00 02 00000008 0007 00000000 0001 41 00000000" // class: between instance size and superclass
        "07 80 02 00 0008"                                 // long primitive array: after the length
    );
    for version in [4, 5] {
        let dump = read_body(version, 6, &body);
        assert_eq!(hashes(&dump), [1, 2, 3, 4, 5, 6, 7, 8].map(bits16));
        assert_eq!(lift::facts(&dump.header).hash_regime, Some(HashRegime::Every16));
    }
}

#[test]
fn ignores_record_hash_flags_where_file_flags_give_every_record_a_hash() {
    // With and without the flag that otherwise announces a 32-bit hash, in turn.
    let dump = read_body(
        5,
        6,
        &hex!(
            "04 02 02 00000800 8001 00000000"                  // long
            "04 00 02 00000800 8002 00000000"
            "05 02 02 00000800 8003 00000000"                  // object array, tag 5
            "05 00 02 00000800 8004 00000000"
            "08 02 02 00000800 8005 00000000 00000000"         // object array, tag 8
            "08 00 02 00000800 8006 00000000 00000000"
            "06 08 02 00000008 8007 00000000 0001 41 00000000" // class
            "06 00 02 00000008 8008 00000000 0001 42 00000000"
            "07 82 02 00 8009"                                 // long primitive array
            "07 80 02 00 800a"
        ),
    );
    let expected = [0x8001, 0x8002, 0x8003, 0x8004, 0x8005, 0x8006, 0x8007, 0x8008, 0x8009, 0x800a].map(bits16);
    assert_eq!(hashes(&dump), expected);
    let flags: Vec<_> = dump.records.iter().map(record_flags).collect();
    assert_eq!(flags, [2, 0, 2, 0, 2, 0, 8, 0, 2, 0]);
}

#[test]
fn a_32_bit_hash_follows_flag_2_but_flag_8_in_a_class() {
    let dump = read_body(
        6,
        4,
        &hex!(
            "04 02 02 00000800 00000001 00000000"                   // long: after the class word
            "04 08 02 00000800          00000000"
            "05 02 02 00000800 00000003 00000000 00000004"          // object array, tag 5
            "05 08 02 00000800          00000000 00000004"
            "08 02 02 00000800 00000005 00000000 00000000 00000004" // object array, tag 8
            "08 08 02 00000800          00000000 00000000 00000004"
            "06 08 02 00000008 00000007 00000000 0001 41 00000000"  // class: after the instance size
            "06 02 02 00000008          00000000 0001 42 00000000"
            "07 82 02 00 00000009 00000004"                         // long primitive array: after the length
            "07 88 02 00          00000004"
        ),
    );
    let (none, some) = (None, bits32);
    assert_eq!(hashes(&dump), [some(1), none, some(3), none, some(5), none, some(7), none, some(9), none]);
}

/// S0 calls it "hashed"; the native writer sets it in every long object and object array.
#[test]
fn ignores_record_flag_1() {
    let dump = read_body(
        6,
        4,
        &hex!(
            "04 01 02 00000800 00000000"
            "05 01 02 00000800 00000000 00000004"
            "08 01 02 00000800 00000000 00000000 00000004"
            "06 01 02 00000008 00000000 0001 41 00000000"
            "07 81 02 00 00000004"
        ),
    );
    assert_eq!(hashes(&dump), [None; 5]);
    let flags: Vec<_> = dump.records.iter().map(record_flags).collect();
    assert_eq!(flags, [1, 1, 1, 1, 1]);
}

#[test]
fn record_flags_without_a_meaning_are_kept() {
    // Reading also writes everything again, so the bits are in the output too.
    let dump = read_body(
        6,
        5,
        &hex!(
            "04 5d 0002 0000000000000800 00000001 0001"                   // 01 01 1101: 0x0c means nothing
            "05 0e 02 0000000000000800 00000005 00000000 00000004"        // 00 00 1110: 0x0c
            "08 4c 0002 0000000000000800 00000000 00000000 00000004"      // 01 00 1100: 0x0c
            "06 5f 0002 00000008 00000006 0000000000000000 0000 00000000" // 01 01 1111: 0x07
            "06 07 02 00000008 0000000000000000 0000 00000000"            // 00 00 0111: 0x07
            "07 ff 0000000000000002 0000000000000000 00000007 00000004"   // 111 1 11 11: 0x0c
            "07 0c 02 00 00000004"                                        // 000 0 11 00: 0x0c
        ),
    );
    let flags: Vec<_> = dump.records.iter().map(record_flags).collect();
    assert_eq!(flags, [0x0d, 0x0e, 0x0c, 0x0f, 0x07, 0x0f, 0x0c]);
    let reserved: Vec<_> = dump.records.iter().map(Record::reserved_flags).collect();
    assert_eq!(reserved, [0x0c, 0x0c, 0x0c, 0x07, 0x07, 0x0c, 0x0c]);
    assert_eq!(hashes(&dump), [None, bits32(5), None, bits32(6), None, bits32(7), None]);
    let addresses: Vec<_> = dump.items.iter().map(address).collect();
    assert_eq!(addresses, [0x8, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38]);
}

#[test]
fn a_stored_hash_of_0_is_kept() {
    let dump = read_body(5, 4, &hex!("04 03 02 00000800 00000000 00000000"));
    assert_eq!(hashes(&dump), [bits32(0)]);
    let dump = read_body(5, 6, &hex!("40 02 00000800 0000"));
    assert_eq!(hashes(&dump), [bits16(0)]);
}
