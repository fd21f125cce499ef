//! Heaps of presets and of random options: what every dump of them keeps and shows.

use std::collections::BTreeSet;

use heapsmith::draw::{DrawStream, SeedDraw};
use heapsmith::family::WriteRequest;
use heapsmith::format::{DumpFile, Format, ListedPart, profiles};
use heapsmith::generate::{GenerateOptions, Preset, ProceduralHeap};
use heapsmith::model::{Address, Contents, Heap, HeapSource, IdentityHash, RootKind, WordSize};
use heapsmith::recipe::Recipe;
use heapsmith::{Error, validate};

fn dump(recipe: &Recipe) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    recipe.write(&mut bytes)?;
    Ok(bytes)
}

fn heap(recipe: &Recipe) -> Heap {
    Heap::collect(&mut recipe.heap().expect("a heap")).expect("in memory")
}

/// Of large presets, fewer objects than they have by themselves, and more than are drawn one by one.
fn recipes() -> impl Iterator<Item = Recipe> {
    let preset = |preset| {
        let mut recipe = Recipe::from(preset);
        recipe.options.objects = recipe.options.objects.min(6000);
        recipe
    };
    Preset::FORMS.iter().map(move |form| preset(form.preset))
}

#[test]
fn presets_are_valid_in_every_format_and_profile() {
    for recipe in recipes() {
        for format in Format::all() {
            for profile in profiles(format) {
                let wishes = WriteRequest { profile: Some(profile.to_owned()), ..WriteRequest::default() };
                let mut recipe = recipe.clone().format(format).wishes(wishes).seed(1);
                if recipe.lowering().is_err() {
                    recipe.options.word = WordSize::Bits32;
                }
                if recipe.lowering().expect("a writer of 32-bit words").is_trap() {
                    continue;
                }
                let report = validate(dump(&recipe).unwrap_or_else(|error| panic!("{recipe}: {error}")));
                assert!(report.valid, "{recipe}: {:#?}", report.findings.first());
                assert_eq!(report.format.map(|name| name.starts_with(format.family().name())), Some(true), "{recipe}");
            }
        }
    }
}

#[test]
fn a_plain_dump_of_300_objects_is_small() {
    let size = |seed| {
        let mut recipe = Recipe::from(Preset::Plain).seed(seed);
        recipe.options.objects = 300;
        dump(&recipe).expect("a dump").len()
    };
    let large = (0..100).filter(|seed| size(*seed) >= 60_000).count();
    assert!(large <= 5, "{large} of 100 dumps have 60 kB and more");
}

#[test]
fn the_preset_boundary_has_every_edge() {
    let heap = heap(&Recipe::from(Preset::Boundary));
    let lengths = |is_primitive: bool| {
        let of =
            heap.objects.iter().filter(|object| matches!(object.contents, Contents::Primitives(_)) == is_primitive);
        of.filter_map(|object| object.length).collect::<BTreeSet<u64>>()
    };
    for edge in [0, 1, 127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536] {
        assert!(lengths(true).contains(&edge), "an array of {edge} primitive elements");
    }
    for edge in [0, 1, 127, 128, 255, 256, 4096, 32_768, 65_536] {
        assert!(lengths(false).contains(&edge), "an array of {edge} objects");
    }
    let names: BTreeSet<usize> = heap.classes.iter().map(|class| class.name.as_bytes().len()).collect();
    assert!([64, 128, 256, 32_768].iter().all(|edge| names.contains(edge)), "{names:?}");
    let fields: BTreeSet<usize> = heap.classes.iter().map(|class| class.fields.iter().flatten().count()).collect();
    assert!([0, 1, 127, 128, 255, 256].iter().all(|edge| fields.contains(edge)), "{fields:?}");

    let above = |address: Address| heap.classes.iter().find(|class| class.address == address)?.superclass;
    let depth =
        |class: Address| std::iter::successors(above(class), |at| above(*at)).filter(|at| !at.is_null()).count();
    assert_eq!(heap.classes.iter().map(|class| depth(class.address)).max(), Some(10));

    let mut addresses: Vec<u64> = heap.objects.iter().map(|object| object.address.0).collect();
    addresses.extend(heap.classes.iter().map(|class| class.address.0));
    addresses.sort_unstable();
    let distances: BTreeSet<u64> = addresses.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for distance in [(1 << 31) - 8, 1 << 31, (1 << 31) + 8, 1 << 33, 1 << 34, 1 << 63] {
        assert!(distances.contains(&distance), "{distance:#x} of {distances:x?}");
    }

    let hashes: BTreeSet<u16> = heap
        .objects
        .iter()
        .filter_map(|object| match object.hash {
            Some(IdentityHash::Bits16(hash)) => Some(hash),
            _ => None,
        })
        .collect();
    assert!(hashes.contains(&0) && hashes.iter().any(|hash| hash & 0x8000 != 0));
    let frames: BTreeSet<i32> = heap
        .surroundings
        .roots
        .iter()
        .flatten()
        .filter_map(|root| match root.kind {
            RootKind::JavaFrame(_, frame) => Some(frame),
            _ => None,
        })
        .collect();
    assert!(frames.contains(&300), "{frames:?}");
    let threads = heap.surroundings.threads.iter().flatten();
    assert!(threads.clone().count() > 0 && threads.clone().all(|thread| thread.serial.0 & 1 << 31 != 0));
}

