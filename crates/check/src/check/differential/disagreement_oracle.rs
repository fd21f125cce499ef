//! Whether implementations disagree about another dump as they did about one.

use std::collections::BTreeSet;

use crate::check::cause_reduction::{CasePredicate, RetryProcess, SymptomOracle};
use crate::check::differential::{DifferentialRound, compare_replies, limit_subjects};
use crate::check::experiment::{Observation, ProbeOracle};
use crate::check::report::symptom::symptoms_of;
use crate::check::report::{CaseResult, Cause};
use crate::check::run::Peer;
use crate::check::sources::case_from_bytes;
use crate::check::task::{CaseSource, Task, TaskOperation};
use crate::corpus::Case;
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;

/// A disagreement that is looked for in the replies of the same implementations about other dumps.
pub(in crate::check) struct DisagreementOracle<'p> {
    parties: &'p [Peer<'p>],
    left_out: &'p BTreeSet<Facet>,
    operation: TaskOperation,
    sought: BTreeSet<String>,
}

impl<'p> DisagreementOracle<'p> {
    /// The part of a cause that a result shows; `None` if it shows nothing of it.
    pub(in crate::check) fn from_cause(
        parties: &'p [Peer<'p>],
        left_out: &'p BTreeSet<Facet>,
        operation: TaskOperation,
        result: &CaseResult,
        cause: &Cause,
    ) -> Option<DisagreementOracle<'p>> {
        let of_cause: BTreeSet<String> = cause.symptoms.iter().map(|symptom| symptom.what.clone()).collect();
        let sought: BTreeSet<String> = symptoms_of(result).intersection(&of_cause).cloned().collect();
        (!sought.is_empty()).then_some(DisagreementOracle { parties, left_out, operation, sought })
    }

    /// An oracle that looks for nothing: experiments look at what is seen of each dump.
    pub(in crate::check) fn for_probes(
        parties: &'p [Peer<'p>],
        left_out: &'p BTreeSet<Facet>,
        operation: TaskOperation,
    ) -> DisagreementOracle<'p> {
        DisagreementOracle { parties, left_out, operation, sought: BTreeSet::new() }
    }

    /// Asks each in a process of its own. `None` if the run is to stop.
    fn compare(&self, case: Case) -> Result<Option<CaseResult>, Error> {
        let source = CaseSource::Corpus(Box::new(case));
        let task = Task { id: "dump".to_owned(), source, operation: self.operation.clone(), renames: false };
        let subjects = limit_subjects(self.parties, &task)?;
        let mut round = DifferentialRound::new(self.parties, &subjects);
        let Some(mut heard) = round.ask(&task, 0)? else { return Ok(None) };
        round.finish_alone(&mut heard);
        let answered = compare_replies(self.parties, self.left_out, heard)?;
        Ok(Some(CaseResult::new(&task.id, answered.outcome).disagreements(answered.others)))
    }

    fn shows_disagreement(&self, case: Case) -> Result<bool, Error> {
        Ok(self.compare(case)?.is_some_and(|result| !symptoms_of(&result).is_disjoint(&self.sought)))
    }
}

impl ProbeOracle for DisagreementOracle<'_> {
    fn observe(&self, dump: &[u8]) -> Result<Observation, Error> {
        let found = match case_from_bytes("dump", dump.to_vec()) {
            Ok(case) => self.compare(case),
            Err(error) => Err(error),
        };
        match found {
            Ok(found) => Ok(found.map_or(Observation::Unknown, |result| Observation::from_result(&result))),
            Err(Error::Decode(_) | Error::Usage(_)) => Ok(Observation::Unknown),
            Err(error) => Err(error),
        }
    }

    fn is_of_agreement(&self) -> bool {
        true
    }
}

impl SymptomOracle for DisagreementOracle<'_> {
    fn symptoms(&self) -> Vec<String> {
        self.sought.iter().cloned().collect()
    }

    fn predicate(&self, _: RetryProcess) -> Box<CasePredicate<'_>> {
        Box::new(|case| self.shows_disagreement(case))
    }

    fn shows_alone(&self, case: Case) -> Result<bool, Error> {
        self.shows_disagreement(case)
    }
}
