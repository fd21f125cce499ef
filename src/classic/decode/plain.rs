//! Entries as writers spell them, which is quicker to read than what a tolerant reader has to expect.

use memchr::memchr;
use wide::u8x16;

use super::super::record::{Entry, Number, References};
use super::super::wire::EntryKind;
use super::digits::{NARROW, WIDE, are_digits, narrow, wide};

const OBJECT: u64 = u64::from_le_bytes(*b"\0\0] OBJ ");
const CLASS: u64 = u64::from_le_bytes(*b"\0\0] CLS ");

/// An address and the two characters that begin a size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    length: usize,
    address: u64,
}

/// The head of an entry: an address of 8 or 16 digits, a space and a bracket.
#[inline(always)]
pub(super) fn plain_head(text: &[u8]) -> Option<Head> {
    let text = text.first_chunk::<{ WIDE + 1 }>()?;
    let (length, (address, worth)) = if text[NARROW - 1] == b' ' {
        (NARROW - 1, narrow(text.first_chunk()?))
    } else {
        (WIDE - 1, wide(text.first_chunk()?))
    };
    (text[..2] == *b"0x" && text[length..length + 2] == *b" [" && are_digits(worth)).then_some(Head { length, address })
}

/// An entry as writers spell it, which begins with this head: single spaces, addresses of 8 or 16 digits, a size of up
/// to 7, a name without line breaks, a line of a tab and references with a space after each, and then the next record.
/// `None` where anything is different, and near the end of the text. `values` takes the references.
///
/// With it come its length and the head of the next record, if that is an entry.
#[inline(always)]
pub(super) fn plain_entry<'a>(
    text: &'a [u8],
    head: Head,
    values: &'a mut Vec<u64>,
) -> Option<(Entry<'a>, usize, Option<Head>)> {
    let (address_text, rest) = text.split_at(head.length);
    let start = rest.first_chunk::<18>()?;
    let (count, size) = few_digits(*start[2..].first_chunk()?)?;
    // Six bytes in one comparison.
    let word = u64::from_le_bytes(*start[2 + count..].first_chunk()?) << 16;
    let kind = match word {
        OBJECT => EntryKind::Object,
        CLASS => EntryKind::Class,
        _ => return None,
    };
    let named = &rest[count + 8..];
    let (name, after) = named.split_at(line_end(named)?);
    let line = after.strip_prefix(b"\n\t")?;
    let next =
        if head.length == WIDE - 1 { plain_line(line, values, wide)? } else { plain_line(line, values, narrow)? };
    let next_head = plain_head(next);
    let is_plain = name.first().is_some_and(|b| *b > b' ')
        && name.last().is_some_and(|b| *b > b' ')
        && (next_head.is_some() || next.starts_with(b"//"));
    if !is_plain {
        return None;
    }
    let references = References { text: &after[..after.len() - next.len()], values: values.as_slice() };
    let entry = Entry {
        address: Number { text: address_text, value: head.address },
        before_size: &rest[..1],
        size: Number { text: &rest[1..count + 3], value: size },
        before_kind: &rest[count + 3..count + 4],
        kind,
        before_name: &rest[count + 7..count + 8],
        name,
        references,
    };
    Some((entry, text.len() - next.len(), next_head))
}

/// Up to 7 decimal digits: how many, and their value.
#[inline(always)]
fn few_digits(text: [u8; 8]) -> Option<(usize, u64)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let digits = u64::from_le_bytes(text) ^ (0x30 * ONES);
    // Bit 7 of whatever is more than 9.
    let others = (((digits & (0x7f * ONES)) + 0x76 * ONES) | digits) & (0x80 * ONES);
    let count = (others.trailing_zeros() / 8) as usize;
    if !(1..8).contains(&count) {
        return None;
    }
    // The last digit on top, zeros below the first one; then two numbers become one, three times.
    let digits = digits << (64 - 8 * count);
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let value = (fours * 10_000 + (fours >> 32)) & 0xffff_ffff;
    Some((count, value))
}

/// Where the line ends.
#[inline(always)]
fn line_end(text: &[u8]) -> Option<usize> {
    let (chunks, rest) = text.as_chunks::<32>();
    for (at, chunk) in chunks.iter().enumerate() {
        let [low, high] = bytemuck::cast::<_, [u8x16; 2]>(*chunk);
        let ends = |part: u8x16| part.simd_eq(u8x16::splat(b'\n')).to_bitmask();
        let found = ends(low) | ends(high) << 16;
        if found != 0 {
            return Some(at * 32 + found.trailing_zeros() as usize);
        }
    }
    memchr(b'\n', rest).map(|at| text.len() - rest.len() + at)
}

