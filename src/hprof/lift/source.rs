//! A dump as a source of heaps: the index in memory, the objects read from the file each time.

use std::io::Read;

use crate::error::{DecodeError, Error};
use crate::model::{Class, Dump, DumpSource, Event, Facts, Heap, HeapSource, Surroundings, VisitObjects};

use super::super::decode::Decoder;
use super::super::wire::IdSize;
use super::index::{HeapIndex, Index};
use super::item::object;
use super::walk::{Item, Keep, walk};

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
    id: IdSize,
    index: HeapIndex,
}

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error> + Clone> HprofDump<O> {
    /// Reads the index. `open` gives a decoder at the start of the same file every time.
    ///
    /// # Errors
    /// What opening or decoding runs into.
    pub fn new(mut open: O) -> Result<HprofDump<O>, Error> {
        let mut decoder = open()?;
        let id = decoder.header().id_size;
        let (index, read) = Index::read(&mut decoder);
        read?;
        let facts = index.facts;
        let heap = |(number, index)| HprofHeap { open: open.clone(), number, facts: facts.clone(), id, index };
        Ok(HprofDump { heaps: index.heaps.into_iter().enumerate().map(heap).collect(), tail: index.tail })
    }

    /// One of the heaps, by its index.
    pub fn into_heap(self, number: usize) -> Option<HprofHeap<O>> {
        self.heaps.into_iter().nth(number)
    }
}

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error>> DumpSource for HprofDump<O> {
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

impl<R: Read, O: FnMut() -> Result<Decoder<R>, Error>> HeapSource for HprofHeap<O> {
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
        let mut decoder = (self.open)()?;
        walk(&mut decoder, Keep::Contents, |place, item| match item {
            Item::Object(found) if place.heap == self.number => {
                object(found, self.id, &self.index.layouts).map_or(Ok(()), |object| visit(&object))
            }
            _ => Ok(()),
        })
    }
}

/// Reads a whole dump into memory: `open` gives a decoder at the start of the same file each of two times. After
/// an error the dump holds everything before it.
///
/// # Errors
/// What opening runs into.
pub fn dump<R: Read>(
    mut open: impl FnMut() -> Result<Decoder<R>, Error>,
) -> Result<(Dump, Result<(), DecodeError>), Error> {
    let mut decoder = open()?;
    let id = decoder.header().id_size;
    let (index, read) = Index::read(&mut decoder);
    let mut objects: Vec<Vec<_>> = index.heaps.iter().map(|_| Vec::new()).collect();
    let mut decoder = open()?;
    let again = walk::<_, DecodeError, _>(&mut decoder, Keep::Contents, |place, item| {
        if let Item::Object(found) = item
            && let (Some(heap), Some(objects)) = (index.heaps.get(place.heap), objects.get_mut(place.heap))
        {
            objects.extend(object(found, id, &heap.layouts));
        }
        Ok(())
    });
    let facts = index.facts;
    let heap = |(heap, objects): (HeapIndex, Vec<_>)| Heap {
        facts: facts.clone(),
        classes: heap.classes,
        objects,
        surroundings: heap.surroundings,
    };
    let heaps = index.heaps.into_iter().zip(objects).map(heap).collect();
    Ok((Dump { heaps, tail: index.tail }, read.and(again)))
}

/// Reads a dump from memory and gives its first heap.
///
/// # Errors
/// If the bytes do not begin with an HPROF header.
pub fn heap(bytes: &[u8]) -> Result<(Heap, Result<(), DecodeError>), Error> {
    let (dump, read) = dump(|| Ok(Decoder::new(bytes)?))?;
    Ok((dump.heaps.into_iter().next().unwrap_or_default(), read))
}
