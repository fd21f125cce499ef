//! The judgement of a closure's answer about a dump.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::judge::decoder_answer::{Answer, Ended};
use crate::check::judge::listing::{against, differ, worded};
use crate::check::judge::moved::or_moved;
use crate::check::judge::readings::{Rights, Scope};
use crate::check::judge::{Judgement, Wrong, counts, has_heap, not_refused, refused};
use crate::check::protocol::{Accepted, Count, Counts};
use crate::check::report::Outcome;
use crate::compare::{Facet, Side, compare, listing};
use crate::corpus::Case;
use crate::error::Error;
use crate::format::DumpFile;
use crate::hprof::Reading;
use crate::input::Input;
use crate::model::Heap;

/// Judges the answer to a case.
pub(in crate::check) fn judge_closure(case: &Case, answer: Result<Answer, Ended>) -> Result<Judgement, Error> {
    Ok(judged(case, answer)?.with_causes_first(case))
}

fn judged(case: &Case, answer: Result<Answer, Ended>) -> Result<Judgement, Error> {
    let rights = |scope| Rights::new(case, &BTreeMap::new(), scope);
    let answer = match answer {
        Ok(Answer::Skipped(reason)) => return Ok(Judgement::of(Outcome::Skip { reason, link: None })),
        Ok(answer) => answer,
        Err(Ended::Refused(message)) => return Ok(refused(&rights(Scope::Other), case, &message)),
        Err(Ended::Panicked(how)) => return Ok(Judgement::of(Outcome::Crash { how })),
    };
    if !has_heap(case) {
        return Ok(not_refused());
    }
    match answer {
        Answer::Read | Answer::Skipped(_) => rights(Scope::Nothing).judge(|_, _| Ok(Ok(()))),
        Answer::Counts(told) => {
            let strings = match told.strings {
                Some(_) => counts::strings(&mut file(case)?.read()?.dump),
                None => None,
            };
            let declared = declared(&told);
            let accepted = Accepted { counts: Some(told), ..Accepted::default() };
            rights(Scope::Other).judge(|mut heap, combination| {
                counts::judge(&mut heap, strings, &declared, &accepted, combination.has_text())
            })
        }
        Answer::Listing(text) => match listing::read(text.as_bytes()) {
            Ok(told) => {
                let omitted: BTreeSet<_> = told.head.omits.iter().copied().collect();
                let facets = Facet::ALL.into_iter().filter(|facet| !omitted.contains(facet));
                let judgement = rights(Scope::Facets(facets.collect())).judge(|heap, combination| {
                    Ok(against(case, heap, &worded(case, &told.heap, combination), &omitted))
                })?;
                Ok(Judgement { omitted: omitted.into_iter().collect(), ..judgement })
            }
            Err(e) => Ok(Judgement::wrong(Wrong::answer("a listing as in specs/listing.md", e.to_string()))),
        },
        Answer::Heap(told) => of_heap(case, &rights(Scope::Other), &told),
    }
}

/// Judges a heap; a heap that does not record a fact omits it.
fn of_heap(case: &Case, rights: &Rights<'_>, told: &Heap) -> Result<Judgement, Error> {
    let mut omitted = BTreeSet::new();
    let judgement = rights.judge(|heap, combination| {
        Ok(or_moved(case.format.family(), heap, &worded(case, told, combination), |told| {
            let mut comparison = compare(heap, told, &BTreeSet::new());
            let silent = comparison.not_compared.iter().filter(|n| n.why == Side::UnknownRight);
            omitted = silent.map(|n| n.facet).collect();
            comparison.not_compared.clear();
            differ(&comparison)
        }))
    })?;
    Ok(Judgement { omitted: omitted.into_iter().collect(), ..judgement })
}

fn file(case: &Case) -> Result<DumpFile, Error> {
    DumpFile::new(Input::memory(&case.id, case.bytes.clone()), Reading::default())
}

/// The counts that an answer has a number for.
fn declared(told: &Counts) -> Vec<Count> {
    Count::ALL.into_iter().filter(|count| counts::of(told, *count).is_some()).collect()
}
