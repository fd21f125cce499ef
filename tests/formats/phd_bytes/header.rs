//! What stands around the records: header, header records and the end (S0, General structure).

use heapsmith::error::DecodeError;
use heapsmith::model::{Facts, HashRegime, HeaderTotals, Name, WordSize};
use heapsmith::phd::record::{Header, HeaderRecord};
use heapsmith::phd::{Decoder, FileFlags, RecordLayout, Version, encode, lift};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{read, spelled};

/// A file of version 5 with flag 4 and without records, around these header records.
fn file_with(header_records: &[u8]) -> Vec<u8> {
    let before = hex!(
        "0012"                                  // 18 bytes of text follow
        "706f727461626c652068656170 2064756d70" // "portable heap dump"
        "00000005"                              // version
        "00000004"                              // flags
        "01"                                    // the header starts
    );
    let after = hex!(
        "02" // the header ends
        "02" // the body starts
        "03" // and ends
    );
    [&before[..], header_records, &after].concat()
}

/// The header records of such a file, after a round trip.
fn records_of(header_records: &[u8]) -> Vec<HeaderRecord> {
    let header = read(&file_with(header_records)).header;
    assert_eq!((header.version, header.flags), (Version::V5, FileFlags(4)));
    header.records
}

fn totals(objects: u32, references: u32) -> HeaderRecord {
    HeaderRecord::Totals(HeaderTotals { objects, references })
}

fn full_version(text: &str) -> HeaderRecord {
    HeaderRecord::FullVersion(text.into())
}

#[test]
fn a_header_is_text_version_flags_and_three_tags() {
    let rows = [
        (hex!("00000004 00000000"), Version::V4, FileFlags(0)),
        (hex!("00000004 00000006"), Version::V4, FileFlags(6)),
        (hex!("00000005 00000001"), Version::V5, FileFlags(1)),
        (hex!("00000005 00000004"), Version::V5, FileFlags(4)),
        (hex!("00000006 00000005"), Version::V6, FileFlags(5)),
        (hex!("00000006 00000007"), Version::V6, FileFlags(7)),
    ];
    for (middle, version, flags) in rows {
        let text = hex!(
            "0012"
            "706f727461626c652068656170 2064756d70"
        );
        let tags = hex!(
            "01" // the header starts
            "02" // and ends without a record
            "02" // the body starts
            "03" // and ends
        );
        let file = [&text[..], &middle, &tags].concat();
        let expected = Header { version, flags, records: Vec::new() };
        assert_eq!(read(&file).header, expected);

        let mut written = Vec::new();
        encode::header(&mut written, &expected).expect("no text is long");
        encode::end_tag(&mut written);
        assert_eq!(spelled(&written), spelled(&file));
    }
}

#[test]
fn header_record_1_holds_the_numbers_of_objects_and_references() {
    let records = records_of(&hex!(
        "01"       // tag
        "00012345" // objects
        "89abcdef" // references
    ));
    assert_eq!(records, [totals(0x12345, 0x89ab_cdef)]);
}

#[test]
fn header_record_3_holds_two_random_numbers() {
    let records = records_of(&hex!(
        "03"       // tag
        "deadbeef" // one
        "00000001" // and the other
    ));
    assert_eq!(records, [HeaderRecord::HashcodeRandoms(0xdead_beef, 1)]);
}

#[test]
fn header_record_4_holds_a_text_with_its_length() {
    let records = records_of(&hex!(
        "04"        // tag
        "0004"      // 4 bytes of text follow
        "4a32 2e39" // "J2.9"
    ));
    assert_eq!(records, [full_version("J2.9")]);
}

#[test]
fn the_version_text_may_be_empty() {
    let records = records_of(&hex!(
        "04"   // tag
        "0000" // no text
    ));
    assert_eq!(records, [full_version("")]);
}

#[test]
fn the_version_text_has_at_most_65535_bytes() {
    let records = records_of(&[&hex!("04 ffff")[..], &[0x20; 65535]].concat());
    assert_eq!(records, [full_version(&" ".repeat(65535))]);
}

#[test]
fn header_records_come_in_any_order() {
    let randoms = HeaderRecord::HashcodeRandoms(3, 4);
    let in_tag_order = hex!("01 00000001 00000002   03 00000003 00000004   04 0001 41");
    assert_eq!(records_of(&in_tag_order), [totals(1, 2), randoms.clone(), full_version("A")]);
    let backwards = hex!("04 0001 41   03 00000003 00000004   01 00000001 00000002");
    assert_eq!(records_of(&backwards), [full_version("A"), randoms.clone(), totals(1, 2)]);
    let rotated = hex!("03 00000003 00000004   04 0001 41   01 00000001 00000002");
    assert_eq!(records_of(&rotated), [randoms, full_version("A"), totals(1, 2)]);
}

