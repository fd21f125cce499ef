//! The entries of a heap by their addresses, and the fields of its objects by their keys.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::error::{Error, LowerError};
use crate::model::{Address, Class, FieldType, Heap, Hierarchy, Name, ObjectKind, Serial};

/// The place of an entry in its heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryPlace {
    Class(usize),
    Object(usize),
}

/// A heap whose entries are found by their addresses.
#[derive(Debug)]
pub(super) struct HeapTable<'h> {
    pub(super) heap: &'h Heap,
    places: HashMap<Address, EntryPlace>,
    pub(super) hierarchy: Hierarchy,
    /// The names of the classes, in JVM form where the heap's form of names is another.
    names: Vec<Name>,
    /// Whether the heap has the names of classes as in Java.
    pub(super) has_java_names: bool,
    /// Classes by name; several loaders may have one of the same name.
    by_name: HashMap<Name, Vec<usize>>,
    /// Traces that have frames or a thread.
    traces: HashSet<Serial>,
}

impl<'h> HeapTable<'h> {
    /// The entries of a heap.
    ///
    /// # Errors
    /// If two of them have one address, or one that of null: a heap file cannot say what a reference means then.
    pub(super) fn new(heap: &'h Heap) -> Result<HeapTable<'h>, Error> {
        let mut places = HashMap::with_capacity(heap.classes.len() + heap.objects.len());
        let classes = heap.classes.iter().enumerate().map(|(at, class)| (class.address, EntryPlace::Class(at)));
        let objects = heap.objects.iter().enumerate().map(|(at, object)| (object.address, EntryPlace::Object(at)));
        for (address, place) in classes.chain(objects) {
            if address.is_null() {
                return Err(unsayable("class or object", address));
            }
            if places.insert(address, place).is_some() {
                return Err(unsayable("second class or object", address));
            }
        }
        let hierarchy = Hierarchy::new(&heap.classes, |address| match places.get(&address) {
            Some(EntryPlace::Class(class)) => Some(*class),
            _ => None,
        });
        let mut by_name: HashMap<Name, Vec<usize>> = HashMap::new();
        let has_java_names = has_java_names(heap);
        let jvm_name = |class: &Class| Some(class.name.to_jvm_form()).filter(|jvm| jvm.to_java_form() == class.name);
        let name = |class: &Class| jvm_name(class).filter(|_| has_java_names).unwrap_or_else(|| class.name.clone());
        let names: Vec<Name> = heap.classes.iter().map(name).collect();
        for (place, name) in names.iter().enumerate() {
            by_name.entry(name.clone()).or_default().push(place);
        }
        let traces = heap.surroundings.traces.iter().flatten();
        let traces = traces.filter(|trace| !trace.frames.is_empty() || trace.thread != Serial(0));
        let traces = traces.map(|trace| trace.serial).collect();
        Ok(HeapTable { heap, places, hierarchy, names, has_java_names, by_name, traces })
    }

    /// A class's name in JVM form; the dump's own where it is not of the form that the heap's names have.
    pub(super) fn name(&self, class: usize) -> &Name {
        &self.names[class]
    }

    /// Whether a class's name is the one that the builder makes of its JVM form.
    pub(super) fn has_usual_form(&self, class: usize) -> bool {
        !self.has_java_names || self.names[class].to_java_form() == self.heap.classes[class].name
    }

    /// The number of array dimensions in a class's name.
    pub(super) fn dimensions(&self, class: usize) -> usize {
        self.names[class].as_bytes().iter().take_while(|&&byte| byte == b'[').count()
    }

    /// Whether a serial number is that of a trace which says nothing.
    pub(super) fn is_empty_trace(&self, serial: Serial) -> bool {
        !self.traces.contains(&serial)
    }

    pub(super) fn place(&self, address: Address) -> Option<EntryPlace> {
        self.places.get(&address).copied()
    }

    /// The class at an address.
    pub(super) fn class_at(&self, address: Address) -> Option<usize> {
        match self.place(address) {
            Some(EntryPlace::Class(class)) => Some(class),
            _ => None,
        }
    }

    /// The object at an address.
    pub(super) fn object_at(&self, address: Address) -> Option<usize> {
        match self.place(address) {
            Some(EntryPlace::Object(object)) => Some(object),
            _ => None,
        }
    }

    /// The class of a name, if it is the only one.
    pub(super) fn class_named(&self, name: &Name) -> Option<usize> {
        match self.by_name.get(name).map(Vec::as_slice) {
            Some([only]) => Some(*only),
            _ => None,
        }
    }

    /// Whether any class has a name.
    pub(super) fn has_class_named(&self, name: &Name) -> bool {
        self.by_name.contains_key(name)
    }

    /// The kind of a class's objects, by its name.
    pub(super) fn kind(&self, class: usize) -> ObjectKind {
        ObjectKind::from_class_name(self.names[class].to_jvm_form().as_bytes())
    }

    /// Whether a class is one of this name, or extends it.
    pub(super) fn extends(&self, class: usize, name: &str) -> bool {
        let name = Name::from(name);
        self.ancestry(class).any(|class| self.names[class] == name)
    }

    /// The class and those above it, itself first.
    fn ancestry(&self, class: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(class), |class| self.hierarchy.superclass(*class))
    }

