//! Several records of one address.

use std::collections::HashSet;
use std::hash::Hash;

use crate::compare::Facet;

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
            apply: |_, heap, choice| keep_one(&mut heap.classes, |class| class.address, choice == LAST),
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
            apply: |_, heap, choice| keep_one(&mut heap.objects, |object| object.address, choice == LAST),
        },
    }
}

fn has_twice<A: Hash + Eq>(mut addresses: impl Iterator<Item = A>) -> bool {
    let mut known = HashSet::new();
    !addresses.all(|address| known.insert(address))
}

fn keep_one<E, K: Hash + Eq>(entries: &mut Vec<E>, key: impl Fn(&E) -> K, is_last: bool) {
    let mut known = HashSet::new();
    let turn = |entries: &mut Vec<E>| {
        if is_last {
            entries.reverse();
        }
    };
    turn(entries);
    entries.retain(|entry| known.insert(key(entry)));
    turn(entries);
}
