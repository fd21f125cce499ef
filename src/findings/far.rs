//! References that lead far away, looked up many at once.

use foldhash::{HashSet, HashSetExt};

use crate::model::AddressSet;

use super::dangling::Dangling;

/// References that were not looked up yet, and the records that have them.
///
/// They are looked up in the order of what they lead to, roughly: what is looked at for one of them is near what was for the one before.
#[derive(Debug, Default)]
pub(super) struct Far {
    targets: Vec<u64>,
    records: Vec<Record>,
    /// The targets in order.
    in_order: Vec<u64>,
}

/// A record with such references.
#[derive(Clone, Copy, Debug)]
struct Record {
    offset: u64,
    index: u64,
    /// How many references it has in all.
    count: u64,
    /// Where those of them begin that were not looked up.
    from: usize,
}

/// About the most references that are kept, and how many bytes the set of addresses has for each: they take some twentieth of its memory.
const MOST: usize = 1 << 14;
const OF_BYTES: u64 = 1 << 10;
/// Parts of the addresses that are told apart.
const PARTS_BITS: u32 = 8;

impl Far {
    /// Whether there are enough to look them up.
    #[inline]
    pub(super) fn is_full(&self, addresses: &AddressSet) -> bool {
        self.targets.len() >= MOST.min((addresses.held() / OF_BYTES) as usize)
    }

    /// The last record has this number of references, if it has this index.
    pub(super) fn recount(&mut self, index: u64, count: u64) {
        if let Some(last) = self.records.last_mut()
            && last.index == index
        {
            last.count = count;
        }
    }

    /// Of the references that [`Far::extend`] takes next, those from this one on are of this record: its offset, index, and number of
    /// references.
    #[inline]
    pub(super) fn begin(&mut self, (offset, index, count): (u64, u64, u64), before: usize) {
        if self.records.last().is_none_or(|last| last.index != index) {
            self.records.push(Record { offset, index, count, from: self.targets.len() + before });
        }
    }

    /// Takes references.
    pub(super) fn extend(&mut self, far: &[u64]) {
        self.targets.extend_from_slice(far);
    }

    /// Looks all of them up, and calls `found` with each record that has some that dangle, as far as they are among them.
    pub(super) fn look_up(&mut self, addresses: &AddressSet, mut found: impl FnMut(Dangling)) {
        let missing = self.missing(addresses);
        if !missing.is_empty() {
            let ends = self.records.iter().skip(1).map(|next| next.from).chain([self.targets.len()]);
            for (record, end) in self.records.iter().zip(ends) {
                let dangling = self.targets[record.from..end].iter().filter(|target| missing.contains(target));
                let place = (record.offset, record.index);
                Dangling::of(place, record.count, dangling.copied()).into_iter().for_each(&mut found);
            }
        }
        self.targets.clear();
        self.records.clear();
    }

    /// Those of the targets that are not there.
    fn missing(&mut self, addresses: &AddressSet) -> HashSet<u64> {
        self.sort();
        let mut missing = HashSet::new();
        for some in self.in_order.chunks(AddressSet::TOGETHER) {
            let mut not_there = addresses.missing(some);
            while not_there != 0 {
                missing.insert(some[not_there.trailing_zeros() as usize]);
                not_there &= not_there - 1;
            }
        }
        missing
    }

    /// Puts the targets in order by the part of the addresses in which they are.
    fn sort(&mut self) {
        let (least, most) = self.targets.iter().fold((u64::MAX, 0), |(least, most), t| (least.min(*t), most.max(*t)));
        let bits = u64::BITS - most.saturating_sub(least).leading_zeros();
        let part = |target: u64| ((target - least) >> bits.saturating_sub(PARTS_BITS)) as usize % (1 << PARTS_BITS);
        let mut ends = [0; 1 << PARTS_BITS];
        self.targets.iter().for_each(|target| ends[part(*target)] += 1);
        let mut before = 0;
        for end in &mut ends {
            before += std::mem::replace(end, before);
        }
        self.in_order.resize(self.targets.len(), 0);
        for &target in &self.targets {
            let at = &mut ends[part(target)];
            self.in_order[*at] = target;
            *at += 1;
        }
    }
}
