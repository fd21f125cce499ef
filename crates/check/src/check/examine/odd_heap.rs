//! Heaps with something that adapters forget: sound dumps of which a listing needs more than of an ordinary one.

use heapsmith_core::model::{Class, Heap, Name};

/// Something out of the ordinary in a heap, which parsers report rightly and adapters write down wrongly.
pub(super) struct OddHeap {
    /// What it has, in words.
    pub(super) summary: &'static str,
    /// Whether a heap has it.
    pub(super) has: fn(&Heap) -> bool,
}

/// The heaps that are looked for among the sound dumps of a format.
pub(super) const ODD_HEAPS: [OddHeap; 3] = [
    OddHeap { summary: "no object and no root", has: is_empty },
    OddHeap { summary: "a name that is not valid text", has: |heap| has_name(heap, &|name| name.to_text().is_none()) },
    OddHeap { summary: "a field without a name", has: |heap| heap.classes.iter().any(has_nameless_field) },
];

/// Whether the heap has neither an object nor what a listing lists besides, as far as that is known.
fn is_empty(heap: &Heap) -> bool {
    let around = &heap.surroundings;
    heap.objects.is_empty() && around.roots.as_ref().is_none_or(Vec::is_empty)
}

fn has_name(heap: &Heap, is_it: &dyn Fn(&Name) -> bool) -> bool {
    heap.classes.iter().any(|class| is_it(&class.name) || field_names(class).any(is_it))
}

fn has_nameless_field(class: &Class) -> bool {
    field_names(class).any(|name| name.as_bytes().is_empty())
}

fn field_names(class: &Class) -> impl Iterator<Item = &Name> {
    let fields = class.fields.iter().flatten().map(|field| &field.name);
    fields.chain(class.statics.iter().flatten().map(|field| &field.name))
}
