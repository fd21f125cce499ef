//! A slice of text to a record.

use memchr::memchr;

use crate::bytes::Incomplete;
use crate::bytes::stop::{Stop, bad};

use super::super::record::{BREAKDOWN, Counts, EOF, Entry, Line, Number, Record, References, Totals, VERSION, decimal};
use super::super::rules;
use super::super::wire::{EntryKind, eight_digits};

/// A place in a slice of text.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    /// Whether nothing follows the slice.
    whole: bool,
    /// Whether U+0085 ends a line, too (EBCDIC).
    nel: bool,
    /// Lines ended so far.
    pub(super) lines: u64,
    /// Where the last of them did.
    pub(super) line_start: Option<usize>,
    /// Lines ended before the white space and references that the record ends with.
    lines_of_text: u64,
}

/// References, as far as they are sure to be whole.
#[derive(Debug)]
pub(super) enum End {
    /// The record ends where the scan stands.
    Record,
    /// The slice does.
    Slice,
}

impl<'a> Scan<'a> {
    pub(super) fn new(bytes: &'a [u8], whole: bool, nel: bool) -> Scan<'a> {
        Scan { bytes, at: 0, whole, nel, lines: 0, line_start: None, lines_of_text: 0 }
    }

    /// Lines ended in the white space and references that the record ends with.
    pub(super) fn lines_behind(&self) -> u64 {
        self.lines - self.lines_of_text
    }

    /// The next record, up to the first byte of the one behind it. `values` takes the references.
    pub(super) fn record(&mut self, values: &'a mut Vec<u64>) -> Result<(Record<'a>, End), Stop> {
        match self.bytes[self.at..] {
            [b'/', b'/', ..] => Ok((self.line()?, End::Record)),
            [b'0', b'x' | b'X', ..] => {
                let (entry, end) = self.entry(values)?;
                Ok((Record::Entry(entry), end))
            }
            [b'/' | b'0'] | [] if !self.whole => Err(self.short("record", 2)),
            _ => Err(self.unexpected("record", "`//`, or an address that begins with 0x")),
        }
    }

    /// White space and a byte order mark before the first record.
    pub(super) fn space(&mut self) -> Result<Option<Record<'a>>, Stop> {
        if !self.nel && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        self.white();
        if self.at == self.bytes.len() && !self.whole {
            return Err(self.short("white space", 1));
        }
        Ok((self.at > 0).then(|| Record::Space(&self.bytes[..self.at])))
    }

