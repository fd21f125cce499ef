//! The rules of the text. What each says is in `specs/classic.toml`; a test holds the two lists together.

mod graph;
mod judge;
mod name;
mod pass;
mod rule_dependencies;
mod trailers;

pub use super::book::*;
pub use graph::GraphIndex;
pub(super) use judge::DumpJudge;
pub use pass::PassRules;
pub(super) use rule_dependencies::reliances;

use crate::error::{RuleId, TextPosition};
use crate::findings::{DumpPosition, Findings, Severity};

use super::decode::RecordSlice;

fn severity(rule: RuleId) -> Severity {
    BOOK.severity(rule)
}

fn add(findings: &mut Findings, rule: RuleId, place: DumpPosition, describe: impl FnOnce() -> (String, String)) {
    findings.add_at(rule, severity, place, describe);
}

/// The place at which a record begins.
fn record_place(at: &RecordSlice<'_>) -> DumpPosition {
    DumpPosition { offset: at.offset, record: Some(at.index), position: Some(at.position) }
}

/// The place of a byte of a record.
#[cold]
fn byte_place(at: &RecordSlice<'_>, byte: usize, ebcdic: bool) -> DumpPosition {
    let before = &at.bytes[..byte];
    let ends_line = |b: &u8| *b == b'\n' || *b == 0x85 && ebcdic;
    let lines = before.iter().filter(|b| ends_line(b)).count() as u64;
    let column = match before.iter().rposition(ends_line) {
        Some(last) => (byte - last) as u64,
        None => at.position.column + byte as u64,
    };
    let position = TextPosition { line: at.position.line + lines, column };
    DumpPosition { offset: at.offset + byte as u64, record: Some(at.index), position: Some(position) }
}
