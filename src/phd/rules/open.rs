//! References that may dangle, in the first pass.

use foldhash::HashMap;

use crate::findings::Dangling;

/// References that lead back to where no record was when they came, and the records that have them. Numbers are in 4 bytes: there may be
/// one such record for each few objects.
#[derive(Debug, Default)]
pub(super) struct Open {
    records: Vec<Referring>,
    /// Offset and index of the first and of the last of them.
    first: (u64, u64),
    last: (u64, u64),
    /// The numbers of their targets.
    targets: Vec<u32>,
    /// By number, the address of a target, and the other way round. There are few.
    addresses: Vec<u64>,
    numbers: HashMap<u64, u32>,
    /// Whether there were too many to keep them.
    is_full: bool,
}

/// A record with references.
#[derive(Clone, Copy, Debug)]
struct Referring {
    /// How far its offset and its index are from those of the one before it.
    after: (u32, u32),
    /// How many references it has.
    count: u32,
    /// Where those of them begin that are kept.
    from: u32,
}

/// Bytes that they may take of any dump.
const BYTES: u64 = 64 << 10;
/// What an address and its number take, about.
const IN_TABLE: usize = 40;

impl Open {
    /// Takes a reference in of the record with this place and number of references; `false` if there are too many. They take some 64 kB, and
    /// that many bytes more.
    pub(super) fn add(&mut self, place: (u64, u64), count: u64, target: u64, most: u64) -> bool {
        let is_added = !self.is_full && self.added(place, count, target).is_some();
        let bytes = size_of::<Referring>() * self.records.capacity()
            + size_of::<u32>() * self.targets.capacity()
            + IN_TABLE * self.addresses.len();
        if !is_added || bytes as u64 > BYTES + most {
            *self = Open { is_full: true, ..Open::default() };
        }
        !self.is_full
    }

    fn added(&mut self, place: (u64, u64), count: u64, target: u64) -> Option<()> {
        if self.records.is_empty() {
            (self.first, self.last) = (place, place);
        }
        if self.records.is_empty() || self.last != place {
            let after = (place.0.checked_sub(self.last.0)?, place.1.checked_sub(self.last.1)?);
            let after = (u32::try_from(after.0).ok()?, u32::try_from(after.1).ok()?);
            let (count, from) = (u32::try_from(count).ok()?, u32::try_from(self.targets.len()).ok()?);
            make_room(&mut self.records);
            self.records.push(Referring { after, count, from });
            self.last = place;
        }
        let next = self.addresses.len() as u32;
        let number = *self.numbers.entry(target).or_insert(next);
        if number == next {
            self.addresses.push(target);
        }
        make_room(&mut self.targets);
        self.targets.push(number);
        Some(())
    }

    /// Whether there were never too many.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_full
    }

    /// The records with references to what is still missing.
    pub(super) fn dangling(&self, is_missing: impl Fn(u64) -> bool) -> impl Iterator<Item = Dangling> {
        let missing: Vec<bool> = self.addresses.iter().map(|address| is_missing(*address)).collect();
        let ends = self.records.iter().skip(1).map(|next| next.from as usize).chain([self.targets.len()]);
        let (mut offset, mut index) = self.first;
        self.records.iter().zip(ends).filter_map(move |(record, end)| {
            offset += u64::from(record.after.0);
            index += u64::from(record.after.1);
            let targets = &self.targets[record.from as usize..end];
            let dangling = targets.iter().filter(|number| missing[**number as usize]);
            let dangling = dangling.map(|number| self.addresses[*number as usize]);
            Dangling::of((offset, index), record.count.into(), dangling)
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

    /// The same if it has any, without a branch on that, which could not be foretold.
    #[inline(always)]
    pub(super) fn push_if(&mut self, has_any: bool, place: (u64, u64), from: usize) {
        let before = self.0.len();
        self.push(place, from);
        self.0.truncate(before + usize::from(has_any));
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
