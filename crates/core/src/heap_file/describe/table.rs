//! The entries of a heap by their addresses, and the fields of its objects by their keys.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::error::{Error, LowerError};
use crate::model::{Address, FieldType, Heap, Hierarchy, Name, ObjectKind, Serial};

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
        for (place, class) in heap.classes.iter().enumerate() {
            by_name.entry(class.name.clone()).or_default().push(place);
        }
        let traces = heap.surroundings.traces.iter().flatten();
        let traces = traces.filter(|trace| !trace.frames.is_empty() || trace.thread != Serial(0));
        let traces = traces.map(|trace| trace.serial).collect();
        Ok(HeapTable { heap, places, hierarchy, by_name, traces })
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

    /// The kind of a class's objects, by its name.
    pub(super) fn kind(&self, class: usize) -> ObjectKind {
        ObjectKind::from_class_name(self.heap.classes[class].name.to_jvm_form().as_bytes())
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
            let class = &self.heap.classes[class];
            let fields = class.fields.as_deref().unwrap_or_default();
            if fields.is_empty() {
                continue;
            }
            let owner = class.name.to_java_form().to_string();
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
