//! What a reduced dump needs to fail: features that every failing variant has and no passing one.

use std::collections::BTreeSet;
use std::ops::Range;

use super::features::{Feature, FeatureSet, FeatureTable, NumberTest};
use super::oracle::{Observation, Questions};
use super::pool::{FailureGroup, Pool};
use super::probed_dump::ProbedDump;
use super::variations::{Variant, Variation, variants};
use heapsmith_core::error::Error;

/// The most questions about variants of one dump.
const PROBES: usize = 120;

/// A passing variant of a failing dump.
#[derive(Clone, Debug)]
pub(super) struct PassingVariant {
    pub(super) variation: Variation,
    pub(super) place: usize,
    pub(super) specimen: ProbedDump,
}

/// What was learned of a failing dump.
pub(super) struct Learned {
    /// The condition; `None` where no variant passes.
    pub(super) feature: Option<Feature>,
    /// The nearest dump that is read rightly.
    pub(super) partner: Option<PassingVariant>,
    /// A failing dump that is nearer to it than the one that was asked about.
    pub(super) nearer: Option<ProbedDump>,
    /// The rules that may not be followed, the likeliest first.
    pub(super) rules: Vec<&'static str>,
    /// What was seen of failing variants.
    pub(super) symptoms: BTreeSet<String>,
    /// The known condition that explains it as well.
    pub(super) known: Option<usize>,
}

/// A variant with its features, and whether it was asked about.
struct Candidate {
    variant: Variant,
    specimen: ProbedDump,
    is_asked: bool,
}

/// Learns what a dump needs to show one of these symptoms.
pub(super) fn learn(
    failing: &ProbedDump,
    group: &FailureGroup,
    pool: &Pool,
    table: &mut FeatureTable,
    questions: &mut Questions<'_>,
    known: &[Feature],
) -> Result<Learned, Error> {
    let mut candidates = Vec::new();
    for variant in variants(failing, pool) {
        let Some(specimen) = ProbedDump::from_bytes(variant.bytes.clone(), table)? else { continue };
        // A variant has to be as sound as the dump.
        if specimen.is_valid() || !failing.is_valid() {
            candidates.push(Candidate { variant, specimen, is_asked: false });
        }
    }
    let mut features: BTreeSet<u32> =
        failing.features.numbers().filter(|feature| !pool.is_common(*feature, failing.is_valid())).collect();
    let (mut failed, mut passed): (Vec<FeatureSet>, Vec<usize>) = (vec![failing.features.clone()], Vec::new());
    let mut failed_places = Vec::new();
    let mut seen = group.symptoms.clone();
    let mut asked = 0;
    while asked < PROBES && !questions.is_over() {
        let Some(next) = most_telling(&candidates, &features, failing, !passed.is_empty()) else { break };
        asked += 1;
        let Candidate { variant, specimen, is_asked } = &mut candidates[next];
        *is_asked = true;
        match questions.ask(&variant.bytes)? {
            Observation::Right => {
                let left: BTreeSet<u32> =
                    features.iter().copied().filter(|feature| !specimen.features.has(*feature)).collect();
                passed.push(next);
                if !left.is_empty() {
                    features = left;
                }
            }
            answer if answer.shows(&group.symptoms) => {
                if let Observation::Wrong { symptoms, .. } = answer {
                    seen.extend(symptoms);
                }
                let left: BTreeSet<u32> =
                    features.iter().copied().filter(|feature| specimen.features.has(*feature)).collect();
                failed.push(specimen.features.clone());
                failed_places.push(next);
                if !left.is_empty() {
                    features = left;
                }
            }
            _ => {}
        }
    }
    let passing: Vec<&ProbedDump> = passed.iter().map(|place| &candidates[*place].specimen).collect();
    let consistent = |feature: u32| {
        failed.iter().all(|set| set.has(feature)) && !passing.iter().any(|specimen| specimen.features.has(feature))
    };
    let is_known = |feature: &Feature| {
        failed_all(&candidates, &failed_places, feature, table, failing)
            && !passing.iter().any(|one| one.has(feature, table))
    };
    let known = known.iter().position(is_known).filter(|_| !passed.is_empty());
    let all: Vec<u32> = failing.features.numbers().filter(|feature| consistent(*feature)).collect();
    let best = all
        .iter()
        .max_by_key(|feature| {
            let feature = table.feature(**feature);
            (pool.fit(feature, group, table) / 50, feature.weight())
        })
        .map(|feature| table.feature(*feature).clone());
    let alone = best.as_ref().map_or(0, |feature| pool.fit(feature, group, table));
    let best =
        match two_at_once(failing, &failed, &passing, group, pool, table).filter(|(fit, _)| *fit > alone + MARGIN) {
            Some((_, both)) => Some(both),
            None => best,
        };
    let partner = nearest(failing, &candidates, &passed, best.as_ref(), table);
    let (feature, partner, nearer) = match (best, partner) {
        (Some(feature), Some(partner)) => {
            let limited = bisect(failing, feature, partner, group, pool, table, questions)?;
            (Some(limited.feature), Some(limited.partner), limited.nearer)
        }
        (feature, partner) => (feature.filter(|_| !passed.is_empty()), partner, None),
    };
    let rules = rank_rules(failing, partner.as_ref(), group, pool, table);
    Ok(Learned { feature, partner, nearer, rules, symptoms: seen, known })
}

