//! Random heaps: the same draws give the same heap on every machine.
//!
//! The draws come from a seed or from a fuzzer's bytes through one trait, [`Draw`]. A heap holds more than PHD can
//! record (field values, array elements, contents, loaders, roots, threads), because other formats record it; a
//! format's `lower` leaves out the rest.

mod addresses;
mod catalogue;
mod classes;
mod collections;
mod contents;
mod extras;
mod hotspot;
pub(crate) mod library;
mod names;
mod numbers;
mod objects;
mod oddity;
mod options;
mod ownership;
mod placement;
mod plan;
mod procedural;
mod program;
mod references;
mod roots;
pub(crate) mod shape;
mod table;
mod values;

pub(crate) use catalogue::{CatalogueClass, UTF16_CLASS};
pub use library::Library;
pub use oddity::{Oddities, Oddity, OddityForm};
pub(crate) use options::Refusal;
pub use options::{
    AddressSpace, ClassObjects, DRAWN, GenerateOption, GenerateOptions, Lengths, Naming, ObjectMix, OverruledOption,
    Placement, Preset, PresetForm, Share, schema,
};
pub use procedural::ProceduralHeap;
pub use shape::{PlacedShape, Shape, ShapeForm, Shapes};

use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::model::blocks::{FilledBlocks, ObjectBlocks};
use crate::model::{Address, Contents, Facts, HashRegime, Heap, Name, Surroundings};

use addresses::AddressAllocator;
use classes::ClassPlan;
use objects::SpareBlocks;
use plan::MissingObjects;

/// A random heap. Shapes that do not fit into its addresses are left out, and so are class loaders and threads that
/// need more objects than there are: [`ProceduralHeap`] refuses the former, and counts the latter.
pub fn generate(options: &GenerateOptions, draw: &mut dyn Draw) -> Heap {
    let DrawnHeap { mut heap, mut ground, .. } = draw_heap(options, SpareBlocks::default(), draw);
    let plan = placement::plan_shapes(options, &heap, &mut ground);
    let Ok(shapes) = plan.and_then(|plan| placement::place_shapes(options, plan, &mut ground)) else { return heap };
    let around = placement::build(options, &shapes, &mut heap);
    for blocks in shapes.iter().flat_map(|shape| placement::RunBlocks::from_shape(shape, &around)) {
        let mut filled = FilledBlocks::new(&blocks);
        (0..blocks.count()).for_each(|block| heap.objects.extend_from_slice(filled.fill(block)));
    }
    for object in &mut heap.objects {
        if let (Contents::Long(_), Ok(held)) = (&object.contents, object.contents.hold()) {
            object.contents = held;
        }
    }
    heap
}

/// A random heap, with the state that drawing more of its objects needs.
struct DrawnHeap {
    heap: Heap,
    classes: ClassPlan,
    /// The addresses for more objects.
    ground: AddressAllocator,
    /// Objects with many references to them.
    popular: Vec<Address>,
    /// Requested objects without room.
    missing: MissingObjects,
}

/// The heap of the options. It has objects of spare blocks, too, if its threads need more objects than the options
/// have.
fn draw_heap(options: &GenerateOptions, blocks: SpareBlocks, draw: &mut dyn Draw) -> DrawnHeap {
    let options = &options.with_oddities();
    // One allocator for both, so that no object lands on a class.
    let mut ground = AddressAllocator::new(options, draw);
    let classes = ClassPlan::draw(options, &mut ground, draw);
    let mut plan = objects::plan_objects(options, &classes, blocks, &mut ground, draw);
    let mut class_table = classes.finished_classes(&plan, options, draw);
    let mut made = contents::draw_objects(options, &classes, &mut plan, draw);
    let (roots, threads, traces) = roots::draw_roots(options, &classes, &plan, &class_table, draw);
    let randoms = (draw.u32(), draw.u32());
    // Last, so that a seed means the same heap in any order.
    put_in_file_order(options, &mut class_table, &mut made, draw);
    let mut heap = Heap {
        facts: Facts {
            word_size: Some(options.word),
            version_text: Some(version_text(options, draw)),
            hash_regime: Some(options.hashes),
            timestamp: options.time_stamp,
            hash_randoms: (options.hashes == HashRegime::WhereUsed32).then_some(randoms),
            ..Facts::default()
        },
        classes: class_table,
        objects: made,
        surroundings: Surroundings {
            roots: Some(roots),
            threads: Some(threads),
            traces: Some(traces),
            ..Surroundings::default()
        },
    };
    extras::add(options, &mut heap, draw);
    if options.class_objects == ClassObjects::HotSpot {
        hotspot::restate_class_objects(&mut heap, options.word);
    }
    DrawnHeap { heap, classes, ground, popular: plan.popular, missing: plan.missing }
}

