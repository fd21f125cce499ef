//! Golden dumps: a specimen in every profile, version and word size.

use std::sync::Arc;

use crate::bytes::gzip;
use crate::error::Error;
use crate::family::case::{Case, CaseOrigin, CaseVerdict, RightAnswer};
use crate::findings::RuleKind;
use crate::generate::{GenerateOptions, Placement, VERSION, from_seed};
use crate::lower::Adherence;
use crate::model::{HashRegime, Heap, IdentityHash, WordSize};
use crate::phd::lower::{self, LowerOptions, PROFILES, Profile};
use crate::phd::open::format;
use crate::phd::{Version, book};

use super::specimen::{Letters, Specimen, specimen};

pub(super) fn cases() -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for version in Version::ALL {
        for profile in PROFILES.iter().filter(|p| p.versions.contains(&version)) {
            for word in [WordSize::Bits32, WordSize::Bits64] {
                for hashes in regimes(profile) {
                    let seeds = if profile.is_seeded() { 1..=3 } else { 0..=0 };
                    for seed in seeds {
                        cases.push(golden(
                            LowerOptions { version, profile, word: Some(word), seed, adherence: Adherence::Writer },
                            hashes,
                        )?);
                    }
                }
            }
        }
    }
    cases.extend(random()?.into_iter().map(|case| Case { kind: CaseOrigin::Random, ..case }));
    cases.extend(two_heaps()?);
    cases.push(zero_hash()?);
    cases.push(compressed()?);
    cases.push(odd_names()?);
    Ok(cases)
}

/// The dump that the compressed one is made from.
pub(super) fn base_dump(version: Version, profile: &str, word: WordSize) -> Result<(Vec<u8>, Heap), Error> {
    let options = LowerOptions { word: Some(word), ..LowerOptions::new(version).with_profile(profile)? };
    let hashes = options.profile.hashes.unwrap_or(HashRegime::WhereUsed32);
    let heap = specimen(Specimen { word, hashes, letters: Letters::Plain });
    Ok((lower::to_bytes(&heap, &options)?, lower::carry(&mut heap.clone(), &options)?))
}

fn regimes(profile: &Profile) -> Vec<HashRegime> {
    match profile.hashes {
        Some(regime) => vec![regime],
        // Units of 8 bytes go with 32-bit hashes alone, so `any` meets both in its seeds.
        None => vec![HashRegime::WhereUsed32, HashRegime::Every16],
    }
}

fn golden(options: LowerOptions, hashes: HashRegime) -> Result<Case, Error> {
    let LowerOptions { version, profile, seed, .. } = options;
    let word = options.word.unwrap_or(WordSize::Bits64);
    let mut heap = specimen(Specimen { word, hashes, letters: Letters::Plain });
    let (number, bits) = (version.number(), word.bits());
    let mut id = format!("phd{number}-{}-{bits}", profile.name);
    if profile.hashes.is_none() {
        id += if hashes == HashRegime::Every16 { "-h16" } else { "-h32" };
    }
    if profile.is_seeded() {
        id += &format!("-seed{seed}");
    }
    let expected = lower::carry(&mut heap, &options)?;
    let mut answers = vec![RightAnswer::Reads("phd.length-and-size=length-first", Arc::new(expected.clone()))];
    let swapped = profile.array_fields == lower::FieldSwap::SizeFirst;
    if swapped {
        // What the writer meant: the heap as another profile of the same version tells it.
        let meant = LowerOptions { profile: &AS_MEANT, ..options };
        answers.push(RightAnswer::Reads("phd.length-and-size=size-first", Arc::new(lower::carry(&mut heap, &meant)?)));
    }
    let mut shows: Vec<&'static str> = book::BOOK
        .rule
        .iter()
        .filter(|rule| rule.kind == RuleKind::Writer && rule.versions.contains(&number))
        .filter(|rule| rule.profiles.contains(&profile.name))
        .map(|rule| rule.id)
        .filter(|id| !NOT_IN_THE_SPECIMEN.contains(id))
        .collect();
    if id == "phd6-openj9-64" {
        shows.extend(SHOWN_BY_THE_SPECIMEN);
    }
    let summary = format!("specimen, {bits}-bit words: {}", profile.summary);
    let recipe = format!("specimen({bits}, {hashes:?}) lowered with profile {}, seed {seed}", profile.name);
    let (keeps, bytes) = (kept_rules(&id), lower::to_bytes(&heap, &options)?);
    let made = Case::valid(id, format(version), summary, recipe, bytes, expected);
    Ok(Case { verdict: CaseVerdict::from_answers(&answers), keeps, shows, answers, ..made })
}

