//! The messages between `check` and an adapter: specs/adapter.md.

mod answers;
mod hello;
mod known;

use std::fmt::{self, Display};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use heapsmith_core::compare::Facet;
use heapsmith_core::compare::listing::{Hex, Text};
use heapsmith_core::digest::Digest;
use heapsmith_core::setters::setters;

pub use super::declarations::Declares;
pub use super::process::LONGEST_LINE;
pub use answers::{AnswerPart, EntryAnswer, RetainedAnswer};
pub use hello::{DeclaredConversion, DeclaredWriter, Hello};
pub use known::KnownNames;

/// The versions of the protocol, the newest last.
pub const VERSIONS: [u32; 2] = [1, 2];
/// Versions of the schemas of requests, of answers, and of lines at the level of answers. A new level raises the first two, and not
/// the version of the protocol: a program that does not know a key ignores it.
pub const SCHEMAS: [u32; 3] = [4, 6, 1];

/// A request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Request {
    /// Number of the request, repeated in its answer.
    pub id: u64,
    /// What is asked for.
    #[serde(flatten)]
    pub op: RequestedOperation,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
#[schemars(rename = "Operation")]
pub enum RequestedOperation {
    /// The first request of a process.
    Hello {
        /// Versions of the protocol that the runner speaks.
        protocols: Vec<u32>,
        /// Name and version of the runner.
        runner: String,
    },
    /// Reading a dump.
    Parse {
        /// The dump.
        path: String,
        /// Its format.
        format: String,
        /// Index of the heap that is asked for, from 0, where the dump has several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heap: Option<u64>,
        /// How to answer.
        level: Level,
        /// Where a listing goes, or the lines of answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        out: Option<String>,
        /// The facets of a digest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        facets: Option<Vec<Facet>>,
        /// Whether a digest is to have its buckets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        buckets: Option<bool>,
        /// The bucket whose records a digest is to have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bucket: Option<u8>,
    },
    /// Converting a dump.
    Convert {
        /// The dump.
        path: String,
        /// Its format.
        from: String,
        /// The format to convert it to.
        to: String,
        /// Where the new dump goes.
        out: String,
    },
    /// Writing a dump of a listing.
    Encode {
        /// The listing.
        path: String,
        /// The format to write.
        format: String,
        /// Where the dump goes.
        out: String,
    },
}

/// How much an answer to `parse` tells, from the least to the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Whether the dump was read.
    #[default]
    Verdict,
    /// Numbers of objects, and objects by class.
    Counts,
    /// What follows from the references of the heap, for each class and object.
    Answers,
    /// Digests by facet.
    Digest,
    /// All facts.
    Listing,
}

/// A count that an answer to `parse` can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Count")]
pub enum CountKind {
    /// Classes that the dump has a record of.
    Classes,
    /// Objects that are no arrays.
    Instances,
    /// Arrays of references.
    ObjectArrays,
    /// Arrays of primitive values.
    PrimitiveArrays,
    /// References of objects that are not null.
    References,
    /// Records of roots.
    Roots,
    /// HPROF: different texts among STRING records.
    Strings,
    /// All values of fields of instances, added modulo 2^64.
    FieldSum,
    /// All elements of arrays, added modulo 2^64.
    ElementSum,
    /// Objects by the name of their class.
    Histogram,
    /// Their bytes, as the dump records them.
    HistogramBytes,
}

/// The answer to any other request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Answer")]
pub struct AdapterAnswer {
    /// Number of the request.
    pub id: u64,
    /// What came of it.
    #[serde(flatten)]
    pub status: AnswerStatus,
}

