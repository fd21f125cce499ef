//! Smaller instances: changes to the fields of classes, and to the values that depend on them.

use std::collections::HashMap;

use heapsmith_core::model::{Address, ByteLen, Class, Contents, FieldType, Heap, ObjectKind, PrimitiveType, Value};
use heapsmith_core::shrink::without_totals;

/// The fields that each class declares, in their order, each with its new type, or `None` if it is removed.
type KeptFields = Vec<Vec<Option<FieldType>>>;

/// A heap in which some classes have no superclass.
pub(super) fn without_superclasses(heap: &Heap, kept: &[bool]) -> Heap {
    with_superclasses(heap, kept, &|_| Address::NULL)
}

/// A heap in which some classes have the superclass of their superclass.
pub(super) fn with_next_superclasses(heap: &Heap, kept: &[bool]) -> Heap {
    let places = class_places(&heap.classes);
    let above = |superclass| heap.classes[*places.get(&superclass)?].superclass;
    with_superclasses(heap, kept, &|superclass| above(superclass).unwrap_or(Address::NULL))
}

fn with_superclasses(heap: &Heap, kept: &[bool], other: &dyn Fn(Address) -> Address) -> Heap {
    let mut classes = heap.classes.clone();
    for (class, _) in classes.iter_mut().zip(kept).filter(|(_, kept)| !**kept) {
        class.superclass = class.superclass.map(other);
    }
    with_layouts(heap, classes, &unchanged_fields(heap))
}

/// A heap in which a class declares fewer fields.
pub(super) fn without_fields(heap: &Heap, index: usize, kept: &[bool]) -> Heap {
    let mut fields = unchanged_fields(heap);
    for (field, _) in fields[index].iter_mut().zip(kept).filter(|(_, kept)| !**kept) {
        *field = None;
    }
    let mut classes = heap.classes.clone();
    retain(classes[index].fields.as_mut(), Some(kept));
    with_layouts(heap, classes, &fields)
}

/// Values of more than one byte: those of a class's field, static field or entry of the constant pool, by its place, or
/// of an array.
pub(super) enum WideValues {
    Field(usize, usize),
    Static(usize, usize),
    Pooled(usize, usize),
    Array(usize),
}

/// Every item of a heap with values of more than one byte.
pub(super) fn wide_values(heap: &Heap) -> Vec<WideValues> {
    let mut wide = Vec::new();
    for (index, class) in heap.classes.iter().enumerate() {
        let is_wide = |kind: FieldType| !matches!(kind, FieldType::Primitive(primitive) if primitive.size() == 1);
        let places =
            |kinds: Vec<FieldType>| (0..).zip(kinds).filter(move |(_, kind)| is_wide(*kind)).map(|(place, _)| place);
        let fields = class.fields.iter().flatten().map(|field| field.kind).collect();
        wide.extend(places(fields).map(|place| WideValues::Field(index, place)));
        let statics = class.statics.iter().flatten().map(|field| field.value.kind).collect();
        wide.extend(places(statics).map(|place| WideValues::Static(index, place)));
        let pooled = class.constant_pool.iter().flatten().map(|entry| entry.value.kind).collect();
        wide.extend(places(pooled).map(|place| WideValues::Pooled(index, place)));
    }
    for (index, object) in heap.objects.iter().enumerate() {
        // Where a class or a name says what the elements are, their type is no longer free.
        let is_free = object.class.is_none() && object.class_word.is_none() && object.class_name.is_none();
        if is_free && matches!(object.kind, ObjectKind::PrimitiveArray(element) if element.size() > 1) {
            wide.push(WideValues::Array(index));
        }
    }
    wide
}

/// A heap in which some of these items have bytes instead.
pub(super) fn narrowed(heap: &Heap, wide: &[WideValues], kept: &[bool]) -> Heap {
    let mut fields = unchanged_fields(heap);
    let mut heap = heap.clone();
    for (one, _) in wide.iter().zip(kept).filter(|(_, kept)| !**kept) {
        match one {
            WideValues::Field(class, place) => fields[*class][*place] = Some(BYTE),
            WideValues::Static(class, place) => {
                let field = heap.classes[*class].statics.as_mut().and_then(|list| list.get_mut(*place));
                field.into_iter().for_each(|field| field.value = retyped(field.value, BYTE));
            }
            WideValues::Pooled(class, place) => {
                let entry = heap.classes[*class].constant_pool.as_mut().and_then(|list| list.get_mut(*place));
                entry.into_iter().for_each(|entry| entry.value = retyped(entry.value, BYTE));
            }
            WideValues::Array(index) => {
                let object = &mut heap.objects[*index];
                if let (ObjectKind::PrimitiveArray(element), Contents::Primitives(bytes)) =
                    (object.kind, &mut object.contents)
                {
                    // Big-endian: the last byte of each is the lowest.
                    let size = element.size() as usize;
                    *bytes = bytes.chunks_exact(size).map(|element| element[size - 1]).collect();
                    object.kind = ObjectKind::PrimitiveArray(PrimitiveType::Byte);
                }
            }
        }
    }
    let mut classes = heap.classes.clone();
    for (class, fields) in classes.iter_mut().zip(&fields) {
        for (field, kind) in class.fields.iter_mut().flatten().zip(fields) {
            field.kind = kind.unwrap_or(field.kind);
        }
    }
    with_layouts(&heap, classes, &fields)
}

