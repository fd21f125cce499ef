//! The header: text, size of identifiers, time stamp.

use heapsmith::hprof::{Decoder, Header, Version, encode};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{failure, header, read, spelled};
use super::rows::id_size;

#[test]
fn a_header_is_text_size_of_identifiers_and_a_time_stamp_in_two_halves() {
    // "JAVA PROFILE 1.0.", then the version's last character.
    let text = hex!("4a415641 20 50524f46494c45 20 312e302e");
    let versions =
        [(hex!("31 00"), Version::V1_0_1), (hex!("32 00"), Version::V1_0_2), (hex!("33 00"), Version::V1_0_3)];
    let sizes = [(hex!("00000001"), 1), (hex!("00000002"), 2), (hex!("00000004"), 4), (hex!("00000008"), 8)];
    let stamps = [
        (hex!("00000000 00000000"), 0),
        (hex!("00000000 ffffffff"), 0xffff_ffff),
        (hex!("00000001 00000002"), 0x1_0000_0002),
        (hex!("0000018b cfe56800"), 1_700_000_000_000),
        (hex!("81020304 85060708"), 0x8102_0304_8506_0708),
        (hex!("ffffffff fffffffe"), u64::MAX - 1),
    ];
    for (character, version) in versions {
        for (size_bytes, size) in sizes {
            for (stamp, timestamp) in stamps {
                let file = [&text[..], &character, &size_bytes, &stamp].concat();
                let decoder = Decoder::new(&file[..]).expect("a sound header");
                let expected = Header { version, id_size: id_size(size), timestamp };
                assert_eq!(*decoder.header(), expected);
                assert_eq!((spelled(decoder.header_bytes()), size), (spelled(&file), expected.id_size.bytes()));
                assert_eq!(read(&file), []);
                let mut out = Vec::new();
                encode::header(&mut out, &expected);
                assert_eq!(spelled(&out), spelled(&file));
            }
        }
    }
}

#[test]
fn identifiers_of_other_sizes_are_refused_where_the_size_stands() {
    for size in [
        hex!("00000000"),
        hex!("00000003"),
        hex!("00000005"),
        hex!("00000006"),
        hex!("00000007"),
        hex!("00000009"),
        hex!("00000010"),
        hex!("00000020"),
        hex!("00000104"), // 4, if only its last byte counted
        hex!("00010008"),
        hex!("04000000"), // 4, in little endian
        hex!("80000004"),
        hex!("ffffffff"),
    ] {
        let file = [&header(b'2', 4)[..19], &size, &[0; 8]].concat();
        assert_eq!(failure(&file), ("hprof.header.id-size", 19, None, "size of identifiers"), "{size:?}");
    }
}

#[test]
fn other_versions_are_refused_where_the_version_begins() {
    for version in [
        &b"1.0\0"[..],
        b"1.0.0\0",
        b"1.0.4\0",
        b"1.0.22\0",
        b"1.0.\0",
        b"1.1.2\0",
        b"2.0.2\0",
        b"1.0.2\n\0",
        b"\0",
        b" 1.0.2\0",
        // A text that does not end.
        b"1.0 and so on and so forth and so on",
    ] {
        let file = [b"JAVA PROFILE ", version, b"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"].concat();
        let shown = version.escape_ascii();
        assert_eq!(failure(&file), ("hprof.header.version", 13, None, "version"), "{shown}");
    }
}

#[test]
fn a_version_whose_zero_byte_is_gone_or_a_space_went_through_a_transfer_of_text() {
    for version in [&b"1.0.2 \0"[..], b"1.0.2"] {
        let file = [b"JAVA PROFILE ", version, b"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"].concat();
        assert_eq!(failure(&file).0, "hprof.header.text-mode", "{}", version.escape_ascii());
    }
}

#[test]
fn another_magic_is_refused_at_the_start() {
    for start in [
        &b"JAVA PROFILE_1.0.2\0"[..],
        b"java profile 1.0.2\0",
        b"JAVAPROFILE 1.0.2\0",
        b"\0JAVA PROFILE 1.0.2\0",
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
        b"\0\x12portable heap dump",
        b"K",
        b"JAVA PROFILF",
        b"JAVA PROFIL.",
    ] {
        let file = [start, &header(b'2', 4)].concat();
        let shown = start.escape_ascii();
        assert_eq!(failure(&file), ("hprof.header.magic", 0, None, "magic"), "{shown}");
    }
    assert_eq!(failure(b"X"), ("hprof.header.magic", 0, None, "magic"));
}

#[test]
fn a_header_that_ends_early_is_cut_in_the_field_where_it_ends() {
    let whole = header(b'2', 8);
    for kept in 0..whole.len() {
        let (offset, field) = match kept {
            0..13 => (0, "magic"),
            13..19 => (13, "version"),
            19..23 => (19, "size of identifiers"),
            23..27 => (23, "time stamp, high word"),
            _ => (27, "time stamp, low word"),
        };
        assert_eq!(failure(&whole[..kept]), ("hprof.file.truncated", offset, None, field), "{kept} bytes");
    }
}