#[test]
fn repeated_header_records_are_kept_and_the_last_of_each_counts() {
    let header = read(&file_with(&hex!(
        "04 0001 41"
        "01 00000001 00000002"
        "03 00000003 00000004"
        "01 00000005 00000006"
        "04 0002 4243"
        "03 00000007 00000008"
        "01 00000009 0000000a"
    )))
    .header;
    assert_eq!(
        header.records,
        [
            full_version("A"),
            totals(1, 2),
            HeaderRecord::HashcodeRandoms(3, 4),
            totals(5, 6),
            full_version("BC"),
            HeaderRecord::HashcodeRandoms(7, 8),
            totals(9, 10),
        ]
    );
    assert_eq!(
        lift::facts(&header),
        Facts {
            word_size: Some(WordSize::Bits32),
            version_text: Some(Name::from("BC")),
            totals: Some(HeaderTotals { objects: 9, references: 10 }),
            hash_randoms: Some((7, 8)),
            hash_regime: Some(HashRegime::WhereUsed32),
            ..Facts::default()
        }
    );
}

#[test]
fn skips_tag_bytes_inside_header_record() {
    let records = records_of(&hex!(
        "01 02020202 02020203" // two numbers, not the header's end
        "03 02020203 03030302"
        "04 0004 02 02 03 01"  // text
    ));
    assert_eq!(
        records,
        [
            totals(0x0202_0202, 0x0202_0203),
            HeaderRecord::HashcodeRandoms(0x0202_0203, 0x0303_0302),
            full_version("\x02\x02\x03\x01"),
        ]
    );
}

#[test]
fn file_flags_without_a_meaning_are_kept() {
    let file = hex!(
        "0012"
        "706f727461626c652068656170 2064756d70"
        "00000006"          // version
        "8000001d"          // flags: 64-bit words and J9; 8, 16 and the highest mean nothing
        "01 02 02"          // an empty header
        "3c 02 01 00000006" // one array of a long, at 8
        "03"
    );
    let dump = read(&file);
    assert_eq!(dump.header, Header { version: Version::V6, flags: FileFlags(0x8000_001d), records: Vec::new() });
    assert_eq!(dump.records.len(), 1);
}

#[test]
fn ignores_bytes_after_end_tag() {
    let file = [
        &file_with(&[])[..], // up to and including the end tag
        &hex!("30 01 00"),   // what would be a primitive array
        &hex!("03"),         // and another end
    ]
    .concat();
    let mut decoder = Decoder::new(&file[..]).expect("the header is sound");
    let ended = decoder.visit::<DecodeError, _>(|_| Ok(())).expect("the body ends");
    // 2 + 18 + 4 + 4 bytes, start and end of the header, start of the body.
    assert_eq!((ended.records, ended.end_tag), (0, 31));
    let mut after = Vec::new();
    let length = decoder.visit_trailing(|bytes| {
        after.extend_from_slice(bytes);
        Ok::<_, DecodeError>(())
    });
    assert_eq!((length.expect("a slice is readable"), after), (4, hex!("30 01 00 03").to_vec()));
}

#[test]
fn version_and_flags_choose_words_hashes_sizes_and_units() {
    use Version::{V4, V5, V6};
    use WordSize::{Bits32, Bits64};
    // Version and flags; word, 16-bit hash in every record, sizes of arrays, bytes in a unit.
    let rows = [
        (V4, 0, Bits32, false, false, 8),
        (V4, 1, Bits64, false, false, 8),
        (V4, 2, Bits32, false, false, 8),
        (V4, 3, Bits64, false, false, 8),
        (V4, 4, Bits32, false, false, 4),
        (V4, 5, Bits64, false, false, 4),
        (V4, 6, Bits32, true, false, 4),
        (V4, 7, Bits64, true, false, 4),
        (V5, 0, Bits32, false, false, 4),
        (V5, 1, Bits64, false, false, 4),
        (V5, 2, Bits32, false, false, 4),
        (V5, 3, Bits64, false, false, 4),
        (V5, 4, Bits32, false, false, 4),
        (V5, 5, Bits64, false, false, 4),
        (V5, 6, Bits32, true, false, 4),
        (V5, 7, Bits64, true, false, 4),
        (V6, 4, Bits32, false, true, 4),
        (V6, 5, Bits64, false, true, 4),
        (V6, 6, Bits32, true, true, 4),
        (V6, 7, Bits64, true, true, 4),
    ];
    for (version, flags, word, hash16, array_sizes, unit) in rows {
        let expected = RecordLayout { word, hash16, array_sizes, unit };
        assert_eq!(RecordLayout::new(version, FileFlags(flags)), expected, "{version:?}, flags {flags}");
    }
    // Version 6 without flag 4 is a contradiction in which the unit may be 4 (S0) or 8 (DTFJ reader).
    for (flags, word) in [(0, Bits32), (1, Bits64), (2, Bits32), (3, Bits64)] {
        let layout = RecordLayout::new(V6, FileFlags(flags));
        assert_eq!((layout.word, layout.hash16, layout.array_sizes), (word, false, true), "flags {flags}");
        assert!([4, 8].contains(&layout.unit), "flags {flags}");
    }
}
