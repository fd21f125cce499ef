//! What the failures of an implementation have in common.
//!
//! Each failure has symptoms (facts that are wrong, a message, a place in a program) and suspects: the rules on which the
//! bytes rely that were read wrongly. A rule explains failures the better, the fewer dumps were read rightly that rely on it
//! as well. The causes are those by which all failures are described most shortly (docs/causes.md).

mod spectrum;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use spectrum::{ABOUT, AcceptedAlike, Group, SYMPTOMS, Spectrum, SpectrumFailure, topic};

use crate::check::effort::Effort;
use crate::check::protocol::AnswerPart;
use crate::check::report::symptom::{SIGN, apart, implied, symptom_of, symptoms_of};
use crate::check::report::{
    CaseFacts, CaseResult, Cause, CheckReport, Outcome, Suspect, Symptom, TestedImplementation,
};
use crate::corpus::CaseVerdict;
use heapsmith_core::compare::Facet;
use heapsmith_core::family::case::REFUSALS;
use heapsmith_core::format::rule;

/// Works out anew the causes of a report's failures, until the effort is over.
pub(super) fn explain(report: &mut CheckReport, effort: &Effort<'_>) {
    let cases = report.cases.iter().map(|case| (case.id.as_str(), case)).collect();
    let found: Vec<Vec<Cause>> = report.implementations.iter().map(|tested| causes(tested, &cases, effort)).collect();
    for (tested, causes) in report.implementations.iter_mut().zip(found) {
        tested.causes = causes;
    }
}

/// The causes of what is to be read of an implementation: those with failures that are not expected first, then those of more
/// cases. Once the effort is over, they are as far as they were worked out.
pub(super) fn causes(
    tested: &TestedImplementation,
    cases: &BTreeMap<&str, &CaseFacts>,
    effort: &Effort<'_>,
) -> Vec<Cause> {
    let mut counted = RuleCounts::default();
    for result in tested.results.iter().filter(|result| matches!(result.outcome(), Outcome::Pass { .. })) {
        let Some(case) = cases.get(&*result.id) else { continue };
        case.relies.iter().for_each(|rule| *counted.passed.entry(rule.clone()).or_default() += 1);
        if !is_refusal(result, case) {
            counted.read.extend(case.relies.iter().cloned());
        }
    }
    counted_causes(tested, cases, &counted, effort)
}

/// What is counted where not every result is there.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleCounts {
    /// How many dumps that were read rightly rely on each rule.
    pub(super) passed: BTreeMap<String, u64>,
    /// The rules on which at least one of these dumps relies that was read, and not refused.
    pub(super) read: BTreeSet<String>,
    /// For how many failures that look alike each one stands; 1 for those that are not here.
    pub(super) weights: BTreeMap<String, f64>,
}

/// Whether an answer that is right is a refusal. It may have any reason.
fn is_refusal(result: &CaseResult, case: &CaseFacts) -> bool {
    let reading = match result.outcome() {
        Outcome::Pass { reading } => reading.as_deref(),
        _ => None,
    };
    reading.is_some_and(|reading| REFUSALS.contains(&reading)) || case.verdict == CaseVerdict::Invalid.name()
}

/// The same where results stand for others, too.
pub(super) fn counted_causes(
    tested: &TestedImplementation,
    cases: &BTreeMap<&str, &CaseFacts>,
    counted: &RuleCounts,
    effort: &Effort<'_>,
) -> Vec<Cause> {
    let told: Vec<&CaseResult> = tested.results.iter().filter(|result| is_told(result)).collect();
    let failures = told.iter().map(|result| {
        let weight = counted.weights.get(&result.id).copied().unwrap_or(1.0);
        SpectrumFailure { weight, ..failure(result, cases) }
    });
    let spectrum = Spectrum::new(failures.collect(), counted);
    let mut groups = spectrum.groups(effort);
    groups.sort_by_key(|Group { members, .. }| {
        (!members.iter().any(|&member| told[member].is_unexpected()), std::cmp::Reverse(members.len()))
    });
    let mut shown = BTreeSet::new();
    let causes = groups.into_iter().map(|Group { rule, members, of_another, is_rest }| {
        let members: Vec<&CaseResult> = members.iter().map(|&member| told[member]).collect();
        let mut cause = cause_of(rule, &members, &of_another, &shown, cases);
        if is_rest {
            cause.sentence = words::with_rest(&cause.sentence, cause.symptoms.len() - 1, SYMPTOMS);
        }
        shown.insert(cause.example.clone());
        cause
    });
    causes.collect()
}

/// The weight of a rule that is about the fact, but not about signs, where the sign is what is wrong.
const OTHER_KIND: f64 = 0.5;

