//! Generated heaps through every version, profile and word size and back; and what they reach.

use std::collections::BTreeSet;

use heapsmith::compare::{Facet, compare};
use heapsmith::error::Error;
use heapsmith::generate::{GenerateOptions, Oddities, Oddity, Placement, from_seed};
use heapsmith::model::{Contents, HashRegime, Heap, ObjectKind, WordSize};
use heapsmith::phd::lower::{self, FieldSwap, LowerOptions, PROFILES, Profile};
use heapsmith::phd::record::{Record, StoredHash};
use heapsmith::phd::{Decoder, FileFlags, Version, lift};
use pretty_assertions::assert_eq;
use quickcheck::{Arbitrary, Gen, QuickCheck};

/// A heap to generate and a way to write it.
#[derive(Clone, Debug)]
struct Recipe {
    seed: u64,
    objects: usize,
    word: WordSize,
    hashes: HashRegime,
    placement: Placement,
}

impl Arbitrary for Recipe {
    fn arbitrary(g: &mut Gen) -> Recipe {
        Recipe {
            seed: u64::arbitrary(g),
            objects: usize::arbitrary(g) % 100,
            word: *g.choose(&[WordSize::Bits32, WordSize::Bits64]).expect("two"),
            hashes: *g.choose(&[HashRegime::Every16, HashRegime::WhereUsed32]).expect("two"),
            placement: *g.choose(&[Placement::Ordered, Placement::Mixed]).expect("two"),
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Recipe>> {
        let recipe = self.clone();
        Box::new(self.objects.shrink().map(move |objects| Recipe { objects, ..recipe.clone() }))
    }
}

impl Recipe {
    fn heap(&self, profile: &Profile) -> Heap {
        let hashes = profile.hashes.unwrap_or(self.hashes);
        // Plain heaps, and those that have everything but hashes that most writers drop.
        let all = Oddities::ALL
            .iter()
            .filter(|oddity| ![Oddity::NullHash, Oddity::NoLibraryObjects].contains(oddity))
            .collect();
        let oddities = if self.seed % 4 < 2 { Oddities::NONE } else { all };
        let options = GenerateOptions::default().oddities(oddities);
        let options = options.objects(self.objects).word(self.word).hashes(hashes).placement(self.placement);
        from_seed(&options, self.seed)
    }
}

fn lifted(dump: &[u8]) -> Heap {
    let (heap, ended) = lift::heap(&mut Decoder::new(dump).expect("a PHD"));
    ended.expect("a whole PHD");
    heap
}

/// Every version and profile, with what a reader of its dumps is to see.
fn writers() -> impl Iterator<Item = (Version, &'static Profile)> {
    Version::ALL
        .into_iter()
        .flat_map(|version| PROFILES.iter().filter(move |p| p.versions.contains(&version)).map(move |p| (version, p)))
}

#[test]
fn every_profile_round_trips_carried_facts() {
    fn holds(recipe: Recipe) -> bool {
        for (version, profile) in writers() {
            let options = LowerOptions::new(version).profile(profile).word(recipe.word).seed(recipe.seed);
            let mut heap = recipe.heap(profile);
            let dump = lower::to_bytes(&heap, &options).expect("writable");
            let carried = lower::carry(&mut heap, &options).expect("writable");
            assert_eq!(carried, lifted(&dump), "{version:?} {}", profile.name);
        }
        true
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(100, 1)).tests(60).quickcheck(holds as fn(Recipe) -> bool);
}

/// The heap itself against the lifted dump, without the step that says what a profile carries: what both
/// tell has to agree, except for the known changes of each profile.
#[test]
fn every_profile_agrees_with_heap_on_recorded_facts() {
    fn holds(recipe: Recipe) -> bool {
        for (version, profile) in writers().filter(|(_, p)| p.array_fields == FieldSwap::LengthFirst) {
            let options = LowerOptions::new(version).profile(profile).word(recipe.word).seed(recipe.seed);
            let heap = recipe.heap(profile);
            let found = lifted(&lower::to_bytes(&heap, &options).expect("writable"));
            let mut left_out = BTreeSet::from([Facet::ReferenceOrder]);
            if profile.array_word == lower::ArrayWord::BaseThenArray {
                // The array class is one reference more.
                left_out.insert(Facet::References);
            }
            if !matches!(profile.order, heapsmith::lower::ClassPlacement::AsHeap) {
                left_out.insert(Facet::RecordOrder);
            }
            let comparison = compare(&heap, &found, &left_out);
            let wrong: Vec<_> = comparison.differences.iter().collect();
            assert!(wrong.is_empty(), "{version:?} {}: {wrong:?}", profile.name);
        }
        true
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(100, 2)).tests(40).quickcheck(holds as fn(Recipe) -> bool);
}

/// References of an array as the native writer leaves them: reversed, nulls dropped.
#[test]
fn the_native_writer_reverses_elements_and_drops_nulls() {
    let recipe = Recipe {
        seed: 3,
        objects: 300,
        word: WordSize::Bits64,
        hashes: HashRegime::WhereUsed32,
        placement: Placement::Ordered,
    };
    let options = LowerOptions::new(Version::V6);
    let heap = recipe.heap(options.profile);
    let found = lifted(&lower::to_bytes(&heap, &options).expect("writable"));
    let mut seen = 0;
    for (before, after) in heap.objects.iter().zip(&found.objects) {
        let (ObjectKind::ObjectArray, Contents::Elements(elements)) = (before.kind, &before.contents) else { continue };
        let mut kept: Vec<_> = elements.iter().copied().filter(|e| !e.is_null()).collect();
        kept.reverse();
        assert_eq!(after.contents, Contents::References(kept));
        assert_eq!(after.length, Some(elements.len() as u64));
        seen += 1;
    }
    assert!(seen > 20);
}

/// What the generator reaches, over some seeds, with the profiles that choose by rule and with `any`.
#[test]
fn the_generator_reaches_every_record_kind_width_flag_and_cache_state() {
    let mut reached = BTreeSet::new();
    for seed in 0..60 {
        for (version, profile) in writers() {
            for word in [WordSize::Bits32, WordSize::Bits64] {
                let hashes = if seed % 2 == 0 { HashRegime::Every16 } else { HashRegime::WhereUsed32 };
                let placement = if profile.is_seeded() { Placement::Mixed } else { Placement::Ordered };
                let heap = Recipe { seed, objects: 60, word, hashes, placement }.heap(profile);
                let options = LowerOptions::new(version).profile(profile).word(word).seed(seed);
                visit(&lower::to_bytes(&heap, &options).expect("writable"), word, &mut reached);
            }
        }
    }
    let missing: Vec<&String> = expected().difference(&reached).cloned().collect::<Vec<_>>().leak().iter().collect();
    assert_eq!(missing, Vec::<&String>::new());
}

fn visit(dump: &[u8], word: WordSize, reached: &mut BTreeSet<String>) {
    let mut decoder = Decoder::new(dump).expect("a PHD");
    let header = decoder.header().clone();
    let flags = header.flags.0 & FileFlags::KNOWN;
    reached.insert(format!("phd{} flags {flags}", header.version.number()));
    let bits = word.bits();
    decoder
        .visit::<Error, _>(|located| {
            let record = located.record;
            let kind = record.kind();
            reached.insert(format!("{kind}, gap of {}, {bits}", record.gap().width.bytes()));
            if record.gap().units.0 < 0 {
                reached.insert(format!("{kind}, negative gap"));
            }
            if let Some(references) = record.references().filter(|r| !r.is_empty()) {
                reached.insert(format!("{kind}, references of {}, {bits}", references.width.bytes()));
            }
            let hash = match record.hash() {
                StoredHash::Absent => "no hash",
                StoredHash::Bits16(_) => "16-bit hash",
                StoredHash::Bits32(_) => "32-bit hash",
            };
            reached.insert(format!("{kind}, {hash}"));
            match record {
                Record::Short(r) => reached.insert(format!("slot {}, {} references", r.slot, r.references.len())),
                Record::Medium(r) => reached.insert(format!("medium, {} references", r.references.len())),
                Record::PrimitiveArray(r) => reached.insert(format!("array of {}", r.element)),
                Record::LongPrimitiveArray(r) => reached.insert(format!("long array of {}", r.element)),
                Record::Long(r) => reached.insert(format!("long, flags {}", r.flags)),
                Record::ObjectArray(r) => reached.insert(format!("array, flags {}", r.flags)),
                Record::Class(r) => reached.insert(format!("class, flags {}", r.flags)),
            };
            Ok(())
        })
        .expect("a whole PHD");
}

/// All that the format has, spelled out.
fn expected() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (version, flags) in
        [(4, [0, 1, 2, 3, 4, 5, 6, 7].as_slice()), (5, &[0, 1, 2, 3, 4, 5, 6, 7]), (6, &[4, 5, 6, 7])]
    {
        all.extend(flags.iter().map(|flags| format!("phd{version} flags {flags}")));
    }
    for bits in [32, 64] {
        for kind in ["short object", "medium object"] {
            all.extend([1, 2].map(|width| format!("{kind}, gap of {width}, {bits}")));
        }
        for kind in ["long object", "object array (tag 5)", "object array (tag 8)", "class", "primitive array"] {
            all.extend([1, 2, 4, 8].map(|width| format!("{kind}, gap of {width}, {bits}")));
        }
        all.extend([1, bits / 8].map(|width| format!("long primitive array, gap of {width}, {bits}")));
        for kind in
            ["short object", "medium object", "long object", "object array (tag 5)", "object array (tag 8)", "class"]
        {
            all.extend([1, 2, 4, 8].map(|width| format!("{kind}, references of {width}, {bits}")));
        }
    }
    for kind in [
        "short object",
        "medium object",
        "long object",
        "object array (tag 5)",
        "object array (tag 8)",
        "class",
        "primitive array",
        "long primitive array",
    ] {
        all.insert(format!("{kind}, negative gap"));
        all.extend(["no hash", "16-bit hash"].map(|hash| format!("{kind}, {hash}")));
    }
    for kind in ["long object", "object array (tag 5)", "object array (tag 8)", "class", "long primitive array"] {
        all.insert(format!("{kind}, 32-bit hash"));
    }
    for slot in 0..4 {
        all.extend((0..4).map(|count| format!("slot {slot}, {count} references")));
    }
    all.extend((0..8).map(|count| format!("medium, {count} references")));
    for element in ["boolean", "char", "float", "double", "byte", "short", "int", "long"] {
        all.extend(["array", "long array"].map(|kind| format!("{kind} of {element}")));
    }
    for flags in 0..4 {
        all.extend(["long", "array"].map(|kind| format!("{kind}, flags {flags}")));
    }
    all.extend([0, 8].map(|flags| format!("class, flags {flags}")));
    all
}
