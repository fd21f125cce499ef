//! Class objects as HotSpot records them, by facts that every format records alike.

use std::collections::HashMap;

use crate::model::{
    Address, ByteLen, Class, Contents, Field, FieldType, Heap, Name, Object, ObjectKind, Value, WordSize, field_bytes,
};

/// Turns the class objects of primitive types into instances of `java/lang/Class`, and instance sizes into bytes of
/// fields.
pub(super) fn restate_class_objects(heap: &mut Heap, word: WordSize) {
    move_primitive_mirrors(heap);
    restate_instance_sizes(heap, word);
}

/// Sets instance sizes to the bytes of the fields.
pub(super) fn restate_instance_sizes(heap: &mut Heap, word: WordSize) {
    let by_address: HashMap<Address, usize> =
        heap.classes.iter().enumerate().map(|(at, class)| (class.address, at)).collect();
    let bytes = |class: &Class| field_bytes(fields(class, &heap.classes, &by_address), word.bytes() as u64);
    let sizes: Vec<u64> = heap.classes.iter().map(|class| if class.is_array() { 0 } else { bytes(class) }).collect();
    for (class, size) in heap.classes.iter_mut().zip(sizes) {
        class.instance_size = Some(ByteLen(size));
    }
}

/// The fields of a class and of its superclasses.
fn fields<'c>(
    class: &'c Class,
    classes: &'c [Class],
    by_address: &'c HashMap<Address, usize>,
) -> impl Iterator<Item = &'c Field> {
    let above = |class: &&'c Class| by_address.get(&class.superclass?).map(|at| &classes[*at]);
    std::iter::successors(Some(class), above).flat_map(|class| class.fields.iter().flatten())
}

/// Turns the class objects of primitive types into objects. They come first, and so do their addresses.
fn move_primitive_mirrors(heap: &mut Heap) {
    let name = Name::from_text("java/lang/Class");
    let Some(of) = heap.classes.iter().find(|class| class.name == name).cloned() else { return };
    let by_address: HashMap<Address, usize> =
        heap.classes.iter().enumerate().map(|(at, class)| (class.address, at)).collect();
    let values = fields(&of, &heap.classes, &by_address).map(|field| match field.kind {
        FieldType::Object => Value::reference(Address::NULL),
        // JDK 25 says there what they are.
        FieldType::Primitive(kind) => Value::primitive(kind, u64::from(field.name == "primitive".into())),
    });
    let values: Vec<Value> = values.collect();
    let (mirrors, classes): (Vec<Class>, Vec<Class>) = heap.classes.drain(..).partition(Class::is_primitive);
    heap.classes = classes;
    let object = |class: Class| Object {
        class: Some(of.address),
        size: of.instance_size,
        hash: class.hash,
        trace: class.trace,
        contents: Contents::Fields(values.clone()),
        ..Object::new(class.address, ObjectKind::Instance)
    };
    heap.objects.splice(0..0, mirrors.into_iter().map(object));
}