/// How well what is wrong goes with a rule: a reader that does not follow it gets its facets wrong. One that loses its place
/// can get anything wrong, but then hardly a single fact.
fn weight(result: &CaseResult, Suspect { rule: id, offset, .. }: &Suspect, symptom: &str) -> f64 {
    if is_accepted(result) {
        return ABOUT;
    }
    let (fact, how) = symptom.split_once(": ").unwrap_or((symptom, ""));
    let Some(facet) = Facet::ALL.into_iter().find(|facet| facet.to_string() == fact) else {
        // What follows from the whole graph says nothing of the bytes of the record where it is seen.
        if AnswerPart::ALL.into_iter().any(|part| part.fact() == fact && part.is_of_the_graph()) {
            return 0.0;
        }
        // The record before the place where a reader notices that it is lost is the likeliest.
        let later = result.suspects.iter().filter(|suspect| suspect.offset > *offset).count();
        let near = 0.9 + 0.09 / (1 + later) as f64;
        // A reader that does not follow other rules gets their facts wrong and goes on.
        let is_answer = matches!(result.outcome(), Outcome::Fail { .. });
        let may_be_lost =
            is_answer || rule(id).is_none_or(|rule| rule.facets.is_empty() || rule.facets.contains(&"all"));
        return if may_be_lost { near } else { near / 2.0 };
    };
    let Some(rule) = rule(id) else { return 0.5 };
    match (rule.facets.contains(&fact), rule.facets.contains(&"all")) {
        (true, _) if how == SIGN && !rule.is_sign => OTHER_KIND,
        (true, _) => ABOUT,
        // One that loses its place gets no number wrong by its sign alone.
        (false, true) if how == SIGN => OTHER_KIND / 2.0,
        (false, true) if facet == Facet::Address => 0.8,
        (false, true) => 0.5,
        // Rules that only findings name have no facets.
        (false, false) if rule.facets.is_empty() => 0.5,
        (false, false) => 0.0,
    }
}

/// Whether a symptom is a fact that is wrong, and not a message or a place in a program.
pub(super) fn is_fact(symptom: &str) -> bool {
    spectrum::is_fact(symptom)
}

/// What is seen of a failure that a rule may explain.
pub(super) fn explained_by(result: &CaseResult, rule: &str) -> BTreeSet<String> {
    let explains = |symptom: &String| {
        result.suspects.iter().any(|suspect| suspect.rule == rule && weight(result, suspect, symptom) > 0.0)
    };
    symptoms_of(result).into_iter().filter(explains).collect()
}

/// Whether a result is worth an explanation.
fn is_told(result: &CaseResult) -> bool {
    result.outcome().is_failure() || result.is_unexpected()
}

fn failure<'r>(result: &'r CaseResult, cases: &BTreeMap<&str, &'r CaseFacts>) -> SpectrumFailure<'r> {
    let relies = cases.get(&*result.id).map(|case| &case.relies[..]).unwrap_or_default();
    let suspects = |symptom: &str| {
        let weighed = result.suspects.iter().map(|suspect| (&*suspect.rule, weight(result, suspect, symptom)));
        weighed.filter(|(_, weight)| *weight > 0.0).collect()
    };
    SpectrumFailure {
        symptoms: symptoms_of(result).into_iter().map(|symptom| (symptom.clone(), suspects(&symptom))).collect(),
        has_place: result.has_place(),
        relies: relies.iter().map(String::as_str).collect(),
        followed: result.followed.iter().map(String::as_str).collect(),
        implied: implied(result),
        apart: apart(result),
        alike: alike(result),
        weight: 1.0,
    }
}

/// What dumps have in common that are to be refused and were accepted, whichever rules they break.
fn alike(result: &CaseResult) -> Option<AcceptedAlike> {
    let broken = result.suspects.first().filter(|_| is_accepted(result))?;
    let rule = rule(&broken.rule)?;
    Some(match topic(rule.id).ends_with(".header") {
        true => AcceptedAlike::Header(broken.offset),
        false => AcceptedAlike::Test(rule.same_test.unwrap_or(rule.id)),
    })
}

/// Whether a dump was accepted that is to be refused.
pub(super) fn is_accepted(result: &CaseResult) -> bool {
    matches!(result.outcome(), Outcome::WrongVerdict { expected, .. } if expected == "refuse")
}

/// A cause of failures, but for those of their symptoms that another has. `shown` are cases with which another one is shown, if
/// there are others.
pub(super) fn cause_of(
    rule: Option<&str>,
    members: &[&CaseResult],
    of_another: &BTreeSet<String>,
    shown: &BTreeSet<String>,
    cases: &BTreeMap<&str, &CaseFacts>,
) -> Cause {
    let size = |result: &CaseResult| cases.get(&*result.id).map_or(u64::MAX, |case| case.size);
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    let seen = members.iter().flat_map(|result| symptoms_of(result));
    for symptom in seen.filter(|symptom| !of_another.contains(symptom)) {
        *counted.entry(symptom).or_default() += 1;
    }
    let mut counted: Vec<Symptom> = counted.into_iter().map(|(what, cases)| Symptom { what, cases }).collect();
    counted.sort_by(|a, b| b.cases.cmp(&a.cases).then_with(|| a.what.cmp(&b.what)));
    // What fails the run is shown rather than what does not, and what the sentence says rather than what comes with it.
    let is_first = |what: Option<String>| what.as_ref() == counted.first().map(|first| &first.what);
    let smallest = members.iter().min_by_key(|result| {
        let is_first = is_first(symptom_of(result));
        (!result.is_unexpected(), shown.contains(&result.id), !is_first, size(result), &result.id)
    });
    let rule = rule.map(str::to_owned);
    let id = match (&rule, counted.first()) {
        (Some(rule), _) => rule.clone(),
        (None, Some(symptom)) => symptom.what.clone(),
        (None, None) => String::new(),
    };
    let ids: BTreeSet<&String> = members.iter().map(|result| &result.id).collect();
    Cause {
        id,
        sentence: match smallest.and_then(|result| result.first_disagreement()) {
            Some(first) => words::of_disagreement(first, &counted),
            None => words::sentence(rule.as_deref(), &counted),
        },
        rule,
        symptoms: counted,
        example: smallest.map(|result| result.id.clone()).unwrap_or_default(),
        repeat: smallest.and_then(|result| result.repeat.clone()),
        reduced: None,
        pair: None,
        other_rules: Vec::new(),
        failures: None,
        unexpected: members.iter().filter(|result| result.is_unexpected()).count() as u64,
        cases: ids.into_iter().cloned().collect(),
    }
}
