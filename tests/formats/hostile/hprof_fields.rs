//! Fields of HPROF dumps that say what cannot be, in bytes spelled by hand.

use heapsmith::error::{DecodeError, Problem};
use heapsmith::family::Opening;
use heapsmith::hprof::decode::{WrappedLength, ZeroLength};
use heapsmith::hprof::{Decoder, ReadOptions, lift, open, rules};
use heapsmith::input::Input;
use heapsmith::model::Dump;

use crate::hprof_bytes::SUB_TAGS;

/// Bytes of the header.
const HEADER: u64 = 31;
/// A root of an unknown kind.
const ROOT: &[u8] = b"\xff\0\0\0\x08";
/// An instance without fields.
const INSTANCE: &[u8] = b"\x21\0\0\0\x08\0\0\0\x01\0\0\0\x04\0\0\0\0";

/// A dump with identifiers of 4 bytes.
fn dump(records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0".to_vec();
    records.iter().for_each(|record| bytes.extend_from_slice(record));
    bytes
}

fn record(tag: u8, length: u32, body: &[u8]) -> Vec<u8> {
    [&[tag, 0, 0, 0, 0], length.to_be_bytes().as_slice(), body].concat()
}

fn whole(tag: u8, body: &[u8]) -> Vec<u8> {
    record(tag, body.len() as u32, body)
}

fn read(bytes: &[u8], reading: ReadOptions) -> (Dump, Result<(), DecodeError>) {
    let input = Input::from_memory("hostile", bytes.to_vec());
    let (whole, ended) =
        lift::dump(|| Ok(open(Opening::from_input(&input, reading)?)?)).expect("it begins with a header");
    (whole.dump, ended)
}

/// The error of a dump, with its roots and objects.
fn stopped(bytes: &[u8]) -> (DecodeError, usize, usize) {
    let (dump, ended) = read(bytes, ReadOptions::default());
    let heap = &dump.heaps[0];
    let roots = heap.surroundings.roots.as_ref().map_or(0, Vec::len);
    (ended.expect_err("it is damaged"), roots, heap.objects.len())
}

#[test]
fn reports_length_beyond_end_as_truncation() {
    for (tag, body) in [(0x01, b"\0\0\0\x07abc".as_slice()), (0xf0, b"abc"), (0x02, b"abc"), (0x06, b""), (0x2c, b"")] {
        for length in [body.len() as u32 + 1, 0x7fff_ffff, 0xffff_ffff] {
            let (error, ..) = stopped(&dump(&[whole(0x2c, b""), record(tag, length, body)]));
            assert_eq!((error.rule(), error.record()), (rules::FILE_TRUNCATED, Some(1)), "{tag:#x}: {error}");
            assert!(matches!(error.problem(), Problem::Truncated { .. }), "{tag:#x}: {error}");
        }
    }
    for tag in [0x0c, 0x1c] {
        let (error, roots, objects) = stopped(&dump(&[record(tag, 0xffff_ffff, &[ROOT, INSTANCE].concat())]));
        assert_eq!((roots, objects), (1, 1));
        assert_eq!((error.rule(), error.record()), (rules::FILE_TRUNCATED, Some(3)), "{error}");
        assert_eq!(error.offset(), HEADER + 9 + (ROOT.len() + INSTANCE.len()) as u64);
    }
}

#[test]
fn reports_sub_record_beyond_segment_and_keeps_earlier_ones() {
    let mut segment = [ROOT, INSTANCE].concat();
    segment.extend_from_slice(&INSTANCE[..INSTANCE.len() - 1]);
    for after in [whole(0x2c, b""), vec![0; 40]] {
        let (error, roots, objects) = stopped(&dump(&[whole(0x1c, &segment), after]));
        assert_eq!((error.rule(), error.record()), (rules::SUB_RECORD_OVERRUN, Some(3)), "{error}");
        assert_eq!((roots, objects), (1, 1));
    }
    // Contents that reach beyond it.
    let mut segment = [ROOT, INSTANCE].concat();
    let at = segment.len() - 4;
    segment[at..].copy_from_slice(&[0, 0, 0, 1]);
    let (error, roots, objects) = stopped(&dump(&[whole(0x1c, &segment), whole(0x2c, b"")]));
    assert_eq!((error.rule(), error.record()), (rules::SUB_RECORD_OVERRUN, Some(2)), "{error}");
    assert_eq!((roots, objects), (1, 0));
}

