//! Reading big-endian fields from a slice, each under its name.

use std::ops::Range;

/// Fields from the front of a slice. Every byte is taken through a named field, so a [`FieldTrace`] sees
/// all of them, in order, without gaps.
#[derive(Debug)]
pub struct Cursor<'a, T> {
    bytes: &'a [u8],
    position: usize,
    trace: T,
}

/// The slice ended inside a field: more bytes are wanted, or the data are cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IncompleteField {
    /// The field.
    pub field: &'static str,
    /// The field's offset in the slice.
    pub at: usize,
    /// Its length in bytes.
    pub needed: u64,
}

/// Watches fields go by.
pub trait FieldTrace {
    /// A field of a record, with its place in the slice and its value: integers sign-extended as the
    /// format defines them, or `None` for text.
    fn field(&mut self, name: &'static str, at: Range<usize>, value: Option<i64>);
}

/// Watches nothing, at no cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrace;

impl FieldTrace for NoTrace {
    #[inline(always)]
    fn field(&mut self, _: &'static str, _: Range<usize>, _: Option<i64>) {}
}

/// A field as a trace saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSpan {
    /// The field's name.
    pub name: &'static str,
    /// Its place in the slice.
    pub at: Range<usize>,
    /// Its value, if it is a number.
    pub value: Option<i64>,
}

impl FieldTrace for &mut Vec<FieldSpan> {
    fn field(&mut self, name: &'static str, at: Range<usize>, value: Option<i64>) {
        self.push(FieldSpan { name, at, value });
    }
}

impl<'a, T: FieldTrace> Cursor<'a, T> {
    /// A cursor at the front of `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8], trace: T) -> Self {
        Cursor { bytes, position: 0, trace }
    }

    /// The bytes not yet taken.
    #[inline]
    pub fn remaining(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    /// Bytes taken so far.
    #[inline]
    pub fn position(&self) -> usize {
        self.position
    }

    /// An unsigned byte.
    ///
    /// # Errors
    /// [`IncompleteField`], like every method here, when the slice ends first.
    #[inline]
    pub fn u8(&mut self, name: &'static str) -> Result<u8, IncompleteField> {
        let [value] = self.array(name)?;
        self.trace_value(name, 1, i64::from(value));
        Ok(value)
    }

    /// An unsigned 16-bit integer.
    #[inline]
    pub fn u16(&mut self, name: &'static str) -> Result<u16, IncompleteField> {
        let value = u16::from_be_bytes(self.array(name)?);
        self.trace_value(name, 2, i64::from(value));
        Ok(value)
    }

    /// An unsigned 32-bit integer.
    #[inline]
    pub fn u32(&mut self, name: &'static str) -> Result<u32, IncompleteField> {
        let value = u32::from_be_bytes(self.array(name)?);
        self.trace_value(name, 4, i64::from(value));
        Ok(value)
    }

    /// An unsigned integer of 1 to 8 bytes.
    #[inline]
    pub fn unsigned(&mut self, name: &'static str, width: usize) -> Result<u64, IncompleteField> {
        let value = self.leading(name, width)? >> (64 - 8 * width);
        self.trace_value(name, width, value as i64);
        Ok(value)
    }

    /// A signed integer of 1 to 8 bytes.
    #[inline]
    pub fn signed(&mut self, name: &'static str, width: usize) -> Result<i64, IncompleteField> {
        let value = self.leading(name, width)? as i64 >> (64 - 8 * width);
        self.trace_value(name, width, value);
        Ok(value)
    }

    /// Text or other bytes.
    #[inline]
    pub fn bytes(&mut self, name: &'static str, length: usize) -> Result<&'a [u8], IncompleteField> {
        let at = self.position;
        let taken = self.take_bytes(name, length as u64, length)?;
        if length > 0 {
            self.trace.field(name, at..at + length, None);
        }
        Ok(taken)
    }

    /// `count` signed integers of `width` bytes each, as raw bytes; the trace sees each one.
    #[inline]
    pub fn integers(&mut self, name: &'static str, count: u32, width: usize) -> Result<&'a [u8], IncompleteField> {
        let at = self.position;
        let length = u64::from(count) * width as u64;
        let Ok(length) = usize::try_from(length) else {
            return Err(IncompleteField { field: name, at, needed: length });
        };
        let taken = self.take_bytes(name, length as u64, length)?;
        if std::mem::size_of::<T>() > 0 {
            for (index, item) in taken.chunks_exact(width).enumerate() {
                let start = at + index * width;
                self.trace.field(name, start..start + width, Some(leading_u64(item) as i64 >> (64 - 8 * width)));
            }
        }
        Ok(taken)
    }

    #[inline(always)]
    fn trace_value(&mut self, name: &'static str, length: usize, value: i64) {
        self.trace.field(name, self.position - length..self.position, Some(value));
    }

    #[inline(always)]
    fn array<const N: usize>(&mut self, name: &'static str) -> Result<[u8; N], IncompleteField> {
        match self.bytes[self.position..].first_chunk::<N>() {
            Some(chunk) => {
                self.position += N;
                Ok(*chunk)
            }
            None => Err(IncompleteField { field: name, at: self.position, needed: N as u64 }),
        }
    }

    /// Takes `width` bytes and returns them on top of those that follow: the widths of a stream's fields alternate, so
    /// a branch on them would be mispredicted too often.
    #[inline(always)]
    fn leading(&mut self, name: &'static str, width: usize) -> Result<u64, IncompleteField> {
        let rest = &self.bytes[self.position..];
        if rest.len() < width {
            return Err(IncompleteField { field: name, at: self.position, needed: width as u64 });
        }
        self.position += width;
        Ok(leading_u64(rest))
    }

    #[inline]
    fn take_bytes(&mut self, field: &'static str, needed: u64, length: usize) -> Result<&'a [u8], IncompleteField> {
        match self.bytes[self.position..].get(..length) {
            Some(taken) => {
                self.position += length;
                Ok(taken)
            }
            None => Err(IncompleteField { field, at: self.position, needed }),
        }
    }
}

/// The first eight bytes, or as many as there are, with the first one on top.
#[inline(always)]
fn leading_u64(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => short_leading_u64(bytes),
    }
}

#[cold]
fn short_leading_u64(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, b| value >> 8 | u64::from(*b) << 56)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_of_any_width_reads_the_same_at_the_end_as_before_other_bytes() {
        let bytes = [0x87, 0x65, 0x43, 0x21, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, 0, 0, 0, 0];
        let whole = u64::from_be_bytes(*bytes.first_chunk().expect("16 bytes"));
        for width in 1..=8 {
            let expected = whole >> (64 - 8 * width);
            for slice in [&bytes[..], &bytes[..width]] {
                assert_eq!(Cursor::new(slice, NoTrace).unsigned("n", width), Ok(expected));
                let signed = Cursor::new(slice, NoTrace).signed("n", width);
                assert_eq!(signed, Ok((expected << (64 - 8 * width)) as i64 >> (64 - 8 * width)));
            }
            let short = Cursor::new(&bytes[..width - 1], NoTrace).signed("n", width);
            assert_eq!(short, Err(IncompleteField { field: "n", at: 0, needed: width as u64 }));
        }
    }
}
