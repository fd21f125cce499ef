//! Sub-records of objects.

use std::borrow::Cow;

use crate::error::LowerError;
use crate::hprof::encode;
use crate::hprof::sub_record::{ArrayHead, InstanceDump, ObjectArrayDump, PrimitiveArrayDump, SubRecord};
use crate::hprof::wire::IdSize;
use crate::model::{Address, Contents, Object, ObjectKind, Serial};

/// The sub-record of an object whose contents are held; `contents` is room for them.
pub(super) fn object_sub_record<'o>(
    id: IdSize,
    object: &'o Object,
    contents: &'o mut Vec<u8>,
) -> Result<SubRecord<'o>, LowerError> {
    contents.clear();
    let (class, trace) = (object.class.unwrap_or_default(), object.trace.unwrap_or_default());
    let length = object.length.unwrap_or_default() as u32;
    let head = |element| ArrayHead { id: object.address, trace, length, element };
    Ok(match (object.kind, &object.contents) {
        (ObjectKind::Instance, Contents::Raw(raw)) => instance(object.address, trace, class, raw)?,
        (ObjectKind::Instance, stored) => {
            if let Contents::Fields(values) = stored {
                values.iter().for_each(|value| encode::put_value(contents, id, *value));
            }
            instance(object.address, trace, class, contents)?
        }
        (ObjectKind::ObjectArray, stored) => {
            if let Contents::Elements(elements) = stored {
                elements.iter().for_each(|to| encode::put_id(contents, id, to.0));
            }
            let elements = Cow::Borrowed(contents.as_slice());
            SubRecord::ObjectArray(ObjectArrayDump { id: object.address, trace, length, class, elements })
        }
        (ObjectKind::PrimitiveArray(element), Contents::Primitives(bytes)) => {
            let elements = Cow::Borrowed(bytes.as_slice());
            SubRecord::PrimitiveArray(PrimitiveArrayDump { head: head(element), elements })
        }
        (ObjectKind::PrimitiveArray(element), _) => SubRecord::NoDataArray(head(element)),
    })
}

fn instance(id: Address, trace: Serial, class: Address, values: &[u8]) -> Result<SubRecord<'_>, LowerError> {
    let length = instance_length(id, values.len() as u64)?;
    Ok(SubRecord::Instance(InstanceDump { id, trace, class, length, values: Cow::Borrowed(values) }))
}

/// The length of an instance's field values, which has 32 bits.
pub(super) fn instance_length(id: Address, count: u64) -> Result<u32, LowerError> {
    let (what, limit) = ("the number of field bytes", u64::from(u32::MAX));
    u32::try_from(count).map_err(|_| LowerError::OutOfRange { what, address: id, value: count, limit })
}
