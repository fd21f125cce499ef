//! Sub-records.

use std::borrow::Cow;
use std::mem::ManuallyDrop;

use crate::bytes::field_error::{FieldError, bad_field};
use crate::bytes::{Cursor, FieldTrace, IncompleteField};
use crate::hprof::book;
use crate::hprof::sub_record::{ArrayHead, ClassDump, InstanceDump, ObjectArrayDump, PrimitiveArrayDump, SubRecord};
use crate::hprof::tags::SubRecordTag;
use crate::hprof::wire::type_of_code;
use crate::model::{Address, FieldType, Serial, TextId, Value};

use super::{UNIT, WHOLE, flat};

/// Reads one sub-record of a dump with identifiers of `I` bytes, in a segment that has `left` bytes from here on, and
/// calls `then` with it and with the number of bytes of its contents that the slice does not have.
///
/// This and the kinds below are inlined by force, and each kind is handed on by itself: as a value that may be any kind,
/// every sub-record would be copied through memory. Only a CLASS DUMP owns anything; asking the others whether they do
/// takes as long as reading them.
#[inline(always)]
pub(crate) fn sub_record<'a, T: FieldTrace, const I: usize, R>(
    c: &mut Cursor<'a, T>,
    left: u64,
    mut then: impl FnMut(&SubRecord<'a>, u64, usize) -> R,
) -> Result<R, FieldError> {
    let at = c.position();
    let tag = SubRecordTag(c.u8("sub-record tag")?);
    let (what, rest) = match tag {
        SubRecordTag::INSTANCE_DUMP => {
            let (dump, rest) = instance_dump::<T, I>(c, left)?;
            let what = ManuallyDrop::new(SubRecord::Instance(dump));
            return Ok(then(&what, rest, c.position()));
        }
        SubRecordTag::OBJECT_ARRAY_DUMP => {
            let (dump, rest) = object_array_dump::<T, I>(c, left)?;
            let what = ManuallyDrop::new(SubRecord::ObjectArray(dump));
            return Ok(then(&what, rest, c.position()));
        }
        SubRecordTag::PRIMITIVE_ARRAY_DUMP => {
            let (dump, rest) = primitive_array_dump::<T, I>(c, left)?;
            let what = ManuallyDrop::new(SubRecord::PrimitiveArray(dump));
            return Ok(then(&what, rest, c.position()));
        }
        SubRecordTag::CLASS_DUMP => (SubRecord::Class(class_dump::<T, I>(c)?), 0),
        SubRecordTag::PRIMITIVE_ARRAY_NO_DATA_DUMP => (SubRecord::NoDataArray(array_head::<T, I>(c)?), 0),
        _ => match tag.form().filter(|form| !form.fields.is_empty()) {
            Some(form) => (SubRecord::from_values(form, flat(c, I, form.fields)?), 0),
            None => return Err(unknown_tag(at, tag)),
        },
    };
    Ok(then(&what, rest, c.position()))
}

fn class_dump<T: FieldTrace, const I: usize>(c: &mut Cursor<'_, T>) -> Result<ClassDump, FieldError> {
    let mut class = ClassDump {
        id: Address(id::<T, I>(c, "class object id")?),
        trace: trace(c)?,
        superclass: Address(id::<T, I>(c, "super class object id")?),
        loader: Address(id::<T, I>(c, "class loader object id")?),
        signers: Address(id::<T, I>(c, "signers object id")?),
        protection_domain: Address(id::<T, I>(c, "protection domain object id")?),
        reserved: [id::<T, I>(c, "reserved")?, id::<T, I>(c, "reserved")?],
        instance_size: c.u32("instance size")?,
        ..ClassDump::default()
    };
    for _ in 0..c.u16("size of constant pool")? {
        let index = c.u16("constant pool index")?;
        let kind = basic_type(c, "type of entry")?;
        class.constant_pool.push((index, value::<T, I>(c, kind, "value of entry")?));
    }
    for _ in 0..c.u16("number of static fields")? {
        let name = TextId(id::<T, I>(c, "static field name string id")?);
        let kind = basic_type(c, "type of field")?;
        class.statics.push((name, value::<T, I>(c, kind, "value of field")?));
    }
    for _ in 0..c.u16("number of instance fields")? {
        let name = TextId(id::<T, I>(c, "field name string id")?);
        class.fields.push((name, basic_type(c, "type of field")?));
    }
    Ok(class)
}

#[inline(always)]
fn instance_dump<'a, T: FieldTrace, const I: usize>(
    c: &mut Cursor<'a, T>,
    left: u64,
) -> Result<(InstanceDump<'a>, u64), FieldError> {
    let id = Address(self::id::<T, I>(c, "object id")?);
    let trace = trace(c)?;
    let class = Address(self::id::<T, I>(c, "class object id")?);
    let length = c.u32("number of bytes that follow")?;
    let (values, rest) = contents(c, "field values", u64::from(length), left)?;
    Ok((InstanceDump { id, trace, class, length, values }, rest))
}

