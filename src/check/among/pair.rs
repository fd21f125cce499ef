//! Comparison of two answers to one question, on the facts that both report.

use std::collections::BTreeSet;

use crate::compare::Facet;
use crate::error::Error;
use crate::format::Format;
use crate::model::Address;

use super::super::judge::{CONVENTIONS, IDENTIFIES, READINGS, ambiguities};
use super::super::protocol::Hello;
use super::said::Answer;
use super::{listings, numbers};

/// An answer, with the declaration of its implementation.
#[derive(Clone, Copy)]
pub(super) struct Voice<'v> {
    pub(super) hello: Option<&'v Hello>,
    pub(super) answer: &'v Answer,
}

/// The comparison of two answers.
#[derive(Debug, Default)]
pub(super) struct Pair {
    /// The things compared: names of facets, counts and parts.
    pub(super) compared: BTreeSet<String>,
    pub(super) differences: Vec<Difference>,
    /// Whether entries have one address in both.
    pub(super) by_address: bool,
    /// Whether facets were compared, and not numbers or what analysers say.
    pub(super) by_facets: bool,
}

/// A fact in which two answers differ.
#[derive(Clone, Debug)]
pub(super) struct Difference {
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

impl Difference {
    /// Whether it is of this fact.
    pub(super) fn is(&self, of: &str, fact: &str) -> bool {
        self.of == of && self.fact == fact
    }
}

/// The value in place of a fact that an answer lacks, although it is to report it.
pub(in crate::check) const NOTHING: &str = "nothing";

impl Voice<'_> {
    /// Whether entries are known by the addresses of the dump.
    pub(super) fn is_by_address(&self) -> bool {
        self.hello.is_none_or(|hello| !hello.declares.has(IDENTIFIES, "opaque"))
    }

    /// The facets of a listing or digest that are to be reported.
    pub(super) fn facets(&self) -> BTreeSet<Facet> {
        let all = Facet::ALL.into_iter();
        let declared = all.filter(|facet| self.hello.is_none_or(|hello| hello.facets.contains(facet)));
        match self.answer {
            Answer::Listing(_, omitted) => declared.filter(|facet| !omitted.contains(facet)).collect(),
            _ => declared.collect(),
        }
    }
}

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
