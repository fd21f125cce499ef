//! Heaps and dumps.

use super::blocks::ObjectBlocks;
use super::{Address, ByteLen, Class, Contents, Event, Name, Object, Root, StackTrace, Thread, WordSize};
use crate::error::Error;

/// A dump: one or more heaps in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dump {
    /// The heaps in file order; PHD and classic text have exactly one.
    pub heaps: Vec<Heap>,
    /// The log of the process after the last heap (HPROF).
    pub tail: Vec<Event>,
}

/// Facts of a dump's header and of the process as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Word size of the dumped process.
    pub word_size: Option<WordSize>,
    /// The JVM's version text.
    pub version_text: Option<Name>,
    /// Counts that the header states.
    pub totals: Option<HeaderTotals>,
    /// The number of null references of all objects and classes, where the dump states only that (classic text of the
    /// native writer).
    pub null_references: Option<u64>,
    /// The two random numbers of PHD header record 3, from which Sovereign VMs derived hashes.
    pub hash_randoms: Option<(u32, u32)>,
    /// The way in which identity hashes are kept.
    pub hash_regime: Option<HashRegime>,
    /// Milliseconds since 1970-01-01T00:00Z (HPROF).
    pub timestamp: Option<u64>,
    /// The version in the header's text, such as `1.0.2` (HPROF).
    pub header_version: Option<Name>,
    /// Size of an identifier (HPROF): that of a pointer in most writers, 4 in the agent even on 64 bits.
    pub identifier_size: Option<ByteLen>,
}

/// The beginning of a part of the heap (ART: app, image, zygote), to which the objects after it belong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// The part's number.
    pub id: u32,
    /// Its name.
    pub name: Name,
    /// The number of classes and objects that stand before it in file order.
    pub after: u64,
}

/// The counts of PHD header record 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderTotals {
    /// Objects, classes included.
    pub objects: u32,
    /// References.
    pub references: u32,
}

/// The way in which a JVM keeps identity hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashRegime {
    /// Every object has a 16-bit hash (J9 2.3 to 2.5).
    Every16,
    /// An object has a 32-bit hash once it was asked for (J9 2.6 and later, Sovereign).
    WhereUsed32,
}

/// The function that [`HeapSource::visit_objects`] calls with each object.
pub type VisitObjects<'v> = dyn FnMut(&Object) -> Result<(), Error> + 'v;

/// A heap as a class table plus a stream of objects.
///
/// The table is held in memory, so memory is bounded by the classes; the objects may be visited any
/// number of times, always in the same order.
pub trait HeapSource {
    /// Facts of the header.
    fn facts(&self) -> &Facts;

    /// The class table, in file order.
    fn classes(&self) -> &[Class];

    /// Facts beside classes and objects: roots, threads, traces.
    fn surroundings(&self) -> &Surroundings;

    /// Calls `visit` with each object in file order, until it fails.
    ///
    /// # Errors
    /// An error of `visit`, or of reading the objects.
    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error>;

    /// Calls `visit` with each object, or with many at once where they are in blocks.
    ///
    /// # Errors
    /// Like [`HeapSource::visit_objects`].
    fn visit_parts(&mut self, visit: &mut VisitParts<'_>) -> Result<(), Error> {
        self.visit_objects(&mut |object| visit(HeapPart::Object(object)))
    }

    /// Whether the objects are known to stand in the order of their addresses.
    fn ascends(&self) -> bool {
        false
    }

    /// The number of segments that a dump of the heap is asked to have, where its format has segments (HPROF). It is no fact of
    /// the heap.
    fn segments(&self) -> Option<u64> {
        None
    }
}

/// Objects of a heap.
pub enum HeapPart<'p> {
    /// A single object.
    Object(&'p Object),
    /// Very many that repeat a few shapes.
    Blocks(&'p dyn ObjectBlocks),
}

/// The function that [`HeapSource::visit_parts`] calls with each part.
pub type VisitParts<'v> = dyn FnMut(HeapPart<'_>) -> Result<(), Error> + 'v;

/// Whether no object of a heap follows one with a higher address.
///
/// # Errors
/// An error of reading the objects.
pub(crate) fn is_ascending(source: &mut dyn HeapSource) -> Result<bool, Error> {
    if source.ascends() {
        return Ok(true);
    }
    let (mut ascending, mut previous) = (true, Address::NULL);
    source.visit_objects(&mut |object| {
        ascending &= object.address >= previous;
        previous = object.address;
        Ok(())
    })?;
    Ok(ascending)
}

/// The heaps of one file, each as a [`HeapSource`].
pub trait DumpSource {
    /// The number of heaps.
    fn heaps(&self) -> usize;

    /// The heap of this number.
    ///
    /// # Panics
    /// If there are fewer.
    fn heap(&mut self, number: usize) -> &mut dyn HeapSource;

    /// The log of the process after the last heap.
    fn tail(&self) -> &[Event];
}

impl DumpSource for Dump {
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

/// A dump with a single heap.
impl DumpSource for &mut dyn HeapSource {
    fn heaps(&self) -> usize {
        1
    }

    fn heap(&mut self, _: usize) -> &mut dyn HeapSource {
        *self
    }

    fn tail(&self) -> &[Event] {
        &[]
    }
}

/// A heap in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heap {
    /// Facts of the header.
    pub facts: Facts,
    /// The class table, in file order.
    pub classes: Vec<Class>,
    /// The objects, in file order.
    pub objects: Vec<Object>,
    /// Roots, threads, traces and the like.
    pub surroundings: Surroundings,
}

/// Facts of a heap dump beside classes and objects (HPROF). In memory: they grow with the threads, the roots and the
/// symbol table, not with the objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// GC roots, in file order.
    pub roots: Option<Vec<Root>>,
    /// Threads.
    pub threads: Option<Vec<Thread>>,
    /// Stack traces.
    pub traces: Option<Vec<StackTrace>>,
    /// Parts of the heap, in file order.
    pub regions: Option<Vec<Region>>,
    /// The log of the process before and during this heap dump, in order, with the identifiers it used: strings, loaded
    /// classes, frames, samples.
    pub events: Option<Vec<Event>>,
    /// When the heap was dumped, and when that ended: microseconds since the time stamp, modulo 2^32.
    pub times: Option<(u32, u32)>,
}

impl Heap {
    /// Copies a source into memory, long contents included.
    ///
    /// # Errors
    /// An error of reading the objects.
    pub fn collect(source: &mut dyn HeapSource) -> Result<Heap, Error> {
        let mut heap = Heap {
            facts: source.facts().clone(),
            classes: source.classes().to_vec(),
            objects: Vec::new(),
            surroundings: source.surroundings().clone(),
        };
        source.visit_objects(&mut |object| {
            heap.objects.push(match &object.contents {
                Contents::Long(_) => Object { contents: object.contents.hold()?, ..object.clone() },
                _ => object.clone(),
            });
            Ok(())
        })?;
        Ok(heap)
    }
}

/// A heap that is only borrowed can be visited as well.
impl HeapSource for &Heap {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn classes(&self) -> &[Class] {
        &self.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        self.objects.iter().try_for_each(visit)
    }
}

impl HeapSource for Heap {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn classes(&self) -> &[Class] {
        &self.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        self.objects.iter().try_for_each(visit)
    }
}
