//! Random ways to write a dump: in any format, version, profile and width.

#![cfg_attr(not(feature = "check"), allow(dead_code, reason = "some of it is for `check` alone"))]

use crate::draw::Draw;
use crate::error::Error;
use crate::family::Wishes;
use crate::generate::GenerateOptions;
use crate::model::{HashRegime, WordSize};
use crate::units::IdSize;

use super::{Family, Format, Lowering, profiles};

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
        let formats: Vec<Format> = Format::all().filter(|f| families.contains(&f.family())).collect();
        let format = *draw.pick(&formats);
        let objects = draw.between(1, most) as usize;
        let drawn = *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
        let seed = draw.u64();
        let (lowering, widths) = random_lowering(format, seed, draw)?;
        let hashes = lowering.hashes().unwrap_or(drawn);
        Ok(Recipe { objects: objects.min(lowering.most_objects()), seed, lowering, widths, hashes })
    }

    /// What the heap has to be like.
    pub(crate) fn generate_options(&self) -> GenerateOptions {
        self.lowering.generate_options(self.objects, Some(self.hashes))
    }
}

/// A random writer of a format, and its widths in words.
fn random_lowering(format: Format, seed: u64, draw: &mut dyn Draw) -> Result<(Lowering, String), Error> {
    let word = Some(*draw.pick(&[WordSize::Bits32, WordSize::Bits64]));
    let id_size = Some(*draw.pick(&IdSize::ALL));
    let of_profile = |name: &str| Wishes { profile: Some(name.to_owned()), seed, ..Wishes::default() };
    let mut written = Vec::new();
    for name in profiles(format) {
        // What readers expect: traps are no part of it.
        if !Lowering::new(format, &of_profile(name))?.is_trap() {
            written.push(name);
        }
    }
    let wishes = of_profile(draw.pick::<&str>(&written));
    let (wishes, widths) = format.family().random_widths(wishes, &Wishes { word, id_size, ..Wishes::default() });
    Ok((Lowering::new(format, &wishes)?, widths))
}
