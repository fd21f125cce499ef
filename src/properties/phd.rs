//! The properties of PHD.

use std::collections::BTreeSet;

use arbitrary::Unstructured;

use crate::compare::compare;
use crate::corrupt::{EDITS, Map};
use crate::draw::{BytesDraw, Draw};
use crate::error::{DecodeError, Error};
use crate::generate::{GenerateOptions, Placement, generate};
use crate::input::Input;
use crate::lower::Adherence;
use crate::model::{HashRegime, Heap, WordSize};
use crate::phd::lower::{self, FieldSwap, LowerOptions, PROFILES, Profile};
use crate::phd::{Decoder, Version, annotate, encode, lift};
use crate::validate::{Severity, ValidateOptions, validate};

use super::Properties;

/// Every property, by name.
pub const PROPERTIES: Properties = Properties {
    format: "phd",
    of_bytes: &[
        ("decode_never_panics", decode_never_panics),
        ("decoding_and_encoding_again_is_the_identity", decoding_and_encoding_again_is_the_identity),
        ("every_byte_belongs_to_one_field", every_byte_belongs_to_one_field),
    ],
    of_heaps: &[
        ("a_heap_comes_back_from_its_dump", a_heap_comes_back_from_its_dump),
        ("generated_dumps_validate_clean", generated_dumps_validate_clean),
        ("named_corruptions_are_found", named_corruptions_are_found),
    ],
};

/// Decoding, lifting and validating anything ends with an answer.
pub fn decode_never_panics(bytes: &[u8]) {
    if let Ok(mut decoder) = Decoder::new(bytes) {
        let (heap, _) = lift::heap(&mut decoder);
        assert_eq!(decoder.records(), (heap.classes.len() + heap.objects.len()) as u64);
    }
    let report = validate(&Input::memory("fuzz", bytes.to_vec()), ValidateOptions::default());
    assert!(report.is_ok(), "memory can be read");
}

/// Records keep everything: whatever decodes is spelled the same way again.
pub fn decoding_and_encoding_again_is_the_identity(bytes: &[u8]) {
    let Ok(mut decoder) = Decoder::new(bytes) else { return };
    let mut again = Vec::new();
    let header = encode::header(&mut again, decoder.header());
    assert!(header.is_ok(), "what was read has a length that can be written");
    let layout = decoder.layout();
    let ended = decoder.visit_dyn::<DecodeError>(&mut |located| {
        let start = again.len();
        assert_eq!(located.offset as usize, start);
        let record = encode::record(&mut again, layout, located.record);
        assert!(record.is_ok(), "what was read has a length that can be written");
        assert_eq!(&again[start..], located.bytes);
        Ok(())
    });
    if ended.is_ok() {
        encode::end(&mut again);
        let trailing = decoder.visit_trailing::<DecodeError, _>(|piece| {
            again.extend_from_slice(piece);
            Ok(())
        });
        assert!(trailing.is_ok(), "memory can be read");
        assert_eq!(again, bytes);
    } else {
        assert_eq!(again, bytes[..again.len()]);
    }
}

