//! Judgement of listings, fact by fact.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::BufReader;

use crate::check::declarations::{ComparedSides, IDENTIFIES, convert_names_to_text, in_both_forms};
use crate::check::judge::adapter_fault::{find_adapter_fault, find_unknown_count};
use crate::check::judge::invented::reject_invented;
use crate::check::judge::readings::{JudgedScope, ReadingCombination};
use crate::check::judge::relocated::judge_allowing_moves;
use crate::check::judge::rewording::adopt_wording;
use crate::check::judge::{AnswerJudgement, AnsweredTask, Mismatch, WrongFact};
use crate::check::protocol::Level;
use crate::check::report::Outcome;
use crate::check::subject::{LONG, cut};
use crate::check::task::first_heap;
use crate::corpus::{Case, RightAnswer};
use heapsmith_core::compare::listing::{self, Listing};
use heapsmith_core::compare::renaming::{BUDGET, Renaming, up_to_renaming};
use heapsmith_core::compare::{Comparison, Facet, NotComparedReason, compare};
use heapsmith_core::error::Error;
use heapsmith_core::model::string_text::with_string_texts;
use heapsmith_core::model::{Address, Contents, Heap};

/// Judges the listing in the file of the answer.
pub(super) fn judge(asked: &AnsweredTask<'_>) -> Result<AnswerJudgement, Error> {
    let listing = match read(asked)? {
        Ok(listing) => listing,
        Err(failed) => return Ok(failed),
    };
    let mut left_out: BTreeSet<Facet> = listing.head.omits.iter().chain(asked.left_out).copied().collect();
    if let Some(hello) = asked.hello {
        left_out.extend(Facet::ALL.into_iter().filter(|facet| !hello.facets.contains(facet)));
    }
    if asked.hello.is_none() {
        leave_out_unlisted_texts(asked.case, &listing.heap, &mut left_out);
    }
    if let (Some(_), Some(right)) = (asked.hello, first_heap(asked.case))
        && let Some(how) = find_unknown_count(&listing, right, |facet| !left_out.contains(&facet))
    {
        return Ok(AnswerJudgement::from_outcome(Outcome::AdapterError { how }));
    }
    let declares = asked.declares();
    let by_address = !declares.has(IDENTIFIES, "opaque");
    let scope = match by_address {
        false => JudgedScope::Other,
        true => JudgedScope::Facets(Facet::ALL.into_iter().filter(|facet| !left_out.contains(facet)).collect()),
    };
    let judgement = asked.right_heaps(scope).judge(|heap, combination| {
        let told = with_text_names(asked.case, &listing.heap, combination);
        let mut sides = ComparedSides { right: Cow::Borrowed(heap), told, by_address };
        sides.agree(declares);
        let ComparedSides { right: heap, told, .. } = sides;
        let heap = &*heap;
        if combination.leaves_out_nulls()
            && let Err(listed) = reject_listed_nulls(&told)
        {
            return Ok(Err(listed));
        }
        if by_address {
            return Ok(compare_with_right(asked.case, heap, &told, &left_out));
        }
        let told = adopt_wording(heap, told.into_owned());
        if let Err(owed) = reject_required_omissions(&left_out) {
            return Ok(Err(owed));
        }
        Ok(match up_to_renaming(heap, &told, &left_out, BUDGET) {
            Renaming::Equal { comparison, .. } => reject_differences(&comparison),
            Renaming::Different { invariant, left, right } => Err(Mismatch::number(
                "graph".to_owned(),
                format!("{left} times {invariant}"),
                format!("{right} times, under any other addresses"),
            )),
            Renaming::Undecided { steps, .. } => Err(Mismatch::undecided(steps)),
        })
    })?;
    Ok(AnswerJudgement { omitted: left_out.into_iter().collect(), ..judgement })
}

/// Leaves the texts of strings out where a program that declares no facets lists none of those that are due: they are worked out and not
/// read, and most programs do not.
pub(super) fn leave_out_unlisted_texts(case: &Case, told: &Heap, left_out: &mut BTreeSet<Facet>) {
    let lists_texts = |heap: &Heap| heap.objects.iter().any(|object| object.text.is_some());
    let is_due =
        |answer: &RightAnswer| matches!(answer, RightAnswer::Reads(_, heap) if lists_texts(&with_string_texts(heap)));
    if !lists_texts(told) && case.answers.iter().any(is_due) {
        left_out.insert(Facet::StringText);
    }
}

/// A listing's heap, with its names as text where the right heap has them as text.
pub(super) fn with_text_names<'h>(case: &Case, told: &'h Heap, combination: &ReadingCombination<'_>) -> Cow<'h, Heap> {
    let mut told = Cow::Borrowed(told);
    if combination.has_text() {
        convert_names_to_text(told.to_mut());
        if let Some(heap) = first_heap(case) {
            in_both_forms(told.to_mut(), heap);
        }
    }
    told
}

