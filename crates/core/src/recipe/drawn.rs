//! Random recipes: in any format, version, profile and width; plain, or with something odd.

#![cfg_attr(
    not(any(feature = "arbitrary", feature = "corpus", feature = "quickcheck")),
    allow(dead_code, reason = "random dumps are for tests")
)]

use crate::bytes::charset::{Charset, Newline};
use crate::bytes::ebcdic::CodePage;
use crate::draw::Draw;
use crate::error::Error;
use crate::family::WriteRequest;
use crate::format::{Family, Format, Lowering, profiles};
use crate::generate::{Oddities, Oddity, Placement, Preset, Share};
use crate::model::{HashRegime, WordSize};
use crate::units::IdSize;

use super::Recipe;

impl Recipe {
    /// A recipe for a dump of one of these families, of at least one object and at most `most`: in 6 of 10 cases plain, in
    /// 3 with one oddity, and else with several.
    ///
    /// # Errors
    /// If a profile does not have what was drawn, which would be a defect.
    #[doc(hidden)]
    pub fn draw(families: &[Family], most: u64, draw: &mut dyn Draw) -> Result<Recipe, Error> {
        let formats: Vec<Format> = Format::all().filter(|f| families.contains(&f.family())).collect();
        let format = *draw.pick(&formats);
        let name = format.family().name();
        let known = Oddity::FORMS.iter().filter(|form| form.formats.contains(&name)).map(|form| form.oddity);
        let known: Vec<Oddity> = known.collect();
        let wanted = match draw.below(10) {
            0..=5 => 0,
            6..=8 => 1,
            _ => draw.between(2, 4),
        };
        let oddities: Oddities = (0..wanted).map(|_| *draw.pick(&known)).collect();
        Recipe::with_oddities(format, oddities, most, draw)
    }

    /// A recipe for a dump of a format with these oddities. What the writer that is drawn cannot show is left out where
    /// there are several.
    ///
    /// # Errors
    /// If a profile does not have what was drawn, which would be a defect.
    #[doc(hidden)]
    pub fn with_oddities(format: Format, oddities: Oddities, most: u64, draw: &mut dyn Draw) -> Result<Recipe, Error> {
        let oddities = compatible(oddities);
        // Room for what is odd.
        let fewest = if oddities == Oddities::NONE { 1 } else { most.min(20) };
        let objects = draw.between(fewest, most) as usize;
        let hashes = *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
        let seed = draw.u64();
        let asked = WriteRequest { seed, ..WriteRequest::default() };
        let (lowering, wishes) = writer(format, oddities, &asked, draw)?;
        let hashes = if has_16_bits(oddities) { HashRegime::Every16 } else { hashes };
        let hashes = lowering.hashes().unwrap_or(hashes);
        let mut options =
            lowering.generate_options(objects.min(lowering.most_objects()), Some(hashes)).oddities(oddities);
        if oddities.has(Oddity::MixedOrder) {
            options.placement = Placement::Mixed;
        }
        // Strings beyond ASCII in some dumps, of those that record characters. Nothing is drawn for it, so that seeds keep their heaps
        // otherwise.
        if format.family().name() == "hprof" && seed.is_multiple_of(3) {
            options.wide_strings = Share::millionths(400_000);
        }
        Ok(Recipe { options, seed, format, wishes, ..Recipe::from(Preset::Plain) })
    }

    /// Plain, or which oddity it has: a part of ids.
    #[doc(hidden)]
    pub fn kind(&self) -> String {
        let mut names = self.options.oddities.iter().map(Oddity::name);
        match (names.next(), names.next()) {
            (None, _) => "plain".to_owned(),
            (Some(name), None) => format!("odd-{name}"),
            _ => "several".to_owned(),
        }
    }
}

/// Oddities without those that take more identifiers than one byte numbers, where they are small.
fn compatible(oddities: Oddities) -> Oddities {
    let is_much = |oddity: &Oddity| matches!(oddity, Oddity::ManyFields | Oddity::DeepStacks);
    let is_small = oddities.has(Oddity::SmallIdentifiers);
    oddities.iter().filter(|oddity| !(is_small && is_much(oddity))).collect()
}

/// Whether only 16-bit hashes show it. Of 32-bit ones, writers store none of 0.
fn has_16_bits(oddities: Oddities) -> bool {
    oddities.has(Oddity::HighHash) || oddities.has(Oddity::NullHash)
}

/// The writers of a format whose dumps readers expect.
#[doc(hidden)]
pub fn usual_profiles(format: Format) -> Vec<&'static str> {
    let is_usual = |lowering: &Lowering| !lowering.is_trap() && !lowering.is_seeded();
    let lowering =
        |name: &str| Lowering::new(format, &WriteRequest { profile: Some(name.to_owned()), ..WriteRequest::default() });
    profiles(format).into_iter().filter(|name| lowering(name).as_ref().is_ok_and(is_usual)).collect()
}

/// A random writer of a format, and how to ask for it; what is asked for already stays. The word size is the heap's.
pub(super) fn writer(
    format: Format,
    oddities: Oddities,
    asked: &WriteRequest,
    draw: &mut dyn Draw,
) -> Result<(Lowering, WriteRequest), Error> {
    let word = *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
    // Within 32 bits nothing is far away.
    let word = Some(if oddities.has(Oddity::DistantAddresses) { WordSize::Bits64 } else { word });
    let sizes =
        if oddities.has(Oddity::SmallIdentifiers) { [IdSize::One, IdSize::Two] } else { [IdSize::Four, IdSize::Eight] };
    let id_size = Some(*draw.pick(&sizes));
    let text = *draw.pick(&[
        (Some(Charset::Ebcdic(CodePage::Ibm1047)), None),
        (Some(Charset::Ebcdic(CodePage::Ibm037)), None),
        (Some(Charset::Ebcdic(CodePage::Ibm037)), Some(Newline::CrLf)),
        (Some(Charset::Utf8), Some(Newline::CrLf)),
    ]);
    let (charset, newline) = if oddities.has(Oddity::OtherCharacters) { text } else { (None, None) };
    let mut written = Vec::new();
    let named = asked.profile.as_deref();
    for name in named.map_or_else(|| profiles(format), |name| vec![name]) {
        let charset = asked.charset.or(charset);
        let wishes = WriteRequest {
            profile: Some(name.to_owned()),
            charset,
            newline: asked.newline.or(newline),
            ..asked.clone()
        };
        let drawn = WriteRequest { word, id_size, ..WriteRequest::default() };
        let mut wishes = format.family().random_widths(wishes, &drawn);
        wishes.id_size = asked.id_size.or(wishes.id_size);
        let lowering = Lowering::new(format, &wishes)?;
        if named.is_some() {
            return Ok((lowering, WriteRequest { word: None, ..wishes }));
        }
        // What readers expect: traps are no part of it.
        let is_wanted = !lowering.is_trap()
            && lowering.is_seeded() == oddities.has(Oddity::AnySpelling)
            && (!oddities.has(Oddity::SmallIdentifiers) || wishes.id_size.is_some())
            && (!has_16_bits(oddities) || lowering.hashes() != Some(HashRegime::WhereUsed32));
        if is_wanted {
            written.push((lowering, WriteRequest { word: None, ..wishes }));
        }
    }
    if written.is_empty() {
        // No writer of this version has 16-bit hashes only where they are wanted: any spelling has.
        let with_any = oddities.with(Oddity::AnySpelling);
        return writer(format, with_any, asked, draw);
    }
    Ok(draw.pick(&written).clone())
}
