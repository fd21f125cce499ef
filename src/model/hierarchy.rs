//! What follows from the chain of superclasses.

use super::{Address, Class, Contents, Object, Value};

/// The references of an instance in the order of its layout, nulls included: the fields of the topmost superclass come
/// first, as objects are laid out. `class_at` finds a class by its address.
pub fn layout_order<'c>(object: &Object, class_at: impl Fn(Address) -> Option<&'c Class>) -> Vec<Address> {
    let Contents::Fields(values) = &object.contents else { return object.references().collect() };
    let mut parts: Vec<&[Value]> = Vec::new();
    let mut rest = values.as_slice();
    let mut class = object.class;
    while let Some(found) = class.and_then(&class_at) {
        let Some((own, inherited)) = found.fields.as_ref().and_then(|f| rest.split_at_checked(f.len())) else {
            break;
        };
        parts.push(own);
        rest = inherited;
        class = found.superclass;
    }
    parts.push(rest);
    parts.into_iter().rev().flatten().filter_map(|value| value.as_reference()).collect()
}

/// The superclasses of a class, from the root down; a cycle is the heap's business, and ends the list.
pub fn superclasses<'c>(class: &Class, class_at: impl Fn(Address) -> Option<&'c Class>) -> Vec<Address> {
    let mut supers = Vec::new();
    let mut next = class.superclass.filter(|a| !a.is_null());
    while let Some(superclass) = next.filter(|a| !supers.contains(a)) {
        supers.push(superclass);
        next = class_at(superclass).and_then(|c| c.superclass).filter(|a| !a.is_null());
    }
    supers.reverse();
    supers
}
