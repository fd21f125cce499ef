//! Evidence: the bytes of a dump that state a wrong fact, and the objects around it.

mod bytes;
mod neighbourhood;
mod pointed;
mod relied;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::compare::Facet;
use crate::corpus::Case;
use crate::error::Error;
use crate::model::Address;

use super::among::VERDICT;
use super::judge::Judgement;
use super::report::{Disagreement, Outcome};
use super::task::first_heap;

pub(super) use pointed::point_at_causes;
pub(super) use relied::{Suspects, of_dump, suspects};

/// Where in the dump a wrong fact stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Offset of the first byte that says it, in the decompressed dump.
    pub offset: u64,
    /// How many bytes say it.
    pub length: u64,
    /// Index of the record, if it stands in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// The rule that says how these bytes are to be understood, or that the dump breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The fields of the record, or those around the place.
    pub fields: Vec<Field>,
    /// The object, and what it refers to and is referred to by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbourhood: Option<Neighbourhood>,
}

/// A field of the dump.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// Offset of its first byte.
    pub offset: u64,
    /// Its bytes in hexadecimal; of long ones the first few, and an ellipsis.
    pub bytes: String,
    /// Field name.
    pub name: String,
    /// What it means here.
    pub meaning: String,
    /// Whether it is (a part of) what was read wrongly.
    pub wrong: bool,
}

/// An object and its neighbours, as they are in the right heap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbourhood {
    /// The object, then its class, then others, by address.
    pub nodes: Vec<Node>,
    /// References among these.
    pub edges: Vec<Edge>,
    /// How many neighbours more it has.
    pub more: u64,
}

/// A class or object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Address.
    pub address: String,
    /// What it is: `class A`, `int[2]`.
    pub label: String,
}

/// A reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// Address of the one that refers.
    pub from: String,
    /// Address of the other.
    pub to: String,
    /// What for: `class`, the name of a field, the index of an element, `superclass`.
    pub label: String,
}

/// The evidence for an answer's first wrong fact; `None` where it has no place in the dump.
pub(super) fn evidence(case: &Case, judged: &Judgement) -> Result<Option<Evidence>, Error> {
    evidence_of(case, judged, judged.differing.first().and_then(|first| first.facet))
}

fn evidence_of(case: &Case, judged: &Judgement, facet: Option<Facet>) -> Result<Option<Evidence>, Error> {
    let outcome = &judged.outcome;
    let found = place(case, outcome, facet, judged.offset);
    // A dump that cannot be read to its end, which a case may allow to be read, has no fields to show.
    let is_undecodable = matches!(&found, Err(Error::Decode(e)) if !e.is_the_machines());
    let mut evidence = if is_undecodable { None } else { found? };
    if let Some(neighbourhood) = neighbourhood_of(case, outcome) {
        evidence.get_or_insert_default().neighbourhood = Some(neighbourhood);
    }
    Ok(evidence)
}

/// The neighbourhood of the object of which a fact is wrong.
fn neighbourhood_of(case: &Case, outcome: &Outcome) -> Option<Neighbourhood> {
    let Outcome::Fail { address: Some(address), .. } = outcome else { return None };
    neighbourhood::of(first_heap(case)?, parse(address)?)
}

/// The evidence for a disagreement.
pub(super) fn of_disagreement(
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
    let judged = Judgement { outcome, differing: Vec::new(), offset: None, omitted: Vec::new(), follows: Vec::new() };
    evidence_of(case, &judged, facet)
}

/// The bytes that an outcome is about.
fn place(case: &Case, outcome: &Outcome, facet: Option<Facet>, offset: Option<u64>) -> Result<Option<Evidence>, Error> {
    Ok(match (outcome, facet) {
        (Outcome::Fail { address, expected, found, .. }, Some(facet)) => {
            bytes::of_fact(case, facet, address.as_deref().and_then(parse), (expected, found))?
        }
        // What an analyser says of an entry: no bytes say it, and the record shows what the entry is.
        (Outcome::Fail { address: Some(address), .. }, None) => {
            let found = bytes::of_fact(case, Facet::Address, parse(address), ("", ""))?;
            found.map(|found| Evidence { rule: None, ..found })
        }
        (Outcome::WrongVerdict { expected, .. }, _) if expected == "refuse" => match case.breaks {
            Some((rule, offset)) => Some(bytes::around(case, offset, Some(rule))?),
            None => None,
        },
        // A valid dump that is refused: the bytes that the refusal names, or else what is odd in it. That is no proof.
        (Outcome::WrongVerdict { .. }, _) => match offset.or(case.breaks.map(|(_, offset)| offset)) {
            Some(offset) => Some(bytes::around(case, offset, None)?),
            None => None,
        },
        _ => None,
    })
}

fn parse(address: &str) -> Option<Address> {
    u64::from_str_radix(address.strip_prefix("0x")?, 16).ok().map(Address)
}
