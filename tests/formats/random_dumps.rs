//! Random ways to write a dump: how often something is odd, that the dump shows it, and how large dumps are.

use std::collections::HashSet;

use heapsmith::draw::SeedDraw;
use heapsmith::format::{Family, Format, Lowering};
use heapsmith::generate::{Oddities, Oddity};
use heapsmith::hprof::IdSize;
use heapsmith::input::Input;
use heapsmith::model::{
    Address, ByteLen, Contents, FieldType, Heap, HeapSource, IdentityHash, ObjectKind, PrimitiveType, RootKind, Value,
};
use heapsmith::recipe::Recipe;
use heapsmith::validate::{Severity, ValidateOptions, validate};

/// A dump, and what a reader gets of it.
struct Made {
    lowering: Lowering,
    carried: Heap,
    bytes: Vec<u8>,
}

fn dump(recipe: &Recipe) -> Made {
    let (lowering, mut heap) = recipe.lowering_and_heap().unwrap_or_else(|e| panic!("{recipe}: {e}"));
    let mut source = &mut heap as &mut dyn HeapSource;
    let carried = lowering.carry(&mut source).and_then(|dump| dump.into_only_heap()).expect("a heap");
    let mut bytes = Vec::new();
    lowering.write(&mut source, &mut bytes).unwrap_or_else(|e| panic!("{recipe}: {e}"));
    Made { lowering, carried, bytes }
}

#[test]
fn six_in_ten_are_plain_and_three_have_one_oddity() {
    let mut counts = [0; 3];
    for number in 0..2000 {
        let recipe = Recipe::draw(&Family::ALL, 100, &mut SeedDraw::with_number(3, number)).expect("a recipe");
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
fn dumps_named_after_oddity_are_valid_and_show_it() {
    let mut missing = Vec::new();
    for format in Format::all() {
        for form in Oddity::FORMS.iter().filter(|form| form.formats.contains(&format.family().name())) {
            for number in 0..8 {
                let oddities: Oddities = [form.oddity].into_iter().collect();
                let mut draw = SeedDraw::with_number(4, number);
                let mut recipe = Recipe::with_oddities(format, oddities, 80, &mut draw).expect("a recipe");
                // One byte numbers no more than were drawn.
                if recipe.wishes.id_size != Some(IdSize::One) {
                    recipe.options.objects = 80;
                }
                let made = dump(&recipe);
                let what = format!("{format} {} {} {number}", form.name, made.lowering.profile());
                if !shows(form.oddity, &recipe, &made) {
                    missing.push(what.clone());
                }
                let report = validate(&Input::from_memory("odd", made.bytes), ValidateOptions::default());
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
            let half = recipe.options.word.bytes() as u32 * 8 - 1;
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
            kinds.len() == if made.lowering.profile() == "art" { 16 } else { 9 } || kinds.len() == 16
        }
        Oddity::SmallIdentifiers => matches!(made.bytes[19..23], [0, 0, 0, 1 | 2]),
        Oddity::AnySpelling => made.lowering.is_seeded(),
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
        Oddity::LongNames => named(&|name| name.len() >= 60),
        // Most elements are no nulls, which some formats leave out.
        Oddity::ManyElements => objects().any(|object| match &object.contents {
            Contents::References(all) | Contents::Elements(all) => all.len() >= 128,
            _ => false,
        }),
        Oddity::ManyFields => classes().any(|class| class.statics.as_ref().is_some_and(|all| all.len() >= 200)),
        Oddity::DeepClasses => classes().any(|class| {
            let above = |address: &Address| classes().find(|class| class.address == *address)?.superclass;
            std::iter::successors(class.superclass, above).take_while(|address| !address.is_null()).count() >= 8
        }),
        Oddity::DeepStacks => heap.surroundings.traces.iter().flatten().any(|trace| trace.frames.len() >= 200),
        Oddity::HighSerials => heap.surroundings.traces.iter().flatten().any(|trace| trace.serial.0 >= 1 << 31),
    }
}

#[test]
fn plain_dumps_have_no_finding_and_ascii_names() {
    for number in 0..60 {
        let mut draw = SeedDraw::with_number(5, number);
        let format = Format::all().cycle().nth(number as usize).expect("there are formats");
        let recipe = Recipe::with_oddities(format, Oddities::NONE, 100, &mut draw).expect("a recipe");
        let made = dump(&recipe);
        assert!(made.carried.classes.iter().all(|class| class.name.as_bytes().is_ascii()));
        let report = validate(&Input::from_memory("plain", made.bytes), ValidateOptions::default()).expect("memory");
        let found: Vec<_> = report.findings.iter().filter(|f| f.severity != Severity::Note).collect();
        assert!(found.is_empty(), "{recipe:?}: {found:?}");
    }
}

#[test]
fn half_of_the_plain_hprof_dumps_of_100_objects_are_smaller_than_20_kb() {
    let mut sizes = Vec::new();
    for number in 0..60 {
        let mut draw = SeedDraw::with_number(6, number);
        let mut recipe = Recipe::with_oddities(Format::HPROF, Oddities::NONE, 100, &mut draw).expect("a recipe");
        recipe.options.objects = 100;
        sizes.push(dump(&recipe).bytes.len());
    }
    sizes.sort_unstable();
    assert!(sizes[30] < 20_000, "{sizes:?}");
}
