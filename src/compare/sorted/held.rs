//! The same items as `disk` has, all of them in memory.

use crate::error::Error;
use crate::model::{Address, Object};

/// Addresses in file order, as they come.
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

/// The same, to be read once.
pub(in crate::compare) struct StoredOrder(std::vec::IntoIter<Address>);

impl StoredOrder {
    pub(super) fn next(&mut self) -> Result<Option<Address>, Error> {
        Ok(self.0.next())
    }
}

/// Objects, sorted at the end.
#[derive(Default)]
pub(super) struct Runs(Vec<Object>);

impl Runs {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, objects: &mut Vec<Object>) -> Result<(), Error> {
        self.0.append(objects);
        Ok(())
    }

    pub(super) fn merge(mut self) -> Result<Merge, Error> {
        self.0.sort_by_key(|object| object.address);
        Ok(Merge(self.0.into_iter()))
    }
}

/// Sorted objects.
pub(in crate::compare) struct Merge(std::vec::IntoIter<Object>);

impl Merge {
    pub(super) fn next(&mut self) -> Result<Option<Object>, Error> {
        Ok(self.0.next())
    }
}
