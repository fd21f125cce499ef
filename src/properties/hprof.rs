//! The properties of HPROF.

use std::collections::BTreeSet;
use std::io::{self, Read};

use arbitrary::Unstructured;

use crate::compare::compare;
use crate::draw::{BytesDraw, Draw};
use crate::error::{DecodeError, Error, LowerError};
use crate::family::Opening;
use crate::format::Lowering;
use crate::generate::{GenerateOptions, Placement, generate};
use crate::hprof::decode::{Wrapped, ZeroLength};
use crate::hprof::lift::{self, Index};
use crate::hprof::lower::{self, Framing, LowerOptions, PROFILES};
use crate::hprof::{Beyond, Decoder, IdSize, Reading, Step, Version, annotate, encode, open};
use crate::input::Input;
use crate::lower::Adherence;
use crate::model::{ControlSettings, Dump, Event, EventKind, Heap, Name, Serial, TextId};
use crate::validate::{Severity, ValidateOptions, validate};

use super::Properties;

/// Every property, by name.
pub const PROPERTIES: Properties = Properties {
    format: "hprof",
    of_bytes: &[
        ("decode_never_panics", decode_never_panics),
        ("decoding_and_encoding_again_is_the_identity", decoding_and_encoding_again_is_the_identity),
        ("every_byte_belongs_to_one_field", every_byte_belongs_to_one_field),
        ("the_size_of_reads_does_not_matter", the_size_of_reads_does_not_matter),
        ("what_a_rewritten_dump_carries_comes_back", what_a_rewritten_dump_carries_comes_back),
    ],
    of_heaps: &[
        ("a_heap_comes_back_from_its_dump", a_heap_comes_back_from_its_dump),
        ("generated_dumps_validate_clean", generated_dumps_validate_clean),
        ("nothing_of_a_spelling_stays", nothing_of_a_spelling_stays),
    ],
};

/// Decoding, lifting, annotating and validating anything ends with an answer, whatever is taken for granted of the bytes.
pub fn decode_never_panics(bytes: &[u8]) {
    for reading in READINGS {
        for answers in ANSWERS {
            let Ok(decoder) = Decoder::new(bytes) else { return };
            let beyond = answers.map(|answers| Box::new(answers) as Box<dyn Beyond>);
            let ended = decoder.with_reading(reading, beyond).visit_dyn::<DecodeError>(&mut |_| Ok(()));
            let reached = ended.unwrap_or_else(|e| e.offset());
            assert!(reached <= bytes.len() as u64, "{reading:?}, {answers:?}: {reached:#x}");
        }
        let input = Input::memory("fuzz", bytes.to_vec());
        let reopen = || Ok::<_, Error>(open(Opening::of(&input, reading)?)?);
        let (Ok(mut first), Ok(mut second)) = (reopen(), reopen()) else { return };
        let mut entries = 0;
        let visited = first.visit_dyn::<DecodeError>(&mut |step| {
            let (whole, pieces_end) = match step {
                Step::Sub(at, sub_record) => (sub_record.is_entry() && at.rest == 0, false),
                Step::More(at) => (false, at.rest == 0),
                Step::Record(..) | Step::Segment(..) | Step::SegmentEnd(_) => (false, false),
            };
            entries += usize::from(whole || pieces_end);
            Ok(())
        });
        let (index, read) = Index::read(&mut second);
        assert_eq!(visited.is_ok(), read.is_ok());
        let Ok((whole, ended)) = lift::dump(reopen) else { panic!("it was opened before") };
        assert_eq!(ended.is_ok(), read.is_ok());
        let kept: usize = whole.dump.heaps.iter().map(|heap| heap.classes.len() + heap.objects.len()).sum();
        assert!(kept <= entries, "{kept} of {entries}");
        for index in [None, Some(&index)] {
            let Ok(mut decoder) = reopen() else { panic!("it was opened before") };
            let fields = annotate::visit::<_, DecodeError, _>(&mut decoder, index, |_| Ok(()));
            assert_eq!(fields.is_ok(), read.is_ok());
        }
        for graph in [false, true] {
            assert!(validate(&input, ValidateOptions { graph, reading }).is_ok(), "memory can be read");
        }
    }
}

