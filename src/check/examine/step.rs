//! Steps of an examination, and their findings.

use schemars::JsonSchema;
use serde::Serialize;

use crate::check::subject::{LONG, cut};

/// What was found out about an adapter.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Examination {
    /// Version of this report's schema.
    pub schema: u32,
    /// What was looked at, in order.
    pub steps: Vec<Step>,
}

/// Something that the protocol asks for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Step {
    /// What it asks for.
    pub what: String,
    /// What is wrong; absent if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Whose fault that is; absent if nothing is wrong, or if the step could not be looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// What could be better, although nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Where something has to be fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The adapter does not keep the protocol.
    Adapter,
    /// The parser, converter or writer fails on a dump.
    Parser,
}

impl Examination {
    /// Whether nothing is wrong.
    pub fn is_fine(&self) -> bool {
        self.steps.iter().all(|step| step.problem.is_none())
    }

    pub(super) fn put(&mut self, what: impl Into<String>, found: Found) {
        let Found { problem, fault } = found;
        let problem = problem.map(|problem| cut(&problem, 2 * LONG));
        self.steps.push(Step { what: what.into(), problem, fault, note: None });
    }

    /// Adds a suggestion to the last step.
    pub(super) fn note(&mut self, note: Option<String>) {
        if let (Some(step), Some(note)) = (self.steps.last_mut(), note) {
            step.note = Some(cut(&note, 2 * LONG));
        }
    }
}

/// The finding of a step.
pub(super) struct Found {
    problem: Option<String>,
    fault: Option<Fault>,
}

impl Found {
    pub(super) fn fine() -> Found {
        Found { problem: None, fault: None }
    }

    /// The adapter's mistake, if there is one.
    pub(super) fn of_adapter(found: Result<(), String>) -> Found {
        let problem = found.err();
        Found { fault: problem.as_ref().map(|_| Fault::Adapter), problem }
    }

    /// The parser's mistake.
    pub(super) fn of_parser(problem: String) -> Found {
        Found { problem: Some(problem), fault: Some(Fault::Parser) }
    }

    /// A step that could not be tested, with the reason.
    pub(super) fn not_looked_at(why: &str) -> Found {
        Found { problem: Some(format!("not tested: {why}")), fault: None }
    }

    /// The failure as the adapter's, where no parser is concerned.
    pub(super) fn in_adapter(self) -> Found {
        Found { fault: self.fault.map(|_| Fault::Adapter), ..self }
    }

    /// Names the case on which the parser, converter or writer failed.
    pub(super) fn on(self, what: &str, case: &str) -> Found {
        match (self.fault, self.problem) {
            (Some(Fault::Parser), Some(how)) => Found::of_parser(format!("your {what} failed on {case}: {how}")),
            (fault, problem) => Found { problem, fault },
        }
    }
}
