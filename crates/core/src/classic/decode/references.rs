//! The references of a record, and where the next one begins.

use crate::bytes::field_error::FieldError;

use super::scan::{ReferencesEnd, Scan};

impl Scan<'_> {
    /// References up to the next record, the end of the text, or the last that is sure to be whole. They may go on from
    /// an earlier slice.
    ///
    /// A mistake on a line of its own, after one of references, is the next record's.
    pub(super) fn references(&mut self, values: &mut Vec<u64>, go_on: bool) -> Result<ReferencesEnd, FieldError> {
        let start = self.mark(values.len());
        let mut last: Option<ReferenceToken> = None;
        loop {
            let before = self.mark(values.len());
            let crossed = self.skip_white_space()?;
            // The line of the type, and that of the references.
            let ended = if go_on || last.is_some() { 1 } else { 2 };
            let token = ReferenceToken { before, at: self.at, fresh: crossed && self.lines - before.lines >= ended };
            match (&self.bytes[self.at..], last) {
                ([b'[', ..], Some(address)) if !crossed => {
                    // What looked like a reference is the address of the next record.
                    self.rewind_to(address, values);
                    return Ok(ReferencesEnd::Record);
                }
                ([], Some(cut)) if self.whole && cut.fresh && !crossed => {
                    self.rewind_to(cut, values);
                    return Ok(ReferencesEnd::Record);
                }
                ([], _) if self.whole => return Ok(ReferencesEnd::Record),
                ([b'/', b'/', ..], _) => return Ok(ReferencesEnd::Record),
                ([b'0', b'x' | b'X', ..], _) => match self.hexadecimal("reference") {
                    Ok(number) => {
                        last = Some(token);
                        values.push(number.value);
                    }
                    Err(FieldError::Incomplete(_)) if !self.whole => {
                        self.reset(last.map_or(start, |token| token.before), values);
                        return Ok(ReferencesEnd::Slice);
                    }
                    Err(_) if token.fresh => {
                        self.at = token.at;
                        return Ok(ReferencesEnd::Record);
                    }
                    Err(stop) => return Err(stop),
                },
                ([] | [b'0' | b'/'], _) if !self.whole => {
                    // The last one may yet turn out to be an address, and white space may go on.
                    self.reset(last.map_or(start, |token| token.before), values);
                    return Ok(ReferencesEnd::Slice);
                }
                _ if token.fresh => return Ok(ReferencesEnd::Record),
                ([b'0' | b'/'], _) => return Err(self.incomplete("reference", 2)),
                _ => {
                    let expected = "a reference or a record that begins with 0x, or \"//\"";
                    return Err(self.unexpected("reference", expected));
                }
            }
        }
    }

    #[inline]
    fn mark(&self, values: usize) -> ScanMark {
        ScanMark { at: self.at, values, lines: self.lines, line_start: self.line_start }
    }

    fn reset(&mut self, mark: ScanMark, values: &mut Vec<u64>) {
        (self.at, self.lines, self.line_start) = (mark.at, mark.lines, mark.line_start);
        values.truncate(mark.values);
    }

    /// Goes back to where a token begins, after the white space before it.
    fn rewind_to(&mut self, token: ReferenceToken, values: &mut Vec<u64>) {
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
struct ScanMark {
    at: usize,
    values: usize,
    lines: u64,
    line_start: Option<usize>,
}

/// A token that looks like a reference.
#[derive(Clone, Copy, Debug)]
struct ReferenceToken {
    /// The place before the white space in front of it.
    before: ScanMark,
    /// The token's first byte.
    at: usize,
    /// Whether it begins a line after one of references.
    fresh: bool,
}
