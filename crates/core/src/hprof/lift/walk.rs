//! Items of a dump from a decoder's steps: contents put together, each item in its heap.

use std::io::Read;

use crate::bytes::Allowance;
use crate::error::DecodeError;
use crate::hprof::decode::{DecodeStep, Decoder, RecordSlice, SubRecordSkipper};
use crate::hprof::record::{Record, RecordBody};
use crate::hprof::sub_record::{ClassDump, RootRecord, SubRecord};
use crate::hprof::wire::{IdSize, RecordTag};
use crate::model::long::{Spool, StoredBytes};
use crate::model::{EventKind, Name, TextId};

use super::contents::{ContentsLocation, contents, is_long};

/// Counts the heaps of a file: a HEAP DUMP is a heap of its own, HEAP DUMP SEGMENTs up to a HEAP DUMP END (or a
/// HEAP DUMP) are one together.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeapCounter {
    begun: usize,
    open: bool,
}

/// The place of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemPlace {
    /// Index of the heap, from 0; of an item between heaps, the next one's.
    pub heap: usize,
    /// Index among all records and sub-records of the file.
    pub index: u64,
    /// Offset in the decompressed file.
    pub offset: u64,
}

/// A whole item of a dump.
#[derive(Debug)]
pub enum DumpItem<'i> {
    /// A heap begins, at this time.
    HeapBegins(u32),
    /// Another segment of the same heap.
    SegmentBegins,
    /// An entry of the process's log, with its time.
    Event(u32, EventKind),
    /// A class.
    Class(&'i ClassDump),
    /// A root.
    Root(RootRecord),
    /// The following objects belong to this part of the heap.
    Region(u32, TextId),
    /// An object; without its contents if none were asked for.
    Object(&'i SubRecord<'i>),
    /// An object whose contents are too long to be held; the sub-record has none.
    LongObject(&'i SubRecord<'i>, &'i StoredBytes),
    /// A heap ends; a HEAP DUMP END says when.
    HeapEnds(Option<u32>),
}

/// Whether the contents of objects are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemDetail {
    /// Only what stands before them.
    Heads,
    /// Everything.
    Contents,
}

impl HeapCounter {
    /// A counter that begins before the heap of this index.
    pub(super) fn before(heap: usize) -> HeapCounter {
        HeapCounter { begun: heap, open: false }
    }

    /// A dump record begins; whether a heap begins with it, and whether one ends before it.
    pub fn begin_segment(&mut self, tag: RecordTag) -> (bool, bool) {
        let goes_on = self.open && tag == RecordTag::HEAP_DUMP_SEGMENT;
        let ends = self.open && !goes_on;
        if !goes_on {
            self.begun += 1;
        }
        self.open = true;
        (!goes_on, ends)
    }

    /// The dump record of this tag ends; whether its heap does.
    pub fn end_segment(&mut self, tag: RecordTag) -> bool {
        let ends = tag == RecordTag::HEAP_DUMP;
        if ends {
            self.open = false;
        }
        ends
    }

    /// A HEAP DUMP END; whether a heap ends with it.
    pub fn end_heap(&mut self) -> bool {
        std::mem::take(&mut self.open)
    }

    /// A record; a HEAP DUMP END ends a heap.
    pub fn observe_record(&mut self, tag: RecordTag) {
        if tag == RecordTag::HEAP_DUMP_END {
            self.end_heap();
        }
    }

    /// Whether a heap is open.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The index of the open heap, or of the next one.
    pub fn heap(&self) -> usize {
        self.begun - usize::from(self.open)
    }
}

