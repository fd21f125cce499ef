//! Comparison of two listings, fact by fact, with the declarations of both implementations.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::check::declarations::{BOOLEANS, ComparedSides, NAMES, convert_names_to_text, normalise_booleans};
use crate::check::differential::difference::{PairDifference, Responder, ResponderPair};
use crate::check::judge::adopt_wording;
use crate::check::report::NOTHING;
use heapsmith_core::compare::renaming::{BUDGET, Renaming, up_to_renaming};
use heapsmith_core::compare::{CompareOptions, Comparison, Facet, NotComparedReason, compare_sources};
use heapsmith_core::model::{Address, Heap};

/// Compares two listings.
pub(super) fn compare_listings(voices: [Responder<'_>; 2], left_out: &BTreeSet<Facet>) -> ResponderPair {
    let not_compared = not_compared(voices, left_out);
    let compared: BTreeSet<String> =
        Facet::ALL.into_iter().filter(|facet| !not_compared.contains(facet)).map(|facet| facet.to_string()).collect();
    let Some([one, other]) = align_heaps(voices) else { return ResponderPair::default() };
    if voices.iter().all(Responder::is_by_address) {
        let found = compare_heaps([&one, &other], &not_compared, None);
        return ResponderPair { compared, differences: differences(&found), by_address: true, by_facets: true };
    }
    let graph = "graph".to_owned();
    let differences = match up_to_renaming(&one, &other, &not_compared, BUDGET) {
        Renaming::Equal { comparison, .. } => differences(&comparison),
        Renaming::Different { invariant, left, right } => vec![PairDifference {
            of: graph.clone(),
            fact: graph.clone(),
            facet: None,
            count: 1,
            at: Vec::new(),
            says: [left, right].map(|times| format!("{times} times {invariant}, under any addresses")),
        }],
        Renaming::Undecided { .. } => return ResponderPair::default(),
    };
    // Where identifiers are an implementation's own, there is no address that both have.
    let differences =
        differences.into_iter().map(|difference| PairDifference { at: Vec::new(), ..difference }).collect();
    ResponderPair {
        compared: compared.into_iter().chain([graph]).collect(),
        differences,
        by_address: false,
        by_facets: true,
    }
}

/// The values of a facet at an address in two listings, if they differ there.
pub(super) fn values_at(
    voices: [Responder<'_>; 2],
    facet: Option<Facet>,
    left_out: &BTreeSet<Facet>,
    address: Address,
) -> Option<[String; 2]> {
    let [one, other] = align_heaps(voices)?;
    let found = compare_heaps([&one, &other], &not_compared(voices, left_out), Some(address));
    let found = found.differences.into_iter().find(|found| Some(found.facet) == facet)?;
    (found.addresses.first() == Some(&address)).then_some([found.left, found.right])
}

/// The facets that are left out, or that one of the listings does not report.
fn not_compared(voices: [Responder<'_>; 2], left_out: &BTreeSet<Facet>) -> BTreeSet<Facet> {
    let [one, other] = voices.map(|voice| voice.reported_facets());
    let is_silent = |facet: &Facet| !one.contains(facet) || !other.contains(facet);
    Facet::ALL.into_iter().filter(|facet| left_out.contains(facet) || is_silent(facet)).collect()
}

fn compare_heaps(heaps: [&Heap; 2], not_compared: &BTreeSet<Facet>, only: Option<Address>) -> Comparison {
    let options = CompareOptions::default().left_out(not_compared.clone()).only(only);
    let [mut one, mut other] = heaps;
    // Heaps in memory need no file that could fail.
    compare_sources(&mut one, &mut other, &options).unwrap_or_default()
}

/// The differences of two heaps: facts with two values, and facts that only one of them tells.
fn differences(found: &Comparison) -> Vec<PairDifference> {
    let told = found.differences.iter().map(|found| PairDifference {
        of: found.facet.to_string(),
        fact: found.facet.to_string(),
        facet: Some(found.facet),
        count: found.count,
        at: found.addresses.clone(),
        says: [found.left.clone(), found.right.clone()],
    });
    let by_one = found.not_compared.iter().filter_map(|silent| {
        let says = |count: u64| if count == 1 { "a value".to_owned() } else { format!("{count} values") };
        let nothing = || NOTHING.to_owned();
        let says = match silent.why {
            NotComparedReason::UnknownLeft => [nothing(), says(silent.count)],
            NotComparedReason::UnknownRight => [says(silent.count), nothing()],
            NotComparedReason::LeftOut | NotComparedReason::NotCarried => return None,
        };
        let fact = silent.facet.to_string();
        Some(PairDifference {
            of: fact.clone(),
            fact,
            facet: Some(silent.facet),
            count: silent.count,
            at: Vec::new(),
            says,
        })
    });
    told.chain(by_one).collect()
}

/// The heaps of two listings, with the declarations of both implementations applied to both.
fn align_heaps(voices: [Responder<'_>; 2]) -> Option<[Cow<'_, Heap>; 2]> {
    let [one, other] = voices;
    let by_address = voices.iter().all(Responder::is_by_address);
    let mut heaps = [one.answer.heap()?, other.answer.heap()?].map(Cow::Borrowed);
    for (place, voice) in voices.into_iter().enumerate() {
        let Some(hello) = voice.hello else { continue };
        let readings = hello.declared_readings();
        let has = |reading: &str, choice: &str| readings.get(reading).is_some_and(|own| own == choice);
        if has(BOOLEANS, "0/1") {
            heaps.iter_mut().for_each(|heap| normalise_booleans(heap.to_mut()));
        }
        if has(NAMES, "text") {
            heaps.iter_mut().for_each(|heap| convert_names_to_text(heap.to_mut()));
        }
        heaps.rotate_left(place);
        let [told, right] = heaps;
        let mut sides = ComparedSides { right, told, by_address };
        sides.agree(&hello.declares);
        heaps = [sides.told, sides.right];
        heaps.rotate_right(place);
    }
    let [one, other] = heaps;
    let one = adopt_wording(&other, one.into_owned());
    let other = adopt_wording(&one, other.into_owned());
    Some([Cow::Owned(one), Cow::Owned(other)])
}
