//! A cache of recent results by address: most addresses that are looked up next were looked up or passed a short time
//! before.

use super::Address;

/// Results by address, in a power of two of slots. Of addresses that share a slot, the last one is kept.
#[derive(Debug)]
pub(crate) struct RecentCache<T, const SLOTS: usize> {
    /// The address that each slot is about; one that does not belong there where it is about none.
    addresses: Box<[Address]>,
    found: Box<[T]>,
}

/// 2^64 divided by the golden ratio: the upper bits of a product spread numbers that are alike (Fibonacci hashing).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl<T: Copy + Default, const SLOTS: usize> RecentCache<T, SLOTS> {
    /// An empty cache.
    pub(crate) fn new() -> RecentCache<T, SLOTS> {
        const { assert!(SLOTS.is_power_of_two()) };
        let mut lately =
            RecentCache { addresses: vec![Address::NULL; SLOTS].into(), found: vec![T::default(); SLOTS].into() };
        lately.clear();
        lately
    }

    /// Empties the cache.
    pub(crate) fn clear(&mut self) {
        self.addresses.fill(Address::NULL);
        // Null belongs into its own slot, and the last address into another one.
        self.addresses[Self::slot(Address::NULL)] = Address(u64::MAX);
    }

    #[inline]
    fn slot(address: Address) -> usize {
        (address.0.wrapping_mul(MIX) >> (u64::BITS - SLOTS.ilog2())) as usize % SLOTS
    }

    /// Whether the cache has an address.
    #[inline]
    pub(crate) fn contains(&self, address: Address) -> bool {
        self.addresses[Self::slot(address)] == address
    }

    /// Keeps the result for an address.
    #[inline]
    pub(crate) fn insert(&mut self, address: Address, found: T) {
        self.addresses[Self::slot(address)] = address;
        self.found[Self::slot(address)] = found;
    }

    /// The result for an address; `find` computes one that is not in the cache.
    #[inline]
    pub(crate) fn get_or_find(&mut self, address: Address, find: impl FnOnce() -> T) -> T {
        if !self.contains(address) {
            self.insert(address, find());
        }
        self.found[Self::slot(address)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two addresses that share a slot, and one that was never inserted.
    #[test]
    fn what_is_known_was_noted() {
        let mut lately = RecentCache::<u32, 64>::new();
        let ends = [0, 1, 8, u64::MAX].map(Address);
        for address in ends {
            assert!(!lately.contains(address), "{address}");
        }
        for (found, address) in (1..).zip(ends) {
            lately.insert(address, found);
        }
        for (found, address) in (1..).zip(ends) {
            assert_eq!(lately.get_or_find(address, || 0), found, "{address}");
        }
        let slot = RecentCache::<u32, 64>::slot;
        let other = (2..).map(|number| Address(8 * number)).find(|other| slot(*other) == slot(Address(8)));
        let other = other.expect("64 slots, and more addresses");
        assert_eq!(lately.get_or_find(other, || 7), 7);
        assert!(lately.contains(other) && !lately.contains(Address(8)));
        lately.clear();
        assert!(ends.iter().chain([&other]).all(|address| !lately.contains(*address)));
    }
}
