//! A set of addresses, small and quick to ask where they lie as in a heap: aligned, and in few ranges.

use std::mem;

use foldhash::HashMap;

/// Which addresses there are.
///
/// Addresses that agree in their last three bits and in all but the sixteen bits above those share a chunk: of a heap whose
/// addresses are multiples of 8, that is half a megabyte. A chunk of more than 64 addresses has a bit for each that there
/// could be, in words of 64, and keeps the words that are not 0, with 160 bytes that say which those are; from half of them
/// on, it has all. So an address takes half a byte where objects have 32 bytes, 2 bytes where they have 128, 8 or less where
/// they have more, and some 120 where each lies alone (while the table of chunks grows). Numbers without gaps, as the hprof
/// agent has them, take a bit.
///
/// Chunks that have all their words are asked without a table of hashes, once [`AddressSet::seal`] has put them in their
/// places: what is asked next is mostly an address from anywhere, so that time goes into what is not in a cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressSet {
    /// The hash has a random seed: it is hard to make a dump whose addresses collide.
    chunks: HashMap<u64, Chunk>,
    /// The chunk of the last address that was put in, which `chunks` does not have: they mostly come in order.
    open: (u64, Chunk),
    /// The ranges with the most chunks that have all their words, since the set was sealed.
    ranges: Vec<Range>,
    /// Bytes that the chunks take in `chunks`.
    bytes: u64,
}

/// Chunks with all their words whose keys are close to each other.
#[derive(Clone, Debug)]
struct Range {
    first: u64,
    chunks: Vec<Option<Box<All>>>,
}

/// A bit for each address that there could be.
type All = [u64; 1 << 10];

/// Ranges that are looked at in turn.
const RANGES: usize = 8;
/// The most chunks that a range leaves out in turn.
const APART: u64 = 64;

#[derive(Clone, Debug)]
enum Chunk {
    /// A few, in no order.
    Few(u8, [u16; FEW]),
    /// In order.
    List(Vec<u16>),
    Bits(Box<Bits>),
    All(Box<All>),
}

/// The words that are not 0 of 1024.
#[derive(Clone, Debug, Default)]
struct Bits {
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
/// What a chunk takes in the table, while that grows.
const IN_TABLE: u64 = 120;

/// The chunk of an address, and which one of its addresses it is.
#[inline]
fn split(address: u64) -> (u64, u16) {
    let aligned = address >> 3;
    (aligned >> 16 | (address & 7) << 61, aligned as u16)
}

impl AddressSet {
    /// Takes an address in; `false` if it was there.
    #[inline]
    pub(crate) fn insert(&mut self, address: u64) -> bool {
        let (key, at) = split(address);
        if let Some(all) = self.ranges.iter_mut().find_map(|range| range.chunk_mut(key)) {
            let (word, bit) = place(at);
            let is_new = all[word] & bit == 0;
            all[word] |= bit;
            return is_new;
        }
        if key != self.open.0 {
            self.open(key);
        }
        self.open.1.insert(at)
    }

    /// Makes it quick to ask for addresses from now on.
    pub(crate) fn seal(&mut self) {
        let key = self.open.0;
        self.open(!key);
        let mut full: Vec<u64> =
            self.chunks.iter().filter(|(_, c)| matches!(c, Chunk::All(_))).map(|(key, _)| *key).collect();
        full.sort_unstable();
        let mut ranges: Vec<&[u64]> = full.chunk_by(|one, next| next - one <= APART).collect();
        ranges.sort_by_key(|keys| std::cmp::Reverse(keys.len()));
        for keys in ranges.into_iter().take(RANGES.saturating_sub(self.ranges.len())) {
            let (first, last) = (keys[0], keys[keys.len() - 1]);
            let mut chunks = vec![None; (last - first) as usize + 1];
            for key in keys {
                if let Some(Chunk::All(all)) = self.chunks.remove(key) {
                    self.bytes -= IN_TABLE + size_of::<All>() as u64;
                    chunks[(key - first) as usize] = Some(all);
                }
            }
            self.ranges.push(Range { first, chunks });
        }
    }

    fn open(&mut self, key: u64) {
        let next = match self.chunks.remove(&key) {
            None => Chunk::default(),
            Some(known) => {
                self.bytes -= known.bytes();
                known
            }
        };
        let (key, before) = mem::replace(&mut self.open, (key, next));
        if !matches!(before, Chunk::Few(0, _)) {
            self.bytes += before.bytes();
            self.chunks.insert(key, before);
        }
    }

    /// About how many bytes it takes.
    #[inline]
    pub(crate) fn held(&self) -> u64 {
        self.bytes
    }

