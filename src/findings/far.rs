//! References that lead far away, looked up many at once.

use foldhash::HashSet;

use crate::model::AddressSet;

/// References that were not looked up yet.
///
/// They are looked up in the order of what they lead to, roughly: what is looked at for one of them is near what was for the one before.
#[derive(Debug, Default)]
pub(super) struct Far {
    targets: Vec<u64>,
    /// Which of all references each of them is.
    numbers: Vec<u64>,
    /// The targets in order.
    in_order: Vec<u64>,
}

/// About the most references that are kept, and how many bytes the set of addresses has for each, which takes 24 itself.
const MOST: usize = 1 << 14;
const OF_BYTES: u64 = 1 << 11;
/// Parts of the addresses that are told apart.
const PARTS_BITS: u32 = 8;

impl Far {
    /// Whether there are enough to look them up.
    #[inline]
    pub(super) fn is_full(&self, addresses: &AddressSet) -> bool {
        self.targets.len() >= MOST.min((addresses.held() / OF_BYTES) as usize)
    }

    /// Takes those of some references of which it is not known that they lead to something. They have numbers from this one on.
    pub(super) fn take(&mut self, from: u64, targets: &[u64], is_known: impl Fn(u64) -> bool) {
        let mut count = self.targets.len();
        for all in [&mut self.targets, &mut self.numbers] {
            // Not twice as much as before: it is a share of what there is for each object.
            all.reserve_exact(targets.len());
            all.resize(count + targets.len(), 0);
        }
        for (number, &target) in (from..).zip(targets) {
            (self.targets[count], self.numbers[count]) = (target, number);
            // Without a branch on what is known, which could not be foretold. Null leads nowhere.
            count += usize::from(!is_known(target) & (target != 0));
        }
        self.targets.truncate(count);
        self.numbers.truncate(count);
    }

    /// Looks all of them up: the numbers and targets of those that dangle.
    pub(super) fn look_up(&mut self, addresses: &AddressSet) -> Vec<(u64, u64)> {
        let missing = self.missing(addresses);
        let mut dangling = Vec::new();
        if !missing.is_empty() {
            let all = self.numbers.iter().copied().zip(self.targets.iter().copied());
            dangling.extend(all.filter(|(_, target)| missing.contains(target)));
        }
        self.targets.clear();
        self.numbers.clear();
        dangling
    }

    /// Those of the targets that are not there.
    fn missing(&mut self, addresses: &AddressSet) -> HashSet<u64> {
        self.sort();
        let mut missing = HashSet::default();
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
