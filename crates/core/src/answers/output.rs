//! The answers, as they are written.

use serde::Serialize;

use crate::compare::listing::{Hex, Text};

/// What an analyser should find in a heap. `specs/answers.md` defines everything.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Answers {
    /// Version of this report's schema.
    pub schema: u32,
    /// Whether the referents of `java.lang.ref.Reference` objects count as references; always in dumps that do not name fields.
    pub referents: bool,
    /// Whether an object refers to its class.
    pub classes_of_objects: bool,
    /// Whether the object of a thread refers to its locals.
    pub locals_of_threads: bool,
    /// How many there are of each kind.
    pub entries: EntryCounts,
    /// References between them.
    pub references: ReferenceCounts,
    /// Objects by the name of their class, in the order of the names.
    pub histogram: Vec<ClassRow>,
    /// Roots by kind; absent where the dump records none, and so is all that follows from roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<Vec<RootRow>>,
    /// What the roots reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reachable: Option<Amount>,
    /// What they do not reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<Amount>,
    /// Strongly connected components.
    pub components: Components,
    /// Strings; absent where the dump has no characters of any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strings: Option<StringCounts>,
    /// What holds most: the entries that no single other one holds, with the most retained bytes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holders: Option<Vec<Holder>>,
}

/// How many classes and objects a heap has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Entries"))]
pub struct EntryCounts {
    /// Class objects.
    pub classes: u64,
    /// Objects that are no arrays.
    pub instances: u64,
    /// Arrays of references.
    pub object_arrays: u64,
    /// Arrays of primitive values.
    pub primitive_arrays: u64,
}

/// References between entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "References"))]
pub struct ReferenceCounts {
    /// References to entries, each as often as it occurs.
    pub references: u64,
    /// References to addresses without an entry, which count nowhere else.
    pub dangling: u64,
    /// How many references entries have.
    pub from: Degrees,
    /// How many references lead to entries.
    pub to: Degrees,
}

/// How many references entries have, or have to them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Degrees {
    /// The most that an entry has.
    pub most: u64,
    /// The first entry with that many; absent where no entry has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Hex>,
    /// Entries without any, with 1, with 2 and 3, with 4 to 7, and so on; up to the last that is not 0.
    pub distribution: Vec<u64>,
}

/// The objects whose class has one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ClassRow {
    /// The name, in the form of Java source.
    pub class: Text,
    /// How many objects.
    pub objects: u64,
    /// Their size in bytes, of those whose size the dump records.
    pub bytes: u64,
    /// Objects whose size it does not record; absent for 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsized_objects: u64,
    /// What one or another of them retains, each thing once; absent without roots, or where roots reach none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retained: Option<Retained>,
}

/// What would not be reachable without something, itself included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Retained {
    /// Classes and objects.
    pub entries: u64,
    /// The bytes of those whose size the dump records.
    pub bytes: u64,
}

/// The roots of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RootRow {
    /// The kind, as listings name it.
    pub kind: &'static str,
    /// Records of roots.
    pub roots: u64,
    /// Classes and objects that they name, each once.
    pub entries: u64,
    /// Roots whose object the dump does not have.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dangling: u64,
    /// What is reachable from these roots alone; nothing, of those of the kind `unreachable`, and of those that the object of
    /// their thread refers to.
    pub reachable: Amount,
}

/// Classes and objects with their sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Amount {
    /// Class objects.
    pub classes: u64,
    /// Objects.
    pub objects: u64,
    /// The bytes of both, of those whose size the dump records.
    pub bytes: u64,
}

/// Strongly connected components: entries that lead to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Components {
    /// How many, those of a single entry included.
    pub components: u64,
    /// How many have several entries.
    pub cycles: u64,
    /// How many entries those have together.
    pub in_cycles: u64,
    /// Entries of the largest.
    pub largest: u64,
    /// The lowest address in the first of the largest, by lowest address; absent where there is no entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Hex>,
}

/// Strings with the same characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Strings"))]
pub struct StringCounts {
    /// Strings whose characters the dump records.
    pub strings: u64,
    /// Different texts.
    pub texts: u64,
    /// Bytes of the arrays that strings would not need if each text had one: for each text, its bytes times its strings but one.
    pub duplicate_bytes: u64,
    /// The texts with the most of those bytes, at most ten.
    pub most: Vec<Duplicate>,
}

/// A text that several strings have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Duplicate {
    /// Its first 60 characters; absent where it cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How many strings have it.
    pub strings: u64,
    /// Bytes of the array of one of them.
    pub bytes: u64,
    /// The first of them.
    pub address: Hex,
}

/// An entry that holds much.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Holder {
    /// Its address.
    pub address: Hex,
    /// The name of its class, or its own, if it is a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<Text>,
    /// Whether it is a class; absent where not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_class: bool,
    /// What it retains.
    pub retained: Retained,
    /// The way on from it: after each entry the one that retains most of its bytes, as long as that is more than half of them. Of
    /// these entries the first 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<Hex>,
    /// The number of all entries on this way.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub steps: u64,
    /// The last of all, which holds many small things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Hex>,
}

/// The answers about one entry: a line of `--entries`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Entry"))]
pub struct EntryFacts {
    /// Its address.
    pub address: Hex,
    /// The name of its class, or its own, if it is a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<Text>,
    /// Whether it is a class; absent where not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_class: bool,
    /// Its size in bytes, where the dump records it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// What only roots tell; absent where the dump records none.
    #[serde(flatten)]
    pub reached: Option<EntryReachability>,
    /// The lowest address among the entries that lead to it and to which it leads; absent where it is the only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<Hex>,
}

/// What roots tell of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Reached"))]
pub struct EntryReachability {
    /// Whether it is reachable. If not, nothing else is told.
    pub reachable: bool,
    /// References on a shortest way from a root: 0 for what a root keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// Its immediate dominator; absent where it has none but the roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dominator: Option<Hex>,
    /// What it retains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retained: Option<Retained>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_false(value: &bool) -> bool {
    !value
}
