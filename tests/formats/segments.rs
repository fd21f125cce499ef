//! HPROF dumps of an asked-for number of segments, which are counted by a walk of our own.

use heapsmith::error::Error;
use heapsmith::format::{Format, profiles};
use heapsmith::generate::{DRAWN, GenerateOptions, ProceduralHeap, Shape};
use heapsmith::heap_file::HeapFile;
use heapsmith::model::{DumpSource, HeapSource};
use heapsmith::{DumpOptions, Heap};

/// The bodies of the records HEAP DUMP SEGMENT (0x1c) in a dump, and the number of all other records.
fn segments(dump: &[u8]) -> (Vec<&[u8]>, usize) {
    // The version as a text that ends with a zero, the size of identifiers, the time stamp.
    let header = dump.iter().position(|byte| *byte == 0).expect("the end of the version") + 1 + 4 + 8;
    let (mut rest, mut found, mut others) = (&dump[header..], Vec::new(), 0);
    while let [tag, _, _, _, _, a, b, c, d, after @ ..] = rest {
        let (body, next) = after.split_at(u32::from_be_bytes([*a, *b, *c, *d]) as usize);
        if *tag == 0x1c {
            found.push(body)
        } else {
            others += 1
        }
        rest = next;
    }
    assert_eq!(rest, [0; 0], "a record's head is cut off");
    (found, others)
}

