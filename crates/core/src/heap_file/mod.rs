//! Heap files: a heap as text that a person reads, writes and changes (docs/heap-file.md).
//!
//! [`HeapFile::parse`] does nothing but call [`HeapBuilder`](crate::builder::HeapBuilder).

mod describe;
mod notation;
mod problem;
mod random;
mod read;

use crate::builder::BuiltHeap;
use crate::compare::Facet;
use crate::error::Error;
use crate::generate::Library;
use crate::model::{Dump, DumpSource, Event, Heap, HeapSource, WordSize};
use crate::setters::setters;

pub use crate::error::{HeapFileError, HeapFileErrors};
pub use describe::{DescribeOptions, describe};

/// The end of a heap file's name.
pub const SUFFIX: &str = ".kdl";

/// The most bytes of a heap file: what is larger says more by `repeat`.
pub const LONGEST: u64 = 16 << 20;

/// Names of libraries.
const LIBRARIES: [(&str, Library); 8] = [
    ("jdk-6", Library::Jdk6),
    ("jdk-8", Library::Jdk8),
    ("jdk-11", Library::Jdk11),
    ("jdk-17", Library::Jdk17),
    ("jdk-21", Library::Jdk21),
    ("jdk-25", Library::Jdk25),
    ("android", Library::Android),
    ("j9", Library::J9),
];

/// How a heap file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeapFileOptions {
    /// Numbers of the file's variables in place of its own.
    pub variables: Vec<(String, i64)>,
    /// The word size of a heap that states none.
    pub word: WordSize,
}

impl Default for HeapFileOptions {
    fn default() -> HeapFileOptions {
        HeapFileOptions { variables: Vec::new(), word: WordSize::Bits64 }
    }
}

setters! {
    impl HeapFileOptions {
        set variables: Vec<(String, i64)>;
        set word: WordSize;
    }
}

/// The heaps of a heap file.
#[derive(Debug)]
pub struct HeapFile {
    heaps: Vec<BuiltHeap>,
    /// The log of the process after the last heap.
    tail: Vec<Event>,
}

impl HeapFile {
    /// Reads a heap file, with values for its variables in place of their own.
    ///
    /// # Errors
    /// Every mistake of the file, with its line and column.
    pub fn parse(text: &str, variables: &[(String, i64)]) -> Result<HeapFile, HeapFileErrors> {
        HeapFile::parse_with(text, &HeapFileOptions::default().variables(variables.to_vec()))
    }

    /// Reads a heap file, with these options.
    ///
    /// # Errors
    /// Like [`HeapFile::parse`].
    pub fn parse_with(text: &str, options: &HeapFileOptions) -> Result<HeapFile, HeapFileErrors> {
        read::read(text, options)
    }

    /// Reads a heap file whose bytes may be no text, with these options.
    ///
    /// # Errors
    /// Like [`HeapFile::parse`]; if the bytes are not UTF-8.
    pub fn parse_bytes(bytes: &[u8], options: &HeapFileOptions) -> Result<HeapFile, HeapFileErrors> {
        match HeapFileErrors::of_bytes(bytes) {
            Some(errors) => Err(errors),
            None => HeapFile::parse_with(&String::from_utf8_lossy(bytes), options),
        }
    }

    /// Whether the file gives nothing of a facet: see [`BuiltHeap::is_automatic`].
    pub fn is_automatic(&self, facet: Facet) -> bool {
        self.heaps.iter().all(|heap| heap.is_automatic(facet))
    }

    /// Whether the file gives no root of a kind, by its name: see [`BuiltHeap::has_only_automatic_roots`].
    pub fn has_only_automatic_roots(&self, kind: &str) -> bool {
        self.heaps.iter().all(|heap| heap.has_only_automatic_roots(kind))
    }

    /// All heaps in memory.
    ///
    /// # Errors
    /// If a repeated part has a value that its field cannot have.
    pub fn into_dump(mut self) -> Result<Dump, Error> {
        let heaps = self.heaps.iter_mut().map(|heap| Heap::collect(heap)).collect::<Result<Vec<Heap>, Error>>()?;
        Ok(Dump { heaps, tail: self.tail })
    }

    /// The number of objects in all heaps.
    pub fn object_count(&self) -> u64 {
        self.heaps.iter().map(BuiltHeap::object_count).sum()
    }
}

impl DumpSource for HeapFile {
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