/// Whatever an adapter says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Said")]
pub enum AdapterMessage {
    /// The answer to `hello`.
    Hello(Box<Hello>),
    /// The answer to any other request.
    Answer(AdapterAnswer),
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "lowercase")]
#[schemars(rename = "Status")]
pub enum AnswerStatus {
    /// It was done.
    Accept(Box<Accepted>),
    /// The implementation refuses the dump.
    Reject {
        /// What it says.
        #[serde(default)]
        message: String,
        /// Where in the dump, if it tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    /// The adapter cannot put this question to the implementation.
    Skip {
        /// Why.
        reason: String,
        /// An issue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<String>,
    },
    /// The implementation failed as it does not document, and the process goes on.
    Crash {
        /// With what: an exception and where it came from, as the language prints it.
        message: String,
    },
    /// Something went wrong in the adapter.
    Error {
        /// What.
        message: String,
    },
}

/// What comes with `accept`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// Counts, at that level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<ObjectCounts>,
    /// Objects by class, at the level of counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Vec<ClassCount>>,
    /// Digests, at that level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Of `encode`: the class that holds the objects of the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// Of `parse`: what the implementation reports as wrong with the dump, although it goes on. Since version 2.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Counts; absent ones are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
#[non_exhaustive]
#[schemars(rename = "Counts")]
pub struct ObjectCounts {
    /// Classes that the dump has a record of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<u64>,
    /// Objects that are no arrays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<u64>,
    /// Arrays of references.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_arrays: Option<u64>,
    /// Arrays of primitive values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primitive_arrays: Option<u64>,
    /// References of objects that are not null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub references: Option<u64>,
    /// Records of roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<u64>,
    /// HPROF: different texts among STRING records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strings: Option<u64>,
    /// All values of fields of instances, added modulo 2^64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_sum: Option<Hex>,
    /// All elements of arrays, added modulo 2^64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_sum: Option<Hex>,
}

setters! {
    impl ObjectCounts {
        some classes: u64;
        some instances: u64;
        some object_arrays: u64;
        some primitive_arrays: u64;
        some references: u64;
        some roots: u64;
        some strings: u64;
        some field_sum: Hex;
        some element_sum: Hex;
    }
}

/// Objects of classes with one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClassCount {
    /// The name.
    pub class: Text,
    /// How many objects.
    pub objects: u64,
    /// Their bytes, as the dump records them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl Level {
    /// Whether the answer is a file.
    pub(in crate::check) fn has_file(self) -> bool {
        matches!(self, Level::Answers | Level::Listing)
    }
}

impl Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Verdict => "verdict",
            Level::Counts => "counts",
            Level::Answers => "answers",
            Level::Digest => "digest",
            Level::Listing => "listing",
        })
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Level, String> {
        let all = [Level::Verdict, Level::Counts, Level::Answers, Level::Digest, Level::Listing];
        all.into_iter()
            .find(|level| level.to_string() == text)
            .ok_or_else(|| "verdict, counts, answers, digest or listing".to_owned())
    }
}

impl Display for CountKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CountKind::Classes => "classes",
            CountKind::Instances => "instances",
            CountKind::ObjectArrays => "object-arrays",
            CountKind::PrimitiveArrays => "primitive-arrays",
            CountKind::References => "references",
            CountKind::Roots => "roots",
            CountKind::Strings => "strings",
            CountKind::FieldSum => "field-sum",
            CountKind::ElementSum => "element-sum",
            CountKind::Histogram => "histogram",
            CountKind::HistogramBytes => "histogram-bytes",
        })
    }
}

impl CountKind {
    /// Whether it is a number for each class.
    pub fn is_by_class(self) -> bool {
        matches!(self, CountKind::Histogram | CountKind::HistogramBytes)
    }

    /// Every count.
    pub const ALL: [CountKind; 11] = [
        CountKind::Classes,
        CountKind::Instances,
        CountKind::ObjectArrays,
        CountKind::PrimitiveArrays,
        CountKind::References,
        CountKind::Roots,
        CountKind::Strings,
        CountKind::FieldSum,
        CountKind::ElementSum,
        CountKind::Histogram,
        CountKind::HistogramBytes,
    ];
}
