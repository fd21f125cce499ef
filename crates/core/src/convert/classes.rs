//! The class table of the converted heap: the classes of objects, and classes that had to be synthesised.

use std::collections::HashMap;

use crate::compare::Facet;
use crate::error::Error;
use crate::model::{Address, ByteLen, Class, Contents, Name, NameForms, Object, ObjectKind, PiecewiseContents};

use super::report::Inventions;

/// Classes by address and by name.
#[derive(Debug)]
pub(super) struct ClassIndex {
    pub(super) table: Vec<Class>,
    by_address: HashMap<Address, usize>,
    /// The first class of each name, in Java's form, which both forms have in common.
    by_name: HashMap<Name, usize>,
    java: NameForms,
    /// The number of classes that were not synthesised.
    pub(super) recorded: usize,
    /// Whether arrays list their class first.
    pub(super) class_first: bool,
}

/// The class of an object, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ObjectClass {
    /// The class at this address, whether it is in the table or not.
    At(Address),
    /// The class of this name, which is not in the table.
    Named(Name),
}

impl ClassIndex {
    pub(super) fn new(classes: &[Class]) -> ClassIndex {
        let mut table = ClassIndex {
            table: Vec::new(),
            by_address: HashMap::new(),
            by_name: HashMap::new(),
            java: NameForms::new(Name::to_java_form),
            recorded: 0,
            class_first: false,
        };
        classes.iter().for_each(|class| table.push(class.clone()));
        table.recorded = classes.len();
        table
    }

    fn push(&mut self, class: Class) {
        let index = self.table.len();
        self.by_address.entry(class.address).or_insert(index);
        self.by_name.entry(self.java.convert(&class.name)).or_insert(index);
        self.table.push(class);
    }

    pub(super) fn find(&self, address: Address) -> Option<&Class> {
        self.by_address.get(&address).map(|&index| &self.table[index])
    }

    pub(super) fn index(&self, address: Address) -> Option<usize> {
        self.by_address.get(&address).copied()
    }

    pub(super) fn find_by_name(&self, name: &Name) -> Option<&Class> {
        self.by_name.get(&name.to_java_form()).map(|&index| &self.table[index])
    }

    /// Adds a synthesised class to the table.
    pub(super) fn add_synthesised(&mut self, address: Address, name: Name) {
        let (superclass, loader) = (Some(Address::NULL), Some(Address::NULL));
        let references = Some(Vec::new());
        self.push(Class { address, name, superclass, loader, references, ..Class::default() });
    }

    /// An object's own class, and whether the first of its references only says which class that is.
    ///
    /// # Errors
    /// If contents that are not held cannot be read.
    pub(super) fn object_class(&self, object: &Object) -> Result<(ObjectClass, bool), Error> {
        let first = match &object.contents {
            _ if !self.class_first => None,
            Contents::References(listed) => listed.first().copied(),
            Contents::Long(PiecewiseContents::References(listed)) => listed.first(1)?.first().copied(),
            _ => None,
        };
        Ok(self.object_class_with(object, first.and_then(|first| self.find(first))))
    }

    /// An object's own class, with the class that the first reference names where arrays list their class first.
    fn object_class_with(&self, object: &Object, first: Option<&Class>) -> (ObjectClass, bool) {
        if let Some(class) = object.class.filter(|class| !class.is_null()) {
            return (ObjectClass::At(class), false);
        }
        if let Some(name) = &object.class_name {
            let found = self.find_by_name(name).map(|class| class.address);
            return (found.map_or_else(|| ObjectClass::Named(name.to_jvm_form()), ObjectClass::At), false);
        }
        let word = object.class_word.filter(|word| !word.is_null());
        match (object.kind, word) {
            (ObjectKind::PrimitiveArray(element), _) => {
                (self.named_or_missing(array_name(element.keyword().as_bytes())), false)
            }
            (ObjectKind::Instance, Some(word)) => (ObjectClass::At(word), false),
            (ObjectKind::ObjectArray, Some(word)) => match (self.find(word), first) {
                (_, Some(first)) => (ObjectClass::At(first.address), true),
                (Some(component), _) => {
                    (self.named_or_missing(array_name(component.name.to_java_form().as_bytes())), false)
                }
                (None, _) => (
                    ObjectClass::Named(array_name(unknown_class_name(word).to_java_form().as_bytes()).to_jvm_form()),
                    false,
                ),
            },
            (_, None) => (self.named_or_missing(Name::from_text("unknown.Type")), false),
        }
    }

    fn named_or_missing(&self, java: Name) -> ObjectClass {
        self.find_by_name(&java)
            .map_or_else(|| ObjectClass::Named(java.to_jvm_form()), |class| ObjectClass::At(class.address))
    }
}

/// The name for a class of which only the address is known.
pub(super) fn unknown_class_name(address: Address) -> Name {
    Name::from_text(&format!("unknown/Type{address}"))
}

/// The name of an array in Java's form.
fn array_name(component: &[u8]) -> Name {
    Name::from_bytes([component, b"[]"].concat())
}

/// The name of an array's component, or of its innermost one, in the JVM's form.
pub(super) fn component_name(array: &Name, innermost: bool) -> Option<Name> {
    let java = array.to_java_form();
    let mut element = java.as_bytes().strip_suffix(b"[]")?;
    while innermost && let Some(shorter) = element.strip_suffix(b"[]") {
        element = shorter;
    }
    Some(Name::from_bytes(element).to_jvm_form())
}

/// Completes the superclass of a class and the size of its instances, a multiple of `unit`.
pub(super) fn complete_ancestry(class: &mut Class, size: Option<u64>, unit: u64, inventions: &mut Inventions) {
    if class.superclass.is_none() {
        class.superclass = Some(Address::NULL);
        inventions.note(Facet::Superclass, "none");
    }
    if class.instance_size.is_none() {
        inventions.note(Facet::InstanceSize, "that of its first instance, or 0");
    }
    let size = class.instance_size.map_or(size.unwrap_or_default(), |size| size.0);
    class.instance_size = Some(ByteLen(size).rounded_up(unit));
}
