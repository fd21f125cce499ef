//! Hexadecimal digits, several at once where they come so.

use super::super::wire::eight_digits;

/// `0x`, 16 digits and the byte behind them.
pub(super) const TOKEN: usize = 19;

#[inline(always)]
pub(super) fn narrow(chunk: &[u8; TOKEN]) -> Option<u32> {
    eight_digits(*chunk[2..].first_chunk()?)
}

#[inline(always)]
pub(super) fn wide(chunk: &[u8; TOKEN]) -> Option<u64> {
    let (high, low) = (narrow(chunk)?, eight_digits(*chunk[10..].first_chunk()?)?);
    Some(u64::from(high) << 32 | u64::from(low))
}

/// What a hexadecimal digit is worth.
pub(super) fn worth(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}
