//! Objects and classes of shapes in a heap.

use std::sync::Arc;

use crate::model::long::HELD;
use crate::model::{
    Address, ByteLen, Class, Contents, Field, FieldType, HashRegime, Heap, IdentityHash, Object, ObjectKind, Pieces,
    PiecewiseContents, PrimitiveType, Root, RootKind, RootNumber, Serial, Static, Value, field_bytes, instance_size,
};

use crate::generate::hotspot;
use crate::generate::oddity::Oddity;
use crate::generate::options::{AddressSpace, ClassObjects, GenerateOptions, Placement};
use crate::generate::shape::placed::{CLASS, OBJECT, PlacedShape};
use crate::generate::shape::structure::{KEY, KindBody, KindClass};

/// The facts of the surrounding heap that all objects of shapes share.
#[derive(Clone, Debug)]
pub(in crate::generate) struct HeapAround {
    word: u64,
    hashes: HashRegime,
    trace: Option<Serial>,
    /// The fields of `java/lang/Object`.
    object: Vec<Field>,
    text: PrimitiveType,
}

/// Adds the classes of shapes, their held objects and their roots to a heap.
pub(in crate::generate) fn build(
    options: &GenerateOptions,
    shapes: &[Arc<PlacedShape>],
    heap: &mut Heap,
) -> HeapAround {
    let around = HeapAround::from_heap(options, heap);
    if shapes.is_empty() {
        return around;
    }
    let after_objects = (options.placement == Placement::Mixed).then_some(heap.objects.len() as u64);
    let object = address_of(heap, OBJECT);
    for shape in shapes {
        let classes = around.classes(shape, object, options).map(|class| Class { after_objects, ..class });
        let first = heap.classes.len();
        heap.classes.extend(classes);
        let sticky = heap.classes[first..].iter().map(|class| Root {
            object: class.address,
            kind: RootKind::StickyClass,
            after: None,
        });
        heap.surroundings.roots.get_or_insert_default().extend(sticky);
        for run in shape.runs.iter().filter(|run| run.is_held) {
            let numbers = run.first..run.first + run.count * run.unit.len() as u64;
            heap.objects.extend(numbers.map(|number| around.object(shape, number)));
        }
    }
    for (shape, number) in shapes.iter().zip(0..) {
        if let Some(root) = shape_root(options, heap, shape, number) {
            heap.surroundings.roots.get_or_insert_default().push(root);
        }
    }
    if options.class_objects == ClassObjects::HotSpot {
        hotspot::restate_instance_sizes(heap, options.word);
    }
    around
}

fn address_of(heap: &Heap, name: &str) -> Address {
    heap.classes.iter().find(|class| class.name == name.into()).map_or(Address::NULL, |class| class.address)
}

/// The root of a shape, unless it is a class that is already a root.
fn shape_root(options: &GenerateOptions, heap: &Heap, shape: &PlacedShape, number: u64) -> Option<Root> {
    let mut kind = shape.shape.root();
    if kind == RootKind::StickyClass {
        return None;
    }
    let thread = heap.surroundings.threads.iter().flatten().next();
    if kind.thread().is_some() && thread.is_none() {
        kind = RootKind::JniGlobal(Address::NULL);
    }
    let trace = thread.and_then(|thread| thread.trace);
    let has_frames =
        heap.surroundings.traces.iter().flatten().any(|of| Some(of.serial) == trace && !of.frames.is_empty());
    // Few bits, where identifiers have no more.
    let reference = match options.addresses {
        AddressSpace::Numbers => 8 * (number % 32),
        _ => JNI + 8 * number,
    };
    for of in kind.numbers() {
        match of {
            RootNumber::Reference(_) => of.set(reference),
            RootNumber::Thread(_) => of.set(thread.map_or(0, |thread| thread.serial.0.into())),
            RootNumber::Frame(_) => of.set(if has_frames { 0 } else { u64::MAX }),
            RootNumber::Trace(_) => {}
        }
    }
    Some(Root { object: shape.root(), kind, after: None })
}

