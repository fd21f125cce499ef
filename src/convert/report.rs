//! What a conversion kept, changed, lost and made up.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compare::Facet;
use crate::compare::carriage::{Carriage, Column, Rule};

/// The outcome of a conversion.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Conversion {
    /// Version of this report's schema.
    pub schema: u32,
    /// What the heap was converted to: format and profile.
    pub to: String,
    /// Facets that the source tells and the target does not carry.
    pub lost: Vec<Lost>,
    /// Facets that the source tells and the target carries changed.
    pub changed: Vec<Changed>,
    /// What the target needs, the source does not tell, and so had to be made up.
    pub invented: Vec<Invented>,
    /// What became of the addresses.
    pub addresses: Addresses,
}

/// A facet that is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Lost {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries told it.
    pub count: u64,
}

/// A facet that is changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Changed {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries told it.
    pub count: u64,
    /// The rule, of specs/facets.toml.
    pub rule: Rule,
}

/// What was made up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Invented {
    /// The facet.
    pub facet: Facet,
    /// How many classes, objects or other entries have it made up.
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
    /// The target cannot hold some of them, so all are numbered anew in their order.
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

/// Counts of what was made up, by facet and way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inventions(BTreeMap<(Facet, &'static str), u64>);

impl Inventions {
    pub(super) fn note(&mut self, facet: Facet, how: &'static str) {
        self.add(facet, how, 1);
    }

    pub(super) fn add(&mut self, facet: Facet, how: &'static str, count: u64) {
        if count > 0 {
            *self.0.entry((facet, how)).or_default() += count;
        }
    }

    pub(super) fn list(&self, others: &Inventions) -> Vec<Invented> {
        let mut all = self.clone();
        for ((facet, how), count) in &others.0 {
            all.add(*facet, how, *count);
        }
        let invented = |((facet, how), count): (_, u64)| {
            let (facet, how): (Facet, &str) = (facet, how);
            Invented { facet, count, how: how.to_owned() }
        };
        all.0.into_iter().map(|((facet, how), count)| invented(((facet, how), count))).collect()
    }
}

/// What the table says of the facets that a source tells, each with its count.
pub(super) fn losses(told: &BTreeMap<Facet, u64>, column: &Column) -> (Vec<Lost>, Vec<Changed>) {
    let (mut lost, mut changed) = (Vec::new(), Vec::new());
    for (&facet, &count) in told {
        match column.carriage(facet) {
            Carriage::Exact => {}
            Carriage::None => lost.push(Lost { facet, count }),
            // Whether addresses had to be numbered anew is told apart.
            Carriage::Changed(Rule::Renumbered) => {}
            Carriage::Changed(rule) => changed.push(Changed { facet, count, rule }),
        }
    }
    (lost, changed)
}
