//! Records that mostly ascend, and the references from them, in one pass.

use std::collections::BTreeSet;

use foldhash::HashSet;

use super::chunk::{All, MANY};
use super::{AddressSet, Range, address_at, place_of};

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
    /// Places above that of the last record and below this are in the same block, and have no record that came before its turn. 0 where there
    /// are none: there was no record, or there is no room.
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

/// 16 GiB of multiples of 8, or less where addresses are unaligned.
#[derive(Debug)]
struct Window {
    number: u64,
    /// `None` where neither a record nor a reference was yet.
    chunks: Vec<Option<Box<Blocks>>>,
    /// The place of the last record that came in order; 0 before there was one, or [`BELOW`].
    frontier: u64,
    /// Places above it of records that came before their turn, and the lowest of them.
    ahead: BTreeSet<u64>,
    next_ahead: u64,
}

/// 16 KiB of multiples of 8: a bit for each.
type Block = [u64; 1 << (BLOCK_BITS - 6)];
/// As much as a chunk of a set of addresses has. `None` where neither a record nor a reference was yet.
type Blocks = [Option<Box<Block>>; 1 << (16 - BLOCK_BITS)];

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
/// The frontier of a window below others, to which references lead: no record is expected in it.
const BELOW: u64 = u64::MAX;
/// Bits of the number of a chunk in its window.
const CHUNK_BITS: u32 = 15;
/// Bits of a place in its block.
const BLOCK_BITS: u32 = 11;
/// Words of a chunk: a bit for each place.
const WORDS: usize = 1 << (16 - 6);
/// What a block takes, about.
const BLOCK_BYTES: u64 = size_of::<Block>() as u64 + 24;
/// The most windows, which are looked at in turn.
const WINDOWS: usize = 8;
/// The most addresses that are awaited, of those that were passed, and of those ahead in a window.
const ASIDE: usize = 1 << 16;

/// The window of a place, and the chunk in it.
#[inline]
fn split(place: u64) -> (u64, usize) {
    (place >> (16 + CHUNK_BITS), (place >> 16) as usize & ((1 << CHUNK_BITS) - 1))
}

/// The first place of a window.
#[inline]
fn first_of(window: u64) -> u64 {
    window << (16 + CHUNK_BITS)
}

/// The block of a place in its chunk.
#[inline]
fn block_of(place: u64) -> usize {
    (place >> BLOCK_BITS) as usize & ((1 << (16 - BLOCK_BITS)) - 1)
}

/// The word of a place in its block, and its bit there.
#[inline]
fn word_and_bit(place: u64) -> (usize, u64) {
    ((place >> 6) as usize & ((1 << (BLOCK_BITS - 6)) - 1), 1 << (place & 63))
}

/// Bits of any of these words. A call of its own, so that what is done for most records needs no room for it.
#[inline(never)]
fn any(words: &[u64]) -> u64 {
    words.iter().fold(0, |any, word| any | word)
}

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

/// Those of these words of a chunk that there are, each with its number.
fn words_of(blocks: &Blocks, words: std::ops::Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    const OF: usize = size_of::<Block>() / size_of::<u64>();
    let there = (words.start / OF..words.end.div_ceil(OF)).filter_map(|at| Some((at * OF, blocks.get(at)?.as_ref()?)));
    there.flat_map(move |(first, block)| {
        let (from, to) = (words.start.max(first), words.end.min(first + OF));
        (from..).zip(block[from - first..to - first].iter().copied())
    })
}

/// A chunk with all its words.
fn whole(blocks: &Blocks) -> Box<All> {
    let mut all = Box::new([0; WORDS]);
    words_of(blocks, 0..all.len()).for_each(|(at, word)| all[at] = word);
    all
}

