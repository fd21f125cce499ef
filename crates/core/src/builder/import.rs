//! A heap that was made elsewhere, such as a random one, becomes part of a heap under construction.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::model::{
    Address, Class, Contents, FieldType, Heap, Name, ObjectKind, Root, RootKind, Serial, StackFrame, Value,
};

use super::class::BuiltClass;
use super::error::BuildError;
use super::facts::{GivenClassFacts, GivenObjectFacts, HashFact};
use super::input::{BuiltValue, ReferenceTarget};
use super::object::{BuiltContents, BuiltObject};
use super::thread::BuiltThread;
use super::{ClassId, HeapBuilder, ObjectId};

/// The targets of the addresses of an imported heap.
type TargetMap = HashMap<Address, ReferenceTarget>;

/// The target of an address: an address as such where nothing lies.
fn target(map: &TargetMap, address: Address) -> ReferenceTarget {
    match map.get(&address) {
        Some(target) => *target,
        None if address.is_null() => ReferenceTarget::Null,
        None => ReferenceTarget::Address(address),
    }
}

fn value(map: &TargetMap, value: Value) -> BuiltValue {
    match value.kind {
        FieldType::Object => BuiltValue::Reference(target(map, Address(value.bits))),
        FieldType::Primitive(kind) => BuiltValue::Primitive(kind, value.bits),
    }
}

impl HeapBuilder {
    /// Adds the classes, objects, threads and roots of a heap. A class that this heap has with the same fields is shared.
    ///
    /// # Errors
    /// If an object has contents that are not known.
    pub(crate) fn import(&mut self, heap: &Heap) -> Result<(), BuildError> {
        let mut map = TargetMap::new();
        let new_classes = self.import_classes(&heap.classes, |class| class.name.clone(), &mut map);
        let first = self.objects.len();
        for (number, object) in heap.objects.iter().enumerate() {
            map.insert(object.address, ObjectId(first + number).into());
        }
        self.fill_imported_classes(&new_classes, &map);
        for object in &heap.objects {
            let Some(ReferenceTarget::Class(class)) = object.class.map(|class| target(&map, class)) else {
                return Err(BuildError::new(format!("the object at {} has no class", object.address)));
            };
            let contents = match &object.contents {
                Contents::Fields(values) => BuiltContents::Fields(values.iter().map(|of| value(&map, *of)).collect()),
                Contents::Elements(elements) => {
                    BuiltContents::Elements(elements.iter().map(|to| target(&map, *to)).collect())
                }
                Contents::Primitives(bytes) => BuiltContents::Primitives(bytes.clone()),
                Contents::Unknown if matches!(object.kind, ObjectKind::PrimitiveArray(_)) => {
                    BuiltContents::Primitives(Vec::new())
                }
                _ => return Err(BuildError::new(format!("the contents at {} are not known", object.address))),
            };
            let length = object.length.filter(|_| matches!(object.contents, Contents::Unknown));
            let facts =
                GivenObjectFacts { hash: object.hash.map(HashFact::Known), length, ..GivenObjectFacts::default() };
            self.seal(class);
            self.objects.push(BuiltObject { class, contents, facts });
        }
        self.import_threads(heap, &map);
        Ok(())
    }

