//! The properties of PHD.

use std::io::Read;

use crate::draw::Draw;
use crate::error::{DecodeError, Error};
use crate::family::property::{DumpPair, FieldBytes, PropertySubject, ReadRecord, judged, lifted};
use crate::family::{Lower, Opener};
use crate::generate::{GenerateOptions, Placement, generate};
use crate::lower::Adherence;
use crate::model::{Dump, HashRegime, Heap, WordSize};
use crate::phd::lower::{self, LowerOptions, PROFILES, Profile};
use crate::phd::{Decoder, Version, annotate, encode, lift};

use super::open::FAMILY;

/// PHD, with its properties.
#[derive(Clone, Copy, Debug)]
pub enum PhdProperties {}

impl PropertySubject for PhdProperties {
    type FieldMap = super::corrupt::MappedDump;
    type WriterOptions = LowerOptions;
    type Assumption = ();
    const READINGS: &'static [()] = &[()];

    fn decode_never_panics(bytes: &[u8]) {
        if let Ok(mut decoder) = Decoder::new(bytes) {
            let (heap, _) = lift::heap(&mut decoder);
            assert_eq!(decoder.records(), (heap.classes.len() + heap.objects.len()) as u64);
        }
        judged(FAMILY, &Opener::from_memory("fuzz", bytes), true);
    }

    fn decode_and_encode(bytes: &[u8], (): ()) -> Option<(Vec<u8>, bool)> {
        let mut decoder = Decoder::new(bytes).ok()?;
        let mut again = Vec::new();
        let header = encode::header(&mut again, decoder.header());
        assert!(header.is_ok(), "what was read has a length that can be written");
        let layout = decoder.layout();
        let ended = decoder.visit::<DecodeError, _>(|located| {
            let start = again.len();
            assert_eq!(located.offset as usize, start);
            let record = encode::record(&mut again, layout, located.record);
            assert!(record.is_ok(), "what was read has a length that can be written");
            assert_eq!(&again[start..], located.bytes);
            Ok(())
        });
        if ended.is_ok() {
            encode::end_tag(&mut again);
            let trailing = decoder.visit_trailing::<DecodeError, _>(|piece| {
                again.extend_from_slice(piece);
                Ok(())
            });
            assert!(trailing.is_ok(), "memory can be read");
        }
        Some((again, ended.is_ok()))
    }

    fn fields(bytes: &[u8]) -> Vec<(Vec<FieldBytes>, bool)> {
        let Ok(mut decoder) = Decoder::new(bytes) else { return Vec::new() };
        let mut fields = Vec::new();
        let ended = annotate::visit::<_, DecodeError, _>(&mut decoder, |field| {
            if field.breaks.is_none() {
                fields.push((field.name, field.offset, field.bytes.to_vec()));
            }
            Ok(())
        });
        vec![(fields, ended.is_ok())]
    }

    fn steps(source: impl Read, (): ()) -> (Vec<ReadRecord>, Result<u64, String>) {
        let mut steps = Vec::new();
        let mut decoder = match Decoder::new(source) {
            Ok(decoder) => decoder,
            // What a wrong start is taken for depends on how much of it was there.
            Err(e) => return (steps, Err(format!("{:#x}: {}", e.offset(), e.field()))),
        };
        let ended = decoder.visit::<DecodeError, _>(|located| {
            let (what, place, bytes) = (located.record.kind(), located.index.to_string(), located.bytes.to_vec());
            steps.push(ReadRecord { what, place, offset: located.offset, bytes });
            Ok(())
        });
        let trailing = ended.and_then(|_| decoder.visit_trailing::<DecodeError, _>(|_| Ok(())));
        (steps, trailing.map_err(|e| e.to_string()))
    }

    fn rewritings() -> Vec<LowerOptions> {
        let written = |profile: &'static Profile| profile.versions.iter().map(move |&version| (profile, version));
        let each = PROFILES.iter().flat_map(written);
        each.map(|(profile, version)| LowerOptions { profile, ..LowerOptions::new(version) }).collect()
    }

    fn drawn(draw: &mut dyn Draw) -> (Dump, LowerOptions) {
        let version = *draw.pick(&Version::ALL);
        let written: Vec<&'static Profile> = PROFILES.iter().filter(|p| p.versions.contains(&version)).collect();
        let profile = *draw.pick(&written);
        let word = *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
        let hashes = *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
        let placement = *draw.pick(&[Placement::Ordered, Placement::Mixed]);
        let seed = draw.u64();
        let objects = draw.below(48) as usize;
        let hashes = profile.hashes.unwrap_or(hashes);
        let options = GenerateOptions { objects, word, hashes, placement, ..GenerateOptions::default() };
        let dump = Dump { heaps: vec![generate(&options, draw)], tail: Vec::new() };
        let adherence = Adherence::Writer;
        (dump, LowerOptions { version, profile, word: Some(word), seed, adherence })
    }

    fn through_any(mut dump: Dump, options: &LowerOptions) -> Option<Result<DumpPair, Error>> {
        if options.is_seeded() || options.is_trap() {
            return None;
        }
        // Profiles differ in what they tell, so each is given the heap as it tells it itself.
        let told = lower::carry(dump.heaps.first_mut()?, options);
        Some(told.and_then(|told| through_any(&told, options.version, options.seed, options.profile.name)))
    }
}

/// Writes one heap twice: what `any` makes of it, and what another profile makes of both.
///
/// # Errors
/// If the heap cannot be written.
pub fn through_any(heap: &Heap, version: Version, seed: u64, profile: &str) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let any = LowerOptions { seed, ..LowerOptions::new(version).with_profile("any")? };
    let options = LowerOptions::new(version).with_profile(profile)?;
    let back = lifted::<PhdProperties>(&lower::to_bytes(heap, &any)?);
    Ok((lower::to_bytes(heap, &options)?, lower::to_bytes(&back.heaps[0], &options)?))
}
