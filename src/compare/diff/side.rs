//! The two sides of a comparison: their entries by address, and what holds for a whole heap.

use std::borrow::Cow;
use std::collections::HashMap;
use std::iter::Peekable;

use crate::error::Error;
use crate::model::{Address, Class, Name, Object, ObjectKind, RootObjects, Surroundings};

use super::super::carriage::Column;
use super::super::sorted::{Habits, Sorted};

pub(super) enum Entry<'h> {
    Class(Cow<'h, Class>),
    Object(Cow<'h, Object>),
}

impl Entry<'_> {
    pub(super) fn address(&self) -> Address {
        match self {
            Entry::Class(class) => class.address,
            Entry::Object(object) => object.address,
        }
    }

    /// Applies the rules of a kind of dump.
    ///
    /// # Errors
    /// If contents that are not held cannot be read.
    pub(super) fn change(&mut self, column: &Column, side: &HeapSide) -> Result<(), Error> {
        match self {
            Entry::Class(class) => column.class(class.to_mut()),
            Entry::Object(object) => column.object(object.to_mut(), &side.names, side.habits.class_first.holds())?,
        }
        Ok(())
    }
}

/// The classes of a heap by address; those at one address in the order of their table.
pub(super) struct Classes<'h>(Peekable<std::vec::IntoIter<&'h Class>>);

impl<'h> Classes<'h> {
    pub(super) fn new(classes: &'h [Class]) -> Classes<'h> {
        let mut classes: Vec<&Class> = classes.iter().collect();
        classes.sort_by_key(|class| class.address);
        Classes(classes.into_iter().peekable())
    }

    /// The next class, if its address is not above this object's, or if there is no object.
    pub(super) fn up_to(&mut self, object: Option<Address>) -> Option<Entry<'h>> {
        let class = self.0.next_if(|class| object.is_none_or(|address| class.address <= address))?;
        Some(Entry::Class(Cow::Borrowed(class)))
    }
}

/// The classes and objects of a heap by address; those at one address stay in file order, the classes first.
pub(super) struct Entries<'h> {
    classes: Classes<'h>,
    objects: Sorted<'h>,
    object: Option<Cow<'h, Object>>,
}

impl<'h> Entries<'h> {
    pub(super) fn new(objects: Sorted<'h>, classes: &'h [Class]) -> Entries<'h> {
        Entries { classes: Classes::new(classes), objects, object: None }
    }

    pub(super) fn next(&mut self) -> Result<Option<Entry<'h>>, Error> {
        if self.object.is_none() {
            self.object = self.objects.next()?;
        }
        let class = self.classes.up_to(self.object.as_ref().map(|object| object.address));
        Ok(class.or_else(|| self.object.take().map(Entry::Object)))
    }
}

/// The facts of a whole heap that comparing its entries needs.
pub(super) struct HeapSide {
    pub(super) habits: Habits,
    pub(super) names: HashMap<Address, Name>,
    /// The facts about the objects of roots.
    pub(super) roots: RootObjects,
}

impl HeapSide {
    pub(super) fn new(classes: &[Class], told: &Surroundings, habits: Habits, carried: Option<&Column>) -> HeapSide {
        let own = || classes.iter().map(|class| (class.address, class.name.clone())).collect();
        let names = carried.map_or_else(own, |column| column.names(classes));
        let roots = told.roots.as_deref().unwrap_or_default();
        let roots = carried.map_or_else(RootObjects::default, |_| RootObjects::of(classes, roots));
        HeapSide { habits, names, roots }
    }

    /// Notes an entry before rules are applied to it.
    pub(super) fn see(&mut self, entry: &Entry<'_>) {
        if let Entry::Object(object) = entry {
            self.roots.see(object);
        }
    }

    /// The name of an object's own class.
    pub(super) fn class_name<'o>(&'o self, object: &'o Object) -> Option<&'o Name> {
        object.class_name.as_ref().or_else(|| self.names.get(&object.class?))
    }

    /// The class name under which the differences of an entry are listed.
    pub(super) fn label(&self, entry: &Entry<'_>) -> Option<Name> {
        let object = match entry {
            Entry::Class(class) => return Some(class.name.clone()),
            Entry::Object(object) => object,
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
