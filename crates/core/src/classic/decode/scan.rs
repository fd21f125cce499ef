//! A slice of text to a record.

use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::bytes::field_error::{FieldError, bad_field};
use crate::bytes::{IncompleteField, quoted};
use crate::classic::book;
use crate::classic::record::{
    BREAKDOWN, BreakdownCounts, EOF, EntryRecord, EofTotals, Record, ReferenceList, SlashLine, SpelledNumber, VERSION,
    decimal,
};
use crate::classic::wire::EntryRecordKind;

use super::LONGEST;

/// A place in a slice of text.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    /// Whether nothing follows the slice.
    pub(super) whole: bool,
    /// Lines that have ended.
    pub(super) lines: u64,
    /// Whether U+0085 ends a line, too (EBCDIC).
    nel: bool,
    /// The ends of an entry's parts, as far as they were read.
    ends: [usize; ENTRY.len()],
    read: usize,
}

/// The parts of an entry before its references.
const ENTRY: [&str; 7] = ["address", "white space", "size", "white space", "record type", "white space", "type"];

/// A part of a record, or of a piece of its references.
#[derive(Clone, Debug)]
pub(in crate::classic) struct ScannedPart {
    pub(in crate::classic) name: &'static str,
    pub(in crate::classic) at: Range<usize>,
    /// The address that a reference leads to.
    pub(in crate::classic) to: Option<u64>,
}

/// The parts of a record that cannot be read, or of references that go on, as far as they can be.
pub(super) fn parts(bytes: &[u8], whole: bool, nel: bool, references: bool) -> Vec<ScannedPart> {
    let mut values = Vec::new();
    let mut scan = Scan::new(bytes, whole, nel);
    // It fails, as it did before.
    let _failed = if references { scan.references(&mut values, true).err() } else { scan.record(&mut values).err() };
    let (ends, read, at) = (scan.ends, scan.read, scan.at);
    let mut start = 0;
    let mut parts = Vec::new();
    for (name, &end) in ENTRY.into_iter().zip(&ends[..read]) {
        if start < end {
            parts.push(ScannedPart { name, at: start..end, to: None });
        }
        start = end;
    }
    if references || read == ENTRY.len() {
        references_in(&bytes[start..at.max(start)], &values, |name, at, to| {
            parts.push(ScannedPart { name, at: start + at.start..start + at.end, to });
        });
    }
    parts
}

