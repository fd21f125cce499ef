//! Finding an entry by its address.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::HashMap;

/// The numbers of classes and objects by their addresses. Where an address occurs twice, the first class or object of it is found.
///
/// Objects are looked up in a table of their addresses in ascending order. That is cut at its widest gaps, since a heap may lie
/// in several distant places, and each part has an index that leads to a few addresses. So an object takes 8.5 bytes, and 12
/// more where objects do not ascend in the dump.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    classes: HashMap<u64, u32>,
    /// The number of the first object.
    first: u32,
    /// The objects' addresses, ascending; of an unordered dump.
    sorted: Vec<u64>,
    /// The numbers of the objects in the order of their addresses; empty if that is the dump's order.
    numbers: Vec<u32>,
    parts: Vec<Part>,
    /// By part and slot, how many addresses stand before it.
    index: Vec<u32>,
}

/// Addresses between two wide gaps.
#[derive(Clone, Copy, Debug)]
struct Part {
    first: u64,
    /// The slot of an address in `index` is its distance from the first one, without that many bits.
    shift: u32,
    slots: usize,
    /// Where its slots stand in `index`.
    start: usize,
}

/// Addresses of a slot, about: as many as a cache line has.
const OF_A_SLOT: usize = 8;
/// Parts at most.
const PARTS: usize = 32;
/// A gap below which no part ends: 16 MiB.
const GAP: u64 = 1 << 24;

impl Places {
    /// Of the addresses of all entries, of which the first are classes.
    pub(super) fn new(addresses: &[u64], classes: usize) -> Places {
        let (of_classes, of_objects) = addresses.split_at(classes);
        let mut places = Places { first: classes as u32, ..Places::default() };
        for (number, address) in (0..).zip(of_classes) {
            places.classes.entry(*address).or_insert(number);
        }
        if of_objects.is_sorted() {
            places.cut(of_objects);
        } else {
            let mut numbers: Vec<u32> = (places.first..).take(of_objects.len()).collect();
            // Equal ones stay in the dump's order.
            numbers.sort_by_key(|number| addresses[*number as usize]);
            let sorted: Vec<u64> = numbers.iter().map(|number| addresses[*number as usize]).collect();
            places.cut(&sorted);
            (places.sorted, places.numbers) = (sorted, numbers);
        }
        places
    }

    fn cut(&mut self, keys: &[u64]) {
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
            self.part(keys, start, end);
        }
        self.index.push(keys.len() as u32);
    }

    fn part(&mut self, keys: &[u64], from: usize, to: usize) {
        let Some((first, last)) = keys[from..to].first().zip(keys[from..to].last()) else { return };
        let wanted = ((to - from) / OF_A_SLOT).max(1) as u64;
        let mut shift = 0;
        while (last - first) >> shift >= wanted {
            shift += 1;
        }
        let slots = ((last - first) >> shift) as usize + 1;
        let start = self.index.len();
        let mut at = from;
        for slot in 0..slots as u64 {
            while at < to && (keys[at] - first) >> shift < slot {
                at += 1;
            }
            self.index.push(at as u32);
        }
        self.parts.push(Part { first: *first, shift, slots, start });
    }

    /// The number of the entry at an address; `addresses` are those that this was made of.
    #[inline]
    pub(super) fn find(&self, addresses: &[u64], address: u64) -> Option<u32> {
        self.object(addresses, address).or_else(|| self.classes.get(&address).copied())
    }

    #[inline]
    fn object(&self, addresses: &[u64], address: u64) -> Option<u32> {
        let after = self.parts.partition_point(|part| part.first <= address);
        let part = &self.parts[after.checked_sub(1)?];
        let slot = usize::try_from((address - part.first) >> part.shift).ok().filter(|slot| *slot < part.slots)?;
        let (from, to) = (self.index[part.start + slot] as usize, self.index[part.start + slot + 1] as usize);
        let keys = if self.numbers.is_empty() { &addresses[self.first as usize..] } else { &self.sorted };
        let within = &keys[from..to];
        let at = from + within.partition_point(|key| *key < address);
        (at < to && keys[at] == address).then(|| self.numbers.get(at).copied().unwrap_or(self.first + at as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every address, and those beside it, against a search from the front.
    fn check(addresses: &[u64], classes: usize) {
        let places = Places::new(addresses, classes);
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
        // More wide gaps than there are parts.
        check(&(0..200).map(|n| n * (GAP + 8 * n) + 8).collect::<Vec<_>>(), 0);
    }
}
