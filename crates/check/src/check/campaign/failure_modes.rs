//! Failure modes of one symptom. Several mistakes may end a program at one place or with one message, or make one fact wrong, and a
//! reduced dump shows one of them. Nothing can be left out of it: a dump that shows the same, and lacks a rule on which the reduced
//! one relies, may show it in another way, and is reduced as well.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::check::campaign::state::ReducedDumpRecord;
use crate::check::campaign::totals::CampaignTotals;
use crate::check::causes::{cause_of, is_accepted};
use crate::check::report::symptom::symptoms_of;
use crate::check::report::{CaseFacts, CaseResult, Cause, Outcome};

/// The most modes of one symptom that are looked for in valid dumps, and in those that break a rule; no more than twice
/// as many dumps are reduced for them.
const MOST_VALID: usize = 5;
const MOST_BROKEN: usize = 3;
/// The rate, as a part of the family's usual one, at which dumps with a discriminating rule are read rightly at most...
const TELLING: f64 = 0.5;
/// ...and the least number of dumps that rely on it.
const DUMPS: u64 = 16;
/// The rate of a symptom among failures with a rule, as a multiple of the usual one, from which the rule discriminates
/// failures with this symptom.
const MANY_MORE: f64 = 2.0;

/// A failure that was kept.
pub(super) struct KeptFailure<'k> {
    pub(super) case: &'k CaseFacts,
    pub(super) result: &'k CaseResult,
    /// Its symptoms; empty where a dump was accepted that has to be refused: the rule that the dump breaks says what is
    /// wrong.
    symptoms: BTreeSet<String>,
}

impl KeptFailure<'_> {
    /// Whether the dump breaks a rule: it is to be refused, or may be.
    fn is_broken(&self) -> bool {
        self.case.verdict != "valid"
    }

    /// The commonest symptom of a cause that this failure shows.
    fn common_symptom<'c>(&self, cause: &'c Cause) -> Option<&'c String> {
        cause.symptoms.iter().map(|symptom| &symptom.what).find(|what| self.symptoms.contains(*what))
    }
}

/// The failures that were kept, by the ids of their cases.
pub(super) struct KeptFailures<'k> {
    pub(super) failures: BTreeMap<&'k str, KeptFailure<'k>>,
    pub(super) cases: BTreeMap<&'k str, &'k CaseFacts>,
}

impl<'k> KeptFailures<'k> {
    pub(super) fn new(results: &'k [CaseResult], cases: &'k [CaseFacts]) -> KeptFailures<'k> {
        let cases: BTreeMap<&str, &CaseFacts> = cases.iter().map(|case| (&*case.id, case)).collect();
        let one = |result: &'k CaseResult| {
            let case = *cases.get(&*result.id)?;
            let symptoms = if is_accepted(result) { BTreeSet::new() } else { symptoms_of(result) };
            Some((&*result.id, KeptFailure { case, result, symptoms }))
        };
        KeptFailures { failures: results.iter().filter_map(one).collect(), cases }
    }

    pub(super) fn failures_of<'s>(&'s self, cause: &'s Cause) -> impl Iterator<Item = &'s KeptFailure<'k>> {
        cause.cases.iter().filter_map(|id| self.failures.get(&**id))
    }
}

/// The features that a dump needs to show a failure, by a reduced dump.
struct FailureMode<'k> {
    shown: &'k ReducedDumpRecord,
    /// The rules on which it relies, or that it breaks, and that discriminate failures from other dumps.
    needs: BTreeSet<&'k str>,
}

/// The failure modes of all reduced dumps from which nothing more can be left out.
pub(super) struct FailureModes<'k> {
    all: Vec<FailureMode<'k>>,
    reduced: &'k [ReducedDumpRecord],
    telling: DiscriminatingRules,
}

impl<'k> FailureModes<'k> {
    pub(super) fn new(totals: &CampaignTotals, reduced: &'k [ReducedDumpRecord]) -> FailureModes<'k> {
        let telling = DiscriminatingRules::new(totals);
        let way = |shown: &'k ReducedDumpRecord| {
            let tells = |rule: &&str| shown.dump.shows.iter().any(|symptom| telling.discriminates(rule, symptom));
            let relies = shown.relies.iter().map(String::as_str).filter(tells);
            FailureMode { shown, needs: relies.chain(shown.broken.as_deref()).collect() }
        };
        let all = reduced.iter().filter(|shown| shown.is_least).map(way).collect();
        FailureModes { all, reduced, telling }
    }

