//! What follows from the chain of superclasses.

use std::collections::HashSet;

use super::{Address, Class, Contents, Object, Value};

/// The references of an instance in the order of its layout, nulls included: the fields of the topmost superclass come
/// first, as objects are laid out. `class_at` finds a class by its address. A class of its own superclasses, and one with
/// the address 0, ends the chain.
pub fn layout_order<'c>(object: &Object, class_at: impl Fn(Address) -> Option<&'c Class>) -> Vec<Address> {
    let Contents::Fields(values) = &object.contents else { return object.references().collect() };
    let mut parts: Vec<&[Value]> = Vec::new();
    let mut rest = values.as_slice();
    let mut class = object.class;
    // Brent's way to notice a cycle: this is asked of every object, and few have one.
    let (mut mark, mut steps, mut limit) = (None, 0_u32, 1_u32);
    while let Some(found) = class.and_then(&class_at) {
        if class == mark {
            break;
        }
        steps += 1;
        if steps == limit {
            (mark, steps, limit) = (class, 0, limit.saturating_mul(2));
        }
        let Some((own, inherited)) = found.fields.as_ref().and_then(|f| rest.split_at_checked(f.len())) else {
            break;
        };
        parts.push(own);
        rest = inherited;
        // No superclass, and not the class that has this address.
        class = found.superclass.filter(|address| !address.is_null());
    }
    parts.push(rest);
    parts.into_iter().rev().flatten().filter_map(|value| value.as_reference()).collect()
}

/// The superclasses of a class, from the root down; a cycle is the heap's business, and ends the list.
pub fn superclasses<'c>(class: &Class, class_at: impl Fn(Address) -> Option<&'c Class>) -> Vec<Address> {
    let mut supers = Vec::new();
    let mut seen = HashSet::new();
    let mut next = class.superclass.filter(|a| !a.is_null());
    while let Some(superclass) = next.filter(|a| seen.insert(*a)) {
        supers.push(superclass);
        next = class_at(superclass).and_then(|c| c.superclass).filter(|a| !a.is_null());
    }
    supers.reverse();
    supers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ObjectKind;

    fn class(address: u64, superclass: Option<u64>) -> Class {
        Class {
            address: Address(address),
            superclass: superclass.map(Address),
            fields: Some(Vec::new()),
            ..Class::default()
        }
    }

    #[test]
    fn chains_end_where_they_come_round_and_at_the_class_with_the_address_0() {
        let object = Object {
            class: Some(Address(8)),
            contents: Contents::Fields(Vec::new()),
            ..Object::new(Address(16), ObjectKind::Instance)
        };
        for classes in [
            // The topmost class has the identifier 0, which also says that there is no superclass.
            vec![class(8, Some(0)), class(0, Some(0))],
            vec![class(8, Some(0)), class(0, None)],
            vec![class(8, Some(8))],
            vec![class(8, Some(24)), class(24, Some(32)), class(32, Some(24))],
        ] {
            let class_at = |address| classes.iter().find(|class| class.address == address);
            assert_eq!(layout_order(&object, class_at), []);
            assert!(superclasses(&classes[0], class_at).len() <= classes.len());
        }
    }
}
