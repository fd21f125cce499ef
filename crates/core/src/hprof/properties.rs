//! The properties of HPROF.

use std::collections::HashSet;
use std::io::{self, Read};

use crate::draw::Draw;
use crate::error::{DecodeError, Error};
use crate::family::property::{DumpPair, FieldBytes, PropertySubject, ReadRecord, judged, lifted};
use crate::family::{Lowering, Opener, Opening};
use crate::generate::{GenerateOptions, Placement, generate};
use crate::hprof::decode::{WrappedLength, ZeroLength};
use crate::hprof::lift::{self, DumpIndex};
use crate::hprof::lower::{self, Framing, LowerOptions, PROFILES};
use crate::hprof::{self, Decoder, IdSize, Lookahead, ReadOptions, Version, annotate, encode, open};
use crate::input::Input;
use crate::model::{ControlSettings, Dump, Event, EventKind, Heap, Name, Serial, TextId};

use super::open::FAMILY;

/// HPROF, with its properties.
#[derive(Clone, Copy, Debug)]
pub enum HprofProperties {}

const fn reading(zero_length: ZeroLength, wrapped: WrappedLength) -> ReadOptions {
    ReadOptions { zero_length, wrapped, ..ReadOptions::DEFAULT }
}

impl PropertySubject for HprofProperties {
    type FieldMap = super::corrupt::MappedDump;
    type WriterOptions = LowerOptions;
    type Assumption = ReadOptions;
    const SCATTERS: bool = true;
    // Each way to read a length of 0, and a length that may have wrapped.
    const READINGS: &'static [ReadOptions] = &[
        reading(ZeroLength::ByChain, WrappedLength::Repair),
        reading(ZeroLength::Empty, WrappedLength::Trust),
        reading(ZeroLength::Unpatched, WrappedLength::Repair),
        reading(ZeroLength::Unpatched, WrappedLength::Trust),
    ];

    // Whatever is taken for granted of the bytes.
    fn decode_never_panics(bytes: &[u8]) {
        for &reading in Self::READINGS {
            for answers in ANSWERS {
                let Ok(decoder) = Decoder::new(bytes) else { return };
                let beyond = answers.map(|answers| Box::new(answers) as Box<dyn Lookahead>);
                let ended = decoder.with_reading(reading, beyond).visit::<DecodeError, _>(|_| Ok(()));
                let reached = ended.unwrap_or_else(|e| e.offset());
                assert!(reached <= bytes.len() as u64, "{reading:?}, {answers:?}: {reached:#x}");
            }
            let input = Input::from_memory("fuzz", bytes.to_vec());
            let reopen = || Ok::<_, Error>(open(Opening::from_input(&input, reading)?)?);
            let (Ok(mut first), Ok(mut second)) = (reopen(), reopen()) else { return };
            let mut entries = 0;
            let visited = first.visit::<DecodeError, _>(|step| {
                let (whole, pieces_end) = match step {
                    hprof::DecodeStep::Sub(at, sub_record) => (sub_record.is_entry() && at.rest == 0, false),
                    hprof::DecodeStep::More(at) => (false, at.rest == 0),
                    hprof::DecodeStep::Record(..)
                    | hprof::DecodeStep::Segment(..)
                    | hprof::DecodeStep::SegmentEnd(_) => (false, false),
                };
                entries += usize::from(whole || pieces_end);
                Ok(())
            });
            let (index, read) = DumpIndex::read(&mut second);
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
            let mut opener = Opener::from_memory("fuzz", bytes);
            opener.reading = reading;
            for graph in [false, true] {
                judged(FAMILY, &opener, graph);
            }
        }
    }

    fn decode_and_encode(bytes: &[u8], reading: ReadOptions) -> Option<(Vec<u8>, bool)> {
        let decoder = Decoder::new(bytes).ok()?;
        let mut decoder = decoder.with_reading(reading, None);
        let id = decoder.header().id_size;
        let mut again = Vec::new();
        encode::header(&mut again, decoder.header());
        assert_eq!(again, decoder.header_bytes());
        let ended = decoder.visit::<DecodeError, _>(|step| {
            let start = again.len();
            let at = match step {
                hprof::DecodeStep::Record(at, record) => {
                    assert!(encode::record(&mut again, id, record, at.rest).is_ok(), "it had a length");
                    at
                }
                hprof::DecodeStep::Segment(at, segment) => {
                    encode::segment(&mut again, &segment);
                    at
                }
                hprof::DecodeStep::Sub(at, sub_record) => {
                    assert_eq!(encode::length_of(id, sub_record), at.bytes.len() as u64 + at.rest);
                    assert!(encode::sub_record(&mut again, id, sub_record).is_ok(), "it had a length");
                    at
                }
                hprof::DecodeStep::More(at) => {
                    again.extend_from_slice(at.bytes);
                    at
                }
                hprof::DecodeStep::SegmentEnd(offset) => {
                    assert_eq!(offset as usize, start);
                    return Ok(());
                }
            };
            assert_eq!(at.offset as usize, start);
            assert_eq!(&again[start..], at.bytes);
            Ok(())
        });
        Some((again, ended.is_ok()))
    }

    // With and without an index.
    fn fields(bytes: &[u8]) -> Vec<(Vec<FieldBytes>, bool)> {
        let Ok(mut decoder) = Decoder::new(bytes) else { return Vec::new() };
        let (index, _) = DumpIndex::read(&mut decoder);
        let annotated = |index| {
            let mut fields = Vec::new();
            let ended = annotate::visit::<_, DecodeError, _>(&mut Decoder::new(bytes).ok()?, index, |field| {
                if field.breaks.is_none() {
                    fields.push((field.name, field.offset, field.bytes.to_vec()));
                }
                Ok(())
            });
            Some((fields, ended.is_ok()))
        };
        [None, Some(&index)].into_iter().filter_map(annotated).collect()
    }

    fn steps(source: impl Read, reading: ReadOptions) -> (Vec<ReadRecord>, Result<u64, String>) {
        let mut steps: Vec<ReadRecord> = Vec::new();
        let decoder = match Decoder::new(source) {
            Ok(decoder) => decoder,
            // What is shown of a wrong header is what was there of it.
            Err(e) => return (steps, Err(format!("{:#x}: {} [{}]", e.offset(), e.field(), e.rule()))),
        };
        let ended = decoder.with_reading(reading, None).visit::<DecodeError, _>(|step| {
            let (what, at) = match step {
                hprof::DecodeStep::Record(at, _) => ("record", at),
                hprof::DecodeStep::Segment(at, _) => ("segment", at),
                hprof::DecodeStep::Sub(at, _) => ("sub-record", at),
                hprof::DecodeStep::More(at) => {
                    if let Some(whole) = steps.last_mut() {
                        whole.bytes.extend_from_slice(at.bytes);
                    }
                    return Ok(());
                }
                hprof::DecodeStep::SegmentEnd(offset) => {
                    steps.push(ReadRecord { what: "end of segment", place: String::new(), offset, bytes: Vec::new() });
                    return Ok(());
                }
            };
            steps.push(ReadRecord { what, place: at.index.to_string(), offset: at.offset, bytes: at.bytes.to_vec() });
            Ok(())
        });
        (steps, ended.map_err(|e| e.to_string()))
    }

    fn rewritings() -> Vec<LowerOptions> {
        let (first, last) = (&PROFILES[0], &PROFILES[PROFILES.len() - 1]);
        [first, last].map(|profile| LowerOptions { profile, ..LowerOptions::default() }).to_vec()
    }

    fn drawn(draw: &mut dyn Draw) -> (Dump, LowerOptions) {
        let profile = draw.pick(PROFILES);
        let framing = draw.one_in(2).then(|| draw.pick(profile.framings));
        let id_size = Some(*draw.pick(&IdSize::ALL));
        let options = LowerOptions { profile, framing, id_size, seed: draw.u64(), ..LowerOptions::default() };
        let mut dump = Dump::default();
        for _ in 0..draw.between(1, 3) {
            let placement = *draw.pick(&[Placement::Ordered, Placement::Mixed]);
            let generated = Lowering::from(options).generate_options(draw.below(48) as usize, None);
            dump.heaps.push(generate(&GenerateOptions { placement, ..generated }, draw));
        }
        (dump, options)
    }

    // A log after the last heap. What is given there under an identifier counts for the heap, so that it is a new one.
    fn tail(dump: &Dump) -> Vec<Event> {
        let at = |time, kind| Event::new(time, 0, kind);
        let events = dump.heaps.iter().filter_map(|heap| heap.surroundings.events.as_ref()).flatten();
        let given: HashSet<u64> = events
            .filter_map(|event| match &event.kind {
                EventKind::Text(id, _) => Some(id.0),
                _ => None,
            })
            .collect();
        let new = (1..=255).find(|id| !given.contains(id));
        let text = new.map(|id| at(7, EventKind::Text(TextId(id), Name::from_text("late"))));
        let others = [
            at(7, EventKind::ControlSettings(ControlSettings { flags: 2, depth: 9 })),
            at(0xffff_ffff, EventKind::EndThread(Serial(1))),
            at(0, EventKind::Unknown { tag: 0x11, body: vec![1, 2, 3] }),
        ];
        text.into_iter().chain(others).collect()
    }

    fn through_any(dump: Dump, options: &LowerOptions) -> Option<Result<DumpPair, Error>> {
        Some(through_any(dump.heaps.first()?, options))
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
    let mut back = lifted::<HprofProperties>(&lower::to_bytes(heap, &any)?).heaps.swap_remove(0);
    back.surroundings.events = None;
    back.surroundings.times = None;
    let mut heap = heap.clone();
    heap.surroundings.roots.clone_from(&back.surroundings.roots);
    heap.surroundings.regions.clone_from(&back.surroundings.regions);
    for surroundings in [&mut heap.surroundings, &mut back.surroundings] {
        surroundings.traces.iter_mut().for_each(|traces| traces.sort_by_key(|trace| trace.serial));
        surroundings.threads.iter_mut().for_each(|threads| threads.sort_by_key(|thread| thread.serial));
    }
    Ok((lower::to_bytes(&heap, options)?, lower::to_bytes(&back, options)?))
}

