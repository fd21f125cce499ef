//! Findings of rules about a dump, and what a rule book is made of. Each format has its own book (its `rules`).

mod cycles;
mod dangling;
mod finding;
mod rulebook;
mod section;

pub(crate) use cycles::classes_on_cycles;
pub(crate) use dangling::FollowedReferences;
pub use finding::{DumpPosition, Finding, FindingCounts, Findings, Severity, SoundCounts};
pub(crate) use rulebook::severities;
pub use rulebook::{Citation, Erratum, Rule, RuleKind, RuleScope, RuleSource, Rulebook};
pub use section::{CaseRole, Exemption, Section, Statement};
