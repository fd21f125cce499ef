//! Sets of facets that a digest can be made of.

use crate::compare::{DigestRole, Facet};
use crate::error::Error;

/// A set of facets that a digest can be made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FacetSelection(u64);

impl FacetSelection {
    /// Everything that a dump records and that does not depend on the order of anything: all facets but `reference-order`,
    /// those about the order of records, and `string-text`, which follows from others.
    pub fn unordered() -> FacetSelection {
        FacetSelection::unordered_with_texts().without(Facet::StringText)
    }

    /// The facets of [`FacetSelection::unordered`], and the texts of strings.
    pub fn unordered_with_texts() -> FacetSelection {
        let unordered = Facet::ALL.into_iter().filter(|&facet| facet != Facet::ReferenceOrder);
        unordered.filter(|&facet| facet.role() != DigestRole::Order).collect()
    }

    /// The facets of a list.
    ///
    /// # Errors
    /// If one of them is about the order of records.
    pub fn from_facets(facets: &[Facet]) -> Result<FacetSelection, Error> {
        match facets.iter().find(|&&facet| facet.role() == DigestRole::Order) {
            None => Ok(facets.iter().copied().collect()),
            Some(order) => Err(Error::Usage(format!(
                "{order} is about the order of records, and a digest does not depend on it; `compare` tells it"
            ))),
        }
    }

    /// Whether it has a facet.
    #[inline]
    pub const fn contains(self, facet: Facet) -> bool {
        self.0 & bit(facet) != 0
    }

    /// The selection without a facet.
    #[must_use]
    pub const fn without(self, facet: Facet) -> FacetSelection {
        FacetSelection(self.0 & !bit(facet))
    }

    /// The selection without a facet whose records would say again what those of another one say.
    #[must_use]
    pub(super) const fn without_repeated(self) -> FacetSelection {
        let repeated = if self.contains(Facet::Roots) { bit(Facet::RootObjects) } else { 0 };
        FacetSelection(self.0 & !repeated)
    }

    /// The number of facets.
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether it has none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The facets, in the order of [`Facet::ALL`].
    pub fn facets(self) -> impl Iterator<Item = Facet> {
        Facet::ALL.into_iter().filter(move |&facet| self.contains(facet))
    }

    /// The facets that both have.
    #[must_use]
    pub const fn and(self, other: FacetSelection) -> FacetSelection {
        FacetSelection(self.0 & other.0)
    }

    #[inline]
    pub(super) const fn insert(&mut self, facet: Facet) {
        self.0 |= bit(facet);
    }

    #[inline]
    pub(super) const fn insert_all(&mut self, other: FacetSelection) {
        self.0 |= other.0;
    }
}

impl FromIterator<Facet> for FacetSelection {
    fn from_iter<I: IntoIterator<Item = Facet>>(facets: I) -> FacetSelection {
        FacetSelection(facets.into_iter().fold(0, |all, facet| all | bit(facet)))
    }
}

const fn bit(facet: Facet) -> u64 {
    const { assert!(Facet::ALL.len() <= 64) };
    1 << facet as u32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_facet_has_a_number_of_its_own_unless_it_is_about_order() {
        let mut numbers = BTreeSet::new();
        for facet in Facet::ALL {
            if let DigestRole::Field(number) = facet.role() {
                assert!(numbers.insert(number), "{facet}");
            }
            assert_eq!(FacetSelection::from_facets(&[facet]).is_err(), facet.role() == DigestRole::Order, "{facet}");
        }
    }

    #[test]
    fn a_selection_gives_its_facets_in_their_order() {
        let selection = FacetSelection::from_facets(&[Facet::Roots, Facet::Address, Facet::Roots]).expect("selectable");
        assert_eq!(selection.facets().collect::<Vec<_>>(), [Facet::Address, Facet::Roots]);
        assert!(!FacetSelection::unordered().contains(Facet::ReferenceOrder));
        assert!(FacetSelection::default().is_empty());
    }
}
