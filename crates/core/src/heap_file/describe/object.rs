//! Nodes of objects.

use crate::bytes::hexadecimal;
use crate::error::Error;
use crate::generate::Library;
use crate::model::{Address, Contents, Object, ObjectKind, PrimitiveType, Value};

use super::HeapDescriber;
use super::class::spell_primitive;
use super::names::array_class;
use super::notation::{NodeText, spell_name, spell_text, spell_value_text};
use super::table::{FieldKey, unsayable};
use super::texts::TextForm;

/// The most elements that are written as numbers and not as bytes.
const NUMBERS: usize = 64;

impl HeapDescriber<'_> {
    /// The node of an object; none where it is part of a text.
    pub(super) fn object_node(&mut self, place: usize) -> Result<Option<NodeText>, Error> {
        let object = &self.heap.objects[place];
        match self.texts.form(place) {
            Some(TextForm::Node { hash }) => {
                let mut node = NodeText::new("string");
                node.push_argument(&spell_text(self.names.object(place)));
                node.push_argument(&self.texts.spell(&self.table, place).unwrap_or_default());
                node.push_known("hash", (hash != 0).then_some(hash as i32));
                return Ok(Some(node));
            }
            Some(TextForm::InPlace | TextForm::Array) => return Ok(None),
            None => {}
        }
        let mut node = NodeText::new(if object.kind == ObjectKind::Instance { "object" } else { "array" });
        node.push_argument(&spell_text(self.names.object(place)));
        match object.kind {
            ObjectKind::Instance => self.push_instance(object, &mut node)?,
            _ => self.push_array(object, &mut node)?,
        }
        Ok(Some(node))
    }

    fn push_instance(&mut self, object: &Object, node: &mut NodeText) -> Result<(), Error> {
        let class = object.class.and_then(|class| self.table.class_at(class));
        let class = class.filter(|class| self.table.kind(*class) == ObjectKind::Instance);
        node.push_argument(&class.map_or_else(|| "_".to_owned(), |class| spell_text(&self.names.class(class).text)));
        let mut children = Vec::new();
        let mut raw = None;
        match &object.contents {
            Contents::Fields(values) => self.push_fields(object, class, values, node, &mut children)?,
            Contents::References(references) => children.push(self.references_node(references)),
            Contents::Raw(bytes) => raw = Some(bytes),
            Contents::Elements(_) | Contents::Primitives(_) | Contents::Long(_) | Contents::Unknown => {
                return Err(unsayable("instance without fields or references", object.address));
            }
        }
        let stated = object.class.filter(|_| class.is_none()).map(|class| self.spell_reference(class));
        self.push_facts(object, class, stated, node)?;
        if let Some(bytes) = raw {
            node.push_property("@raw", &format!("\"{}\"", hexadecimal(bytes)));
        }
        children.into_iter().for_each(|child| node.push_child(child));
        Ok(())
    }

    fn push_fields(
        &mut self,
        object: &Object,
        class: Option<usize>,
        values: &[Value],
        node: &mut NodeText,
        children: &mut Vec<NodeText>,
    ) -> Result<(), Error> {
        let slots = class.map(|class| self.slots(class)).unwrap_or_default();
        if slots.len() != values.len() {
            let fact = format!("{} values of an object whose class has {} fields,", values.len(), slots.len());
            return Err(unsayable(fact, object.address));
        }
        for (slot, value) in slots.iter().zip(values) {
            if slot.kind != value.kind {
                let fact = format!("value of type {} in a field of type {}", value.kind, slot.kind);
                return Err(unsayable(fact, object.address));
            }
            // Android's objects begin with their class, in every file for its library.
            let is_set = slot.is_class && self.library == Library::Android;
            let automatic = if is_set { object.class.unwrap_or_default().0 } else { 0 };
            if value.bits == automatic {
                continue;
            }
            let text = value.as_reference().and_then(|to| self.texts.spell_in_place(&self.table, to));
            let spelled = text.unwrap_or_else(|| self.spell_value(*value));
            match &slot.key {
                FieldKey::Property(key) => node.push_property(key, &spelled),
                FieldKey::Place(place) => {
                    children.push(NodeText::new("@field").argument(&place.to_string()).argument(&spelled));
                }
            }
        }
        Ok(())
    }

    fn push_array(&mut self, array: &Object, node: &mut NodeText) -> Result<(), Error> {
        let class = array_class(&self.table, array);
        let text = match (class, array.kind) {
            (Some(class), _) => self.names.class(class).text.clone(),
            (None, ObjectKind::PrimitiveArray(element)) => format!("{}[]", element.keyword()),
            (None, _) => "_[]".to_owned(),
        };
        node.push_argument(&spell_value_text(&text));
        let mut child = None;
        let mut bare_length = None;
        match (&array.contents, array.kind) {
            (Contents::Elements(elements), ObjectKind::ObjectArray) if is_length(array, elements.len()) => {
                self.push_elements(elements, node);
            }
            (Contents::Primitives(bytes), ObjectKind::PrimitiveArray(kind))
                if (bytes.len() as u64).is_multiple_of(kind.size())
                    && is_length(array, bytes.len() / kind.size() as usize) =>
            {
                push_primitives(kind, bytes, node);
            }
            (Contents::References(references), _) => {
                bare_length = array.length;
                child = Some(self.references_node(references));
            }
            (Contents::Unknown, _) => {
                bare_length = array.length;
                // Neither elements nor their number are known.
                child = array.length.is_none().then(|| self.references_node(&[]));
            }
            _ => return Err(unsayable("array whose length is not that of its contents", array.address)),
        }
        node.push_known("@bare-length", bare_length);
        let stated = match (array.class, array.kind) {
            (Some(_), _) if class.is_some() => None,
            (Some(stated), _) => Some(self.spell_reference(stated)),
            (None, ObjectKind::PrimitiveArray(_)) if class.is_none() => Some("none".to_owned()),
            (None, _) => None,
        };
        self.push_facts(array, class, stated, node)?;
        child.into_iter().for_each(|child| node.push_child(child));
        Ok(())
    }

    fn push_elements(&self, elements: &[Address], node: &mut NodeText) {
        if !elements.is_empty() && elements.iter().all(|to| to.is_null()) {
            return node.push_property("length", &elements.len().to_string());
        }
        for to in elements {
            let text = self.texts.spell_in_place(&self.table, *to);
            node.push_argument(&text.unwrap_or_else(|| self.spell_reference(*to)));
        }
    }

    /// Facts about an object, but for those that are automatic.
    fn push_facts(
        &self,
        object: &Object,
        class: Option<usize>,
        stated: Option<String>,
        node: &mut NodeText,
    ) -> Result<(), Error> {
        self.push_address(object.address, node);
        self.push_hash(object.hash, object.address, node)?;
        let automatic = self.sizes.object_size(object, class);
        node.push_known("@size", object.size.filter(|size| self.exact || *size != automatic).map(|size| size.0));
        if let Some(trace) = object.trace {
            self.push_trace(trace, node);
        }
        node.push_known("@stated-class", stated);
        if let Some(word) = object.class_word.filter(|word| Some(*word) != object.class) {
            node.push_property("@class-word", &self.spell_reference(word));
        }
        let name = object.class_name.as_ref();
        let name = name.filter(|name| class.is_none_or(|class| self.heap.classes[class].name != **name));
        node.push_known("@class-name", name.map(spell_name));
        Ok(())
    }
}

fn is_length(array: &Object, elements: usize) -> bool {
    array.length.is_none_or(|length| length == elements as u64)
}

/// The elements of a primitive array: as numbers where they are few, else as bytes.
fn push_primitives(kind: PrimitiveType, bytes: &[u8], node: &mut NodeText) {
    let size = kind.size() as usize;
    if !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0) {
        return node.push_property("length", &(bytes.len() / size).to_string());
    }
    if kind == PrimitiveType::Char && !bytes.is_empty() {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
        if let Ok(text) = String::from_utf16(&units)
            && !text.chars().any(char::is_control)
        {
            return node.push_property("text", &spell_value_text(&text));
        }
    }
    let are_numbers = bytes.len() / size <= NUMBERS
        && !matches!(kind, PrimitiveType::Byte | PrimitiveType::Char)
        && (kind != PrimitiveType::Boolean || bytes.iter().all(|byte| *byte < 2));
    if !are_numbers && !bytes.is_empty() {
        return node.push_property("hex", &format!("\"{}\"", hexadecimal(bytes)));
    }
    for element in bytes.chunks_exact(size) {
        let bits = element.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        node.push_argument(&spell_primitive(kind, bits));
    }
}
