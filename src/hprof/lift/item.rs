//! One class, one object.

use std::borrow::Cow;

use crate::error::Error;
use crate::model::long::{Identifiers, Stretch};
use crate::model::{
    Address, ByteLen, Class, Contents, Field, Long, Name, Object, ObjectKind, PoolEntry, Static, TextId,
};

use super::super::sub_record::{ClassDump, InstanceDump, SubRecord};
use super::super::wire::IdSize;
use super::layout::Layouts;
use super::names::Log;

/// The class of a CLASS DUMP. What has no name in the string table gets an empty one.
pub fn class(dump: &ClassDump, log: &Log, heap: usize, after_objects: u64) -> Class {
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
pub fn object(sub_record: &SubRecord<'_>, id: IdSize, layouts: &Layouts) -> Option<Object> {
    Some(match sub_record {
        SubRecord::Instance(r) => {
            let mut values = Vec::new();
            let laid_out = layouts.visit_values(r.class, &r.values, |value| values.push(value));
            let contents = if laid_out { Contents::Fields(values) } else { Contents::Raw(r.values.to_vec()) };
            let object = Object::new(r.id, ObjectKind::Instance);
            Object { class: Some(r.class), trace: Some(r.trace), contents, ..object }
        }
        SubRecord::ObjectArray(r) => Object {
            class: Some(r.class),
            length: Some(u64::from(r.length)),
            trace: Some(r.trace),
            contents: Contents::Elements(ids(&r.elements, id).collect()),
            ..Object::new(r.id, ObjectKind::ObjectArray)
        },
        SubRecord::PrimitiveArray(r) => Object {
            length: Some(u64::from(r.head.length)),
            trace: Some(r.head.trace),
            contents: Contents::Primitives(r.elements.to_vec()),
            ..Object::new(r.head.id, ObjectKind::PrimitiveArray(r.head.element))
        },
        SubRecord::NoDataArray(head) => Object {
            length: Some(u64::from(head.length)),
            trace: Some(head.trace),
            ..Object::new(head.id, ObjectKind::PrimitiveArray(head.element))
        },
        _ => return None,
    })
}

/// The object of a sub-record whose contents are too long to be held.
///
/// # Errors
/// What reading contents runs into: the values of fields are held, since there are no more than classes have fields.
pub fn long_object(
    sub_record: &SubRecord<'_>,
    contents: &Stretch,
    id: IdSize,
    layouts: &Layouts,
) -> Result<Option<Object>, Error> {
    let long = match sub_record {
        SubRecord::Instance(r) if layouts.bytes_of(r.class) == Some(contents.length()) => {
            let values = Cow::Owned(contents.plain().collect()?);
            return Ok(object(&SubRecord::Instance(InstanceDump { values, ..r.clone() }), id, layouts));
        }
        SubRecord::Instance(_) => Long::Raw(contents.plain()),
        SubRecord::ObjectArray(_) => Long::Elements(contents.spelled(Identifiers(id.bytes()))),
        _ => Long::Primitives(contents.plain()),
    };
    let head = object(sub_record, id, layouts);
    Ok(head.map(|object| Object { contents: Contents::Long(long), ..object }))
}

/// The identifiers in a piece of an object array.
pub fn ids(elements: &[u8], id: IdSize) -> impl Iterator<Item = Address> + '_ {
    elements.chunks_exact(id.bytes()).map(|chunk| Address(chunk.iter().fold(0, |value, b| value << 8 | u64::from(*b))))
}