/// Calls `visit` with every item in file order.
///
/// # Errors
/// An error of `visit`, or one of decoding; the items before it are sound.
pub fn walk<R, E, F>(decoder: &mut Decoder<R>, keep: ItemDetail, visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(ItemPlace, DumpItem<'_>) -> Result<(), E>,
{
    walk_with(decoder, keep, None, None, visit)
}

/// Like [`walk`], over a decoder that goes on at the start of the heap of this index.
///
/// # Errors
/// Like [`walk`].
pub(super) fn walk_from<R, E, F>(decoder: &mut Decoder<R>, heap: usize, spool: &mut Spool, visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(ItemPlace, DumpItem<'_>) -> Result<(), E>,
{
    visit_items(decoder, HeapCounter::before(heap), ItemDetail::Contents, Some(spool), None, visit)
}

/// Like [`walk`]; contents that are too long to be held go into a spool, if there is one, and `pass` passes sub-records
/// over.
///
/// # Errors
/// Like [`walk`].
pub(crate) fn walk_with<R, E, F>(
    decoder: &mut Decoder<R>,
    keep: ItemDetail,
    spool: Option<&mut Spool>,
    pass: Option<&mut SubRecordSkipper<'_>>,
    visit: F,
) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(ItemPlace, DumpItem<'_>) -> Result<(), E>,
{
    visit_items(decoder, HeapCounter::default(), keep, spool, pass, visit)
}

fn visit_items<R, E, F>(
    decoder: &mut Decoder<R>,
    heaps: HeapCounter,
    keep: ItemDetail,
    mut spool: Option<&mut Spool>,
    pass: Option<&mut SubRecordSkipper<'_>>,
    mut visit: F,
) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(ItemPlace, DumpItem<'_>) -> Result<(), E>,
{
    let mut walker = Walker::new(decoder, heaps, keep);
    decoder.visit_with(pass, |step| walker.step(step, spool.as_deref_mut(), &mut visit))?;
    walker.finish(decoder.index(), &mut visit)
}

/// Puts the items of a dump together from its steps.
#[derive(Debug)]
pub(crate) struct Walker {
    id: IdSize,
    allowance: Allowance,
    keep: ItemDetail,
    heaps: HeapCounter,
    /// The dump record that is open.
    tag: RecordTag,
    /// Bytes that are held of contents that come in pieces.
    pieces: u64,
    record: Option<(ItemPlace, u32, EventKind, Vec<u8>)>,
    object: Option<(ItemPlace, SubRecord<'static>)>,
    long: Option<(ItemPlace, SubRecord<'static>, ContentsLocation)>,
}

impl Walker {
    /// A walker for a decoder that stands after this number of heaps.
    pub(crate) fn new<R: Read>(decoder: &Decoder<R>, heaps: HeapCounter, keep: ItemDetail) -> Walker {
        Walker {
            id: decoder.header().id_size,
            allowance: decoder.allowance(),
            keep,
            heaps,
            tag: RecordTag::HEAP_DUMP,
            pieces: 0,
            record: None,
            object: None,
            long: None,
        }
    }

    /// Takes a step, and calls `visit` with the items that it completes.
    ///
    /// # Errors
    /// An error of `visit`; or if contents in pieces would take more memory than is allowed.
    #[inline]
    pub(crate) fn step<E: From<DecodeError>>(
        &mut self,
        step: DecodeStep<'_, '_>,
        spool: Option<&mut Spool>,
        visit: &mut impl FnMut(ItemPlace, DumpItem<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        match step {
            DecodeStep::Segment(at, segment) => {
                self.tag = segment.tag;
                let before = self.place(&at);
                let (begins, ends) = self.heaps.begin_segment(segment.tag);
                if ends {
                    visit(before, DumpItem::HeapEnds(None))?;
                }
                let item = if begins { DumpItem::HeapBegins(segment.time) } else { DumpItem::SegmentBegins };
                visit(self.place(&at), item)
            }
            DecodeStep::SegmentEnd(offset) => {
                let here = ItemPlace { heap: self.heaps.heap(), index: 0, offset };
                if self.heaps.end_segment(self.tag) { visit(here, DumpItem::HeapEnds(None)) } else { Ok(()) }
            }
            DecodeStep::Record(at, found) => {
                let here = self.place(&at);
                match event(found) {
                    None if self.heaps.end_heap() => visit(here, DumpItem::HeapEnds(Some(found.time))),
                    None => Ok(()),
                    Some(kind) if at.rest == 0 => visit(here, DumpItem::Event(found.time, kind)),
                    Some(kind) => {
                        let so_far = contents(&found.body).to_vec();
                        self.record = Some((here, found.time, kind, so_far));
                        Ok(())
                    }
                }
            }
            DecodeStep::Sub(at, found) => {
                let here = self.place(&at);
                match found {
                    SubRecord::Root(root) => visit(here, DumpItem::Root(*root)),
                    SubRecord::HeapInfo(id, name) => visit(here, DumpItem::Region(*id, *name)),
                    SubRecord::Class(class) => visit(here, DumpItem::Class(class)),
                    SubRecord::Flat(..) => Ok(()),
                    _ => match spool.filter(|spool| is_long(found, at.rest, self.id, spool)) {
                        Some(spool) => self.begin_long_object(here, &at, found, spool, visit),
                        None if at.rest == 0 => visit(here, DumpItem::Object(found)),
                        None => {
                            self.object = Some((here, found.clone().into_owned()));
                            Ok(())
                        }
                    },
                }
            }
            DecodeStep::More(at) => self.add_piece(&at, spool, visit),
        }
    }

    /// Ends the walk after the last step, with the number of records and sub-records.
    ///
    /// # Errors
    /// An error of `visit`.
    pub(crate) fn finish<E>(
        self,
        index: u64,
        visit: &mut impl FnMut(ItemPlace, DumpItem<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.heaps.is_open() {
            return Ok(());
        }
        visit(ItemPlace { heap: self.heaps.heap(), index, offset: 0 }, DumpItem::HeapEnds(None))
    }

    #[inline]
    fn place(&self, at: &RecordSlice<'_>) -> ItemPlace {
        ItemPlace { heap: self.heaps.heap(), index: at.index, offset: at.offset }
    }

    fn begin_long_object<E: From<DecodeError>>(
        &mut self,
        here: ItemPlace,
        at: &RecordSlice<'_>,
        found: &SubRecord<'_>,
        spool: &mut Spool,
        visit: &mut impl FnMut(ItemPlace, DumpItem<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (head, first) = found.split_contents();
        let offset = at.offset + (at.bytes.len() - first.len()) as u64;
        let room = ContentsLocation::begin(spool, offset, first, at.rest)?;
        if at.rest == 0 {
            return visit(here, DumpItem::LongObject(&head, &room.into_stretch(spool)));
        }
        self.long = Some((here, head, room));
        Ok(())
    }

    fn add_piece<E: From<DecodeError>>(
        &mut self,
        at: &RecordSlice<'_>,
        spool: Option<&mut Spool>,
        visit: &mut impl FnMut(ItemPlace, DumpItem<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_last = at.rest == 0;
        if self.record.is_some() || (self.long.is_none() && self.keep == ItemDetail::Contents) {
            self.pieces += at.bytes.len() as u64;
            self.allowance.check(self.pieces, at.offset, at.index)?;
        }
        if is_last {
            self.pieces = 0;
        }
        if let Some((_, _, _, so_far)) = &mut self.record {
            so_far.extend_from_slice(at.bytes);
            if is_last && let Some((here, time, kind, whole)) = self.record.take() {
                let kind = match kind {
                    EventKind::Text(id, _) => EventKind::Text(id, Name::from_bytes(whole)),
                    EventKind::Unknown { tag, .. } => EventKind::Unknown { tag, body: whole },
                    kind => kind,
                };
                return visit(here, DumpItem::Event(time, kind));
            }
        } else if let (Some((.., room)), Some(spool)) = (&mut self.long, spool) {
            room.append_piece(spool, at)?;
            if is_last && let Some((here, head, room)) = self.long.take() {
                return visit(here, DumpItem::LongObject(&head, &room.into_stretch(spool)));
            }
        } else if let Some((here, found)) = &mut self.object {
            if self.keep == ItemDetail::Contents {
                found.append(at.bytes);
            }
            if is_last {
                visit(*here, DumpItem::Object(found))?;
                self.object = None;
            }
        }
        Ok(())
    }
}

/// The entry of the log that a record is; `None` for HEAP DUMP END.
pub(super) fn event(record: &Record<'_>) -> Option<EventKind> {
    Some(match &record.body {
        RecordBody::Text(id, bytes) => EventKind::Text(*id, Name::from_bytes(bytes.as_ref())),
        RecordBody::LoadClass(load) => EventKind::LoadClass(*load),
        RecordBody::UnloadClass(serial) => EventKind::UnloadClass(*serial),
        RecordBody::Frame(frame) => EventKind::Frame(*frame),
        RecordBody::Trace(trace) => EventKind::Trace(trace.clone()),
        RecordBody::AllocSites(sites) => EventKind::AllocationSites(sites.clone()),
        RecordBody::HeapSummary(summary) => EventKind::HeapSummary(*summary),
        RecordBody::StartThread(thread) => EventKind::StartThread(*thread),
        RecordBody::EndThread(serial) => EventKind::EndThread(*serial),
        RecordBody::CpuSamples(samples) => EventKind::CpuSamples(samples.clone()),
        RecordBody::ControlSettings(settings) => EventKind::ControlSettings(*settings),
        RecordBody::Unknown(tag, bytes) => EventKind::Unknown { tag: tag.0, body: bytes.to_vec() },
        RecordBody::End => return None,
    })
}
