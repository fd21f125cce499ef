//! Contents that come in pieces, and windows that end anywhere.

use heapsmith::hprof::{Decoder, SubRecord, lift};
use heapsmith::model::{Contents, EventKind};
use hex_literal::hex;
use pretty_assertions::assert_eq;

use super::dump::{END, SIZES, Seen, Spot, Trickle, failure, file, heap, read, segment, spelled, steps_of};
use super::{classes, objects, record_extremes, records, roots};

/// Contents up to this many bytes are delivered whole.
const LIMIT: usize = 262_144;

/// Bytes that do not repeat with any element size.
fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

fn count(number: usize) -> [u8; 4] {
    (number as u32).to_be_bytes()
}

/// Each kind of contents: its name, identifier size, bytes of an element, and the sub-record of this many elements.
type Kind = (&'static str, usize, usize, fn(usize) -> Vec<u8>);

const KINDS: [Kind; 9] = [
    ("bytes", 4, 1, |n| [&hex!("23 00000001 00000002")[..], &count(n), &[8], &pattern(n)].concat()),
    ("chars", 4, 2, |n| [&hex!("23 00000001 00000002")[..], &count(n), &[5], &pattern(2 * n)].concat()),
    ("ints", 4, 4, |n| [&hex!("23 00000001 00000002")[..], &count(n), &[10], &pattern(4 * n)].concat()),
    ("longs", 1, 8, |n| [&hex!("23 01 00000002")[..], &count(n), &[11], &pattern(8 * n)].concat()),
    ("identifiers of 1", 1, 1, |n| [&hex!("22 01 00000002")[..], &count(n), &[3], &pattern(n)].concat()),
    ("identifiers of 2", 2, 2, |n| [&hex!("22 0001 00000002")[..], &count(n), &[0, 3], &pattern(2 * n)].concat()),
    ("identifiers of 4", 4, 4, |n| {
        [&hex!("22 00000001 00000002")[..], &count(n), &[0, 0, 0, 3], &pattern(4 * n)].concat()
    }),
    ("identifiers of 8", 8, 8, |n| {
        [&hex!("22 0000000000000001 00000002")[..], &count(n), &[0, 0, 0, 0, 0, 0, 0, 3], &pattern(8 * n)].concat()
    }),
    ("field values", 2, 1, |n| [&hex!("21 0001 00000002 0003")[..], &count(n), &pattern(n)].concat()),
];

/// The first piece and the further ones, after the bytes before the contents.
fn pieces(seen: &[Seen], head: usize) -> (Vec<Vec<u8>>, Vec<u64>, u64) {
    let (mut pieces, mut rests, mut index) = (Vec::new(), Vec::new(), 0);
    for step in seen {
        match step {
            Seen::Sub(at, what) if !matches!(what, SubRecord::Root(_)) => {
                pieces.push(at.bytes[head..].to_vec());
                rests.push(at.rest);
                index = at.index;
                let contents = match what {
                    SubRecord::Instance(r) => &r.values,
                    SubRecord::ObjectArray(r) => &r.elements,
                    SubRecord::PrimitiveArray(r) => &r.elements,
                    other => panic!("{other:?}"),
                };
                assert_eq!(spelled(contents), spelled(&pieces[0]));
            }
            Seen::More(at) => {
                assert_eq!(at.index, index);
                pieces.push(at.bytes.clone());
                rests.push(at.rest);
            }
            _ => {}
        }
    }
    (pieces, rests, index)
}

#[test]
fn contents_come_whole_up_to_256_kib_and_in_whole_elements_beyond() {
    for (name, size, unit, spell) in KINDS {
        let one = spell(1).len();
        let head = one - unit;
        for (elements, whole) in [(LIMIT / unit, true), (LIMIT / unit + 1, false), (LIMIT * 5 / 2 / unit + 3, false)] {
            let root = [&[5][..], &vec![9; size]].concat();
            let bytes = file(size, &[&segment(&[&root, &spell(elements), &root]), &END]);
            for at_a_time in [usize::MAX, 100_003] {
                let mut decoder = Decoder::new(Trickle(&bytes, at_a_time)).expect("a sound header");
                let (seen, ended) = steps_of(&mut decoder);
                assert_eq!(ended.expect("sound"), bytes.len() as u64, "{name}");
                let (pieces, rests, index) = pieces(&seen, head);
                assert_eq!((pieces.len() == 1, index), (whole, 2), "{name}: {elements}");
                assert_eq!(spelled(&pieces.concat()), spelled(&pattern(elements * unit)), "{name}");
                let mut left = (elements * unit) as u64;
                for (piece, rest) in pieces.iter().zip(rests) {
                    assert!(piece.len().is_multiple_of(unit) && piece.len() <= LIMIT * 2, "{name}: {}", piece.len());
                    left -= piece.len() as u64;
                    assert_eq!(rest, left, "{name}");
                }
                assert_eq!(left, 0, "{name}");
                // The root after it is the next one, and stands where it should.
                let [.., Seen::Sub(at, SubRecord::Root(_)), Seen::SegmentEnd(_), Seen::Record(end, _)] = &seen[..]
                else {
                    panic!("{name}: {} steps", seen.len());
                };
                assert_eq!((at.index, at.offset + root.len() as u64), (3, bytes.len() as u64 - 9), "{name}");
                assert_eq!((end.index, end.offset), (4, bytes.len() as u64 - 9), "{name}");
            }
            // Written again from its pieces, and whole again in a heap.
            read(&bytes);
            let heap = heap(&bytes);
            let found = match &heap.objects[0].contents {
                Contents::Raw(bytes) | Contents::Primitives(bytes) => bytes.clone(),
                Contents::Elements(ids) => ids.iter().flat_map(|id| id.0.to_be_bytes()[8 - size..].to_vec()).collect(),
                other => panic!("{other:?}"),
            };
            assert_eq!(spelled(&found), spelled(&pattern(elements * unit)), "{name}: {elements}");
            assert_eq!(found, pattern(elements * unit), "{name}: {elements}");
            assert_eq!(heap.surroundings.roots.as_ref().map(Vec::len), Some(2), "{name}");
        }
    }
}

#[test]
fn strings_and_unknown_records_come_whole_up_to_256_kib_and_in_pieces_beyond() {
    for (tag, id) in [(1, &hex!("00000007")[..]), (0xf0, &[])] {
        // With its identifier the body is as long as one piece may be, or longer.
        for length in [LIMIT - 4, LIMIT - id.len(), LIMIT - id.len() + 1, LIMIT, LIMIT * 3 + 5] {
            let body = [id, &pattern(length)].concat();
            let record = [&[tag, 0, 0, 0, 1][..], &count(body.len()), &body].concat();
            let bytes = file(4, &[&record, &segment(&[]), &END]);
            let seen = read(&bytes);
            let Seen::Record(Spot { index: 0, offset: 31, rest, .. }, _) = &seen[0] else { panic!("{tag}") };
            assert_eq!(*rest == 0, body.len() <= LIMIT, "{tag}: {length}");
            let all: Vec<u8> = seen
                .iter()
                .flat_map(|step| match step {
                    Seen::Record(at, _) | Seen::More(at) if at.index == 0 => at.bytes.clone(),
                    _ => Vec::new(),
                })
                .collect();
            assert_eq!(spelled(&all), spelled(&record));
            let mut after = seen.iter().filter_map(|step| match step {
                Seen::Segment(at, _) => Some((at.index, at.offset)),
                _ => None,
            });
            assert_eq!(after.next(), Some((1, 31 + record.len() as u64)));

            let heap = heap(&bytes);
            let events = heap.surroundings.events.expect("a log");
            assert_eq!((events.len(), events[0].time), (1, 1));
            match &events[0].kind {
                EventKind::Text(id, text) => assert_eq!((id.0, text.as_bytes() == pattern(length)), (7, true)),
                EventKind::Unknown { tag: 0xf0, body } => assert_eq!(*body, pattern(length)),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn keeps_whole_pieces_of_truncated_file() {
    let long = [&hex!("23 00000001 00000002 00080000 08")[..], &pattern(0x70000)].concat();
    let whole = hex!("23 00000003 00000002 00000000 08");
    let head = [&hex!("1c 00000000")[..], &count(14 + 14 + 0x80000)].concat();
    let bytes = file(4, &[&head, &whole, &long]);
    let (rule, offset, record, field) = failure(&bytes);
    assert_eq!((rule, record, field), ("hprof.file.truncated", Some(2), "contents"));
    assert!(offset <= bytes.len() as u64 && offset + 8 > bytes.len() as u64, "{offset} of {}", bytes.len());
    let (heap, ended) = lift::heap(&bytes).expect("a sound header");
    assert_eq!((heap.objects.len(), ended.is_err()), (1, true));

    let string = [&hex!("01 00000000")[..], &count(4 + 0x80000), &hex!("00000001"), &pattern(0x70000)].concat();
    let bytes = file(4, &[&hex!("01 00000000 00000004 00000002"), &string]);
    let (rule, offset, record, field) = failure(&bytes);
    assert_eq!((rule, record, field), ("hprof.file.truncated", Some(1), "contents"));
    assert!(offset <= bytes.len() as u64 && offset + 8 > bytes.len() as u64, "{offset} of {}", bytes.len());
    let (heap, ended) = lift::heap(&bytes).expect("a sound header");
    assert_eq!((heap.surroundings.events.map(|events| events.len()), ended.is_err()), (Some(1), true));
}

#[test]
fn windows_may_end_anywhere() {
    for (at, size) in SIZES.into_iter().enumerate() {
        let tables = [records::rows(), record_extremes::rows()];
        let top: Vec<u8> = tables.iter().flatten().flat_map(|row| row.spelled[at]).copied().collect();
        let arrays = [objects::of_every_type(true), objects::of_every_type(false)].into_iter().flatten();
        let tables = [roots::rows(), classes::rows(), objects::rows()].into_iter().flatten().chain(arrays);
        let sub_records: Vec<u8> = tables.flat_map(|row| row.spelled[at]).copied().collect();
        let bytes = file(size, &[&top, &segment(&[&sub_records, &sub_records]), &segment(&[]), &top, &END]);
        let expected = read(&bytes);
        assert!(expected.len() > 150, "{}", expected.len());
        for at_a_time in [1, 2, 3, 7, 64, 1009] {
            let mut decoder = Decoder::new(Trickle(&bytes, at_a_time)).expect("a sound header");
            let (seen, ended) = steps_of(&mut decoder);
            assert_eq!(ended.expect("sound"), bytes.len() as u64);
            assert!(seen == expected, "I = {size}, {at_a_time} bytes at a time");
        }
    }
}

#[test]
fn reassembles_long_contents_from_small_reads() {
    for (name, size, unit, spell) in KINDS {
        let elements = LIMIT / unit + 5;
        let bytes = file(size, &[&segment(&[&spell(elements), &spell(3)]), &END]);
        let expected = heap(&bytes);
        for at_a_time in [1, 7] {
            let open = || Ok(Decoder::new(Trickle(&bytes, at_a_time))?);
            let (whole, ended) = lift::dump(open).expect("a sound header");
            ended.expect("sound");
            assert!(whole.dump.heaps[0] == expected, "{name}, {at_a_time} bytes at a time");
        }
    }
}
