//! The properties of classic text.

use std::collections::BTreeSet;
use std::io::{Read, Write};

use arbitrary::Unstructured;

use crate::bytes::ebcdic::Mapped;
use crate::classic::lower::{self, LowerOptions, PROFILES};
use crate::classic::{Charset, Decoder, Encoding, Newline, Record, Step, annotate, encode, lift};
use crate::compare::compare;
use crate::draw::{BytesDraw, Draw};
use crate::error::{DecodeError, Error};
use crate::generate::{GenerateOptions, Placement, generate};
use crate::input::Input;
use crate::lower::Adherence;
use crate::model::{Heap, WordSize};
use crate::validate::{Severity, ValidateOptions, validate};

use super::Properties;

/// Every property, by name.
pub const PROPERTIES: Properties = Properties {
    format: "classic",
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

/// Decoding, lifting, annotating and validating anything ends with an answer, and an error has its place.
pub fn decode_never_panics(bytes: &[u8]) {
    let Ok(mut decoder) = Decoder::new(bytes) else { return };
    let mut entries = 0;
    let visited = decoder.visit_dyn::<DecodeError>(&mut |step| {
        entries += usize::from(matches!(step, Step::Record(_, Record::Entry(_))));
        Ok(())
    });
    if let Err(e) = &visited {
        assert!(e.offset() <= bytes.len() as u64, "{e}");
        assert!(e.position().is_some_and(|place| place.line > 0 && place.column > 0), "{e}");
    }
    let (_, read) = lift::Index::read(&mut reopen(bytes));
    assert_eq!(visited.is_ok(), read.is_ok());
    let Ok((heap, _, ended)) = lift::heap(|| Ok(Decoder::new(bytes)?)) else { panic!("it was opened before") };
    assert_eq!(visited.is_ok(), ended.is_ok());
    assert!(heap.classes.len() + heap.objects.len() <= entries);
    let fields = annotate::visit::<_, DecodeError, _>(&mut reopen(bytes), |_| Ok(()));
    assert_eq!(visited.is_ok(), fields.is_ok());
    let input = Input::memory("fuzz", bytes.to_vec());
    for graph in [false, true] {
        let options = ValidateOptions { graph, ..ValidateOptions::default() };
        assert!(validate(&input, options).is_ok(), "memory can be read");
    }
}

/// Records keep everything: whatever decodes is spelled the same way again, up to the byte that does not.
pub fn decoding_and_encoding_again_is_the_identity(bytes: &[u8]) {
    let Ok(mut decoder) = Decoder::new(bytes) else { return };
    let mut text = Vec::new();
    let ended = decoder.visit_dyn::<DecodeError>(&mut |step| {
        let start = text.len();
        let at = match step {
            Step::Record(at, record) => {
                let parts: Vec<u8> = record.parts().into_iter().flat_map(|(_, part)| part.to_vec()).collect();
                assert_eq!(parts, at.bytes);
                encode::record(&mut text, &record);
                at
            }
            Step::More(at, references) => {
                encode::references(&mut text, &references);
                at
            }
        };
        assert_eq!(at.offset as usize, start);
        assert_eq!(&text[start..], at.bytes);
        Ok(())
    });
    let again = stored(&text, decoder.encoding());
    match ended {
        Ok(length) => assert_eq!((length as usize, again.as_slice()), (bytes.len(), bytes)),
        Err(_) => assert_eq!(again, bytes[..again.len()]),
    }
}

/// The parts of a text tile it: no byte is left out, none is claimed twice.
pub fn every_byte_belongs_to_one_field(bytes: &[u8]) {
    let Ok(mut decoder) = Decoder::new(bytes) else { return };
    let encoding = decoder.encoding();
    let mut next = 0;
    let ended = annotate::visit::<_, DecodeError, _>(&mut decoder, |field| {
        assert_eq!(field.offset, next, "{} begins where the field before it ends", field.name);
        assert!(!field.bytes.is_empty(), "{} has bytes", field.name);
        let end = next as usize + field.bytes.len();
        assert_eq!(stored(field.bytes, encoding), &bytes[next as usize..end]);
        next = end as u64;
        Ok(())
    });
    if ended.is_ok() {
        assert_eq!(next, bytes.len() as u64);
    }
}

/// A reader that gives a few bytes at a time leads to the same records and the same error.
pub fn the_size_of_reads_does_not_matter(bytes: &[u8]) {
    if Decoder::new(bytes).is_err() {
        return;
    }
    // The start is read at once: behind it reads matter.
    let charset = reopen(bytes).encoding();
    let comments = [b"//".as_slice(), &b"x".repeat(100), charset.newline.text()].concat();
    let comments = stored(&comments.repeat(crate::classic::wire::START / 100), charset);
    for bytes in [bytes.to_vec(), [comments.as_slice(), bytes].concat()] {
        let whole = told(Slow { rest: &bytes, at_once: usize::MAX });
        for at_once in [1, 7] {
            assert_eq!(told(Slow { rest: &bytes, at_once }), whole, "{at_once} bytes at once");
        }
    }
}

/// A readable dump's heap, written by any profile, is what a reader of the result finds.
pub fn what_a_rewritten_dump_carries_comes_back(bytes: &[u8]) {
    let Ok(Ok((mut heap, _, Ok(())))) = Decoder::new(bytes).map(|_| lift::heap(|| Ok(Decoder::new(bytes)?))) else {
        return;
    };
    for profile in PROFILES {
        for adherence in [Adherence::Writer, Adherence::Heap] {
            let options = LowerOptions { profile, adherence, ..LowerOptions::default() };
            match (lower::to_bytes(&heap, &options), lower::carry(&mut heap, &options)) {
                (Ok(dump), Ok(carried)) => assert_eq!(lift_all(&dump), carried, "{}", profile.name),
                (Err(Error::Lower(written)), Err(Error::Lower(carried))) => assert_eq!(written, carried),
                (written, carried) => panic!("{}: {written:?}, {carried:?}", profile.name),
            }
        }
    }
}

/// What a profile's dump tells of a heap is what decoding and lifting gives back, and lowering that again gives the
/// same bytes.
pub fn a_heap_comes_back_from_its_dump(bytes: &[u8]) {
    let (mut heap, options) = drawn(bytes);
    let (Ok(dump), Ok(carried)) = (lower::to_bytes(&heap, &options), lower::carry(&mut heap, &options)) else {
        panic!("a generated heap can be written by every profile: {options:?}");
    };
    let lifted = lift_all(&dump);
    let comparison = compare(&carried, &lifted, &BTreeSet::new());
    assert!(comparison.equal, "{comparison:?}");
    assert_eq!(carried, lifted);
    if !options.profile.is_seeded() {
        let again = lower::to_bytes(&lifted, &options).unwrap_or_default();
        assert_eq!(again, dump);
    }
}

/// A dump of a generated heap has neither errors nor warnings.
pub fn generated_dumps_validate_clean(bytes: &[u8]) {
    let (heap, options) = drawn(bytes);
    let Ok(dump) = lower::to_bytes(&heap, &options) else { return };
    let report = validate(&Input::memory("generated", dump), ValidateOptions::default());
    let found: Vec<_> = report.map(|r| r.findings).unwrap_or_default();
    assert!(found.iter().all(|f| f.severity == Severity::Note), "{options:?}: {found:?}");
}

/// What `any` makes of a heap that a profile tells leads back to what that profile writes.
pub fn nothing_of_a_spelling_stays(bytes: &[u8]) {
    let (mut heap, options) = drawn(bytes);
    let Some(any) = PROFILES.iter().find(|profile| profile.is_seeded()) else { panic!("there is one") };
    // `any` lists no class blocks, and they would be missing.
    if options.profile.is_seeded() || options.profile.class_blocks {
        return;
    }
    let Ok(told) = lower::carry(&mut heap, &options) else { panic!("writable: {options:?}") };
    let direct = lower::to_bytes(&told, &options).unwrap_or_default();
    let any = LowerOptions { profile: any, ..options };
    let through = lift_all(&lower::to_bytes(&told, &any).unwrap_or_default());
    assert_eq!(lower::to_bytes(&through, &options).unwrap_or_default(), direct);
}

/// A heap and a way to write it, from a fuzzer's bytes.
fn drawn(bytes: &[u8]) -> (Heap, LowerOptions) {
    let mut bytes = Unstructured::new(bytes);
    let mut draw = BytesDraw(&mut bytes);
    let draw: &mut dyn Draw = &mut draw;
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
    (heap, LowerOptions { profile, word: Some(word), encoding, seed, adherence: Adherence::Writer })
}

fn reopen(bytes: &[u8]) -> Decoder<&[u8]> {
    match Decoder::new(bytes) {
        Ok(decoder) => decoder,
        Err(e) => panic!("it was opened before: {e}"),
    }
}

fn lift_all(dump: &[u8]) -> Heap {
    match lift::heap(|| Ok(Decoder::new(dump)?)) {
        Ok((heap, _, Ok(()))) => heap,
        Ok((_, _, Err(e))) => panic!("a written dump can be read: {e}"),
        Err(e) => panic!("a written dump can be opened: {e}"),
    }
}

/// Text as a dump holds it.
fn stored(text: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let written = Mapped::new(&mut bytes, encoding.inverse()).write_all(text);
    assert!(written.is_ok(), "memory can be written");
    bytes
}

struct Slow<'a> {
    rest: &'a [u8],
    at_once: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.rest.len().min(self.at_once).min(buffer.len());
        let (read, rest) = self.rest.split_at(count);
        buffer[..count].copy_from_slice(read);
        self.rest = rest;
        Ok(count)
    }
}

/// A record's offset, line and column, and text.
type Told = (u64, String, Vec<u8>);

/// Each record's place and text, pieces put together; and how it ended.
fn told(source: Slow<'_>) -> (Vec<Told>, Option<String>) {
    let mut decoder = match Decoder::new(source) {
        Ok(decoder) => decoder,
        Err(e) => return (Vec::new(), Some(e.to_string())),
    };
    let mut records: Vec<Told> = Vec::new();
    let ended = decoder.visit_dyn::<DecodeError>(&mut |step| {
        match step {
            Step::Record(at, _) => records.push((at.offset, at.position.to_string(), at.bytes.to_vec())),
            Step::More(at, _) => match records.last_mut() {
                Some((.., text)) => text.extend_from_slice(at.bytes),
                None => panic!("a piece of no record"),
            },
        }
        Ok(())
    });
    (records, ended.err().map(|e| e.to_string()))
}