/// The answers that a second look may give, truly or not.
const ANSWERS: [Option<FixedLookahead>; 5] = [
    None,
    Some(FixedLookahead { length: LookaheadAnswer::Yes, chains: LookaheadAnswer::Yes }),
    Some(FixedLookahead { length: LookaheadAnswer::Yes, chains: LookaheadAnswer::No }),
    Some(FixedLookahead { length: LookaheadAnswer::No, chains: LookaheadAnswer::No }),
    Some(FixedLookahead { length: LookaheadAnswer::Fails, chains: LookaheadAnswer::Fails }),
];

#[derive(Clone, Copy, Debug)]
enum LookaheadAnswer {
    Yes,
    No,
    Fails,
}

/// A second look with fixed answers.
#[derive(Clone, Copy, Debug)]
struct FixedLookahead {
    length: LookaheadAnswer,
    chains: LookaheadAnswer,
}

impl Lookahead for FixedLookahead {
    fn length(&mut self, at_least: u64) -> io::Result<Option<u64>> {
        match self.length {
            LookaheadAnswer::Yes => Ok(Some(at_least)),
            LookaheadAnswer::No => Ok(None),
            LookaheadAnswer::Fails => Err(io::Error::other("no second look")),
        }
    }

    fn chains(&mut self, _: u64) -> io::Result<bool> {
        match self.chains {
            LookaheadAnswer::Yes => Ok(true),
            LookaheadAnswer::No => Ok(false),
            LookaheadAnswer::Fails => Err(io::Error::other("no second look")),
        }
    }
}
