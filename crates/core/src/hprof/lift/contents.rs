//! Contents of records: held, in pieces, or in a spool.

use std::borrow::Cow;

use crate::error::{DecodeError, Problem};
use crate::hprof::book;
use crate::hprof::decode::RecordSlice;
use crate::hprof::record::RecordBody;
use crate::hprof::sub_record::{InstanceDump, ObjectArrayDump, PrimitiveArrayDump, SubRecord};
use crate::hprof::wire::IdSize;
use crate::model::long::{Spool, SpoolEntry, StoredBytes};

/// Whether the contents of a sub-record are too long to be held; `rest` bytes of them are still to come.
pub(super) fn is_long(found: &SubRecord<'_>, rest: u64, id: IdSize, spool: &Spool) -> bool {
    let (first, as_held) = match found {
        SubRecord::Instance(r) => (r.values.len(), 1),
        // Addresses take eight bytes in memory.
        SubRecord::ObjectArray(r) => (r.elements.len(), 8 / id.bytes() as u64),
        SubRecord::PrimitiveArray(r) => (r.elements.len(), 1),
        _ => return false,
    };
    (first as u64 + rest).saturating_mul(as_held) > spool.held() as u64
}

/// The location of contents that are too long to be held.
#[derive(Debug)]
pub(super) enum ContentsLocation {
    /// In the dump.
    Original(StoredBytes),
    /// On their way into the spool.
    Spooled(SpoolEntry),
}

impl ContentsLocation {
    pub(super) fn begin(
        spool: &mut Spool,
        offset: u64,
        first: &[u8],
        rest: u64,
    ) -> Result<ContentsLocation, DecodeError> {
        let length = first.len() as u64 + rest;
        if let Some(original) = spool.in_place(offset, length) {
            return Ok(ContentsLocation::Original(original));
        }
        let filled = spool.begin().and_then(|mut filling| spool.append(&mut filling, first).map(|()| filling));
        filled.map(ContentsLocation::Spooled).map_err(|e| failed(offset, e))
    }

    pub(super) fn append_piece(&mut self, spool: &Spool, at: &RecordSlice<'_>) -> Result<(), DecodeError> {
        match self {
            ContentsLocation::Original(_) => Ok(()),
            ContentsLocation::Spooled(filling) => spool.append(filling, at.bytes).map_err(|e| failed(at.offset, e)),
        }
    }

    pub(super) fn into_stretch(self, spool: &mut Spool) -> StoredBytes {
        match self {
            ContentsLocation::Original(stretch) => stretch,
            ContentsLocation::Spooled(filling) => spool.finish(filling),
        }
    }
}

fn failed(offset: u64, error: std::io::Error) -> DecodeError {
    DecodeError::new(book::FILE_TRUNCATED, offset, "contents", Problem::Io(error))
}

/// The bytes of a record that may come in pieces.
pub(super) fn contents<'b>(body: &'b RecordBody<'_>) -> &'b [u8] {
    match body {
        RecordBody::Text(_, bytes) | RecordBody::Unknown(_, bytes) => bytes,
        _ => &[],
    }
}

impl SubRecord<'_> {
    /// The sub-record, owning its contents.
    pub fn into_owned(self) -> SubRecord<'static> {
        let owned = |bytes: Cow<'_, [u8]>| Cow::Owned(bytes.into_owned());
        match self {
            SubRecord::Root(r) => SubRecord::Root(r),
            SubRecord::Class(r) => SubRecord::Class(r),
            SubRecord::NoDataArray(r) => SubRecord::NoDataArray(r),
            SubRecord::HeapInfo(id, name) => SubRecord::HeapInfo(id, name),
            SubRecord::Flat(form, values) => SubRecord::Flat(form, values),
            SubRecord::Instance(r) => {
                let InstanceDump { id, trace, class, length, values } = r;
                SubRecord::Instance(InstanceDump { id, trace, class, length, values: owned(values) })
            }
            SubRecord::ObjectArray(r) => {
                let ObjectArrayDump { id, trace, length, class, elements } = r;
                SubRecord::ObjectArray(ObjectArrayDump { id, trace, length, class, elements: owned(elements) })
            }
            SubRecord::PrimitiveArray(r) => {
                SubRecord::PrimitiveArray(PrimitiveArrayDump { head: r.head, elements: owned(r.elements) })
            }
        }
    }

    /// The sub-record without its contents, and the contents.
    pub(super) fn split_contents(&self) -> (SubRecord<'static>, &[u8]) {
        let none = || Cow::Borrowed(&[][..]);
        match self {
            SubRecord::Instance(InstanceDump { id, trace, class, length, values }) => {
                let head = InstanceDump { id: *id, trace: *trace, class: *class, length: *length, values: none() };
                (SubRecord::Instance(head), values)
            }
            SubRecord::ObjectArray(ObjectArrayDump { id, trace, length, class, elements }) => {
                let head = ObjectArrayDump { id: *id, trace: *trace, length: *length, class: *class, elements: none() };
                (SubRecord::ObjectArray(head), elements)
            }
            SubRecord::PrimitiveArray(PrimitiveArrayDump { head, elements }) => {
                (SubRecord::PrimitiveArray(PrimitiveArrayDump { head: *head, elements: none() }), elements)
            }
            other => (other.clone().into_owned(), &[]),
        }
    }

    /// Adds a piece to the contents.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        match self {
            SubRecord::Instance(r) => r.values.to_mut().extend_from_slice(bytes),
            SubRecord::ObjectArray(r) => r.elements.to_mut().extend_from_slice(bytes),
            SubRecord::PrimitiveArray(r) => r.elements.to_mut().extend_from_slice(bytes),
            _ => {}
        }
    }
}
