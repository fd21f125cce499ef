//! Sub-records to classes and objects of the model.

use std::borrow::Cow;
use std::mem;

use crate::error::Error;
use crate::hprof::sub_record::{ClassDump, InstanceDump, PrimitiveArrayDump, SubRecord};
use crate::hprof::wire::IdSize;
use crate::model::long::{Identifiers, StoredBytes};
use crate::model::{
    Address, ByteLen, Class, Contents, Field, Name, Object, ObjectKind, PiecewiseContents, PoolEntry, Static, TextId,
    Value,
};

use super::layout::InstanceLayouts;
use super::names::LogIndex;

/// The class of a CLASS DUMP. What has no name in the string table gets an empty one.
pub fn class(dump: &ClassDump, log: &LogIndex, heap: usize, after_objects: u64) -> Class {
    let text = |id: TextId| log.text(heap, id).cloned().unwrap_or_default();
    let load = log.load(heap, dump.id);
    let field = |(name, kind): &(TextId, _)| Field { name: text(*name), kind: *kind };
    let entry = |(name, value): &(TextId, _)| Static { name: text(*name), value: *value };
    Class {
        address: dump.id,
        name: load.map_or_else(Name::default, |load| text(load.name)),
        superclass: Some(dump.superclass),
        loader: Some(dump.loader),
        signers: Some(dump.signers),
        protection_domain: Some(dump.protection_domain),
        instance_size: Some(ByteLen(u64::from(dump.instance_size))),
        statics: Some(dump.statics.iter().map(entry).collect()),
        constant_pool: Some(
            dump.constant_pool.iter().map(|(index, value)| PoolEntry { index: *index, value: *value }).collect(),
        ),
        fields: Some(dump.fields.iter().map(field).collect()),
        serial: load.map(|load| load.serial),
        trace: Some(dump.trace),
        after_objects: Some(after_objects),
        ..Class::default()
    }
}

/// The object of a sub-record, `None` if it is none.
pub fn object(sub_record: &SubRecord<'_>, id: IdSize, layouts: &InstanceLayouts) -> Option<Object> {
    let mut into = ObjectBuffer::default();
    into.fill(sub_record, id, layouts)?;
    Some(into.object)
}

/// An object into which one after the other is read. The rooms of its contents are kept while it has others.
#[derive(Debug, Default)]
pub struct ObjectBuffer {
    object: Object,
    values: Vec<Value>,
    elements: Vec<Address>,
    bytes: Vec<u8>,
}

impl ObjectBuffer {
    /// The object of a sub-record, `None` if it is none.
    pub fn fill(&mut self, sub_record: &SubRecord<'_>, id: IdSize, layouts: &InstanceLayouts) -> Option<&Object> {
        let ObjectBuffer { object, values, elements, bytes } = self;
        match mem::take(&mut object.contents) {
            Contents::Fields(room) => *values = room,
            Contents::Elements(room) => *elements = room,
            Contents::Primitives(room) | Contents::Raw(room) => *bytes = room,
            Contents::References(_) | Contents::Long(_) | Contents::Unknown => {}
        }
        let mut copied = |from: &[u8]| {
            bytes.clear();
            bytes.extend_from_slice(from);
            mem::take(bytes)
        };
        let (address, kind, class, length, trace, contents) = match sub_record {
            SubRecord::Instance(r) => {
                values.clear();
                let laid_out = layouts.visit_values(r.class, &r.values, |value| values.push(value));
                let contents =
                    if laid_out { Contents::Fields(mem::take(values)) } else { Contents::Raw(copied(&r.values)) };
                (r.id, ObjectKind::Instance, Some(r.class), None, r.trace, contents)
            }
            SubRecord::ObjectArray(r) => {
                elements.clear();
                elements.extend(ids(&r.elements, id));
                let contents = Contents::Elements(mem::take(elements));
                (r.id, ObjectKind::ObjectArray, Some(r.class), Some(r.length), r.trace, contents)
            }
            SubRecord::PrimitiveArray(PrimitiveArrayDump { head, elements }) => {
                let contents = Contents::Primitives(copied(elements));
                (head.id, ObjectKind::PrimitiveArray(head.element), None, Some(head.length), head.trace, contents)
            }
            SubRecord::NoDataArray(head) => {
                let kind = ObjectKind::PrimitiveArray(head.element);
                (head.id, kind, None, Some(head.length), head.trace, Contents::Unknown)
            }
            _ => return None,
        };
        object.address = address;
        object.kind = kind;
        object.class = class;
        object.length = length.map(u64::from);
        object.trace = Some(trace);
        object.contents = contents;
        Some(object)
    }
}

/// The object of a sub-record whose contents are too long to be held.
///
/// # Errors
/// An error of reading contents: the values of fields are held, since there are no more than classes have fields.
pub fn long_object(
    sub_record: &SubRecord<'_>,
    contents: &StoredBytes,
    id: IdSize,
    layouts: &InstanceLayouts,
) -> Result<Option<Object>, Error> {
    let long = match sub_record {
        SubRecord::Instance(r) if layouts.instance_bytes(r.class) == Some(contents.length()) => {
            let values = Cow::Owned(contents.plain().collect()?);
            return Ok(object(&SubRecord::Instance(InstanceDump { values, ..r.clone() }), id, layouts));
        }
        SubRecord::Instance(_) => PiecewiseContents::Raw(contents.plain()),
        SubRecord::ObjectArray(_) => PiecewiseContents::Elements(contents.spelled(Identifiers(id.bytes()))),
        _ => PiecewiseContents::Primitives(contents.plain()),
    };
    let head = object(sub_record, id, layouts);
    Ok(head.map(|object| Object { contents: Contents::Long(long), ..object }))
}

/// The identifiers in a piece of an object array.
pub fn ids(elements: &[u8], id: IdSize) -> impl Iterator<Item = Address> + '_ {
    elements.chunks_exact(id.bytes()).map(|chunk| Address(chunk.iter().fold(0, |value, b| value << 8 | u64::from(*b))))
}
