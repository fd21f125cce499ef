//! Which rule, or which symptom, explains most failures.

use std::collections::{BTreeMap, BTreeSet};

/// A failure.
pub(super) struct Failure<'r> {
    pub(super) symptoms: BTreeSet<String>,
    /// Rules of the bytes that were read wrongly, and how well what is wrong goes with each: 1 where it is a fact that they
    /// are about.
    pub(super) suspects: BTreeMap<&'r str, f64>,
    /// Rules of bytes of the same dump that were read rightly.
    pub(super) followed: BTreeSet<&'r str>,
}

/// What explains some failures.
pub(super) struct Explanation {
    pub(super) rule: Option<String>,
}

/// Failures, and how often each rule was followed.
pub(super) struct Spectrum<'r> {
    failures: Vec<Failure<'r>>,
    /// The dumps that were read rightly, by the rules on which they rely.
    passed: BTreeMap<&'r str, usize>,
}

/// A rule that explains less of what is left than this has no more to say than what can be seen.
const WEAK: f64 = 0.25;
/// So much of the dumps that rely on a rule has to fail for it to open a cause beside another.
const CERTAIN: f64 = 0.5;
/// What looks like another cause and is not so much of it opens none.
const SHARE: f64 = 0.3;
/// The weight of a rule that is about the very fact that is wrong.
const ABOUT: f64 = 1.0;

impl<'r> Spectrum<'r> {
    pub(super) fn new(failures: Vec<Failure<'r>>, relied: impl Iterator<Item = &'r [String]>) -> Spectrum<'r> {
        let mut passed = BTreeMap::new();
        for rule in relied.flatten() {
            *passed.entry(rule.as_str()).or_default() += 1;
        }
        Spectrum { failures, passed }
    }

    /// Explanations with the failures that they explain: each failure has one.
    pub(super) fn explanations(&self) -> Vec<(Explanation, Vec<usize>)> {
        let mut left: BTreeSet<usize> = (0..self.failures.len()).collect();
        let mut found: Vec<(Explanation, Vec<usize>)> = Vec::new();
        while !left.is_empty() {
            let best = self.best_rule(&left);
            let (rule, mut members) = match best {
                Some((rule, score)) if score >= WEAK => {
                    let of_rule = left.iter().copied().filter(|&at| self.failures[at].suspects.contains_key(rule));
                    (Some(rule), of_rule.collect::<BTreeSet<usize>>())
                }
                _ => {
                    let members = self.of_commonest_symptom(&left);
                    (self.named(&members), members)
                }
            };
            left.retain(|at| !members.contains(at));
            self.absorb(&mut members, &mut left);
            found.push((Explanation { rule: rule.map(str::to_owned) }, members.into_iter().collect()));
        }
        found
    }

    /// A rule that is about what is wrong in all of some failures, however often it is followed elsewhere.
    fn named(&self, members: &BTreeSet<usize>) -> Option<&'r str> {
        let is_about = |rule: &&str| members.iter().all(|&at| self.failures[at].suspects.get(*rule) >= Some(&ABOUT));
        let first = members.first().map(|&at| self.failures[at].suspects.keys().copied()).into_iter().flatten();
        first.filter(is_about).max_by(|a, b| self.precision(a).total_cmp(&self.precision(b)).then_with(|| b.cmp(a)))
    }

    /// Failures that look like explained ones and have no better explanation.
    fn absorb(&self, members: &mut BTreeSet<usize>, left: &mut BTreeSet<usize>) {
        let shown: BTreeSet<&String> = members.iter().flat_map(|&at| &self.failures[at].symptoms).collect();
        let alike: BTreeSet<usize> =
            left.iter().copied().filter(|&at| self.failures[at].symptoms.iter().any(|s| shown.contains(s))).collect();
        let other = self.best_rule(left).filter(|(rule, score)| *score >= CERTAIN && self.precision(rule) >= CERTAIN);
        let of_other = |at: &usize| other.is_some_and(|(rule, _)| self.failures[*at].suspects.contains_key(rule));
        // A few that look the same are the same.
        let others = left.iter().filter(|at| of_other(at)).count();
        let is_few = (others as f64) < SHARE * members.len() as f64
            && left.iter().filter(|at| of_other(at)).all(|at| alike.contains(at));
        let kept = |at: &usize| !is_few && of_other(at);
        for at in alike.into_iter().filter(|at| !kept(at)) {
            left.remove(&at);
            members.insert(at);
        }
    }

    /// How many of the dumps that rely on a rule fail.
    fn precision(&self, rule: &str) -> f64 {
        let failed: f64 = self.failures.iter().filter_map(|failure| failure.suspects.get(rule)).sum();
        let followed = |failure: &&Failure<'_>| failure.followed.contains(rule) && !failure.suspects.contains_key(rule);
        let right = self.passed.get(rule).copied().unwrap_or_default() + self.failures.iter().filter(followed).count();
        failed / (failed + right as f64).max(1.0)
    }

    fn best_rule(&self, left: &BTreeSet<usize>) -> Option<(&'r str, f64)> {
        let mut counts: BTreeMap<&'r str, f64> = BTreeMap::new();
        for (rule, weight) in left.iter().flat_map(|&at| &self.failures[at].suspects) {
            *counts.entry(rule).or_default() += weight;
        }
        let score = |rule: &str, count: f64| (count / left.len() as f64 * self.precision(rule)).sqrt();
        let scored = counts.into_iter().map(|(rule, count)| (rule, score(rule, count)));
        scored.max_by(|(a, one), (b, other)| {
            one.total_cmp(other).then_with(|| self.relied(b).cmp(&self.relied(a))).then_with(|| b.cmp(a))
        })
    }

    /// How many dumps rely on a rule.
    fn relied(&self, rule: &str) -> usize {
        let failed =
            self.failures.iter().filter(|f| f.suspects.contains_key(rule) || f.followed.contains(rule)).count();
        failed + self.passed.get(rule).copied().unwrap_or_default()
    }

    fn of_commonest_symptom(&self, left: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for symptom in left.iter().flat_map(|&at| &self.failures[at].symptoms) {
            *counts.entry(symptom).or_default() += 1;
        }
        let commonest = counts.into_iter().max_by(|(a, one), (b, other)| one.cmp(other).then_with(|| b.cmp(a)));
        let Some((symptom, _)) = commonest else { return left.clone() };
        left.iter().copied().filter(|&at| self.failures[at].symptoms.contains(symptom)).collect()
    }
}
