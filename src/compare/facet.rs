//! The facts that are compared, each under its name.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Facet {
    /// Word size of the process.
    WordSize,
    /// Version text.
    VersionText,
    /// Counts that the header states.
    HeaderTotals,
    /// Random numbers of the header.
    HashRandoms,
    /// Which addresses have a class or an object.
    Address,
    /// Class, instance, object array or primitive array with its element type.
    Kind,
    /// Class name, byte by byte.
    ClassName,
    /// Superclass.
    Superclass,
    /// Instance size of a class.
    InstanceSize,
    /// References of a class record, as a multiset.
    ClassReferences,
    /// Class of an instance.
    Class,
    /// Class word of an object array.
    ClassWord,
    /// Size of an object.
    ObjectSize,
    /// Number of elements of an array.
    ArrayLength,
    /// Identity hash.
    Hash,
    /// References of an object, as a multiset.
    References,
    /// The order of references in objects and classes.
    ReferenceOrder,
    /// The order of classes and objects in the file.
    RecordOrder,
}

impl Facet {
    /// Every facet.
    pub const ALL: [Facet; 18] = [
        Facet::WordSize,
        Facet::VersionText,
        Facet::HeaderTotals,
        Facet::HashRandoms,
        Facet::Address,
        Facet::Kind,
        Facet::ClassName,
        Facet::Superclass,
        Facet::InstanceSize,
        Facet::ClassReferences,
        Facet::Class,
        Facet::ClassWord,
        Facet::ObjectSize,
        Facet::ArrayLength,
        Facet::Hash,
        Facet::References,
        Facet::ReferenceOrder,
        Facet::RecordOrder,
    ];

    /// Whether a decoder may leave the facet out by saying so. Which addresses there are, and of what
    /// kind, is owed by everybody.
    pub fn may_be_omitted(self) -> bool {
        !matches!(self, Facet::Address | Facet::Kind)
    }
}

impl fmt::Display for Facet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl FromStr for Facet {
    type Err = crate::error::Error;

    fn from_str(name: &str) -> Result<Facet, Self::Err> {
        Facet::ALL.into_iter().find(|facet| facet.to_string() == name).ok_or_else(|| {
            let names: Vec<String> = Facet::ALL.iter().map(Facet::to_string).collect();
            crate::error::Error::Usage(format!("there is no facet {name:?}; there are {}", names.join(", ")))
        })
    }
}
