//! Numbers that ascend, in little room: the representation of Elias and Fano (Elias, "Efficient storage and retrieval by content
//! and address of static files", 1974; Fano, "On the number of bits required to implement an associative memory", 1971).

/// Buckets that share a count of the numbers before them.
const SHARING: u64 = 16;

/// Ascending numbers, the first of them 0 and no two the same.
///
/// The upper bits of each name its bucket, of which there are about as many as numbers, and stand in unary: for each bucket, a 1 for
/// each of its numbers and then a 0. The lower bits follow one another.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    lower: u32,
    /// Where the lower bits begin among the words.
    lowers: usize,
    words: Box<[u64]>,
    /// How many numbers come before each [`SHARING`] buckets.
    before: Box<[u16]>,
}

impl Sequence {
    /// About how many bits it takes for a number of numbers up to a last one.
    pub(super) fn bits(count: usize, last: u64) -> u64 {
        count as u64 * (u64::from(lower(count, last)) + 3)
    }

    /// Of fewer than 2^16 numbers, or `None`.
    pub(super) fn of(numbers: &[u64]) -> Option<Sequence> {
        let (count, last) = (numbers.len() as u64, *numbers.last()?);
        let lower = lower(numbers.len(), last);
        if numbers.len() > usize::from(u16::MAX) {
            return None;
        }
        let buckets = (last >> lower) + 1;
        let lowers = (count + buckets).div_ceil(64) as usize;
        let words = lowers + (count * u64::from(lower)).div_ceil(64) as usize;
        let shared = buckets.div_ceil(SHARING) as usize;
        let mut sequence = Sequence { lower, lowers, words: vec![0; words].into(), before: vec![0; shared].into() };
        let mut shared = 0;
        for (place, number) in (0..).zip(numbers) {
            let (bucket, low) = sequence.split(*number);
            while shared <= bucket / SHARING {
                sequence.before[shared as usize] = place as u16;
                shared += 1;
            }
            set(&mut sequence.words[..lowers], bucket + place, 1);
            set(&mut sequence.words[lowers..], place * u64::from(lower), low);
        }
        Some(sequence)
    }

    #[inline]
    fn split(&self, number: u64) -> (u64, u64) {
        (number >> self.lower, number & ((1 << self.lower) - 1))
    }

    /// What the place of a number that is not above the last one is looked up in first: how many come before its buckets.
    #[inline]
    pub(super) fn first_look(&self, number: u64) -> Option<u16> {
        self.before.get((self.split(number).0 / SHARING) as usize).copied()
    }

    /// And then: what stands there, or near.
    #[inline]
    pub(super) fn second_look(&self, number: u64) -> u64 {
        let shared = self.split(number).0 / SHARING;
        let before = u64::from(self.before.get(shared as usize).copied().unwrap_or_default());
        let word = |at: u64| self.words.get(at as usize).copied().unwrap_or_default();
        word((shared * SHARING + before) / 64) ^ word(self.lowers as u64 + before * u64::from(self.lower) / 64)
    }

    /// The place of a number that is not above the last one.
    #[inline]
    pub(super) fn place(&self, number: u64) -> Option<usize> {
        let (bucket, low) = self.split(number);
        let shared = bucket / SHARING;
        let (uppers, lowers) = self.words.split_at(self.lowers);
        // From the first of the buckets that share a count to the one that is asked for.
        let mut at = shared * SHARING + u64::from(*self.before.get(shared as usize)?);
        let mut ends = (bucket % SHARING) as u32;
        let mut zeros = !get(uppers, at, 64);
        while ends > zeros.count_ones() {
            ends -= zeros.count_ones();
            at += 64;
            zeros = !get(uppers, at, 64);
        }
        if ends > 0 {
            at += u64::from(nth_one(zeros, ends - 1)) + 1;
        }
        // Those of the bucket, in ascending order.
        let from = at - bucket;
        let mut to = from;
        loop {
            let here = get(uppers, to + bucket, 64).trailing_ones();
            to += u64::from(here);
            if here < 64 {
                break;
            }
        }
        let low_of = |place: u64| get(lowers, place * u64::from(self.lower), self.lower);
        let (mut place, mut left) = (from, to - from);
        if left == 0 {
            return None;
        }
        // Without a branch on what is found: it could not be foretold.
        while left > 1 {
            let half = left / 2;
            place += if low_of(place + half) <= low { half } else { 0 };
            left -= half;
        }
        (low_of(place) == low).then_some(place as usize)
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.words) + size_of_val(&*self.before)
    }
}

/// How many of a number's bits are lower ones.
fn lower(count: usize, last: u64) -> u32 {
    (last / count as u64).max(1).ilog2()
}

/// The place of the one that has this number of ones before it, if there is one (Vigna, "Broadword implementation of rank/select
/// queries", 2008).
#[inline]
fn nth_one(bits: u64, before: u32) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let pairs = bits - (bits >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    // How many ones there are up to the end of each byte; and of which bytes that is not enough.
    let sums = bytes.wrapping_mul(ONES);
    let byte = 8 * ((((u64::from(before) * ONES) | HIGHS) - sums) & HIGHS).count_ones();
    let before = before - ((sums << 8) >> byte & 0xff) as u32;
    byte + u32::from(OF_A_BYTE[(bits >> byte & 0xff) as usize][before as usize])
}

/// The places of the ones of every byte.
static OF_A_BYTE: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut found) = (0, 0);
        while place < 8 {
            if byte >> place & 1 == 1 {
                places[byte][found] = place as u8;
                found += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    places
};

/// Puts bits into a sequence, where zeros are.
fn set(words: &mut [u64], at: u64, bits: u64) {
    let (word, shift) = ((at / 64) as usize, at % 64);
    words[word] |= bits << shift;
    if shift > 0
        && let Some(next) = words.get_mut(word + 1)
    {
        *next |= bits >> (64 - shift);
    }
}

/// That many bits of a sequence, fewer than 64 or all; zeros after its end.
#[inline]
fn get(words: &[u64], at: u64, count: u32) -> u64 {
    let (word, shift) = ((at / 64) as usize, at % 64);
    let low = words.get(word).map_or(0, |word| word >> shift);
    let high = words.get(word + 1).map_or(0, |word| word << 1 << (63 - shift));
    let mask = if count == 64 { u64::MAX } else { (1 << count) - 1 };
    (low | high) & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_one_of_every_word_is_found() {
        let spread = (0..64).map(|turn| 0x9e37_79b9_7f4a_7c15_u64.rotate_left(turn));
        for bits in [u64::MAX, 1, 1 << 63, 0x8000_0000_0000_0001, 0xff00].into_iter().chain(spread) {
            let places: Vec<u32> = (0..64).filter(|place| bits >> place & 1 == 1).collect();
            for (before, place) in (0..).zip(places) {
                assert_eq!(nth_one(bits, before), place, "{bits:#x} {before}");
            }
        }
    }
}
