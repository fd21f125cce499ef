//! Which rules explain the failures of an implementation.

use std::collections::{BTreeMap, BTreeSet};

use super::symptom::NO_FACTS;

/// A failure.
#[cfg_attr(test, derive(Clone))]
pub(super) struct Failure<'r> {
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
    /// Where the header is broken of a dump that is to be refused and was accepted.
    pub(super) broken: Option<u64>,
    /// For how many failures that look alike it stands.
    pub(super) weight: f64,
}

/// Failures with what explains them.
pub(super) struct Group<'r> {
    pub(super) rule: Option<&'r str>,
    /// Places among the failures.
    pub(super) members: Vec<usize>,
    /// What another cause has of them.
    pub(super) of_another: BTreeSet<String>,
}

/// Failures, and how often each rule was followed.
pub(super) struct Spectrum<'r> {
    failures: Vec<Failure<'r>>,
    /// How many dumps rely on a rule that were read rightly.
    passed: &'r BTreeMap<String, u64>,
}

/// A rule that explains less than this is named only where it is about what is wrong.
const WEAK: f64 = 0.25;
/// The same, where nothing says in which bytes the failures come from.
const PLACELESS: f64 = 0.7;
/// How much a failure counts against a rule on which its dump relies and that shows something else: one may hide another.
const HIDDEN: f64 = 0.3;
/// What is seen beside a cause has another one if a rule explains nearly all of it and nearly nothing else...
const CERTAIN: f64 = 0.9;
/// ...in this number of cases, and clearly better than the first one's.
const CASES: usize = 3;
const BETTER: f64 = 0.85;
/// ...or where the first one's explains it poorly beside another.
const POOR: f64 = 0.5;
/// A message, or a place in a program, of fewer cases has another cause where the first one's rule hardly explains it beside
/// another.
const FAINT: f64 = 1.0 / 3.0;
/// The weight of a rule that is about the very fact that is wrong.
pub(super) const ABOUT: f64 = 1.0;

