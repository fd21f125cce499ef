//! Cycles of superclasses.

use foldhash::{HashSet, HashSetExt};

use crate::model::Address;

/// The classes whose chain of superclasses comes back to them. Each class is visited once.
pub(crate) fn classes_on_cycles(
    classes: impl Iterator<Item = Address>,
    superclass: impl Fn(Address) -> Option<Address>,
) -> HashSet<Address> {
    let (mut seen, mut cyclic) = (HashSet::new(), HashSet::new());
    for start in classes {
        let mut chain = Vec::new();
        let mut next = Some(start);
        while let Some(address) = next.filter(|address| seen.insert(*address)) {
            chain.push(address);
            next = superclass(address);
        }
        // Where the chain ran into itself, and not into one that was seen before, a cycle closes.
        if let Some(closing) = chain.iter().position(|&address| Some(address) == next) {
            cyclic.extend(&chain[closing..]);
        }
    }
    cyclic
}
