//! A set of addresses, small and quick to ask where they lie as in a heap: aligned, and in few ranges.

use std::mem;

use foldhash::{HashMap, HashSet};

mod chunk;

use chunk::{All, Chunk};

/// Which addresses there are, and whether those that were referred to are among them.
///
/// Addresses that agree in their last three bits and in all but the sixteen bits above those share a chunk: of a heap whose
/// addresses are multiples of 8, that is half a megabyte. A chunk of more than 64 addresses has a bit for each that there
/// could be, in words of 64, and keeps the words that are not 0, with 160 bytes that say which those are; from half of them
/// on, it has all. So an address takes half a byte where objects have 32 bytes, 2 bytes where they have 128, 8 or less where
/// they have more, and some 120 where each lies alone (while the table of chunks grows). Numbers without gaps, as the hprof
/// agent has them, take a bit.
///
/// Where references are followed ([`AddressSet::following`]): addresses mostly come in order, and references lead anywhere.
/// While addresses go into a chunk, it is *open*: they have all its words, apart from the other chunks. A reference to a
/// chunk that was open is looked up. One to a chunk that is to come, or is open, puts its target there; when the chunk is
/// closed, its addresses take the targets' place, and targets that are not among them are *missed*. So references take no
/// memory of their own, and whether all of them lead somewhere is known at the end of one pass, as long as few are missed
/// on the way.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressSet {
    slots: Vec<Slot>,
    /// The slot of each chunk. The hash has a random seed: it is hard to make a dump whose addresses collide.
    places: HashMap<u64, u32>,
    /// Slots by the last bits of their chunks' keys, a power of two in number, so that mostly no hash is needed. What is
    /// asked is mostly an address from anywhere, so that time goes into what is not in a cache.
    near: Vec<u32>,
    /// The slot of the last address.
    last: usize,
    /// Where references are followed.
    open: Option<Open>,
    /// Targets whose chunk was closed without them.
    missed: HashSet<u64>,
    /// Whether more were missed than are kept.
    lost: bool,
    /// Bytes that the chunks take.
    bytes: u64,
}

/// The chunk that addresses go into.
#[derive(Clone, Debug)]
struct Open {
    /// Its key and slot, if there is one. That slot has all words of its targets.
    chunk: Option<(u64, usize)>,
    addresses: Box<All>,
}

#[derive(Clone, Debug)]
struct Slot {
    key: u64,
    chunk: Chunk,
    /// Whether it has targets of references: the chunk was not closed yet.
    is_ahead: bool,
}

/// What a chunk takes in the tables, while they grow.
const IN_TABLE: u64 = 120;
/// The most targets that are kept once their chunk is closed.
const MISSED: usize = 1 << 14;

/// The chunk of an address, and which one of its addresses it is.
#[inline]
fn split(address: u64) -> (u64, u16) {
    let aligned = address >> 3;
    (aligned >> 16 | (address & 7) << 61, aligned as u16)
}

/// The address that [`split`] took apart.
fn joined(key: u64, at: u16) -> u64 {
    (key << 16 | u64::from(at)) << 3 | key >> 61
}

/// The word of an address in its chunk, and its bit there.
#[inline]
fn place(at: u16) -> (usize, u64) {
    (usize::from(at >> 6), 1 << (at & 63))
}

/// Puts an address into the words of its chunk; `false` if it was there.
#[inline]
fn put(all: &mut All, at: u16) -> bool {
    let (word, bit) = place(at);
    let is_new = all[word] & bit == 0;
    all[word] |= bit;
    is_new
}

impl AddressSet {
    /// An empty set that is told of references, too.
    pub(crate) fn following() -> AddressSet {
        AddressSet { open: Some(Open { chunk: None, addresses: Box::new([0; _]) }), ..AddressSet::default() }
    }

    /// Takes an address in; `false` if it was there.
    #[inline]
    pub(crate) fn insert(&mut self, address: u64) -> bool {
        let (key, at) = split(address);
        match &mut self.open {
            Some(Open { chunk: Some((there, _)), addresses }) if *there == key => put(addresses, at),
            None if self.slots.get(self.last).is_some_and(|slot| slot.key == key) => {
                self.slots[self.last].insert(at, &mut self.bytes)
            }
            _ => self.insert_elsewhere(key, at),
        }
    }

