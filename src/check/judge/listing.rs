//! Judgement of listings, fact by fact.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::BufReader;

use crate::check::declarations::{ComparedSides, IDENTIFIES, in_both_forms, in_text};
use crate::check::judge::invented::invented;
use crate::check::judge::moved::or_moved;
use crate::check::judge::readings::{Combination, Scope};
use crate::check::judge::same::in_words_of;
use crate::check::judge::{Asked, Differing, Judgement, Wrong};
use crate::check::protocol::Level;
use crate::check::report::Outcome;
use crate::check::task::first_heap;
use crate::compare::listing::{self, Listing};
use crate::compare::renaming::{BUDGET, Renaming, up_to_renaming};
use crate::compare::{Comparison, Facet, Side, compare};
use crate::corpus::Case;
use crate::error::Error;
use crate::model::{Address, Contents, Heap};

/// Judges the listing in the file of the answer.
pub(super) fn judge(asked: &Asked<'_>) -> Result<Judgement, Error> {
    let listing = match read(asked)? {
        Ok(listing) => listing,
        Err(wrong) => return Ok(Judgement::wrong(wrong)),
    };
    let mut left_out: BTreeSet<Facet> = listing.head.omits.iter().chain(asked.left_out).copied().collect();
    if let Some(hello) = asked.hello {
        left_out.extend(Facet::ALL.into_iter().filter(|facet| !hello.facets.contains(facet)));
    }
    let declares = asked.declares();
    let by_address = !declares.has(IDENTIFIES, "opaque");
    let scope = match by_address {
        false => Scope::Other,
        true => Scope::Facets(Facet::ALL.into_iter().filter(|facet| !left_out.contains(facet)).collect()),
    };
    let judgement = asked.rights(scope).judge(|heap, combination| {
        let told = worded(asked.case, &listing.heap, combination);
        let mut sides = ComparedSides { right: Cow::Borrowed(heap), told, by_address };
        sides.agree(declares);
        let ComparedSides { right: heap, told, .. } = sides;
        let heap = &*heap;
        if combination.leaves_out_nulls()
            && let Err(listed) = lists_no_nulls(&told)
        {
            return Ok(Err(listed));
        }
        if by_address {
            return Ok(against(asked.case, heap, &told, &left_out));
        }
        let told = in_words_of(heap, told.into_owned());
        if let Err(owed) = may_be_omitted(&left_out) {
            return Ok(Err(owed));
        }
        Ok(match up_to_renaming(heap, &told, &left_out, BUDGET) {
            Renaming::Equal { comparison, .. } => differ(&comparison),
            Renaming::Different { invariant, left, right } => Err(Wrong::number(
                "graph".to_owned(),
                format!("{left} times {invariant}"),
                format!("{right} times, under any other addresses"),
            )),
            Renaming::Undecided { steps, .. } => Err(Wrong::undecided(steps)),
        })
    })?;
    Ok(Judgement { omitted: left_out.into_iter().collect(), ..judgement })
}

/// A listing's heap, with its names as text where the right heap has them as text.
pub(super) fn worded<'h>(case: &Case, told: &'h Heap, combination: &Combination<'_>) -> Cow<'h, Heap> {
    let mut told = Cow::Borrowed(told);
    if combination.has_text() {
        in_text(told.to_mut());
        if let Some(heap) = first_heap(case) {
            in_both_forms(told.to_mut(), heap);
        }
    }
    told
}

/// Compares a listing's heap with the right one, without omitted facets.
pub(super) fn against(case: &Case, heap: &Heap, told: &Heap, omitted: &BTreeSet<Facet>) -> Result<(), Wrong> {
    may_be_omitted(omitted)?;
    or_moved(case.format.family(), heap, told, |told| {
        let told = in_words_of(heap, told.clone());
        let comparison = compare(heap, &told, omitted);
        differ(&comparison)?;
        invented(heap, &told, omitted, &comparison)
    })
}

/// Rejects null references in the listing of an implementation that leaves them out: their places would differ from the
/// record's.
fn lists_no_nulls(told: &Heap) -> Result<(), Wrong> {
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
    Err(Wrong::facet(Facet::NullReferences, Some(address.to_string()), expected, found, 1 + listing.count() as u64))
}

fn may_be_omitted(omitted: &BTreeSet<Facet>) -> Result<(), Wrong> {
    match omitted.iter().find(|facet| !facet.may_be_omitted()) {
        Some(owed) => {
            let expected = "a facet that every decoder reports".to_owned();
            Err(Wrong::facet(*owed, None, expected, "declared as omitted".to_owned(), 1))
        }
        None => Ok(()),
    }
}

/// The facets that the head of the listing omits; none where there is no listing.
pub(super) fn omitted(asked: &Asked<'_>) -> Result<Vec<Facet>, Error> {
    Ok(read(asked)?.map_or_else(|_| Vec::new(), |listing| listing.head.omits))
}

/// The failure of an answer that accepts a dump which had to be refused.
pub(super) fn not_refused(asked: &Asked<'_>) -> Result<Judgement, Error> {
    Ok(match read(asked)? {
        Ok(listing) => {
            let found = format!("accepted, with {} objects", listing.heap.objects.len());
            Judgement::of(Outcome::WrongVerdict { expected: "refuse".to_owned(), found })
        }
        Err(wrong) => Judgement::wrong(wrong),
    })
}

/// The failure of an answer to a dump without a right heap; at the level of listings, the answer has to be one.
pub(super) fn is_listing(asked: &Asked<'_>, level: Level) -> Result<Judgement, Error> {
    Ok(match (level == Level::Listing).then(|| read(asked)).transpose()? {
        Some(Err(wrong)) => Judgement::wrong(wrong),
        _ => super::not_refused(),
    })
}

fn read(asked: &Asked<'_>) -> Result<Result<Listing, Wrong>, Error> {
    let answer = asked.files.answer()?.reader();
    let wrong = |e: Error| Wrong::answer("a listing as in specs/listing.md", e.to_string());
    Ok(listing::read(BufReader::new(answer)).map_err(wrong))
}

/// Rejects facts that differ, and then those that the listing keeps silent about.
pub(super) fn differ(comparison: &Comparison) -> Result<(), Wrong> {
    let silent = comparison.not_compared.iter().filter(|n| n.why == Side::UnknownRight);
    let silent = silent.map(|silent| {
        let expected = format!("{0}, or \"{0}\" among the head's omits", silent.facet);
        Wrong::facet(silent.facet, None, expected, "nothing".to_owned(), silent.count).into_first()
    });
    Wrong::all(comparison.differences.iter().cloned().map(Differing::from).chain(silent)).map_or(Ok(()), Err)
}
