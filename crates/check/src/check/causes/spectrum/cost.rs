//! How long the description of failures is, in nats. What the constants are worth was found by trying: on the
//! bugs of tests/bank, alone and in pairs; docs/causes.md says what comes of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::causes::RuleCounts;
use crate::check::causes::spectrum::{AcceptedAlike, SpectrumFailure, topic};
use crate::check::report::symptom::{ACCEPTED, READING};
use heapsmith_core::model::count_step;

/// A cause more.
const CAUSE: f64 = 2.2;
/// How much a rule costs that goes badly with a symptom, as a power of its weight.
const FIT: f64 = 1.5;
/// A symptom where the dump relies on the rule, but not those bytes that were read wrongly; and where it does not.
const ELSEWHERE: f64 = 3.5;
const NOWHERE: f64 = 8.0;
/// A symptom beside the most frequent one, where no rule explains either.
const WITHOUT_RULE: f64 = 6.5;
/// The same of a dump that is accepted although it breaks a rule, and of one that is read another way than declared: this says which
/// rule is broken, and not what was read wrongly. A rule on the same topic is likelier than others.
const ACCEPTED_ELSEWHERE: f64 = 0.8;
const READING_ELSEWHERE: f64 = 0.2;
const ACCEPTED_TOPIC: f64 = 1.2;
const ACCEPTED_NOWHERE: f64 = 7.0;
/// The most that a symptom costs beside another one of the same case, where the rule is a suspect of it or is not.
const BESIDE: f64 = 0.8;
const BESIDE_OTHER: f64 = 1.0;
/// The same of a symptom that is seen in another place.
const APART: f64 = 3.5;
/// Which dumps fail of those that rely on a rule, as a part of what it takes to list them: a reader that does not follow a rule
/// gets only some of them wrong, but one that does not look whether it is broken accepts nearly all.
const LISTED: f64 = 0.45;
const LISTED_ACCEPTED: f64 = 0.9;
/// A case that does not rely on the rule, as a part of what it takes to point at it.
const POINTED: f64 = 0.2;
/// How much it costs that a cause shows in different messages, beyond what is free: 50 cases with two messages, as often the one as
/// the other.
const MIXED: f64 = 3.0;
const FREE: f64 = 35.0;
/// How much a failure of another cause counts among the dumps that rely on a rule: one may hide another.
const HIDDEN: f64 = 0.4;

/// Where nearly all dumps rely on a rule, it is nothing special that none of them is read.
const NEARLY_ALL: f64 = 0.9;

/// Which of fewer dumps fail says little: a rule that goes with the failure is named all the same.
const DUMPS: f64 = 100.0;

/// A symptom of a case.
pub(super) struct SymptomToken<'s> {
    pub(super) case: usize,
    pub(super) name: &'s str,
    /// Those that are alike have the same number.
    symptom: usize,
    /// Whether it is seen in another place of the dump than the others of its case.
    is_apart: bool,
    /// What it costs under each rule.
    costs: Vec<f64>,
    pub(super) is_suspect: Vec<bool>,
}

/// Symptoms with one cause.
pub(super) struct Cluster {
    pub(super) tokens: Vec<usize>,
    pub(super) cost: f64,
    /// The rule by which they are described most shortly.
    pub(super) rule: Option<usize>,
}

impl Cluster {
    /// Tokens that no rule was looked for.
    pub(super) fn unexplained(tokens: Vec<usize>) -> Cluster {
        Cluster { tokens, cost: f64::INFINITY, rule: None }
    }
}

/// What is known of all failures.
pub(super) struct Costs<'s, 'r> {
    failures: &'s [SpectrumFailure<'r>],
    pub(super) rules: Vec<&'r str>,
    pub(super) tokens: Vec<SymptomToken<'s>>,
    /// Whether a case relies on a rule.
    relies: Vec<Vec<bool>>,
    /// How many failures do, and how many dumps that are read rightly.
    failed: Vec<f64>,
    passed: Vec<f64>,
    /// Whether one of these was not refused.
    read: Vec<bool>,
    /// The numbers of the symptoms that may follow from others of a case.
    implied: Vec<BTreeSet<usize>>,
    /// How many dumps there are.
    all: f64,
}

