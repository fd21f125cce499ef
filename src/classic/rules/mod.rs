//! The rules of the text. What each says is in `specs/classic.toml`.

mod graph;
mod pass;

use crate::error::RuleId;

pub use graph::GraphIndex;
pub use pass::PassRules;

macro_rules! rules {
    ($($name:ident = $id:literal;)*) => {
        $(#[doc = concat!("`", $id, "`")] pub const $name: RuleId = RuleId($id);)*
    };
}

rules! {
    FILE_START = "classic.file.start";
    FILE_TRUNCATED = "classic.file.truncated";
    RECORD_START = "classic.record.start";
    RECORD_TYPE = "classic.record.type";
    RECORD_LONG = "classic.record.long";
    NUMBER_HEXADECIMAL = "classic.number.hexadecimal";
    NUMBER_SIZE = "classic.number.size";
    REFERENCE_WITHOUT_RECORD = "classic.reference.without-record";
    TRAILER_SYNTAX = "classic.trailer.syntax";
    TRAILER_MISSING = "classic.trailer.missing";
}