const BYTE: FieldType = FieldType::Primitive(PrimitiveType::Byte);

fn unchanged_fields(heap: &Heap) -> KeptFields {
    let own = |class: &Class| class.fields.iter().flatten().map(|field| Some(field.kind)).collect();
    heap.classes.iter().map(own).collect()
}

/// The heap with other classes in place of its own, in which these fields are left of those that the old classes
/// declare; the values of instances follow.
fn with_layouts(heap: &Heap, classes: Vec<Class>, fields: &KeptFields) -> Heap {
    let word = heap.facts.identifier_size.map_or(8, |size| size.0);
    let size = |kind: FieldType| match kind {
        FieldType::Object => word,
        FieldType::Primitive(primitive) => primitive.size(),
    };
    // Addresses stay.
    let places = class_places(&classes);
    // By class: every field of its instances in the order of their values, with what it was.
    let layout = |index: usize| -> Vec<(FieldType, Option<FieldType>)> {
        let left = superclass_chain(&classes, &places, index);
        let of_class = |of: usize| {
            let old = heap.classes[of].fields.iter().flatten().map(|field| field.kind);
            let is_left = left.contains(&of);
            old.zip(&fields[of]).map(move |(old, new)| (old, new.filter(|_| is_left))).collect::<Vec<_>>()
        };
        superclass_chain(&heap.classes, &places, index).into_iter().flat_map(of_class).collect()
    };
    let layouts: Vec<_> = (0..heap.classes.len()).map(layout).collect();
    let mut new = without_totals(heap.clone());
    new.classes = classes;
    for (class, layout) in new.classes.iter_mut().zip(&layouts) {
        let before: u64 = layout.iter().map(|(old, _)| size(*old)).sum();
        let after: u64 = layout.iter().filter_map(|(_, new)| *new).map(size).sum();
        let less = before.saturating_sub(after);
        class.instance_size = class.instance_size.map(|size| ByteLen(size.0.saturating_sub(less)));
    }
    for object in &mut new.objects {
        let class = object.class.and_then(|class| places.get(&class));
        let (Some(class), Contents::Fields(values)) = (class, &mut object.contents) else { continue };
        let mut layout = layouts[*class].iter();
        *values = values
            .iter()
            .filter_map(|value| match layout.next() {
                Some((_, new)) => new.map(|new| retyped(*value, new)),
                None => Some(*value),
            })
            .collect();
    }
    new
}

/// A value converted to another type; of the same type, the value itself.
fn retyped(value: Value, kind: FieldType) -> Value {
    match kind {
        FieldType::Primitive(primitive) if kind != value.kind => Value::primitive(primitive, value.bits),
        _ => value,
    }
}

/// A class and its superclasses, by their places. An endless chain is cut at the number of classes.
fn superclass_chain(classes: &[Class], places: &HashMap<Address, usize>, index: usize) -> Vec<usize> {
    let above = |index: &usize| places.get(&classes[*index].superclass?).copied();
    std::iter::successors(Some(index), above).take(classes.len()).collect()
}

/// The places of classes by their addresses; of several with one address, the first.
fn class_places(classes: &[Class]) -> HashMap<Address, usize> {
    let mut places = HashMap::new();
    for (place, class) in classes.iter().enumerate() {
        places.entry(class.address).or_insert(place);
    }
    places
}

/// The number of items in a list, after some were removed.
pub(super) fn retain<T>(list: Option<&mut Vec<T>>, kept: Option<&[bool]>) -> usize {
    let Some(list) = list else { return 0 };
    if let Some(kept) = kept {
        let mut kept = kept.iter();
        list.retain(|_| kept.next().copied().unwrap_or(true));
    }
    list.len()
}
