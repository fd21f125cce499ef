//! Declarations about the order of fields, and about values of float and double.

use std::collections::HashMap;

use crate::check::declarations::ComparedSides;
use crate::check::index::EntriesByAddress;
use heapsmith_core::model::{
    Address, Class, Contents, EventKind, FieldType, Heap, Name, ObjectKind, PrimitiveType, Static, Value,
};

/// Sorts the static fields of each class. With `by_name`, right fields of one name are reduced to the one that is told.
pub(in crate::check) fn align_statics(sides: &mut ComparedSides<'_>, by_name: bool) {
    let by_address = sides.by_address;
    if by_name && by_address {
        let told: HashMap<Address, &Class> = sides.told.classes.iter().map(|class| (class.address, class)).collect();
        for class in &mut sides.right.to_mut().classes {
            let Some(told) = told.get(&class.address).and_then(|told| told.statics.as_deref()) else { continue };
            if let Some(statics) = &mut class.statics {
                keep_told(statics, told);
            }
        }
    }
    let rank = |field: &Static| (field.name.as_bytes().to_vec(), value_rank(field.value, by_address));
    for heap in [sides.right.to_mut(), sides.told.to_mut()] {
        for class in &mut heap.classes {
            class.statics.iter_mut().for_each(|statics| statics.sort_by_key(rank));
        }
    }
}

/// Reduces right static fields of one name to the one that is told, if that is one of them.
fn keep_told(statics: &mut Vec<Static>, told: &[Static]) {
    let mut named: HashMap<Name, Vec<Static>> = HashMap::new();
    for field in told {
        named.entry(field.name.clone()).or_default().push(field.clone());
    }
    let is_one_of_them =
        |name: &Name, field: &Static| statics.iter().any(|right| right.name == *name && right == field);
    named.retain(|name, told| matches!(&told[..], [field] if is_one_of_them(name, field)));
    statics.retain(|right| named.get(&right.name).is_none_or(|told| told.contains(right)));
    statics.dedup_by(|one, other| one == other && named.contains_key(&one.name));
}

/// The order of values of one name: addresses tell nothing where they are an implementation's own.
fn value_rank(value: Value, by_address: bool) -> (FieldType, u64) {
    let is_known = by_address || value.kind != FieldType::Object;
    (value.kind, if is_known { value.bits } else { 0 })
}

/// Sorts the fields of each class, and the values of its objects with them.
pub(in crate::check) fn align_fields(sides: &mut ComparedSides<'_>) {
    let by_address = sides.by_address;
    for heap in [sides.right.to_mut(), sides.told.to_mut()] {
        let values = ordered_values(heap, by_address);
        for (object, values) in heap.objects.iter_mut().zip(values) {
            if let (Contents::Fields(own), Some(values)) = (&mut object.contents, values) {
                *own = values;
            }
        }
        for class in &mut heap.classes {
            let rank = |field: &heapsmith_core::model::Field| (field.name.as_bytes().to_vec(), field.kind);
            class.fields.iter_mut().for_each(|fields| fields.sort_by_key(rank));
        }
    }
}

