//! What a reduced dump needs to fail: features that every failing variant has and no passing one.

use std::collections::BTreeSet;
use std::ops::Range;

use super::features::{DumpFeatures, Feature, FeatureTable};
use super::oracle::{Observation, Questions};
use super::pool::{FailureGroup, Pool};
use super::probed_dump::ProbedDump;
use super::sound::SoundVariants;
use super::variations::{Variant, Variation, variants};
use crate::fields::NumberTest;
use heapsmith_core::error::Error;

/// The most bytes of the variants of one dump.
const VOLUME: usize = 2 << 20;

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
#[derive(Debug)]
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
    /// The number of dumps in which the condition was made, and of those of them that are not read rightly.
    pub(super) made: (u64, u64),
}

impl Learned {
    /// Nothing but what is seen, and the rules that are known.
    pub(super) fn nothing(symptoms: BTreeSet<String>, rules: Vec<&'static str>) -> Learned {
        Learned { feature: None, partner: None, nearer: None, rules, symptoms, known: None, made: (0, 0) }
    }
}

/// A variant with its features, and whether it was asked about.
struct Candidate {
    variant: Variant,
    specimen: ProbedDump,
    is_asked: bool,
}

/// The surroundings of an experiment: all answers that are there, and dumps of which it may ask.
pub(super) struct LearningContext<'s> {
    pub(super) pool: &'s Pool,
    pub(super) sound: &'s SoundVariants,
    /// Conditions that are known already.
    pub(super) known: &'s [Feature],
}

/// Learns what a dump needs to show one of these symptoms.
pub(super) fn learn(
    failing: &ProbedDump,
    group: &FailureGroup,
    LearningContext { pool, sound, known }: LearningContext<'_>,
    table: &mut FeatureTable,
    questions: &mut Questions<'_, '_>,
) -> Result<Learned, Error> {
    let (mut candidates, mut mended) = (Vec::new(), Vec::new());
    let all = variants(failing, pool);
    // An even choice of the variants of a large dump.
    let step = (all.len() * failing.bytes.len()).div_ceil(VOLUME).max(1);
    for variant in all.into_iter().step_by(step) {
        if questions.is_over() {
            break;
        }
        let Some(specimen) = ProbedDump::from_bytes(variant.bytes.clone(), table)? else { continue };
        // A variant has to be as sound as the dump, or it would be read rightly for that alone.
        if specimen.breaks.map(|(rule, _)| rule) == failing.breaks.map(|(rule, _)| rule) {
            candidates.push(Candidate { variant, specimen, is_asked: false });
        } else if specimen.is_valid() {
            mended.push(Candidate { variant, specimen, is_asked: false });
        }
    }
    let common = |feature: &u32| pool.is_common(*feature, failing.is_valid());
    let mut evidence = Evidence {
        group,
        features: failing.features.set.numbers().filter(|feature| !common(feature)).collect(),
        failed: vec![failing.features.clone()],
        passed: Vec::new(),
        symptoms: group.symptoms.clone(),
    };
    let (mut passed, mut failed_places) = (Vec::new(), Vec::new());
    for _ in 0..PROBES {
        if questions.is_over() {
            break;
        }
        let Some(next) = most_telling(&candidates, &evidence.features, failing, !passed.is_empty()) else { break };
        let Candidate { variant, specimen, is_asked } = &mut candidates[next];
        *is_asked = true;
        match evidence.add(questions.ask(&variant.bytes)?, &specimen.features, true) {
            Some(true) => passed.push(next),
            Some(false) => failed_places.push(next),
            None => {}
        }
    }
    if let Some((rule, _)) = failing.breaks.filter(|_| passed.is_empty()) {
        let partner = nearest_mended(failing, mended, questions)?;
        let (feature, symptoms) = (Some(Feature::Breaks(rule)), evidence.symptoms);
        return Ok(Learned { feature, partner, nearer: None, rules: vec![rule], symptoms, known: None, made: (0, 0) });
    }
    let is_known = |feature: &Feature| {
        failed_all(&candidates, &failed_places, feature, table, failing)
            && !passed.iter().any(|place: &usize| candidates[*place].specimen.has(feature, table))
    };
    let known = known.iter().position(is_known).filter(|_| !passed.is_empty());
    let has_surroundings = failing.is_valid() && !passed.is_empty() && known.is_none();
    let near = choose(failing, &evidence, pool, table).filter(|_| has_surroundings);
    let mut asked = BTreeSet::new();
    for _ in 0..OTHER_PROBES {
        if questions.is_over() || !has_surroundings {
            break;
        }
        let Some(next) = sound.most_telling(&evidence.features, &asked) else { break };
        asked.insert(next);
        evidence.add(questions.ask(&sound.variants[next].bytes)?, &sound.variants[next].features, false);
    }
    let (mut best, mut made) = (None, (0, 0));
    for _ in 0..CHOICES {
        best = choose(failing, &evidence, pool, table);
        if let Some(feature) = best.as_ref().filter(|_| has_surroundings)
            && !evidence.needs(feature, failing, &mut candidates, table, questions)?
        {
            made = (1, 0);
            continue;
        }
        made = match &best {
            Some(feature) if has_surroundings => evidence.try_out(feature, failing, sound, table, questions)?,
            _ => (0, 0),
        };
        if made.0 == made.1 {
            break;
        }
    }
    if made.0 > made.1 {
        (best, made) = (choose(failing, &evidence, pool, table), (0, 0));
    }
    if let (None, true, Some(most)) = (&best, has_surroundings, choose_for_most(failing, &evidence, pool, table)) {
        let tried = evidence.try_out(&most, failing, sound, table, questions)?;
        if tried.0 > 0 && tried.0 == tried.1 {
            (best, made) = (Some(most), tried);
        }
    }
    if let (None, Some(near)) = (&best, near) {
        // It is true of what is near, and takes more elsewhere.
        made = evidence.try_out(&near, failing, sound, table, questions)?;
        best = Some(near);
    }
    let partner = nearest(failing, &candidates, &passed, best.as_ref(), table);
    let (feature, partner, nearer) = match (best, partner) {
        (Some(feature), Some(partner)) => {
            let limited = bisect(failing, feature, partner, group, pool, table, questions)?;
            (Some(limited.feature), Some(limited.partner), limited.nearer)
        }
        (feature, partner) => (feature.filter(|_| !passed.is_empty()), partner, None),
    };
    // Where nothing passes, no rule tells more than another.
    let rules = match &partner {
        Some(partner) => rank_rules(failing, partner, &evidence, pool, table),
        None => Vec::new(),
    };
    Ok(Learned { feature, partner, nearer, rules, symptoms: evidence.symptoms, known, made })
}

