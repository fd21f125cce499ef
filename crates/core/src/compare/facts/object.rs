//! The rows of objects.

use crate::compare::facet::Facet;
use crate::compare::spelled_value::TypedValue;
use crate::compare::spelling::{Bytes, ElementName, ListedNumber, addresses};
use crate::model::{Contents, Object, ObjectKind, PiecewiseContents, PrimitiveType};

use super::{
    ContentItems, Described, EntryReferences, Fact, FactWalk, KeyPresence, LineKinds, ListingKey, ListingValue, key,
    set_slot,
};

/// Kinds of line of objects, a bit for each.
const INSTANCE: u8 = 1;
const OBJECT_ARRAY: u8 = 2;
const PRIMITIVE_ARRAY: u8 = 4;

impl Described for Object {
    const LINES: LineKinds = &[
        ("InstanceLine", "A plain instance."),
        ("ObjectArrayLine", "An array of references."),
        ("PrimitiveArrayLine", "An array of primitive values."),
    ];

    fn blank(line: u8) -> Object {
        let kinds = [ObjectKind::Instance, ObjectKind::ObjectArray, ObjectKind::PrimitiveArray(PrimitiveType::Boolean)];
        Object { kind: kinds[usize::from(line)], ..Object::default() }
    }

    #[inline]
    fn walk(walk: &mut impl FactWalk<Object>) {
        walk_facts(walk);
        walk_keys(walk);
    }
}

/// The facts of an object that are no plain fields with a key.
#[inline]
fn walk_facts(w: &mut impl FactWalk<Object>) {
    w.references(Facet::NullReferences, references);
    w.unkeyed_fact(Facet::Kind, |o| Some(Fact::Kind(kind_letter(o.kind))));
    w.unkeyed_fact(Facet::ClassName, |o| o.class_name.as_ref().map(Fact::Name));
    w.unkeyed_fact(Facet::Class, |o| o.class.map(Fact::Address));
    // The class word of an instance is its class.
    w.unkeyed_fact(Facet::ClassWord, |o| o.class_word.filter(|_| o.kind == ObjectKind::ObjectArray).map(Fact::Address));
    w.unkeyed_fact(Facet::ObjectSize, |o| o.size.map(Fact::Size));
    w.unkeyed_fact(Facet::ArrayLength, |o| o.length.filter(|_| o.kind != ObjectKind::Instance).map(Fact::Number));
    w.hash(|o| o.hash);
    inside_fact(w, Facet::FieldValues);
    inside_fact(w, Facet::Elements);
    inside_fact(w, Facet::PrimitiveContents);
    w.references(Facet::References, references);
    w.references(Facet::ReferenceOrder, references);
    w.unkeyed_fact(Facet::ObjectTrace, |o| o.trace.map(|serial| Fact::Number(serial.0.into())));
    w.unkeyed_fact(Facet::StringText, |o| o.text.as_ref().map(Fact::Name));
}

/// The keys of objects' lines, in their order.
#[inline]
fn walk_keys(w: &mut impl FactWalk<Object>) {
    always!(w, address, key("address", "Address, in bytes."));
    w.place();
    field!(w, class, key("class", "Class.").for_lines(INSTANCE));
    field!(w, class_word, key("class", "Class word.").for_lines(OBJECT_ARRAY));
    field!(w, class, key("array_class", "The array's own class.").for_lines(OBJECT_ARRAY | PRIMITIVE_ARRAY));
    field!(w, class_name, key("class_name", "Name of the object's own class, where the record itself gives it."));
    w.key(
        key("element", "Element type.").for_lines(PRIMITIVE_ARRAY).always(),
        |o| match o.kind {
            ObjectKind::PrimitiveArray(element) => Some(Fact::Keyword(element)),
            _ => None,
        },
        |o, element: ElementName| set_slot(&mut o.kind, ObjectKind::PrimitiveArray(element.0)),
    );
    field!(w, length, key("length", "Number of elements.").for_lines(OBJECT_ARRAY | PRIMITIVE_ARRAY));
    field!(w, size, key("size", "Size in bytes, header and padding included."));
    field!(w, trace, key("trace", "Serial of the stack trace of the allocation."));
    w.hash_keys(|o| o.hash, |o| &mut o.hash);
    inside_key(
        w,
        INSTANCE,
        "refs",
        "References in file order, where the fields that hold them are unknown.",
        listed_contents,
    );
    inside_key(
        w,
        OBJECT_ARRAY,
        "refs",
        "References in file order, where their positions are unknown.",
        listed_contents,
    );
    let refused =
        |_: &mut Object, _: Vec<ListedNumber>| Err("expected no refs in a primitive array, found some".to_owned());
    w.key(ListingKey { presence: KeyPresence::Never, ..key("refs", "").for_lines(PRIMITIVE_ARRAY) }, |_| None, refused);
    let about = "Field values: the class's own fields first, then its superclass's, up to the root.";
    inside_key(w, INSTANCE, "values", about, |values: Vec<TypedValue>| {
        Ok(Contents::Fields(values.into_iter().map(|TypedValue(value)| value).collect()))
    });
    let about = "The bytes of the fields, where no class says how they are laid out.";
    inside_key(w, INSTANCE, "raw", about, |bytes: Bytes| Ok(Contents::Raw(bytes.0)));
    field!(w, text, key("text", "Text of a java.lang.String.").for_lines(INSTANCE));
    let about = "Every element by position; `0x0` for null.";
    inside_key(w, OBJECT_ARRAY, "elements", about, |listed| Ok(Contents::Elements(addresses(listed))));
    let about = "The elements, big-endian.";
    inside_key(w, PRIMITIVE_ARRAY, "contents", about, |bytes: Bytes| Ok(Contents::Primitives(bytes.0)));
}

