//! The types of `disk` without temporary files: everything is held in memory.

use crate::error::Error;
use crate::model::Address;

use super::SortEntry;

/// The addresses of a heap in file order.
#[derive(Default)]
pub(super) struct AddressOrder(Vec<Address>);

impl AddressOrder {
    pub(super) fn new(_: usize) -> AddressOrder {
        AddressOrder::default()
    }

    pub(super) fn push(&mut self, address: Address) -> Result<(), Error> {
        self.0.push(address);
        Ok(())
    }

    pub(super) fn finish(self) -> Result<StoredOrder, Error> {
        Ok(StoredOrder(self.0.into_iter()))
    }
}

/// The addresses in file order, to be read once.
pub(in crate::compare) struct StoredOrder(std::vec::IntoIter<Address>);

impl StoredOrder {
    pub(super) fn next(&mut self) -> Result<Option<Address>, Error> {
        Ok(self.0.next())
    }
}

/// Entries, sorted at the end.
pub(super) struct EntryRuns<T>(Vec<T>);

impl<T: SortEntry> EntryRuns<T> {
    pub(super) fn new() -> EntryRuns<T> {
        EntryRuns(Vec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an entry continues the current run: there are no runs.
    pub(super) fn continues_run(&self, _: Address) -> bool {
        false
    }

    pub(super) fn write(&mut self, entry: T) -> Result<(), Error> {
        self.0.push(entry);
        Ok(())
    }

    pub(super) fn add(&mut self, entries: &mut Vec<T>) -> Result<(), Error> {
        self.0.append(entries);
        Ok(())
    }

    pub(super) fn merge(mut self) -> Result<EntryMerge<T>, Error> {
        self.0.sort_by_key(|entry| entry.object().address);
        Ok(EntryMerge(self.0.into_iter()))
    }
}

/// Sorted entries.
pub(crate) struct EntryMerge<T>(std::vec::IntoIter<T>);

impl<T: SortEntry> EntryMerge<T> {
    pub(super) fn next(&mut self) -> Result<Option<T>, Error> {
        Ok(self.0.next())
    }
}
