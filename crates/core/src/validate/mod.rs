//! Validation: findings, collected as far as the dump can be read.

mod runner;

pub use crate::findings::{
    CaseRole, Citation, DumpPosition, Erratum, Exemption, Finding, FindingCounts, Findings, Rule, RuleKind, RuleScope,
    RuleSource, Rulebook, Section, Severity, SoundCounts, Statement,
};
#[cfg(feature = "corpus")]
#[doc(hidden)]
pub use crate::format::severity;
pub use crate::format::{rule, rulebook, sources};
pub use runner::{Tolerated, ValidateOptions, ValidationReport, unsound, validate, validate_source};