/// Calls `part` with each reference and stretch of white space of a text.
fn references_in(text: &[u8], values: &[u64], mut part: impl FnMut(&'static str, Range<usize>, Option<u64>)) {
    let (mut at, mut values) = (0, values.iter().copied());
    for piece in text.chunk_by(|a, b| is_blank(*a) == is_blank(*b)) {
        let place = at..at + piece.len();
        match is_blank(piece[0]) {
            true => part("white space", place, None),
            false => part("reference", place, values.next()),
        }
        at += piece.len();
    }
}

/// White space of text in any encoding.
pub(in crate::classic) fn is_blank(byte: u8) -> bool {
    is_white(byte) || byte == 0x85
}

/// References, as far as they are sure to be whole.
#[derive(Debug)]
pub(super) enum ReferencesEnd {
    /// The record ends where the scan stands.
    Record,
    /// The slice does.
    Slice,
}

impl<'a> Scan<'a> {
    pub(super) fn new(bytes: &'a [u8], whole: bool, nel: bool) -> Scan<'a> {
        Scan { bytes, at: 0, whole, lines: 0, nel, ends: [0; ENTRY.len()], read: 0 }
    }

    /// The next record, up to the first byte of the one after it. `values` takes the references.
    #[inline(always)]
    pub(super) fn record(&mut self, values: &'a mut Vec<u64>) -> Result<(Record<'a>, ReferencesEnd), FieldError> {
        match self.bytes[self.at..] {
            [b'/', b'/', ..] => Ok((self.line()?, ReferencesEnd::Record)),
            [b'0', b'x' | b'X', ..] => self.entry(values),
            [b'/' | b'0'] | [] => Err(self.incomplete("record", 2)),
            _ => Err(self.unexpected("record", "\"//\", or an address that begins with 0x")),
        }
    }

    /// White space and a byte order mark before the first record.
    pub(super) fn space(&mut self) -> Result<Option<Record<'a>>, FieldError> {
        if !self.nel && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        self.skip_white_space()?;
        if self.at == self.bytes.len() && !self.whole {
            return Err(self.incomplete("white space", 1));
        }
        Ok((self.at > 0).then(|| Record::Space(&self.bytes[..self.at])))
    }

    fn line(&mut self) -> Result<Record<'a>, FieldError> {
        let start = self.at;
        self.pass_line();
        self.limit("line", start)?;
        if self.at == self.bytes.len() && !self.whole {
            return Err(self.incomplete("line", 1));
        }
        let text = &self.bytes[start..self.at];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let end = start + text.len();
        self.at = end;
        self.skip_white_space()?;
        if self.at == self.bytes.len() && !self.whole {
            return Err(self.incomplete("white space", 1));
        }
        let line = SlashLine { text, after: &self.bytes[end..self.at] };
        let content = line.content();
        let trailer = |expected: &str| {
            if line.after.is_empty() {
                return self.incomplete("line", 1);
            }
            let found = shown(content);
            bad_field(book::TRAILER_SYNTAX, "trailer", start, expected, found)
        };
        if content.starts_with(VERSION) {
            Ok(Record::Version(line))
        } else if content.starts_with(BREAKDOWN) {
            let expected = "// Breakdown - Classes: N, Objects: N, ObjectArrays: N, PrimitiveArrays: N";
            Ok(Record::Breakdown(line, BreakdownCounts::parse(content).ok_or_else(|| trailer(expected))?))
        } else if content.starts_with(EOF) {
            let expected = "// EOF: Total 'Objects',Refs(null) : N,N(N)";
            Ok(Record::Eof(line, EofTotals::parse(content).ok_or_else(|| trailer(expected))?))
        } else {
            Ok(Record::Comment(line))
        }
    }

    #[inline(always)]
    fn entry(&mut self, values: &'a mut Vec<u64>) -> Result<(Record<'a>, ReferencesEnd), FieldError> {
        let address = self.hexadecimal("address")?;
        self.end_part();
        let before_size = self.blanks()?;
        self.end_part();
        match self.bytes.get(self.at) {
            Some(b'[') => {}
            None => return Err(self.incomplete("size", 1)),
            _ => {
                let expected = "the size of an object or class in brackets: references stand after a record";
                return Err(self.refuse(book::REFERENCE_WITHOUT_RECORD, "size", expected));
            }
        }
        let size = self.size()?;
        self.end_part();
        let before_kind = self.blanks()?;
        self.end_part();
        let Some(word) = self.bytes[self.at..].first_chunk::<3>() else {
            let begun = &self.bytes[self.at..];
            if b"OBJ".starts_with(begun) || b"CLS".starts_with(begun) {
                return Err(self.incomplete("record type", 3));
            }
            return Err(self.refuse(book::RECORD_TYPE, "record type", "OBJ or CLS"));
        };
        let kind = match word {
            b"OBJ" => EntryRecordKind::Object,
            b"CLS" => EntryRecordKind::Class,
            _ => return Err(self.refuse(book::RECORD_TYPE, "record type", "OBJ or CLS")),
        };
        self.at += 3;
        self.end_part();
        let before_name = self.before_name()?;
        self.end_part();
        if self.at == self.bytes.len() {
            return Err(self.incomplete("type", 1));
        }
        if before_name.is_empty() && !self.is_line_end() && self.bytes[self.at] != b'\r' {
            return Err(self.refuse(book::RECORD_TYPE, "type", "white space after OBJ or CLS"));
        }
        let name = self.name()?;
        self.end_part();
        let start = self.at;
        let end = self.references(values, false)?;
        let references = ReferenceList { text: &self.bytes[start..self.at], values: values.as_slice() };
        let entry = EntryRecord { address, before_size, size, before_kind, kind, before_name, name, references };
        Ok((Record::Entry(entry), end))
    }

    /// White space before a type: a carriage return is some where no line ends there.
    #[inline(always)]
    fn before_name(&mut self) -> Result<&'a [u8], FieldError> {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
        if self.at < self.bytes.len() && self.is_line_end() {
            while self.at > start && self.bytes[self.at - 1] == b'\r' {
                self.at -= 1;
            }
        }
        self.limit("white space", start)?;
        Ok(&self.bytes[start..self.at])
    }

    /// The next part of an entry ends here.
    #[inline]
    fn end_part(&mut self) {
        self.ends[self.read] = self.at;
        self.read += 1;
    }

    /// The type: up to the end of the line, and on if the next line begins like nothing else that is known.
    #[inline(always)]
    fn name(&mut self) -> Result<&'a [u8], FieldError> {
        let start = self.at;
        loop {
            self.pass_line();
            self.limit("type", start)?;
            if self.at == self.bytes.len() {
                return Err(self.incomplete("type", 1));
            }
            if self.bytes[start..self.at].iter().all(|b| matches!(b, b' ' | b'\t' | b'\r')) {
                // A name goes on after a line break, but it does not begin with one.
                self.at = start;
                return Ok(&[]);
            }
            match &self.bytes[self.at + 1..] {
                [] | [b'/' | b'0'] if !self.whole => return Err(self.incomplete("type", 2)),
                [] | [b' ' | b'\t' | b'\r' | b'\n', ..] | [b'/', b'/', ..] | [b'0', b'x' | b'X', ..] => break,
                [0x85, ..] if self.nel => break,
                // A name with a line break in it, which no writer escapes.
                _ => {
                    self.at += 1;
                    self.lines += 1;
                }
            }
        }
        Ok(self.trimmed(start))
    }

    /// The text from `start`, without white space at its end, where the scan goes on.
    fn trimmed(&mut self, start: usize) -> &'a [u8] {
        let text = &self.bytes[start..self.at];
        let after = text.iter().rev().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
        self.at -= after;
        &text[..text.len() - after]
    }

    /// Goes to the end of the line, or of the slice.
    #[inline]
    fn pass_line(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = if self.nel { memchr2(b'\n', 0x85, rest) } else { memchr(b'\n', rest) };
        self.at += end.unwrap_or(rest.len());
    }

    /// `0x` and digits.
    #[inline(always)]
    pub(super) fn hexadecimal(&mut self, field: &'static str) -> Result<SpelledNumber<'a>, FieldError> {
        let start = self.at;
        let value = self.hexadecimal_value(field)?;
        Ok(SpelledNumber { text: &self.bytes[start..self.at], value })
    }

    /// The value of `0x` and digits.
    #[inline(always)]
    pub(super) fn hexadecimal_value(&mut self, field: &'static str) -> Result<u64, FieldError> {
        let digits = &self.bytes[self.at + 2..];
        let (value, count) = first_digits(digits);
        if count == 0 || !digits.get(count).is_some_and(|after| self.is_after_number(*after)) {
            return self.long_hexadecimal(field);
        }
        self.at += 2 + count;
        Ok(value)
    }

    /// The value of `0x` and digits, of which there may be many, or too many, or none, or what is no digit, or the end, after
    /// them.
    #[cold]
    fn long_hexadecimal(&mut self, field: &'static str) -> Result<u64, FieldError> {
        let start = self.at;
        let digits = &self.bytes[start + 2..];
        let count = digits.iter().take_while(|digit| digit_worth(**digit) < 16).count();
        self.at = start + 2 + count;
        self.limit(field, start)?;
        if count == digits.len() && (!self.whole || count == 0) {
            self.at = start;
            return Err(self.incomplete(field, count as u64 + 3));
        }
        if count == 0 || digits.get(count).is_some_and(|after| !self.is_after_number(*after)) {
            return Err(self.refuse(book::NUMBER_HEXADECIMAL, field, "hexadecimal digits and white space"));
        }
        let zeros = digits[..count].iter().take_while(|digit| **digit == b'0').count();
        if count - zeros > 16 {
            self.at = start;
            return Err(self.refuse(book::NUMBER_HEXADECIMAL, field, "at most 16 hexadecimal digits"));
        }
        Ok(first_digits(&digits[zeros..count]).0)
    }

    /// Whether a number may end before this byte.
    fn is_after_number(&self, byte: u8) -> bool {
        is_white(byte) || byte == b'[' || byte == 0x85 && self.nel
    }

    /// A decimal number in brackets.
    #[inline(always)]
    fn size(&mut self) -> Result<SpelledNumber<'a>, FieldError> {
        let start = self.at;
        let rest = &self.bytes[start + 1..];
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.at = start + 1 + count;
        self.limit("size", start)?;
        self.at = start;
        if count == rest.len() {
            return Err(self.incomplete("size", count as u64 + 2));
        }
        match (decimal(&rest[..count]), rest.get(count)) {
            (Some(value), Some(b']')) => {
                self.at = start + count + 2;
                Ok(SpelledNumber { text: &self.bytes[start..self.at], value })
            }
            _ => Err(self.refuse(book::NUMBER_SIZE, "size", "decimal digits below 2^64, and a bracket")),
        }
    }

    /// Spaces and tabs.
    #[inline(always)]
    fn blanks(&mut self) -> Result<&'a [u8], FieldError> {
        let start = self.at;
        let count = self.bytes[start..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        self.at += count;
        self.limit("white space", start)?;
        Ok(&self.bytes[start..self.at])
    }

    /// White space of any kind; the number of lines that end in it.
    #[inline(always)]
    pub(super) fn skip_white_space(&mut self) -> Result<u64, FieldError> {
        let (start, rest, nel) = (self.at, &self.bytes[self.at..], self.nel);
        let mut ends = 0;
        // No branch for each kind of white space, which would be guessed.
        let is_other = |byte: &u8| {
            let ends_line = (*byte == b'\n') | (*byte == 0x85) & nel;
            ends += u64::from(ends_line);
            !(ends_line | is_white(*byte))
        };
        self.at += rest.iter().position(is_other).unwrap_or(rest.len());
        self.lines += ends;
        self.limit("white space", start)?;
        Ok(ends)
    }

    /// Refuses what is longer than anything may be, wherever a reader's buffer ends.
    #[inline]
    fn limit(&self, field: &'static str, start: usize) -> Result<(), FieldError> {
        if self.at - start > LONGEST { Err(too_long(field, start)) } else { Ok(()) }
    }

    fn is_line_end(&self) -> bool {
        self.bytes.get(self.at).is_some_and(|byte| self.ends_line(*byte))
    }

    pub(super) fn ends_line(&self, byte: u8) -> bool {
        byte == b'\n' || byte == 0x85 && self.nel
    }

    pub(super) fn incomplete(&self, field: &'static str, needed: u64) -> FieldError {
        FieldError::Incomplete(IncompleteField { field, at: self.at, needed })
    }

    pub(super) fn unexpected(&self, field: &'static str, expected: &str) -> FieldError {
        self.refuse(book::RECORD_START, field, expected)
    }

    #[cold]
    fn refuse(&self, rule: crate::error::RuleId, field: &'static str, expected: &str) -> FieldError {
        bad_field(rule, field, self.at, expected, shown(&self.bytes[self.at..]))
    }
}

