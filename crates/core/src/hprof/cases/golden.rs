//! Golden HPROF dumps: a specimen in every profile, framing and size of identifiers.

use crate::error::Error;
use crate::family::Lowering;
use crate::family::case::gzip::{chain, member};
use crate::family::case::{Case, CaseOrigin};
use crate::findings::RuleKind;
use crate::generate::{VERSION, from_seed};
use crate::hprof::lower::{SegmentCut, library};
use crate::hprof::open::FORMAT;
use crate::hprof::{Decoder, IdSize, LowerOptions, PROFILES, Profile, book};
use crate::model::{Dump, Heap};

use super::specimen::{SerialNumbering, Specimen, SpecimenTwist, later, specimen};

pub(super) fn cases() -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for profile in PROFILES {
        let sizes: &[IdSize] = match profile.id_size {
            Some(IdSize::Four) => &[IdSize::Four],
            _ => &[IdSize::Four, IdSize::Eight],
        };
        for &id in sizes {
            if profile.is_seeded() {
                for seed in 1..=4 {
                    cases.push(golden(&options(profile, None, id, seed))?);
                }
            } else {
                let ways = (0..profile.framings.len()).map(|way| golden(&options(profile, Some(way), id, 0)));
                let mut ways = ways.collect::<Result<Vec<Case>, Error>>()?;
                // What only differs beyond some size is the same here.
                ways.dedup_by(|way, usual| way.bytes == usual.bytes);
                cases.extend(ways);
            }
        }
    }
    cases.extend(random()?.into_iter().map(|case| Case { kind: CaseOrigin::Random, ..case }));
    cases.extend(two_heaps()?);
    cases.extend(compressed()?);
    cases.extend(odd_cases()?);
    Ok(cases)
}

fn options(profile: &'static Profile, way: Option<usize>, id: IdSize, seed: u64) -> LowerOptions {
    let framing = way.and_then(|way| profile.framings.get(way));
    LowerOptions { profile, framing, id_size: Some(id), seed, ..LowerOptions::default() }
}

/// The dump that compressed ones are made from.
pub(super) fn base_dump(name: &str, way: usize, id: IdSize) -> Result<(Vec<u8>, Heap), Error> {
    let profile = LowerOptions::default().with_profile(name)?.profile;
    let heap = specimen(specimen_for(profile, id, SpecimenTwist::Plain));
    let (bytes, dump) = write_and_carry(vec![heap], &options(profile, Some(way), id, 0))?;
    Ok((bytes, dump.heaps.into_iter().next().unwrap_or_default()))
}

fn specimen_for(profile: &Profile, id: IdSize, twist: SpecimenTwist) -> Specimen {
    Specimen { id, numbers: SerialNumbering::for_profile(profile.name), library: library(profile.name), twist }
}

/// Specimens with one thing out of the ordinary.
fn odd_cases() -> Result<Vec<Case>, Error> {
    let all = [
        (
            "odd-names",
            SpecimenTwist::Names,
            "hotspot-25",
            IdSize::Eight,
            "names with U+0000, supplementary characters and lone surrogates",
        ),
        (
            "odd-values",
            SpecimenTwist::Values,
            "hotspot-25",
            IdSize::Eight,
            "the lowest and highest values of every type",
        ),
        ("dangling", SpecimenTwist::Dangling, "hotspot-25", IdSize::Eight, "references and a root that lead nowhere"),
        ("high-addresses", SpecimenTwist::HighAddresses, "hotspot-25", IdSize::Eight, "addresses above 2^63"),
        ("high-addresses", SpecimenTwist::HighAddresses, "hotspot-8", IdSize::Four, "addresses above 2^31"),
    ];
    let mut cases = Vec::new();
    for (name, twist, profile, id, summary) in all {
        let profile = LowerOptions::default().with_profile(profile)?.profile;
        let heap = specimen(specimen_for(profile, id, twist));
        let (bytes, dump) = write_and_carry(vec![heap], &options(profile, None, id, 0))?;
        let size = id.bytes();
        cases.push(case(
            format!("hprof-{}-{size}-{name}", profile.name),
            format!("specimen with {summary}"),
            format!("specimen({size}, {twist:?}) lowered with profile {}", profile.name),
            bytes,
            dump.heaps.into_iter().next().unwrap_or_default(),
        )?);
    }
    Ok(cases)
}

