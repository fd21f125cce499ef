//! Comparison of numbers, digests, and entries of two answers.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::declarations::{DECLARATIONS, Declaration, MAKES_UP};
use crate::check::differential::difference::{PairDifference, Responder, ResponderPair};
use crate::check::differential::peer_reply::PeerAnswer;
use crate::check::judge::{ObjectTally, number_of};
use crate::check::protocol::{AnswerPart, CountKind, EntryAnswer, ObjectCounts};
use crate::check::report::NOTHING;
use heapsmith_core::compare::Facet;
use heapsmith_core::digest::{Digest, DigestOptions, FacetSelection, digest};
use heapsmith_core::error::Error;
use heapsmith_core::model::{Address, Heap, Name};

/// Compares two digests facet by facet. Of a listing one is worked out.
///
/// # Errors
/// What temporary files run into.
pub(super) fn compare_digests(voices: [Responder<'_>; 2], left_out: &BTreeSet<Facet>) -> Result<ResponderPair, Error> {
    let mut pair = ResponderPair {
        by_address: voices.iter().all(Responder::is_by_address),
        by_facets: true,
        ..ResponderPair::default()
    };
    if !pair.by_address {
        return Ok(pair);
    }
    let [one, other] = voices.map(|voice| voice.reported_facets());
    let apart = facets_declared_differently(voices);
    let both = one.intersection(&other).filter(|facet| !left_out.contains(facet) && !apart.contains(facet));
    let wanted: FacetSelection = both.copied().collect::<FacetSelection>().and(FacetSelection::unordered_with_texts());
    let [one, other] = [digest_of(voices[0], wanted)?, digest_of(voices[1], wanted)?];
    let numbers = [("classes", one.classes, other.classes), ("objects", one.objects, other.objects)];
    // Classes that the dump has no record of may be synthesised.
    let is_made_up = |voice: &Responder<'_>| voice.hello.is_some_and(|hello| hello.declares.has(MAKES_UP, "classes"));
    let numbers = numbers.into_iter().filter(|(what, ..)| *what == "objects" || !voices.iter().any(is_made_up));
    for (what, one, other) in numbers {
        pair.record_values(what, what.to_owned(), None, [one, other].map(|number| number.to_string()));
    }
    let of = |told: &Digest, facet| told.by_facet.iter().flatten().find(|of| of.facet == facet).map(|of| of.digest);
    for facet in wanted.facets() {
        let [one, other] = [of(&one, facet), of(&other, facet)];
        // A heap that tells nothing of a facet has no digest of it, and one that may be told otherwise has another.
        let shown = [one, other].map(|sum| sum.map_or_else(|| NOTHING.to_owned(), |sum| format!("digest {sum}")));
        pair.record_values(&facet.to_string(), facet.to_string(), Some(facet), shown);
    }
    Ok(pair)
}

/// The facets for which two implementations declare different spellings, which a digest does not show.
fn facets_declared_differently(voices: [Responder<'_>; 2]) -> BTreeSet<Facet> {
    let [one, other] = voices.map(|voice| voice.hello.map(|hello| hello.declares.clone()).unwrap_or_default());
    let differs = |declaration: &&Declaration| {
        let [one, other] = [one.chosen(declaration.key), other.chosen(declaration.key)];
        // What is listed or left out in one way by both need not be the same.
        one != other || declaration.is_list && !one.is_empty()
    };
    DECLARATIONS.iter().filter(differs).flat_map(|declaration| declaration.facets.iter().copied()).collect()
}

fn digest_of(voice: Responder<'_>, facets: FacetSelection) -> Result<Digest, Error> {
    match voice.answer {
        PeerAnswer::Digest(told) => Ok(told.clone()),
        answer => {
            let mut heap: Heap = answer.heap().cloned().unwrap_or_default();
            digest(&mut heap, &DigestOptions::default().facets(facets).by_facet(true))
        }
    }
}

/// The counts of an answer: numbers, and objects by class; of a listing both are worked out.
struct AnswerCounts {
    counts: ObjectCounts,
    declared: BTreeSet<CountKind>,
    by_class: BTreeMap<CountKind, BTreeMap<Name, u64>>,
}

/// Compares two answers by what both count.
///
/// # Errors
/// What contents that are not held run into.
pub(super) fn compare_counts(voices: [Responder<'_>; 2]) -> Result<ResponderPair, Error> {
    let mut pair =
        ResponderPair { by_address: voices.iter().all(Responder::is_by_address), ..ResponderPair::default() };
    let [one, other] = [AnswerCounts::from_responder(voices[0])?, AnswerCounts::from_responder(voices[1])?];
    for count in one.declared.intersection(&other.declared) {
        // Some counts are called like facets.
        let (name, of) = (count.to_string(), format!("count {count}"));
        if !count.is_by_class() {
            let shown = [&one, &other].map(|told| number_of(&told.counts, *count));
            let shown = shown.map(|number| number.map_or_else(|| NOTHING.to_owned(), |number| number.to_string()));
            pair.record_values(&of, name, None, shown);
            continue;
        }
        pair.compared.insert(of.clone());
        let [one, other] = [&one, &other].map(|told| told.by_class.get(count).cloned().unwrap_or_default());
        let classes: BTreeSet<&Name> = one.keys().chain(other.keys()).collect();
        let what = if *count == CountKind::Histogram { "objects" } else { "bytes" };
        for class in classes {
            let shown = [&one, &other].map(|told| told.get(class).copied().unwrap_or_default().to_string());
            pair.record_values(&of, format!("{what} of {class}"), None, shown);
        }
    }
    Ok(pair)
}

impl AnswerCounts {
    fn from_responder(voice: Responder<'_>) -> Result<AnswerCounts, Error> {
        let told: BTreeSet<CountKind> = voice.hello.iter().flat_map(|hello| hello.counts.iter().copied()).collect();
        if let PeerAnswer::Counts(accepted) = voice.answer {
            let mut by_class =
                BTreeMap::from([(CountKind::Histogram, BTreeMap::new()), (CountKind::HistogramBytes, BTreeMap::new())]);
            for entry in accepted.histogram.iter().flatten().filter(|entry| entry.objects > 0) {
                let name = Name::from(entry.class.clone()).to_java_form();
                for (count, number) in
                    [(CountKind::Histogram, entry.objects), (CountKind::HistogramBytes, entry.bytes.unwrap_or(0))]
                {
                    let sum: &mut u64 = by_class.entry(count).or_default().entry(name.clone()).or_default();
                    *sum = sum.saturating_add(number);
                }
            }
            return Ok(AnswerCounts { counts: accepted.counts.clone().unwrap_or_default(), declared: told, by_class });
        }
        let mut heap: Heap = voice.answer.heap().cloned().unwrap_or_default();
        let tally = ObjectTally::from_heap(&mut heap)?;
        let counts = tally.counts(&heap);
        let is_made_up = voice.hello.is_some_and(|hello| hello.declares.has(MAKES_UP, "classes"));
        // Bytes by class are the sizes that a dump records, and those of a listing may be others.
        let is_known = |count: &CountKind| match count {
            CountKind::Classes => !is_made_up,
            CountKind::Histogram => true,
            CountKind::HistogramBytes | CountKind::Strings => false,
            count => number_of(&counts, *count).is_some(),
        };
        let declared = CountKind::ALL.into_iter().filter(is_known).collect();
        let histogram = tally.histogram(&heap).into_iter().map(|(name, of)| (name, of.objects)).collect();
        Ok(AnswerCounts { counts, declared, by_class: BTreeMap::from([(CountKind::Histogram, histogram)]) })
    }
}

impl ResponderPair {
    /// Takes in something that was compared.
    fn record_values(&mut self, of: &str, fact: String, facet: Option<Facet>, says: [String; 2]) {
        self.compared.insert(of.to_owned());
        if says[0] != says[1] {
            let of = of.to_owned();
            self.differences.push(PairDifference { of, fact, facet, count: 1, at: Vec::new(), says });
        }
    }
}

type EntryLines = BTreeMap<u64, EntryAnswer>;

/// Compares what two analysers say of each entry, in the parts that both declare. Paths may be others.
pub(super) fn compare_entries(voices: [Responder<'_>; 2], [one, other]: [&EntryLines; 2]) -> ResponderPair {
    let declares =
        |part: &AnswerPart| voices.iter().all(|voice| voice.hello.is_some_and(|hello| hello.answers.contains(part)));
    let addresses: BTreeSet<u64> = one.keys().chain(other.keys()).copied().collect();
    // What is retained is counted in the sizes of the answer.
    let size = |lines: &EntryLines, address: &u64| lines.get(address).and_then(|line| line.bytes);
    let has_one_size = addresses.iter().all(|address| size(one, address) == size(other, address));
    let is_compared = |part: &AnswerPart| match part {
        AnswerPart::Paths | AnswerPart::AnyPaths => false,
        AnswerPart::Retained => has_one_size && declares(part),
        part => declares(part),
    };
    let parts = AnswerPart::ALL.into_iter().filter(is_compared);
    let mut pair = ResponderPair { by_address: true, ..ResponderPair::default() };
    for part in parts {
        pair.compared.insert(part.to_string());
        let differs = |address: &&u64| {
            let [one, other] = describe_part([one, other], &part.to_string(), Address(**address));
            one != other
        };
        let at: Vec<Address> = addresses.iter().filter(differs).map(|address| Address(*address)).collect();
        if let Some(first) = at.first() {
            let (of, says) = (part.to_string(), describe_part([one, other], &part.to_string(), *first));
            let (fact, count) = (part.fact().to_owned(), at.len() as u64);
            pair.differences.push(PairDifference { of, fact, facet: None, count, at, says });
        }
    }
    pair
}

/// The values of a part of an entry by two analysers. An unreachable entry has none.
pub(super) fn describe_part(lines: [&EntryLines; 2], part: &str, address: Address) -> [String; 2] {
    let both = lines.iter().all(|lines| lines.get(&address.0).is_some_and(|line| line.reachable));
    lines.map(|lines| {
        let line = lines.get(&address.0);
        let number = |number: Option<u64>| number.map_or_else(|| NOTHING.to_owned(), |number| number.to_string());
        let is_reachable = line.is_some_and(|line| line.reachable);
        let Some(line) = line.filter(|_| both || part == REACHABILITY) else {
            return if part == REACHABILITY { "not reachable".to_owned() } else { NOTHING.to_owned() };
        };
        match AnswerPart::ALL.into_iter().find(|known| known.to_string() == part) {
            Some(AnswerPart::Reachability) => if is_reachable { "reachable" } else { "not reachable" }.to_owned(),
            Some(AnswerPart::Distances) => number(line.distance),
            Some(AnswerPart::Dominators) => {
                line.dominator.map_or_else(|| "none".to_owned(), |to| format!("{:#x}", to.0))
            }
            Some(AnswerPart::RetainedEntries) => number(line.retained.and_then(|retained| retained.entries)),
            Some(AnswerPart::Retained) => number(line.retained.and_then(|retained| retained.bytes)),
            Some(AnswerPart::Sizes) => number(Some(line.bytes.unwrap_or(0))),
            _ => NOTHING.to_owned(),
        }
    })
}

const REACHABILITY: &str = "reachability";
