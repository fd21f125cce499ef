//! The differences of two answers, and what they were compared on.

use std::collections::BTreeSet;

use crate::check::declarations::IDENTIFIES;
use crate::check::differential::peer_reply::PeerAnswer;
use crate::check::protocol::Hello;
use heapsmith_core::compare::Facet;
use heapsmith_core::model::Address;

/// An answer, with the declaration of its implementation.
#[derive(Clone, Copy)]
pub(super) struct Responder<'v> {
    pub(super) hello: Option<&'v Hello>,
    pub(super) answer: &'v PeerAnswer,
}

/// The comparison of two answers.
#[derive(Debug, Default)]
pub(super) struct ResponderPair {
    /// The things compared: names of facets, counts and parts.
    pub(super) compared: BTreeSet<String>,
    pub(super) differences: Vec<PairDifference>,
    /// Whether entries have one address in both.
    pub(super) by_address: bool,
    /// Whether facets were compared, and not numbers or what analysers say.
    pub(super) by_facets: bool,
}

/// A fact in which two answers differ.
#[derive(Clone, Debug)]
pub(super) struct PairDifference {
    /// The compared thing that the fact belongs to.
    pub(super) of: String,
    /// The fact itself.
    pub(super) fact: String,
    pub(super) facet: Option<Facet>,
    /// The number of entries.
    pub(super) count: u64,
    /// The first addresses of these entries; none for a fact of the whole heap.
    pub(super) at: Vec<Address>,
    /// The values of both for the first entry.
    pub(super) says: [String; 2],
}

impl PairDifference {
    /// Whether it is of this fact.
    pub(super) fn is_about(&self, of: &str, fact: &str) -> bool {
        self.of == of && self.fact == fact
    }
}

impl Responder<'_> {
    /// Whether entries are known by the addresses of the dump.
    pub(super) fn is_by_address(&self) -> bool {
        self.hello.is_none_or(|hello| !hello.declares.has(IDENTIFIES, "opaque"))
    }

    /// The facets of a listing or digest that are to be reported.
    pub(super) fn reported_facets(&self) -> BTreeSet<Facet> {
        let all = Facet::ALL.into_iter();
        let declared = all.filter(|facet| self.hello.is_none_or(|hello| hello.facets.contains(facet)));
        match self.answer {
            PeerAnswer::Listing(_, omitted) => declared.filter(|facet| !omitted.contains(facet)).collect(),
            _ => declared.collect(),
        }
    }
}
