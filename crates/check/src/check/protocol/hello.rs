//! Declarations of an adapter.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::declarations::{Declares, READINGS, ambiguities};
use crate::check::protocol::{AnswerPart, CountKind, KnownNames, Level};
use heapsmith_core::compare::Facet;
use heapsmith_core::format::{DumpTarget, Format};

/// Whether there is such a choice, of what no key of its own declares.
fn is_reading(name: &str, choice: &str) -> bool {
    let mut known = ambiguities().into_iter().filter(|known| known.name == name && !READINGS.contains(&name));
    known.any(|known| known.choice(choice).is_some())
}

/// The most ignored names in a report.
const TOLD: usize = 10;

/// The answer to `hello`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// Number of the request.
    pub id: u64,
    /// Version of the protocol that both speak.
    pub protocol: u32,
    /// Name of the implementation.
    pub name: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
    /// The language it is written in.
    #[serde(default)]
    pub language: String,
    /// Formats that `parse` takes.
    #[serde(default)]
    pub reads: Vec<String>,
    /// How `parse` can answer.
    #[serde(default = "verdict_alone")]
    pub levels: KnownNames<Level>,
    /// The facets that listings and digests report.
    #[serde(default)]
    pub facets: KnownNames<Facet>,
    /// The counts that are reported.
    #[serde(default)]
    pub counts: KnownNames<CountKind>,
    /// The parts of the level of answers that are reported. Since version 2.
    #[serde(default, skip_serializing_if = "KnownNames::is_nothing")]
    pub answers: KnownNames<AnswerPart>,
    /// How facts are told in listings, and what is not looked at.
    #[serde(flatten)]
    pub declares: Declares,
    /// What is made of bytes that have several right readings: the names of readings, by what they are about. What is not
    /// there is found out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub readings: BTreeMap<String, String>,
    /// The facets that a listing leaves out where a request asks for that.
    #[serde(default, skip_serializing_if = "KnownNames::is_nothing")]
    pub omits: KnownNames<Facet>,
    /// Whether `parse` can be asked for one heap of several.
    #[serde(default)]
    pub heaps: bool,
    /// What `convert` takes and makes.
    #[serde(default)]
    pub converts: Vec<DeclaredConversion>,
    /// Formats that `encode` writes.
    #[serde(default)]
    pub writes: Vec<DeclaredWriter>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn verdict_alone() -> KnownNames<Level> {
    KnownNames::from(vec![Level::Verdict])
}

/// What `convert` takes and makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Pair")]
pub struct DeclaredConversion {
    /// Format of the dump.
    pub from: String,
    /// Format of what it becomes.
    pub to: String,
    /// Facets that its dumps lack, although their format could carry them.
    #[serde(default, skip_serializing_if = "KnownNames::is_nothing")]
    pub loses: KnownNames<Facet>,
    /// How facts are told in its dumps.
    #[serde(flatten)]
    pub declares: Declares<true>,
}

/// What `encode` writes: a format or writer, and what of the heap its dumps lack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Writer")]
pub enum DeclaredWriter {
    /// A format or writer.
    Plain(String),
    /// One that cannot write all that its format could carry.
    Lossy {
        /// The format or writer.
        to: String,
        /// Facets that its dumps lack.
        #[serde(default)]
        loses: KnownNames<Facet>,
    },
}

impl DeclaredWriter {
    /// The format or writer.
    pub fn target_name(&self) -> &str {
        match self {
            DeclaredWriter::Plain(to) | DeclaredWriter::Lossy { to, .. } => to,
        }
    }

    /// Facets that its dumps lack.
    pub fn loses(&self) -> &[Facet] {
        match self {
            DeclaredWriter::Plain(_) => &[],
            DeclaredWriter::Lossy { loses, .. } => loses,
        }
    }
}

impl From<String> for DeclaredWriter {
    fn from(to: String) -> DeclaredWriter {
        DeclaredWriter::Plain(to)
    }
}

impl Hello {
    /// Whether `parse` takes dumps of a format.
    pub fn can_read(&self, format: Format) -> bool {
        includes_format(&self.reads, format)
    }

    /// The dumps that `encode` writes.
    pub fn writers(&self) -> Vec<DumpTarget> {
        parse_targets(self.writes.iter().map(DeclaredWriter::target_name))
    }

    /// The formats and writers that `convert` makes of a format.
    pub fn targets(&self, from: Format) -> Vec<DumpTarget> {
        parse_targets(self.converts.iter().filter(|pair| names_format(&pair.from, from)).map(|pair| pair.to.as_str()))
    }