/// The first number of JNI references to shapes.
const JNI: u64 = 1 << 21;

impl HeapAround {
    fn from_heap(options: &GenerateOptions, heap: &Heap) -> HeapAround {
        let object = heap.classes.iter().find(|class| class.name == OBJECT.into());
        let is_elsewhere = !options.oddities.has(Oddity::AnySpelling);
        let first = heap.surroundings.traces.iter().flatten().next().map(|trace| trace.serial);
        HeapAround {
            word: options.word.bytes() as u64,
            hashes: options.hashes,
            trace: first.filter(|_| is_elsewhere),
            object: object.and_then(|class| class.fields.clone()).unwrap_or_default(),
            text: options.library.text_element(),
        }
    }

    /// The shape's own classes, and the class whose static field refers to its head.
    fn classes<'a>(
        &'a self,
        shape: &'a PlacedShape,
        object: Address,
        options: &GenerateOptions,
    ) -> impl Iterator<Item = Class> + 'a {
        let hashes = options.hashes;
        let class =
            move |address: Address, name: String, fields: Vec<Field>, statics: Vec<Static>, number: u64| Class {
                address,
                name: name.as_str().into(),
                superclass: Some(object),
                interfaces: Some(Vec::new()),
                loader: Some(Address::NULL),
                signers: Some(Address::NULL),
                protection_domain: Some(Address::NULL),
                instance_size: Some(ByteLen(self.instance_size(&fields))),
                class_object_size: Some(ByteLen(CLASS)),
                hash: (hashes == HashRegime::Every16).then(|| object_hash(number)),
                statics: Some(statics),
                constant_pool: Some(Vec::new()),
                fields: Some(fields),
                trace: self.trace,
                ..Class::default()
            };
        let own = shape.structure.classes().into_iter().zip(shape.classes()).zip(0..);
        let own = own.map(move |((own, address), number)| {
            let name = format!("{}/{}", shape.package, own.name);
            let name = if own.is_array { format!("[L{name};") } else { name };
            class(address, name, own.fields, Vec::new(), number)
        });
        let held = Static { name: "held".into(), value: Value::reference(shape.address(0)) };
        let holder = shape.holder().map(move |address| {
            class(address, format!("{}/Holder", shape.package), Vec::new(), vec![held.clone()], shape.objects())
        });
        own.chain(holder)
    }

    fn instance_size(&self, fields: &[Field]) -> u64 {
        instance_size(field_bytes(fields.iter().chain(&self.object), self.word), self.word, self.word)
    }

    /// The object with this number.
    pub(super) fn object(&self, shape: &Arc<PlacedShape>, number: u64) -> Object {
        let kind = shape.kind_of(number).kind;
        let (of, length, contents) = match kind.body {
            KindBody::Fields => (ObjectKind::Instance, None, Contents::Fields(self.values(shape, number))),
            KindBody::Elements(length) => (ObjectKind::ObjectArray, Some(length), elements(shape, number, length)),
            KindBody::Bytes(length) => {
                let contents = bytes(shape.structure.value(number), length);
                (ObjectKind::PrimitiveArray(PrimitiveType::Byte), Some(length), contents)
            }
            KindBody::Key(length) => {
                let contents = Contents::Primitives(key_characters(shape.structure.value(number), self.text));
                (ObjectKind::PrimitiveArray(self.text), Some(length), contents)
            }
        };
        Object {
            class: Some(shape.class(number)),
            size: Some(shape.size(number)),
            hash: (self.hashes == HashRegime::Every16).then(|| object_hash(number)),
            length,
            contents,
            trace: self.trace,
            ..Object::new(shape.address(number), of)
        }
    }

    /// The field values of an instance.
    fn values(&self, shape: &PlacedShape, number: u64) -> Vec<Value> {
        let value = |slot: FieldSlot| match slot {
            FieldSlot::Reference(place) => Value::reference(shape.target(number, place)),
            FieldSlot::Value(kind) => Value::primitive(kind, shape.structure.value(number)),
            FieldSlot::Class => Value::reference(shape.class(number)),
            FieldSlot::Null => Value::reference(Address::NULL),
            FieldSlot::Is(kind, bits) => Value::primitive(kind, bits),
        };
        self.slots(shape, number).map(value).collect()
    }

    /// The contents of an instance's fields: those of its class, then those of `java/lang/Object`.
    pub(super) fn slots<'a>(&'a self, shape: &'a PlacedShape, number: u64) -> impl Iterator<Item = FieldSlot> + 'a {
        let placed = shape.kind_of(number);
        let is_string = matches!(placed.kind.of, KindClass::Known(_));
        let mut place = 0;
        let own = placed.fields.iter().map(move |field| match (field.name.as_bytes(), field.kind) {
            (b"value", FieldType::Object) if is_string => FieldSlot::Reference(0),
            // Where strings count their characters.
            (b"count", FieldType::Primitive(kind)) if is_string => FieldSlot::Is(kind, KEY),
            _ if is_string => superclass_slot(field),
            (_, FieldType::Primitive(kind)) => FieldSlot::Value(kind),
            (_, FieldType::Object) => {
                place += 1;
                FieldSlot::Reference(place - 1)
            }
        });
        own.chain(self.object.iter().map(superclass_slot))
    }

    /// The element type of characters.
    pub(super) fn text(&self) -> PrimitiveType {
        self.text
    }

    /// Whether every object has a hash.
    pub(super) fn has_hashes(&self) -> bool {
        self.hashes == HashRegime::Every16
    }
}

