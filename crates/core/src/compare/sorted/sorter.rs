//! A sort of objects, and what accompanies each, in bounded memory.

use std::mem::size_of;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::model::{Address, Contents, HeapSource, Object, Value, VisitObjects};

use super::{EntryMerge, EntryRuns};

/// An item to sort: an object, or an object with something that accompanies it.
pub(crate) trait SortEntry: Serialize + DeserializeOwned {
    /// The object.
    fn object(&self) -> &Object;

    /// The object, mutable so that contents that are not held can be taken out before it is written to a file.
    #[cfg(feature = "sorting")]
    fn object_mut(&mut self) -> &mut Object;
}

impl SortEntry for Object {
    fn object(&self) -> &Object {
        self
    }

    #[cfg(feature = "sorting")]
    fn object_mut(&mut self) -> &mut Object {
        self
    }
}

/// A sorter of entries by the addresses of their objects; those at one address keep their order.
pub(crate) struct Sorter<T> {
    memory: usize,
    held: Vec<T>,
    bytes: usize,
    runs: EntryRuns<T>,
}

/// Sorted entries.
pub(crate) enum AscendingEntries<T> {
    /// Few enough to be held.
    Held(std::vec::IntoIter<T>),
    /// Entries in runs.
    Merged(EntryMerge<T>),
}

impl<T: SortEntry> Sorter<T> {
    /// An empty sorter that holds about this number of bytes.
    pub(crate) fn new(memory: usize) -> Sorter<T> {
        Sorter { memory, held: Vec::new(), bytes: 0, runs: EntryRuns::new() }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// If a temporary file fails.
    pub(crate) fn push(&mut self, entry: T) -> Result<(), Error> {
        // Mostly entries ascend already: once there is a run, they need not be held.
        if self.held.is_empty() && self.runs.continues_run(entry.object().address) {
            return self.runs.write(entry);
        }
        self.bytes += footprint(entry.object()) + size_of::<T>() - size_of::<Object>();
        self.held.push(entry);
        if self.bytes > self.memory {
            self.runs.add(&mut self.held)?;
            self.bytes = 0;
        }
        Ok(())
    }

    /// The sorted entries.
    ///
    /// # Errors
    /// If a temporary file fails.
    pub(crate) fn finish(mut self) -> Result<AscendingEntries<T>, Error> {
        if self.runs.is_empty() {
            self.held.sort_by_key(|entry| entry.object().address);
            return Ok(AscendingEntries::Held(self.held.into_iter()));
        }
        if !self.held.is_empty() {
            self.runs.add(&mut self.held)?;
        }
        drop(self.held);
        Ok(AscendingEntries::Merged(self.runs.merge()?))
    }
}

impl<T: SortEntry> AscendingEntries<T> {
    /// The next entry.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<T>, Error> {
        match self {
            AscendingEntries::Held(entries) => Ok(entries.next()),
            AscendingEntries::Merged(merge) => merge.next(),
        }
    }
}

/// Calls `visit` with the objects of a source by address, those at one address in file order, within this amount of
/// memory.
///
/// # Errors
/// If `visit` fails, or reading the source or temporary files.
pub(crate) fn visit_sorted(
    source: &mut dyn HeapSource,
    memory: usize,
    visit: &mut VisitObjects<'_>,
) -> Result<(), Error> {
    let mut sorter = Sorter::new(memory);
    source.visit_objects(&mut |object| sorter.push(object.clone()))?;
    let mut objects = sorter.finish()?;
    while let Some(object) = objects.next()? {
        visit(&object)?;
    }
    Ok(())
}

/// The approximate memory of an object in bytes.
fn footprint(object: &Object) -> usize {
    let contents = match &object.contents {
        Contents::References(items) | Contents::Elements(items) => items.capacity() * size_of::<Address>(),
        Contents::Fields(values) => values.capacity() * size_of::<Value>(),
        Contents::Raw(bytes) | Contents::Primitives(bytes) => bytes.capacity(),
        Contents::Long(_) | Contents::Unknown => 0,
    };
    let text = object.text.as_ref().map_or(0, |text| text.as_bytes().len());
    // The allocator's own part of a block.
    size_of::<Object>() + contents + text + 16
}
