//! What a closure says of a dump.

use std::collections::BTreeSet;

use crate::compare::listing;
use crate::compare::{Side, compare};
use crate::corpus::Case;
use crate::error::Error;
use crate::format::DumpFile;
use crate::hprof::Reading;
use crate::input::Input;
use crate::model::Heap;

use super::super::closure::{Answer, Ended};
use super::super::protocol::{Accepted, Count, Counts};
use super::super::report::Outcome;
use super::listing::{against, differ};
use super::{Judgement, Wrong, counts, first_right, refused, right};

/// Judges the answer to a case.
pub(in crate::check) fn judge_closure(case: &Case, answer: Result<Answer, Ended>) -> Result<Judgement, Error> {
    let answer = match answer {
        Ok(Answer::Skipped(reason)) => return Ok(Judgement::of(Outcome::Skip { reason, link: None })),
        Ok(answer) => answer,
        Err(Ended::Refused(message)) => return Ok(Judgement::of(refused(case, &message))),
        Err(Ended::Panicked(how)) => return Ok(Judgement::of(Outcome::Crash { how })),
    };
    let right = right(case);
    if right.is_empty() {
        let found = "accepted".to_owned();
        return Ok(Judgement::of(Outcome::WrongVerdict { expected: "refuse".to_owned(), found }));
    }
    match answer {
        Answer::Read | Answer::Skipped(_) => first_right(case, &right, |_| Ok(Ok(()))),
        Answer::Counts(told) => {
            let strings = match told.strings {
                Some(_) => counts::strings(&file(case)?)?,
                None => None,
            };
            let declared = declared(&told);
            let accepted = Accepted { counts: Some(told), ..Accepted::default() };
            first_right(case, &right, |heap| Ok(counts::judge(heap, strings, &declared, &accepted)))
        }
        Answer::Listing(text) => match listing::read(text.as_bytes()) {
            Ok(told) => {
                let omitted: BTreeSet<_> = told.head.omits.iter().copied().collect();
                let judgement = first_right(case, &right, |heap| Ok(against(heap, &told.heap, &omitted)))?;
                Ok(Judgement { omitted: omitted.into_iter().collect(), ..judgement })
            }
            Err(e) => Ok(Judgement::wrong(Wrong::answer("a listing as in specs/listing.md", e.to_string()))),
        },
        Answer::Heap(told) => of_heap(case, &right, &told),
    }
}

/// A heap that does not record a fact leaves it out.
fn of_heap(case: &Case, right: &[(&str, &Heap)], told: &Heap) -> Result<Judgement, Error> {
    let mut omitted = BTreeSet::new();
    let judgement = first_right(case, right, |heap| {
        let mut comparison = compare(heap, told, &BTreeSet::new());
        let silent = comparison.not_compared.iter().filter(|n| n.why == Side::UnknownRight);
        omitted = silent.map(|n| n.facet).collect();
        comparison.not_compared.clear();
        Ok(differ(&comparison))
    })?;
    Ok(Judgement { omitted: omitted.into_iter().collect(), ..judgement })
}

fn file(case: &Case) -> Result<DumpFile, Error> {
    DumpFile::new(Input::memory(&case.id, case.bytes.clone()), Reading::default())
}

/// What is counted: whatever there is a number for.
fn declared(told: &Counts) -> Vec<Count> {
    Count::ALL.into_iter().filter(|count| counts::of(told, *count).is_some()).collect()
}
