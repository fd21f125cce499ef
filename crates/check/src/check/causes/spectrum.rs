//! Which rules explain the failures of an implementation.
//!
//! The causes are those by which the failures can be described most shortly (minimum description length). A description
//! names causes; of each its rule, which of the dumps that rely on the rule fail, and what is seen of them as far as the rule
//! does not say it. A cause more is worth what it costs only if it shortens the rest.

mod cost;

use std::collections::{BTreeMap, BTreeSet};

use cost::{Cluster, Costs};

use crate::check::causes::RuleCounts;
use crate::check::effort::Effort;
use crate::check::report::symptom::NO_FACTS;

/// What a rule is about: its id without the last part.
pub(super) fn topic(rule: &str) -> &str {
    rule.rsplit_once('.').map_or(rule, |(topic, _)| topic)
}

/// A failure.
#[cfg_attr(test, derive(Clone))]
pub(super) struct SpectrumFailure<'r> {
    /// What can be seen, and how well it goes with each rule of the bytes that were read wrongly: 1 where the rule is about
    /// it.
    pub(super) symptoms: BTreeMap<String, BTreeMap<&'r str, f64>>,
    /// All rules on which the dump relies.
    pub(super) relies: BTreeSet<&'r str>,
    /// Whether it is known where in the dump it comes from.
    pub(super) has_place: bool,
    /// Rules of bytes that were read rightly.
    pub(super) followed: BTreeSet<&'r str>,
    /// What can be seen as well and may follow from the symptoms.
    pub(super) implied: BTreeSet<String>,
    /// The symptoms that are seen in other places of the dump than the others.
    pub(super) apart: BTreeSet<String>,
    /// What a dump that is to be refused and was accepted has in common with others.
    pub(super) alike: Option<AcceptedAlike>,
    /// For how many failures that look alike it stands.
    pub(super) weight: f64,
}

/// What dumps have in common that are to be refused, where a reader accepts all or none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AcceptedAlike {
    /// The place where the header is broken. A reader that does not look at these bytes accepts whatever may stand there, and
    /// several rules can be broken by that.
    Header(u64),
    /// The rule by whose test readers keep the rule that is broken.
    Test(&'static str),
}

/// Failures with what explains them.
pub(super) struct Group<'r> {
    pub(super) rule: Option<&'r str>,
    /// Places among the failures.
    pub(super) members: Vec<usize>,
    /// What another cause has of them.
    pub(super) of_another: BTreeSet<String>,
    /// Whether these are all that is seen too seldom to be explained, of one kind.
    pub(super) is_rest: bool,
}

/// Failures, and how often each rule was followed.
pub(super) struct Spectrum<'r> {
    failures: Vec<SpectrumFailure<'r>>,
    counted: &'r RuleCounts,
}

/// The weight of a rule that is about the very fact that is wrong.
pub(super) const ABOUT: f64 = 1.0;
/// The share of the dumps that rely on a rule that have to fail for it to be named, where nothing says in which bytes the
/// failures come from.
const PLACELESS: f64 = 0.5;
/// Parts of what has one message are told apart if they have this number of cases...
const CASES: usize = 3;
/// ...and if that makes the description shorter by this.
const ANOTHER: f64 = 6.0;
/// The most symptoms that are explained, the commonest: comparing each with each takes the square of their number. A program that
/// says something else of each dump has as many as it wants.
pub(super) const SYMPTOMS: usize = 128;
/// What is no more than an error of rounding.
const ROUNDING: f64 = 1e-9;