/// References of one width up to the end of the line, each with a space after it; what follows that.
#[inline(always)]
fn plain_line<'a, const N: usize>(
    text: &'a [u8],
    values: &mut Vec<u64>,
    value: impl Fn(&[u8; N]) -> (u64, u8x16),
) -> Option<&'a [u8]> {
    // Their number first: then there is room for all of them, and one wrong guess for a line.
    let mut length = 0;
    while text.get(length..length + 2) == Some(b"0x") {
        length += N;
    }
    let (line, next) = text.split_at_checked(length)?;
    let (mut worths, mut after) = (u8x16::ZERO, 0);
    values.extend(line.as_chunks::<N>().0.iter().map(|reference| {
        let (value, worth) = value(reference);
        worths |= worth;
        after |= reference[N - 1] ^ b' ';
        value
    }));
    if are_digits(worths) && after == 0 { next.strip_prefix(b"\n") } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::super::record::Record;
    use super::super::scan::{End, Scan};
    use super::*;

    /// What is plain is the same record to a tolerant reader. Whether it was plain.
    fn agree(text: &[u8]) -> bool {
        let (mut values, mut others) = (Vec::new(), Vec::new());
        let Some(head) = plain_head(text) else { return false };
        let Some((entry, length, next)) = plain_entry(text, head, &mut values) else { return false };
        let mut scan = Scan::new(text, false, false);
        let tolerant = scan.record(&mut others);
        assert!(
            matches!(tolerant, Ok((Record::Entry(other), End::Record)) if other == entry),
            "{}: {entry:?}, {tolerant:?}",
            text.escape_ascii()
        );
        assert_eq!((scan.at, scan.lines, scan.line_start), (length, 2, Some(length)));
        assert_eq!(next.is_some(), text[length..].starts_with(b"0x"));
        true
    }

    #[test]
    fn a_plain_entry_is_the_same_to_a_tolerant_reader_whichever_byte_is_another() {
        let after = "0x00007F02C336D1E8 [24] OBJ java/lang/ClassLoader\n\t\n// EOF: Total";
        for text in [
            "0x00007F02C336D0D8 [24] OBJ java/lang/ClassLoader\n\t0x00007F8D21E77300 0x0000815174e8fdc8 \n",
            "0x00007F02C336D0D8 [1234567] CLS java/util/concurrent/ConcurrentHashMap$Node\n\t\n",
            "0x00436E90 [8] OBJ [B\n\t0x00436EB0 0x00436EC0 0x00436ED0 \n",
        ] {
            for after in [after, &after.replace("00007F02", ""), "// Breakdown - Classes: 1, and so on\n"] {
                let mut text = [text, after].concat().into_bytes();
                assert!(agree(&text), "{}", text.escape_ascii());
                for at in 0..text.len() {
                    let byte = text[at];
                    for other in 0..=255 {
                        text[at] = other;
                        agree(&text);
                    }
                    text[at] = byte;
                    agree(&text[..at]);
                    agree(&[&text[..at], b" ", &text[at..]].concat());
                    agree(&[&text[..at], &text[at + 1..]].concat());
                }
            }
        }
    }

    #[test]
    fn up_to_seven_decimal_digits_are_read_as_the_standard_library_does() {
        for text in ["0", "7", "16", "123", "9999", "65536", "987654", "9999999", "0000001"] {
            let padded = format!("{text}] OBJ [B");
            let first = *padded.as_bytes().first_chunk().expect("8 bytes");
            assert_eq!(few_digits(first), text.parse().ok().map(|size| (text.len(), size)));
        }
        for text in [b"] OBJ [B", b"12345678", b"-1] OBJ "] {
            assert_eq!(few_digits(*text), None);
        }
        for at in 0..7 {
            for byte in 0..=255_u8 {
                let mut text = *b"9876543]";
                text[at] = byte;
                let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
                let size = std::str::from_utf8(&text[..count]).ok().and_then(|digits| digits.parse().ok());
                assert_eq!(few_digits(text), size.map(|size| (count, size)), "{byte:#x} at {at}");
            }
        }
    }
}
