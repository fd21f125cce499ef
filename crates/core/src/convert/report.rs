//! The report of a conversion: facts that were lost, changed and synthesised.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compare::Facet;
use crate::compare::carriage::{Carriage, CarriageColumn, ChangeRule};
use crate::compare::recorded::FacetCounts;

use super::lengths::{ArrayLengths, DerivedLengths};

/// The outcome of a conversion.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Conversion {
    /// Version of this report's schema.
    pub schema: u32,
    /// What the heap was converted to: format and profile.
    pub to: String,
    /// Facets that the source tells and the target does not carry.
    pub lost: Vec<LostFacet>,
    /// Facets that the source tells and the target carries changed.
    pub changed: Vec<ChangedFacet>,
    /// Number of the source's roots that are written; absent where such dumps record no roots. Without any, their readers find no
    /// object reachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<u64>,
    /// Roots of the source that the writer leaves out.
    pub omitted_roots: Vec<OmittedRoots>,
    /// What the target needs and the source does not record, and so had to be synthesised.
    pub invented: Vec<Invented>,
    /// Lengths of arrays that were worked out from their sizes; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array_lengths: Option<ArrayLengths>,
    /// What became of the addresses.
    pub addresses: Addresses,
}

/// A facet that is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Lost"))]
pub struct LostFacet {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries told it.
    pub count: u64,
}

/// Roots of a kind that a writer leaves out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct OmittedRoots {
    /// Name of the kind.
    pub kind: String,
    /// How many of its roots are left out.
    pub count: u64,
}

/// A facet that is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Changed"))]
pub struct ChangedFacet {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries told it.
    pub count: u64,
    /// The rule, of specs/facets.toml.
    pub rule: ChangeRule,
}

/// What was synthesised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Invented {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries have it synthesised.
    pub count: u64,
    /// How: the same in every run.
    pub how: String,
}

/// What became of the addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Addresses {
    /// They are what they were.
    Kept,
    /// The target cannot hold some of them, so all are renumbered in their order.
    Renumbered {
        /// How many there are, those of missing objects included.
        count: u64,
        /// The first new one.
        first: u64,
        /// From one to the next.
        step: u64,
    },
    /// A converter gave other ones, and the graph is the same.
    Renamed {
        /// How many there are.
        count: u64,
    },
}

/// Counts of synthesised facts, by facet and method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inventions {
    counts: BTreeMap<(Facet, &'static str), u64>,
    /// Lengths of arrays that follow from their sizes, and the number of them that are uncertain.
    pub(super) lengths: DerivedLengths,
}

impl Inventions {
    pub(super) fn note(&mut self, facet: Facet, how: &'static str) {
        self.add(facet, how, 1);
    }

    pub(super) fn add(&mut self, facet: Facet, how: &'static str, count: u64) {
        if count > 0 {
            *self.counts.entry((facet, how)).or_default() += count;
        }
    }

    pub(super) fn list(&self, others: &Inventions) -> Vec<Invented> {
        let mut all = self.clone();
        for ((facet, how), count) in &others.counts {
            all.add(*facet, how, *count);
        }
        let invented = |((facet, how), count): (_, u64)| {
            let (facet, how): (Facet, &str) = (facet, how);
            Invented { facet, count, how: how.to_owned() }
        };
        all.counts.into_iter().map(|((facet, how), count)| invented(((facet, how), count))).collect()
    }
}

/// The losses and changes that the table predicts for the facets that a source records, with their counts. `convert`
/// and `check-conversion` both use it, so that they agree on what is lost.
pub(super) fn losses(told: &FacetCounts, column: &CarriageColumn) -> (Vec<LostFacet>, Vec<ChangedFacet>) {
    let (mut lost, mut changed) = (Vec::new(), Vec::new());
    for (&facet, &count) in &told.0 {
        match column.carriage(facet) {
            Carriage::Exact => {}
            Carriage::None => lost.push(LostFacet { facet, count }),
            // Whether addresses had to be renumbered is reported separately.
            Carriage::Changed(ChangeRule::Renumbered) => {}
            Carriage::Changed(rule) => changed.push(ChangedFacet { facet, count, rule }),
        }
    }
    (lost, changed)
}
