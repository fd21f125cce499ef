//! Smaller heaps: any step leads to one that can still be written.

use std::collections::HashSet;

use heapsmith::draw::{Draw, SeedDraw};
use heapsmith::error::Error;
use heapsmith::format::{Family, Lowering};
use heapsmith::generate::from_seed;
use heapsmith::input::Input;
use heapsmith::model::{Address, Contents, Heap, HeapSource};
use heapsmith::recipe::Recipe;
use heapsmith::validate::{Finding, Severity, ValidateOptions, validate};

fn written(heap: &Heap, lowering: &Lowering) -> Result<Vec<u8>, Error> {
    let (mut heap, mut bytes) = (heap, Vec::new());
    lowering.write(&mut (&mut heap as &mut dyn HeapSource), &mut bytes)?;
    Ok(bytes)
}

fn findings(heap: &Heap, lowering: &Lowering) -> Vec<Finding> {
    let dump = written(heap, lowering).unwrap_or_else(|e| panic!("{lowering:?}: {e}"));
    let report = validate(&Input::from_memory("smaller", dump), ValidateOptions::default()).expect("memory");
    report.findings.into_iter().filter(|finding| finding.severity != Severity::Note).collect()
}

fn addresses(heap: &Heap) -> HashSet<Address> {
    heap.classes.iter().map(|class| class.address).chain(heap.objects.iter().map(|object| object.address)).collect()
}

fn dangling(heap: &Heap) -> usize {
    let there = addresses(heap);
    let objects = heap.objects.iter().flat_map(|object| object.references().collect::<Vec<_>>());
    let roots = heap.surroundings.roots.iter().flatten().map(|root| root.object);
    objects.chain(roots).filter(|to| !to.is_null() && !there.contains(to)).count()
}

/// Walks from a heap to smaller ones, taking any step, and looks at each of them.
fn walk(mut heap: Heap, draw: &mut dyn Draw, lowerings: &[Lowering]) {
    for _ in 0..40 {
        // The smallest steps are the most; the largest are to be taken, too.
        let taken = heap.smaller_by(&mut |steps| {
            let among = if draw.one_in(2) { steps } else { steps.div_ceil(20) };
            draw.below(among as u64) as usize
        });
        let Some(smaller) = taken else { return };
        assert_ne!(smaller, heap, "a step makes a difference");
        assert_eq!(dangling(&smaller), 0);
        for object in &smaller.objects {
            if let (Contents::Elements(list), Some(length)) = (&object.contents, object.length) {
                assert_eq!(list.len() as u64, length);
            }
        }
        for lowering in lowerings {
            let found = findings(&smaller, lowering);
            assert!(found.is_empty(), "{lowering:?}: {found:#?}");
        }
        heap = smaller;
    }
}

#[test]
fn shrunk_heaps_are_written_as_valid_dumps() {
    for family in Family::ALL {
        for number in 0..24 {
            let mut draw = SeedDraw::with_number(11, number);
            let recipe = Recipe::draw(&[family], 60, &mut draw).expect("a recipe");
            let heap = from_seed(&recipe.options, recipe.seed);
            walk(heap, &mut draw, &[recipe.lowering().expect("a writer")]);
        }
    }
}

#[test]
fn shrunk_heaps_of_read_dumps_keep_order_and_log() {
    let mut walked = 0;
    for number in 0..24 {
        let mut draw = SeedDraw::with_number(12, number);
        let recipe = Recipe::draw(&Family::ALL, 40, &mut draw).expect("a recipe");
        let heap = from_seed(&recipe.options, recipe.seed);
        let lowering = recipe.lowering().expect("a writer");
        let dump = written(&heap, &lowering).expect("a random heap can be written");
        let heap = heapsmith::read(dump).expect("a dump");
        let lowering = lowering.adhering();
        if findings(&heap, &lowering).is_empty() {
            walk(heap, &mut draw, &[lowering]);
            walked += 1;
        }
    }
    assert!(walked >= 12, "{walked} of 24");
}
