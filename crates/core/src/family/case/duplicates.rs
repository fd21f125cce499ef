//! Several records of one address.

use std::collections::HashSet;
use std::hash::Hash;

use crate::compare::Facet;
use crate::model::Heap;

use super::{Ambiguity, ReadingChoice, ReadingHeap};

const KEPT_RECORD: &[ReadingChoice] = &[
    ReadingChoice::new("every-record", "each of them counts"),
    ReadingChoice::new("first", "the first counts"),
    ReadingChoice::new("last", "the last counts"),
];
const LAST: usize = 2;

/// Several records of one class, of which a reader that keeps them in a table by address has one. The same reader may have
/// a list of objects, so that each kind has a reading of its own.
pub(crate) const fn repeated_classes(name: &'static str, rule: &'static str) -> Ambiguity {
    Ambiguity {
        name,
        about: "Several class records of one address, in a reader that does not refuse them",
        rule,
        choices: KEPT_RECORD,
        facets: &[Facet::Address, Facet::Kind],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| !has_twice(heap.classes.iter().map(|class| class.address)),
            apply: |_, heap, choice| {
                let kept = one_of_each(heap.classes.iter().map(|class| class.address), choice == LAST);
                keep(&mut heap.classes, &kept);
            },
        },
    }
}

/// Several objects of one address.
pub(crate) const fn repeated_objects(name: &'static str, rule: &'static str) -> Ambiguity {
    Ambiguity {
        name,
        about: "Several objects of one address, in a reader that does not refuse them",
        rule,
        choices: KEPT_RECORD,
        facets: &[Facet::Address, Facet::Kind],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| !has_twice(heap.objects.iter().map(|object| object.address)),
            apply: |_, heap, choice| keep_one_object(heap, choice == LAST),
        },
    }
}

fn has_twice<A: Hash + Eq>(mut addresses: impl Iterator<Item = A>) -> bool {
    let mut known = HashSet::new();
    !addresses.all(|address| known.insert(address))
}

/// Of entries with one key, which count: the first or the last of each.
fn one_of_each<K: Hash + Eq>(keys: impl DoubleEndedIterator<Item = K>, is_last: bool) -> Vec<bool> {
    let mut known = HashSet::new();
    if is_last {
        let mut kept: Vec<bool> = keys.rev().map(|key| known.insert(key)).collect();
        kept.reverse();
        kept
    } else {
        keys.map(|key| known.insert(key)).collect()
    }
}

fn keep<E>(entries: &mut Vec<E>, kept: &[bool]) {
    let mut kept = kept.iter();
    entries.retain(|_| kept.next().copied().unwrap_or(true));
}

/// The classes stay between the objects where they were.
fn keep_one_object(heap: &mut Heap, is_last: bool) {
    let kept = one_of_each(heap.objects.iter().map(|object| object.address), is_last);
    for class in &mut heap.classes {
        let before = |after: u64| kept.iter().zip(0..after).filter(|(kept, _)| **kept).count() as u64;
        class.after_objects = class.after_objects.map(|after| before(after) + after.saturating_sub(kept.len() as u64));
    }
    keep(&mut heap.objects, &kept);
}