/// A number at the start of bytes.
fn number(bytes: &[u8], width: usize) -> usize {
    bytes[..width].iter().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// Bytes of a value of a type, where identifiers take that many.
fn width(kind: u8, id: usize) -> usize {
    match kind {
        2 => id,
        4 | 8 => 1,
        5 | 9 => 2,
        6 | 10 => 4,
        7 | 11 => 8,
        _ => panic!("type {kind}"),
    }
}

/// Bytes of the CLASS DUMP at the start of these bytes.
fn class_dump(bytes: &[u8], id: usize) -> usize {
    let mut at = 1 + id + 4 + 6 * id + 4;
    let pool = number(&bytes[at..], 2);
    at += 2;
    for _ in 0..pool {
        at += 2 + 1 + width(bytes[at + 2], id);
    }
    let statics = number(&bytes[at..], 2);
    at += 2;
    for _ in 0..statics {
        at += id + 1 + width(bytes[at + id], id);
    }
    at + 2 + number(&bytes[at..], 2) * (id + 1)
}

/// The tags and lengths of the sub-records in a segment.
fn sub_records(mut segment: &[u8], id: usize) -> Vec<(u8, usize)> {
    let mut found = Vec::new();
    while let [tag, ..] = *segment {
        let after_trace = segment.get(1 + id + 4..).unwrap_or_default();
        let length = match tag {
            0xff | 0x05 | 0x07 | 0x89 | 0x8a | 0x8b | 0x8c | 0x8d | 0x90 => 1 + id,
            0x01 => 1 + 2 * id,
            0x02 | 0x03 | 0x08 | 0x8e => 1 + id + 8,
            0x04 | 0x06 => 1 + id + 4,
            0xfe => 1 + 4 + id,
            0x20 => class_dump(segment, id),
            0x21 => 1 + id + 4 + id + 4 + number(&after_trace[id..], 4),
            0x22 => 1 + id + 4 + 4 + id + id * number(after_trace, 4),
            0xc3 => 1 + id + 4 + 4 + 1,
            0x23 => 1 + id + 4 + 4 + 1 + number(after_trace, 4) * width(after_trace[4], id),
            _ => panic!("sub-record {tag:#x}"),
        };
        segment = &segment[length..];
        found.push((tag, length));
    }
    found
}

/// HEAP DUMP INFO, with which a segment may begin by itself.
const INFO: u8 = 0xfe;

/// The number of sub-records in a segment but for those.
fn count(segment: &[u8], id: usize) -> usize {
    sub_records(segment, id).into_iter().filter(|(tag, _)| *tag != INFO).count()
}

fn dump(heap: &mut dyn HeapSource, options: &DumpOptions) -> Result<Vec<u8>, Error> {
    let mut heap = heap;
    let mut bytes = Vec::new();
    options.lowering()?.write(&mut heap, &mut bytes).map(|()| bytes)
}

fn hprof(profile: &str) -> DumpOptions {
    DumpOptions::new(Format::HPROF).profile(profile)
}

#[test]
fn shares_sub_records_of_every_profile_out_evenly() {
    for profile in profiles(Format::HPROF).into_iter().chain(["even"]) {
        for seed in 0..4 {
            let options = hprof(profile).seed(seed);
            let usual = options.lowering().expect("a profile").generate_options(60, None);
            let mut heap = heapsmith::generate::from_seed(&usual, seed);
            let whole = match dump(&mut heap, &options.clone().segments(1)) {
                Ok(whole) => whole,
                // It has none, in any version.
                Err(error) => {
                    assert_eq!(profile, "hotspot-8", "{error}");
                    let expected = "segments=1: the profile hotspot-8 writes this heap as one HEAP DUMP record";
                    assert!(error.to_string().starts_with(expected), "{error}");
                    continue;
                }
            };
            let id = number(&whole[whole.iter().position(|byte| *byte == 0).expect("a header") + 1..], 4);
            let (all, _) = segments(&whole);
            assert_eq!(all.len(), 1, "{profile} {seed}");
            let total = count(all[0], id);
            for wanted in [2, 3, 7, total / 2, total - 1, total] {
                let written = dump(&mut heap, &options.clone().segments(wanted as u64)).expect("a dump");
                let (found, _) = segments(&written);
                let counts: Vec<usize> = found.iter().map(|segment| count(segment, id)).collect();
                assert_eq!((counts.len(), counts.iter().sum()), (wanted, total), "{profile} {seed}");
                let few = total / wanted;
                assert!(counts.iter().all(|count| [few, few + 1].contains(count)), "{profile} {seed}: {counts:?}");
                let has_infos = sub_records(all[0], id).iter().any(|(tag, _)| *tag == INFO);
                assert!(
                    has_infos || found.concat() == all[0],
                    "{profile} {seed} {wanted}: others, or in another order"
                );
            }
            let error = dump(&mut heap, &options.clone().segments(total as u64 + 1)).expect_err("one too many");
            let expected = format!("segments={}: the heap has {total} sub-records here", total + 1);
            assert!(error.to_string().starts_with(&expected), "{profile} {seed}: {error}");
        }
    }
    let error = Heap::random(1).write(hprof("hotspot-25").segments(0)).expect_err("none at all");
    assert!(error.to_string().contains("at least 1"), "{error}");
}

#[test]
fn large_heap_has_its_segments_whatever_the_threads() {
    let options = hprof("hotspot-25").segments(13);
    let lowering = options.lowering().expect("a profile");
    let mut heap = ProceduralHeap::new(&lowering.generate_options(DRAWN + 9_000, None), 3).expect("a heap");
    let written = dump(&mut heap, &options).expect("a dump");
    let (found, _) = segments(&written);
    let counts: Vec<usize> = found.iter().map(|segment| count(segment, 8)).collect();
    let total: usize = counts.iter().sum();
    assert!(counts.len() == 13 && total > DRAWN + 9_000, "{counts:?}");
    assert!(counts.iter().all(|count| [total / 13, total / 13 + 1].contains(count)), "{counts:?}");
    let mut several = Vec::new();
    let threaded = lowering.threads(3).expect("a writer that can");
    threaded.write(&mut (&mut heap as &mut dyn HeapSource), &mut several).expect("a dump");
    assert!(several == written);
    // Nor does another place of cuts change what lies between them.
    let plain = dump(&mut heap, &hprof("hotspot-25")).expect("a dump");
    assert!(segments(&plain).0.concat() == found.concat());
}

/// Segments beyond what is held in memory, with long arrays first, last and in the middle.
#[test]
fn segments_of_many_megabytes_are_whole() {
    let arrays: Vec<Shape> = (0..3).map(|_| "array:17000000".parse().expect("a shape")).collect();
    let options = GenerateOptions::default().objects(0).shapes(arrays.into());
    let mut heap = ProceduralHeap::new(&options, 1).expect("a heap");
    // The agent writes objects before classes.
    let agent = |heap: &mut ProceduralHeap, segments: u64| {
        dump(heap, &hprof("agent").id_size(heapsmith::hprof::IdSize::Eight).segments(segments)).expect("a dump")
    };
    let whole = agent(&mut heap, 1);
    let (all, _) = segments(&whole);
    let found = sub_records(all[0], 8);
    let long: Vec<usize> = (0..found.len()).filter(|&place| found[place].1 > 17_000_000).collect();
    assert_eq!(long.len(), 3);
    // A segment that ends with the last of them, and one that does not.
    let ends_there = |wanted: &usize| (1..*wanted).any(|end| end * found.len() / wanted == long[2] + 1);
    let wanted = (2..found.len() / 4).find(ends_there).expect("a number of segments");
    for wanted in [wanted, wanted + 1] {
        let written = agent(&mut heap, wanted as u64);
        let (cut, _) = segments(&written);
        assert!(cut.len() == wanted && cut.concat() == all[0], "{wanted}");
        println!("{wanted}: {:?}", cut.iter().map(|segment| segment.len()).collect::<Vec<_>>());
    }
}

/// Two heaps, one with parts of Android.
const TWO: &str = "\
heap world=none word=32 segments=3
class java.lang.Object
class Node { int id }
repeat 9 { object \"n{i}\" Node id=\"{i}\" }
@region 65 app @after=4
heap world=none word=32
class java.lang.Object
object a java.lang.Object
object b java.lang.Object
object c java.lang.Object
";

#[test]
fn each_heap_of_a_file_has_its_segments() {
    let mut file = HeapFile::parse(TWO, &[]).expect("a heap file");
    let write = |file: &mut HeapFile, options: DumpOptions| {
        let mut bytes = Vec::new();
        options.lowering()?.write(file, &mut bytes).map(|()| bytes)
    };
    let counts = |dump: &[u8]| segments(dump).0.iter().map(|segment| count(segment, 4)).collect::<Vec<_>>();
    // The first heap says it for both: eleven sub-records, and four.
    let written = write(&mut file, hprof("hotspot-25")).expect("a dump");
    assert_eq!(counts(&written), [3, 4, 4, 1, 1, 2]);
    // From its region on, each segment begins with a HEAP DUMP INFO of 9 bytes: tag, number, name. It goes with its object.
    let written = write(&mut file, hprof("art")).expect("a dump");
    let (found, _) = segments(&written);
    assert_eq!(counts(&written), [3, 4, 4, 1, 1, 2]);
    assert_eq!(
        found.iter().map(|segment| segment[0] == INFO).collect::<Vec<_>>(),
        [false, false, true, false, false, false]
    );
    // What the writer is asked for counts more.
    assert_eq!(counts(&write(&mut file, hprof("hotspot-25").segments(2)).expect("a dump")), [5, 6, 2, 2]);
    let error = write(&mut file, hprof("hotspot-25").segments(5)).expect_err("one heap has less");
    assert!(error.to_string().starts_with("segments=5: heap 1 has 4 sub-records here"), "{error}");
    assert_eq!(file.heap(1).segments(), Some(3));
}
