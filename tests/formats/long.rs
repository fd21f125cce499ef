//! Contents that are too long to be held give what those that are held give, in every command.
//!
//! Dumps are read twice: once with all contents in memory, and once with those of more than a few bytes in pieces, from the
//! dump itself or, of a compressed one, from a temporary file.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use heapsmith::compare::listing::{self, SortedLines};
use heapsmith::compare::{CompareOptions, Facet, compare_sources};
use heapsmith::convert::{self, convert};
use heapsmith::digest::{self, FacetSelection, digest};
use heapsmith::error::Error;
use heapsmith::family::{ReadOptions, WriteRequest};
use heapsmith::format::{DumpFile, DumpTarget, Family, Format, Lowering, profiles};
use heapsmith::generate::from_seed;
use heapsmith::input::Input;
use heapsmith::model::string_text::{StringTexts, Utf16Order};
use heapsmith::model::{
    Address, ByteLen, Contents, Dump, DumpSource, Heap, HeapSource, Object, ObjectKind, PiecewiseContents,
};
use heapsmith::validate::{ValidateOptions, validate};
use pretty_assertions::assert_eq;

/// Contents of more bytes than this are not held: less than the references of most arrays take.
const HELD: usize = 24;

fn formats() -> Vec<Format> {
    Family::ALL.into_iter().flat_map(Family::formats).collect()
}

/// Every way to write a format.
fn lowerings(format: Format) -> Vec<Lowering> {
    let lowering = |name: &str| {
        let wishes = WriteRequest { profile: Some(name.to_owned()), ..WriteRequest::default() };
        Lowering::new(format, &wishes).expect("a profile of the format")
    };
    profiles(format).into_iter().map(lowering).filter(|lowering| !lowering.is_trap()).collect()
}

/// A heap that a dump of this kind can hold, with some longer arrays.
fn heap(lowering: &Lowering, seed: u64) -> Heap {
    let mut heap = from_seed(&lowering.generate_options(150, None), seed);
    let targets: Vec<Address> = heap.objects.iter().map(|object| object.address).collect();
    let arrays = heap.objects.iter_mut().filter(|object| object.kind == ObjectKind::ObjectArray);
    for (index, array) in arrays.take(3).enumerate() {
        let count = 40 << (4 * index);
        let to = |n: usize| if n.is_multiple_of(5) { Address::NULL } else { targets[n * 7 % targets.len()] };
        array.contents = Contents::Elements((0..count).map(to).collect());
        array.length = Some(count as u64);
        array.size = array.size.map(|_| ByteLen(16 + 8 * count as u64));
    }
    heap
}

