//! Addresses that ascend and lie apart.

use std::hint::black_box;

use super::sequence::Sequence;

/// Addresses of a run at least, and at most.
pub(super) const LEAST: usize = 256;
pub(super) const MOST: usize = 2048;
/// Units between two addresses in the mean from which a run takes less than a bit for each that there could be.
const APART: u64 = 16;

/// Addresses that are fetched together.
pub(super) const FETCHED: usize = 64;

/// A run of ascending addresses. Distances from the first one are counted in a common unit.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) first: u64,
    /// From the first address to the last.
    span: u64,
    /// Lower bits that no distance has.
    unit: u32,
    /// The distances; or, where many lie close to each other, those of 32 units in which there is an address.
    distances: Sequence,
    /// A bit for each unit of those; none where the distances themselves are kept.
    sets: Box<[u32]>,
}

impl Run {
    /// Of addresses that ascend, no two the same; `None` if there are too few or too many of them, or they lie side by side.
    pub(super) fn of(addresses: &[u64]) -> Option<Run> {
        let (first, last) = (*addresses.first()?, *addresses.last()?);
        let span = last - first;
        let unit = addresses.iter().fold(0, |all, address| all | (address - first)).trailing_zeros();
        let count = addresses.len();
        if !(LEAST..=MOST).contains(&count) || (span >> unit) / (count as u64) < APART {
            return None;
        }
        let mut distances: Vec<u64> = addresses.iter().map(|address| (address - first) >> unit).collect();
        let mut sets: Vec<u32> = Vec::new();
        let together: usize = distances.chunk_by(|one, next| one >> 5 == next >> 5).count();
        let as_sets = 32 * together as u64 + Sequence::bits(together, span >> unit >> 5);
        if as_sets < Sequence::bits(count, span >> unit) {
            let bits = |of: &[u64]| of.iter().fold(0, |bits, distance| bits | 1 << (distance & 31));
            sets = distances.chunk_by(|one, next| one >> 5 == next >> 5).map(bits).collect();
            distances.iter_mut().for_each(|distance| *distance >>= 5);
            distances.dedup();
        }
        Some(Run { first, span, unit, distances: Sequence::of(&distances)?, sets: sets.into() })
    }

    /// What its distances are asked for at an address.
    #[inline]
    fn asked(&self, address: u64) -> u64 {
        let distance = (address - self.first).min(self.span) >> self.unit;
        if self.sets.is_empty() { distance } else { distance >> 5 }
    }

    /// Whether it has this address.
    #[inline]
    pub(super) fn has(&self, address: u64) -> bool {
        let distance = address.wrapping_sub(self.first);
        if distance > self.span || distance & ((1 << self.unit) - 1) != 0 {
            return false;
        }
        let distance = distance >> self.unit;
        if self.sets.is_empty() {
            return self.distances.place(distance).is_some();
        }
        let set = self.distances.place(distance >> 5).and_then(|place| self.sets.get(place));
        set.is_some_and(|set| set & 1 << (distance & 31) != 0)
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        (size_of::<Run>() + self.distances.bytes() + size_of_val(&*self.sets)) as u64
    }
}

/// Runs in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct Runs {
    runs: Vec<Run>,
    /// For each part of the range, how many runs begin before it, once that was worked out.
    slots: Vec<u32>,
    shift: u32,
    bytes: u64,
}

impl Runs {
    /// Adds a run, all of whose addresses are above those of the others.
    pub(super) fn push(&mut self, run: Run) {
        self.bytes += run.bytes();
        self.slots = Vec::new();
        if self.runs.len() == self.runs.capacity() {
            self.runs.reserve_exact(self.runs.len() / 8 + 4);
        }
        self.runs.push(run);
    }

    /// Makes it quick to ask.
    pub(super) fn seal(&mut self) {
        let (Some(first), Some(last)) = (self.runs.first(), self.runs.last()) else { return };
        let (first, span) = (first.first, last.first - first.first);
        self.shift = (0..64).find(|shift| span >> shift < 2 * self.runs.len() as u64).unwrap_or(63);
        let mut slots = vec![0; (span >> self.shift) as usize + 2];
        for run in &self.runs {
            slots[((run.first - first) >> self.shift) as usize + 1] += 1;
        }
        let mut sum = 0;
        for slot in &mut slots {
            sum += *slot;
            *slot = sum;
        }
        self.slots = slots;
    }

    /// The last run that begins at an address or before it.
    #[inline]
    fn of(&self, address: u64) -> Option<&Run> {
        let first = self.runs.first().map(|run| run.first).filter(|first| address >= *first)?;
        // The first runs that begin in the address's part of the range, and the last ones before it.
        let (from, to) = match &*self.slots {
            [] => (0, self.runs.len()),
            [.., last] => {
                let slot = ((address - first) >> self.shift) as usize;
                let to = self.slots.get(slot + 1).unwrap_or(last);
                ((self.slots.get(slot).unwrap_or(last)).saturating_sub(1) as usize, *to as usize)
            }
        };
        let after = from + self.runs[from..to].partition_point(|run| run.first <= address);
        self.runs.get(after.checked_sub(1)?)
    }

    /// Whether one of them has this address.
    #[inline]
    pub(super) fn has(&self, address: u64) -> bool {
        self.of(address).is_some_and(|run| run.has(address))
    }

    /// Looks at what [`Runs::has`] will ask for each of these addresses. Asked one by one, each would have to be waited for.
    pub(super) fn fetch(&self, addresses: &[u64]) {
        if self.runs.is_empty() {
            return;
        }
        let mut asked = [None; FETCHED];
        for (asked, address) in asked.iter_mut().zip(addresses) {
            *asked = self.of(*address).map(|run| (run, run.asked(*address)));
        }
        for (run, number) in asked.iter().flatten() {
            black_box(run.distances.first_look(*number));
        }
        for (run, number) in asked.iter().flatten() {
            black_box(run.distances.second_look(*number));
        }
    }

    /// About how many bytes they take.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
