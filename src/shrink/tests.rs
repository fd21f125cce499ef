use std::collections::HashSet;

use crate::model::{Address, Class, Heap, Name};

use super::needed::not_needed;

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
