//! The ids of the rules that this code checks or stops at. Their statements and sources are in
//! `specs/phd.toml`; a test holds the two lists, and the corpus, together.

mod graph;
mod judge;
mod pass;
mod rule_dependencies;

pub use super::book::*;
pub use graph::GraphIndex;
pub(super) use judge::DumpJudge;
pub use pass::PassRules;
pub(super) use rule_dependencies::reliances;

use crate::error::RuleId;
use crate::findings::Severity;

fn severity(rule: RuleId) -> Severity {
    BOOK.severity(rule)
}
