//! The corpus on disk: written by `bless`, checked by `verify`.

mod bless;
mod judge;
#[cfg(test)]
mod tests;
mod verify;

pub use bless::bless;
pub(super) use bless::replace_with;
pub use verify::{Trouble, Verified, verify, verify_watched};

use sha2::{Digest, Sha256};

use crate::bytes::hexadecimal;
use crate::compare::listing::{self, Places};
use crate::error::Error;
use crate::validate::severity;

use super::manifest::{Manifest, ManifestAnswer, ManifestCase, ManifestFinding, ManifestRules};
use super::{Answer, Case, LargeCase, conversion_pairs, large_cases};

/// The manifest's name in the corpus, and the version of it that this program writes.
pub(super) const MANIFEST: &str = "manifest.json";
const SCHEMA: u32 = 3;

impl Case {
    /// The manifest's entry.
    ///
    /// # Errors
    /// Never in practice: listings in memory can be written.
    pub fn manifest(&self) -> ManifestCase {
        let strings = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
        ManifestCase {
            id: self.id.clone(),
            summary: self.summary.clone(),
            format: self.format.to_string(),
            heap: self.heap,
            file: format!("{}/{}", self.shelf(), self.file()),
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
                    Answer::Reads(reading, _) => ManifestAnswer {
                        reading: (*reading).to_owned(),
                        listing: Some(format!("{}/{}", self.shelf(), self.listing_file(index))),
                    },
                    Answer::Refuses(reading) => ManifestAnswer { reading: (*reading).to_owned(), listing: None },
                })
                .collect(),
        }
    }
}

/// Every file of the corpus, by its path in the folder; the manifest is the last.
fn made(cases: &[Case]) -> impl Iterator<Item = Result<(String, Vec<u8>), Error>> {
    let of_case = |case| match files(case) {
        Ok(files) => files.into_iter().map(Ok).collect(),
        Err(e) => vec![Err(e)],
    };
    let manifest = || manifest_text(cases).map(|text| (MANIFEST.to_owned(), text.into_bytes()));
    cases.iter().flat_map(of_case).chain(std::iter::once_with(manifest))
}

/// The files of a case, relative to the corpus: the dump and the expected listings.
pub(super) fn files(case: &Case) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut files = vec![(format!("{}/{}", case.shelf(), case.file()), case.bytes.clone())];
    for (index, answer) in case.answers.iter().enumerate() {
        if let Answer::Reads(_, heap) = answer {
            let mut text = Vec::new();
            let mut head = listing::head(heap);
            head.format = Some(case.format.to_string());
            head.heap = case.heap;
            listing::write(&mut text, &head, heap, &Places::of_order(heap))?;
            files.push((format!("{}/{}", case.shelf(), case.listing_file(index)), text));
        }
    }
    Ok(files)
}

fn manifest_text(cases: &[Case]) -> Result<String, Error> {
    let manifest = Manifest {
        schema: SCHEMA,
        cases: cases.iter().map(Case::manifest).collect(),
        recipes: large_cases()?.iter().map(LargeCase::manifest).collect(),
        conversions: conversion_pairs()?,
    };
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| Error::io("writing the manifest", e.into()))?;
    Ok(text + "\n")
}
