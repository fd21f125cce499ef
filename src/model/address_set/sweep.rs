//! Records that mostly ascend, and the references from them, in one pass.

use std::collections::BTreeSet;

use foldhash::HashSet;

use super::chunk::MANY;
use super::{AddressSet, Range, address_at, place_of};

#[cfg(test)]
mod tests;
mod window;

use window::{
    BELOW, BLOCK_BITS, Block, Blocks, CHUNK_BITS, WORDS, Window, any, bits, block_of, first_of, mark, split, whole,
    word_and_bit, words_of,
};

/// Which addresses there are, while it is not yet known whether there is something at each of those that references lead to.
///
/// There is a bit for each address that there could be, and a frontier that goes up with the records. A bit up to the frontier is that of
/// an address that there is, or that was passed; a bit above it is that of one that a reference leads to. Where the frontier goes past
/// such a bit and no record is there, it was passed. What a reference leads back to without a record there is awaited, and each such
/// reference is told of. So a reference takes one look at memory that is mostly in no cache, whether it leads ahead or back, and no record
/// has to be read twice.
///
/// That suits a heap whose objects lie side by side; where large ones leave room between others, nothing is kept of it. Others would take
/// more memory than a set of their addresses: there is no room for them.
#[derive(Debug)]
pub(crate) struct Sweep {
    windows: Vec<Window>,
    /// Which of them the last record was in.
    current: usize,
    /// Places above the frontier of that window and below this are in the block of the frontier, and have no record that came before its
    /// turn. 0 where nothing is known of such places: no record came in order, there is no room, or the block is the last one that there can be.
    limit: u64,
    /// Places up to a frontier to which references lead back, and where no record was so far. Their bits are not set.
    awaited: HashSet<u64>,
    /// The same where some references were not told of: those that led ahead, and those of which no one wants to be told. Their bits are
    /// set.
    passed: HashSet<u64>,
    records: u64,
    /// Bytes of the blocks in which records are.
    swept: u64,
    /// Bytes of all, and how many they may be.
    bytes: u64,
    most: u64,
    is_full: bool,
}

/// What became of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// It is there now.
    New,
    /// It was there.
    Again,
    /// There is no room for it: a set of addresses has to take over.
    NoRoom,
}

/// Bytes of blocks for which no records are asked. Not many: until then, each reference may need a block of its own.
const EARLY: u64 = 128 << 10;
/// What a block takes, about.
const BLOCK_BYTES: u64 = size_of::<Block>() as u64 + 24;
/// The most windows, which are looked at in turn.
const WINDOWS: usize = 8;
/// The most addresses that are awaited, of those that were passed, and of those ahead in a window.
const ASIDE: usize = 1 << 16;

impl Sweep {
    /// Nothing so far, in at most this many bytes.
    pub(crate) fn new(most: u64) -> Sweep {
        Sweep {
            windows: Vec::new(),
            current: 0,
            limit: 0,
            awaited: HashSet::default(),
            passed: HashSet::default(),
            records: 0,
            swept: 0,
            bytes: 0,
            most,
            is_full: false,
        }
    }

    /// Lets it take this many bytes, if that is more than before.
    pub(crate) fn allow(&mut self, most: u64) {
        self.most = self.most.max(most);
    }

    /// There is a record at this address, of those that mostly ascend.
    #[inline]
    pub(crate) fn enter(&mut self, address: u64) -> Entered {
        let there = place_of(address);
        if there < self.limit
            && let Some(window) = self.windows.get_mut(self.current)
            && there > window.frontier
            && let Some(Some(blocks)) = window.chunks.get_mut(split(there).1)
            && let Some(all) = &mut blocks[block_of(there)]
        {
            let ((from, last), (word, bit)) = (word_and_bit(window.frontier), word_and_bit(there));
            let above = !(last | (last - 1));
            // Mostly without a branch on whether they are in one word, which could not be foretold.
            let (lower, upper) = (all[from] & above, all[word] & (bit - 1));
            let mut passed = if from == word { lower & upper } else { lower | upper };
            if word > from + 1 {
                passed |= any(&all[from + 1..word]);
            }
            if passed == 0 {
                all[word] |= bit;
                window.frontier = there;
                self.records += 1;
                return Entered::New;
            }
        }
        self.enter_elsewhere(there)
    }

    /// The same, whatever is between the frontier and the record.
    #[inline(never)]
    fn enter_elsewhere(&mut self, there: u64) -> Entered {
        let entered = self.enter_anywhere(there);
        self.set_limit();
        entered
    }

    /// What is known of records ahead, or of the room for them, may have changed, or the last record is in another block.
    fn set_limit(&mut self) {
        self.limit = match self.windows.get(self.current) {
            // There was no record in order.
            None | Some(Window { frontier: 0 | BELOW, .. }) => 0,
            _ if self.is_full => 0,
            // The end of the last block is shifted out.
            Some(window) => window.next_ahead.min(((window.frontier >> BLOCK_BITS) + 1) << BLOCK_BITS),
        };
    }

