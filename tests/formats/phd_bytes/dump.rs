//! Files around the bytes of a test, what they are read as, and short names for expected values.

use heapsmith::error::DecodeError;
use heapsmith::model::{Address, ByteLen, Class, Contents, IdentityHash, Name, Object, ObjectKind, PrimitiveType};
use heapsmith::phd::lift::{self, DumpItem};
use heapsmith::phd::record::{Header, Record, RecordGap, ReferenceList};
use heapsmith::phd::wire::{Units, Width};
use heapsmith::phd::{Decoder, encode};
use hex_literal::hex;
use pretty_assertions::assert_eq;

/// What a file was read as.
pub(crate) struct Dump {
    pub(crate) header: Header,
    /// The bytes of each record.
    pub(crate) bytes: Vec<Vec<u8>>,
    pub(crate) records: Vec<Record<'static>>,
    pub(crate) items: Vec<DumpItem>,
}

/// A file without header records around the records of a body.
pub(crate) fn file(version: u32, flags: u32, body: &[u8]) -> Vec<u8> {
    let mut file = hex!(
        "0012"                                  // 18 bytes of text follow
        "706f727461626c652068656170 2064756d70" // "portable heap dump"
    )
    .to_vec();
    file.extend(version.to_be_bytes());
    file.extend(flags.to_be_bytes());
    file.extend(hex!(
        "01" // the header starts,
        "02" // ends without a record,
        "02" // and the body starts
    ));
    file.extend(body);
    file.extend(hex!("03")); // the body ends
    file
}

/// Reads a file, and requires that writing what was read gives the same bytes.
pub(crate) fn read(file: &[u8]) -> Dump {
    let mut decoder = Decoder::new(file).expect("the header is sound");
    let (mut bytes, mut records, mut items) = (Vec::new(), Vec::new(), Vec::new());
    let ended = lift::visit(&mut decoder, |located, item| {
        bytes.push(located.bytes.to_vec());
        records.push(located.record.clone().into_owned());
        items.push(item);
        Ok::<_, DecodeError>(())
    })
    .unwrap_or_else(|e| panic!("{e}: {}", spelled(file)));
    assert_eq!(ended.end_tag, file.len() as u64 - 1, "the body ends with the file: {}", spelled(file));

    let mut written = Vec::new();
    encode::header(&mut written, decoder.header()).expect("it was read");
    for record in &records {
        encode::record(&mut written, decoder.layout(), record).expect("it was read");
    }
    encode::end_tag(&mut written);
    assert_eq!(spelled(&written), spelled(file), "written again");

    Dump { header: decoder.header().clone(), bytes, records, items }
}

/// Reads a body in a file without header records.
pub(crate) fn read_body(version: u32, flags: u32, body: &[u8]) -> Dump {
    read(&file(version, flags, body))
}

/// Bytes as a failed assertion shows them best.
pub(crate) fn spelled(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x} ")).collect()
}

pub(crate) fn gap(width: Width, units: i64) -> RecordGap {
    RecordGap::new(width, Units(units))
}

pub(crate) fn refs<const N: usize>(width: Width, bytes: [u8; N]) -> ReferenceList<'static> {
    ReferenceList { width, bytes: bytes.to_vec().into() }
}

pub(crate) fn no_refs() -> ReferenceList<'static> {
    refs(Width::One, [])
}

pub(crate) fn bits16(hash: u16) -> Option<IdentityHash> {
    Some(IdentityHash::Bits16(hash))
}

pub(crate) fn bits32(hash: u32) -> Option<IdentityHash> {
    Some(IdentityHash::Bits32(hash))
}

fn addresses(values: &[u64]) -> Vec<Address> {
    values.iter().copied().map(Address).collect()
}

/// An object as a short, medium or long record leads to it.
pub(crate) fn instance(address: u64, class: u64, hash: Option<IdentityHash>, references: &[u64]) -> DumpItem {
    DumpItem::Object(Object {
        address: Address(address),
        kind: ObjectKind::Instance,
        class: Some(Address(class)),
        class_word: Some(Address(class)),
        class_name: None,
        size: None,
        hash,
        length: None,
        contents: Contents::References(addresses(references)),
        trace: None,
        text: None,
    })
}

/// An array of references. Its class word may be one of three classes, so its class is not known.
pub(crate) fn object_array(
    address: u64,
    class_word: u64,
    hash: Option<IdentityHash>,
    references: &[u64],
    length: Option<u64>,
) -> DumpItem {
    DumpItem::Object(Object {
        address: Address(address),
        kind: ObjectKind::ObjectArray,
        class: None,
        class_word: Some(Address(class_word)),
        class_name: None,
        size: None,
        hash,
        length,
        contents: Contents::References(addresses(references)),
        trace: None,
        text: None,
    })
}

/// An array of primitives, of either record kind.
pub(crate) fn primitive_array(
    address: u64,
    element: PrimitiveType,
    length: u64,
    hash: Option<IdentityHash>,
) -> DumpItem {
    DumpItem::Object(Object {
        address: Address(address),
        kind: ObjectKind::PrimitiveArray(element),
        class: None,
        class_word: None,
        class_name: None,
        size: None,
        hash,
        length: Some(length),
        contents: Contents::Unknown,
        trace: None,
        text: None,
    })
}

/// A class. `after` is the number of objects before it.
pub(crate) fn class(
    address: u64,
    name: &str,
    superclass: u64,
    instance_size: u64,
    hash: Option<IdentityHash>,
    references: &[u64],
    after: u64,
) -> DumpItem {
    DumpItem::Class(Class {
        address: Address(address),
        name: Name::from_bytes(name.as_bytes()),
        superclass: Some(Address(superclass)),
        instance_size: Some(ByteLen(instance_size)),
        hash,
        references: Some(addresses(references)),
        after_objects: Some(after),
        ..Class::default()
    })
}

/// The address of an item.
pub(crate) fn address(item: &DumpItem) -> u64 {
    match item {
        DumpItem::Class(class) => class.address.0,
        DumpItem::Object(object) => object.address.0,
    }
}

/// The class of an item, or the class word of an object array.
pub(crate) fn class_word(item: &DumpItem) -> Option<u64> {
    match item {
        DumpItem::Class(_) => None,
        DumpItem::Object(object) => object.class_word.map(|a| a.0),
    }
}

/// The references of an item.
pub(crate) fn references(item: &DumpItem) -> Vec<u64> {
    match item {
        DumpItem::Class(class) => class.references.iter().flatten().map(|a| a.0).collect(),
        DumpItem::Object(Object { contents: Contents::References(listed), .. }) => listed.iter().map(|a| a.0).collect(),
        DumpItem::Object(_) => Vec::new(),
    }
}

/// The number of elements of an array.
pub(crate) fn length(item: &DumpItem) -> Option<u64> {
    match item {
        DumpItem::Class(_) => None,
        DumpItem::Object(object) => object.length,
    }
}

/// The size of an array in bytes.
pub(crate) fn size(item: &DumpItem) -> Option<u64> {
    match item {
        DumpItem::Class(_) => None,
        DumpItem::Object(object) => object.size.map(|s| s.0),
    }
}

/// The identity hash of an item.
pub(crate) fn hash(item: &DumpItem) -> Option<IdentityHash> {
    match item {
        DumpItem::Class(class) => class.hash,
        DumpItem::Object(object) => object.hash,
    }
}
