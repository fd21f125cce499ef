//! Objects and classes up to their types.

use std::ops::Range;

use crate::classic::decode::RecordSlice;
use crate::classic::lift::{name, word_size};
use crate::classic::record::{EntryRecord, SpelledNumber};
use crate::classic::rules;
use crate::classic::wire::EntryRecordKind;
use crate::model::WordSize;

use super::{DependencyPass, offset};

/// Sizes from here on are negative in a signed number of 32 bits.
const SIGNED: u64 = 1 << 31;
/// Objects stand at multiples of this.
const GRID: u64 = 8;

impl DependencyPass<'_> {
    pub(super) fn entry(&mut self, at: &RecordSlice<'_>, entry: &EntryRecord<'_>) {
        let references = at.bytes.len() - entry.references.text.len();
        let begin = references - entry.name.len();
        let kind = begin - entry.before_name.len() - entry.kind.word().len();
        let size = entry.address.text.len() + entry.before_size.len();
        self.found.add(rules::RECORD_LAYOUT, at.offset, &at.bytes[..references]);
        if !std::mem::replace(&mut self.entry_seen, true) {
            self.narrow = word_size(entry.address.text) == Some(WordSize::Bits32);
            self.found.add_of_all(rules::NUMBER_WORD_SIZE, at.offset, entry.address.text);
        }
        // The bracket tells the page where white space stands in front of it.
        if self.is_ebcdic() && !entry.before_size.is_empty() && !std::mem::replace(&mut self.bracket_seen, true) {
            self.found.add_of_all(rules::FILE_EBCDIC_PAGE, offset(at, size), b"[");
        }
        if self.trailers.breakdown && self.trailers.nulls.is_none() {
            self.found.add(rules::TRAILER_RECORD_BETWEEN, at.offset, &at.bytes[..references]);
        }
        self.number(at.offset, &entry.address);
        self.size(offset(at, size), entry);
        self.kind(at, entry, kind);
        self.gap(at, entry.address.text.len()..size);
        self.gap(at, kind - entry.before_kind.len()..kind);
        if !entry.name.is_empty() {
            self.gap(at, begin - entry.before_name.len()..begin);
        }
        self.name(at, entry, begin);
        let name = name(entry.name, self.encoding.charset);
        // Where no class block tells the class of an object, its type does.
        if entry.kind == EntryRecordKind::Object && !self.index.class_blocks && self.index.class_named(&name).is_some()
        {
            self.found.add(rules::REFERENCE_CLASS_BY_NAME, offset(at, begin), shown(at, &(begin..references)));
        }
        let after_name = offset(at, references);
        if entry.references.text.starts_with(b"\r\n") {
            self.found.add(rules::FILE_LINE_ENDS, after_name, &entry.references.text[..2]);
        }
        self.listed = self.begin_references(entry, name);
        self.references(at, after_name, &entry.references);
    }

    /// An address or reference whose digits or value are not those that any reader gets right.
    pub(super) fn number(&mut self, offset: u64, number: &SpelledNumber<'_>) {
        let digits = &number.text[2..];
        let is_usual = matches!(digits.len(), 8 | 16) || number.value == 0;
        let is_wide = number.value > u64::from(u32::MAX);
        if number.text[1] == b'X'
            || digits.iter().any(u8::is_ascii_lowercase)
            || !is_usual
            || is_wide
            || self.narrow && number.value >= SIGNED
        {
            self.found.add(rules::NUMBER_HEXADECIMAL, offset, number.text);
        }
        if self.narrow && digits.len() > 8 && !is_wide {
            self.found.add(rules::NUMBER_WORD, offset, number.text);
        }
    }

    fn size(&mut self, offset: u64, entry: &EntryRecord<'_>) {
        let SpelledNumber { text, value } = entry.size;
        if value >= 10 || text.len() > 3 {
            self.found.add(rules::NUMBER_SIZE, offset, text);
        }
        if value >= SIGNED {
            self.found.add(rules::NUMBER_SIZE_RANGE, offset, text);
        }
        // Of a class it is not the size of its instances, and of an object it has no padding.
        let means = match entry.kind {
            EntryRecordKind::Class => value != 0,
            EntryRecordKind::Object => value % GRID != 0,
        };
        if means {
            self.found.add(rules::NUMBER_SIZE_MEANING, offset, text);
        }
    }

    /// The word that tells classes from objects, and the order of both.
    fn kind(&mut self, at: &RecordSlice<'_>, entry: &EntryRecord<'_>, kind: usize) {
        let (begins, word) = (offset(at, kind), entry.kind.word());
        if entry.kind == EntryRecordKind::Class || entry.before_name.is_empty() {
            self.found.add(rules::RECORD_TYPE, begins, word);
        }
        let out_of_order = match entry.kind {
            EntryRecordKind::Class => {
                let class = self.index.classes.get(self.classes_seen as usize);
                self.classes_seen += 1;
                class.and_then(|class| class.after_objects).is_some_and(|objects| objects < self.index.objects)
            }
            EntryRecordKind::Object => {
                let before = std::mem::replace(&mut self.object_before, entry.address.value);
                self.classes_seen > 0 || entry.address.value < before
            }
        };
        if out_of_order {
            self.found.add(rules::FILE_ORDER, begins, word);
        }
    }

    /// White space between two parts of a record: one space, in the text of every writer.
    fn gap(&mut self, at: &RecordSlice<'_>, white: Range<usize>) {
        if at.bytes[white.clone()] != *b" " {
            self.found.add(rules::RECORD_WHITE_SPACE, offset(at, white.start), shown(at, &white));
        }
    }
}

/// Bytes of a record; where there are none, the one that stands in their place.
fn shown<'s>(at: &RecordSlice<'s>, bytes: &Range<usize>) -> &'s [u8] {
    &at.bytes[bytes.start..bytes.end.max(bytes.start + 1)]
}
