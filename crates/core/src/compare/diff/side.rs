//! The two sides of a comparison: their entries by address, and what holds for a whole heap.

use std::borrow::Cow;
use std::collections::HashMap;
use std::iter::Peekable;

use crate::compare::carriage::CarriageColumn;
use crate::compare::sorted::{HeapConventions, SortedObjects};
use crate::error::Error;
use crate::model::{Address, Class, Name, Object, ObjectKind, RootObjects, Surroundings};

pub(super) enum ComparedEntry<'h> {
    Class(Cow<'h, Class>),
    Object(Cow<'h, Object>),
}

impl ComparedEntry<'_> {
    pub(super) fn address(&self) -> Address {
        match self {
            ComparedEntry::Class(class) => class.address,
            ComparedEntry::Object(object) => object.address,
        }
    }

    /// Applies the rules of a kind of dump.
    ///
    /// # Errors
    /// If contents that are not held cannot be read.
    pub(super) fn apply_rules(&mut self, column: &CarriageColumn, side: &HeapSide) -> Result<(), Error> {
        match self {
            ComparedEntry::Class(class) => column.change_class(class.to_mut()),
            ComparedEntry::Object(object) => {
                column.change_object(object.to_mut(), &side.names, side.habits.class_first.holds())?
            }
        }
        Ok(())
    }
}

/// The classes of a heap by address; those at one address in the order of their table.
pub(super) struct SortedClasses<'h>(Peekable<std::vec::IntoIter<&'h Class>>);

impl<'h> SortedClasses<'h> {
    pub(super) fn new(classes: &'h [Class]) -> SortedClasses<'h> {
        let mut classes: Vec<&Class> = classes.iter().collect();
        classes.sort_by_key(|class| class.address);
        SortedClasses(classes.into_iter().peekable())
    }

    /// The next class, if its address is not above this object's, or if there is no object.
    pub(super) fn next_up_to(&mut self, object: Option<Address>) -> Option<ComparedEntry<'h>> {
        let class = self.0.next_if(|class| object.is_none_or(|address| class.address <= address))?;
        Some(ComparedEntry::Class(Cow::Borrowed(class)))
    }
}

/// The classes and objects of a heap by address; those at one address stay in file order, the classes first.
pub(super) struct SortedEntries<'h> {
    classes: SortedClasses<'h>,
    objects: SortedObjects<'h>,
    object: Option<Cow<'h, Object>>,
}

impl<'h> SortedEntries<'h> {
    pub(super) fn new(objects: SortedObjects<'h>, classes: &'h [Class]) -> SortedEntries<'h> {
        SortedEntries { classes: SortedClasses::new(classes), objects, object: None }
    }

    pub(super) fn next(&mut self) -> Result<Option<ComparedEntry<'h>>, Error> {
        if self.object.is_none() {
            self.object = self.objects.next()?;
        }
        let class = self.classes.next_up_to(self.object.as_ref().map(|object| object.address));
        Ok(class.or_else(|| self.object.take().map(ComparedEntry::Object)))
    }
}

/// The facts of a whole heap that comparing its entries needs.
pub(super) struct HeapSide {
    pub(super) habits: HeapConventions,
    pub(super) names: HashMap<Address, Name>,
    /// The facts about the objects of roots.
    pub(super) roots: RootObjects,
}

impl HeapSide {
    pub(super) fn new(
        classes: &[Class],
        told: &Surroundings,
        habits: HeapConventions,
        carried: Option<&CarriageColumn>,
    ) -> HeapSide {
        let own = || classes.iter().map(|class| (class.address, class.name.clone())).collect();
        let names = carried.map_or_else(own, |column| column.changed_names(classes));
        let roots = told.roots.as_deref().unwrap_or_default();
        let roots = carried.map_or_else(RootObjects::default, |_| RootObjects::from_classes(classes, roots));
        HeapSide { habits, names, roots }
    }

    /// Notes an entry before rules are applied to it.
    pub(super) fn observe(&mut self, entry: &ComparedEntry<'_>) {
        if let ComparedEntry::Object(object) = entry {
            self.roots.record_object(object);
        }
    }

    /// The name of an object's own class.
    pub(super) fn class_name<'o>(&'o self, object: &'o Object) -> Option<&'o Name> {
        object.class_name.as_ref().or_else(|| self.names.get(&object.class?))
    }

    /// The class name under which the differences of an entry are listed.
    pub(super) fn label(&self, entry: &ComparedEntry<'_>) -> Option<Name> {
        let object = match entry {
            ComparedEntry::Class(class) => return Some(class.name.clone()),
            ComparedEntry::Object(object) => object,
        };
        let own = self.class_name(object).cloned();
        own.or_else(|| match object.kind {
            ObjectKind::PrimitiveArray(element) => Some(Name::from_text(&format!("[{}", element.signature()))),
            ObjectKind::ObjectArray => {
                let component = self.names.get(&object.class_word?)?;
                Some(Name::from_bytes([b"array of ", component.as_bytes()].concat()))
            }
            ObjectKind::Instance => None,
        })
    }
}
