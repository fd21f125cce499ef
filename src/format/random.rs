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
pub(crate) struct Recipe {
    /// Number of objects.
    pub(crate) objects: usize,
    /// Seed of the heap, and of its spelling.
    pub(crate) seed: u64,
    /// How to write it.
    pub(crate) lowering: Lowering,
    /// The widths in words.
    pub(crate) widths: String,
    /// What is out of the ordinary.
    pub(crate) oddities: Oddities,
    hashes: HashRegime,
}

/// A dump, and the heap that it records.
pub(crate) struct Made {
    /// The heap that the dump was written from.
    pub(crate) original: Heap,
    /// What a reader gets.
    pub(crate) carried: Heap,
    /// The dump.
    pub(crate) bytes: Vec<u8>,
}

impl Recipe {
    /// A recipe for a dump of one of these families, of at least one object and at most `most`: in 6 of 10 cases plain, in
    /// 3 with one oddity, and else with several.
    ///
    /// # Errors
    /// If a profile does not have what was drawn, which would be a defect.
    pub(crate) fn draw(families: &[Family], most: u64, draw: &mut dyn Draw) -> Result<Recipe, Error> {
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
    pub(crate) fn with(format: Format, oddities: Oddities, most: u64, draw: &mut dyn Draw) -> Result<Recipe, Error> {
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
    pub(crate) fn kind(&self) -> String {
        let mut names = self.oddities.iter().map(Oddity::name);
        match (names.next(), names.next()) {
            (None, _) => "plain".to_owned(),
            (Some(name), None) => format!("odd-{name}"),
            _ => "several".to_owned(),
        }
    }

    /// What the heap has to be like.
    pub(crate) fn generate_options(&self) -> GenerateOptions {
        let options = self.lowering.generate_options(self.objects, Some(self.hashes)).oddities(self.oddities);
        if self.oddities.has(Oddity::MixedOrder) { options.placement(Placement::Mixed) } else { options }
    }

    /// The dump of a heap, and what a reader gets of it.
    ///
    /// # Errors
    /// If a heap cannot be written, which would be a defect.
    pub(crate) fn make(&self, original: Heap) -> Result<Made, Error> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::SeedDraw;
    use crate::generate::from_seed;
    use crate::input::Input;
    use crate::model::{ByteLen, FieldType, IdentityHash, ObjectKind, PrimitiveType, RootKind, Value};
    use crate::validate::{Severity, ValidateOptions, validate};
    use std::collections::HashSet;

    fn dump(recipe: &Recipe) -> Made {
        let heap = from_seed(&recipe.generate_options(), recipe.seed);
        recipe.make(heap).unwrap_or_else(|e| panic!("{recipe:?}: {e}"))
    }

    #[test]
    fn six_in_ten_are_plain_and_three_have_one_oddity() {
        let mut counts = [0; 3];
        for number in 0..2000 {
            let recipe = Recipe::draw(&Family::ALL, 100, &mut SeedDraw::numbered(3, number)).expect("a recipe");
            let kind = recipe.kind();
            let place = if kind == "plain" {
                0
            } else if kind.starts_with("odd-") {
                1
            } else {
                2
            };
            counts[place] += 1;
        }
        assert!((1120..1280).contains(&counts[0]), "{counts:?}");
        assert!((520..700).contains(&counts[1]), "{counts:?}");
        assert!((140..260).contains(&counts[2]), "{counts:?}");
    }

    #[test]
    fn every_oddity_is_in_the_dumps_that_are_named_after_it_and_they_are_valid() {
        let mut missing = Vec::new();
        for format in Format::all() {
            for form in Oddity::FORMS.iter().filter(|form| form.formats.contains(&format.family().name())) {
                for number in 0..8 {
                    let oddities: Oddities = [form.oddity].into_iter().collect();
                    let recipe = Recipe::with(format, oddities, 80, &mut SeedDraw::numbered(4, number));
                    let recipe = Recipe { objects: 80, ..recipe.expect("a recipe") };
                    let made = dump(&recipe);
                    let what = format!("{format} {} {} {number}", form.name, recipe.lowering.profile());
                    if !shows(form.oddity, &recipe, &made) {
                        missing.push(what.clone());
                    }
                    let report = validate(&Input::memory("odd", made.bytes), ValidateOptions::default());
                    let found = report.expect("memory").findings;
                    let worst = found.iter().find(|finding| finding.severity == Severity::Error);
                    assert!(worst.is_none(), "{what}: {worst:?}");
                    let is_warned = found.iter().any(|finding| finding.severity == Severity::Warning);
                    assert!(!is_warned || form.oddity == Oddity::NullReferences, "{what}: {found:?}");
                }
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }

    /// Whether the dump has what the oddity stands for.
    fn shows(oddity: Oddity, recipe: &Recipe, made: &Made) -> bool {
        let heap = &made.carried;
        let classes = || heap.classes.iter();
        let objects = || heap.objects.iter();
        let named = |part: &dyn Fn(&[u8]) -> bool| classes().any(|class| part(class.name.as_bytes()));
        let pairs = |is: &dyn Fn(u8, u8) -> bool| named(&|name| name.windows(2).any(|pair| is(pair[0], pair[1])));
        let addresses = || {
            let mut all: Vec<u64> = objects().map(|o| o.address.0).chain(classes().map(|c| c.address.0)).collect();
            all.sort_unstable();
            all
        };
        let hashes = || objects().filter_map(|object| object.hash);
        match oddity {
            Oddity::NonAsciiNames => named(&|name| !name.is_ascii()),
            Oddity::SupplementaryNames => pairs(&|first, second| first == 0xed && second >= 0xa0),
            Oddity::NulNames => pairs(&|first, second| (first, second) == (0xc0, 0x80)),
            Oddity::TwinClasses => classes().any(|a| classes().any(|b| a.address != b.address && a.name == b.name)),
            Oddity::ShadowedFields => classes().any(|class| {
                let above = classes().find(|above| Some(above.address) == class.superclass);
                let above: Vec<_> = above.and_then(|above| above.fields.as_ref()).into_iter().flatten().collect();
                class.fields.iter().flatten().any(|field| above.iter().any(|other| other.name == field.name))
            }),
            Oddity::ExtremeValues => {
                let fields = objects().filter_map(|object| match &object.contents {
                    Contents::Fields(values) => Some(values.iter()),
                    _ => None,
                });
                let statics = classes().flat_map(|class| class.statics.iter().flatten()).map(|field| field.value);
                let is_extreme = |value: Value| match value.kind {
                    FieldType::Primitive(PrimitiveType::Int) => [1 << 31, (1 << 31) - 1].contains(&value.bits),
                    FieldType::Primitive(PrimitiveType::Long) => [1 << 63, (1 << 63) - 1].contains(&value.bits),
                    FieldType::Primitive(PrimitiveType::Double) => !f64::from_bits(value.bits).is_finite(),
                    _ => false,
                };
                fields.flatten().copied().chain(statics).any(is_extreme)
            }
            // Classic text has sizes for lengths.
            Oddity::HugeArrays => objects()
                .any(|object| object.length.or(object.size.map(|size| size.0)).is_some_and(|length| length >= 32_766)),
            Oddity::HighAddresses => {
                let half = recipe.generate_options().word.bytes() as u32 * 8 - 1;
                addresses().iter().any(|address| address >> half == 1)
            }
            Oddity::DistantAddresses => addresses().windows(2).any(|pair| pair[1] - pair[0] > 1 << 31),
            Oddity::MixedOrder => !objects().is_sorted_by_key(|object| object.address),
            Oddity::ConstantPools => classes().any(|class| class.constant_pool.iter().flatten().next().is_some()),
            Oddity::Signers => classes().any(|class| class.signers.is_some_and(|signers| !signers.is_null())),
            Oddity::EveryRoot => {
                let kind = |kind: &RootKind| std::mem::discriminant(kind);
                let kinds: HashSet<_> = heap.surroundings.roots.iter().flatten().map(|root| kind(&root.kind)).collect();
                // Where Android's are no records of their own, unknown roots stand for them.
                kinds.len() == if recipe.lowering.profile() == "art" { 16 } else { 9 } || kinds.len() == 16
            }
            Oddity::SmallIdentifiers => matches!(made.bytes[19..23], [0, 0, 0, 1 | 2]),
            Oddity::AnySpelling => recipe.lowering.is_seeded(),
            Oddity::OtherCharacters => !made.bytes.starts_with(b"// Version") || made.bytes.contains(&b'\r'),
            Oddity::VersionText => heap.facts.version_text != Some("heapsmith synthetic heap".into()),
            Oddity::ZeroSizes => {
                let sizes = classes().map(|class| class.instance_size).chain(objects().map(|object| object.size));
                sizes.flatten().any(|size| size == ByteLen(0))
            }
            Oddity::NullHash => hashes().any(|hash| matches!(hash, IdentityHash::Bits16(0) | IdentityHash::Bits32(0))),
            Oddity::HighHash => hashes().any(|hash| matches!(hash, IdentityHash::Bits16(hash) if hash >> 15 == 1)),
            Oddity::NullReferences => objects()
                .any(|object| matches!(&object.contents, Contents::References(all) if all.contains(&Address::NULL))),
            Oddity::ClassesInTurn => {
                let turns: Vec<_> =
                    objects().filter(|o| o.kind == ObjectKind::Instance).filter_map(|object| object.class).collect();
                turns.windows(5).any(|five| five.iter().collect::<HashSet<_>>().len() == 5)
            }
            Oddity::NoLibraryObjects => {
                !classes().any(|class| class.name == "int".into())
                    && heap.surroundings.threads.iter().flatten().all(|thread| thread.object.is_null())
            }
        }
    }

    #[test]
    fn plain_dumps_have_no_finding_and_ascii_names() {
        for number in 0..60 {
            let mut draw = SeedDraw::numbered(5, number);
            let format = Format::all().cycle().nth(number as usize).expect("there are formats");
            let recipe = Recipe::with(format, Oddities::NONE, 100, &mut draw).expect("a recipe");
            let made = dump(&recipe);
            assert!(made.carried.classes.iter().all(|class| class.name.as_bytes().is_ascii()));
            let report = validate(&Input::memory("plain", made.bytes), ValidateOptions::default()).expect("memory");
            let found: Vec<_> = report.findings.iter().filter(|f| f.severity != Severity::Note).collect();
            assert!(found.is_empty(), "{recipe:?}: {found:?}");
        }
    }

    #[test]
    fn half_of_the_plain_hprof_dumps_of_100_objects_are_smaller_than_20_kb() {
        let mut sizes = Vec::new();
        for number in 0..60 {
            let mut draw = SeedDraw::numbered(6, number);
            let mut recipe = Recipe::with(Format::HPROF, Oddities::NONE, 100, &mut draw).expect("a recipe");
            recipe.objects = 100;
            sizes.push(dump(&recipe).bytes.len());
        }
        sizes.sort_unstable();
        assert!(sizes[30] < 20_000, "{sizes:?}");
    }
}
