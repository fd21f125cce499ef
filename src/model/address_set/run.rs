//! Addresses that ascend and lie apart.

use std::hint::black_box;

use super::pages::Pages;
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
    distances: Distances,
}

/// The distances of a run.
#[derive(Clone, Debug)]
enum Distances {
    /// They themselves.
    Apart(Sequence),
    /// Where many lie close to each other: those of 32 units in which there is an address, and a bit for each of those units.
    Sets(Sequence, Box<[u32]>),
    /// Where many lie close to each other, and the groups not too far apart.
    Pages(Pages),
}

impl Distances {
    /// Of distances that ascend, in the way that takes least memory, but for pages, which take a little more and are quicker.
    fn of(distances: &[u64]) -> Option<Distances> {
        let last = *distances.last()?;
        let count = distances.len();
        // Without a branch, which could not be foretold.
        let together = 1 + distances.windows(2).map(|two| usize::from(two[0] >> 5 != two[1] >> 5)).sum::<usize>();
        let as_sets = 32 * together as u64 + Sequence::bits(together, last >> 5);
        let apart = Sequence::bits(count, last);
        if 8 * Pages::estimate(distances) <= apart.min(as_sets) / 8 * 9 {
            return Some(Distances::Pages(Pages::of(distances)));
        }
        if apart <= as_sets {
            return Some(Distances::Apart(Sequence::of(distances)?));
        }
        let bits = |of: &[u64]| of.iter().fold(0, |bits, distance| bits | 1 << (distance & 31));
        let sets: Vec<u32> = distances.chunk_by(|one, next| one >> 5 == next >> 5).map(bits).collect();
        let mut numbers: Vec<u64> = distances.iter().map(|distance| distance >> 5).collect();
        numbers.dedup();
        Some(Distances::Sets(Sequence::of(&numbers)?, sets.into()))
    }

    /// The numbers among which a distance is searched for, and as which; `None` in pages, where nothing is.
    #[inline]
    fn searched(&self, distance: u64) -> Option<(&Sequence, u64)> {
        match self {
            Distances::Apart(distances) => Some((distances, distance)),
            Distances::Sets(numbers, _) => Some((numbers, distance >> 5)),
            Distances::Pages(_) => None,
        }
    }

    /// Whether a distance that is not above the last one is one of them.
    #[inline]
    fn has(&self, distance: u64) -> bool {
        match self {
            Distances::Pages(pages) => pages.has(distance),
            Distances::Apart(distances) => distances.place(distance).is_some(),
            Distances::Sets(numbers, sets) => {
                let set = numbers.place(distance >> 5).and_then(|place| sets.get(place));
                set.is_some_and(|set| set & 1 << (distance & 31) != 0)
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Distances::Pages(pages) => pages.bytes(),
            Distances::Apart(distances) => distances.bytes(),
            Distances::Sets(numbers, sets) => numbers.bytes() + size_of_val(&**sets),
        }
    }
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
        let distances: Vec<u64> = addresses.iter().map(|address| (address - first) >> unit).collect();
        Some(Run { first, span, unit, distances: Distances::of(&distances)? })
    }

    /// Whether it is as quick to ask as a chunk, where many are asked for together.
    pub(super) fn is_quick(&self) -> bool {
        matches!(self.distances, Distances::Pages(_))
    }

    /// Whether it has this address.
    #[inline]
    pub(super) fn has(&self, address: u64) -> bool {
        self.distance(address).is_some_and(|distance| self.distances.has(distance))
    }

    /// How far an address is from the first one, if it could be one of them.
    #[inline]
    fn distance(&self, address: u64) -> Option<u64> {
        let distance = address.wrapping_sub(self.first);
        (distance <= self.span && distance & ((1 << self.unit) - 1) == 0).then_some(distance >> self.unit)
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        (size_of::<Run>() + self.distances.bytes()) as u64
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

    /// A bit for each of these addresses, from the lowest on, that they have; of [`FETCHED`] at most. What is to be looked at is looked at
    /// for all of them, step by step: asked one by one, each would have to be waited for.
    pub(super) fn among(&self, addresses: &[u64]) -> u64 {
        if self.runs.is_empty() {
            return 0;
        }
        let (mut asked, mut begins, mut sets) = ([None; FETCHED], [None; FETCHED], [None; FETCHED]);
        for (asked, address) in asked.iter_mut().zip(addresses) {
            let run = self.of(*address);
            *asked = run.and_then(|run| Some((&run.distances, run.distance(*address)?)));
        }
        for (asked, begin) in asked.iter().zip(&mut begins) {
            let Some((distances, distance)) = asked else { continue };
            if let Distances::Pages(pages) = distances {
                *begin = pages.begin(*distance);
            } else if let Some((numbers, number)) = distances.searched(*distance) {
                black_box(numbers.first_look(number));
            }
        }
        for ((asked, begin), sets) in asked.iter().zip(&begins).zip(&mut sets) {
            let Some((distances, distance)) = asked else { continue };
            if let Distances::Pages(pages) = distances {
                *sets = begin.and_then(|begin| pages.sets(begin));
            } else if let Some((numbers, number)) = distances.searched(*distance) {
                black_box(numbers.second_look(number));
            }
        }
        for (asked, sets) in asked.iter().zip(&sets) {
            if let (Some((Distances::Pages(pages), _)), Some(sets)) = (asked, sets) {
                black_box(pages.first(*sets));
            }
        }
        let found = asked.iter().zip(&sets).map(|(asked, sets)| match asked {
            None => false,
            Some((Distances::Pages(pages), distance)) => sets.is_some_and(|sets| pages.is_in(sets, *distance)),
            Some((distances, distance)) => distances.has(*distance),
        });
        (0..).zip(found).fold(0, |all, (at, found)| all | u64::from(found) << at)
    }

    /// About how many bytes they take.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
