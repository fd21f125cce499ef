//! Suspects: rules on which bytes rely that were read wrongly.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::declarations::ambiguities;
use crate::check::evidence::bytes::open;
use crate::check::judge::{AnswerJudgement, WrongFact};
use crate::check::report::{Outcome, Suspect};
use crate::corpus::{Case, CaseVerdict};
use heapsmith_core::compare::Facet;
use heapsmith_core::error::Error;
use heapsmith_core::family::Reliance;
use heapsmith_core::findings::{Finding, Severity};
use heapsmith_core::format::rule;
use heapsmith_core::input::Input;
use heapsmith_core::model::Address;
use heapsmith_core::validate::{ValidateOptions, validate};

/// The rules that a wrong answer may have broken, each with the offset and length nearest to the wrong fact.
type SuspectRules = BTreeMap<&'static str, (u64, u64)>;

fn from_rules(rules: impl IntoIterator<Item = (&'static str, u64)>) -> SuspectRules {
    rules.into_iter().map(|(rule, offset)| (rule, (offset, 1))).collect()
}

/// The rules on which a dump relies: those of its bytes, and those that it breaks although it can be read.
pub(in crate::check) fn rules_of_dump(case: &Case) -> Result<BTreeSet<&'static str>, Error> {
    let mut rules = BTreeSet::from_iter(case.breaks.map(|(rule, _)| rule));
    visit_reliances(case, |reliance| _ = rules.insert(reliance.rule.0))?;
    rules.extend(tolerated(case, |_| true)?.into_keys());
    Ok(rules)
}

/// The rules that a wrong answer with this outcome may have broken.
pub(in crate::check) fn suspects(
    case: &Case,
    outcome: &Outcome,
    judged: &AnswerJudgement,
) -> Result<Vec<Suspect>, Error> {
    let rules = match outcome {
        Outcome::WrongVerdict { expected, .. } if expected == "refuse" => from_rules(case.breaks),
        Outcome::Fail { .. } if judged.differing().iter().any(|differing| differing.facet.is_some()) => {
            suspects_for_facts(case, judged)?
        }
        Outcome::Fail { fact, .. } if reading_rule(case, fact).is_some() => {
            from_rules(reading_rule(case, fact).map(|rule| (rule, 0)))
        }
        _ => suspects_up_to(case, judged.offset().unwrap_or(u64::MAX))?,
    };
    let suspect = |(rule, (offset, length)): (&str, _)| Suspect { rule: rule.to_owned(), offset, length };
    Ok(rules.into_iter().map(suspect).collect())
}

/// The rule of the reading that an answer should have followed.
fn reading_rule(case: &Case, fact: &str) -> Option<&'static str> {
    let name = fact.strip_prefix("reading ")?;
    let open = ambiguities().into_iter().find(|ambiguity| ambiguity.name == name)?;
    case.format.family().book().rule(open.rule).map(|rule| rule.id)
}

/// The suspects for wrong facts: the rules that govern facts which follow from nothing else, at their first wrong
/// places.
fn suspects_for_facts(case: &Case, judged: &AnswerJudgement) -> Result<SuspectRules, Error> {
    let first_hand = judged.differing().iter().filter(|differing| differing.follows.is_none());
    let wrong: BTreeSet<Address> = judged.differing().iter().flat_map(|differing| &differing.at).copied().collect();
    let places = match open(case) {
        Some(file) if !wrong.is_empty() => {
            as_far_as_readable(file.places(case.heap.unwrap_or_default() as usize, &wrong))?
        }
        _ => BTreeMap::new(),
    };
    // Where each of them is wrong first; a facet can be wrong in several ways.
    let site = |differing: &WrongFact| {
        let placed = differing.at.iter().filter_map(|at| Some((places.get(at)?.record, *at)));
        Some((differing.facet?, placed.min()))
    };
    let sites: Vec<(Facet, Option<(u64, Address)>)> = first_hand.filter_map(site).collect();
    let mut suspects = SuspectRules::new();
    visit_reliances(case, |Reliance { rule: id, of, record, offset, length }| {
        let concerns = |facet: &Facet| {
            let of_rule = rule(id.0).map_or(&[][..], |rule| rule.facets);
            of_rule.iter().any(|name| *name == "all" || *name == facet.to_string())
        };
        let is_all = || rule(id.0).is_some_and(|rule| rule.facets.contains(&"all"));
        let is_at = |site: Option<(u64, Address)>| match site {
            // A reader that loses its place does so in the record before.
            Some((at, address)) => {
                of.is_none_or(|of| of == address)
                    || record == Some(at)
                    || is_all() && record.is_some_and(|record| record + 1 == at)
            }
            None => true,
        };
        if sites.iter().any(|(facet, site)| concerns(facet) && is_at(*site)) {
            suspects.entry(id.0).or_insert((offset, length));
        }
    })?;
    suspects.extend(tolerated(case, |finding| {
        let mut placed = sites.iter().filter_map(|(_, site)| *site).peekable();
        placed.peek().is_none() || finding.record.is_none_or(|record| placed.any(|(at, _)| at == record))
    })?);
    if let Some(rule) = judged.differing().first().and_then(|first| reading_rule(case, &first.fact)) {
        suspects.entry(rule).or_insert((0, 1));
    }
    Ok(suspects)
}

/// The suspects for an offset where a reader lost its place: the rules of all bytes up to there.
fn suspects_up_to(case: &Case, offset: u64) -> Result<SuspectRules, Error> {
    let mut wrong = SuspectRules::new();
    visit_reliances(case, |reliance| {
        if reliance.offset <= offset {
            let last = wrong.entry(reliance.rule.0).or_default();
            *last = (reliance.offset, reliance.length).max(*last);
        }
    })?;
    wrong.extend(tolerated(case, |finding| finding.offset <= offset)?);
    // What is broken may be the very thing that a program ends at.
    let broken = case.breaks.filter(|(_, at)| case.verdict != CaseVerdict::Valid && *at <= offset);
    wrong.extend(broken.map(|(rule, at)| (rule, (at, 1))));
    Ok(wrong)
}

/// The rules that a dump breaks although it stays readable.
fn tolerated(case: &Case, is_there: impl Fn(&Finding) -> bool) -> Result<SuspectRules, Error> {
    let input = Input::from_memory(&case.id, case.bytes.clone());
    let report = validate(&input, ValidateOptions::default())?;
    let tolerated = report.findings.iter().filter(|finding| finding.severity != Severity::Error);
    let tolerated = tolerated.filter(|finding| is_there(finding));
    Ok(tolerated.map(|finding| (finding.rule.0, (finding.offset, 1))).collect())
}

fn visit_reliances(case: &Case, mut each: impl FnMut(Reliance)) -> Result<(), Error> {
    match open(case) {
        Some(file) => as_far_as_readable(file.visit_reliances(&mut each)),
        None => Ok(()),
    }
}

/// Takes damage for the end of a dump; only failures of the machine are errors.
fn as_far_as_readable<T: Default>(found: Result<T, Error>) -> Result<T, Error> {
    match found {
        Err(Error::Decode(e)) if !e.is_machine_fault() => Ok(T::default()),
        found => found,
    }
}
