//! Validation: findings, collected as far as the dump can be read.

mod finding;
mod rulebook;
mod runner;

pub use finding::{Finding, FindingCounts, Findings, Severity};
pub(crate) use rulebook::severity;
pub use rulebook::{Rule, RuleKind, Rulebook, Scope, Source, rulebook};
pub use runner::{Report, Sound, ValidateOptions, validate};