impl<'s, 'r> Costs<'s, 'r> {
    pub(super) fn new(failures: &'s [SpectrumFailure<'r>], counted: &RuleCounts) -> Costs<'s, 'r> {
        let suspects = |failure: &SpectrumFailure<'r>| -> BTreeSet<&'r str> {
            failure.symptoms.values().flat_map(|rules| rules.keys().copied()).collect()
        };
        let rules: Vec<&'r str> = failures.iter().flat_map(suspects).collect::<BTreeSet<_>>().into_iter().collect();
        // What is accepted for the same reason is alike, whichever rules it breaks.
        let mut of_alike: BTreeMap<AcceptedAlike, BTreeSet<&'r str>> = BTreeMap::new();
        for failure in failures {
            if let Some(alike) = failure.alike {
                of_alike.entry(alike).or_default().extend(suspects(failure));
            }
        }
        let mut numbers: BTreeMap<(Option<AcceptedAlike>, &str), usize> = BTreeMap::new();
        let mut tokens = Vec::new();
        for (case, failure) in failures.iter().enumerate() {
            let of_others = failure.alike.and_then(|alike| of_alike.get(&alike));
            for (name, suspects) in &failure.symptoms {
                let next = numbers.len();
                let named = if failure.alike.is_some() { "" } else { name };
                let symptom = *numbers.entry((failure.alike, named)).or_insert(next);
                let weight = |rule: &&'r str| match suspects.get(rule) {
                    Some(weight) => Some(*weight),
                    None => of_others.filter(|rules| rules.contains(rule)).map(|_| 0.6),
                };
                let cost = |rule: &&'r str| match weight(rule) {
                    Some(weight) => -FIT * weight.clamp(0.01, 1.0).ln(),
                    None => no_suspect(failure, name, suspects, rule),
                };
                let costs = rules.iter().map(cost).collect();
                let is_suspect = rules.iter().map(|rule| weight(rule).is_some()).collect();
                let is_apart = failure.apart.contains(name);
                tokens.push(SymptomToken { case, name, symptom, is_apart, costs, is_suspect });
            }
        }
        let relies: Vec<Vec<bool>> = failures
            .iter()
            .map(|failure| {
                let suspects = suspects(failure);
                rules.iter().map(|rule| failure.relies.contains(rule) || suspects.contains(rule)).collect()
            })
            .collect();
        let count = |rule: usize| -> f64 {
            failures.iter().zip(&relies).filter(|(_, relies)| relies[rule]).map(|(failure, _)| failure.weight).sum()
        };
        let failed = (0..rules.len()).map(count).collect();
        let right = |rule: &&str| counted.passed.get(*rule).copied().unwrap_or_default() as f64;
        let number = |symptom: &String| numbers.get(&(None, symptom.as_str())).copied();
        let implied = failures.iter().map(|failure| failure.implied.iter().filter_map(number).collect()).collect();
        let most = counted.passed.values().copied().max().unwrap_or_default() as f64;
        let all = most + failures.iter().map(|failure| failure.weight).sum::<f64>();
        let passed = rules.iter().map(right).collect();
        let read = rules.iter().map(|rule| counted.read.contains(*rule)).collect();
        Costs { failures, rules, tokens, relies, failed, passed, read, implied, all }
    }

    /// All tokens, those of one symptom together: first those of the symptoms with the most failures, then the rest.
    pub(super) fn commonest(&self, most: usize) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, token) in self.tokens.iter().enumerate() {
            all.entry(token.symptom).or_default().push(at);
        }
        let mut by_weight: Vec<(usize, f64)> = all.iter().map(|(&symptom, of)| (symptom, self.total(of))).collect();
        by_weight.sort_by(|a, b| b.1.total_cmp(&a.1));
        let commonest: BTreeSet<usize> = by_weight.into_iter().take(most).map(|(symptom, _)| symptom).collect();
        let (commonest, rest): (BTreeMap<_, _>, BTreeMap<_, _>) =
            all.into_iter().partition(|(symptom, _)| commonest.contains(symptom));
        (commonest.into_values().collect(), rest.into_values().collect())
    }

    /// For how many failures tokens stand.
    fn total(&self, tokens: &[usize]) -> f64 {
        tokens.iter().map(|&token| self.failures[self.tokens[token].case].weight).sum()
    }

    /// For how many failures a symptom stands, on average.
    pub(super) fn weight(&self, tokens: &[usize]) -> f64 {
        self.total(tokens) / tokens.len().max(1) as f64
    }

    pub(super) fn merged(&self, one: &Cluster, other: &Cluster) -> Cluster {
        let mut tokens: Vec<usize> = one.tokens.iter().chain(&other.tokens).copied().collect();
        tokens.sort_unstable();
        self.cluster(tokens)
    }

    /// Tokens, in ascending order, with the rule that describes them most shortly.
    pub(super) fn cluster(&self, tokens: Vec<usize>) -> Cluster {
        let shown: BTreeSet<usize> = tokens.iter().map(|&token| self.tokens[token].symptom).collect();
        let is_accepted = tokens.iter().all(|&token| self.tokens[token].name.starts_with(ACCEPTED));
        let cases: Vec<&[usize]> = tokens.chunk_by(|a, b| self.tokens[*a].case == self.tokens[*b].case).collect();
        let mixed = self.mixed(&cases);
        let (mut cost, mut best) = (self.without_rule(&tokens, &cases) + mixed, None);
        for rule in 0..self.rules.len() {
            // What is accepted says which rules are not looked at. That others are broken would be wrong.
            if is_accepted && !tokens.iter().any(|&token| self.tokens[token].is_suspect[rule]) {
                continue;
            }
            let (mut of_rule, mut relying, mut followed) = (0.0, 0.0, 0.0);
            for tokens in &cases {
                count_step();
                let case = self.tokens[tokens[0]].case;
                let SpectrumFailure { weight, followed: right, .. } = &self.failures[case];
                let least = self.least(tokens, rule, self.implied[case].is_disjoint(&shown));
                of_rule += weight * least;
                if self.relies[case][rule] {
                    relying += weight;
                } else if !tokens.iter().all(|&token| is_verdict(self.tokens[token].name)) {
                    of_rule += weight * POINTED * self.all.max(2.0).ln();
                }
                let is_suspect = tokens.iter().any(|&token| self.tokens[token].is_suspect[rule]);
                followed += if !is_suspect && right.contains(self.rules[rule]) { *weight } else { 0.0 };
            }
            let others = HIDDEN * (self.failed[rule] - relying);
            let listed = if is_accepted { LISTED_ACCEPTED } else { LISTED };
            // A reader that reads no dump that relies on the rule has lost its place there, and ends anywhere. That it refuses dumps that
            // are to be refused then says nothing.
            let is_lost = !is_accepted && !self.read[rule] && followed == 0.0 && relying < NEARLY_ALL * self.all;
            let right = if is_lost { 0.0 } else { self.passed[rule] + followed };
            of_rule += listed * ways(relying, right + others);
            of_rule += if is_lost { 0.0 } else { mixed };
            if of_rule < cost - super::ROUNDING {
                (cost, best) = (of_rule, Some(rule));
            }
        }
        Cluster { cost: cost + CAUSE, tokens, rule: best }
    }

    /// Which message each case of a cause shows, or that facts are wrong: no rule says that. One mistake makes a program end in some
    /// places, so that as much as that costs nothing.
    fn mixed(&self, cases: &[&[usize]]) -> f64 {
        let mut counts: BTreeMap<Option<usize>, f64> = BTreeMap::new();
        for tokens in cases {
            let message = tokens.iter().map(|&token| &self.tokens[token]).find(|token| !super::is_fact(token.name));
            let weight = self.failures[self.tokens[tokens[0]].case].weight;
            *counts.entry(message.map(|token| token.symptom)).or_default() += weight;
        }
        let all: f64 = counts.values().sum();
        let mixed: f64 = counts.values().map(|count| count * (all / count).ln()).sum();
        MIXED * (mixed - FREE).max(0.0)
    }

    /// What the symptoms of a case cost under a rule: one in full, others less beside it.
    fn least(&self, tokens: &[usize], rule: usize, is_first_hand: bool) -> f64 {
        let cost = |&token: &usize| {
            let cost = self.tokens[token].costs[rule];
            if is_first_hand { cost } else { cost.min(BESIDE) }
        };
        let beside = |token: &usize| {
            let most = match &self.tokens[*token] {
                SymptomToken { is_apart: true, .. } => APART,
                of if of.is_suspect[rule] => BESIDE,
                _ => BESIDE_OTHER,
            };
            cost(token).min(most)
        };
        let all: f64 = tokens.iter().map(beside).sum();
        // The one that costs least is paid in full.
        let in_full = tokens.iter().map(|token| (cost(token), cost(token) - beside(token)));
        all + in_full.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0.0, |(_, more)| more)
    }

    /// Without a rule any dump may fail, and with one symptom.
    fn without_rule(&self, tokens: &[usize], cases: &[&[usize]]) -> f64 {
        let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
        let weight = |token: usize| self.failures[self.tokens[token].case].weight;
        for &token in tokens {
            *counts.entry(self.tokens[token].symptom).or_default() += weight(token);
        }
        let most = counts.values().copied().fold(0.0, f64::max);
        let others = counts.values().sum::<f64>() - most;
        let failed: f64 = cases.iter().map(|tokens| weight(tokens[0])).sum();
        others * WITHOUT_RULE + ways(failed, self.all.max(DUMPS) - failed)
    }
}

