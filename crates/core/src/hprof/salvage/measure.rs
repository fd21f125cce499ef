//! The lengths of records and sub-records, and how surely bytes are one.

use foldhash::HashSet;

use crate::bytes::field_error::FieldError;
use crate::bytes::{Cursor, NoTrace};
use crate::hprof::decode;
use crate::hprof::lift::InstanceLayouts;
use crate::hprof::record::{Record, RecordBody};
use crate::hprof::sub_record::SubRecord;
use crate::hprof::tags::{RecordTag, SubRecordTag};
use crate::hprof::wire::{HEAD, IdSize, type_of_code};
use crate::model::{Address, FieldType, Serial};

/// What is known of a dump's classes and addresses, once it was gone through.
#[derive(Debug)]
pub(super) struct KnownHeap {
    pub(super) layouts: InstanceLayouts,
    /// The regions in which objects lie, by the upper bits of their addresses; empty, where there are too few of them to tell.
    pub(super) regions: HashSet<u64>,
}

impl KnownHeap {
    /// The region of an address: 16 MiB of 4 GiB, or 4 GiB.
    pub(super) fn region(id: IdSize, address: Address) -> u64 {
        address.0 >> if id == IdSize::Eight { 32 } else { 24 }
    }

    /// Bits by which an address is a likelier one than one by chance.
    fn likelihood(&self, id: IdSize, address: Address) -> u32 {
        let width = if id == IdSize::Eight { 20 } else { 5 };
        if self.regions.contains(&KnownHeap::region(id, address)) { width } else { 0 }
    }
}

/// A record or sub-record as far as its place and length go.
#[derive(Debug)]
pub(super) struct Measured {
    /// Its bytes.
    pub(super) length: u64,
    pub(super) kind: MeasuredKind,
    /// How surely the bytes are one: about as many bits as chance would have to set right.
    pub(super) weight: u32,
    /// Bytes before the contents of an array or instance; its length where it has none.
    pub(super) head: u64,
}

#[derive(Debug)]
pub(super) enum MeasuredKind {
    /// A record that holds no sub-records.
    Record(RecordTag),
    /// The head of a HEAP DUMP or HEAP DUMP SEGMENT.
    Segment(SegmentHead),
    Root(Address),
    Class(MeasuredClass),
    /// An instance and its class.
    Instance(Address, Address),
    Array(Address),
    /// Android's HEAP DUMP INFO, or a flat sub-record that no heap records.
    Other,
}

/// The head of a dump record.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentHead {
    pub(super) tag: RecordTag,
    pub(super) time: u32,
    /// The length that it states.
    pub(super) stated: u32,
}

/// What a class has to do with the lengths of its instances.
#[derive(Debug)]
pub(super) struct MeasuredClass {
    pub(super) address: Address,
    pub(super) superclass: Address,
    pub(super) fields: Box<[FieldType]>,
}

/// Bytes that are no sound record or sub-record.
#[derive(Debug)]
pub(super) enum Unsound {
    /// The slice ends inside: this many bytes are wanted from the first one on.
    Incomplete(u64),
    /// The tag is none.
    Tag,
    /// A field has no legal value, or one that contradicts another.
    Field,
    /// It goes on where its segment or the dump has ended.
    Overrun,
}

/// The most bytes of a CLASS DUMP: three full lists with the widest entries.
pub(super) const LONGEST_CLASS: usize = 3 * 0xffff * 17 + 128;

