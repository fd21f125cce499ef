//! The references to each object of a heap.

use foldhash::{HashMap, HashMapExt};

use crate::model::{Address, Contents};

use super::table::HeapTable;

/// The number of references to each address, and whether they are values of fields and elements alone.
#[derive(Debug, Default)]
pub(super) struct ReferenceUses(HashMap<Address, (u32, bool)>);

impl ReferenceUses {
    pub(super) fn new(table: &HeapTable<'_>) -> ReferenceUses {
        let mut uses = ReferenceUses(HashMap::new());
        for object in &table.heap.objects {
            let is_value = !matches!(object.contents, Contents::References(_));
            object.references().for_each(|to| uses.add(to, is_value));
            object.class.iter().chain(&object.class_word).for_each(|to| uses.add(*to, false));
        }
        for class in &table.heap.classes {
            let mut class = class.clone();
            // A class lies at its own address.
            crate::model::visit::class(&mut class, &mut |to| uses.add(*to, false));
        }
        let mut around = table.heap.surroundings.clone();
        crate::model::visit::surroundings(&mut around, &mut |to| uses.add(*to, false));
        uses
    }

    fn add(&mut self, to: Address, is_value: bool) {
        let entry = self.0.entry(to).or_insert((0, true));
        *entry = (entry.0.saturating_add(1), entry.1 && is_value);
    }

    /// The number of references to an address.
    pub(super) fn count(&self, to: Address) -> u32 {
        self.0.get(&to).map_or(0, |entry| entry.0)
    }

    /// Whether there are references to an address, and all are values of fields or elements.
    pub(super) fn are_values(&self, to: Address) -> bool {
        self.0.get(&to).is_some_and(|entry| entry.1)
    }

    /// Whether the only reference to an address is the value of a field or an element.
    pub(super) fn is_single_value(&self, to: Address) -> bool {
        self.count(to) == 1 && self.are_values(to)
    }
}
