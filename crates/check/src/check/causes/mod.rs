//! What the failures of an implementation have in common.
//!
//! Experiments explain failures (`experiment`); what they do not explain is listed by what is seen of it, without a rule.

mod words;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::check::report::symptom::{ACCEPTED, READING, is_fact, symptom_of, symptoms_of};
use crate::check::report::{CaseFacts, CaseResult, Cause, CheckReport, Symptom, TestedImplementation};
use heapsmith_core::format::rule;

pub(super) use words::of_acceptance;

/// The most causes that are listed by what is seen alone. A program may say something else each time.
const LOOKS: usize = 200;

/// Lists the causes of a report anew: those that experiments found, as far as their cases fail, and the other failures by what is
/// seen of them. Failures that are expected stand beside, by their reasons.
pub(super) fn list_causes(report: &mut CheckReport) {
    let sizes = report.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let listed: Vec<Vec<Cause>> = report.implementations.iter().map(|tested| causes_of(tested, &sizes)).collect();
    for (tested, causes) in report.implementations.iter_mut().zip(listed) {
        tested.causes = causes;
    }
}

/// The causes of an implementation: wrong facts first, then crashes and refusals, then what is accepted.
fn causes_of(tested: &TestedImplementation, cases: &BTreeMap<&str, &CaseFacts>) -> Vec<Cause> {
    let told: BTreeMap<&str, &CaseResult> =
        tested.results.iter().filter(|result| result.is_unexpected()).map(|result| (&*result.id, result)).collect();
    let mut causes: Vec<Cause> = tested.causes.iter().filter(|cause| cause.explained).cloned().collect();
    for cause in &mut causes {
        cause.cases.retain(|case| told.contains_key(&**case));
        cause.unexpected = cause.cases.len() as u64;
        if !cause.cases.contains(&cause.example) {
            let smallest = cause.cases.iter().min_by_key(|case| (cases.get(&***case).map(|case| case.size), *case));
            cause.example = smallest.cloned().unwrap_or_default();
            cause.repeat = told.get(&*cause.example).and_then(|result| result.repeat.clone());
        }
    }
    causes.retain(|cause| !cause.cases.is_empty());
    let explained: BTreeSet<&str> = causes.iter().flat_map(|cause| &cause.cases).map(String::as_str).collect();
    let left = told.values().filter(|result| !explained.contains(&*result.id));
    let seen = list_by_symptom(left.copied(), cases);
    causes.extend(seen);
    causes.sort_by_key(|cause| (order(cause), Reverse(cause.all_failures())));
    let is_expected = |result: &&CaseResult| result.outcome().is_failure() && !result.is_unexpected();
    causes.extend(list_by_reason(tested.results.iter().filter(is_expected), cases));
    causes
}

/// Failures that are expected, by their reasons.
fn list_by_reason<'r>(
    failures: impl Iterator<Item = &'r CaseResult>,
    cases: &BTreeMap<&str, &CaseFacts>,
) -> Vec<Cause> {
    let mut alike: BTreeMap<&str, Vec<&CaseResult>> = BTreeMap::new();
    for result in failures {
        let reason = result.expected.as_ref().map(|expected| &*expected.reason);
        alike.entry(reason.unwrap_or_default()).or_default().push(result);
    }
    let mut alike: Vec<(&str, Vec<&CaseResult>)> = alike.into_iter().collect();
    alike.sort_by_key(|(_, members)| Reverse(members.len()));
    let known = alike.into_iter().map(|(reason, members)| {
        let cause = seen_cause("", &members, cases);
        Cause { id: reason.to_owned(), sentence: format!("Fails as expected: {reason}"), rule: None, ..cause }
    });
    known.collect()
}

/// Facts that are told wrong without a word come before crashes and refusals, and these before what is accepted though broken.
fn order(cause: &Cause) -> u8 {
    let first = cause.symptoms.first().map(|first| &*first.what).unwrap_or_default();
    match first {
        first if is_fact(first) || first.starts_with(READING) => 0,
        first if first.starts_with(ACCEPTED) => 2,
        _ => 1,
    }
}

/// Failures by what is seen of them first, the commonest in front.
pub(super) fn list_by_symptom<'r>(
    failures: impl IntoIterator<Item = &'r CaseResult>,
    cases: &BTreeMap<&str, &CaseFacts>,
) -> Vec<Cause> {
    let mut alike: BTreeMap<String, Vec<&CaseResult>> = BTreeMap::new();
    for result in failures {
        alike.entry(symptom_of(result).unwrap_or_default()).or_default().push(result);
    }
    let mut alike: Vec<(String, Vec<&CaseResult>)> = alike.into_iter().collect();
    alike.sort_by_key(|(_, members)| Reverse(members.len()));
    let rest = alike.split_off(alike.len().min(LOOKS));
    let mut causes: Vec<Cause> = alike.iter().map(|(what, members)| seen_cause(what, members, cases)).collect();
    if let Some((what, _)) = rest.first() {
        let members: Vec<&CaseResult> = rest.iter().flat_map(|(_, members)| members).copied().collect();
        let cause = seen_cause(what, &members, cases);
        causes.push(Cause { sentence: words::with_rest(&cause.sentence, rest.len() - 1, LOOKS), ..cause });
    }
    causes
}

/// A cause without a condition: what is seen, and the smallest dump that shows it. Only of a dump that is accepted the rule is known.
fn seen_cause(what: &str, members: &[&CaseResult], cases: &BTreeMap<&str, &CaseFacts>) -> Cause {
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    members.iter().flat_map(|result| symptoms_of(result)).for_each(|what| *counted.entry(what).or_default() += 1);
    let mut symptoms: Vec<Symptom> = counted.into_iter().map(|(what, cases)| Symptom { what, cases }).collect();
    symptoms
        .sort_by(|a, b| (b.what == what, b.cases).cmp(&(a.what == what, a.cases)).then_with(|| a.what.cmp(&b.what)));
    let size = |result: &CaseResult| cases.get(&*result.id).map_or(u64::MAX, |case| case.size);
    let smallest = members.iter().min_by_key(|result| (!result.is_unexpected(), size(result), &result.id));
    let broken = smallest.filter(|_| what.starts_with(ACCEPTED)).and_then(|result| match &*result.suspects {
        [only] => rule(&only.rule),
        _ => None,
    });
    Cause {
        id: broken.map_or(what, |broken| broken.id).to_owned(),
        rule: broken.map(|broken| broken.id.to_owned()),
        sentence: match smallest.and_then(|result| result.first_disagreement()) {
            Some(first) => words::of_disagreement(first, &symptoms),
            None => match broken {
                Some(broken) => words::of_acceptance(broken),
                None => words::sentence(&symptoms),
            },
        },
        example: smallest.map(|result| result.id.clone()).unwrap_or_default(),
        repeat: smallest.and_then(|result| result.repeat.clone()),
        unexpected: members.iter().filter(|result| result.is_unexpected()).count() as u64,
        cases: members.iter().map(|result| result.id.clone()).collect::<BTreeSet<_>>().into_iter().collect(),
        symptoms,
        ..Cause::default()
    }
}