    /// Takes an address into a chunk that was open; or opens its chunk.
    #[inline(never)]
    fn insert_elsewhere(&mut self, key: u64, at: u16) -> bool {
        let follows = self.open.is_some();
        self.last = self.slot(key, follows);
        if !self.slots[self.last].is_ahead {
            return self.slots[self.last].insert(at, &mut self.bytes);
        }
        let mut targets = self.close();
        let slot = &mut self.slots[self.last];
        self.bytes -= slot.chunk.bytes();
        slot.chunk.each(|at| _ = put(&mut targets, at));
        slot.chunk = Chunk::All(targets);
        self.open.as_mut().is_some_and(|open| {
            open.chunk = Some((key, self.last));
            put(&mut open.addresses, at)
        })
    }

    /// Takes in what references lead to.
    #[inline]
    pub(crate) fn refer(&mut self, targets: &[u64]) {
        for &target in targets {
            let (key, at) = split(target);
            // No branch asks whether the chunk is still to come, which nothing could foresee.
            if let Some(place) = self.nearly(key)
                && let Slot { chunk: Chunk::All(all), is_ahead, .. } = &mut self.slots[place]
            {
                let (word, bit) = self::place(at);
                let bits = all[word] | bit & 0_u64.wrapping_sub(u64::from(*is_ahead));
                all[word] = bits;
                if bits & bit != 0 {
                    continue;
                }
            }
            self.refer_elsewhere(key, at);
        }
    }

    /// Whether every address that was referred to is there, as far as that is known. References that come later are not
    /// followed.
    pub(crate) fn settle(&mut self) -> bool {
        self.close();
        self.open = None;
        let mut is_ahead = false;
        for slot in self.slots.iter_mut().filter(|slot| slot.is_ahead) {
            is_ahead |= !slot.chunk.is_empty();
            self.bytes -= slot.chunk.bytes();
            (slot.chunk, slot.is_ahead) = (Chunk::default(), false);
        }
        let missed = mem::take(&mut self.missed);
        !is_ahead && !mem::take(&mut self.lost) && missed.into_iter().all(|address| self.has(address))
    }

    /// About how many bytes it takes.
    #[inline]
    pub(crate) fn held(&self) -> u64 {
        self.bytes
    }

    /// Whether this address was taken in. Of an open chunk nothing is known before the set is settled.
    #[inline]
    pub(crate) fn has(&self, address: u64) -> bool {
        let (key, at) = split(address);
        if let Some(place) = self.nearly(key)
            && let Slot { chunk: Chunk::All(all), is_ahead: false, .. } = &self.slots[place]
        {
            let (word, bit) = self::place(at);
            return all[word] & bit != 0;
        }
        self.has_elsewhere(key, at)
    }

    #[inline(never)]
    fn has_elsewhere(&self, key: u64, at: u16) -> bool {
        let slot = self.find(key).map(|place| &self.slots[place]);
        slot.is_some_and(|slot| !slot.is_ahead && slot.chunk.has(at))
    }

    #[inline(never)]
    fn refer_elsewhere(&mut self, key: u64, at: u16) {
        let place = self.slot(key, true);
        let slot = &mut self.slots[place];
        if slot.is_ahead {
            slot.insert(at, &mut self.bytes);
        } else if !slot.chunk.has(at) {
            self.miss(joined(key, at));
        }
    }

    /// Packs the open chunk's addresses into its slot. What was referred to there and has not come is missed. Gives the
    /// room of its targets back.
    fn close(&mut self) -> Box<All> {
        let Some(Open { chunk, addresses }) = &mut self.open else { return Box::new([0; _]) };
        let Some((key, place)) = chunk.take() else { return Box::new([0; _]) };
        let slot = &mut self.slots[place];
        slot.is_ahead = false;
        let packed = Chunk::of(addresses);
        self.bytes += packed.bytes();
        let targets = mem::replace(&mut slot.chunk, packed);
        let Chunk::All(mut targets) = targets else { return Box::new([0; _]) };
        targets.iter_mut().zip(addresses.iter()).for_each(|(target, address)| *target &= !address);
        addresses.fill(0);
        if targets.iter().fold(0, |all, word| all | word) != 0 {
            chunk::each(&targets, |at| self.miss(joined(key, at)));
            targets.fill(0);
        }
        targets
    }

    fn miss(&mut self, address: u64) {
        if self.missed.len() == MISSED {
            // Some may have come since.
            let missed = mem::take(&mut self.missed);
            self.missed = missed.into_iter().filter(|&address| !self.has(address)).collect();
            self.lost |= self.missed.len() > MISSED / 2;
        }
        if !self.lost {
            self.missed.insert(address);
        }
    }

    /// The slot of a chunk where it can be found without a table.
    #[inline]
    fn nearly(&self, key: u64) -> Option<usize> {
        let place = *self.near.get(key as usize & self.near.len().wrapping_sub(1))? as usize;
        (self.slots.get(place)?.key == key).then_some(place)
    }

