//! The rules of type names.

use crate::bytes::{mutf8, quoted};
use crate::error::RuleId;
use crate::model::PrimitiveType;

/// A violation in a name: the rule, the byte that breaks it, what was expected, and what was found.
pub(super) type NameViolation = (RuleId, usize, &'static str, String);

/// Whether a name is all of printable ASCII, no array's, and not empty: most are, and break no rule.
#[inline]
pub(super) fn is_plain(name: &[u8]) -> bool {
    let plain = name.iter().fold(true, |plain, b| plain & (b' '..0x7f).contains(b));
    plain && name.first().is_some_and(|first| *first != b'[')
}

/// Calls `found` with each rule that a name breaks.
pub(super) fn judge(name: &[u8], ebcdic: bool, mut found: impl FnMut(NameViolation)) {
    let shown = || quoted(name);
    if name.is_empty() {
        found((super::NAME_EMPTY, 0, "a type", "nothing up to the end of the line".to_owned()));
    }
    // A page of EBCDIC has a character for every byte.
    if !ebcdic
        && !name.is_ascii()
        && let Err(stray) = std::str::from_utf8(name)
        && mutf8::decode(name).is_none()
    {
        found((super::NAME_ENCODING, stray.valid_up_to(), "UTF-8 or modified UTF-8", shown()));
    }
    if let Some(at) = name.iter().position(|b| *b == b'\n' || *b == 0x85 && ebcdic) {
        found((super::NAME_LINE_BREAK, at, "a type on one line", shown()));
    }
    if name.starts_with(b"[") && !is_array(name) {
        found((super::NAME_SIGNATURE, 0, "the signature of an array", shown()));
    }
}

/// Brackets, then the letter of a primitive type, or a class name between `L` and `;`.
fn is_array(name: &[u8]) -> bool {
    let dimensions = name.iter().take_while(|b| **b == b'[').count();
    match &name[dimensions..] {
        [letter] => PrimitiveType::ALL.into_iter().any(|p| p.signature() as u8 == *letter),
        [b'L', class @ .., b';'] => !class.is_empty(),
        _ => false,
    }
}
