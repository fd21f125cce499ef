//! The properties of classic text.

use std::io::{Read, Write};

use crate::bytes::ebcdic::MappedStream;
use crate::classic::lower::{self, LowerOptions, PROFILES};
use crate::classic::{self, Charset, Decoder, Encoding, Newline, Record, annotate, encode, lift};
use crate::draw::Draw;
use crate::error::{DecodeError, Error};
use crate::family::property::{DumpPair, FieldBytes, PropertySubject, ReadRecord, judged, lifted};
use crate::family::{Lower, Opener};
use crate::generate::{GenerateOptions, Placement, generate};
use crate::lower::Adherence;
use crate::model::{Dump, WordSize};

use super::open::FAMILY;

/// Classic text, with its properties.
#[derive(Clone, Copy, Debug)]
pub enum ClassicProperties {}

impl PropertySubject for ClassicProperties {
    type FieldMap = super::corrupt::MappedDump;
    type WriterOptions = LowerOptions;
    type Assumption = ();
    const READINGS: &'static [()] = &[()];

    fn decode_never_panics(bytes: &[u8]) {
        let Ok(mut decoder) = Decoder::new(bytes) else { return };
        let mut entries = 0;
        let visited = decoder.visit::<DecodeError, _>(|step| {
            entries += usize::from(matches!(step, classic::DecodeStep::Record(_, Record::Entry(_))));
            Ok(())
        });
        if let Err(e) = &visited {
            assert!(e.offset() <= bytes.len() as u64, "{e}");
            assert!(e.position().is_some_and(|place| place.line > 0 && place.column > 0), "{e}");
        }
        let (_, read) = lift::DumpIndex::read(&mut reopen(bytes));
        assert_eq!(visited.is_ok(), read.is_ok());
        let Ok((heap, _, ended)) = lift::heap(|| Ok(Decoder::new(bytes)?)) else { panic!("it was opened before") };
        assert_eq!(visited.is_ok(), ended.is_ok());
        assert!(heap.classes.len() + heap.objects.len() <= entries);
        let fields = annotate::visit::<_, DecodeError, _>(&mut reopen(bytes), |_| Ok(()));
        assert_eq!(visited.is_ok(), fields.is_ok());
        for graph in [false, true] {
            judged(FAMILY, &Opener::from_memory("fuzz", bytes), graph);
        }
    }

    fn decode_and_encode(bytes: &[u8], (): ()) -> Option<(Vec<u8>, bool)> {
        let mut decoder = Decoder::new(bytes).ok()?;
        let mut text = Vec::new();
        let ended = decoder.visit::<DecodeError, _>(|step| {
            let start = text.len();
            let at = match step {
                classic::DecodeStep::Record(at, record) => {
                    let parts: Vec<u8> = record.parts().into_iter().flat_map(|(_, part)| part.to_vec()).collect();
                    assert_eq!(parts, at.bytes);
                    encode::record(&mut text, &record);
                    at
                }
                classic::DecodeStep::More(at, references) => {
                    encode::references(&mut text, &references);
                    at
                }
            };
            assert_eq!(at.offset as usize, start);
            assert_eq!(&text[start..], at.bytes);
            Ok(())
        });
        let again = encode_text(&text, decoder.encoding());
        Some((again, ended.is_ok()))
    }

    fn fields(bytes: &[u8]) -> Vec<(Vec<FieldBytes>, bool)> {
        let Ok(mut decoder) = Decoder::new(bytes) else { return Vec::new() };
        let encoding = decoder.encoding();
        let mut fields = Vec::new();
        let ended = annotate::visit::<_, DecodeError, _>(&mut decoder, |field| {
            if field.breaks.is_none() {
                fields.push((field.name, field.offset, encode_text(field.bytes, encoding)));
            }
            Ok(())
        });
        vec![(fields, ended.is_ok())]
    }

