//! The effects of edits on the heap that a reader finds.

use crate::hprof::RecordTag;
use crate::model::{
    Address, ByteLen, Class, Contents, Event, EventKind, Frame, FrameId, Heap, LoadClass, Name, Object, ObjectKind,
    PrimitiveType, Root, RootKind, Serial, StackTrace, TextId, Trace,
};

use super::map::MappedDump;
use crate::family::edit::Damage;

impl Damage<'_, MappedDump> {
    /// The `n`th number that is nothing in the dump, as an address.
    pub(super) fn unused_address(&self, n: u64) -> Option<Address> {
        self.map.unused_number(n).map(Address)
    }

    /// The `n`th number that is nothing in the dump, as a serial number.
    pub(super) fn unused_serial(&self, n: u64) -> Option<Serial> {
        Some(Serial(self.map.unused_number(n)? as u32))
    }

    /// The value of a field in the first record of a tag.
    pub(super) fn value(&self, tag: RecordTag, name: &str) -> Option<u64> {
        Some(self.map.field_of(tag, name)?.value as u64)
    }

    /// The class whose record was damaged.
    pub(super) fn class<'h>(&self, heap: &'h mut Heap) -> Option<&'h mut Class> {
        let index = self.map.records.iter().position(|record| record.offset as u64 == self.edited.offset)?;
        let address = self.map.field("class object id", |field| field.record == Some(index as u64))?.value as u64;
        heap.classes.iter_mut().find(|class| class.address.0 == address)
    }

    pub(super) fn load(&self, serial: Serial) -> Option<LoadClass> {
        let name = TextId(self.value(RecordTag::LOAD_CLASS, "class name string id")?);
        Some(LoadClass { serial, class: self.unused_address(0)?, trace: Serial(0), name })
    }

    pub(super) fn frame(&self, method: u64, line: i32) -> Option<EventKind> {
        let class = Serial(self.value(RecordTag::LOAD_CLASS, "class serial number")? as u32);
        let (method, none) = (TextId(method), TextId(0));
        let id = FrameId(self.map.unused_number(0)?);
        Some(EventKind::Frame(Frame { id, method, signature: none, source: none, class, line }))
    }
}

/// An event before all others.
pub(super) fn insert_event_in_front(heap: &mut Heap, kind: EventKind) -> Option<()> {
    heap.surroundings.events.as_mut()?.insert(0, Event::new(0, 0, kind));
    Some(())
}

/// A root after everything.
pub(super) fn push_root(heap: &mut Heap, object: Address, kind: RootKind) -> Option<()> {
    let after = Some((heap.classes.len() + heap.objects.len()) as u64);
    heap.surroundings.roots.as_mut()?.push(Root { object, kind, after });
    Some(())
}

/// An object after everything.
pub(super) fn push_object(heap: &mut Heap, object: Object) -> Option<()> {
    heap.objects.push(object);
    Some(())
}

/// A class after everything.
pub(super) fn push_class(heap: &mut Heap, class: Class) -> Option<()> {
    heap.classes.push(Class { after_objects: Some(heap.objects.len() as u64), ..class });
    Some(())
}

/// The first object of a kind.
pub(super) fn first_object(heap: &Heap, kind: ObjectKind) -> Option<&Object> {
    heap.objects.iter().find(|object| object.kind == kind)
}

/// The first instance's address.
pub(super) fn some_object(heap: &Heap) -> Option<Address> {
    Some(first_object(heap, ObjectKind::Instance)?.address)
}

/// A class without anything.
pub(super) fn empty_class(address: Address) -> Class {
    let null = Some(Address::NULL);
    Class {
        address,
        superclass: null,
        loader: null,
        signers: null,
        protection_domain: null,
        instance_size: Some(ByteLen(0)),
        statics: Some(Vec::new()),
        constant_pool: Some(Vec::new()),
        fields: Some(Vec::new()),
        trace: Some(Serial(0)),
        ..Class::default()
    }
}

pub(super) fn trace_of_an_unknown_frame(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let (serial, thread, frame) = (damage.unused_serial(0)?, Serial(0), FrameId(damage.map.unused_number(1)?));
    insert_event_in_front(heap, EventKind::Trace(Trace { serial, thread, frames: vec![frame] }))?;
    heap.surroundings.traces.as_mut()?.insert(0, StackTrace { serial, thread, frames: [].into() });
    Some(())
}

/// A byte[0].
pub(super) fn empty_byte_array(address: Address) -> Object {
    primitive_array(address, PrimitiveType::Byte, Vec::new())
}

/// An array of bytes or booleans.
pub(super) fn primitive_array(address: Address, element: PrimitiveType, elements: Vec<u8>) -> Object {
    Object {
        length: Some(elements.len() as u64),
        trace: Some(Serial(0)),
        contents: Contents::Primitives(elements),
        ..Object::new(address, ObjectKind::PrimitiveArray(element))
    }
}

pub(super) fn instance(address: Address, class: Address, raw: Vec<u8>) -> Object {
    Object {
        class: Some(class),
        trace: Some(Serial(0)),
        contents: Contents::Raw(raw),
        ..Object::new(address, ObjectKind::Instance)
    }
}

/// An array is added whose class is one of instances.
pub(super) fn add_array_of_instance_class(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let (class, _) = damage.map.class_with_instance()?;
    push_object(heap, object_array(damage.unused_address(0)?, Address(class), Vec::new()))
}

/// An array is added whose class is that of its elements, so that the heap names its own class alone.
pub(super) fn add_array_of_element_class(damage: &Damage<'_, MappedDump>, heap: &mut Heap) -> Option<()> {
    let (class, _) = damage.map.class_with_instance()?;
    let element = heap.classes.iter().find(|c| c.address == Address(class))?.name.to_jvm_form();
    let name = Name::from_bytes([b"[L", element.as_bytes(), b";"].concat());
    let added = object_array(damage.unused_address(0)?, Address(class), Vec::new());
    push_object(heap, Object { class: None, class_name: Some(name), ..added })
}

pub(super) fn object_array(address: Address, class: Address, elements: Vec<Address>) -> Object {
    Object {
        class: Some(class),
        length: Some(elements.len() as u64),
        trace: Some(Serial(0)),
        contents: Contents::Elements(elements),
        ..Object::new(address, ObjectKind::ObjectArray)
    }
}
