//! Sub-records: what stands inside a HEAP DUMP or HEAP DUMP SEGMENT. They have no length field, so a
//! reader has to know every one of them.
//!
//! I stands for the header's size of identifiers.

use std::borrow::Cow;

use crate::model::{Address, FieldType, PrimitiveType, RootKind, Serial, TextId, Value};

use super::tags::{FlatValues, SubRecordTag, TagForm, flat_values};

/// A sub-record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubRecord<'a> {
    /// One of the root records.
    Root(RootRecord),
    /// CLASS DUMP.
    Class(ClassDump),
    /// INSTANCE DUMP.
    Instance(InstanceDump<'a>),
    /// OBJECT ARRAY DUMP.
    ObjectArray(ObjectArrayDump<'a>),
    /// PRIMITIVE ARRAY DUMP.
    PrimitiveArray(PrimitiveArrayDump<'a>),
    /// PRIMITIVE ARRAY NO DATA DUMP, 0xc3 (Android): an array's head without its elements.
    NoDataArray(ArrayHead),
    /// HEAP DUMP INFO (Android): heap id, heap name string id. The objects after it belong to that heap, until the next one
    /// or the end of the segment.
    HeapInfo(u32, TextId),
    /// Any other flat list of fields, with their values. It is kept, and no heap records it.
    Flat(&'static TagForm, FlatValues),
}

/// A root: the object's identifier (I), and after it the numbers of its kind, as [`SubRecordTag::FORMS`] has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRecord {
    /// The object that is kept alive.
    pub object: Address,
    /// The kind of root that keeps it alive.
    pub kind: RootKind,
}

/// CLASS DUMP, 0x20.
///
/// | bytes | field |
/// |---|---|
/// | I | class object id |
/// | 4 | stack trace serial number |
/// | I | super class object id, 0 for none |
/// | I | class loader object id, 0 for the boot loader |
/// | I | signers object id |
/// | I | protection domain object id |
/// | I, I | reserved |
/// | 4 | instance size: the field bytes of the class and its superclasses |
/// | 2 | number of constant pool entries; each: index (2), type (1), value |
/// | 2 | number of static fields; each: name string id (I), type (1), value |
/// | 2 | number of instance fields, own ones only; each: name string id (I), type (1) |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassDump {
    /// Class object id.
    pub id: Address,
    /// Stack trace serial number.
    pub trace: Serial,
    /// Superclass.
    pub superclass: Address,
    /// Class loader.
    pub loader: Address,
    /// Signers.
    pub signers: Address,
    /// Protection domain.
    pub protection_domain: Address,
    /// Two reserved identifiers, 0 in every real dump.
    pub reserved: [u64; 2],
    /// Instance size in bytes.
    pub instance_size: u32,
    /// Constant pool: index and value.
    pub constant_pool: Vec<(u16, Value)>,
    /// Static fields: name and value.
    pub statics: Vec<(TextId, Value)>,
    /// Instance fields: name and type.
    pub fields: Vec<(TextId, FieldType)>,
}

/// INSTANCE DUMP, 0x21.
///
/// | bytes | field |
/// |---|---|
/// | I | object id |
/// | 4 | stack trace serial number |
/// | I | class object id |
/// | 4 | number of bytes that follow |
/// | as many | field values: of the class itself first, then of its superclass, up to the root |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceDump<'a> {
    /// Object id.
    pub id: Address,
    /// Stack trace serial number.
    pub trace: Serial,
    /// Class.
    pub class: Address,
    /// Number of bytes of the values.
    pub length: u32,
    /// The values, or the first piece of them.
    pub values: Cow<'a, [u8]>,
}

/// OBJECT ARRAY DUMP, 0x22.
///
/// | bytes | field |
/// |---|---|
/// | I | array object id |
/// | 4 | stack trace serial number |
/// | 4 | number of elements |
/// | I | class object id of the array itself, not of its elements |
/// | I each | elements |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectArrayDump<'a> {
    /// Array object id.
    pub id: Address,
    /// Stack trace serial number.
    pub trace: Serial,
    /// Number of elements.
    pub length: u32,
    /// The array's class.
    pub class: Address,
    /// The elements, or the first piece of them: whole identifiers.
    pub elements: Cow<'a, [u8]>,
}

/// PRIMITIVE ARRAY DUMP, 0x23.
///
/// | bytes | field |
/// |---|---|
/// | I | array object id |
/// | 4 | stack trace serial number |
/// | 4 | number of elements |
/// | 1 | element type, 4 to 11 |
/// | 1, 2, 4 or 8 each | elements |
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrimitiveArrayDump<'a> {
    /// The fields before the elements.
    pub head: ArrayHead,
    /// The elements, or the first piece of them: whole elements.
    pub elements: Cow<'a, [u8]>,
}

/// The fields of a primitive array before its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayHead {
    /// Array object id.
    pub id: Address,
    /// Stack trace serial number.
    pub trace: Serial,
    /// Number of elements.
    pub length: u32,
    /// Element type.
    pub element: PrimitiveType,
}

