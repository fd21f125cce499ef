use std::collections::HashSet;

use crate::model::{Address, Class, Heap, Name};

use super::needed::unneeded_classes;
use super::remove::{DroppedObjects, keep, without_dropped};

#[test]
fn classes_that_objects_need_stay_with_their_superclasses_and_what_their_arrays_hold() {
    let heap = Heap::random(7);
    let spare: HashSet<usize> = unneeded_classes(&heap).into_iter().collect();
    assert!(!spare.is_empty());
    let kept = heap.classes.iter().enumerate().filter(|(index, _)| !spare.contains(index)).map(|(_, class)| class);
    let kept: Vec<&Class> = kept.collect();
    let has = |address: Address| kept.iter().any(|class| class.address == address);
    assert!(heap.objects.iter().all(|object| object.class.is_some_and(has)));
    assert!(kept.iter().all(|class| class.superclass.is_some_and(|to| to.is_null() || has(to))));
    let named = |name: &str| kept.iter().any(|class| class.name == Name::from_text(name));
    assert!(named("[[I") && named("[I") && named("int"));
}

/// Whichever objects are left out, a heap that has only the others becomes what the whole becomes without them.
#[test]
fn a_part_of_a_heap_is_the_heap_without_the_rest() {
    for seed in 0..20 {
        let heap = Heap::random(seed);
        for (step, rest) in [(1, 0), (2, 0), (2, 1), (7, 3), (heap.objects.len().max(1) + 1, 0)] {
            let kept: Vec<bool> = (0..heap.objects.len()).map(|index| step > 1 && index % step == rest).collect();
            let classes = vec![true; heap.classes.len()];
            let places: Vec<u64> = kept.iter().zip(0..).filter(|(kept, _)| **kept).map(|(_, place)| place).collect();
            let objects = places.iter().map(|place| heap.objects[*place as usize].clone()).collect();
            let mut all: Vec<Address> = heap.objects.iter().map(|object| object.address).collect();
            all.sort_unstable();
            let left = without_dropped(Heap { objects, ..heap.clone() }, &DroppedObjects { all: &all, places });
            assert!(left == keep(&heap, &kept, &classes), "seed {seed}, every {step}");
        }
    }
}
