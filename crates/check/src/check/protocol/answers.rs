//! Answers of an analyser about each entry of a heap: specs/answers.md has the definitions.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use heapsmith_core::compare::listing::Hex;

/// A part of the level of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Part")]
pub enum AnswerPart {
    /// Whether roots lead to an entry.
    Reachability,
    /// How far from the roots it is.
    Distances,
    /// Its immediate dominator.
    Dominators,
    /// How many entries it retains.
    RetainedEntries,
    /// How many bytes it retains, by the sizes of the answer, or of the dump, if the answer has none.
    Retained,
    /// Its size, as the dump records it.
    Sizes,
    /// A shortest path from a root.
    Paths,
    /// Some path from a root.
    AnyPaths,
}

/// A line of an answer: what is said of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryAnswer {
    /// Its address.
    pub address: Hex,
    /// Whether it is reachable; absent for yes. An entry without a line is not.
    #[serde(default = "yes")]
    pub reachable: bool,
    /// References on a shortest path from an entry that a root keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u64>,
    /// Its immediate dominator; absent or null where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dominator: Option<Hex>,
    /// What it retains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retained: Option<RetainedAnswer>,
    /// Its size by the implementation; absent for 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// A path, from an entry that a root keeps to this one, both included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<Hex>>,
}

/// What an entry retains, itself included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RetainedAnswer {
    /// How many entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// Their bytes, by the sizes of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl EntryAnswer {
    /// Whether it has something of a part.
    pub fn has(&self, part: AnswerPart) -> bool {
        match part {
            AnswerPart::Reachability => true,
            AnswerPart::Distances => self.distance.is_some(),
            AnswerPart::Dominators => self.dominator.is_some(),
            AnswerPart::RetainedEntries => self.retained.is_some_and(|retained| retained.entries.is_some()),
            AnswerPart::Retained => self.retained.is_some_and(|retained| retained.bytes.is_some()),
            AnswerPart::Sizes => self.bytes.is_some(),
            AnswerPart::Paths | AnswerPart::AnyPaths => self.path.is_some(),
        }
    }
}

fn yes() -> bool {
    true
}

impl AnswerPart {
    /// Every part.
    pub const ALL: [AnswerPart; 8] = [
        AnswerPart::Reachability,
        AnswerPart::Distances,
        AnswerPart::Dominators,
        AnswerPart::RetainedEntries,
        AnswerPart::Retained,
        AnswerPart::Sizes,
        AnswerPart::Paths,
        AnswerPart::AnyPaths,
    ];

    /// The name of the part in the facts of failures.
    pub fn fact(self) -> &'static str {
        match self {
            AnswerPart::Reachability => "reachability",
            AnswerPart::Distances => "distance",
            AnswerPart::Dominators => "dominator",
            AnswerPart::RetainedEntries => "retained entries",
            AnswerPart::Retained => "retained bytes",
            AnswerPart::Sizes => "size",
            AnswerPart::Paths | AnswerPart::AnyPaths => "path",
        }
    }

    /// Whether it follows from the references of the whole heap, and not from what the dump records of the entry.
    pub fn is_of_the_graph(self) -> bool {
        self != AnswerPart::Sizes
    }
}

impl Display for AnswerPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AnswerPart::Reachability => "reachability",
            AnswerPart::Distances => "distances",
            AnswerPart::Dominators => "dominators",
            AnswerPart::RetainedEntries => "retained-entries",
            AnswerPart::Retained => "retained",
            AnswerPart::Sizes => "sizes",
            AnswerPart::Paths => "paths",
            AnswerPart::AnyPaths => "any-paths",
        })
    }
}
