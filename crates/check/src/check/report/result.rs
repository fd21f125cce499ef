//! Results of cases.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::report::evidence::Evidence;
use crate::check::verdict::{CaseJudgement, Disagreement, Outcome, PassingReadings, Verdict};
use heapsmith_core::setters::setters;

/// The outcome of one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseResult {
    /// Case id.
    pub id: String,
    /// Verdict.
    outcome: Outcome,
    /// What came out first, in a process that had served other cases, where the case was repeated alone and that is
    /// something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Outcome>,
    /// The other facts of the answer that are wrong: first those that follow from nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherFact>,
    /// What implementations that are compared disagree about besides what the outcome names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
    /// The offset that a refusal names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_at: Option<u64>,
    /// The rules on which the bytes rely that were read wrongly, as far as these are known: one of them is not followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// Where the answer is right under some readings and not under others: each entry is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    readings: Vec<PassingReadings>,
    /// Why it is expected to fail, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expectation>,
    /// Where in the dump the wrong fact stands, and what is around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The command that runs this case again; absent for cases that passed or were skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
}

/// A rule that may not be followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Suspect {
    /// The rule.
    pub rule: String,
    /// Offset of the bytes that rely on it, in the decompressed dump: of several those that are nearest to what is wrong.
    pub offset: u64,
    /// How many bytes these are.
    pub length: u64,
}

/// A fact that is wrong besides the one that the outcome names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherFact {
    /// What is wrong: a facet or a count.
    pub fact: String,
    /// Where, if it is a fact of a class or object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What is right.
    pub expected: String,
    /// What the program says.
    pub found: String,
    /// In how many classes or objects this fact is wrong.
    pub count: u64,
    /// The fact that it follows from: a missing class, a list that is read otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
}

/// Why a case is expected to fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// The reason, as in the file of expected failures.
    pub reason: String,
    /// An issue, or a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

setters! {
    impl CaseResult {
        option first: Outcome;
        set others: Vec<OtherFact>;
        set disagreements: Vec<Disagreement>;
        option refused_at: u64;
        set suspects: Vec<Suspect>;
        option expected: Expectation;
        option evidence: Evidence;
        option repeat: String;
    }
}

impl CaseResult {
    /// The result of a case that stands alone: its outcome is its verdict, whatever other cases come to.
    pub fn new(id: impl Into<String>, outcome: Outcome) -> CaseResult {
        CaseResult::from_verdict(id, Verdict::from_lone_case(outcome))
    }

    /// The result of a case with its verdict alone.
    pub(in crate::check) fn from_verdict(id: impl Into<String>, verdict: Verdict) -> CaseResult {
        let (outcome, first, readings) = verdict.into_parts();
        CaseResult {
            id: id.into(),
            outcome,
            first,
            others: Vec::new(),
            disagreements: Vec::new(),
            refused_at: None,
            suspects: Vec::new(),
            readings,
            expected: None,
            evidence: None,
            repeat: None,
        }
    }

    /// The judgement from which the verdict was decided, to decide again over more cases.
    pub(in crate::check) fn judgement(&self) -> CaseJudgement {
        CaseJudgement::from_record(&self.outcome, self.first.as_ref(), &self.readings)
    }

    /// The result of the same case among more cases. What was said of a failure to follow the others' reading goes with it.
    pub(in crate::check) fn among_more_cases(self, verdict: Verdict) -> CaseResult {
        let is_kept = *self.judgement().outcome() == self.outcome;
        let CaseResult { evidence, repeat, .. } = self;
        let (outcome, first, readings) = verdict.into_parts();
        CaseResult {
            outcome,
            first,
            readings,
            evidence: evidence.filter(|_| is_kept),
            repeat: repeat.filter(|_| is_kept),
            ..self
        }
    }

    /// The verdict. It is final: nothing outside of this type can write it.
    ///
    /// ```compile_fail,E0616
    /// use heapsmith::check::{CaseResult, Outcome};
    ///
    /// let mut result = CaseResult::new("a", Outcome::Crash { how: "SIGSEGV".to_owned() });
    /// result.outcome = Outcome::Pass { reading: None };
    /// ```
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Readings under which the answer is right, where it is not right under others: each entry is enough.
    pub(in crate::check) fn readings(&self) -> &[PassingReadings] {
        &self.readings
    }

    /// The first fact about which compared implementations disagree.
    pub(in crate::check) fn first_disagreement(&self) -> Option<&Disagreement> {
        match &self.outcome {
            Outcome::Disagree(first) => Some(first),
            _ => None,
        }
    }

    /// Whether it can be said which bytes were read wrongly: a refusal has to name them.
    pub(in crate::check) fn has_place(&self) -> bool {
        match &self.outcome {
            Outcome::WrongVerdict { expected, .. } => expected == "refuse" || self.refused_at.is_some(),
            outcome => matches!(outcome, Outcome::Fail { .. }),
        }
    }

    /// Whether this result fails the run: a failure that is not expected, or a pass where a failure is.
    pub fn is_unexpected(&self) -> bool {
        match self.expected {
            Some(_) => self.outcome.is_pass(),
            None => self.outcome.is_failure(),
        }
    }
}

/// The name of the fact about accepting and refusing.
pub(in crate::check) const VERDICT: &str = "verdict";

/// The value in place of a fact that an answer lacks, although it is to report it.
pub(in crate::check) const NOTHING: &str = "nothing";

/// The remark about a number that was read as signed although it is unsigned, or the other way round.
pub(in crate::check) const MISREAD_SIGN: &str = "as if its sign was misread";

/// Names in words: `A`, `A and B`, `A, B and C`.
pub(in crate::check) fn list_in_words(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}
