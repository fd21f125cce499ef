//! The contents of the planned objects.

use crate::draw::Draw;
use crate::model::{Address, ByteLen, Contents, Field, FieldType, Object, ObjectKind, PrimitiveType, Value};

use super::classes::Classes;
use super::names::thread_name;
use super::options::GenerateOptions;
use super::plan::{HELD, Part, Plan};
use super::program;
use super::references::{element, elements_of, target};
use super::values::{contents, hash, value_of};

pub(super) fn fill(options: &GenerateOptions, classes: &Classes, plan: &mut Plan, draw: &mut dyn Draw) -> Vec<Object> {
    let mut objects = Vec::with_capacity(plan.shapes.len());
    let odd = options.oddities;
    for (index, &shape) in plan.shapes.iter().enumerate() {
        let contents = match shape.kind {
            ObjectKind::Instance if shape.part == Part::Any => {
                let layout = classes.layout(shape.class).into_iter().enumerate();
                let value = |(item, field): (usize, &Field)| {
                    let known = shadow(field, index, plan, classes);
                    let known = known.or_else(|| plan.owned(index, item).map(Value::reference));
                    known.unwrap_or_else(|| value(field.kind, index, plan, classes, options, draw))
                };
                Contents::Fields(layout.map(value).collect())
            }
            ObjectKind::Instance => Contents::Fields(known(index, plan, classes)),
            ObjectKind::ObjectArray if shape.part == Part::Holder => {
                let others = match options.has_owners() {
                    true => plan.left().collect(),
                    false => plan.addresses[1..].to_vec(),
                };
                Contents::Elements(std::iter::repeat_n(Address::NULL, HELD).chain(others).collect())
            }
            ObjectKind::ObjectArray => {
                let fits = elements_of(shape.class, classes);
                let element = |item| {
                    let owned = plan.owned(index, item as usize);
                    owned.unwrap_or_else(|| element(index, fits, plan, classes, options, draw))
                };
                Contents::Elements((0..shape.length).map(element).collect())
            }
            ObjectKind::PrimitiveArray(element) => match shape.part {
                Part::Text => {
                    let letters = (0..shape.length).map(|_| draw.between(b'a'.into(), b'z'.into()) as u8);
                    characters(element, &letters.collect::<Vec<u8>>())
                }
                Part::Name(number) => characters(element, thread_name(number, options).as_bytes()),
                Part::Word(word) => characters(element, program::text_of(word).as_bytes()),
                _ => contents(element, shape.length, odd, draw),
            },
        };
        objects.push(Object {
            class: Some(classes.planned[shape.class].address),
            size: Some(ByteLen(shape.size)),
            hash: hash(options, draw),
            length: (shape.kind != ObjectKind::Instance).then_some(shape.length),
            contents,
            ..Object::new(plan.addresses[index], shape.kind)
        });
    }
    objects
}

fn value(
    field: FieldType,
    from: usize,
    plan: &Plan,
    classes: &Classes,
    options: &GenerateOptions,
    draw: &mut dyn Draw,
) -> Value {
    match field {
        FieldType::Object => Value::reference(target(from, plan, classes, options, options.nulls, draw)),
        FieldType::Primitive(kind) if options.zeros.draw(draw) => Value::primitive(kind, 0),
        FieldType::Primitive(kind) => value_of(kind, options.oddities, draw),
    }
}

/// The field values of a library object: meaningful ones where they are known, and zeros.
fn known(index: usize, plan: &Plan, classes: &Classes) -> Vec<Value> {
    let part = plan.shapes[index].part;
    let field = |field: &Field| match (part, field.name.as_bytes(), field.kind) {
        (Part::String, b"value", _) => Value::reference(plan.next(index, Part::is_text)),
        // Characters that Android and JDK 6 count.
        (Part::String, b"count", FieldType::Primitive(kind)) => {
            let length = plan.shapes.get(index + 1).map_or(0, |shape| shape.length);
            Value::primitive(kind, length)
        }
        (Part::String, b"hash", FieldType::Primitive(kind)) => {
            let word = plan.shapes.get(index + 1).map(|shape| shape.part);
            let hash = if let Some(Part::Word(word)) = word { program::hash_of(word) } else { 0 };
            Value::primitive(kind, hash.into())
        }
        (Part::Thread, b"name", _) => Value::reference(plan.next(index, |part| part == Part::String || part.is_text())),
        (Part::Thread, b"contextClassLoader", _) => Value::reference(plan.loader()),
        (Part::Thread, b"priority", FieldType::Primitive(kind)) => Value::primitive(kind, 5),
        (Part::Thread, b"tid", FieldType::Primitive(kind)) => Value::primitive(kind, index as u64),
        // The second loader asks the first one, and so on.
        (Part::Loader, b"parent", _) if index > 0 => Value::reference(plan.addresses[index - 1]),
        (_, _, FieldType::Object) => Value::reference(Address::NULL),
        (_, _, FieldType::Primitive(kind)) => Value::primitive(kind, 0),
    };
    let layout = classes.layout(plan.shapes[index].class);
    layout.into_iter().map(|f| shadow(f, index, plan, classes).unwrap_or_else(|| field(f))).collect()
}

/// The value of a field that ART keeps in each object: its class, or the word of its monitor, 0 where no one uses it.
fn shadow(field: &Field, index: usize, plan: &Plan, classes: &Classes) -> Option<Value> {
    match (field.name.as_bytes(), field.kind) {
        (b"shadow$_klass_", _) => Some(Value::reference(classes.planned[plan.shapes[index].class].address)),
        (b"shadow$_monitor_", FieldType::Primitive(kind)) => Some(Value::primitive(kind, 0)),
        _ => None,
    }
}

/// ASCII text as array elements, one for each character.
fn characters(element: PrimitiveType, text: &[u8]) -> Contents {
    let size = element.size() as usize;
    Contents::Primitives(text.iter().flat_map(|byte| u64::from(*byte).to_be_bytes()[8 - size..].to_vec()).collect())
}
