//! Comparison of two answers to one question, on the facts that both report.

use std::collections::BTreeSet;

use crate::check::among::difference::{Difference, Pair, Voice};
use crate::check::among::said::Answer;
use crate::check::among::{listings, numbers};
use crate::check::declarations::{CONVENTIONS, READINGS, ambiguities};
use crate::check::protocol::Hello;
use crate::compare::Facet;
use crate::error::Error;
use crate::format::Format;
use crate::model::Address;

impl Pair {
    /// Compares two answers.
    ///
    /// # Errors
    /// What temporary files run into.
    pub(super) fn of(format: Format, [one, other]: [Voice<'_>; 2], left_out: &BTreeSet<Facet>) -> Result<Pair, Error> {
        let not_compared = left_out.iter().copied().chain(read_otherwise(format, [one, other])).collect();
        match (one.answer, other.answer) {
            (Answer::Listing(..), Answer::Listing(..)) => Ok(listings::compare([one, other], &not_compared)),
            (Answer::Listing(..) | Answer::Digest(_), Answer::Listing(..) | Answer::Digest(_)) => {
                numbers::digests([one, other], &not_compared)
            }
            (Answer::Listing(..) | Answer::Counts(_), Answer::Listing(..) | Answer::Counts(_)) => {
                numbers::counts([one, other])
            }
            (Answer::Entries(a), Answer::Entries(b)) if !has_other_conventions([one, other]) => {
                Ok(numbers::entries([one, other], [a, b]))
            }
            _ => Ok(Pair { by_address: true, ..Pair::default() }),
        }
    }

    /// The values of both for a fact at an address.
    pub(super) fn at(
        voices: [Voice<'_>; 2],
        difference: &Difference,
        left_out: &BTreeSet<Facet>,
        address: Address,
    ) -> [String; 2] {
        let first = || difference.says.clone();
        if difference.at.first() == Some(&address) {
            return first();
        }
        match voices.map(|voice| voice.answer) {
            [Answer::Listing(..), Answer::Listing(..)] => {
                listings::at(voices, difference.facet, left_out, address).unwrap_or_else(first)
            }
            [Answer::Entries(a), Answer::Entries(b)] => numbers::entry([a, b], &difference.of, address),
            _ => first(),
        }
    }
}

/// The facets of readings in which two declarations differ; an undeclared reading is the default.
fn read_otherwise(format: Format, voices: [Voice<'_>; 2]) -> BTreeSet<Facet> {
    let declared = voices.map(|voice| voice.hello.map(Hello::declared_readings).unwrap_or_default());
    let listed = ambiguities(format).into_iter().filter(|ambiguity| !READINGS.contains(&ambiguity.name));
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
fn has_other_conventions(voices: [Voice<'_>; 2]) -> bool {
    let declared = voices.map(|voice| voice.hello.map(Hello::declared_readings).unwrap_or_default());
    CONVENTIONS.iter().any(|convention| {
        let [one, other] = declared.each_ref().map(|declared| {
            declared.get(convention.name).and_then(|choice| convention.choice(choice)).unwrap_or_default()
        });
        one != other
    })
}
