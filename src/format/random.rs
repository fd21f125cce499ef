//! Random ways to write a dump: in any format, version, profile and width.

#![cfg_attr(not(feature = "check"), allow(dead_code, reason = "some of it is for `check` alone"))]

use crate::draw::Draw;
use crate::error::Error;
use crate::generate::GenerateOptions;
use crate::hprof::{self, IdSize};
use crate::model::{HashRegime, WordSize};
use crate::phd;
use crate::phd::lower::FieldSwap;

use super::{Family, Format, Lowering, Wishes, profiles};

/// How to make a heap, and its dump.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    /// Number of objects.
    pub(crate) objects: usize,
    /// Seed of the heap, and of its spelling.
    pub(crate) seed: u64,
    /// How to write it.
    pub(crate) lowering: Lowering,
    /// The widths in words.
    pub(crate) widths: String,
    hashes: HashRegime,
}

impl Recipe {
    /// A recipe for a dump of one of these families, of at least one object and at most `most`.
    ///
    /// # Errors
    /// If a profile does not have what was drawn, which would be a defect.
    pub(crate) fn draw(families: &[Family], most: u64, draw: &mut dyn Draw) -> Result<Recipe, Error> {
        let formats: Vec<Format> = Format::ALL.into_iter().filter(|f| families.contains(&f.family())).collect();
        let format = *draw.pick(&formats);
        let objects = draw.between(1, most) as usize;
        let drawn = *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
        let seed = draw.u64();
        let (lowering, widths) = random_lowering(format, seed, draw)?;
        let (objects, hashes) = match &lowering {
            // One byte numbers 255 things, names and frames among them.
            Lowering::Hprof(options) if options.id_size == Some(IdSize::One) => (objects.min(20), drawn),
            Lowering::Phd(options) => (objects, options.profile.hashes.unwrap_or(drawn)),
            Lowering::Hprof(_) | Lowering::Classic(_) => (objects, drawn),
        };
        Ok(Recipe { objects, seed, lowering, widths, hashes })
    }

    /// What the heap has to be like.
    pub(crate) fn generate_options(&self) -> GenerateOptions {
        self.lowering.generate_options(self.objects, Some(self.hashes))
    }
}

/// A random writer of a format, and its widths in words.
fn random_lowering(format: Format, seed: u64, draw: &mut dyn Draw) -> Result<(Lowering, String), Error> {
    let word = *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
    let id_size = *draw.pick(&IdSize::ALL);
    let mut profiles = profiles(format);
    if let Format::Phd(_) = format {
        // What readers expect: the trap is no part of it.
        let is_trap = |p: &&phd::lower::Profile| p.array_fields != FieldSwap::LengthFirst;
        let traps: Vec<&str> = phd::lower::PROFILES.iter().filter(is_trap).map(|p| p.name).collect();
        profiles.retain(|name| !traps.contains(name));
    }
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
