//! Dumps that hold more than what was to be written, such as those of a virtual machine: judged by the objects that one
//! array of a holder class lists.

use std::collections::{BTreeMap, HashMap};

use crate::compare::Facet;
use crate::compare::table::array_name;
use crate::model::{Address, Class, Contents, Heap, Name, Object, ObjectKind, Value};

use super::Wrong;

/// Judges the objects of a listing in a dump that has them in an array, in their order.
pub(super) fn judge(listing: &Heap, dump: &Heap, holder: &str) -> Result<(), Wrong> {
    let (left, right) = (Side::new(listing), Side::new(dump));
    let array = right.held_by(holder, listing.objects.len())?;
    let to: HashMap<Address, Address> =
        listing.objects.iter().map(|object| object.address).zip(array.iter().copied()).collect();
    for (object, address) in listing.objects.iter().zip(array) {
        let at = Some(object.address.to_string());
        let wrong = |facet, due: String, found: String| Err(Wrong::facet(facet, at.clone(), due, found, 1));
        let Some(found) = right.objects.get(address) else {
            return wrong(Facet::Address, format!("an object, at {address} in the dump"), "nothing".to_owned());
        };
        if object.kind != found.kind {
            return wrong(Facet::Kind, kind(object), kind(found));
        }
        let (due, told) = (left.class_name(object), right.class_name(found));
        if due.is_some() && due != told {
            let text = |name: Option<Name>| name.map_or_else(|| "no name".to_owned(), |name| name.to_string());
            return wrong(Facet::ClassName, text(due), text(told));
        }
        let renamed = |address: Address| if address.is_null() { Some(address) } else { to.get(&address).copied() };
        match (&object.contents, &found.contents) {
            (Contents::Fields(_), Contents::Fields(_)) => {
                let (due, told) = (left.fields(object), right.fields(found));
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
            (Contents::Primitives(due), Contents::Primitives(told)) if due != told => {
                let text = |bytes: &[u8]| format!("{} bytes: {:02x?}", bytes.len(), &bytes[..bytes.len().min(16)]);
                return wrong(Facet::PrimitiveContents, text(due), text(told));
            }
            _ => {}
        }
    }
    Ok(())
}

struct Side<'h> {
    classes: HashMap<Address, &'h Class>,
    names: HashMap<Address, Name>,
    objects: HashMap<Address, &'h Object>,
}

impl<'h> Side<'h> {
    fn new(heap: &'h Heap) -> Side<'h> {
        Side {
            classes: heap.classes.iter().map(|class| (class.address, class)).collect(),
            names: heap.classes.iter().map(|class| (class.address, class.name.clone())).collect(),
            objects: heap.objects.iter().map(|object| (object.address, object)).collect(),
        }
    }

    /// The elements of the array that a static field of the holder refers to.
    fn held_by(&self, holder: &str, length: usize) -> Result<&'h [Address], Wrong> {
        let named = Name::from_text(holder).to_java_form();
        let mut holders: Vec<&&Class> =
            self.classes.values().filter(|class| class.name.to_java_form() == named).collect();
        holders.sort_by_key(|class| class.address);
        let fields = holders.iter().flat_map(|class| class.statics.iter().flatten());
        let arrays = fields.filter_map(|field| self.objects.get(&field.value.as_reference()?));
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
        Err(Wrong::answer(&format!("an array of {length} objects in a static field of {holder}"), found))
    }

    fn class_name(&self, object: &Object) -> Option<Name> {
        match object.kind {
            ObjectKind::Instance => self.names.get(&object.class?).map(Name::to_java_form),
            _ => array_name(object, &self.names),
        }
    }

    /// The fields of an object by declaring class, name and type: a class may have two fields of one name.
    fn fields(&self, object: &Object) -> BTreeMap<(String, String, String), Value> {
        let Contents::Fields(values) = &object.contents else { return BTreeMap::new() };
        let mut fields = BTreeMap::new();
        let mut values = values.iter();
        let (mut class, mut seen) = (object.class, 0);
        while let Some(declaring) = class.and_then(|class| self.classes.get(&class)) {
            let named = declaring.fields.iter().flatten().zip(values.by_ref());
            fields.extend(named.map(|(field, value)| {
                let class = declaring.name.to_java_form().to_string();
                ((class, field.name.to_string(), format!("{:?}", field.kind)), *value)
            }));
            class = declaring.superclass.filter(|superclass| !superclass.is_null());
            seen += 1;
            if seen > self.classes.len() {
                break;
            }
        }
        fields
    }
}

fn kind(object: &Object) -> String {
    match object.kind {
        ObjectKind::Instance => "an instance".to_owned(),
        ObjectKind::ObjectArray => "an array of references".to_owned(),
        ObjectKind::PrimitiveArray(element) => format!("an array of {}", element.keyword()),
    }
}