impl SubRecord<'_> {
    /// The sub-record's tag.
    pub fn tag(&self) -> SubRecordTag {
        match self {
            SubRecord::Root(root) => root.tag(),
            SubRecord::Class(_) => SubRecordTag::CLASS_DUMP,
            SubRecord::Instance(_) => SubRecordTag::INSTANCE_DUMP,
            SubRecord::ObjectArray(_) => SubRecordTag::OBJECT_ARRAY_DUMP,
            SubRecord::PrimitiveArray(_) => SubRecordTag::PRIMITIVE_ARRAY_DUMP,
            SubRecord::NoDataArray(_) => SubRecordTag::PRIMITIVE_ARRAY_NO_DATA_DUMP,
            SubRecord::HeapInfo(..) => SubRecordTag::HEAP_DUMP_INFO,
            SubRecord::Flat(form, _) => SubRecordTag(form.tag),
        }
    }

    /// The address of the class or object, and its stack trace.
    fn entry(&self) -> Option<(Address, Serial)> {
        match self {
            SubRecord::Root(_) | SubRecord::HeapInfo(..) | SubRecord::Flat(..) => None,
            SubRecord::Class(class) => Some((class.id, class.trace)),
            SubRecord::Instance(instance) => Some((instance.id, instance.trace)),
            SubRecord::ObjectArray(array) => Some((array.id, array.trace)),
            SubRecord::PrimitiveArray(PrimitiveArrayDump { head, .. }) | SubRecord::NoDataArray(head) => {
                Some((head.id, head.trace))
            }
        }
    }

    /// Whether this is a class or an object.
    pub fn is_entry(&self) -> bool {
        self.entry().is_some()
    }

    /// The stack trace of the class or object.
    pub fn trace(&self) -> Option<Serial> {
        self.entry().map(|(_, trace)| trace)
    }

    /// The address of the class or object.
    pub fn address(&self) -> Option<Address> {
        self.entry().map(|(address, _)| address)
    }

    /// The flat sub-record of these values.
    pub(super) fn from_values(form: &'static TagForm, values: FlatValues) -> SubRecord<'static> {
        match form.root {
            Some(mut kind) => {
                kind.numbers().zip(&values[1..]).for_each(|(number, value)| number.set(*value));
                SubRecord::Root(RootRecord { object: Address(values[0]), kind })
            }
            None if form.tag == SubRecordTag::HEAP_DUMP_INFO.0 => {
                SubRecord::HeapInfo(values[0] as u32, TextId(values[1]))
            }
            None => SubRecord::Flat(form, values),
        }
    }

    /// Form and values of a flat sub-record; `None` for another.
    pub(super) fn values(&self) -> Option<(&'static TagForm, FlatValues)> {
        match self {
            SubRecord::Root(RootRecord { object, kind }) => {
                let (mut values, mut kind) = (flat_values(&[object.0]), *kind);
                kind.numbers().zip(&mut values[1..]).for_each(|(number, value)| *value = number.get());
                Some((TagForm::of_root(kind), values))
            }
            SubRecord::HeapInfo(heap, name) => {
                Some((SubRecordTag::HEAP_DUMP_INFO.form()?, flat_values(&[u64::from(*heap), name.0])))
            }
            SubRecord::Flat(form, values) => Some((form, *values)),
            _ => None,
        }
    }
}

impl RootRecord {
    /// The sub-record's tag.
    pub fn tag(&self) -> SubRecordTag {
        SubRecordTag(TagForm::of_root(self.kind).tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::{Cursor, NoTrace};
    use crate::hprof::tags::{FlatField, FlatWidth};
    use crate::hprof::wire::IdSize;
    use crate::hprof::{decode, encode};

    static TWO_FIELDS: TagForm = TagForm {
        tag: 0x91,
        name: "TWO FIELDS",
        fields: &[
            FlatField { name: "first string id", width: FlatWidth::Id },
            FlatField { name: "second", width: FlatWidth::Signed(4) },
        ],
        root: None,
        is_android: false,
    };

    #[test]
    fn a_flat_sub_record_is_its_row_and_nothing_else() {
        let told = SubRecord::Flat(&TWO_FIELDS, flat_values(&[0x0102, -2_i64 as u64]));
        let mut bytes = Vec::new();
        encode::sub_record(&mut bytes, IdSize::Two, &told).expect("it has no lists");
        assert_eq!(bytes, [0x91, 1, 2, 0xff, 0xff, 0xff, 0xfe]);
        assert_eq!(encode::length_of(IdSize::Two, &told), 7);
        let read = decode::flat(&mut Cursor::new(&bytes[1..], NoTrace), 2, TWO_FIELDS.fields).expect("whole");
        assert_eq!(SubRecord::from_values(&TWO_FIELDS, read), told);
        assert_eq!(told.tag(), SubRecordTag(0x91));
        assert!(!told.is_entry());
    }
}