    fn steps(source: impl Read, (): ()) -> (Vec<ReadRecord>, Result<u64, String>) {
        let mut steps: Vec<ReadRecord> = Vec::new();
        let mut decoder = match Decoder::new(source) {
            Ok(decoder) => decoder,
            Err(e) => return (steps, Err(e.to_string())),
        };
        let ended = decoder.visit::<DecodeError, _>(|step| {
            match step {
                classic::DecodeStep::Record(at, _) => {
                    let (place, bytes) = (at.position.to_string(), at.bytes.to_vec());
                    steps.push(ReadRecord { what: "record", place, offset: at.offset, bytes });
                }
                classic::DecodeStep::More(at, _) => match steps.last_mut() {
                    Some(last) => last.bytes.extend_from_slice(at.bytes),
                    None => panic!("a piece of no record"),
                },
            }
            Ok(())
        });
        (steps, ended.map_err(|e| e.to_string()))
    }

    // The start is read at once: after it reads matter.
    fn in_reach(bytes: &[u8]) -> Vec<Vec<u8>> {
        let Ok(decoder) = Decoder::new(bytes) else { return Vec::new() };
        let encoding = decoder.encoding();
        let comments = [b"//".as_slice(), &b"x".repeat(100), encoding.newline.text()].concat();
        let comments = encode_text(&comments.repeat(classic::wire::START / 100), encoding);
        vec![bytes.to_vec(), [comments.as_slice(), bytes].concat()]
    }

    fn rewritings() -> Vec<LowerOptions> {
        PROFILES.iter().map(|profile| LowerOptions { profile, ..LowerOptions::default() }).collect()
    }

    fn drawn(draw: &mut dyn Draw) -> (Dump, LowerOptions) {
        let profile = *draw.pick(&PROFILES.iter().collect::<Vec<_>>());
        let word = *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
        let charset = *draw.pick(&Charset::ALL);
        let newlines: &[Newline] = match charset {
            Charset::Utf8 => &[Newline::Lf, Newline::CrLf],
            Charset::Ebcdic(_) => &[Newline::Nel, Newline::Lf, Newline::CrLf],
        };
        let encoding = Encoding { charset, newline: *draw.pick(newlines) };
        let placement = *draw.pick(&[Placement::Ordered, Placement::Mixed]);
        let seed = draw.u64();
        let objects = draw.below(48) as usize;
        let latin1_names = charset != Charset::Utf8;
        let options = GenerateOptions { objects, word, placement, latin1_names, ..GenerateOptions::default() };
        let heap = generate(&options, draw);
        let options =
            LowerOptions { profile, word: Some(word), encoding, seed, adherence: Adherence::Writer, threads: 1 };
        (Dump { heaps: vec![heap], tail: Vec::new() }, options)
    }

    fn through_any(mut dump: Dump, options: &LowerOptions) -> Option<Result<DumpPair, Error>> {
        // `any` lists no class blocks, and they would be missing.
        if options.is_seeded() || options.profile.class_blocks {
            return None;
        }
        let any = LowerOptions { profile: PROFILES.iter().find(|profile| profile.is_seeded())?, ..*options };
        let told = lower::carry(dump.heaps.first_mut()?, options);
        Some(told.and_then(|told| {
            let back = lifted::<ClassicProperties>(&lower::to_bytes(&told, &any)?);
            Ok((lower::to_bytes(&told, options)?, lower::to_bytes(&back.heaps[0], options)?))
        }))
    }
}

fn reopen(bytes: &[u8]) -> Decoder<&[u8]> {
    match Decoder::new(bytes) {
        Ok(decoder) => decoder,
        Err(e) => panic!("it was opened before: {e}"),
    }
}

/// Text as a dump holds it.
fn encode_text(text: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let written = MappedStream::new(&mut bytes, encoding.inverse()).write_all(text);
    assert!(written.is_ok(), "memory can be written");
    bytes
}