#[cold]
fn too_long(field: &'static str, start: usize) -> FieldError {
    bad_field(book::RECORD_LONG, field, start, format!("at most {LONGEST} bytes"), "more")
}

#[inline(always)]
pub(super) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The value of the hexadecimal digits in front, at most 16 of them, and their number.
#[inline(always)]
fn first_digits(text: &[u8]) -> (u64, usize) {
    let padding;
    let digits = match text.first_chunk::<16>() {
        Some(digits) => digits,
        None => {
            padding = padded(text);
            &padding
        }
    };
    let mut worths = [0; 16];
    for (worth, digit) in worths.iter_mut().zip(digits) {
        *worth = digit_worth(*digit);
    }
    // A number whose bytes are digits, the first one on top, and those bytes that are none.
    let worths = u128::from_be_bytes(worths);
    let others = worths & u128::from_ne_bytes([0xf0; 16]);
    let (worths, count) = match others {
        0 => (worths, 16),
        _ => {
            let count = others.leading_zeros() / 8;
            (worths.checked_shr(128 - 8 * count).unwrap_or(0), count as usize)
        }
    };
    (eight_digits((worths >> 64) as u64) << 32 | eight_digits(worths as u64), count)
}

/// A short text, with bytes after it that are no digits.
#[inline(never)]
fn padded(text: &[u8]) -> [u8; 16] {
    let mut padded = [0; 16];
    padded[..text.len()].copy_from_slice(text);
    padded
}

