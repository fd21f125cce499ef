//! The contents of the planned objects.

use crate::draw::Draw;
use crate::model::{Address, ByteLen, Contents, Field, FieldType, Object, ObjectKind, PrimitiveType, Value};

use super::classes::ClassPlan;
use super::names::thread_name;
use super::options::GenerateOptions;
use super::plan::{HELD, ObjectPlan, ObjectPurpose};
use super::program;
use super::references::{allowed_elements, draw_element, draw_target};
use super::values::{draw_hash, random_contents, random_value};

pub(super) fn draw_objects(
    options: &GenerateOptions,
    classes: &ClassPlan,
    plan: &mut ObjectPlan,
    draw: &mut dyn Draw,
) -> Vec<Object> {
    let mut objects = Vec::with_capacity(plan.shapes.len());
    let odd = options.oddities;
    for (index, &shape) in plan.shapes.iter().enumerate() {
        let contents = match shape.kind {
            ObjectKind::Instance if shape.part == ObjectPurpose::Any => {
                let layout = classes.instance_fields(shape.class).into_iter().enumerate();
                let value = |(item, field): (usize, &Field)| {
                    let known = art_value(field, index, plan, classes);
                    let known = known.or_else(|| plan.owned_address(index, item).map(Value::reference));
                    known.unwrap_or_else(|| draw_value(field.kind, index, plan, classes, options, draw))
                };
                Contents::Fields(layout.map(value).collect())
            }
            ObjectKind::Instance => Contents::Fields(library_values(index, plan, classes)),
            ObjectKind::ObjectArray if shape.part == ObjectPurpose::Holder => {
                let others = match options.has_owners() {
                    true => plan.ownerless().collect(),
                    false => plan.addresses[1..].to_vec(),
                };
                Contents::Elements(std::iter::repeat_n(Address::NULL, HELD).chain(others).collect())
            }
            ObjectKind::ObjectArray => {
                let fits = allowed_elements(shape.class, classes);
                let element = |item| {
                    let owned = plan.owned_address(index, item as usize);
                    owned.unwrap_or_else(|| draw_element(index, fits, plan, classes, options, draw))
                };
                Contents::Elements((0..shape.length).map(element).collect())
            }
            ObjectKind::PrimitiveArray(element) => match shape.part {
                ObjectPurpose::Text => {
                    let letters = (0..shape.length).map(|_| draw.between(b'a'.into(), b'z'.into()) as u8);
                    ascii_contents(element, &letters.collect::<Vec<u8>>())
                }
                ObjectPurpose::NarrowText => {
                    let letters = (0..shape.length).map(|_| draw.below(0x100) as u8);
                    ascii_contents(element, &letters.collect::<Vec<u8>>())
                }
                ObjectPurpose::WideText => wide_contents(element, shape.length, draw),
                ObjectPurpose::Name(number) => ascii_contents(element, thread_name(number, options).as_bytes()),
                ObjectPurpose::Word(word) => ascii_contents(element, program::text_of(word).as_bytes()),
                _ => random_contents(element, shape.length, odd, draw),
            },
        };
        objects.push(Object {
            class: Some(classes.planned[shape.class].address),
            size: Some(ByteLen(shape.size)),
            hash: draw_hash(options, draw),
            length: (shape.kind != ObjectKind::Instance).then_some(shape.length),
            contents,
            ..Object::new(plan.addresses[index], shape.kind)
        });
    }
    objects
}

fn draw_value(
    field: FieldType,
    from: usize,
    plan: &ObjectPlan,
    classes: &ClassPlan,
    options: &GenerateOptions,
    draw: &mut dyn Draw,
) -> Value {
    match field {
        FieldType::Object => Value::reference(draw_target(from, plan, classes, options, options.nulls, draw)),
        FieldType::Primitive(kind) if options.zeros.draw(draw) => Value::primitive(kind, 0),
        FieldType::Primitive(kind) => random_value(kind, options.oddities, draw),
    }
}

