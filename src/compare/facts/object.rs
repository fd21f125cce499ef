//! The rows of objects.

use crate::compare::spelling::{Bytes, ElementName, Hex, TypedValue, addresses};
use crate::model::{Contents, Long, Object, ObjectKind, PrimitiveType};

use super::super::facet::Facet;
use super::{Described, Fact, Items, Key, Lines, Presence, References, Spelled, Walk, key, set};

/// Kinds of line of objects, a bit for each.
const INSTANCE: u8 = 1;
const OBJECT_ARRAY: u8 = 2;
const PRIMITIVE_ARRAY: u8 = 4;

impl Described for Object {
    const LINES: Lines = &[
        ("InstanceLine", "A plain instance."),
        ("ObjectArrayLine", "An array of references."),
        ("PrimitiveArrayLine", "An array of primitive values."),
    ];

    fn blank(line: u8) -> Object {
        let kinds = [ObjectKind::Instance, ObjectKind::ObjectArray, ObjectKind::PrimitiveArray(PrimitiveType::Boolean)];
        Object { kind: kinds[usize::from(line)], ..Object::default() }
    }

    #[inline]
    fn walk(walk: &mut impl Walk<Object>) {
        facts(walk);
        keys(walk);
    }
}

/// The facts of an object that are no plain fields with a key.
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
    told_inside(w, Facet::FieldValues);
    told_inside(w, Facet::Elements);
    told_inside(w, Facet::PrimitiveContents);
    w.references(Facet::References, references);
    w.references(Facet::ReferenceOrder, references);
    w.told(Facet::ObjectTrace, |o| o.trace.map(|serial| Fact::Number(serial.0.into())));
}

/// The keys of objects' lines, in their order.
#[inline]
fn keys(w: &mut impl Walk<Object>) {
    always!(w, address, key("address", "Address, in bytes."));
    w.place();
    field!(w, class, key("class", "Class.").of(INSTANCE));
    field!(w, class_word, key("class", "Class word.").of(OBJECT_ARRAY));
    field!(w, class, key("array_class", "The array's own class.").of(OBJECT_ARRAY | PRIMITIVE_ARRAY));
    field!(w, class_name, key("class_name", "Name of the object's own class, where the record itself gives it."));
    w.key(
        key("element", "Element type.").of(PRIMITIVE_ARRAY).always(),
        |o| match o.kind {
            ObjectKind::PrimitiveArray(element) => Some(Fact::Keyword(element)),
            _ => None,
        },
        |o, element: ElementName| set(&mut o.kind, ObjectKind::PrimitiveArray(element.0)),
    );
    field!(w, length, key("length", "Number of elements.").of(OBJECT_ARRAY | PRIMITIVE_ARRAY));
    field!(w, size, key("size", "Size in bytes, header and padding included."));
    field!(w, trace, key("trace", "Serial of the stack trace of the allocation."));
    w.hash_keys(|o| o.hash, |o| &mut o.hash);
    inside_key(w, INSTANCE, "refs", "References in file order, where the fields that hold them are unknown.", listed);
    inside_key(w, OBJECT_ARRAY, "refs", "References in file order, where their positions are unknown.", listed);
    let refused = |_: &mut Object, _: Vec<Hex>| Err("expected no refs in a primitive array, found some".to_owned());
    w.key(Key { presence: Presence::Never, ..key("refs", "").of(PRIMITIVE_ARRAY) }, |_| None, refused);
    let about = "Field values: the class's own fields first, then its superclass's, up to the root.";
    inside_key(w, INSTANCE, "values", about, |values: Vec<TypedValue>| {
        Ok(Contents::Fields(values.into_iter().map(TypedValue::value).collect::<Result<_, _>>()?))
    });
    let about = "The bytes of the fields, where no class says how they are laid out.";
    inside_key(w, INSTANCE, "raw", about, |bytes: Bytes| Ok(Contents::Raw(bytes.0)));
    let about = "Every element by position; `0x0` for null.";
    inside_key(w, OBJECT_ARRAY, "elements", about, |listed| Ok(Contents::Elements(addresses(listed))));
    let about = "The elements, big-endian.";
    inside_key(w, PRIMITIVE_ARRAY, "contents", about, |bytes: Bytes| Ok(Contents::Primitives(bytes.0)));
}