    fn line(&mut self) -> Result<Record<'a>, Stop> {
        let start = self.at;
        while !self.is_line_end() {
            if self.at == self.bytes.len() {
                if self.whole {
                    break;
                }
                return Err(self.short("line", 1));
            }
            self.at += 1;
        }
        let text = &self.bytes[start..self.at];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let end = start + text.len();
        self.at = end;
        self.lines_of_text = self.lines;
        self.white();
        if self.at == self.bytes.len() && !self.whole {
            return Err(self.short("white space", 1));
        }
        let line = Line { text, behind: &self.bytes[end..self.at] };
        let content = line.content();
        let trailer = |expected: &str| {
            let found = shown(content);
            bad(rules::TRAILER_SYNTAX, "trailer", start, expected, found)
        };
        if content.starts_with(VERSION) {
            Ok(Record::Version(line))
        } else if content.starts_with(BREAKDOWN) {
            let expected = "// Breakdown - Classes: N, Objects: N, ObjectArrays: N, PrimitiveArrays: N";
            Ok(Record::Breakdown(line, Counts::parse(content).ok_or_else(|| trailer(expected))?))
        } else if content.starts_with(EOF) {
            let expected = "// EOF: Total 'Objects',Refs(null) : N,N(N)";
            Ok(Record::Eof(line, Totals::parse(content).ok_or_else(|| trailer(expected))?))
        } else {
            Ok(Record::Comment(line))
        }
    }

    fn entry(&mut self, values: &'a mut Vec<u64>) -> Result<(Entry<'a>, End), Stop> {
        let entry = self.head()?;
        let start = self.at;
        let end = self.references(values)?;
        let references = References { text: &self.bytes[start..self.at], values: values.as_slice() };
        Ok((Entry { references, ..entry }, end))
    }

    fn head(&mut self) -> Result<Entry<'a>, Stop> {
        let address = self.hexadecimal("address")?;
        let before_size = self.blanks();
        match self.bytes.get(self.at) {
            Some(b'[') => {}
            None if !self.whole => return Err(self.short("size", 1)),
            _ => {
                let expected = "the size of an object or class in brackets: references stand behind a record";
                return Err(self.refuse(rules::REFERENCE_WITHOUT_RECORD, "size", expected));
            }
        }
        let size = self.size()?;
        let before_kind = self.blanks();
        let Some(word) = self.bytes[self.at..].first_chunk::<3>() else {
            return Err(self.ends("record type", 3, "OBJ or CLS"));
        };
        let kind = match word {
            b"OBJ" => EntryKind::Object,
            b"CLS" => EntryKind::Class,
            _ => return Err(self.refuse(rules::RECORD_TYPE, "record type", "OBJ or CLS")),
        };
        self.at += 3;
        let before_name = self.blanks();
        if before_name.is_empty() && !self.is_line_end() && !(self.whole && self.at == self.bytes.len()) {
            if self.at == self.bytes.len() {
                return Err(self.short("type", 1));
            }
            return Err(self.refuse(rules::RECORD_TYPE, "type", "white space behind OBJ or CLS"));
        }
        let name = self.name()?;
        self.lines_of_text = self.lines;
        let references = References { text: &[], values: &[] };
        Ok(Entry { address, before_size, size, before_kind, kind, before_name, name, references })
    }

    /// The type: up to the end of the line, and on if the next line begins like nothing else that is known.
    fn name(&mut self) -> Result<&'a [u8], Stop> {
        let start = self.at;
        loop {
            while !self.is_line_end() {
                if self.at == self.bytes.len() {
                    if self.whole {
                        return Ok(self.trimmed(start));
                    }
                    return Err(self.short("type", 1));
                }
                self.at += 1;
            }
            match &self.bytes[self.at + 1..] {
                [] | [b'/' | b'0'] if !self.whole => return Err(self.short("type", 2)),
                [] | [b' ' | b'\t' | b'\r' | b'\n', ..] | [b'/', b'/', ..] | [b'0', b'x' | b'X', ..] => break,
                [0x85, ..] if self.nel => break,
                // A name with a line break in it, which no writer escapes.
                _ => {
                    self.at += 1;
                    self.ended_line();
                }
            }
        }
        Ok(self.trimmed(start))
    }

    /// The text from `start`, without white space at its end, where the scan goes on.
    fn trimmed(&mut self, start: usize) -> &'a [u8] {
        let text = &self.bytes[start..self.at];
        let behind = text.iter().rev().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
        self.at -= behind;
        &text[..text.len() - behind]
    }

    /// References up to the next record, the end of the text, or the last that is sure to be whole.
    pub(super) fn references(&mut self, values: &mut Vec<u64>) -> Result<End, Stop> {
        let mut token: Option<Mark> = None;
        loop {
            let crossed = self.white();
            match &self.bytes[self.at..] {
                [b'[', ..] if !crossed && token.is_some() => {
                    // What looked like a reference is the address of the next record.
                    if let Some(mark) = token {
                        self.back(mark, values);
                    }
                    return Ok(End::Record);
                }
                [b'/', b'/', ..] => return Ok(End::Record),
                [] if self.whole => return Ok(End::Record),
                [b'0', b'x' | b'X', ..] => {
                    let mark = self.mark(values.len());
                    match self.hexadecimal("reference") {
                        Ok(number) => values.push(number.value),
                        Err(Stop::Incomplete(_)) => {
                            self.back(mark, values);
                            return Ok(End::Slice);
                        }
                        Err(stop) => return Err(stop),
                    }
                    token = Some(mark);
                }
                [] | [b'0' | b'/'] if !self.whole => {
                    // The last one may yet turn out to be an address.
                    if let Some(mark) = token {
                        self.back(mark, values);
                    }
                    return Ok(End::Slice);
                }
                _ => {
                    let expected = "a reference or a record that begins with 0x, or `//`";
                    return Err(self.unexpected("reference", expected));
                }
            }
        }
    }

    /// `0x` and digits.
    fn hexadecimal(&mut self, field: &'static str) -> Result<Number<'a>, Stop> {
        let start = self.at;
        let digits = &self.bytes[start + 2..];
        let count = digits.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        self.at = start + 2 + count;
        if self.at == self.bytes.len() && !self.whole {
            self.at = start;
            return Err(self.short(field, count as u64 + 3));
        }
        let text = &self.bytes[start..self.at];
        let behind = self.bytes.get(self.at);
        if count == 0 || behind.is_some_and(|&b| !(is_white(b) || b == b'[' || b == 0x85 && self.nel)) {
            return Err(self.refuse(rules::NUMBER_HEXADECIMAL, field, "hexadecimal digits and white space"));
        }
        let significant = digits[..count].iter().skip_while(|b| **b == b'0').count();
        if significant > 16 {
            self.at = start;
            return Err(self.refuse(rules::NUMBER_HEXADECIMAL, field, "at most 16 hexadecimal digits"));
        }
        let value = text[2..].iter().fold(0, |value, digit| value << 4 | u64::from(worth(*digit)));
        Ok(Number { text, value })
    }

    /// A decimal number in brackets.
    fn size(&mut self) -> Result<Number<'a>, Stop> {
        let start = self.at;
        let rest = &self.bytes[start + 1..];
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if count == rest.len() && !self.whole {
            return Err(self.short("size", count as u64 + 2));
        }
        match (decimal(&rest[..count]), rest.get(count)) {
            (Some(value), Some(b']')) => {
                self.at = start + count + 2;
                Ok(Number { text: &self.bytes[start..self.at], value })
            }
            _ => Err(self.refuse(rules::NUMBER_SIZE, "size", "decimal digits below 2^64, and a bracket")),
        }
    }

    /// Spaces and tabs.
    fn blanks(&mut self) -> &'a [u8] {
        let start = self.at;
        let count = self.bytes[start..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        self.at += count;
        &self.bytes[start..self.at]
    }

    /// White space of any kind; whether it ended a line.
    #[inline(always)]
    fn white(&mut self) -> bool {
        let mut crossed = false;
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\n') => {
                    self.at += 1;
                    self.ended_line();
                    crossed = true;
                }
                Some(0x85) if self.nel => {
                    self.at += 1;
                    self.ended_line();
                    crossed = true;
                }
                _ => return crossed,
            }
        }
    }

    #[inline]
    fn ended_line(&mut self) {
        self.lines += 1;
        self.line_start = Some(self.at);
    }

    fn is_line_end(&self) -> bool {
        matches!(self.bytes.get(self.at), Some(b'\n')) || self.nel && self.bytes.get(self.at) == Some(&0x85)
    }

    #[inline]
    fn mark(&self, values: usize) -> Mark {
        Mark { at: self.at, values, lines: self.lines, line_start: self.line_start }
    }

    fn back(&mut self, mark: Mark, values: &mut Vec<u64>) {
        (self.at, self.lines, self.line_start) = (mark.at, mark.lines, mark.line_start);
        values.truncate(mark.values);
    }

    fn short(&self, field: &'static str, needed: u64) -> Stop {
        Stop::Incomplete(Incomplete { field, at: self.at, needed })
    }

    /// The text ends, for now or for good.
    fn ends(&self, field: &'static str, needed: u64, expected: &str) -> Stop {
        if self.whole { self.refuse(rules::RECORD_TYPE, field, expected) } else { self.short(field, needed) }
    }

    fn unexpected(&self, field: &'static str, expected: &str) -> Stop {
        self.refuse(rules::RECORD_START, field, expected)
    }

    #[cold]
    fn refuse(&self, rule: crate::error::RuleId, field: &'static str, expected: &str) -> Stop {
        bad(rule, field, self.at, expected, shown(&self.bytes[self.at..]))
    }
}

