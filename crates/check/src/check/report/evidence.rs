//! Evidence in a report: the bytes of a dump that state a wrong fact, and the objects around it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where in the dump a wrong fact stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Offset of the first byte that says it, in the decompressed dump.
    pub offset: u64,
    /// How many bytes say it.
    pub length: u64,
    /// Index of the record, if it stands in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// The rule that says how these bytes are to be understood, or that the dump breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The fields of the record, or those around the place.
    pub fields: Vec<EvidenceField>,
    /// The object, and what it refers to and is referred to by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbourhood: Option<Neighbourhood>,
}

/// A field of the dump.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Field")]
pub struct EvidenceField {
    /// Offset of its first byte.
    pub offset: u64,
    /// Its bytes in hexadecimal; of long ones the first few, and an ellipsis.
    pub bytes: String,
    /// Field name.
    pub name: String,
    /// What it means here.
    pub meaning: String,
    /// Whether it is (a part of) what was read wrongly.
    pub wrong: bool,
}

/// An object and its neighbours, as they are in the right heap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbourhood {
    /// The object, then its class, then others, by address.
    pub nodes: Vec<NeighbourNode>,
    /// References among these.
    pub edges: Vec<NeighbourEdge>,
    /// How many neighbours more it has.
    pub more: u64,
}

/// A class or object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Node")]
pub struct NeighbourNode {
    /// Address.
    pub address: String,
    /// What it is: `class A`, `int[2]`.
    pub label: String,
}

/// A reference.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Edge")]
pub struct NeighbourEdge {
    /// Address of the one that refers.
    pub from: String,
    /// Address of the other.
    pub to: String,
    /// What for: `class`, the name of a field, the index of an element, `superclass`.
    pub label: String,
}
