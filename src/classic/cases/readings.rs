//! What a classic text leaves open.

use crate::compare::Facet;
use crate::family::case::{Ambiguity, Choice, Means, repeated_classes, repeated_objects};
use crate::family::{ClassBlocks, Reading};
use crate::model::{Address, Contents, Heap, Object, ObjectKind};

/// In the order in which they are applied.
pub(in super::super) const AMBIGUITIES: &[Ambiguity] = &[
    Ambiguity {
        name: "classic.class-block",
        about: "The first reference of each object, where every object begins with one to a class of its type's name",
        rule: "classic.reference.class-block",
        choices: &[
            Choice::new("removed", "the object's class, and none of its references"),
            Choice::new("kept", "a reference like any other"),
        ],
        facets: &[Facet::References, Facet::ReferenceOrder, Facet::Class],
        means: Means::Again {
            occurs: |heap| !heap.objects.is_empty() && heap.objects.iter().all(|object| object.class.is_some()),
            reading: |reading| Reading { class_blocks: ClassBlocks::Kept, ..reading },
        },
    },
    Ambiguity {
        name: "classic.element-order",
        about: "The order of the references of an object array",
        rule: "classic.reference.array-order",
        choices: &[
            Choice::new("file", "as they stand in the text"),
            Choice::new("index", "turned round, into the order of indices where the writer is OpenJ9 or jdmpview"),
        ],
        facets: &[Facet::ReferenceOrder],
        means: Means::Heap {
            same: |_, heap, _, _| heap.objects.iter().filter_map(of_array).all(|to| to.iter().eq(to.iter().rev())),
            apply: |_, heap, _| turn_round(heap),
        },
    },
    repeated_classes("classic.repeated-class", "classic.graph.duplicate-address"),
    repeated_objects("classic.repeated-object", "classic.graph.duplicate-address"),
];

fn of_array(object: &Object) -> Option<&Vec<Address>> {
    match &object.contents {
        Contents::References(listed) if object.kind == ObjectKind::ObjectArray => Some(listed),
        _ => None,
    }
}

fn turn_round(heap: &mut Heap) {
    for object in heap.objects.iter_mut().filter(|object| object.kind == ObjectKind::ObjectArray) {
        if let Contents::References(listed) = &mut object.contents {
            listed.reverse();
        }
    }
}