    /// The slot of a chunk.
    fn find(&self, key: u64) -> Option<usize> {
        self.nearly(key).or_else(|| self.places.get(&key).map(|&place| place as usize))
    }

    /// The slot of a chunk; a new one if it has none.
    fn slot(&mut self, key: u64, is_ahead: bool) -> usize {
        if let Some(place) = self.nearly(key) {
            return place;
        }
        let next = self.slots.len() as u32;
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.slots.push(Slot { key, chunk: Chunk::default(), is_ahead });
            self.bytes += IN_TABLE;
            if self.slots.len() * 2 > self.near.len() {
                self.near = vec![0; (self.slots.len() * 4).next_power_of_two()];
                let mask = self.near.len() - 1;
                for (place, slot) in self.slots.iter().enumerate() {
                    self.near[slot.key as usize & mask] = place as u32;
                }
            }
        }
        let mask = self.near.len() - 1;
        self.near[key as usize & mask] = place;
        place as usize
    }
}

impl Slot {
    #[inline]
    fn insert(&mut self, at: u16, bytes: &mut u64) -> bool {
        if let Chunk::All(all) = &mut self.chunk {
            return put(all, at);
        }
        let before = self.chunk.bytes();
        let is_new = self.chunk.insert(at);
        *bytes = *bytes + self.chunk.bytes() - before;
        is_new
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
        for address in later {
            assert_eq!(set.insert(address), known.insert(address), "{name}: {address:#x}");
        }
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
            assert!((0..1 << 16).all(|number| set.has(number * 8) && !set.insert(number * 8)));
            assert!(!set.has(8 << 16) && !set.has(1));
        }
    }

    /// A heap of objects at these addresses, with references between any of them; and one more to nowhere.
    fn follows(name: &str, addresses: &[u64], in_order: bool) {
        for seed in 1..5 {
            let mut draw = SeedDraw::numbered(seed, 7);
            let mut set = AddressSet::following();
            for &address in addresses {
                let to: Vec<u64> = (0..3).map(|_| addresses[draw.below(addresses.len() as u64) as usize]).collect();
                set.refer(&to);
                assert!(set.insert(address), "{name}");
            }
            let mut dangling = set.clone();
            // Others may be missed, too: then the answer is that it is not known.
            assert!(set.settle() || !in_order, "{name}: all are there");
            let nowhere = addresses[addresses.len() / 2] ^ [1, 8, 1 << 40, 1 << 63][seed as usize - 1];
            assert!(!addresses.contains(&nowhere), "{name}");
            dangling.refer(&[nowhere]);
            assert!(!dangling.settle(), "{name}: {nowhere:#x} is not there");
            assert!(addresses.iter().all(|&address| dangling.has(address)) && !dangling.has(nowhere), "{name}");

            // The same, told before anything is there.
            let mut ahead = AddressSet::following();
            ahead.refer(&[nowhere]);
            addresses.iter().for_each(|&address| _ = ahead.insert(address));
            assert!(addresses.iter().all(|&address| !ahead.insert(address)), "{name}: each is there");
            assert!(!ahead.settle(), "{name}: {nowhere:#x} is not there");
            assert!(addresses.iter().all(|&address| ahead.has(address)) && !ahead.has(nowhere), "{name}");
        }
    }

    #[test]
    fn references_are_followed_in_one_pass() {
        let heap: Vec<u64> = (0..60_000).map(|n| 0x7f00_0000_0000 + n * 80).collect();
        follows("as in a heap", &heap, true);
        follows("side by side", &(0..40_000).map(|n| 0x1000_0000 + n * 16).collect::<Vec<u64>>(), true);
        follows("apart", &(0..3_000).map(|n| 0x1000_0000 + n * 0x12340).collect::<Vec<u64>>(), true);
        follows("alone", &(0..600).map(|n| n * 0x1_2345_6780).collect::<Vec<u64>>(), true);
        follows("in clusters", &(0..20_000).map(|n| n % 40 * 96 + n / 40 * 0x40_0000).collect::<Vec<u64>>(), true);
        let classes_last: Vec<u64> =
            heap.iter().filter(|a| *a % 7 != 0).chain(heap.iter().filter(|a| *a % 7 == 0)).copied().collect();
        follows("classes last", &classes_last, false);
        follows("downwards", &heap.iter().rev().copied().collect::<Vec<u64>>(), true);
        let mut mixed = heap;
        let mut draw = SeedDraw::numbered(3, 3);
        (1..mixed.len()).for_each(|n| mixed.swap(n, draw.below(n as u64 + 1) as usize));
        follows("in no order", &mixed, false);
    }
}
