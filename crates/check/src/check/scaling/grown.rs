//! Heaps that grow in one thing. Their objects are computed, so that many take no memory.

use crate::check::protocol::ObjectCounts;
use heapsmith_core::error::Error;
use heapsmith_core::model::{
    Address, ByteLen, Class, Facts, Field, Heap, HeapSource, Object, ObjectKind, Serial, StackTrace, Static,
    Surroundings, Thread, VisitObjects,
};

/// A small heap, and the classes and objects that are added to it.
pub(super) struct GrownHeap {
    heap: Heap,
    parts: Vec<GrownObjects>,
    classes: u64,
    objects: u64,
}

/// Objects of one kind, each computed from its number.
struct GrownObjects {
    objects: u64,
    kind: ObjectKind,
    object: Box<dyn Fn(u64) -> Object>,
}

/// The addresses of added classes and objects: after those of a random heap, and as far apart as the largest of them
/// are long.
const CLASSES: u64 = 0x1_1000_0000;
const CLASS: u64 = 0x40;
const OBJECTS: u64 = 0x1_8000_0000;
const OBJECT: u64 = 0x100;

impl GrownHeap {
    /// The heap alone.
    pub(super) fn new(heap: Heap) -> GrownHeap {
        GrownHeap { heap, parts: Vec::new(), classes: 0, objects: 0 }
    }

    /// Adds a class, and gives its address.
    pub(super) fn add_class(
        &mut self,
        name: &str,
        superclass: Address,
        fields: Vec<Field>,
        statics: Vec<Static>,
    ) -> Address {
        let address = Address(CLASSES + CLASS * self.classes);
        self.classes += 1;
        self.heap.classes.push(Class {
            address,
            name: name.into(),
            superclass: Some(superclass),
            interfaces: Some(Vec::new()),
            loader: Some(Address::NULL),
            signers: Some(Address::NULL),
            protection_domain: Some(Address::NULL),
            instance_size: Some(SIZE),
            class_object_size: Some(ByteLen(CLASS)),
            statics: Some(statics),
            constant_pool: Some(Vec::new()),
            fields: Some(fields),
            ..Class::default()
        });
        address
    }

    /// Adds objects of a kind, each made of its number among them: the object has its address and size already. The first
    /// objects that are added are at [`object_address`] 0 and so on.
    pub(super) fn add_objects(
        &mut self,
        objects: u64,
        kind: ObjectKind,
        fill: impl Fn(u64, Object) -> Object + 'static,
    ) {
        let first = self.objects;
        let object = move |number| {
            let bare = Object { size: Some(SIZE), ..Object::new(object_address(first + number), kind) };
            fill(number, bare)
        };
        self.parts.push(GrownObjects { objects, kind, object: Box::new(object) });
        self.objects += objects;
    }

    /// The class of this name in the small heap.
    pub(super) fn class_named(&self, name: &str) -> Address {
        let known = self.heap.classes.iter().find(|class| class.name == name.into());
        known.map_or(Address::NULL, |class| class.address)
    }

    /// The first thread, and its object.
    pub(super) fn first_thread(&self) -> Option<(Thread, Object)> {
        let thread = self.heap.surroundings.threads.iter().flatten().next()?;
        let object = self.heap.objects.iter().find(|object| object.address == thread.object)?;
        Some((thread.clone(), object.clone()))
    }

    /// The highest serial numbers of threads and of stack traces.
    pub(super) fn highest_serials(&self) -> (u32, u32) {
        let most = |serials: &mut dyn Iterator<Item = Serial>| serials.map(|serial| serial.0).max().unwrap_or(0);
        let Surroundings { threads, traces, .. } = &self.heap.surroundings;
        let threads = most(&mut threads.iter().flatten().map(|thread: &Thread| thread.serial));
        (threads, most(&mut traces.iter().flatten().map(|trace: &StackTrace| trace.serial)))
    }

    /// The surroundings, to which roots, threads and traces are added.
    pub(super) fn surroundings(&mut self) -> &mut Surroundings {
        &mut self.heap.surroundings
    }

    /// The counts of the whole heap, given those of the small one.
    pub(super) fn counts(&self, small: ObjectCounts) -> ObjectCounts {
        let of = |is: fn(ObjectKind) -> bool| {
            self.parts.iter().filter(|part| is(part.kind)).map(|part| part.objects).sum::<u64>()
        };
        ObjectCounts {
            classes: small.classes.map(|classes| classes + self.classes),
            instances: small.instances.map(|count| count + of(|kind| kind == ObjectKind::Instance)),
            object_arrays: small.object_arrays.map(|count| count + of(|kind| kind == ObjectKind::ObjectArray)),
            primitive_arrays: small
                .primitive_arrays
                .map(|count| count + of(|kind| matches!(kind, ObjectKind::PrimitiveArray(_)))),
            ..ObjectCounts::default()
        }
    }
}

/// The size of every instance, which no format defines.
const SIZE: ByteLen = ByteLen(32);

/// The address of an added object.
pub(super) fn object_address(number: u64) -> Address {
    Address(OBJECTS + OBJECT * number)
}

impl HeapSource for GrownHeap {
    fn facts(&self) -> &Facts {
        &self.heap.facts
    }

    fn classes(&self) -> &[Class] {
        &self.heap.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.heap.surroundings
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        self.heap.objects.iter().try_for_each(&mut *visit)?;
        self.parts.iter().try_for_each(|part| (0..part.objects).try_for_each(|number| visit(&(part.object)(number))))
    }
}
