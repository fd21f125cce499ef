//! Nodes of objects.

use crate::builder::{HASH_INCREMENT, box_class};
use crate::bytes::hexadecimal;
use crate::error::Error;
use crate::generate::Library;
use crate::heap_file::notation::{NodeText, spell_name, spell_text, spell_value_text};
use crate::model::{Address, Contents, Object, ObjectKind, PrimitiveType, Value};

use super::HeapDescriber;
use super::class::spell_primitive;
use super::collections::CollectionForm;
use super::names::array_class;
use super::table::{FieldKey, unsayable};
use super::texts::TextForm;
use super::threads::ThreadForm;

/// The most elements that are written as numbers and not as bytes.
const NUMBERS: usize = 64;

impl HeapDescriber<'_> {
    /// The node of an object; none where it is part of a text.
    pub(super) fn object_node(&mut self, place: usize) -> Result<Option<NodeText>, Error> {
        let object = &self.heap.objects[place];
        if self.collections.is_part(place) || self.threads.has(place) || self.boxes.is_in_place(place) {
            return Ok(None);
        }
        match self.texts.form(place) {
            Some(TextForm::Node { hash, array_of }) => {
                let mut node = NodeText::new("string");
                node.push_argument(&spell_text(self.names.object(place)));
                node.push_argument(&self.texts.spell(&self.table, place).unwrap_or_default());
                if let Some(other) = array_of.filter(|other| *other != place) {
                    node.push_property("array", &spell_text(&format!("@{}", self.names.object(other))));
                }
                node.push_known("hash", (hash.bits != 0).then_some(hash.bits as i32));
                node.push_known("hashIsZero", hash.is_zero.then_some("#true"));
                return Ok(Some(node));
            }
            Some(TextForm::InPlace | TextForm::Array) => return Ok(None),
            None => {}
        }
        if let Some(form) = self.collections.form(place).cloned() {
            return self.collection_node(place, &form).map(Some);
        }
        let mut node = NodeText::new(if object.kind == ObjectKind::Instance { "object" } else { "array" });
        node.push_argument(&spell_text(self.names.object(place)));
        match object.kind {
            ObjectKind::Instance => self.push_instance(object, &mut node)?,
            _ => self.push_array(object, &mut node)?,
        }
        Ok(Some(node))
    }

    /// The node of a collection, with its contents.
    fn collection_node(&mut self, place: usize, form: &CollectionForm) -> Result<NodeText, Error> {
        let object = &self.heap.objects[place];
        let mut node = NodeText::new(form.node).argument(&spell_text(self.names.object(place)));
        let class = object.class.and_then(|class| self.table.class_at(class));
        node.push_argument(&class.map_or_else(|| "_".to_owned(), |class| spell_text(&self.names.class(class).text)));
        let has_hashes = form.entries.iter().any(|entry| entry.hash.is_some());
        for entry in &form.entries {
            let key = self.spell_target(entry.key, false);
            let Some(value) = entry.value else {
                match has_hashes {
                    false => node.push_argument(&key),
                    true => {
                        let mut child = NodeText::new("element").argument(&key);
                        child.push_known("hash", entry.hash);
                        node.push_child(child);
                    }
                }
                continue;
            };
            let mut child = NodeText::new("entry").argument(&key).argument(&self.spell_target(value, false));
            child.push_known("hash", entry.hash);
            node.push_child(child);
        }
        if let (Some(class), Contents::Fields(values)) = (class, &object.contents) {
            let slots = self.slots(class);
            for number in &form.given {
                if let FieldKey::Property(key) = &slots[*number].key {
                    node.push_property(key, &self.spell_field(values[*number]));
                }
            }
        }
        self.push_facts(object, class, None, &mut node)?;
        Ok(node)
    }

    /// The nodes of threads.
    pub(super) fn thread_nodes(&self) -> Result<Vec<NodeText>, Error> {
        self.threads.forms.iter().map(|form| self.thread_node(form)).collect()
    }

    fn thread_node(&self, form: &ThreadForm) -> Result<NodeText, Error> {
        let name = self.names.object(form.object);
        let mut node = NodeText::new("thread").argument(&spell_text(name));
        if name != form.name {
            node.push_property("name", &spell_value_text(&form.name));
        }
        node.push_known("virtual", form.is_virtual.then_some("#true"));
        if !form.carrier.is_null() {
            node.push_property("carrier", &self.spell_reference(form.carrier));
        }
        node.push_known("daemon", form.is_daemon.then_some("#true"));
        let object = &self.heap.objects[form.object];
        let class = object.class.and_then(|class| self.table.class_at(class));
        self.push_facts(object, class, None, &mut node)?;
        let traces = self.heap.surroundings.traces.as_deref().unwrap_or_default();
        for (number, frame) in traces[form.trace].frames.iter().enumerate() {
            let mut child = self.frame_node(frame);
            self.push_locals(form, Some(number), &mut child);
            node.push_child(child);
        }
        self.push_locals(form, None, &mut node);
        for (key, value) in &form.thread_locals {
            let mut child = NodeText::new("thread-local").argument(&self.spell_reference(*key));
            child.push_argument(&self.spell_target(*value, false));
            node.push_child(child);
        }
        Ok(node)
    }

    fn push_locals(&self, form: &ThreadForm, frame: Option<usize>, node: &mut NodeText) {
        for local in form.locals.iter().filter(|local| local.frame == frame) {
            let kind = if local.is_java { "local" } else { "jni-local" };
            node.push_child(NodeText::new(kind).argument(&self.spell_reference(local.object)));
        }
    }

    /// The value of a field or an element that is a reference: what stands there in its place, or its name.
    fn spell_target(&self, to: Address, is_typed: bool) -> String {
        let in_place = self.texts.spell_in_place(&self.table, to);
        let in_place = in_place.or_else(|| self.boxes.spell_in_place(&self.table, to, is_typed));
        in_place.unwrap_or_else(|| self.spell_reference(to))
    }

    fn spell_field(&self, value: Value) -> String {
        value.as_reference().map_or_else(|| self.spell_value(value), |to| self.spell_target(to, false))
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
        let is_thread_local = class.is_some_and(|class| self.table.extends(class, "java/lang/ThreadLocal"));
        // The builder spreads their hashes over tables.
        let hash_by_itself = u64::from(self.thread_locals.wrapping_mul(HASH_INCREMENT));
        let is_numbered = is_thread_local && self.world.is_some();
        self.thread_locals += u32::from(is_numbered);
        for (slot, value) in slots.iter().zip(values) {
            if slot.kind != value.kind {
                let fact = format!("value of type {} in a field of type {}", value.kind, slot.kind);
                return Err(unsayable(fact, object.address));
            }
            // Android's objects begin with their class, in every file for its library.
            let is_set = slot.is_class && self.sizes.settings.library == Library::Android;
            let is_hash = matches!(&slot.key, FieldKey::Property(key) if key == "threadLocalHashCode");
            let automatic = match () {
                () if is_set => object.class.unwrap_or_default().0,
                () if is_hash && is_numbered => hash_by_itself,
                () => 0,
            };
            if value.bits == automatic {
                continue;
            }
            let spelled = self.spell_field(*value);
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
                self.push_elements(elements, is_of_boxes(&text), node);
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

    fn push_elements(&self, elements: &[Address], is_typed: bool, node: &mut NodeText) {
        if !elements.is_empty() && elements.iter().all(|to| to.is_null()) {
            return node.push_property("length", &elements.len().to_string());
        }
        for to in elements {
            node.push_argument(&self.spell_target(*to, is_typed));
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

/// Whether a type is that of arrays whose elements box numbers in a class of their own.
fn is_of_boxes(text: &str) -> bool {
    let element = text.strip_suffix("[]");
    element.is_some_and(|element| PrimitiveType::ALL.into_iter().any(|kind| box_class(kind) == element))
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
