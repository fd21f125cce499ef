//! Results of cases.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::report::PassingReadings;
use crate::check::report::evidence::Evidence;

/// The outcome of one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseResult {
    /// Case id.
    pub id: String,
    /// Verdict.
    pub outcome: Outcome,
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
    /// The rules on which other bytes of the dump rely, which were read rightly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub followed: Vec<String>,
    /// Where the answer is right under some readings and not under others: each entry is enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<PassingReadings>,
    /// Whether the classes and objects in which the fact of the outcome is wrong have no other wrong fact, but for those that only
    /// follow from one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
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

/// A fact about which implementations disagree. Who is right is left open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disagreement {
    /// What they disagree about: a facet, a count, a part of an analyser's answer, `graph`, or `verdict` for whether the dump
    /// can be read.
    pub fact: String,
    /// Where, if it is a fact of a class or object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// In how many classes or objects these sides disagree about it.
    pub count: u64,
    /// Who says what: those that say the same are one side. Sides stand in the order of the implementations.
    pub sides: Vec<DisagreementSide>,
    /// Implementations that do not report it, or were not asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
}

/// One side of a disagreement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Says")]
pub struct DisagreementSide {
    /// What is said; `nothing` where it is to be reported and is not.
    pub says: String,
    /// By whom: labels of implementations.
    pub by: Vec<String>,
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
    /// Whether the classes and objects in which it is wrong have no other wrong fact, but for those that only follow from one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
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

/// Verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Outcome {
    /// The answer is right.
    Pass {
        /// Which reading it follows, where several are right.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reading: Option<String>,
    },
    /// The answer is right in a process of its own, where the case was asked alone. In company the case crashed, took too
    /// much memory or was an adapter's error: something is kept from one dump to the next.
    PassAlone {
        /// What happened in company.
        how: String,
    },
    /// The dump was read, converted or written wrongly.
    Fail {
        /// What is wrong: a facet, a count, or `answer` where it cannot be read at all.
        fact: String,
        /// Where, if it is a fact of a class or object.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<String>,
        /// What is right.
        expected: String,
        /// What the program says.
        found: String,
        /// In how many classes or objects this fact is wrong.
        count: u64,
    },
    /// A valid dump was refused, or an invalid one accepted.
    WrongVerdict {
        /// What is right: `accept` or `refuse`.
        expected: String,
        /// What the program did, with its message.
        found: String,
    },
    /// Ended before its answer.
    Crash {
        /// How.
        how: String,
    },
    /// No answer within the time limit, or writing without end.
    Hang {
        /// Which.
        how: String,
    },
    /// Of several implementations that are compared, all that were asked say the same.
    Agree {
        /// Who says what.
        how: String,
    },
    /// Of several implementations that are compared, some say something else than others, or one gives no answer.
    Disagree(Disagreement),
    /// More memory than the limit.
    OutOfMemory {
        /// The limit.
        how: String,
    },
    /// Not asked, or not answered with a reason.
    Skip {
        /// The reason.
        reason: String,
        /// An issue.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        link: Option<String>,
    },
    /// The adapter itself went wrong.
    AdapterError {
        /// How.
        how: String,
    },
}

impl Outcome {
    /// The names of all verdicts on implementations that are compared with each other.
    pub const AMONG: [&str; 3] = ["agree", "disagree", "skip"];
    /// The names of all verdicts on an implementation, in the order of tables.
    pub const NAMES: [&'static str; 9] =
        ["pass", "pass-alone", "fail", "wrong-verdict", "crash", "hang", "out-of-memory", "skip", "adapter-error"];

    /// The verdict's name.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Pass { .. } => "pass",
            Outcome::PassAlone { .. } => "pass-alone",
            Outcome::Fail { .. } => "fail",
            Outcome::Agree { .. } => "agree",
            Outcome::Disagree(_) => "disagree",
            Outcome::WrongVerdict { .. } => "wrong-verdict",
            Outcome::Crash { .. } => "crash",
            Outcome::Hang { .. } => "hang",
            Outcome::OutOfMemory { .. } => "out-of-memory",
            Outcome::Skip { .. } => "skip",
            Outcome::AdapterError { .. } => "adapter-error",
        }
    }

    /// Whether the case is passed.
    pub fn is_pass(&self) -> bool {
        matches!(self, Outcome::Pass { .. } | Outcome::Agree { .. })
    }

    /// Whether the case counts against the implementation or its adapter.
    pub fn is_failure(&self) -> bool {
        !self.is_pass() && !matches!(self, Outcome::Skip { .. })
    }

    /// The failure in one or a few lines.
    pub fn detail(&self) -> String {
        match self {
            Outcome::Pass { reading } => reading.clone().unwrap_or_default(),
            Outcome::Fail { fact, address, expected, found, count } => {
                let at = address.as_deref().map(|address| format!(" at {address}")).unwrap_or_default();
                let more = if *count > 1 { format!(" ({count} times)") } else { String::new() };
                // A line of a text from elsewhere does not begin like one of ours.
                let [fact, at, expected, found] = [fact, &at, expected, found].map(|text| text.replace('\n', "\n    "));
                format!("{fact}{at}{more}\n  expected: {expected}\n  found:    {found}")
            }
            Outcome::WrongVerdict { expected, found } => format!("expected to {expected}; {found}"),
            Outcome::Skip { reason, .. } => reason.clone(),
            Outcome::Agree { how } => how.clone(),
            Outcome::Disagree(about) => about.to_string(),
            Outcome::PassAlone { how } => format!("right only when asked alone; before, {how}"),
            Outcome::Crash { how }
            | Outcome::Hang { how }
            | Outcome::OutOfMemory { how }
            | Outcome::AdapterError { how } => how.clone(),
        }
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place())?;
        for DisagreementSide { says, by } in &self.sides {
            // A line of a message from elsewhere does not begin like one of ours.
            write!(f, "\n  {}: {}", by.join(", "), says.replace('\n', "\n    "))?;
        }
        if !self.silent.is_empty() {
            write!(f, "\n  not asked, or does not report it: {}", self.silent.join(", "))?;
        }
        Ok(())
    }
}

impl Disagreement {
    /// The fact with its address and the number of places.
    pub fn place(&self) -> String {
        let at = self.address.as_deref().map(|address| format!(" at {address}")).unwrap_or_default();
        let more = if self.count > 1 { format!(" ({} times)", self.count) } else { String::new() };
        format!("{}{at}{more}", self.fact)
    }

    /// The implementations of each side: `A, B | C`.
    pub fn parts(&self) -> String {
        self.sides.iter().map(|side| side.by.join(", ")).collect::<Vec<_>>().join(" | ")
    }
}

impl CaseResult {
    /// A case with its outcome alone.
    pub fn new(id: impl Into<String>, outcome: Outcome) -> CaseResult {
        CaseResult {
            id: id.into(),
            outcome,
            first: None,
            others: Vec::new(),
            disagreements: Vec::new(),
            refused_at: None,
            suspects: Vec::new(),
            followed: Vec::new(),
            readings: Vec::new(),
            apart: false,
            expected: None,
            evidence: None,
            repeat: None,
        }
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
