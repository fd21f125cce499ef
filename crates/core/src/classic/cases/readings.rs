//! The readings that a classic text leaves open.

use crate::classic::open::open;
use crate::classic::rules::PassRules;
use crate::compare::Facet;
use crate::error::DecodeError;
use crate::family::case::{Ambiguity, CaseDump, ReadingChoice, ReadingHeap, repeated_classes, repeated_objects};
use crate::family::{ClassBlocks, ReadOptions};
use crate::findings::Findings;
use crate::model::{Address, Contents, Heap, Object, ObjectKind};

/// The ambiguities of a text, in the order in which readings are applied.
pub(in crate::classic) const AMBIGUITIES: &[Ambiguity] = &[
    Ambiguity {
        name: "classic.class-block",
        about: "The first reference of each object, where every object begins with one to a class of its type's name",
        rule: "classic.reference.class-block",
        choices: &[
            ReadingChoice::new("removed", "the object's class, and none of its references"),
            ReadingChoice::new("kept", "a reference like any other"),
        ],
        facets: &[Facet::References, Facet::ReferenceOrder, Facet::Class],
        means: ReadingHeap::Again {
            occurs: |heap| !heap.objects.is_empty() && heap.objects.iter().all(|object| object.class.is_some()),
            reading: |reading| ReadOptions { class_blocks: ClassBlocks::Kept, ..reading },
        },
    },
    Ambiguity {
        name: "classic.element-order",
        about: "The order of the references of an object array",
        rule: "classic.reference.array-order",
        choices: &[
            ReadingChoice::new("file", "as they stand in the text"),
            ReadingChoice::new(
                "index",
                "turned round, into the order of indices where the writer is OpenJ9 or jdmpview",
            ),
            ReadingChoice::new(
                "index-by-dialect",
                "turned round where the trailers are spelled as those of OpenJ9 or jdmpview (classic.trailer.dialect)",
            ),
        ],
        facets: &[Facet::ReferenceOrder],
        means: ReadingHeap::Heap {
            same: |dump, heap, one, other| {
                let is_turned = |choice| choice == 1 || choice == BY_DIALECT && lists_backwards(dump);
                let is_palindrome = |to: &Vec<Address>| to.iter().eq(to.iter().rev());
                heap.objects.iter().filter_map(array_references).all(is_palindrome)
                    || is_turned(one) == is_turned(other)
            },
            apply: |dump, heap, choice| {
                if choice != BY_DIALECT || lists_backwards(dump) {
                    reverse_arrays(heap);
                }
            },
        },
    },
    Ambiguity {
        name: "classic.carriage-return",
        about: "A carriage return that no line feed follows",
        rule: "classic.file.line-ends",
        choices: &[
            ReadingChoice::new("white-space", "white space, which ends no line"),
            ReadingChoice::new("line-end", "the end of a line, as in a reader with universal newlines"),
        ],
        facets: &[],
        means: ReadingHeap::Spelled,
    },
    repeated_classes("classic.repeated-class", "classic.graph.duplicate-address"),
    repeated_objects("classic.repeated-object", "classic.graph.duplicate-address"),
];

/// The place of the choice by dialect.
const BY_DIALECT: usize = 2;

/// Whether the trailers are those of a writer that lists elements from the last index to the first.
fn lists_backwards(dump: &CaseDump<'_>) -> bool {
    let Ok(mut decoder) = dump.opener().open().and_then(|opening| Ok(open(opening)?)) else { return false };
    let (mut rules, mut findings) = (PassRules::new(decoder.encoding()), Findings::default());
    let read = decoder.visit::<DecodeError, _>(|step| {
        rules.step(step, &mut findings);
        Ok(())
    });
    read.is_ok() && rules.lists_backwards()
}

fn array_references(object: &Object) -> Option<&Vec<Address>> {
    match &object.contents {
        Contents::References(listed) if object.kind == ObjectKind::ObjectArray => Some(listed),
        _ => None,
    }
}

fn reverse_arrays(heap: &mut Heap) {
    for object in heap.objects.iter_mut().filter(|object| object.kind == ObjectKind::ObjectArray) {
        if let Contents::References(listed) = &mut object.contents {
            listed.reverse();
        }
    }
}
