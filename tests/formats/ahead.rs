//! How often a dump is read, and how far ahead.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use heapsmith::error::Error;
use heapsmith::family::{ReadOptions, WriteRequest};
use heapsmith::format::{DumpFile, Format, Lowering};
use heapsmith::input::Input;
use heapsmith::model::steps_of;
use heapsmith::validate::{ValidateOptions, validate};

const HEADER: &[u8] = b"JAVA PROFILE 1.0.2\0\0\0\0\x08\0\0\0\0\0\0\0\0";
/// A HEAP DUMP of length 0: empty, if the records after it lead to the end of the file.
const EMPTY: &[u8] = b"\x0c\0\0\0\0\0\0\0\0";

/// The bytes, made anew for each reader, and how often that was.
fn counted(bytes: Vec<u8>) -> (Input, Arc<AtomicU64>) {
    let made = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&made);
    let input = Input::from_generator("made", move |out| {
        count.fetch_add(1, Ordering::Relaxed);
        out.write_all(&bytes).map_err(|e| Error::io("writing", e))
    });
    (input, made)
}

/// Many dump records of length 0, and the start of a record.
fn cut_short(records: usize) -> Vec<u8> {
    [HEADER, &EMPTY.repeat(records), &EMPTY[..4]].concat()
}

/// Heaps of one class and one instance, each with a string of its own in front.
fn heaps(count: u64) -> Vec<u8> {
    let mut dump = HEADER.to_vec();
    for n in 1..=count {
        dump.extend(b"\x01\0\0\0\0\0\0\0\x09");
        dump.extend(n.to_be_bytes());
        dump.push(b'a');
        dump.extend(b"\x0c\0\0\0\0\0\0\0\x60");
        dump.push(0x20);
        dump.extend(8_u64.to_be_bytes());
        dump.extend([0; 62]);
        dump.push(0x21);
        dump.extend((8 + 8 * n).to_be_bytes());
        dump.extend([0; 4]);
        dump.extend(8_u64.to_be_bytes());
        dump.extend([0; 4]);
    }
    dump
}

#[test]
fn shares_lookaheads_that_meet() {
    let steps = |records| {
        let input = Input::from_memory("memory", cut_short(records));
        steps_of(|| drop(validate(&input, ValidateOptions::default()).expect("readable")))
    };
    let (short, long) = (steps(10_000), steps(20_000));
    // A look goes at most 64 records before it meets one that was taken.
    assert!(short <= 2 * 65 * 10_000 && long * 2 <= short * 5, "{short} and {long} records passed");
}

#[test]
fn copies_compressed_dump_after_some_lookaheads() {
    let (input, made) = counted(cut_short(1_000));
    let report = validate(&input, ValidateOptions::default()).expect("readable");
    assert!(!report.valid);
    let made = made.load(Ordering::Relaxed);
    assert!(made < 20, "made {made} times");
}

#[test]
fn seeks_to_each_heap_of_file() {
    let dump = heaps(500);
    let lowering = Lowering::new(Format::HPROF, &WriteRequest::default()).expect("a profile").adhering();
    let write = |input: Input| {
        let mut written = Vec::new();
        let mut source = DumpFile::new(input, ReadOptions::default()).and_then(|file| file.source()).expect("a dump");
        lowering.write(&mut source, &mut written).expect("written");
        written
    };
    let (input, made) = counted(dump.clone());
    let written = write(input);
    assert!(made.load(Ordering::Relaxed) < 20, "made {made:?} times");
    // The same from a plain file; and each instance is in its heap, after its string.
    assert_eq!(written, write(Input::from_memory("memory", dump)));
    let instances: Vec<usize> = (1..=500_u64)
        .map(|n| {
            let instance = [&[0x21][..], &(8 + 8 * n).to_be_bytes(), &[0; 4], &8_u64.to_be_bytes(), &[0; 4]].concat();
            written.windows(instance.len()).position(|window| window == instance).expect("an instance")
        })
        .collect();
    assert!(instances.is_sorted(), "{instances:?}");
}

/// A PHD 5 of 32 bits: the class `A` at 0x40, and objects of it at 0x60, which refers to a place and to 0x40, and at 0x60 and a gap, with a
/// class word, which refers to what is 0x20 below. Distances are in units of 4 bytes.
fn phd(to: u8, gap: u8, class_word: u8) -> Vec<u8> {
    let header = b"\0\x12portable heap dump\0\0\0\x05\0\0\0\x04\x01\x02\x02";
    let class = b"\x06\0\x10\0\0\0\0\0\0\0\0\0\x01A\0\0\0\0";
    let objects = [0x50, 0x08, 0, 0, 0, 0x40, to, 0xf8, 0x48, gap, 0, 0, 0, class_word, 0xf8, 0x03];
    [&header[..], &class[..], &objects].concat()
}

#[test]
fn reads_a_phd_equally_often_whatever_leads_nowhere_or_is_there_twice() {
    let read = |dump: Vec<u8>, rules: &[&str]| {
        let (input, made) = counted(dump);
        let report = validate(&input, ValidateOptions::default()).expect("readable");
        let found: Vec<&str> = report.findings.iter().map(|finding| finding.rule.0).collect();
        assert_eq!(found, rules);
        assert!(report.graph_checked);
        made.load(Ordering::Relaxed)
    };
    // To 0x80, which comes next; and to null.
    let often = read(phd(0x08, 0x08, 0x40), &[]);
    assert_eq!(read(phd(0xe8, 0x08, 0x40), &["phd.references.null"]), often);
    // Ahead to 0x90 and back to 0x50, where nothing is.
    assert_eq!(read(phd(0x0c, 0x08, 0x40), &["phd.graph.dangling-reference"]), often);
    assert_eq!(read(phd(0xfc, 0x08, 0x40), &["phd.graph.dangling-reference"]), often);
    assert_eq!(read(phd(0x08, 0x08, 0x44), &["phd.graph.class-word"]), often);
    // Both objects at 0x60, and each refers to itself or to its class.
    let twice = ["phd.graph.duplicate-address", "phd.references.first-is-class"];
    assert_eq!(read(phd(0, 0, 0x40), &twice), often);
}
