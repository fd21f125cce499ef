//! The elements of an array, as its node says them.

use kdl::KdlEntry;

use crate::model::{ObjectKind, PrimitiveType};

use super::node::{Mistake, NodeView, bytes_of, offset_of};

/// Properties of an array beside its facts.
const ARRAY_KEYS: [&str; 3] = ["length", "hex", "text"];

/// The elements of an array, as far as its node alone says.
pub(super) enum ArrayBody<'d> {
    Elements(Vec<&'d KdlEntry>),
    Zeros(u64),
    Bytes(Vec<u8>),
}

/// The body of an array, from the arguments after `skipped` of them.
pub(super) fn array_body<'d>(
    view: NodeView<'d, '_>,
    skipped: usize,
    kind: ObjectKind,
) -> Result<ArrayBody<'d>, Mistake> {
    let elements: Vec<&KdlEntry> = view.arguments().skip(skipped).collect();
    let given: Vec<&str> = ARRAY_KEYS.into_iter().filter(|key| view.property(key).is_some()).collect();
    if let [_, second, ..] = given[..] {
        return view.mistake(format!("an array has one of length, hex and text, and {second} is one more"));
    }
    let Some(key) = given.first() else { return Ok(ArrayBody::Elements(elements)) };
    let Some(entry) = view.property(key) else { return Ok(ArrayBody::Elements(elements)) };
    if !elements.is_empty() && *key != "length" {
        return Err((offset_of(entry), format!("{key} takes the place of elements")));
    }
    match *key {
        "length" => {
            let length = view.number(entry, "number of elements")?;
            match elements.len() as u64 {
                0 => Ok(ArrayBody::Zeros(length)),
                given if given == length => Ok(ArrayBody::Elements(elements)),
                given => Err((offset_of(entry), format!("{given} elements and length={length}"))),
            }
        }
        "hex" => {
            let ObjectKind::PrimitiveArray(element) = kind else {
                return Err((offset_of(entry), "hex is for arrays of primitives".into()));
            };
            let bytes = bytes_of(entry)?;
            if !(bytes.len() as u64).is_multiple_of(element.size()) {
                return Err((
                    offset_of(entry),
                    format!("{} bytes are no whole number of elements of {} bytes", bytes.len(), element.size()),
                ));
            }
            Ok(ArrayBody::Bytes(bytes))
        }
        _ => {
            if kind != ObjectKind::PrimitiveArray(PrimitiveType::Char) {
                return Err((offset_of(entry), "text is for a char[]".into()));
            }
            let units = view.units(entry)?;
            Ok(ArrayBody::Bytes(units.iter().flat_map(|unit| unit.to_be_bytes()).collect()))
        }
    }
}
