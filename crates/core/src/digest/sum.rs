//! Sums modulo 2^256, and the buckets of addresses.

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::model::Address;

/// The number of buckets.
pub const BUCKETS: usize = 256;

/// The bucket of an address: the top 8 bits of its product with 2^64 divided by the golden ratio, so that
/// addresses which are multiples of a power of two spread evenly.
pub const fn bucket_of(address: Address) -> u8 {
    (address.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// A SHA-256, or the sum of several modulo 2^256. As text it has 64 hexadecimal digits, the most significant first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sum {
    /// The most significant 64 bits first.
    words: [u64; 4],
}

impl Sum {
    /// The number that 32 bytes are, the most significant first.
    pub fn from_bytes(bytes: [u8; 32]) -> Sum {
        let (eights, _) = bytes.as_chunks::<8>();
        let mut words = [0; 4];
        words.iter_mut().zip(eights).for_each(|(word, eight)| *word = u64::from_be_bytes(*eight));
        Sum { words }
    }
}

impl Sum {
    /// The number of eight words, the most significant first.
    #[inline]
    pub(super) fn from_words(words: [u32; 8]) -> Sum {
        let [a, b, c, d, e, f, g, h] = words.map(u64::from);
        Sum { words: [a << 32 | b, c << 32 | d, e << 32 | f, g << 32 | h] }
    }
}

impl AddAssign for Sum {
    #[inline]
    fn add_assign(&mut self, other: Sum) {
        // Spelled out, since it is done for every record.
        let ([a, b, c, d], [e, f, g, h]) = (self.words, other.words);
        let (d, carry) = add(d, h, false);
        let (c, carry) = add(c, g, carry);
        let (b, carry) = add(b, f, carry);
        let (a, _) = add(a, e, carry);
        self.words = [a, b, c, d];
    }
}

/// The sum of two words and a carry, modulo 2^64, and the carry out of it.
#[inline]
const fn add(left: u64, right: u64, carry: bool) -> (u64, bool) {
    let (sum, over) = left.overflowing_add(right);
    let (sum, over_again) = sum.overflowing_add(carry as u64);
    (sum, over || over_again)
}

impl std::iter::Sum for Sum {
    fn sum<I: Iterator<Item = Sum>>(sums: I) -> Sum {
        sums.fold(Sum::default(), |mut total, sum| {
            total += sum;
            total
        })
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words.iter().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

impl Serialize for Sum {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sum {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Sum, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let digits: Option<Vec<u64>> = text.chars().map(|c| c.to_digit(16).map(u64::from)).collect();
        match digits {
            Some(digits) if digits.len() == 64 => {
                let mut words = [0; 4];
                for (word, sixteen) in words.iter_mut().zip(digits.chunks_exact(16)) {
                    *word = sixteen.iter().fold(0, |word, digit| word << 4 | digit);
                }
                Ok(Sum { words })
            }
            _ => Err(serde::de::Error::custom(format!("expected 64 hexadecimal digits, found {text:?}"))),
        }
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for Sum {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sum".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^[0-9a-fA-F]{64}$",
            "description": "a number modulo 2^256 in hexadecimal",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(high: u128, low: u128) -> Sum {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&high.to_be_bytes());
        bytes[16..].copy_from_slice(&low.to_be_bytes());
        Sum::from_bytes(bytes)
    }

    #[test]
    fn sums_carry_and_wrap_at_2_256() {
        let one = sum(0, 1);
        for (start, end) in [
            (sum(0, u128::from(u64::MAX)), sum(0, 1 << 64)),
            (sum(0, u128::MAX), sum(1, 0)),
            (sum(u128::from(u64::MAX), u128::MAX), sum(1 << 64, 0)),
            (sum(u128::MAX, u128::MAX), sum(0, 0)),
        ] {
            assert_eq!([start, one].into_iter().sum::<Sum>(), end);
            assert_eq!([one, start].into_iter().sum::<Sum>(), end);
        }
        let all = sum(u128::MAX, u128::MAX);
        assert_eq!([all, all].into_iter().sum::<Sum>(), sum(u128::MAX, u128::MAX - 1));
    }

    #[test]
    fn a_sum_comes_back_from_its_text() {
        let number = sum(0x0123 << 100, 0xfedc_ba98);
        assert_eq!(number.to_string().len(), 64);
        let text = serde_json::to_string(&number).expect("text");
        assert_eq!(serde_json::from_str::<Sum>(&text).expect("a sum"), number);
        for wrong in ["\"12\"", "\"+\"", "7"] {
            assert!(serde_json::from_str::<Sum>(wrong).is_err());
        }
    }

    #[test]
    fn aligned_addresses_spread_over_all_buckets() {
        for shift in [0, 3, 4, 12, 20] {
            let mut counts = [0_u32; BUCKETS];
            (0..1 << 16_u32)
                .for_each(|n: u64| counts[usize::from(bucket_of(Address(0x7_0000_0000 + (n << shift))))] += 1);
            // 256 each on average.
            assert!(counts.iter().all(|count| (200..=312).contains(count)), "shift {shift}: {counts:?}");
        }
    }
}
