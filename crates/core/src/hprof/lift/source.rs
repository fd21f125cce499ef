//! A dump as a source of heaps: the index in memory, the objects read from the file each time.

use std::io::Read;

use crate::error::{DecodeError, Error};
use crate::hprof::decode::{Decoder, ResumePoint};
use crate::hprof::wire::Header;
use crate::model::long::Spool;
use crate::model::{Class, Dump, DumpSource, Event, Facts, Heap, HeapSource, Object, Surroundings, VisitObjects};

use super::index::{DumpIndex, HeapIndex};
use super::item::{ObjectBuffer, long_object, object};
use super::walk::{DumpItem, ItemDetail, ItemPlace, walk, walk_from};

/// Opens a dump any number of times: at its start, and at heaps where that is possible.
pub trait Reopen {
    /// The stream that a decoder reads.
    type DumpReader: Read;

    /// A decoder at the start.
    ///
    /// # Errors
    /// An error of opening.
    fn open_start(&mut self) -> Result<Decoder<Self::DumpReader>, Error>;

    /// A decoder at a place between records of a dump with this header; `None` if there can be none.
    ///
    /// # Errors
    /// An error of opening.
    fn open_at(&mut self, _header: &Header, _place: ResumePoint) -> Result<Option<Decoder<Self::DumpReader>>, Error> {
        Ok(None)
    }
}

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error>> Reopen for O {
    type DumpReader = R;

    fn open_start(&mut self) -> Result<Decoder<R>, Error> {
        self()
    }
}

/// A dump whose objects stay in the file.
#[derive(Debug)]
pub struct HprofDump<O> {
    heaps: Vec<HprofHeap<O>>,
    tail: Vec<Event>,
}

/// A heap of a dump whose objects stay in the file.
#[derive(Debug)]
pub struct HprofHeap<O> {
    open: O,
    number: usize,
    facts: Facts,
    header: Header,
    index: HeapIndex,
    spool: Spool,
}

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error> + Clone> HprofDump<O> {
    /// Reads the index. `open` gives a decoder at the start of the same file every time.
    ///
    /// # Errors
    /// An error of opening or decoding.
    pub fn new(open: O) -> Result<HprofDump<O>, Error> {
        HprofDump::with_spool(open, &Spool::default())
    }
}

impl<O: Reopen + Clone> HprofDump<O> {
    /// Like [`HprofDump::new`]; contents that are too long to be held go into a spool like this.
    ///
    /// # Errors
    /// Like [`HprofDump::new`].
    pub fn with_spool(mut open: O, spool: &Spool) -> Result<HprofDump<O>, Error> {
        let mut decoder = open.open_start()?;
        let header = *decoder.header();
        let (index, read) = DumpIndex::read(&mut decoder);
        read?;
        Ok(HprofDump::from_index(open, spool, header, index))
    }

    /// The dump with this header and index.
    pub(in crate::hprof) fn from_index(open: O, spool: &Spool, header: Header, index: DumpIndex) -> HprofDump<O> {
        let facts = index.facts;
        let heap = |(number, index)| {
            let (open, facts, spool) = (open.clone(), facts.clone(), spool.with_same_limits());
            HprofHeap { open, number, facts, header, index, spool }
        };
        HprofDump { heaps: index.heaps.into_iter().enumerate().map(heap).collect(), tail: index.tail }
    }

    /// One of the heaps, by its index.
    pub fn into_heap(self, number: usize) -> Option<HprofHeap<O>> {
        self.heaps.into_iter().nth(number)
    }
}

impl<O: Reopen> DumpSource for HprofDump<O> {
    fn heaps(&self) -> usize {
        self.heaps.len()
    }

    fn heap(&mut self, number: usize) -> &mut dyn HeapSource {
        &mut self.heaps[number]
    }

    fn tail(&self) -> &[Event] {
        &self.tail
    }
}

