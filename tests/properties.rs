//! The fuzz properties as smoke tests, with bytes from ChaCha8 and from the corpus.

use heapsmith::corpus::cases;
use heapsmith::generate::{Draw, GenerateOptions, Placement, SeedDraw, Stream, from_seed};
use heapsmith::phd::Version;
use heapsmith::phd::lower::{self, FieldSwap, LowerOptions, PROFILES};
use heapsmith::properties::{PROPERTIES, through_any};

fn random_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut draw = SeedDraw::new(seed, Stream::Heap);
    std::iter::repeat_with(|| draw.u32().to_le_bytes()).flatten().take(length).collect()
}

#[test]
fn every_property_holds_for_random_bytes() {
    for (name, property) in PROPERTIES {
        for seed in 0..150 {
            println!("{name} {seed}");
            property(&random_bytes(seed, 4096));
        }
        property(&[]);
    }
}

#[test]
fn every_property_of_bytes_holds_for_every_corpus_case() {
    for case in cases().expect("recipes work") {
        for (name, property) in &PROPERTIES[..3] {
            println!("{name} {}", case.id);
            property(&case.bytes);
        }
    }
}

/// Damage at random places, which reaches deeper than random bytes from the start.
#[test]
fn every_property_of_bytes_holds_for_dumps_with_random_damage() {
    let mut draw = SeedDraw::new(1, Stream::Corruption);
    let draw: &mut dyn Draw = &mut draw;
    let cases = cases().expect("recipes work");
    for _ in 0..2_000 {
        let mut bytes = draw.pick(&cases).bytes.clone();
        for _ in 0..draw.between(1, 4) {
            let at = draw.below(bytes.len() as u64) as usize;
            bytes[at] = draw.u32() as u8;
        }
        for (_, property) in &PROPERTIES[..3] {
            property(&bytes);
        }
    }
}

#[test]
fn an_any_dump_rewritten_as_openj9_equals_what_openj9_writes_of_the_heap() {
    for seed in 0..60 {
        let heap = from_seed(&mixed(), seed);
        for (version, profile) in [(Version::V6, "openj9"), (Version::V6, "jdmpview"), (Version::V5, "j9-2.6")] {
            let (direct, through) = through_any(&heap, version, seed, profile).expect("writable");
            assert_eq!(direct, through, "seed {seed}, {profile}");
        }
    }
}

/// Profiles differ in what they tell (order of elements, convention of class words, hashes), so each
/// is given the heap as it tells it itself.
#[test]
fn an_any_dump_rewritten_by_any_profile_carries_nothing_of_its_spelling() {
    for seed in 0..20 {
        for profile in PROFILES.iter().filter(|p| !p.is_seeded() && p.array_fields == FieldSwap::LengthFirst) {
            let version = profile.versions[0];
            let options = LowerOptions { profile, ..LowerOptions::new(version) };
            let told = lower::carry(&mut from_seed(&mixed(), seed), &options).expect("writable");
            let (direct, through) = through_any(&told, version, seed, profile.name).expect("writable");
            assert_eq!(direct, through, "seed {seed}, {}", profile.name);
        }
    }
}

fn mixed() -> GenerateOptions {
    GenerateOptions { objects: 80, placement: Placement::Mixed, ..GenerateOptions::default() }
}