    fn enter_anywhere(&mut self, there: u64) -> Entered {
        let Some(at) = self.room(there, false) else { return Entered::NoRoom };
        if self.windows[at].frontier == BELOW {
            self.begin(at, there);
        }
        let window = &mut self.windows[at];
        if there <= window.frontier {
            return self.enter_passed(at, there);
        }
        if self.records == 0 || there >> BLOCK_BITS != window.frontier >> BLOCK_BITS {
            self.swept += BLOCK_BYTES;
        }
        // The bound of a set of addresses in chunks.
        if self.swept > 2 * self.records + EARLY {
            self.is_full = true;
            return Entered::NoRoom;
        }
        self.current = at;
        let mut passed = window.between(window.frontier, there);
        let ahead = window.take_ahead(there);
        for one in &ahead {
            let (word, bit) = window.word(*one);
            *word |= bit;
        }
        passed.retain(|one| ahead.binary_search(one).is_err());
        self.passed.extend(passed);
        self.is_full |= self.passed.len() > ASIDE;
        let (word, bit) = window.word(there);
        *word |= bit;
        window.frontier = there;
        if ahead.last() == Some(&there) {
            return Entered::Again;
        }
        self.records += 1;
        Entered::New
    }

    /// A window in which no record was expected has one in order, the first: what is above it is ahead.
    fn begin(&mut self, at: usize, there: u64) {
        let window = &mut self.windows[at];
        window.frontier = there;
        for place in window.above().collect::<Vec<u64>>() {
            // A bit there is that of a record, unless it was passed.
            if !self.passed.remove(&place) {
                window.ahead.insert(place);
            }
        }
        window.next_ahead = window.ahead.first().copied().unwrap_or(u64::MAX);
        self.is_full |= window.ahead.len() > ASIDE;
        let is_ahead = |place: &u64| split(*place).0 == window.number && *place > there;
        let ahead: Vec<u64> = self.awaited.iter().copied().filter(is_ahead).collect();
        for place in ahead {
            self.awaited.remove(&place);
            let (word, bit) = window.word(place);
            *word |= bit;
        }
        self.current = at;
    }

    /// There is a record at this address, which need not come in order with the others.
    pub(crate) fn enter_aside(&mut self, address: u64) -> Entered {
        let entered = self.enter_ahead(place_of(address));
        self.set_limit();
        entered
    }

    fn enter_ahead(&mut self, there: u64) -> Entered {
        let Some(at) = self.room(there, false) else { return Entered::NoRoom };
        let window = &mut self.windows[at];
        if there <= window.frontier {
            return self.enter_passed(at, there);
        }
        if !window.ahead.insert(there) {
            return Entered::Again;
        }
        window.next_ahead = window.next_ahead.min(there);
        self.is_full |= window.ahead.len() > ASIDE;
        self.records += 1;
        Entered::New
    }

    /// The same at or below the frontier of a window that has room for it.
    fn enter_passed(&mut self, window: usize, there: u64) -> Entered {
        let (word, bit) = self.windows[window].word(there);
        let is_set = *word & bit != 0;
        *word |= bit;
        if is_set && !self.passed.remove(&there) {
            return Entered::Again;
        }
        self.awaited.remove(&there);
        self.records += 1;
        Entered::New
    }

    /// References lead to these addresses. `open` is called with the number of each of them that leads back to where no record is so
    /// far. Where it says `false`, it is not called for that address any more.
    #[inline]
    pub(crate) fn refer(&mut self, addresses: &[u64], mut open: impl FnMut(usize) -> bool) {
        let mut at = 0;
        while at < addresses.len() {
            at += self.windows.get_mut(self.current).map_or(0, |window| window.mark_all(&addresses[at..]));
            if let Some(&address) = addresses.get(at) {
                let place = place_of(address);
                if !self.mark(place) {
                    if self.await_or_mark(place) && !open(at) {
                        self.pass(place);
                    }
                    self.set_limit();
                }
                at += 1;
            }
        }
    }

    /// Marks a place where there is room for it, and which is ahead or has a record.
    #[inline]
    fn mark(&mut self, there: u64) -> bool {
        let number = split(there).0;
        let window = self.windows.iter_mut().find(|window| window.number == number);
        window.is_some_and(|window| mark(&mut window.chunks, (first_of(number), window.frontier), there))
    }

    /// Marks a place that is ahead, if there is room for it; `true` for one that is awaited from now on, or was.
    #[cold]
    #[inline(never)]
    fn await_or_mark(&mut self, place: u64) -> bool {
        let Some(at) = self.room(place, true) else { return false };
        let window = &mut self.windows[at];
        let is_ahead = place > window.frontier;
        let (word, bit) = window.word(place);
        if is_ahead || *word & bit != 0 {
            *word |= bit;
            return false;
        }
        self.awaited.insert(place);
        self.is_full |= self.awaited.len() > ASIDE;
        true
    }

