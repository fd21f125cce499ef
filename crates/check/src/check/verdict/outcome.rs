//! Outcomes of cases.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
        /// Whether it counts neither as asked nor as skipped: the implementation declares no such dump, or no one answer is right.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        exempt: bool,
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

    /// A skip that counts: the question was left out, or the implementation does not answer it.
    pub fn skip(reason: impl Into<String>, link: Option<String>) -> Outcome {
        Outcome::Skip { reason: reason.into(), link, exempt: false }
    }

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
