//! Declarations about the form of class names, and about missing names.

use std::collections::{HashMap, HashSet};

use crate::check::declarations::{ComparedSides, all_names};
use heapsmith_core::model::{Address, Heap, Name};

/// Brings the names of classes to the form of Java source.
pub(in crate::check) fn use_java_names(sides: &mut ComparedSides<'_>) {
    for heap in [sides.right.to_mut(), sides.told.to_mut()] {
        heap.classes.iter_mut().for_each(|class| class.name = class.name.to_java_form());
        let of_objects = heap.objects.iter_mut().filter_map(|object| object.class_name.as_mut());
        of_objects.for_each(|name| *name = name.to_java_form());
    }
}

/// Takes away names that are told where the right side has none, if they stand nowhere in the dump.
pub(in crate::check) fn without_placeholders(sides: &mut ComparedSides<'_>) {
    let Heap { classes, objects, surroundings, .. } = &*sides.right;
    let known: HashSet<Name> = all_names(&sides.right).chain(&[Name::default()]).cloned().collect();
    let is_placeholder = |name: &Name| !known.contains(name);
    // Without addresses in common a class is known by nothing but its name.
    let named: HashMap<Address, _> = match sides.by_address {
        true => classes.iter().map(|class| (class.address, class)).collect(),
        false => HashMap::new(),
    };
    let of_objects: HashMap<Address, _> = match sides.by_address {
        true => objects.iter().map(|object| (object.address, &object.class_name)).collect(),
        false => HashMap::new(),
    };
    let threads: HashMap<_, _> = surroundings.threads.iter().flatten().map(|right| (right.serial, right)).collect();
    let traces: HashMap<_, _> = surroundings.traces.iter().flatten().map(|right| (right.serial, right)).collect();
    let told = sides.told.to_mut();
    for class in &mut told.classes {
        let right = named.get(&class.address);
        clear_placeholder(&mut class.name, right.map(|right| &right.name), &is_placeholder);
        // Fields may be listed in another order.
        let nameless = |mut names: Box<dyn Iterator<Item = &Name> + '_>| match right {
            Some(_) => names.find(|name| name.as_bytes().is_empty()).is_some(),
            None => true,
        };
        let fields = right.into_iter().flat_map(|right| right.fields.iter().flatten()).map(|field| &field.name);
        if nameless(Box::new(fields)) {
            class
                .fields
                .iter_mut()
                .flatten()
                .for_each(|field| clear_placeholder(&mut field.name, None, &is_placeholder));
        }
        let statics = right.into_iter().flat_map(|right| right.statics.iter().flatten()).map(|field| &field.name);
        if nameless(Box::new(statics)) {
            class
                .statics
                .iter_mut()
                .flatten()
                .for_each(|field| clear_placeholder(&mut field.name, None, &is_placeholder));
        }
    }
    for object in &mut told.objects {
        if let (Some(name), right) = (&mut object.class_name, of_objects.get(&object.address)) {
            clear_placeholder(name, right.and_then(|right| right.as_ref()), &is_placeholder);
        }
    }
    for thread in told.surroundings.threads.iter_mut().flatten() {
        let is_nameless = threads.get(&thread.serial).is_some_and(|right| right.name.is_none());
        thread.name.take_if(|name| is_nameless && is_placeholder(name));
    }
    for trace in told.surroundings.traces.iter_mut().flatten() {
        let right = traces.get(&trace.serial).map(|right| &*right.frames).unwrap_or_default();
        let mut frames = trace.frames.to_vec();
        for (frame, right) in frames.iter_mut().zip(right) {
            clear_placeholder(&mut frame.method, Some(&right.method), &is_placeholder);
            clear_placeholder(&mut frame.signature, Some(&right.signature), &is_placeholder);
            frame.source.take_if(|name| right.source.is_none() && is_placeholder(name));
        }
        trace.frames = frames.into();
    }
    let right = surroundings.regions.as_deref().unwrap_or_default();
    for (region, right) in told.surroundings.regions.iter_mut().flatten().zip(right) {
        clear_placeholder(&mut region.name, Some(&right.name), &is_placeholder);
    }
}

/// Takes away a placeholder where the right side has no name; where it is not known what the right side has, too.
fn clear_placeholder(name: &mut Name, right: Option<&Name>, is_placeholder: &impl Fn(&Name) -> bool) {
    if right.is_none_or(|right| right.as_bytes().is_empty()) && is_placeholder(name) {
        *name = Name::default();
    }
}
