//! A single heap, of a dump, a listing or a heap file.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;

use crate::compare::listing::{self, Listing};
use crate::compare::{Comparison, Facet, RecordSpan};
use crate::error::{Error, Remedy};
use crate::family::{FileSource, ReadOptions};
#[cfg(feature = "heap-file")]
use crate::heap_file::HeapFile;
use crate::input::Input;
use crate::model::{Address, DumpSource, HeapSource};

use super::dump_file::read_start;
use super::{DumpFile, Format};

/// A heap of a dump, whose objects stay there, of a listing or of a heap file.
#[derive(Debug)]
pub enum OpenedHeap {
    /// The heap of a listing.
    Listing(Box<Listing>),
    /// A heap of a dump.
    Dump {
        /// The file.
        file: DumpFile,
        /// The heaps of the file.
        source: FileSource,
        /// The number of this heap.
        number: usize,
    },
    /// A heap of a heap file, whose repeated objects are computed.
    #[cfg(feature = "heap-file")]
    HeapFile {
        /// The heaps of the file.
        file: Box<HeapFile>,
        /// The number of this heap.
        number: usize,
        /// The facets of which the file gives nothing.
        automatic: Vec<Facet>,
    },
}

impl OpenedHeap {
    /// Opens a dump or a listing, which begins with a brace. Of a dump with several heaps `number` says which one.
    ///
    /// # Errors
    /// If it cannot be read, or has no such heap.
    pub fn open(input: Input, number: Option<usize>, reading: ReadOptions) -> Result<OpenedHeap, Error> {
        if OpenedHeap::is_listing(&input)? {
            let listing = listing::read_within(BufReader::new(input.stream()?), reading.allowed(Some(&input)))?;
            return Ok(OpenedHeap::Listing(Box::new(listing)));
        }
        let file = DumpFile::new(input, reading)?;
        let source = file.source()?;
        OpenedHeap::from_dump(file, source, number)
    }

    /// A heap of a dump.
    ///
    /// # Errors
    /// If there is no such heap.
    pub fn from_dump(file: DumpFile, source: FileSource, number: Option<usize>) -> Result<OpenedHeap, Error> {
        let number = choose_heap(number, source.heaps())?;
        Ok(OpenedHeap::Dump { file, source, number })
    }

    /// A heap of a heap file.
    ///
    /// # Errors
    /// If there is no such heap.
    #[cfg(feature = "heap-file")]
    pub fn from_heap_file(file: HeapFile, number: Option<usize>) -> Result<OpenedHeap, Error> {
        let number = choose_heap(number, file.heaps())?;
        let automatic = Facet::ALL.into_iter().filter(|facet| file.is_automatic(*facet)).collect();
        Ok(OpenedHeap::HeapFile { file: Box::new(file), number, automatic })
    }

    /// Whether an input is a listing, which begins with a brace, and no dump.
    ///
    /// # Errors
    /// If it cannot be read because of the machine.
    pub fn is_listing(input: &Input) -> Result<bool, Error> {
        Ok(read_start(&mut input.stream()?, 1, input.name())? == *b"{")
    }

    /// The heap.
    pub fn source(&mut self) -> &mut dyn HeapSource {
        match self {
            OpenedHeap::Listing(listing) => &mut listing.heap,
            OpenedHeap::Dump { source, number, .. } => source.heap(*number),
            #[cfg(feature = "heap-file")]
            OpenedHeap::HeapFile { file, number, .. } => file.heap(*number),
        }
    }

    /// A sentence about bytes that the dump has or lacks at its end, and that its heaps do not record.
    pub fn unrecorded_end(&self) -> Option<&str> {
        match self {
            OpenedHeap::Dump { source, .. } => source.unrecorded_end(),
            _ => None,
        }
    }

    /// The facets that a listing says it omits, or of which a heap file gives nothing.
    pub fn omits(&self) -> &[Facet] {
        match self {
            OpenedHeap::Listing(listing) => &listing.head.omits,
            #[cfg(feature = "heap-file")]
            OpenedHeap::HeapFile { automatic, .. } => automatic,
            OpenedHeap::Dump { .. } => &[],
        }
    }

    /// The format; `None` for a listing or a heap file.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn format(&self) -> Result<Option<Format>, Error> {
        match self {
            OpenedHeap::Dump { file, .. } => file.format().map(Some),
            _ => Ok(None),
        }
    }

    /// The places of the records of these addresses; none, of a listing or a heap file.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn places(&self, wanted: &BTreeSet<Address>) -> Result<BTreeMap<Address, RecordSpan>, Error> {
        match self {
            OpenedHeap::Dump { file, number, .. } => file.places(*number, wanted),
            _ => Ok(BTreeMap::new()),
        }
    }
}

/// The number of the heap that is meant, of a dump with this many heaps.
///
/// # Errors
/// If there is none of this number, or none is named and there are several.
pub fn choose_heap(number: Option<usize>, heaps: usize) -> Result<usize, Error> {
    let plural = if heaps == 1 { "1 heap".to_owned() } else { format!("{heaps} heaps") };
    match number {
        Some(number) if number < heaps => Ok(number),
        Some(number) => Err(Error::Usage(format!("there is no heap {number}; the dump has {plural}, numbered from 0"))),
        None if heaps == 1 => Ok(0),
        None if heaps == 0 => Err(Error::Usage("the dump has no heap".to_owned())),
        None => Err(Error::refused(format!("the dump has {plural}"), Remedy::ChooseHeap { heaps })),
    }
}

/// Finds where each side has the first record that differs in each facet.
///
/// # Errors
/// If a header cannot be read.
pub fn locate(comparison: &mut Comparison, left: &OpenedHeap, right: &OpenedHeap) -> Result<(), Error> {
    let address = |text: &Option<String>| {
        let digits = text.as_ref()?.strip_prefix("0x")?;
        u64::from_str_radix(digits, 16).ok().map(Address)
    };
    let wanted: BTreeSet<Address> = comparison.differences.iter().filter_map(|d| address(&d.address)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let places = (left.places(&wanted)?, right.places(&wanted)?);
    for difference in &mut comparison.differences {
        if let Some(address) = address(&difference.address) {
            difference.left_place = places.0.get(&address).copied();
            difference.right_place = places.1.get(&address).copied();
        }
    }
    Ok(())
}
