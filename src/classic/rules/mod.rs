//! The rules of the text. What each says is in `specs/classic.toml`; a test holds the two lists together.

#[rustfmt::skip]
mod book;
mod graph;
mod judge;
mod name;
mod pass;
#[cfg(test)]
mod tests;
mod trailers;

pub use book::BOOK;
pub use graph::GraphIndex;
pub(super) use judge::Judgement;
pub use pass::PassRules;

use crate::error::{RuleId, TextPosition};
use crate::findings::{Findings, Place, Severity};

use super::decode::At;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$doc])* pub const $name: RuleId = RuleId($id);)*
        /// Every rule that this module names.
        pub const ALL: &[RuleId] = &[$($name),*];
    };
}

rules! {
    /// The text begins with `//` or an address, in ASCII or EBCDIC.
    FILE_START = "classic.file.start";
    /// The text does not end inside a record.
    FILE_TRUNCATED = "classic.file.truncated";
    /// No byte order mark stands in front.
    FILE_BYTE_ORDER_MARK = "classic.file.byte-order-mark";
    /// All lines end alike.
    FILE_LINE_ENDS = "classic.file.line-ends";
    /// A version line is there.
    HEADER_MISSING = "classic.header.missing";
    /// There is one version line, in front of the records.
    HEADER_SINGLE = "classic.header.single";
    /// A record begins with `//` or an address.
    RECORD_START = "classic.record.start";
    /// A record is one of `OBJ` or `CLS`.
    RECORD_TYPE = "classic.record.type";
    /// A name, comment or run of white space has at most a mebibyte (a limit of this decoder).
    RECORD_LONG = "classic.record.long";
    /// A record's address is not null.
    RECORD_NULL_ADDRESS = "classic.record.null-address";
    /// Numbers behind `0x` are hexadecimal and have 64 bits.
    NUMBER_HEXADECIMAL = "classic.number.hexadecimal";
    /// Sizes are decimal, in brackets.
    NUMBER_SIZE = "classic.number.size";
    /// A size is one that memory can have.
    NUMBER_SIZE_RANGE = "classic.number.size-range";
    /// Addresses and references are as wide as the first record says.
    NUMBER_WORD = "classic.number.word";
    /// A type has a name.
    NAME_EMPTY = "classic.name.empty";
    /// A name is UTF-8 or modified UTF-8.
    NAME_ENCODING = "classic.name.encoding";
    /// A name is on one line.
    NAME_LINE_BREAK = "classic.name.line-break";
    /// What begins with a bracket is the signature of an array.
    NAME_SIGNATURE = "classic.name.signature";
    /// References stand behind a record.
    REFERENCE_WITHOUT_RECORD = "classic.reference.without-record";
    /// A primitive array has no references.
    REFERENCE_PRIMITIVE_ARRAY = "classic.reference.primitive-array";
    /// Trailers are spelled as the documents say.
    TRAILER_SYNTAX = "classic.trailer.syntax";
    /// Trailer record 2 ends the text.
    TRAILER_MISSING = "classic.trailer.missing";
    /// Trailer record 1 is there.
    TRAILER_BREAKDOWN_MISSING = "classic.trailer.breakdown-missing";
    /// Each trailer record stands once.
    TRAILER_REPEATED = "classic.trailer.repeated";
    /// Trailer record 1 stands in front of trailer record 2.
    TRAILER_ORDER = "classic.trailer.order";
    /// No object or class stands between the trailer records.
    TRAILER_RECORD_BETWEEN = "classic.trailer.record-between";
    /// No object or class stands behind trailer record 2.
    TRAILER_RECORD_BEHIND = "classic.trailer.record-behind";
    /// No comment stands behind trailer record 2.
    TRAILER_COMMENT_BEHIND = "classic.trailer.comment-behind";
    /// Trailer record 1 states the true counts.
    TRAILER_COUNTS = "classic.trailer.counts";
    /// Trailer record 2 states the true number of records.
    TRAILER_TOTAL = "classic.trailer.total";
    /// Trailer record 2 states the true numbers of references.
    TRAILER_REFERENCES = "classic.trailer.references";
    /// No two records have the same address.
    GRAPH_DUPLICATE_ADDRESS = "classic.graph.duplicate-address";
    /// A reference leads to a record.
    GRAPH_DANGLING_REFERENCE = "classic.graph.dangling-reference";
    /// An object's type is the name of a class record.
    GRAPH_TYPE = "classic.graph.type";
    /// No two classes have the same name.
    GRAPH_SAME_NAME = "classic.graph.same-name";
}

fn severity(rule: RuleId) -> Severity {
    BOOK.severity(rule)
}

fn add(findings: &mut Findings, rule: RuleId, place: Place, describe: impl FnOnce() -> (String, String)) {
    findings.add_at(rule, severity(rule), place, describe);
}

/// Where a record begins.
fn start(at: &At<'_>) -> Place {
    Place { offset: at.offset, record: Some(at.index), position: Some(at.position) }
}

/// Where a byte of a record stands.
#[cold]
fn inside(at: &At<'_>, byte: usize, ebcdic: bool) -> Place {
    let before = &at.bytes[..byte];
    let ends_line = |b: &u8| *b == b'\n' || *b == 0x85 && ebcdic;
    let lines = before.iter().filter(|b| ends_line(b)).count() as u64;
    let column = match before.iter().rposition(ends_line) {
        Some(last) => (byte - last) as u64,
        None => at.position.column + byte as u64,
    };
    let position = TextPosition { line: at.position.line + lines, column };
    Place { offset: at.offset + byte as u64, record: Some(at.index), position: Some(position) }
}
