//! Sub-records: what stands inside a HEAP DUMP or HEAP DUMP SEGMENT. They have no length field, so a
//! reader has to know every one of them.
//!
//! I stands for the header's size of identifiers.

use std::borrow::Cow;

use crate::model::{Address, FieldType, PrimitiveType, RootKind, Serial, TextId, Value};

use super::wire::SubTag;

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
    /// HEAP DUMP INFO, 0xfe (Android): heap id (4), heap name string id (I). The objects behind it belong
    /// to that heap, until the next one or the end of the segment.
    HeapInfo(u32, TextId),
}

/// A root.
///
/// | tag | kind | bytes behind the object id (I) |
/// |---|---|---|
/// | 0xff | unknown | |
/// | 0x01 | JNI global | I: JNI global reference id, which names no object |
/// | 0x02 | JNI local | 4: thread serial number; 4: frame number in the stack trace, signed, -1 for none |
/// | 0x03 | Java frame | 4, 4: as above |
/// | 0x04 | native stack | 4: thread serial number |
/// | 0x05 | sticky class | |
/// | 0x06 | thread block | 4: thread serial number |
/// | 0x07 | monitor used | |
/// | 0x08 | thread object | 4: thread serial number; 4: stack trace serial number |
/// | 0x89 to 0x8d, 0x90 | Android's | |
/// | 0x8e | JNI monitor (Android) | 4: thread serial number; 4: frame number |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRecord {
    /// The object that is kept alive.
    pub object: Address,
    /// What keeps it alive.
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
    /// What stands before the elements.
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
    pub fn tag(&self) -> SubTag {
        match self {
            SubRecord::Root(root) => root.tag(),
            SubRecord::Class(_) => SubTag::CLASS_DUMP,
            SubRecord::Instance(_) => SubTag::INSTANCE_DUMP,
            SubRecord::ObjectArray(_) => SubTag::OBJECT_ARRAY_DUMP,
            SubRecord::PrimitiveArray(_) => SubTag::PRIMITIVE_ARRAY_DUMP,
            SubRecord::NoDataArray(_) => SubTag::PRIMITIVE_ARRAY_NO_DATA_DUMP,
            SubRecord::HeapInfo(..) => SubTag::HEAP_DUMP_INFO,
        }
    }

    /// Whether this is a class or an object.
    pub fn is_entry(&self) -> bool {
        !matches!(self, SubRecord::Root(_) | SubRecord::HeapInfo(..))
    }

    /// The stack trace of the class or object.
    pub fn trace(&self) -> Option<Serial> {
        match self {
            SubRecord::Root(_) | SubRecord::HeapInfo(..) => None,
            SubRecord::Class(class) => Some(class.trace),
            SubRecord::Instance(instance) => Some(instance.trace),
            SubRecord::ObjectArray(array) => Some(array.trace),
            SubRecord::PrimitiveArray(array) => Some(array.head.trace),
            SubRecord::NoDataArray(head) => Some(head.trace),
        }
    }

    /// The address of the class or object.
    pub fn address(&self) -> Option<Address> {
        match self {
            SubRecord::Root(_) | SubRecord::HeapInfo(..) => None,
            SubRecord::Class(class) => Some(class.id),
            SubRecord::Instance(instance) => Some(instance.id),
            SubRecord::ObjectArray(array) => Some(array.id),
            SubRecord::PrimitiveArray(array) => Some(array.head.id),
            SubRecord::NoDataArray(head) => Some(head.id),
        }
    }
}

impl RootRecord {
    /// The sub-record's tag.
    pub fn tag(&self) -> SubTag {
        match self.kind {
            RootKind::Unknown => SubTag::ROOT_UNKNOWN,
            RootKind::JniGlobal(_) => SubTag::ROOT_JNI_GLOBAL,
            RootKind::JniLocal(..) => SubTag::ROOT_JNI_LOCAL,
            RootKind::JavaFrame(..) => SubTag::ROOT_JAVA_FRAME,
            RootKind::NativeStack(_) => SubTag::ROOT_NATIVE_STACK,
            RootKind::StickyClass => SubTag::ROOT_STICKY_CLASS,
            RootKind::ThreadBlock(_) => SubTag::ROOT_THREAD_BLOCK,
            RootKind::MonitorUsed => SubTag::ROOT_MONITOR_USED,
            RootKind::ThreadObject(..) => SubTag::ROOT_THREAD_OBJECT,
            RootKind::InternedString => SubTag::ROOT_INTERNED_STRING,
            RootKind::Finalizing => SubTag::ROOT_FINALIZING,
            RootKind::Debugger => SubTag::ROOT_DEBUGGER,
            RootKind::ReferenceCleanup => SubTag::ROOT_REFERENCE_CLEANUP,
            RootKind::VmInternal => SubTag::ROOT_VM_INTERNAL,
            RootKind::Unreachable => SubTag::ROOT_UNREACHABLE,
            RootKind::JniMonitor(..) => SubTag::ROOT_JNI_MONITOR,
        }
    }
}
