//! The rules that a field relies on by its name and value alone, whatever record it stands in.

use crate::bytes::FieldSpan;
use crate::error::RuleId;
use crate::hprof::rules;

use super::marks::RecordMarks;

/// Marks the rules that a field relies on by itself.
pub(super) fn mark(span: &FieldSpan, bytes: &[u8], marks: &mut RecordMarks) {
    let field = &bytes[span.at.clone()];
    let at = span.at.start as u64..span.at.end as u64;
    let is_high = field.first().is_some_and(|byte| byte & 0x80 != 0);
    let is_zero = field.iter().all(|&byte| byte == 0);
    marks.mark_if(is_zero && names_nothing_if_zero(span.name), rules::ID_NONE, span.name, at.clone());
    marks.mark_if(span.name.contains("type"), rules::TYPE_CODES, span.name, at.clone());
    if is_high && let Some(rule) = high_bit_rule(span.name) {
        marks.mark(rule, span.name, at);
    }
}

/// The rule by which a number is read whose top bit is set.
fn high_bit_rule(name: &str) -> Option<RuleId> {
    match name {
        name if is_identifier(name) => Some(rules::ID_UNSIGNED),
        name if is_count(name) => Some(rules::RECORD_LENGTH_UNSIGNED),
        "line number" => Some(rules::FRAME_LINE_SIGNED),
        "frame number in stack trace" => Some(rules::ROOT_FRAME_NUMBER),
        // Times have a rule of their own, floats a sign, and the rest is no number or is told by no heap.
        "time" | "cutoff ratio" | "tag" | "sub-record tag" | "reserved" => None,
        "string" | "body" | "field values" | "element" | "elements" => None,
        "value of field" | "value of entry" => None,
        name if name.contains("type") || name.ends_with("the fields") => None,
        _ => Some(rules::INTEGER_BYTE_ORDER),
    }
}

/// Whether a field is an identifier.
fn is_identifier(name: &str) -> bool {
    // The number of a part of the heap is called an id too, and has 4 bytes always.
    name.ends_with(" id") && name != "heap id"
}

/// Whether a field is a length, or the number of things that follow.
fn is_count(name: &str) -> bool {
    matches!(
        name,
        "length"
            | "size of constant pool"
            | "number of static fields"
            | "number of instance fields"
            | "number of bytes that follow"
            | "number of elements"
            | "number of frames"
            | "number of sites"
            | "number of traces"
    )
}

/// Whether a field names nothing where it is 0. (A superclass has a rule of its own.)
fn names_nothing_if_zero(name: &str) -> bool {
    match name {
        "class loader object id" | "signers object id" | "protection domain object id" | "thread object id" => true,
        "string id" => false,
        name => name.ends_with("string id"),
    }
}
