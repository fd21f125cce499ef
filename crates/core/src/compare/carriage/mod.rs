//! The carriage of each fact by a kind of dump, and the facts that two kinds have in common.
//! [`DumpTarget::column`](crate::format::DumpTarget::column) gives the carriages of a kind.

mod rules;

use std::fmt;

use crate::model::Facts;

use super::Facet;

pub use rules::ChangeRule;
pub(crate) use rules::ClassFirst;
#[doc(hidden)]
pub use rules::array_name;

/// The form in which a dump carries a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carriage {
    /// Unchanged.
    Exact,
    /// Changed by a known rule.
    Changed(ChangeRule),
    /// Not at all.
    None,
}

impl fmt::Display for Carriage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Carriage::Exact => f.write_str("exact"),
            Carriage::Changed(rule) => write!(f, "{rule}"),
            Carriage::None => f.write_str("none"),
        }
    }
}

/// The carriages of one kind of dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriageColumn {
    /// The carriage of each facet, in the order of facets.
    carriages: Vec<Carriage>,
    /// Additional rules, besides those of the facets.
    beside: Vec<ChangeRule>,
}

impl CarriageColumn {
    /// A column of one carriage for each facet, in their order.
    pub(crate) fn new(carriages: Vec<Carriage>) -> CarriageColumn {
        CarriageColumn { carriages, beside: Vec::new() }
    }

    /// The carriage of a facet.
    pub fn carriage(&self, facet: Facet) -> Carriage {
        self.carriages.get(facet as usize).copied().unwrap_or(Carriage::None)
    }

    /// The carriages that are left after a dump of the one kind was converted to the other kind. Rules of both apply
    /// then, so there may be two.
    pub fn meet(&self, other: &CarriageColumn, facet: Facet) -> Vec<Carriage> {
        match (self.carriage(facet), other.carriage(facet)) {
            (Carriage::None, _) | (_, Carriage::None) => vec![Carriage::None],
            (Carriage::Exact, other) => vec![other],
            (one, Carriage::Exact) => vec![one],
            (one, other) if one == other => vec![one],
            (one, other) => vec![one, other],
        }
    }

    pub(super) fn has_rule(&self, rule: ChangeRule) -> bool {
        self.rules().any(|other| other == rule)
    }

    /// Every rule that applies.
    pub(super) fn rules(&self) -> impl Iterator<Item = ChangeRule> {
        let of_facets = self.carriages.iter().filter_map(|carriage| match carriage {
            Carriage::Changed(rule) => Some(*rule),
            Carriage::Exact | Carriage::None => None,
        });
        of_facets.chain(self.beside.iter().copied())
    }

    /// The facts that survive both kinds of dump, one after the other.
    #[must_use]
    pub fn followed_by(&self, other: &CarriageColumn) -> CarriageColumn {
        let meets = Facet::ALL.map(|facet| self.meet(other, facet));
        let drops = |carriages: &Vec<Carriage>| {
            carriages.iter().copied().find(|carriage| matches!(carriage, Carriage::Changed(rule) if rule.drops_fact()))
        };
        // A dump with other identifiers recomputes the bytes of fields.
        let one_has_bytes = |meet: &Vec<Carriage>| {
            let bytes = Carriage::Changed(ChangeRule::FieldBytes);
            (meet.len() > 1 && meet.contains(&bytes)).then_some(Carriage::Changed(ChangeRule::Derived))
        };
        CarriageColumn {
            carriages: meets.iter().map(|m| drops(m).or_else(|| one_has_bytes(m)).unwrap_or(m[0])).collect(),
            beside: meets
                .iter()
                .flatten()
                .filter_map(|carriage| match carriage {
                    Carriage::Changed(rule) => Some(*rule),
                    Carriage::Exact | Carriage::None => None,
                })
                .collect(),
        }
    }

    /// This column for dumps with these headers: sizes in identifiers are comparable if both use one identifier size,
    /// and kinds of root and regions if both record them.
    #[must_use]
    pub(in crate::compare) fn for_headers(&self, left: &Facts, right: &Facts) -> CarriageColumn {
        let mut column = self.clone();
        let same = left.identifier_size.is_some() && left.identifier_size == right.identifier_size;
        for carriage in &mut column.carriages {
            if *carriage == Carriage::Changed(ChangeRule::FieldBytes) && !same {
                *carriage = Carriage::Changed(ChangeRule::Derived);
            }
        }
        // The kinds of root that Android added, and its regions, are in dumps of its own version alone.
        let is_android = |facts: &Facts| facts.header_version.as_ref().map(|version| version.as_bytes() == b"1.0.3");
        if let (Some(left), Some(right)) = (is_android(left), is_android(right))
            && left != right
        {
            let plain = Carriage::Changed(ChangeRule::PlainRoots);
            for (facet, otherwise) in
                [(Facet::Roots, plain), (Facet::RootObjects, plain), (Facet::Regions, Carriage::None)]
            {
                if let Some(carriage) = column.carriages.get_mut(facet as usize).filter(|c| **c == Carriage::Exact) {
                    *carriage = otherwise;
                }
            }
        }
        column
    }

    /// Whether a facet is carried in a way that can be compared.
    pub fn is_comparable(&self, facet: Facet) -> bool {
        match self.carriage(facet) {
            Carriage::Exact => true,
            Carriage::Changed(rule) => !rule.drops_fact(),
            Carriage::None => false,
        }
    }
}
