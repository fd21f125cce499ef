//! Simpler objects and classes.

use std::ops::Range;

use crate::model::{Address, ByteLen, Class, Contents, FieldType, IdentityHash, Object, ObjectKind, Value, WordSize};

use super::ranges;

/// A way to make an object simpler.
#[doc(hidden)]
pub enum ObjectStep {
    /// Without some elements, or listed references.
    Without(Range<usize>),
    /// Without some elements of primitive values.
    WithoutValues(Range<usize>),
    /// With null in some places of fields or elements.
    Nulls(Range<usize>),
    /// With zeros for primitive values.
    Zeros,
    Unhashed,
    /// Without the trace of its allocation.
    Untraced,
}

impl ObjectStep {
    #[doc(hidden)]
    pub fn for_object(object: &Object) -> Vec<ObjectStep> {
        let mut steps = Vec::new();
        match &object.contents {
            Contents::References(list) => steps.extend(ranges(list.len()).map(ObjectStep::Without)),
            Contents::Elements(list) => {
                steps.extend(ranges(list.len()).map(ObjectStep::Without));
                let live = |range: &Range<usize>| list[range.clone()].iter().any(|to| !to.is_null());
                steps.extend(ranges(list.len()).filter(live).map(ObjectStep::Nulls));
            }
            Contents::Fields(values) => {
                let live = |range: &Range<usize>| values[range.clone()].iter().any(is_live);
                steps.extend(ranges(values.len()).filter(live).map(ObjectStep::Nulls));
                if values.iter().any(|value| value.as_reference().is_none() && value.bits != 0) {
                    steps.push(ObjectStep::Zeros);
                }
            }
            Contents::Primitives(bytes) => {
                if let ObjectKind::PrimitiveArray(element) = object.kind {
                    let length = bytes.len() / element.size() as usize;
                    // Halves alone: single elements are seldom the cause, and there may be many.
                    steps.extend(ranges(length).take(SHORTER).map(ObjectStep::WithoutValues));
                }
                if bytes.iter().any(|byte| *byte != 0) {
                    steps.push(ObjectStep::Zeros);
                }
            }
            Contents::Unknown | Contents::Raw(_) | Contents::Long(_) => {}
        }
        if matches!(object.hash, Some(IdentityHash::Bits32(_))) {
            steps.push(ObjectStep::Unhashed);
        }
        if object.trace.is_some() {
            steps.push(ObjectStep::Untraced);
        }
        steps
    }

    /// Steps after others may find less than there was when they were made: what is left of their range counts.
    #[doc(hidden)]
    pub fn apply(&self, object: &mut Object, word: Option<WordSize>) {
        let kind = object.kind;
        match (self, &mut object.contents) {
            (ObjectStep::Unhashed, _) => object.hash = None,
            (ObjectStep::Untraced, _) => object.trace = None,
            (ObjectStep::Without(range), Contents::References(list)) => {
                list.drain(within(range, list.len()));
            }
            (ObjectStep::Without(range), Contents::Elements(list)) => {
                let range = within(range, list.len());
                list.drain(range.clone());
                let width = word.unwrap_or(WordSize::Bits64).bytes() as u64;
                shorten(object, range.len() as u64, width);
            }
            (ObjectStep::WithoutValues(range), Contents::Primitives(bytes)) => {
                let ObjectKind::PrimitiveArray(element) = kind else { return };
                let size = element.size() as usize;
                let range = within(range, bytes.len() / size);
                bytes.drain(range.start * size..range.end * size);
                shorten(object, range.len() as u64, element.size());
            }
            (ObjectStep::Nulls(range), Contents::Elements(list)) => {
                let range = within(range, list.len());
                list[range].fill(Address::NULL);
            }
            (ObjectStep::Nulls(range), Contents::Fields(values)) => {
                let range = within(range, values.len());
                values[range].iter_mut().filter(|value| is_live(value)).for_each(|value| value.bits = 0);
            }
            (ObjectStep::Zeros, Contents::Fields(values)) => {
                values.iter_mut().filter(|value| value.as_reference().is_none()).for_each(|value| value.bits = 0);
            }
            (ObjectStep::Zeros, Contents::Primitives(bytes)) => bytes.fill(0),
            // Steps are made for the contents that they are applied to.
            _ => {}
        }
    }
}

