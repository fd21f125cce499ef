//! The bytes of failed cases that rely on the rule of their cause.

use std::collections::HashMap;

use crate::corpus::Case;
use crate::error::Error;

use super::super::report::{CaseResult, Tested};
use super::{Evidence, bytes};

/// Shows of each failure the bytes that rely on the rule of its cause. `case` makes a case by its id, if there is one.
pub(in crate::check) fn point_at_causes(
    tested: &mut Tested,
    case: &dyn Fn(&str) -> Result<Option<Case>, Error>,
) -> Result<(), Error> {
    // Of two causes of a case the first counts.
    let rules: HashMap<&str, &str> = tested
        .causes
        .iter()
        .rev()
        .filter_map(|cause| Some((cause.rule.as_deref()?, &cause.cases)))
        .flat_map(|(rule, cases)| cases.iter().map(move |case| (&**case, rule)))
        .collect();
    for result in tested.results.iter_mut().filter(|result| result.has_place()) {
        let Some(rule) = rules.get(&*result.id) else { continue };
        // The record of an entry stays: what an analyser says of it follows from all of the dump.
        let is_known = result.evidence.as_ref().is_some_and(|evidence| {
            evidence.rule.as_deref() == Some(rule) || evidence.rule.is_none() && !evidence.fields.is_empty()
        });
        if !is_known
            && let Some(case) = case(&result.id)?
            && let Some(found) = of_rule(&case, result, rule)?
        {
            result.evidence = Some(found);
        }
    }
    Ok(())
}

/// The bytes of a case that rely on a rule which is not followed, as far as they are known; what is known of the objects
/// around them stays.
fn of_rule(case: &Case, result: &CaseResult, rule: &str) -> Result<Option<Evidence>, Error> {
    let Some(suspect) = result.suspects.iter().find(|suspect| suspect.rule == rule) else { return Ok(None) };
    let found = bytes::of_rule(case, rule, suspect.offset, suspect.length)?;
    let neighbourhood = result.evidence.as_ref().and_then(|evidence| evidence.neighbourhood.clone());
    Ok(found.map(|found| Evidence { neighbourhood, ..found }))
}
