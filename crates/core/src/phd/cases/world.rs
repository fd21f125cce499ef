//! The place of an ordinary world in a dump: its classes in front of the end tag. They come last, since the gap of a record
//! counts from the record before it.

use crate::family::case::{Insertion, JoinedDump, WorldJoin, WorldRecords};

pub(in crate::phd) const WORLD: WorldJoin = WorldJoin { layout, join };

/// The word size, and whether every record has a hash: the two low bits of the flags that count.
fn layout(dump: &[u8]) -> Option<&'static str> {
    // Without flag 4, gaps are in units of 8 bytes.
    let flags = *dump.get(27).filter(|flags| **flags & 4 != 0)?;
    match (flags & 1, flags & 2) {
        (0, 0) => Some("words of 32 bits"),
        (0, _) => Some("words of 32 bits, hashes of 16"),
        (_, 0) => Some("words of 64 bits"),
        _ => None,
    }
}

fn join(dump: &[u8], world: &WorldRecords) -> Option<JoinedDump> {
    let (end, own) = dump.split_last().filter(|(end, _)| **end == 3)?;
    let mut preceding = world.last_address.unwrap_or_default();
    let mut bytes = own.to_vec();
    for (record, address) in world.heap.iter().zip(&world.addresses) {
        // The gap follows the tag and the flags, in units of 4 bytes; the flags have its width in their two top bits.
        let units = (address.wrapping_sub(preceding) as i64) / 4;
        let width = 1_usize << (record.get(1)? >> 6);
        let (gap, fits) = (units.to_be_bytes(), units == units << (64 - 8 * width) >> (64 - 8 * width));
        let mut record = record.clone();
        record.get_mut(2..2 + width).filter(|_| fits)?.copy_from_slice(gap.get(8 - width..)?);
        bytes.extend(record);
        preceding = *address;
    }
    let put = Insertion { offset: own.len(), length: bytes.len() - own.len(), records: world.heap.len() as u64 };
    bytes.push(*end);
    Some(JoinedDump { bytes, insertions: vec![put], is_in_front: false, log_records: Vec::new() })
}
