//! Listings, fact by fact.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::io::BufReader;

use crate::compare::listing::{self, Listing};
use crate::compare::renaming::{BUDGET, Renaming, up_to_renaming};
use crate::compare::{Comparison, Facet, Side, compare};
use crate::error::Error;
use crate::model::{Address, Contents, Heap, Value};

use super::super::protocol::{ClassNames, Dangling, Hello, Identifies};
use super::super::report::Outcome;
use super::invented::invented;
use super::same::in_words_of;
use super::{Asked, Judgement, Wrong, first_right};

/// Judges the listing in the file of the answer.
pub(super) fn judge(asked: &Asked<'_>, right: &[(&str, &Heap)]) -> Result<Judgement, Error> {
    let listing = match read(asked)? {
        Ok(listing) => listing,
        Err(wrong) => return Ok(Judgement::wrong(wrong)),
    };
    let mut left_out: BTreeSet<Facet> = listing.head.omits.iter().chain(asked.left_out).copied().collect();
    if let Some(hello) = asked.hello {
        left_out.extend(Facet::ALL.into_iter().filter(|facet| !hello.facets.contains(facet)));
    }
    let is_opaque = asked.hello.is_some_and(|hello| hello.identifies == Identifies::Opaque);
    let told = as_declared(&listing.heap, asked.hello);
    let judgement = first_right(asked.case, right, |heap| {
        let heap = as_declared(heap, asked.hello);
        let heap = &*without_dangling(&heap, asked.hello);
        if !is_opaque {
            return Ok(against(heap, &told, &left_out));
        }
        let told = in_words_of(heap, told.clone().into_owned());
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

/// A listing's heap against the right one, without the facets that it omits.
pub(super) fn against(heap: &Heap, told: &Heap, omitted: &BTreeSet<Facet>) -> Result<(), Wrong> {
    may_be_omitted(omitted)?;
    let told = in_words_of(heap, told.clone());
    let comparison = compare(heap, &told, omitted);
    differ(&comparison)?;
    invented(heap, &told, omitted, &comparison)
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

/// A heap with the names of its classes in the form that is compared.
fn as_declared<'h>(heap: &'h Heap, hello: Option<&Hello>) -> Cow<'h, Heap> {
    if hello.is_none_or(|hello| hello.class_names == ClassNames::Dump) {
        return Cow::Borrowed(heap);
    }
    let mut heap = heap.clone();
    heap.classes.iter_mut().for_each(|class| class.name = class.name.to_java_form());
    heap.objects
        .iter_mut()
        .filter_map(|object| object.class_name.as_mut())
        .for_each(|name| *name = name.to_java_form());
    Cow::Owned(heap)
}

/// A heap in which references to nothing are null, where the adapter says that its listings have them so.
fn without_dangling<'h>(heap: &'h Heap, hello: Option<&Hello>) -> Cow<'h, Heap> {
    if hello.is_none_or(|hello| hello.dangling == Dangling::Told) {
        return Cow::Borrowed(heap);
    }
    let mut there: HashSet<Address> = heap.classes.iter().map(|class| class.address).collect();
    there.extend(heap.objects.iter().map(|object| object.address));
    let mut heap = heap.clone();
    let cut = |address: &mut Address| {
        if !there.contains(address) {
            *address = Address::default();
        }
    };
    let cut_value = |value: &mut Value| {
        if let Some(mut address) = value.as_reference() {
            cut(&mut address);
            value.bits = address.0;
        }
    };
    for class in &mut heap.classes {
        let others = [&mut class.superclass, &mut class.loader, &mut class.signers, &mut class.protection_domain];
        others.into_iter().flatten().for_each(cut);
        class.references.iter_mut().flatten().for_each(cut);
        class.statics.iter_mut().flatten().for_each(|field| cut_value(&mut field.value));
    }
    for object in &mut heap.objects {
        match &mut object.contents {
            Contents::Fields(values) => values.iter_mut().for_each(cut_value),
            Contents::Elements(list) | Contents::References(list) => list.iter_mut().for_each(cut),
            _ => {}
        }
    }
    Cow::Owned(heap)
}

/// What is wrong with a dump's being read that should have been refused.
pub(super) fn not_refused(asked: &Asked<'_>) -> Result<Judgement, Error> {
    Ok(match read(asked)? {
        Ok(listing) => {
            let found = format!("accepted, with {} objects", listing.heap.objects.len());
            Judgement::of(Outcome::WrongVerdict { expected: "refuse".to_owned(), found })
        }
        Err(wrong) => Judgement::wrong(wrong),
    })
}

fn read(asked: &Asked<'_>) -> Result<Result<Listing, Wrong>, Error> {
    let answer = asked.files.answer()?.reader();
    let wrong = |e: Error| Wrong::answer("a listing as in specs/listing.md", e.to_string());
    Ok(listing::read(BufReader::new(answer)).map_err(wrong))
}

/// The first fact in which a listing differs, or that it keeps silent about.
pub(super) fn differ(comparison: &Comparison) -> Result<(), Wrong> {
    if let Some(d) = comparison.differences.first() {
        return Err(Wrong::facet(d.facet, d.address.clone(), d.left.clone(), d.right.clone(), d.count));
    }
    match comparison.not_compared.iter().find(|n| n.why == Side::UnknownRight) {
        Some(silent) => {
            let expected = format!("{0}, or \"{0}\" among the head's omits", silent.facet);
            Err(Wrong::facet(silent.facet, None, expected, "nothing".to_owned(), silent.count))
        }
        None => Ok(()),
    }
}