/// The field values of a library object: meaningful ones where they are known, and zeros.
fn library_values(index: usize, plan: &ObjectPlan, classes: &ClassPlan) -> Vec<Value> {
    let part = plan.shapes[index].part;
    let field = |field: &Field| match (part, field.name.as_bytes(), field.kind) {
        (ObjectPurpose::String, b"value", _) => Value::reference(plan.next_if(index, ObjectPurpose::is_text)),
        // Characters that Android and JDK 6 count.
        (ObjectPurpose::String, b"count", FieldType::Primitive(kind)) => {
            let length = plan.shapes.get(index + 1).map_or(0, |shape| shape.length);
            Value::primitive(kind, length)
        }
        // UTF-16, which arrays of characters have by themselves.
        (ObjectPurpose::String, b"coder", FieldType::Primitive(kind)) => {
            let is_wide = plan.shapes.get(index + 1).is_some_and(|shape| shape.part == ObjectPurpose::WideText);
            Value::primitive(kind, is_wide.into())
        }
        (ObjectPurpose::String, b"hash", FieldType::Primitive(kind)) => {
            let word = plan.shapes.get(index + 1).map(|shape| shape.part);
            let hash = if let Some(ObjectPurpose::Word(word)) = word { program::hash_of(word) } else { 0 };
            Value::primitive(kind, hash.into())
        }
        (ObjectPurpose::Thread, b"name", _) => {
            Value::reference(plan.next_if(index, |part| part == ObjectPurpose::String || part.is_text()))
        }
        (ObjectPurpose::Thread, b"contextClassLoader", _) => Value::reference(plan.loader()),
        (ObjectPurpose::Thread, b"priority", FieldType::Primitive(kind)) => Value::primitive(kind, 5),
        (ObjectPurpose::Thread, b"tid", FieldType::Primitive(kind)) => Value::primitive(kind, index as u64),
        // The second loader asks the first one, and so on.
        (ObjectPurpose::Loader, b"parent", _) if index > 0 => Value::reference(plan.addresses[index - 1]),
        (_, _, FieldType::Object) => Value::reference(Address::NULL),
        (_, _, FieldType::Primitive(kind)) => Value::primitive(kind, 0),
    };
    let layout = classes.instance_fields(plan.shapes[index].class);
    layout.into_iter().map(|f| art_value(f, index, plan, classes).unwrap_or_else(|| field(f))).collect()
}

/// The value of a field that ART keeps in each object: its class, or the word of its monitor, 0 where no one uses it.
fn art_value(field: &Field, index: usize, plan: &ObjectPlan, classes: &ClassPlan) -> Option<Value> {
    match (field.name.as_bytes(), field.kind) {
        (b"shadow$_klass_", _) => Some(Value::reference(classes.planned[plan.shapes[index].class].address)),
        (b"shadow$_monitor_", FieldType::Primitive(kind)) => Some(Value::primitive(kind, 0)),
        _ => None,
    }
}

/// Characters of every plane in UTF-16, as an array with this number of elements: of bytes in the order of x86 and AArch64.
fn wide_contents(element: PrimitiveType, length: u64, draw: &mut dyn Draw) -> Contents {
    let is_bytes = element == PrimitiveType::Byte;
    let count = if is_bytes { length / 2 } else { length } as usize;
    let mut units: Vec<u16> = Vec::with_capacity(count);
    while units.len() < count {
        let plane = draw.below(17) as u32;
        match char::from_u32(plane << 16 | draw.below(0x1_0000) as u32) {
            Some(character) if units.len() + character.len_utf16() <= count => {
                units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            }
            // A surrogate without a partner, where there is no room for two, or where plane 0 has them.
            _ => units.push(draw.between(0xd800, 0xdfff) as u16),
        }
    }
    let bytes = units.into_iter().flat_map(|unit| if is_bytes { unit.to_le_bytes() } else { unit.to_be_bytes() });
    Contents::Primitives(bytes.collect())
}

/// Text of ISO 8859-1 as array elements, one for each character.
fn ascii_contents(element: PrimitiveType, text: &[u8]) -> Contents {
    let size = element.size() as usize;
    Contents::Primitives(text.iter().flat_map(|byte| u64::from(*byte).to_be_bytes()[8 - size..].to_vec()).collect())
}
