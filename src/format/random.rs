//! Random ways to write a dump: in any format, version, profile and width; plain, or with something odd.

#![cfg_attr(not(feature = "check"), allow(dead_code, reason = "some of it is for `check` alone"))]
#![cfg_attr(
    not(any(feature = "arbitrary", feature = "quickcheck")),
    allow(dead_code, reason = "heaps that shrink are the original ones")
)]

use crate::bytes::charset::{Charset, Newline};
use crate::bytes::ebcdic::Page;
use crate::draw::Draw;
use crate::error::Error;
use crate::family::Wishes;
use crate::generate::{GenerateOptions, Oddities, Oddity, Placement};
use crate::model::{Address, Contents, HashRegime, Heap, HeapSource, WordSize};
use crate::units::IdSize;

use super::{Family, Format, Lowering, profiles};

/// How to make a heap, and its dump.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Number of objects.
    pub objects: usize,
    /// Seed of the heap, and of its spelling.
    pub seed: u64,
    /// How to write it.
    pub lowering: Lowering,
    /// The widths in words.
    pub widths: String,
    /// What is out of the ordinary.
    pub oddities: Oddities,
    hashes: HashRegime,
}

/// A dump, and the heap that it records.
pub struct Made {
    /// The heap that the dump was written from.
    pub original: Heap,
    /// What a reader gets.
    pub carried: Heap,
    /// The dump.
    pub bytes: Vec<u8>,
}

impl Recipe {
    /// A recipe for a dump of one of these families, of at least one object and at most `most`: in 6 of 10 cases plain, in
    /// 3 with one oddity, and else with several.
    ///
    /// # Errors
    /// If a profile does not have what was drawn, which would be a defect.
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
        Recipe::with(format, oddities, most, draw)
    }

    /// A recipe for a dump of a format with these oddities. What the writer that is drawn cannot show is left out where
    /// there are several.
    ///
    /// # Errors
    /// If a profile does not have what was drawn, which would be a defect.
    pub fn with(format: Format, oddities: Oddities, most: u64, draw: &mut dyn Draw) -> Result<Recipe, Error> {
        // Room for what is odd.
        let fewest = if oddities == Oddities::NONE { 1 } else { most.min(20) };
        let objects = draw.between(fewest, most) as usize;
        let drawn = *draw.pick(&[HashRegime::WhereUsed32, HashRegime::Every16]);
        let seed = draw.u64();
        let (lowering, widths) = random_lowering(format, oddities, seed, draw)?;
        let as_heap = oddities.iter().any(|oddity| oddity.form().as_heap);
        let lowering = if as_heap { lowering.adhering() } else { lowering };
        let drawn = if has_16_bits(oddities) { HashRegime::Every16 } else { drawn };
        let hashes = lowering.hashes().unwrap_or(drawn);
        let objects = objects.min(lowering.most_objects());
        Ok(Recipe { objects, seed, lowering, widths, oddities, hashes })
    }

    /// Plain, or which oddity it has: a part of ids.
    pub fn kind(&self) -> String {
        let mut names = self.oddities.iter().map(Oddity::name);
        match (names.next(), names.next()) {
            (None, _) => "plain".to_owned(),
            (Some(name), None) => format!("odd-{name}"),
            _ => "several".to_owned(),
        }
    }

    /// What the heap has to be like.
    pub fn generate_options(&self) -> GenerateOptions {
        let options = self.lowering.generate_options(self.objects, Some(self.hashes)).oddities(self.oddities);
        if self.oddities.has(Oddity::MixedOrder) { options.placement(Placement::Mixed) } else { options }
    }

    /// The dump of a heap, and what a reader gets of it.
    ///
    /// # Errors
    /// If a heap cannot be written, which would be a defect.
    pub fn make(&self, original: Heap) -> Result<Made, Error> {
        let mut heap = original.clone();
        let is_kept = self.oddities.iter().any(|oddity| oddity.form().as_heap);
        if is_kept && self.lowering.format() == Format::HPROF {
            // Those of a random heap count headers, too: the writer counts anew.
            heap.classes.iter_mut().for_each(|class| class.instance_size = None);
        }
        if self.oddities.has(Oddity::NullReferences) {
            heap = self.lowering.carry(&mut (&mut heap as &mut dyn HeapSource))?.into_only_heap()?;
            list_nulls(&mut heap);
        }
        let mut source = &mut heap as &mut dyn HeapSource;
        let carried = self.lowering.carry(&mut source)?.into_only_heap()?;
        let mut bytes = Vec::new();
        self.lowering.write(&mut source, &mut bytes)?;
        Ok(Made { original, carried, bytes })
    }
}

/// Whether only 16-bit hashes show it. Of 32-bit ones, writers store none of 0.
fn has_16_bits(oddities: Oddities) -> bool {
    oddities.has(Oddity::HighHash) || oddities.has(Oddity::NullHash)
}

/// Null references in some objects, first, last and alone.
fn list_nulls(heap: &mut Heap) {
    for (number, object) in heap.objects.iter_mut().enumerate() {
        if let Contents::References(references) = &mut object.contents {
            match number % 4 {
                0 => references.push(Address::NULL),
                1 => references.insert(0, Address::NULL),
                _ => {}
            }
            // An array has room for as many.
            let count = references.len() as u64;
            object.length = object.length.map(|length| length.max(count));
        }
    }
}

/// A random writer of a format, and its widths in words.
fn random_lowering(
    format: Format,
    oddities: Oddities,
    seed: u64,
    draw: &mut dyn Draw,
) -> Result<(Lowering, String), Error> {
    let word = *draw.pick(&[WordSize::Bits32, WordSize::Bits64]);
    // Within 32 bits nothing is far away.
    let word = Some(if oddities.has(Oddity::DistantAddresses) { WordSize::Bits64 } else { word });
    let sizes =
        if oddities.has(Oddity::SmallIdentifiers) { [IdSize::One, IdSize::Two] } else { [IdSize::Four, IdSize::Eight] };
    let id_size = Some(*draw.pick(&sizes));
    let text = *draw.pick(&[
        (Some(Charset::Ebcdic(Page::Ibm1047)), None),
        (Some(Charset::Ebcdic(Page::Ibm037)), None),
        (Some(Charset::Ebcdic(Page::Ibm037)), Some(Newline::CrLf)),
        (Some(Charset::Utf8), Some(Newline::CrLf)),
    ]);
    let (charset, newline) = if oddities.has(Oddity::OtherCharacters) { text } else { (None, None) };
    let of_profile = |name: &str| Wishes { profile: Some(name.to_owned()), seed, ..Wishes::default() };
    let mut written = Vec::new();
    for name in profiles(format) {
        let wishes = Wishes { charset, newline, ..of_profile(name) };
        let drawn = Wishes { word, id_size, ..Wishes::default() };
        let (wishes, widths) = format.family().random_widths(wishes, &drawn);
        let lowering = Lowering::new(format, &wishes)?;
        // What readers expect: traps are no part of it.
        let is_wanted = !lowering.is_trap()
            && lowering.is_seeded() == oddities.has(Oddity::AnySpelling)
            && (!oddities.has(Oddity::SmallIdentifiers) || wishes.id_size.is_some())
            && (!has_16_bits(oddities) || lowering.hashes() != Some(HashRegime::WhereUsed32));
        if is_wanted {
            written.push((lowering, widths));
        }
    }
    if written.is_empty() {
        // No writer of this version has 16-bit hashes only where they are wanted: any spelling has.
        let with_any = oddities.with(Oddity::AnySpelling);
        return random_lowering(format, with_any, seed, draw);
    }
    Ok(draw.pick(&written).clone())
}