/// Compares a listing's heap with the right one, without omitted facets.
pub(super) fn compare_with_right(
    case: &Case,
    heap: &Heap,
    told: &Heap,
    omitted: &BTreeSet<Facet>,
) -> Result<(), Mismatch> {
    reject_required_omissions(omitted)?;
    judge_allowing_moves(case.format.family(), heap, told, |told| {
        let told = adopt_wording(heap, told.clone());
        let comparison = compare(heap, &told, omitted);
        reject_differences(&comparison)?;
        reject_invented(heap, &told, omitted, &comparison)
    })
}

/// Rejects null references in the listing of an implementation that leaves them out: their places would differ from the
/// record's.
fn reject_listed_nulls(told: &Heap) -> Result<(), Mismatch> {
    let of_classes = told.classes.iter().map(|class| (class.address, class.references.as_ref()));
    let of_objects = told.objects.iter().map(|object| match &object.contents {
        Contents::References(listed) => (object.address, Some(listed)),
        _ => (object.address, None),
    });
    let nulls = |listed: &Vec<Address>| listed.iter().filter(|to| to.is_null()).count() as u64;
    let counted = of_classes.chain(of_objects).map(|(address, listed)| (address, listed.map_or(0, nulls)));
    let mut listing = counted.filter(|(_, nulls)| *nulls > 0);
    let Some((address, nulls)) = listing.next() else { return Ok(()) };
    let (expected, found) = ("0, where nulls are left out".to_owned(), nulls.to_string());
    Err(Mismatch::facet(Facet::NullReferences, Some(address.to_string()), expected, found, 1 + listing.count() as u64))
}

fn reject_required_omissions(omitted: &BTreeSet<Facet>) -> Result<(), Mismatch> {
    match omitted.iter().find(|facet| !facet.is_omittable()) {
        Some(owed) => {
            let expected = "a facet that every decoder reports".to_owned();
            Err(Mismatch::facet(*owed, None, expected, "declared as omitted".to_owned(), 1))
        }
        None => Ok(()),
    }
}

/// The facets that the head of the listing omits; none where there is no listing.
pub(super) fn omitted_facets(asked: &AnsweredTask<'_>) -> Result<Vec<Facet>, Error> {
    Ok(read(asked)?.map_or_else(|_| Vec::new(), |listing| listing.head.omits))
}

/// The failure of an answer that accepts a dump which had to be refused.
pub(super) fn judge_missing_refusal(asked: &AnsweredTask<'_>) -> Result<AnswerJudgement, Error> {
    Ok(match read(asked)? {
        Ok(listing) => {
            let found = format!("accepted, with {} objects", listing.heap.objects.len());
            AnswerJudgement::from_outcome(Outcome::WrongVerdict { expected: "refuse".to_owned(), found })
        }
        Err(failed) => failed,
    })
}

/// The failure of an answer to a dump without a right heap; at the level of listings, the answer has to be one.
pub(super) fn require_listing(asked: &AnsweredTask<'_>, level: Level) -> Result<AnswerJudgement, Error> {
    Ok(match (level == Level::Listing).then(|| read(asked)).transpose()? {
        Some(Err(failed)) => failed,
        _ => super::not_refused(),
    })
}

/// The listing in the file of the answer; or the judgement of what is none. What cannot be a mistake of the parser is the
/// adapter's, where there is one: a decoder prints what it reads by itself.
fn read(asked: &AnsweredTask<'_>) -> Result<Result<Listing, AnswerJudgement>, Error> {
    let answer = asked.files.answer()?.reader();
    let failed = |e: Error| match asked.hello.and_then(|_| find_adapter_fault(&e)) {
        Some(how) => AnswerJudgement::from_outcome(Outcome::AdapterError { how: cut(&how, LONG) }),
        None => AnswerJudgement::from_mismatch(Mismatch::answer("a listing as in specs/listing.md", e.first_message())),
    };
    Ok(listing::read(BufReader::new(answer)).map_err(failed))
}

/// Rejects facts that differ, and then those that the listing keeps silent about.
pub(super) fn reject_differences(comparison: &Comparison) -> Result<(), Mismatch> {
    let silent = comparison.not_compared.iter().filter(|n| n.why == NotComparedReason::UnknownRight);
    let silent = silent.map(|silent| {
        let expected = format!("{0}, or \"{0}\" among the head's omits", silent.facet);
        Mismatch::facet(silent.facet, None, expected, "nothing".to_owned(), silent.count).into_first()
    });
    Mismatch::from_facts(comparison.differences.iter().cloned().map(WrongFact::from).chain(silent)).map_or(Ok(()), Err)
}
