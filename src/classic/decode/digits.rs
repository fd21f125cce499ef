//! Hexadecimal digits, sixteen at once.

use wide::{i16x8, u8x16, u16x8};

/// `0x`, 16 digits and the byte after them.
pub(super) const WIDE: usize = 19;
/// `0x`, 8 digits and the byte after them.
pub(super) const NARROW: usize = 11;

/// The value of 16 digits after two characters, and what each is worth, if they are digits.
#[inline(always)]
pub(super) fn wide(text: &[u8; WIDE]) -> (u64, u8x16) {
    let [_, _, digits @ .., _] = text;
    sixteen_digits(digits)
}

/// The value of 8 digits after two characters, and what each is worth, if they are digits.
#[inline(always)]
pub(super) fn narrow(text: &[u8; NARROW]) -> (u64, u8x16) {
    let [_, _, a, b, c, d, e, f, g, h, _] = *text;
    const O: u8 = b'0';
    sixteen_digits(&[O, O, O, O, O, O, O, O, a, b, c, d, e, f, g, h])
}

/// Whether characters are hexadecimal digits, by what each is worth; of several texts, by all that in one.
#[inline(always)]
pub(super) fn are_digits(worth: u8x16) -> bool {
    (worth & u8x16::splat(0xf0)).simd_eq(u8x16::ZERO).to_bitmask() == 0xffff
}

/// The value of sixteen hexadecimal digits, in either case, and what each is worth: more than 15, if it is none.
#[inline(always)]
fn sixteen_digits(digits: &[u8; 16]) -> (u64, u8x16) {
    // All sixteen at once, and no branch. As a decimal digit a character is worth 0 to 9 or at least 16, as a letter 10
    // to 15 or more: the lesser one is it.
    let text = u8x16::new(*digits);
    let decimal = (text + u8x16::splat(0xff - b'9')).saturating_sub(u8x16::splat(6)) - u8x16::splat(0xf0);
    let letter = ((text & u8x16::splat(0xdf)) - u8x16::splat(b'A')).saturating_add(u8x16::splat(10));
    let worth = decimal.min(letter);
    // Two digits are a byte: the one in front is the high half.
    let pairs: u16x8 = bytemuck::cast(worth);
    let pairs = if cfg!(target_endian = "big") { pairs >> 4 | pairs } else { pairs << 4 | pairs >> 8 };
    let pairs: i16x8 = bytemuck::cast(pairs & u16x8::splat(0xff));
    let [a, b, c, d, e, f, g, h, ..] = u8x16::narrow_i16x8(pairs, pairs).to_array();
    (u64::from_be_bytes([a, b, c, d, e, f, g, h]), worth)
}

/// What a hexadecimal digit is worth.
pub(super) fn worth(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_digits_are_read_as_the_standard_library_does() {
        for (text, value) in [
            (b"00007F00436E90aB", 0x7f00_436e_90ab),
            (b"fffffFfFFFFFffff", u64::MAX),
            (b"0123456789abcdef", 0x0123_4567_89ab_cdef),
        ] {
            let (read, worth) = sixteen_digits(text);
            assert_eq!((read, are_digits(worth)), (value, true));
        }
        for at in 0..16 {
            for byte in 0..=255_u8 {
                let mut digits = *b"89abCDEF01234567";
                digits[at] = byte;
                let hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
                let expected = std::str::from_utf8(&digits).ok().filter(|_| hexadecimal);
                let expected = expected.and_then(|text| u64::from_str_radix(text, 16).ok());
                let (value, worth) = sixteen_digits(&digits);
                assert_eq!(are_digits(worth).then_some(value), expected, "{byte:#x} at {at}");
            }
        }
    }
}