/// Records keep everything: whatever decodes is spelled the same way again, up to the byte that does not.
pub fn decoding_and_encoding_again_is_the_identity(bytes: &[u8]) {
    for reading in READINGS {
        let Ok(decoder) = Decoder::new(bytes) else { return };
        let mut decoder = decoder.with_reading(reading, None);
        let id = decoder.header().id_size;
        let mut again = Vec::new();
        encode::header(&mut again, decoder.header());
        assert_eq!(again, decoder.header_bytes());
        let ended = decoder.visit_dyn::<DecodeError>(&mut |step| {
            let start = again.len();
            let at = match step {
                Step::Record(at, record) => {
                    assert!(encode::record(&mut again, id, record, at.rest).is_ok(), "it had a length");
                    at
                }
                Step::Segment(at, segment) => {
                    encode::segment(&mut again, &segment);
                    at
                }
                Step::Sub(at, sub_record) => {
                    assert_eq!(encode::length_of(id, sub_record), at.bytes.len() as u64 + at.rest);
                    assert!(encode::sub_record(&mut again, id, sub_record).is_ok(), "it had a length");
                    at
                }
                Step::More(at) => {
                    again.extend_from_slice(at.bytes);
                    at
                }
                Step::SegmentEnd(offset) => {
                    assert_eq!(offset as usize, start);
                    return Ok(());
                }
            };
            assert_eq!(at.offset as usize, start);
            assert_eq!(&again[start..], at.bytes);
            Ok(())
        });
        match ended {
            Ok(length) => assert_eq!((length as usize, again.as_slice()), (bytes.len(), bytes)),
            Err(_) => assert_eq!(again, bytes[..again.len()]),
        }
    }
}

/// The fields of a dump tile it, with and without an index: no byte is left out, none is claimed twice.
pub fn every_byte_belongs_to_one_field(bytes: &[u8]) {
    let Ok(mut decoder) = Decoder::new(bytes) else { return };
    let (index, _) = Index::read(&mut decoder);
    for index in [None, Some(&index)] {
        let Ok(mut decoder) = Decoder::new(bytes) else { return };
        let mut next = 0;
        let ended = annotate::visit::<_, DecodeError, _>(&mut decoder, index, |field| {
            assert_eq!(field.offset, next, "{} begins where the field before it ends", field.name);
            assert!(!field.bytes.is_empty(), "{} has bytes", field.name);
            assert_eq!(field.bytes, &bytes[next as usize..next as usize + field.bytes.len()]);
            next += field.bytes.len() as u64;
            Ok(())
        });
        if ended.is_ok() {
            assert_eq!(next, bytes.len() as u64);
        }
    }
}

/// A stream that gives its bytes one or seven at a time has the same records in it, and ends with the same error.
pub fn the_size_of_reads_does_not_matter(bytes: &[u8]) {
    for reading in READINGS {
        let whole = steps(bytes, reading);
        for size in [1, 7] {
            assert_eq!(steps(Trickle { bytes, size }, reading), whole, "{size} at a time");
        }
    }
}

/// Whatever can be read and written again, in the dump's own order and with its own log, comes back as it was
/// carried.
pub fn what_a_rewritten_dump_carries_comes_back(bytes: &[u8]) {
    let Ok((whole, _)) = lift::dump(|| Ok(Decoder::new(bytes)?)) else { return };
    let mut dump = whole.dump;
    let (first, last) = (&PROFILES[0], &PROFILES[PROFILES.len() - 1]);
    for profile in [first, last] {
        for adherence in [Adherence::Heap, Adherence::Writer] {
            let options = LowerOptions { profile, adherence, ..LowerOptions::default() };
            let Ok((carried, written)) = both(&mut dump, &options) else { continue };
            same(&carried, &lift_all(&written), &options);
        }
    }
}

/// What a profile's dump tells of heaps is what decoding and lifting gives back, and lowering that again, in its
/// own order, gives the same bytes.
pub fn a_heap_comes_back_from_its_dump(bytes: &[u8]) {
    let (mut dump, options) = drawn(bytes);
    let (carried, written) = match both(&mut dump, &options) {
        Ok(both) => both,
        // Numbers up to 255 are soon used up.
        Err(Error::Lower(LowerError::IdTooWide { bytes: 1, .. })) => return,
        Err(e) => panic!("a generated heap can be written by every profile: {options:?}: {e}"),
    };
    let mut lifted = lift_all(&written);
    same(&carried, &lifted, &options);
    let as_heap = LowerOptions { adherence: Adherence::Heap, ..options };
    match both(&mut lifted, &as_heap) {
        // A profile that draws cuts segments anew.
        Ok((again, bytes)) => {
            assert!(options.profile.is_seeded() || bytes == written, "{options:?}");
            same(&again, &lifted, &options);
        }
        Err(e) => panic!("what was read can be written: {options:?}: {e}"),
    }
    lifted.tail = tail();
    match both(&mut lifted, &as_heap) {
        Ok((carried, written)) => same(&carried, &lift_all(&written), &as_heap),
        Err(e) => panic!("a log may go on after the last heap: {options:?}: {e}"),
    }
}

