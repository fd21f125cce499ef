//! The ids of the rules that this code checks or stops at. Their statements and sources are in
//! `specs/phd.toml`; a test holds the two lists, and the corpus, together.

#[rustfmt::skip]
mod book;
mod graph;
mod judge;
mod pass;

pub use book::BOOK;
pub use graph::GraphIndex;
pub(super) use judge::Judgement;
pub use pass::PassRules;

use crate::error::RuleId;
use crate::findings::Severity;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$doc])* pub const $name: RuleId = RuleId($id);)*
        /// Every rule that this module names.
        pub const ALL: &[RuleId] = &[$($name),*];
    };
}

rules! {
    /// The data end inside a field.
    FILE_TRUNCATED = "phd.file.truncated";
    /// The file begins with the magic text.
    HEADER_MAGIC = "phd.header.magic";
    /// The header did not go through a text-mode transfer.
    HEADER_TEXT_MODE = "phd.header.text-mode";
    /// The version is 4, 5 or 6.
    HEADER_VERSION = "phd.header.version";
    /// Flags beyond 1, 2 and 4 are zero.
    HEADER_RESERVED_FLAGS = "phd.header.reserved-flags";
    /// Tag 1 starts the header.
    HEADER_START_TAG = "phd.header.start-tag";
    /// Header records have tags 1 to 4.
    HEADER_RECORD_TAG = "phd.header.record-tag";
    /// A header has at most 4096 records (a limit of this decoder).
    HEADER_LIMIT = "phd.header.limit";
    /// Tag 2 starts the body.
    HEADER_BODY_TAG = "phd.header.body-tag";
    /// A header record stands at most once.
    HEADER_REPEATED_RECORD = "phd.header.repeated-record";
    /// Header record 1 states the true counts.
    HEADER_TOTALS = "phd.header.totals";
    /// The version text is modified UTF-8.
    HEADER_VERSION_TEXT = "phd.header.version-text-encoding";
    /// Version 6 comes with the J9 flag; without it the address unit is ambiguous.
    HEADER_ADDRESS_UNIT = "phd.header.address-unit";
    /// Flag 2 comes with flag 4; alone it puts no hash into the records.
    HEADER_HASHED_WITHOUT_J9 = "phd.header.hashed-without-j9";
    /// A record has one of the known tags.
    RECORD_TAG = "phd.record.tag";
    /// Flag bits without a meaning are zero.
    RECORD_RESERVED_FLAGS = "phd.record.reserved-flags";
    /// A short object record names a cache slot that was filled before.
    SHORT_CACHE_SLOT = "phd.short-object.cache-slot";
    /// There are fewer than 2^31 references.
    REFERENCES_COUNT = "phd.references.count";
    /// Null references are left out.
    REFERENCES_NULL = "phd.references.null";
    /// Reference 0 equals the class word: the DTFJ reader drops it in J9 dumps.
    REFERENCES_FIRST_IS_CLASS = "phd.references.first-is-class";
    /// Arrays have fewer than 2^31 elements.
    ARRAY_LENGTH = "phd.array.length";
    /// An object array has at least as many elements as references.
    OBJECT_ARRAY_LENGTH = "phd.object-array.length";
    /// The true length comes before the instance size.
    OBJECT_ARRAY_FIELD_ORDER = "phd.object-array.field-order";
    /// The class word names the component class.
    OBJECT_ARRAY_CLASS_WORD = "phd.object-array.class-word";
    /// References stand in reverse index order.
    OBJECT_ARRAY_ORDER = "phd.object-array.reference-order";
    /// 16-bit hashes have 15 significant bits.
    HASH_16_BIT_VALUE = "phd.hash.16-bit-value";
    /// Class names are modified UTF-8.
    CLASS_NAME_ENCODING = "phd.class.name-encoding";
    /// Tag 3 ends the body.
    BODY_END_TAG = "phd.body.end-tag";
    /// Nothing follows the end tag.
    BODY_TRAILING_BYTES = "phd.body.trailing-bytes";
    /// No two records have the same address.
    GRAPH_DUPLICATE_ADDRESS = "phd.graph.duplicate-address";
    /// A reference names a record of the dump.
    GRAPH_DANGLING_REFERENCE = "phd.graph.dangling-reference";
    /// A class word names a class record.
    GRAPH_CLASS_WORD = "phd.graph.class-word";
    /// A superclass word is 0 or names a class record.
    GRAPH_SUPERCLASS = "phd.graph.superclass";
    /// The superclass chain ends.
    GRAPH_SUPERCLASS_CYCLE = "phd.graph.superclass-cycle";
}

fn severity(rule: RuleId) -> Severity {
    BOOK.severity(rule)
}
