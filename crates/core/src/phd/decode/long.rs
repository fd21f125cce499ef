//! Records with more references than are held: what stands on both sides of them, and where they are.

use std::io::{self, Read};

use crate::bytes::field_error::{refill, truncated};
use crate::bytes::{Cursor, NoTrace};
use crate::error::{DecodeError, Error, Problem};
use crate::model::long::{Spool, SpoolEntry, StoredBytes};
use crate::phd::book;
use crate::phd::record::{LongObject, ObjectArray, Record, ReferenceList};
use crate::phd::wire::{Units, Width, record_tag};

use super::{Decoder, long_object_head, object_array_head, object_array_tail};

/// A whole record at an offset without its references, and those, if it is of a kind that may have any number of them.
#[cold]
pub(super) fn detach_references(
    record: &Record<'_>,
    offset: u64,
    bytes: &[u8],
    spool: &mut Spool,
) -> Result<(Record<'static>, Option<StoredBytes>), DecodeError> {
    let (head, references, tail) = match record {
        Record::Long(r) => {
            let references = ReferenceList::none(r.references.width);
            (Record::Long(LongObject { references, ..r.clone() }), &r.references, 0)
        }
        Record::ObjectArray(r) => {
            let references = ReferenceList::none(r.references.width);
            let tail = 4 * (usize::from(r.length.is_some()) + usize::from(r.size_words.is_some()));
            (Record::ObjectArray(ObjectArray { references, ..r.clone() }), &r.references, tail)
        }
        _ => return Ok((record.clone().into_owned(), None)),
    };
    let listed = &references.bytes[..];
    let at = offset + (bytes.len() - tail - listed.len()) as u64;
    let stretch = match spool.in_place(at, listed.len() as u64) {
        Some(original) => original,
        None => {
            let filled = spool.begin().and_then(|mut filling| spool.append(&mut filling, listed).map(|()| filling));
            let failed = |e| DecodeError::new(book::FILE_TRUNCATED, at, "reference", Problem::Io(e));
            spool.finish(filled.map_err(failed)?)
        }
    };
    Ok((head.into_owned(), Some(stretch)))
}

/// Calls `visit` with each distance of references that are not held.
#[cold]
pub(super) fn visit_distances(
    long: &StoredBytes,
    width: Width,
    offset: u64,
    visit: &mut dyn FnMut(Units),
) -> Result<(), DecodeError> {
    let read = long.plain().visit(|bytes| {
        ReferenceList { width, bytes: bytes.into() }.for_each(&mut *visit);
        Ok(())
    });
    read.map_err(|error| {
        let source = match error {
            Error::Io { source, .. } => source,
            other => io::Error::other(other),
        };
        DecodeError::new(book::FILE_TRUNCATED, offset, "reference", Problem::Io(source))
    })
}

impl<R: Read> Decoder<R> {
    /// The record at the front of the window, without its references, if it has too many of them to be held.
    #[cold]
    pub(super) fn long_record(
        &mut self,
        spool: &mut Spool,
    ) -> Result<Option<(Record<'static>, StoredBytes)>, DecodeError> {
        let mut cursor = Cursor::new(self.window.bytes(), NoTrace);
        let Ok(tag) = cursor.u8("tag") else { return Ok(None) };
        let head = match tag {
            record_tag::LONG_OBJECT => {
                long_object_head(&mut cursor, self.layout).map(|(record, count)| (Record::Long(record), count))
            }
            record_tag::OBJECT_ARRAY | record_tag::NEW_OBJECT_ARRAY => {
                object_array_head(&mut cursor, self.layout).map(|(record, count)| (Record::ObjectArray(record), count))
            }
            _ => return Ok(None),
        };
        // What is wrong with a head, the usual way finds as well.
        let Ok((mut record, count)) = head else { return Ok(None) };
        if u64::from(count) * 8 <= spool.held() as u64 {
            return Ok(None);
        }
        let Some(width) = record.references().map(|references| references.width.bytes() as u64) else {
            return Ok(None);
        };
        let used = cursor.position();
        self.window.consume(used);
        let stretch = self.references(u64::from(count) * width, spool)?;
        if let Record::ObjectArray(array) = &mut record {
            (array.length, array.size_words) = loop {
                let mut cursor = Cursor::new(self.window.bytes(), NoTrace);
                match object_array_tail(&mut cursor, self.layout, tag) {
                    Ok(tail) => {
                        let used = cursor.position();
                        self.window.consume(used);
                        break tail;
                    }
                    Err(short) => {
                        if !refill(&mut self.window, book::FILE_TRUNCATED)? {
                            let (at, have) = (self.window.offset(), self.window.bytes().len());
                            return Err(self.as_shrunk(truncated(book::FILE_TRUNCATED, at, have, short)));
                        }
                    }
                }
            };
        }
        Ok(Some((record, stretch)))
    }

    /// References of this number of bytes.
    fn references(&mut self, length: u64, spool: &mut Spool) -> Result<StoredBytes, DecodeError> {
        let at = self.window.offset();
        let failed = |e: io::Error| DecodeError::new(book::FILE_TRUNCATED, at, "reference", Problem::Io(e));
        let original = spool.in_place(at, length);
        let mut filling: Option<SpoolEntry> = match original {
            Some(_) => None,
            None => Some(spool.begin().map_err(failed)?),
        };
        let mut left = length;
        while left > 0 {
            let bytes = self.window.bytes();
            let have = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            if have == 0 {
                if !refill(&mut self.window, book::FILE_TRUNCATED)? {
                    let problem = Problem::Truncated { needed: length, available: length - left };
                    return Err(self.as_shrunk(DecodeError::new(book::FILE_TRUNCATED, at, "reference", problem)));
                }
                continue;
            }
            if let Some(filling) = &mut filling {
                spool.append(filling, &bytes[..have]).map_err(failed)?;
            }
            self.window.consume(have);
            left -= have as u64;
        }
        Ok(match (original, filling) {
            (Some(original), _) => original,
            (None, Some(filling)) => spool.finish(filling),
            (None, None) => unreachable!("contents are in one of the two"),
        })
    }

    /// The error of a file that ends too early: of one that was longer when it was opened, it is another.
    fn as_shrunk(&self, error: DecodeError) -> DecodeError {
        let length = self.window.offset() + self.window.bytes().len() as u64;
        match self.declared.filter(|&opened| length < opened) {
            Some(opened) => DecodeError::new(book::FILE_TRUNCATED, length, error.field(), Problem::Shrunk { opened }),
            None => error,
        }
    }
}
