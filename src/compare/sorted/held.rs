//! The types of `disk` without temporary files: everything is held in memory.

use crate::error::Error;
use crate::model::Address;

use super::Entry;

/// The addresses of a heap in file order.
#[derive(Default)]
pub(super) struct Order(Vec<Address>);

impl Order {
    pub(super) fn new(_: usize) -> Order {
        Order::default()
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
pub(super) struct Runs<T>(Vec<T>);

impl<T: Entry> Runs<T> {
    pub(super) fn new() -> Runs<T> {
        Runs(Vec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an entry continues the current run: there are no runs.
    pub(super) fn goes_on(&self, _: Address) -> bool {
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

    pub(super) fn merge(mut self) -> Result<Merge<T>, Error> {
        self.0.sort_by_key(|entry| entry.object().address);
        Ok(Merge(self.0.into_iter()))
    }
}

/// Sorted entries.
pub(crate) struct Merge<T>(std::vec::IntoIter<T>);

impl<T: Entry> Merge<T> {
    pub(super) fn next(&mut self) -> Result<Option<T>, Error> {
        Ok(self.0.next())
    }
}
