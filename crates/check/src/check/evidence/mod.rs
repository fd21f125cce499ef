//! Evidence: the bytes of a dump that state a wrong fact, and the objects around it.

mod bytes;
mod cause_bytes;
mod neighbourhood;
mod suspects;

use crate::check::judge::AnswerJudgement;
use crate::check::report::{Disagreement, Outcome, VERDICT};
use crate::check::task::first_heap;
use crate::corpus::Case;
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::model::Address;

pub use crate::check::report::evidence::{Evidence, EvidenceField, NeighbourEdge, NeighbourNode, Neighbourhood};
pub(super) use cause_bytes::point_at_causes;
pub(super) use suspects::{rules_of_dump, suspects};

/// The evidence for the first wrong fact of an answer with this outcome; `None` where it has no place in the dump.
pub(super) fn evidence(case: &Case, outcome: &Outcome, judged: &AnswerJudgement) -> Result<Option<Evidence>, Error> {
    evidence_of(case, outcome, judged.differing().first().and_then(|first| first.facet), judged.offset())
}

fn evidence_of(
    case: &Case,
    outcome: &Outcome,
    facet: Option<Facet>,
    offset: Option<u64>,
) -> Result<Option<Evidence>, Error> {
    let found = locate(case, outcome, facet, offset);
    // A dump that cannot be read to its end, which a case may allow to be read, has no fields to show.
    let is_undecodable = matches!(&found, Err(Error::Decode(e)) if !e.is_machine_fault());
    let mut evidence = if is_undecodable { None } else { found? };
    if let Some(neighbourhood) = neighbourhood_of(case, outcome) {
        evidence.get_or_insert_default().neighbourhood = Some(neighbourhood);
    }
    Ok(evidence)
}

/// The neighbourhood of the object of which a fact is wrong.
fn neighbourhood_of(case: &Case, outcome: &Outcome) -> Option<Neighbourhood> {
    let Outcome::Fail { address: Some(address), .. } = outcome else { return None };
    neighbourhood::neighbourhood_at(first_heap(case)?, parse_address(address)?)
}

/// The evidence for a disagreement.
pub(super) fn disagreement_evidence(
    case: &Case,
    Disagreement { fact, address, count, sides, .. }: &Disagreement,
    facet: Option<Facet>,
) -> Result<Option<Evidence>, Error> {
    let [one, other] = [0, 1].map(|side| sides.get(side).map(|side| side.says.clone()).unwrap_or_default());
    let outcome = match (case.breaks, fact == VERDICT) {
        // Who is right is left open: these are the bytes for which there is a reason to refuse.
        (Some(_), true) => Outcome::WrongVerdict { expected: "refuse".to_owned(), found: other },
        _ => {
            let (fact, address) = (fact.clone(), address.clone());
            Outcome::Fail { fact, address, expected: one, found: other, count: *count }
        }
    };
    evidence_of(case, &outcome, facet, None)
}

/// The bytes that an outcome is about.
fn locate(
    case: &Case,
    outcome: &Outcome,
    facet: Option<Facet>,
    offset: Option<u64>,
) -> Result<Option<Evidence>, Error> {
    Ok(match (outcome, facet) {
        (Outcome::Fail { address, expected, found, .. }, Some(facet)) => {
            bytes::evidence_for_fact(case, facet, address.as_deref().and_then(parse_address), (expected, found))?
        }
        // What an analyser says of an entry: no bytes say it, and the record shows what the entry is.
        (Outcome::Fail { address: Some(address), .. }, None) => {
            let found = bytes::evidence_for_fact(case, Facet::Address, parse_address(address), ("", ""))?;
            found.map(|found| Evidence { rule: None, ..found })
        }
        (Outcome::WrongVerdict { expected, .. }, _) if expected == "refuse" => match case.breaks {
            Some((rule, offset)) => Some(bytes::evidence_around(case, offset, Some(rule))?),
            None => None,
        },
        // A valid dump that is refused: the bytes that the refusal names, or else what is odd in it. That is no proof.
        (Outcome::WrongVerdict { .. }, _) => match offset.or(case.breaks.map(|(_, offset)| offset)) {
            Some(offset) => Some(bytes::evidence_around(case, offset, None)?),
            None => None,
        },
        _ => None,
    })
}

fn parse_address(address: &str) -> Option<Address> {
    u64::from_str_radix(address.strip_prefix("0x")?, 16).ok().map(Address)
}
