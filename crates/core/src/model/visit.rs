//! Every address that an entry of a heap holds.

use std::sync::Arc;

use super::long::Renumbering;
use super::{
    Address, Class, Contents, Event, EventKind, FieldType, Object, StackFrame, StackTrace, Surroundings, Value,
};
use crate::error::Error;

/// Applies `map` to every address of a class.
pub fn class(class: &mut Class, map: &mut dyn FnMut(&mut Address)) {
    map(&mut class.address);
    for one in [&mut class.superclass, &mut class.loader, &mut class.signers, &mut class.protection_domain] {
        one.iter_mut().for_each(&mut *map);
    }
    class.interfaces.iter_mut().flatten().for_each(&mut *map);
    class.references.iter_mut().flatten().for_each(&mut *map);
    class.statics.iter_mut().flatten().for_each(|s| value(&mut s.value, map));
    class.constant_pool.iter_mut().flatten().for_each(|entry| value(&mut entry.value, map));
}

/// Calls `see` with every address of an object.
///
/// # Errors
/// An error of reading contents that are not held.
pub fn addresses(object: &Object, see: &mut dyn FnMut(Address)) -> Result<(), Error> {
    see(object.address);
    object.class.iter().chain(&object.class_word).for_each(|class| see(*class));
    match &object.contents {
        Contents::References(listed) | Contents::Elements(listed) => listed.iter().for_each(|to| see(*to)),
        Contents::Fields(values) => values.iter().filter_map(|value| value.as_reference()).for_each(see),
        Contents::Long(long) => {
            if let Some(listed) = long.addresses() {
                listed.visit(|piece| {
                    piece.iter().for_each(|to| see(*to));
                    Ok::<(), Error>(())
                })?;
            }
        }
        Contents::Primitives(_) | Contents::Raw(_) | Contents::Unknown => {}
    }
    Ok(())
}

/// Gives an object other addresses; those of contents that are not held change as they are read.
pub fn renumber(object: &mut Object, map: &Arc<Renumbering>) {
    self::object(object, &mut |address| *address = map(*address));
    if let Contents::Long(long) = &mut object.contents {
        let map = Arc::clone(map);
        *long = long.mapped(move |address| map(address));
    }
}

/// Applies `map` to every address of an object, apart from contents that are not held.
pub fn object(object: &mut Object, map: &mut dyn FnMut(&mut Address)) {
    map(&mut object.address);
    object.class.iter_mut().chain(&mut object.class_word).for_each(&mut *map);
    match &mut object.contents {
        Contents::References(listed) | Contents::Elements(listed) => listed.iter_mut().for_each(map),
        Contents::Fields(values) => values.iter_mut().for_each(|v| value(v, map)),
        Contents::Primitives(_) | Contents::Raw(_) | Contents::Long(_) | Contents::Unknown => {}
    }
}

fn value(value: &mut Value, map: &mut dyn FnMut(&mut Address)) {
    if value.kind == FieldType::Object {
        let mut address = Address(value.bits);
        map(&mut address);
        value.bits = address.0;
    }
}

/// Applies `map` to every address of a heap's surroundings. Identifiers of JNI references are no addresses of the heap,
/// but have the same width.
pub fn surroundings(around: &mut Surroundings, map: &mut dyn FnMut(&mut Address)) {
    for root in around.roots.iter_mut().flatten() {
        map(&mut root.object);
        root.kind.reference().into_iter().for_each(&mut *map);
    }
    around.threads.iter_mut().flatten().for_each(|thread| map(&mut thread.object));
    for trace in around.traces.iter_mut().flatten() {
        let frames: Vec<StackFrame> = trace
            .frames
            .iter()
            .map(|frame| {
                let mut frame = frame.clone();
                frame.class.iter_mut().for_each(&mut *map);
                frame
            })
            .collect();
        *trace = StackTrace { frames: frames.into(), ..trace.clone() };
    }
    for Event { kind, .. } in around.events.iter_mut().flatten() {
        match kind {
            EventKind::LoadClass(load) => map(&mut load.class),
            EventKind::StartThread(thread) => map(&mut thread.object),
            _ => {}
        }
    }
}
