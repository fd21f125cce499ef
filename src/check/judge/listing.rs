//! Listings, fact by fact.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::io::BufReader;

use crate::compare::listing::{self, Listing};
use crate::compare::renaming::{BUDGET, Renaming, up_to_renaming};
use crate::compare::{Comparison, Facet, Side, compare};
use crate::corpus::Case;
use crate::error::Error;
use crate::model::{Address, Class, Contents, Heap, Name, Value};

use super::super::protocol::{ClassNames, Dangling, Hello, Identifies, Level, MadeUp};
use super::super::report::Outcome;
use super::invented::invented;
use super::moved::or_moved;
use super::readings::{Combination, Scope};
use super::same::in_words_of;
use super::spelling::in_text;
use super::{Asked, Differing, Judgement, Wrong};

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
    let is_opaque = asked.hello.is_some_and(|hello| hello.identifies == Identifies::Opaque);
    let told = as_declared(&listing.heap, asked.hello);
    let scope = match is_opaque {
        true => Scope::Other,
        false => Scope::Facets(Facet::ALL.into_iter().filter(|facet| !left_out.contains(facet)).collect()),
    };
    let judgement = asked.rights(scope).judge(|heap, combination| {
        let heap = as_declared(heap, asked.hello);
        let heap = &*without_dangling(&heap, asked.hello);
        let mut told = worded(&told, combination);
        without_made_up(heap, &mut told, asked.hello);
        if combination.leaves_out_nulls()
            && let Err(listed) = lists_no_nulls(&told)
        {
            return Ok(Err(listed));
        }
        if !is_opaque {
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

/// What a listing says, with its names as text where the right one has them so.
pub(super) fn worded<'h>(told: &'h Heap, combination: &Combination<'_>) -> Cow<'h, Heap> {
    let mut told = Cow::Borrowed(told);
    if combination.has_text() {
        in_text(told.to_mut());
    }
    told
}

/// A listing's heap against the right one of a case, without the facets that it omits.
pub(super) fn against(case: &Case, heap: &Heap, told: &Heap, omitted: &BTreeSet<Facet>) -> Result<(), Wrong> {
    may_be_omitted(omitted)?;
    or_moved(case.format.family(), heap, told, |told| {
        let told = in_words_of(heap, told.clone());
        let comparison = compare(heap, &told, omitted);
        differ(&comparison)?;
        invented(heap, &told, omitted, &comparison)
    })
}

/// Whoever leaves nulls out lists none: elsewhere than in the record they are not as it has them either.
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

/// A heap with the names of its classes in the form that is compared.
pub(in crate::check) fn as_declared<'h>(heap: &'h Heap, hello: Option<&Hello>) -> Cow<'h, Heap> {
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
pub(in crate::check) fn without_dangling<'h>(heap: &'h Heap, hello: Option<&Hello>) -> Cow<'h, Heap> {
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

/// Leaves out classes that the dump has no record of, where the adapter makes up such or cannot say so.
pub(in crate::check) fn without_made_up(right: &Heap, told: &mut Cow<'_, Heap>, hello: Option<&Hello>) {
    let Some(hello) = hello.filter(|hello| hello.makes_up(MadeUp::Classes)) else { return };
    let mut there: HashSet<Address> = right.classes.iter().map(|class| class.address).collect();
    let is_made_up: Box<dyn Fn(&Class) -> bool> = match hello.identifies {
        Identifies::Address => {
            there.extend(right.objects.iter().map(|object| object.address));
            Box::new(|class| !there.contains(&class.address))
        }
        // Names are all that such a class has in common with the dump's.
        Identifies::Opaque => {
            let names: HashSet<&Name> = right.classes.iter().map(|class| &class.name).collect();
            Box::new(move |class| !names.contains(&class.name))
        }
    };
    if told.classes.iter().any(&is_made_up) {
        told.to_mut().classes.retain(|class| !is_made_up(class));
    }
}

/// The facets that the head of the listing omits; none where there is no listing.
pub(super) fn omitted(asked: &Asked<'_>) -> Result<Vec<Facet>, Error> {
    Ok(read(asked)?.map_or_else(|_| Vec::new(), |listing| listing.head.omits))
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

/// What is wrong with the answer to a dump that no heap is right for, if it is no listing at a level that has one.
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

/// The facts in which a listing differs, and then those that it keeps silent about.
pub(super) fn differ(comparison: &Comparison) -> Result<(), Wrong> {
    let silent = comparison.not_compared.iter().filter(|n| n.why == Side::UnknownRight);
    let silent = silent.map(|silent| {
        let expected = format!("{0}, or \"{0}\" among the head's omits", silent.facet);
        Wrong::facet(silent.facet, None, expected, "nothing".to_owned(), silent.count).into_first()
    });
    Wrong::all(comparison.differences.iter().cloned().map(Differing::from).chain(silent)).map_or(Ok(()), Err)
}
