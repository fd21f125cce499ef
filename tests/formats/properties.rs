//! The fuzz properties as smoke tests, with bytes from ChaCha8 and from the corpus.

use std::collections::BTreeMap;

use heapsmith::classic::{self, Charset, Encoding};
use heapsmith::corpus::{Case, CaseVerdict, cases};
use heapsmith::corrupt::EditMap;
use heapsmith::draw::{Draw, DrawStream, SeedDraw};
use heapsmith::format::{Family, Lowering};
use heapsmith::generate::{GenerateOptions, Placement, from_seed};
use heapsmith::hprof::IdSize;
use heapsmith::hprof::decode::WHOLE;
use heapsmith::input::Input;
use heapsmith::phd::Version;
use heapsmith::phd::lower::{self, FieldSwap, LowerOptions, PROFILES};
use heapsmith::phd::properties::through_any;
use heapsmith::properties;
use heapsmith::validate::{ValidateOptions, validate};

fn random_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut draw = SeedDraw::new(seed, DrawStream::Heap);
    std::iter::repeat_with(|| draw.u32().to_le_bytes()).flatten().take(length).collect()
}

#[test]
fn every_property_holds_for_random_bytes() {
    for format in properties::all_properties() {
        for (name, property) in format.iter() {
            for seed in 0..150 {
                println!("{} {name} {seed}", format.of);
                property(&random_bytes(seed, 4096));
            }
            property(&[]);
        }
    }
}

#[test]
fn every_property_of_bytes_holds_for_every_corpus_case_and_for_generated_dumps() {
    for (id, bytes) in dumps() {
        for format in properties::all_properties() {
            for (name, property) in format.of_bytes {
                println!("{} {name} {id}", format.of);
                property(&bytes);
            }
        }
    }
}

/// Damage at random places, which reaches deeper than random bytes from the start.
#[test]
fn every_property_of_bytes_holds_for_dumps_with_random_damage() {
    let mut draw = SeedDraw::new(1, DrawStream::Corruption);
    let draw: &mut dyn Draw = &mut draw;
    let dumps = dumps();
    for round in 0..3_000 {
        let (id, bytes) = draw.pick(&dumps);
        let mut bytes = bytes.clone();
        for _ in 0..draw.between(1, 4) {
            let at = draw.below(bytes.len() as u64) as usize;
            bytes[at] = draw.u32() as u8;
        }
        for format in properties::all_properties() {
            for (name, property) in format.of_bytes {
                println!("{} {name} {id} {round}", format.of);
                property(&bytes);
            }
        }
    }
}

/// The corpus, and a few small HPROF and classic dumps of each profile.
fn dumps() -> Vec<(String, Vec<u8>)> {
    // Large contents take most of the time and find nothing more.
    let small = cases().expect("recipes work").into_iter().filter(|case| case.bytes.len() < 20_000);
    let mut dumps: Vec<_> = small.map(|case| (case.id, case.bytes)).collect();
    for profile in heapsmith::hprof::PROFILES {
        for id_size in IdSize::ALL {
            let options = heapsmith::hprof::LowerOptions::default().profile(profile).id_size(id_size);
            let mut heap = from_seed(&Lowering::from(options).generate_options(12, None), 5);
            heap.objects.retain(|object| object.length.is_none_or(|length| length < 200));
            let bytes = heapsmith::hprof::lower::to_bytes(&heap, &options).expect("writable");
            dumps.push((format!("{} {}", profile.name, id_size.bytes()), bytes));
        }
    }
    for profile in heapsmith::classic::PROFILES {
        for charset in Charset::ALL {
            let encoding = Encoding { charset, newline: charset.newline() };
            let options = classic::LowerOptions::default().profile(profile).encoding(encoding);
            let heap = from_seed(&Lowering::from(options).generate_options(12, None), 5);
            let bytes = classic::lower::to_bytes(&heap, &options).expect("writable");
            dumps.push((format!("{} {}", profile.name, charset.name()), bytes));
        }
    }
    dumps
}

/// Contents beyond what is delivered whole, of every unit, and each cut short.
#[test]
fn every_property_of_bytes_holds_where_contents_come_in_pieces() {
    for id in IdSize::ALL {
        for version in ["1.0.2", "1.0.3"] {
            let whole = in_pieces(id, version);
            let mut cuts = vec![whole.len()];
            cuts.extend([WHOLE, WHOLE + 100, 2 * WHOLE + 33, 3 * WHOLE + 50, 4 * WHOLE + 60, 5 * WHOLE + 90]);
            for cut in cuts {
                for (name, property) in Family::HPROF.properties().of_bytes {
                    println!("{name} {id:?} {version} {cut}");
                    property(&whole[..cut]);
                }
            }
        }
    }
}

