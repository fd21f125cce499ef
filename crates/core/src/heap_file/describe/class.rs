//! Nodes of classes.

use crate::builder::CLASS_BYTES;
use crate::error::Error;
use crate::heap_file::notation::{NodeText, spell_name, spell_text};
use crate::model::{Address, Class, FieldType, HashRegime, IdentityHash, PrimitiveType, Serial, Value};

use super::HeapDescriber;
use super::names::ClassDeclaration;
use super::table::unsayable;

impl HeapDescriber<'_> {
    /// The node of a class.
    pub(super) fn class_node(&self, place: usize) -> Result<NodeText, Error> {
        let class = &self.heap.classes[place];
        let mut node = NodeText::new("class");
        let text = self.names.class(place);
        let id = match &text.declaration {
            ClassDeclaration::Named | ClassDeclaration::Array(_) | ClassDeclaration::Implied => {
                node.push_argument(&spell_text(&text.text));
                None
            }
            ClassDeclaration::Shared(id) => {
                node.push_argument(&spell_name(&self.table.name(place).to_java_form()));
                Some(id)
            }
            ClassDeclaration::Raw(id) => {
                let spelled = match class.name.to_text() {
                    Some(text) => format!("(raw){}", spell_text(&text)),
                    None => spell_name(&class.name),
                };
                node.push_argument(&spelled);
                Some(id)
            }
        };
        // Array classes have a superclass by themselves, if that is declared before, and the loader of their elements.
        let is_array = matches!(text.declaration, ClassDeclaration::Array(_));
        let object = self.table.class_named(&"java/lang/Object".into());
        let object = object.map(|object| self.heap.classes[object].address);
        let above_by_itself = if self.world.is_some() { object } else { Some(Address::NULL) };
        match class.superclass {
            Some(above) if !is_array && above.is_null() && self.world.is_some() => {
                node.push_property("extends", "#null");
            }
            None => node.push_property("extends", "unknown"),
            Some(above) if is_array && !self.ordered && object.unwrap_or_default() == above => {}
            Some(above) if !is_array && Some(above) == above_by_itself => {}
            Some(above) => node.push_property("extends", &self.names.spell_type(&self.table, above)),
        }
        let of_element = match &text.declaration {
            ClassDeclaration::Array(Some(element)) => self.heap.classes[*element].loader.unwrap_or_default(),
            _ => Address::NULL,
        };
        let loader = class.loader.unwrap_or_default();
        if loader != of_element {
            node.push_property("loader", &self.spell_reference(loader));
        }
        node.push_known("id", id.map(|id| spell_text(id)));
        self.push_class_facts(place, class, &mut node)?;
        self.push_members(class, &mut node)?;
        Ok(node)
    }

    fn push_class_facts(&self, place: usize, class: &Class, node: &mut NodeText) -> Result<(), Error> {
        self.push_address(class.address, node);
        self.push_hash(class.hash, class.address, node)?;
        let automatic = self.sizes.instance_size(self.table.kind(place), place);
        let size = class.instance_size.filter(|size| self.exact || *size != automatic);
        node.push_known("@size", size.map(|size| size.0));
        let class_size = class.class_object_size.filter(|size| self.exact || size.0 != CLASS_BYTES);
        node.push_known("@class-size", class_size.map(|size| size.0));
        if let Some(trace) = class.trace {
            self.push_trace(trace, node);
        }
        node.push_known("@serial", class.serial.filter(|_| self.exact).map(|serial| serial.0));
        if self.ordered {
            node.push_known("@after", class.after_objects);
        }
        for (key, address) in [("@signers", class.signers), ("@domain", class.protection_domain)] {
            if let Some(address) = address.filter(|address| !address.is_null()) {
                node.push_property(key, &self.spell_reference(address));
            }
        }
        Ok(())
    }

    fn push_members(&self, class: &Class, node: &mut NodeText) -> Result<(), Error> {
        if let Some(interfaces) = class.interfaces.as_ref().filter(|interfaces| !interfaces.is_empty()) {
            let mut child = NodeText::new("implements");
            interfaces
                .iter()
                .for_each(|interface| child.push_argument(&self.names.spell_type(&self.table, *interface)));
            node.push_child(child);
        }
        for field in class.fields.iter().flatten() {
            node.push_child(NodeText::new(type_word(field.kind)).argument(&spell_name(&field.name)));
        }
        for own in class.statics.iter().flatten() {
            let mut child = NodeText::new("static");
            child.push_argument(type_word(own.value.kind));
            child.push_argument(&spell_name(&own.name));
            if own.value.bits != 0 {
                child.push_argument(&self.spell_value(own.value));
            }
            node.push_child(child);
        }
        for entry in class.constant_pool.iter().flatten() {
            let mut child = NodeText::new("@constant").argument(&entry.index.to_string());
            child.push_argument(type_word(entry.value.kind));
            child.push_argument(&self.spell_value(entry.value));
            node.push_child(child);
        }
        if let Some(references) = class.references.as_ref().filter(|listed| self.exact || !listed.is_empty()) {
            node.push_child(self.references_node(references));
        }
        Ok(())
    }

    /// The address of a class or an object, where it is to be kept.
    pub(super) fn push_address(&self, address: Address, node: &mut NodeText) {
        if self.exact {
            node.push_property("@address", &address.to_string());
        }
    }

    /// The identity hash of a class or an object.
    pub(super) fn push_hash(
        &self,
        hash: Option<IdentityHash>,
        address: Address,
        node: &mut NodeText,
    ) -> Result<(), Error> {
        let every_16 = self.heap.facts.hash_regime == Some(HashRegime::Every16);
        let bits = match hash {
            None => return Ok(()),
            Some(IdentityHash::Bits16(bits)) if every_16 => u32::from(bits),
            Some(IdentityHash::Bits32(bits)) if !every_16 => bits,
            Some(IdentityHash::Bits16(_)) => return Err(unsayable("hash of 16 bits among those of 32", address)),
            Some(IdentityHash::Bits32(_)) => return Err(unsayable("hash of 32 bits among those of 16", address)),
        };
        node.push_property("@hash", &format!("{bits:#x}"));
        Ok(())
    }

    /// The trace of an allocation. Without `exact`, traces that say nothing are left out.
    pub(super) fn push_trace(&self, trace: Serial, node: &mut NodeText) {
        if self.exact || !self.table.is_empty_trace(trace) {
            node.push_property("@trace", &trace.0.to_string());
        }
    }

    /// References of which nothing else is known.
    pub(super) fn references_node(&self, references: &[Address]) -> NodeText {
        let mut node = NodeText::new("@references");
        references.iter().for_each(|to| node.push_argument(&self.spell_reference(*to)));
        node
    }

    pub(super) fn spell_reference(&self, to: Address) -> String {
        self.names.spell_reference(&self.table, to)
    }

    /// A value by its type.
    pub(super) fn spell_value(&self, value: Value) -> String {
        match value.kind {
            FieldType::Object => self.spell_reference(Address(value.bits)),
            FieldType::Primitive(kind) => spell_primitive(kind, value.bits),
        }
    }
}