/// A dump of a generated heap has neither errors nor warnings.
pub fn generated_dumps_validate_clean(bytes: &[u8]) {
    let (mut dump, options) = drawn(bytes);
    let mut written = Vec::new();
    if lower::write_dump(&mut dump, &options, &mut written).is_err() {
        return;
    }
    // What `any` scatters is meant to look odd.
    if options.profile.is_seeded() {
        return;
    }
    let report = validate(&Input::memory("generated", written), ValidateOptions::default());
    let found: Vec<_> = report.map(|r| r.findings).unwrap_or_default();
    assert!(found.iter().all(|f| f.severity == Severity::Note), "{options:?}: {found:?}");
}

/// A dump of the profile `any`, rewritten by another one, is what that one makes of the heap itself.
pub fn nothing_of_a_spelling_stays(bytes: &[u8]) {
    let (dump, options) = drawn(bytes);
    let heap = &dump.heaps[0];
    match through_any(heap, &options) {
        Ok((direct, through)) => assert_eq!(direct, through, "{options:?}"),
        Err(Error::Lower(LowerError::IdTooWide { bytes: 1, .. })) => {}
        Err(e) => panic!("a generated heap can be written by every profile: {options:?}: {e}"),
    }
}

/// Writes one heap twice: what `options` make of it, and what they make of its dump by `any`.
///
/// Of what `any` does to a heap this stays: the order of roots, of traces and of threads; kinds of root and parts of
/// the heap that need Android's sub-records, where it drew a header without them; and the strings of its log. The
/// heap is given roots and parts as they came back, traces and threads are put in order on both sides, and the log
/// is left out.
///
/// # Errors
/// If the heap cannot be written.
pub fn through_any(heap: &Heap, options: &LowerOptions) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let any = LowerOptions { framing: None, ..options.with_profile("any")? };
    // What only Android can say needs its header version.
    let android = |framing: &&Framing| options.profile.android && framing.version == Version::V1_0_3;
    let any = LowerOptions { framing: any.profile.framings.iter().find(android), ..any };
    let mut lifted = lift_all(&lower::to_bytes(heap, &any)?).heaps.swap_remove(0);
    lifted.surroundings.events = None;
    lifted.surroundings.times = None;
    let mut heap = heap.clone();
    heap.surroundings.roots.clone_from(&lifted.surroundings.roots);
    heap.surroundings.regions.clone_from(&lifted.surroundings.regions);
    for surroundings in [&mut heap.surroundings, &mut lifted.surroundings] {
        surroundings.traces.iter_mut().for_each(|traces| traces.sort_by_key(|trace| trace.serial));
        surroundings.threads.iter_mut().for_each(|threads| threads.sort_by_key(|thread| thread.serial));
    }
    Ok((lower::to_bytes(&heap, options)?, lower::to_bytes(&lifted, options)?))
}

/// Heaps and a way to write them, from a fuzzer's bytes.
fn drawn(bytes: &[u8]) -> (Dump, LowerOptions) {
    let mut bytes = Unstructured::new(bytes);
    let mut draw = BytesDraw(&mut bytes);
    let draw: &mut dyn Draw = &mut draw;
    let profile = draw.pick(PROFILES);
    let framing = draw.one_in(2).then(|| draw.pick(profile.framings));
    let id_size = Some(*draw.pick(&IdSize::ALL));
    let options = LowerOptions { profile, framing, id_size, seed: draw.u64(), adherence: Adherence::Writer };
    let mut dump = Dump::default();
    for _ in 0..draw.between(1, 3) {
        let placement = *draw.pick(&[Placement::Ordered, Placement::Mixed]);
        let generated = Lowering::from(options).generate_options(draw.below(48) as usize, None);
        dump.heaps.push(generate(&GenerateOptions { placement, ..generated }, draw));
    }
    (dump, options)
}

/// What a reader of their dump gets, and the dump.
fn both(dump: &mut Dump, options: &LowerOptions) -> Result<(Dump, Vec<u8>), Error> {
    let mut written = Vec::new();
    lower::write_dump(dump, options, &mut written)?;
    Ok((lower::carry_dump(dump, options)?, written))
}

fn same(carried: &Dump, lifted: &Dump, options: &LowerOptions) {
    assert_eq!(carried.heaps.len(), lifted.heaps.len(), "{options:?}");
    for (carried, lifted) in carried.heaps.iter().zip(&lifted.heaps) {
        if carried != lifted {
            // Shorter to read, and the listing tells the same.
            let comparison = compare(carried, lifted, &BTreeSet::new());
            assert!(comparison.equal, "{options:?}: {comparison:?}");
            assert_eq!(carried.surroundings, lifted.surroundings, "{options:?}");
        }
        assert_eq!(carried, lifted, "{options:?}");
    }
    assert_eq!(carried.tail, lifted.tail, "{options:?}");
}