/// Where a reference begins, to go back to.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: usize,
    values: usize,
    lines: u64,
    line_start: Option<usize>,
}

/// Decimal digits that a number of 64 bits always has room for.
const MANY_DIGITS: usize = 19;
/// Bytes of an address of 8 digits, with `0x`.
const NARROW: usize = 10;
/// Bytes of an address of 16 digits, with `0x`.
const WIDE: usize = 18;

/// An address of 8 or 16 digits and the space behind it: its length without that, and its value.
#[inline(always)]
fn plain_address(text: &[u8]) -> Option<(usize, u64)> {
    let wide_text = text.first_chunk::<19>()?;
    let narrow_text = text.first_chunk::<11>()?;
    let (length, (value, wrong)) =
        if narrow_text[10] == b' ' { (NARROW, narrow(narrow_text)) } else { (WIDE, wide(wide_text)) };
    (wide_text[..2] == *b"0x" && wide_text[length] == b' ' && wrong == 0).then_some((length, value))
}

/// An entry as writers spell it: single spaces, addresses of 8 or 16 digits, a name without line breaks, a line of a tab
/// and references with a space behind each, and then the next record. `None` where anything is different. `values` takes
/// the references.
#[inline(always)]
pub(super) fn plain_entry<'a>(text: &'a [u8], values: &'a mut Vec<u64>) -> Option<(Entry<'a>, usize)> {
    let (length, address) = plain_address(text)?;
    let (address_text, rest) = text.split_at(length);
    let digits = rest.strip_prefix(b" [")?;
    let (mut count, mut size) = (0, 0_u64);
    while let Some(digit @ b'0'..=b'9') = digits.get(count) {
        size = size.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        count += 1;
    }
    let (word, behind) = digits[count..].split_first_chunk::<6>()?;
    let kind = match word {
        b"] OBJ " => EntryKind::Object,
        b"] CLS " => EntryKind::Class,
        _ => return None,
    };
    let (name, behind) = behind.split_at(memchr(b'\n', behind)?);
    let line = behind.strip_prefix(b"\n\t")?;
    let next = if length == WIDE { plain_line(line, values, wide)? } else { plain_line(line, values, narrow)? };
    let is_plain = (1..=MANY_DIGITS).contains(&count)
        && name.first().is_some_and(|b| *b > b' ')
        && name.last().is_some_and(|b| *b > b' ')
        && (is_plain_head(next) || next.starts_with(b"//"));
    if !is_plain {
        return None;
    }
    let references = References { text: &behind[..behind.len() - next.len()], values: values.as_slice() };
    let entry = Entry {
        address: Number { text: address_text, value: address },
        before_size: &rest[..1],
        size: Number { text: &rest[1..count + 3], value: size },
        before_kind: &word[1..2],
        kind,
        before_name: &word[5..],
        name,
        references,
    };
    Some((entry, text.len() - next.len()))
}

