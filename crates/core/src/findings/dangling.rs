//! References that dangle.

use crate::model::{Address, AddressSet};

/// The references of a record, as far as they were followed: how many there are, and how many of them dangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FollowedReferences {
    count: u64,
    dangling: u64,
    first: Address,
}

impl FollowedReferences {
    /// Follows a reference to one of these addresses. One to nothing counts as one, and does not dangle.
    #[inline]
    pub(crate) fn follow(&mut self, target: Address, addresses: &AddressSet) {
        self.count += 1;
        if !target.is_null() && !addresses.has(target.0) {
            self.add_dangling(target);
        }
    }

    #[cold]
    fn add_dangling(&mut self, target: Address) {
        if self.dangling == 0 {
            self.first = target;
        }
        self.dangling += 1;
    }

    /// Their number.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Whether one of them dangles.
    #[inline]
    pub(crate) fn is_broken(&self) -> bool {
        self.dangling > 0
    }

    /// The finding's words for those that dangle.
    pub(crate) fn found(&self) -> String {
        let FollowedReferences { count, dangling, first } = self;
        format!("{dangling} of {count} dangle; first dangling reference: {first}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_dangling_references_but_not_null() {
        let mut addresses = AddressSet::default();
        (1..100).for_each(|number| _ = addresses.insert(8 * number));
        let mut followed = FollowedReferences::default();
        [8, 0, 792, 16].into_iter().for_each(|target| followed.follow(Address(target), &addresses));
        assert!(!followed.is_broken());
        [800, 8, 9, 0].into_iter().for_each(|target| followed.follow(Address(target), &addresses));
        assert!(followed.is_broken());
        assert_eq!(followed.found(), "2 of 8 dangle; first dangling reference: 0x320");
    }
}
