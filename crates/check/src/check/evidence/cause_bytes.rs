//! The bytes of failed cases that rely on the rule of their cause.

use std::collections::HashMap;

use crate::check::evidence::{bytes, neighbourhood_of};
use crate::check::report::evidence::Evidence;
use crate::check::report::{CaseResult, Cause, TestedImplementation};
use crate::corpus::Case;
use heapsmith_core::error::Error;

/// Adds the bytes that rely on the rule of its cause to each failure. `case` makes a case by its id, if there is one.
pub(in crate::check) fn point_at_causes(
    tested: &mut TestedImplementation,
    case: &dyn Fn(&str) -> Result<Option<Case>, Error>,
) -> Result<(), Error> {
    // Of two causes of a case the one counts that it is shown for, or the first that has a rule.
    let causes = || tested.causes.iter().rev();
    let of_any = causes().filter(|cause| cause.rule.is_some());
    let of_any = of_any.flat_map(|cause| cause.cases.iter().map(move |case| (&**case, cause)));
    let shown = causes().map(|cause| (&*cause.example, cause));
    let causes: HashMap<&str, &Cause> = of_any.chain(shown).collect();
    for result in tested.results.iter_mut().filter(|result| result.has_place()) {
        let Some((cause, Some(rule))) = causes.get(&*result.id).map(|cause| (cause, cause.rule.as_deref())) else {
            continue;
        };
        // The record of an entry stays: what an analyser says of it follows from all of the dump.
        let is_known = result.evidence.as_ref().is_some_and(|evidence| {
            evidence.rule.as_deref() == Some(rule) || evidence.rule.is_none() && !evidence.fields.is_empty()
        });
        let shown = result.shown_for_cause(cause).outcome.into_owned();
        let is_other = cause.example == result.id && shown != *result.outcome();
        if is_known && !is_other {
            continue;
        }
        let Some(case) = case(&result.id)? else { continue };
        if !is_known && let Some(found) = evidence_of_rule(&case, result, rule)? {
            result.evidence = Some(found);
        }
        if is_other && let Some(evidence) = &mut result.evidence {
            evidence.neighbourhood = neighbourhood_of(&case, &shown);
        }
    }
    Ok(())
}

/// The evidence for a suspect rule of a case, with the neighbourhood that is known already.
fn evidence_of_rule(case: &Case, result: &CaseResult, rule: &str) -> Result<Option<Evidence>, Error> {
    let Some(suspect) = result.suspects.iter().find(|suspect| suspect.rule == rule) else { return Ok(None) };
    let found = bytes::evidence_for_rule(case, rule, suspect.offset, suspect.length)?;
    let neighbourhood = result.evidence.as_ref().and_then(|evidence| evidence.neighbourhood.clone());
    Ok(found.map(|found| Evidence { neighbourhood, ..found }))
}
