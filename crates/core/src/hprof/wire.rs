//! The numbers of the format: versions, identifier sizes and type codes, in the documents' spelling. Tags are in
//! [`super::tags`].

use std::fmt;

use crate::model::{FieldType, PrimitiveType};

pub use super::tags::{RecordTag, SubRecordTag};
pub use crate::units::IdSize;

/// The text at the start of every HPROF dump, in front of its version.
pub const MAGIC: &[u8; 13] = b"JAVA PROFILE ";

/// Bytes of a record before its body: tag, time and length.
pub const HEAD: usize = 9;

/// The version in the header's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// One HEAP DUMP record for a heap.
    V1_0_1,
    /// HEAP DUMP SEGMENT records may take its place (S3, header).
    V1_0_2,
    /// Android's: more sub-records.
    V1_0_3,
}

impl Version {
    /// All versions that readers accept. Plain 1.0 had another class layout.
    pub const ALL: [Version; 3] = [Version::V1_0_1, Version::V1_0_2, Version::V1_0_3];

    const fn form(self) -> &'static VersionForm {
        &VERSIONS[self as usize]
    }

    /// The version as the header spells it.
    pub const fn text(self) -> &'static str {
        self.form().text
    }

    /// Whether HEAP DUMP SEGMENT records may stand in a file.
    pub const fn has_segments(self) -> bool {
        self.form().has_segments
    }

    /// Whether Android's sub-records may stand in a file.
    pub const fn is_android(self) -> bool {
        self.form().is_android
    }

    /// The version of a spelling.
    pub fn from_text(text: &[u8]) -> Option<Version> {
        Self::ALL.into_iter().find(|v| v.text().as_bytes() == text)
    }

    /// The number that the rule book gives it: the last of the three.
    pub const fn number(self) -> u32 {
        self as u32 + 1
    }
}

/// The facts of a version, in one place for all that need them.
struct VersionForm {
    text: &'static str,
    has_segments: bool,
    is_android: bool,
}

/// The versions' facts, in the order of [`Version::ALL`].
const VERSIONS: [VersionForm; Version::ALL.len()] = [
    VersionForm { text: "1.0.1", has_segments: false, is_android: false },
    VersionForm { text: "1.0.2", has_segments: true, is_android: false },
    VersionForm { text: "1.0.3", has_segments: true, is_android: true },
];

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The code of a basic type (S3, Basic Type): 2 for a reference, 4 to 11 for the primitives.
pub const fn type_code(kind: FieldType) -> u8 {
    match kind {
        FieldType::Object => 2,
        FieldType::Primitive(kind) => kind.code(),
    }
}

/// The basic type of a code.
#[inline]
pub fn type_of_code(code: u8) -> Option<FieldType> {
    if code == 2 { Some(FieldType::Object) } else { PrimitiveType::from_code(code).map(FieldType::Primitive) }
}

/// Bytes of a value of this type: identifiers for references, Java's sizes for primitives (the page leaves
/// them out).
#[inline]
pub const fn size_of(kind: FieldType, id: IdSize) -> usize {
    kind.size(id.bytes() as u64) as usize
}

/// The header of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version.
    pub version: Version,
    /// Size of identifiers.
    pub id_size: IdSize,
    /// Milliseconds since 1970-01-01T00:00Z.
    pub timestamp: u64,
}