fn bytes_of(lowering: &Lowering, dump: &mut dyn DumpSource) -> Vec<u8> {
    let mut bytes = Vec::new();
    lowering.write(dump, &mut bytes).expect("it can be written");
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// The dump with all contents held, and the two ways in which they are not.
fn files(bytes: &[u8]) -> [DumpFile; 3] {
    let open = |bytes: Vec<u8>, held| {
        DumpFile::new(Input::from_memory("memory", bytes), ReadOptions::default().held(held)).expect("a dump")
    };
    [open(bytes.to_vec(), usize::MAX), open(bytes.to_vec(), HELD), open(gzip(bytes), HELD)]
}

/// Calls `each` with a name, the file with contents held and one without, of every kind of dump.
fn for_each(each: impl Fn(&str, &DumpFile, &DumpFile)) {
    for format in formats() {
        for (seed, lowering) in (0..).zip(lowerings(format)) {
            let bytes = bytes_of(&lowering, &mut (&mut heap(&lowering, seed) as &mut dyn HeapSource));
            let [held, plain, compressed] = files(&bytes);
            for (how, long) in [("in place", plain), ("spooled", compressed)] {
                each(&format!("{format} by {}, {how}", lowering.profile()), &held, &long);
            }
        }
    }
}

fn listing_of(file: &DumpFile) -> String {
    let mut outline = file.outline().expect("a dump");
    let mut lines = SortedLines::new(2000);
    let mut source = file.source().expect("a dump");
    let texts = StringTexts::from_source(source.heap(0), 1 << 20, Utf16Order::default()).expect("sound").expect("room");
    let with_text = |object: &Object| Object { text: texts.text(object).cloned(), ..object.clone() };
    outline.visit_objects(0, &mut |place, object| lines.add(place, &with_text(object))).expect("read").expect("sound");
    let head = lines.head(&outline.dump.heaps[0]);
    let mut text = Vec::new();
    lines.write(&mut text, &head, &outline.dump.heaps[0], &outline.classes[0]).expect("memory");
    String::from_utf8(text).expect("text")
}

#[test]
fn some_contents_of_every_format_are_long() {
    let mut seen = [false; 3];
    for_each(|name, held, long| {
        let count = |file: &DumpFile| {
            let mut count = 0;
            let mut source = file.source().expect("a dump");
            let visit = &mut |object: &Object| {
                count += u32::from(matches!(object.contents, Contents::Long(_)));
                Ok(())
            };
            source.heap(0).visit_objects(visit).expect("sound");
            count
        };
        assert_eq!(count(held), 0, "{name}");
        assert!(count(long) >= 3, "{name}");
    });
    // Elements, primitives and bytes that no class lays out.
    let lowering = Lowering::new(Format::new(Family::HPROF, 0), &WriteRequest::default()).expect("a format");
    let mut source = heap(&lowering, 3);
    let class =
        source.objects.iter().find(|object| object.kind == ObjectKind::Instance).and_then(|object| object.class);
    let raw = Object {
        class,
        contents: Contents::Raw(vec![7; 99]),
        ..Object::new(Address(0x7fff_0000), ObjectKind::Instance)
    };
    source.objects.push(raw);
    let [held, ..] = &files(&bytes_of(&lowering, &mut (&mut source as &mut dyn HeapSource)));
    let held = held.read().expect("a dump").dump;
    let [_, long, _] = files(&bytes_of(&lowering, &mut held.clone()));
    long.source()
        .expect("a dump")
        .heap(0)
        .visit_objects(&mut |object| {
            match &object.contents {
                Contents::Long(PiecewiseContents::Elements(_)) => seen[0] = true,
                Contents::Long(PiecewiseContents::Primitives(_)) => seen[1] = true,
                Contents::Long(PiecewiseContents::Raw(_)) => seen[2] = true,
                _ => {}
            }
            Ok(())
        })
        .expect("sound");
    assert_eq!(seen, [true; 3]);
    assert_eq!(Heap::collect(long.source().expect("a dump").heap(0)).expect("sound"), held.heaps[0]);
}

#[test]
fn listings_of_long_contents_equal_held_ones() {
    for_each(|name, held, long| {
        let whole = held.read().expect("a dump");
        let heap = &whole.dump.heaps[0];
        let mut expected = Vec::new();
        listing::write(&mut expected, &listing::head(heap), heap, &whole.places[0]).expect("memory");
        let expected = String::from_utf8(expected).expect("text");
        assert!(listing_of(held) == expected, "{name}, held");
        assert!(listing_of(long) == expected, "{name}");
    });
}

#[test]
fn heaps_and_findings_of_long_contents_equal_held_ones() {
    for_each(|name, held, long| {
        let [expected, found] =
            [held, long].map(|file| Heap::collect(file.source().expect("a dump").heap(0)).expect("sound"));
        assert!(found == expected, "{name}");
        let [expected, found] = [usize::MAX, HELD].map(|bytes| {
            let options = ValidateOptions::default().graph(true).reading(ReadOptions::default().held(bytes));
            format!("{:?}", validate(long.input(), options).expect("it can be read").findings)
        });
        assert_eq!(found, expected, "{name}");
    });
}

#[test]
fn digests_of_long_contents_equal_held_ones() {
    let all: FacetSelection = Facet::ALL.into_iter().collect();
    for_each(|name, held, long| {
        for facets in [FacetSelection::unordered(), all] {
            let options = digest::DigestOptions::default().facets(facets).by_facet(true);
            let [expected, found] =
                [held, long].map(|file| digest(file.source().expect("a dump").heap(0), &options).expect("sound"));
            assert_eq!(found, expected, "{name}");
        }
    });
}

/// A heap in which some contents are others.
fn changed(mut heap: Heap) -> Heap {
    for (index, object) in heap.objects.iter_mut().enumerate() {
        match &mut object.contents {
            Contents::References(listed) | Contents::Elements(listed) if listed.len() > 1 && index % 3 == 0 => {
                let last = listed.len() - 1;
                match index % 4 {
                    0 => listed.swap(0, last),
                    1 => listed[last] = listed[0],
                    2 => _ = listed.pop(),
                    _ => listed.reverse(),
                }
                object.length = object.length.map(|_| listed.len() as u64);
            }
            Contents::Primitives(bytes) if index % 2 == 0 => bytes.iter_mut().skip(3).for_each(|byte| *byte ^= 1),
            _ => {}
        }
    }
    heap
}

#[test]
fn comparisons_of_long_contents_equal_held_ones() {
    for_each(|name, held, long| {
        let mut whole = Heap::collect(held.source().expect("a dump").heap(0)).expect("sound");
        let mut other = changed(whole.clone());
        for memory in [usize::MAX, 3000] {
            let options = CompareOptions::default().memory(memory);
            let mut long = long.source().expect("a dump");
            let same = compare_sources(long.heap(0), &mut whole, &options).expect("temporary files");
            assert!(same.equal, "{name}: {same}");
            let compared = |left: &mut dyn HeapSource, right: &mut dyn HeapSource| {
                format!("{:?}", compare_sources(left, right, &options).expect("temporary files"))
            };
            assert_eq!(compared(long.heap(0), &mut other), compared(&mut whole, &mut other), "{name}");
            assert_eq!(compared(&mut other, long.heap(0)), compared(&mut other, &mut whole), "{name}");
        }
    });
}

#[test]
fn rewritten_dumps_of_long_contents_equal_held_ones() {
    for_each(|name, held, long| {
        for lowering in lowerings(held.format().expect("a header")) {
            for lowering in [lowering.adhering(), lowering] {
                let [expected, found] = [held, long].map(|file| {
                    let mut bytes = Vec::new();
                    let written = lowering.write(&mut file.source().expect("a dump"), &mut bytes);
                    written.map(|()| bytes).map_err(|error| error.to_string())
                });
                assert!(found == expected, "{name}, as {} writes it", lowering.profile());
                let [expected, found] = [held, long]
                    .map(|file| lowering.carry(&mut file.source().expect("a dump")).map_err(|error| error.to_string()));
                assert!(found == expected, "{name}, as {} carries it", lowering.profile());
            }
        }
        let [expected, found] = [held, long].map(|file| {
            let found = file.recognise(&mut file.source().expect("a dump")).expect("it can be read");
            found.map(|lowering| lowering.profile())
        });
        assert_eq!(found, expected, "{name}");
    });
}

#[test]
fn conversions_of_long_contents_equal_held_ones() {
    for_each(|name, held, long| {
        for format in formats() {
            let lowering = Lowering::new(format, &WriteRequest::default()).expect("a format");
            let [expected, found] = [held, long].map(|file| {
                let mut bytes = Vec::new();
                let mut source = file.source().expect("a dump");
                let report = convert(source.heap(0), &convert::ConvertOptions::new(&lowering), &mut bytes)?;
                Ok::<_, Error>((bytes, format!("{report:?}")))
            });
            let ((bytes, report), (found, found_report)) = match (expected, found) {
                (Ok(expected), Ok(found)) => (expected, found),
                (expected, found) => {
                    let message =
                        |converted: Result<_, Error>| converted.map(|_| ()).map_err(|error| error.to_string());
                    assert_eq!(message(found), message(expected), "{name} to {format}");
                    continue;
                }
            };
            assert!(found == bytes, "{name} to {format}");
            assert_eq!(found_report, report, "{name} to {format}");
            let [result, long_result, _] = files(&bytes);
            let target = DumpTarget { format, profile: None };
            let judged = |source: &DumpFile, result: &DumpFile| {
                let (mut source, mut result) = (source.source().expect("a dump"), result.source().expect("a dump"));
                let verdict = convert::judge(source.heap(0), result.heap(0), &target, 3000);
                format!("{:?}", verdict.expect("temporary files"))
            };
            assert_eq!(judged(long, &long_result), judged(held, &result), "{name} to {format}");
        }
    });
}

/// A file that ends inside of long contents.
#[test]
fn truncated_dumps_of_long_contents_are_refused_like_held_ones() {
    for format in formats() {
        let lowering = Lowering::new(format, &WriteRequest::default()).expect("a format");
        let bytes = bytes_of(&lowering, &mut (&mut heap(&lowering, 5) as &mut dyn HeapSource));
        for cut in (0..bytes.len()).rev().step_by(bytes.len() / 60 + 1) {
            let [expected, found, spooled] = files(&bytes[..cut]).map(|file| {
                let mut outline = file.outline().map_err(|error| error.to_string())?;
                let mut objects = Vec::new();
                let visit = &mut |_, object: &Object| {
                    objects.push(Object { contents: object.contents.hold()?, ..object.clone() });
                    Ok(())
                };
                let ended = outline.visit_objects(0, visit).map_err(|error| error.to_string())?;
                Ok::<_, String>((objects, ended.map_err(|error| error.to_string())))
            });
            assert!(found == expected, "{format}, cut at {cut}: {found:?}, {expected:?}");
            assert!(spooled == expected, "{format}, cut at {cut}, spooled: {spooled:?}, {expected:?}");
        }
    }
}

/// What cannot be kept is an error that says so, and not an object without contents.
#[test]
fn contents_beyond_the_limit_of_temporary_files_are_an_error() {
    for format in formats() {
        let lowering = Lowering::new(format, &WriteRequest::default()).expect("a format");
        let bytes = gzip(&bytes_of(&lowering, &mut (&mut heap(&lowering, 6) as &mut dyn HeapSource)));
        let reading = ReadOptions::default().held(HELD).spooled(2000);
        let file = DumpFile::new(Input::from_memory("memory", bytes), reading).expect("a dump");
        let refused = file.source().and_then(|mut source| digest(source.heap(0), &digest::DigestOptions::default()));
        let error = refused.map(|_| ()).expect_err("there is no room");
        assert!(error.to_string().contains("2000 are allowed; decompress"), "{format}: {error}");
        assert!(!error.is_input_fault(), "{format}");
    }
}

#[test]
fn a_dump_in_memory_has_no_long_contents() {
    for_each(|name, _, long| {
        let Dump { heaps, .. } = long.read().expect("a dump").dump;
        let is_long = |object: &Object| matches!(object.contents, Contents::Long(_));
        assert!(!heaps.iter().flat_map(|heap| &heap.objects).any(is_long), "{name}");
    });
}