impl<'r> Spectrum<'r> {
    pub(super) fn new(failures: Vec<Failure<'r>>, passed: &'r BTreeMap<String, u64>) -> Spectrum<'r> {
        Spectrum { failures, passed }
    }

    /// Groups of failures with one cause: each failure is in one, that of the more frequent cause, and in others whose
    /// symptoms that one hides.
    pub(super) fn groups(&self) -> Vec<Group<'r>> {
        let mut left: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (at, failure) in self.failures.iter().enumerate() {
            failure.symptoms.keys().for_each(|symptom| _ = left.entry(symptom).or_default().insert(at));
        }
        let mut explained: BTreeSet<usize> = BTreeSet::new();
        let mut groups = Vec::new();
        // What has a case of its own that nothing explains.
        while let Some(symptom) = commonest(&left, &explained) {
            let seen = left.remove(symptom).unwrap_or_default();
            let best = self.best_rule(symptom, &seen);
            let rule = match best {
                Some((rule, score)) if score >= self.enough(&seen) => Some(rule),
                _ => self.about(symptom, &seen),
            };
            if rule.is_none()
                && let Some((rule, part)) = self.part(symptom, &seen)
            {
                let rest: BTreeSet<usize> = seen.difference(&part).copied().collect();
                if !rest.is_empty() {
                    left.insert(symptom, rest);
                }
                let members: Vec<usize> = part.into_iter().filter(|at| explained.insert(*at)).collect();
                if !members.is_empty() {
                    groups.push(Group::new(Some(rule), members));
                }
                continue;
            }
            let mut members = seen;
            let mut shown = vec![symptom];
            loop {
                let belongs = |other: &str, of_other| self.belongs(rule, &members, &shown, other, of_other);
                let alike = left.iter().find(|(other, of_other)| belongs(other, of_other));
                let Some(alike) = alike.map(|(alike, _)| *alike) else { break };
                shown.push(alike);
                members.extend(left.remove(alike).unwrap_or_default());
            }
            let members: Vec<usize> = members.into_iter().filter(|at| explained.insert(*at)).collect();
            groups.push(Group::new(rule, members));
        }
        self.uncover(left, groups)
    }

    /// Groups, and those of symptoms that others hide: each failure that shows one is in a larger group, the rule of which
    /// is not about it.
    fn uncover(&self, left: BTreeMap<&str, BTreeSet<usize>>, mut groups: Vec<Group<'r>>) -> Vec<Group<'r>> {
        let mut uncovered: BTreeMap<&str, (BTreeSet<usize>, BTreeSet<String>)> = BTreeMap::new();
        for (symptom, seen) in left {
            let mut over = groups.iter().filter(|group| group.members.iter().any(|at| seen.contains(at)));
            let is_hidden = over.all(|group| self.is_hidden(group.rule, symptom, &seen));
            if is_hidden && let Some((rule, _)) = self.best_rule(symptom, &seen) {
                let (members, symptoms) = uncovered.entry(rule).or_default();
                members.extend(seen);
                symptoms.insert(symptom.to_owned());
            }
        }
        let hidden: BTreeSet<String> = uncovered.values().flat_map(|(_, symptoms)| symptoms).cloned().collect();
        for group in &mut groups {
            let own = group.rule.and_then(|rule| uncovered.remove(rule));
            let (members, own) = own.unwrap_or_default();
            let more: Vec<usize> = members.into_iter().filter(|at| !group.members.contains(at)).collect();
            group.members.extend(more);
            group.of_another = hidden.difference(&own).cloned().collect();
        }
        groups.extend(uncovered.into_iter().map(|(rule, (members, own))| {
            let all = members.iter().flat_map(|&at| self.failures[at].symptoms.keys());
            let of_another = all.filter(|symptom| !own.contains(*symptom)).cloned().collect();
            Group { of_another, ..Group::new(Some(rule), members.into_iter().collect()) }
        }));
        groups
    }

    /// How well a rule has to explain failures to be named.
    fn enough(&self, seen: &BTreeSet<usize>) -> f64 {
        match seen.iter().any(|&at| self.failures[at].has_place) {
            true => WEAK,
            // Where nothing is read rightly, every rule explains all.
            false if self.passed.is_empty() => f64::INFINITY,
            false => PLACELESS,
        }
    }

    /// Whether a symptom has the cause of others: it is never seen without them, or no other rule explains it better. Of a
    /// fact that is wrong in another way than theirs, that has to be nearly certain.
    fn belongs(
        &self,
        rule: Option<&str>,
        members: &BTreeSet<usize>,
        shown: &[&str],
        symptom: &str,
        seen: &BTreeSet<usize>,
    ) -> bool {
        if seen.is_subset(members) {
            return !self.is_hidden(rule, symptom, seen);
        }
        let best = self.best_rule(symptom, seen);
        let is_certain = best.is_some_and(|(best, _)| self.is_certain(symptom, seen, best));
        if self.is_same_place(members, seen) || !is_certain && self.is_implied(shown, seen) {
            return true;
        }
        let Some(rule) = rule else { return false };
        let score = self.score(symptom, seen, rule);
        let Some((best, of_best)) = best.filter(|_| score > 0.0) else { return false };
        let is_fact = !NO_FACTS.contains(&kind(symptom));
        let is_alike = shown.iter().any(|shown| is_same_fact(shown, symptom));
        let least = match (seen.len() >= CASES, is_certain) {
            _ if best == rule => 0.0,
            (true, true) => BETTER,
            (true, false) if is_alike => 0.0,
            (true, false) => POOR,
            (false, _) if is_fact => 0.0,
            (false, _) => FAINT,
        };
        score >= least * of_best
    }

    /// Whether a symptom that is never seen without others comes from something else: the rule of the others is not about
    /// it, and another explains it nearly perfectly.
    fn is_hidden(&self, rule: Option<&str>, symptom: &str, seen: &BTreeSet<usize>) -> bool {
        seen.len() >= CASES
            && !NO_FACTS.contains(&kind(symptom))
            && rule.is_none_or(|rule| self.score(symptom, seen, rule) == 0.0)
            && self.best_rule(symptom, seen).is_some_and(|(best, _)| self.is_certain(symptom, seen, best))
    }

    /// Whether dumps are accepted although their headers are broken, where those of others are.
    fn is_same_place(&self, members: &BTreeSet<usize>, seen: &BTreeSet<usize>) -> bool {
        let places =
            |of: &BTreeSet<usize>| of.iter().map(|&at| self.failures[at].broken).collect::<Option<BTreeSet<u64>>>();
        let of_members: BTreeSet<u64> = members.iter().filter_map(|&at| self.failures[at].broken).collect();
        places(seen).is_some_and(|own| !own.is_empty() && own.is_subset(&of_members))
    }

    /// Whether failures show what others do, only that it may follow from what else they show.
    fn is_implied(&self, shown: &[&str], seen: &BTreeSet<usize>) -> bool {
        shown.iter().any(|&shown| seen.iter().all(|&at| self.failures[at].implied.contains(shown)))
    }

    /// Whether nearly every dump that relies on a rule shows the symptom, and nearly no other.
    fn is_certain(&self, symptom: &str, seen: &BTreeSet<usize>, rule: &str) -> bool {
        let suspects = seen.iter().filter(|&&at| self.failures[at].symptoms[symptom].contains_key(rule));
        let of_rule = self.weight(suspects);
        let others = self.failures.iter().enumerate().filter(|(at, _)| !seen.contains(at));
        let others = others.filter(|(_, failure)| failure.relies.contains(rule)).map(|(_, failure)| failure.weight);
        let right = self.passed.get(rule).copied().unwrap_or_default() as f64 + others.sum::<f64>();
        of_rule >= CERTAIN * self.weight(seen) && of_rule >= CERTAIN * (of_rule + right)
    }

    /// What is seen in all dumps that rely on a rule, and also in others: the rule of most failures, and these.
    fn part(&self, symptom: &str, seen: &BTreeSet<usize>) -> Option<(&'r str, BTreeSet<usize>)> {
        let suspects = |at: usize| self.failures[at].symptoms[symptom].keys().copied();
        let rules: BTreeSet<&'r str> = seen.iter().flat_map(|&at| suspects(at)).collect();
        let parts = rules.into_iter().map(|rule| {
            let part: BTreeSet<usize> =
                seen.iter().copied().filter(|&at| self.failures[at].symptoms[symptom].contains_key(rule)).collect();
            (rule, part)
        });
        let parts = parts.filter(|(rule, part)| part.len() >= CASES && self.is_certain(symptom, part, rule));
        let score = |(rule, part): &(&'r str, BTreeSet<usize>)| self.score(symptom, part, rule);
        parts.max_by(|a, b| {
            a.1.len().cmp(&b.1.len()).then_with(|| score(a).total_cmp(&score(b))).then_with(|| b.0.cmp(a.0))
        })
    }

    /// A rule that is about what is wrong in all of some failures, however often it is followed elsewhere.
    fn about(&self, symptom: &str, seen: &BTreeSet<usize>) -> Option<&'r str> {
        let is_about =
            |rule: &&str| seen.iter().all(|&at| self.failures[at].symptoms[symptom].get(*rule) >= Some(&ABOUT));
        let first = seen.first().map(|&at| self.failures[at].symptoms[symptom].keys().copied());
        let all = first.into_iter().flatten().filter(is_about);
        all.max_by(|a, b| {
            let [one, other] = [a, b].map(|rule| self.score(symptom, seen, rule));
            one.total_cmp(&other).then_with(|| b.cmp(a))
        })
    }

    fn best_rule(&self, symptom: &str, seen: &BTreeSet<usize>) -> Option<(&'r str, f64)> {
        let rules: BTreeSet<&'r str> =
            seen.iter().flat_map(|&at| self.failures[at].symptoms[symptom].keys().copied()).collect();
        let scored = rules.into_iter().map(|rule| (rule, self.score(symptom, seen, rule)));
        scored.max_by(|(a, one), (b, other)| {
            one.total_cmp(other).then_with(|| self.relied(b).cmp(&self.relied(a))).then_with(|| b.cmp(a))
        })
    }

    /// How well a rule explains that something is seen in some failures: the geometric mean of the share that it is a
    /// suspect of, and of the share that they are of all dumps that rely on it.
    fn score(&self, symptom: &str, seen: &BTreeSet<usize>, rule: &str) -> f64 {
        let of = |failure: &Failure<'_>| failure.symptoms[symptom].get(rule).map(|part| part * failure.weight);
        let of_rule: f64 = seen.iter().filter_map(|&at| of(&self.failures[at])).sum();
        let mut against = self.passed.get(rule).copied().unwrap_or_default() as f64;
        for (at, failure) in self.failures.iter().enumerate() {
            let is_suspect = seen.contains(&at) && failure.symptoms[symptom].contains_key(rule);
            if !is_suspect && failure.followed.contains(rule) {
                against += failure.weight;
            } else if !seen.contains(&at) && failure.relies.contains(rule) {
                against += HIDDEN * failure.weight;
            }
        }
        if of_rule == 0.0 { 0.0 } else { (of_rule / self.weight(seen) * of_rule / (of_rule + against)).sqrt() }
    }

    /// For how many failures some of them stand.
    fn weight<'a>(&self, of: impl IntoIterator<Item = &'a usize>) -> f64 {
        of.into_iter().map(|&at| self.failures[at].weight).sum()
    }

    /// How many dumps rely on a rule.
    fn relied(&self, rule: &str) -> u64 {
        let failed = self.failures.iter().filter(|failure| failure.relies.contains(rule)).count() as u64;
        failed + self.passed.get(rule).copied().unwrap_or_default()
    }
}

