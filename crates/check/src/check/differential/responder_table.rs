//! Sides of a disagreement: the implementations that say the same, for each fact in which some of them differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::differential::difference::{PairDifference, Responder, ResponderPair};
use crate::check::report::{Disagreement, DisagreementSide};
use crate::check::subject::{LONG, cut};
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::format::Format;
use heapsmith_core::model::Address;

/// The most disagreements that are reported of a dump.
const MOST: usize = 33;

/// The number of addresses that are looked at one by one.
const ADDRESSES: usize = 1000;

/// The implementations that answered, and the comparison of each two of them.
pub(super) struct ResponderTable<'t> {
    labels: Vec<&'t str>,
    voices: Vec<Responder<'t>>,
    pairs: BTreeMap<(usize, usize), ResponderPair>,
    left_out: &'t BTreeSet<Facet>,
}

/// The place of a fact: an address, or nowhere in particular.
type FactPlace = Option<Address>;
/// Groups of implementations that say the same, by their places.
type AgreeingParts = Vec<Vec<usize>>;

impl<'t> ResponderTable<'t> {
    /// Compares answers.
    ///
    /// # Errors
    /// What temporary files run into.
    pub(super) fn new(
        format: Format,
        labels: Vec<&'t str>,
        voices: Vec<Responder<'t>>,
        left_out: &'t BTreeSet<Facet>,
    ) -> Result<ResponderTable<'t>, Error> {
        let mut pairs = BTreeMap::new();
        for other in 1..voices.len() {
            for one in 0..other {
                pairs.insert((one, other), ResponderPair::compare(format, [voices[one], voices[other]], left_out)?);
            }
        }
        Ok(ResponderTable { labels, voices, pairs, left_out })
    }

    /// The facets on which no two of them were compared.
    pub(super) fn not_compared(&self) -> Vec<Facet> {
        let by_facets = || self.pairs.values().filter(|pair| pair.by_facets);
        let is_compared = |facet: &Facet| by_facets().any(|pair| pair.compared.contains(&facet.to_string()));
        // Where nothing was compared by facets, none is missing.
        let any = by_facets().next().is_some();
        Facet::ALL.into_iter().filter(|facet| any && !is_compared(facet)).collect()
    }

    /// The disagreements, fact by fact, with the implementations that say the same.
    pub(super) fn disagreements(&self) -> Vec<(Disagreement, Option<Facet>)> {
        let mut facts: Vec<(&str, &str, Option<Facet>)> = Vec::new();
        for difference in self.pairs.values().flat_map(|pair| &pair.differences) {
            let fact = (&*difference.of, &*difference.fact, difference.facet);
            if !facts.contains(&fact) {
                facts.push(fact);
            }
        }
        // Facets have their order wherever they differ first.
        facts.sort_by_key(|(.., facet)| *facet);
        let all = facts.into_iter().flat_map(|(of, fact, facet)| self.disagreements_about(of, fact, facet));
        all.take(MOST).collect()
    }

    fn disagreements_about(&self, of: &str, fact: &str, facet: Option<Facet>) -> Vec<(Disagreement, Option<Facet>)> {
        let mut counted: BTreeMap<AgreeingParts, (FactPlace, u64)> = BTreeMap::new();
        let places = self.places(of, fact);
        for place in &places {
            let parts = self.agreeing_parts(of, fact, *place);
            if parts.len() > 1 {
                counted.entry(parts).or_insert((*place, 0)).1 += 1;
            }
        }
        if let [(_, (_, count))] = &mut counted.iter_mut().collect::<Vec<_>>()[..] {
            // Of many addresses the first are looked at.
            let all = self.differences(of, fact).map(|(_, difference)| difference.count).max();
            *count = all.unwrap_or_default().max(*count);
        }
        let mut all: Vec<(AgreeingParts, (FactPlace, u64))> = counted.into_iter().collect();
        all.sort_by_key(|(_, (place, _))| *place);
        let told = all.into_iter().map(|(parts, (place, count))| {
            let sides = parts.iter().map(|part| DisagreementSide {
                says: self.value_of_part((of, fact), place, part, &parts),
                by: part.iter().map(|&voice| self.labels[voice].to_owned()).collect(),
            });
            let is_silent = |voice: &usize| !parts.iter().flatten().any(|part| part == voice);
            let silent = (0..self.voices.len()).filter(is_silent).map(|voice| self.labels[voice].to_owned());
            let address = place.map(|address| address.to_string());
            let (sides, silent) = (sides.collect(), silent.collect());
            (Disagreement { fact: fact.to_owned(), address, count, sides, silent }, facet)
        });
        told.collect()
    }

    fn differences<'a>(
        &'a self,
        of: &'a str,
        fact: &'a str,
    ) -> impl Iterator<Item = ((usize, usize), &'a PairDifference)> {
        self.pairs.iter().flat_map(move |(pair, of_pair)| {
            of_pair
                .differences
                .iter()
                .filter(move |difference| difference.is_about(of, fact))
                .map(|difference| (*pair, difference))
        })
    }

    /// The places where some two of them differ in a fact.
    fn places(&self, of: &str, fact: &str) -> BTreeSet<FactPlace> {
        let mut places = BTreeSet::new();
        // Beyond the last address of one that is cut, it is not known whether these two differ.
        let mut known = None;
        for (_, difference) in self.differences(of, fact) {
            if difference.at.is_empty() {
                places.insert(None);
            } else if difference.count > difference.at.len() as u64 {
                let last = difference.at.last().copied();
                known = known.into_iter().chain(last).min();
            }
            places.extend(difference.at.iter().take(ADDRESSES).map(|address| Some(*address)));
        }
        places.retain(|place| known.is_none() || *place <= known);
        places
    }

    /// The groups of implementations that say the same of a fact at a place; those without the fact are in none.
    fn agreeing_parts(&self, of: &str, fact: &str, place: FactPlace) -> AgreeingParts {
        let mut parts = AgreeingParts::new();
        for voice in 0..self.voices.len() {
            let with = |part: &Vec<usize>| self.are_different(of, fact, place, part[0], voice);
            let is_alone = (0..self.voices.len())
                .all(|other| other == voice || self.are_different(of, fact, place, other, voice).is_none());
            if is_alone {
                continue;
            }
            match parts.iter().position(|part| with(part) == Some(false)) {
                Some(part) => parts[part].push(voice),
                None if parts.is_empty() || parts.iter().any(|part| with(part) == Some(true)) => {
                    parts.push(vec![voice])
                }
                None => {}
            }
        }
        parts
    }

    /// Whether two of them differ in a fact at a place; `None` if they were not compared on it.
    fn are_different(&self, of: &str, fact: &str, place: FactPlace, one: usize, other: usize) -> Option<bool> {
        let pair = self.pairs.get(&(one.min(other), one.max(other))).filter(|pair| pair.compared.contains(of))?;
        let own = || pair.differences.iter().filter(|difference| difference.is_about(of, fact));
        match place {
            Some(_) if !pair.by_address => None,
            Some(address) => Some(own().any(|difference| difference.at.contains(&address))),
            None => {
                // Those that differ at some address do not say the same on the whole.
                let is_whole = |difference: &PairDifference| difference.at.is_empty() || !self.has_addresses();
                Some(own().any(is_whole))
            }
        }
    }

    /// Whether entries have one address in all answers.
    fn has_addresses(&self) -> bool {
        self.voices.iter().all(Responder::is_by_address)
    }

    /// The value of a fact at a place by the implementations of a part.
    fn value_of_part(
        &self,
        (of, fact): (&str, &str),
        place: FactPlace,
        part: &[usize],
        parts: &AgreeingParts,
    ) -> String {
        let others = parts.iter().flatten().filter(|other| !part.contains(other));
        let pairs = others.flat_map(|other| part.iter().map(move |voice| (*voice, *other)));
        for (voice, other) in pairs {
            let key = (voice.min(other), voice.max(other));
            let differs = |difference: &&PairDifference| {
                let is_whole = || difference.at.is_empty() || !self.has_addresses();
                difference.is_about(of, fact) && place.map_or_else(is_whole, |place| difference.at.contains(&place))
            };
            let Some(difference) = self.pairs[&key].differences.iter().find(differs) else { continue };
            let [low, high] = match place {
                Some(address) => ResponderPair::values_at(
                    [self.voices[key.0], self.voices[key.1]],
                    difference,
                    self.left_out,
                    address,
                ),
                None => difference.says.clone(),
            };
            let says = if voice == key.0 { low } else { high };
            return cut(&says, LONG).replace('\n', "\\n");
        }
        String::new()
    }
}
