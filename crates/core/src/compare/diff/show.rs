//! Facts as text.

use serde::Serialize;

use crate::bytes::hexadecimal;
use crate::compare::facet::Facet;
use crate::compare::facts::{ContentItems, Fact};
use crate::compare::listing::{Keyed, TypedValue};
use crate::error::Error;
use crate::model::long::{ListItem, Pieces};
use crate::model::{Address, Name, ObjectKind};

use super::ComparedEntry;

pub(super) fn kind(entry: &ComparedEntry<'_>) -> String {
    match entry {
        ComparedEntry::Class(_) => "class".to_owned(),
        ComparedEntry::Object(object) => match object.kind {
            ObjectKind::Instance => "object".to_owned(),
            ObjectKind::ObjectArray => "object array".to_owned(),
            ObjectKind::PrimitiveArray(element) => format!("array of {element}"),
        },
    }
}

/// A list of addresses, cut after a few.
pub(super) fn references(references: &[Address]) -> String {
    format_few(references, references.len() as u64)
}

/// A list of addresses that is read in pieces, cut after a few.
pub(super) fn long_references(references: &Pieces<Address>) -> Result<String, Error> {
    Ok(format_few(&references.first(FEW)?, references.count()))
}

/// The most addresses that are shown of a list.
const FEW: usize = 8;

fn format_few(first: &[Address], count: u64) -> String {
    let shown: Vec<String> = first.iter().take(FEW).map(Address::to_string).collect();
    let more = count.saturating_sub(FEW as u64);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{count} references: {}{tail}", shown.join(" "))
}

/// The first item in which two lists differ, on both sides.
pub(super) fn first_difference<T: PartialEq>(
    left: &[T],
    right: &[T],
    noun: &str,
    show: impl Fn(&T) -> String,
) -> (String, String) {
    let place = left.iter().zip(right).take_while(|(l, r)| l == r).count();
    let describe = |items: &[T]| match items.get(place) {
        Some(item) => format!("{noun} {place} of {}: {}", items.len(), show(item)),
        None => format!("no {noun} {place}, only {}", items.len()),
    };
    (describe(left), describe(right))
}

/// The first item in which two lists of contents differ, in items of this number of bytes or addresses.
fn first_item<T: ListItem>(
    left: ContentItems<'_, T>,
    right: ContentItems<'_, T>,
    size: u64,
    noun: &str,
    show: impl Fn(&[T]) -> String,
) -> Result<(String, String), Error> {
    let place = left.first_difference(right)?.map_or(left.count(), |at| at / size * size);
    let describe = |items: ContentItems<'_, T>| {
        let (index, count) = (place / size, items.count().div_ceil(size));
        Ok::<String, Error>(match items.read_range(place, size as usize)?.as_slice() {
            [] => format!("no {noun} {index}, only {count}"),
            item => format!("{noun} {index} of {count}: {}", show(item)),
        })
    };
    Ok((describe(left)?, describe(right)?))
}

/// A fact on both sides; of lists, the first item in which they differ.
///
/// # Errors
/// If reading lists in pieces fails.
pub(super) fn facts(facet: Facet, left: Fact<'_>, right: Fact<'_>) -> Result<(String, String), Error> {
    let hex = |bytes: &[u8]| format!("0x{}", hexadecimal(bytes));
    Ok(match (left, right) {
        (Fact::Name(l), Fact::Name(r)) if facet == Facet::StringText => texts(l, r),
        (Fact::Addresses(l), Fact::Addresses(r)) => {
            let noun = if facet == Facet::Interfaces { "interface" } else { "element" };
            first_item(l, r, 1, noun, |to| to.iter().map(Address::to_string).collect())?
        }
        (Fact::Fields(l), Fact::Fields(r)) => {
            first_difference(l, r, "field", |field| line(&Keyed::without_place(field)))
        }
        (Fact::Statics(l), Fact::Statics(r)) => {
            first_difference(l, r, "static field", |field| line(&Keyed::without_place(field)))
        }
        (Fact::Pool(l), Fact::Pool(r)) => first_difference(l, r, "entry", |entry| line(&Keyed::without_place(entry))),
        (Fact::Values(l), Fact::Values(r)) => first_difference(l, r, "value", |value| line(&TypedValue(*value))),
        (Fact::Raw(l), Fact::Raw(r)) => first_item(l, r, 1, "byte", hex)?,
        (Fact::Primitives(l, element), Fact::Primitives(r, _)) => first_item(l, r, element.size(), "element", hex)?,
        _ => (fact(left), fact(right)),
    })
}

/// Two texts: whole where they are short, else the first code unit in which they differ.
fn texts(left: &Name, right: &Name) -> (String, String) {
    const SHORT: usize = 80;
    if left.as_bytes().len().max(right.as_bytes().len()) <= SHORT {
        return (line(&Fact::Name(left)), line(&Fact::Name(right)));
    }
    let [left, right] = [left, right].map(Name::to_units);
    first_difference(&left, &right, "code unit", |unit| format!("{unit:#06x}"))
}

fn fact(fact: Fact<'_>) -> String {
    match fact {
        Fact::Number(number) => number.to_string(),
        Fact::Size(size) => size.to_string(),
        Fact::Address(address) => address.to_string(),
        Fact::Name(name) => name.to_string(),
        Fact::Word(size) => format!("{} bits", size.bits()),
        Fact::Time(time) => format!("{time} ms"),
        Fact::Times(begin, end) => format!("{begin} to {end} microseconds"),
        Fact::Totals(totals) => format!("{} objects, {} references", totals.objects, totals.references),
        Fact::Randoms(one, other) => format!("{one:#x}, {other:#x}"),
        Fact::Values(values) => format!("{} values", values.len()),
        Fact::Raw(bytes) => format!("{} bytes that no class lays out", bytes.count()),
        other => line(&other),
    }
}

/// A part of a listing, cut where it is long.
pub(super) fn line(part: &impl Serialize) -> String {
    const SHOWN: usize = 300;
    let text = serde_json::to_string(part).unwrap_or_default();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}
