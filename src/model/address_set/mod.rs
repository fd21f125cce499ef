//! A set of addresses, small and quick to ask where they lie as in a heap: aligned, and in few ranges.

mod chunk;
mod pages;
mod run;
mod sequence;
mod sweep;

use std::mem;

use foldhash::HashMap;

use chunk::{All, Chunk, IN_TABLE, word_and_bit};
use run::{Run, Runs};
pub(crate) use sweep::{Entered, Sweep};

/// Which addresses there are.
///
/// Addresses that come in ascending order are kept as [`Runs`] where most lie apart: a byte each where they are 128 bytes apart, 2
/// where they are 30 kB apart. Where they stand in groups, as objects between wide gaps do, 3 bytes for each 128 in which there are any.
///
/// Addresses that agree in their last three bits and in all but the sixteen bits above those share a chunk: of a heap whose
/// addresses are multiples of 8, that is half a megabyte. A chunk of more than 64 addresses has a bit for each that there
/// could be, in words of 64, and keeps the words that are not 0, with 160 bytes that say which those are; from half of them
/// on, it has all. So an address takes half a byte where objects have 32 bytes, 2 bytes where they have 128; in no order, 8 or less
/// where they have more, and some 120 where each lies alone (while the table of chunks grows). Numbers without gaps, as the hprof
/// agent has them, take a bit.
///
/// Chunks that have all their words are asked without a table of hashes, once [`AddressSet::seal`] has put them in their
/// places: what is asked next is mostly an address from anywhere, so that time goes into what is not in a cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressSet {
    /// Addresses that have no place yet. They ascend.
    recent: Vec<u64>,
    /// How many were given a place in ascending order.
    placed: u64,
    /// No address from here on was taken in, but for `u64::MAX`, after which there is none.
    next: u64,
    runs: Runs,
    /// The hash has a random seed: it is hard to make a dump whose addresses collide.
    chunks: HashMap<u64, Chunk>,
    /// The chunk of the last address that was put in, which `chunks` does not have: they mostly come in order.
    open: (u64, Chunk),
    /// The ranges with the most chunks that have all their words, since the set was sealed.
    ranges: Vec<Range>,
    /// Bytes that the chunks take.
    bytes: u64,
}

/// Chunks with all their words whose keys are close to each other.
#[derive(Clone, Debug)]
struct Range {
    first: u64,
    chunks: Vec<Option<Box<All>>>,
}

/// Bytes of a set that need not be saved.
const SMALL: u64 = 256 << 10;
/// Ranges that are looked at in turn.
const RANGES: usize = 8;
/// The most chunks that a range leaves out in turn.
const APART: u64 = 64;

/// Where an address comes among all others, those that agree in their last three bits side by side.
#[inline]
fn place_of(address: u64) -> u64 {
    address.rotate_right(3)
}

/// The address that has this place.
fn address_at(place: u64) -> u64 {
    place.rotate_left(3)
}

/// The chunk of an address, and which one of its addresses it is.
#[inline]
fn split(address: u64) -> (u64, u16) {
    let place = place_of(address);
    (place >> 16, place as u16)
}

impl AddressSet {
    /// Takes an address in; `false` if it was there.
    #[inline]
    pub(crate) fn insert(&mut self, address: u64) -> bool {
        if address >= self.next && address != u64::MAX {
            if self.recent.len() == run::MOST {
                self.place_recent();
            }
            self.recent.push(address);
            self.next = address + 1;
            return true;
        }
        self.insert_below(address)
    }

    /// The same for an address that is not above all others.
    fn insert_below(&mut self, address: u64) -> bool {
        !self.is_recent(address) && !self.runs.has(address) && self.insert_in_chunk(address)
    }

    #[inline]
    fn insert_in_chunk(&mut self, address: u64) -> bool {
        let (key, at) = split(address);
        if let Some(all) = self.ranges.iter_mut().find_map(|range| range.chunk_mut(key)) {
            let (word, bit) = word_and_bit(at);
            let is_new = all[word] & bit == 0;
            all[word] |= bit;
            return is_new;
        }
        if key != self.open.0 {
            self.open(key);
        }
        self.open.1.insert(at)
    }

    fn is_recent(&self, address: u64) -> bool {
        self.recent.first().is_some_and(|first| *first <= address) && self.recent.binary_search(&address).is_ok()
    }

    /// Gives the addresses without a place one. Where they would take more than two bytes each in chunks, that is in a run, if it is quick to
    /// ask or they would take too much in all.
    fn place_recent(&mut self) {
        let mut recent = mem::take(&mut self.recent);
        self.placed += recent.len() as u64;
        let in_chunks = Chunk::estimate(&recent);
        let in_all = self.bytes + self.runs.bytes() + in_chunks;
        let run = if in_all > SMALL && in_chunks > 2 * recent.len() as u64 { Run::of(&recent) } else { None };
        let run = run.filter(|run| run.is_quick() || in_all > 2 * self.placed);
        match run {
            Some(run) => self.runs.push(run),
            None => recent.iter().for_each(|address| _ = self.insert_in_chunk(*address)),
        }
        recent.clear();
        self.recent = recent;
    }

    /// Makes it quick to ask for addresses from now on.
    pub(crate) fn seal(&mut self) {
        self.place_recent();
        self.recent = Vec::new();
        self.runs.seal();
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
                    self.bytes -= IN_TABLE;
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
        self.bytes + self.runs.bytes() + (self.recent.capacity() * size_of::<u64>()) as u64
    }