impl<'r> Spectrum<'r> {
    pub(super) fn new(failures: Vec<SpectrumFailure<'r>>, counted: &'r RuleCounts) -> Spectrum<'r> {
        Spectrum { failures, counted }
    }

    /// Groups of failures with one cause. A failure is in several if it has symptoms of each. Once the effort is over, what is
    /// not explained yet stays as it is seen.
    pub(super) fn groups(&self, effort: &Effort<'_>) -> Vec<Group<'r>> {
        let costs = Costs::new(&self.failures, self.counted);
        let (commonest, rest) = costs.commonest(SYMPTOMS);
        let mut clusters: Vec<Cluster> =
            commonest.into_iter().flat_map(|tokens| parts(&costs, tokens, effort)).collect();
        merge(&costs, &mut clusters, effort);
        let mut of_kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for token in rest.into_iter().flatten() {
            of_kinds.entry(kind(costs.tokens[token].name)).or_default().push(token);
        }
        let explained = clusters.iter().map(|cluster| self.group(&costs, cluster));
        let rest = of_kinds.into_values().map(Cluster::unexplained);
        explained.chain(rest.map(|cluster| Group { is_rest: true, ..self.group(&costs, &cluster) })).collect()
    }

    fn group(&self, costs: &Costs<'_, 'r>, cluster: &Cluster) -> Group<'r> {
        let members: BTreeSet<usize> = cluster.tokens.iter().map(|&token| costs.tokens[token].case).collect();
        let own: BTreeSet<&str> = cluster.tokens.iter().map(|&token| costs.tokens[token].name).collect();
        let shown = members.iter().flat_map(|&at| self.failures[at].symptoms.keys());
        let of_another = shown.filter(|symptom| !own.contains(symptom.as_str())).cloned().collect();
        let rule = cluster.rule.map(|rule| costs.rules[rule]).filter(|rule| self.is_named(rule, &members));
        Group { rule, members: members.into_iter().collect(), of_another, is_rest: false }
    }

    /// Whether a rule is worth to be named.
    fn is_named(&self, rule: &str, members: &BTreeSet<usize>) -> bool {
        if members.iter().any(|&at| self.failures[at].has_place) {
            return true;
        }
        let passed = self.counted.passed.get(rule).copied().unwrap_or_default() as f64;
        let relying = members.iter().filter(|&&at| self.failures[at].relies.contains(rule));
        let failed: f64 = relying.map(|&at| self.failures[at].weight).sum();
        // Where nothing is read rightly, every rule explains all.
        !self.counted.passed.is_empty() && failed >= PLACELESS * (failed + passed)
    }
}

/// What has one symptom, in parts that different rules explain much better than any rule explains all. A fact says itself
/// what is wrong; a message, or a place in a program, may stand for several mistakes.
fn parts(costs: &Costs<'_, '_>, tokens: Vec<usize>, effort: &Effort<'_>) -> Vec<Cluster> {
    if effort.is_over() {
        return vec![Cluster::unexplained(tokens)];
    }
    let mut rest = costs.cluster(tokens);
    if rest.tokens.first().is_none_or(|&token| is_fact(costs.tokens[token].name)) {
        return vec![rest];
    }
    let mut parts = Vec::new();
    // One that stands for many says no more of the rules than any other.
    let another = ANOTHER * costs.weight(&rest.tokens).max(1.0);
    loop {
        let mut best: Option<(f64, Cluster, Cluster)> = None;
        for rule in (0..costs.rules.len()).take_while(|_| !effort.is_over()) {
            let (own, other): (Vec<usize>, Vec<usize>) =
                rest.tokens.iter().partition(|token| costs.tokens[**token].is_suspect[rule]);
            if own.len() < CASES || other.is_empty() {
                continue;
            }
            let (own, other) = (costs.cluster(own), costs.cluster(other));
            let longer = own.cost + other.cost - rest.cost + another;
            if longer < best.as_ref().map_or(0.0, |(least, ..)| *least) - ROUNDING {
                best = Some((longer, own, other));
            }
        }
        let Some((_, own, other)) = best else { break };
        parts.push(own);
        rest = other;
    }
    parts.push(rest);
    parts
}

/// Makes one cause of two, those first where that shortens the description most, as long as it does.
fn merge(costs: &Costs<'_, '_>, clusters: &mut Vec<Cluster>, effort: &Effort<'_>) {
    let longer = |one: &Cluster, other: &Cluster| costs.merged(one, other).cost - one.cost - other.cost;
    // Of each cluster, with those before it.
    let mut all: Vec<Vec<f64>> = Vec::new();
    for (at, one) in clusters.iter().enumerate() {
        if effort.is_over() {
            return;
        }
        all.push(clusters[..at].iter().map(|other| longer(other, one)).collect());
    }
    loop {
        let mut best = (-ROUNDING, None);
        for (at, row) in all.iter().enumerate() {
            for (before, &longer) in row.iter().enumerate() {
                if longer < best.0 - ROUNDING {
                    best = (longer, Some((before, at)));
                }
            }
        }
        let Some((kept, gone)) = best.1.filter(|_| !effort.is_over()) else { return };
        let other = clusters.remove(gone);
        all.remove(gone);
        all.iter_mut().skip(gone).for_each(|row| _ = row.remove(gone));
        clusters[kept] = costs.merged(&clusters[kept], &other);
        for at in (0..clusters.len()).filter(|at| *at != kept) {
            let longer = longer(&clusters[at], &clusters[kept]);
            all[at.max(kept)][at.min(kept)] = longer;
        }
    }
}

/// Whether a symptom is a fact that is wrong.
pub(super) fn is_fact(symptom: &str) -> bool {
    !NO_FACTS.contains(&kind(symptom))
}

/// The fact that is wrong, or the kind of message.
fn kind(symptom: &str) -> &str {
    symptom.split_once(": ").map_or(symptom, |(kind, _)| kind)
}

#[cfg(test)]
mod tests;
