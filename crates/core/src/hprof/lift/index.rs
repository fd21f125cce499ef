//! The index of a dump: the facts that are needed before its objects can be read.

use std::io::Read;

use crate::bytes::Allowance;
use crate::error::{DecodeError, Error};
use crate::hprof::decode::{Decoder, ReadOptions, RegionStarts, ResumePoint, SubRecordSkipper};
use crate::hprof::sub_record::ClassDump;
use crate::hprof::wire::Header;
use crate::model::long::Spool;
use crate::model::{
    ByteLen, Class, Event, EventKind, Facts, Field, FieldType, Name, PoolEntry, Region, Root, RootKind, Serial,
    StackFrame, StackTrace, Static, Surroundings, TextId, Thread, Value,
};

use super::item;
use super::layout::{FileLayouts, InstanceLayouts, RECENT, RecentClass};
use super::names::LogIndex;
use super::stacks::{NamedTraces, Stacks};
use super::walk::{DumpItem, ItemDetail, ItemPlace, walk_with};

/// The index of a file: everything but its objects.
#[derive(Clone, Debug)]
pub struct DumpIndex {
    /// Facts of the header.
    pub facts: Facts,
    /// The heaps. A file without one has an empty one, so that its log belongs somewhere.
    pub heaps: Vec<HeapIndex>,
    /// The log after the last heap.
    pub tail: Vec<Event>,
    /// Strings and loaded classes.
    pub log: LogIndex,
}

/// The index of one heap.
#[derive(Clone, Debug)]
pub struct HeapIndex {
    /// The class table, in file order.
    pub classes: Vec<Class>,
    /// Places of the classes in the file.
    pub places: Vec<ItemPlace>,
    /// Roots, threads, traces and the log.
    pub surroundings: Surroundings,
    /// The layouts of instances.
    pub layouts: InstanceLayouts,
    /// Number of objects.
    pub objects: u64,
    /// The heap's first record.
    pub(super) begins: ResumePoint,
}

#[derive(Debug, Default)]
struct HeapIndexBuilder {
    classes: Vec<(ClassDump, ItemPlace, u64)>,
    roots: Vec<Root>,
    regions: Vec<(u32, TextId, u64)>,
    /// Whether a region was named since the segment began: it does not hold beyond.
    region_named: bool,
    events: Vec<Event>,
    /// Stack traces that classes and objects name, of those that were recorded before the heap.
    named: Vec<Serial>,
    objects: u64,
    times: (u32, u32),
    /// Offset and index of its first record.
    begins: (u64, u64),
}

impl HeapIndexBuilder {
    fn entry_count(&self) -> u64 {
        self.objects + self.classes.len() as u64
    }

    /// The part of the heap from here on; the same one again, in a new segment, is no news.
    fn begin_region(&mut self, id: u32, name: TextId) {
        self.region_named = true;
        let now = (id, name);
        if self.regions.last().map_or((0, TextId(0)), |(id, name, _)| (*id, *name)) != now {
            self.regions.push((id, name, self.entry_count()));
        }
    }

    /// An object, class or root comes: without a word on its part of the heap, it is in none.
    fn leave_unnamed_region(&mut self) {
        if !self.region_named {
            self.begin_region(0, TextId(0));
        }
    }
}

/// The facts of a header.
pub fn facts(header: &Header) -> Facts {
    Facts {
        timestamp: Some(header.timestamp),
        header_version: Some(Name::from_text(header.version.text())),
        identifier_size: Some(ByteLen(header.id_size.bytes() as u64)),
        ..Facts::default()
    }
}

impl DumpIndex {
    /// Reads a file to its end. After an error the index holds everything before it.
    pub fn read<R: Read>(decoder: &mut Decoder<R>) -> (DumpIndex, Result<(), DecodeError>) {
        DumpIndex::read_items(decoder, ItemDetail::Heads, None, None, |_| Ok(()))
    }

