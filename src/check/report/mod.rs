//! What a run says: one tree of facts, from which every form of the report is written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::Facet;

mod cost;
mod diff;
mod folder;
mod group;
pub mod html;
pub mod junit;
pub mod markdown;
mod merge;
pub mod sarif;

use super::causes::causes;
use super::evidence::Evidence;
use super::judge::all_ambiguities;

pub use cost::Run;
pub use diff::{ChangedCause, ReportDiff, TestedDiff, diff};
pub use folder::ReportFolder;
pub use group::Overall;
pub use merge::merge;

/// Version of the report's schema.
pub const SCHEMA: u32 = 6;

/// The outcome of a run over many cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Version of this report's schema.
    pub schema: u32,
    /// Version of heapsmith.
    pub heapsmith: String,
    /// Which cases were chosen.
    pub chosen: Chosen,
    /// The cases, by id.
    pub cases: Vec<CaseFacts>,
    /// The implementations, in the order in which they were named.
    pub implementations: Vec<Tested>,
    /// Why cases are missing, if the run was ended before its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
    /// What two runs need not have in common: times and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// A run that was ended before its time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incomplete {
    /// The signal that ended it, such as SIGINT.
    pub signal: String,
    /// Number of cases that were judged, over all implementations.
    pub judged: u64,
    /// Number of cases that would have been.
    pub planned: u64,
}

/// How cases were chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Chosen {
    /// Number of random dumps besides the corpus.
    pub random: u64,
    /// Their seed.
    pub seed: u64,
    /// Only dumps of this format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Only cases that one of these takes, as `--filter` has them; absent for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<String>,
    /// Facets that were not judged, as was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Facet>,
    /// After this number of unexpected failures of an implementation its other cases were skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_failures: Option<u64>,
    /// The part of the batches that was run, `K/N`; absent for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
}

/// What is known of a case beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseFacts {
    /// Case id; where a dump is converted or written, with a colon and what was to be done behind it.
    pub id: String,
    /// What it is about, in a line.
    pub summary: String,
    /// Dump format.
    pub format: String,
    /// `valid`, `invalid` or `ambiguous`.
    pub verdict: String,
    /// How the dump is made.
    pub recipe: String,
    /// Length of the dump in bytes.
    pub size: u64,
    /// The rules that it keeps, breaks or shows.
    pub rules: Vec<String>,
    /// The rules on which bytes of it rely: a reader that follows others takes something else from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relies: Vec<String>,
}

/// An implementation, and how it did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tested {
    /// What it is called in tables: its name and version, or its command; unique in a report.
    pub label: String,
    /// `adapter`, `decoder`, `converter` or `encoder`.
    pub kind: String,
    /// The command that was run, as given.
    pub command: String,
    /// What it said of itself, if it is an adapter that does not fail to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// Facets that were not judged in some case, since the implementation does not report them.
    pub omitted: Vec<Facet>,
    /// Which of several right readings it follows, as far as that was declared or is to be seen in its answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Held>,
    /// Number of cases by verdict; every verdict is there.
    pub tally: BTreeMap<String, u64>,
    /// Cases that failed as expected, and cases that passed although they were expected to fail.
    pub expectations: Expectations,
    /// What the failures have in common: those that fail the run first, then those of more cases. Each failure has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// The cases, by id.
    pub results: Vec<CaseResult>,
}

/// What some failures have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// What it is called: the rule, or the first symptom where no rule explains the failures.
    pub id: String,
    /// The rule that is not followed, as far as that can be told from the dumps that fail and those that pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What the implementation does wrong, in a sentence.
    pub sentence: String,
    /// What can be seen of it, the commonest first.
    pub symptoms: Vec<Symptom>,
    /// The case with the smallest dump that shows it.
    pub example: String,
    /// The command that runs this case again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
    /// How many of its cases fail the run.
    pub unexpected: u64,
    /// Its cases, by id.
    pub cases: Vec<String>,
}

/// What can be seen of a cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Symptom {
    /// A fact and how it is wrong, a message without numbers and names, or a place in the program.
    pub what: String,
    /// In how many cases.
    pub cases: u64,
}

/// A reading that an implementation follows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    /// What is left open by the bytes: a name of specs/adapter.md.
    pub reading: String,
    /// The choice.
    pub choice: String,
    /// Whether it was declared; or else it was found out.
    pub declared: bool,
    /// In how many cases it was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<u64>,
}

/// Readings under which an answer is right: what is left open, and the choices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Follows(pub BTreeMap<String, Vec<String>>);

