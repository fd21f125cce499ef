//! The report of a scaling run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::report::Outcome;
use crate::check::scaling::growth::Growth;

/// Version of the schema of [`Scaling`].
pub const SCHEMA: u32 = 3;

/// How the costs of implementations grow with what they read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scaling {
    /// Version of this report's schema.
    pub schema: u32,
    /// Version of heapsmith.
    pub heapsmith: String,
    /// The bytes that no dump exceeded.
    pub largest_dump: u64,
    /// After an answer that took this many milliseconds no larger dump of the same kind was tried.
    pub enough_milliseconds: f64,
    /// The implementations, in the order in which they were named.
    pub implementations: Vec<ScaledImplementation>,
    /// The signal that ended the run before its time, such as SIGINT.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
}

/// How the costs of an implementation grow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Scaled")]
pub struct ScaledImplementation {
    /// What it is called: its name and version, or its command; unique in a report.
    pub label: String,
    /// `adapter` or `decoder`.
    pub kind: String,
    /// The command that was run, as given.
    pub command: String,
    /// The level of the answers that were asked for, of an adapter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Why it could not be asked anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Each kind of dump in each format.
    pub series: Vec<GrowthSeries>,
}

/// Dumps of a format that grow in one thing, up to the first that is not read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Series")]
pub struct GrowthSeries {
    /// The format.
    pub format: String,
    /// The kind of dump.
    pub shape: String,
    /// What there are more and more of.
    pub unit: String,
    /// The cost of the dump that has none of these; absent, if it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<DumpCost>,
    /// The sizes that were tried and read, ascending.
    pub sizes: Vec<DumpCost>,
    /// How the time grows with the dump's length, without that of the dump that has none.
    pub time: Growth,
    /// How the memory grows, likewise. Not measured of a program that is started for each
    /// dump, since nothing is known of its last moments.
    pub memory: Growth,
    /// What happened at the first size that was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ReadFailure>,
    /// Why it was not asked about this kind of dump, or not about larger ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// A dump, and what reading it costs: the least of several tries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Size")]
pub struct DumpCost {
    /// How many there are of what grows.
    pub count: u64,
    /// Length of the dump in bytes.
    pub bytes: u64,
    /// Milliseconds.
    pub milliseconds: f64,
    /// The most bytes of memory, over the program and all that it started, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
}

/// A dump that was not read, twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Failure")]
pub struct ReadFailure {
    /// How many there are of what grows.
    pub count: u64,
    /// Length of the dump in bytes.
    pub bytes: u64,
    /// What happened.
    pub outcome: Outcome,
}

impl DumpCost {
    /// The lesser of both costs.
    pub(super) fn least(&self, other: &DumpCost) -> DumpCost {
        DumpCost {
            milliseconds: self.milliseconds.min(other.milliseconds),
            peak_memory: self.peak_memory.zip(other.peak_memory).map(|(one, two)| one.min(two)),
            ..*self
        }
    }
}

impl GrowthSeries {
    /// Whether something grows above n log n, or was not read.
    pub fn is_bad(&self) -> bool {
        self.failure.is_some() || self.time.is_above() || self.memory.is_above()
    }
}

impl Scaling {
    /// Whether no cost grows above n log n, everything was read, and nothing is missing.
    pub fn is_clean(&self) -> bool {
        let is_good = |one: &ScaledImplementation| one.error.is_none() && !one.series.iter().any(GrowthSeries::is_bad);
        self.incomplete.is_none() && self.implementations.iter().all(is_good)
    }
}
