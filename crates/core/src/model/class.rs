//! Classes: the table that every heap carries.

use super::{Address, ByteLen, FieldType, IdentityHash, Name, PrimitiveType, Serial, Value};

/// A class, by the address of its class object (HPROF: class object id; PHD: address of the class
/// record).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Address of the class object.
    pub address: Address,
    /// `java/lang/String`, `[I`, `[Ljava/lang/String;` (JVM form, as most writers spell it).
    pub name: Name,
    /// Address of the superclass; `Some(NULL)` where there is none.
    pub superclass: Option<Address>,
    /// Interfaces that the class itself declares.
    pub interfaces: Option<Vec<Address>>,
    /// The class loader object; `Some(NULL)` is the boot loader.
    pub loader: Option<Address>,
    /// The signers array.
    pub signers: Option<Address>,
    /// The protection domain object.
    pub protection_domain: Option<Address>,
    /// Size of one instance in bytes. What it includes is the writer's habit: PHD adds the object
    /// header, HPROF counts field bytes only.
    pub instance_size: Option<ByteLen>,
    /// Size of the class object itself (classic text).
    pub class_object_size: Option<ByteLen>,
    /// Identity hash of the class object.
    pub hash: Option<IdentityHash>,
    /// The references of a class record, in file order, where a format only lists them without saying what they are
    /// (PHD, classic text). Null references are listed only where the file itself held one.
    pub references: Option<Vec<Address>>,
    /// Static fields with their values.
    pub statics: Option<Vec<Static>>,
    /// Constant pool entries.
    pub constant_pool: Option<Vec<PoolEntry>>,
    /// Instance fields that the class itself declares, in layout order.
    pub fields: Option<Vec<Field>>,
    /// Class serial number (HPROF).
    pub serial: Option<Serial>,
    /// Serial of the stack trace of the class's loading (HPROF).
    pub trace: Option<Serial>,
    /// The number of objects before this class in file order.
    pub after_objects: Option<u64>,
}

impl Class {
    /// The number of array dimensions in the name: 0 for a plain class, 1 for `[I`.
    pub fn dimensions(&self) -> usize {
        self.name.as_bytes().iter().take_while(|&&b| b == b'[').count()
    }

    /// Whether its name, in either form, is one of an array class.
    pub fn is_array(&self) -> bool {
        self.name.as_bytes().starts_with(b"[") || self.name.as_bytes().ends_with(b"[]")
    }

    /// Whether it is the class of a primitive type or of `void`, by its name, which no other class of Java can have.
    pub fn is_primitive(&self) -> bool {
        let name = self.name.as_bytes();
        name == b"void" || PrimitiveType::ALL.iter().any(|kind| kind.keyword().as_bytes() == name)
    }
}

/// An instance field as its class declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Field name.
    pub name: Name,
    /// Field type.
    pub kind: FieldType,
}

/// A static field and its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Static {
    /// Field name.
    pub name: Name,
    /// The value; it carries its type.
    pub value: Value,
}

/// An entry of a constant pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolEntry {
    /// Index into the class file's constant pool.
    pub index: u16,
    /// The value; it carries its type.
    pub value: Value,
}
