//! The manifest of an export: everything that a test needs, in any language, without heapsmith.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::corpus::ConversionPair;
use crate::corpus::manifest::{ManifestFinding, ManifestRules};

/// `manifest.json` of exported golden dumps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Export {
    /// Version of this schema: 7.
    pub schema: u32,
    /// Version of the corpus. The first number rises when a case has other answers or is gone, the second one when cases are
    /// new. `own`, where `corpus add` wrote the manifest.
    pub corpus: String,
    /// What was chosen by the options of the command; empty for all cases.
    pub chosen: Vec<String>,
    /// The cases, by id.
    pub cases: Vec<ExportCase>,
    /// Conversions of one case to another with the verdict that is right, where both were chosen.
    #[serde(default)]
    pub conversions: Vec<ConversionPair>,
    /// The rules that the cases name, by id.
    pub rules: BTreeMap<String, ExportRule>,
}

/// A dump with its right answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportCase {
    /// Stable id, unique over all formats.
    pub id: String,
    /// What the case is about, in a line.
    pub summary: String,
    /// `phd4`, `phd5`, `phd6`, `hprof` or `classic`.
    pub format: String,
    /// What the case can be chosen by: `golden`, `damaged`, `spelled` or `random`; `valid`, `invalid` or `ambiguous`; `gzip`;
    /// `several-heaps`. Cases of `corpus add` have `own` as the first.
    pub tags: Vec<String>,
    /// Which heap of the dump the answers describe, from 0; absent if the dump has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u64>,
    /// The dump.
    pub dump: ExportFile,
    /// The heap file of which `corpus add` built the dump and its listing; absent if it was given the dump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<ExportSource>,
    /// `valid`: there is one answer, a listing; `invalid`: there is one answer, a refusal; `ambiguous`: there are several, and
    /// each of them is right.
    pub verdict: String,
    /// The right answers.
    pub answers: Vec<ExportAnswer>,
    /// The rules that the dump keeps, breaks or shows.
    pub about: ManifestRules,
    /// The rule that is broken, how much that matters, and where; null if none is.
    pub finding: Option<ManifestFinding>,
    /// Records before the place where reading has to stop: what a tolerant parser still delivers.
    pub records_due: u64,
    /// The bytes of each class and object, as far as the dump can be read.
    pub records: Vec<ExportBytes>,
    /// Which bytes rely on a rule, by its id: a reader that does not follow the rule takes something else from them.
    pub relies: BTreeMap<String, Vec<ExportBytes>>,
}

impl ExportCase {
    /// Its files.
    pub(super) fn files(&self) -> impl Iterator<Item = &ExportFile> {
        let heap_file = self.source.iter().map(|source| &source.heap_file);
        std::iter::once(&self.dump).chain(heap_file).chain(self.answers.iter().flat_map(ExportAnswer::files))
    }

    /// Whether it names a rule.
    pub(super) fn names_rule(&self, id: &str) -> bool {
        let mut about = self.about.keeps.iter().chain(&self.about.breaks).chain(&self.about.shows);
        about.any(|rule| rule == id) || self.relies.contains_key(id)
    }
}

/// The heap file of a dump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportSource {
    /// The heap file. `corpus bless` builds the dump and its listing again after a change of this file.
    pub heap_file: ExportFile,
    /// The options of the build.
    pub build: HeapFileBuild,
}

/// How a dump is built of a heap file, as the options of `heapsmith build` of these names say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HeapFileBuild {
    /// Format and profile: `hprof/hotspot-25`.
    pub format: String,
    /// Which heap of the file is written, from 0; absent if it has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<usize>,
    /// Word size in bits; absent for the heap's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word: Option<u32>,
    /// Size of identifiers in bytes; absent for the writer's own, else the heap's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_size: Option<u64>,
    /// Number of segments of each heap; absent for the heap file's own, else as many as the writer makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<u64>,
    /// Character encoding; absent for utf-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Ends of lines; absent for those that a JVM writes in the encoding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newline: Option<String>,
    /// Whether the dump is compressed; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gzip: bool,
}

/// A file of the export. Its name is that of its case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportFile {
    /// Path, relative to the manifest.
    pub path: String,
    /// Length in bytes.
    pub size: u64,
    /// SHA-256, in hexadecimal.
    pub sha256: String,
}

/// An answer that is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportAnswer {
    /// Which reading of the dump gives this answer.
    pub reading: String,
    /// The heap as a listing; null for a refusal.
    pub listing: Option<ExportFile>,
    /// The answers of an analyser about this heap; absent for a refusal, and where it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<ExportAnalysis>,
}

impl ExportAnswer {
    /// Its files.
    fn files(&self) -> impl Iterator<Item = &ExportFile> {
        let analysis = self.analysis.iter().flat_map(|analysis| [&analysis.heap, &analysis.entries]);
        self.listing.iter().chain(analysis)
    }
}

/// The answers of an analyser about a heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportAnalysis {
    /// The answers about the heap as a whole, as `heapsmith answers --json` prints them.
    pub heap: ExportFile,
    /// The answers about each class and object, as `heapsmith answers --entries` writes them: a line for each.
    pub entries: ExportFile,
}

/// The bytes of a class or object, or bytes that rely on a rule: an array of an address as in listings, the offset of the first
/// byte and the number of bytes. Offsets are those of the decompressed dump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportBytes(
    /// Address of the class or object about which the bytes say something; null for the whole dump, a root or an event.
    pub Option<String>,
    /// Offset of the first byte.
    pub u64,
    /// Number of bytes.
    pub u64,
);

/// A rule of a format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportRule {
    /// What it says.
    pub statement: String,
    /// The facets that a reader gets wrong that does not follow it, or `all`.
    pub facets: Vec<String>,
    /// Documents and implementations that have it.
    pub sources: Vec<String>,
}