/// The part of a range that a list has.
fn within(range: &Range<usize>, length: usize) -> Range<usize> {
    range.start.min(length)..range.end.min(length)
}

/// Steps that are tried on the elements of an array of primitive values.
const SHORTER: usize = 7;

fn is_live(value: &Value) -> bool {
    value.kind == FieldType::Object && value.bits != 0
}

/// An array with fewer elements takes less room.
fn shorten(object: &mut Object, elements: u64, width: u64) {
    object.length = object.length.map(|length| length.saturating_sub(elements));
    let less = |size: u64| size.saturating_sub(elements * width).next_multiple_of(8).max(16);
    object.size = object.size.map(|ByteLen(size)| ByteLen(size.min(less(size))));
}

/// A way to make a class simpler.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub enum ClassStep {
    NoStatics,
    NoConstantPool,
    NoReferences,
    NoInterfaces,
    NoOwners,
    Unhashed,
    Untraced,
}

impl ClassStep {
    #[doc(hidden)]
    pub fn for_class(class: &Class) -> Vec<ClassStep> {
        let owners = [class.loader, class.signers, class.protection_domain];
        let steps = [
            (ClassStep::NoStatics, class.statics.as_ref().is_some_and(|list| !list.is_empty())),
            (ClassStep::NoConstantPool, class.constant_pool.as_ref().is_some_and(|list| !list.is_empty())),
            (ClassStep::NoReferences, class.references.as_ref().is_some_and(|list| !list.is_empty())),
            (ClassStep::NoInterfaces, class.interfaces.as_ref().is_some_and(|list| !list.is_empty())),
            (ClassStep::NoOwners, owners.into_iter().flatten().any(|to| !to.is_null())),
            (ClassStep::Unhashed, matches!(class.hash, Some(IdentityHash::Bits32(_)))),
            (ClassStep::Untraced, class.trace.is_some()),
        ];
        steps.into_iter().filter(|(_, applies)| *applies).map(|(step, _)| step).collect()
    }

    #[doc(hidden)]
    pub fn apply(self, class: &mut Class) {
        match self {
            ClassStep::NoStatics => class.statics = Some(Vec::new()),
            ClassStep::NoConstantPool => class.constant_pool = Some(Vec::new()),
            ClassStep::NoReferences => class.references = Some(Vec::new()),
            ClassStep::NoInterfaces => class.interfaces = Some(Vec::new()),
            ClassStep::NoOwners => {
                let owners = [&mut class.loader, &mut class.signers, &mut class.protection_domain];
                owners.into_iter().flatten().for_each(|to| *to = Address::NULL);
            }
            ClassStep::Unhashed => class.hash = None,
            ClassStep::Untraced => class.trace = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_one_object_can_follow_each_other_in_any_order() {
        let elements = Object {
            contents: Contents::Elements(vec![Address(8); 4]),
            length: Some(4),
            ..Object::new(Address(16), ObjectKind::ObjectArray)
        };
        let references = Object {
            contents: Contents::References(vec![Address(8); 5]),
            ..Object::new(Address(16), ObjectKind::Instance)
        };
        let bytes = Object {
            contents: Contents::Primitives(vec![1; 6]),
            length: Some(3),
            ..Object::new(Address(16), ObjectKind::PrimitiveArray(crate::units::PrimitiveType::Short))
        };
        for object in [elements, references, bytes] {
            let steps = ObjectStep::for_object(&object);
            assert!(steps.len() > 1, "{object:?}");
            for one in &steps {
                for other in &steps {
                    let mut changed = object.clone();
                    one.apply(&mut changed, None);
                    other.apply(&mut changed, None);
                    let left = match &changed.contents {
                        Contents::Elements(list) => Some(list.len()),
                        Contents::Primitives(bytes) => Some(bytes.len() / 2),
                        _ => None,
                    };
                    assert_eq!(left.map(|left| left as u64), changed.length, "{changed:?}");
                }
            }
        }
    }
}
