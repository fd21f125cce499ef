//! Counts that announce more than there is.

use std::io::Read;

use crate::error::{DecodeError, Error};
use crate::family::{Opener, Reliance};
use crate::hprof::rules;
use crate::hprof::wire::{IdSize, size_of, type_of_code};

use super::marks::RecordStart;

/// The count in front of contents that are longer than their record. Of a product that is cut to 32 bits, or a count that
/// is taken for a negative one, a reader may find nothing wrong.
pub(super) fn announced_count(opener: &Opener, id: IdSize, error: &DecodeError) -> Result<Option<Reliance>, Error> {
    if ![rules::SUB_RECORD_OVERRUN, rules::RECORD_LENGTH].contains(&error.rule()) {
        return Ok(None);
    }
    // Between the count and the contents of an array stands its class or the type of its elements.
    let (between, size) = match error.field() {
        "element" => (id.bytes(), id.bytes()),
        "elements" => (1, 0),
        "field values" => (0, 1),
        "stack frame ids" => (0, id.bytes()),
        "sites" => (0, 25),
        "traces" => (0, 8),
        _ => return Ok(None),
    };
    let Some(offset) = error.offset().checked_sub(4 + between as u64) else { return Ok(None) };
    let failed = |e| Error::io(format!("reading {}", opener.input.name()), e);
    let mut bytes = Vec::new();
    let stream = opener.input.stream_from(offset);
    stream.and_then(|stream| stream.take(5).read_to_end(&mut bytes)).map_err(failed)?;
    let Some((count, rest)) = bytes.split_first_chunk() else { return Ok(None) };
    let count = u32::from_be_bytes(*count);
    let of_type = || rest.first().and_then(|&code| type_of_code(code)).map_or(1, |kind| size_of(kind, id));
    let size = if size == 0 { of_type() } else { size };
    let is_odd = count >> 31 == 1 || u64::from(count) * size as u64 > u64::from(u32::MAX);
    let place = RecordStart { offset, record: error.record() };
    Ok(is_odd.then(|| place.reliance(rules::RECORD_LENGTH_UNSIGNED, 0..4, None)))
}