    /// The reduced dump of a mode.
    pub(super) fn reduced_dump(&self, at: usize) -> &'k ReducedDumpRecord {
        self.all[at].shown
    }

    /// The mode that explains a failure: the one with most rules, and of several the one with the smallest dump.
    fn explaining_mode(&self, cause: &Cause, one: &KeptFailure<'_>) -> Option<usize> {
        let symptom = one.common_symptom(cause);
        let tells = |rule: &String| symptom.is_none_or(|symptom| self.telling.discriminates(rule, symptom));
        let tells = one.case.relies.iter().any(tells);
        let is_explaining = |way: &FailureMode<'_>| {
            // What takes nothing that tells says nothing of a dump that has such a thing, or breaks a rule.
            (!way.needs.is_empty() || !tells && !one.is_broken()) && way.explains(cause, one)
        };
        let explaining = (0..self.all.len()).filter(|&at| is_explaining(&self.all[at]));
        explaining.max_by_key(|&at| {
            let FailureMode { shown, needs } = &self.all[at];
            (needs.len(), Reverse((shown.dump.bytes, &shown.dump.sha256)))
        })
    }

    /// The failure to reduce next, and its symptom: one that no mode explains, with the smallest dump of its cause.
    /// Valid dumps come first; `passed_over` are not considered.
    pub(super) fn find_unexplained<'r>(
        &self,
        causes: &[Cause],
        kept: &KeptFailures<'r>,
        passed_over: &BTreeSet<String>,
    ) -> Option<(&'r CaseResult, String)> {
        let is_wanted = |cause: &Cause, one: &KeptFailure<'_>, is_broken: bool| {
            let Some(symptom) = one.common_symptom(cause) else { return false };
            let is_alike =
                |shown: &&ReducedDumpRecord| shown.broken.is_some() == is_broken && shown.dump.shows.contains(symptom);
            let most = if is_broken { MOST_BROKEN } else { MOST_VALID };
            // Dumps that take the same show one way.
            let dumps = self.reduced.iter().filter(is_alike).count();
            let larger = self.reduced.iter().filter(is_alike).filter(|shown| !shown.is_least).count();
            let ways: BTreeSet<&BTreeSet<&str>> =
                self.all.iter().filter(|way| is_alike(&way.shown)).map(|way| &way.needs).collect();
            one.result.is_unexpected()
                && one.is_broken() == is_broken
                && !passed_over.contains(&one.case.id)
                && ways.len() + larger < most
                && dumps < 2 * most
                && self.reduced.iter().all(|shown| shown.dump.of != one.case.id)
        };
        [false, true].into_iter().find_map(|is_broken| {
            causes.iter().filter(|cause| cause.unexpected > 0).find_map(|cause| {
                let wanted = kept.failures_of(cause).filter(|one| is_wanted(cause, one, is_broken));
                let left = wanted.filter(|one| self.explaining_mode(cause, one).is_none());
                let one = left.min_by_key(|one| (one.case.size, &one.case.id))?;
                Some((one.result, one.common_symptom(cause)?.clone()))
            })
        })
    }

    /// Splits a cause by failure modes. Failures without a mode stay with the largest part.
    pub(super) fn split(&self, cause: Cause, kept: &KeptFailures<'_>) -> Vec<(Cause, Option<usize>)> {
        let mut members: BTreeMap<Option<usize>, Vec<&CaseResult>> = BTreeMap::new();
        for one in kept.failures_of(&cause) {
            let way = self.explaining_mode(&cause, one).map(|at| self.first_equivalent(at));
            members.entry(way).or_default().push(one.result);
        }
        let rest = members.remove(&None).unwrap_or_default();
        let mut parts: Vec<(usize, Vec<&CaseResult>)> =
            members.into_iter().filter_map(|(way, members)| Some((way?, members))).collect();
        match &mut *parts {
            [] => return vec![(cause, None)],
            [(way, _)] => return vec![(cause, Some(*way))],
            parts => {
                let most = parts.iter_mut().max_by_key(|(way, members)| (members.len(), Reverse(*way)));
                most.into_iter().for_each(|(_, members)| members.extend(&rest));
            }
        }
        let shown: BTreeSet<&String> = cause.symptoms.iter().map(|symptom| &symptom.what).collect();
        let ways: Vec<usize> = parts.iter().map(|(way, _)| *way).collect();
        let of_way = |(way, members): (usize, Vec<&CaseResult>)| {
            let seen: BTreeSet<String> = members.iter().flat_map(|result| symptoms_of(result)).collect();
            let of_another = seen.into_iter().filter(|what| !shown.contains(what)).collect();
            (
                cause_of(
                    self.choose_rule(way, &ways, &cause, &members),
                    &members,
                    &of_another,
                    &BTreeSet::new(),
                    &kept.cases,
                ),
                Some(way),
            )
        };
        parts.into_iter().map(of_way).collect()
    }

    /// The first mode with the same rules and a symptom in common.
    fn first_equivalent(&self, at: usize) -> usize {
        let FailureMode { shown, needs } = &self.all[at];
        let is_alike = |other: &FailureMode<'_>| {
            other.needs == *needs
                && other.shown.broken == shown.broken
                && other.shown.dump.shows.iter().any(|what| shown.dump.shows.contains(what))
        };
        self.all.iter().position(is_alike).unwrap_or(at)
    }

    /// The rule of a part of a cause, of those of its mode: preferably one that the modes of other parts lack, then the
    /// cause's, one that the dump breaks, and the suspect of most failures.
    fn choose_rule(&self, way: usize, ways: &[usize], cause: &Cause, members: &[&CaseResult]) -> Option<&'k str> {
        let FailureMode { shown, needs } = &self.all[way];
        let count = |rule: &str| {
            let may_be = |result: &&&CaseResult| result.suspects.iter().any(|suspect| suspect.rule == rule);
            members.iter().filter(may_be).count()
        };
        let is_own = |rule: &str| ways.iter().all(|&other| other == way || !self.all[other].needs.contains(rule));
        let known = needs.iter().copied().filter(|rule| count(rule) > 0);
        known.max_by_key(|rule| {
            let is_of_cause = cause.rule.as_deref() == Some(*rule);
            (is_own(rule), is_of_cause, shown.broken.as_deref() == Some(*rule), count(rule), Reverse(*rule))
        })
    }
}

