//! The corpus: small dumps with their expected answers, made by recipes and stored as bytes.

mod cases;
mod classic_specimen;
mod hprof_specimen;
mod manifest;
mod recipes;
mod shelf;
mod specimen;

pub use cases::{Answer, Case, Kind, Verdict, cases};
pub use manifest::{Manifest, ManifestAnswer, ManifestCase, ManifestFinding, ManifestRecipe, ManifestRules};
#[doc(hidden)]
pub use shelf::{Trouble, Verified, bless, verify};
