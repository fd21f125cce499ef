//! The rules that need the whole graph.

use crate::validate::Findings;

use super::super::decode::Step;

/// An index of a dump's addresses, filled by a first pass and asked by a second one.
#[derive(Debug, Default)]
pub struct GraphIndex {}

impl GraphIndex {
    /// First pass: takes a record in.
    pub fn enter(&mut self, _step: Step<'_>) {}

    /// Between the passes.
    pub fn seal(&mut self) {}

    /// Second pass: judges a record.
    pub fn judge(&mut self, _step: Step<'_>, _findings: &mut Findings) {}
}
