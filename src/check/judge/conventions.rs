//! Which references count is for an analyser to say: specs/answers.md has ours, and here is what others do.

use crate::answers::Edges;
use crate::family::case::{Ambiguity, Choice, Means};

/// Conventions of analysers, in the order of the fields of [`Edges`]. They leave the heap as it is.
pub(super) const CONVENTIONS: &[Ambiguity] = &[
    convention(
        "answers.referents",
        "Referents of soft, weak, phantom and final references",
        &[Choice::new("left-out", "no references"), Choice::new("counted", "references like any other")],
    ),
    convention(
        "answers.class-of-object",
        "The class of an object",
        &[Choice::new("counted", "the object refers to it"), Choice::new("left-out", "no reference")],
    ),
    convention(
        "answers.thread-locals",
        "Roots of the kinds java-frame, jni-local and native-stack",
        &[
            Choice::new("roots", "roots like any other"),
            Choice::new("of-thread", "references of the object of their thread, where the dump has a root of that"),
        ],
    ),
];

const fn convention(name: &'static str, about: &'static str, choices: &'static [Choice]) -> Ambiguity {
    Ambiguity { name, about, rule: "specs/answers.md", choices, facets: &[], means: Means::Judge }
}

/// Which references count by some choices, given by name.
pub(super) fn edges(chosen: impl Fn(&str) -> usize) -> Edges {
    let is_other = |place: usize| chosen(CONVENTIONS[place].name) == 1;
    Edges::default().referents(is_other(0)).classes(!is_other(1)).locals(is_other(2))
}
