//! Pairs of entries of two sides at one address.

use std::cmp::Ordering;
use std::mem;

use crate::error::Error;

use super::Diff;
use super::side::{Entries, Entry};

/// The entries of the left side, paired with those of the right side as they come; both ascend.
pub(super) struct Pairing<'h> {
    left: Entries<'h>,
    next: Option<Entry<'h>>,
}

impl<'h> Pairing<'h> {
    /// # Errors
    /// If a temporary file cannot be read.
    pub(super) fn new(mut left: Entries<'h>) -> Result<Pairing<'h>, Error> {
        Ok(Pairing { next: left.next()?, left })
    }

    /// Compares the next entry of the right side with that of the left side at its address, after the left entries
    /// before it.
    ///
    /// # Errors
    /// If comparing fails, or reading temporary files.
    pub(super) fn right(&mut self, entry: Entry<'_>, diff: &mut Diff<'_>) -> Result<(), Error> {
        loop {
            let order = self.next.as_ref().map_or(Ordering::Greater, |next| next.address().cmp(&entry.address()));
            let one = if order.is_le() { mem::replace(&mut self.next, self.left.next()?) } else { None };
            if order.is_ge() {
                return diff.pair(one, Some(entry));
            }
            diff.pair(one, None)?;
        }
    }

    /// Reports the entries of the left side after the last entry of the right side.
    ///
    /// # Errors
    /// Like [`Pairing::right`].
    pub(super) fn end(mut self, diff: &mut Diff<'_>) -> Result<(), Error> {
        while self.next.is_some() {
            let one = mem::replace(&mut self.next, self.left.next()?);
            diff.pair(one, None)?;
        }
        Ok(())
    }
}
