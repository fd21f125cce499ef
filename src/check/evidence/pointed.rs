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
    // Of two causes of a case the one counts that it is shown for, or the first.
    let named = || tested.causes.iter().rev().filter_map(|cause| Some((cause, cause.rule.as_deref()?)));
    let of_any = named().flat_map(|(cause, rule)| cause.cases.iter().map(move |case| (&**case, rule)));
    let shown = named().map(|(cause, rule)| (&*cause.example, rule));
    let rules: HashMap<&str, &str> = of_any.chain(shown).collect();
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
