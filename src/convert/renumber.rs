//! New addresses in the old order, where the target cannot hold the old ones.

use crate::error::{Error, LowerError};
use crate::model::{
    Address, Class, Contents, Event, EventKind, FieldType, Object, RootKind, StackFrame, StackTrace, Surroundings,
    Value,
};

use super::needs::Needs;

/// Every address of a heap, which are 8 bytes each in memory, and their new values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// Sorted, without null.
    old: Vec<u64>,
    pub(super) first: u64,
    pub(super) step: u64,
}

/// Collects addresses.
#[derive(Debug, Default)]
pub(super) struct Collector {
    seen: Vec<u64>,
    /// How many are sorted and without repeats.
    sorted: usize,
}

impl Collector {
    pub(super) fn add(&mut self, address: Address) {
        if !address.is_null() {
            self.seen.push(address.0);
        }
        if self.seen.len() > 2 * self.sorted.max(1 << 16) {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.seen.sort_unstable();
        self.seen.dedup();
        self.sorted = self.seen.len();
    }

    pub(super) fn number(mut self, needs: &Needs) -> Result<Numbering, Error> {
        self.sort();
        let count = self.seen.len() as u64;
        // Apart from each other like objects, if there is room.
        let wide = count.checked_mul(8).is_some_and(|last| last <= needs.largest);
        let step = if wide { 8 } else { needs.unit };
        if count.checked_mul(step).is_none_or(|last| last > needs.largest) {
            let message = format!(
                "there are {count} addresses, and the dump can hold {}; take wider identifiers",
                needs.largest / needs.unit
            );
            return Err(LowerError::Profile(message).into());
        }
        Ok(Numbering { old: self.seen, first: step, step })
    }
}

impl Numbering {
    /// How many addresses there are.
    pub fn count(&self) -> u64 {
        self.old.len() as u64
    }

    /// The new address; null for null, and for what the heap does not mention.
    pub fn of(&self, address: Address) -> Address {
        let place = self.old.binary_search(&address.0);
        place.map_or(Address::NULL, |place| Address(self.first + place as u64 * self.step))
    }
}

/// Applies `map` to every address of a class.
pub(super) fn class(class: &mut Class, map: &mut dyn FnMut(&mut Address)) {
    map(&mut class.address);
    for one in [&mut class.superclass, &mut class.loader, &mut class.signers, &mut class.protection_domain] {
        one.iter_mut().for_each(&mut *map);
    }
    class.interfaces.iter_mut().flatten().for_each(&mut *map);
    class.references.iter_mut().flatten().for_each(&mut *map);
    class.statics.iter_mut().flatten().for_each(|s| value(&mut s.value, map));
    class.constant_pool.iter_mut().flatten().for_each(|entry| value(&mut entry.value, map));
}

/// The same of an object.
pub(super) fn object(object: &mut Object, map: &mut dyn FnMut(&mut Address)) {
    map(&mut object.address);
    object.class.iter_mut().chain(&mut object.class_word).for_each(&mut *map);
    match &mut object.contents {
        Contents::References(listed) | Contents::Elements(listed) => listed.iter_mut().for_each(map),
        Contents::Fields(values) => values.iter_mut().for_each(|v| value(v, map)),
        Contents::Primitives(_) | Contents::Raw(_) | Contents::Unknown => {}
    }
}

fn value(value: &mut Value, map: &mut dyn FnMut(&mut Address)) {
    if value.kind == FieldType::Object {
        let mut address = Address(value.bits);
        map(&mut address);
        value.bits = address.0;
    }
}

/// The same of what stands beside classes and objects. Identifiers of JNI references are no addresses of the heap, but
/// have the same width.
pub(super) fn surroundings(around: &mut Surroundings, map: &mut dyn FnMut(&mut Address)) {
    for root in around.roots.iter_mut().flatten() {
        map(&mut root.object);
        if let RootKind::JniGlobal(reference) = &mut root.kind {
            map(reference);
        }
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
