//! The addresses of half a megabyte, or less where they are unaligned.

/// A bit for each address that there could be.
pub(super) type All = [u64; 1 << 10];

#[derive(Clone, Debug)]
pub(super) enum Chunk {
    /// A few, in no order.
    Few(u8, [u16; FEW]),
    /// In order.
    List(Vec<u16>),
    Bits(Box<Bits>),
    All(Box<All>),
}

/// The words that are not 0 of 1024.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits {
    /// A bit for each word that is kept.
    kept: [u64; GROUPS],
    /// How many are kept before those of each group.
    before: [u16; GROUPS],
    words: Vec<u64>,
}

/// What fits in the place of two words.
const FEW: usize = 7;
/// What takes less than the 160 bytes, and is found in few steps.
const LISTED: usize = 64;
const GROUPS: usize = 16;
/// Of as many words, all are kept.
pub(super) const MANY: usize = 512;
/// What a chunk takes in the table, while that grows.
pub(super) const IN_TABLE: u64 = 120;

/// The word of an address in its chunk, and its bit there.
#[inline]
pub(super) fn word_and_bit(at: u16) -> (usize, u64) {
    (usize::from(at >> 6), 1 << (at & 63))
}

impl Default for Chunk {
    fn default() -> Chunk {
        Chunk::Few(0, [0; FEW])
    }
}

impl Chunk {
    /// About how many bytes addresses in ascending order take in chunks: a bit for each multiple of 8, in words of 64 of which those
    /// that are 0 are left out.
    pub(super) fn estimate(addresses: &[u64]) -> u64 {
        let (Some(first), Some(last)) = (addresses.first(), addresses.last()) else { return 0 };
        ((last - first) / 64).min(8 * addresses.len() as u64)
    }

    /// What it takes, with its place in a table that grows.
    pub(super) fn bytes(&self) -> u64 {
        let beside = match self {
            Chunk::Few(..) => 0,
            Chunk::List(list) => list.capacity() * size_of::<u16>(),
            Chunk::Bits(bits) => size_of::<Bits>() + bits.words.capacity() * size_of::<u64>(),
            Chunk::All(_) => size_of::<All>(),
        };
        IN_TABLE + beside as u64
    }

    #[inline]
    pub(super) fn insert(&mut self, at: u16) -> bool {
        match self {
            Chunk::All(all) => {
                let (word, bit) = word_and_bit(at);
                let is_new = all[word] & bit == 0;
                all[word] |= bit;
                is_new
            }
            Chunk::Bits(bits) if bits.words.len() < MANY => bits.insert(at),
            Chunk::Bits(bits) => {
                *self = Chunk::All(bits.all());
                self.insert(at)
            }
            Chunk::List(list) => {
                let Err(place) = list.binary_search(&at) else { return false };
                if list.len() < LISTED {
                    list.insert(place, at);
                } else {
                    let mut bits = Box::<Bits>::default();
                    list.iter().chain([&at]).for_each(|&at| _ = bits.insert(at));
                    *self = Chunk::Bits(bits);
                }
                true
            }
            Chunk::Few(count, few) => {
                if few[..usize::from(*count)].contains(&at) {
                    return false;
                }
                if let Some(free) = few.get_mut(usize::from(*count)) {
                    *free = at;
                    *count += 1;
                } else {
                    let mut list = [&few[..], &[at]].concat();
                    list.sort_unstable();
                    *self = Chunk::List(list);
                }
                true
            }
        }
    }

    #[inline]
    pub(super) fn has(&self, at: u16) -> bool {
        match self {
            Chunk::All(all) => all[usize::from(at >> 6)] & 1 << (at & 63) != 0,
            Chunk::Bits(bits) => bits.has(at),
            Chunk::List(list) => list.binary_search(&at).is_ok(),
            Chunk::Few(count, few) => few[..usize::from(*count)].contains(&at),
        }
    }
}

impl Bits {
    /// Whether the word of an address is kept, and where it is or would be.
    #[inline]
    fn word(&self, at: u16) -> (bool, usize) {
        let (group, bit) = (usize::from(at >> 12), 1 << (at >> 6 & 63));
        let before = u32::from(self.before[group]) + (self.kept[group] & (bit - 1)).count_ones();
        (self.kept[group] & bit != 0, before as usize)
    }

    #[inline]
    fn insert(&mut self, at: u16) -> bool {
        let (is_kept, place) = self.word(at);
        let bit = 1 << (at & 63);
        if is_kept {
            let is_new = self.words[place] & bit == 0;
            self.words[place] |= bit;
            return is_new;
        }
        self.words.insert(place, bit);
        let group = usize::from(at >> 12);
        self.kept[group] |= 1 << (at >> 6 & 63);
        self.before[group + 1..].iter_mut().for_each(|before| *before += 1);
        true
    }

    /// All words, those that are 0 as well.
    fn all(&self) -> Box<All> {
        let mut all = Box::new([0; 1 << 10]);
        let mut words = self.words.iter();
        for (place, word) in all.iter_mut().enumerate() {
            if self.kept[place >> 6] & 1 << (place & 63) != 0 {
                *word = words.next().copied().unwrap_or_default();
            }
        }
        all
    }

    #[inline]
    fn has(&self, at: u16) -> bool {
        let (is_kept, place) = self.word(at);
        is_kept && self.words[place] & 1 << (at & 63) != 0
    }
}
