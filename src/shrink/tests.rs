use std::collections::HashSet;

use crate::draw::{Draw, SeedDraw};
use crate::error::Error;
use crate::format::{Family, Lowering, Recipe};
use crate::generate::from_seed;
use crate::input::Input;
use crate::model::{Address, Class, Contents, Heap, HeapSource, Name};
use crate::validate::{Finding, Severity, ValidateOptions, validate};

use super::needed::not_needed;
use super::steps;

fn written(heap: &Heap, lowering: &Lowering) -> Result<Vec<u8>, Error> {
    let (mut heap, mut bytes) = (heap, Vec::new());
    lowering.write(&mut (&mut heap as &mut dyn HeapSource), &mut bytes)?;
    Ok(bytes)
}

fn findings(heap: &Heap, lowering: &Lowering) -> Vec<Finding> {
    let dump = written(heap, lowering).unwrap_or_else(|e| panic!("{lowering:?}: {e}"));
    let report = validate(&Input::memory("smaller", dump), ValidateOptions::default()).expect("memory");
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
        let mut steps = steps(&heap);
        if steps.is_empty() {
            return;
        }
        // The smallest steps are the most; the largest are to be taken, too.
        let among = if draw.one_in(2) { steps.len() } else { steps.len().div_ceil(20) };
        let step = steps.swap_remove(draw.below(among as u64) as usize);
        let smaller = step.apply(&heap);
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
fn smaller_heaps_can_be_written_as_before_and_their_dumps_are_valid() {
    for family in Family::ALL {
        for number in 0..24 {
            let mut draw = SeedDraw::numbered(11, number);
            let recipe = Recipe::draw(&[family], 60, &mut draw).expect("a recipe");
            let heap = from_seed(&recipe.generate_options(), recipe.seed);
            walk(heap, &mut draw, &[recipe.lowering]);
        }
    }
}

#[test]
fn smaller_heaps_of_dumps_that_were_read_can_be_written_with_their_own_order_and_log() {
    let mut walked = 0;
    for number in 0..24 {
        let mut draw = SeedDraw::numbered(12, number);
        let recipe = Recipe::draw(&Family::ALL, 40, &mut draw).expect("a recipe");
        let heap = from_seed(&recipe.generate_options(), recipe.seed);
        let dump = written(&heap, &recipe.lowering).expect("a random heap can be written");
        let heap = crate::read(dump).expect("a dump");
        let lowering = recipe.lowering.adhering();
        if findings(&heap, &lowering).is_empty() {
            walk(heap, &mut draw, &[lowering]);
            walked += 1;
        }
    }
    assert!(walked >= 12, "{walked} of 24");
}

#[test]
fn classes_that_objects_need_stay_with_their_superclasses_and_what_their_arrays_hold() {
    let heap = Heap::random(7);
    let spare: HashSet<usize> = not_needed(&heap).into_iter().collect();
    assert!(!spare.is_empty());
    let kept = heap.classes.iter().enumerate().filter(|(index, _)| !spare.contains(index)).map(|(_, class)| class);
    let kept: Vec<&Class> = kept.collect();
    let has = |address: Address| kept.iter().any(|class| class.address == address);
    assert!(heap.objects.iter().all(|object| object.class.is_some_and(has)));
    assert!(kept.iter().all(|class| class.superclass.is_some_and(|to| to.is_null() || has(to))));
    let named = |name: &str| kept.iter().any(|class| class.name == Name::from_text(name));
    assert!(named("[[I") && named("[I") && named("int"));
}