/// What an adapter declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Declared {
    /// Name of the implementation.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The language it is written in.
    pub language: String,
    /// The formats that it reads.
    pub reads: Vec<String>,
    /// The level of its answers that was asked for; `dump` where it converts or writes.
    pub level: String,
    /// The facets, or counts, that it reports at this level.
    pub reports: Vec<String>,
    /// How it identifies objects: `address` or `opaque`.
    pub identifies: String,
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// What it declares by names that nothing is known by: that was ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// How expected failures turned out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expectations {
    /// Cases that failed, as expected.
    pub failed: u64,
    /// Cases that passed, although they were expected to fail.
    pub passed: u64,
}

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
    pub readings: Vec<Follows>,
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
    /// The names of all verdicts, in the order of tables.
    pub const NAMES: [&'static str; 9] =
        ["pass", "pass-alone", "fail", "wrong-verdict", "crash", "hang", "out-of-memory", "skip", "adapter-error"];

    /// The verdict's name.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Pass { .. } => "pass",
            Outcome::PassAlone { .. } => "pass-alone",
            Outcome::Fail { .. } => "fail",
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
        matches!(self, Outcome::Pass { .. })
    }

    /// Whether the case counts against the implementation or its adapter.
    pub fn is_failure(&self) -> bool {
        !matches!(self, Outcome::Pass { .. } | Outcome::Skip { .. })
    }

    /// What happened, in a line or a few.
    pub fn detail(&self) -> String {
        match self {
            Outcome::Pass { reading } => reading.clone().unwrap_or_default(),
            Outcome::Fail { fact, address, expected, found, count } => {
                let at = address.as_deref().map(|address| format!(" at {address}")).unwrap_or_default();
                let more = if *count > 1 { format!(" ({count} times)") } else { String::new() };
                format!("{fact}{at}{more}\n  expected: {expected}\n  found:    {found}")
            }
            Outcome::WrongVerdict { expected, found } => format!("expected to {expected}; {found}"),
            Outcome::Skip { reason, .. } => reason.clone(),
            Outcome::PassAlone { how } => format!("right only when asked alone; before, {how}"),
            Outcome::Crash { how }
            | Outcome::Hang { how }
            | Outcome::OutOfMemory { how }
            | Outcome::AdapterError { how } => how.clone(),
        }
    }
}

impl CaseResult {
    /// A case with its outcome, of which nothing else is known.
    pub fn new(id: impl Into<String>, outcome: Outcome) -> CaseResult {
        CaseResult {
            id: id.into(),
            outcome,
            first: None,
            others: Vec::new(),
            refused_at: None,
            suspects: Vec::new(),
            followed: Vec::new(),
            readings: Vec::new(),
            expected: None,
            evidence: None,
            repeat: None,
        }
    }

    /// Whether it can be said which bytes were read wrongly: a refusal has to name them.
    pub(in crate::check) fn has_place(&self) -> bool {
        match &self.outcome {
            Outcome::WrongVerdict { expected, .. } => expected == "refuse" || self.refused_at.is_some(),
            outcome => matches!(outcome, Outcome::Fail { .. }),
        }
    }

    /// Whether this result fails the run: a failure that nobody expects, or a pass that nobody does.
    pub fn is_unexpected(&self) -> bool {
        match self.expected {
            Some(_) => self.outcome.is_pass(),
            None => self.outcome.is_failure(),
        }
    }
}

impl Tested {
    /// The readings that it follows and that are not the default, each with where that is known from.
    pub fn other_readings(&self) -> Vec<String> {
        let defaults: BTreeMap<&str, &str> =
            all_ambiguities().iter().map(|ambiguity| (ambiguity.name, ambiguity.choices[0].name)).collect();
        let others = self.readings.iter().filter(|held| defaults.get(&*held.reading) != Some(&&*held.choice));
        let told = others.map(|held| {
            let cases = held.cases.unwrap_or_default();
            let known = match (held.declared, cases) {
                (true, _) => "declared".to_owned(),
                (false, 1) => "in 1 case".to_owned(),
                (false, cases) => format!("in {cases} cases"),
            };
            format!("{}={} ({known})", held.reading, held.choice)
        });
        told.collect()
    }

    /// Counts verdicts and expectations anew.
    pub fn count(&mut self) {
        self.tally = Outcome::NAMES.iter().map(|name| ((*name).to_owned(), 0)).collect();
        self.expectations = Expectations::default();
        for result in &self.results {
            *self.tally.entry(result.outcome.name().to_owned()).or_default() += 1;
            if result.expected.is_some() {
                self.expectations.failed += u64::from(result.outcome.is_failure());
                self.expectations.passed += u64::from(result.outcome.is_pass());
            }
        }
    }
}

impl Report {
    /// The rules that each case keeps, breaks or shows.
    pub(super) fn rules_of_cases(&self) -> BTreeMap<&str, &[String]> {
        self.cases.iter().map(|case| (case.id.as_str(), case.rules.as_slice())).collect()
    }

    /// Finds out anew what the failures have in common.
    pub(super) fn explain(&mut self) {
        let cases = self.cases.iter().map(|case| (case.id.as_str(), case)).collect();
        let found: Vec<Vec<Cause>> = self.implementations.iter().map(|tested| causes(tested, &cases)).collect();
        for (tested, causes) in self.implementations.iter_mut().zip(found) {
            tested.causes = causes;
        }
    }

    /// Whether nothing is unexpected, and nothing is missing.
    pub fn is_clean(&self) -> bool {
        self.incomplete.is_none()
            && self.implementations.iter().all(|tested| tested.results.iter().all(|result| !result.is_unexpected()))
    }
}