fn listed_contents(refs: Vec<ListedNumber>) -> Result<Contents, String> {
    Ok(Contents::References(addresses(refs)))
}

/// The contents of an object, under one of their facets.
#[inline]
fn inside_fact(w: &mut impl FactWalk<Object>, facet: Facet) {
    w.unkeyed_fact(facet, |o| inside(o).filter(|(_, of, _)| *of == facet).map(|(.., fact)| fact));
}

/// A key for the contents of objects; a line has one of these.
#[inline]
fn inside_key<T: ListingValue>(
    w: &mut impl FactWalk<Object>,
    lines: u8,
    name: &'static str,
    about: &'static str,
    read: impl Fn(T) -> Result<Contents, String>,
) {
    w.key(
        key(name, about).for_lines(lines),
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
        (Instance, Contents::Raw(bytes)) => raw(ContentItems::Held(bytes)),
        (Instance, Contents::Long(PiecewiseContents::Raw(bytes))) => raw(ContentItems::Long(bytes)),
        (ObjectArray, Contents::Elements(all)) => elements(ContentItems::Held(all)),
        (ObjectArray, Contents::Long(PiecewiseContents::Elements(all))) => elements(ContentItems::Long(all)),
        (PrimitiveArray(element), Contents::Primitives(bytes)) => primitives(ContentItems::Held(bytes), element),
        (PrimitiveArray(element), Contents::Long(PiecewiseContents::Primitives(bytes))) => {
            primitives(ContentItems::Long(bytes), element)
        }
        (_, Contents::References(all)) => listed(ContentItems::Held(all)),
        (_, Contents::Long(PiecewiseContents::References(all))) => listed(ContentItems::Long(all)),
        _ => return None,
    })
}

#[inline]
fn references(object: &Object) -> Option<EntryReferences<'_>> {
    match (object.kind, &object.contents) {
        // A broken text may list some.
        (ObjectKind::PrimitiveArray(_), _) => None,
        (_, Contents::References(listed)) => Some(EntryReferences::Listed(ContentItems::Held(listed))),
        (_, Contents::Long(PiecewiseContents::References(listed))) => {
            Some(EntryReferences::Listed(ContentItems::Long(listed)))
        }
        (_, Contents::Fields(values)) => Some(EntryReferences::Fields(values)),
        (_, Contents::Elements(elements)) => Some(EntryReferences::Elements(ContentItems::Held(elements))),
        (_, Contents::Long(PiecewiseContents::Elements(elements))) => {
            Some(EntryReferences::Elements(ContentItems::Long(elements)))
        }
        (_, Contents::Primitives(_) | Contents::Raw(_) | Contents::Long(_) | Contents::Unknown) => None,
    }
}

#[inline]
const fn kind_letter(kind: ObjectKind) -> u8 {
    match kind {
        ObjectKind::Instance => b'L',
        ObjectKind::ObjectArray => b'[',
        ObjectKind::PrimitiveArray(element) => element.signature() as u8,
    }
}
