//! A set of addresses, quick to ask where they lie as in a heap: aligned, and in few ranges.

use std::hash::BuildHasher;

use foldhash::HashMap;
use foldhash::fast::RandomState;

/// The addresses of a heap's classes and objects.
///
/// Addresses that agree in their last three bits and in all but the seven bits above those are one entry of a hash table, with a bit
/// for each: of a heap whose addresses are multiples of 8, that is a kilobyte. An entry takes 29 to 57 bytes, so an address takes 1 or 2
/// bytes where objects have 32, 7 at most where they have 128, and 57 at most where each lies alone. A table that grows needs its old
/// and its new room at once: there are many of them, so that this is little.
///
/// Addresses mostly come in order, so the last entry is at hand. The hashes have random seeds: it is hard to make a dump whose addresses
/// collide.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressSet {
    /// None until there is a second entry: a file may have many small heaps.
    tables: Vec<HashMap<u64, Bits>>,
    chooser: RandomState,
    /// The entry of the address that came last, and its key. What the tables have of it is out of date.
    open: (u64, Bits),
    /// Entries for which the tables have room.
    room: usize,
}

/// A bit for each address of an entry.
type Bits = [u64; 2];

/// Number of tables.
const TABLES: usize = 64;
/// The most bytes that a table takes for an entry that it has room for: it has 8 places for 7 of them, of a byte more.
const IN_TABLE: usize = (size_of::<(u64, Bits)>() + 1) * 8 / 7;

/// The key of an address's entry, and the word and the bit that it has there.
#[inline]
fn locate(address: u64) -> (u64, usize, u64) {
    let place = address.rotate_right(3);
    (place >> 7, (place >> 6 & 1) as usize, 1 << (place & 63))
}

impl AddressSet {
    /// Takes an address in; `false` if it was there.
    #[inline]
    pub(crate) fn insert(&mut self, address: u64) -> bool {
        let (key, word, bit) = locate(address);
        if key != self.open.0 {
            self.open(key);
        }
        let word = &mut self.open.1[word];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether this address was taken in.
    #[inline]
    pub(crate) fn has(&self, address: u64) -> bool {
        let (key, word, bit) = locate(address);
        let bits = if key == self.open.0 { Some(&self.open.1) } else { self.closed(key) };
        bits.is_some_and(|bits| bits[word] & bit != 0)
    }

    /// About how many bytes it takes.
    #[inline]
    pub(crate) fn held(&self) -> u64 {
        (self.room * IN_TABLE + self.tables.len() * size_of::<HashMap<u64, Bits>>()) as u64
    }

    /// Closes the entry that is open, and opens another one.
    #[inline(never)]
    fn open(&mut self, key: u64) {
        let (closed, bits) = self.open;
        if bits != Bits::default() {
            if self.tables.is_empty() {
                self.tables.resize_with(TABLES, HashMap::default);
            }
            let table = self.table(closed);
            let table = &mut self.tables[table];
            let before = table.capacity();
            table.insert(closed, bits);
            self.room += table.capacity() - before;
        }
        self.open = (key, self.closed(key).copied().unwrap_or_default());
    }

    /// The entry of a key, as it was when it was closed.
    #[inline]
    fn closed(&self, key: u64) -> Option<&Bits> {
        self.tables.get(self.table(key))?.get(&key)
    }

    #[inline]
    fn table(&self, key: u64) -> usize {
        self.chooser.hash_one(key) as usize % TABLES
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::draw::{Draw, SeedDraw};

    /// Addresses of a kind go in, some of them twice; every one of them is there, and nothing beside them.
    fn check(name: &str, count: u64, mut address: impl FnMut(&mut SeedDraw, u64) -> u64) {
        let mut draw = SeedDraw::with_number(1, 1);
        let (mut set, mut known) = (AddressSet::default(), HashSet::new());
        for number in 0..count {
            let address = address(&mut draw, number);
            assert_eq!(set.insert(address), known.insert(address), "{name}: {address:#x}");
        }
        for &address in &known {
            for other in
                [address, address ^ 1, address ^ 8, address ^ 1 << 19, address ^ 1 << 63, address.wrapping_add(1)]
            {
                assert_eq!(set.has(other), known.contains(&other), "{name}: {other:#x}");
            }
        }
        assert!(!known.contains(&0x5555_5555) && !set.has(0x5555_5555), "{name}");
    }

    #[test]
    fn has_only_inserted_addresses() {
        check("as in a heap", 20_000, |_, n| 0x7f00_0000_0000 + n * 24);
        check("numbers", 20_000, |_, n| n);
        check("downwards", 20_000, |_, n| 0xffff_fff8 - n * 8);
        check("far apart", 5_000, |_, n| n << 40);
        check("anywhere", 5_000, |draw, _| draw.u64());
        check("in a range, in no order", 20_000, |draw, _| 0x1000_0000 + draw.below(1 << 20));
        check("in many ranges", 50_000, |_, n| ((n / 2_500) << 40) + (n % 2_500) * 16);
        check("unaligned", 20_000, |_, n| 0x1000_0000 + n * 13);
        check("up to the last address", 20_000, |_, n| u64::MAX - n * 8);
        check("few, and each often", 5_000, |draw, _| draw.below(300) << 17);
        check("upwards, with every tenth lower", 20_000, |draw, n| match n % 10 {
            9 => draw.below(n * 200) * 8,
            _ => n * 1600 + 8,
        });
    }

    /// Every address of some entries, from the last one to the first and in leaps.
    #[test]
    fn has_every_address_of_a_full_entry() {
        for step in [0x1ff_u64, 1, 0x81] {
            let mut set = AddressSet::default();
            for number in 0..1 << 9 {
                let address = (number * step % (1 << 9)) * 8;
                assert!(!set.has(address) && set.insert(address) && set.has(address), "{number} in steps of {step}");
            }
            for number in 0..1 << 9 {
                assert!(set.has(number * 8) && !set.insert(number * 8), "{number} after steps of {step}");
            }
            assert!(!set.has(8 << 9) && !set.has(1));
        }
    }

    #[test]
    fn takes_nothing_for_one_entry_and_at_most_60_bytes_for_each_of_many() {
        let mut set = AddressSet::default();
        set.insert(0x10);
        set.insert(0x18);
        assert_eq!(set.held(), 0);
        let of = |count: u64| {
            let mut set = AddressSet::default();
            (0..count).for_each(|number| _ = set.insert(number << 20));
            set.held() as f64 / count as f64
        };
        // The tables have room for 3584, 7168 and 14,336 entries, some of them for the double.
        for count in [200_000, 229_000, 240_000, 300_000, 458_000, 480_000] {
            let each = of(count);
            assert!((25.0..=60.0).contains(&each), "{count}: {each} bytes each");
        }
    }
}
