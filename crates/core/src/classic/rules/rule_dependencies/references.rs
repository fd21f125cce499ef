//! References: what they lead to, how they are spelled, and the white space around them.

use crate::classic::decode::RecordSlice;
use crate::classic::record::{EntryRecord, ReferenceList, SpelledNumber};
use crate::classic::rules;
use crate::classic::wire::EntryRecordKind;
use crate::model::{Name, ObjectKind};

use super::DependencyPass;

/// The entry whose references are read, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct ListingEntry {
    name: Name,
    is_class: bool,
    is_primitive: bool,
    /// References so far.
    count: u64,
}

impl DependencyPass<'_> {
    /// The references of an entry that begins.
    pub(super) fn begin_references(&self, entry: &EntryRecord<'_>, name: Name) -> ListingEntry {
        let is_class = entry.kind == EntryRecordKind::Class;
        let is_primitive = matches!(ObjectKind::from_class_name(name.as_bytes()), ObjectKind::PrimitiveArray(_));
        ListingEntry { name, is_class, is_primitive: is_primitive && !is_class, count: 0 }
    }

    /// References of an entry or a piece of it, which begin at an offset.
    pub(super) fn references(&mut self, at: &RecordSlice<'_>, begins: u64, references: &ReferenceList<'_>) {
        self.order(at, begins, references);
        let mut parts = references.parts().peekable();
        while let Some((byte, text, value)) = parts.next() {
            let offset = begins + byte as u64;
            match value {
                Some(value) => {
                    self.reference(offset, SpelledNumber { text, value });
                    self.listed.count += 1;
                }
                None => self.white_space(offset, text, parts.peek().is_none() && !at.open),
            }
        }
    }

    /// A reference by itself.
    fn reference(&mut self, offset: u64, number: SpelledNumber<'_>) {
        self.number(offset, &number);
        let named = self.classes.get(&number.value).copied();
        let is_first = self.listed.count == 0 && !self.listed.is_class;
        // Whether every object begins with its class block or just this one with its class, a reader has to know.
        if is_first && (self.index.class_blocks || named == Some(&self.listed.name)) {
            self.found.add(rules::REFERENCE_CLASS_BLOCK, offset, number.text);
        }
        if is_first && self.index.class_blocks {
            if self.listed.is_primitive {
                self.found.add(rules::REFERENCE_PRIMITIVE_ARRAY, offset, number.text);
            }
            return;
        }
        if number.value == 0 {
            self.found.add(rules::REFERENCE_NULL, offset, number.text);
        } else if named.is_some() != self.listed.is_class {
            self.found.add(rules::REFERENCE_OUTSIDE, offset, number.text);
        }
    }

    /// The references together: of a class, and where turning them round makes a difference.
    fn order(&mut self, at: &RecordSlice<'_>, begins: u64, references: &ReferenceList<'_>) {
        let skipped = usize::from(self.index.class_blocks && !self.listed.is_class && self.listed.count == 0);
        let listed = references.values.get(skipped..).unwrap_or_default();
        if listed.is_empty() {
            return;
        }
        // What comes in pieces is not held, and no list of that length is alike in both orders.
        let is_symmetric = listed.iter().eq(listed.iter().rev()) && !at.open;
        let numbers = || references.parts().filter(|(.., value)| value.is_some());
        let begin = numbers().nth(skipped).map_or(0, |(byte, ..)| byte);
        let end = numbers().last().map_or(begin, |(byte, text, _)| byte + text.len());
        let (offset, text) = (begins + begin as u64, &references.text[begin..end]);
        if self.listed.is_class {
            self.found.add(rules::REFERENCE_CLASS_MEANING, offset, text);
        }
        if !is_symmetric {
            self.found.add(rules::REFERENCE_ARRAY_ORDER, offset, text);
        }
    }

    /// White space that no writer has there: after the type, between references, after the last.
    fn white_space(&mut self, offset: u64, white: &[u8], is_last: bool) {
        let plain = self.plain_line_ends(white);
        let is_usual = match (self.listed.count, is_last) {
            (0, true) => plain == b"\n\t\n",
            (0, false) => plain == b"\n\t",
            // Without a line end, a record follows on this line.
            (_, true) => matches!(&*plain, b" \n" | b"\n" | b" "),
            (_, false) => plain == b" ",
        };
        if !is_usual {
            self.found.add(rules::RECORD_WHITE_SPACE, offset, white);
        }
        if self.listed.count > 0 && white.starts_with(b"\r\n") {
            self.found.add(rules::FILE_LINE_ENDS, offset, &white[..2]);
        }
    }
}
