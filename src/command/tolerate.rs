//! Dumps that can be read and are not valid: refused, or tolerated and reported.

use crate::error::Error;
use crate::validate::{Tolerated, ValidationReport};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

/// The option that tolerates dumps which are not valid.
#[derive(Args, Clone, Copy)]
pub(crate) struct TolerateOpt {
    /// Accept a dump that can be read to its end but is not valid (as `heapsmith validate` finds); the report lists the
    /// rules that it breaks. Without it, such a dump is refused. Validating takes 2 bytes of memory or
    /// less for each class and object (up to 120 where addresses are far apart).
    #[arg(long)]
    tolerate: bool,
}

impl TolerateOpt {
    /// The rules that are tolerated in a dump, if that was asked for; else its first error is returned.
    pub(crate) fn judge(self, report: &ValidationReport) -> Result<Option<Vec<Tolerated>>, Error> {
        // What cannot be read to its end is not accepted anyway.
        let is_whole = report.findings.iter().all(|finding| !finding.fatal);
        match report.unsound() {
            Some(error) if !self.tolerate && is_whole => Err(Error::Invalid(error)),
            Some(error) if !self.tolerate => Err(error.into()),
            _ => Ok(self.tolerate.then(|| report.tolerated())),
        }
    }

    /// The empty list of tolerated rules, for an input that has no rules to break.
    pub(crate) fn none_tolerated(self) -> Option<Vec<Tolerated>> {
        self.tolerate.then(Vec::new)
    }
}

/// A report, and what was tolerated in its inputs.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}")]
pub(crate) struct ToleratedReport<T> {
    #[serde(flatten)]
    pub(crate) report: T,
    /// With --tolerate: the rules that the inputs break.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tolerated: Option<Vec<Tolerated>>,
}

/// The rules that were tolerated in two inputs.
pub(crate) fn join(left: Option<Vec<Tolerated>>, right: Option<Vec<Tolerated>>) -> Option<Vec<Tolerated>> {
    left.into_iter().chain(right).reduce(|mut left, right| {
        left.extend(right);
        left
    })
}

/// A line for each rule that was tolerated, or one that says that there was none.
pub(crate) fn describe(tolerated: Option<&[Tolerated]>) -> Vec<String> {
    let line = |t: &Tolerated| {
        let times = if t.count == 1 { "once, at".to_owned() } else { format!("{} times, first at", t.count) };
        format!("tolerated: {} [{}] {times} offset {:#x}", t.input, t.rule, t.offset)
    };
    match tolerated {
        None => Vec::new(),
        Some([]) => vec!["tolerated: nothing; the dump is valid".to_owned()],
        Some(all) => all.iter().map(line).collect(),
    }
}
