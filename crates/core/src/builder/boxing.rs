//! Boxed values, and the hashes of Java's own classes.

use crate::model::PrimitiveType;

use super::error::BuildError;
use super::facts::HashFact;
use super::input::{BuiltValue, FieldInput, ReferenceTarget};
use super::object::BuiltContents;
use super::{ClassId, HeapBuilder, ObjectId};

/// The class that boxes values of a type.
pub(crate) fn box_class(kind: PrimitiveType) -> &'static str {
    match kind {
        PrimitiveType::Boolean => "java.lang.Boolean",
        PrimitiveType::Char => "java.lang.Character",
        PrimitiveType::Float => "java.lang.Float",
        PrimitiveType::Double => "java.lang.Double",
        PrimitiveType::Byte => "java.lang.Byte",
        PrimitiveType::Short => "java.lang.Short",
        PrimitiveType::Int => "java.lang.Integer",
        PrimitiveType::Long => "java.lang.Long",
    }
}

/// Whether `valueOf` of the class that boxes a type gives the same object each time (Java Language Specification, 5.1.7, and
/// the sources of these classes).
pub(crate) fn is_shared_box(kind: PrimitiveType, bits: u64) -> bool {
    match kind {
        PrimitiveType::Boolean | PrimitiveType::Byte => true,
        PrimitiveType::Char => bits < 128,
        PrimitiveType::Short => (-128..128).contains(&(bits as i16)),
        PrimitiveType::Int => (-128..128).contains(&(bits as i32)),
        PrimitiveType::Long => (-128..128).contains(&(bits as i64)),
        PrimitiveType::Float | PrimitiveType::Double => false,
    }
}

/// The hash of a boxed value, as the `hashCode` of its class computes it.
pub(crate) fn boxed_hash(kind: PrimitiveType, bits: u64) -> i32 {
    match kind {
        PrimitiveType::Boolean => {
            if bits != 0 {
                1231
            } else {
                1237
            }
        }
        PrimitiveType::Byte => (bits as i8).into(),
        PrimitiveType::Short => (bits as i16).into(),
        PrimitiveType::Char | PrimitiveType::Int | PrimitiveType::Float => bits as i32,
        PrimitiveType::Long | PrimitiveType::Double => (bits ^ (bits >> 32)) as i32,
    }
}

/// The hash of a text, as `String.hashCode` computes it.
pub(crate) fn text_hash(units: &[u16]) -> i32 {
    units.iter().fold(0, |hash: i32, unit| hash.wrapping_mul(31).wrapping_add((*unit).into()))
}

impl HeapBuilder {
    /// The object that Java boxes a value in: of the declared class, if that is one that boxes.
    pub(super) fn boxed(&mut self, input: FieldInput, declared: Option<&str>) -> Result<ObjectId, BuildError> {
        let of_field = PrimitiveType::ALL.into_iter().find(|kind| {
            declared.is_some_and(|declared| {
                let class = box_class(*kind);
                declared == class || Some(declared) == class.strip_prefix("java.lang.")
            })
        });
        let explicit = if let FieldInput::Boxed(kind, _) = &input { Some(*kind) } else { None };
        let Some(kind) = explicit.or(of_field).or_else(|| input.boxed_type()) else {
            return Err(BuildError::new(format!("{} cannot be boxed", input.shown())));
        };
        let bits = input.primitive_bits(kind)?;
        let class = self.class_named(box_class(kind))?;
        if let Some(known) = self.shared_boxes.get(&(class, bits)) {
            return Ok(*known);
        }
        let object = self.new_instance(class)?;
        self.set_value(object, "value", BuiltValue::Primitive(kind, bits))?;
        if is_shared_box(kind, bits) {
            self.shared_boxes.insert((class, bits), object);
        }
        Ok(object)
    }

    /// The hash of a key of a map, as its class computes it; 0 for null.
    pub(super) fn key_hash(&mut self, key: ReferenceTarget) -> Result<i32, BuildError> {
        match key {
            ReferenceTarget::Null => Ok(0),
            ReferenceTarget::Object(object) => match self.box_of(object) {
                Some((kind, bits)) => Ok(boxed_hash(kind, bits)),
                None => match self.text_of(object) {
                    Some(units) => {
                        let hash = text_hash(&units);
                        // A String keeps its hash once it was asked for it.
                        self.remember_hash(object, hash)?;
                        Ok(hash)
                    }
                    None => Ok(self.identity_hash(object)),
                },
            },
            ReferenceTarget::Class(ClassId(class)) => Ok(automatic_hash(1, class as u64)),
            ReferenceTarget::Address(address) => Ok(automatic_hash(2, address.0)),
            ReferenceTarget::Repeated(repeat, member, turn) => {
                Ok(automatic_hash(3 + repeat.0 as u64, turn << 8 | u64::from(member)))
            }
        }
    }

    /// The identity hash of an object, which it has from now on.
    fn identity_hash(&mut self, object: ObjectId) -> i32 {
        use crate::model::IdentityHash;
        let facts = &mut self.objects[object.0].facts;
        match facts.hash {
            Some(HashFact::Known(IdentityHash::Bits32(hash))) => hash as i32,
            Some(HashFact::Known(IdentityHash::Bits16(hash))) => hash.into(),
            Some(HashFact::Absent) | None => {
                let hash = automatic_hash(0, object.0 as u64);
                if facts.hash.is_none() {
                    facts.hash = Some(HashFact::Known(IdentityHash::Bits32(hash as u32)));
                }
                hash
            }
        }
    }

    /// The type and the bits of a boxed value.
    pub(super) fn box_of(&self, object: ObjectId) -> Option<(PrimitiveType, u64)> {
        let built = &self.objects[object.0];
        let BuiltContents::Fields(values) = &built.contents else { return None };
        let name = &self.classes[built.class.0].name;
        let kind = PrimitiveType::ALL.into_iter().find(|kind| name.to_java_form() == box_class(*kind).into())?;
        values.iter().find_map(|value| match value {
            BuiltValue::Primitive(of, bits) if *of == kind => Some((kind, *bits)),
            _ => None,
        })
    }
}

/// A hash of 31 bits that follows from the number of an object: equal on every machine, and spread over the tables of maps.
fn automatic_hash(domain: u64, number: u64) -> i32 {
    // SplitMix64's finaliser (Steele, Lea, Flood, 2014).
    let mut z = number.wrapping_add(domain << 56).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) & 0x7fff_ffff).max(1) as i32
}
