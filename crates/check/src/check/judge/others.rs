//! The wrong facts of an answer besides the first one.

use crate::check::judge::{AnswerJudgement, WrongFact};
use crate::check::report::OtherFact;

/// The most wrong facts in a result besides the first one.
const OTHERS: usize = 32;

/// The wrong facts besides the first one.
pub(in crate::check) fn other_facts(judged: &AnswerJudgement) -> Vec<OtherFact> {
    judged.differing.iter().skip(1).take(OTHERS).map(OtherFact::from).collect()
}

impl From<&WrongFact> for OtherFact {
    fn from(differing: &WrongFact) -> OtherFact {
        let WrongFact { fact, address, expected, found, count, follows, .. } = differing.clone();
        OtherFact { fact, address, expected, found, count, follows }
    }
}