/// The places of a chunk, of those from `first` up to `last`, whose bits are set.
fn bits(key: u64, blocks: &Blocks, first: u64, last: u64) -> impl Iterator<Item = u64> {
    // Only of the words between: a few of many.
    let word_of = |place: u64| (place >> 6) as usize & (WORDS - 1);
    let from = if first >> 16 == key { word_of(first) } else { 0 };
    let to = if last >> 16 == key { word_of(last) } else { WORDS - 1 };
    let words = words_of(blocks, from..to + 1).map(move |(at, word)| (key << 16 | (at as u64) << 6, word));
    let words = words.filter(move |(base, word)| *word != 0 && *base <= last && base | 63 >= first);
    let places = words.flat_map(|(base, mut word)| {
        std::iter::from_fn(move || {
            let bit = (word != 0).then(|| u64::from(word.trailing_zeros()))?;
            word &= word - 1;
            Some(base | bit)
        })
    });
    places.filter(move |place| (first..=last).contains(place))
}

/// Marks a place of a window, if there is room for it and it is ahead of the frontier or has a record.
#[inline(always)]
fn mark(chunks: &mut [Option<Box<Blocks>>], (first, frontier): (u64, u64), there: u64) -> bool {
    // One below the first is far above the last.
    let Some(Some(blocks)) = chunks.get_mut((there.wrapping_sub(first) >> 16) as usize) else { return false };
    let Some(block) = &mut blocks[block_of(there)] else { return false };
    // Without a branch on where it leads, which would often be taken wrongly.
    let is_ahead = u64::from(there > frontier);
    let (word, at) = (word_and_bit(there).0, there & 63);
    let before = block[word];
    block[word] = before | is_ahead << at;
    (before >> at | is_ahead) & 1 != 0
}

impl Window {
    /// Marks the places of addresses as long as that can be done at once, and says how many those were.
    #[inline]
    fn mark_all(&mut self, addresses: &[u64]) -> usize {
        let Window { number, ref mut chunks, frontier, .. } = *self;
        let mut is_marked = |there| mark(chunks, (first_of(number), frontier), there);
        addresses.iter().position(|address| !is_marked(place_of(*address))).unwrap_or(addresses.len())
    }

    /// The word of a place that there is room for, and its bit there.
    fn word(&mut self, there: u64) -> (&mut u64, u64) {
        let ((_, chunk), (word, bit)) = (split(there), word_and_bit(there));
        let block = self.chunks[chunk].get_or_insert_default()[block_of(there)].get_or_insert_default();
        (&mut block[word], bit)
    }

    /// The places between these two whose bits are set.
    fn between(&self, from: u64, to: u64) -> Vec<u64> {
        let first = self.number << CHUNK_BITS;
        let keys = (from >> 16).max(first)..=to >> 16;
        let chunks = keys.filter_map(|key| Some((key, self.chunks.get((key - first) as usize)?.as_ref()?)));
        chunks.flat_map(|(key, blocks)| bits(key, blocks, from + 1, to - 1)).collect()
    }

    /// The places above the frontier whose bits are set.
    fn above(&self) -> impl Iterator<Item = u64> {
        let (first, frontier) = (self.number << CHUNK_BITS, self.frontier);
        let chunks = (first..).zip(&self.chunks).skip((frontier >> 16).saturating_sub(first) as usize);
        let chunks = chunks.filter_map(|(key, chunk)| Some((key, chunk.as_ref()?)));
        chunks.flat_map(move |(key, blocks)| bits(key, blocks, frontier.saturating_add(1), u64::MAX))
    }