/// The rules that discriminate failures from other dumps.
struct DiscriminatingRules {
    rules: BTreeSet<String>,
    /// The failures whose dumps rely on such a rule, by symptom; and all failures.
    symptoms: BTreeMap<String, SymptomWeights>,
    all: SymptomWeights,
}

/// The number of failures by symptom.
#[derive(Default)]
struct SymptomWeights {
    count: f64,
    of: BTreeMap<String, f64>,
}

impl DiscriminatingRules {
    fn new(totals: &CampaignTotals) -> DiscriminatingRules {
        let rules: BTreeSet<String> = find_discriminating(totals).into_iter().map(str::to_owned).collect();
        let mut telling = DiscriminatingRules { rules, symptoms: BTreeMap::new(), all: SymptomWeights::default() };
        for alike in totals.failures.values() {
            for (failure, weight) in alike.smallest.iter().zip(alike.weights()) {
                let symptoms = symptoms_of(&failure.result);
                telling.all.add(&symptoms, weight);
                for rule in failure.case.relies.iter().filter(|rule| telling.rules.contains(*rule)) {
                    telling.symptoms.entry(rule.clone()).or_default().add(&symptoms, weight);
                }
            }
        }
        telling
    }

    /// Whether a rule tells failures with a symptom: of failures whose dumps rely on it, half show it, or many more than of all.
    fn discriminates(&self, rule: &str, symptom: &str) -> bool {
        let share = |symptoms: &SymptomWeights| symptoms.share(symptom);
        let usual = (MANY_MORE * share(&self.all).unwrap_or_default()).min(0.5);
        self.rules.contains(rule) && self.symptoms.get(rule).and_then(share).is_none_or(|share| share >= usual)
    }
}

impl SymptomWeights {
    fn add(&mut self, symptoms: &BTreeSet<String>, count: f64) {
        self.count += count;
        symptoms.iter().for_each(|symptom| *self.of.entry(symptom.clone()).or_default() += count);
    }

    fn share(&self, symptom: &str) -> Option<f64> {
        (self.count > 0.0).then(|| self.of.get(symptom).copied().unwrap_or_default() / self.count)
    }
}

/// The rules whose dumps are rarely read rightly.
fn find_discriminating(totals: &CampaignTotals) -> BTreeSet<&str> {
    let relied = &totals.reached.rules;
    let rate = |rule: &str| {
        let passed = totals.passed.get(rule).copied().unwrap_or_default();
        passed as f64 / relied.get(rule).copied().unwrap_or_default().max(1) as f64
    };
    // All dumps of a family rely on the rule on which most of them do.
    let usual = |rule: &str| {
        let of_family = relied.iter().filter(|(other, _)| rule_family(other) == rule_family(rule));
        of_family.max_by_key(|(_, count)| **count).map_or(0.0, |(most, _)| rate(most))
    };
    let is_telling = |(rule, count): &(&String, &u64)| {
        // Where nothing is read rightly, nothing tells.
        let usual = usual(rule);
        usual > 0.0 && **count >= DUMPS && rate(rule) <= TELLING * usual
    };
    relied.iter().filter(is_telling).map(|(rule, _)| rule.as_str()).collect()
}