impl<'r> Group<'r> {
    fn new(rule: Option<&'r str>, members: Vec<usize>) -> Group<'r> {
        Group { rule, members, of_another: BTreeSet::new() }
    }
}

/// Whether a symptom is a fact that is wrong.
pub(super) fn is_fact(symptom: &str) -> bool {
    !NO_FACTS.contains(&kind(symptom))
}

/// Whether a fact is wrong in two ways. Two messages, or two places in a program, are different things.
fn is_same_fact(one: &str, other: &str) -> bool {
    kind(one) == kind(other) && !NO_FACTS.contains(&kind(one))
}

/// The fact of a symptom, or what else comes before its colon.
fn kind(symptom: &str) -> &str {
    symptom.split_once(": ").map_or(symptom, |(kind, _)| kind)
}

/// The symptom that most cases show, of those that some unexplained case shows.
fn commonest<'s>(left: &BTreeMap<&'s str, BTreeSet<usize>>, explained: &BTreeSet<usize>) -> Option<&'s str> {
    let open = left.iter().filter(|(_, seen)| !seen.is_subset(explained));
    open.max_by(|(a, one), (b, other)| one.len().cmp(&other.len()).then_with(|| b.cmp(a))).map(|(symptom, _)| *symptom)
}

#[cfg(test)]
mod tests;
