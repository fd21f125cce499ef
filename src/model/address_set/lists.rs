//! Addresses that ascend and stand in groups that lie apart.

/// Addresses of a set of 16: those that agree in all but 4 of the bits above the last three.
const SET_BITS: u32 = 7;
/// Addresses of a part: 256 kB.
const PART_BITS: u32 = 18;
/// Parts between two addresses at most, so that the table of parts does not become the larger one.
const APART: u64 = 1 << 10;
/// Entries that are looked at together.
const TOGETHER: usize = 16;
/// The most stretches: they are looked at in turn.
const STRETCHES: usize = 8;

/// Ascending multiples of 8. Each 128 bytes in which there are any have an entry: which of its part it is, in the upper half, and a bit for
/// each multiple of 8. A table says where the entries of each part begin, so that an address is two looks into memory away.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    stretches: Vec<Stretch>,
}

/// Addresses without a gap of [`APART`] parts.
#[derive(Clone, Debug)]
struct Stretch {
    first: u64,
    /// For each part from the first one on, how many entries come before its own.
    before: Vec<u32>,
    /// And after the last one, once it is sealed, as many that are none as are looked at together.
    entries: Vec<u32>,
    is_sealed: bool,
}

/// The entries of a part, where it has any.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    stretch: usize,
    from: usize,
    count: u32,
}

#[inline]
fn part(address: u64) -> u64 {
    address >> PART_BITS
}

/// Of its part, the number of an address's 128 bytes.
#[inline]
fn set_of(address: u64) -> u32 {
    (address >> SET_BITS) as u32 & ((1 << (PART_BITS - SET_BITS)) - 1)
}

/// Its bit in the entry of those.
#[inline]
fn bit_of(address: u64) -> u32 {
    (address >> 3) as u32 & 15
}

impl Lists {
    /// Takes in these addresses, which ascend and are above all others, if that takes at most this many bytes and they are multiples
    /// of 8; or says that it has not.
    pub(super) fn take(&mut self, addresses: &[u64], most: u64) -> bool {
        let (Some(&first), Some(&last)) = (addresses.first(), addresses.last()) else { return true };
        let sets = addresses.chunk_by(|one, next| one >> SET_BITS == next >> SET_BITS).count();
        let parts = part(last) - part(first) + 1;
        let is_one = addresses.windows(2).all(|pair| part(pair[1]) - part(pair[0]) < APART);
        let follows = self.stretches.last().is_some_and(|last| last.reaches(first));
        if !is_one
            || 4 * (sets as u64 + parts) > most
            || addresses.iter().any(|address| address & 7 != 0)
            || !follows && self.stretches.len() == STRETCHES
        {
            return false;
        }
        if !follows {
            self.stretches.push(Stretch { first: part(first), before: vec![0], entries: Vec::new(), is_sealed: false });
        }
        if let Some(stretch) = self.stretches.last_mut() {
            addresses.iter().for_each(|address| stretch.push(*address));
        }
        true
    }

    /// Makes it quick to ask.
    pub(super) fn seal(&mut self) {
        for stretch in self.stretches.iter_mut().filter(|stretch| !stretch.is_sealed) {
            stretch.before.push(stretch.entries.len() as u32);
            stretch.entries.extend([0; TOGETHER]);
            stretch.is_sealed = true;
        }
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> u64 {
        self.stretches.iter().map(|stretch| 4 * (stretch.before.len() + stretch.entries.len()) as u64).sum()
    }

    /// Whether they have this address.
    #[inline]
    pub(super) fn has(&self, address: u64) -> bool {
        self.has_at(self.place(address), address)
    }

    /// A bit for each of these addresses that they have, from the lowest on. Where each is to be looked for is looked up for all of them
    /// at first: one by one, each would have to be waited for.
    #[inline]
    pub(super) fn have(&self, addresses: &[u64]) -> u64 {
        if self.stretches.is_empty() {
            return 0;
        }
        let mut places = [Place::default(); 64];
        for (place, address) in places.iter_mut().zip(addresses) {
            *place = self.place(*address);
        }
        let both = (0..64).zip(places.iter().zip(addresses));
        both.fold(0, |have, (at, (place, address))| have | u64::from(self.has_at(*place, *address)) << at)
    }

    /// Where the entries of an address's part are.
    #[inline]
    fn place(&self, address: u64) -> Place {
        let part = part(address);
        for (number, stretch) in self.stretches.iter().enumerate() {
            let at = part.wrapping_sub(stretch.first) as usize;
            if let Some(&from) = stretch.before.get(at) {
                let to = stretch.before.get(at + 1).map_or(stretch.entries.len() as u32, |to| *to);
                return Place { stretch: number, from: from as usize, count: to.saturating_sub(from) };
            }
        }
        Place::default()
    }

    /// Whether one of those entries is an address's, and has its bit.
    #[inline]
    fn has_at(&self, Place { stretch, from, count }: Place, address: u64) -> bool {
        let (set, bit) = (set_of(address), bit_of(address));
        let Some(entries) = self.stretches.get(stretch).and_then(|stretch| stretch.entries.get(from..)) else {
            return false;
        };
        let found = match entries.first_chunk::<TOGETHER>() {
            // Always as many, so that nothing has to be foretold.
            Some(first) if count <= TOGETHER as u32 => (0..).zip(first).fold(0, |found, (at, entry): (u32, _)| {
                found | u32::from(at < count) & u32::from(entry >> 16 == set) & entry >> bit
            }),
            _ => {
                let entries = &entries[..(count as usize).min(entries.len())];
                let at = entries.partition_point(|entry| entry >> 16 < set);
                entries.get(at).map_or(0, |entry| u32::from(entry >> 16 == set) & entry >> bit)
            }
        };
        found & 1 != 0 && address & 7 == 0
    }
}

impl Stretch {
    /// Whether addresses from this one on belong to it.
    fn reaches(&self, address: u64) -> bool {
        !self.is_sealed && part(address) - self.first < self.before.len() as u64 + APART
    }

    /// Takes an address in that is above all others.
    fn push(&mut self, address: u64) {
        let at = (part(address) - self.first) as usize;
        if at >= self.before.len() {
            // None of the parts between has any.
            self.before.resize(at + 1, self.entries.len() as u32);
        }
        let (set, bit) = (set_of(address), 1 << bit_of(address));
        let own = self.before[at] as usize;
        match self.entries[own..].last_mut() {
            Some(last) if *last >> 16 == set => *last |= bit,
            _ => self.entries.push(set << 16 | bit),
        }
    }
}