/// A string, an unknown record, a long array, an instance and a reference array of some 300 KiB each.
fn in_pieces(id: IdSize, version: &str) -> Vec<u8> {
    let much: Vec<u8> = (0..WHOLE as u32 + 40_000).map(|n| (n % 251) as u8).collect();
    let put = |out: &mut Vec<u8>, value: u8| {
        out.extend(std::iter::repeat_n(0, id.bytes() - 1));
        out.push(value);
    };
    let record = |out: &mut Vec<u8>, tag: u8, body: &[u8]| {
        out.extend([tag, 0, 0, 0, 0]);
        out.extend((body.len() as u32).to_be_bytes());
        out.extend_from_slice(body);
    };
    let mut out = format!("JAVA PROFILE {version}\0").into_bytes();
    out.extend((id.bytes() as u32).to_be_bytes());
    out.extend([0; 8]);
    let mut text = Vec::new();
    put(&mut text, 9);
    text.extend_from_slice(&much);
    record(&mut out, 0x01, &text);
    record(&mut out, 0xf1, &much);
    let mut segment = vec![0x23];
    put(&mut segment, 3);
    segment.extend([0, 0, 0, 1]);
    segment.extend((much.len() as u32 / 8).to_be_bytes());
    segment.push(11);
    segment.extend_from_slice(&much[..much.len() / 8 * 8]);
    segment.push(0x23);
    put(&mut segment, 4);
    segment.extend([0, 0, 0, 1]);
    segment.extend((much.len() as u32 - 3).to_be_bytes());
    segment.push(8);
    segment.extend_from_slice(&much[3..]);
    segment.push(0x21);
    put(&mut segment, 5);
    segment.extend([0, 0, 0, 1]);
    put(&mut segment, 2);
    segment.extend((much.len() as u32 - 1).to_be_bytes());
    segment.extend_from_slice(&much[1..]);
    segment.push(0x22);
    put(&mut segment, 6);
    segment.extend([0, 0, 0, 1]);
    segment.extend((much.len() as u32 / id.bytes() as u32).to_be_bytes());
    put(&mut segment, 2);
    segment.extend_from_slice(&much[..much.len() / id.bytes() * id.bytes()]);
    record(&mut out, 0x1c, &segment);
    record(&mut out, 0x2c, &[]);
    out
}

#[test]
fn every_edit_of_hprof_is_found_in_every_golden_dump_that_has_a_place_for_it() {
    // What is compressed, or has an empty segment at its end, is not what the map is of.
    every_edit_is_found::<heapsmith::hprof::corrupt::MappedDump>();
}

#[test]
fn every_edit_of_classic_is_found_in_every_golden_dump_that_has_a_place_for_it() {
    every_edit_is_found::<heapsmith::classic::corrupt::MappedDump>();
}

fn every_edit_is_found<M: EditMap>() {
    // Of contents that come in pieces a finding names the piece.
    let is_short = |case: &Case| case.bytes.len() < 200_000;
    let golden = |case: &Case| {
        case.format.family() == M::FAMILY
            && case.verdict == CaseVerdict::Valid
            && case.breaks.is_none()
            && is_short(case)
    };
    let (mut made, mut wrong) = (BTreeMap::new(), Vec::new());
    for case in cases().expect("recipes work").into_iter().filter(golden) {
        let Ok(map) = M::from_bytes(case.bytes.clone()) else { continue };
        for edit in M::EDITS {
            let Some(edited) = edit.apply(&map) else { continue };
            let report = validate(&Input::from_memory(edit.name, edited.bytes), ValidateOptions::default());
            let report = report.expect("memory can be read");
            // Of each rule the first 20 findings are kept.
            let many = report.counts.iter().any(|count| count.rule == edit.rule && count.count > 20);
            let found = report.findings.iter().any(|f| f.rule == edit.rule && f.offset == edited.offset);
            if !(found || many) {
                wrong.push(format!("{} at {:#x} in {}: {:?}", edit.name, edited.offset, case.id, report.findings));
            }
            *made.entry(edit.name).or_insert(0) += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(made.len(), M::EDITS.len(), "each has a place somewhere");
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
            let options = LowerOptions::new(version).profile(profile);
            let told = lower::carry(&mut from_seed(&mixed(), seed), &options).expect("writable");
            let (direct, through) = through_any(&told, version, seed, profile.name).expect("writable");
            assert_eq!(direct, through, "seed {seed}, {}", profile.name);
        }
    }
}

fn mixed() -> GenerateOptions {
    GenerateOptions::default().objects(80).placement(Placement::Mixed)
}
