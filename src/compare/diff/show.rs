//! Facts as text.

use serde::Serialize;

use crate::model::{Address, ObjectKind};

use super::super::facet::Facet;
use super::super::facts::Fact;
use super::super::listing::{Keyed, TypedValue};
use super::Entry;

pub(super) fn kind(entry: &Entry<'_>) -> String {
    match entry {
        Entry::Class(_) => "class".to_owned(),
        Entry::Object(object) => match object.kind {
            ObjectKind::Instance => "object".to_owned(),
            ObjectKind::ObjectArray => "object array".to_owned(),
            ObjectKind::PrimitiveArray(element) => format!("array of {element}"),
        },
    }
}

/// A list of addresses, cut after a few.
pub(super) fn references(references: &[Address]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = references.iter().take(SHOWN).map(Address::to_string).collect();
    let more = references.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} references: {}{tail}", references.len(), shown.join(" "))
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

/// A fact on both sides; of lists, the first item in which they differ.
pub(super) fn facts(facet: Facet, left: Fact<'_>, right: Fact<'_>) -> (String, String) {
    match (left, right) {
        (Fact::Addresses(l), Fact::Addresses(r)) => {
            let noun = if facet == Facet::Interfaces { "interface" } else { "element" };
            first_difference(l, r, noun, Address::to_string)
        }
        (Fact::Fields(l), Fact::Fields(r)) => first_difference(l, r, "field", |field| line(&Keyed::of(field))),
        (Fact::Statics(l), Fact::Statics(r)) => first_difference(l, r, "static field", |field| line(&Keyed::of(field))),
        (Fact::Pool(l), Fact::Pool(r)) => first_difference(l, r, "entry", |entry| line(&Keyed::of(entry))),
        (Fact::Values(l), Fact::Values(r)) => first_difference(l, r, "value", |value| line(&TypedValue::from(*value))),
        (Fact::Raw(l), Fact::Raw(r)) => first_difference(l, r, "byte", |byte| format!("{byte:#04x}")),
        (Fact::Primitives(l, element), Fact::Primitives(r, _)) => {
            let [l, r]: [Vec<&[u8]>; 2] = [l, r].map(|bytes| bytes.chunks(element.size() as usize).collect());
            let hex = |bytes: &&[u8]| bytes.iter().fold("0x".to_owned(), |text, b| text + &format!("{b:02x}"));
            first_difference(&l, &r, "element", hex)
        }
        _ => (fact(left), fact(right)),
    }
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
        Fact::Raw(bytes) => format!("{} bytes that no class lays out", bytes.len()),
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
