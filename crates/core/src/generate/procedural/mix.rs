//! Pseudo-random numbers as functions of a key and a counter, so that any of them can be computed without the others.
//!
//! `specs/generator.md` defines them. Words of 64 bits are one multiplication to 128 bits whose halves are folded; 32-bit
//! lanes are two rounds of multiplication and shift, which compilers make into vectors of lanes.

const STEP: u64 = 0xa076_1d64_78bd_642f;
const FOLD: u64 = 0xe703_7ed1_a0b4_28db;

const LANE: u32 = 0x9e37_79b1;
const FIRST: u32 = 0x7feb_352d;
const SECOND: u32 = 0x846c_a68b;

/// The word with this number.
#[inline]
pub(super) fn word(key: u64, number: u64) -> u64 {
    let input = key.wrapping_add(number.wrapping_add(1).wrapping_mul(STEP));
    let product = u128::from(input) * u128::from(input ^ FOLD);
    product as u64 ^ (product >> 64) as u64
}

/// The lane with this number.
#[inline]
pub(super) fn lane(key: u64, number: u32) -> u32 {
    let mut bits = number.wrapping_add(1).wrapping_mul(LANE) ^ key as u32;
    bits = (bits ^ bits >> 16).wrapping_mul(FIRST);
    bits = (bits ^ bits >> 15).wrapping_add((key >> 32) as u32).wrapping_mul(SECOND);
    bits ^ bits >> 16
}

/// A number below `bound`, which is at most 2^32, from a lane.
#[inline]
pub(super) fn below(lane: u32, bound: u64) -> u32 {
    ((u64::from(lane) * bound) >> 32) as u32
}

/// Five other bits of a lane, mixed with those of the key.
#[inline]
pub(super) fn five_bits(key: u64, lane: u32) -> u32 {
    lane.wrapping_add((key >> 32) as u32).wrapping_mul(LANE) >> 27
}

/// Six bits of a key's lower half and a number: one of the 64 orders of a group of blocks.
#[inline]
pub(super) fn six_bits(key: u64, number: u32) -> u32 {
    let bits = (number ^ key as u32).wrapping_mul(FIRST);
    (bits ^ bits >> 15).wrapping_mul(SECOND) >> 26
}
