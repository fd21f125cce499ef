//! Whether implementations disagree about another dump as they did about one.

use std::collections::BTreeSet;

use crate::check::among::{Round, compared, limited};
use crate::check::report::symptom::symptoms_of;
use crate::check::report::{CaseResult, Cause};
use crate::check::run::Party;
use crate::check::smallest::{Question, Second, Seen};
use crate::check::task::{Operation, Source, Task};
use crate::compare::Facet;
use crate::corpus::Case;
use crate::error::Error;

/// A disagreement that is looked for in the replies of the same implementations about other dumps.
pub(in crate::check) struct Again<'p> {
    parties: &'p [Party<'p>],
    left_out: &'p BTreeSet<Facet>,
    operation: Operation,
    sought: BTreeSet<String>,
}

impl<'p> Again<'p> {
    /// The part of a cause that a result shows; `None` if it shows nothing of it.
    pub(in crate::check) fn known(
        parties: &'p [Party<'p>],
        left_out: &'p BTreeSet<Facet>,
        operation: Operation,
        result: &CaseResult,
        cause: &Cause,
    ) -> Option<Again<'p>> {
        let of_cause: BTreeSet<String> = cause.symptoms.iter().map(|symptom| symptom.what.clone()).collect();
        let sought: BTreeSet<String> = symptoms_of(result).intersection(&of_cause).cloned().collect();
        (!sought.is_empty()).then_some(Again { parties, left_out, operation, sought })
    }

    /// Asks each in a process of its own.
    fn shows(&self, case: Case) -> Result<bool, Error> {
        let source = Source::Corpus(Box::new(case));
        let task = Task { id: "dump".to_owned(), source, operation: self.operation.clone(), renames: false };
        let subjects = limited(self.parties, &task)?;
        let mut round = Round::new(self.parties, &subjects);
        let Some(mut heard) = round.ask(&task, 0)? else { return Ok(false) };
        round.finish_alone(&mut heard);
        let answered = compared(self.parties, self.left_out, heard)?;
        let result = CaseResult { disagreements: answered.others, ..CaseResult::new(&task.id, answered.outcome) };
        Ok(!symptoms_of(&result).is_disjoint(&self.sought))
    }
}

impl Question for Again<'_> {
    fn symptoms(&self) -> Vec<String> {
        self.sought.iter().cloned().collect()
    }

    fn seen(&self, _: Second) -> Box<Seen<'_>> {
        Box::new(|case| self.shows(case))
    }

    fn is_seen_alone(&self, case: Case) -> Result<bool, Error> {
        self.shows(case)
    }
}