/// The writer that S0 describes, with the two fields in the order that readers expect.
static AS_MEANT: Profile = {
    let mut index = 0;
    while !matches!(PROFILES[index].array_fields, lower::FieldSwap::SizeFirst) {
        index += 1;
    }
    Profile { array_fields: lower::FieldSwap::LengthFirst, ..PROFILES[index] }
};

/// Writer rules that take another heap than the specimen.
const NOT_IN_THE_SPECIMEN: [&str; 5] = [
    "phd.hash.converted",
    "phd.hash.zero",
    "phd.references.derived-order",
    "phd.array.computed-size",
    "phd.writer.defaults",
];

/// Rules without a profile of their own that the specimen shows in its plainest dump.
const SHOWN_BY_THE_SPECIMEN: [&str; 31] = [
    "phd.class.native-superclass",
    "phd.class.native-class-objects",
    "phd.header.tag-namespaces",
    "phd.words.byte-order",
    "phd.words.word",
    "phd.record.tag-bits",
    "phd.record.width-codes",
    "phd.record.flags-byte",
    "phd.record.any-count",
    "phd.gap.base",
    "phd.gap.signed",
    "phd.gap.unit",
    "phd.references.base",
    "phd.short-object.layout",
    "phd.medium-object.layout",
    "phd.long-object.layout",
    "phd.class-cache.round-robin",
    "phd.class-cache.untouched",
    "phd.hash.where-used",
    "phd.primitive-array.layout",
    "phd.primitive-array.type-codes",
    "phd.long-primitive-array.layout",
    "phd.array.instance-size",
    "phd.object-array.layout",
    "phd.object-array.true-length",
    "phd.class.layout",
    "phd.class.instance-size",
    "phd.class.name",
    "phd.class.references",
    "phd.class.position",
    "phd.file.kept-prefix",
];

/// Rules of the bytes that a golden dump keeps where it could break them.
fn kept_rules(id: &str) -> Vec<&'static str> {
    match id {
        // No notes in this list: what a note is about has no side that keeps it.
        "phd6-openj9-64" => book::ALL.iter().map(|rule| rule.0).filter(|id| !NOT_KEPT.contains(id)).collect(),
        "phd4-sovereign-32" => vec![book::HEADER_TOTALS.0],
        "phd5-j9-2.4-32" => vec![book::HASH_16_BIT_VALUE.0],
        _ => Vec::new(),
    }
}

/// Rules that other cases keep: the plainest dump has neither totals nor 16-bit hashes.
const NOT_KEPT: [&str; 2] = [book::HEADER_TOTALS.0, book::HASH_16_BIT_VALUE.0];

/// Random heaps: what a writer makes of fields, statics, loaders and 32-bit hashes.
fn random() -> Result<Vec<Case>, Error> {
    let shows: &[&'static str] = &[
        "phd.references.derived-order",
        "phd.hash.converted",
        "phd.writer.defaults",
        "phd.class.native-references",
        "phd.array.computed-size",
    ];
    let mut cases = Vec::new();
    for (version, profile) in
        [(Version::V4, "j9-2.3"), (Version::V5, "j9-2.4"), (Version::V6, "openj9"), (Version::V6, "any")]
    {
        let mut options = LowerOptions { seed: 1, ..LowerOptions::new(version).with_profile(profile)? };
        let placement = if options.profile.is_seeded() { Placement::Mixed } else { Placement::Ordered };
        let mut heap = from_seed(&GenerateOptions { objects: 40, placement, ..GenerateOptions::default() }, 1);
        // What the heap does not say, the writer fills in.
        heap.facts.word_size = None;
        for object in heap.objects.iter_mut().step_by(2) {
            object.size = None;
        }
        options.word = None;
        let expected = lower::carry(&mut heap, &options)?;
        cases.push(Case {
            shows: shows.to_vec(),
            ..Case::valid(
                format!("phd{}-{profile}-random", version.number()),
                format(version),
                "a random heap with fields, statics and loaders, sizes partly unknown".to_owned(),
                format!(
                    "generate 40 objects from seed 1 of generator {VERSION}, forget the word size and every other size, lower with {profile}"
                ),
                lower::to_bytes(&heap, &options)?,
                expected,
            )
        });
    }
    Ok(cases)
}

