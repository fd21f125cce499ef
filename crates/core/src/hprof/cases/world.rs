//! The place of an ordinary world in a dump: its log after the header, its classes and roots at the start of each heap.

use crate::family::case::{Insertion, JoinedDump, WorldJoin, WorldRecords};

pub(in crate::hprof) const WORLD: WorldJoin = WorldJoin { layout, join };

/// The size of identifiers.
fn layout(dump: &[u8]) -> Option<&'static str> {
    let size = dump.get(header_end(dump)? - 12..)?.first_chunk()?;
    match u32::from_be_bytes(*size) {
        4 => Some("identifiers of 4 bytes"),
        8 => Some("identifiers of 8 bytes"),
        _ => None,
    }
}

/// Where the header ends: a size and a time stamp follow the zero byte of its text.
fn header_end(dump: &[u8]) -> Option<usize> {
    let zero = dump.iter().position(|byte| *byte == 0)?;
    (dump.len() >= zero + 13).then_some(zero + 13)
}

fn join(dump: &[u8], world: &WorldRecords) -> Option<JoinedDump> {
    let header = header_end(dump)?;
    let (mut own, mut frame) = (dump.to_vec(), Vec::new());
    let mut heaps = HeapStarts::in_dump(dump, header);
    if heaps.first.is_empty() && heaps.is_whole {
        frame = world.frame.concat();
        own.extend(&frame);
        heaps = HeapStarts::in_dump(&own, header);
    }
    let (log, heap) = (world.log.concat(), world.heap.concat());
    let mut insertions = vec![Insertion { offset: header, length: log.len(), records: world.log.len() as u64 }];
    for body in heaps.first.iter().filter(|_| frame.is_empty()) {
        insertions.push(Insertion { offset: *body, length: heap.len(), records: world.heap.len() as u64 });
    }
    if !frame.is_empty() {
        let records = (world.frame.len() + world.heap.len()) as u64;
        insertions.push(Insertion { offset: dump.len(), length: frame.len() + heap.len(), records });
    }
    // From the last place to the first one, so that the offsets stay right.
    for body in heaps.first.iter().rev() {
        let length = own.get(body - 4..)?.first_chunk()?;
        let longer = u32::from_be_bytes(*length).checked_add(u32::try_from(heap.len()).ok()?)?;
        own.get_mut(body - 4..*body)?.copy_from_slice(&longer.to_be_bytes());
        own.splice(*body..*body, heap.iter().copied());
    }
    own.splice(header..header, log);
    Some(JoinedDump { bytes: own, insertions, is_in_front: true, log_records: heaps.log_records })
}

/// The heaps of a dump, as far as its records can be told apart.
#[derive(Default)]
struct HeapStarts {
    /// Where the body of the first dump record of each heap begins.
    first: Vec<usize>,
    /// The log records of each heap in front of it.
    log_records: Vec<usize>,
    /// Whether the last record ends with the dump.
    is_whole: bool,
}

impl HeapStarts {
    fn in_dump(dump: &[u8], header: usize) -> HeapStarts {
        let (mut heaps, mut record, mut log_records, mut is_open) = (HeapStarts::default(), header, 0, false);
        while let Some([tag, _, _, _, _, length @ ..]) = dump.get(record..).and_then(|rest| rest.first_chunk::<9>()) {
            let body = record + 9;
            match tag {
                0x1c if is_open => {}
                0x0c | 0x1c => {
                    // A HEAP DUMP ends the segments in front of it; the log since they began is that of their heap.
                    heaps.log_records.push(if is_open { 0 } else { log_records });
                    heaps.first.push(body);
                    (is_open, log_records) = (*tag == 0x1c, 0);
                }
                0x2c => (is_open, log_records) = (false, 0),
                _ => log_records += 1,
            }
            record = body + u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
        }
        heaps.is_whole = record == dump.len();
        heaps
    }
}