/// The fields of a valid dump tile it: no byte is left out, none is claimed twice.
pub fn every_byte_belongs_to_one_field(bytes: &[u8]) {
    let Ok(mut decoder) = Decoder::new(bytes) else { return };
    let mut next = 0;
    let ended = annotate::visit::<_, DecodeError, _>(&mut decoder, |field| {
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

/// What a profile's dump tells of a heap is what decoding and lifting gives back, and lowering that
/// again gives the same bytes.
pub fn a_heap_comes_back_from_its_dump(bytes: &[u8]) {
    let (mut heap, options) = drawn(bytes);
    let (Ok(dump), Ok(carried)) = (lower::to_bytes(&heap, &options), lower::carry(&mut heap, &options)) else {
        panic!("a generated heap can be written by every profile: {options:?}");
    };
    let lifted = lift_all(&dump);
    let comparison = compare(&carried, &lifted, &BTreeSet::new());
    assert!(comparison.equal, "{comparison:?}");
    assert_eq!(carried, lifted);
    // A profile that draws spells differently each time, and one that swaps fields swaps them back.
    if !options.profile.is_seeded() && options.profile.array_fields == FieldSwap::LengthFirst {
        let again = lower::to_bytes(&lifted, &options).unwrap_or_default();
        assert_eq!(again, dump);
    }
}

/// A dump of a generated heap has neither errors nor warnings.
pub fn generated_dumps_validate_clean(bytes: &[u8]) {
    let (heap, options) = drawn(bytes);
    let Ok(dump) = lower::to_bytes(&heap, &options) else { return };
    // The trap's flags and numbers are meant to look odd.
    if options.profile.array_fields == FieldSwap::SizeFirst {
        return;
    }
    let report = validate(&Input::memory("generated", dump), ValidateOptions::default());
    let found: Vec<_> = report.map(|r| r.findings).unwrap_or_default();
    assert!(found.iter().all(|f| f.severity == Severity::Note), "{options:?}: {found:?}");
}

/// Every named edit that a generated dump has a place for is found, at its place.
pub fn named_corruptions_are_found(bytes: &[u8]) {
    let (heap, options) = drawn(bytes);
    let Ok(dump) = lower::to_bytes(&heap, &options) else { return };
    let Ok(map) = Map::of(dump) else { panic!("a generated dump is valid: {options:?}") };
    for edit in EDITS {
        let Some(edited) = edit.apply(&map) else { continue };
        let report = validate(&Input::memory(edit.name, edited.bytes), ValidateOptions::default());
        let found = report.map(|r| r.findings).unwrap_or_default();
        assert!(
            found.iter().any(|f| f.rule == edit.rule && f.offset == edited.offset),
            "{} at {:#x} in {options:?}: {found:?}",
            edit.name,
            edited.offset
        );
    }
}

/// A heap and a way to write it, from a fuzzer's bytes.
fn drawn(bytes: &[u8]) -> (Heap, LowerOptions) {
    let mut bytes = Unstructured::new(bytes);
    let mut draw = BytesDraw(&mut bytes);
    let draw: &mut dyn Draw = &mut draw;
    let version = *draw.pick(&Version::ALL);
    let written: Vec<&'static Profile> = PROFILES.iter().filter(|p| p.versions.contains(&version)).collect();
    let profile = *draw.pick(&written);
    let word = *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
    let hashes = *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
    let placement = *draw.pick(&[Placement::Ordered, Placement::Mixed]);
    let seed = draw.u64();
    let objects = draw.below(48) as usize;
    let options = GenerateOptions {
        objects,
        word,
        hashes: profile.hashes.unwrap_or(hashes),
        placement,
        ..GenerateOptions::default()
    };
    (generate(&options, draw), LowerOptions { version, profile, word: Some(word), seed, adherence: Adherence::Writer })
}

fn lift_all(dump: &[u8]) -> Heap {
    match Decoder::new(dump).map(|mut decoder| lift::heap(&mut decoder)) {
        Ok((heap, Ok(_))) => heap,
        Ok((_, Err(e))) | Err(e) => panic!("a written dump can be read: {e}"),
    }
}

/// Writes one heap twice: what `any` makes of it, and what another profile makes of both.
///
/// # Errors
/// If the heap cannot be written.
pub fn through_any(heap: &Heap, version: Version, seed: u64, profile: &str) -> Result<(Vec<u8>, Vec<u8>), Error> {
    let any = LowerOptions { seed, ..LowerOptions::new(version).with_profile("any")? };
    let options = LowerOptions::new(version).with_profile(profile)?;
    let lifted = lift_all(&lower::to_bytes(heap, &any)?);
    Ok((lower::to_bytes(heap, &options)?, lower::to_bytes(&lifted, &options)?))
}
