//! Random primitive values and identity hashes.

use crate::draw::Draw;
use crate::model::{Contents, HashRegime, IdentityHash, PrimitiveType, Value};

use super::oddity::{Oddities, Oddity};
use super::options::GenerateOptions;

/// The edges of each type: the least and greatest values, and bits that are no number or no character.
const EXTREMES: [[u64; 4]; 8] = [
    [0, 1, 0, 1],
    [0, 0xffff, 0xd800, 0xdc00],
    [0xff80_0000, 0x7fc0_0000, 0xffc1_2345, 0x0000_0001],
    [0xfff0_0000_0000_0000, 0x7ff8_0000_0000_0000, 0xfff8_0000_dead_beef, 1],
    [0x80, 0x7f, 0xff, 0],
    [0x8000, 0x7fff, 0xffff, 0],
    [0x8000_0000, 0x7fff_ffff, 0xffff_ffff, 0],
    [0x8000_0000_0000_0000, 0x7fff_ffff_ffff_ffff, u64::MAX, 0],
];

/// Draws the bits of a value: a boolean is 0 or 1, a character a letter, a float a number.
pub(super) fn random_bits(kind: PrimitiveType, oddities: Oddities, draw: &mut dyn Draw) -> u64 {
    if oddities.has(Oddity::ExtremeValues) && draw.one_in(2) {
        return *draw.pick(&EXTREMES[kind as usize]);
    }
    match kind {
        PrimitiveType::Boolean => draw.below(2),
        PrimitiveType::Char => draw.between(b'a'.into(), b'z'.into()),
        PrimitiveType::Float => u64::from(random_number(draw).to_bits()),
        PrimitiveType::Double => f64::from(random_number(draw)).to_bits(),
        PrimitiveType::Byte | PrimitiveType::Short | PrimitiveType::Int => {
            u64::from(draw.u32()) & (u64::MAX >> (64 - 8 * kind.size()))
        }
        PrimitiveType::Long => draw.u64(),
    }
}

/// Draws a value with its type.
pub(super) fn random_value(kind: PrimitiveType, oddities: Oddities, draw: &mut dyn Draw) -> Value {
    Value::primitive(kind, random_bits(kind, oddities, draw))
}

/// Draws the elements of an array.
pub(super) fn random_contents(
    element: PrimitiveType,
    length: u64,
    oddities: Oddities,
    draw: &mut dyn Draw,
) -> Contents {
    let size = element.size() as usize;
    let mut made = Vec::with_capacity(length as usize * size);
    // Those of a large array are repeated, so that a large heap does not take long.
    let drawn = length.min(DRAWN);
    for _ in 0..drawn {
        made.extend_from_slice(&random_bits(element, oddities, draw).to_be_bytes()[8 - size..]);
    }
    while made.len() < length as usize * size {
        let rest = length as usize * size - made.len();
        made.extend_from_within(..rest.min(made.len()));
    }
    Contents::Primitives(made)
}

/// The number of elements that are drawn; longer arrays repeat them.
const DRAWN: u64 = 509;

/// Draws a number with a fraction, of either sign, exact in 32 bits.
fn random_number(draw: &mut dyn Draw) -> f32 {
    (draw.below(1 << 16) as f32 - 32768.0) / 8.0
}

/// Draws an identity hash, where the regime and the draw ask for one. It is not 0, which writers drop, and has no bit
/// 15, which machines with 16-bit hashes never set, unless the options ask for these.
pub(super) fn draw_hash(options: &GenerateOptions, draw: &mut dyn Draw) -> Option<IdentityHash> {
    let (regime, oddities) = (options.hashes, options.oddities);
    let is_null = oddities.has(Oddity::NullHash) && draw.one_in(3);
    match regime {
        HashRegime::Every16 if is_null => Some(IdentityHash::Bits16(0)),
        HashRegime::Every16 if oddities.has(Oddity::HighHash) && draw.one_in(2) => {
            Some(IdentityHash::Bits16(draw.between(0x8000, 0xffff) as u16))
        }
        HashRegime::Every16 => Some(IdentityHash::Bits16(draw.between(1, 0x7fff) as u16)),
        HashRegime::WhereUsed32 if is_null => Some(IdentityHash::Bits32(0)),
        HashRegime::WhereUsed32 => {
            let is_hashed = match options.hashed {
                Some(share) => share.draw(draw),
                None => draw.one_in(6),
            };
            is_hashed.then(|| IdentityHash::Bits32(draw.between(1, u64::from(u32::MAX)) as u32))
        }
    }
}
