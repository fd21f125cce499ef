//! Types that only one who knows the rules reads as they are.

use crate::classic::decode::RecordSlice;
use crate::classic::record::EntryRecord;
use crate::classic::rules;

use super::{DependencyPass, offset};

impl DependencyPass<'_> {
    /// The type of an object or class, which begins at a byte of the record.
    pub(super) fn name(&mut self, at: &RecordSlice<'_>, entry: &EntryRecord<'_>, begin: usize) {
        let (name, begins) = (entry.name, offset(at, begin));
        if name.is_empty() {
            self.found.add(rules::NAME_EMPTY, begins, entry.references.text.get(..1).unwrap_or_default());
        }
        if is_ambiguous_form(name) {
            self.found.add(rules::NAME_TYPES, begins, name);
        }
        if name.split(|b| self.ends_line(*b)).any(has_odd_characters) {
            self.found.add(rules::NAME_CHARACTERS, begins, name);
        }
        if let Some(end) = name.iter().position(|b| self.ends_line(*b)) {
            self.found.add(rules::NAME_LINE_BREAK, begins + end as u64, &name[end..]);
        }
    }
}

/// Whether a reader might take the type for something else, or its slashes for dots.
fn is_ambiguous_form(name: &[u8]) -> bool {
    let is_letter = |b: &u8| b"ZCFDBSIJ".contains(b);
    match name {
        [b'[', ..] | [b'L', .., b';'] => true,
        [letter] => is_letter(letter),
        _ => name.iter().any(|b| matches!(b, b'/' | b'.')),
    }
}

/// Whether a line of a type has more than visible ASCII, or something that stands elsewhere in a record.
fn has_odd_characters(name: &[u8]) -> bool {
    let dimensions = name.iter().take_while(|b| **b == b'[').count();
    let rest = &name[dimensions..];
    rest.iter().any(|b| !b.is_ascii_graphic() || matches!(b, b'[' | b']')) || rest.windows(2).any(|two| two == b"//")
}
