//! Questions about dumps that are made for it, and their answers.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use crate::check::effort::Effort;
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
}

/// Questions within a budget. A dump is asked about once.
pub(super) struct Questions<'q> {
    oracle: &'q dyn ProbeOracle,
    effort: &'q Effort<'q>,
    answers: HashMap<[u8; 32], Observation>,
    /// The number of dumps that may still be asked about.
    left: u64,
}

impl<'q> Questions<'q> {
    pub(super) fn new(oracle: &'q dyn ProbeOracle, effort: &'q Effort<'q>, trials: u64) -> Questions<'q> {
        Questions { oracle, effort, answers: HashMap::new(), left: trials }
    }

    pub(super) fn is_over(&self) -> bool {
        self.left == 0 || self.effort.is_over()
    }

    pub(super) fn ask(&mut self, dump: &[u8]) -> Result<Observation, Error> {
        let sum: [u8; 32] = Sha256::digest(dump).into();
        if let Some(known) = self.answers.get(&sum) {
            return Ok(known.clone());
        }
        if self.is_over() {
            return Ok(Observation::Unknown);
        }
        self.left -= 1;
        let seen = self.oracle.observe(dump)?;
        self.answers.insert(sum, seen.clone());
        Ok(seen)
    }
}
