//! Findings of rules about a dump, and what a rule book is made of. Each format has its own book (its `rules`).

mod cycles;
mod dangling;
mod finding;
mod rulebook;
mod section;

pub(crate) use cycles::on_cycles;
pub(crate) use dangling::FollowedReferences;
pub use finding::{Finding, FindingCounts, Findings, Place, Severity, Sound};
pub(crate) use rulebook::severities;
pub use rulebook::{Citation, Erratum, Rule, RuleKind, Rulebook, Scope, Source};
pub use section::{Exemption, Role, Section, Statement};