/// What a symptom costs under a rule that is no suspect of it.
fn no_suspect(failure: &SpectrumFailure<'_>, name: &str, suspects: &BTreeMap<&str, f64>, rule: &str) -> f64 {
    match (is_verdict(name), failure.relies.contains(rule)) {
        (false, true) => ELSEWHERE,
        (false, false) => NOWHERE,
        (true, true) if name.starts_with(READING) => READING_ELSEWHERE,
        (true, true) => ACCEPTED_ELSEWHERE,
        (true, false) if suspects.keys().any(|suspect| same_topic(suspect, rule)) => ACCEPTED_TOPIC,
        (true, false) => ACCEPTED_NOWHERE,
    }
}

/// Whether a symptom says which rule was broken, and not what was read wrongly.
fn is_verdict(symptom: &str) -> bool {
    symptom.starts_with(ACCEPTED) || symptom.starts_with(READING)
}

/// Whether two rules are about the same. Those of the file as a whole have nothing in common.
fn same_topic(one: &str, other: &str) -> bool {
    topic(one) == topic(other) && !topic(one).ends_with(".file")
}

/// The logarithm of the number of ways to choose a number of things among them and others.
fn ways(chosen: f64, others: f64) -> f64 {
    let others = others.max(0.0);
    (ln_factorial(chosen + others) - ln_factorial(chosen) - ln_factorial(others)).max(0.0)
}

/// The logarithm of a factorial, by Stirling's series.
fn ln_factorial(number: f64) -> f64 {
    let (mut at, mut sum) = (number + 1.0, 0.0);
    while at < 8.0 {
        sum -= at.ln();
        at += 1.0;
    }
    sum + (at - 0.5) * at.ln() - at + 0.5 * std::f64::consts::TAU.ln() + 1.0 / (12.0 * at) - 1.0 / (360.0 * at.powi(3))
}

#[cfg(test)]
mod tests {
    use crate::check::causes::spectrum::cost::ways;

    #[test]
    fn computes_log_of_binomial_coefficient() {
        for (chosen, others, count) in [(2.0, 3.0, 10.0), (1.0, 0.0, 1.0), (0.0, 4.0, 1.0), (5.0, 15.0, 15504.0_f64)] {
            assert!((ways(chosen, others) - count.ln()).abs() < 1e-6, "{chosen} of {others} more");
        }
    }
}