/// The number whose hexadecimal digits are eight bytes.
#[inline]
fn eight_digits(worths: u64) -> u64 {
    let pairs = (worths | worths >> 4) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff;
    (fours | fours >> 16) & 0xffff_ffff
}

/// What a hexadecimal digit is worth; of another byte, more than 15. Without branches.
#[inline]
fn digit_worth(byte: u8) -> u8 {
    // '0' to '9' become 0 to 9, and letters 10 to 15; in each, all others become 16 or more.
    let decimal = byte.wrapping_add(0xff - b'9').saturating_sub(6).wrapping_sub(0xf0);
    let letter = (byte & 0xdf).wrapping_sub(b'A').saturating_add(10);
    decimal.min(letter)
}

/// The number of bytes of what was found that a message shows.
pub(super) const SHOWN: usize = 32;

/// The start of a text, for a message.
fn shown(text: &[u8]) -> String {
    if text.is_empty() {
        return "the end of the data".to_owned();
    }
    let line = text.split(|b| *b == b'\n').next().unwrap_or_default();
    let line = if line.is_empty() { &text[..1] } else { line };
    let more = if line.len() > SHOWN { " ..." } else { "" };
    format!("{}{more}", quoted(&line[..line.len().min(SHOWN)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a number and the number of its bytes.
    fn read(text: &[u8]) -> Option<(u64, usize)> {
        let mut scan = Scan::new(text, true, false);
        scan.hexadecimal("reference").ok().map(|number| (number.value, number.text.len()))
    }

    #[test]
    fn reads_hexadecimal_digits_as_the_standard_library_does() {
        assert_eq!(read(b"0x00007F00436E90aB "), Some((0x7f00_436e_90ab, 18)));
        assert_eq!(read(b"0x00000000000000000000fffffFfFFFFFffff\n"), Some((u64::MAX, 38)));
        assert_eq!(read(b"0x10000000000000000 "), None);
        assert_eq!(read(b"0X7["), Some((7, 3)));
        assert_eq!(read(b"0x "), None);
        for at in 0..16 {
            for byte in 0..=255_u8 {
                let mut text = *b"0x89abCDEF01234567 ";
                text[2 + at] = byte;
                let digits = text[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
                let ends = b" \t\r\n[".contains(&text[2 + digits]);
                let digits = std::str::from_utf8(&text[2..2 + digits]).ok().filter(|_| ends);
                let expected = digits.and_then(|text| Some((u64::from_str_radix(text, 16).ok()?, 2 + text.len())));
                assert_eq!(read(&text), expected, "{byte:#x} at {at}");
            }
        }
    }
}
