//! Heaps without some of their objects and classes.

use std::collections::HashSet;

use crate::model::{Address, Heap};

use super::removed::{RemainingBefore, RemovedAddresses};
use super::surroundings;

/// A heap with some of its objects and classes, without anything that refers to the others.
#[doc(hidden)]
pub fn keep(heap: &Heap, objects: &[bool], classes: &[bool]) -> Heap {
    let (mut here, mut removed) = (HashSet::new(), HashSet::new());
    let all = heap.objects.iter().map(|object| object.address).zip(objects);
    for (address, kept) in all.chain(heap.classes.iter().map(|class| class.address).zip(classes)) {
        if *kept { &mut here } else { &mut removed }.insert(address);
    }
    // An address that something else has as well is still there.
    let gone = RemovedAddresses(&|address| removed.contains(&address) && !here.contains(&address));
    let sums = RemainingSums::new(heap, objects, classes);
    let places = RemainingBefore {
        objects: &|after| remaining_before(&sums.objects, after),
        entries: &|after| remaining_before(&sums.entries, after),
    };
    let left = Heap {
        facts: heap.facts.clone(),
        classes: kept(&heap.classes, classes),
        objects: kept(&heap.objects, objects),
        surroundings: heap.surroundings.clone(),
    };
    cut(left, &gone, &places)
}

/// Addresses and places of objects that a heap has no more.
#[doc(hidden)]
pub struct DroppedObjects<'d> {
    /// The addresses of all objects there were, in ascending order.
    #[doc(hidden)]
    pub all: &'d [Address],
    /// The places of those that are left, among all, in ascending order.
    #[doc(hidden)]
    pub places: Vec<u64>,
}

/// A heap that has all its classes and only some of its objects, without anything that refers to the others.
#[doc(hidden)]
pub fn without_dropped(heap: Heap, dropped: &DroppedObjects<'_>) -> Heap {
    let objects = heap.objects.iter().map(|object| object.address);
    let here: HashSet<Address> = heap.classes.iter().map(|class| class.address).chain(objects).collect();
    let gone = RemovedAddresses(&|address| !here.contains(&address) && dropped.all.binary_search(&address).is_ok());
    let count = dropped.all.len() as u64;
    let left_before = |after: u64| dropped.places.partition_point(|place| *place < after) as u64;
    // Where the classes stand among the entries, of which all are left.
    let mut after: Vec<u64> =
        heap.classes.iter().map(|class| class.after_objects.unwrap_or(u64::MAX).min(count)).collect();
    after.sort_unstable();
    let classes: Vec<u64> = after.iter().zip(0..).map(|(after, before)| after + before).collect();
    // A place after everything stays there.
    let entries = |after: u64| {
        let before = classes.partition_point(|class| *class < after) as u64;
        if after > count + classes.len() as u64 { after } else { before + left_before(after - before) }
    };
    let objects = |after: u64| if after > count { after } else { left_before(after) };
    cut(heap, &gone, &RemainingBefore { objects: &objects, entries: &entries })
}

/// A heap without anything that refers to what is gone.
fn cut(heap: Heap, gone: &RemovedAddresses<'_>, places: &RemainingBefore<'_>) -> Heap {
    let mut left = without_totals(heap);
    for class in &mut left.classes {
        class.after_objects = class.after_objects.map(places.objects);
        gone.cut_class(class);
    }
    left.objects.iter_mut().for_each(|object| gone.cut_object(object));
    surroundings::cut(&mut left, gone, places);
    left
}

/// The heap without totals: they are counted again when it is written.
#[doc(hidden)]
pub fn without_totals(mut heap: Heap) -> Heap {
    heap.facts.totals = None;
    heap
}

fn kept<T: Clone>(all: &[T], kept: &[bool]) -> Vec<T> {
    all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(item, _)| item.clone()).collect()
}

/// [`RemainingBefore`] for each place.
struct RemainingSums {
    objects: Vec<u64>,
    entries: Vec<u64>,
}

impl RemainingSums {
    fn new(heap: &Heap, objects: &[bool], classes: &[bool]) -> RemainingSums {
        let mut order: Vec<usize> = (0..heap.classes.len()).collect();
        let after = |index: usize| heap.classes[index].after_objects.unwrap_or(u64::MAX);
        order.sort_by_key(|&index| after(index));
        let mut order = order.into_iter().peekable();
        let mut places = RemainingSums { objects: vec![0], entries: vec![0] };
        for (number, &kept) in objects.iter().enumerate() {
            while let Some(index) = order.next_if(|&index| after(index) <= number as u64) {
                push(&mut places.entries, classes[index]);
            }
            push(&mut places.objects, kept);
            push(&mut places.entries, kept);
        }
        order.for_each(|index| push(&mut places.entries, classes[index]));
        places
    }
}

fn push(sums: &mut Vec<u64>, kept: bool) {
    sums.push(sums.last().copied().unwrap_or_default() + u64::from(kept));
}

/// A place after everything stays there.
fn remaining_before(sums: &[u64], after: u64) -> u64 {
    usize::try_from(after).ok().and_then(|after| sums.get(after)).copied().unwrap_or(after)
}