#[test]
fn the_preset_every_record_has_every_kind_of_root() {
    let heap = heap(&Recipe::from(Preset::EveryRecord));
    let has = |is: fn(&RootKind) -> bool| heap.surroundings.roots.iter().flatten().any(|root| is(&root.kind));
    assert!(has(|kind| matches!(kind, RootKind::Unknown)));
    assert!(has(|kind| matches!(kind, RootKind::JniGlobal(_))));
    assert!(has(|kind| matches!(kind, RootKind::JniLocal(..))));
    assert!(has(|kind| matches!(kind, RootKind::JavaFrame(..))));
    assert!(has(|kind| matches!(kind, RootKind::NativeStack(_))));
    assert!(has(|kind| matches!(kind, RootKind::StickyClass)));
    assert!(has(|kind| matches!(kind, RootKind::ThreadBlock(_))));
    assert!(has(|kind| matches!(kind, RootKind::MonitorUsed)));
    assert!(has(|kind| matches!(kind, RootKind::ThreadObject(..))));
    assert!(has(|kind| matches!(kind, RootKind::InternedString)));
    assert!(has(|kind| matches!(kind, RootKind::Finalizing)));
    assert!(has(|kind| matches!(kind, RootKind::Debugger)));
    assert!(has(|kind| matches!(kind, RootKind::ReferenceCleanup)));
    assert!(has(|kind| matches!(kind, RootKind::VmInternal)));
    assert!(has(|kind| matches!(kind, RootKind::JniMonitor(..))));
    assert!(has(|kind| matches!(kind, RootKind::Unreachable)));
}

/// The kinds of a dump's records, as `inspect` lists them.
fn kinds(recipe: &Recipe) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    DumpFile::new(recipe.clone().input().expect("a recipe"), Default::default())
        .and_then(|file| file.records())
        .expect("a dump")
        .list(&mut |listed| {
            if let ListedPart::Record(line) = listed {
                found.insert(line.kind.trim().to_owned());
            }
            Ok(())
        })
        .expect("records");
    found
}

/// The kinds of records in dumps of the preset by a writer.
fn kinds_by(format: Format, profile: &str) -> BTreeSet<String> {
    let wishes = WriteRequest { profile: Some(profile.to_owned()), ..WriteRequest::default() };
    let seeds = if profile == "any" { 0..6 } else { 0..1 };
    let of = |seed| {
        let mut recipe = Recipe::from(Preset::EveryRecord).format(format).wishes(wishes.clone()).seed(seed);
        if recipe.lowering().is_err() {
            recipe.options.word = WordSize::Bits32;
        }
        let bare = recipe.clone().options(recipe.options.clone().bare_arrays(true));
        if bare.lowering().is_ok() { kinds(&bare) } else { kinds(&recipe) }
    };
    seeds.flat_map(of).collect()
}