/// The values of each object by the names of their fields, the object's own class first, where its classes are known.
fn ordered_values(heap: &Heap, by_address: bool) -> Vec<Option<Vec<Value>>> {
    let index = EntriesByAddress::new(heap);
    let ordered = |object: &heapsmith_core::model::Object| {
        let Contents::Fields(values) = &object.contents else { return None };
        let fields = index.fields(object);
        if fields.len() != values.len() {
            return None;
        }
        let mut level = 0;
        let mut before: Option<&Class> = None;
        let mut ranked = Vec::new();
        for ((class, field), value) in fields.into_iter().zip(values) {
            level += u32::from(before.is_some_and(|before| !std::ptr::eq(before, class)));
            before = Some(class);
            ranked.push(((level, field.name.as_bytes(), value_rank(*value, by_address)), *value));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        Some(ranked.into_iter().map(|(_, value)| value).collect())
    };
    heap.objects.iter().map(ordered).collect()
}

/// Sets the quiet bit of each NaN on both sides, or makes all of one type the same.
pub(in crate::check) fn align_nans(sides: &mut ComparedSides<'_>, are_one: bool) {
    for heap in [sides.right.to_mut(), sides.told.to_mut()] {
        for class in &mut heap.classes {
            class.statics.iter_mut().flatten().for_each(|field| normalise_nan_value(&mut field.value, are_one));
            class.constant_pool.iter_mut().flatten().for_each(|entry| normalise_nan_value(&mut entry.value, are_one));
        }
        for object in &mut heap.objects {
            match (&mut object.contents, object.kind) {
                (Contents::Fields(values), _) => {
                    values.iter_mut().for_each(|value| normalise_nan_value(value, are_one))
                }
                (Contents::Primitives(bytes), ObjectKind::PrimitiveArray(PrimitiveType::Float)) => {
                    for bytes in bytes.as_chunks_mut::<4>().0 {
                        *bytes = normalise_float(u32::from_be_bytes(*bytes), are_one).to_be_bytes();
                    }
                }
                (Contents::Primitives(bytes), ObjectKind::PrimitiveArray(PrimitiveType::Double)) => {
                    for bytes in bytes.as_chunks_mut::<8>().0 {
                        *bytes = normalise_double(u64::from_be_bytes(*bytes), are_one).to_be_bytes();
                    }
                }
                _ => {}
            }
        }
        for event in heap.surroundings.events.iter_mut().flatten() {
            if let EventKind::AllocationSites(sites) = &mut event.kind {
                sites.cutoff = normalise_float(sites.cutoff, are_one);
            }
        }
    }
}

fn normalise_nan_value(value: &mut Value, are_one: bool) {
    value.bits = match value.kind {
        FieldType::Primitive(PrimitiveType::Float) => normalise_float(value.bits as u32, are_one).into(),
        FieldType::Primitive(PrimitiveType::Double) => normalise_double(value.bits, are_one),
        _ => value.bits,
    };
}

/// The bits of a float, with the quiet bit of a NaN set, or those of Java's canonical NaN.
fn normalise_float(bits: u32, are_one: bool) -> u32 {
    match (f32::from_bits(bits).is_nan(), are_one) {
        (false, _) => bits,
        (true, false) => bits | 0x0040_0000,
        (true, true) => 0x7fc0_0000,
    }
}

/// The bits of a double, with the quiet bit of a NaN set, or those of Java's canonical NaN.
fn normalise_double(bits: u64, are_one: bool) -> u64 {
    match (f64::from_bits(bits).is_nan(), are_one) {
        (false, _) => bits,
        (true, false) => bits | 0x0008_0000_0000_0000,
        (true, true) => 0x7ff8_0000_0000_0000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises_nans_only() {
        assert_eq!(
            [0x7f80_0000, 0xff80_0000, 0x3f80_0000].map(|bits| normalise_float(bits, true)),
            [0x7f80_0000, 0xff80_0000, 0x3f80_0000]
        );
        assert_eq!([0x7fa0_0001, 0xff80_0001].map(|bits| normalise_float(bits, false)), [0x7fe0_0001, 0xffc0_0001]);
        assert_eq!([0x7fa0_0001, 0xff80_0001].map(|bits| normalise_float(bits, true)), [0x7fc0_0000; 2]);
        assert_eq!(normalise_double(0xfff0_0000_0000_0001, false), 0xfff8_0000_0000_0001);
        assert_eq!(normalise_double(0x7ff0_0000_0000_0000, true), 0x7ff0_0000_0000_0000);
    }

    #[test]
    fn keeps_reported_one_of_statics_with_same_name() {
        let field = |name: &str, bits| Static {
            name: Name::from_text(name),
            value: Value { kind: FieldType::Primitive(PrimitiveType::Int), bits },
        };
        let all = [field("a", 1), field("a", 2), field("b", 3)];
        let left = |told: &[Static]| {
            let mut left = all.to_vec();
            keep_told(&mut left, told);
            left
        };
        assert_eq!(left(&[field("b", 3), field("a", 2)]), [field("a", 2), field("b", 3)]);
        // One that none of them is has to be one of them.
        assert_eq!(left(&[field("a", 9), field("b", 3)]), all);
        assert_eq!(left(&[field("b", 3)]), all);
    }
}
