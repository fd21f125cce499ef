//! Generated heaps through every classic profile, word size and encoding and back; and the same heap in PHD.

use std::collections::BTreeSet;

use heapsmith::bytes::ebcdic::{CodePage, MappedStream};
use heapsmith::classic::lower::{self, LowerOptions, PROFILES};
use heapsmith::classic::{Charset, DecodeStep, Decoder, Encoding, Newline, Profile, encode, lift};
use heapsmith::compare::{Facet, compare};
use heapsmith::error::{DecodeError, Error};
use heapsmith::format::Lowering;
use heapsmith::generate::{GenerateOptions, Placement, from_seed};
use heapsmith::model::{Contents, Heap, HeapSource, ObjectKind, WordSize};
use heapsmith::phd::{self, Version};
use pretty_assertions::assert_eq;
use quickcheck::{Arbitrary, Gen, QuickCheck};

/// A heap to generate and a way to store it.
#[derive(Clone, Debug)]
struct Recipe {
    seed: u64,
    objects: usize,
    word: WordSize,
    placement: Placement,
}

impl Arbitrary for Recipe {
    fn arbitrary(g: &mut Gen) -> Recipe {
        Recipe {
            seed: u64::arbitrary(g),
            objects: usize::arbitrary(g) % 60,
            word: *g.choose(&[WordSize::Bits32, WordSize::Bits64]).expect("two"),
            placement: *g.choose(&[Placement::Ordered, Placement::Mixed]).expect("two"),
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Recipe>> {
        let recipe = self.clone();
        Box::new(self.objects.shrink().map(move |objects| Recipe { objects, ..recipe.clone() }))
    }
}

impl Recipe {
    fn heap(&self, encoding: Encoding) -> Heap {
        let options = GenerateOptions::default()
            .objects(self.objects)
            .word(self.word)
            .placement(self.placement)
            .latin1_names(encoding.charset != Charset::Utf8);
        from_seed(&options, self.seed)
    }

    fn options(&self, profile: &'static Profile, encoding: Encoding) -> LowerOptions {
        LowerOptions::default().profile(profile).encoding(encoding).word(self.word).seed(self.seed)
    }
}

fn encodings() -> Vec<Encoding> {
    let pages = [CodePage::Ibm1047, CodePage::Ibm037].map(Charset::Ebcdic);
    let mut all = [Newline::Lf, Newline::CrLf].map(|newline| Encoding { charset: Charset::Utf8, newline }).to_vec();
    for newline in [Newline::Nel, Newline::Lf, Newline::CrLf] {
        all.extend(pages.map(|charset| Encoding { charset, newline }));
    }
    all
}

/// Every profile in every encoding.
fn writers() -> impl Iterator<Item = (&'static Profile, Encoding)> {
    PROFILES.iter().flat_map(|profile| encodings().into_iter().map(move |encoding| (profile, encoding)))
}

fn lifted(dump: &[u8]) -> Heap {
    let (heap, _, ended) = lift::heap(|| Ok(Decoder::new(dump)?)).expect("a classic heap dump");
    ended.expect("a whole dump");
    heap
}

/// A dump through records.
fn through_records(dump: &[u8]) -> Vec<u8> {
    let mut decoder = Decoder::new(dump).expect("a classic heap dump");
    let mut text = Vec::new();
    let ended = decoder.visit::<DecodeError, _>(|step| {
        match step {
            DecodeStep::Record(_, record) => encode::record(&mut text, &record),
            DecodeStep::More(_, references) => encode::references(&mut text, &references),
        }
        Ok(())
    });
    ended.expect("a whole dump");
    let mut bytes = Vec::new();
    let mut mapped = MappedStream::new(&mut bytes, decoder.encoding().inverse());
    std::io::Write::write_all(&mut mapped, &text).expect("memory");
    bytes
}

#[test]
fn every_profile_round_trips_carried_facts() {
    fn holds(recipe: Recipe) -> bool {
        for (profile, encoding) in writers() {
            let options = recipe.options(profile, encoding);
            let mut heap = recipe.heap(encoding);
            let dump = lower::to_bytes(&heap, &options).expect("writable");
            let carried = lower::carry(&mut heap, &options).expect("writable");
            assert_eq!(carried, lifted(&dump), "{} {encoding:?}", profile.name);
            assert!(through_records(&dump) == dump, "{} {encoding:?}", profile.name);
        }
        true
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(100, 5)).tests(25).quickcheck(holds as fn(Recipe) -> bool);
}

#[test]
fn recognised_profile_reproduces_bytes() {
    fn holds(recipe: Recipe) -> bool {
        for (profile, encoding) in writers().filter(|(profile, _)| !profile.is_seeded()) {
            let heap = recipe.heap(encoding);
            for adherence in [heapsmith::lower::Adherence::Writer, heapsmith::lower::Adherence::Heap] {
                let options = recipe.options(profile, encoding).adherence(adherence);
                let dump = lower::to_bytes(&heap, &options).expect("writable");
                let mut source = lifted(&dump);
                let reopen = || Ok::<_, Error>(Box::new(std::io::Cursor::new(dump.clone())) as Box<dyn std::io::Read>);
                let encoding = Decoder::new(dump.as_slice()).expect("a dump").encoding();
                let found = lower::recognise(&mut (&mut source as &mut dyn HeapSource), encoding, reopen)
                    .expect("memory can be read");
                let found = found.unwrap_or_else(|| panic!("{} {encoding:?}", profile.name));
                assert!(lower::to_bytes(&source, &found).expect("writable") == dump, "{}", profile.name);
            }
        }
        true
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(100, 6)).tests(12).quickcheck(holds as fn(Recipe) -> bool);
}

/// The heap itself against the lifted dump, without the step that says what a profile carries.
#[test]
fn every_profile_agrees_with_heap_on_recorded_facts() {
    fn holds(recipe: Recipe) -> bool {
        for profile in PROFILES {
            let heap = recipe.heap(Encoding::default());
            let dump = lower::to_bytes(&heap, &recipe.options(profile, Encoding::default())).expect("writable");
            let left_out = BTreeSet::from([Facet::ClassReferences, Facet::ReferenceOrder, Facet::RecordOrder]);
            let comparison = compare(&heap, &lifted(&dump), &left_out);
            assert!(comparison.equal, "{}: {:?}", profile.name, comparison.differences);
        }
        true
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(100, 7)).tests(25).quickcheck(holds as fn(Recipe) -> bool);
}

/// What a dump in text and one in PHD tell of one heap. What a class refers to is another fact in each.
#[test]
fn every_dialect_agrees_with_every_phd_on_common_facts() {
    let left_out = BTreeSet::from([Facet::ClassReferences, Facet::ReferenceOrder, Facet::RecordOrder]);
    for seed in 0..12 {
        for word in [WordSize::Bits32, WordSize::Bits64] {
            let recipe = Recipe { seed, objects: 50, word, placement: Placement::Ordered };
            for version in Version::ALL {
                for profile in PROFILES {
                    let mut options = phd::LowerOptions::new(version);
                    if version == Version::V4 {
                        // The default's array class is one reference more.
                        options = options.with_profile("sovereign").expect("a profile");
                    }
                    let options = options.word(word);
                    let hashes = options.profile.hashes;
                    let generated = Lowering::from(options).generate_options(recipe.objects, hashes);
                    let heap = from_seed(&generated, seed);
                    let text = lower::to_bytes(&heap, &recipe.options(profile, Encoding::default())).expect("writable");
                    let binary = phd::lower::to_bytes(&heap, &options).expect("writable");
                    let (binary, ended) = phd::lift::heap(&mut phd::Decoder::new(binary.as_slice()).expect("a PHD"));
                    ended.expect("a whole PHD");
                    for (left, right) in [(&lifted(&text), &binary), (&binary, &lifted(&text))] {
                        let comparison = compare(left, right, &left_out);
                        let wrong = &comparison.differences;
                        assert!(comparison.equal, "{seed} {version:?} {}: {wrong:?}", profile.name);
                        assert!(comparison.compared > 200, "{}", comparison.compared);
                    }
                }
            }
        }
    }
}

#[test]
fn a_dump_and_its_twin_in_ebcdic_are_equal() {
    for seed in 0..20 {
        let recipe = Recipe { seed, objects: 50, word: WordSize::Bits64, placement: Placement::Mixed };
        for profile in PROFILES {
            let [utf8, ebcdic @ ..] = encodings().try_into().unwrap_or_else(|_| [Encoding::default(); 8]);
            // Names that every page has.
            let heap = recipe.heap(ebcdic[1]);
            let of = |encoding| lower::to_bytes(&heap, &recipe.options(profile, encoding)).expect("writable");
            let expected = lifted(&of(utf8));
            for encoding in ebcdic {
                let comparison = compare(&expected, &lifted(&of(encoding)), &BTreeSet::new());
                assert!(comparison.equal, "{} {encoding:?}: {:?}", profile.name, comparison.differences);
            }
        }
    }
}

/// An array's references as the native writer leaves them: reversed, nulls counted.
#[test]
fn the_native_writer_reverses_elements_and_counts_nulls() {
    let recipe = Recipe { seed: 3, objects: 300, word: WordSize::Bits64, placement: Placement::Ordered };
    let heap = recipe.heap(Encoding::default());
    let native = Profile::named("openj9").expect("a profile");
    let found = lifted(&lower::to_bytes(&heap, &recipe.options(native, Encoding::default())).expect("writable"));
    let (mut seen, mut nulls) = (0, 0);
    for (before, after) in heap.objects.iter().zip(&found.objects) {
        let (ObjectKind::ObjectArray, Contents::Elements(elements)) = (before.kind, &before.contents) else { continue };
        let mut kept: Vec<_> = elements.iter().copied().filter(|e| !e.is_null()).collect();
        nulls += (elements.len() - kept.len()) as u64;
        kept.reverse();
        assert_eq!(after.contents, Contents::References(kept));
        seen += 1;
    }
    assert!(seen > 20);
    assert!(found.facts.null_references >= Some(nulls));
}

/// A text as a person leaves it after some editing.
#[test]
fn a_text_that_a_person_edited_is_the_same_through_records() {
    let edited = "\u{feff}// Version: J2RE 6.0\r\n\
        // I have looked at the maps only\n\
        \n\
        0x436e90 [28]   OBJ java/util/HashMap   \n\
        \t\t0x415319D8   0x00436EB0\n\
        0x0\r\n\
        // and at this one:\n\
        0X00436EB0\t[44] OBJ [C\n\
        0x41530F20 0x00438130 [24] OBJ pkg/\u{dc}n\u{131}\r\n\
        \n\n   0x00000000   \n\
        0x41532E68 [032] CLS java/lang/Runnable\n\
        //Breakdown - Classes:1,Objects:2, ObjectArrays: 0,   PrimitiveArrays: 1\n\
        // EOF:Total 'Objects' , Refs(null) :4,6 (2)  \n\
        \n// end";
    assert_eq!(String::from_utf8_lossy(&through_records(edited.as_bytes())), edited);
    let heap = lifted(edited.as_bytes());
    assert_eq!((heap.objects.len(), heap.classes.len()), (3, 1));
    assert_eq!(heap.objects[0].references().map(|r| r.0).collect::<Vec<_>>(), [0x4153_19d8, 0x0043_6eb0, 0]);
}
