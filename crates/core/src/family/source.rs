//! The heaps of a dump.

use std::fmt;

use crate::compare::listing::{HeapPlaces, RecordPlace};
use crate::error::{DecodeError, Error};
use crate::model::{Dump, DumpSource, Event, HeapSource, Object};

/// A file's heaps in memory.
#[derive(Debug)]
pub struct WholeFile {
    /// The heaps.
    pub dump: Dump,
    /// The places of each heap's classes and objects.
    pub places: Vec<HeapPlaces>,
    /// The end of the file: the error at which reading stopped, if it did.
    pub ended: Result<(), DecodeError>,
}

/// The heaps of a file as far as they can be read, whose objects stay there.
pub struct DumpOutline {
    /// The heaps without their objects.
    pub dump: Dump,
    /// The places of each heap's classes.
    pub classes: Vec<Vec<RecordPlace>>,
    /// The end of the file when the classes were read: the error at which reading stopped, if it did.
    pub ended: Result<(), DecodeError>,
    objects: Box<VisitHeap>,
}

/// The function that [`DumpOutline::visit_objects`] calls with each object and its place.
pub type VisitPlaced<'v> = dyn FnMut(RecordPlace, &Object) -> Result<(), Error> + 'v;

/// Calls its second argument with each object of the heap of this number.
type VisitHeap = dyn FnMut(usize, &mut VisitPlaced<'_>) -> Result<(), Error>;

impl DumpOutline {
    /// Heaps without their objects, which `objects` visits up to where the file cannot be read.
    pub fn new(
        dump: Dump,
        classes: Vec<Vec<RecordPlace>>,
        ended: Result<(), DecodeError>,
        objects: impl FnMut(usize, &mut VisitPlaced<'_>) -> Result<(), Error> + 'static,
    ) -> DumpOutline {
        DumpOutline { dump, classes, ended, objects: Box::new(objects) }
    }

    /// Calls `visit` with each object of one of the heaps in file order, and says how the file ended.
    ///
    /// # Errors
    /// An error of `visit`, apart from an [`Error::Decode`], or of opening the file.
    pub fn visit_objects(
        &mut self,
        heap: usize,
        visit: &mut VisitPlaced<'_>,
    ) -> Result<Result<(), DecodeError>, Error> {
        match (self.objects)(heap, visit) {
            Ok(()) => Ok(Ok(())),
            Err(Error::Decode(error)) => Ok(Err(error)),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for DumpOutline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DumpOutline").field("heaps", &self.dump.heaps.len()).finish_non_exhaustive()
    }
}

/// The heaps of a file, whose objects stay there.
pub struct FileSource {
    heaps: Box<dyn DumpSource + Send>,
    left_behind: Option<String>,
}

impl FileSource {
    /// Heaps. `left_behind` is what the dump has or lacks at its end that they do not record.
    pub fn new(heaps: impl DumpSource + Send + 'static, left_behind: Option<&str>) -> FileSource {
        FileSource { heaps: Box::new(heaps), left_behind: left_behind.map(str::to_owned) }
    }

    /// A sentence about bytes that the dump has or lacks at its end, and that its heaps do not record.
    pub fn unrecorded_end(&self) -> Option<&str> {
        self.left_behind.as_deref()
    }
}

impl DumpSource for FileSource {
    fn heaps(&self) -> usize {
        self.heaps.heaps()
    }

    fn heap(&mut self, number: usize) -> &mut dyn HeapSource {
        self.heaps.heap(number)
    }

    fn tail(&self) -> &[Event] {
        self.heaps.tail()
    }
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileSource").field("heaps", &self.heaps()).finish_non_exhaustive()
    }
}

/// The only heap of a dump.
#[derive(Debug)]
pub struct SingleHeap<H>(pub H);

impl<H: HeapSource> DumpSource for SingleHeap<H> {
    fn heaps(&self) -> usize {
        1
    }

    fn heap(&mut self, _: usize) -> &mut dyn HeapSource {
        &mut self.0
    }

    fn tail(&self) -> &[Event] {
        &[]
    }
}
