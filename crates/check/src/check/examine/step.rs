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
    pub steps: Vec<ExaminationStep>,
}

/// Something that the protocol asks for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Step")]
pub struct ExaminationStep {
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

    pub(super) fn add_step(&mut self, what: impl Into<String>, found: StepFinding) {
        let StepFinding { problem, fault } = found;
        let problem = problem.map(|problem| cut(&problem, 2 * LONG));
        self.steps.push(ExaminationStep { what: what.into(), problem, fault, note: None });
    }

    /// Adds a suggestion to the last step.
    pub(super) fn set_note(&mut self, note: Option<String>) {
        if let (Some(step), Some(note)) = (self.steps.last_mut(), note) {
            step.note = Some(cut(&note, 2 * LONG));
        }
    }
}

/// The finding of a step.
pub(super) struct StepFinding {
    problem: Option<String>,
    fault: Option<Fault>,
}

impl StepFinding {
    pub(super) fn without_problem() -> StepFinding {
        StepFinding { problem: None, fault: None }
    }

    /// The adapter's mistake, if there is one.
    pub(super) fn adapter_fault(found: Result<(), String>) -> StepFinding {
        let problem = found.err();
        StepFinding { fault: problem.as_ref().map(|_| Fault::Adapter), problem }
    }

    /// The parser's mistake.
    pub(super) fn parser_fault(problem: String) -> StepFinding {
        StepFinding { problem: Some(problem), fault: Some(Fault::Parser) }
    }

    /// A step that could not be tested, with the reason.
    pub(super) fn not_tested(why: &str) -> StepFinding {
        StepFinding { problem: Some(format!("not tested: {why}")), fault: None }
    }

    /// The failure as the adapter's, where no parser is concerned.
    pub(super) fn blame_adapter(self) -> StepFinding {
        StepFinding { fault: self.fault.map(|_| Fault::Adapter), ..self }
    }

    /// Without what the parser does wrong, where only the adapter is looked at.
    pub(super) fn without_parser_fault(self) -> StepFinding {
        match self.fault {
            Some(Fault::Parser) => StepFinding::without_problem(),
            _ => self,
        }
    }

    /// Names the case on which the parser, converter or writer failed.
    pub(super) fn on_case(self, what: &str, case: &str) -> StepFinding {
        match (self.fault, self.problem) {
            (Some(Fault::Parser), Some(how)) => {
                StepFinding::parser_fault(format!("your {what} failed on {case}: {how}"))
            }
            (fault, problem) => StepFinding { problem, fault },
        }
    }
}
