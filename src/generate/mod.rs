//! Random heaps: the same draws, the same heap, whatever the machine.
//!
//! The draws come from a seed or from a fuzzer's bytes through one trait, [`Draw`]. A heap holds more
//! than PHD can say (field values, array elements, contents, loaders, roots, threads), because other
//! formats say it; what a format leaves out is that format's `lower`'s business.

mod addresses;
mod classes;
mod extras;
mod objects;
mod options;

pub use options::{AddressSpace, GenerateOptions, Placement};

use crate::draw::{Draw, SeedDraw, Stream};
use crate::model::{Facts, HashRegime, Heap, Name, Surroundings};

use addresses::Ground;
use classes::Classes;

/// A random heap.
pub fn generate(options: &GenerateOptions, draw: &mut dyn Draw) -> Heap {
    // One ground for both, so that no object lands on a class.
    let mut ground = Ground::new(options, draw);
    let classes = Classes::plan(options, &mut ground, draw);
    let mut plan = objects::plan(options, &classes, &mut ground, draw);
    let mut class_table = classes.table(&plan.addresses, options, draw);
    let mut made = objects::fill(options, &classes, &mut plan, draw);
    let (roots, threads, traces) = objects::roots(options, &class_table, &made, draw);
    let randoms = (draw.u32(), draw.u32());
    // Last, so that a seed means the same heap in any order.
    place(options, &mut class_table, &mut made, draw);
    let mut heap = Heap {
        facts: Facts {
            word_size: Some(options.word),
            version_text: Some(Name::from_text("heapsmith synthetic heap")),
            hash_regime: Some(options.hashes),
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
    heap
}

/// A random heap from a seed.
pub fn from_seed(options: &GenerateOptions, seed: u64) -> Heap {
    generate(options, &mut SeedDraw::new(seed, Stream::Heap))
}

/// Puts classes and objects into file order.
fn place(
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
    use crate::model::{Contents, FieldType, ObjectKind};

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