const EVERY_HPROF: &[&str] = &[
    // Records.
    "STRING IN UTF8",
    "LOAD CLASS",
    "UNLOAD CLASS",
    "STACK FRAME",
    "STACK TRACE",
    "ALLOC SITES",
    "HEAP SUMMARY",
    "START THREAD",
    "END THREAD",
    "HEAP DUMP",
    "CPU SAMPLES",
    "CONTROL SETTINGS",
    "HEAP DUMP SEGMENT",
    "HEAP DUMP END",
    // Sub-records.
    "CLASS DUMP",
    "INSTANCE DUMP",
    "OBJECT ARRAY DUMP",
    "PRIMITIVE ARRAY DUMP",
    "PRIMITIVE ARRAY NO DATA DUMP",
    "HEAP DUMP INFO",
    // Roots.
    "ROOT UNKNOWN",
    "ROOT JNI GLOBAL",
    "ROOT JNI LOCAL",
    "ROOT JAVA FRAME",
    "ROOT NATIVE STACK",
    "ROOT STICKY CLASS",
    "ROOT THREAD BLOCK",
    "ROOT MONITOR USED",
    "ROOT THREAD OBJECT",
    "ROOT INTERNED STRING",
    "ROOT FINALIZING",
    "ROOT DEBUGGER",
    "ROOT REFERENCE CLEANUP",
    "ROOT VM INTERNAL",
    "ROOT JNI MONITOR",
    "ROOT UNREACHABLE",
];

#[test]
fn the_preset_every_record_has_every_record_of_hprof() {
    let any = kinds_by(Format::HPROF, "any");
    let missing: Vec<&&str> = EVERY_HPROF.iter().filter(|kind| !any.contains(**kind)).collect();
    assert!(missing.is_empty(), "{missing:?} of {any:?}");
    // What all writers have, and what the agent and Android's have besides.
    for profile in profiles(Format::HPROF) {
        let found = kinds_by(Format::HPROF, profile);
        let all = ["STRING IN UTF8", "LOAD CLASS", "STACK FRAME", "STACK TRACE", "CLASS DUMP", "INSTANCE DUMP"];
        let arrays = ["OBJECT ARRAY DUMP", "PRIMITIVE ARRAY DUMP"];
        let own: &[&str] = match profile {
            "agent" => {
                &["ALLOC SITES", "HEAP SUMMARY", "START THREAD", "END THREAD", "CPU SAMPLES", "CONTROL SETTINGS"]
            }
            "art" => &["HEAP DUMP INFO"],
            _ => &[],
        };
        let roots = EVERY_HPROF.iter().filter(|kind| kind.starts_with("ROOT"));
        for kind in all.iter().chain(&arrays).chain(own).chain(roots) {
            assert!(found.contains(*kind), "{profile}: {kind}");
        }
    }
}

#[test]
fn the_preset_every_record_has_every_record_of_phd_and_every_line_of_classic_text() {
    const ALL: [&str; 6] =
        ["class", "short object", "medium object", "long object", "primitive array", "long primitive array"];
    for format in [Format::PHD4, Format::PHD5, Format::PHD6] {
        let any = kinds_by(format, "any");
        for kind in ALL.into_iter().chain(["object array (tag 5)", "object array (tag 8)"]) {
            assert!(any.contains(kind), "{format}: {kind}: {any:?}");
        }
        for profile in profiles(format) {
            let found = kinds_by(format, profile);
            // The long one of J9 2.3 and 2.4 is for arrays from 2^31 elements on.
            let is_long = |kind: &str| kind == "long primitive array" && ["j9-2.3", "j9-2.4"].contains(&profile);
            let missing: Vec<&str> = ALL.into_iter().filter(|kind| !found.contains(*kind) && !is_long(kind)).collect();
            assert!(missing.is_empty(), "{format} {profile}: {missing:?}");
        }
    }
    let every = ["version", "comment", "class", "object", "totals", "breakdown"];
    assert_eq!(kinds_by(Format::CLASSIC, "any"), every.map(str::to_owned).into());
    for profile in profiles(Format::CLASSIC) {
        let found = kinds_by(Format::CLASSIC, profile);
        assert!(every.iter().all(|kind| *kind == "comment" || found.contains(*kind)), "{profile}: {found:?}");
    }
}