/// A random heap from a seed.
pub fn from_seed(options: &GenerateOptions, seed: u64) -> Heap {
    generate(options, &mut SeedDraw::new(seed, DrawStream::Heap))
}

/// The version of the generator. A seed gives another heap in each: 1 was the first release's, 2 makes every heap one
/// that a program could have, with oddities where they are asked for.
pub const VERSION: u32 = 2;

/// Draws the version text of the virtual machine.
fn version_text(options: &GenerateOptions, draw: &mut dyn Draw) -> Name {
    const ODD: [&str; 4] = ["", "J2RE 5.0 IBM J9 2.3 build 20060504-0917", "\u{dc}b\u{e9}r", "\u{20ac} \u{1f600}"];
    if let Some(text) = &options.version_text {
        return Name::from_text(text);
    }
    if options.oddities.has(Oddity::VersionText) {
        let long = "long ".repeat(200);
        let can_be = |text: &str| !options.latin1_names || text.chars().all(|c| u32::from(c) < 0x100);
        let all: Vec<&str> = ODD.into_iter().chain([long.as_str()]).filter(|text| can_be(text)).collect();
        return Name::from_text(draw.pick::<&str>(&all));
    }
    Name::from_text("heapsmith synthetic heap")
}

/// Puts classes and objects into file order.
fn put_in_file_order(
    options: &GenerateOptions,
    classes: &mut [crate::model::Class],
    objects: &mut [crate::model::Object],
    draw: &mut dyn Draw,
) {
    if options.placement == Placement::Ordered {
        return; // ascending addresses, class positions left to the writer
    }
    for place in (1..objects.len()).rev() {
        // Mostly ascending, so that short gaps stay common.
        if draw.one_in(4) {
            objects.swap(place, draw.below(place as u64 + 1) as usize);
        }
    }
    let mut after: Vec<u64> = classes.iter().map(|_| draw.below(objects.len() as u64 + 1)).collect();
    after.sort_unstable();
    for (class, after) in classes.iter_mut().zip(after) {
        class.after_objects = Some(after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Class, FieldType, Object, ObjectKind, PrimitiveType, RootKind};

    #[test]
    fn the_same_seed_gives_the_same_heap_and_another_seed_another() {
        let options = GenerateOptions::default();
        assert_eq!(from_seed(&options, 7), from_seed(&options, 7));
        assert_ne!(from_seed(&options, 7), from_seed(&options, 8));
    }

    #[test]
    fn no_two_classes_or_objects_share_an_address() {
        for seed in 0..200 {
            let word = if seed % 2 == 0 { crate::model::WordSize::Bits32 } else { crate::model::WordSize::Bits64 };
            let heap = from_seed(&GenerateOptions { objects: 300, word, ..GenerateOptions::default() }, seed);
            let classes = heap.classes.iter().map(|c| c.address);
            let mut addresses: Vec<_> = classes.chain(heap.objects.iter().map(|o| o.address)).collect();
            addresses.sort_unstable();
            assert!(addresses.windows(2).all(|pair| pair[0] < pair[1]), "seed {seed}");
            if seed < 20 {
                // A large heap stays within 32 bits too.
                let options = GenerateOptions { objects: 100_000, word, ..GenerateOptions::default() };
                let heap = from_seed(&options, seed);
                assert!(heap.objects.windows(2).all(|pair| pair[0].address < pair[1].address), "seed {seed}");
                assert!(heap.objects.iter().all(|o| word.mask(o.address.0) == o.address.0), "seed {seed}");
            }
            assert!(addresses.iter().all(|a| a.0 % 8 == 0 && word.mask(a.0) == a.0), "seed {seed}");
        }
    }

    #[test]
    fn heaps_hold_what_every_format_needs() {
        let heap = from_seed(&GenerateOptions { objects: 2_000, ..GenerateOptions::default() }, 3);
        let count = |wanted: fn(&crate::model::Object) -> bool| heap.objects.iter().filter(|o| wanted(o)).count();
        assert!(count(|o| matches!(&o.contents, Contents::Fields(f) if !f.is_empty())) > 100);
        assert!(count(|o| matches!(&o.contents, Contents::Elements(e) if e.iter().any(|a| a.is_null()))) > 20);
        assert!(count(|o| matches!(&o.contents, Contents::Primitives(p) if !p.is_empty())) > 100);
        for kind in crate::model::PrimitiveType::ALL {
            assert!(heap.objects.iter().any(|o| o.kind == ObjectKind::PrimitiveArray(kind)), "{kind}[]");
            let field = FieldType::Primitive(kind);
            assert!(heap.classes.iter().flat_map(|c| c.fields.iter().flatten()).any(|f| f.kind == field), "{kind}");
        }
        assert!(heap.classes.iter().any(|c| c.loader.is_some_and(|l| !l.is_null())));
        assert!(!heap.surroundings.roots.as_ref().expect("roots").is_empty());
        assert!(!heap.surroundings.threads.as_ref().expect("threads").is_empty());
    }

    /// Statics and fields of every heap, and elements of arrays.
    #[test]
    fn booleans_are_0_or_1_whatever_is_odd() {
        for seed in 0..40 {
            let oddities = if seed % 2 == 0 { Oddities::NONE } else { Oddities::ALL };
            let heap = from_seed(&GenerateOptions { oddities, ..GenerateOptions::default() }, seed);
            let statics = heap.classes.iter().flat_map(|class| class.statics.iter().flatten()).map(|field| field.value);
            let pools = heap.classes.iter().flat_map(|c| c.constant_pool.iter().flatten()).map(|entry| entry.value);
            let fields = heap.objects.iter().filter_map(|object| match &object.contents {
                Contents::Fields(values) => Some(values.clone()),
                _ => None,
            });
            let is_boolean = |value: &crate::model::Value| value.kind == FieldType::Primitive(PrimitiveType::Boolean);
            let all = statics.chain(pools).chain(fields.flatten());
            assert!(all.filter(is_boolean).all(|value| value.bits < 2), "seed {seed}");
            for object in heap.objects.iter().filter(|o| o.kind == ObjectKind::PrimitiveArray(PrimitiveType::Boolean)) {
                assert!(matches!(&object.contents, Contents::Primitives(bytes) if bytes.iter().all(|byte| *byte < 2)));
            }
        }
    }

    #[test]
    fn gives_threads_and_loaders_their_classes_and_traces() {
        for seed in 0..40 {
            let heap = from_seed(&GenerateOptions { objects: 20 + seed as usize, ..GenerateOptions::default() }, seed);
            let class_of = |address| {
                let object = heap.objects.iter().find(|object| object.address == address).expect("an object");
                heap.classes.iter().find(|class| Some(class.address) == object.class).expect("its class")
            };
            for thread in heap.surroundings.threads.iter().flatten() {
                assert_eq!(class_of(thread.object).name, Name::from_text("java/lang/Thread"));
            }
            for loader in heap.classes.iter().filter_map(|class| class.loader).filter(|loader| !loader.is_null()) {
                let above = class_of(loader).superclass;
                let above = heap.classes.iter().find(|class| Some(class.address) == above).expect("a superclass");
                assert_eq!(above.name, Name::from_text("java/lang/ClassLoader"));
            }
            let told: Vec<_> = heap.surroundings.traces.iter().flatten().map(|trace| trace.serial).collect();
            let cited = heap.objects.iter().map(|o| o.trace).chain(heap.classes.iter().map(|c| c.trace));
            assert!(cited.flatten().all(|trace| told.contains(&trace)));
        }
    }

    /// Facts of strings, classes and threads in any virtual machine.
    #[test]
    fn strings_have_characters_superclasses_are_in_reach_and_java_frames_have_a_depth() {
        let mut frames = 0;
        for seed in 0..60 {
            let oddities = if seed % 3 == 0 { Oddities::NONE.with(Oddity::TwinClasses) } else { Oddities::NONE };
            let heap =
                from_seed(&GenerateOptions { objects: 5 + seed, oddities, ..GenerateOptions::default() }, seed as u64);
            let string = heap.classes.iter().find(|class| class.name == Name::from_text("java/lang/String"));
            let string = string.expect("a class of every heap");
            let value = string.fields.iter().flatten().position(|field| field.name == Name::from_text("value"));
            for object in heap.objects.iter().filter(|object| object.class == Some(string.address)) {
                let Contents::Fields(values) = &object.contents else { panic!("an instance") };
                let text = values[value.expect("a field of it")].as_reference();
                let is_text =
                    |o: &&Object| Some(o.address) == text && o.kind == ObjectKind::PrimitiveArray(PrimitiveType::Byte);
                assert!(heap.objects.iter().any(|o| is_text(&o)), "seed {seed}: {}", object.address);
            }
            // The boot loader, the first loader, which asks it, and the second one, which asks the first.
            let rank = |class: &Class| match class.loader.unwrap_or_default() {
                loader if loader.is_null() => 0,
                loader => 1 + heap.objects.iter().position(|object| object.address == loader).expect("an object"),
            };
            for class in &heap.classes {
                let above = heap.classes.iter().find(|above| Some(above.address) == class.superclass);
                assert!(above.is_none_or(|above| rank(above) <= rank(class)), "seed {seed}: {}", class.name);
            }
            let mut known: Vec<_> = heap.classes.iter().map(|class| (class.name.clone(), class.loader)).collect();
            known.sort();
            known.dedup();
            assert_eq!(known.len(), heap.classes.len(), "seed {seed}: a loader has no two classes of one name");
            let twins = heap.classes.iter().filter(|class| class.name == Name::from_text("pkg/Twin")).count();
            assert_eq!(twins > 1, oddities != Oddities::NONE, "seed {seed}: {twins}");
            for root in heap.surroundings.roots.iter().flatten() {
                if let RootKind::JavaFrame(thread, frame) = root.kind {
                    let trace = heap.surroundings.traces.iter().flatten().find(|trace| trace.thread == thread);
                    let depth = trace.expect("the thread's").frames.len();
                    assert!((0..depth as i32).contains(&frame), "seed {seed}: {frame} of {depth}");
                    frames += 1;
                }
            }
        }
        assert!(frames > 20, "{frames} Java frames");
    }

    #[test]
    fn every_instance_has_a_value_for_each_field_of_its_class_and_superclasses() {
        let heap = from_seed(&GenerateOptions { objects: 500, ..GenerateOptions::default() }, 5);
        let mut seen = 0;
        for object in &heap.objects {
            let Contents::Fields(values) = &object.contents else { continue };
            let mut types = Vec::new();
            let mut class = object.class;
            while let Some(found) = heap.classes.iter().find(|c| Some(c.address) == class) {
                types.extend(found.fields.iter().flatten().map(|f| f.kind));
                class = found.superclass;
            }
            assert_eq!(values.iter().map(|v| v.kind).collect::<Vec<_>>(), types);
            seen += 1;
        }
        assert!(seen > 100);
    }
}