/// The name of a framing that is not the profile's usual one.
fn framing_suffix(options: &LowerOptions) -> &'static str {
    let usual = options.profile.framings.first();
    match options.framing.filter(|framing| Some(*framing) != usual).map(|framing| framing.cut) {
        None => "",
        Some(SegmentCut::Whole) => "-whole",
        Some(SegmentCut::Giant) => "-giant",
        Some(SegmentCut::Arrays) => "-arrays",
        Some(SegmentCut::Each) => "-each",
        Some(
            SegmentCut::SharedBuffer
            | SegmentCut::OwnBuffer(_)
            | SegmentCut::Android
            | SegmentCut::Drawn
            | SegmentCut::Count(_),
        ) => "-buffer",
    }
}

fn write_and_carry(heaps: Vec<Heap>, options: &LowerOptions) -> Result<(Vec<u8>, Dump), Error> {
    let lowering = Lowering::from(*options);
    let mut dump = Dump { heaps, tail: Vec::new() };
    let mut bytes = Vec::new();
    lowering.write(&mut dump, &mut bytes)?;
    Ok((bytes, lowering.carry(&mut dump)?))
}

/// The number of records and sub-records of a dump, as the decoder counts them; bytes spelled by hand hold the decoder
/// to it.
fn count_records(bytes: &[u8]) -> Result<u64, Error> {
    let mut decoder = Decoder::new(bytes)?;
    decoder.visit::<Error, _>(|_| Ok(()))?;
    Ok(decoder.index())
}

fn case(id: String, summary: String, recipe: String, bytes: Vec<u8>, heap: Heap) -> Result<Case, Error> {
    let records_due = count_records(&bytes)?;
    Ok(Case { records_due, ..Case::valid(id, FORMAT, summary, recipe, bytes, heap) })
}

fn golden(options: &LowerOptions) -> Result<Case, Error> {
    let LowerOptions { profile, seed, .. } = *options;
    let size = options.id_size.map_or(8, IdSize::bytes);
    let mut id = format!("hprof-{}-{size}{}", profile.name, framing_suffix(options));
    if profile.is_seeded() {
        id += &format!("-seed{seed}");
    }
    let numbers = SerialNumbering::for_profile(profile.name);
    let heap = specimen(specimen_for(profile, options.id_size.unwrap_or(IdSize::Eight), SpecimenTwist::Plain));
    let (bytes, dump) = write_and_carry(vec![heap], options)?;
    let heap = dump.heaps.into_iter().next().unwrap_or_default();
    let summary = format!("specimen, identifiers of {size} bytes, as {} writes it", profile.name);
    let recipe = format!(
        "specimen({size}, {numbers:?}) lowered with profile {}{}, seed {seed}",
        profile.name,
        framing_suffix(options)
    );
    Ok(Case { keeps: kept_rules(&id), shows: shown_rules(profile), ..case(id, summary, recipe, bytes, heap)? })
}

/// The rules of a profile's writer that its dump of the specimen shows.
fn shown_rules(profile: &Profile) -> Vec<&'static str> {
    let rules = book::BOOK.rule.iter().filter(|rule| rule.kind == RuleKind::Writer);
    rules
        .filter(|rule| rule.profiles.contains(&profile.name))
        .map(|rule| rule.id)
        .filter(|id| !id.ends_with("-gzip"))
        .collect()
}

/// Rules of the bytes that a golden dump keeps where it could break them.
fn kept_rules(id: &str) -> Vec<&'static str> {
    match id {
        "hprof-hotspot-25-8" => book::ALL.iter().map(|rule| rule.0).filter(|id| !NOT_KEPT.contains(id)).collect(),
        "hprof-agent-4" => vec!["hprof.sites.reserved-flags", "hprof.control.reserved-flags"],
        "hprof-hotspot-8-8" => vec!["hprof.segment.wrapped-length", "hprof.segment.end-alone"],
        "hprof-art-4" => vec!["hprof.extension.tag"],
        _ => Vec::new(),
    }
}

/// Rules that other cases keep.
const NOT_KEPT: [&str; 4] = [
    "hprof.sites.reserved-flags",
    "hprof.control.reserved-flags",
    "hprof.segment.wrapped-length",
    "hprof.extension.tag",
];

