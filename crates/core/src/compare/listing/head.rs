//! The first line of a listing, from its heap.

use crate::compare::facts::ListingHead;
use crate::model::{Event, Heap, Object, ObjectKind};

/// The facts of a heap as the first line of its listing.
pub fn head(heap: &Heap) -> ListingHead {
    let class_references: usize = heap.classes.iter().flat_map(|c| &c.references).map(Vec::len).sum();
    // Their lines have none, whatever a broken text lists.
    let tells = |object: &&Object| !matches!(object.kind, ObjectKind::PrimitiveArray(_));
    let references: usize = heap.objects.iter().filter(tells).map(|o| o.references().count()).sum();
    let around = &heap.surroundings;
    let counts = [
        Some(heap.classes.len() as u64),
        Some(heap.objects.len() as u64),
        Some((class_references + references) as u64),
        count(&around.roots),
        count(&around.threads),
        count(&around.traces),
        count(&around.regions),
        around.events.as_ref().map(|events| events.iter().map(Event::times).sum()),
    ];
    ListingHead { counts, ..ListingHead::from_facts(&heap.facts, around) }
}

/// Whether instances have a class word that is their class. Dumps with identity hashes and without identifiers have,
/// and a listing that does not name its format is taken for one of them.
pub(super) fn has_class_words(head: &ListingHead) -> bool {
    head.format.is_none() || (head.facts.hash_regime.is_some() && head.facts.identifier_size.is_none())
}

fn count<T>(list: &Option<Vec<T>>) -> Option<u64> {
    list.as_ref().map(|list| list.len() as u64)
}
