//! Validation: findings, collected as far as the dump can be read.

mod cycles;
mod finding;
mod rulebook;
mod runner;

pub(crate) use cycles::on_cycles;
pub use finding::{Finding, FindingCounts, Findings, Place, Severity};
pub(crate) use rulebook::severity;
pub use rulebook::{Rule, RuleKind, Rulebook, Scope, Source, rule, rulebook};
pub use runner::{Report, Sound, ValidateOptions, unsound, validate};