fn listed(refs: Vec<Hex>) -> Result<Contents, String> {
    Ok(Contents::References(addresses(refs)))
}

/// The contents of an object, under one of their facets.
#[inline]
fn told_inside(w: &mut impl Walk<Object>, facet: Facet) {
    w.told(facet, |o| inside(o).filter(|(_, of, _)| *of == facet).map(|(.., fact)| fact));
}

/// A key for the contents of objects; a line has one of these.
#[inline]
fn inside_key<T: Spelled>(
    w: &mut impl Walk<Object>,
    lines: u8,
    name: &'static str,
    about: &'static str,
    read: impl Fn(T) -> Result<Contents, String>,
) {
    w.key(
        key(name, about).of(lines),
        |o| inside(o).filter(|(key, ..)| *key == name).map(|(.., fact)| fact),
        |o, text| match (std::mem::replace(&mut o.contents, read(text)?), o.kind) {
            (Contents::Unknown, _) => Ok(()),
            (_, ObjectKind::Instance) => Err("expected one of refs, values and raw, found several".to_owned()),
            _ => Err("expected refs or elements, found both".to_owned()),
        },
    );
}

/// The contents of an object as a key, a facet and a fact.
#[inline]
fn inside(object: &Object) -> Option<(&'static str, Facet, Fact<'_>)> {
    use ObjectKind::{Instance, ObjectArray, PrimitiveArray};
    let raw = |bytes| ("raw", Facet::FieldValues, Fact::Raw(bytes));
    let elements = |listed| ("elements", Facet::Elements, Fact::Addresses(listed));
    let primitives = |bytes, element| ("contents", Facet::PrimitiveContents, Fact::Primitives(bytes, element));
    let listed = |listed| ("refs", Facet::References, Fact::Addresses(listed));
    Some(match (object.kind, &object.contents) {
        (Instance, Contents::Fields(values)) => ("values", Facet::FieldValues, Fact::Values(values)),
        (Instance, Contents::Raw(bytes)) => raw(Items::Held(bytes)),
        (Instance, Contents::Long(Long::Raw(bytes))) => raw(Items::Long(bytes)),
        (ObjectArray, Contents::Elements(all)) => elements(Items::Held(all)),
        (ObjectArray, Contents::Long(Long::Elements(all))) => elements(Items::Long(all)),
        (PrimitiveArray(element), Contents::Primitives(bytes)) => primitives(Items::Held(bytes), element),
        (PrimitiveArray(element), Contents::Long(Long::Primitives(bytes))) => primitives(Items::Long(bytes), element),
        (_, Contents::References(all)) => listed(Items::Held(all)),
        (_, Contents::Long(Long::References(all))) => listed(Items::Long(all)),
        _ => return None,
    })
}

#[inline]
fn references(object: &Object) -> Option<References<'_>> {
    match (object.kind, &object.contents) {
        // A broken text may list some.
        (ObjectKind::PrimitiveArray(_), _) => None,
        (_, Contents::References(listed)) => Some(References::Listed(Items::Held(listed))),
        (_, Contents::Long(Long::References(listed))) => Some(References::Listed(Items::Long(listed))),
        (_, Contents::Fields(values)) => Some(References::Fields(values)),
        (_, Contents::Elements(elements)) => Some(References::Elements(Items::Held(elements))),
        (_, Contents::Long(Long::Elements(elements))) => Some(References::Elements(Items::Long(elements))),
        (_, Contents::Primitives(_) | Contents::Raw(_) | Contents::Long(_) | Contents::Unknown) => None,
    }
}

#[inline]
const fn letter(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Instance => b'L',
        ObjectKind::ObjectArray => b'[',
        ObjectKind::PrimitiveArray(element) => element.signature() as u8,
    }
}
