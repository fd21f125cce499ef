//! Judgement of digests by facet; a wrong one is narrowed down to its bucket, and there to an address.

use crate::check::judge::readings::JudgedScope;
use crate::check::judge::{AnswerJudgement, AnsweredTask, Mismatch};
use crate::check::protocol::Accepted;
use crate::check::subject::{Reply, Session};
use crate::check::task::first_heap;
use heapsmith_core::compare::Facet;
use heapsmith_core::compare::listing::Hex;
use heapsmith_core::digest::{self, Digest, DigestOptions, FacetSelection, compare_digests};
use heapsmith_core::error::Error;
use heapsmith_core::model::{Address, Heap};

/// Judges a digest with those of its facets.
pub(super) fn judge(
    asked: &AnsweredTask<'_>,
    accepted: &Accepted,
    session: &mut dyn Session,
) -> Result<AnswerJudgement, Error> {
    let Some(told) = &accepted.digest else {
        return Ok(AnswerJudgement::from_mismatch(Mismatch::answer(
            "a digest as in specs/digest.md",
            "none".to_owned(),
        )));
    };
    let wanted = match judged_facets(asked) {
        Ok(wanted) => wanted,
        Err(wrong) => return Ok(AnswerJudgement::from_mismatch(wrong)),
    };
    let scope = JudgedScope::Facets(Facet::ALL.into_iter().filter(|facet| wanted.contains(*facet)).collect());
    let judgement = asked.right_heaps(scope).judge(|heap, _| {
        let due = digest::digest(&mut heap.clone(), &DigestOptions::default().facets(wanted).by_facet(true))?;
        Ok(find_digest_mismatch(&due, told))
    })?;
    // Facts of the whole heap stand in no bucket.
    let is_told = judgement.differing.iter().any(|differing| differing.facet.is_some());
    let found = match first_heap(asked.case).filter(|_| is_told) {
        Some(heap) => find_wrong_address(asked, heap, wanted, session)?,
        None => None,
    };
    Ok(AnswerJudgement { omitted: unjudged_facets(wanted), ..judgement }.with_first_address(found))
}

/// The facets that are judged: those that are declared and not left out.
pub(super) fn judged_facets(asked: &AnsweredTask<'_>) -> Result<FacetSelection, Mismatch> {
    let declared: Vec<Facet> = asked.hello.map(|hello| hello.facets.to_vec()).unwrap_or_default();
    if let Some(owed) = Facet::ALL.iter().find(|facet| !facet.is_omittable() && !declared.contains(facet)) {
        let expected = "a facet that everybody owes who answers with digests".to_owned();
        return Err(Mismatch::facet(*owed, None, expected, "not declared".to_owned(), 1));
    }
    let judged = declared.iter().filter(|facet| !asked.left_out.contains(facet));
    Ok(judged.copied().collect::<FacetSelection>().and(FacetSelection::unordered_with_texts()))
}

/// The facets that are not judged.
pub(super) fn unjudged_facets(wanted: FacetSelection) -> Vec<Facet> {
    Facet::ALL.into_iter().filter(|facet| !wanted.contains(*facet)).collect()
}

/// The facets with another digest, or with none.
pub(super) fn find_digest_mismatch(due: &Digest, told: &Digest) -> Result<(), Mismatch> {
    let owed =
        [(Facet::Kind, "classes", due.classes, told.classes), (Facet::Kind, "objects", due.objects, told.objects)];
    let numbers = owed.into_iter().filter(|(_, _, due, found)| due != found).map(|(facet, what, due, found)| {
        Mismatch::facet(facet, None, format!("{due} {what}"), format!("{found} {what}"), 1)
    });
    let digest_of = |facet| told.by_facet.iter().flatten().find(|told| told.facet == facet).map(|told| &told.digest);
    let all = due.by_facet.iter().flatten();
    let digests = all.filter(|right| digest_of(right.facet) != Some(&right.digest)).map(|right| {
        let found = digest_of(right.facet);
        let found = found.map_or_else(|| "no digest of this facet".to_owned(), |digest| format!("digest {digest}"));
        Mismatch::facet(right.facet, None, format!("digest {}", right.digest), found, 1)
    });
    Mismatch::from_facts(numbers.chain(digests).map(Mismatch::into_first)).map_or(Ok(()), Err)
}

/// The lowest address whose record has another digest, found by asking for buckets, and then for one of them.
fn find_wrong_address(
    asked: &AnsweredTask<'_>,
    heap: &Heap,
    wanted: FacetSelection,
    session: &mut dyn Session,
) -> Result<Option<Address>, Error> {
    let ours = |bucket| digest::digest(&mut heap.clone(), &DigestOptions::default().facets(wanted).bucket(bucket));
    let mut theirs = |buckets, bucket| -> Result<Option<Digest>, Error> {
        Ok(match session.ask_digest(asked.case, asked.files, buckets, bucket)? {
            Reply::Accepted(accepted) => accepted.digest,
            _ => None,
        })
    };
    let Some(buckets) = theirs(true, None)? else { return Ok(None) };
    let numbers = compare_digests(&ours(None)?, &buckets).buckets.unwrap_or_default();
    let mut lowest = None;
    for number in numbers.into_iter().take(4) {
        let Some(bucket) = theirs(false, Some(number))? else { return Ok(None) };
        let addresses = compare_digests(&ours(Some(number))?, &bucket).addresses.unwrap_or_default();
        lowest = lowest.into_iter().chain(addresses).min();
    }
    Ok(lowest.map(|address: Hex| Address(address.0)))
}