/// Random heaps, in identifiers of 1 and 2 bytes as well.
fn random() -> Result<Vec<Case>, Error> {
    let wanted = [
        ("hotspot-25", IdSize::One, 6, 4),
        ("hotspot-17", IdSize::Two, 30, 7),
        ("hotspot-25", IdSize::Eight, 40, 1),
        ("any", IdSize::Four, 40, 5),
        ("any", IdSize::Eight, 40, 6),
    ];
    let mut cases = Vec::new();
    for (name, id, objects, seed) in wanted {
        let profile = LowerOptions::default().with_profile(name)?.profile;
        let options = options(profile, None, id, seed);
        let heap = from_seed(&Lowering::from(options).generate_options(objects, None), seed);
        let (bytes, dump) = write_and_carry(vec![heap], &options)?;
        let size = id.bytes();
        cases.push(case(
            format!("hprof-{name}-{size}-random"),
            format!("a random heap, identifiers of size {size}"),
            format!("generate {objects} objects from seed {seed} of generator {VERSION}, lower with {name}"),
            bytes,
            dump.heaps.into_iter().next().unwrap_or_default(),
        )?);
    }
    Ok(cases)
}

/// One process dumped twice into one file; a case for each heap.
fn two_heaps() -> Result<Vec<Case>, Error> {
    let agent = LowerOptions::default().with_profile("agent")?;
    let first = specimen(specimen_for(agent.profile, IdSize::Four, SpecimenTwist::Plain));
    let (bytes, dump) =
        write_and_carry(vec![first.clone(), later(first)], &options(agent.profile, Some(1), IdSize::Four, 0))?;
    let each = |(heap, number): (Heap, u64)| {
        let id = format!("hprof-agent-4-heap-{}-of-2", number + 1);
        let summary = "two heaps in one file, the second with what is new alone in its tables".to_owned();
        let recipe = "specimen(4, Agent), and again with another class, lowered with profile agent-whole".to_owned();
        let shows = vec!["hprof.heap.several", "hprof.tables.kept"];
        Ok(Case { heap: Some(number), shows, ..case(id, summary, recipe, bytes.clone(), heap)? })
    };
    dump.heaps.into_iter().zip(0..).map(each).collect()
}

/// Dumps inside gzip, stored and not deflated, so that the bytes do not depend on a compressor.
fn compressed() -> Result<Vec<Case>, Error> {
    let make = |name: &str, (profile, way, of): (&str, usize, &str), summary: &str, cut: &dyn Fn(&[u8]) -> Vec<u8>| {
        let (plain, heap) = base_dump(profile, way, IdSize::Eight)?;
        let bytes = cut(&plain);
        let recipe = format!("{of}, stored in gzip: {summary}");
        let id = format!("hprof-{name}");
        Ok::<Case, Error>(Case { bytes, ..case(id, summary.to_owned(), recipe, plain, heap)? })
    };
    let sa = ("sa", 1, "hprof-sa-8-arrays");
    let hotspot = ("hotspot-17", 0, "hprof-hotspot-17-8");
    let newest = ("hotspot-25", 0, "hprof-hotspot-25-8");
    let one = make("compressed", sa, "one gzip member", &|plain| member(plain, None))?;
    let blocks = make("compressed-blocks", hotspot, "members of 1000 bytes, the first with its comment", &|plain| {
        chain(plain, 1000, Some("HPROF BLOCKSIZE=1000"))
    })?;
    let newest = make("compressed-25", newest, "members of 1500 bytes, the first with its comment", &|plain| {
        chain(plain, 1500, Some("HPROF BLOCKSIZE=1500"))
    })?;
    let bare =
        make("compressed-members", hotspot, "members of 777 bytes without a comment, one of them empty", &|plain| {
            [chain(&plain[..1554], 777, None), member(&[], None), chain(&plain[1554..], 777, None)].concat()
        })?;
    Ok(vec![
        Case { shows: vec!["hprof.file.compressed", "hprof.file.sa-gzip"], ..one },
        Case { shows: vec!["hprof.file.gzip-members", "hprof.file.hotspot-17-gzip"], ..blocks },
        Case { shows: vec!["hprof.file.gzip-members", "hprof.file.hotspot-25-gzip"], ..newest },
        Case { shows: vec!["hprof.file.gzip-members", "hprof.file.compressed"], ..bare },
    ])
}
