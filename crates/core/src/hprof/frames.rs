//! Records as their lengths delimit them, without reading what is in them.

use crate::draw::Draw;
use crate::family::{PassedOver, StatedLength};

use super::tags::RecordTag;

/// The zero byte after the version, the size of identifiers and the time.
const AFTER_TEXT: usize = 1 + 4 + 8;
/// Tag, time, length (S3, Record).
const HEADER: usize = 1 + 4 + 4;
/// The offset of the length in it.
const LENGTH: usize = 1 + 4;

/// The lengths of all records, as far as one leads to the next.
pub(super) fn lengths(dump: &[u8]) -> Vec<StatedLength> {
    let mut found = Vec::new();
    let Some(end) = dump.iter().position(|byte| *byte == 0) else { return found };
    let mut record = end + AFTER_TEXT;
    while let Some(stated) = dump.get(record + LENGTH..record + HEADER).and_then(|bytes| bytes.try_into().ok()) {
        let begin = record + HEADER;
        let finish = begin.saturating_add(u32::from_be_bytes(stated) as usize);
        found.push(StatedLength { at: record + LENGTH, of: begin..finish.min(dump.len()) });
        record = finish;
    }
    found
}

/// The dump without the record, other than a dump record, in which an offset is.
pub(super) fn drop_record(dump: &[u8], offset: u64) -> Option<PassedOver> {
    let StatedLength { at, of } = lengths(dump).into_iter().rfind(|record| record.of.start as u64 <= offset)?;
    let begin = at - LENGTH;
    let facets = RecordTag(dump[begin]).facets();
    let stated = u32::from_be_bytes(dump[at..of.start].try_into().ok()?);
    let is_whole = of.len() as u64 == u64::from(stated) && offset <= of.end as u64;
    (is_whole && !facets.is_empty()).then(|| PassedOver { dump: [&dump[..begin], &dump[of.end..]].concat(), facets })
}

/// The dump with all its dump records as segments of one heap, and without a HEAP DUMP END before the last of them.
pub(super) fn join_heaps(dump: &[u8]) -> Vec<u8> {
    let records = lengths(dump);
    let of_heaps = [RecordTag::HEAP_DUMP, RecordTag::HEAP_DUMP_SEGMENT];
    let of_heap = |record: &&StatedLength| of_heaps.contains(&RecordTag(dump[record.at - LENGTH]));
    let last = records.iter().rfind(of_heap).map_or(0, |record| record.at);
    let (mut joined, mut from) = (Vec::with_capacity(dump.len()), 0);
    for record in &records {
        let (begin, tag) = (record.at - LENGTH, RecordTag(dump[record.at - LENGTH]));
        if tag == RecordTag::HEAP_DUMP {
            joined.extend_from_slice(&dump[from..begin]);
            joined.push(RecordTag::HEAP_DUMP_SEGMENT.0);
            from = begin + 1;
        } else if tag == RecordTag::HEAP_DUMP_END && record.at < last {
            joined.extend_from_slice(&dump[from..begin]);
            from = record.of.end;
        }
    }
    joined.extend_from_slice(&dump[from..]);
    joined
}

/// The dump with a heap more, which has the first sub-records of one of its dump records: as a HEAP DUMP or as a segment with its
/// HEAP DUMP END, before the first heap or after all records.
pub(super) fn another_heap(dump: &[u8], starts: &[usize], draw: &mut dyn Draw) -> Option<Vec<u8>> {
    let of_heaps = [RecordTag::HEAP_DUMP, RecordTag::HEAP_DUMP_SEGMENT];
    let heaps: Vec<StatedLength> =
        lengths(dump).into_iter().filter(|record| of_heaps.contains(&RecordTag(dump[record.at - LENGTH]))).collect();
    let first = heaps.first()?.at - LENGTH;
    let StatedLength { of, .. } = draw.pick(&heaps);
    let ends: Vec<usize> = starts.iter().copied().filter(|start| of.contains(start)).chain([of.end]).collect();
    let objects = &dump[of.start..*draw.pick(&ends)];
    let record =
        |tag: RecordTag, body: &[u8]| [&[tag.0, 0, 0, 0, 0], &(body.len() as u32).to_be_bytes()[..], body].concat();
    let heap = match draw.one_in(2) {
        true => record(RecordTag::HEAP_DUMP, objects),
        false => [record(RecordTag::HEAP_DUMP_SEGMENT, objects), record(RecordTag::HEAP_DUMP_END, &[])].concat(),
    };
    let place = if draw.one_in(2) { first } else { dump.len() };
    Some([&dump[..place], &heap, &dump[place..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment and its HEAP DUMP END, a string, and a HEAP DUMP with an END after it, which is the last.
    #[test]
    fn joins_heaps_up_to_last_end() {
        let header = b"JAVA PROFILE 1.0.2\0\0\0\0\x04\0\0\0\0\0\0\0\0";
        let root = b"\xff\0\0\x10\0";
        let text = b"\x01\0\0\0\0\0\0\0\x05\0\0\0\x01A";
        let record = |tag: u8, body: &[u8]| [&[tag, 0, 0, 0, 7, 0, 0, 0, body.len() as u8][..], body].concat();
        let dump =
            [&header[..], &record(0x1c, root), &record(0x2c, b""), text, &record(0x0c, root), &record(0x2c, b"")];
        let due = [&header[..], &record(0x1c, root), text, &record(0x1c, root), &record(0x2c, b"")];
        assert_eq!(join_heaps(&dump.concat()), due.concat());
        let open = [&header[..], &record(0x1c, root), &record(0x2c, b""), &record(0x0c, root)];
        let due = [&header[..], &record(0x1c, root), &record(0x1c, root)];
        assert_eq!(join_heaps(&open.concat()), due.concat());
        assert_eq!(join_heaps(b"JAVA"), b"JAVA");
    }
}