    /// References to a place that is awaited are not told of any more.
    fn pass(&mut self, place: u64) {
        let Some(at) = self.room(place, true) else { return };
        let (word, bit) = self.windows[at].word(place);
        *word |= bit;
        self.awaited.remove(&place);
        self.passed.insert(place);
        self.is_full |= self.passed.len() > ASIDE;
    }

    /// The window that has this place, with room for it; `None` if it may not take that. `is_referred` says that a reference leads there.
    fn room(&mut self, place: u64, is_referred: bool) -> Option<usize> {
        if self.is_full {
            return None;
        }
        let (number, chunk) = split(place);
        let at = self.windows.iter().position(|window| window.number == number).unwrap_or_else(|| {
            let (chunks, ahead) = (Vec::new(), BTreeSet::new());
            // What is below a window that has records in order comes before them, until it has some itself.
            let is_below = |current: &Window| current.frontier > 0 && number < current.number;
            let frontier = match self.windows.get(self.current) {
                Some(current) if is_referred && is_below(current) => BELOW,
                _ => 0,
            };
            self.windows.push(Window { number, chunks, frontier, ahead, next_ahead: u64::MAX });
            self.windows.len() - 1
        });
        let chunks = &mut self.windows[at].chunks;
        let blocks = chunks.get(chunk).and_then(Option::as_ref);
        if blocks.is_none_or(|blocks| blocks[block_of(place)].is_none()) {
            let table = (chunk + 1).saturating_sub(chunks.len()) * size_of::<Option<Box<Blocks>>>();
            let of_blocks = if blocks.is_none() { size_of::<Blocks>() } else { 0 };
            self.bytes += BLOCK_BYTES + (of_blocks + table) as u64;
            if self.bytes > self.most || self.windows.len() > WINDOWS {
                self.is_full = true;
                return None;
            }
            let chunks = &mut self.windows[at].chunks;
            if chunk >= chunks.len() {
                chunks.resize(chunk + 1, None);
            }
            let blocks = chunks[chunk].get_or_insert_default();
            blocks[block_of(place)] = Some(Box::default());
        }
        Some(at)
    }

    /// Whether every reference that was not told of leads to a record, now that all are known; `false`, too, if there was no room for
    /// all of them.
    pub(crate) fn is_closed(&self) -> bool {
        let is_closed = |window: &Window| window.above().all(|place| window.ahead.contains(&place));
        !self.is_full && self.passed.is_empty() && self.windows.iter().all(is_closed)
    }

    /// Whether references of which was told lead to where no record ever was.
    pub(crate) fn awaits(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// Whether a reference led back to this address, and no record was ever there.
    pub(crate) fn is_awaited(&self, address: u64) -> bool {
        self.awaited.contains(&place_of(address))
    }

    /// How many bytes more it may take.
    pub(crate) fn left(&self) -> u64 {
        self.most.saturating_sub(self.bytes)
    }

    /// How many addresses there are.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// The addresses of all records. Chunks that are well filled go over as they are.
    pub(crate) fn into_set(mut self) -> AddressSet {
        let mut set = AddressSet::default();
        self.windows.sort_unstable_by_key(|window| window.number);
        for mut window in self.windows {
            // Bits of what is not there.
            let number = window.number;
            let mut nothing: Vec<u64> = window.above().filter(|place| !window.ahead.contains(place)).collect();
            nothing.extend(self.passed.iter().filter(|place| split(**place).0 == number));
            for place in nothing {
                let (word, bit) = window.word(place);
                *word &= !bit;
            }
            let mut range = Range { first: window.number << CHUNK_BITS, chunks: Vec::new() };
            for (key, chunk) in (range.first..).zip(window.chunks) {
                let filled =
                    |blocks: &Blocks| words_of(blocks, 0..WORDS).filter(|(_, word)| *word != 0).count() >= MANY;
                let (kept, few) = match chunk {
                    Some(blocks) if filled(&blocks) => (Some(whole(&blocks)), None),
                    few => (None, few),
                };
                if let Some(all) = &kept {
                    set.bytes += size_of_val(&**all) as u64;
                    set.placed += all.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                    // Above all that could be in it.
                    set.next = set.next.max(address_at(key << 16 | 0xffff).saturating_add(1));
                }
                for place in few.iter().flat_map(|blocks| bits(key, blocks, 0, u64::MAX)) {
                    set.insert(address_at(place));
                }
                range.chunks.push(kept);
            }
            if range.chunks.iter().any(Option::is_some) {
                set.ranges.push(range);
            }
            window.ahead.iter().for_each(|place| _ = set.insert(address_at(*place)));
        }
        set
    }
}
