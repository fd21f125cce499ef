//! References as packed addresses, until all entries are known.

use super::FETCHED;

/// A list of addresses, most of them in 4 bytes each: a heap mostly lies within 32 GiB, at multiples of 8. Where too
/// many do not fit, all take 8.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// The distance of each address from `base` in units, or [`FAR`]; once widened, the two halves of each address.
    words: Vec<u32>,
    base: u64,
    /// The addresses that do not fit, in their order.
    far: Vec<u64>,
    is_wide: bool,
}

/// The number of low bits that are 0 in a distance.
const UNIT: u32 = 3;
/// The marker of an address that stands in `far`.
const FAR: u32 = u32::MAX;
/// One address in this number may be out of range...
const OF: usize = 16;
/// ...besides this many; with more, all addresses take 8 bytes.
const FEW: usize = 1024;

impl Targets {
    /// The number of addresses.
    pub(super) fn len(&self) -> usize {
        if self.is_wide { self.words.len() / 2 } else { self.words.len() }
    }

    #[inline]
    pub(super) fn push(&mut self, address: u64) {
        if self.is_wide {
            self.words.extend(halves(address));
            return;
        }
        if self.words.is_empty() {
            // In the middle of what can be reached.
            self.base = (address & !7).wrapping_sub(1 << (31 + UNIT));
        }
        let distance = address.wrapping_sub(self.base);
        if distance.trailing_zeros() >= UNIT && distance >> UNIT < u64::from(FAR) {
            self.words.push((distance >> UNIT) as u32);
            return;
        }
        self.words.push(FAR);
        self.far.push(address);
        if self.far.len() > FEW + self.words.len() / OF {
            self.widen();
        }
    }

    #[cold]
    fn widen(&mut self) {
        let mut far = std::mem::take(&mut self.far).into_iter();
        let base = self.base;
        let mut words = Vec::with_capacity(4 * self.words.len());
        words.extend(self.words.iter().flat_map(|word| halves(near(*word, base, &mut far))));
        (self.words, self.is_wide) = (words, true);
    }

    /// Passes a few addresses at a time to `resolve`, which fills in what replaces them, and returns all replacements,
    /// after room for `before` others.
    pub(super) fn resolved(self, before: usize, mut resolve: impl FnMut(&[u64], &mut [u32])) -> Vec<u32> {
        let (count, base, is_wide) = (self.len(), self.base, self.is_wide);
        let (mut words, mut far) = (self.words, self.far.into_iter());
        words.splice(..0, std::iter::repeat_n(0, if is_wide { 2 * before } else { before }));
        let mut wanted = Vec::with_capacity(FETCHED);
        for from in (before..before + count).step_by(FETCHED) {
            let to = (from + FETCHED).min(before + count);
            wanted.clear();
            if is_wide {
                let pairs = words[2 * from..2 * to].as_chunks::<2>().0;
                wanted.extend(pairs.iter().map(|[upper, lower]| u64::from(*upper) << 32 | u64::from(*lower)));
            } else {
                wanted.extend(words[from..to].iter().map(|word| near(*word, base, &mut far)));
            }
            resolve(&wanted, &mut words[from..to]);
        }
        words.truncate(before + count);
        words
    }
}

#[inline]
fn near(word: u32, base: u64, far: &mut impl Iterator<Item = u64>) -> u64 {
    match word {
        FAR => far.next().unwrap_or_default(),
        distance => base.wrapping_add(u64::from(distance) << UNIT),
    }
}

/// The upper and the lower half of an address.
#[inline]
fn halves(address: u64) -> [u32; 2] {
    [(address >> 32) as u32, address as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that all addresses come back, a few at a time, and returns whether each takes 8 bytes.
    fn check(addresses: &[u64]) -> bool {
        let mut targets = Targets::default();
        addresses.iter().for_each(|address| targets.push(*address));
        let is_wide = targets.is_wide;
        assert_eq!(targets.len(), addresses.len());
        let mut back = Vec::new();
        let words = targets.resolved(3, |some, room| {
            assert!(some.len() == room.len() && some.len() <= FETCHED);
            back.extend_from_slice(some);
            room.iter_mut().zip(some).for_each(|(word, address)| *word = *address as u32 ^ 5);
        });
        assert_eq!(back, addresses);
        let expected: Vec<u32> = addresses.iter().map(|address| *address as u32 ^ 5).collect();
        assert_eq!(words[3..], expected);
        is_wide
    }

    #[test]
    fn every_address_comes_back() {
        assert!(!check(&[]));
        assert!(!check(&[0x10, 0x18, 0, 8, u64::MAX, 1, 0x3_ffff_fff8, 0x4_0000_0008, 0x4_0000_0010, u64::MAX - 7]));
        assert!(!check(&[u64::MAX - 7, 0, 8, 1, 1 << 34, 1 << 35]));
        let near = (0..5000).map(|n| 0x7000_0000_0000 + n * 8);
        assert!(!check(&near.clone().collect::<Vec<_>>()));
        // One of 20 lies elsewhere; then most do.
        let some = near.clone().map(|address| if address % 160 == 0 { address >> 4 } else { address });
        assert!(!check(&some.collect::<Vec<_>>()));
        assert!(check(&near.clone().chain((0..3000).map(|n| n * n + 1)).chain(near).collect::<Vec<_>>()));
    }
}
