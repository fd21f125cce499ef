//! Dumps of z/OS, byte by byte.

use heapsmith::bytes::ebcdic::CodePage;
use heapsmith::classic::{Charset, Decoder, Encoding, Newline};
use heapsmith::model::{Address, ByteLen, Contents, Facts, Heap, Object, ObjectKind};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::heap::{options, read, whole, written};

/// A dump in IBM-1047 whose lines end in 0x15.
const DUMP: &[u8] = &hex!(
    "61 61 40 E5 85 99 A2 89 96 95 7A 40 A7 15" // // Version: x
    "F0 A7 F0 F0 F0 F0 F1 F0 C1 C6 40 AD F2 F4 BD 40 D6 C2 D1 40 AD D3 81 5E 15" // 0x000010AF [24] OBJ [La;
    "05 F0 A7 F0 F0 F0 F0 F1 F0 F8 F0 40 15" // tab, 0x00001080 and a space
    "61 61 40 C2 99 85 81 92 84 96 A6 95 40 60 40 C3 93 81 A2 A2 85 A2 7A 40 F0 6B 40" // // Breakdown - Classes: 0,
    "D6 82 91 85 83 A3 A2 7A 40 F0 6B 40" // Objects: 0,
    "D6 82 91 85 83 A3 C1 99 99 81 A8 A2 7A 40 F1 6B 40" // ObjectArrays: 1,
    "D7 99 89 94 89 A3 89 A5 85 C1 99 99 81 A8 A2 7A 40 F0 15" // PrimitiveArrays: 0
    "61 61 40 C5 D6 C6 7A 40 40 E3 96 A3 81 93 40" // // EOF:  Total
    "7D D6 82 91 85 83 A3 A2 7D 6B D9 85 86 A2 4D 95 A4 93 93 5D 40 7A 40" // 'Objects',Refs(null) :
    "F1 6B F1 4D F0 5D 15" // 1,1(0)
);

const TEXT: &str = "\
// Version: x
0x000010AF [24] OBJ [La;
\t0x00001080\x20
// Breakdown - Classes: 0, Objects: 0, ObjectArrays: 1, PrimitiveArrays: 0
// EOF:  Total 'Objects',Refs(null) : 1,1(0)
";

fn heap(name: &str, version: Option<&str>) -> Heap {
    let array = Object {
        class_name: Some(name.into()),
        size: Some(ByteLen(24)),
        contents: Contents::References(vec![Address(0x1080)]),
        ..Object::new(Address(0x10af), ObjectKind::ObjectArray)
    };
    let facts = Facts {
        word_size: Some(heapsmith::model::WordSize::Bits32),
        version_text: version.map(Into::into),
        null_references: Some(0),
        ..Facts::default()
    };
    Heap { facts, objects: vec![array], ..Heap::default() }
}

/// The brackets' places in IBM-037.
fn in_037(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .map(|byte| {
            if *byte == 0xad {
                0xba
            } else if *byte == 0xbd {
                0xbb
            } else {
                *byte
            }
        })
        .collect()
}

fn replaced(bytes: &[u8], newline: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| if *byte == 0x15 { newline.to_vec() } else { vec![*byte] }).collect()
}

/// The dump in either page with each end of lines.
fn dumps() -> Vec<(Encoding, Vec<u8>)> {
    let mut dumps = Vec::new();
    for (page, bytes) in [(CodePage::Ibm1047, DUMP.to_vec()), (CodePage::Ibm037, in_037(DUMP))] {
        for (newline, end) in
            [(Newline::Nel, [0x15].as_slice()), (Newline::Lf, &[0x25]), (Newline::CrLf, &[0x0d, 0x25])]
        {
            dumps.push((Encoding { charset: Charset::Ebcdic(page), newline }, replaced(&bytes, end)));
        }
    }
    dumps
}

#[test]
fn a_heap_is_written_in_either_page_with_any_end_of_lines() {
    for (encoding, bytes) in dumps() {
        let found = written(&heap("[La;", Some("x")), &options("openj9", encoding)).expect("writable");
        assert!(found == bytes, "{encoding:?}: {}", found.escape_ascii());
    }
    let crlf = Encoding { charset: Charset::Utf8, newline: Newline::CrLf };
    let found = written(&heap("[La;", Some("x")), &options("openj9", crlf)).expect("writable");
    assert_eq!(String::from_utf8_lossy(&found), TEXT.replace('\n', "\r\n"));
}

