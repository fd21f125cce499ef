//! Damaged dumps: every named edit, made in a golden dump.

use std::sync::Arc;

use crate::error::Error;
use crate::family::edit::{Damage, Edit, EditMap};
use crate::findings::Severity;

use super::{Case, CaseFamily, CaseOrigin, CaseVerdict, REFUSED, RightAnswer, STRICT, or_refused};

/// A case for each edit of a format.
pub(crate) fn cases<M: EditMap>(family: &CaseFamily, golden: &[Case]) -> Result<Vec<Case>, Error> {
    let of_edit = |edit| Error::check_stop().and_then(|()| damage_golden_case(family, edit, golden));
    M::EDITS.iter().map(of_edit).collect()
}

fn damage_golden_case<M: EditMap>(family: &CaseFamily, edit: &Edit<M>, golden: &[Case]) -> Result<Case, Error> {
    let wanted = edit.golden.unwrap_or(family.base);
    let missing = |what| Error::Usage(format!("{}: {wanted} {what}", edit.name));
    let base = golden.iter().find(|case| case.id == wanted).ok_or_else(|| missing("is no golden case"))?;
    if !matches!(base.answers.first(), Some(RightAnswer::Reads(..))) {
        return Err(missing("has no heap"));
    }
    let case = damage_case(family, edit, base)?.ok_or_else(|| missing("has no place for it"))?;
    Ok(Case { id: format!("{}-{}", M::FAMILY.name(), edit.name), ..case })
}

/// The case that an edit makes of a valid one; `None` if that one has no place for it.
pub(super) fn damage_case<M: EditMap>(family: &CaseFamily, edit: &Edit<M>, base: &Case) -> Result<Option<Case>, Error> {
    let Some(RightAnswer::Reads(_, heap)) = base.answers.first() else { return Ok(None) };
    let map = M::from_bytes(base.bytes.clone())?;
    let Some(edited) = edit.apply(&map) else { return Ok(None) };
    let damage = Damage { map: &map, edited: &edited };

    let refused = |reading| Some(RightAnswer::Refuses(reading));
    let reads = |reading, heap| RightAnswer::Reads(reading, Arc::new(heap));
    let after = |reading| Ok::<_, Error>(edit.heap_after(&damage, heap)?.map(|heap| reads(reading, heap)));
    let [first, second] = match M::FAMILY.book().severity(edit.rule) {
        Severity::Error => [refused(REFUSED), after(family.unchecked)?],
        Severity::Warning => [after(family.tolerated)?, refused(STRICT)],
        Severity::Note => [after(edit.reading().unwrap_or(family.noted))?, edit.refused().and_then(refused)],
    };
    let others = edit.other_readings(&damage, heap)?.into_iter().map(|(reading, heap)| reads(reading, heap));
    let mut answers: Vec<RightAnswer> = first.into_iter().chain(second).chain(others).collect();
    let by_reading = edit.answers_by_reading(&damage, heap);
    if !by_reading.is_empty() {
        let answer =
            |(reading, heap): (_, Option<_>)| heap.map_or(RightAnswer::Refuses(reading), |heap| reads(reading, heap));
        answers = by_reading.into_iter().map(answer).chain([RightAnswer::Refuses(STRICT)]).collect();
    }
    or_refused(M::FAMILY.book().rule(edit.rule.0), &mut answers);
    Ok(Some(Case {
        id: format!("{}-{}", base.id, edit.name),
        summary: format!("{} ({})", edit.summary, base.id),
        kind: CaseOrigin::Damaged,
        recipe: format!("the edit {} in {}", edit.name, base.id),
        verdict: CaseVerdict::from_answers(&answers),
        keeps: Vec::new(),
        breaks: Some((edit.rule.0, edited.offset)),
        breaks_also: Vec::new(),
        shows: Vec::new(),
        records_due: edited.records_due,
        answers,
        bytes: edited.bytes,
        ..base.clone()
    }))
}