/// The word for a type of fields: a dump does not say of which class references are.
fn type_word(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Object => "Object",
        FieldType::Primitive(kind) => kind.keyword(),
    }
}

/// A primitive value: a number, where one has exactly these bits.
pub(super) fn spell_primitive(kind: PrimitiveType, bits: u64) -> String {
    let as_bits = || format!("(bits){bits:#x}");
    match kind {
        PrimitiveType::Boolean => match bits {
            0 => "#false".to_owned(),
            1 => "#true".to_owned(),
            _ => as_bits(),
        },
        PrimitiveType::Char => match char::from_u32(bits as u32) {
            Some(c) if c.is_alphanumeric() => spell_text(c.encode_utf8(&mut [0; 4])),
            _ => format!("{bits:#x}"),
        },
        PrimitiveType::Byte => (bits as i8).to_string(),
        PrimitiveType::Short => (bits as i16).to_string(),
        PrimitiveType::Int => (bits as i32).to_string(),
        PrimitiveType::Long => (bits as i64).to_string(),
        PrimitiveType::Float => match f32::from_bits(bits as u32) {
            number if number.is_nan() && bits == 0x7fc0_0000 => "#nan".to_owned(),
            number if number.is_nan() => as_bits(),
            number if number.is_infinite() => if number > 0.0 { "#inf" } else { "#-inf" }.to_owned(),
            number => format!("{number:?}"),
        },
        PrimitiveType::Double => match f64::from_bits(bits) {
            number if number.is_nan() && bits == 0x7ff8_0000_0000_0000 => "#nan".to_owned(),
            number if number.is_nan() => as_bits(),
            number if number.is_infinite() => if number > 0.0 { "#inf" } else { "#-inf" }.to_owned(),
            number => format!("{number:?}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PrimitiveType::{Boolean, Byte, Char, Double, Float, Int, Long, Short};

    #[test]
    fn spells_values_by_their_types_and_others_by_their_bits() {
        for (kind, bits, spelled) in [
            (Boolean, 1, "#true"),
            (Boolean, 2, "(bits)0x2"),
            (Byte, 0xff, "-1"),
            (Short, 0x8000, "-32768"),
            (Int, 0x7fff_ffff, "2147483647"),
            (Long, u64::MAX, "-1"),
            (Char, 0x41, "A"),
            (Char, 0x31, "\"1\""),
            (Char, 0x20ac, "0x20ac"),
            (Char, 0xd800, "0xd800"),
            (Char, 0x40, "0x40"),
            (Float, 0x3fc0_0000, "1.5"),
            (Float, 0x7fc0_0000, "#nan"),
            (Float, 0x7fc0_0001, "(bits)0x7fc00001"),
            (Float, 0xff80_0000, "#-inf"),
            (Float, 1, "1e-45"),
            (Double, 0x8000_0000_0000_0000, "-0.0"),
            (Double, 0x7ff0_0000_0000_0000, "#inf"),
            (Double, 0x4341_c379_37e0_8000, "1e16"),
        ] {
            assert_eq!(spell_primitive(kind, bits), spelled, "{kind} {bits:#x}");
        }
    }
}
