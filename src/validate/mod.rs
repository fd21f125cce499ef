//! Validation: findings, collected as far as the dump can be read.

mod runner;

pub use crate::findings::{
    Citation, Erratum, Finding, FindingCounts, Findings, Place, Rule, RuleKind, Rulebook, Scope, Severity, Sound,
    Source,
};
#[cfg(feature = "corpus")]
pub(crate) use crate::format::severity;
pub use crate::format::{rule, rulebook, sources};
pub use runner::{Report, Tolerated, ValidateOptions, unsound, validate};
