//! The lines of classes.

use serde::{Deserialize, Serialize};

use crate::model::{ByteLen, Class, Field, PoolEntry, Serial, Static};

use super::line::{Line, Place, addresses, hash, hashes, hexes};
use super::spelling::{Hex, Text, TypeName, TypedValue};

/// A class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ClassLine {
    /// Address of the class object, in bytes.
    pub address: Hex,
    /// Index of the record in the body, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// Offset of the record in the decompressed file, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Class name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
    /// Superclass; `0x0` for none.
    #[serde(default, rename = "super", skip_serializing_if = "Option::is_none")]
    pub superclass: Option<Hex>,
    /// Interfaces that the class itself declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interfaces: Option<Vec<Hex>>,
    /// Class loader; `0x0` for the boot loader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loader: Option<Hex>,
    /// Signers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signers: Option<Hex>,
    /// Protection domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protection_domain: Option<Hex>,
    /// Size of the class's instances in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_size: Option<u64>,
    /// Size of the class object in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_size: Option<u64>,
    /// Instance fields that the class itself declares, in layout order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<FieldEntry>>,
    /// Static fields with their values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statics: Option<Vec<StaticEntry>>,
    /// Entries of the constant pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant_pool: Option<Vec<PoolItem>>,
    /// Class serial number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<u32>,
    /// Serial of the stack trace of the class's loading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// 16-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash16: Option<Hex>,
    /// 32-bit identity hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash32: Option<Hex>,
    /// References in file order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refs: Option<Vec<Hex>>,
}

/// An instance field as its class declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct FieldEntry {
    /// Field name.
    pub name: Text,
    /// Field type.
    #[serde(rename = "type")]
    pub kind: TypeName,
}

/// A static field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct StaticEntry {
    /// Field name.
    pub name: Text,
    /// Field type.
    #[serde(rename = "type")]
    pub kind: TypeName,
    /// Bits of the value.
    pub value: Hex,
}

/// An entry of a constant pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct PoolItem {
    /// Index into the class file's constant pool.
    pub index: u16,
    /// Type of the value.
    #[serde(rename = "type")]
    pub kind: TypeName,
    /// Bits of the value.
    pub value: Hex,
}

impl Line {
    /// The line of a class.
    pub(super) fn of_class(class: &Class, place: Place) -> Line {
        let (hash16, hash32) = hashes(class.hash);
        Line::Class(Box::new(ClassLine {
            address: class.address.into(),
            record: Some(place.record),
            offset: place.offset,
            name: Some((&class.name).into()),
            superclass: class.superclass.map(Hex::from),
            interfaces: class.interfaces.as_deref().map(hexes),
            loader: class.loader.map(Hex::from),
            signers: class.signers.map(Hex::from),
            protection_domain: class.protection_domain.map(Hex::from),
            instance_size: class.instance_size.map(|s| s.0),
            class_size: class.class_object_size.map(|s| s.0),
            fields: class.fields.as_ref().map(|fields| fields.iter().map(FieldEntry::from).collect()),
            statics: class.statics.as_ref().map(|all| all.iter().map(StaticEntry::from).collect()),
            constant_pool: class.constant_pool.as_ref().map(|pool| pool.iter().map(PoolItem::from).collect()),
            serial: class.serial.map(|s| s.0),
            trace: class.trace.map(|s| s.0),
            hash16,
            hash32,
            refs: class.references.as_deref().map(hexes),
        }))
    }
}

impl ClassLine {
    /// The class; its name is empty if the line has none.
    pub(super) fn class(self) -> Result<Class, String> {
        let statics = |s: StaticEntry| Ok(Static { name: s.name.into(), value: TypedValue(s.kind, s.value).value()? });
        let entry = |p: PoolItem| Ok(PoolEntry { index: p.index, value: TypedValue(p.kind, p.value).value()? });
        Ok(Class {
            address: self.address.address(),
            name: self.name.map(Into::into).unwrap_or_default(),
            superclass: self.superclass.map(Hex::address),
            interfaces: self.interfaces.map(addresses),
            loader: self.loader.map(Hex::address),
            signers: self.signers.map(Hex::address),
            protection_domain: self.protection_domain.map(Hex::address),
            instance_size: self.instance_size.map(ByteLen),
            class_object_size: self.class_size.map(ByteLen),
            hash: hash(self.hash16, self.hash32)?,
            references: self.refs.map(addresses),
            statics: self.statics.map(|all| all.into_iter().map(statics).collect::<Result<_, String>>()).transpose()?,
            constant_pool: self
                .constant_pool
                .map(|pool| pool.into_iter().map(entry).collect::<Result<_, String>>())
                .transpose()?,
            fields: self
                .fields
                .map(|fields| fields.into_iter().map(|f| Field { name: f.name.into(), kind: f.kind.0 }).collect()),
            serial: self.serial.map(Serial),
            trace: self.trace.map(Serial),
            after_objects: None,
        })
    }
}

impl From<&Field> for FieldEntry {
    fn from(field: &Field) -> FieldEntry {
        FieldEntry { name: (&field.name).into(), kind: TypeName(field.kind) }
    }
}

impl From<&Static> for StaticEntry {
    fn from(entry: &Static) -> StaticEntry {
        let TypedValue(kind, value) = entry.value.into();
        StaticEntry { name: (&entry.name).into(), kind, value }
    }
}

impl From<&PoolEntry> for PoolItem {
    fn from(entry: &PoolEntry) -> PoolItem {
        let TypedValue(kind, value) = entry.value.into();
        PoolItem { index: entry.index, kind, value }
    }
}
