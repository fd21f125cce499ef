//! The ids of the rules that this code checks or stops at. Their statements and sources are in
//! `specs/hprof.toml`; a test holds the two lists, and the corpus, together.

#[rustfmt::skip]
mod book;
mod graph;
mod heap;
mod judge;
mod pass;
mod tables;
#[cfg(test)]
mod tests;

pub use book::BOOK;
pub use graph::GraphIndex;
pub(super) use judge::Judgement;
pub use pass::PassRules;

use crate::error::RuleId;
use crate::findings::{Findings, Severity};

use super::decode::At;
use super::wire::IdSize;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$doc])* pub const $name: RuleId = RuleId($id);)*
        /// Every rule that this module names.
        pub const ALL: &[RuleId] = &[$($name),*];
    };
}

rules! {
    /// The data end between two records.
    FILE_TRUNCATED = "hprof.file.truncated";
    /// The file begins with the magic text.
    HEADER_MAGIC = "hprof.header.magic";
    /// The header did not go through a text-mode transfer.
    HEADER_TEXT_MODE = "hprof.header.text-mode";
    /// The version is 1.0.1, 1.0.2 or 1.0.3.
    HEADER_VERSION = "hprof.header.version";
    /// Identifiers have 1, 2, 4 or 8 bytes.
    HEADER_ID_SIZE = "hprof.header.id-size";
    /// No string, class or object has the identifier 0.
    ID_NULL = "hprof.id.null";
    /// A record's tag is in the documents.
    RECORD_UNKNOWN_TAG = "hprof.record.unknown-tag";
    /// A record is as long as its fields.
    RECORD_LENGTH = "hprof.record.length";
    /// Nothing stands behind the fields of a record.
    RECORD_REST = "hprof.record.rest";
    /// Strings are modified UTF-8.
    TEXT_ENCODING = "hprof.text.encoding";
    /// A name is the identifier of a string.
    TEXT_UNKNOWN_ID = "hprof.text.unknown-id";
    /// No two strings have the same identifier.
    TEXT_DUPLICATE_ID = "hprof.text.duplicate-id";
    /// A loaded class has a serial number above 0.
    CLASS_SERIAL_ZERO = "hprof.class.serial-zero";
    /// A loaded class has a CLASS DUMP.
    LOAD_CLASS_NO_DUMP = "hprof.load-class.no-dump";
    /// A CLASS DUMP has a LOAD CLASS.
    CLASS_NO_LOAD = "hprof.class.no-load";
    /// A class serial number is that of a LOAD CLASS.
    CLASS_UNKNOWN_SERIAL = "hprof.class.unknown-serial";
    /// A line number is above 0 or one of three below.
    FRAME_LINE = "hprof.frame.line";
    /// A frame of a trace is in the file.
    FRAME_UNKNOWN_ID = "hprof.frame.unknown-id";
    /// A stack trace serial number is 0 or that of a STACK TRACE.
    TRACE_UNKNOWN_SERIAL = "hprof.trace.unknown-serial";
    /// The thread of a root is known.
    THREAD_UNKNOWN_SERIAL = "hprof.thread.unknown-serial";
    /// Flags of ALLOC SITES without a meaning are zero.
    SITES_RESERVED_FLAGS = "hprof.sites.reserved-flags";
    /// Flags of CONTROL SETTINGS without a meaning are zero.
    CONTROL_RESERVED_FLAGS = "hprof.control.reserved-flags";
    /// The length of a dump record was patched in.
    SEGMENT_UNPATCHED_LENGTH = "hprof.segment.unpatched-length";
    /// The length of a HEAP DUMP fits its field.
    SEGMENT_WRAPPED_LENGTH = "hprof.segment.wrapped-length";
    /// Segments stand in files from 1.0.2 on.
    SEGMENT_VERSION = "hprof.segment.version";
    /// HEAP DUMP END closes a series of segments.
    SEGMENT_END_MISSING = "hprof.segment.end-missing";
    /// HEAP DUMP END has segments to close.
    SEGMENT_END_ALONE = "hprof.segment.end-alone";
    /// HEAP DUMP END has no body.
    SEGMENT_END_BODY = "hprof.segment.end-body";
    /// A dump record has sub-records.
    SEGMENT_EMPTY = "hprof.segment.empty";
    /// A sub-record's tag is known: it has no length to skip it by.
    SUB_RECORD_TAG = "hprof.sub-record.tag";
    /// A sub-record ends inside its segment.
    SUB_RECORD_OVERRUN = "hprof.sub-record.overrun";
    /// The object of a root is in its heap.
    ROOT_DANGLING = "hprof.root.dangling";
    /// No two CLASS DUMPs of a heap have the same identifier.
    CLASS_DUPLICATE = "hprof.class.duplicate";
    /// A superclass is 0 or a class of the heap.
    CLASS_SUPERCLASS = "hprof.class.superclass";
    /// The superclass chain ends.
    CLASS_SUPERCLASS_CYCLE = "hprof.class.superclass-cycle";
    /// The instance size counts field bytes.
    CLASS_INSTANCE_SIZE = "hprof.class.instance-size";
    /// The reserved identifiers of a class are 0.
    CLASS_RESERVED = "hprof.class.reserved";
    /// An instance has as many bytes as its class and superclasses declare.
    INSTANCE_LENGTH = "hprof.instance.length";
    /// The class of an object array is that of an array.
    ARRAY_CLASS = "hprof.array.class";
    /// Type codes are 2 and 4 to 11.
    TYPE_CODE = "hprof.type.code";
    /// A boolean is 0 or 1.
    BOOLEAN_VALUE = "hprof.boolean.value";
    /// No object of a heap has the identifier of another one or of a class.
    OBJECT_DUPLICATE = "hprof.object.duplicate";
    /// The class of an object is in its heap.
    OBJECT_CLASS = "hprof.object.class";
    /// A reference names a class or object of its heap.
    OBJECT_DANGLING_REFERENCE = "hprof.object.dangling-reference";
    /// Android's sub-records stand in files of 1.0.3.
    EXTENSION_TAG = "hprof.extension.tag";
}

fn severity(rule: RuleId) -> Severity {
    BOOK.severity(rule)
}

/// Where a record or sub-record stands, once its bytes are gone.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    index: u64,
}

impl Place {
    fn of(at: &At<'_>) -> Place {
        Place { offset: at.offset, index: at.index }
    }

    #[cold]
    fn finding(self, findings: &mut Findings, rule: RuleId, describe: impl FnOnce() -> (String, String)) {
        findings.add(rule, severity(rule), self.offset, Some(self.index), describe);
    }
}

/// Calls `visit` with every identifier in a piece of an object array.
#[inline]
fn each_id(elements: &[u8], id: IdSize, mut visit: impl FnMut(u64)) {
    match id {
        IdSize::One => elements.iter().for_each(|&b| visit(u64::from(b))),
        IdSize::Two => elements.as_chunks().0.iter().for_each(|b| visit(u64::from(u16::from_be_bytes(*b)))),
        IdSize::Four => elements.as_chunks().0.iter().for_each(|b| visit(u64::from(u32::from_be_bytes(*b)))),
        IdSize::Eight => elements.as_chunks().0.iter().for_each(|b| visit(u64::from_be_bytes(*b))),
    }
}
