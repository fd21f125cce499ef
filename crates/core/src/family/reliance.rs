//! Bytes of a dump, and the rules that they rely on.

use crate::error::RuleId;
use crate::model::Address;

/// Bytes that rely on a rule: a reader that does not know it, or follows another, takes something else from them or cannot
/// read them at all. Where nothing comes out differently there is none: a distance of 0 does not rely on its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reliance {
    /// Offset of the first byte, in the decompressed stream.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// The rule.
    pub rule: RuleId,
    /// The class or object whose facts depend on it; `None` for the whole dump, a root or an event.
    pub of: Option<Address>,
    /// Index of the record in which the bytes stand, if they stand in one.
    pub record: Option<u64>,
}
