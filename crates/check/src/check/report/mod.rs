//! The report of a run: one tree of facts, from which every form is written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use heapsmith_core::compare::Facet;

mod cost;
mod diff;
pub mod evidence;
mod group;
pub mod html;
pub mod junit;
pub mod markdown;
mod pair;
mod place;
mod reduced;
mod result;
pub mod sarif;
pub(super) mod symptom;
mod template;

use crate::check::declarations::ambiguities;

pub use crate::check::verdict::{Disagreement, DisagreementSide, FollowedReading, Outcome, PassingReadings};

pub use cost::{RemnantFacts, RunCosts};
pub use diff::{ChangedCause, ReportDiff, TestedDiff, diff};
pub use group::{OverallResult, ShownResult};
pub use pair::{CausePair, PairedDump};
pub(super) use reduced::DUMPS;
pub use reduced::ReducedDump;
pub use result::{CaseResult, Expectation, OtherFact, Suspect};
pub(super) use result::{MISREAD_SIGN, NOTHING, VERDICT, list_in_words};

/// Version of the report's schema.
pub const SCHEMA: u32 = 16;

/// The begin of the reason for which cases are skipped after too many equal ends.
pub(super) const STOPPED: &str = "stopped: the first ";

/// The outcome of a run over many cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Report")]
pub struct CheckReport {
    /// Version of this report's schema.
    pub schema: u32,
    /// Version of heapsmith.
    pub heapsmith: String,
    /// Which cases were chosen.
    pub chosen: ChosenCases,
    /// The cases, by id.
    pub cases: Vec<CaseFacts>,
    /// The implementations, in the order in which they were named.
    pub implementations: Vec<TestedImplementation>,
    /// Why cases are missing, if the run was ended before its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<InterruptedRun>,
    /// What two runs need not have in common: times and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunCosts>,
}

/// A run that was ended before its time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Incomplete")]
pub struct InterruptedRun {
    /// The signal that ended it, such as SIGINT.
    pub signal: String,
    /// Number of cases that were judged, over all implementations.
    pub judged: u64,
    /// Number of cases that would have been.
    pub planned: u64,
}