/// Whether a dump has a feature, and all its failing variants.
fn failed_all(
    candidates: &[Candidate],
    failed: &[usize],
    feature: &Feature,
    table: &FeatureTable,
    failing: &ProbedDump,
) -> bool {
    failing.has(feature, table) && failed.iter().all(|place| candidates[*place].specimen.has(feature, table))
}

/// By how many thousandths two features at once have to fit better than one alone.
const MARGIN: u32 = 100;

/// The features that are tried in pairs.
const PAIRED: usize = 60;

/// The two features at once that fit best, of those that every failing variant has and no passing one, with how well they fit.
fn two_at_once(
    failing: &ProbedDump,
    failed: &[FeatureSet],
    passing: &[&ProbedDump],
    group: &FailureGroup,
    pool: &Pool,
    table: &FeatureTable,
) -> Option<(u32, Feature)> {
    let held = failing.features.numbers().filter(|feature| failed.iter().all(|set| set.has(*feature)));
    let mut held: Vec<(u32, u32, u32)> = held
        .map(|number| {
            let feature = table.feature(number);
            (pool.fit(feature, group, table) / 50, feature.weight(), number)
        })
        .filter(|(fit, ..)| *fit > 0)
        .collect();
    held.sort_unstable_by(|a, b| b.cmp(a));
    held.truncate(PAIRED);
    let mut best: Option<(u32, u32, Feature)> = None;
    for (place, (.., one)) in held.iter().enumerate() {
        for (.., other) in &held[place + 1..] {
            if passing.iter().any(|specimen| specimen.features.has(*one) && specimen.features.has(*other)) {
                continue;
            }
            let both = Feature::Both(Box::new([table.feature(*one).clone(), table.feature(*other).clone()]));
            let (fit, weight) = (pool.fit(&both, group, table), both.weight());
            if best.as_ref().is_none_or(|(best_fit, best_weight, _)| (fit / 50, weight) > (best_fit / 50, *best_weight))
            {
                best = Some((fit, weight, both));
            }
        }
    }
    best.map(|(fit, _, both)| (fit, both))
}

/// The variant whose answer leaves the fewest features, whatever it is.
fn most_telling(
    candidates: &[Candidate],
    features: &BTreeSet<u32>,
    failing: &ProbedDump,
    has_partner: bool,
) -> Option<usize> {
    let value = |candidate: &Candidate| {
        let kept = features.iter().filter(|feature| candidate.specimen.features.has(**feature)).count();
        let lost = features.len() - kept;
        // Something that passes is needed, too.
        let telling = if has_partner { lost.min(kept) } else { lost.min(kept.max(1)) };
        let is_plain = candidate.specimen.oddities.is_subset(&failing.oddities);
        (telling > 0).then(|| (telling, is_plain, std::cmp::Reverse(candidate.variant.variation.rank())))
    };
    let unasked = candidates.iter().enumerate().filter(|(_, candidate)| !candidate.is_asked);
    unasked
        .filter_map(|(place, candidate)| Some((value(candidate)?, place)))
        .max_by_key(|(value, place)| (*value, std::cmp::Reverse(*place)))
        .map(|(_, place)| place)
}

/// The passing variant with the plainest and smallest difference.
fn nearest(
    failing: &ProbedDump,
    candidates: &[Candidate],
    passed: &[usize],
    feature: Option<&Feature>,
    table: &FeatureTable,
) -> Option<PassingVariant> {
    let passing = passed.iter().map(|place| &candidates[*place]);
    let nearest = passing.min_by_key(|candidate| {
        let lacks = feature.is_none_or(|feature| !candidate.specimen.has(feature, table));
        let is_about = feature
            .and_then(Feature::key)
            .is_some_and(|key| failing.fields.get(candidate.variant.place).is_some_and(|field| field.name == key.name));
        (!lacks, !is_about, candidate.variant.variation.rank(), difference(&failing.bytes, &candidate.variant.bytes))
    })?;
    Some(PassingVariant {
        variation: nearest.variant.variation.clone(),
        place: nearest.variant.place,
        specimen: nearest.specimen.clone(),
    })
}

