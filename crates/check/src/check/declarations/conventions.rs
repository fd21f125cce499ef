//! Conventions of analysers about the references that count: specs/answers.md has ours, this table those of others.

use heapsmith_core::answers::{ClassEdges, EdgeOptions};
use heapsmith_core::family::case::{Ambiguity, ReadingChoice, ReadingHeap};

/// The conventions, in the order that [`counted_edges`] uses. They leave the heap as it is.
pub(in crate::check) const CONVENTIONS: &[Ambiguity] = &[
    convention(
        "answers.referents",
        "Referents of soft, weak, phantom and final references",
        &[ReadingChoice::new("left-out", "no references"), ReadingChoice::new("counted", "references like any other")],
    ),
    convention(
        "answers.class-of-object",
        "The class of an object",
        &[
            ReadingChoice::new("counted", "the object refers to it"),
            ReadingChoice::new("left-out", "no reference"),
            ReadingChoice::new("of-instances", "an instance refers to it, and an array does not"),
        ],
    ),
    convention(
        "answers.thread-locals",
        "Roots of the kinds java-frame, jni-local, native-stack, thread-block and jni-monitor",
        &[
            ReadingChoice::new("roots", "roots like any other"),
            ReadingChoice::new(
                "of-thread",
                "references of the object of their thread, where the dump has a root of that",
            ),
        ],
    ),
    convention(
        "answers.references-of-class",
        "What a class refers to",
        &[
            ReadingChoice::new("all", "all that its record has"),
            ReadingChoice::new(
                "superclass-loader-statics",
                "its superclass, its loader, and the values of its static fields",
            ),
            ReadingChoice::new("loader-statics", "its loader, and the values of its static fields"),
        ],
    ),
    convention(
        "answers.class-of-class",
        "The class java.lang.Class, of which classes are objects",
        &[ReadingChoice::new("left-out", "no reference"), ReadingChoice::new("counted", "each class refers to it")],
    ),
    convention(
        "answers.class-roots",
        "Classes without a loader that no root keeps",
        &[
            ReadingChoice::new("recorded", "no roots"),
            ReadingChoice::new(
                "boot-loader",
                "roots, if they are of arrays of primitive types, or of no arrays and the dump has no root of kind sticky-class",
            ),
        ],
    ),
    convention(
        "answers.class-objects",
        "Class objects",
        &[
            ReadingChoice::new("entries", "entries like any other"),
            ReadingChoice::new("none", "no entries; what a static field of any class refers to is kept as by a root"),
        ],
    ),
];

const fn convention(name: &'static str, about: &'static str, choices: &'static [ReadingChoice]) -> Ambiguity {
    Ambiguity { name, about, rule: "specs/answers.md", choices, facets: &[], means: ReadingHeap::Judge }
}

/// The references that count by a choice of each convention, given by name.
pub(in crate::check) fn counted_edges(chosen: impl Fn(&str) -> usize) -> EdgeOptions {
    let [referents, class, locals, of_class, class_of_class, roots, class_objects] =
        std::array::from_fn(|place| chosen(CONVENTIONS[place].name));
    let of_classes = [ClassEdges::All, ClassEdges::SuperclassLoaderStatics, ClassEdges::LoaderStatics];
    EdgeOptions::default()
        .referents(referents == 1)
        .classes(class != 1)
        .array_classes(class != 2)
        .locals(locals == 1)
        .of_classes(of_classes.get(of_class).copied().unwrap_or_default())
        .class_of_classes(class_of_class == 1)
        .boot_classes(roots == 1)
        .class_objects(class_objects == 0)
}