/// The family of a rule: the first part of its id.
fn rule_family(rule: &str) -> &str {
    rule.split_once('.').map_or(rule, |(family, _)| family)
}

impl FailureMode<'_> {
    fn explains(&self, cause: &Cause, one: &KeptFailure<'_>) -> bool {
        let has = |rule: &str| one.case.relies.iter().any(|relied| relied == rule);
        // A dump that breaks a rule may have what a valid one takes.
        (self.shown.broken.is_none() || one.is_broken())
            && self.needs.iter().all(|rule| has(rule))
            && (self.shares_symptom(cause, one) || self.shares_rule(cause, one.result))
    }

    /// Whether the dump shows what a failure shows of a cause.
    fn shares_symptom(&self, cause: &Cause, one: &KeptFailure<'_>) -> bool {
        one.common_symptom(cause).is_some_and(|symptom| self.shown.dump.shows.contains(symptom))
    }

    /// Whether the rule of the cause, for which the dump was reduced, explains another symptom.
    fn shares_rule(&self, cause: &Cause, result: &CaseResult) -> bool {
        let is_suspect = |rule: &String| result.suspects.iter().any(|suspect| suspect.rule == *rule);
        let has_end = !matches!(result.outcome(), Outcome::Hang { .. } | Outcome::OutOfMemory { .. });
        has_end && self.shown.dump.rule == cause.rule && cause.rule.as_ref().is_some_and(is_suspect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::campaign::totals::CampaignFailure;
    use crate::check::campaign::totals::SimilarFailures;
    use crate::check::report::ReducedDump;
    use crate::check::report::Suspect;

    fn rules(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// A dump of a valid heap that relies on rules, and at which a program ends.
    fn failure(id: &str, relies: &[&str]) -> (CaseFacts, CaseResult) {
        let relies = rules(relies);
        let suspects = relies.iter().map(|rule| Suspect { rule: rule.clone(), offset: 0, length: 1 }).collect();
        let outcome = Outcome::Crash { how: "lost".to_owned() };
        let case = CaseFacts { id: id.to_owned(), verdict: "valid".to_owned(), relies, ..CaseFacts::default() };
        (case, CaseResult::new(id, outcome).suspects(suspects))
    }

    fn shown(of: &str, relies: &[&str], broken: Option<&str>) -> ReducedDumpRecord {
        let bytes = of.bytes().map(u64::from).sum();
        let dump = ReducedDump { shows: rules(&["crash: lost"]), of: of.to_owned(), bytes, ..ReducedDump::default() };
        let (relies, broken) = (rules(relies).into_iter().collect(), broken.map(str::to_owned));
        ReducedDumpRecord { dump, relies, broken, is_least: true, line: 0 }
    }

    /// Of a hundred dumps that rely on either of two rules none was read rightly, and of those that rely on a third all others.
    fn totals() -> CampaignTotals {
        let mut totals = CampaignTotals { cases: 1000, ..CampaignTotals::default() };
        totals.passed.insert("phd.common".to_owned(), 800);
        for (rule, count) in [("phd.x", 100), ("phd.y", 100), ("phd.common", 1000), ("phd.rare", 3)] {
            totals.reached.rules.insert(rule.to_owned(), count);
        }
        totals
    }

    /// What is unexplained of three failures, and the parts of their cause: cases, rule and way.
    type UnexplainedAndParts = (Option<String>, Vec<(Vec<String>, Option<String>, Option<usize>)>);

    fn explain_failures(totals: &CampaignTotals, dumps: &[ReducedDumpRecord]) -> UnexplainedAndParts {
        let failures = [
            failure("a", &["phd.x", "phd.common"]),
            failure("b", &["phd.y", "phd.common"]),
            failure("c", &["phd.x", "phd.y", "phd.common"]),
        ];
        let (cases, results): (Vec<_>, Vec<_>) = failures.into_iter().unzip();
        let kept = KeptFailures::new(&results, &cases);
        let cause =
            cause_of(None, &results.iter().collect::<Vec<_>>(), &BTreeSet::new(), &BTreeSet::new(), &kept.cases);
        let ways = FailureModes::new(totals, dumps);
        let unexplained = ways.find_unexplained(std::slice::from_ref(&cause), &kept, &BTreeSet::new());
        let parts = ways.split(cause, &kept).into_iter().map(|(cause, way)| (cause.cases, cause.rule, way));
        (unexplained.map(|(result, _)| result.id.clone()), parts.collect())
    }

    #[test]
    fn failures_without_rule_of_reduced_dump_have_another_mode() {
        let one = shown("a", &["phd.x", "phd.common"], None);
        let whole = vec![(rules(&["a", "b", "c"]), None, Some(0))];
        assert_eq!(explain_failures(&totals(), std::slice::from_ref(&one)), (Some("b".to_owned()), whole));
        let other = shown("b", &["phd.y", "phd.common"], None);
        let both = vec![
            (rules(&["a", "c"]), Some("phd.x".to_owned()), Some(0)),
            (rules(&["b"]), Some("phd.y".to_owned()), Some(1)),
        ];
        assert_eq!(explain_failures(&totals(), &[one, other]), (None, both));
    }

    #[test]
    fn rules_common_to_passing_dumps_separate_no_failure_modes() {
        for relies in [&["phd.common"], &["phd.rare"]] {
            // The other two have what tells.
            let (unexplained, parts) = explain_failures(&totals(), &[shown("a", relies, None)]);
            assert_eq!((unexplained.as_deref(), parts.len()), (Some("b"), 1), "{relies:?}");
            let nothing = CampaignTotals { passed: BTreeMap::new(), ..totals() };
            assert_eq!(explain_failures(&nothing, &[shown("a", relies, None)]).0, None);
        }
        // Nothing is read rightly.
        let nothing = CampaignTotals { passed: BTreeMap::new(), ..totals() };
        assert_eq!(explain_failures(&nothing, &[shown("a", &["phd.x"], None)]).0, None);
        // Of another family everything is, and a half of this one.
        let mut others = totals();
        others.reached.rules.insert("hprof.common".to_owned(), 10_000);
        others.passed.insert("hprof.common".to_owned(), 10_000);
        others.passed.extend(["phd.x", "phd.y"].map(|rule| (rule.to_owned(), 60)));
        assert_eq!(explain_failures(&others, &[shown("a", &["phd.x"], None)]).0, None);
    }

    /// Dumps that rely on one of two rules fail with another message. Failures with this one need no dump of either rule.
    #[test]
    fn rules_of_another_message_separate_no_failure_modes() {
        let mut totals = totals();
        for (how, relies, count) in [("gone", &["phd.x", "phd.y"][..], 90), ("lost", &["phd.x", "phd.common"], 10)] {
            let (case, failed) = failure(how, relies);
            let result = CaseResult::new(how, Outcome::Crash { how: how.to_owned() }).suspects(failed.suspects);
            let alike =
                SimilarFailures { count, first: how.to_owned(), smallest: vec![CampaignFailure { case, result }] };
            totals.failures.insert(how.to_owned(), alike);
        }
        let dump = shown("a", &["phd.common"], None);
        assert_eq!(explain_failures(&totals, std::slice::from_ref(&dump)).0, None);
        // As many of these as of others.
        totals.failures.entry("lost".to_owned()).and_modify(|alike| alike.count = 90);
        assert_eq!(explain_failures(&totals, &[dump]).0.as_deref(), Some("c"));
    }

    #[test]
    fn invalid_or_unreduced_dump_explains_no_valid_failure() {
        let (unexplained, parts) = explain_failures(&totals(), &[shown("z", &["phd.common"], Some("phd.x"))]);
        assert_eq!((unexplained.as_deref(), parts.len()), (Some("a"), 1));
        let larger = ReducedDumpRecord { is_least: false, ..shown("z", &["phd.common"], None) };
        assert_eq!(explain_failures(&totals(), &[larger]).0.as_deref(), Some("a"));
    }

    #[test]
    fn limits_reduced_dumps_per_message() {
        let unlike = |of: &str| ReducedDumpRecord { is_least: false, ..shown(of, &[], None) };
        assert_eq!(explain_failures(&totals(), &["r", "s", "t", "u"].map(unlike)).0.as_deref(), Some("a"));
        assert_eq!(explain_failures(&totals(), &["r", "s", "t", "u", "v"].map(unlike)).0, None);
        // Several that take the same are one way, up to a number.
        let same = ["r", "s", "t", "u", "v", "w", "x", "y", "z"].map(|of| shown(of, &[], None));
        assert_eq!(explain_failures(&totals(), &same).0.as_deref(), Some("a"));
        let more = [&same[..], &[shown("q", &[], None)]].concat();
        assert_eq!(explain_failures(&totals(), &more).0, None);
        let broken = |of: &str| ReducedDumpRecord { broken: Some("phd.x".to_owned()), ..unlike(of) };
        assert_eq!(explain_failures(&totals(), &["r", "s", "t", "u", "v"].map(broken)).0.as_deref(), Some("a"));
    }
}
