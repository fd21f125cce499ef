//! The first line of a listing: facts of the header, and what the lines below hold.

use serde::{Deserialize, Serialize};

use crate::model::{ByteLen, Facts, HashRegime, Heap, Object, ObjectKind, Totals, WordSize};

use super::super::facet::Facet;
use super::spelling::{Hex, Text};

/// The first line of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Head {
    /// Version of the listing format: 1.
    pub listing: u32,
    /// Dump format (`phd4`, `phd5`, `phd6`, `hprof`, `classic`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The writer profile that gives the dump's bytes again, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Index of the heap in its dump, from 0, where the dump has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u64>,
    /// Word size in bits: 32 or 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word_size: Option<u32>,
    /// Size of an identifier in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier_size: Option<u64>,
    /// JVM version text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version_text: Option<Text>,
    /// Version in the header's text, such as `1.0.2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header_version: Option<Text>,
    /// The header's time: milliseconds since 1970-01-01T00:00Z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_stamp: Option<u64>,
    /// When the heap was dumped, and when that ended: microseconds since the time stamp, modulo 2^32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dump_times: Option<[u32; 2]>,
    /// Whether every object has a 16-bit hash, or some a 32-bit one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashes: Option<Hashes>,
    /// Counts that the header states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<HeaderTotals>,
    /// How many references are null, where the dump states that without listing them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_references: Option<u64>,
    /// The two random numbers of the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash_randoms: Option<[Hex; 2]>,
    /// Number of classes in the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<u64>,
    /// Number of objects in the listing, classes not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<u64>,
    /// Number of references of classes and objects together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<u64>,
    /// Number of roots in the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<u64>,
    /// Number of threads in the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u64>,
    /// Number of stack traces in the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traces: Option<u64>,
    /// Number of regions in the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regions: Option<u64>,
    /// Number of events in the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Facets that this decoder does not report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omits: Vec<Facet>,
}

/// How identity hashes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub enum Hashes {
    /// Every object has a 16-bit hash.
    #[serde(rename = "every-16")]
    Every16,
    /// An object has a 32-bit hash where one was asked for.
    #[serde(rename = "where-used-32")]
    WhereUsed32,
}

/// Counts of PHD header record 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct HeaderTotals {
    /// Objects and classes.
    pub objects: u32,
    /// References.
    pub references: u32,
}

/// The facts of a heap as the first line of its listing.
pub fn head(heap: &Heap) -> Head {
    let class_references: usize = heap.classes.iter().flat_map(|c| &c.references).map(Vec::len).sum();
    // Their lines have none, whatever a broken text lists.
    let tells = |object: &&Object| !matches!(object.kind, ObjectKind::PrimitiveArray(_));
    let references: usize = heap.objects.iter().filter(tells).map(|o| o.references().count()).sum();
    let (facts, around) = (&heap.facts, &heap.surroundings);
    Head {
        listing: 1,
        word_size: facts.word_size.map(WordSize::bits),
        identifier_size: facts.identifier_size.map(|size| size.0),
        version_text: facts.version_text.as_ref().map(Text::from),
        header_version: facts.header_version.as_ref().map(Text::from),
        time_stamp: facts.timestamp,
        dump_times: around.times.map(|(begin, end)| [begin, end]),
        hashes: facts.hash_regime.map(|regime| match regime {
            HashRegime::Every16 => Hashes::Every16,
            HashRegime::WhereUsed32 => Hashes::WhereUsed32,
        }),
        totals: facts.totals.map(|t| HeaderTotals { objects: t.objects, references: t.references }),
        null_references: facts.null_references,
        hash_randoms: facts.hash_randoms.map(|(a, b)| [Hex(a.into()), Hex(b.into())]),
        classes: Some(heap.classes.len() as u64),
        objects: Some(heap.objects.len() as u64),
        references: Some((class_references + references) as u64),
        roots: count(&around.roots),
        threads: count(&around.threads),
        traces: count(&around.traces),
        regions: count(&around.regions),
        events: count(&around.events),
        ..Head::default()
    }
}

impl Head {
    /// The counts that it states of the lines below, by their names.
    pub(super) fn counts(&self) -> [(&'static str, Option<u64>); 8] {
        [
            ("classes", self.classes),
            ("objects", self.objects),
            ("references", self.references),
            ("roots", self.roots),
            ("threads", self.threads),
            ("traces", self.traces),
            ("regions", self.regions),
            ("events", self.events),
        ]
    }

    /// Whether instances have a class word that is their class: PHD's have.
    pub(super) fn has_class_words(&self) -> bool {
        !self.format.as_ref().is_some_and(|format| format.starts_with("hprof") || format == "classic")
    }

    pub(super) fn facts(&self) -> Result<Facts, String> {
        Ok(Facts {
            word_size: match self.word_size {
                None => None,
                Some(32) => Some(WordSize::Bits32),
                Some(64) => Some(WordSize::Bits64),
                Some(other) => return Err(format!("expected a word size of 32 or 64, found {other}")),
            },
            version_text: self.version_text.clone().map(Into::into),
            totals: self.totals.map(|t| Totals { objects: t.objects, references: t.references }),
            hash_randoms: match self.hash_randoms {
                None => None,
                Some([a, b]) => Some((a.narrow("a random number")?, b.narrow("a random number")?)),
            },
            hash_regime: self.hashes.map(|hashes| match hashes {
                Hashes::Every16 => HashRegime::Every16,
                Hashes::WhereUsed32 => HashRegime::WhereUsed32,
            }),
            null_references: self.null_references,
            timestamp: self.time_stamp,
            header_version: self.header_version.clone().map(Into::into),
            identifier_size: self.identifier_size.map(ByteLen),
        })
    }
}

fn count<T>(list: &Option<Vec<T>>) -> Option<u64> {
    list.as_ref().map(|list| list.len() as u64)
}
