//! What has to be known of a dump before its objects can be read.

use std::io::Read;

use crate::error::DecodeError;
use crate::model::{Address, ByteLen, Class, Event, Facts, FieldType, Name, Region, Root, Surroundings, TextId};

use super::super::decode::Decoder;
use super::super::sub_record::ClassDump;
use super::super::wire::{Header, IdSize};
use super::item;
use super::layout::Layouts;
use super::names::{Log, resolve_log};
use super::walk::{Item, Keep, Place, walk};

/// The index of a file: everything but its objects.
#[derive(Clone, Debug)]
pub struct Index {
    /// Facts of the header.
    pub facts: Facts,
    /// The heaps. A file without one has an empty one, so that its log belongs somewhere.
    pub heaps: Vec<HeapIndex>,
    /// The log after the last heap.
    pub tail: Vec<Event>,
    /// Strings and loaded classes.
    pub log: Log,
}

/// The index of one heap.
#[derive(Clone, Debug)]
pub struct HeapIndex {
    /// The class table, in file order.
    pub classes: Vec<Class>,
    /// Places of the classes in the file.
    pub places: Vec<Place>,
    /// Roots, threads, traces and the log.
    pub surroundings: Surroundings,
    /// How instances are laid out; classes of earlier heaps take part where this one has none of that address.
    pub layouts: Layouts,
    /// Number of objects.
    pub objects: u64,
}

#[derive(Default)]
struct Gathered {
    classes: Vec<(ClassDump, Place, u64)>,
    roots: Vec<Root>,
    regions: Vec<(u32, TextId, u64)>,
    /// Whether a region was named since the segment began: it does not hold beyond.
    region_named: bool,
    events: Vec<Event>,
    objects: u64,
    times: (u32, u32),
}

impl Gathered {
    fn after(&self) -> u64 {
        self.objects + self.classes.len() as u64
    }

    /// The part of the heap from here on; the same one again, in a new segment, is no news.
    fn region(&mut self, id: u32, name: TextId) {
        self.region_named = true;
        let now = (id, name);
        if self.regions.last().map_or((0, TextId(0)), |(id, name, _)| (*id, *name)) != now {
            self.regions.push((id, name, self.after()));
        }
    }

    /// An object, class or root comes: without a word on its part of the heap, it is in none.
    fn entry(&mut self) {
        if !self.region_named {
            self.region(0, TextId(0));
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

impl Index {
    /// Reads a file to its end. After an error the index holds everything before it.
    pub fn read<R: Read>(decoder: &mut Decoder<R>) -> (Index, Result<(), DecodeError>) {
        let header = *decoder.header();
        let mut gathered: Vec<Gathered> = Vec::new();
        let mut between = Vec::new();
        let mut open = false;
        let read = walk(decoder, Keep::Heads, |place, found| {
            match (found, gathered.last_mut().filter(|_| open)) {
                (Item::HeapBegins(time), _) => {
                    open = true;
                    let events = std::mem::take(&mut between);
                    gathered.push(Gathered { events, times: (time, time), ..Gathered::default() });
                }
                (Item::SegmentBegins, Some(heap)) => heap.region_named = false,
                (Item::HeapEnds(time), Some(heap)) => {
                    heap.times.1 = time.unwrap_or(heap.times.0);
                    open = false;
                }
                (Item::Event(time, kind), Some(heap)) => {
                    let after = heap.after();
                    heap.events.push(Event { time, after, kind });
                }
                (Item::Event(time, kind), None) => between.push(Event { time, after: 0, kind }),
                (Item::Region(id, name), Some(heap)) => heap.region(id, name),
                (Item::Class(class), Some(heap)) => {
                    heap.entry();
                    heap.classes.push((class.clone(), place, heap.objects));
                }
                (Item::Root(root), Some(heap)) => {
                    heap.entry();
                    let after = Some(heap.after());
                    heap.roots.push(Root { object: root.object, kind: root.kind, after });
                }
                (Item::Object(_), Some(heap)) => {
                    heap.entry();
                    heap.objects += 1;
                }
                // Sub-records stand in segments, and segments in heaps.
                (_, None) => {}
            }
            Ok(())
        });
        if gathered.is_empty() {
            gathered.push(Gathered { events: std::mem::take(&mut between), ..Gathered::default() });
        }
        let mut log = Log::default();
        for (heap, events) in gathered.iter().map(|g| &g.events).chain([&between]).enumerate() {
            events.iter().for_each(|event| log.enter(heap, &event.kind));
        }
        let mut index = Index { facts: facts(&header), heaps: Vec::new(), tail: between, log };
        for (number, heap) in gathered.into_iter().enumerate() {
            let resolved = index.resolve(number, heap, header.id_size);
            index.heaps.push(resolved);
        }
        (index, read)
    }

    fn resolve(&self, number: usize, heap: Gathered, id: IdSize) -> HeapIndex {
        let classes: Vec<Class> =
            heap.classes.iter().map(|(dump, _, after)| item::class(dump, &self.log, number, *after)).collect();
        let regions = heap.regions.into_iter().map(|(id, name, after)| Region {
            id,
            name: self.log.text(number, name).cloned().unwrap_or_default(),
            after,
        });
        let earlier = self.heaps.iter().flat_map(|heap| heap.surroundings.events.iter().flatten());
        let (traces, threads) = resolve_log(&self.log, number, earlier.chain(&heap.events), &heap.roots);
        let laid_out = |class: &Class| {
            let own: Box<[FieldType]> = class.fields.iter().flatten().map(|f| f.kind).collect();
            (class.address, class.superclass.unwrap_or(Address::NULL), own)
        };
        let earlier = self.heaps.iter().flat_map(|heap| &heap.classes);
        let layouts = Layouts::new(id, earlier.chain(&classes).map(laid_out));
        HeapIndex {
            layouts,
            places: heap.classes.iter().map(|(_, place, _)| *place).collect(),
            classes,
            surroundings: Surroundings {
                regions: Some(regions.collect()),
                roots: Some(heap.roots),
                threads: Some(threads),
                traces: Some(traces),
                events: Some(heap.events),
                times: Some(heap.times),
            },
            objects: heap.objects,
        }
    }
}