/// The two heaps of one VM, a dump for each.
fn two_heaps() -> Result<Vec<Case>, Error> {
    let word = WordSize::Bits64;
    let whole = specimen(Specimen { word, hashes: HashRegime::WhereUsed32, letters: Letters::Plain });
    let options = LowerOptions::new(Version::V6);
    (0..2)
        .map(|part| {
            let objects = whole.objects.iter().enumerate().filter(|(n, _)| n % 2 == part).map(|(_, o)| o.clone());
            let mut heap = Heap { objects: objects.collect(), ..whole.clone() };
            let expected = lower::carry(&mut heap, &options)?;
            Ok(Case {
                shows: vec!["phd.file.heap-per-file"],
                ..Case::valid(
                    format!("phd6-openj9-heap-{}-of-2", part + 1),
                    format(Version::V6),
                    "one of two heaps of a VM: every class, half of the objects, references across".to_owned(),
                    format!("every second object of the specimen from number {part}, lowered with openj9"),
                    lower::to_bytes(&heap, &options)?,
                    expected,
                )
            })
        })
        .collect()
}

/// A name that is not ASCII, as the native writer spells it.
fn odd_names() -> Result<Case, Error> {
    let (word, hashes) = (WordSize::Bits64, HashRegime::WhereUsed32);
    let mut heap = specimen(Specimen { word, hashes, letters: Letters::Odd });
    let options = LowerOptions::new(Version::V6);
    let expected = lower::carry(&mut heap, &options)?;
    Ok(Case {
        keeps: vec![book::CLASS_NAME_ENCODING.0],
        ..Case::valid(
            "phd6-openj9-odd-names".to_owned(),
            format(Version::V6),
            "a name with characters of two, three and six bytes, and U+0000".to_owned(),
            "specimen with odd names lowered with openj9".to_owned(),
            lower::to_bytes(&heap, &options)?,
            expected,
        )
    })
}

/// A 32-bit hash of 0 in the heap.
fn zero_hash() -> Result<Case, Error> {
    let mut heap =
        specimen(Specimen { word: WordSize::Bits64, hashes: HashRegime::WhereUsed32, letters: Letters::Plain });
    for object in &mut heap.objects {
        if object.hash.is_some() {
            object.hash = Some(IdentityHash::Bits32(0));
        }
    }
    let options = LowerOptions::new(Version::V6);
    let expected = lower::carry(&mut heap, &options)?;
    Ok(Case {
        shows: vec!["phd.hash.zero"],
        ..Case::valid(
            "phd6-openj9-zero-hash".to_owned(),
            format(Version::V6),
            "objects whose identity hash is 0 look like objects without one".to_owned(),
            "specimen with every object's hash set to 0, lowered with openj9".to_owned(),
            lower::to_bytes(&heap, &options)?,
            expected,
        )
    })
}

/// The plainest golden dump inside gzip. Stored, not deflated, so that the bytes do not depend on a
/// compressor's version.
fn compressed() -> Result<Case, Error> {
    let (bytes, expected) = base_dump(Version::V6, "openj9", WordSize::Bits64)?;
    Ok(Case {
        shows: vec!["phd.file.compressed"],
        ..Case::valid(
            "phd6-compressed".to_owned(),
            format(Version::V6),
            "a dump inside gzip, told by its first two bytes".to_owned(),
            "phd6-openj9-64 in one gzip member, stored".to_owned(),
            gzip::members([&*bytes]),
            expected,
        )
    })
}