impl<O: Reopen> HeapSource for HprofHeap<O> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn classes(&self) -> &[Class] {
        &self.index.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.index.surroundings
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        // A file may have thousands of heaps, of which each is read for itself.
        if self.index.objects == 0 {
            return Ok(());
        }
        let (number, id, layouts) = (self.number, self.header.id_size, &self.index.layouts);
        let there = if number == 0 { None } else { self.open.open_at(&self.header, self.index.begins)? };
        let (mut decoder, first) = match there {
            Some(decoder) => (decoder, number),
            None => (self.open.open_start()?, 0),
        };
        let mut into = ObjectBuffer::default();
        let walked = walk_from(&mut decoder, first, &mut self.spool, |place, item| match item {
            DumpItem::Object(found) if place.heap == number => {
                into.fill(found, id, layouts).map_or(Ok(()), |object| Ok(visit(object)?))
            }
            DumpItem::LongObject(found, contents) if place.heap == number => {
                long_object(found, contents, id, layouts)?.map_or(Ok(()), |object| Ok(visit(&object)?))
            }
            DumpItem::HeapEnds(_) if place.heap == number => Err(WalkStop::Ended),
            _ => Ok(()),
        });
        match walked {
            Ok(()) | Err(WalkStop::Ended) => Ok(()),
            Err(WalkStop::Failed(error)) => Err(error),
        }
    }
}

/// The reason for which a heap is read no further.
enum WalkStop {
    /// The end of the heap.
    Ended,
    Failed(Error),
}

impl From<DecodeError> for WalkStop {
    fn from(error: DecodeError) -> WalkStop {
        WalkStop::Failed(error.into())
    }
}

impl From<Error> for WalkStop {
    fn from(error: Error) -> WalkStop {
        WalkStop::Failed(error)
    }
}

/// A dump in memory, with the places of its classes and objects, heap by heap.
#[derive(Debug, Default)]
pub struct WholeDump {
    /// The heaps.
    pub dump: Dump,
    /// Places of the classes and of the objects, in each heap's order.
    pub places: Vec<(Vec<ItemPlace>, Vec<ItemPlace>)>,
}

/// Reads a whole dump into memory: `open` gives a decoder at the start of the same file each of two times. After
/// an error the dump holds everything before it.
///
/// # Errors
/// An error of opening.
pub fn dump<R: Read>(
    mut open: impl FnMut() -> Result<Decoder<R>, Error>,
) -> Result<(WholeDump, Result<(), DecodeError>), Error> {
    let mut decoder = open()?;
    let id = decoder.header().id_size;
    let (index, read) = DumpIndex::read(&mut decoder);
    let mut objects: Vec<(Vec<Object>, Vec<ItemPlace>)> = index.heaps.iter().map(|_| Default::default()).collect();
    let mut decoder = open()?;
    let mut allowance = decoder.allowance();
    let again = walk::<_, DecodeError, _>(&mut decoder, ItemDetail::Contents, |place, item| {
        if let DumpItem::Object(found) = item
            && let (Some(heap), Some((objects, places))) = (index.heaps.get(place.heap), objects.get_mut(place.heap))
            && let Some(object) = object(found, id, &heap.layouts)
        {
            allowance.charge(object.memory_size(), place.offset, place.index)?;
            objects.push(object);
            places.push(place);
        }
        Ok(())
    });
    let facts = index.facts;
    let heaps = index.heaps.len();
    let dump = Dump { heaps: Vec::with_capacity(heaps), tail: index.tail };
    let mut whole = WholeDump { dump, places: Vec::with_capacity(heaps) };
    for (heap, (objects, places)) in index.heaps.into_iter().zip(objects) {
        let (classes, surroundings) = (heap.classes, heap.surroundings);
        whole.dump.heaps.push(Heap { facts: facts.clone(), classes, objects, surroundings });
        whole.places.push((heap.places, places));
    }
    Ok((whole, read.and(again)))
}

/// Reads a dump from memory and gives its first heap.
///
/// # Errors
/// If the bytes do not begin with an HPROF header.
pub fn heap(bytes: &[u8]) -> Result<(Heap, Result<(), DecodeError>), Error> {
    let (whole, read) = dump(|| Ok(Decoder::new(bytes)?))?;
    Ok((whole.dump.heaps.into_iter().next().unwrap_or_default(), read))
}
