//! The corpus: small dumps with their expected answers, made by recipes and stored as bytes.

mod manifest;
mod shelf;

use crate::error::Error;
use crate::format::Family;

pub use crate::family::case::{Answer, Case, Kind, Verdict};
pub use manifest::{Manifest, ManifestAnswer, ManifestCase, ManifestFinding, ManifestRecipe, ManifestRules};
#[doc(hidden)]
pub use shelf::{Trouble, Verified, bless, verify};

/// Every case, by id.
///
/// # Errors
/// If a recipe fails, which the tests rule out.
pub fn cases() -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for family in Family::ALL {
        cases.extend(family.cases()?);
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}
