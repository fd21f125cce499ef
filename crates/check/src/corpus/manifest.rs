//! The manifest: what other programs read of the corpus.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use heapsmith_core::bytes::hexadecimal;
use heapsmith_core::validate::{Severity, severity};

use super::{Case, ConversionPair, RightAnswer};

pub use heapsmith_core::family::case::{ManifestPart, ManifestRecipe};

/// `corpus/manifest.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Manifest {
    /// Version of this schema: 5.
    pub schema: u32,
    /// The cases, by id.
    pub cases: Vec<ManifestCase>,
    /// Dumps that are too large to be stored: what to make, and what is right. `heapsmith check --large` makes them.
    #[serde(default)]
    pub recipes: Vec<ManifestRecipe>,
    /// Conversions with the verdict that is right.
    #[serde(default)]
    pub conversions: Vec<ConversionPair>,
}

/// A case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ManifestCase {
    /// Stable id, unique over all formats.
    pub id: String,
    /// What the case is about, in a line.
    pub summary: String,
    /// Dump format.
    pub format: String,
    /// Which heap of the dump the listings describe, from 0; absent if the dump has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<u64>,
    /// The dump, relative to the manifest.
    pub file: String,
    /// Its length in bytes.
    pub size: u64,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
    /// How the dump is made.
    pub recipe: String,
    /// `valid`, `invalid` or `ambiguous`.
    pub verdict: String,
    /// What the case is tagged with: how it came to be, what a parser needs for it, how much it matters.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The rules that it keeps, breaks or shows.
    pub rules: ManifestRules,
    /// What `validate` has to find, where it has to find something.
    pub finding: Option<ManifestFinding>,
    /// Records that stand before the first fatal finding: what a tolerant parser still delivers.
    pub records_due: u64,
    /// Answers that are right. A valid case has one listing; an invalid one a refusal; an ambiguous one
    /// several, each with the reading that leads to it.
    pub answers: Vec<ManifestAnswer>,
}

impl ManifestCase {
    /// The entry of a case.
    pub fn from_case(case: &Case) -> ManifestCase {
        let strings = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
        ManifestCase {
            id: case.id.clone(),
            summary: case.summary.clone(),
            format: case.format.to_string(),
            heap: case.heap,
            file: format!("{}/{}", case.folder(), case.file()),
            size: case.bytes.len() as u64,
            sha256: hexadecimal(&Sha256::digest(&case.bytes)),
            recipe: case.recipe.clone(),
            verdict: case.verdict.name().to_owned(),
            tags: case.tags().map(str::to_owned).collect(),
            rules: ManifestRules {
                keeps: strings(&case.keeps),
                breaks: case.breaks.iter().map(|(rule, _)| (*rule).to_owned()).collect(),
                shows: strings(&case.shows),
            },
            finding: case.breaks.map(|(rule, offset)| {
                let severity = severity(heapsmith_core::error::RuleId(rule));
                ManifestFinding { rule: rule.to_owned(), severity, offset }
            }),
            records_due: case.records_due,
            answers: case
                .answers
                .iter()
                .enumerate()
                .map(|(index, answer)| match answer {
                    RightAnswer::Reads(reading, _) => ManifestAnswer {
                        reading: (*reading).to_owned(),
                        listing: Some(format!("{}/{}", case.folder(), case.listing_file(index))),
                    },
                    RightAnswer::Refuses(reading) => ManifestAnswer { reading: (*reading).to_owned(), listing: None },
                })
                .collect(),
        }
    }
}

/// Rules by their part in a case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ManifestRules {
    /// Rules of the bytes that the dump keeps, in a place where it could break them.
    pub keeps: Vec<String>,
    /// The rule of the bytes that the dump breaks.
    pub breaks: Vec<String>,
    /// Rules of writers and readers that the dump shows.
    pub shows: Vec<String>,
}

/// A finding that is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ManifestFinding {
    /// Rule id.
    pub rule: String,
    /// Severity.
    pub severity: Severity,
    /// Offset in bytes.
    pub offset: u64,
}

/// An answer that is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ManifestAnswer {
    /// Which reading gives this answer.
    pub reading: String,
    /// The expected listing, relative to the manifest; absent for a refusal.
    pub listing: Option<String>,
}
