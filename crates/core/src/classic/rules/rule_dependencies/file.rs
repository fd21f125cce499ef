//! The text as a whole: how it begins, its encoding, and the lines that begin with `//`.

use crate::classic::decode::RecordSlice;
use crate::classic::record::{EofTotals, Record};
use crate::classic::rules::{self, trailers};
use crate::classic::wire::Newline;

use super::{DependencyPass, offset};

/// The state of the trailer records, as far as later records depend on it.
#[derive(Debug, Default)]
pub(super) struct TrailerState {
    /// Whether trailer record 1 came.
    pub(super) breakdown: bool,
    /// The nulls that the first trailer record 2 states.
    pub(super) nulls: Option<u64>,
}

impl DependencyPass<'_> {
    /// The start of a record.
    pub(super) fn begin_record(&mut self, at: &RecordSlice<'_>, record: &Record<'_>) {
        if matches!(record, Record::Space(_)) {
            return;
        }
        if !std::mem::replace(&mut self.begun, true) {
            let first = &at.bytes[..2];
            if self.is_ebcdic() {
                self.found.add_of_all(rules::FILE_ENCODING, at.offset, first);
            }
            if self.index.facts.version_text.is_none() {
                self.found.add_of_all(rules::HEADER_MISSING, at.offset, first);
            }
        }
        if self.same_line {
            match record {
                Record::Entry(entry) => self.found.add(rules::RECORD_GLUED, at.offset, entry.address.text),
                _ => self.found.add(rules::RECORD_START, at.offset, &at.bytes[..2]),
            }
        }
    }

    /// A record that is no object or class: a line and its end, or white space.
    pub(super) fn line(&mut self, at: &RecordSlice<'_>, record: &Record<'_>) {
        let parts = record.parts();
        let [(_, text), (_, line_end)] = parts[..] else {
            return self.space(at, at.bytes);
        };
        match record {
            Record::Version(version) => {
                self.found.add(rules::HEADER_LAYOUT, at.offset, text);
                if !version.text.is_ascii() {
                    self.found.add(rules::NAME_CHARACTERS, at.offset, text);
                }
            }
            Record::Comment(_) => self.found.add(rules::HEADER_COMMENT, at.offset, text),
            Record::Breakdown(_, counts) => {
                self.trailers.breakdown = true;
                if !trailers::is_shown_breakdown(text, *counts) {
                    self.found.add(rules::TRAILER_SYNTAX, at.offset, text);
                }
            }
            Record::Eof(_, totals) => {
                if !trailers::is_shown_eof(text, *totals) {
                    self.found.add(rules::TRAILER_SYNTAX, at.offset, text);
                }
                self.totals(at, text, *totals);
            }
            Record::Space(_) | Record::Entry(_) => {}
        }
        if !matches!(record, Record::Comment(_)) {
            self.line_end(at, text, line_end);
        }
        if !matches!(&*self.plain_line_ends(line_end), b"" | b"\n") {
            self.found.add(rules::RECORD_WHITE_SPACE, offset(at, text.len()), line_end);
        }
    }

    /// White space in front of the first record.
    fn space(&mut self, at: &RecordSlice<'_>, text: &[u8]) {
        let white = text.iter().position(|b| b.is_ascii_whitespace() || self.ends_line(*b)).unwrap_or(text.len());
        let (mark, white) = text.split_at(white);
        if !mark.is_empty() {
            self.found.add(rules::FILE_BYTE_ORDER_MARK, at.offset, mark);
        }
        if !white.is_empty() {
            self.found.add(rules::FILE_START, offset(at, mark.len()), white);
        }
    }

    /// Trailer record 2: its nulls are the only record of them where no null is listed.
    fn totals(&mut self, at: &RecordSlice<'_>, line: &[u8], totals: EofTotals) {
        let listed = self.index.facts.null_references.is_none();
        if let Some(first) = self.trailers.nulls {
            if !listed && totals.nulls != first {
                self.found.add(rules::TRAILER_REPEATED, at.offset, line);
            }
            return;
        }
        self.trailers.nulls = Some(totals.nulls);
        if !listed {
            self.found.add(rules::TRAILER_LAYOUT, at.offset, line);
        }
        if totals.nulls != 0 {
            self.found.add(rules::TRAILER_UNLISTED_NULLS, at.offset, line);
        }
    }

    /// The end of a line that relies on a rule.
    fn line_end(&mut self, at: &RecordSlice<'_>, line: &[u8], end: &[u8]) {
        if end.starts_with(b"\r\n") {
            self.found.add(rules::FILE_LINE_ENDS, offset(at, line.len()), &end[..2]);
        } else if !end.iter().any(|b| self.ends_line(*b)) {
            // The last one of the text: nothing else may end so.
            self.found.add(rules::FILE_TRUNCATED, at.offset, line);
        }
    }

    /// The first line end of a record that is not 15, which a JVM on z/OS writes; and 15, where that is the other one.
    pub(super) fn ebcdic_line_end(&mut self, at: &RecordSlice<'_>) {
        if !self.is_ebcdic() {
            return;
        }
        let is_usual = |byte: u8| byte == b'\n' && self.encoding.newline == Newline::Nel;
        if let Some(byte) = at.bytes.iter().position(|b| self.ends_line(*b) && !is_usual(*b)) {
            self.found.add(rules::FILE_EBCDIC_LINE_END, offset(at, byte), &at.bytes[byte..=byte]);
        }
    }
}
