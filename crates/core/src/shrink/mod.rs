//! Smaller heaps: what is left of a heap that makes a test fail, until only the cause is left.
//!
//! Every smaller heap is as consistent as the heap was: no reference leads to something that was removed, the classes
//! and superclasses of the objects that are left stay, field values fit their layouts, and threads, traces and roots
//! name what there is. So whatever could be written in a format still can.

mod needed;
mod remove;
mod removed;
mod simplify;
mod surroundings;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::model::Heap;

#[doc(hidden)]
pub use needed::{unneeded_classes, without_subclasses};
#[doc(hidden)]
pub use remove::{DroppedObjects, keep, without_dropped, without_totals};
#[doc(hidden)]
pub use simplify::{ClassStep, ObjectStep};
#[doc(hidden)]
pub use surroundings::{without_roots, without_threads, without_traces};

impl Heap {
    /// Smaller heaps, the smallest first: without objects, without half of them, and so on down to single objects; then
    /// without roots, threads, traces and classes that nothing needs; then with simpler objects and classes.
    ///
    /// They are made one at a time. Take the first that still fails, and ask it again: this is how quickcheck shrinks, and
    /// any other framework can.
    ///
    /// # Example
    ///
    /// ```
    /// use heapsmith::Heap;
    /// use heapsmith::model::ObjectKind;
    ///
    /// let fails = |heap: &Heap| heap.objects.iter().any(|object| object.kind == ObjectKind::ObjectArray);
    /// let mut heap = Heap::random(7);
    /// while let Some(smaller) = heap.smaller().find(fails) {
    ///     heap = smaller;
    /// }
    /// assert_eq!(heap.objects.len(), 1);
    /// ```
    pub fn smaller(&self) -> impl Iterator<Item = Heap> + use<> {
        let heap = self.clone();
        steps(&heap).into_iter().map(move |step| step.apply(&heap))
    }

    /// The smaller heap that is chosen by its place among all, which are counted; `None` if there are none. Only that one
    /// is made.
    #[doc(hidden)]
    pub fn smaller_by(&self, choose: &mut dyn FnMut(usize) -> usize) -> Option<Heap> {
        let mut steps = steps(self);
        (!steps.is_empty()).then(|| steps.swap_remove(choose(steps.len())).apply(self))
    }
}

/// A way to make a heap smaller.
enum ShrinkStep {
    Objects(Range<usize>),
    Roots(Range<usize>),
    Threads(Range<usize>),
    Traces(Range<usize>),
    Regions,
    Log,
    /// Classes that nothing needs, among them.
    Classes(Vec<usize>),
    Object(usize, ObjectStep),
    Class(usize, ClassStep),
}

impl ShrinkStep {
    fn apply(&self, heap: &Heap) -> Heap {
        match self {
            ShrinkStep::Objects(range) => {
                let objects: Vec<bool> = (0..heap.objects.len()).map(|index| !range.contains(&index)).collect();
                keep(heap, &objects, &vec![true; heap.classes.len()])
            }
            ShrinkStep::Classes(dropped) => {
                let classes = without_subclasses(&heap.classes, dropped);
                keep(heap, &vec![true; heap.objects.len()], &classes)
            }
            ShrinkStep::Roots(range) => without_roots(heap, &|index| range.contains(&index)),
            ShrinkStep::Threads(range) => without_threads(heap, &|index| range.contains(&index)),
            ShrinkStep::Traces(range) => without_traces(heap, &|index| range.contains(&index)),
            ShrinkStep::Regions => {
                let mut heap = heap.clone();
                heap.surroundings.regions = heap.surroundings.regions.map(|_| Vec::new());
                heap
            }
            ShrinkStep::Log => {
                let mut heap = heap.clone();
                (heap.surroundings.events, heap.surroundings.times) = (None, None);
                heap
            }
            ShrinkStep::Object(index, step) => {
                let mut heap = without_totals(heap.clone());
                let word = heap.facts.word_size;
                step.apply(&mut heap.objects[*index], word);
                heap
            }
            ShrinkStep::Class(index, step) => {
                let mut heap = without_totals(heap.clone());
                step.apply(&mut heap.classes[*index]);
                heap
            }
        }
    }
}

/// Every step, those that remove the most first.
fn steps(heap: &Heap) -> Vec<ShrinkStep> {
    let around = &heap.surroundings;
    let length = |list: Option<usize>| list.unwrap_or_default();
    let mut steps: Vec<ShrinkStep> = ranges(heap.objects.len()).map(ShrinkStep::Objects).collect();
    steps.extend(ranges(length(around.roots.as_ref().map(Vec::len))).map(ShrinkStep::Roots));
    steps.extend(ranges(length(around.threads.as_ref().map(Vec::len))).map(ShrinkStep::Threads));
    steps.extend(ranges(length(around.traces.as_ref().map(Vec::len))).map(ShrinkStep::Traces));
    if around.regions.as_ref().is_some_and(|regions| !regions.is_empty()) {
        steps.push(ShrinkStep::Regions);
    }
    if around.events.is_some() {
        steps.push(ShrinkStep::Log);
    }
    let spare = unneeded_classes(heap);
    steps.extend(ranges(spare.len()).map(|range| ShrinkStep::Classes(spare[range].to_vec())));
    for (index, object) in heap.objects.iter().enumerate() {
        steps.extend(ObjectStep::for_object(object).into_iter().map(|step| ShrinkStep::Object(index, step)));
    }
    for (index, class) in heap.classes.iter().enumerate() {
        steps.extend(ClassStep::for_class(class).into_iter().map(|step| ShrinkStep::Class(index, step)));
    }
    steps
}

/// Ranges of a list: all of it, its halves, their halves, down to its items.
fn ranges(length: usize) -> impl Iterator<Item = Range<usize>> {
    let halves = std::iter::successors(Some(length), |size| (*size > 1).then(|| size.div_ceil(2)));
    let sizes = halves.filter(|size| *size > 0);
    sizes.flat_map(move |size| (0..length).step_by(size).map(move |start| start..(start + size).min(length)))
}
