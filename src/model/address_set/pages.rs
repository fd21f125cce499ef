//! Numbers that ascend and stand in groups that lie apart, quick to ask for.

/// Numbers that agree in all but their last four bits are a set, and sets that agree in all but the eight bits above those a page.
const SET_BITS: u32 = 4;
const PAGE_BITS: u32 = SET_BITS + 8;
/// Bytes of a set: which of its page it is, and a bit for each number that there could be.
const SET: usize = 3;
/// For each 64 pages: a bit for each, whether there is a number in it, and how many such pages come before.
const DIRECTORY: usize = 10;
/// For each page in which there is a number: how many sets come before its own.
const BEGIN: usize = 2;
/// Sets that are looked at together.
const TOGETHER: usize = 16;

/// Ascending numbers, the first of them 0.
///
/// To ask for one takes three looks, into the directory, where a page begins, and what its sets are; nothing has to be searched for but a
/// byte among few. All of it is in one piece, so that the looks after the first one mostly lead near by.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    /// The directory; where pages begin, and one more for where the last one ends; of each page, which its sets are, and then the bits of
    /// each; and nothing, that what is looked at together may end with.
    bytes: Box<[u8]>,
    /// Where it is told how pages begin.
    begins: usize,
    /// Where the sets are.
    sets: usize,
}

#[inline]
fn page(number: u64) -> u64 {
    number >> PAGE_BITS
}

/// Which of its page a number's set is.
#[inline]
fn set_of(number: u64) -> u8 {
    (number >> SET_BITS) as u8
}

/// A number's bit in its set.
#[inline]
fn bit_of(number: u64) -> u16 {
    1 << (number & ((1 << SET_BITS) - 1))
}

/// The sets of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sets {
    /// Where they begin among all bytes.
    at: usize,
    count: usize,
}

/// Of ascending numbers, the first of them 0, the numbers of the sets, and the bits of each.
fn sets_of(numbers: &[u64]) -> (Vec<u64>, Vec<u16>) {
    let (mut sets, mut bits) = (vec![0; numbers.len()], vec![0; numbers.len()]);
    let (mut at, mut last) = (0, 0);
    // Without a branch on whether a set begins, which could not be foretold.
    for number in numbers {
        let set = number >> SET_BITS;
        at += usize::from(set != last);
        last = set;
        sets[at] = set;
        bits[at] |= bit_of(*number);
    }
    sets.truncate(at + 1);
    bits.truncate(at + 1);
    (sets, bits)
}

impl Pages {
    /// How many bytes numbers would take.
    pub(super) fn estimate(numbers: &[u64]) -> u64 {
        let last = numbers.last().copied().unwrap_or_default();
        // Without branches, which could not be foretold.
        let (pages, sets) = numbers.windows(2).fold((1, 1), |(pages, sets), two| {
            let [pages_apart, sets_apart] =
                [PAGE_BITS, SET_BITS].map(|bits| u64::from(two[0] >> bits != two[1] >> bits));
            (pages + pages_apart, sets + sets_apart)
        });
        let directory = (page(last) / 64 + 1).saturating_mul(DIRECTORY as u64);
        directory.saturating_add(BEGIN as u64 * (pages + 1) + SET as u64 * sets + TOGETHER as u64)
    }

    /// Of at most 2^15 numbers.
    pub(super) fn of(numbers: &[u64]) -> Pages {
        let last = numbers.last().copied().unwrap_or_default();
        let mut bytes = Vec::with_capacity(Pages::estimate(numbers) as usize);
        let words = (page(last) / 64 + 1) as usize;
        let (numbers_of_sets, bits) = sets_of(numbers);
        let (mut present, mut begins, mut sets) =
            (vec![0_u64; words], Vec::new(), Vec::with_capacity(SET * bits.len()));
        let mut bits = &*bits;
        for of_page in numbers_of_sets.chunk_by(|one, next| page(one << SET_BITS) == page(next << SET_BITS)) {
            let at = page(of_page[0] << SET_BITS);
            begins.push((sets.len() / SET) as u16);
            present[(at / 64) as usize] |= 1 << (at % 64);
            sets.extend(of_page.iter().map(|set| *set as u8));
            let (of_these, others) = bits.split_at(of_page.len());
            sets.extend(of_these.iter().flat_map(|bits| bits.to_le_bytes()));
            bits = others;
        }
        let mut before = 0;
        for word in present {
            bytes.extend(word.to_le_bytes());
            bytes.extend((before as u16).to_le_bytes());
            before += word.count_ones();
        }
        begins.push((sets.len() / SET) as u16);
        let begins_at = bytes.len();
        bytes.extend(begins.iter().flat_map(|begin| begin.to_le_bytes()));
        let sets_at = bytes.len();
        bytes.extend(sets);
        bytes.extend([0; TOGETHER]);
        Pages { bytes: bytes.into(), begins: begins_at, sets: sets_at }
    }

