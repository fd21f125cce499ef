//! References that may dangle, in the first pass.

use crate::findings::Dangling;
use crate::model::Address;

/// References that lead back to where no record was when they came, and the records that have them.
#[derive(Debug, Default)]
pub(super) struct Open {
    records: Vec<Referring>,
    targets: Vec<u64>,
    /// Whether there were too many to keep them.
    is_full: bool,
}

/// A record with references.
#[derive(Clone, Copy, Debug)]
struct Referring {
    /// Its offset and its index.
    place: (u64, u64),
    /// How many references it has.
    count: u64,
    /// Where those of them begin that are kept.
    from: usize,
}

/// Bytes that they may take of any dump.
const BYTES: u64 = 64 << 10;

impl Open {
    /// Takes a reference in of the record with this place and number of references, in a dump with that many records so far; `false` if there
    /// are too many. They take some 64 kB, and less than a byte a record.
    pub(super) fn add(&mut self, place: (u64, u64), count: u64, target: u64, records: u64) -> bool {
        if self.is_full {
            return false;
        }
        if self.records.last().is_none_or(|last| last.place != place) {
            make_room(&mut self.records);
            self.records.push(Referring { place, count, from: self.targets.len() });
        }
        make_room(&mut self.targets);
        self.targets.push(target);
        let bytes = size_of::<Referring>() * self.records.capacity() + size_of::<u64>() * self.targets.capacity();
        if bytes as u64 > BYTES + records / 4 * 3 {
            *self = Open { is_full: true, ..Open::default() };
        }
        !self.is_full
    }

    /// Whether there were never too many.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_full
    }

    /// The records with references to what is still missing.
    pub(super) fn dangling(&self, is_missing: impl Fn(u64) -> bool) -> impl Iterator<Item = Dangling> {
        let ends = self.records.iter().skip(1).map(|next| next.from).chain([self.targets.len()]);
        self.records.iter().zip(ends).filter_map(move |(record, end)| {
            let mut missing = self.targets[record.from..end].iter().filter(|target| is_missing(**target));
            let first = Address(*missing.next()?);
            let Referring { place: (offset, index), count, .. } = *record;
            Some(Dangling { offset, index, count, dangling: 1 + missing.count() as u64, first })
        })
    }
}

/// Room for one more, and not for many: they are kept beside the addresses of the heap.
fn make_room<T>(all: &mut Vec<T>) {
    if all.len() == all.capacity() {
        all.reserve_exact(all.len() / 8 + 64);
    }
}

/// The places of some records, and where the references of each begin.
#[derive(Debug)]
pub(super) struct Places(Vec<(u64, u64, usize)>);

impl Places {
    /// None so far, and room for that many.
    pub(super) fn new(most: usize) -> Places {
        Places(Vec::with_capacity(most))
    }

    /// Puts a record down: its offset and its index.
    #[inline]
    pub(super) fn push(&mut self, (offset, index): (u64, u64), from: usize) {
        self.0.push((offset, index, from));
    }

    /// The place of the record that has the reference with this number, and how many references it has, of all that are kept.
    pub(super) fn of(&self, at: usize, all: usize) -> ((u64, u64), u64) {
        let after = self.0.partition_point(|(.., from)| *from <= at);
        let (offset, index, from) = after.checked_sub(1).map_or((0, 0, 0), |last| self.0[last]);
        let to = self.0.get(after).map_or(all, |(.., next)| *next);
        ((offset, index), (to - from) as u64)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
