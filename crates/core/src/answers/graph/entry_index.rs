//! An index from addresses to entries.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::HashMap;

/// The entry numbers of classes and objects by address. Of several entries at one address, the first class or object is
/// found.
///
/// Objects are looked up in a sorted list of addresses. It is cut into parts at its widest gaps, since a heap may lie
/// in several distant places. A part whose addresses are multiples of some unit and dense enough has a bit for each
/// possible address, in lines that also count the addresses before them: at most 5.4 bytes an object, mostly 1, and one
/// line to read. Any other part has an index that leads to a few addresses: 8.5 bytes. Where objects do not ascend in
/// the dump, their numbers and addresses take 12 more.
#[derive(Clone, Debug, Default)]
pub(super) struct EntryIndex {
    classes: HashMap<u64, u32>,
    /// The number of the first object.
    first: u32,
    /// The objects' addresses in ascending order, if the dump is not in that order.
    sorted: Vec<u64>,
    /// The objects' numbers by ascending address; empty if that is the dump's order.
    numbers: Vec<u32>,
    parts: Vec<AddressCluster>,
    lines: Vec<BitmapLine>,
    /// The number of addresses before each slot of a part.
    index: Vec<u32>,
}

/// A run of addresses between two wide gaps.
#[derive(Clone, Copy, Debug)]
struct AddressCluster {
    first: u64,
    /// The distance of the last address from the first.
    span: u64,
    /// The number of low bits that are dropped from a distance to get its slot or bit.
    shift: u32,
    /// The first of its lines or slots.
    start: usize,
    has_lines: bool,
}

/// A cache line of the bitmap: a bit for each possible address, and the number of addresses before each word.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct BitmapLine {
    words: [u64; WORDS],
    within: [u16; WORDS],
    before: u32,
}

const WORDS: usize = 6;
/// The average number of addresses in a slot: as many as a cache line has.
const OF_A_SLOT: usize = 8;
/// The most bits of the bitmap for one address.
const BITS: u64 = 32;
/// The most parts.
const PARTS: usize = 32;
/// The narrowest gap at which a part may end: 16 MiB.
const GAP: u64 = 1 << 24;

impl EntryIndex {
    /// Builds the index from the addresses of all entries, the first of which are classes.
    pub(super) fn new(addresses: &[u64], classes: usize) -> EntryIndex {
        let (of_classes, of_objects) = addresses.split_at(classes);
        let mut places = EntryIndex { first: classes as u32, ..EntryIndex::default() };
        for (number, address) in (0..).zip(of_classes) {
            places.classes.entry(*address).or_insert(number);
        }
        if of_objects.is_sorted() {
            places.split_at_gaps(of_objects);
        } else {
            let mut numbers: Vec<u32> = (places.first..).take(of_objects.len()).collect();
            // Equal ones stay in the dump's order.
            numbers.sort_by_key(|number| addresses[*number as usize]);
            let sorted: Vec<u64> = numbers.iter().map(|number| addresses[*number as usize]).collect();
            places.split_at_gaps(&sorted);
            (places.sorted, places.numbers) = (sorted, numbers);
        }
        places
    }

    fn split_at_gaps(&mut self, keys: &[u64]) {
        let mut widest = BinaryHeap::new();
        for (at, pair) in (1_usize..).zip(keys.windows(2)) {
            let gap = pair[1] - pair[0];
            if gap >= GAP {
                widest.push(Reverse((gap, at)));
                if widest.len() >= PARTS {
                    widest.pop();
                }
            }
        }
        let mut starts: Vec<usize> = widest.into_iter().map(|Reverse((_, at))| at).collect();
        starts.push(0);
        starts.sort_unstable();
        let ends = starts.iter().skip(1).copied().chain([keys.len()]);
        for (start, end) in starts.iter().copied().zip(ends.collect::<Vec<_>>()) {
            self.add_cluster(keys, start, end);
        }
    }

    fn add_cluster(&mut self, keys: &[u64], from: usize, to: usize) {
        let Some((first, last)) = keys[from..to].first().zip(keys[from..to].last()) else { return };
        let span = last - first;
        let unit = keys[from..to].iter().fold(0, |all, key| all | (key - first)).trailing_zeros().min(63);
        let bits = span >> unit;
        let is_a_set = keys[from..to].windows(2).all(|pair| pair[0] != pair[1]);
        if is_a_set && bits / BITS < (to - from) as u64 {
            self.parts.push(AddressCluster {
                first: *first,
                span,
                shift: unit,
                start: self.lines.len(),
                has_lines: true,
            });
            self.add_lines(&keys[from..to], from, unit);
            return;
        }
        let wanted = ((to - from) / OF_A_SLOT).max(1) as u64;
        let mut shift = 0;
        while span >> shift >= wanted {
            shift += 1;
        }
        let start = self.index.len();
        let mut at = from;
        for slot in 0..=span >> shift {
            while at < to && (keys[at] - first) >> shift < slot {
                at += 1;
            }
            self.index.push(at as u32);
        }
        self.index.push(to as u32);
        self.parts.push(AddressCluster { first: *first, span, shift, start, has_lines: false });
    }

