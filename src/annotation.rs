//! A byte map's entries, the same for every format.

use crate::bytes::stop::Stop;
use crate::bytes::{Cursor, FieldSpan};

/// A field of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation<'a> {
    /// Offset of its first byte, in the decompressed stream.
    pub offset: u64,
    /// Its bytes; of long contents, a piece of them.
    pub bytes: &'a [u8],
    /// Index of its record; `None` where it belongs to none.
    pub record: Option<u64>,
    /// Field name.
    pub name: &'static str,
    /// Its value, if it is a number: sign-extended where the format says signed.
    pub value: Option<i64>,
    /// What it means here.
    pub meaning: String,
}

impl<'a> Annotation<'a> {
    /// The field of a span in a slice that begins at `base`.
    pub(crate) fn of(span: &FieldSpan, bytes: &'a [u8], base: u64, record: Option<u64>, meaning: String) -> Self {
        Annotation {
            offset: base + span.at.start as u64,
            bytes: &bytes[span.at.clone()],
            record,
            name: span.name,
            value: span.value,
            meaning,
        }
    }
}

/// The fields of bytes that have been decoded once already.
pub(crate) fn spans(
    bytes: &[u8],
    read: impl FnOnce(&mut Cursor<'_, &mut Vec<FieldSpan>>) -> Result<(), Stop>,
) -> Vec<FieldSpan> {
    let mut spans = Vec::new();
    let mut cursor = Cursor::new(bytes, &mut spans);
    let again = read(&mut cursor);
    debug_assert!(again.is_ok(), "these bytes were decoded before");
    spans
}
