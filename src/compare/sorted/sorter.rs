//! Sorting objects, and what stands beside each, in bounded memory.

use std::mem::size_of;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::model::{Address, Contents, HeapSource, Object, Value, VisitObjects};

use super::{Merge, Runs};

/// What is sorted: an object, or one with something beside it.
pub(crate) trait Entry: Serialize + DeserializeOwned {
    /// The object.
    fn object(&self) -> &Object;

    /// The object, whose contents do not go into files where they are not held.
    #[cfg(feature = "sorting")]
    fn object_mut(&mut self) -> &mut Object;
}

impl Entry for Object {
    fn object(&self) -> &Object {
        self
    }

    #[cfg(feature = "sorting")]
    fn object_mut(&mut self) -> &mut Object {
        self
    }
}

/// Sorts entries by the addresses of their objects; those of one address stay in their order.
pub(crate) struct Sorter<T> {
    memory: usize,
    held: Vec<T>,
    bytes: usize,
    runs: Runs<T>,
}

/// Sorted entries.
pub(crate) enum Ascending<T> {
    /// Few enough to be held.
    Held(std::vec::IntoIter<T>),
    /// In runs.
    Merged(Merge<T>),
}

impl<T: Entry> Sorter<T> {
    /// A sorter that holds about this number of bytes.
    pub(crate) fn new(memory: usize) -> Sorter<T> {
        Sorter { memory, held: Vec::new(), bytes: 0, runs: Runs::new() }
    }

    /// Takes in an entry.
    ///
    /// # Errors
    /// What temporary files run into.
    pub(crate) fn push(&mut self, entry: T) -> Result<(), Error> {
        // Mostly entries ascend already: once there is a run, they need not be held.
        if self.held.is_empty() && self.runs.goes_on(entry.object().address) {
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

    /// All of them, sorted.
    ///
    /// # Errors
    /// What temporary files run into.
    pub(crate) fn finish(mut self) -> Result<Ascending<T>, Error> {
        if self.runs.is_empty() {
            self.held.sort_by_key(|entry| entry.object().address);
            return Ok(Ascending::Held(self.held.into_iter()));
        }
        if !self.held.is_empty() {
            self.runs.add(&mut self.held)?;
        }
        drop(self.held);
        Ok(Ascending::Merged(self.runs.merge()?))
    }
}

impl<T: Entry> Ascending<T> {
    /// The next entry.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<T>, Error> {
        match self {
            Ascending::Held(entries) => Ok(entries.next()),
            Ascending::Merged(merge) => merge.next(),
        }
    }
}

/// Calls `visit` with the objects of a source by address, those of one address in file order, with so much memory.
///
/// # Errors
/// What `visit` returns, and what reading the source or temporary files runs into.
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

/// About how many bytes an object takes in memory.
fn footprint(object: &Object) -> usize {
    let contents = match &object.contents {
        Contents::References(items) | Contents::Elements(items) => items.capacity() * size_of::<Address>(),
        Contents::Fields(values) => values.capacity() * size_of::<Value>(),
        Contents::Raw(bytes) | Contents::Primitives(bytes) => bytes.capacity(),
        Contents::Long(_) | Contents::Unknown => 0,
    };
    // The allocator's own part of a block.
    size_of::<Object>() + contents + 16
}
