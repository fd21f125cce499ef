//! The rows of objects.

use crate::model::{Address, Contents, Object, ObjectKind, PrimitiveType};

use super::super::facet::Facet;
use super::super::listing::{Bytes, ElementName, Hex, TypedValue, addresses};
use super::{Described, Fact, Key, Presence, References, Walk, key};

/// Kinds of line, a bit for each.
const INSTANCE: u8 = 1;
const OBJECT_ARRAY: u8 = 2;
const PRIMITIVE_ARRAY: u8 = 4;

impl Described for Object {
    const LINES: &'static [(&'static str, &'static str)] = &[
        ("InstanceLine", "A plain instance."),
        ("ObjectArrayLine", "An array of references."),
        ("PrimitiveArrayLine", "An array of primitive values."),
    ];

    fn blank(line: u8) -> Object {
        let kind = match line {
            0 => ObjectKind::Instance,
            1 => ObjectKind::ObjectArray,
            _ => ObjectKind::PrimitiveArray(PrimitiveType::Boolean),
        };
        Object::new(Address::NULL, kind)
    }

    #[inline]
    fn walk(walk: &mut impl Walk<Object>) {
        facts(walk);
        keys(walk);
    }
}

/// What is known of an object, apart from plain facts that are keys as well.
#[inline]
fn facts(w: &mut impl Walk<Object>) {
    w.references(Facet::NullReferences, references);
    w.told(Facet::Kind, |o| Some(Fact::Kind(letter(o.kind))));
    w.told(Facet::ClassName, |o| o.class_name.as_ref().map(Fact::Name));
    w.told(Facet::Class, |o| o.class.map(Fact::Address));
    // The class word of an instance is its class.
    w.told(Facet::ClassWord, |o| o.class_word.filter(|_| o.kind == ObjectKind::ObjectArray).map(Fact::Address));
    w.told(Facet::ObjectSize, |o| o.size.map(Fact::Size));
    w.told(Facet::ArrayLength, |o| o.length.filter(|_| o.kind != ObjectKind::Instance).map(Fact::Number));
    w.hash(|o| o.hash);
    w.told(Facet::FieldValues, |o| values(o).or_else(|| raw(o)));
    w.told(Facet::Elements, elements);
    w.told(Facet::PrimitiveContents, primitives);
    w.references(Facet::References, references);
    w.references(Facet::ReferenceOrder, references);
    w.told(Facet::ObjectTrace, |o| o.trace.map(|serial| Fact::Number(serial.0.into())));
}

