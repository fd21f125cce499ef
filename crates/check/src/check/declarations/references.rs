//! Declarations about dangling references, and about synthesised classes, objects and roots.

use std::collections::{HashMap, HashSet};

use crate::check::declarations::ComparedSides;
use heapsmith_core::model::{Address, Class, Contents, Heap, Name, Object, Root, Value};

/// The addresses of classes and objects.
pub(in crate::check) fn addresses(heap: &Heap) -> HashSet<Address> {
    let classes = heap.classes.iter().map(|class| class.address);
    classes.chain(heap.objects.iter().map(|object| object.address)).collect()
}

/// Makes dangling references of the right side null. The class of an object that is not in the dump may be told or not.
pub(in crate::check) fn without_dangling(sides: &mut ComparedSides<'_>) {
    let there = addresses(&sides.right);
    let right = sides.right.to_mut();
    let cut = |address: &mut Address| {
        if !there.contains(address) {
            *address = Address::NULL;
        }
    };
    let cut_value = |value: &mut Value| {
        if let Some(mut address) = value.as_reference() {
            cut(&mut address);
            value.bits = address.0;
        }
    };
    for class in &mut right.classes {
        let others = [&mut class.superclass, &mut class.loader, &mut class.signers, &mut class.protection_domain];
        others.into_iter().flatten().for_each(cut);
        class.references.iter_mut().flatten().for_each(cut);
        class.statics.iter_mut().flatten().for_each(|field| cut_value(&mut field.value));
    }
    let mut classless: HashMap<Address, Address> = HashMap::new();
    for object in &mut right.objects {
        match &mut object.contents {
            Contents::Fields(values) => values.iter_mut().for_each(cut_value),
            Contents::Elements(list) | Contents::References(list) => list.iter_mut().for_each(cut),
            _ => {}
        }
        classless.extend(object.class.filter(|class| !there.contains(class)).map(|class| (object.address, class)));
    }
    let is_classless = |object: &&mut Object| object.class.is_none_or(Address::is_null);
    if sides.by_address && !classless.is_empty() {
        for object in sides.told.to_mut().objects.iter_mut().filter(is_classless) {
            object.class = classless.get(&object.address).copied().or(object.class);
        }
    }
}

/// Takes away what the implementation adds, by its place among the choices.
pub(in crate::check) fn without_synthesised(sides: &mut ComparedSides<'_>, made_up: &[usize]) {
    for kind in made_up {
        match kind {
            0 => without_classes(sides),
            1 => without_null_objects(sides),
            _ => without_null_roots(sides),
        }
    }
}

/// Takes away the classes that the dump has no record of.
fn without_classes(sides: &mut ComparedSides<'_>) {
    let right = &sides.right;
    let is_made_up: Box<dyn Fn(&Class) -> bool> = if sides.by_address {
        let there = addresses(right);
        Box::new(move |class| !there.contains(&class.address))
    } else {
        // Names are all that such a class has in common with the dump's.
        let names: HashSet<Name> = right.classes.iter().map(|class| class.name.clone()).collect();
        Box::new(move |class| !names.contains(&class.name))
    };
    if sides.told.classes.iter().any(&is_made_up) {
        sides.told.to_mut().classes.retain(|class| !is_made_up(class));
    }
}

fn without_null_objects(sides: &mut ComparedSides<'_>) {
    if addresses(&sides.right).contains(&Address::NULL) || !addresses(&sides.told).contains(&Address::NULL) {
        return;
    }
    let told = sides.told.to_mut();
    told.classes.retain(|class| !class.address.is_null());
    told.objects.retain(|object| !object.address.is_null());
}

fn without_null_roots(sides: &mut ComparedSides<'_>) {
    let right = &sides.right;
    let is_there = |root: &Root| right.surroundings.roots.iter().flatten().any(|other| is_same_root(root, other));
    if let Some(roots) = &mut sides.told.to_mut().surroundings.roots {
        roots.retain(|root| !root.object.is_null() || is_there(root));
    }
}

/// Whether two roots are the same, wherever they stand.
fn is_same_root(one: &Root, other: &Root) -> bool {
    (one.object, one.kind) == (other.object, other.kind)
}