#[test]
fn recognises_encoding_by_bytes_without_changing_heap() {
    let expected = whole(TEXT.as_bytes());
    assert_eq!(
        expected,
        Heap { objects: heap("[La;", None).objects, facts: heap("", Some("x")).facts, ..Heap::default() }
    );
    for (encoding, bytes) in dumps() {
        assert_eq!(Decoder::new(bytes.as_slice()).expect("a dump").encoding(), encoding);
        assert_eq!(whole(&bytes), expected, "{encoding:?}");
    }
    let crlf = TEXT.replace('\n', "\r\n");
    assert_eq!(Decoder::new(crlf.as_bytes()).expect("a dump").encoding().newline, Newline::CrLf);
    assert_eq!(whole(crlf.as_bytes()), expected);
}

#[test]
fn a_dump_without_a_version_line_begins_with_its_end_of_lines() {
    for (encoding, bytes) in dumps() {
        let end: &[u8] = match encoding.newline {
            Newline::Nel => &[0x15],
            Newline::Lf => &[0x25],
            Newline::CrLf => &[0x0d, 0x25],
        };
        let at = bytes.windows(end.len()).position(|window| window == end).expect("lines");
        let bytes = &bytes[at..];
        let found = written(&heap("[La;", None), &options("openj9", encoding)).expect("writable");
        assert!(found == bytes, "{encoding:?}: {}", found.escape_ascii());
        assert_eq!(Decoder::new(bytes).expect("a dump").encoding(), encoding);
        assert_eq!(whole(bytes).objects, heap("[La;", None).objects);
    }
}

/// Where one end of lines stands among the other, both end a line; so a dump that was converted in part can be read.
#[test]
fn both_ends_of_lines_are_understood_in_one_dump() {
    let mut mixed = DUMP.to_vec();
    let ends: Vec<usize> = (0..mixed.len()).filter(|&at| mixed[at] == 0x15).collect();
    for at in ends.iter().skip(1).step_by(2) {
        mixed[*at] = 0x25;
    }
    assert_eq!(whole(&mixed), whole(TEXT.as_bytes()));
    mixed[ends[0]] = 0x25;
    assert_eq!(whole(&mixed), whole(TEXT.as_bytes()));
}

#[test]
fn a_name_beyond_ascii_has_its_place_in_the_page() {
    // U+00DC is 0xFC in both pages; the circumflex is 0x5F in IBM-1047 and 0xB0 in IBM-037.
    for (page, name) in [(CodePage::Ibm1047, hex!("97 61 FC 5F")), (CodePage::Ibm037, hex!("97 61 FC B0"))] {
        let encoding = Encoding { charset: Charset::Ebcdic(page), newline: Newline::Nel };
        let found = written(&heap("p/\u{dc}^", Some("x")), &options("openj9", encoding)).expect("writable");
        assert!(found.windows(4).any(|window| window == name), "{}", found.escape_ascii());
        let read = whole(&found);
        assert_eq!(read.objects[0].class_name.as_ref(), Some(&"p/\u{dc}^".into()));
    }
}

#[test]
fn reports_byte_offsets_in_ebcdic() {
    let mut damaged = DUMP.to_vec();
    // The B of OBJ becomes an X.
    let at = DUMP.windows(3).position(|w| w == [0xd6, 0xc2, 0xd1]).expect("a record");
    damaged[at + 1] = 0xe7;
    let error = read(&damaged).1.expect_err("damaged").to_string();
    assert_eq!(
        error,
        "line 2, column 17, offset 30 (0x1e), record 1, record type: expected OBJ or CLS, found \"OXJ [La;\" \
         [classic.record.type]"
    );
}

#[test]
fn accepts_long_white_space_at_start() {
    let start = [&[0x61, 0x61][..], &[0x40].repeat(60_000), &[0x15], &DUMP[14..]].concat();
    assert_eq!(whole(&start).objects.len(), 1);
}
