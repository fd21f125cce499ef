//! The corpus on disk: written by `bless`, checked by `verify`.

mod bless;
mod judge;
mod recipe_files;
#[cfg(test)]
mod tests;
mod verify;

pub use bless::bless;
pub(super) use bless::replace_with;
pub(super) use recipe_files::case_files;
pub use verify::{CorpusReport, Trouble, verify, verify_watched};

use sha2::{Digest, Sha256};

use crate::bytes::hexadecimal;
use crate::error::Error;
use crate::validate::severity;

use super::manifest::{Manifest, ManifestAnswer, ManifestCase, ManifestFinding, ManifestRules};
use super::{Case, LargeCase, RightAnswer, conversion_pairs, large_cases};

/// The manifest's name in the corpus, and the version of it that this program writes.
pub(super) const MANIFEST: &str = "manifest.json";
const SCHEMA: u32 = 4;

impl Case {
    /// The manifest's entry.
    ///
    /// # Errors
    /// Never in practice: listings in memory can be written.
    pub fn manifest_entry(&self) -> ManifestCase {
        let strings = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
        ManifestCase {
            id: self.id.clone(),
            summary: self.summary.clone(),
            format: self.format.to_string(),
            heap: self.heap,
            file: format!("{}/{}", self.folder(), self.file()),
            size: self.bytes.len() as u64,
            sha256: hexadecimal(&Sha256::digest(&self.bytes)),
            recipe: self.recipe.clone(),
            verdict: self.verdict.name().to_owned(),
            tags: self.tags().map(str::to_owned).collect(),
            rules: ManifestRules {
                keeps: strings(&self.keeps),
                breaks: self.breaks.iter().map(|(rule, _)| (*rule).to_owned()).collect(),
                shows: strings(&self.shows),
            },
            finding: self.breaks.map(|(rule, offset)| {
                let severity = severity(crate::error::RuleId(rule));
                ManifestFinding { rule: rule.to_owned(), severity, offset }
            }),
            records_due: self.records_due,
            answers: self
                .answers
                .iter()
                .enumerate()
                .map(|(index, answer)| match answer {
                    RightAnswer::Reads(reading, _) => ManifestAnswer {
                        reading: (*reading).to_owned(),
                        listing: Some(format!("{}/{}", self.folder(), self.listing_file(index))),
                    },
                    RightAnswer::Refuses(reading) => ManifestAnswer { reading: (*reading).to_owned(), listing: None },
                })
                .collect(),
        }
    }
}

fn manifest_text(cases: &[Case]) -> Result<String, Error> {
    let manifest = Manifest {
        schema: SCHEMA,
        cases: cases.iter().map(Case::manifest_entry).collect(),
        recipes: large_cases()?.iter().map(LargeCase::manifest).collect(),
        conversions: conversion_pairs()?,
    };
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| Error::io("writing the manifest", e.into()))?;
    Ok(text + "\n")
}