/// The keys of lines, in their order.
#[inline]
fn keys(w: &mut impl Walk<Object>) {
    w.always(key("address", "Address, in bytes."), |o| &o.address, |o| &mut o.address);
    w.place();
    w.field(key("class", "Class.").of(INSTANCE), |o| &o.class, |o| &mut o.class);
    w.field(key("class", "Class word.").of(OBJECT_ARRAY), |o| &o.class_word, |o| &mut o.class_word);
    let own = key("array_class", "The array's own class.").of(OBJECT_ARRAY | PRIMITIVE_ARRAY);
    w.field(own, |o| &o.class, |o| &mut o.class);
    let name = key("class_name", "Name of the object's own class, where the record itself gives it.");
    w.field(name, |o| &o.class_name, |o| &mut o.class_name);
    w.key(
        Key { presence: Presence::Always, ..key("element", "Element type.").of(PRIMITIVE_ARRAY) },
        |o| match o.kind {
            ObjectKind::PrimitiveArray(element) => Some(Fact::Keyword(element)),
            _ => None,
        },
        |o, element: ElementName| {
            o.kind = ObjectKind::PrimitiveArray(element.0);
            Ok(())
        },
    );
    let length = key("length", "Number of elements.").of(OBJECT_ARRAY | PRIMITIVE_ARRAY);
    w.field(length, |o| &o.length, |o| &mut o.length);
    w.field(key("size", "Size in bytes, header and padding included."), |o| &o.size, |o| &mut o.size);
    w.field(key("trace", "Serial of the stack trace of the allocation."), |o| &o.trace, |o| &mut o.trace);
    w.hash_keys(|o| o.hash, |o| &mut o.hash);
    let listed = |o: &mut Object, refs: Vec<Hex>| inside(o, Contents::References(addresses(refs)));
    let refs = key("refs", "References in file order, where the fields that hold them are unknown.");
    w.key(refs.of(INSTANCE), refs_of, listed);
    let refs = key("refs", "References in file order, where their positions are unknown.");
    w.key(refs.of(OBJECT_ARRAY), refs_of, listed);
    let refs = Key { presence: Presence::Never, ..key("refs", "").of(PRIMITIVE_ARRAY) };
    w.key(refs, |_| None, |_, _: Vec<Hex>| Err("expected no refs in a primitive array, found some".to_owned()));
    w.key(
        key("values", "Field values: the class's own fields first, then its superclass's, up to the root.")
            .of(INSTANCE),
        values,
        |o, values: Vec<TypedValue>| {
            inside(o, Contents::Fields(values.into_iter().map(TypedValue::value).collect::<Result<_, _>>()?))
        },
    );
    let bytes = key("raw", "The bytes of the fields, where no class says how they are laid out.").of(INSTANCE);
    w.key(bytes, raw, |o, bytes: Bytes| inside(o, Contents::Raw(bytes.0)));
    let positions = key("elements", "Every element by position; `0x0` for null.").of(OBJECT_ARRAY);
    w.key(positions, elements, |o, listed| inside(o, Contents::Elements(addresses(listed))));
    let contents = key("contents", "The elements, big-endian.").of(PRIMITIVE_ARRAY);
    w.key(contents, primitives, |o, bytes: Bytes| inside(o, Contents::Primitives(bytes.0)));
}

/// Puts in what a line says of an object's inside.
fn inside(object: &mut Object, contents: Contents) -> Result<(), String> {
    match (std::mem::replace(&mut object.contents, contents), object.kind) {
        (Contents::Unknown, _) => Ok(()),
        (_, ObjectKind::Instance) => Err("expected one of refs, values and raw, found several".to_owned()),
        _ => Err("expected refs or elements, found both".to_owned()),
    }
}

#[inline]
fn references(object: &Object) -> Option<References<'_>> {
    match (object.kind, &object.contents) {
        // A broken text may list some.
        (ObjectKind::PrimitiveArray(_), _) => None,
        (_, Contents::References(listed)) => Some(References::Listed(listed)),
        (_, Contents::Fields(values)) => Some(References::Fields(values)),
        (_, Contents::Elements(elements)) => Some(References::Elements(elements)),
        (_, Contents::Primitives(_) | Contents::Raw(_) | Contents::Unknown) => None,
    }
}

#[inline]
fn refs_of(object: &Object) -> Option<Fact<'_>> {
    match &object.contents {
        Contents::References(listed) => Some(Fact::Addresses(listed)),
        _ => None,
    }
}

#[inline]
fn values(object: &Object) -> Option<Fact<'_>> {
    match (object.kind, &object.contents) {
        (ObjectKind::Instance, Contents::Fields(values)) => Some(Fact::Values(values)),
        _ => None,
    }
}

#[inline]
fn raw(object: &Object) -> Option<Fact<'_>> {
    match (object.kind, &object.contents) {
        (ObjectKind::Instance, Contents::Raw(bytes)) => Some(Fact::Raw(bytes)),
        _ => None,
    }
}

#[inline]
fn elements(object: &Object) -> Option<Fact<'_>> {
    match (object.kind, &object.contents) {
        (ObjectKind::ObjectArray, Contents::Elements(elements)) => Some(Fact::Addresses(elements)),
        _ => None,
    }
}

#[inline]
fn primitives(object: &Object) -> Option<Fact<'_>> {
    match (object.kind, &object.contents) {
        (ObjectKind::PrimitiveArray(element), Contents::Primitives(bytes)) => Some(Fact::Primitives(bytes, element)),
        _ => None,
    }
}

const fn letter(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Instance => b'L',
        ObjectKind::ObjectArray => b'[',
        ObjectKind::PrimitiveArray(element) => element.signature() as u8,
    }
}
