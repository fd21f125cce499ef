//! What a chunk of addresses holds: the fewer there are, the smaller it is.

use super::put;

/// A bit for each address that there could be.
pub(super) type All = [u64; 1 << 10];

/// Some of 2^16 addresses.
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
const MANY: usize = 512;

impl Default for Chunk {
    fn default() -> Chunk {
        Chunk::Few(0, [0; FEW])
    }
}

impl Chunk {
    /// Those of some words.
    pub(super) fn of(all: &All) -> Chunk {
        let words = all.iter().filter(|word| **word != 0).count();
        if words >= MANY {
            return Chunk::All(Box::new(*all));
        }
        let count: u32 = if words > LISTED { u32::MAX } else { all.iter().map(|word| word.count_ones()).sum() };
        if count as usize > LISTED {
            return Chunk::Bits(Box::new(Bits::of(all, words)));
        }
        let mut chunk =
            if count as usize > FEW { Chunk::List(Vec::with_capacity(count as usize)) } else { Chunk::default() };
        each(all, |at| _ = chunk.insert(at));
        chunk
    }

    /// What it takes beside its place in a table.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = match self {
            Chunk::Few(..) => 0,
            Chunk::List(list) => list.capacity() * size_of::<u16>(),
            Chunk::Bits(bits) => size_of::<Bits>() + bits.words.capacity() * size_of::<u64>(),
            Chunk::All(_) => size_of::<All>(),
        };
        bytes as u64
    }

    /// Whether it has none.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Chunk::Few(0, _))
    }

    /// Takes one in; `false` if it was there.
    #[inline]
    pub(super) fn insert(&mut self, at: u16) -> bool {
        match self {
            Chunk::All(all) => put(all, at),
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

    /// Calls `visit` with each.
    pub(super) fn each(&self, mut visit: impl FnMut(u16)) {
        match self {
            Chunk::All(all) => each(all, visit),
            Chunk::Bits(bits) => each(&bits.all(), visit),
            Chunk::List(list) => list.iter().for_each(|&at| visit(at)),
            Chunk::Few(count, few) => few[..usize::from(*count)].iter().for_each(|&at| visit(at)),
        }
    }

    /// Whether it has this one.
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

/// Calls `visit` with each of some words.
pub(super) fn each(all: &All, mut visit: impl FnMut(u16)) {
    for (word, &bits) in all.iter().enumerate() {
        let mut rest = bits;
        while rest != 0 {
            visit((word << 6) as u16 | rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
}

impl Bits {
    /// The words that are not 0, of which there are `count`.
    fn of(all: &All, count: usize) -> Bits {
        let mut bits = Bits { words: Vec::with_capacity(count), ..Bits::default() };
        for (group, words) in all.chunks_exact(64).enumerate() {
            bits.before[group] = bits.words.len() as u16;
            for (place, &word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
                bits.kept[group] |= 1 << place;
                bits.words.push(word);
            }
        }
        bits
    }

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
