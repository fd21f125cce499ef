//! From steps to whole items: contents put together, each item in its heap.

use std::borrow::Cow;
use std::io::Read;

use crate::error::{DecodeError, Problem};
use crate::model::long::{Filling, Spool, Stretch};
use crate::model::{EventKind, Name, TextId};

use super::super::decode::{At, Decoder, Pass, Step};
use super::super::record::{Body, Record};
use super::super::rules;
use super::super::sub_record::{ClassDump, InstanceDump, ObjectArrayDump, PrimitiveArrayDump, RootRecord, SubRecord};
use super::super::wire::{IdSize, Tag};

/// Counts the heaps of a file: a HEAP DUMP is a heap of its own, HEAP DUMP SEGMENTs up to a HEAP DUMP END (or a
/// HEAP DUMP) are one together.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeapCounter {
    begun: usize,
    open: bool,
}

/// Where an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the heap, from 0; of an item between heaps, the next one's.
    pub heap: usize,
    /// Index among all records and sub-records of the file.
    pub index: u64,
    /// Offset in the decompressed file.
    pub offset: u64,
}

/// A whole item of a dump.
#[derive(Debug)]
pub enum Item<'i> {
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
    LongObject(&'i SubRecord<'i>, &'i Stretch),
    /// A heap ends; a HEAP DUMP END says when.
    HeapEnds(Option<u32>),
}

/// Whether the contents of objects are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Only what stands before them.
    Heads,
    /// Everything.
    Contents,
}

impl HeapCounter {
    /// One that begins before the heap of this index.
    pub(super) fn before(heap: usize) -> HeapCounter {
        HeapCounter { begun: heap, open: false }
    }

    /// A dump record begins; whether a heap begins with it, and whether one ends before it.
    pub fn segment(&mut self, tag: Tag) -> (bool, bool) {
        let goes_on = self.open && tag == Tag::HEAP_DUMP_SEGMENT;
        let ends = self.open && !goes_on;
        if !goes_on {
            self.begun += 1;
        }
        self.open = true;
        (!goes_on, ends)
    }

    /// The dump record of this tag ends; whether its heap does.
    pub fn segment_end(&mut self, tag: Tag) -> bool {
        let ends = tag == Tag::HEAP_DUMP;
        if ends {
            self.open = false;
        }
        ends
    }

    /// A HEAP DUMP END; whether a heap ends with it.
    pub fn end(&mut self) -> bool {
        std::mem::take(&mut self.open)
    }