#[inline(always)]
fn object_array_dump<'a, T: FieldTrace, const I: usize>(
    c: &mut Cursor<'a, T>,
    left: u64,
) -> Result<(ObjectArrayDump<'a>, u64), FieldError> {
    let id = Address(self::id::<T, I>(c, "array object id")?);
    let trace = trace(c)?;
    let length = c.u32("number of elements")?;
    let class = Address(self::id::<T, I>(c, "array class object id")?);
    let (elements, rest) = contents(c, "element", u64::from(length) * I as u64, left)?;
    Ok((ObjectArrayDump { id, trace, length, class, elements }, rest))
}

#[inline(always)]
fn primitive_array_dump<'a, T: FieldTrace, const I: usize>(
    c: &mut Cursor<'a, T>,
    left: u64,
) -> Result<(PrimitiveArrayDump<'a>, u64), FieldError> {
    let head = array_head::<T, I>(c)?;
    let size = head.element.size();
    let (elements, rest) = contents(c, "elements", u64::from(head.length) * size, left)?;
    Ok((PrimitiveArrayDump { head, elements }, rest))
}

#[inline(always)]
fn array_head<T: FieldTrace, const I: usize>(c: &mut Cursor<'_, T>) -> Result<ArrayHead, FieldError> {
    let id = Address(self::id::<T, I>(c, "array object id")?);
    let trace = trace(c)?;
    let length = c.u32("number of elements")?;
    let at = c.position();
    let code = c.u8("element type")?;
    match type_of_code(code) {
        Some(FieldType::Primitive(element)) => Ok(ArrayHead { id, trace, length, element }),
        _ => Err(no_primitive_type(at, code)),
    }
}

/// Contents of this number of bytes, or the first of them: what is beyond [`WHOLE`] is left to be delivered in
/// pieces of whole [`UNIT`]s.
#[inline(always)]
fn contents<'a, T: FieldTrace>(
    c: &mut Cursor<'a, T>,
    field: &'static str,
    length: u64,
    left: u64,
) -> Result<(Cow<'a, [u8]>, u64), FieldError> {
    let at = c.position();
    if at as u64 + length > left {
        return Err(beyond_the_segment(field, at, length, left));
    }
    if length <= WHOLE as u64 {
        return Ok((Cow::Borrowed(c.bytes(field, length as usize)?), 0));
    }
    let have = c.remaining().len().min(WHOLE);
    let taken = c.bytes(field, have - have % UNIT)?;
    Ok((Cow::Borrowed(taken), length - taken.len() as u64))
}

#[cold]
fn beyond_the_segment(field: &'static str, at: usize, length: u64, left: u64) -> FieldError {
    let expected = format!("{length} bytes of contents inside the segment");
    let found = format!("{} bytes to its end", left.saturating_sub(at as u64));
    bad_field(book::SUB_RECORD_OVERRUN, field, at, expected, found)
}

#[cold]
fn no_primitive_type(at: usize, code: u8) -> FieldError {
    bad_field(book::TYPE_CODE, "element type", at, "a primitive type, 4 to 11", code.to_string())
}

#[cold]
fn unknown_tag(at: usize, tag: SubRecordTag) -> FieldError {
    let expected = format!("the tag of a sub-record: {}, or one of Android's", SubRecordTag::listed());
    bad_field(book::SUB_RECORD_TAG, "sub-record tag", at, expected, format!("{:#04x}", tag.0))
}

fn value<T: FieldTrace, const I: usize>(
    c: &mut Cursor<'_, T>,
    kind: FieldType,
    field: &'static str,
) -> Result<Value, IncompleteField> {
    let bytes = match kind {
        FieldType::Object => I,
        FieldType::Primitive(kind) => kind.size() as usize,
    };
    Ok(Value { kind, bits: c.unsigned(field, bytes)? })
}

fn basic_type<T: FieldTrace>(c: &mut Cursor<'_, T>, field: &'static str) -> Result<FieldType, FieldError> {
    let at = c.position();
    let code = c.u8(field)?;
    type_of_code(code).ok_or_else(|| bad_field(book::TYPE_CODE, field, at, "a type: 2, or 4 to 11", code.to_string()))
}

#[inline(always)]
fn id<T: FieldTrace, const I: usize>(c: &mut Cursor<'_, T>, field: &'static str) -> Result<u64, IncompleteField> {
    c.unsigned(field, I)
}

#[inline(always)]
fn trace<T: FieldTrace>(c: &mut Cursor<'_, T>) -> Result<Serial, IncompleteField> {
    c.u32("stack trace serial number").map(Serial)
}