    /// Takes out the places ahead up to this one, in order.
    fn take_ahead(&mut self, to: u64) -> Vec<u64> {
        let mut taken = Vec::new();
        while let Some(first) = self.ahead.first().copied().filter(|first| *first <= to) {
            self.ahead.pop_first();
            taken.push(first);
        }
        self.next_ahead = self.ahead.first().copied().unwrap_or(u64::MAX);
        taken
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::draw::{Draw, SeedDraw};

    /// A record: where it is, whether it comes in order with others, and where its references lead.
    type Record = (u64, bool, Vec<u64>);

    const MANY_BYTES: u64 = 1 << 30;

    /// How many references are told of at most.
    const MANY_TOLD: usize = 1 << 20;

    /// What a sweep found.
    #[derive(Debug, PartialEq)]
    struct Swept {
        had_room: bool,
        /// Whether all references lead to records, by looking each up.
        leads: bool,
        /// Whether the sweep knows that of each.
        is_known: bool,
    }

    const NO_ROOM: Swept = Swept { had_room: false, leads: true, is_known: false };
    const SOUND: Swept = Swept { had_room: true, leads: true, is_known: true };

    /// Whether all references lead to records, by the sweep and then by looking each up; and the addresses that are there by both. Records
    /// for which there is no room go into the set that takes over, as do those after them. References are told of until they are too many.
    fn swept(name: &str, records: &[Record], most: u64, most_told: usize) -> Swept {
        let (mut told, mut is_whole) = (Vec::new(), true);
        let (mut sweep, mut set, mut there) = (Some(Sweep::new(most)), AddressSet::default(), BTreeSet::new());
        for (address, in_order, references) in records {
            let is_new = there.insert(*address);
            let mut entered = match &mut sweep {
                Some(sweep) if *in_order => sweep.enter(*address),
                Some(sweep) => sweep.enter_aside(*address),
                None => Entered::NoRoom,
            };
            if entered == Entered::NoRoom {
                if let Some(sweep) = sweep.take() {
                    set = sweep.into_set();
                }
                entered = if set.insert(*address) { Entered::New } else { Entered::Again };
            }
            assert_eq!(entered, if is_new { Entered::New } else { Entered::Again }, "{name}: {address:#x}");
            if let Some(sweep) = &mut sweep {
                sweep.refer(references, |at| {
                    is_whole &= told.len() < most_told;
                    told.push(references[at]);
                    is_whole
                });
            }
        }
        let is_known = sweep.as_ref().is_some_and(|sweep| sweep.is_closed() && (is_whole || !sweep.awaits()));
        told.retain(|target| sweep.as_ref().is_some_and(|sweep| sweep.is_awaited(*target)));
        let had_room = sweep.as_ref().is_some_and(|sweep| !sweep.is_full);
        if let Some(sweep) = sweep {
            set = sweep.into_set();
        }
        set.seal();
        let targets = records.iter().flat_map(|(address, _, references)| references.iter().chain([address]));
        for &target in targets {
            for other in [target, target ^ 8, target ^ 1, target ^ 1 << 19, target ^ 1 << 40] {
                assert_eq!(set.has(other), there.contains(&other), "{name}: {other:#x}");
            }
        }
        let all = records.iter().flat_map(|(.., references)| references);
        let dangling: Vec<u64> = all.filter(|target| !there.contains(target)).copied().collect();
        let leads = dangling.is_empty();
        if is_known {
            assert_eq!(told, dangling, "{name}");
        }
        assert!(is_known || !leads || !had_room, "{name}");
        // It is a set like any other: what comes next is taken in once.
        for address in [0, 8, 0x7fff_fff8, u64::MAX, u64::MAX - 7] {
            assert_eq!(set.insert(address), there.insert(address), "{name}: {address:#x}");
        }
        Swept { had_room, leads, is_known }
    }

    /// Records at these addresses, in this order, each with some references to any of them.
    fn referring(draw: &mut SeedDraw, addresses: &[u64], aside: impl Fn(u64) -> bool) -> Vec<Record> {
        let any = |draw: &mut SeedDraw| addresses[draw.below(addresses.len() as u64) as usize];
        let record = |address: &u64| {
            let references = (0..draw.below(4)).map(|_| any(draw)).collect();
            (*address, !aside(*address), references)
        };
        addresses.iter().map(record).collect()
    }

    /// Heaps as formats and writers order them, with and without references that lead nowhere, ahead, back or between.
    #[test]
    fn it_knows_whether_all_references_lead_to_records() {
        let mut draw = SeedDraw::numbered(1, 1);
        let ascending = |count: u64, from: u64, step: u64| (0..count).map(move |n| from + n * step);
        let with_aside = |aside: Vec<u64>, first: bool, objects: Vec<u64>| match first {
            true => [aside, objects].concat(),
            false => [objects, aside].concat(),
        };
        let objects: Vec<u64> = ascending(20_000, 0x10_0000, 24).collect();
        let below: Vec<u64> = ascending(300, 0x8000, 64).collect();
        let above: Vec<u64> = ascending(300, 0x7f00_0000_0000, 64).collect();
        // Multiples of 8 that are not those of 24 from there.
        let among: Vec<u64> = ascending(300, 0x10_0008, 24 * 60).collect();
        let mut heaps: BTreeMap<&str, (Vec<u64>, BTreeSet<u64>)> = BTreeMap::new();
        for (name, aside) in [("classes below", below), ("classes above", above), ("classes among", among)] {
            let is_aside: BTreeSet<u64> = aside.iter().copied().collect();
            heaps.insert(name, (with_aside(aside.clone(), true, objects.clone()), is_aside.clone()));
            let last = with_aside(aside, false, objects.clone());
            let name: &str = Box::leak(format!("{name}, last").into_boxed_str());
            heaps.insert(name, (last, is_aside));
        }
        let plain = |addresses: Vec<u64>| (addresses, BTreeSet::new());
        heaps.insert("from 0", plain(ascending(5_000, 0, 8).collect()));
        heaps.insert("some lower", plain(objects.iter().map(|a| if a % 7 == 0 { a ^ 16 } else { *a }).collect()));
        heaps.insert("two ranges", plain(ascending(9_000, 1 << 20, 32).chain(ascending(9_000, 1 << 42, 16)).collect()));
        heaps.insert("across windows", plain(ascending(9_000, (1 << 34) - 40_000, 16).collect()));
        heaps.insert("at the end", plain(ascending(9_000, u64::MAX - 8 * 9_000 + 1, 8).collect()));
        let mut told = 0;
        for (name, (addresses, aside)) in &heaps {
            let records = referring(&mut draw, addresses, |address| aside.contains(&address));
            for most_told in [0, 5, MANY_TOLD] {
                assert_eq!(swept(name, &records, MANY_BYTES, most_told), SOUND, "{name}: {most_told}");
            }
            for turn in 0..6 {
                let mut broken = records.clone();
                let known = addresses[draw.below(addresses.len() as u64) as usize];
                let target = [known + 4, known ^ 1 << 30, known + 1, known ^ 1 << 21][turn % 4];
                let at = draw.below(records.len() as u64) as usize;
                broken[at].2.push(target);
                let leads = addresses.contains(&target);
                for most_told in [turn / 2, MANY_TOLD] {
                    let found = swept(name, &broken, MANY_BYTES, most_told);
                    assert_eq!(found.leads, leads, "{name}: {target:#x} from {at}");
                    told += u64::from(!leads && found.is_known);
                }
                // Without a record to which others lead.
                let mut broken = records.clone();
                let (gone, ..) = broken.remove(at);
                let leads = broken.iter().all(|(.., references)| !references.contains(&gone));
                let found = swept(name, &broken, MANY_BYTES, MANY_TOLD);
                assert_eq!(found.leads, leads, "{name}: without {gone:#x}");
                told += u64::from(!leads && found.is_known);
            }
            // One of them twice, at once and later.
            for again in [0, addresses.len() / 2, addresses.len() - 1] {
                let mut twice = records.clone();
                twice.insert(again, records[again].clone());
                twice.push(records[again].clone());
                twice.push((records[again].0, false, Vec::new()));
                assert_eq!(swept(name, &twice, MANY_BYTES, MANY_TOLD), SOUND, "{name}: {again} twice");
            }
        }
        assert!(told > 20, "{told} dumps whose references that lead nowhere are all known");
    }

    /// A lower range of records comes after a higher one whose references lead there; some of its records come before, and twice.
    #[test]
    fn a_lower_range_may_come_later() {
        let mut draw = SeedDraw::numbered(3, 1);
        let range = |count: u64, from: u64| (0..count).map(move |n| from + n * 24);
        let (upper, lower) = (0x7f00_0000_0000, 0x7e00_0000_0000);
        let all: Vec<u64> = range(100_000, upper).chain(range(100_000, lower)).collect();
        let aside = [all[150_000], all[199_999], all[100_000], all[150_001], all[150_001]];
        let mut records = referring(&mut draw, &all, |_| false);
        for (at, address) in (50_000..).zip(aside) {
            records.insert(at, (address, false, vec![all[0]]));
        }
        for most_told in [0, 5, MANY_TOLD] {
            assert_eq!(swept("half lead there", &records, MANY_BYTES, most_told), SOUND, "{most_told}");
        }
        let stays = |address: u64| move |target: &mut u64| *target = if *target < upper { address } else { *target };
        records.iter_mut().filter(|of| of.0 >= upper).for_each(|of| of.2.iter_mut().for_each(stays(of.0)));
        records[60_000].2 = vec![all[100_000], all[150_000], all[170_000]];
        for most_told in [0, 5, MANY_TOLD] {
            assert_eq!(swept("three lead there", &records, MANY_BYTES, most_told), SOUND, "{most_told}");
        }
        records[60_000].2.push(lower - 24);
        let known = Swept { leads: false, ..SOUND };
        assert_eq!(swept("and one below", &records, MANY_BYTES, MANY_TOLD), known);
        records[60_000].2.push(lower + 12);
        assert!(!swept("and one between", &records, MANY_BYTES, MANY_TOLD).is_known);
    }

    /// Where there is no room, a set takes over with all that was there.
    #[test]
    fn a_set_takes_over_where_there_is_no_room() {
        let mut draw = SeedDraw::numbered(2, 1);
        let apart: Vec<u64> = (0..20_000).map(|n| 0x10_0000 + n * 15_000).collect();
        let downwards: Vec<u64> = (0..400_000).map(|n| 0x7fff_0000_0000 - n * 16).collect();
        let scattered: Vec<u64> = (0..20).map(|n| n << 50).collect();
        let ascending: Vec<u64> = (0..100_000).map(|n| 0x10_0000 + n * 24).collect();
        let far: Vec<u64> = (0..2_000).map(|n| 0x10_0000 + n * 24 + ((n / 100) << 22)).collect();
        for (name, addresses, most) in [
            ("objects apart", &apart, MANY_BYTES),
            ("downwards", &downwards, MANY_BYTES),
            ("scattered", &scattered, MANY_BYTES),
            ("few bytes", &ascending, 20_000),
            ("few bytes, apart", &far, 5_000),
        ] {
            let records = referring(&mut draw, addresses, |_| false);
            assert_eq!(swept(name, &records, most, MANY_TOLD), NO_ROOM, "{name}");
        }
        let one = referring(&mut draw, &[0x1000], |_| true);
        assert_eq!(swept("nothing at all", &one, 0, MANY_TOLD), NO_ROOM);
    }

    /// References below the first range of a heap, and back into it, are all told of; those ahead are not.
    #[test]
    fn what_leads_back_to_nowhere_is_told_of() {
        let ascending = |count: u64, from: u64| (0..count).map(move |n| (from + n * 24, true, Vec::new()));
        let mut records: Vec<Record> = ascending(5_000, 0x7f00_0000_0000).collect();
        records[100].2 = vec![0x600, records[3].0, 0x600, 0x8_0000_0000];
        records[4_000].2 = vec![0x600, 0x7f00_0000_0008];
        let known = Swept { had_room: true, leads: false, is_known: true };
        assert_eq!(swept("back", &records, MANY_BYTES, MANY_TOLD), known);
        assert_eq!(swept("back, and too many", &records, MANY_BYTES, 3), Swept { is_known: false, ..known });
        records[4_001].2 = vec![0x7fff_0000_0000];
        assert_eq!(swept("ahead", &records, MANY_BYTES, MANY_TOLD), Swept { is_known: false, ..known });
    }
}
