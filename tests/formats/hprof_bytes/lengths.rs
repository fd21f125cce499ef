//! Dump records whose length says less than they hold: never patched, or wrapped at 2^32.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use heapsmith::family::Opening;
use heapsmith::hprof::decode::{WrappedLength, ZeroLength};
use heapsmith::hprof::record::SegmentLength;
use heapsmith::hprof::{Decoder, Lookahead, ReadOptions, open};
use heapsmith::input::Input;
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{END, Seen, file, heap_dump, segment, steps, steps_of, told};

/// A second look that says what it is told to, and writes down what it was asked.
#[derive(Clone, Debug)]
struct Fake {
    length: Option<u64>,
    chains: bool,
    asked: Rc<RefCell<Vec<(&'static str, u64)>>>,
}

impl Fake {
    fn new(length: Option<u64>, chains: bool) -> Fake {
        Fake { length, chains, asked: Rc::default() }
    }
}

impl Lookahead for Fake {
    fn length(&mut self, at_least: u64) -> io::Result<Option<u64>> {
        self.asked.borrow_mut().push(("length", at_least));
        Ok(self.length)
    }

    fn chains(&mut self, offset: u64) -> io::Result<bool> {
        self.asked.borrow_mut().push(("chains", offset));
        Ok(self.chains)
    }
}

const EMPTY: [u8; 9] = hex!("1c 00000000 00000000");
const ROOT: [u8; 5] = hex!("05 a1a2a3a4");

fn reading(zero_length: ZeroLength, wrapped: WrappedLength) -> ReadOptions {
    ReadOptions::default().zero_length(zero_length).wrapped(wrapped)
}

/// The kinds of step: `R`ecord, `(`segment`)`, `s`ub-record, `+` more.
fn shape(seen: &[Seen]) -> String {
    let letter = |step: &Seen| match step {
        Seen::Record(..) => 'R',
        Seen::Segment(..) => '(',
        Seen::Sub(..) => 's',
        Seen::More(_) => '+',
        Seen::SegmentEnd(_) => ')',
    };
    seen.iter().map(letter).collect()
}

fn shape_with(bytes: &[u8], reading: ReadOptions, beyond: Option<Fake>) -> (String, Vec<Seen>) {
    let beyond = beyond.map(|fake| Box::new(fake) as Box<dyn Lookahead>);
    let mut decoder = Decoder::new(bytes).expect("a sound header").with_reading(reading, beyond);
    let (seen, ended) = steps_of(&mut decoder);
    assert_eq!(ended.expect("sound"), bytes.len() as u64);
    (shape(&seen), seen)
}

#[test]
fn a_length_of_0_is_an_empty_segment_or_one_that_was_never_patched() {
    use WrappedLength::{Repair, Trust};
    for tag in [0x0c, 0x1c] {
        let mut zero = EMPTY;
        zero[0] = tag;
        // Read as empty, 05 a1a2a3a4 begins a record of the top: here it is whole.
        let stack_trace = hex!("05 a1a2a3a4 0000000c 00000001 00000000 00000000");
        let either = file(4, &[&zero, &stack_trace]);
        for wrapped in [Repair, Trust] {
            for (zero_length, beyond) in [
                (ZeroLength::Empty, None),
                (ZeroLength::ByChain, None),
                (ZeroLength::Empty, Some(Fake::new(None, false))),
                (ZeroLength::ByChain, Some(Fake::new(None, true))),
            ] {
                let (shape, seen) = shape_with(&either, reading(zero_length, wrapped), beyond);
                assert_eq!(shape, "()R");
                let [Seen::Segment(_, segment), Seen::SegmentEnd(40), _] = seen[..] else { panic!("{seen:?}") };
                assert_eq!((segment.stated, segment.length, segment.bytes()), (0, SegmentLength::Stated, Some(0)));
            }
        }
        // Read as unpatched, it is a sticky class, and so on up to the file's end.
        let roots = file(4, &[&zero, &ROOT, &ROOT, &ROOT]);
        for (zero_length, beyond) in [
            (ZeroLength::Unpatched, None),
            (ZeroLength::Unpatched, Some(Fake::new(None, true))),
            (ZeroLength::ByChain, Some(Fake::new(None, false))),
        ] {
            let (shape, seen) = shape_with(&roots, reading(zero_length, Repair), beyond);
            assert_eq!(shape, "(sss)");
            let Seen::Segment(_, segment) = seen[0] else { panic!("{seen:?}") };
            assert_eq!((segment.stated, segment.length, segment.bytes()), (0, SegmentLength::Unpatched, None));
            assert_eq!(seen[4], Seen::SegmentEnd(40 + 15));
        }
    }
}

#[test]
fn an_unpatched_segment_ends_before_a_dump_record_and_at_the_end_of_the_file() {
    let unpatched = reading(ZeroLength::Unpatched, WrappedLength::Trust);
    let shape_of = |records: &[&[u8]]| shape_with(&file(4, records), unpatched, None).0;
    assert_eq!(shape_of(&[&EMPTY]), "()");
    assert_eq!(shape_of(&[&EMPTY, &ROOT, &EMPTY, &ROOT, &ROOT]), "(s)(ss)");
    assert_eq!(shape_of(&[&EMPTY, &ROOT, &heap_dump(&[&ROOT, &ROOT])]), "(s)(ss)");
    assert_eq!(shape_of(&[&EMPTY, &ROOT, &END]), "(s)R");
    assert_eq!(shape_of(&[&EMPTY, &EMPTY, &END]), "()()R");
    // With contents that come in pieces at its end.
    let array = [&hex!("23 00000001 00000002 00050000 08")[..], &[0x2c; 0x50000]].concat();
    assert!(shape_of(&[&EMPTY, &array, &END]).ends_with("+)R"));
}

#[test]
fn reports_truncated_last_sub_record_of_unpatched_segment() {
    let bytes = file(4, &[&EMPTY, &ROOT, &ROOT[..4]]);
    let unpatched = reading(ZeroLength::Unpatched, WrappedLength::Repair);
    let mut decoder = Decoder::new(&bytes[..]).expect("a sound header").with_reading(unpatched, None);
    let (seen, ended) = steps_of(&mut decoder);
    assert_eq!(shape(&seen), "(s");
    assert_eq!(told(ended.err()), ("hprof.file.truncated", 46, Some(2), "object id"));
}

#[test]
fn lookahead_starts_after_zero_length_and_stops_at_first_chain() {
    let fake = Fake::new(None, true);
    let bytes = file(4, &[&segment(&[&ROOT]), &EMPTY, &EMPTY, &END]);
    let (shape, _) = shape_with(&bytes, ReadOptions::default(), Some(fake.clone()));
    assert_eq!(shape, "(s)()()R");
    assert_eq!(*fake.asked.borrow(), [("chains", 31 + 14 + 9)]);

    let fake = Fake::new(None, false);
    let bytes = file(4, &[&segment(&[&ROOT]), &EMPTY, &ROOT, &EMPTY, &ROOT]);
    let (shape, _) = shape_with(&bytes, ReadOptions::default(), Some(fake.clone()));
    assert_eq!(shape, "(s)(s)(s)");
    assert_eq!(*fake.asked.borrow(), [("chains", 54), ("chains", 54 + 5 + 9)]);
}

/// Opens bytes as a file is opened.
fn opened(bytes: &[u8], reading: ReadOptions) -> (String, Option<(&'static str, u64)>) {
    let input = Input::from_memory("dump", bytes.to_vec());
    let mut decoder = open(Opening::from_input(&input, reading).expect("memory")).expect("a sound header");
    let (seen, ended) = steps_of(&mut decoder);
    (shape(&seen), ended.err().map(|e| (e.rule().0, e.offset())))
}

#[test]
fn recognises_empty_segment_by_following_records() {
    let string = hex!("01 00000000 00000005 00000001 41");
    // Records chain to the end of the file: empty.
    assert_eq!(opened(&file(4, &[&EMPTY, &string, &END]), ReadOptions::default()), ("()RR".into(), None));
    assert_eq!(opened(&file(4, &[&EMPTY]), ReadOptions::default()), ("()".into(), None));
    assert_eq!(
        opened(&file(4, &[&EMPTY, &segment(&[&ROOT]), &EMPTY]), ReadOptions::default()),
        ("()(s)()".into(), None)
    );
    // They do not: unpatched.
    assert_eq!(opened(&file(4, &[&EMPTY, &ROOT, &ROOT]), ReadOptions::default()), ("(ss)".into(), None));
    assert_eq!(opened(&file(4, &[&EMPTY, &ROOT]), ReadOptions::default()), ("(s)".into(), None));
    // Less than a record's head.
    assert_eq!(opened(&file(4, &[&EMPTY, &hex!("07 00000000")]), ReadOptions::default()), ("(s)".into(), None));
}

#[test]
fn requires_chain_to_end_at_end_of_file() {
    // With identifiers of 8 bytes these are two roots, or a record with an unknown tag and a length of 8, 9 or 10.
    let both = |head: [u8; 9]| file(8, &[&EMPTY, &head, &hex!("90 a1a2a3a4a5a6a7a8")]);
    let unpatched = reading(ZeroLength::Unpatched, WrappedLength::Repair);
    let empty = reading(ZeroLength::Empty, WrappedLength::Repair);
    for (head, by_chain) in [
        (hex!("89 00000000 00000008"), "(ss)"),
        (hex!("89 00000000 00000009"), "()R"),
        (hex!("89 00000000 0000000a"), "(ss)"),
        (hex!("89 00000000 ffffffff"), "(ss)"),
    ] {
        assert_eq!(opened(&both(head), ReadOptions::default()), (by_chain.into(), None));
        assert_eq!(opened(&both(head), unpatched), ("(ss)".into(), None));
    }
    assert_eq!(opened(&both(hex!("89 00000000 00000009")), empty), ("()R".into(), None));
    // What is told by the chain may still be no record.
    let summary = file(8, &[&EMPTY, &hex!("07 00000000 00000001 ff")]);
    assert_eq!(opened(&summary, ReadOptions::default()), ("()".into(), Some(("hprof.record.length", 49))));
}

#[test]
fn recognises_empty_segment_in_gzip_by_decompressed_bytes() {
    use std::io::Write;
    for (records, expected) in [([&EMPTY[..], &ROOT, &ROOT], "(ss)"), ([&EMPTY, &EMPTY, &END], "()()R")] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(&file(4, &records)).expect("memory");
        let bytes = gzip.finish().expect("memory");
        assert_eq!(opened(&bytes, ReadOptions::default()), (expected.into(), None));
    }
}

/// A HEAP DUMP that says 10 bytes, two roots, and holds `roots` of them.
fn dump_of(roots: usize) -> Vec<u8> {
    file(4, &[&hex!("0c 00000000 0000000a"), &ROOT.repeat(roots)])
}

#[test]
fn a_heap_dump_has_wrapped_when_the_file_is_4_gib_longer_and_no_record_follows() {
    // After the ten bytes is offset 50; a file that goes on for 2^32, or twice as many.
    for (length, body) in [(50 + (1 << 32), 10 + (1 << 32)), (50 + (2 << 32), 10 + (2 << 32))] {
        let bytes = dump_of(4);
        let fake = Fake::new(Some(length), false);
        let mut decoder = Decoder::new(&bytes[..]).expect("a sound header");
        decoder = decoder.with_reading(ReadOptions::default(), Some(Box::new(fake.clone())));
        let (seen, ended) = steps_of(&mut decoder);
        let Seen::Segment(_, segment) = seen[0] else { panic!("{seen:?}") };
        assert_eq!((segment.stated, segment.length, segment.bytes()), (10, SegmentLength::Wrapped(body), Some(body)));
        // The real file ends after four roots, beyond the ten bytes.
        assert_eq!(shape(&seen), "(ssss");
        assert_eq!(told(ended.err()), ("hprof.file.truncated", 60, Some(5), "sub-record tag"));
        // Is it worth it to look for a file of 2^32 bytes more? And do records follow?
        assert_eq!(*fake.asked.borrow(), [("length", 50 + (1 << 32)), ("chains", 50)]);
    }
}

#[test]
fn trusts_length_that_did_not_wrap() {
    let stated = |bytes: &[u8], reading: ReadOptions, fake: Fake| {
        let (shape, seen) = shape_with(bytes, reading, Some(fake));
        let Seen::Segment(_, segment) = seen[0] else { panic!("{seen:?}") };
        assert_eq!((segment.length, segment.bytes()), (SegmentLength::Stated, Some(10)));
        shape
    };
    let sound = file(4, &[&heap_dump(&[&ROOT, &ROOT]), &END]);
    // The file ends where it says; or is longer by something else than 2^32; or its length is not known.
    for length in [Some(50), Some(59), Some(49 + (1 << 32)), Some(51 + (1 << 32)), None] {
        assert_eq!(stated(&sound, ReadOptions::default(), Fake::new(length, false)), "(ss)R");
    }
    // It fits, but records follow; or one is to trust the length.
    assert_eq!(stated(&sound, ReadOptions::default(), Fake::new(Some(50 + (1 << 32)), true)), "(ss)R");
    let trust = reading(ZeroLength::ByChain, WrappedLength::Trust);
    assert_eq!(stated(&sound, trust, Fake::new(Some(50 + (1 << 32)), false)), "(ss)R");
    // Segments never wrap.
    let segments = file(4, &[&segment(&[&ROOT, &ROOT]), &END]);
    assert_eq!(stated(&segments, ReadOptions::default(), Fake::new(Some(50 + (1 << 32)), false)), "(ss)R");
}

#[test]
fn lengths_are_unsigned() {
    // Of a segment, of a HEAP DUMP, and of a string that ends with the file.
    for (head, expected) in
        [(hex!("1c 00000000 80000000"), "(s"), (hex!("0c 00000000 fffffff0"), "(s"), (hex!("01 00000000 80000000"), "")]
    {
        let bytes = file(4, &[&head, &ROOT]);
        let (seen, ended) = steps(&bytes);
        assert_eq!((shape(&seen).as_str(), told(ended.err()).0), (expected, "hprof.file.truncated"));
    }
}
