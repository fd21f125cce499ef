//! The ids of the rules that this code checks or stops at. Their statements and sources are in
//! `specs/hprof.toml`; a test holds the two lists, and the corpus, together.

mod graph;
mod heap;
mod judge;
mod pass;
mod rule_dependencies;
mod tables;

pub use super::book::*;
pub use graph::GraphIndex;
pub(super) use judge::DumpJudge;
pub use pass::PassRules;
pub(super) use rule_dependencies::reliances;

use crate::error::RuleId;
use crate::findings::{Findings, Severity};

use super::decode::RecordSlice;
use super::wire::IdSize;

fn severity(rule: RuleId) -> Severity {
    BOOK.severity(rule)
}

/// The place of a record or sub-record, once its bytes are gone.
#[derive(Clone, Copy, Debug)]
struct FindingPlace {
    offset: u64,
    index: u64,
}

impl FindingPlace {
    fn from_slice(at: &RecordSlice<'_>) -> FindingPlace {
        FindingPlace { offset: at.offset, index: at.index }
    }

    #[cold]
    fn report(self, findings: &mut Findings, rule: RuleId, describe: impl FnOnce() -> (String, String)) {
        findings.add(rule, severity, self.offset, Some(self.index), describe);
    }
}

/// Calls `visit` with every identifier in a piece of an object array.
#[inline]
fn each_id(elements: &[u8], id: IdSize, mut visit: impl FnMut(u64)) {
    match id {
        IdSize::One => elements.iter().for_each(|&b| visit(u64::from(b))),
        IdSize::Two => elements.as_chunks().0.iter().for_each(|b| visit(u64::from(u16::from_be_bytes(*b)))),
        IdSize::Four => elements.as_chunks().0.iter().for_each(|b| visit(u64::from(u32::from_be_bytes(*b)))),
        IdSize::Eight => elements.as_chunks().0.iter().for_each(|b| visit(u64::from_be_bytes(*b))),
    }
}