    /// Adds classes by names in JVM form, and gives those that this heap does not have.
    fn import_classes<'c>(
        &mut self,
        classes: &'c [Class],
        name: impl Fn(&Class) -> Name,
        map: &mut TargetMap,
    ) -> Vec<(ClassId, &'c Class)> {
        let mut new_classes = Vec::new();
        let mut shared = HashSet::new();
        for class in classes {
            let name = name(class);
            let known = self.declared_class(&name).filter(|known| self.has_fields_of(*known, class));
            // Two classes of one name stay two.
            let known = known.filter(|known| shared.insert(*known));
            let id = match known.filter(|_| class.loader.is_none_or(Address::is_null)) {
                Some(known) => known,
                None => {
                    let id = self.add_imported_class(class, name);
                    new_classes.push((id, class));
                    id
                }
            };
            map.insert(class.address, id.into());
        }
        new_classes
    }

    /// Fills in what imported classes refer to.
    fn fill_imported_classes(&mut self, classes: &[(ClassId, &Class)], map: &TargetMap) {
        for (id, class) in classes {
            let built = &mut self.classes[id.0];
            built.superclass = class.superclass.map(|above| target(map, above));
            built.loader = target(map, class.loader.unwrap_or_default());
            built.interfaces = class.interfaces.iter().flatten().map(|to| target(map, *to)).collect();
            built.facts.signers = class.signers.map(|to| target(map, to));
            built.facts.domain = class.protection_domain.map(|to| target(map, to));
            for ((_, of), own) in built.statics.iter_mut().zip(class.statics.iter().flatten()) {
                *of = value(map, own.value);
            }
            built.pool =
                class.constant_pool.iter().flatten().map(|entry| (entry.index, value(map, entry.value))).collect();
        }
    }

    /// Declares the classes of a dump by their names in JVM form, and gives each one's number: objects that are made of them are
    /// laid out as the builder does it, and those of the dump stay addresses.
    pub(crate) fn declare_classes_of(&mut self, classes: &[Class], name: impl Fn(&Class) -> Name) -> Vec<ClassId> {
        let mut map = TargetMap::new();
        let new_classes = self.import_classes(classes, name, &mut map);
        self.fill_imported_classes(&new_classes, &map);
        let class_of = |class: &Class| match map.get(&class.address) {
            Some(ReferenceTarget::Class(id)) => Some(*id),
            _ => None,
        };
        classes.iter().filter_map(class_of).collect()
    }

    /// The inside of an object that was made.
    pub(crate) fn built_contents(&self, object: ObjectId) -> &BuiltContents {
        &self.objects[object.0].contents
    }

    /// Forgets the objects that were made last, all but this number of them.
    pub(crate) fn forget_objects(&mut self, kept: usize) {
        self.objects.truncate(kept);
    }

    /// The number of classes that are declared.
    pub(crate) fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// The number of objects that were made.
    pub(crate) fn built_objects(&self) -> usize {
        self.objects.len()
    }

    /// Whether a class has the fields of another one, those of superclasses apart.
    fn has_fields_of(&self, known: ClassId, class: &Class) -> bool {
        let built = &self.classes[known.0];
        let fields = class.fields.iter().flatten();
        self.loader_of(known) == ReferenceTarget::Null && built.fields.iter().map(|own| &own.field).eq(fields)
    }

    fn add_imported_class(&mut self, class: &Class, name: Name) -> ClassId {
        let id = self.add_class(name, None, false);
        let field = |own: &crate::model::Field| super::class::BuiltField::undeclared(own.clone());
        let built: &mut BuiltClass = &mut self.classes[id.0];
        built.fields = class.fields.iter().flatten().map(field).collect();
        built.statics = class
            .statics
            .iter()
            .flatten()
            .map(|own| {
                let of = crate::model::Field { name: own.name.clone(), kind: own.value.kind };
                (field(&of), BuiltValue::zero(own.value.kind))
            })
            .collect();
        built.facts = GivenClassFacts { hash: class.hash.map(HashFact::Known), ..GivenClassFacts::default() };
        id
    }

    /// Threads with their traces, and all roots but those that every heap has.
    fn import_threads(&mut self, heap: &Heap, map: &TargetMap) {
        let around = &heap.surroundings;
        let mut serials: HashMap<Serial, Serial> = HashMap::new();
        for thread in around.threads.iter().flatten() {
            let trace = around.traces.iter().flatten().find(|trace| Some(trace.serial) == thread.trace);
            let frame = |frame: &StackFrame| {
                let class = match frame.class.map(|class| target(map, class)) {
                    Some(ReferenceTarget::Class(class)) => Some(class),
                    _ => None,
                };
                (class, frame.clone())
            };
            let frames = trace.map(|trace| trace.frames.iter().map(frame).collect()).unwrap_or_default();
            let name = thread.name.as_ref().map(ToString::to_string).unwrap_or_default();
            let id = self.push_thread(BuiltThread::imported(name, target(map, thread.object), frames));
            serials.insert(thread.serial, self.thread_serial(id));
        }
        for Root { object, kind, after: _ } in around.roots.iter().flatten() {
            let is_boot = |target| matches!(target, ReferenceTarget::Class(class) if self.is_boot_class(class));
            let object = target(map, *object);
            if matches!(kind, RootKind::ThreadObject(..)) || matches!(kind, RootKind::StickyClass) && is_boot(object) {
                continue;
            }
            let mut kind = *kind;
            for number in kind.numbers() {
                if let crate::model::RootNumber::Thread(serial) = number {
                    *serial = serials.get(serial).copied().unwrap_or_default();
                }
            }
            self.add_root(kind, object, None);
        }
    }

    fn is_boot_class(&self, class: ClassId) -> bool {
        self.loader_of(class) == ReferenceTarget::Null
    }
}
