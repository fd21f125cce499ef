//! The heaps of a dump.

use std::fmt;

use crate::compare::listing::Places;
use crate::error::DecodeError;
use crate::model::{Dump, DumpSource, Event, HeapSource};

/// A file's heaps in memory.
#[derive(Debug)]
pub struct WholeFile {
    /// The heaps.
    pub dump: Dump,
    /// The places of each heap's classes and objects.
    pub places: Vec<Places>,
    /// How the file ended.
    pub ended: Result<(), DecodeError>,
}

/// The heaps of a file, whose objects stay there.
pub struct Source {
    heaps: Box<dyn DumpSource + Send>,
    left_behind: Option<String>,
}

impl Source {
    /// Heaps. `left_behind` is what the dump has or lacks at its end that they do not record.
    pub fn new(heaps: impl DumpSource + Send + 'static, left_behind: Option<&str>) -> Source {
        Source { heaps: Box::new(heaps), left_behind: left_behind.map(str::to_owned) }
    }

    /// What the dump has or lacks that its heaps do not record.
    pub fn left_behind(&self) -> Option<&str> {
        self.left_behind.as_deref()
    }
}

impl DumpSource for Source {
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

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("heaps", &self.heaps()).finish_non_exhaustive()
    }
}

/// The only heap of a dump.
#[derive(Debug)]
pub struct One<H>(pub H);

impl<H: HeapSource> DumpSource for One<H> {
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