    /// Whether it takes more than a cache near the processor has room for.
    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.held() > SMALL
    }

    /// Whether this address was taken in.
    #[inline]
    pub(crate) fn has(&self, address: u64) -> bool {
        self.ranges.iter().any(|range| range.has(address)) || self.runs.has(address) || self.has_elsewhere(address)
    }

    #[cold]
    #[inline(never)]
    fn has_elsewhere(&self, address: u64) -> bool {
        let (key, at) = split(address);
        let in_chunk = if key == self.open.0 {
            self.open.1.has(at)
        } else {
            self.chunks.get(&key).is_some_and(|chunk| chunk.has(at))
        };
        in_chunk || self.is_recent(address)
    }

    /// The most addresses that can be asked for together.
    pub(crate) const TOGETHER: usize = run::FETCHED;

    /// A bit for each of these addresses, from the lowest on, that was not taken in. Each is looked at before one is decided on:
    /// asked one by one, each would have to be waited for.
    pub(crate) fn missing(&self, addresses: &[u64]) -> u64 {
        let addresses = &addresses[..addresses.len().min(Self::TOGETHER)];
        let mut missing = match addresses.len() {
            0 => return 0,
            count => u64::MAX >> (64 - count),
        };
        for range in &self.ranges {
            let there =
                (0..).zip(addresses).fold(0, |there, (at, address)| there | u64::from(range.has(*address)) << at);
            missing &= !there;
            if missing == 0 {
                return 0;
            }
        }
        let mut left = missing & !self.runs.among(addresses);
        missing = left;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            left &= left - 1;
            if self.has_elsewhere(addresses[at]) {
                missing &= !(1 << at);
            }
        }
        missing
    }
}

impl Range {
    fn chunk_mut(&mut self, key: u64) -> Option<&mut All> {
        self.chunks.get_mut(usize::try_from(key.wrapping_sub(self.first)).ok()?)?.as_deref_mut()
    }

    /// Whether one of its chunks has this address. Without a branch on what is found: the next one is asked for meanwhile.
    #[inline]
    fn has(&self, address: u64) -> bool {
        let (key, at) = split(address);
        let Ok(chunk) = usize::try_from(key.wrapping_sub(self.first)) else { return false };
        let Some(Some(all)) = self.chunks.get(chunk) else { return false };
        all[usize::from(at >> 6)] >> (at & 63) & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::draw::{Draw, SeedDraw};

    /// Addresses of a kind go in, some of them twice; every one of them is there, and nothing beside them.
    /// Whether some of them are in runs.
    fn is_a_set(name: &str, count: u64, mut address: impl FnMut(&mut SeedDraw, u64) -> u64) -> bool {
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
        set.runs.bytes() > 0
    }

    fn asked(name: &str, set: &AddressSet, known: &HashSet<u64>) {
        for &address in known {
            for other in
                [address, address ^ 1, address ^ 8, address ^ 1 << 19, address ^ 1 << 63, address.wrapping_add(1)]
            {
                assert_eq!(set.has(other), known.contains(&other), "{name}: {other:#x}");
            }
        }
        assert!(!known.contains(&0x5555_5555) && !set.has(0x5555_5555), "{name}");
    }

    #[test]
    fn it_has_what_was_put_in() {
        let chunks_alone = [
            is_a_set("as in a heap", 20_000, |_, n| 0x7f00_0000_0000 + n * 24),
            is_a_set("numbers", 20_000, |_, n| n),
            is_a_set("downwards", 20_000, |_, n| 0xffff_fff8 - n * 8),
            is_a_set("far apart", 5_000, |_, n| n << 40),
            is_a_set("anywhere", 5_000, |draw, _| draw.u64() >> 1),
            is_a_set("in some chunks, in no order", 50_000, |draw, _| 0x1000_0000 + draw.below(1 << 22)),
            is_a_set("in many ranges", 200_000, |_, n| ((n / 10_000) << 40) + (n % 10_000) * 16),
            is_a_set("unaligned", 200_000, |_, n| 0x1000_0000 + n * 13),
            is_a_set("at the end of the addresses", 100_000, |_, n| u64::MAX - 7 - n * 8),
            is_a_set("few, and each often", 5_000, |draw, _| draw.below(300) << 17),
        ];
        assert_eq!(chunks_alone, [false; 10]);
        let runs = [
            is_a_set("apart, and upwards", 100_000, |draw, n| 0x10_0000 + n * 4096 + draw.below(512) * 8),
            is_a_set("far apart, and upwards", 100_000, |draw, n| (n << 30) + draw.below(1 << 28) * 4),
            is_a_set("in clusters, far apart", 100_000, |_, n| ((n / 100) << 32) + (n % 100) * 8),
            is_a_set("in groups, apart, and upwards", 100_000, |draw, n| {
                0x10_0000 + ((n / 20) << 17) + ((n % 20) << 6) + draw.below(8) * 8
            }),
            is_a_set("upwards, with every tenth lower", 100_000, |draw, n| match n % 10 {
                9 => draw.below(n * 200) * 8,
                _ => n * 1600 + 8,
            }),
            is_a_set("up to the last address", 100_000, |draw, n| match n {
                99_999 => u64::MAX,
                _ => (u64::MAX << 30) + (n << 13) + draw.below(1 << 10) * 8,
            }),
        ];
        assert_eq!(runs, [true; 6]);
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
            for number in 0..1 << 16 {
                assert!(set.has(number * 8) && !set.insert(number * 8), "{number} after steps of {step}");
            }
            assert!(!set.has(8 << 16) && !set.has(1));
        }
    }
}
