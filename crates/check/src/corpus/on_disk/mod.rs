//! The corpus on disk: written by `bless`, checked by `verify`.

mod bless;
mod judge;
mod recipe_files;
#[cfg(test)]
mod tests;
mod verify;

pub use bless::bless;
pub(super) use bless::replace_with;
pub use judge::judge_case;
pub(super) use recipe_files::case_files;
pub(crate) use recipe_files::write_listing;
pub use verify::{CorpusReport, Trouble, verify, verify_watched};
pub(super) use verify::{foreign_files, unfinished};

use heapsmith_core::error::Error;

use super::manifest::{Manifest, ManifestCase};
use super::{Case, LargeCase, conversion_pairs, large_cases};

/// The manifest's name in the corpus, and the version of it that this program writes.
pub(super) const MANIFEST: &str = "manifest.json";
const SCHEMA: u32 = 5;

fn manifest_text(cases: &[Case]) -> Result<String, Error> {
    let manifest = Manifest {
        schema: SCHEMA,
        cases: cases.iter().map(ManifestCase::from_case).collect(),
        recipes: large_cases()?.iter().map(LargeCase::manifest).collect(),
        conversions: conversion_pairs()?,
    };
    let text = serde_json::to_string_pretty(&manifest).map_err(|e| Error::io("writing the manifest", e.into()))?;
    Ok(text + "\n")
}