/// The most questions about variants of sound dumps, for one failing dump.
const OTHER_PROBES: usize = 30;

/// How often a condition is chosen anew, after a sound dump was made to have it and was read rightly.
const CHOICES: usize = 6;

/// The most dumps that are made to have a condition.
const MADE: usize = 5;

/// The most variants without a condition that are asked about.
const WITHOUT: usize = 6;

/// The dumps that were asked about for one failing dump.
struct Evidence<'g> {
    group: &'g FailureGroup,
    /// Features of all that fail and of none that pass, unless there are none.
    features: BTreeSet<u32>,
    failed: Vec<DumpFeatures>,
    passed: Vec<DumpFeatures>,
    symptoms: BTreeSet<String>,
}

impl Evidence<'_> {
    /// Adds an answer; whether it was right, if it tells anything. What fails elsewhere may fail for another reason, so that it counts only
    /// where it leaves something.
    fn add(&mut self, answer: Observation, of: &DumpFeatures, is_own: bool) -> Option<bool> {
        let is_right = answer == Observation::Right;
        if !is_right && !answer.shows(&self.group.symptoms) {
            return None;
        }
        let left: BTreeSet<u32> =
            self.features.iter().copied().filter(|feature| of.set.has(*feature) != is_right).collect();
        let is_empty = left.is_empty();
        if !is_empty {
            self.features = left;
        }
        match answer {
            Observation::Wrong { .. } if is_empty && !is_own => return None,
            Observation::Wrong { symptoms, .. } => {
                self.failed.push(of.clone());
                self.symptoms.extend(symptoms);
            }
            _ => self.passed.push(of.clone()),
        }
        Some(is_right)
    }

    /// Whether all that fail have a feature, and none that passes.
    fn is_consistent(&self, feature: u32) -> bool {
        self.failed.iter().all(|of| of.set.has(feature)) && !self.passed.iter().any(|of| of.set.has(feature))
    }

    /// Asks about variants without a condition, those of the smallest difference: whether none of them fails as well.
    fn needs(
        &mut self,
        feature: &Feature,
        failing: &ProbedDump,
        candidates: &mut [Candidate],
        table: &FeatureTable,
        questions: &mut Questions<'_, '_>,
    ) -> Result<bool, Error> {
        let lacks = |candidate: &&mut Candidate| !candidate.is_asked && !candidate.specimen.has(feature, table);
        let mut without: Vec<&mut Candidate> = candidates.iter_mut().filter(lacks).collect();
        without.sort_by_key(|Candidate { variant, specimen, .. }| {
            let is_plain = specimen.oddities.is_subset(&failing.oddities);
            (!is_plain, variant.variation.rank(), difference(&failing.bytes, &variant.bytes))
        });
        for Candidate { variant, specimen, is_asked } in without.into_iter().take(WITHOUT) {
            *is_asked = true;
            match questions.ask(&variant.bytes)? {
                Observation::Right => self.passed.push(specimen.features.clone()),
                answer if answer.shows(&self.group.symptoms) => {
                    self.failed.push(specimen.features.clone());
                    return Ok(false);
                }
                _ => {}
            }
        }
        Ok(true)
    }

    /// Asks about sound dumps that are made to have a condition: how many, and how many of them are not read rightly.
    fn try_out(
        &mut self,
        feature: &Feature,
        failing: &ProbedDump,
        sound: &SoundVariants,
        table: &mut FeatureTable,
        questions: &mut Questions<'_, '_>,
    ) -> Result<(u64, u64), Error> {
        let (mut made, mut failed) = (0, 0);
        for dump in sound.with(feature, failing, table, MADE)? {
            match questions.ask(&dump.bytes)? {
                Observation::Unknown => continue,
                Observation::Right => self.passed.push(dump.features),
                Observation::Wrong { .. } => failed += 1,
            }
            made += 1;
        }
        Ok((made, failed))
    }
}

