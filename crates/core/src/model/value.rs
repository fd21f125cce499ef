//! Values of fields, their types, and identity hash codes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Address, PrimitiveType};

/// The type of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FieldType {
    /// A reference.
    #[default]
    Object,
    /// A primitive value.
    Primitive(PrimitiveType),
}

impl FieldType {
    /// Bytes of a field of this type, where a reference takes this many.
    pub const fn size(self, reference: u64) -> u64 {
        match self {
            FieldType::Object => reference,
            FieldType::Primitive(kind) => kind.size(),
        }
    }
}

/// `object`, or the keyword of a primitive type.
impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldType::Object => f.write_str("object"),
            FieldType::Primitive(primitive) => f.write_str(primitive.keyword()),
        }
    }
}

/// An identity hash code as the dump stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum IdentityHash {
    /// 16 bits, as J9 2.3 to 2.5 kept for every object. (Readers show 15 of them, doubled.)
    Bits16(u16),
    /// 32 bits.
    Bits32(u32),
}

/// A field value with its type: a reference, or the raw bits of a primitive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// The value's type.
    pub kind: FieldType,
    /// The value's bits, zero-extended; floats as IEEE 754 bits.
    pub bits: u64,
}

impl Value {
    /// A reference.
    pub const fn reference(to: Address) -> Value {
        Value { kind: FieldType::Object, bits: to.0 }
    }

    /// A primitive value from its raw bits; bits beyond the type's size are dropped.
    pub const fn primitive(kind: PrimitiveType, bits: u64) -> Value {
        let unused = 64 - 8 * kind.size();
        Value { kind: FieldType::Primitive(kind), bits: bits << unused >> unused }
    }

    /// The referenced address (null included), if this is a reference.
    pub const fn as_reference(self) -> Option<Address> {
        match self.kind {
            FieldType::Object => Some(Address(self.bits)),
            FieldType::Primitive(_) => None,
        }
    }
}