/// How cases were chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Chosen")]
pub struct ChosenCases {
    /// Number of random dumps besides the corpus.
    pub random: u64,
    /// Their seed.
    pub seed: u64,
    /// Number of dumps of one's own in place of the corpus.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dumps: u64,
    /// The batches of a campaign in place of the corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<CampaignChosen>,
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

/// What a campaign asked about. Of its cases a report has the smallest of those that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CampaignChosen {
    /// The batches that were run, as ranges.
    pub batches: String,
    /// Number of their cases.
    pub cases: u64,
    /// Number of their failures that are not expected.
    pub unexpected: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What is known of a case beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseFacts {
    /// Case id; where a dump is converted or written, with a colon and what was to be done after it.
    pub id: String,
    /// What it is about, in a line.
    pub summary: String,
    /// Dump format.
    pub format: String,
    /// `valid`, `invalid` or `ambiguous`; `unknown` where heapsmith cannot tell the format of a dump.
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
#[schemars(rename = "Tested")]
pub struct TestedImplementation {
    /// What it is called in tables: its name and version, or its command; unique in a report.
    pub label: String,
    /// `adapter`, `decoder`, `converter` or `encoder`; or `among` for several that were compared with each other.
    pub kind: String,
    /// The command that was run, as given; of several, the options that name them.
    pub command: String,
    /// The implementations that were compared with each other, where no answer counts as right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Compared>,
    /// What it said of itself, if it is an adapter that does not fail to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// Facets that were not judged in some case, since the implementation does not report them; or on which no two of several
    /// were compared.
    pub omitted: Vec<Facet>,
    /// Which of several right readings it follows, as far as that was declared or is to be seen in its answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<FollowedReading>,
    /// Number of cases by verdict; every verdict is there that there can be.
    pub tally: BTreeMap<String, u64>,
    /// Cases that failed as expected, and cases that passed although they were expected to fail.
    pub expectations: Expectations,
    /// What the failures that are not expected have in common: wrong facts first, then crashes and refusals, then dumps that are
    /// accepted although they are broken. Each failure has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// The number of failures that experiments did not look into, since the dumps or the time for them ran out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unexplored: u64,
    /// The cases, by id.
    pub results: Vec<CaseResult>,
}

/// An implementation that was compared with others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// What it is called: its name and version, or its command.
    pub label: String,
    /// `adapter` or `decoder`.
    pub kind: String,
    /// The command that was run, as given.
    pub command: String,
    /// What it said of itself, if it is an adapter that does not fail to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// What became of its cases: `accepted`, `refused`, `crash`, `hang`, `out-of-memory`, `unreadable` (an answer that cannot be
    /// read), `adapter-error`, `skipped`.
    pub said: BTreeMap<String, u64>,
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
    /// The case with the smallest dump that shows it; where a cause before it has the same, the next one, if there is one.
    pub example: String,
    /// The command that runs this case again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<String>,
    /// A smaller dump that shows it, where one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<ReducedDump>,
    /// Two dumps with one difference that show it, where experiments found them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<CausePair>,
    /// Other rules that may be the one which is not followed, the likeliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_rules: Vec<String>,
    /// Whether experiments found it. Another one is listed by what is seen of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explained: bool,
    /// How many of its cases fail the run.
    pub unexpected: u64,
    /// How many cases show it, where the report has only some of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failures: Option<u64>,
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

impl TestedImplementation {
    /// The readings other than the default, each with its evidence.
    pub fn other_readings(&self) -> Vec<String> {
        let defaults: BTreeMap<&str, &str> =
            ambiguities().iter().map(|ambiguity| (ambiguity.name, ambiguity.choices[0].name)).collect();
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

    /// The reason for which the run of an implementation that read no sound dump was stopped, if it was.
    pub fn stop_reason(&self) -> Option<&str> {
        self.results.iter().find_map(|result| match result.outcome() {
            Outcome::Skip { reason, .. } if reason.starts_with(STOPPED) => Some(&**reason),
            _ => None,
        })
    }

    /// The verdicts that are possible.
    pub fn verdicts(&self) -> &'static [&'static str] {
        if self.compared.is_empty() { &Outcome::NAMES } else { &Outcome::AMONG }
    }

    /// Counts verdicts and expectations anew.
    pub fn count(&mut self) {
        self.tally = self.verdicts().iter().map(|name| ((*name).to_owned(), 0)).collect();
        self.expectations = Expectations::default();
        for result in &self.results {
            *self.tally.entry(result.outcome().name().to_owned()).or_default() += 1;
            if result.expected.is_some() {
                self.expectations.failed += u64::from(result.outcome().is_failure());
                self.expectations.passed += u64::from(result.outcome().is_pass());
            }
        }
    }
}

impl CheckReport {
    /// The rules that each case keeps, breaks or shows.
    pub(super) fn rules_of_cases(&self) -> BTreeMap<&str, &[String]> {
        self.cases.iter().map(|case| (case.id.as_str(), case.rules.as_slice())).collect()
    }

    /// Checks the paths of reduced dumps: a report from a file may name any.
    ///
    /// # Errors
    /// The first that does not.
    #[doc(hidden)]
    pub fn check_dump_paths(&self) -> Result<(), String> {
        let causes = self.implementations.iter().flat_map(|tested| &tested.causes);
        for cause in causes {
            if let Some(file) = cause.pair.as_ref().and_then(CausePair::stray_file) {
                let file: String = file.chars().take(200).collect();
                return Err(format!(
                    "a dump of the pair of the cause {:?} is {file:?}, and not a file below dumps/",
                    cause.id
                ));
            }
            if let Some(dump) = cause.reduced.as_ref().filter(|dump| !dump.is_beside()) {
                let file: String = dump.file.chars().take(200).collect();
                return Err(format!(
                    "the reduced dump of the cause {:?} is {file:?}, and not a file below dumps/",
                    cause.id
                ));
            }
        }
        Ok(())
    }

    /// Whether nothing is unexpected, and nothing is missing.
    pub fn is_clean(&self) -> bool {
        self.incomplete.is_none()
            && self.implementations.iter().all(|tested| tested.results.iter().all(|result| !result.is_unexpected()))
    }
}