    /// A record; a HEAP DUMP END ends a heap.
    pub fn end_with(&mut self, tag: Tag) {
        if tag == Tag::HEAP_DUMP_END {
            self.end();
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
/// What `visit` returns, or what decoding runs into; the items before it are sound.
pub fn walk<R, E, F>(decoder: &mut Decoder<R>, keep: Keep, visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Place, Item<'_>) -> Result<(), E>,
{
    walk_with(decoder, keep, None, None, visit)
}

/// The same over a decoder that goes on at the start of the heap of an index.
///
/// # Errors
/// Like [`walk`].
pub(super) fn walk_from<R, E, F>(decoder: &mut Decoder<R>, heap: usize, spool: &mut Spool, visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Place, Item<'_>) -> Result<(), E>,
{
    items(decoder, HeapCounter::before(heap), Keep::Contents, Some(spool), None, visit)
}

/// The same, in which contents that are too long to be held go into a spool, if there is one, but for what is passed over.
///
/// # Errors
/// Like [`walk`].
pub(crate) fn walk_with<R, E, F>(
    decoder: &mut Decoder<R>,
    keep: Keep,
    spool: Option<&mut Spool>,
    pass: Option<&mut Pass<'_>>,
    visit: F,
) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Place, Item<'_>) -> Result<(), E>,
{
    items(decoder, HeapCounter::default(), keep, spool, pass, visit)
}

fn items<R, E, F>(
    decoder: &mut Decoder<R>,
    mut heaps: HeapCounter,
    keep: Keep,
    mut spool: Option<&mut Spool>,
    pass: Option<&mut Pass<'_>>,
    mut visit: F,
) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Place, Item<'_>) -> Result<(), E>,
{
    let id = decoder.header().id_size;
    let allowance = decoder.allowance();
    // Bytes that are held of contents that come in pieces.
    let mut pieces = 0;
    let mut tag = Tag::HEAP_DUMP;
    let mut record: Option<(Place, u32, EventKind, Vec<u8>)> = None;
    let mut object: Option<(Place, SubRecord<'static>)> = None;
    let mut long: Option<(Place, SubRecord<'static>, Room)> = None;
    decoder.visit_passing(pass, |step| {
        let place = |at: &At<'_>, heaps: &HeapCounter| Place { heap: heaps.heap(), index: at.index, offset: at.offset };
        match step {
            Step::Segment(at, segment) => {
                tag = segment.tag;
                let before = place(&at, &heaps);
                let (begins, ends) = heaps.segment(tag);
                if ends {
                    visit(before, Item::HeapEnds(None))?;
                }
                let item = if begins { Item::HeapBegins(segment.time) } else { Item::SegmentBegins };
                visit(place(&at, &heaps), item)
            }
            Step::SegmentEnd(offset) => {
                let here = Place { heap: heaps.heap(), index: 0, offset };
                if heaps.segment_end(tag) { visit(here, Item::HeapEnds(None)) } else { Ok(()) }
            }
            Step::Record(at, found) => {
                let here = place(&at, &heaps);
                match event(found) {
                    None if heaps.end() => visit(here, Item::HeapEnds(Some(found.time))),
                    None => Ok(()),
                    Some(kind) if at.rest == 0 => visit(here, Item::Event(found.time, kind)),
                    Some(kind) => {
                        let so_far = contents(&found.body).to_vec();
                        record = Some((here, found.time, kind, so_far));
                        Ok(())
                    }
                }
            }
            Step::Sub(at, found) => {
                let here = place(&at, &heaps);
                match found {
                    SubRecord::Root(root) => visit(here, Item::Root(*root)),
                    SubRecord::HeapInfo(id, name) => visit(here, Item::Region(*id, *name)),
                    SubRecord::Class(class) => visit(here, Item::Class(class)),
                    SubRecord::Flat(..) => Ok(()),
                    _ if spool.as_ref().is_some_and(|spool| is_long(found, at.rest, id, spool)) => {
                        let Some(spool) = spool.as_deref_mut() else { return Ok(()) };
                        let (head, first) = found.split();
                        let offset = at.offset + (at.bytes.len() - first.len()) as u64;
                        let room = Room::for_contents(spool, offset, first, at.rest)?;
                        if at.rest == 0 {
                            return visit(here, Item::LongObject(&head, &room.stretch(spool)));
                        }
                        long = Some((here, head, room));
                        Ok(())
                    }
                    _ if at.rest == 0 => visit(here, Item::Object(found)),
                    _ => {
                        object = Some((here, found.clone().into_owned()));
                        Ok(())
                    }
                }
            }
            Step::More(at) => {
                if record.is_some() || (long.is_none() && keep == Keep::Contents) {
                    pieces += at.bytes.len() as u64;
                    allowance.covers(pieces, at.offset, at.index)?;
                }
                if at.rest == 0 {
                    pieces = 0;
                }
                if let Some((_, _, _, so_far)) = &mut record {
                    so_far.extend_from_slice(at.bytes);
                    if at.rest == 0
                        && let Some((here, time, kind, whole)) = record.take()
                    {
                        let kind = match kind {
                            EventKind::Text(id, _) => EventKind::Text(id, Name::from_bytes(whole)),
                            EventKind::Unknown { tag, .. } => EventKind::Unknown { tag, body: whole },
                            kind => kind,
                        };
                        return visit(here, Item::Event(time, kind));
                    }
                } else if let (Some((.., room)), Some(spool)) = (&mut long, spool.as_deref_mut()) {
                    room.put(spool, &at)?;
                    if at.rest == 0
                        && let Some((here, head, room)) = long.take()
                    {
                        return visit(here, Item::LongObject(&head, &room.stretch(spool)));
                    }
                } else if let Some((here, found)) = &mut object {
                    if keep == Keep::Contents {
                        found.append(at.bytes);
                    }
                    if at.rest == 0 {
                        visit(*here, Item::Object(found))?;
                        object = None;
                    }
                }
                Ok(())
            }
        }
    })?;
    if heaps.is_open() {
        let place = Place { heap: heaps.heap(), index: decoder.index(), offset: 0 };
        visit(place, Item::HeapEnds(None))?;
    }
    Ok(())
}

/// Whether the contents of a sub-record are too long to be held; `rest` bytes of them are still to come.
fn is_long(found: &SubRecord<'_>, rest: u64, id: IdSize, spool: &Spool) -> bool {
    let (first, as_held) = match found {
        SubRecord::Instance(r) => (r.values.len(), 1),
        // Addresses take eight bytes in memory.
        SubRecord::ObjectArray(r) => (r.elements.len(), 8 / id.bytes() as u64),
        SubRecord::PrimitiveArray(r) => (r.elements.len(), 1),
        _ => return false,
    };
    (first as u64 + rest).saturating_mul(as_held) > spool.held() as u64
}

/// Where contents are that are too long to be held.
enum Room {
    /// In the dump.
    Original(Stretch),
    /// On their way into the spool.
    Spooled(Filling),
}

impl Room {
    fn for_contents(spool: &mut Spool, offset: u64, first: &[u8], rest: u64) -> Result<Room, DecodeError> {
        let length = first.len() as u64 + rest;
        if let Some(original) = spool.in_place(offset, length) {
            return Ok(Room::Original(original));
        }
        let filled = spool.begin().and_then(|mut filling| spool.put(&mut filling, first).map(|()| filling));
        filled.map(Room::Spooled).map_err(|e| failed(offset, e))
    }

    fn put(&mut self, spool: &Spool, at: &At<'_>) -> Result<(), DecodeError> {
        match self {
            Room::Original(_) => Ok(()),
            Room::Spooled(filling) => spool.put(filling, at.bytes).map_err(|e| failed(at.offset, e)),
        }
    }

    fn stretch(self, spool: &mut Spool) -> Stretch {
        match self {
            Room::Original(stretch) => stretch,
            Room::Spooled(filling) => spool.finish(filling),
        }
    }
}

fn failed(offset: u64, error: std::io::Error) -> DecodeError {
    DecodeError::new(rules::FILE_TRUNCATED, offset, "contents", Problem::Io(error))
}

/// The entry of the log that a record is; `None` for HEAP DUMP END.
pub(super) fn event(record: &Record<'_>) -> Option<EventKind> {
    Some(match &record.body {
        Body::Text(id, bytes) => EventKind::Text(*id, Name::from_bytes(bytes.as_ref())),
        Body::LoadClass(load) => EventKind::LoadClass(*load),
        Body::UnloadClass(serial) => EventKind::UnloadClass(*serial),
        Body::Frame(frame) => EventKind::Frame(*frame),
        Body::Trace(trace) => EventKind::Trace(trace.clone()),
        Body::AllocSites(sites) => EventKind::AllocationSites(sites.clone()),
        Body::HeapSummary(summary) => EventKind::HeapSummary(*summary),
        Body::StartThread(thread) => EventKind::StartThread(*thread),
        Body::EndThread(serial) => EventKind::EndThread(*serial),
        Body::CpuSamples(samples) => EventKind::CpuSamples(samples.clone()),
        Body::ControlSettings(settings) => EventKind::ControlSettings(*settings),
        Body::Unknown(tag, bytes) => EventKind::Unknown { tag: tag.0, body: bytes.to_vec() },
        Body::End => return None,
    })
}

/// The bytes of a record that may come in pieces.
fn contents<'b>(body: &'b Body<'_>) -> &'b [u8] {
    match body {
        Body::Text(_, bytes) | Body::Unknown(_, bytes) => bytes,
        _ => &[],
    }
}

impl SubRecord<'_> {
    /// The same, owning its contents.
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

    /// The same without contents, and those that it had.
    fn split(&self) -> (SubRecord<'static>, &[u8]) {
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
    fn append(&mut self, bytes: &[u8]) {
        match self {
            SubRecord::Instance(r) => r.values.to_mut().extend_from_slice(bytes),
            SubRecord::ObjectArray(r) => r.elements.to_mut().extend_from_slice(bytes),
            SubRecord::PrimitiveArray(r) => r.elements.to_mut().extend_from_slice(bytes),
            _ => {}
        }
    }
}
