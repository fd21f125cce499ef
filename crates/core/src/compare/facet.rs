//! The facts that are compared, each under its name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Rows of facets: for each its description, its name, and its role in digests.
macro_rules! facets {
    ($($(#[$about:meta])* $facet:ident = $role:expr,)*) => {
        /// A kind of fact.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case")]
        pub enum Facet {
            $($(#[$about])* $facet,)*
        }

        impl Facet {
            /// Every facet.
            pub const ALL: [Facet; [$(Facet::$facet),*].len()] = [$(Facet::$facet),*];

            /// The facet's role in digests.
            pub const fn role(self) -> DigestRole {
                use DigestRole::{Address, Field, Order};
                match self {
                    $(Facet::$facet => $role,)*
                }
            }
        }
    };
}

/// The role of a facet in a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestRole {
    /// Part of every record of a class or an object.
    Address,
    /// A field with this number, which is never given to another facet: specs/digest.md has them.
    Field(u8),
    /// No role: the facet is about the order of records, which a digest does not depend on.
    Order,
}

facets! {
    /// Word size of the process.
    WordSize = Field(1),
    /// Size of an identifier.
    IdentifierSize = Field(2),
    /// Version text.
    VersionText = Field(3),
    /// Version in the header's text.
    HeaderVersion = Field(4),
    /// The header's time.
    TimeStamp = Field(5),
    /// When the heap was dumped, and when that ended.
    DumpTimes = Field(6),
    /// Counts that the header states.
    HeaderTotals = Field(7),
    /// Random numbers of the header.
    HashRandoms = Field(8),
    /// How many references are null: in each object or class that lists them, or all of the heap's where a dump states
    /// no more.
    NullReferences = Field(9),
    /// Which addresses have a class or an object.
    #[default]
    Address = Address,
    /// Class, instance, object array or primitive array with its element type.
    Kind = Field(10),
    /// Name of a class, and of the class of an object where a record gives it, byte by byte.
    ClassName = Field(11),
    /// Superclass.
    Superclass = Field(12),
    /// Interfaces that a class itself declares.
    Interfaces = Field(13),
    /// Class loader.
    Loader = Field(14),
    /// Signers of a class.
    Signers = Field(15),
    /// Protection domain of a class.
    ProtectionDomain = Field(16),
    /// Instance size of a class.
    InstanceSize = Field(17),
    /// Size of the class object itself.
    ClassObjectSize = Field(18),
    /// Names and types of a class's own instance fields, in order.
    Fields = Field(19),
    /// Names, types and values of static fields, in order.
    Statics = Field(20),
    /// Entries of the constant pool, in order.
    ConstantPool = Field(21),
    /// References of a class record, as a multiset.
    ClassReferences = Field(22),
    /// Serial number of a class.
    ClassSerial = Field(23),
    /// Stack trace of a class's loading.
    ClassTrace = Field(24),
    /// Class of an instance; an array's own class.
    Class = Field(25),
    /// Class word of an object array.
    ClassWord = Field(26),
    /// Size of an object.
    ObjectSize = Field(27),
    /// Number of elements of an array.
    ArrayLength = Field(28),
    /// Identity hash of 16 bits.
    #[serde(rename = "hash-16")]
    Hash16 = Field(29),
    /// Identity hash of 32 bits, or that the object was never asked for one.
    #[serde(rename = "hash-32")]
    Hash32 = Field(30),
    /// Field values of an instance, one by one.
    FieldValues = Field(31),
    /// Elements of an object array by position, nulls included.
    Elements = Field(32),
    /// Elements of a primitive array.
    PrimitiveContents = Field(33),
    /// References of an object, as a multiset, where field values or elements are not compared.
    References = Field(34),
    /// Stack trace of an object's allocation.
    ObjectTrace = Field(36),
    /// Text of a string, which follows from its fields and its array.
    StringText = Field(49),
    /// GC roots, as a multiset.
    Roots = Field(37),
    /// GC roots by kind and object alone, as a multiset, where roots are not compared.
    RootObjects = Field(48),
    /// Threads, by serial number.
    Threads = Field(38),
    /// Stack traces with the names of their frames, by serial number.
    StackTraces = Field(39),
    /// Parts of the heap, and where they begin.
    Regions = Field(40),
    /// The order of references in objects and classes.
    ReferenceOrder = Field(35),
    /// The order of classes and objects in the file.
    RecordOrder = Order,
    /// The order of roots in the file, and their places among classes and objects.
    RootOrder = Order,
    /// Texts of the process's log, each once.
    Strings = Field(41),
    /// Classes that were unloaded, by serial number.
    Unloads = Field(42),
    /// Allocation sites.
    AllocationSites = Field(43),
    /// Totals of the heap in the log.
    HeapSummaries = Field(44),
    /// CPU samples.
    CpuSamples = Field(45),
    /// Settings of the profiler.
    ControlSettings = Field(46),
    /// Records with a tag that no document lists.
    UnknownRecords = Field(47),
    /// The process's log, entry by entry, with its order, times and the identifiers of the dump; compared where the
    /// facts in it are equal.
    Events = Order,
}

impl Facet {
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

    /// The facet, and the facet that has part of its information: if the whole is left out, so is the part.
    pub fn with_part(self) -> impl Iterator<Item = Facet> {
        let part = (self == Facet::Roots).then_some(Facet::RootObjects);
        std::iter::once(self).chain(part)
    }

    /// Whether a decoder may declare that it does not report the facet. Every decoder has to report the addresses and
    /// their kinds.
    pub fn is_omittable(self) -> bool {
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
            crate::error::unknown("facet", name, names.iter().map(String::as_str), "`heapsmith facets` lists all")
        })
    }
}
