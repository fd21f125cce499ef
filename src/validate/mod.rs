//! Validation: findings, collected as far as the dump can be read.

mod books;
mod runner;

pub use crate::findings::{
    Finding, FindingCounts, Findings, Place, Rule, RuleKind, Rulebook, Scope, Severity, Sound, Source,
};
pub(crate) use books::severity;
pub use books::{rule, rulebook};
pub use runner::{Report, ValidateOptions, unsound, validate};
