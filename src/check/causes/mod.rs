//! What the failures of an implementation have in common.
//!
//! Each failure has symptoms (facts that are wrong, a message, a place in a program) and suspects: the rules on which the
//! bytes rely that were read wrongly. A rule explains a failure the better, the more failures it is a suspect of and the
//! fewer dumps were read rightly that rely on it as well (the measure is Ochiai's, of spectrum-based fault localization).
//! The explanation of most failures is the first cause; what it leaves unexplained has others.

mod place;
mod spectrum;
mod symptom;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::format::rule;

use super::report::{CaseFacts, CaseResult, Cause, Outcome, Suspect, Symptom, Tested};

use spectrum::{Explanation, Failure, Spectrum};
use symptom::symptoms;

/// The causes of what is to be read of an implementation: those with failures that nobody expects first, then those of more
/// cases.
pub(super) fn causes(tested: &Tested, cases: &BTreeMap<&str, &CaseFacts>) -> Vec<Cause> {
    let told: Vec<&CaseResult> = tested.results.iter().filter(|result| is_told(result)).collect();
    let failures = told.iter().map(|result| Failure {
        symptoms: symptoms(result),
        suspects: result.suspects.iter().map(|Suspect { rule, .. }| (rule.as_str(), weight(result, rule))).collect(),
        followed: result.followed.iter().map(String::as_str).collect(),
    });
    let passed = tested.results.iter().filter(|result| matches!(result.outcome, Outcome::Pass { .. }));
    let relied = passed.filter_map(|result| cases.get(&*result.id)).map(|case| &case.relies[..]);
    let spectrum = Spectrum::new(failures.collect(), relied);
    let groups = spectrum.explanations().into_iter().map(|(explanation, members)| {
        let members: Vec<&CaseResult> = members.iter().map(|&member| told[member]).collect();
        cause(explanation, &members, cases)
    });
    let mut causes: Vec<Cause> = groups.collect();
    causes.sort_by_key(|cause| (cause.unexpected == 0, std::cmp::Reverse(cause.cases.len())));
    causes
}

/// How well what is wrong goes with a rule: a reader that does not follow it gets its facets wrong. One that loses its place
/// can get anything wrong, but then hardly a single fact.
fn weight(result: &CaseResult, id: &str) -> f64 {
    let Outcome::Fail { fact, .. } = &result.outcome else {
        // The record before the place where a reader notices that it is lost is the likeliest.
        let at = result.suspects.iter().find(|suspect| suspect.rule == id).map_or(0, |suspect| suspect.offset);
        let behind = result.suspects.iter().filter(|suspect| suspect.offset > at).count();
        return 0.9 + 0.09 / (1 + behind) as f64;
    };
    let others = result.others.iter().filter(|other| other.follows.is_none()).map(|other| &other.fact);
    let is_wrong = |facet: &str| std::iter::once(fact).chain(others.clone()).any(|fact| fact == facet);
    match rule(id) {
        Some(rule) if rule.facets.iter().any(|facet| is_wrong(facet)) => 1.0,
        Some(rule) if rule.facets.contains(&"all") && is_wrong("address") => 0.8,
        _ => 0.5,
    }
}

/// Whether a result is worth an explanation.
fn is_told(result: &CaseResult) -> bool {
    result.outcome.is_failure() || result.is_unexpected()
}

fn cause(explanation: Explanation, members: &[&CaseResult], cases: &BTreeMap<&str, &CaseFacts>) -> Cause {
    let size = |result: &CaseResult| cases.get(&*result.id).map_or(u64::MAX, |case| case.size);
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    for symptom in members.iter().flat_map(|result| symptoms(result)) {
        *counted.entry(symptom).or_default() += 1;
    }
    let mut counted: Vec<Symptom> = counted.into_iter().map(|(what, cases)| Symptom { what, cases }).collect();
    counted.sort_by(|a, b| b.cases.cmp(&a.cases).then_with(|| a.what.cmp(&b.what)));
    // What fails the run is shown rather than what does not.
    let smallest = members.iter().min_by_key(|result| (!result.is_unexpected(), size(result), &result.id));
    let rule = explanation.rule;
    let id = match (&rule, counted.first()) {
        (Some(rule), _) => rule.clone(),
        (None, Some(symptom)) => symptom.what.clone(),
        (None, None) => String::new(),
    };
    let ids: BTreeSet<&String> = members.iter().map(|result| &result.id).collect();
    Cause {
        id,
        sentence: words::sentence(rule.as_deref(), &counted),
        rule,
        symptoms: counted,
        example: smallest.map(|result| result.id.clone()).unwrap_or_default(),
        repeat: smallest.and_then(|result| result.repeat.clone()),
        unexpected: members.iter().filter(|result| result.is_unexpected()).count() as u64,
        cases: ids.into_iter().cloned().collect(),
    }
}
