//! The references of a record, and where the next one begins.

use crate::bytes::field_error::FieldError;

use super::scan::{ReferencesEnd, Scan, is_blank};

impl Scan<'_> {
    /// References up to the next record, the end of the text, or the last that is sure to be whole. They may go on from
    /// an earlier slice.
    ///
    /// A mistake on a line of its own, after one of references, is the next record's.
    pub(super) fn references(&mut self, values: &mut Vec<u64>, go_on: bool) -> Result<ReferencesEnd, FieldError> {
        let start = self.at;
        // The last token that looks like a reference: its first byte, and whether it begins a line after one of references.
        let mut last: Option<(usize, bool)> = None;
        // Line ends in front of a token that begins such a line; the first one ends the line of the type.
        let mut fresh = if go_on { 1 } else { 2 };
        loop {
            // Mostly one space.
            let ends = match self.bytes[self.at..] {
                [b' ', b'0', ..] => {
                    self.at += 1;
                    0
                }
                _ => self.skip_white_space()?,
            };
            let at = self.at;
            match (&self.bytes[at..], last) {
                ([b'0', b'x' | b'X', ..], _) => match self.hexadecimal_value("reference") {
                    Ok(value) => {
                        last = Some((at, ends >= fresh));
                        fresh = 1;
                        values.push(value);
                    }
                    Err(FieldError::Incomplete(_)) if !self.whole => {
                        self.cut(start, last, values);
                        return Ok(ReferencesEnd::Slice);
                    }
                    Err(_) if ends >= fresh => {
                        self.at = at;
                        return Ok(ReferencesEnd::Record);
                    }
                    Err(stop) => return Err(stop),
                },
                ([b'[', ..], Some((address, _))) if ends == 0 => {
                    // What looked like a reference is the address of the next record.
                    self.at = address;
                    values.pop();
                    return Ok(ReferencesEnd::Record);
                }
                ([], Some((cut, true))) if self.whole && ends == 0 => {
                    self.at = cut;
                    values.pop();
                    return Ok(ReferencesEnd::Record);
                }
                ([], _) if self.whole => return Ok(ReferencesEnd::Record),
                ([b'/', b'/', ..], _) => return Ok(ReferencesEnd::Record),
                ([] | [b'0' | b'/'], _) if !self.whole => {
                    self.cut(start, last, values);
                    return Ok(ReferencesEnd::Slice);
                }
                _ if ends >= fresh => return Ok(ReferencesEnd::Record),
                ([b'0' | b'/'], _) => return Err(self.incomplete("reference", 2)),
                _ => {
                    let expected = "a reference or a record that begins with 0x, or \"//\"";
                    return Err(self.unexpected("reference", expected));
                }
            }
        }
    }

    /// Goes back to where the references began, or to the end of the one before the last: that may yet turn out to be an
    /// address, and white space may go on.
    fn cut(&mut self, start: usize, last: Option<(usize, bool)>, values: &mut Vec<u64>) {
        let whole = last.map_or(start, |(last, _)| {
            values.pop();
            let before = self.bytes[start..last].iter().rposition(|byte| !is_blank(*byte));
            before.map_or(start, |before| start + before + 1)
        });
        self.lines -= self.bytes[whole..self.at].iter().filter(|byte| self.ends_line(**byte)).count() as u64;
        self.at = whole;
    }
}