    /// Whether this address was taken in.
    #[inline]
    pub(crate) fn has(&self, address: u64) -> bool {
        let (key, at) = split(address);
        for range in &self.ranges {
            if let Some(Some(all)) = range.chunks.get(key.wrapping_sub(range.first) as usize) {
                let (word, bit) = place(at);
                return all[word] & bit != 0;
            }
        }
        self.has_elsewhere(key, at)
    }

    #[cold]
    #[inline(never)]
    fn has_elsewhere(&self, key: u64, at: u16) -> bool {
        if key == self.open.0 { self.open.1.has(at) } else { self.chunks.get(&key).is_some_and(|chunk| chunk.has(at)) }
    }
}

impl Range {
    fn chunk_mut(&mut self, key: u64) -> Option<&mut All> {
        self.chunks.get_mut(key.wrapping_sub(self.first) as usize)?.as_deref_mut()
    }
}

/// The word of an address in its chunk, and its bit there.
#[inline]
fn place(at: u16) -> (usize, u64) {
    (usize::from(at >> 6), 1 << (at & 63))
}

impl Default for Chunk {
    fn default() -> Chunk {
        Chunk::Few(0, [0; FEW])
    }
}

impl Chunk {
    /// What it takes, with its place in a table that grows.
    fn bytes(&self) -> u64 {
        let beside = match self {
            Chunk::Few(..) => 0,
            Chunk::List(list) => list.capacity() * size_of::<u16>(),
            Chunk::Bits(bits) => size_of::<Bits>() + bits.words.capacity() * size_of::<u64>(),
            Chunk::All(_) => size_of::<All>(),
        };
        IN_TABLE + beside as u64
    }

    #[inline]
    fn insert(&mut self, at: u16) -> bool {
        match self {
            Chunk::All(all) => {
                let (word, bit) = place(at);
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
    fn has(&self, at: u16) -> bool {
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::draw::{Draw, SeedDraw};

    /// Addresses of a kind go in, some of them twice; every one of them is there, and nothing beside them.
    fn is_a_set(name: &str, count: u64, mut address: impl FnMut(&mut SeedDraw, u64) -> u64) {
        let mut draw = SeedDraw::numbered(1, 1);
        let (mut set, mut known) = (AddressSet::default(), HashSet::new());
        for number in 0..count {
            let address = address(&mut draw, number);
            assert_eq!(set.insert(address), known.insert(address), "{name}: {address:#x}");
        }
        // Before and after it is sealed, and with what comes later.
        let later = (0..count / 10).map(|number| address(&mut draw, count + number)).collect::<Vec<u64>>();
        asked(name, &set, &known);
        set.seal();
        asked(name, &set, &known);
        for address in later {
            assert_eq!(set.insert(address), known.insert(address), "{name}: {address:#x}");
        }
        set.seal();
        asked(name, &set, &known);
    }

    fn asked(name: &str, set: &AddressSet, known: &HashSet<u64>) {
        for &address in known {
            for other in [address, address ^ 1, address ^ 8, address ^ 1 << 19, address ^ 1 << 63, address + 1] {
                assert_eq!(set.has(other), known.contains(&other), "{name}: {other:#x}");
            }
        }
        assert!(!known.contains(&0x5555_5555) && !set.has(0x5555_5555), "{name}");
    }

    #[test]
    fn it_has_what_was_put_in() {
        is_a_set("as in a heap", 20_000, |_, n| 0x7f00_0000_0000 + n * 24);
        is_a_set("numbers", 20_000, |_, n| n);
        is_a_set("downwards", 20_000, |_, n| 0xffff_fff8 - n * 8);
        is_a_set("far apart", 5_000, |_, n| n << 40);
        is_a_set("anywhere", 5_000, |draw, _| draw.u64() >> 1);
        is_a_set("in some chunks, in no order", 50_000, |draw, _| 0x1000_0000 + draw.below(1 << 22));
        is_a_set("in many ranges", 200_000, |_, n| ((n / 10_000) << 40) + (n % 10_000) * 16);
        is_a_set("unaligned", 200_000, |_, n| 0x1000_0000 + n * 13);
        is_a_set("at the end of the addresses", 100_000, |_, n| u64::MAX - 7 - n * 8);
        is_a_set("few, and each often", 5_000, |draw, _| draw.below(300) << 17);
    }

    /// Every address of a chunk, from the last one to the first and in leaps.
    #[test]
    fn a_chunk_can_be_full() {
        for step in [0xffff_u64, 1, 0x2001] {
            let mut set = AddressSet::default();
            for number in 0..1 << 16 {
                let address = (number * step % (1 << 16)) * 8;
                assert!(!set.has(address) && set.insert(address) && set.has(address), "{number} in steps of {step}");
            }
            set.seal();
            assert!((0..1 << 16).all(|number| set.has(number * 8) && !set.insert(number * 8)));
            assert!(!set.has(8 << 16) && !set.has(1));
        }
    }
}
