//! The lines of objects.

use serde::{Deserialize, Serialize};

use crate::model::{ByteLen, Contents, Object, ObjectKind, Serial};

use super::line::{Line, Place, addresses, hash, hashes, hexes};
use super::spelling::{Bytes, ElementName, Hex, Text, TypedValue};

/// A plain instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct InstanceLine {
    /// Address, in bytes.
    pub address: Hex,
    /// Index of the record in the body, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// Offset of the record in the decompressed file, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Hex>,
    /// Name of the object's own class, where the record itself gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_name: Option<Text>,
    /// Size in bytes, header and padding included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Serial of the stack trace of the allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// 16-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash16: Option<Hex>,
    /// 32-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash32: Option<Hex>,
    /// References in file order, where the fields that hold them are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refs: Option<Vec<Hex>>,
    /// Field values: the class's own fields first, then its superclass's, up to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<TypedValue>>,
    /// The bytes of the fields, where no class says how they are laid out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Bytes>,
}

/// An array of references.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ObjectArrayLine {
    /// Address, in bytes.
    pub address: Hex,
    /// Index of the record in the body, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// Offset of the record in the decompressed file, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Class word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Hex>,
    /// The array's own class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array_class: Option<Hex>,
    /// Name of the object's own class, where the record itself gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_name: Option<Text>,
    /// Number of elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Size in bytes, header and padding included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Serial of the stack trace of the allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// 16-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash16: Option<Hex>,
    /// 32-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash32: Option<Hex>,
    /// References in file order, where their positions are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refs: Option<Vec<Hex>>,
    /// Every element by position; `0x0` for null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elements: Option<Vec<Hex>>,
}

/// An array of primitive values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct PrimitiveArrayLine {
    /// Address, in bytes.
    pub address: Hex,
    /// Index of the record in the body, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// Offset of the record in the decompressed file, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The array's own class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array_class: Option<Hex>,
    /// Name of the object's own class, where the record itself gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_name: Option<Text>,
    /// Element type.
    pub element: ElementName,
    /// Number of elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Size in bytes, header and padding included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Serial of the stack trace of the allocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// 16-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash16: Option<Hex>,
    /// 32-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash32: Option<Hex>,
    /// The elements, big-endian.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<Bytes>,
    /// No key of such a line, and refused.
    #[serde(default, skip_serializing)]
    #[cfg_attr(feature = "schemas", schemars(skip))]
    pub refs: Option<Vec<Hex>>,
}

impl Line {
    /// The line of an object.
    pub(super) fn of_object(object: &Object, place: Place) -> Line {
        let (hash16, hash32) = hashes(object.hash);
        let address = Hex::from(object.address);
        let (record, offset) = (Some(place.record), place.offset);
        let (size, trace) = (object.size.map(|s| s.0), object.trace.map(|s| s.0));
        let class_name = object.class_name.as_ref().map(Text::from);
        let refs = match &object.contents {
            Contents::References(listed) => Some(hexes(listed)),
            _ => None,
        };
        match object.kind {
            ObjectKind::Instance => Line::Object(Box::new(InstanceLine {
                class: object.class.map(Hex::from),
                values: match &object.contents {
                    Contents::Fields(values) => Some(values.iter().map(|v| (*v).into()).collect()),
                    _ => None,
                },
                raw: match &object.contents {
                    Contents::Raw(bytes) => Some(Bytes(bytes.clone())),
                    _ => None,
                },
                class_name,
                ..InstanceLine { address, record, offset, size, trace, hash16, hash32, refs, ..Default::default() }
            })),
            ObjectKind::ObjectArray => Line::ObjectArray(Box::new(ObjectArrayLine {
                class: object.class_word.map(Hex::from),
                array_class: object.class.map(Hex::from),
                length: object.length,
                elements: match &object.contents {
                    Contents::Elements(elements) => Some(hexes(elements)),
                    _ => None,
                },
                class_name,
                ..ObjectArrayLine { address, record, offset, size, trace, hash16, hash32, refs, ..Default::default() }
            })),
            ObjectKind::PrimitiveArray(element) => Line::PrimitiveArray(Box::new(PrimitiveArrayLine {
                address,
                record,
                offset,
                array_class: object.class.map(Hex::from),
                class_name,
                element: ElementName(element),
                length: object.length,
                size,
                trace,
                hash16,
                hash32,
                contents: match &object.contents {
                    Contents::Primitives(bytes) => Some(Bytes(bytes.clone())),
                    _ => None,
                },
                refs: None,
            })),
        }
    }
}

impl InstanceLine {
    /// The object; its class is its class word too, where the format has such.
    pub(super) fn object(self, has_class_words: bool) -> Result<Object, String> {
        let class = self.class.map(Hex::address);
        let values = |values: Vec<TypedValue>| values.into_iter().map(TypedValue::value).collect::<Result<_, String>>();
        Ok(Object {
            class,
            class_word: class.filter(|_| has_class_words),
            class_name: self.class_name.map(Into::into),
            size: self.size.map(ByteLen),
            hash: hash(self.hash16, self.hash32)?,
            contents: match (self.refs, self.values, self.raw) {
                (None, None, None) => Contents::Unknown,
                (Some(refs), None, None) => Contents::References(addresses(refs)),
                (None, Some(listed), None) => Contents::Fields(values(listed)?),
                (None, None, Some(Bytes(bytes))) => Contents::Raw(bytes),
                _ => return Err("expected one of refs, values and raw, found several".to_owned()),
            },
            trace: self.trace.map(Serial),
            ..Object::new(self.address.address(), ObjectKind::Instance)
        })
    }
}

impl ObjectArrayLine {
    pub(super) fn object(self) -> Result<Object, String> {
        Ok(Object {
            class: self.array_class.map(Hex::address),
            class_word: self.class.map(Hex::address),
            class_name: self.class_name.map(Into::into),
            size: self.size.map(ByteLen),
            hash: hash(self.hash16, self.hash32)?,
            length: self.length,
            contents: match (self.refs, self.elements) {
                (None, None) => Contents::Unknown,
                (Some(refs), None) => Contents::References(addresses(refs)),
                (None, Some(elements)) => Contents::Elements(addresses(elements)),
                (Some(_), Some(_)) => return Err("expected refs or elements, found both".to_owned()),
            },
            trace: self.trace.map(Serial),
            ..Object::new(self.address.address(), ObjectKind::ObjectArray)
        })
    }
}

impl PrimitiveArrayLine {
    pub(super) fn object(self) -> Result<Object, String> {
        if self.refs.is_some() {
            return Err("expected no refs in a primitive array, found some".to_owned());
        }
        Ok(Object {
            class: self.array_class.map(Hex::address),
            class_name: self.class_name.map(Into::into),
            size: self.size.map(ByteLen),
            hash: hash(self.hash16, self.hash32)?,
            length: self.length,
            contents: self.contents.map_or(Contents::Unknown, |Bytes(bytes)| Contents::Primitives(bytes)),
            trace: self.trace.map(Serial),
            ..Object::new(self.address.address(), ObjectKind::PrimitiveArray(self.element.0))
        })
    }
}
