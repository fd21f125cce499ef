//! Sources of decisions: a seed, or a fuzzer's bytes.

#[cfg(feature = "arbitrary")]
use arbitrary::Unstructured;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of decisions.
///
/// Integers are made here from raw bytes, by multiplication, so that what a seed means depends on
/// ChaCha8 alone and never on a library's habits.
pub trait Draw {
    /// The next 32 bits.
    fn u32(&mut self) -> u32;

    /// The next 64 bits: the high half first.
    fn u64(&mut self) -> u64 {
        u64::from(self.u32()) << 32 | u64::from(self.u32())
    }

    /// A number below `bound`, or 0 if `bound` is 0. Bounds up to 2^32 take one draw of 32 bits.
    fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 << 32 {
            (u64::from(self.u32()) * bound) >> 32
        } else {
            ((u128::from(self.u64()) * u128::from(bound)) >> 64) as u64
        }
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A number from `low` to `high`, both included.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }
}

impl dyn Draw + '_ {
    /// Picks one of the items.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Concerns that draw from streams of their own, so that one more draw here moves nothing there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum DrawStream {
    /// The heap.
    Heap = 0,
    /// Its spelling, in profiles that choose.
    Spelling = 1,
    /// Corruptions.
    Corruption = 2,
    /// The ends of segments.
    Cuts = 3,
    /// Blocks of objects that are repeated.
    Blocks = 4,
    /// The options of a heap of the swarm.
    Swarm = 5,
    /// The writer of the dump.
    Writer = 6,
    /// The change that a mutation makes.
    Mutation = 7,
}

/// Decisions from a seed: ChaCha8 with the seed as the first eight bytes (little-endian) of an
/// otherwise zero key, and the concern as its stream number.
#[derive(Clone, Debug)]
pub struct SeedDraw(ChaCha8Rng);

impl SeedDraw {
    /// The stream of one concern.
    pub fn new(seed: u64, stream: DrawStream) -> SeedDraw {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(stream as u64);
        SeedDraw(rng)
    }

    /// The stream of a number below 2^63, apart from those of all concerns.
    pub fn with_number(seed: u64, number: u64) -> SeedDraw {
        let mut draw = SeedDraw::new(seed, DrawStream::Heap);
        draw.0.set_stream(1 << 63 | number);
        draw
    }
}

impl Draw for SeedDraw {
    fn u32(&mut self) -> u32 {
        let mut bytes = [0; 4];
        self.0.fill_bytes(&mut bytes);
        u32::from_le_bytes(bytes)
    }
}

/// Decisions from a fuzzer's bytes; zeros when they are used up.
#[cfg(feature = "arbitrary")]
#[derive(Debug)]
pub struct BytesDraw<'u, 'b>(pub &'u mut Unstructured<'b>);

#[cfg(feature = "arbitrary")]
impl Draw for BytesDraw<'_, '_> {
    fn u32(&mut self) -> u32 {
        let mut bytes = [0; 4];
        // At the end of the data this fills with zeros and never fails.
        let _ = self.0.fill_buffer(&mut bytes);
        u32::from_le_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_is_the_key_of_a_chacha8_stream() {
        // ChaCha8 with a zero key and nonce: first block of draft-strombergson-chacha-test-vectors,
        // TC1, 256-bit key, 8 rounds: 3e 00 ef 2f ...
        let mut draw = SeedDraw::new(0, DrawStream::Heap);
        assert_eq!(draw.u32().to_le_bytes(), [0x3e, 0x00, 0xef, 0x2f]);
    }

    #[test]
    fn streams_differ_and_bounds_hold() {
        let mut heap = SeedDraw::new(1, DrawStream::Heap);
        let mut spelling = SeedDraw::new(1, DrawStream::Spelling);
        assert_ne!(heap.u64(), spelling.u64());
        for bound in [1, 2, 7, 1 << 32, (1 << 32) + 1, u64::MAX] {
            for _ in 0..200 {
                assert!(heap.below(bound) < bound);
            }
        }
        assert_eq!(heap.below(0), 0);
        assert!((0..100).all(|_| (3..=5).contains(&heap.between(3, 5))));
    }

    #[test]
    fn a_fuzzer_that_runs_out_of_bytes_gives_zeros() {
        let mut bytes = Unstructured::new(&[1, 2, 3, 4, 5]);
        let mut draw = BytesDraw(&mut bytes);
        assert_eq!(draw.u32(), 0x0403_0201);
        assert_eq!(draw.u32(), 5);
        assert_eq!(draw.u32(), 0);
    }
}
