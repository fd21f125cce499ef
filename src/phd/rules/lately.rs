//! What was found lately about addresses: most objects are of few classes.

use crate::model::Address;

/// What was found about some addresses. Of those that share a slot, the last one is known.
#[derive(Debug)]
pub(super) struct Lately<T>(Box<[(Address, Option<T>); SLOTS]>);

const SLOTS: usize = 2048;
/// 2^64 divided by the golden ratio: the upper bits of a multiple tell numbers apart that are alike (Fibonacci hashing).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl<T: Copy> Lately<T> {
    /// Nothing was found yet.
    pub(super) fn new() -> Lately<T> {
        Lately(Box::new([(Address::NULL, None); SLOTS]))
    }

    /// What is known about an address; `find` finds it where it is not.
    #[inline]
    pub(super) fn of(&mut self, address: Address, find: impl FnOnce() -> T) -> T {
        let slot = &mut self.0[(address.0.wrapping_mul(MIX) >> (u64::BITS - SLOTS.ilog2())) as usize % SLOTS];
        match *slot {
            (known, Some(found)) if known == address => found,
            _ => {
                let found = find();
                *slot = (address, Some(found));
                found
            }
        }
    }
}
