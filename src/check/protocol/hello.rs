//! What an adapter declares.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::Facet;
use crate::format::{Format, Target};

use super::super::judge::{BOOLEANS, NAMES, all_ambiguities};
use super::{Count, Known, Level, Part};

/// Whether there is such a choice, of what no key of its own declares.
fn is_reading(name: &str, choice: &str) -> bool {
    let mut known = all_ambiguities().into_iter().filter(|known| known.name == name && !GENERAL.contains(&name));
    known.any(|known| known.choice(choice).is_some())
}

/// Names without a meaning that are told.
const TOLD: usize = 10;
/// What keys of their own declare.
const GENERAL: [&str; 2] = [BOOLEANS, NAMES];

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
    pub levels: Known<Level>,
    /// The facets that listings and digests report.
    #[serde(default)]
    pub facets: Known<Facet>,
    /// The counts that are reported.
    #[serde(default)]
    pub counts: Known<Count>,
    /// The parts of the level of answers that are reported. Since version 2.
    #[serde(default, skip_serializing_if = "Known::is_nothing")]
    pub answers: Known<Part>,
    /// How objects are identified.
    #[serde(default)]
    pub identifies: Identifies,
    /// The form of the names of classes in listings.
    #[serde(default)]
    pub class_names: ClassNames,
    /// What listings say of references to what is not in the dump.
    #[serde(default)]
    pub dangling: Dangling,
    /// What listings say of booleans that are neither 0 nor 1. Since version 2, as is everything below up to `makes_up`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub booleans: Booleans,
    /// What listings say of names that are no text.
    #[serde(default, skip_serializing_if = "is_default")]
    pub names: Names,
    /// What is made of bytes that have several right readings: the names of readings, by what they are about. What is not
    /// there is found out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub readings: BTreeMap<String, String>,
    /// What listings have although the dump has no record of it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub makes_up: Known<MadeUp>,
    /// Whether `parse` can be asked for one heap of several.
    #[serde(default)]
    pub heaps: bool,
    /// What `convert` takes and makes.
    #[serde(default)]
    pub converts: Vec<Pair>,
    /// Formats that `encode` writes.
    #[serde(default)]
    pub writes: Vec<Writer>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn verdict_alone() -> Known<Level> {
    Known::from(vec![Level::Verdict])
}

/// How objects are identified in listings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Identifies {
    /// By the addresses of the dump.
    #[default]
    Address,
    /// By identifiers of its own.
    Opaque,
}

/// The form of the names of classes in listings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClassNames {
    /// As the dump's records have them.
    #[default]
    Dump,
    /// That of Java source, whatever the dump has: `java.lang.String`, `int[]`.
    Java,
}

/// What listings say of references to what is not in the dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dangling {
    /// The address.
    #[default]
    Told,
    /// Null.
    Null,
}

/// What listings say of booleans that are neither 0 nor 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Booleans {
    /// Their byte.
    #[default]
    #[serde(rename = "bytes")]
    Bytes,
    /// 1.
    #[serde(rename = "0/1")]
    ZeroOrOne,
}

/// What listings say of names that are no text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Names {
    /// Their bytes.
    #[default]
    Bytes,
    /// Text, with replacements for what is none.
    Text,
}

/// What listings may have although the dump has no record of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MadeUp {
    /// Classes.
    Classes,
}

/// What `convert` takes and makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// Format of the dump.
    pub from: String,
    /// Format of what it becomes.
    pub to: String,
    /// Facets that its dumps lack, although their format could carry them.
    #[serde(default, skip_serializing_if = "Known::is_nothing")]
    pub loses: Known<Facet>,
}

/// What `encode` writes: a format or writer, and what of the heap its dumps lack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Writer {
    /// A format or writer.
    Plain(String),
    /// One that cannot write all that its format could carry.
    Lossy {
        /// The format or writer.
        to: String,
        /// Facets that its dumps lack.
        #[serde(default)]
        loses: Known<Facet>,
    },
}

impl Writer {
    /// The format or writer.
    pub fn to(&self) -> &str {
        match self {
            Writer::Plain(to) | Writer::Lossy { to, .. } => to,
        }
    }

    /// Facets that its dumps lack.
    pub fn loses(&self) -> &[Facet] {
        match self {
            Writer::Plain(_) => &[],
            Writer::Lossy { loses, .. } => loses,
        }
    }
}

