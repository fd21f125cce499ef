//! Entries as writers spell them, which is quicker to read than what a tolerant reader has to expect.

use memchr::memchr;

use super::super::record::{Entry, Number, References};
use super::super::wire::EntryKind;
use super::digits::{NARROW, WIDE, narrow, wide};

/// Decimal digits that a number of 64 bits always has room for.
const MANY_DIGITS: usize = 19;

/// An address of 8 or 16 digits and the space behind it: its length without that, and its value.
#[inline(always)]
fn plain_address(text: &[u8]) -> Option<(usize, u64)> {
    let wide_text = text.first_chunk::<WIDE>()?;
    let narrow_text = text.first_chunk::<NARROW>()?;
    let (length, (value, wrong)) =
        if narrow_text[10] == b' ' { (NARROW - 1, narrow(narrow_text)) } else { (WIDE - 1, wide(wide_text)) };
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
    let next = if length == WIDE - 1 { plain_line(line, values, wide)? } else { plain_line(line, values, narrow)? };
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
