//! New addresses in the order of the old ones, where the target cannot hold these.

use std::sync::Arc;

use crate::error::{Error, LowerError};
use crate::family::HeapRequirements;
use crate::model::Address;
use crate::model::long::Renumbering;

/// The addresses of a heap, 8 bytes each in memory, and their new values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// Sorted, without null.
    old: Vec<u64>,
    pub(super) first: u64,
    pub(super) step: u64,
}

/// A collector of addresses.
#[derive(Debug, Default)]
pub(super) struct AddressCollector {
    seen: Vec<u64>,
    /// The number of addresses that are sorted and distinct.
    sorted: usize,
}

impl AddressCollector {
    pub(super) fn add(&mut self, address: Address) {
        if !address.is_null() {
            self.seen.push(address.0);
        }
        if self.seen.len() > 2 * self.sorted.max(1 << 16) {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.seen.sort_unstable();
        self.seen.dedup();
        self.sorted = self.seen.len();
    }

    pub(super) fn into_numbering(mut self, needs: &HeapRequirements) -> Result<Numbering, Error> {
        self.sort();
        let count = self.seen.len() as u64;
        // Apart from each other like objects, if there is room.
        let wide = count.checked_mul(8).is_some_and(|last| last <= needs.largest);
        let step = if wide { 8 } else { needs.unit };
        if count.checked_mul(step).is_none_or(|last| last > needs.largest) {
            let message = format!(
                "there are {count} addresses, and the dump can hold {}; take wider identifiers",
                needs.largest / needs.unit
            );
            return Err(LowerError::Profile(message).into());
        }
        Ok(Numbering { old: self.seen, first: step, step })
    }
}

impl Numbering {
    /// The number of addresses.
    pub fn count(&self) -> u64 {
        self.old.len() as u64
    }

    /// The new addresses, to be shared with contents that are read later.
    pub(super) fn to_renumbering(self: &Arc<Numbering>) -> Arc<Renumbering> {
        let numbering = Arc::clone(self);
        Arc::new(move |address| numbering.new_address(address))
    }

    /// The new address; null for null, and for an address that the heap does not mention.
    pub fn new_address(&self, address: Address) -> Address {
        let place = self.old.binary_search(&address.0);
        place.map_or(Address::NULL, |place| Address(self.first + place as u64 * self.step))
    }
}