/// In how many bytes two dumps differ, about.
fn difference(one: &[u8], other: &[u8]) -> usize {
    let differing = one.iter().zip(other).filter(|(one, other)| one != other).count();
    differing + 4 * one.len().abs_diff(other.len())
}

/// A condition whose limit is known, with the two dumps at the limit.
struct LimitedCondition {
    feature: Feature,
    partner: PassingVariant,
    /// The failing dump, where it is another one than before.
    nearer: Option<ProbedDump>,
}

/// The nearest passing value of a number, and the condition that it is the limit of.
fn bisect(
    failing: &ProbedDump,
    feature: Feature,
    partner: PassingVariant,
    group: &FailureGroup,
    pool: &Pool,
    table: &mut FeatureTable,
    questions: &mut Questions<'_>,
) -> Result<LimitedCondition, Error> {
    let field = failing.fields.get(partner.place);
    let (Some((key, passing)), Some(own)) = (partner.variation.number(), field.and_then(|field| field.number)) else {
        return Ok(LimitedCondition { feature, partner, nearer: None });
    };
    let (mut bad, mut good, mut nearest, mut nearer) = (own, passing, partner, None);
    for _ in 0..64 {
        if bad.abs_diff(good) <= 1 || questions.is_over() {
            break;
        }
        let middle = bad.min(good) + bad.abs_diff(good) / 2;
        let variation = nearest.variation.with_number(middle);
        let place = nearest.place;
        let Some(bytes) = variation.apply(failing, place) else { break };
        let Some(specimen) = ProbedDump::from_bytes(bytes, table)? else { break };
        if failing.is_valid() && !specimen.is_valid() {
            break;
        }
        match questions.ask(&specimen.bytes)? {
            Observation::Right => {
                good = middle;
                nearest = PassingVariant { variation, place, specimen };
            }
            answer if answer.shows(&group.symptoms) => (bad, nearer) = (middle, Some(specimen)),
            _ => break,
        }
    }
    let limited = match bad.abs_diff(good) <= 1 {
        true if bad > good => Some(NumberTest::AtLeast(bad)),
        true => Some(NumberTest::AtMost(bad)),
        false => None,
    };
    let own_test = match &feature {
        Feature::Number(of, _) => of.name == key.name,
        _ => false,
    };
    let limited = limited.filter(|_| own_test).map(|test| Feature::Number(key, test));
    let is_better = |limited: &Feature| pool.fit(limited, group, table) >= pool.fit(&feature, group, table);
    Ok(LimitedCondition { feature: limited.filter(is_better).unwrap_or(feature), partner: nearest, nearer })
}

/// The rules that count for the failing dump and not for the passing one, or else those of the bytes that differ; those first that
/// count for failing dumps and not for passing ones.
fn rank_rules(
    failing: &ProbedDump,
    partner: Option<&PassingVariant>,
    group: &FailureGroup,
    pool: &Pool,
    table: &FeatureTable,
) -> Vec<&'static str> {
    let of = |specimen: &ProbedDump| specimen.rules.iter().map(|span| span.rule).collect::<BTreeSet<_>>();
    let own = of(failing);
    let changed = partner.and_then(|partner| changed_bytes(failing, &partner.specimen));
    let lost: BTreeSet<&'static str> = match partner {
        Some(partner) => own.difference(&of(&partner.specimen)).copied().collect(),
        None => BTreeSet::new(),
    };
    let at_change: BTreeSet<&'static str> = failing
        .rules
        .iter()
        .filter(|span| changed.as_ref().is_some_and(|at| span.offset < at.end && at.start < span.offset + span.length))
        .map(|span| span.rule)
        .collect();
    let mut ranked: Vec<&'static str> = own.into_iter().collect();
    ranked.sort_by_key(|rule| {
        let fit = pool.fit(&Feature::Rule(rule), group, table);
        let score = fit + 300 * u32::from(lost.contains(rule)) + 200 * u32::from(at_change.contains(rule));
        std::cmp::Reverse((score, std::cmp::Reverse(*rule)))
    });
    ranked.truncate(3);
    ranked
}

/// The bytes of a dump from the first to the last that another one has otherwise.
pub(super) fn changed_bytes(failing: &ProbedDump, passing: &ProbedDump) -> Option<Range<u64>> {
    let (one, other) = (&failing.plain, &passing.plain);
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let rest = one.len().min(other.len()) - same;
    let end = one.iter().rev().zip(other.iter().rev()).take(rest).take_while(|(one, other)| one == other).count();
    Some(same as u64..((one.len() - end).max(same + 1)) as u64)
}
