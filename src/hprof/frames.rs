//! The lengths of records, found without reading what is in them.

use crate::family::StatedLength;

/// The zero byte after the version, the size of identifiers and the time.
const AFTER_TEXT: usize = 1 + 4 + 8;
/// Tag, time, length (S3, Record).
const HEADER: usize = 1 + 4 + 4;

/// The lengths of all records, as far as one leads to the next.
pub(super) fn lengths(dump: &[u8]) -> Vec<StatedLength> {
    let mut found = Vec::new();
    let Some(end) = dump.iter().position(|byte| *byte == 0) else { return found };
    let mut record = end + AFTER_TEXT;
    while let Some(stated) = dump.get(record + 5..record + HEADER).and_then(|bytes| bytes.try_into().ok()) {
        let begin = record + HEADER;
        let finish = begin.saturating_add(u32::from_be_bytes(stated) as usize);
        found.push(StatedLength { at: record + 5, of: begin..finish.min(dump.len()) });
        record = finish;
    }
    found
}
