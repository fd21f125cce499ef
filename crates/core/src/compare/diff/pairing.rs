//! Pairs of entries of two sides at one address.

use std::cmp::Ordering;
use std::mem;

use crate::error::Error;

use super::HeapDiff;
use super::side::{ComparedEntry, SortedEntries};

/// The entries of the left side, paired with those of the right side as they come; both ascend.
pub(super) struct EntryPairing<'h> {
    left: SortedEntries<'h>,
    next: Option<ComparedEntry<'h>>,
}

impl<'h> EntryPairing<'h> {
    /// # Errors
    /// If a temporary file cannot be read.
    pub(super) fn new(mut left: SortedEntries<'h>) -> Result<EntryPairing<'h>, Error> {
        Ok(EntryPairing { next: left.next()?, left })
    }

    /// Compares the next entry of the right side with that of the left side at its address, after the left entries
    /// before it.
    ///
    /// # Errors
    /// If comparing fails, or reading temporary files.
    pub(super) fn pair_right(&mut self, entry: ComparedEntry<'_>, diff: &mut HeapDiff<'_>) -> Result<(), Error> {
        loop {
            let order = self.next.as_ref().map_or(Ordering::Greater, |next| next.address().cmp(&entry.address()));
            let one = if order.is_le() { mem::replace(&mut self.next, self.left.next()?) } else { None };
            if order.is_ge() {
                return diff.compare_pair(one, Some(entry));
            }
            diff.compare_pair(one, None)?;
        }
    }

    /// Reports the entries of the left side after the last entry of the right side.
    ///
    /// # Errors
    /// Like [`EntryPairing::pair_right`].
    pub(super) fn finish(mut self, diff: &mut HeapDiff<'_>) -> Result<(), Error> {
        while self.next.is_some() {
            let one = mem::replace(&mut self.next, self.left.next()?);
            diff.compare_pair(one, None)?;
        }
        Ok(())
    }
}