#[test]
fn an_unpatched_length_is_read_to_the_next_dump_record_or_the_end() {
    let body = [ROOT, INSTANCE, INSTANCE].concat();
    for tag in [0x0c, 0x1c] {
        for after in [Vec::new(), whole(0x2c, b"")] {
            let bytes = dump(&[record(tag, 0, &body), after]);
            let (found, ended) = read(&bytes, ReadOptions::default());
            ended.expect("repaired");
            assert_eq!(found.heaps[0].objects.len(), 2);
        }
        // An empty one before other records is what it says.
        let (found, ended) = read(&dump(&[record(tag, 0, b""), whole(0x0b, &[0, 0, 0, 1])]), ReadOptions::default());
        ended.expect("empty");
        assert_eq!(found.heaps.len(), 1);
        let trusting = ReadOptions::default().zero_length(ZeroLength::Empty).wrapped(WrappedLength::Trust);
        assert!(read(&dump(&[record(tag, 0, &body)]), trusting).1.is_err(), "roots are no records");
    }
}

#[test]
fn rejects_counts_that_overflow_when_multiplied() {
    // Each is 2^32 and a little in bytes, modulo 2^32 no more than what follows.
    let array =
        |count: u32| [b"\x22\0\0\0\x08\0\0\0\x01".as_slice(), &count.to_be_bytes(), b"\0\0\0\x04", &[0; 64]].concat();
    let primitive = |count: u32, kind: u8| {
        [b"\x23\0\0\0\x08\0\0\0\x01".as_slice(), &count.to_be_bytes(), &[kind], &[0; 64]].concat()
    };
    let segments = [
        array(0x4000_0001),
        array(0xffff_ffff),
        primitive(0x2000_0001, 11),
        primitive(0x4000_0001, 10),
        primitive(0x8000_0001, 9),
        primitive(0xffff_ffff, 8),
    ];
    for segment in segments {
        let (error, roots, objects) = stopped(&dump(&[whole(0x1c, &[ROOT, &segment].concat())]));
        assert_eq!((error.rule(), error.record()), (rules::SUB_RECORD_OVERRUN, Some(2)), "{error}");
        assert_eq!((roots, objects), (1, 0));
    }
    let frames = [[0; 8].as_slice(), &0x4000_0001u32.to_be_bytes(), &[0; 64]].concat();
    // 25 bytes each.
    let sites = [[0; 30].as_slice(), &0x0a3d_70a4u32.to_be_bytes(), &[0; 64]].concat();
    let samples = [[0; 4].as_slice(), &0x2000_0001u32.to_be_bytes(), &[0; 64]].concat();
    for (tag, body) in [(0x05, frames), (0x06, sites), (0x0d, samples)] {
        let (error, ..) = stopped(&dump(&[whole(0x2c, b""), whole(tag, &body), whole(0x2c, b"")]));
        assert_eq!((error.rule(), error.record()), (rules::RECORD_LENGTH, Some(1)), "{tag:#x}: {error}");
    }
}

