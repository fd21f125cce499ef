//! The wrong facts of an answer besides the first one.

use crate::check::judge::{Differing, Judgement};
use crate::check::report::OtherFact;

/// The most wrong facts in a result besides the first one.
const OTHERS: usize = 32;

/// The wrong facts besides the first one.
pub(in crate::check) fn others(judged: &Judgement) -> Vec<OtherFact> {
    judged.differing.iter().skip(1).take(OTHERS).map(OtherFact::from).collect()
}

impl From<&Differing> for OtherFact {
    fn from(differing: &Differing) -> OtherFact {
        let Differing { fact, address, expected, found, count, follows, is_apart: apart, .. } = differing.clone();
        OtherFact { fact, address, expected, found, count, apart, follows }
    }
}