    /// The readings that are declared, by name: in version 1 none can be, in version 2 those of booleans and names always are.
    pub fn declared_readings(&self) -> BTreeMap<String, String> {
        if self.protocol < 2 {
            return BTreeMap::new();
        }
        let mut declared = self.readings.clone();
        declared.retain(|name, choice| is_reading(name, choice));
        declared.extend(self.declares.readings());
        declared
    }

    /// The unknown names that it declares, each with its key: they are ignored.
    pub fn ignored_names(&self) -> Vec<String> {
        let lost = self.converts.iter().map(|pair| &pair.loses);
        let lost = lost.chain(self.writes.iter().filter_map(|writer| match writer {
            DeclaredWriter::Lossy { loses, .. } => Some(loses),
            DeclaredWriter::Plain(_) => None,
        }));
        let mut unknown: Vec<(&str, &str)> = Vec::new();
        unknown.extend(self.levels.unknown().iter().map(|name| ("levels", name.as_str())));
        unknown.extend(self.facets.unknown().iter().map(|name| ("facets", name.as_str())));
        unknown.extend(self.omits.unknown().iter().map(|name| ("omits", name.as_str())));
        unknown.extend(self.counts.unknown().iter().map(|name| ("counts", name.as_str())));
        unknown.extend(self.answers.unknown().iter().map(|name| ("answers", name.as_str())));
        unknown.extend(self.declares.unknown());
        unknown.extend(lost.flat_map(|loses| loses.unknown()).map(|name| ("loses", name.as_str())));
        let mut all: Vec<String> = unknown.into_iter().map(|(key, name)| format!("{name:?} in `{key}`")).collect();
        if self.protocol >= 2 {
            let others = self.readings.iter().filter(|(name, choice)| !is_reading(name, choice));
            all.extend(others.map(|(name, choice)| format!("\"{name}\": {choice:?} in `readings`")));
        }
        all.dedup();
        if all.len() > TOLD {
            let more = all.len() - TOLD;
            all.truncate(TOLD);
            all.push(format!("and {more} more"));
        }
        all
    }

    /// The facets that dumps lack, made of a format by `convert`, or of a listing by `encode` if `from` is `None`.
    pub fn loses(&self, from: Option<Format>, to: &DumpTarget) -> Vec<Facet> {
        let is_meant = |name: &str| parse_targets(std::iter::once(name)).contains(to);
        match from {
            Some(from) => {
                let pairs = self.converts.iter().filter(|pair| names_format(&pair.from, from) && is_meant(&pair.to));
                pairs.flat_map(|pair| pair.loses.iter().copied()).collect()
            }
            None => {
                let writers = self.writes.iter().filter(|writer| is_meant(writer.target_name()));
                writers.flat_map(|writer| writer.loses().iter().copied()).collect()
            }
        }
    }

    /// The declarations about the dumps that `convert` makes of a format.
    pub(in crate::check) fn dump_declares(&self, from: Format, to: &DumpTarget) -> Declares<true> {
        let is_meant = |pair: &&DeclaredConversion| {
            names_format(&pair.from, from) && parse_targets(std::iter::once(&*pair.to)).contains(to)
        };
        self.converts.iter().find(is_meant).map(|pair| pair.declares.clone()).unwrap_or_default()
    }

    /// The highest level of answers.
    pub fn level(&self) -> Level {
        self.levels.iter().copied().max().unwrap_or_default()
    }
}

fn includes_format(list: &[String], format: Format) -> bool {
    list.iter().any(|name| names_format(name, format))
}

/// The targets that names of formats or writers stand for; unknown names are left out.
fn parse_targets<'n>(list: impl Iterator<Item = &'n str>) -> Vec<DumpTarget> {
    let mut targets = Vec::new();
    for name in list {
        let all = Format::all().filter(|format| names_format(name, *format));
        let plain: Vec<DumpTarget> = all.map(|format| DumpTarget { format, profile: None }).collect();
        let named = if plain.is_empty() { name.parse().ok() } else { None };
        targets.extend(plain.into_iter().chain(named).filter(|target| !targets.contains(target)).collect::<Vec<_>>());
    }
    targets
}

/// Whether a name stands for a format: its own, or that of its family.
fn names_format(name: &str, format: Format) -> bool {
    name == format.to_string() || name == format.family().name()
}
