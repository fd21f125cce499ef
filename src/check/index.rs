//! Index of a heap by address, for judging and evidence.

use std::collections::HashMap;

use crate::compare::carriage::array_name;
use crate::model::{Address, Class, Field, Forms, Heap, Name, Object, ObjectKind};

/// The classes and objects of a heap by their addresses.
pub(super) struct Index<'h> {
    pub(super) classes: HashMap<Address, &'h Class>,
    pub(super) objects: HashMap<Address, &'h Object>,
    names: Names,
}

/// Names of classes in the form of Java source.
pub(super) struct Names(HashMap<Address, Name>);

impl Names {
    pub(super) fn of(classes: &[Class]) -> Names {
        let mut java = Forms::new(Name::to_java_form);
        Names(classes.iter().map(|class| (class.address, java.of(&class.name))).collect())
    }

    /// The name of an object's class, by its class, its class name or its class word.
    pub(super) fn class_name(&self, object: &Object) -> Option<Name> {
        match object.kind {
            ObjectKind::Instance => {
                let by_class = || self.0.get(&object.class?).cloned();
                object.class_name.as_ref().map(Name::to_java_form).or_else(by_class)
            }
            _ => array_name(object, &self.0),
        }
    }
}

impl<'h> Index<'h> {
    pub(super) fn new(heap: &'h Heap) -> Index<'h> {
        Index {
            classes: heap.classes.iter().map(|class| (class.address, class)).collect(),
            objects: heap.objects.iter().map(|object| (object.address, object)).collect(),
            names: Names::of(&heap.classes),
        }
    }

    /// The name of an object's class in the form of Java source, by its class, its class name or its class word.
    pub(super) fn class_name(&self, object: &Object) -> Option<Name> {
        self.names.class_name(object)
    }

    /// The fields of an instance with the classes that declare them, in the order of its values: its own class first, up
    /// to the root, or as far as the classes are known.
    pub(super) fn fields(&self, object: &Object) -> Vec<(&'h Class, &'h Field)> {
        let mut fields = Vec::new();
        let mut class = object.class;
        // A chain of superclasses that never ends is longer than there are classes.
        for _ in 0..self.classes.len() {
            let Some(declaring) = class.and_then(|class| self.classes.get(&class)) else { break };
            fields.extend(declaring.fields.iter().flatten().map(|field| (*declaring, field)));
            class = declaring.superclass.filter(|address| !address.is_null());
        }
        fields
    }
}
