//! Judgement of dumps that hold more than the listing, such as those of a virtual machine: by the objects in one array
//! of a holder class.

use std::collections::{BTreeMap, HashMap};

use crate::check::index::EntriesByAddress;
use crate::check::judge::Mismatch;
use heapsmith_core::compare::Facet;
use heapsmith_core::model::{Address, Class, Contents, Heap, Name, Object, ObjectKind, Value};

/// Judges the objects of a listing in a dump that has them in an array, in their order.
pub(super) fn judge(listing: &Heap, dump: &Heap, holder: &str) -> Result<(), Mismatch> {
    let (left, right) = (EntriesByAddress::new(listing), EntriesByAddress::new(dump));
    let array = held_elements(&right, holder, listing.objects.len())?;
    // A listing has them by address, wherever the records of the original stand.
    let mut objects: Vec<&Object> = listing.objects.iter().collect();
    objects.sort_by_key(|object| object.address);
    let to: HashMap<Address, Address> =
        objects.iter().map(|object| object.address).zip(array.iter().copied()).collect();
    for (object, address) in objects.into_iter().zip(array) {
        let at = Some(object.address.to_string());
        let wrong = |facet, due: String, found: String| Err(Mismatch::facet(facet, at.clone(), due, found, 1));
        let Some(found) = right.objects.get(address) else {
            return wrong(Facet::Address, format!("an object, at {address} in the dump"), "nothing".to_owned());
        };
        if object.kind != found.kind {
            return wrong(Facet::Kind, describe_kind(object), describe_kind(found));
        }
        let (due, told) = (left.class_name(object), right.class_name(found));
        if due.is_some() && due != told {
            let text = |name: Option<Name>| name.map_or_else(|| "no name".to_owned(), |name| name.to_string());
            return wrong(Facet::ClassName, text(due), text(told));
        }
        let renamed = |address: Address| if address.is_null() { Some(address) } else { to.get(&address).copied() };
        match (&object.contents, &found.contents) {
            (Contents::Fields(_), Contents::Fields(_)) => {
                let (due, told) = (field_values(&left, object), field_values(&right, found));
                for ((class, field, kind), value) in &due {
                    let mut expected = *value;
                    if let Some(address) = value.as_reference() {
                        // What the listing does not list cannot be written, and is not judged.
                        let Some(address) = renamed(address) else { continue };
                        expected.bits = address.0;
                    }
                    let name = format!("{class}.{field}");
                    match told.get(&(class.clone(), field.clone(), kind.clone())) {
                        Some(value) if *value == expected => {}
                        Some(value) => {
                            let text = |value: &Value| format!("{name} = {:#x}", value.bits);
                            return wrong(Facet::FieldValues, text(&expected), text(value));
                        }
                        None => return wrong(Facet::FieldValues, name, "no such field".to_owned()),
                    }
                }
            }
            (Contents::Elements(due), Contents::Elements(told)) => {
                if due.len() != told.len() {
                    return wrong(Facet::ArrayLength, due.len().to_string(), told.len().to_string());
                }
                for (index, (due, told)) in due.iter().zip(told).enumerate() {
                    if renamed(*due).is_some_and(|due| due != *told) {
                        return wrong(Facet::Elements, format!("[{index}] = {due}"), format!("[{index}] = {told}"));
                    }
                }
            }
            (Contents::Primitives(due), Contents::Primitives(told)) if due == told => {}
            (Contents::Primitives(due), Contents::Primitives(told)) => {
                let text = |bytes: &[u8]| format!("{} bytes: {:02x?}", bytes.len(), &bytes[..bytes.len().min(16)]);
                return wrong(Facet::PrimitiveContents, text(due), text(told));
            }
            // Nothing is known, or references without their places: that cannot be written, and is not judged.
            (Contents::Unknown | Contents::References(_), _) => {}
            (due, _) => {
                let facet = match due {
                    Contents::Elements(_) => Facet::Elements,
                    Contents::Primitives(_) => Facet::PrimitiveContents,
                    _ => Facet::FieldValues,
                };
                return wrong(
                    facet,
                    "contents, one by one".to_owned(),
                    "none, or bytes of an unknown layout".to_owned(),
                );
            }
        }
    }
    Ok(())
}

/// The elements of the array that a static field of the holder refers to.
fn held_elements<'h>(dump: &EntriesByAddress<'h>, holder: &str, length: usize) -> Result<&'h [Address], Mismatch> {
    let named = Name::from_text(holder).to_java_form();
    let mut holders: Vec<&&Class> = dump.classes.values().filter(|class| class.name.to_java_form() == named).collect();
    holders.sort_by_key(|class| class.address);
    let fields = holders.iter().flat_map(|class| class.statics.iter().flatten());
    let arrays = fields.filter_map(|field| dump.objects.get(&field.value.as_reference()?));
    let mut lengths = Vec::new();
    for array in arrays {
        if let Contents::Elements(elements) = &array.contents {
            if elements.len() == length {
                return Ok(elements);
            }
            lengths.push(elements.len().to_string());
        }
    }
    let found = match (holders.is_empty(), lengths.is_empty()) {
        (true, _) => "no such class".to_owned(),
        (false, true) => "no array in its static fields".to_owned(),
        (false, false) => format!("arrays of {}", lengths.join(", ")),
    };
    Err(Mismatch::answer(&format!("an array of {length} objects in a static field of {holder}"), found))
}

/// The values of an object's fields by declaring class, name and type: a class may have two fields of one name.
fn field_values(index: &EntriesByAddress<'_>, object: &Object) -> BTreeMap<(String, String, String), Value> {
    let Contents::Fields(values) = &object.contents else { return BTreeMap::new() };
    let named = index.fields(object).into_iter().zip(values).map(|((class, field), value)| {
        let class = class.name.to_java_form().to_string();
        ((class, field.name.to_string(), format!("{:?}", field.kind)), *value)
    });
    named.collect()
}

fn describe_kind(object: &Object) -> String {
    match object.kind {
        ObjectKind::Instance => "an instance".to_owned(),
        ObjectKind::ObjectArray => "an array of references".to_owned(),
        ObjectKind::PrimitiveArray(element) => format!("an array of {}", element.keyword()),
    }
}
