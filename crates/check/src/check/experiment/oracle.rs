//! Questions about dumps that are made for it, and their answers.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use crate::check::effort::Effort;
use crate::check::report::CaseResult;
use crate::check::report::symptom::{symptom_of, symptoms_of};
use crate::check::sources::case_from_bytes;
use crate::corpus::Case;
use heapsmith_core::error::Error;

/// An answer to a dump, as far as experiments look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) enum Observation {
    /// It is right.
    Right,
    /// It is wrong.
    Wrong {
        /// What can be seen of it, the one that is shown first in front.
        symptoms: Vec<String>,
        /// What is wrong, in a few lines.
        detail: String,
    },
    /// Nothing is known: the dump was not asked about.
    Unknown,
}

impl Observation {
    pub(in crate::check) fn from_result(result: &CaseResult) -> Observation {
        match result.outcome() {
            outcome if outcome.is_pass() => Observation::Right,
            outcome if outcome.is_failure() => {
                Observation::Wrong { symptoms: ordered_symptoms(result), detail: outcome.detail() }
            }
            _ => Observation::Unknown,
        }
    }

    pub(super) fn shows(&self, symptoms: &BTreeSet<String>) -> bool {
        matches!(self, Observation::Wrong { symptoms: seen, .. } if seen.iter().any(|one| symptoms.contains(one)))
    }
}

/// A program that answers.
pub(in crate::check) trait ProbeOracle: Sync {
    /// Asks about a dump whose right answer is heapsmith's own.
    ///
    /// # Errors
    /// If the program cannot be started, or the dump cannot be written.
    fn observe(&self, dump: &[u8]) -> Result<Observation, Error>;

    /// Asks about a case with its right answers, in a process that has not seen another dump.
    ///
    /// # Errors
    /// Like [`ProbeOracle::observe`].
    fn observe_alone(&self, case: Case) -> Result<Observation, Error> {
        self.observe(&case.bytes)
    }

    /// Whether dumps are right about which several programs agree.
    fn is_of_agreement(&self) -> bool {
        false
    }
}

/// The symptoms of a failure, the one that is shown first in front.
pub(super) fn ordered_symptoms(result: &CaseResult) -> Vec<String> {
    let first = symptom_of(result);
    let mut all: Vec<String> = first.into_iter().collect();
    all.extend(symptoms_of(result).into_iter().filter(|other| !all.contains(other)).collect::<Vec<_>>());
    all
}

/// The number of questions that may be asked, and the time for them.
pub(in crate::check) struct ExperimentBudget<'b> {
    effort: &'b Effort<'b>,
    /// The number of dumps that may still be asked about.
    left: u64,
    asked: u64,
    /// The listener, which is called with the number of dumps asked about.
    heard: &'b (dyn Fn(u64) + Sync),
}

impl<'b> ExperimentBudget<'b> {
    pub(in crate::check) fn new(
        effort: &'b Effort<'b>,
        trials: u64,
        heard: &'b (dyn Fn(u64) + Sync),
    ) -> ExperimentBudget<'b> {
        ExperimentBudget { effort, left: trials, asked: 0, heard }
    }

    /// The number of dumps asked about.
    pub(in crate::check) fn asked(&self) -> u64 {
        self.asked
    }

    pub(in crate::check) fn is_over(&self) -> bool {
        self.left == 0 || self.effort.is_over()
    }
}

/// Questions within a budget. A dump is asked about once.
pub(super) struct Questions<'q, 'b> {
    oracle: &'q dyn ProbeOracle,
    budget: &'q mut ExperimentBudget<'b>,
    pub(super) answers: KnownAnswers,
    /// Whether each dump has a process of its own, since what was asked before makes a difference.
    is_alone: bool,
}

/// Answers by the digests of the dumps.
pub(super) type KnownAnswers = HashMap<[u8; 32], Observation>;

impl<'q, 'b> Questions<'q, 'b> {
    pub(super) fn new(
        oracle: &'q dyn ProbeOracle,
        budget: &'q mut ExperimentBudget<'b>,
        answers: KnownAnswers,
    ) -> Questions<'q, 'b> {
        Questions { oracle, budget, answers, is_alone: false }
    }

    pub(super) fn is_of_agreement(&self) -> bool {
        self.oracle.is_of_agreement()
    }

    /// The number of dumps asked about.
    pub(super) fn asked(&self) -> u64 {
        self.budget.asked()
    }

    pub(super) fn is_over(&self) -> bool {
        self.budget.is_over()
    }

    pub(super) fn ask(&mut self, dump: &[u8]) -> Result<Observation, Error> {
        let sum: [u8; 32] = Sha256::digest(dump).into();
        if let Some(known) = self.answers.get(&sum) {
            return Ok(known.clone());
        }
        let Some(()) = self.count() else { return Ok(Observation::Unknown) };
        let seen = match self.is_alone.then(|| case_from_bytes("dump", dump.to_vec())) {
            None => self.oracle.observe(dump)?,
            Some(Ok(case)) => self.oracle.observe_alone(case)?,
            Some(Err(Error::Decode(_) | Error::Usage(_))) => Observation::Unknown,
            Some(Err(error)) => return Err(error),
        };
        if seen != Observation::Unknown || !self.is_over() {
            self.answers.insert(sum, seen.clone());
        }
        Ok(seen)
    }

    /// Asks about a case once more, in a process of its own.
    pub(super) fn ask_anew(&mut self, case: &Case) -> Result<Observation, Error> {
        match self.count() {
            Some(()) => self.oracle.observe_alone(case.clone()),
            None => Ok(Observation::Unknown),
        }
    }

    /// From now on asks about each dump in a process of its own: what a process was asked before makes a difference.
    pub(super) fn ask_alone(&mut self) {
        if !self.is_alone {
            self.is_alone = true;
            self.answers.clear();
        }
    }

    /// Counts a question; `None` if the budget is spent.
    fn count(&mut self) -> Option<()> {
        if self.is_over() {
            return None;
        }
        self.budget.left -= 1;
        self.budget.asked += 1;
        (self.budget.heard)(self.budget.asked);
        Some(())
    }
}