/// Whether text begins with an address of 8 or 16 digits and a size: the record's head will say if the digits are none.
#[inline(always)]
fn is_plain_head(text: &[u8]) -> bool {
    let Some(chunk) = text.first_chunk::<20>() else { return false };
    let no_white = |digits: &[u8]| digits.iter().all(|b| *b > b' ');
    chunk[..2] == *b"0x"
        && (chunk[18..] == *b" [" && no_white(&chunk[2..18]) || chunk[10..12] == *b" [" && no_white(&chunk[2..10]))
}

/// References of one width up to the end of the line, each with a space behind it; what follows that.
#[inline(always)]
fn plain_line<'a, const N: usize>(
    mut text: &'a [u8],
    values: &mut Vec<u64>,
    value: impl Fn(&[u8; N]) -> (u64, u64),
) -> Option<&'a [u8]> {
    let mut wrong = 0;
    while let [b'0', ..] = text {
        let (reference, rest) = text.split_first_chunk::<N>()?;
        let (value, unlike) = value(reference);
        wrong |= unlike | u64::from(reference[1] ^ b'x') | u64::from(reference[N - 1] ^ b' ');
        values.push(value);
        text = rest;
    }
    if wrong == 0 { text.strip_prefix(b"\n") } else { None }
}

/// A reference of 16 digits, and a number that is not 0 if it is none.
#[inline(always)]
fn wide(text: &[u8; 19]) -> (u64, u64) {
    let [_, _, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, _] = *text;
    let (high, wrong) = eight_digits([a, b, c, d, e, f, g, h]);
    let (low, wrong_too) = eight_digits([i, j, k, l, m, n, o, p]);
    (u64::from(high) << 32 | u64::from(low), wrong | wrong_too)
}

/// A reference of 8 digits, and a number that is not 0 if it is none.
#[inline(always)]
fn narrow(text: &[u8; 11]) -> (u64, u64) {
    let [_, _, a, b, c, d, e, f, g, h, _] = *text;
    let (value, wrong) = eight_digits([a, b, c, d, e, f, g, h]);
    (value.into(), wrong)
}

#[inline(always)]
fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn worth(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

/// The start of a text, for a message.
fn shown(text: &[u8]) -> String {
    const MUCH: usize = 32;
    if text.is_empty() {
        return "the end of the data".to_owned();
    }
    let line = text.split(|b| *b == b'\n').next().unwrap_or_default();
    let line = if line.is_empty() { &text[..1] } else { line };
    let more = if line.len() > MUCH { "..." } else { "" };
    format!("`{}{more}`", line[..line.len().min(MUCH)].escape_ascii())
}
