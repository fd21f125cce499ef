//! The report on a damaged dump.

use std::fmt;

use serde::Serialize;

/// Faults that a report lists at most; the others are counted.
const LISTED: usize = 1_000;

/// A report on what was kept of a damaged dump, what was lost, and what was changed.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct SalvageReport {
    /// Version of this report's schema.
    pub schema: u32,
    /// The dump's format.
    pub format: String,
    /// Bytes of the file, decompressed as far as it can be.
    pub bytes: u64,
    /// The dumps in the file, in their order.
    pub dumps: Vec<FoundDump>,
    /// The dump that was kept, from 0.
    pub part: u64,
    /// The faults in the order of the file, up to 1,000.
    pub faults: Vec<SalvageFault>,
    /// The number of further faults.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_faults: u64,
    /// What was kept.
    pub kept: SalvageCounts,
    /// What was kept of the part before the first fault.
    pub kept_before: SalvageCounts,
    /// Bytes of the dump that were left out.
    pub lost_bytes: u64,
    /// Roots that were left out since their object is lost.
    pub dropped_roots: u64,
    /// Classes and objects that were left out since another one has the same identifier.
    pub duplicates: u64,
    /// Everything that is in the new dump and not in the old one.
    pub changes: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A dump in a file that has several, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct FoundDump {
    /// Offset of its first byte.
    pub offset: u64,
    /// Its bytes.
    pub bytes: u64,
}

/// The number of records, classes and objects, as far as a format has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct SalvageCounts {
    /// Records outside of the heap.
    pub records: u64,
    /// Classes.
    pub classes: u64,
    /// Objects.
    pub objects: u64,
    /// Roots.
    pub roots: u64,
}

/// A place at which a dump cannot be read for certain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schemas", schemars(rename = "Fault"))]
pub struct SalvageFault {
    /// Offset of the first byte that was left out.
    pub offset: u64,
    /// Offset of the first byte after it that was kept; the end of the dump, where nothing was.
    pub end: u64,
    /// What is wrong.
    #[serde(flatten)]
    pub kind: FaultKind,
    /// What that rests on.
    pub rests_on: String,
}

/// A kind of damage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FaultKind {
    /// The dump ends inside a record.
    CutShort,
    /// Zeros stand where records were.
    Zeros {
        /// Offset of the first zero.
        from: u64,
        /// Offset after the last one.
        to: u64,
    },
    /// Bytes are missing inside a segment.
    BytesMissing {
        /// Their number.
        count: u64,
    },
    /// Bytes were added inside a segment.
    BytesAdded {
        /// Their number.
        count: u64,
    },
    /// The elements of an array are missing, and its count is still there.
    ContentsMissing,
    /// The tag of a record is wrong.
    WrongTag,
    /// The length of a record is not that of what it has.
    WrongLength {
        /// The length that it states.
        stated: u64,
        /// That which it has.
        found: u64,
    },
    /// The length of a segment was never filled in.
    UnpatchedLength,
    /// The header is damaged.
    Header,
    /// The compressed stream ends early or breaks off.
    Compression,
    /// Line feeds were changed into carriage return and line feed.
    LineEnds,
    /// Bytes were recoded as text in UTF-8.
    Recoded,
    /// Bytes that are no records, for a reason that cannot be told.
    Unreadable,
}

impl FaultKind {
    /// The kind in a few words.
    pub fn name(&self) -> &'static str {
        match self {
            FaultKind::CutShort => "the dump is cut short",
            FaultKind::Zeros { .. } => "a hole of zeros",
            FaultKind::BytesMissing { .. } => "bytes are missing",
            FaultKind::BytesAdded { .. } => "bytes were added",
            FaultKind::ContentsMissing => "the elements of an array are missing",
            FaultKind::WrongTag => "a tag is wrong",
            FaultKind::WrongLength { .. } => "a length is wrong",
            FaultKind::UnpatchedLength => "a length was never filled in",
            FaultKind::Header => "the header is damaged",
            FaultKind::Compression => "the compressed stream is damaged",
            FaultKind::LineEnds => "line ends were translated",
            FaultKind::Recoded => "bytes were recoded as text",
            FaultKind::Unreadable => "framing is lost",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            FaultKind::Zeros { from, to } => write!(f, ": {} bytes from {from:#x} to {to:#x}", to - from),
            FaultKind::BytesMissing { count } | FaultKind::BytesAdded { count } => write!(f, ": {count} of them"),
            FaultKind::WrongLength { stated, found } => write!(f, ": {stated} is stated, {found} bytes are there"),
            _ => Ok(()),
        }
    }
}

impl SalvageReport {
    /// Takes a fault in, or counts it.
    pub(crate) fn push(&mut self, fault: SalvageFault) {
        if self.faults.is_empty() && self.more_faults == 0 {
            self.kept_before = self.kept;
        }
        if self.faults.len() < LISTED { self.faults.push(fault) } else { self.more_faults += 1 }
    }

    /// Whether nothing was wrong with the dump.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty() && self.changes.is_empty() && self.lost_bytes == 0 && self.dumps.len() < 2
    }
}
