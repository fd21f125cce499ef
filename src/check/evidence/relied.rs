//! The rules on which the bytes rely that were read wrongly.

use std::collections::{BTreeMap, BTreeSet};

use crate::compare::Facet;
use crate::corpus::Case;
use crate::error::Error;
use crate::family::{Reading, Reliance};
use crate::findings::Severity;
use crate::format::{DumpFile, rule};
use crate::input::Input;
use crate::model::Address;
use crate::validate::{ValidateOptions, validate};

use super::super::judge::{Judgement, all_ambiguities};
use super::super::report::Outcome;

/// More records than this on either side of a refusal's offset are not looked at.
const NEAR: u64 = 1;

/// The rules that a wrong answer may have broken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::check) struct Suspects {
    /// Those on which the bytes rely that were read wrongly.
    pub(in crate::check) wrong: BTreeSet<&'static str>,
    /// Those on which bytes rely that were read rightly.
    pub(in crate::check) right: BTreeSet<&'static str>,
}

/// The rules on which a dump relies: those of its bytes, and those that it breaks and can be read all the same.
pub(in crate::check) fn of_dump(case: &Case) -> Result<BTreeSet<&'static str>, Error> {
    let mut rules = BTreeSet::from_iter(case.breaks.map(|(rule, _)| rule));
    visit(case, |reliance| _ = rules.insert(reliance.rule.0))?;
    rules.extend(tolerated(case, |_| true)?);
    Ok(rules)
}

/// The rules that a wrong answer to a case may have broken.
pub(in crate::check) fn suspects(case: &Case, judged: &Judgement) -> Result<Suspects, Error> {
    match &judged.outcome {
        Outcome::WrongVerdict { expected, .. } if expected == "refuse" => {
            Ok(Suspects { wrong: case.breaks.into_iter().map(|(rule, _)| rule).collect(), ..Suspects::default() })
        }
        Outcome::Fail { fact, .. } if reading(fact).is_some() => {
            Ok(Suspects { wrong: reading(fact).into_iter().collect(), ..Suspects::default() })
        }
        Outcome::Fail { .. } if judged.differing.iter().any(|differing| differing.facet.is_some()) => {
            of_facts(case, judged)
        }
        _ => match judged.offset {
            Some(offset) => near(case, offset),
            None => Ok(Suspects { wrong: of_dump(case)?, ..Suspects::default() }),
        },
    }
}

/// The rule that leaves a reading open, where an answer follows another than it has to.
fn reading(fact: &str) -> Option<&'static str> {
    let name = fact.strip_prefix("reading ")?;
    let open = all_ambiguities().into_iter().find(|ambiguity| ambiguity.name == name)?;
    rule(open.rule).map(|rule| rule.id)
}

/// The rules by which the facts are read that are wrong first-hand, where they are wrong first.
fn of_facts(case: &Case, judged: &Judgement) -> Result<Suspects, Error> {
    let first_hand = judged.differing.iter().filter(|differing| differing.follows.is_none());
    let facets: Vec<Facet> = first_hand.filter_map(|differing| differing.facet).collect();
    let wrong: BTreeSet<Address> = judged.differing.iter().flat_map(|differing| &differing.at).copied().collect();
    let is_whole = judged.differing.iter().all(|differing| differing.count as usize <= differing.at.len().max(1));
    let places = match open(case)? {
        Some(file) if !wrong.is_empty() => file.places(case.heap.unwrap_or_default() as usize, &wrong)?,
        _ => BTreeMap::new(),
    };
    let mut sites: BTreeMap<Facet, (u64, Address)> = BTreeMap::new();
    for differing in judged.differing.iter().filter(|differing| differing.follows.is_none()) {
        let placed = differing.at.iter().filter_map(|at| Some((places.get(at)?.record, *at)));
        if let (Some(facet), Some(first)) = (differing.facet, placed.min()) {
            sites.insert(facet, first);
        }
    }
    let mut suspects = Suspects::default();
    visit(case, |Reliance { rule: id, of, record, .. }| {
        let concerns = |facet: &Facet| {
            let of_rule = rule(id.0).map_or(&[][..], |rule| rule.facets);
            of_rule.iter().any(|name| *name == "all" || *name == facet.to_string())
        };
        let is_all = || rule(id.0).is_some_and(|rule| rule.facets.contains(&"all"));
        let is_at = |facet: &Facet| match sites.get(facet) {
            // A reader that loses its place does so in the record before.
            Some((at, address)) => {
                of.is_none_or(|of| of == *address)
                    || record == Some(*at)
                    || is_all() && record.is_some_and(|record| record + 1 == *at)
            }
            None => true,
        };
        if facets.iter().any(|facet| concerns(facet) && is_at(facet)) {
            suspects.wrong.insert(id.0);
        }
        if is_whole && of.is_some_and(|of| !wrong.contains(&of)) {
            suspects.right.insert(id.0);
        }
    })?;
    suspects.wrong.extend(tolerated(case, |record| {
        sites.is_empty() || record.is_none_or(|record| sites.values().any(|(at, _)| *at == record))
    })?);
    Ok(suspects)
}

/// The rules of the record at an offset, and of its neighbours.
fn near(case: &Case, offset: u64) -> Result<Suspects, Error> {
    let mut record_there = None;
    visit(case, |reliance| {
        if reliance.offset <= offset {
            record_there = record_there.max(reliance.record);
        }
    })?;
    let mut wrong = BTreeSet::new();
    visit(case, |reliance| {
        let is_near = match (reliance.record, record_there) {
            (Some(record), Some(there)) => record.abs_diff(there) <= NEAR,
            (record, _) => record.is_none(),
        };
        if is_near {
            wrong.insert(reliance.rule.0);
        }
    })?;
    wrong.extend(tolerated(case, |record| {
        record.is_none_or(|record| record_there.is_none_or(|there| record.abs_diff(there) <= NEAR))
    })?);
    Ok(Suspects { wrong, ..Suspects::default() })
}

/// The rules that a dump breaks in some records and that leave it readable.
fn tolerated(case: &Case, is_there: impl Fn(Option<u64>) -> bool) -> Result<BTreeSet<&'static str>, Error> {
    let input = Input::memory(&case.id, case.bytes.clone());
    let report = validate(&input, ValidateOptions::default())?;
    let tolerated = report.findings.iter().filter(|finding| finding.severity != Severity::Error);
    let tolerated = tolerated.filter(|finding| is_there(finding.record));
    Ok(tolerated.map(|finding| finding.rule.0).collect())
}

fn visit(case: &Case, mut each: impl FnMut(Reliance)) -> Result<(), Error> {
    match open(case)? {
        Some(file) => file.visit_reliances(&mut each),
        None => Ok(()),
    }
}

fn open(case: &Case) -> Result<Option<DumpFile>, Error> {
    let input = Input::memory(&case.id, case.bytes.clone());
    // A dump whose start is damaged relies on nothing.
    Ok(DumpFile::new(input, Reading::default()).ok())
}