    /// The bytes that stand there.
    #[inline]
    fn at<const COUNT: usize>(&self, at: usize) -> Option<&[u8; COUNT]> {
        self.bytes.get(at..)?.first_chunk()
    }

    /// The first look: where it is told how the page of a number begins, if there is a number in it.
    #[inline]
    pub(super) fn begin(&self, number: u64) -> Option<usize> {
        let (at, bit) = ((page(number) / 64) as usize * DIRECTORY, 1 << (page(number) % 64));
        let (present, before) = self.bytes.get(at..self.begins)?.split_first_chunk()?;
        let present = u64::from_le_bytes(*present);
        let before = u32::from(u16::from_le_bytes(*before.first_chunk()?)) + (present & (bit - 1)).count_ones();
        (present & bit != 0).then_some(self.begins + BEGIN * before as usize)
    }

    /// The second one: the sets of the page about which it is told there.
    #[inline]
    pub(super) fn sets(&self, begin: usize) -> Option<Sets> {
        let begins = self.at::<{ 2 * BEGIN }>(begin)?;
        let [from, to] =
            [[begins[0], begins[1]], [begins[2], begins[3]]].map(|bytes| usize::from(u16::from_le_bytes(bytes)));
        Some(Sets { at: self.sets + SET * from, count: to - from })
    }

    /// The third one: what stands there.
    #[inline]
    pub(super) fn first(&self, sets: Sets) -> Option<u8> {
        self.bytes.get(sets.at).copied()
    }

    /// Whether a number is in one of these sets of its page.
    #[inline]
    pub(super) fn is_in(&self, sets: Sets, number: u64) -> bool {
        const ONES: u128 = u128::from_le_bytes([1; TOGETHER]);
        let asked = u128::from(set_of(number)) * ONES;
        for from in (0..sets.count).step_by(TOGETHER) {
            let Some(of_page) = self.at(sets.at + from) else { return false };
            // The lowest bit that is set is in the lowest byte that is the one asked for.
            let others = u128::from_le_bytes(*of_page) ^ asked;
            let same = others.wrapping_sub(ONES) & !others & (ONES << 7);
            let place = from + (same.trailing_zeros() / 8) as usize;
            if same != 0 && place < sets.count {
                let bits = self.at(sets.at + sets.count + 2 * place);
                return bits.is_some_and(|bits| u16::from_le_bytes(*bits) & bit_of(number) != 0);
            }
        }
        false
    }

    /// Whether a number is one of them.
    #[inline]
    pub(super) fn has(&self, number: u64) -> bool {
        let sets = self.begin(number).and_then(|begin| self.sets(begin));
        sets.is_some_and(|sets| self.is_in(sets, number))
    }

    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of all lengths, some of which fill a page, some of which cross into the next one.
    #[test]
    fn they_have_what_was_put_in() {
        let mut numbers = vec![0];
        for (group, step) in [(1_u64, 1_u64), (7, 3), (300, 16), (16, 16), (17, 16), (500, 1), (2, 5000), (256, 17)] {
            let from = numbers[numbers.len() - 1] + 300_000 / group;
            numbers.extend((0..group).map(|number| from + number * step));
        }
        let pages = Pages::of(&numbers);
        let last = numbers[numbers.len() - 1];
        for number in 0..last + 5000 {
            assert_eq!(pages.has(number), numbers.binary_search(&number).is_ok(), "{number}");
        }
        // What follows the directory is not taken for more of it.
        for page in page(last) + 1..7 * pages.bytes() as u64 {
            assert_eq!(pages.begin(page << PAGE_BITS), None, "{page}");
        }
        assert_eq!(pages.bytes() as u64, Pages::estimate(&numbers));
        assert!(!pages.has(u64::MAX));
    }
}
