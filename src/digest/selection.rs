//! Which facets go into a digest, and the numbers that they have there.

use crate::compare::Facet;
use crate::error::Error;

/// What a facet is in a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// In every record of a class or an object.
    Address,
    /// A field of this number.
    Field(u8),
    /// None: it is about the order of records, which a digest does not depend on.
    Order,
}

/// The role of a facet. A number is never given to another facet: specs/digest.md has them.
pub(super) const fn role(facet: Facet) -> Role {
    Role::Field(match facet {
        Facet::Address => return Role::Address,
        Facet::RecordOrder | Facet::RootOrder | Facet::Events => return Role::Order,
        Facet::WordSize => 1,
        Facet::IdentifierSize => 2,
        Facet::VersionText => 3,
        Facet::HeaderVersion => 4,
        Facet::TimeStamp => 5,
        Facet::DumpTimes => 6,
        Facet::HeaderTotals => 7,
        Facet::HashRandoms => 8,
        Facet::NullReferences => 9,
        Facet::Kind => 10,
        Facet::ClassName => 11,
        Facet::Superclass => 12,
        Facet::Interfaces => 13,
        Facet::Loader => 14,
        Facet::Signers => 15,
        Facet::ProtectionDomain => 16,
        Facet::InstanceSize => 17,
        Facet::ClassObjectSize => 18,
        Facet::Fields => 19,
        Facet::Statics => 20,
        Facet::ConstantPool => 21,
        Facet::ClassReferences => 22,
        Facet::ClassSerial => 23,
        Facet::ClassTrace => 24,
        Facet::Class => 25,
        Facet::ClassWord => 26,
        Facet::ObjectSize => 27,
        Facet::ArrayLength => 28,
        Facet::Hash16 => 29,
        Facet::Hash32 => 30,
        Facet::FieldValues => 31,
        Facet::Elements => 32,
        Facet::PrimitiveContents => 33,
        Facet::References => 34,
        Facet::ReferenceOrder => 35,
        Facet::ObjectTrace => 36,
        Facet::Roots => 37,
        Facet::Threads => 38,
        Facet::StackTraces => 39,
        Facet::Regions => 40,
        Facet::Strings => 41,
        Facet::Unloads => 42,
        Facet::AllocationSites => 43,
        Facet::HeapSummaries => 44,
        Facet::CpuSamples => 45,
        Facet::ControlSettings => 46,
        Facet::UnknownRecords => 47,
    })
}

/// A set of facets that a digest can be made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection(u64);

impl Selection {
    /// Everything that does not depend on the order of anything: all facets but `reference-order`, and those
    /// about the order of records.
    pub fn unordered() -> Selection {
        let unordered = Facet::ALL.into_iter().filter(|&facet| facet != Facet::ReferenceOrder);
        unordered.filter(|&facet| role(facet) != Role::Order).collect()
    }

    /// The facets of a list.
    ///
    /// # Errors
    /// If one of them is about the order of records.
    pub fn of(facets: &[Facet]) -> Result<Selection, Error> {
        match facets.iter().find(|&&facet| role(facet) == Role::Order) {
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
    pub const fn and(self, other: Selection) -> Selection {
        Selection(self.0 & other.0)
    }

    #[inline]
    pub(super) const fn insert(&mut self, facet: Facet) {
        self.0 |= bit(facet);
    }

    #[inline]
    pub(super) const fn insert_all(&mut self, other: Selection) {
        self.0 |= other.0;
    }
}

impl FromIterator<Facet> for Selection {
    fn from_iter<I: IntoIterator<Item = Facet>>(facets: I) -> Selection {
        Selection(facets.into_iter().fold(0, |all, facet| all | bit(facet)))
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
            if let Role::Field(number) = role(facet) {
                assert!(numbers.insert(number), "{facet}");
            }
            assert_eq!(Selection::of(&[facet]).is_err(), role(facet) == Role::Order, "{facet}");
        }
    }

    #[test]
    fn a_selection_gives_its_facets_in_their_order() {
        let selection = Selection::of(&[Facet::Roots, Facet::Address, Facet::Roots]).expect("selectable");
        assert_eq!(selection.facets().collect::<Vec<_>>(), [Facet::Address, Facet::Roots]);
        assert!(!Selection::unordered().contains(Facet::ReferenceOrder));
        assert!(Selection::default().is_empty());
    }
}