fn lift_all(dump: &[u8]) -> Dump {
    match lift::dump(|| Ok(Decoder::new(dump)?)) {
        Ok((whole, Ok(()))) => whole.dump,
        Ok((_, Err(e))) => panic!("a written dump can be read: {e}"),
        Err(e) => panic!("a written dump has a header: {e}"),
    }
}

/// A log after the last heap.
fn tail() -> Vec<Event> {
    let at = |time, kind| Event { time, after: 0, kind };
    vec![
        at(7, EventKind::Text(TextId(200), Name::from_text("late"))),
        at(7, EventKind::ControlSettings(ControlSettings { flags: 2, depth: 9 })),
        at(0xffff_ffff, EventKind::EndThread(Serial(1))),
        at(0, EventKind::Unknown { tag: 0x11, body: vec![1, 2, 3] }),
    ]
}

/// Each way to read a length of 0, and a length that may have wrapped.
const READINGS: [Reading; 4] = [
    Reading { zero_length: ZeroLength::ByChain, wrapped: Wrapped::Repair },
    Reading { zero_length: ZeroLength::Empty, wrapped: Wrapped::Trust },
    Reading { zero_length: ZeroLength::Unpatched, wrapped: Wrapped::Repair },
    Reading { zero_length: ZeroLength::Unpatched, wrapped: Wrapped::Trust },
];

/// What a second look may find, truly or not.
const ANSWERS: [Option<Answers>; 5] = [
    None,
    Some(Answers { length: Answer::Yes, chains: Answer::Yes }),
    Some(Answers { length: Answer::Yes, chains: Answer::No }),
    Some(Answers { length: Answer::No, chains: Answer::No }),
    Some(Answers { length: Answer::Fails, chains: Answer::Fails }),
];

#[derive(Clone, Copy, Debug)]
enum Answer {
    Yes,
    No,
    Fails,
}

/// A second look with fixed answers.
#[derive(Clone, Copy, Debug)]
struct Answers {
    length: Answer,
    chains: Answer,
}

impl Beyond for Answers {
    fn length(&mut self, at_least: u64) -> io::Result<Option<u64>> {
        match self.length {
            Answer::Yes => Ok(Some(at_least)),
            Answer::No => Ok(None),
            Answer::Fails => Err(io::Error::other("no second look")),
        }
    }

    fn chains(&mut self, _: u64) -> io::Result<bool> {
        match self.chains {
            Answer::Yes => Ok(true),
            Answer::No => Ok(false),
            Answer::Fails => Err(io::Error::other("no second look")),
        }
    }
}

/// Gives a few bytes at a time.
struct Trickle<'b> {
    bytes: &'b [u8],
    size: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.size.min(buffer.len());
        self.bytes.read(&mut buffer[..count])
    }
}

/// A step with the pieces after it put together: what it is, its index, its offset and its bytes.
#[derive(Debug, PartialEq, Eq)]
struct Whole {
    what: &'static str,
    index: u64,
    offset: u64,
    bytes: Vec<u8>,
}

fn steps<R: Read>(source: R, reading: Reading) -> (Vec<Whole>, Result<u64, String>) {
    let mut steps: Vec<Whole> = Vec::new();
    let decoder = match Decoder::new(source) {
        Ok(decoder) => decoder,
        // What is shown of a wrong header is what was there of it.
        Err(e) => return (steps, Err(format!("{:#x}: {} [{}]", e.offset(), e.field(), e.rule()))),
    };
    let ended = decoder.with_reading(reading, None).visit_dyn::<DecodeError>(&mut |step| {
        let (what, at) = match step {
            Step::Record(at, _) => ("record", at),
            Step::Segment(at, _) => ("segment", at),
            Step::Sub(at, _) => ("sub-record", at),
            Step::More(at) => {
                if let Some(whole) = steps.last_mut() {
                    whole.bytes.extend_from_slice(at.bytes);
                }
                return Ok(());
            }
            Step::SegmentEnd(offset) => {
                steps.push(Whole { what: "end of segment", index: 0, offset, bytes: Vec::new() });
                return Ok(());
            }
        };
        steps.push(Whole { what, index: at.index, offset: at.offset, bytes: at.bytes.to_vec() });
        Ok(())
    });
    (steps, ended.map_err(|e| e.to_string()))
}
