//! The judgement of a closure's answer about a dump.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::judge::decoder_answer::{DecoderAnswer, DecoderExit};
use crate::check::judge::listing::{compare_with_right, leave_out_unlisted_texts, reject_differences, with_text_names};
use crate::check::judge::readings::{JudgedScope, RightHeaps};
use crate::check::judge::relocated::judge_allowing_moves;
use crate::check::judge::{AnswerJudgement, Mismatch, counts, has_heap, judge_refusal, not_refused};
use crate::check::protocol::{Accepted, CountKind, ObjectCounts};
use crate::check::report::Outcome;
use crate::corpus::Case;
use heapsmith_core::compare::{Facet, NotComparedReason, compare, listing};
use heapsmith_core::error::Error;
use heapsmith_core::format::DumpFile;
use heapsmith_core::hprof::ReadOptions;
use heapsmith_core::input::Input;
use heapsmith_core::model::Heap;

/// Judges the answer to a case.
pub(in crate::check) fn judge_closure(
    case: &Case,
    answer: Result<DecoderAnswer, DecoderExit>,
) -> Result<AnswerJudgement, Error> {
    Ok(judge_answer(case, answer)?.with_causes_first(case))
}

fn judge_answer(case: &Case, answer: Result<DecoderAnswer, DecoderExit>) -> Result<AnswerJudgement, Error> {
    let rights = |scope| RightHeaps::new(case, &BTreeMap::new(), scope);
    let answer = match answer {
        Ok(DecoderAnswer::Skipped(reason)) => {
            return Ok(AnswerJudgement::from_outcome(Outcome::skip(reason, None)));
        }
        Ok(answer) => answer,
        Err(DecoderExit::Refused(message)) => return Ok(judge_refusal(&rights(JudgedScope::Other), case, &message)),
        Err(DecoderExit::Panicked(how)) => return Ok(AnswerJudgement::from_outcome(Outcome::Crash { how })),
    };
    if !has_heap(case) {
        return Ok(not_refused());
    }
    match answer {
        DecoderAnswer::Read | DecoderAnswer::Skipped(_) => rights(JudgedScope::Nothing).judge(|_, _| Ok(Ok(()))),
        DecoderAnswer::Counts(told) => {
            let strings = match told.strings {
                Some(_) => counts::strings(&mut dump_file(case)?.read()?.dump),
                None => None,
            };
            let declared = counted_kinds(&told);
            let accepted = Accepted { counts: Some(told), ..Accepted::default() };
            rights(JudgedScope::Other).judge(|mut heap, combination| {
                counts::judge(&mut heap, strings, &declared, &accepted, combination.has_text())
            })
        }
        DecoderAnswer::Listing(text) => match listing::read(text.as_bytes()) {
            Ok(told) => {
                let mut omitted: BTreeSet<_> = told.head.omits.iter().copied().collect();
                leave_out_unlisted_texts(case, &told.heap, &mut omitted);
                let facets = Facet::ALL.into_iter().filter(|facet| !omitted.contains(facet));
                let judgement = rights(JudgedScope::Facets(facets.collect())).judge(|heap, combination| {
                    Ok(compare_with_right(case, heap, &with_text_names(case, &told.heap, combination), &omitted))
                })?;
                Ok(AnswerJudgement { omitted: omitted.into_iter().collect(), ..judgement })
            }
            Err(e) => {
                let wrong = Mismatch::answer("a listing as in specs/listing.md", e.first_message());
                Ok(AnswerJudgement::from_mismatch(wrong))
            }
        },
        DecoderAnswer::Heap(told) => judge_heap(case, &rights(JudgedScope::Other), &told),
    }
}

/// Judges a heap; a heap that does not record a fact omits it.
fn judge_heap(case: &Case, rights: &RightHeaps<'_>, told: &Heap) -> Result<AnswerJudgement, Error> {
    let mut omitted = BTreeSet::new();
    let judgement = rights.judge(|heap, combination| {
        Ok(judge_allowing_moves(case.format.family(), heap, &with_text_names(case, told, combination), |told| {
            let mut comparison = compare(heap, told, &BTreeSet::new());
            let silent = comparison.not_compared.iter().filter(|n| n.why == NotComparedReason::UnknownRight);
            omitted = silent.map(|n| n.facet).collect();
            comparison.not_compared.clear();
            reject_differences(&comparison)
        }))
    })?;
    Ok(AnswerJudgement { omitted: omitted.into_iter().collect(), ..judgement })
}

fn dump_file(case: &Case) -> Result<DumpFile, Error> {
    DumpFile::new(Input::from_memory(&case.id, case.bytes.clone()), ReadOptions::default())
}

/// The counts that an answer has a number for.
fn counted_kinds(told: &ObjectCounts) -> Vec<CountKind> {
    CountKind::ALL.into_iter().filter(|count| counts::number_of(told, *count).is_some()).collect()
}
