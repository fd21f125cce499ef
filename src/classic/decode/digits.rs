//! Hexadecimal digits, several at once where they come so.

use super::super::wire::eight_digits;

/// `0x`, 16 digits and the byte behind them.
pub(super) const WIDE: usize = 19;
/// `0x`, 8 digits and the byte behind them.
pub(super) const NARROW: usize = 11;

/// The value of 16 digits behind two characters, and a number that is not 0 if they are none.
#[inline(always)]
pub(super) fn wide(text: &[u8; WIDE]) -> (u64, u64) {
    let [_, _, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, _] = *text;
    let (high, wrong) = eight_digits([a, b, c, d, e, f, g, h]);
    let (low, wrong_too) = eight_digits([i, j, k, l, m, n, o, p]);
    (u64::from(high) << 32 | u64::from(low), wrong | wrong_too)
}

/// The value of 8 digits behind two characters, and a number that is not 0 if they are none.
#[inline(always)]
pub(super) fn narrow(text: &[u8; NARROW]) -> (u64, u64) {
    let [_, _, a, b, c, d, e, f, g, h, _] = *text;
    let (value, wrong) = eight_digits([a, b, c, d, e, f, g, h]);
    (value.into(), wrong)
}

/// What a hexadecimal digit is worth.
pub(super) fn worth(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}
