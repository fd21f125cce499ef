//! Equivalent wording: a listing that states the right facts in another form is right.

use std::collections::{HashMap, HashSet};

use heapsmith_core::model::{Address, Contents, EventKind, Heap, Serial};

/// A listing's heap, reworded like the right one where both say the same:
///
/// - without `hashes` in its head, the hashes of its lines say how hashes are kept; a line without one has none;
/// - of a class with several LOAD CLASS records, each of their serial numbers is the class's;
/// - no bytes are no values.
pub(in crate::check) fn adopt_wording(right: &Heap, mut told: Heap) -> Heap {
    told.facts.hash_regime = told.facts.hash_regime.or(right.facts.hash_regime);
    let serials: HashMap<Address, Option<Serial>> =
        right.classes.iter().map(|class| (class.address, class.serial)).collect();
    let events = right.surroundings.events.iter().flatten();
    let loaded: HashSet<(Address, Serial)> = events
        .filter_map(|event| match &event.kind {
            EventKind::LoadClass(load) => Some((load.class, load.serial)),
            _ => None,
        })
        .collect();
    for class in &mut told.classes {
        if class.serial.is_some_and(|serial| loaded.contains(&(class.address, serial))) {
            class.serial = serials.get(&class.address).copied().flatten();
        }
    }
    let empty: HashMap<Address, &Contents> = right
        .objects
        .iter()
        .filter(|object| is_empty(&object.contents))
        .map(|object| (object.address, &object.contents))
        .collect();
    for object in told.objects.iter_mut().filter(|object| is_empty(&object.contents)) {
        if let Some(contents) = empty.get(&object.address) {
            object.contents = (*contents).clone();
        }
    }
    told
}

/// An instance without bytes.
fn is_empty(contents: &Contents) -> bool {
    match contents {
        Contents::Fields(values) => values.is_empty(),
        Contents::Raw(bytes) => bytes.is_empty(),
        _ => false,
    }
}
