//! Declared losses of a converter from a format to itself: a fact that is absent from its dump is absent from the right
//! heap, too. Where every record of the format has a place for the fact, absent means a blank value: 0, null, an empty
//! list or name.

use std::collections::{HashMap, HashSet};

use crate::check::declarations::root_key;
use heapsmith_core::compare::Facet;
use heapsmith_core::compare::recorded::event_facet;
use heapsmith_core::error::Error;
use heapsmith_core::model::long::{ListItem, Pieces, PiecewiseContents};
use heapsmith_core::model::{Address, ByteLen, Class, Contents, Heap, Object, Serial, Surroundings, Value};

/// A value that may be blank.
trait MaybeBlank: Clone {
    fn is_blank(&self) -> bool;
}

impl MaybeBlank for Address {
    fn is_blank(&self) -> bool {
        self.is_null()
    }
}

impl MaybeBlank for Serial {
    fn is_blank(&self) -> bool {
        self.0 == 0
    }
}

impl MaybeBlank for ByteLen {
    fn is_blank(&self) -> bool {
        self.0 == 0
    }
}

impl<T: Clone> MaybeBlank for Vec<T> {
    fn is_blank(&self) -> bool {
        self.is_empty()
    }
}

impl<T: MaybeBlank> MaybeBlank for Option<T> {
    fn is_blank(&self) -> bool {
        self.as_ref().is_none_or(T::is_blank)
    }
}

/// Takes from the right heap what a dump that was made of it does not have of some facets.
pub(super) fn without_lost(right: &mut Heap, told: &Heap, lost: &[Facet]) {
    let classes: HashMap<Address, &Class> = told.classes.iter().map(|class| (class.address, class)).collect();
    let objects: HashMap<Address, &Object> = told.objects.iter().map(|object| (object.address, object)).collect();
    let has = |facet: Facet| lost.contains(&facet);
    for class in &mut right.classes {
        if let Some(told) = classes.get(&class.address) {
            lose_class(class, told, &has);
        }
    }
    for object in &mut right.objects {
        if let Some(told) = objects.get(&object.address) {
            lose_object(object, told, lost);
        }
    }
    lose_surroundings(&mut right.surroundings, &told.surroundings, &has);
    if has(Facet::TimeStamp) && told.facts.timestamp.unwrap_or_default() == 0 {
        right.facts.timestamp = told.facts.timestamp;
    }
}

/// Takes from the right object what the one that was made of it does not have.
pub(super) fn lose_object(right: &mut Object, told: &Object, lost: &[Facet]) {
    let has = |facet: Facet| lost.contains(&facet);
    lose(&mut right.class, &told.class, has(Facet::Class));
    lose(&mut right.size, &told.size, has(Facet::ObjectSize));
    lose(&mut right.trace, &told.trace, has(Facet::ObjectTrace));
    lose_contents(&mut right.contents, &told.contents, &has);
}

/// Takes what says nothing for right.
fn lose<T: MaybeBlank>(right: &mut T, told: &T, is_lost: bool) {
    if is_lost && told.is_blank() {
        *right = told.clone();
    }
}

fn lose_class(class: &mut Class, told: &Class, has: &impl Fn(Facet) -> bool) {
    if has(Facet::ClassName) && told.name.as_bytes().is_empty() {
        class.name = told.name.clone();
    }
    lose(&mut class.superclass, &told.superclass, has(Facet::Superclass));
    lose(&mut class.interfaces, &told.interfaces, has(Facet::Interfaces));
    lose(&mut class.loader, &told.loader, has(Facet::Loader));
    lose(&mut class.signers, &told.signers, has(Facet::Signers));
    lose(&mut class.protection_domain, &told.protection_domain, has(Facet::ProtectionDomain));
    lose(&mut class.instance_size, &told.instance_size, has(Facet::InstanceSize));
    lose(&mut class.class_object_size, &told.class_object_size, has(Facet::ClassObjectSize));
    lose(&mut class.references, &told.references, has(Facet::ClassReferences));
    lose(&mut class.fields, &told.fields, has(Facet::Fields));
    lose(&mut class.statics, &told.statics, has(Facet::Statics));
    lose(&mut class.constant_pool, &told.constant_pool, has(Facet::ConstantPool));
    lose(&mut class.serial, &told.serial, has(Facet::ClassSerial));
    lose(&mut class.trace, &told.trace, has(Facet::ClassTrace));
    if has(Facet::Statics) {
        let pairs = class.statics.iter_mut().flatten().zip(told.statics.iter().flatten());
        pairs.for_each(|(right, told)| lose_value(&mut right.value, told.value));
    }
}

fn lose_contents(right: &mut Contents, told: &Contents, has: &impl Fn(Facet) -> bool) {
    match (right, told) {
        (Contents::Fields(right), Contents::Fields(told)) if has(Facet::FieldValues) => {
            right.iter_mut().zip(told).for_each(|(right, told)| lose_value(right, *told));
        }
        (Contents::Elements(right), Contents::Elements(told)) if has(Facet::Elements) => {
            right.iter_mut().zip(told).for_each(|(right, told)| lose(right, told, true));
        }
        (Contents::Primitives(right), Contents::Primitives(told))
            if has(Facet::PrimitiveContents) && right.len() == told.len() && told.iter().all(|byte| *byte == 0) =>
        {
            right.fill(0);
        }
        (Contents::References(right), Contents::References(told)) if has(Facet::References) => lose(right, told, true),
        (Contents::Long(right), Contents::Long(told)) if is_lost(right, told, has) => *right = told.clone(),
        _ => {}
    }
}

