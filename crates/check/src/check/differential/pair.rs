//! Comparison of two answers to one question, on the facts that both report.

use std::collections::BTreeSet;

use crate::check::declarations::{CONVENTIONS, READINGS, format_ambiguities};
use crate::check::differential::difference::{PairDifference, Responder, ResponderPair};
use crate::check::differential::peer_reply::PeerAnswer;
use crate::check::differential::{listings, numbers};
use crate::check::protocol::Hello;
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::format::Format;
use heapsmith_core::model::Address;

impl ResponderPair {
    /// Compares two answers.
    ///
    /// # Errors
    /// What temporary files run into.
    pub(super) fn compare(
        format: Format,
        [one, other]: [Responder<'_>; 2],
        left_out: &BTreeSet<Facet>,
    ) -> Result<ResponderPair, Error> {
        let not_compared = left_out.iter().copied().chain(facets_read_differently(format, [one, other])).collect();
        match (one.answer, other.answer) {
            (PeerAnswer::Listing(..), PeerAnswer::Listing(..)) => {
                Ok(listings::compare_listings([one, other], &not_compared))
            }
            (PeerAnswer::Listing(..) | PeerAnswer::Digest(_), PeerAnswer::Listing(..) | PeerAnswer::Digest(_)) => {
                numbers::compare_digests([one, other], &not_compared)
            }
            (PeerAnswer::Listing(..) | PeerAnswer::Counts(_), PeerAnswer::Listing(..) | PeerAnswer::Counts(_)) => {
                numbers::compare_counts([one, other])
            }
            (PeerAnswer::Entries(a), PeerAnswer::Entries(b)) if !has_other_conventions([one, other]) => {
                Ok(numbers::compare_entries([one, other], [a, b]))
            }
            _ => Ok(ResponderPair { by_address: true, ..ResponderPair::default() }),
        }
    }

    /// The values of both for a fact at an address.
    pub(super) fn values_at(
        voices: [Responder<'_>; 2],
        difference: &PairDifference,
        left_out: &BTreeSet<Facet>,
        address: Address,
    ) -> [String; 2] {
        let first = || difference.says.clone();
        if difference.at.first() == Some(&address) {
            return first();
        }
        match voices.map(|voice| voice.answer) {
            [PeerAnswer::Listing(..), PeerAnswer::Listing(..)] => {
                listings::values_at(voices, difference.facet, left_out, address).unwrap_or_else(first)
            }
            [PeerAnswer::Entries(a), PeerAnswer::Entries(b)] => numbers::describe_part([a, b], &difference.of, address),
            _ => first(),
        }
    }
}

/// The facets of readings in which two declarations differ; an undeclared reading is the default.
fn facets_read_differently(format: Format, voices: [Responder<'_>; 2]) -> BTreeSet<Facet> {
    let declared = voices.map(|voice| voice.hello.map(Hello::declared_readings).unwrap_or_default());
    let listed = format_ambiguities(format).into_iter().filter(|ambiguity| !READINGS.contains(&ambiguity.name));
    let differ = listed.filter(|ambiguity| {
        let [one, other] = declared.each_ref().map(|declared| {
            let choice = declared.get(ambiguity.name).and_then(|choice| ambiguity.choice(choice));
            choice.unwrap_or_default()
        });
        one != other
    });
    differ.flat_map(|ambiguity| ambiguity.facets.iter().copied()).collect()
}

/// Whether two analysers declare to count other references.
fn has_other_conventions(voices: [Responder<'_>; 2]) -> bool {
    let declared = voices.map(|voice| voice.hello.map(Hello::declared_readings).unwrap_or_default());
    CONVENTIONS.iter().any(|convention| {
        let [one, other] = declared.each_ref().map(|declared| {
            declared.get(convention.name).and_then(|choice| convention.choice(choice)).unwrap_or_default()
        });
        one != other
    })
}
