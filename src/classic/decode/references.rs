//! The references of a record, and where the next one begins.

use crate::bytes::stop::Stop;

use super::scan::{End, Scan};

impl Scan<'_> {
    /// References up to the next record, the end of the text, or the last that is sure to be whole. They may go on from
    /// an earlier slice.
    ///
    /// A mistake on a line of its own, after one of references, is the next record's.
    pub(super) fn references(&mut self, values: &mut Vec<u64>, go_on: bool) -> Result<End, Stop> {
        let start = self.mark(values.len());
        let mut last: Option<Token> = None;
        loop {
            let before = self.mark(values.len());
            let crossed = self.white()?;
            // The line of the type, and that of the references.
            let ended = if go_on || last.is_some() { 1 } else { 2 };
            let token = Token { before, at: self.at, fresh: crossed && self.lines - before.lines >= ended };
            match (&self.bytes[self.at..], last) {
                ([b'[', ..], Some(address)) if !crossed => {
                    // What looked like a reference is the address of the next record.
                    self.back(address, values);
                    return Ok(End::Record);
                }
                ([], Some(cut)) if self.whole && cut.fresh && !crossed => {
                    self.back(cut, values);
                    return Ok(End::Record);
                }
                ([], _) if self.whole => return Ok(End::Record),
                ([b'/', b'/', ..], _) => return Ok(End::Record),
                ([b'0', b'x' | b'X', ..], _) => match self.hexadecimal("reference") {
                    Ok(number) => {
                        last = Some(token);
                        values.push(number.value);
                    }
                    Err(Stop::Incomplete(_)) if !self.whole => {
                        self.reset(last.map_or(start, |token| token.before), values);
                        return Ok(End::Slice);
                    }
                    Err(_) if token.fresh => {
                        self.at = token.at;
                        return Ok(End::Record);
                    }
                    Err(stop) => return Err(stop),
                },
                ([] | [b'0' | b'/'], _) if !self.whole => {
                    // The last one may yet turn out to be an address, and white space may go on.
                    self.reset(last.map_or(start, |token| token.before), values);
                    return Ok(End::Slice);
                }
                _ if token.fresh => return Ok(End::Record),
                ([b'0' | b'/'], _) => return Err(self.short("reference", 2)),
                _ => {
                    let expected = "a reference or a record that begins with 0x, or \"//\"";
                    return Err(self.unexpected("reference", expected));
                }
            }
        }
    }

    #[inline]
    fn mark(&self, values: usize) -> Mark {
        Mark { at: self.at, values, lines: self.lines, line_start: self.line_start }
    }

    fn reset(&mut self, mark: Mark, values: &mut Vec<u64>) {
        (self.at, self.lines, self.line_start) = (mark.at, mark.lines, mark.line_start);
        values.truncate(mark.values);
    }

    /// Goes back to where a token begins, after the white space before it.
    fn back(&mut self, token: Token, values: &mut Vec<u64>) {
        self.reset(token.before, values);
        while self.at < token.at {
            let ends = self.is_line_end();
            self.at += 1;
            if ends {
                self.ended_line();
            }
        }
    }
}

/// A place to go back to.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: usize,
    values: usize,
    lines: u64,
    line_start: Option<usize>,
}

/// A token that looks like a reference.
#[derive(Clone, Copy, Debug)]
struct Token {
    /// The place before the white space in front of it.
    before: Mark,
    /// The token's first byte.
    at: usize,
    /// Whether it begins a line after one of references.
    fresh: bool,
}
