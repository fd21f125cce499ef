//! Several records of one address.

use std::collections::HashSet;
use std::hash::Hash;

use crate::compare::Facet;
use crate::model::Heap;

use super::{Ambiguity, Choice, DumpOf, Means};

const WHICH: &[Choice] = &[
    Choice::new("every-record", "each of them counts"),
    Choice::new("first", "the first counts"),
    Choice::new("last", "the last counts"),
];

/// Several records of one address, of which a reader that keeps them in a table by address has one.
pub(crate) const fn repeated_addresses(name: &'static str, rule: &'static str) -> Ambiguity {
    Ambiguity {
        name,
        about: "Several records of one address, in a reader that does not refuse them",
        rule,
        choices: WHICH,
        facets: &[Facet::Address, Facet::Kind],
        means: Means::Heap { same: |_, heap, _, _| !is_repeated(heap), apply },
    }
}

fn is_repeated(heap: &Heap) -> bool {
    let mut known = HashSet::new();
    let of_classes = heap.classes.iter().map(|class| class.address);
    !of_classes.chain(heap.objects.iter().map(|object| object.address)).all(|address| known.insert(address))
}

/// Classes and objects of one address are kept apart: a reader has a table for each.
fn apply(_: &DumpOf<'_>, heap: &mut Heap, choice: usize) {
    let is_last = choice == 2;
    keep_one(&mut heap.classes, |class| class.address, is_last);
    keep_one(&mut heap.objects, |object| object.address, is_last);
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
