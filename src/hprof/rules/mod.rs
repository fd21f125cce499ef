//! The ids of the rules that this code checks or stops at. Their statements and sources are in
//! `specs/hprof.toml`; a test holds the two lists, and the corpus, together.

use crate::error::RuleId;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$doc])* pub const $name: RuleId = RuleId($id);)*
        /// Every rule that this module names.
        pub const ALL: &[RuleId] = &[$($name),*];
    };
}

rules! {
    /// The data end inside a field.
    FILE_TRUNCATED = "hprof.file.truncated";
    /// The file begins with the magic text.
    HEADER_MAGIC = "hprof.header.magic";
    /// The header did not go through a text-mode transfer.
    HEADER_TEXT_MODE = "hprof.header.text-mode";
    /// The version is 1.0.1, 1.0.2 or 1.0.3.
    HEADER_VERSION = "hprof.header.version";
    /// Identifiers have 1, 2, 4 or 8 bytes.
    HEADER_ID_SIZE = "hprof.header.id-size";
    /// A record is as long as its fields.
    RECORD_LENGTH = "hprof.record.length";
    /// Nothing stands behind the fields of a record.
    RECORD_REST = "hprof.record.rest";
    /// A record's tag is in the documents.
    RECORD_UNKNOWN_TAG = "hprof.record.unknown-tag";
    /// A sub-record's tag is known: it has no length to skip it by.
    SUB_RECORD_TAG = "hprof.sub-record.tag";
    /// A sub-record ends inside its segment.
    SUB_RECORD_OVERRUN = "hprof.sub-record.overrun";
    /// Type codes are 2 and 4 to 11.
    TYPE_CODE = "hprof.type.code";
    /// The length of a dump record was patched in.
    SEGMENT_UNPATCHED_LENGTH = "hprof.segment.unpatched-length";
    /// The length of a HEAP DUMP fits its field.
    SEGMENT_WRAPPED_LENGTH = "hprof.segment.wrapped-length";
}