impl From<String> for Writer {
    fn from(to: String) -> Writer {
        Writer::Plain(to)
    }
}

impl Hello {
    /// Whether `parse` takes dumps of a format.
    pub fn can_read(&self, format: Format) -> bool {
        has(&self.reads, format)
    }

    /// What `encode` writes of a listing of a format.
    pub fn writers(&self, format: Format) -> Vec<Target> {
        targets(self.writes.iter().map(Writer::to)).into_iter().filter(|target| target.format == format).collect()
    }

    /// What `convert` makes of a format.
    pub fn targets(&self, from: Format) -> Vec<Target> {
        targets(self.converts.iter().filter(|pair| names(&pair.from, from)).map(|pair| pair.to.as_str()))
    }

    /// The readings that are declared, by name: in version 1 none can be, in version 2 those of booleans and names always are.
    pub fn declared_readings(&self) -> BTreeMap<String, String> {
        if self.protocol < 2 {
            return BTreeMap::new();
        }
        let mut declared = self.readings.clone();
        declared.retain(|name, choice| is_reading(name, choice));
        let booleans = match self.booleans {
            Booleans::Bytes => "bytes",
            Booleans::ZeroOrOne => "0/1",
        };
        let names = match self.names {
            Names::Bytes => "bytes",
            Names::Text => "text",
        };
        declared.insert(BOOLEANS.to_owned(), booleans.to_owned());
        declared.insert(NAMES.to_owned(), names.to_owned());
        declared
    }

    /// Whether listings may have such things that the dump has no record of: always, where that cannot be declared.
    pub fn makes_up(&self, what: MadeUp) -> bool {
        self.protocol < 2 || self.makes_up.contains(&what)
    }

    /// What it declares by names that nothing is known by, each with its key: that is ignored.
    pub fn ignored(&self) -> Vec<String> {
        let lost = self.converts.iter().map(|pair| &pair.loses);
        let lost = lost.chain(self.writes.iter().filter_map(|writer| match writer {
            Writer::Lossy { loses, .. } => Some(loses),
            Writer::Plain(_) => None,
        }));
        let mut unknown: Vec<(&str, &str)> = Vec::new();
        unknown.extend(self.levels.unknown().iter().map(|name| ("levels", name.as_str())));
        unknown.extend(self.facets.unknown().iter().map(|name| ("facets", name.as_str())));
        unknown.extend(self.counts.unknown().iter().map(|name| ("counts", name.as_str())));
        unknown.extend(self.answers.unknown().iter().map(|name| ("answers", name.as_str())));
        unknown.extend(self.makes_up.unknown().iter().map(|name| ("makes_up", name.as_str())));
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

    /// Facets that dumps lack which are made of a format by `convert`, or of a listing by `encode` where there is none.
    pub fn loses(&self, from: Option<Format>, to: &Target) -> Vec<Facet> {
        let is_meant = |name: &str| targets(std::iter::once(name)).contains(to);
        match from {
            Some(from) => {
                let pairs = self.converts.iter().filter(|pair| names(&pair.from, from) && is_meant(&pair.to));
                pairs.flat_map(|pair| pair.loses.iter().copied()).collect()
            }
            None => {
                let writers = self.writes.iter().filter(|writer| is_meant(writer.to()));
                writers.flat_map(|writer| writer.loses().iter().copied()).collect()
            }
        }
    }

    /// The highest level of answers.
    pub fn level(&self) -> Level {
        self.levels.iter().copied().max().unwrap_or_default()
    }
}

fn has(list: &[String], format: Format) -> bool {
    list.iter().any(|name| names(name, format))
}

/// What names of formats, with or without a writer, stand for; those of no format are left out.
fn targets<'n>(list: impl Iterator<Item = &'n str>) -> Vec<Target> {
    let mut targets = Vec::new();
    for name in list {
        let all = Format::all().filter(|format| names(name, *format));
        let plain: Vec<Target> = all.map(|format| Target { format, profile: None }).collect();
        let named = if plain.is_empty() { name.parse().ok() } else { None };
        targets.extend(plain.into_iter().chain(named).filter(|target| !targets.contains(target)).collect::<Vec<_>>());
    }
    targets
}

/// Whether a name stands for a format: its own, or that of its family.
fn names(name: &str, format: Format) -> bool {
    name == format.to_string() || name == format.family().name()
}