    /// The fields of a class's objects, in the order of their values.
    pub(super) fn slots(&self, class: usize) -> Vec<FieldSlot> {
        let mut slots = Vec::new();
        let mut names: HashSet<&Name> = HashSet::new();
        // Names by which a class nearer to the object is found first.
        let mut nearer: HashSet<String> = HashSet::new();
        for class in self.ancestry(class) {
            let fields = self.heap.classes[class].fields.as_deref().unwrap_or_default();
            if fields.is_empty() {
                continue;
            }
            let owner = self.names[class].to_java_form().to_string();
            let simple = owner.rsplit('.').next().unwrap_or_default().to_owned();
            let is_owner_found = !owner.is_empty() && !owner.contains('#') && !nearer.contains(&owner);
            let mut alike: HashMap<&Name, usize> = HashMap::new();
            let above: HashSet<&Name> = fields.iter().map(|field| &field.name).collect();
            for field in fields {
                let number = alike.entry(&field.name).or_default();
                *number += 1;
                let is_nearest = !names.contains(&field.name);
                let suffix = if *number == 1 { String::new() } else { format!("#{number}") };
                let key = match property_name(&field.name) {
                    Some(name) if is_nearest => FieldKey::Property(format!("{name}{suffix}")),
                    Some(name) if is_owner_found => FieldKey::Property(format!("{owner}.{name}{suffix}")),
                    _ => FieldKey::Place(slots.len()),
                };
                slots.push(FieldSlot { key, kind: field.kind, is_class: field.name == "shadow$_klass_".into() });
            }
            names.extend(above);
            nearer.extend([owner, simple]);
        }
        slots
    }
}

/// Whether more classes have names that only Java's form has than such of the JVM's form alone.
fn has_java_names(heap: &Heap) -> bool {
    let (mut java, mut jvm) = (0, 0);
    for Class { name, .. } in &heap.classes {
        java += usize::from(name.to_jvm_form() != *name);
        jvm += usize::from(name.to_java_form() != *name);
    }
    java > jvm
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldSlot {
    pub(super) key: FieldKey,
    pub(super) kind: FieldType,
    /// Whether Android sets it to the object's class.
    pub(super) is_class: bool,
}

/// The key of a field in a heap file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldKey {
    Property(String),
    /// The place among all values of the object, where no property can name the field.
    Place(usize),
}

/// A field's name, if a property can have it: `.` comes after the name of a class, `#` before a number, and `@` begins what is
/// no field.
fn property_name(name: &Name) -> Option<String> {
    name.to_text().filter(|text| !text.is_empty() && !text.contains(['.', '#']) && !text.starts_with('@'))
}

/// The error for a fact that a heap file has no words for.
pub(super) fn unsayable(fact: impl Into<String>, address: Address) -> Error {
    LowerError::HeapFile { fact: fact.into(), address }.into()
}
