//! Sub-records that are none, and those that do not fit their segment.

use heapsmith::hprof::Decoder;
use hex_literal::hex;

use super::SUB_TAGS;
use super::dump::{END, SIZES, Seen, failure, file, heap_dump, segment, steps, steps_of, told};

#[test]
fn unknown_tags_of_sub_records_are_refused_where_they_stand() {
    let mut refused = 0;
    for tag in (0u8..=0xff).filter(|tag| !SUB_TAGS.contains(tag)) {
        for size in SIZES {
            // A sticky class before it, and zeros after it.
            let root = [&[5][..], &vec![7; size]].concat();
            for around in [segment, heap_dump] {
                let bytes = file(size, &[&around(&[&root, &root, &[tag], &[0; 100]]), &END]);
                let expected = ("hprof.sub-record.tag", 40 + 2 * (1 + size as u64), Some(3), "sub-record tag");
                assert_eq!(failure(&bytes), expected, "{tag:#04x}, I = {size}");
                // What stands before it is delivered.
                assert_eq!(steps(&bytes).0.len(), 3);
            }
        }
        refused += 1;
    }
    assert_eq!(refused, 256 - SUB_TAGS.len());
}

#[test]
fn an_unknown_tag_is_refused_though_the_segment_ends_with_it() {
    assert_eq!(failure(&file(4, &[&segment(&[&hex!("00")])])), ("hprof.sub-record.tag", 40, Some(1), "sub-record tag"));
    // The second segment begins at 40, its sub-record at 49.
    let twice = file(4, &[&segment(&[]), &segment(&[&hex!("99")])]);
    assert_eq!(failure(&twice), ("hprof.sub-record.tag", 49, Some(2), "sub-record tag"));
}

#[test]
fn reports_contents_beyond_segment_at_their_start() {
    // Three elements, or bytes, in segments that have room for two; then another segment of enough bytes.
    let after = segment(&[&hex!("05 00000009").repeat(20)]);
    for (name, sub_record, at, field) in [
        ("instance", &hex!("21 00000001 00000002 00000003 00000003 0102")[..], 17, "field values"),
        ("object array", &hex!("22 00000001 00000002 00000003 00000004 00000005 00000006"), 17, "element"),
        ("booleans", &hex!("23 00000001 00000002 00000003 04 01 00"), 14, "elements"),
        ("chars", &hex!("23 00000001 00000002 00000003 05 0001 0002"), 14, "elements"),
        ("floats", &hex!("23 00000001 00000002 00000003 06 00000001 00000002"), 14, "elements"),
        ("doubles", &hex!("23 00000001 00000002 00000003 07 0000000000000001 0000000000000002"), 14, "elements"),
        ("longs, one byte short", &hex!("23 00000001 00000002 00000001 0b 00000000000000"), 14, "elements"),
    ] {
        let root = hex!("05 00000009");
        let bytes = file(4, &[&segment(&[&root, sub_record]), &after]);
        assert_eq!(failure(&bytes), ("hprof.sub-record.overrun", 45 + at, Some(2), field), "{name}");
    }
}

#[test]
fn contents_of_more_than_4_gib_do_not_wrap() {
    for (name, size, sub_record, at) in [
        // 0x40000001 identifiers of 4 bytes are 4 bytes beyond 2^32.
        ("identifiers of 4", 4, &hex!("22 00000001 00000002 40000001 00000004 00000005")[..], 17),
        // 0x80000000 of 2, and 0x20000000 of 8, have no bytes modulo 2^32.
        ("identifiers of 2", 2, &hex!("22 0001 00000002 80000000 0004"), 13),
        ("identifiers of 8", 8, &hex!("22 0000000000000001 00000002 20000000 0000000000000004"), 25),
        ("chars", 4, &hex!("23 00000001 00000002 80000001 05 0001"), 14),
        ("floats", 4, &hex!("23 00000001 00000002 c0000000 06"), 14),
        ("ints", 4, &hex!("23 00000001 00000002 40000001 0a 00000001"), 14),
        ("doubles", 4, &hex!("23 00000001 00000002 e0000000 07"), 14),
        ("longs", 4, &hex!("23 00000001 00000002 20000001 0b 0000000000000001"), 14),
        ("as many longs as can be", 4, &hex!("23 00000001 00000002 ffffffff 0b 0000000000000001"), 14),
        ("bytes", 4, &hex!("23 00000001 00000002 ffffffff 08 01"), 14),
        ("field bytes", 4, &hex!("21 00000001 00000002 00000003 ffffffff 01"), 17),
    ] {
        let bytes = file(size, &[&segment(&[sub_record]), &END]);
        let (rule, offset, record, _) = failure(&bytes);
        assert_eq!((rule, offset, record), ("hprof.sub-record.overrun", 40 + at, Some(1)), "{name}");
    }
}

#[test]
fn contents_of_more_than_4_gib_are_counted_in_whole_where_the_segment_has_no_end() {
    use heapsmith::hprof::ReadOptions;
    use heapsmith::hprof::decode::ZeroLength;
    // An unpatched segment: the array may be as long as it says, and the file ends in it.
    let array = hex!("23 00000001 00000002 20000001 0b 0000000000000001");
    let bytes = file(4, &[&hex!("1c 00000000 00000000"), &array]);
    let reading = ReadOptions::default().zero_length(ZeroLength::Unpatched);
    let mut decoder = Decoder::new(&bytes[..]).expect("a sound header").with_reading(reading, None);
    let (seen, ended) = steps_of(&mut decoder);
    let [_, Seen::Sub(at, _), ..] = &seen[..] else { panic!("{seen:?}") };
    // The eight bytes that are there are the first piece or the second; the rest is what all of them leave.
    let taken = at.bytes.len() as u64 - 14;
    assert_eq!(at.rest + taken, 0x1_0000_0008);
    assert_eq!(told(ended.err()), ("hprof.file.truncated", 62, Some(1), "contents"));
}

#[test]
fn rejects_segment_or_file_that_ends_inside_sub_record() {
    let root = hex!("01 a1a2a3a4 b1b2b3b4");
    let mut bytes = file(4, &[&segment(&[&root, &root])]);
    assert!(steps(&bytes).1.is_ok());
    // A segment that says 19 of its 18 bytes, at the end of the file.
    bytes[39] = 19;
    assert_eq!(failure(&bytes), ("hprof.file.truncated", 58, Some(3), "sub-record tag"));
    // One that says 17: the second root's reference goes beyond it.
    bytes[39] = 17;
    assert_eq!(failure(&bytes), ("hprof.sub-record.overrun", 54, Some(2), "JNI global reference id"));
    // One that says 10: there is a tag, and no more.
    bytes[39] = 10;
    assert_eq!(failure(&bytes), ("hprof.sub-record.overrun", 50, Some(2), "object id"));
    // One that says 9: what follows is no record of the top, or one without its length.
    bytes[39] = 9;
    let (rule, offset, record, _) = failure(&bytes);
    assert_eq!((rule, offset, record), ("hprof.file.truncated", 58, Some(2)));
}

#[test]
fn a_dump_record_without_its_length_is_cut() {
    for (kept, offset, field) in [(1, 32, "time"), (4, 32, "time"), (5, 36, "length"), (8, 36, "length")] {
        for tag in [0x0c, 0x1c] {
            let bytes = file(4, &[&[tag, 0, 0, 0, 0, 0, 0, 0, 0][..kept]]);
            assert_eq!(failure(&bytes), ("hprof.file.truncated", offset, Some(0), field));
        }
    }
}
