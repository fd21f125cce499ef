//! Hexadecimal digits, sixteen at once.

use wide::{i16x8, u8x16, u16x8};

/// `0x`, 16 digits and the byte behind them.
pub(super) const WIDE: usize = 19;
/// `0x`, 8 digits and the byte behind them.
pub(super) const NARROW: usize = 11;

/// The value of 16 digits behind two characters, and a number that is not 0 if they are none.
#[inline(always)]
pub(super) fn wide(text: &[u8; WIDE]) -> (u64, u32) {
    let [_, _, digits @ .., _] = text;
    sixteen_digits(digits)
}

/// The value of 8 digits behind two characters, and a number that is not 0 if they are none.
#[inline(always)]
pub(super) fn narrow(text: &[u8; NARROW]) -> (u64, u32) {
    let [_, _, a, b, c, d, e, f, g, h, _] = *text;
    const O: u8 = b'0';
    sixteen_digits(&[O, O, O, O, O, O, O, O, a, b, c, d, e, f, g, h])
}

/// The value of sixteen hexadecimal digits, in either case, and a number that is not 0 if they are no such digits.
#[inline(always)]
fn sixteen_digits(digits: &[u8; 16]) -> (u64, u32) {
    // All sixteen at once, and no branch. What is below '0' or 'a' wraps to more than any digit is worth.
    let text = u8x16::new(*digits);
    let decimal = text - u8x16::splat(b'0');
    let letter = (text | u8x16::splat(0x20)) - u8x16::splat(b'a');
    let is_decimal = decimal.simd_eq(decimal.min(u8x16::splat(9)));
    let is_letter = letter.simd_eq(letter.min(u8x16::splat(5)));
    let wrong = 0xffff ^ (is_decimal | is_letter).to_bitmask();
    let values = (is_decimal & decimal) | (is_letter & (letter + u8x16::splat(10)));
    // Two digits are a byte: the one in front is the high half.
    let pairs: u16x8 = bytemuck::cast(values);
    let pairs = if cfg!(target_endian = "big") { pairs >> 4 | pairs } else { pairs << 4 | pairs >> 8 };
    let pairs: i16x8 = bytemuck::cast(pairs & u16x8::splat(0xff));
    let [a, b, c, d, e, f, g, h, ..] = u8x16::narrow_i16x8(pairs, pairs).to_array();
    (u64::from_be_bytes([a, b, c, d, e, f, g, h]), wrong)
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
            assert_eq!(sixteen_digits(text), (value, 0));
        }
        for at in 0..16 {
            for byte in 0..=255_u8 {
                let mut digits = *b"89abCDEF01234567";
                digits[at] = byte;
                let hexadecimal = digits.iter().all(u8::is_ascii_hexdigit);
                let expected = std::str::from_utf8(&digits).ok().filter(|_| hexadecimal);
                let expected = expected.and_then(|text| u64::from_str_radix(text, 16).ok());
                let (value, wrong) = sixteen_digits(&digits);
                assert_eq!((wrong == 0).then_some(value), expected, "{byte:#x} at {at}");
            }
        }
    }
}