#[test]
fn the_heap_does_not_depend_on_the_format() {
    for recipe in recipes() {
        let one = heap(&recipe.clone().seed(3));
        assert!(Format::all().all(|format| heap(&recipe.clone().seed(3).format(format)) == one), "{recipe}");
    }
}

/// Most objects of a large heap are computed by other code than those of a small one.
#[test]
fn options_apply_to_objects_in_blocks() {
    let recipe = "heapsmith-2:objects=10000,primitive-lengths=constant:3,object-lengths=constant:5,nulls=0,mix=1:0:1:1";
    let heap = heap(&recipe.parse().expect("a recipe"));
    assert!(heap.objects.len() >= 9_900);
    // The first object of a block holds the others, and two blocks more.
    for object in heap.objects[600..].iter().filter(|object| object.length != Some(33)) {
        match &object.contents {
            Contents::Primitives(_) => assert_eq!(object.length, Some(3)),
            Contents::Elements(elements) => assert_eq!(elements.len(), 5),
            Contents::Fields(values) => assert!(values.iter().all(|v| v.as_reference().is_none_or(|to| !to.is_null()))),
            other => panic!("{other:?}"),
        }
    }
}

/// What a fuzzer may ask for.
#[test]
fn writes_valid_dumps_of_any_options_or_refuses_them_first() {
    let mut written = 0;
    for seed in 0..150 {
        let options = GenerateOptions::draw(&mut SeedDraw::new(seed, DrawStream::Heap));
        for format in Format::all() {
            let recipe = Recipe::from(Preset::Plain).options(options.clone()).seed(seed).format(format);
            if recipe.lowering().is_err() {
                continue;
            }
            let report = validate(dump(&recipe).unwrap_or_else(|error| panic!("{recipe}: {error}")));
            assert!(report.valid, "{recipe}: {:#?}", report.findings.first());
            written += 1;
        }
    }
    assert!(written > 400, "{written} dumps");
}

#[test]
fn lays_out_addresses_by_option() {
    let addresses = |text: &str| {
        let options = text.split(',').filter_map(|pair| pair.split_once('='));
        let mut made = GenerateOptions::default();
        options.for_each(|(key, value)| made.set(key, value).expect("an option"));
        let mut heap = ProceduralHeap::new(&made, 5).expect("a heap");
        let mut addresses: Vec<u64> = heap.classes().iter().map(|class| class.address.0).collect();
        heap.visit_objects(&mut |object| {
            addresses.push(object.address.0);
            Ok(())
        })
        .expect("objects");
        addresses
    };
    for large in ["", "objects=9000,"] {
        let of = |layout: &str| addresses(&format!("{large}addresses={layout}"));
        assert!(of("above-4g").iter().all(|address| *address > 1 << 32));
        let across = of("wrapping-4g");
        assert!(across[0] < 1 << 32 && across[across.len() - 1] >= 1 << 32);
        let gaps = |layout: &str| of(layout).windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<u64>>();
        assert!(gaps("sparse").iter().sum::<u64>() > 100 * gaps("dense").iter().sum::<u64>());
    }
    for large in ["", "objects=9000,"] {
        let unaligned = addresses(&format!("{large}addresses=unaligned"));
        for part in [&unaligned[..], &unaligned[unaligned.len() / 2..]] {
            assert!((0..8).all(|rest| part.iter().any(|address| address % 8 == rest)));
        }
    }
    assert_eq!(addresses("addresses=numbers")[1] - addresses("addresses=numbers")[0], 1);
    // Addresses of 32 bits go on from low ones.
    for (large, end) in [("", 0x10_0000), ("objects=9000,", 0x1000_0000)] {
        let mut wrapped = addresses(&format!("{large}addresses=wrapping-4g,word=32"));
        assert!(wrapped[0] > 0xffff_0000 && wrapped[wrapped.len() - 1] < end, "{:x?}", wrapped.last());
        assert_eq!(wrapped.windows(2).filter(|pair| pair[0] > pair[1]).count(), 1);
        let objects = wrapped.len();
        wrapped.sort_unstable();
        wrapped.dedup();
        assert_eq!(wrapped.len(), objects);
    }
}