/// Whether long contents are lost as a whole: all of them are zeros. What cannot be read is found out where it is compared.
fn is_lost(right: &PiecewiseContents, told: &PiecewiseContents, has: &impl Fn(Facet) -> bool) -> bool {
    match (right, told) {
        (PiecewiseContents::Primitives(right), PiecewiseContents::Primitives(told))
            if has(Facet::PrimitiveContents) =>
        {
            right.count() == told.count() && are_all(told, |byte| *byte == 0).unwrap_or(false)
        }
        (PiecewiseContents::Elements(right), PiecewiseContents::Elements(told)) if has(Facet::Elements) => {
            right.count() == told.count() && are_all(told, |address| address.is_null()).unwrap_or(false)
        }
        _ => false,
    }
}

fn are_all<T: ListItem>(pieces: &Pieces<T>, is_so: impl Fn(&T) -> bool) -> Result<bool, Error> {
    let mut all = true;
    pieces.visit(|piece| {
        all &= piece.iter().all(&is_so);
        Ok::<(), Error>(())
    })?;
    Ok(all)
}

fn lose_value(right: &mut Value, told: Value) {
    if right.kind == told.kind && told.bits == 0 {
        right.bits = 0;
    }
}

fn lose_surroundings(right: &mut Surroundings, told: &Surroundings, has: &impl Fn(Facet) -> bool) {
    if let (true, Some(roots)) = (has(Facet::Roots), &mut right.roots) {
        let mut left: HashMap<_, u64> = HashMap::new();
        told.roots.iter().flatten().for_each(|root| *left.entry(root_key(root)).or_default() += 1);
        roots.retain(|root| match left.get_mut(&root_key(root)) {
            Some(count @ 1..) => {
                *count -= 1;
                true
            }
            _ => false,
        });
    }
    if let (true, Some(threads)) = (has(Facet::Threads), &mut right.threads) {
        let there: HashMap<Serial, _> = told.threads.iter().flatten().map(|told| (told.serial, told)).collect();
        threads.retain_mut(|thread| {
            let Some(told) = there.get(&thread.serial) else { return false };
            thread.name.take_if(|_| told.name.is_none());
            lose(&mut thread.object, &told.object, true);
            lose(&mut thread.trace, &told.trace, true);
            true
        });
    }
    if let (true, Some(traces)) = (has(Facet::StackTraces), &mut right.traces) {
        let there: HashMap<Serial, _> = told.traces.iter().flatten().map(|told| (told.serial, told)).collect();
        traces.retain_mut(|trace| {
            let Some(told) = there.get(&trace.serial) else { return false };
            if told.frames.is_empty() {
                trace.frames = told.frames.clone();
            }
            true
        });
    }
    lose(&mut right.regions, &told.regions, has(Facet::Regions));
    if let Some(events) = &mut right.events {
        let there: HashSet<String> = told.events.iter().flatten().map(|event| format!("{:?}", event.kind)).collect();
        events.retain(|event| !has(event_facet(event)) || there.contains(&format!("{:?}", event.kind)));
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_core::model::{FieldType, PrimitiveType, Root, RootKind};

    use super::*;

    fn object(contents: Contents) -> Object {
        Object { address: Address(0x10), contents, ..Object::default() }
    }

    fn int(bits: u64) -> Value {
        Value { kind: FieldType::Primitive(PrimitiveType::Int), bits }
    }

    #[test]
    fn accepts_zeroed_values_but_not_wrong_ones() {
        let right = Heap { objects: vec![object(Contents::Fields(vec![int(1), int(2), int(3)]))], ..Heap::default() };
        let told = Heap { objects: vec![object(Contents::Fields(vec![int(0), int(2), int(4)]))], ..Heap::default() };
        let mut left = right.clone();
        without_lost(&mut left, &told, &[Facet::FieldValues]);
        assert_eq!(left.objects[0].contents, Contents::Fields(vec![int(0), int(2), int(3)]));
        let mut left = right.clone();
        without_lost(&mut left, &told, &[Facet::Elements]);
        assert_eq!(left, right);
    }

    #[test]
    fn removes_as_many_roots_as_are_absent() {
        let root = |kind| Root { object: Address(0x10), kind, after: None };
        let heap = |kinds: &[RootKind]| {
            let mut heap = Heap::default();
            heap.surroundings.roots = Some(kinds.iter().map(|kind| root(*kind)).collect());
            heap
        };
        let mut left = heap(&[RootKind::StickyClass, RootKind::StickyClass, RootKind::Unknown]);
        // One that is not right stays on the side of the result.
        without_lost(&mut left, &heap(&[RootKind::StickyClass, RootKind::MonitorUsed]), &[Facet::Roots]);
        assert_eq!(left, heap(&[RootKind::StickyClass]));
    }
}
