//! Facts of a class or an object that are automatic unless they are given.

use crate::model::{Address, ByteLen, IdentityHash, Name, Serial};

use super::input::ReferenceTarget;

/// An identity hash that is given, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashFact {
    /// The object was never asked for its hash.
    Absent,
    /// Its hash.
    Known(IdentityHash),
}

/// Facts of an object; `None` is automatic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenObjectFacts {
    /// Where it lies.
    pub address: Option<Address>,
    /// Its identity hash.
    pub hash: Option<HashFact>,
    /// Its bytes on the heap.
    pub size: Option<ByteLen>,
    /// The serial number of the trace of its allocation.
    pub trace: Option<Serial>,
    /// The length of an array whose contents are not known.
    pub length: Option<u64>,
    /// The class that it states, where that is another than its own.
    pub class: Option<ReferenceTarget>,
    /// The name of its class as its record gives it (classic text).
    pub class_name: Option<Name>,
    /// PHD's class word of an array, where it is not the writer's.
    pub class_word: Option<ReferenceTarget>,
    /// The bytes of its fields, where no class says how they are laid out.
    pub raw: Option<Vec<u8>>,
    /// References whose fields are not known.
    pub references: Option<Vec<ReferenceTarget>>,
}

/// Facts of a class; `None` is automatic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenClassFacts {
    /// Where the class object lies.
    pub address: Option<Address>,
    /// The identity hash of the class object.
    pub hash: Option<HashFact>,
    /// Size of an instance.
    pub size: Option<ByteLen>,
    /// Size of the class object.
    pub class_size: Option<ByteLen>,
    /// Serial number of the trace of its loading.
    pub trace: Option<Serial>,
    /// Class serial number.
    pub serial: Option<Serial>,
    /// The number of objects before it in the file.
    pub after: Option<u64>,
    /// Its signers.
    pub signers: Option<ReferenceTarget>,
    /// Its protection domain.
    pub domain: Option<ReferenceTarget>,
    /// References whose fields are not known.
    pub references: Option<Vec<ReferenceTarget>>,
}
