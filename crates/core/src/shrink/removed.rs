//! Addresses that were removed from a heap, and the new places of the rest.

use crate::model::{Address, Class, Contents, Object, Value};

/// The addresses of what was removed.
pub(super) struct RemovedAddresses<'g>(pub(super) &'g dyn Fn(Address) -> bool);

impl RemovedAddresses<'_> {
    pub(super) fn contains(&self, address: Address) -> bool {
        (self.0)(address)
    }

    fn cut(&self, address: &mut Address) {
        if self.contains(*address) {
            *address = Address::NULL;
        }
    }

    fn cut_value(&self, value: &mut Value) {
        if value.as_reference().is_some_and(|to| self.contains(to)) {
            *value = Value::reference(Address::NULL);
        }
    }

    pub(super) fn cut_class(&self, class: &mut Class) {
        let owners = [&mut class.loader, &mut class.signers, &mut class.protection_domain];
        owners.into_iter().flatten().for_each(|address| self.cut(address));
        class.interfaces.iter_mut().for_each(|list| list.retain(|to| !self.contains(*to)));
        class.references.iter_mut().for_each(|list| list.retain(|to| !self.contains(*to)));
        class.statics.iter_mut().flatten().for_each(|field| self.cut_value(&mut field.value));
        class.constant_pool.iter_mut().flatten().for_each(|entry| self.cut_value(&mut entry.value));
    }

    pub(super) fn cut_object(&self, object: &mut Object) {
        match &mut object.contents {
            Contents::Fields(values) => values.iter_mut().for_each(|value| self.cut_value(value)),
            Contents::Elements(list) => list.iter_mut().for_each(|to| self.cut(to)),
            Contents::References(list) => list.retain(|to| !self.contains(*to)),
            Contents::Unknown | Contents::Raw(_) | Contents::Primitives(_) | Contents::Long(_) => {}
        }
    }
}

/// The new places of objects, or of entries (classes and objects): how many of those before a place remain.
pub(super) struct RemainingBefore<'p> {
    pub(super) objects: &'p dyn Fn(u64) -> u64,
    pub(super) entries: &'p dyn Fn(u64) -> u64,
}

impl RemainingBefore<'_> {
    pub(super) fn entries_before(&self, after: u64) -> u64 {
        (self.entries)(after)
    }
}