    /// Adds lines for addresses that this number of others precede.
    fn add_lines(&mut self, keys: &[u64], before: usize, unit: u32) {
        let start = self.lines.len();
        let (last, ..) = keys.last().map_or_else(Default::default, |last| locate_bit((last - keys[0]) >> unit));
        self.lines.resize(start + last + 1, BitmapLine::default());
        for key in keys {
            let (line, word, bit) = locate_bit((key - keys[0]) >> unit);
            self.lines[start + line].words[word] |= bit;
        }
        let mut before = before as u32;
        for line in &mut self.lines[start..] {
            line.before = before;
            for (word, within) in line.words.iter().zip(&mut line.within) {
                *within = (before - line.before) as u16;
                before += word.count_ones();
            }
        }
    }

    /// The number of the entry at an address; `addresses` are those that the index was built from.
    #[inline]
    pub(super) fn find(&self, addresses: &[u64], address: u64) -> Option<u32> {
        self.find_object(addresses, address).or_else(|| self.classes.get(&address).copied())
    }

    #[inline]
    fn cluster_of(&self, address: u64) -> Option<&AddressCluster> {
        let after = self.parts.partition_point(|part| part.first <= address);
        self.parts.get(after.checked_sub(1)?)
    }

    #[inline]
    fn keys<'a>(&'a self, addresses: &'a [u64]) -> &'a [u64] {
        if self.numbers.is_empty() { &addresses[self.first as usize..] } else { &self.sorted }
    }

    #[inline]
    fn find_object(&self, addresses: &[u64], address: u64) -> Option<u32> {
        let part = self.cluster_of(address)?;
        let from = address - part.first;
        if from > part.span { None } else { self.find_in_cluster(addresses, part, from, address) }
    }

    /// Finds an address in a part, at this distance from the part's first address.
    #[inline]
    fn find_in_cluster(&self, addresses: &[u64], part: &AddressCluster, from: u64, address: u64) -> Option<u32> {
        let shift = part.shift;
        if part.has_lines {
            let (line, word, bit) = locate_bit(from >> shift);
            let line = &self.lines[part.start + line];
            if line.words[word] & bit == 0 || from & ((1 << shift) - 1) != 0 {
                return None;
            }
            let within = u32::from(line.within[word]) + (line.words[word] & (bit - 1)).count_ones();
            return Some(self.object_number((line.before + within) as usize));
        }
        let slot = part.start + (from >> shift) as usize;
        let (from, to) = (self.index[slot] as usize, self.index[slot + 1] as usize);
        let keys = self.keys(addresses);
        let within = &keys[from..to];
        let at = from + within.partition_point(|key| *key < address);
        (at < to && keys[at] == address).then(|| self.object_number(at))
    }

    /// The number of the object at an index of the sorted addresses.
    #[inline]
    fn object_number(&self, at: usize) -> u32 {
        self.numbers.get(at).copied().unwrap_or(self.first + at as u32)
    }
}

/// The line, the word in it, and the bit in that of a place in the bitmap.
#[inline]
fn locate_bit(at: u64) -> (usize, usize, u64) {
    let word = (at >> 6) as usize;
    (word / WORDS, word % WORDS, 1 << (at & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every address, and those beside it, against a search from the front.
    fn check(addresses: &[u64], classes: usize) {
        let places = EntryIndex::new(addresses, classes);
        let asked = addresses.iter().flat_map(|address| [address.wrapping_sub(1), *address, address.wrapping_add(1)]);
        for address in asked.chain([0, u64::MAX]) {
            let objects = addresses[classes..].iter().position(|other| *other == address).map(|at| at + classes);
            let expected = objects.or_else(|| addresses[..classes].iter().position(|other| *other == address));
            assert_eq!(places.find(addresses, address), expected.map(|at| at as u32), "{address:#x} of {addresses:x?}");
        }
    }

    #[test]
    fn every_address_leads_to_its_entry_and_no_other_does() {
        check(&[], 0);
        check(&[0x10], 0);
        check(&[0x10], 1);
        check(&[7, 3, 0x10, 0x18, 0x30], 2);
        check(&[7, 3, 0x30, 0x18, 0x18, 0x10], 2);
        check(&[u64::MAX, 1, 2, 3], 0);
        check(&[1, u64::MAX], 0);
        // Two distant places, one of them with objects as close as they can be.
        let dense = (0..1000).map(|n| 0x1000 + n);
        let far = (0..500).map(|n| 0x7f00_0000_0000 + n * n * 8);
        check(&[5, 9].into_iter().chain(dense.clone()).chain(far.clone()).collect::<Vec<_>>(), 2);
        check(&far.chain(dense).collect::<Vec<_>>(), 0);
        // Multiples of a unit, over several lines; with an address twice; in no order; and with too much room between them.
        let apart = (0..2000).map(|n| 0x10_0000 + (n * 5 + n % 3) * 8);
        check(&apart.clone().collect::<Vec<_>>(), 0);
        check(&[0x10_0000, 0x10_0008].into_iter().chain(apart.clone()).collect::<Vec<_>>(), 2);
        check(&apart.clone().flat_map(|address| [address, address]).collect::<Vec<_>>(), 0);
        check(&apart.clone().rev().collect::<Vec<_>>(), 0);
        check(&(0..200).map(|n| n * n * n * 8).collect::<Vec<_>>(), 0);
        // More wide gaps than there are parts.
        check(&(0..200).map(|n| n * (GAP + 8 * n) + 8).collect::<Vec<_>>(), 0);
    }
}
