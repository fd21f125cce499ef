//! The report of a comparison.

use serde::Serialize;

use crate::compare::facet::Facet;
use crate::model::Address;

/// The outcome of a comparison.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Version of this report's schema.
    pub schema: u32,
    /// Whether no compared fact differs.
    pub equal: bool,
    /// Facts compared, over all facets.
    pub compared: u64,
    /// Differences, one entry a facet.
    pub differences: Vec<FacetDifference>,
    /// Facets, or some objects' facets, that were not compared, and why.
    pub not_compared: Vec<NotCompared>,
}

/// The differences of one facet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct FacetDifference {
    /// The facet.
    pub facet: Facet,
    /// How many classes or objects differ in it.
    pub count: u64,
    /// The lowest address where it differs; absent for facts of the whole heap.
    pub address: Option<String>,
    /// What the first heap says there.
    pub left: String,
    /// What the second heap says there.
    pub right: String,
    /// Where the first dump says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_place: Option<RecordSpan>,
    /// Where the second dump says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right_place: Option<RecordSpan>,
    /// The same by class; empty for facts of the whole heap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<ClassDifference>,
    /// The first addresses where it differs, a thousand at most.
    #[serde(skip)]
    pub addresses: Vec<Address>,
    /// Those of them at which the first heap has something that the second one has, too, and the second one more.
    #[serde(skip)]
    pub repeated: Vec<Address>,
}

/// The most addresses that are kept of a facet that differs.
pub(super) const ADDRESSES: usize = 1000;

/// The differences of one facet in the objects of one class, or in the class itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ClassDifference {
    /// The class's name in the first dump, or in the second where the first has none; what is not Unicode is escaped.
    pub class: String,
    /// How many objects differ.
    pub count: u64,
    /// The lowest address where they do.
    pub address: String,
    /// What the first heap says there.
    pub left: String,
    /// What the second heap says there.
    pub right: String,
}

/// A record of a dump, in the decompressed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Span"))]
pub struct RecordSpan {
    /// Index of the record, from 0.
    pub record: u64,
    /// Offset of its first byte.
    pub offset: u64,
}

/// A facet that was not compared for some or all of the heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct NotCompared {
    /// The facet.
    pub facet: Facet,
    /// How many classes or objects (or heaps) it was left out for.
    pub count: u64,
    /// Why.
    pub why: NotComparedReason,
}

/// Whose silence keeps a facet from being compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schemas", schemars(rename = "Side"))]
pub enum NotComparedReason {
    /// The first does not record it.
    UnknownLeft,
    /// The second does not record it.
    UnknownRight,
    /// It was asked to be left out.
    LeftOut,
    /// The second's format or writer does not carry it.
    NotCarried,
}
