//! Facts as text.

use serde::Serialize;

use crate::model::{Address, ObjectKind, Value};

use super::super::listing::TypedValue;
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

/// A value with its type, as in a listing.
pub(super) fn value(value: &Value) -> String {
    line(&TypedValue::from(*value))
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
