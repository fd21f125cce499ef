//! Heaps without some of their objects and classes.

use std::collections::HashSet;

use crate::model::{Address, Class, Contents, Heap, Object, Value};

use super::surroundings;

/// What is left of a heap, without anything that refers to what is not.
pub(crate) fn keep(heap: &Heap, objects: &[bool], classes: &[bool]) -> Heap {
    let mut gone = Gone::default();
    heap.objects.iter().zip(objects).for_each(|(object, kept)| gone.enter(object.address, *kept));
    heap.classes.iter().zip(classes).for_each(|(class, kept)| gone.enter(class.address, *kept));
    gone.settle();
    let places = Places::new(heap, objects, classes);
    let mut left = uncounted(Heap {
        facts: heap.facts.clone(),
        classes: kept(&heap.classes, classes),
        objects: kept(&heap.objects, objects),
        surroundings: heap.surroundings.clone(),
    });
    for class in &mut left.classes {
        class.after_objects = class.after_objects.map(|after| places.objects_before(after));
        gone.cut_class(class);
    }
    left.objects.iter_mut().for_each(|object| gone.cut_object(object));
    surroundings::cut(&mut left, &gone, &places);
    left
}

/// The same heap with totals that are counted anew when it is written.
pub(crate) fn uncounted(mut heap: Heap) -> Heap {
    heap.facts.totals = None;
    heap
}

fn kept<T: Clone>(all: &[T], kept: &[bool]) -> Vec<T> {
    all.iter().zip(kept).filter(|(_, kept)| **kept).map(|(item, _)| item.clone()).collect()
}

/// Addresses of what was removed.
#[derive(Default)]
pub(super) struct Gone {
    removed: HashSet<Address>,
    kept: HashSet<Address>,
}

impl Gone {
    fn enter(&mut self, address: Address, kept: bool) {
        if kept {
            self.kept.insert(address)
        } else {
            self.removed.insert(address)
        };
    }

    /// An address that something else has as well is still there.
    fn settle(&mut self) {
        self.removed.retain(|address| !self.kept.contains(address));
    }

    pub(super) fn has(&self, address: Address) -> bool {
        self.removed.contains(&address)
    }

    fn cut(&self, address: &mut Address) {
        if self.has(*address) {
            *address = Address::NULL;
        }
    }

    fn cut_value(&self, value: &mut Value) {
        if value.as_reference().is_some_and(|to| self.has(to)) {
            *value = Value::reference(Address::NULL);
        }
    }

    fn cut_class(&self, class: &mut Class) {
        let owners = [&mut class.loader, &mut class.signers, &mut class.protection_domain];
        owners.into_iter().flatten().for_each(|address| self.cut(address));
        class.interfaces.iter_mut().for_each(|list| list.retain(|to| !self.has(*to)));
        class.references.iter_mut().for_each(|list| list.retain(|to| !self.has(*to)));
        class.statics.iter_mut().flatten().for_each(|field| self.cut_value(&mut field.value));
        class.constant_pool.iter_mut().flatten().for_each(|entry| self.cut_value(&mut entry.value));
    }

    fn cut_object(&self, object: &mut Object) {
        match &mut object.contents {
            Contents::Fields(values) => values.iter_mut().for_each(|value| self.cut_value(value)),
            Contents::Elements(list) => list.iter_mut().for_each(|to| self.cut(to)),
            Contents::References(list) => list.retain(|to| !self.has(*to)),
            Contents::Unknown | Contents::Raw(_) | Contents::Primitives(_) | Contents::Long(_) => {}
        }
    }
}

/// New places: how many of the objects, or of the entries (classes and objects), that stood before a place are left.
pub(super) struct Places {
    objects: Vec<u64>,
    entries: Vec<u64>,
}

impl Places {
    fn new(heap: &Heap, objects: &[bool], classes: &[bool]) -> Places {
        let mut order: Vec<usize> = (0..heap.classes.len()).collect();
        let after = |index: usize| heap.classes[index].after_objects.unwrap_or(u64::MAX);
        order.sort_by_key(|&index| after(index));
        let mut order = order.into_iter().peekable();
        let mut places = Places { objects: vec![0], entries: vec![0] };
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

    fn objects_before(&self, after: u64) -> u64 {
        at(&self.objects, after)
    }

    pub(super) fn entries_before(&self, after: u64) -> u64 {
        at(&self.entries, after)
    }
}

fn push(sums: &mut Vec<u64>, kept: bool) {
    sums.push(sums.last().copied().unwrap_or_default() + u64::from(kept));
}

/// A place after everything stays there.
fn at(sums: &[u64], after: u64) -> u64 {
    usize::try_from(after).ok().and_then(|after| sums.get(after)).copied().unwrap_or(after)
}
