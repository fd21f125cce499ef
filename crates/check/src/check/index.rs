//! Index of a heap by address, for judging and evidence.

use std::collections::HashMap;

use heapsmith_core::compare::carriage::array_name;
use heapsmith_core::model::{Address, Class, Field, Heap, Name, NameForms, Object, ObjectKind};

/// The classes and objects of a heap by their addresses.
pub(super) struct EntriesByAddress<'h> {
    pub(super) classes: HashMap<Address, &'h Class>,
    pub(super) objects: HashMap<Address, &'h Object>,
    names: ClassNames,
}

/// Names of classes in the form of Java source.
pub(super) struct ClassNames(HashMap<Address, Name>);

impl ClassNames {
    pub(super) fn from_classes(classes: &[Class]) -> ClassNames {
        let mut java = NameForms::new(Name::to_java_form);
        ClassNames(classes.iter().map(|class| (class.address, java.convert(&class.name))).collect())
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

impl<'h> EntriesByAddress<'h> {
    pub(super) fn new(heap: &'h Heap) -> EntriesByAddress<'h> {
        EntriesByAddress {
            classes: heap.classes.iter().map(|class| (class.address, class)).collect(),
            objects: heap.objects.iter().map(|object| (object.address, object)).collect(),
            names: ClassNames::from_classes(&heap.classes),
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