/// The content of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldSlot {
    /// The reference at this place.
    Reference(u64),
    /// The object's value.
    Value(PrimitiveType),
    /// The object's class.
    Class,
    /// A reference that is null in every object.
    Null,
    /// A number that is the same in every object.
    Is(PrimitiveType, u64),
}

/// The content of a field of `java/lang/Object`: ART keeps the class there; 0 elsewhere.
fn superclass_slot(field: &Field) -> FieldSlot {
    match field.kind {
        FieldType::Object if field.name == "shadow$_klass_".into() => FieldSlot::Class,
        FieldType::Object => FieldSlot::Null,
        FieldType::Primitive(kind) => FieldSlot::Is(kind, 0),
    }
}

fn elements(shape: &Arc<PlacedShape>, number: u64, length: u64) -> Contents {
    if length.saturating_mul(8) <= HELD as u64 {
        return Contents::Elements((0..length).map(|place| shape.target(number, place)).collect());
    }
    let shape = Arc::clone(shape);
    Contents::Long(PiecewiseContents::Elements(Pieces::computed(length, move |place| shape.target(number, place))))
}

fn bytes(value: u64, length: u64) -> Contents {
    if length <= HELD as u64 {
        return Contents::Primitives((0..length).map(|place| repeated_byte(value, place)).collect());
    }
    Contents::Long(PiecewiseContents::Primitives(Pieces::computed(length, move |place| repeated_byte(value, place))))
}

/// The byte at this place: the bytes of a value repeat, the most significant first, each increased by the number of
/// repetitions.
pub(super) fn repeated_byte(value: u64, place: u64) -> u8 {
    value.to_be_bytes()[(place % 8) as usize].wrapping_add((place / 8) as u8)
}

/// The characters of a key: `key-` and twelve hexadecimal digits.
pub(super) fn key_characters(value: u64, text: PrimitiveType) -> Vec<u8> {
    let size = text.size() as usize;
    let key = format!("key-{value:012x}");
    key.bytes().flat_map(|byte| u64::from(byte).to_be_bytes()[8 - size..].to_vec()).collect()
}

/// The identity hash of an object, where every object has one.
pub(super) fn object_hash(number: u64) -> IdentityHash {
    IdentityHash::Bits16(hash_bits(number))
}

/// A hash from 1 to 32,767: bit 15 is never set.
pub(super) fn hash_bits(number: u64) -> u16 {
    1 + (number % 0x7fff) as u16
}
