//! The corpus: small dumps with their expected answers, made by recipes and stored as bytes.

mod coverage;
mod dictionary;
mod export;
mod large;
mod manifest;
mod on_disk;
mod pairs;

use heapsmith_core::error::Error;
use heapsmith_core::family::case::CaseFile;
use heapsmith_core::format::Family;

pub use coverage::{
    Coverage, CoverageGap, CoverageMeasure, Exempt, FormatCoverage, Grid, GridCell, GridDimension, MeasureCount,
    coverage,
};
pub use dictionary::dictionary;
pub use export::{
    AddOutcome, Addition, BuiltCase, Export, ExportAnalysis, ExportAnswer, ExportBytes, ExportCase, ExportFile,
    ExportRule, ExportSelection, ExportSource, HeapFileBuild, HeapFileSource, add, export, is_export, rebuild,
    verify_export, version,
};
pub use heapsmith_core::family::case::{
    Ambiguity, Case, CaseOrigin, CaseTag, CaseVerdict, LargeCase, ReadingChoice, RightAnswer, TAGS,
};
pub use large::large_cases;
pub use manifest::{
    Manifest, ManifestAnswer, ManifestCase, ManifestFinding, ManifestPart, ManifestRecipe, ManifestRules,
};
#[cfg(feature = "embedding")]
pub(crate) use on_disk::write_listing;
#[doc(hidden)]
pub use on_disk::{CorpusReport, Trouble, bless, judge_case, verify, verify_watched};
pub use pairs::{ConversionPair, conversion_pairs};

/// Parses cases in the form of `specs/cases/` that do not belong to the corpus, from the names and texts of some files,
/// the first of which has the common parts. For tests.
///
/// # Errors
/// If a file is malformed, with its name and the case.
#[doc(hidden)]
pub fn cases_from_text(family: Family, files: &[(&'static str, &'static str)]) -> Result<Vec<Case>, String> {
    let sources: Vec<CaseFile> = files.iter().map(|(path, text)| CaseFile { path, text }).collect();
    heapsmith_core::family::case::read_spelled_cases(family, &sources)
}

/// Every case, by id.
///
/// # Errors
/// If a recipe fails or two cases have one id, which the tests rule out.
pub fn cases() -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for family in Family::ALL {
        Error::check_stop()?;
        cases.extend(family.cases()?);
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    match cases.windows(2).find(|pair| pair[0].id == pair[1].id) {
        Some(pair) => Err(Error::Usage(format!("two cases have the id {}", pair[0].id))),
        None => Ok(cases),
    }
}
