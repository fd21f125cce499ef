//! The facts that are compared, each under its name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A kind of fact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Facet {
    /// Word size of the process.
    WordSize,
    /// Size of an identifier.
    IdentifierSize,
    /// Version text.
    VersionText,
    /// Version in the header's text.
    HeaderVersion,
    /// The header's time.
    TimeStamp,
    /// When the heap was dumped, and when that ended.
    DumpTimes,
    /// Counts that the header states.
    HeaderTotals,
    /// Random numbers of the header.
    HashRandoms,
    /// How many references are null: in each object or class that lists them, or all of the heap's where a dump states
    /// no more.
    NullReferences,
    /// Which addresses have a class or an object.
    #[default]
    Address,
    /// Class, instance, object array or primitive array with its element type.
    Kind,
    /// Name of a class, and of the class of an object where a record gives it, byte by byte.
    ClassName,
    /// Superclass.
    Superclass,
    /// Interfaces that a class itself declares.
    Interfaces,
    /// Class loader.
    Loader,
    /// Signers of a class.
    Signers,
    /// Protection domain of a class.
    ProtectionDomain,
    /// Instance size of a class.
    InstanceSize,
    /// Size of the class object itself.
    ClassObjectSize,
    /// Names and types of a class's own instance fields, in order.
    Fields,
    /// Names, types and values of static fields, in order.
    Statics,
    /// Entries of the constant pool, in order.
    ConstantPool,
    /// References of a class record, as a multiset.
    ClassReferences,
    /// Serial number of a class.
    ClassSerial,
    /// Stack trace of a class's loading.
    ClassTrace,
    /// Class of an instance; an array's own class.
    Class,
    /// Class word of an object array.
    ClassWord,
    /// Size of an object.
    ObjectSize,
    /// Number of elements of an array.
    ArrayLength,
    /// Identity hash of 16 bits.
    #[serde(rename = "hash-16")]
    Hash16,
    /// Identity hash of 32 bits, or that the object was never asked for one.
    #[serde(rename = "hash-32")]
    Hash32,
    /// Field values of an instance, one by one.
    FieldValues,
    /// Elements of an object array by position, nulls included.
    Elements,
    /// Elements of a primitive array.
    PrimitiveContents,
    /// References of an object, as a multiset, where field values or elements are not compared.
    References,
    /// Stack trace of an object's allocation.
    ObjectTrace,
    /// GC roots, as a multiset.
    Roots,
    /// Threads, by serial number.
    Threads,
    /// Stack traces with the names of their frames, by serial number.
    StackTraces,
    /// Parts of the heap, and where they begin.
    Regions,
    /// The order of references in objects and classes.
    ReferenceOrder,
    /// The order of classes and objects in the file.
    RecordOrder,
    /// The order of roots in the file, and their places among classes and objects.
    RootOrder,
    /// Texts of the process's log, each once.
    Strings,
    /// Classes that were unloaded, by serial number.
    Unloads,
    /// Allocation sites.
    AllocationSites,
    /// Totals of the heap in the log.
    HeapSummaries,
    /// CPU samples.
    CpuSamples,
    /// Settings of the profiler.
    ControlSettings,
    /// Records with a tag that no document lists.
    UnknownRecords,
    /// The process's log, entry by entry, with its order, times and the identifiers of the dump; compared where the
    /// facts in it are equal.
    Events,
}

impl Facet {
    /// Every facet.
    pub const ALL: [Facet; 51] = [
        Facet::WordSize,
        Facet::IdentifierSize,
        Facet::VersionText,
        Facet::HeaderVersion,
        Facet::TimeStamp,
        Facet::DumpTimes,
        Facet::HeaderTotals,
        Facet::HashRandoms,
        Facet::NullReferences,
        Facet::Address,
        Facet::Kind,
        Facet::ClassName,
        Facet::Superclass,
        Facet::Interfaces,
        Facet::Loader,
        Facet::Signers,
        Facet::ProtectionDomain,
        Facet::InstanceSize,
        Facet::ClassObjectSize,
        Facet::Fields,
        Facet::Statics,
        Facet::ConstantPool,
        Facet::ClassReferences,
        Facet::ClassSerial,
        Facet::ClassTrace,
        Facet::Class,
        Facet::ClassWord,
        Facet::ObjectSize,
        Facet::ArrayLength,
        Facet::Hash16,
        Facet::Hash32,
        Facet::FieldValues,
        Facet::Elements,
        Facet::PrimitiveContents,
        Facet::References,
        Facet::ObjectTrace,
        Facet::Roots,
        Facet::Threads,
        Facet::StackTraces,
        Facet::Regions,
        Facet::ReferenceOrder,
        Facet::RecordOrder,
        Facet::RootOrder,
        Facet::Strings,
        Facet::Unloads,
        Facet::AllocationSites,
        Facet::HeapSummaries,
        Facet::CpuSamples,
        Facet::ControlSettings,
        Facet::UnknownRecords,
        Facet::Events,
    ];

    /// Facets that stand in the process's log and are facts by themselves.
    pub const OF_THE_LOG: [Facet; 7] = [
        Facet::Strings,
        Facet::Unloads,
        Facet::AllocationSites,
        Facet::HeapSummaries,
        Facet::CpuSamples,
        Facet::ControlSettings,
        Facet::UnknownRecords,
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
