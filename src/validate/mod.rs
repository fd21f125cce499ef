//! Validation: findings, collected as far as the dump can be read.

mod runner;

pub use crate::findings::{
    Citation, Erratum, Exemption, Finding, FindingCounts, Findings, Place, Role, Rule, RuleKind, Rulebook, Scope,
    Section, Severity, Sound, Source, Statement,
};
#[cfg(feature = "corpus")]
pub(crate) use crate::format::severity;
pub use crate::format::{rule, rulebook, sources};
pub use runner::{Report, Tolerated, ValidateOptions, unsound, validate, validate_source};