    /// Like [`DumpIndex::read`]; `each` is called with every item, objects with their contents. Contents that are too long
    /// to be held go into a spool, if there is one. Objects that are passed over are in no count of the index.
    pub(crate) fn read_with<R: Read>(
        decoder: &mut Decoder<R>,
        spool: Option<&mut Spool>,
        pass: Option<&mut SubRecordSkipper<'_>>,
        each: impl FnMut(&DumpItem<'_>) -> Result<(), Error>,
    ) -> (DumpIndex, Result<(), Error>) {
        DumpIndex::read_items(decoder, ItemDetail::Contents, spool, pass, each)
    }

    fn read_items<R: Read, E: From<DecodeError>>(
        decoder: &mut Decoder<R>,
        keep: ItemDetail,
        spool: Option<&mut Spool>,
        pass: Option<&mut SubRecordSkipper<'_>>,
        mut each: impl FnMut(&DumpItem<'_>) -> Result<(), E>,
    ) -> (DumpIndex, Result<(), E>) {
        let mut gathering = IndexBuilder::new(decoder);
        let read = walk_with(decoder, keep, spool, pass, |place, found| {
            each(&found)?;
            Ok(gathering.add_item(place, found)?)
        });
        (gathering.finish(decoder), read)
    }
}

/// An index of a file of which a part has been read.
#[derive(Debug)]
pub(crate) struct IndexBuilder {
    reading: ReadOptions,
    allowance: Allowance,
    heaps: Vec<HeapIndexBuilder>,
    /// The log since the last heap.
    between: Vec<Event>,
    named: NamedTraces,
    /// Whether a heap is open.
    open: bool,
}

impl IndexBuilder {
    /// An empty index of the dump that this decoder reads.
    pub(crate) fn new<R: Read>(decoder: &Decoder<R>) -> IndexBuilder {
        IndexBuilder {
            reading: decoder.reading(),
            allowance: decoder.allowance(),
            heaps: Vec::new(),
            between: Vec::new(),
            named: NamedTraces::default(),
            open: false,
        }
    }

    /// Takes an item in.
    ///
    /// # Errors
    /// If the index would take more memory than is allowed.
    #[inline]
    pub(crate) fn add_item(&mut self, place: ItemPlace, found: DumpItem<'_>) -> Result<(), DecodeError> {
        let IndexBuilder { reading, allowance, heaps, between, named, open } = self;
        let mut last = heaps.last_mut();
        let objects = last.as_ref().map_or(0, |heap| heap.objects);
        // Nearly all items are objects, of which nothing is held.
        if let (DumpItem::Object(object), Some(heap), true) = (&found, &mut last, *open && objects >= RECENT as u64) {
            heap.leave_unnamed_region();
            heap.objects += 1;
            return match object.trace() {
                Some(trace) if named.insert(trace) => allowance.charge(NAMED as u64, place.offset, place.index),
                _ => Ok(()),
            };
        }
        allowance.charge(item_memory(&found, objects), place.offset, place.index)?;
        match (found, heaps.last_mut().filter(|_| *open)) {
            (DumpItem::HeapBegins(time), _) => {
                *open = true;
                let events = std::mem::take(between);
                let region_named = reading.regions == RegionStarts::AsStated;
                let begins = (place.offset, place.index);
                heaps.push(HeapIndexBuilder {
                    events,
                    times: (time, time),
                    region_named,
                    begins,
                    ..HeapIndexBuilder::default()
                });
            }
            (DumpItem::SegmentBegins, Some(heap)) => heap.region_named = reading.regions == RegionStarts::AsStated,
            (DumpItem::HeapEnds(time), Some(heap)) => {
                heap.times.1 = time.unwrap_or(heap.times.0);
                heap.named = named.finish_heap(&heap.events);
                *open = false;
            }
            (DumpItem::Event(time, kind), Some(heap)) => {
                let after = heap.entry_count();
                let taken = push_event(Event::new(time, after, kind), &mut heap.events);
                allowance.charge(taken, place.offset, place.index)?;
            }
            (DumpItem::Event(time, kind), None) => {
                let taken = push_event(Event::new(time, 0, kind), between);
                allowance.charge(taken, place.offset, place.index)?;
            }
            (DumpItem::Region(id, name), Some(heap)) if reading.regions == RegionStarts::AsStated => {
                heap.regions.push((id, name, heap.entry_count()));
            }
            (DumpItem::Region(id, name), Some(heap)) => heap.begin_region(id, name),
            (DumpItem::Class(class), Some(heap)) => {
                heap.leave_unnamed_region();
                if named.insert(class.trace) {
                    allowance.charge(NAMED as u64, place.offset, place.index)?;
                }
                heap.classes.push((class.clone(), place, heap.objects));
            }
            (DumpItem::Root(root), Some(heap)) => {
                heap.leave_unnamed_region();
                let after = Some(heap.entry_count());
                heap.roots.push(Root { object: root.object, kind: root.kind, after });
            }
            (DumpItem::Object(object) | DumpItem::LongObject(object, _), Some(heap)) => {
                heap.leave_unnamed_region();
                if object.trace().is_some_and(|trace| named.insert(trace)) {
                    allowance.charge(NAMED as u64, place.offset, place.index)?;
                }
                heap.objects += 1;
            }
            // Sub-records stand in segments, and segments in heaps.
            (_, None) => {}
        }
        Ok(())
    }

    /// The index, once the decoder has read all that is wanted.
    pub(crate) fn finish<R: Read>(self, decoder: &Decoder<R>) -> DumpIndex {
        let header = *decoder.header();
        let IndexBuilder { reading, mut heaps, mut between, mut named, open, .. } = self;
        if let Some(heap) = heaps.last_mut().filter(|_| open) {
            heap.named = named.finish_heap(&heap.events);
        }
        if heaps.is_empty() {
            heaps.push(HeapIndexBuilder { events: std::mem::take(&mut between), ..HeapIndexBuilder::default() });
        }
        let mut log = LogIndex::new(reading.texts);
        for (heap, events) in heaps.iter().map(|g| &g.events).enumerate() {
            events.iter().for_each(|event| log.insert(heap, &event.kind));
        }
        between.iter().for_each(|event| log.insert_after(heaps.len(), &event.kind));
        let laid_out = heaps.iter().enumerate().flat_map(|(number, heap)| {
            let fields = |class: &ClassDump| class.fields.iter().map(|(_, kind)| *kind).collect();
            heap.classes.iter().map(move |(class, ..)| (number, class.id, class.superclass, fields(class)))
        });
        let layouts = FileLayouts::new(header.id_size, laid_out);
        let mut stacks = Stacks::default();
        let heaps = heaps.into_iter().enumerate().map(|(number, heap)| {
            let begins = decoder.resume_at(heap.begins.0, heap.begins.1);
            HeapIndex { begins, ..heap.resolve(number, reading.regions, &log, &layouts, &mut stacks) }
        });
        let heaps = heaps.collect();
        DumpIndex { facts: facts(&header), heaps, tail: between, log }
    }
}

/// About how many bytes an index takes for an item, with what is worked out of it once the file was read. `objects` is how many
/// the heap has so far.
fn item_memory(item: &DumpItem<'_>, objects: u64) -> u64 {
    let bytes = match item {
        DumpItem::HeapBegins(_) => size_of::<HeapIndexBuilder>() + size_of::<HeapIndex>(),
        DumpItem::Class(class) => {
            size_of::<ClassDump>()
                + size_of::<Class>()
                + LAID_OUT
                + class.statics.len() * (size_of::<(TextId, Value)>() + size_of::<Static>())
                + class.fields.len()
                    * (size_of::<(TextId, FieldType)>() + size_of::<Field>() + 2 * size_of::<FieldType>())
                + class.constant_pool.len() * (size_of::<(u16, Value)>() + size_of::<PoolEntry>())
        }
        DumpItem::Root(root) if matches!(root.kind, RootKind::ThreadObject(..)) => {
            size_of::<Root>() + 2 * size_of::<Thread>()
        }
        DumpItem::Root(_) => size_of::<Root>(),
        DumpItem::Region(..) => size_of::<Region>(),
        // Instances ask for classes, of which a heap keeps the places of as many as it has objects, up to some.
        DumpItem::Object(_) | DumpItem::LongObject(..) if objects < RECENT as u64 => size_of::<RecentClass>(),
        DumpItem::Object(_)
        | DumpItem::LongObject(..)
        | DumpItem::Event(..)
        | DumpItem::SegmentBegins
        | DumpItem::HeapEnds(_) => 0,
    };
    bytes as u64
}

/// Memory that an entry takes in the tables of names and in those of class layouts.
const NAMED: usize = 96;
const LAID_OUT: usize = 160;

/// Puts an event at the end of a log, and gives about how many bytes it takes with what is resolved of it.
fn push_event(event: Event, log: &mut Vec<Event>) -> u64 {
    let resolved = match &event.kind {
        EventKind::Text(..) | EventKind::LoadClass(_) | EventKind::Frame(_) => NAMED,
        EventKind::StartThread(_) => NAMED + size_of::<Thread>(),
        EventKind::Trace(trace) => NAMED + size_of::<StackTrace>() + trace.frames.len() * size_of::<StackFrame>(),
        _ => 0,
    };
    let (held, before) = (event.memory_size() + resolved as u64, log.len());
    event.append_to(log);
    if log.len() > before { held } else { 0 }
}

impl HeapIndexBuilder {
    fn resolve(
        self,
        number: usize,
        told: RegionStarts,
        log: &LogIndex,
        layouts: &FileLayouts,
        stacks: &mut Stacks,
    ) -> HeapIndex {
        let classes: Vec<Class> =
            self.classes.iter().map(|(dump, _, after)| item::class(dump, log, number, *after)).collect();
        let regions = self.regions.into_iter().map(|(id, name, after)| Region {
            id,
            name: log.text(number, name).cloned().unwrap_or_default(),
            after,
        });
        let mut regions: Vec<Region> = regions.collect();
        if told != RegionStarts::AsStated {
            // Two identifiers may be those of one name, or of none: those of one part were told apart before.
            let mut last = (0, Name::default());
            regions.retain(|region| {
                let is_another = (region.id, &region.name) != (last.0, &last.1);
                if is_another {
                    last = (region.id, region.name.clone());
                }
                is_another
            });
        }
        let (traces, threads) = stacks.next_heap(log, number, &self.events, &self.roots, &self.named);
        HeapIndex {
            layouts: layouts.heap_layouts(number, self.objects),
            places: self.classes.iter().map(|(_, place, _)| *place).collect(),
            classes,
            surroundings: Surroundings {
                regions: Some(regions),
                roots: Some(self.roots),
                threads: Some(threads),
                traces: Some(traces),
                events: Some(self.events),
                times: Some(self.times),
            },
            objects: self.objects,
            begins: ResumePoint::default(),
        }
    }
}
