//! The bits of a range of addresses.

use std::collections::BTreeSet;

use super::super::chunk::All;
use super::super::place_of;

/// 16 GiB of multiples of 8, or less where addresses are unaligned.
#[derive(Debug)]
pub(super) struct Window {
    pub(super) number: u64,
    /// `None` where neither a record nor a reference was yet.
    pub(super) chunks: Vec<Option<Box<Blocks>>>,
    /// The place of the last record that came in order; 0 before there was one, or [`BELOW`].
    pub(super) frontier: u64,
    /// Places above it of records that came before their turn, and the lowest of them.
    pub(super) ahead: BTreeSet<u64>,
    pub(super) next_ahead: u64,
}

/// 16 KiB of multiples of 8: a bit for each.
pub(super) type Block = [u64; 1 << (BLOCK_BITS - 6)];
/// As much as a chunk of a set of addresses has. `None` where neither a record nor a reference was yet.
pub(super) type Blocks = [Option<Box<Block>>; 1 << (16 - BLOCK_BITS)];

/// The frontier of a window below others, to which references lead: no record is expected in it.
pub(super) const BELOW: u64 = u64::MAX;
/// Bits of the number of a chunk in its window.
pub(super) const CHUNK_BITS: u32 = 15;
/// Bits of a place in its block.
pub(super) const BLOCK_BITS: u32 = 11;
/// Words of a chunk: a bit for each place.
pub(super) const WORDS: usize = 1 << (16 - 6);

/// The window of a place, and the chunk in it.
#[inline]
pub(super) fn split(place: u64) -> (u64, usize) {
    (place >> (16 + CHUNK_BITS), (place >> 16) as usize & ((1 << CHUNK_BITS) - 1))
}

/// The first place of a window.
#[inline]
pub(super) fn first_of(window: u64) -> u64 {
    window << (16 + CHUNK_BITS)
}

/// The block of a place in its chunk.
#[inline]
pub(super) fn block_of(place: u64) -> usize {
    (place >> BLOCK_BITS) as usize & ((1 << (16 - BLOCK_BITS)) - 1)
}

/// The word of a place in its block, and its bit there.
#[inline]
pub(super) fn word_and_bit(place: u64) -> (usize, u64) {
    ((place >> 6) as usize & ((1 << (BLOCK_BITS - 6)) - 1), 1 << (place & 63))
}

/// Bits of any of these words. A call of its own, so that what is done for most records needs no room for it.
#[inline(never)]
pub(super) fn any(words: &[u64]) -> u64 {
    words.iter().fold(0, |any, word| any | word)
}

/// Those of these words of a chunk that there are, each with its number.
pub(super) fn words_of(blocks: &Blocks, words: std::ops::Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    const OF: usize = size_of::<Block>() / size_of::<u64>();
    let there = (words.start / OF..words.end.div_ceil(OF)).filter_map(|at| Some((at * OF, blocks.get(at)?.as_ref()?)));
    there.flat_map(move |(first, block)| {
        let (from, to) = (words.start.max(first), words.end.min(first + OF));
        (from..).zip(block[from - first..to - first].iter().copied())
    })
}

/// A chunk with all its words.
pub(super) fn whole(blocks: &Blocks) -> Box<All> {
    let mut all = Box::new([0; WORDS]);
    words_of(blocks, 0..all.len()).for_each(|(at, word)| all[at] = word);
    all
}

/// The places of a chunk, of those from `first` up to `last`, whose bits are set.
pub(super) fn bits(key: u64, blocks: &Blocks, first: u64, last: u64) -> impl Iterator<Item = u64> {
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
pub(super) fn mark(chunks: &mut [Option<Box<Blocks>>], (first, frontier): (u64, u64), there: u64) -> bool {
    // One below the first is far above the last.
    let Ok(chunk) = usize::try_from(there.wrapping_sub(first) >> 16) else { return false };
    let Some(Some(blocks)) = chunks.get_mut(chunk) else { return false };
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
    pub(super) fn mark_all(&mut self, addresses: &[u64]) -> usize {
        let Window { number, ref mut chunks, frontier, .. } = *self;
        let mut is_marked = |there| mark(chunks, (first_of(number), frontier), there);
        addresses.iter().position(|address| !is_marked(place_of(*address))).unwrap_or(addresses.len())
    }

    /// The word of a place that there is room for, and its bit there.
    pub(super) fn word(&mut self, there: u64) -> (&mut u64, u64) {
        let ((_, chunk), (word, bit)) = (split(there), word_and_bit(there));
        let block = self.chunks[chunk].get_or_insert_default()[block_of(there)].get_or_insert_default();
        (&mut block[word], bit)
    }

    /// The places between these two whose bits are set.
    pub(super) fn between(&self, from: u64, to: u64) -> Vec<u64> {
        let first = self.number << CHUNK_BITS;
        let keys = (from >> 16).max(first)..=to >> 16;
        let chunks = keys.filter_map(|key| Some((key, self.chunks.get((key - first) as usize)?.as_ref()?)));
        chunks.flat_map(|(key, blocks)| bits(key, blocks, from + 1, to - 1)).collect()
    }

    /// The places above the frontier whose bits are set.
    pub(super) fn above(&self) -> impl Iterator<Item = u64> {
        let (first, frontier) = (self.number << CHUNK_BITS, self.frontier);
        let chunks = (first..).zip(&self.chunks).skip((frontier >> 16).saturating_sub(first) as usize);
        let chunks = chunks.filter_map(|(key, chunk)| Some((key, chunk.as_ref()?)));
        chunks.flat_map(move |(key, blocks)| bits(key, blocks, frontier.saturating_add(1), u64::MAX))
    }

    /// Takes out the places ahead up to this one, in order.
    pub(super) fn take_ahead(&mut self, to: u64) -> Vec<u64> {
        let mut taken = Vec::new();
        while let Some(first) = self.ahead.first().copied().filter(|first| *first <= to) {
            self.ahead.pop_first();
            taken.push(first);
        }
        self.next_ahead = self.ahead.first().copied().unwrap_or(u64::MAX);
        taken
    }
}
