//! Random cases: dumps of random heaps in random formats, versions, profiles and widths.

use crate::corpus::{Answer, Case, Verdict};
use crate::draw::{Draw, SeedDraw};
use crate::error::Error;
use crate::format::{Family, Format, Lowering, Wishes};
use crate::generate::from_seed;
use crate::hprof::{self, IdSize};
use crate::model::{HashRegime, HeapSource, WordSize};
use crate::phd::lower::FieldSwap;
use crate::{classic, phd};

/// One of the random cases of a seed: whatever others there are, it is the same.
///
/// # Errors
/// If a heap cannot be written, which would be a defect.
pub(super) fn random_case(seed: u64, index: u64, families: &[Family]) -> Result<Case, Error> {
    let mut draw = SeedDraw::numbered(seed, index);
    let draw: &mut dyn Draw = &mut draw;
    let formats: Vec<Format> = Format::ALL.into_iter().filter(|f| families.contains(&f.family())).collect();
    let format = *draw.pick(&formats);
    let objects = draw.between(1, 120) as usize;
    let drawn = *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
    let heap_seed = draw.u64();
    let (lowering, widths) = random_lowering(format, heap_seed, draw)?;
    let (objects, hashes) = match &lowering {
        // One byte numbers 255 things, names and frames among them.
        Lowering::Hprof(options) if options.id_size == Some(IdSize::One) => (objects.min(20), drawn),
        Lowering::Phd(options) => (objects, options.profile.hashes.unwrap_or(drawn)),
        Lowering::Hprof(_) | Lowering::Classic(_) => (objects, drawn),
    };
    let mut heap = from_seed(&lowering.generate_options(objects, Some(hashes)), heap_seed);
    let mut source: &mut dyn HeapSource = &mut heap;
    let expected = lowering.carry(&mut source)?.heaps.remove(0);
    let mut bytes = Vec::new();
    lowering.write(&mut source, &mut bytes)?;
    Ok(Case {
        id: format!("random-{seed}-{index:06}"),
        summary: format!("{objects} random objects"),
        format,
        heap: None,
        recipe: format!("{objects} objects from seed {heap_seed}, {format}, {}, {widths}", lowering.profile()),
        bytes,
        verdict: Verdict::Valid,
        keeps: Vec::new(),
        breaks: None,
        shows: Vec::new(),
        records_due: (expected.classes.len() + expected.objects.len()) as u64,
        answers: vec![Answer::Reads("as written", Box::new(expected))],
    })
}

/// A random writer of a format, and its widths in words.
fn random_lowering(format: Format, seed: u64, draw: &mut dyn Draw) -> Result<(Lowering, String), Error> {
    let word = *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
    let id_size = *draw.pick(&IdSize::ALL);
    let profiles: Vec<&'static str> = match format {
        Format::Phd(version) => {
            // What readers expect: the trap is no part of it.
            let written = phd::lower::PROFILES.iter().filter(|p| p.versions.contains(&version));
            written.filter(|p| p.array_fields == FieldSwap::LengthFirst).map(|p| p.name).collect()
        }
        Format::Hprof => hprof::PROFILES.iter().map(|p| p.name).collect(),
        Format::Classic => classic::PROFILES.iter().map(|p| p.name).collect(),
    };
    let profile = *draw.pick(&profiles);
    let wishes = Wishes { profile: Some(profile.to_owned()), seed, ..Wishes::default() };
    Ok(match format {
        Format::Phd(_) | Format::Classic => {
            let lowering = Lowering::new(format, &Wishes { word: Some(word), ..wishes })?;
            (lowering, format!("{} bits", word.bits()))
        }
        Format::Hprof => {
            // Real writers have identifiers of 4 or 8 bytes, some of one size alone.
            let profile = hprof::PROFILES.iter().find(|p| p.name == profile);
            let id_size = match profile {
                Some(profile) if profile.id_size.is_some() => None,
                Some(profile) if !profile.is_seeded() && id_size < IdSize::Four => Some(IdSize::Four),
                _ => Some(id_size),
            };
            let widths = id_size.map_or("identifiers of its own size".to_owned(), |size| {
                format!("identifiers of {} bytes", size.bytes())
            });
            (Lowering::new(format, &Wishes { id_size, ..wishes })?, widths)
        }
    })
}