/// The feature that explains most, of those that all failing dumps have and none that passes; two at once where that fits better.
fn choose(failing: &ProbedDump, evidence: &Evidence<'_>, pool: &Pool, table: &FeatureTable) -> Option<Feature> {
    let group = evidence.group;
    let consistent = failing.features.set.numbers().filter(|feature| evidence.is_consistent(*feature));
    let best = consistent
        .map(|number| table.feature(number))
        .max_by_key(|feature| (pool.fit(feature, group, table) / 50, feature.weight()))
        .cloned();
    let alone = best.as_ref().map_or(0, |feature| pool.fit(feature, group, table));
    let both = two_at_once(failing, evidence, pool, table).filter(|(fit, _)| *fit > alone + MARGIN);
    // What more dumps have that pass is no condition, whatever the variants say.
    both.map(|(_, both)| both).or(best).filter(|best| pool.is_telling(best, group, table))
}

/// The feature that explains most, of those that no passing dump has and most failing variants: the others may show another mistake that
/// looks the same.
fn choose_for_most(
    failing: &ProbedDump,
    evidence: &Evidence<'_>,
    pool: &Pool,
    table: &FeatureTable,
) -> Option<Feature> {
    let is_mostly = |feature: &u32| {
        let having = evidence.failed.iter().filter(|of| of.set.has(*feature)).count();
        3 * having >= 2 * evidence.failed.len() && !evidence.passed.iter().any(|of| of.set.has(*feature))
    };
    let group = evidence.group;
    let mostly = failing.features.set.numbers().filter(is_mostly).map(|number| table.feature(number));
    let best = mostly.max_by_key(|feature| (pool.fit(feature, group, table) / 50, feature.weight())).cloned();
    best.filter(|best| pool.is_telling(best, group, table))
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

/// The features that are tried in pairs, and the most partners of each.
const PAIRED: usize = 24;

/// The two features at once that fit best, of those that every failing variant has and no passing one, with how well they fit.
fn two_at_once(
    failing: &ProbedDump,
    evidence: &Evidence<'_>,
    pool: &Pool,
    table: &FeatureTable,
) -> Option<(u32, Feature)> {
    let group = evidence.group;
    let in_all = |feature: &u32| evidence.failed.iter().all(|of| of.set.has(*feature));
    let held = failing.features.set.numbers().filter(in_all);
    let mut held: Vec<(u32, u32, u32)> = held
        .map(|number| {
            let feature = table.feature(number);
            (pool.fit(feature, group, table) / 50, feature.weight(), number)
        })
        .collect();
    held.sort_unstable_by(|a, b| b.cmp(a));
    let mut best: Option<(u32, u32, Feature)> = None;
    for (place, (.., one)) in held.iter().enumerate().take(PAIRED).take_while(|(_, (fit, ..))| *fit > 0) {
        // What tells those that fail from those that pass although they have the one.
        let rivals: Vec<&DumpFeatures> = evidence.passed.iter().filter(|of| of.set.has(*one)).collect();
        let telling = held[place + 1..].iter().filter(|(.., other)| !rivals.iter().any(|of| of.set.has(*other)));
        let mut telling: Vec<&(u32, u32, u32)> = telling.collect();
        telling.sort_by_key(|(fit, weight, _)| std::cmp::Reverse((*weight, *fit)));
        for (.., other) in telling.into_iter().take(PAIRED) {
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
        let kept = features.iter().filter(|feature| candidate.specimen.features.set.has(**feature)).count();
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

/// The variant that breaks no rule any more and is read rightly, with the smallest difference.
fn nearest_mended(
    failing: &ProbedDump,
    mut mended: Vec<Candidate>,
    questions: &mut Questions<'_, '_>,
) -> Result<Option<PassingVariant>, Error> {
    mended.sort_by_key(|candidate| {
        (candidate.variant.variation.rank(), difference(&failing.bytes, &candidate.variant.bytes))
    });
    for Candidate { variant: Variant { variation, place, bytes }, specimen, .. } in mended.into_iter().take(MENDED) {
        if questions.ask(&bytes)? == Observation::Right {
            return Ok(Some(PassingVariant { variation, place, specimen }));
        }
    }
    Ok(None)
}

/// The most mended dumps that are asked about.
const MENDED: usize = 10;

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
    questions: &mut Questions<'_, '_>,
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
    let is_own = |feature: &Feature| matches!(feature, Feature::Number(of, _) if of.name == key.name);
    // The exact limit may need nothing beside it.
    let own_test = match &feature {
        Feature::Both(parts) => parts.iter().any(is_own),
        feature => is_own(feature),
    };
    let limited = limited.filter(|_| own_test).map(|test| Feature::Number(key, test));
    let is_better = |limited: &Feature| pool.fit(limited, group, table) >= pool.fit(&feature, group, table);
    Ok(LimitedCondition { feature: limited.filter(is_better).unwrap_or(feature), partner: nearest, nearer })
}

/// The rules that count for the failing dump and not for the passing one, or else those of the bytes that differ; those first that
/// count for failing dumps and not for passing ones.
fn rank_rules(
    failing: &ProbedDump,
    partner: &PassingVariant,
    evidence: &Evidence<'_>,
    pool: &Pool,
    table: &FeatureTable,
) -> Vec<&'static str> {
    let of = |specimen: &ProbedDump| specimen.rules.iter().map(|span| span.rule).collect::<BTreeSet<_>>();
    let own = of(failing);
    let changed = changed_bytes(failing, &partner.specimen);
    let lost: BTreeSet<&'static str> = own.difference(&of(&partner.specimen)).copied().collect();
    let at_change: BTreeSet<&'static str> = failing
        .rules
        .iter()
        .filter(|span| changed.as_ref().is_some_and(|at| span.offset < at.end && at.start < span.offset + span.length))
        .map(|span| span.rule)
        .collect();
    let mut ranked: Vec<&'static str> = own.into_iter().collect();
    ranked.sort_by_key(|rule| {
        let feature = Feature::Rule(rule);
        let share = |of: &[DumpFeatures], has: bool| {
            let fitting = of.iter().filter(|of| of.has(&feature, table) == has).count();
            if of.is_empty() { 500 } else { 1000 * fitting / of.len() }
        };
        let told = (share(&evidence.failed, true) * share(&evidence.passed, false) / 1000) as u32;
        let fit = pool.fit(&feature, evidence.group, table);
        let score = fit + told + 300 * u32::from(lost.contains(rule)) + 200 * u32::from(at_change.contains(rule));
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
