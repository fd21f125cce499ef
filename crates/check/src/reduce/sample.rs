//! The first steps with a dump that is too large to be held with its heap: samples of its objects, and then all objects
//! in parts, each of which is read and written by itself.

use std::collections::HashSet;

use heapsmith_core::error::Error;
use heapsmith_core::format::{DumpFile, Lowering};
use heapsmith_core::model::{Address, Contents, DumpSource, Heap, HeapSource, Object, ObjectKind, PiecewiseContents};
use heapsmith_core::shrink::{DroppedObjects, without_dropped};

use super::LARGEST;
use super::graph::{WrittenHeap, writers, written_dump};
use super::trials::Trials;

/// The fractions of the objects that are tried first: one in this number. A failure that objects of some kind show
/// needs no more.
const SHARES: [u64; 3] = [4096, 512, 64];
/// Bytes of contents that are held of a part, and for each object this number more. A larger object ends its part; one that
/// is larger than any dump that is held is in no part.
const PART: u64 = 16 << 20;
const OBJECT: u64 = 32;

/// The addresses and first objects of a heap, collected before its objects are read for a part.
struct ObjectOutline {
    /// The objects' addresses, in ascending order.
    sorted: Vec<Address>,
    /// The first object of each kind and class.
    firsts: HashSet<usize>,
}

/// A part of a heap whose dump shows the failure, written as the original was or by the first writer whose dump does.
///
/// # Errors
/// If reading the dump, the test or the journal fails.
pub(super) fn reduce_to_sample(file: &DumpFile, trials: &mut Trials<'_>) -> Result<Option<WrittenHeap>, Error> {
    let (Ok(mut source), Ok(format)) = (file.source(), file.format()) else { return Ok(None) };
    let own = file.recognise(&mut source).ok().flatten().or_else(|| file.lossless_lowering(&mut source));
    let Some(lowering) = own.or_else(|| writers(format.family()).next()) else { return Ok(None) };
    for number in 0..source.heaps() {
        let heap = source.heap(number);
        let outline = match ObjectOutline::from_heap(heap) {
            Ok(outline) => outline,
            Err(Error::Decode(_)) => return Ok(None),
            Err(e) => return Err(e),
        };
        let mut tries = SampleTrials { outline: &outline, lowering: &lowering, trials: &mut *trials, found: None };
        tries.try_shares(heap)?;
        if tries.found.is_none() {
            tries.try_parts(heap)?;
        }
        if tries.found.is_some() || tries.trials.is_over() {
            return Ok(tries.found);
        }
    }
    Ok(None)
}

impl ObjectOutline {
    fn from_heap(heap: &mut dyn HeapSource) -> Result<ObjectOutline, Error> {
        let (mut addresses, mut firsts) = (Vec::new(), HashSet::new());
        let mut kinds: HashSet<(ObjectKind, Option<Address>)> = HashSet::new();
        heap.visit_objects(&mut |object| {
            if kinds.insert((object.kind, object.class)) {
                firsts.insert(addresses.len());
            }
            addresses.push(object.address);
            Ok(())
        })?;
        addresses.sort_unstable();
        Ok(ObjectOutline { sorted: addresses, firsts })
    }

    /// Whether an object is in a share, pseudo-randomly, since heaps repeat themselves.
    fn is_in_share(&self, index: usize, share: u64) -> bool {
        let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        mixed.is_multiple_of(share) || self.firsts.contains(&index)
    }
}

/// Trials of parts, until one shows the failure.
struct SampleTrials<'t, 'a> {
    outline: &'t ObjectOutline,
    lowering: &'t Lowering,
    trials: &'t mut Trials<'a>,
    found: Option<WrittenHeap>,
}

impl SampleTrials<'_, '_> {
    /// Tries no object, and then larger and larger shares.
    fn try_shares(&mut self, heap: &mut dyn HeapSource) -> Result<(), Error> {
        let around = without_objects(heap);
        self.try_part(&around, &[])?;
        let Some(largest) = SHARES.last().copied().filter(|_| self.found.is_none()) else { return Ok(()) };
        let (mut held, mut weight, mut index) = (Vec::new(), 0, 0);
        let outline = self.outline;
        heap.visit_objects(&mut |object| {
            let size = dump_size(object);
            if outline.is_in_share(index, largest) && weight < PART && size <= LARGEST {
                weight += size;
                held.push((index, with_whole_contents(object)?));
            }
            index += 1;
            Ok(())
        })?;
        for share in SHARES {
            let of_share = |(index, _): &&(usize, Object)| outline.is_in_share(*index, share);
            let some: Vec<(usize, Object)> = held.iter().filter(of_share).cloned().collect();
            if self.try_part(&around, &some)? {
                break;
            }
        }
        Ok(())
    }

    /// Tries all objects, in consecutive parts.
    fn try_parts(&mut self, heap: &mut dyn HeapSource) -> Result<(), Error> {
        let around = without_objects(heap);
        let (mut held, mut weight, mut index) = (Vec::new(), 0, 0);
        heap.visit_objects(&mut |object| {
            let size = dump_size(object);
            if self.found.is_none() && !self.trials.is_over() && size <= LARGEST {
                weight += size;
                held.push((index, with_whole_contents(object)?));
                if weight >= PART {
                    self.try_part(&around, &held)?;
                    (held, weight) = (Vec::new(), 0);
                }
            }
            index += 1;
            Ok(())
        })?;
        self.try_part(&around, &held)?;
        Ok(())
    }

    /// Tries some of the objects, with their places, and returns whether they show the failure.
    fn try_part(&mut self, around: &Heap, objects: &[(usize, Object)]) -> Result<bool, Error> {
        if self.found.is_some() || self.trials.is_over() {
            return Ok(self.found.is_some());
        }
        let places = objects.iter().map(|(index, _)| *index as u64).collect();
        let objects = objects.iter().map(|(_, object)| object.clone()).collect();
        let dropped = DroppedObjects { all: &self.outline.sorted, places };
        let heap = without_dropped(Heap { objects, ..around.clone() }, &dropped);
        if let Some(dump) = written_dump(self.lowering, &heap)
            && self.trials.begin_with(dump)?
        {
            self.found = Some(WrittenHeap::new(heap, self.lowering.clone()));
        }
        Ok(self.found.is_some())
    }
}

fn without_objects(heap: &dyn HeapSource) -> Heap {
    Heap {
        facts: heap.facts().clone(),
        classes: heap.classes().to_vec(),
        objects: Vec::new(),
        surroundings: heap.surroundings().clone(),
    }
}

/// An object with all its contents, held in memory.
fn with_whole_contents(object: &Object) -> Result<Object, Error> {
    Ok(match &object.contents {
        Contents::Long(_) => Object { contents: object.contents.hold()?, ..object.clone() },
        _ => object.clone(),
    })
}

/// The approximate size of an object in a dump.
fn dump_size(object: &Object) -> u64 {
    let contents = match &object.contents {
        Contents::Unknown => 0,
        Contents::Fields(values) => 8 * values.len() as u64,
        Contents::Raw(bytes) | Contents::Primitives(bytes) => bytes.len() as u64,
        Contents::Elements(list) | Contents::References(list) => 8 * list.len() as u64,
        Contents::Long(PiecewiseContents::References(list) | PiecewiseContents::Elements(list)) => 8 * list.count(),
        Contents::Long(PiecewiseContents::Raw(bytes) | PiecewiseContents::Primitives(bytes)) => bytes.count(),
    };
    OBJECT + contents
}