#[test]
fn stops_at_unknown_sub_record_and_keeps_earlier_ones() {
    for tag in (0u8..=0xff).filter(|tag| !SUB_TAGS.contains(tag)) {
        let segment = [ROOT, INSTANCE, &[tag], INSTANCE].concat();
        let bytes = dump(&[whole(0x1c, ROOT), whole(0x1c, &segment), whole(0x2c, b"")]);
        let (error, roots, objects) = stopped(&bytes);
        assert_eq!((error.rule(), error.record()), (rules::SUB_RECORD_TAG, Some(5)), "{error}");
        assert_eq!(error.offset(), HEADER + 9 + 5 + 9 + (ROOT.len() + INSTANCE.len()) as u64);
        assert_eq!((roots, objects), (2, 1));
    }
}

#[test]
fn identifiers_have_one_two_four_or_eight_bytes() {
    for size in [0u32, 3, 5, 16, 0x0400_0000, 0xffff_ffff] {
        let mut bytes = dump(&[]);
        bytes[19..23].copy_from_slice(&size.to_be_bytes());
        let error = Decoder::new(bytes.as_slice()).expect_err("no such size");
        assert_eq!((error.rule(), error.offset()), (rules::HEADER_ID_SIZE, 19), "{error}");
        assert!(error.to_string().contains(&size.to_string()), "{error}");
    }
}

#[test]
fn a_type_is_two_or_four_to_eleven() {
    let class = |pool: &[u8], statics: &[u8], fields: &[u8]| {
        let head = [b"\x20\0\0\0\x04\0\0\0\x01".as_slice(), &[0; 28]].concat();
        let list = |entry: &[u8]| [[0, u8::from(!entry.is_empty())].as_slice(), entry].concat();
        [head, list(pool), list(statics), list(fields)].concat()
    };
    for code in [0, 1, 3, 12, 0x84, 0xff] {
        let bodies = [
            class(&[0, 1, code, 0, 0, 0, 0, 0, 0, 0, 0], b"", b""),
            class(b"", &[0, 0, 0, 9, code, 0, 0, 0, 0, 0, 0, 0, 0], b""),
            class(b"", b"", &[0, 0, 0, 9, code]),
            [b"\x23\0\0\0\x08\0\0\0\x01\0\0\0\0".as_slice(), &[code]].concat(),
            [b"\x23\0\0\0\x08\0\0\0\x01\0\0\0\x01".as_slice(), &[code; 9]].concat(),
        ];
        for body in bodies {
            let (error, roots, _) = stopped(&dump(&[whole(0x1c, &[ROOT, &body].concat())]));
            assert_eq!((error.rule(), error.record()), (rules::TYPE_CODE, Some(2)), "{error}");
            assert!(error.to_string().contains(&code.to_string()), "{error}");
            assert_eq!(roots, 1);
        }
    }
    // A reference is no element of a primitive array.
    let body = b"\x23\0\0\0\x08\0\0\0\x01\0\0\0\x01\x02\0\0\0\0";
    let (error, ..) = stopped(&dump(&[whole(0x1c, body)]));
    assert_eq!((error.rule(), error.record()), (rules::TYPE_CODE, Some(1)), "{error}");
}

#[test]
fn names_other_format_by_its_header() {
    let error = |bytes: &[u8]| Decoder::new(bytes).expect_err("no such header");
    for version in ["1.0", "1.0.0", "1.0.4", "1.0.22", "2", ""] {
        let found = error(format!("JAVA PROFILE {version}\0\0\0\0\x04\0\0\0\0\0\0\0\0").as_bytes());
        assert_eq!(found.rule(), rules::HEADER_VERSION, "{found}");
        assert!(found.to_string().contains(&format!("{version:?}")), "{found}");
    }
    assert_eq!(error(b"JAVA PROFILE 1.0.x and then no end of it").rule(), rules::HEADER_VERSION);
    assert_eq!(error(b"JAVA PROFIL").rule(), rules::FILE_TRUNCATED);
    assert_eq!(error(b"").rule(), rules::FILE_TRUNCATED);
    assert_eq!(error(b"java profile 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0").rule(), rules::HEADER_MAGIC);
    assert_eq!(error(b"\0\x12portable heap dump").rule(), rules::HEADER_MAGIC);
}