/// Measures the sub-record at the front of `bytes`, in a segment that has `left` bytes from there on.
pub(super) fn measure_sub_record(
    bytes: &[u8],
    id: IdSize,
    left: u64,
    heap: Option<&KnownHeap>,
) -> Result<Measured, Unsound> {
    let layouts = heap.map(|heap| &heap.layouts);
    let width = id.bytes();
    let Some(&tag) = bytes.first() else { return Err(Unsound::Incomplete(1)) };
    let unsigned = |at: usize, size: usize| -> Result<u64, Unsound> {
        let field = bytes.get(at..at + size).ok_or(Unsound::Incomplete((at + size) as u64))?;
        Ok(field.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    };
    let address = |at: usize| unsigned(at, width).map(Address);
    let known = |class: Address, weight| match layouts {
        Some(layouts) if layouts.knows(class) => weight,
        Some(_) => 2,
        None => 4,
    };
    let contents = |head: usize, size: u64, kind, weight| {
        let length = head as u64 + size;
        let weight = weight + heap.map_or(0, |heap| heap.likelihood(id, address(1).unwrap_or_default()));
        if length > left { Err(Unsound::Overrun) } else { Ok(Measured { length, kind, weight, head: head as u64 }) }
    };
    match SubRecordTag(tag) {
        SubRecordTag::INSTANCE_DUMP => {
            let class = address(5 + width)?;
            let size = unsigned(5 + 2 * width, 4)?;
            let due = layouts.and_then(|layouts| layouts.instance_bytes(class));
            if due.is_some_and(|due| due != size) {
                return Err(Unsound::Field);
            }
            let weight = if due.is_some() { 40 } else { known(class, 24) };
            contents(9 + 2 * width, size, MeasuredKind::Instance(address(1)?, class), weight)
        }
        SubRecordTag::OBJECT_ARRAY_DUMP => {
            let (count, class) = (unsigned(5 + width, 4)?, address(9 + width)?);
            contents(9 + 2 * width, count * width as u64, MeasuredKind::Array(address(1)?), known(class, 30))
        }
        SubRecordTag::PRIMITIVE_ARRAY_DUMP | SubRecordTag::PRIMITIVE_ARRAY_NO_DATA_DUMP => {
            let count = unsigned(5 + width, 4)?;
            let Some(FieldType::Primitive(element)) = type_of_code(unsigned(9 + width, 1)? as u8) else {
                return Err(Unsound::Field);
            };
            let size = if SubRecordTag(tag) == SubRecordTag::PRIMITIVE_ARRAY_DUMP { count * element.size() } else { 0 };
            contents(10 + width, size, MeasuredKind::Array(address(1)?), 8)
        }
        _ => measure_whole(bytes, id, left, heap),
    }
}

/// Measures a root, a class or one of Android's sub-records, which the decoder reads whole.
fn measure_whole(bytes: &[u8], id: IdSize, left: u64, heap: Option<&KnownHeap>) -> Result<Measured, Unsound> {
    let likely = |address| heap.map_or(0, |heap| heap.likelihood(id, address));
    let mut cursor = Cursor::new(bytes, NoTrace);
    let then = |sub_record: &SubRecord<'_>, _, used: usize| {
        let (kind, weight) = match sub_record {
            SubRecord::Class(class) => {
                let fields = class.fields.iter().map(|(_, kind)| *kind).collect();
                let own = MeasuredClass { address: class.id, superclass: class.superclass, fields };
                let typed = class.fields.len() + class.statics.len() + class.constant_pool.len();
                // The reserved identifiers are 0 in every known dump.
                let reserved = if class.reserved == [0; 2] { 16 } else { 0 };
                (MeasuredKind::Class(own), (4 + likely(class.id) + reserved + 4 * typed as u32).min(60))
            }
            SubRecord::Root(root) => (MeasuredKind::Root(root.object), 3 + likely(root.object)),
            _ => (MeasuredKind::Other, 3),
        };
        Measured { length: used as u64, kind, weight, head: used as u64 }
    };
    let measured = match id {
        IdSize::One => decode::sub_record::<_, 1, _>(&mut cursor, left, then),
        IdSize::Two => decode::sub_record::<_, 2, _>(&mut cursor, left, then),
        IdSize::Four => decode::sub_record::<_, 4, _>(&mut cursor, left, then),
        IdSize::Eight => decode::sub_record::<_, 8, _>(&mut cursor, left, then),
    };
    match measured {
        Ok(measured) if measured.length > left => Err(Unsound::Overrun),
        Ok(measured) => Ok(measured),
        Err(FieldError::Incomplete(short)) => match short.at as u64 + short.needed {
            needed if needed > left => Err(Unsound::Overrun),
            needed => Err(Unsound::Incomplete(needed)),
        },
        Err(FieldError::Bad(bad)) if bad.place() == 0 => Err(Unsound::Tag),
        Err(FieldError::Bad(_)) => Err(Unsound::Field),
    }
}

/// The most bytes of a record outside of the heap whose fields are looked at.
pub(super) const LOOKED_AT: usize = 1 << 20;

/// Measures the record at the front of `bytes`, in a dump that has `left` bytes from there on. An unknown tag is one that a
/// reader passes over.
pub(super) fn measure_record(bytes: &[u8], id: IdSize, left: u64) -> Result<Measured, Unsound> {
    let Ok(head) = decode::head(&mut Cursor::new(bytes, NoTrace)) else { return Err(Unsound::Incomplete(HEAD as u64)) };
    let length = HEAD as u64 + u64::from(head.length);
    if head.tag.is_dump() {
        let weight = if length <= left { 12 } else { 4 };
        let kind = MeasuredKind::Segment(SegmentHead { tag: head.tag, time: head.time, stated: head.length });
        return Ok(Measured { length: HEAD as u64, kind, weight, head: HEAD as u64 });
    }
    if length > left {
        return Err(if head.tag.form().is_some() { Unsound::Overrun } else { Unsound::Tag });
    }
    let measured = |weight| Measured { length, kind: MeasuredKind::Record(head.tag), weight, head: HEAD as u64 };
    if head.tag.form().is_none() {
        return Ok(measured(0));
    }
    let looked_at = length.min(LOOKED_AT as u64);
    if (bytes.len() as u64) < looked_at {
        return Err(Unsound::Incomplete(looked_at));
    }
    let body = &bytes[..looked_at as usize];
    let text = head.tag == RecordTag::STRING_IN_UTF8;
    match decode::record(&mut Cursor::new(body, NoTrace), id, length) {
        Ok(_) if text => {
            // A text of another writer than the one that wrote the length hardly ends where the next record begins.
            let is_plain =
                body[HEAD..].iter().skip(id.bytes()).all(|byte| *byte >= 0x20 || *byte == b'\n' || *byte == b'\t');
            Ok(measured(if is_plain && head.length < 4096 { 20 } else { 4 }))
        }
        // Serial numbers of classes are above 0.
        Ok(parsed) if matches!(&parsed.what.body, RecordBody::LoadClass(load) if load.serial == Serial(0)) => {
            Err(Unsound::Field)
        }
        Ok(parsed) => {
            let Record { rest, body, .. } = &parsed.what;
            let is_end = matches!(body, RecordBody::End);
            Ok(measured(if !rest.is_empty() && !is_end { 2 } else { 36 }))
        }
        Err(FieldError::Incomplete(_)) => Err(Unsound::Field),
        Err(FieldError::Bad(_)) => Err(Unsound::Field),
    }
}
