//! Addresses of objects: mostly packed, with gaps that need wider encodings of distances and references.

use crate::model::{Address, WordSize};

use super::oddity::Oddity;
use super::options::{AddressSpace, DRAWN, GenerateOptions};
use crate::draw::Draw;

/// Hands out ascending addresses; where they wrap, they do so once.
#[derive(Debug)]
pub(super) struct AddressAllocator {
    next: u64,
    /// The first address.
    start: u64,
    /// The address that was handed out last.
    last: u64,
    /// Bytes that gaps may still take: half of the free ones, so that the other half is left for objects.
    jumps: u64,
    word: WordSize,
    space: AddressSpace,
    /// Whether some addresses lie gigabytes apart.
    distant: bool,
    /// Whether the first gap of gigabytes is still to come.
    owes: bool,
    /// Distances of neighbours that are still to come, the last one first.
    edges: Vec<u64>,
}

/// The first address after wrapping.
const WRAPPED: u64 = 0x1000;
/// The number of addresses between two edge distances.
const BETWEEN_EDGES: u64 = 12;

impl AddressAllocator {
    pub(super) fn new(options: &GenerateOptions, draw: &mut dyn Draw) -> AddressAllocator {
        let word = options.word;
        let high = options.oddities.has(Oddity::HighAddresses);
        let bases: &[u64] = match (options.addresses, word) {
            (AddressSpace::Dense | AddressSpace::Sparse | AddressSpace::Edges, _) if !high => &[0x0010_0000],
            (AddressSpace::Above4G, WordSize::Bits64) if !high => &[0x1_0000_0000, 0x7_c000_0000, 0x7f00_0001_0000],
            // Where HotSpot has a heap of 256 MiB, and ART those of applications.
            (AddressSpace::Ranges, WordSize::Bits64) if !high => &[0xf000_0000],
            (AddressSpace::Ranges, WordSize::Bits32) if !high => &[0x12c0_0000],
            (_, WordSize::Bits32) if high => &[0x7fff_0000, 0xa000_0000],
            (_, WordSize::Bits64) if high => &[0x7fff_ffff_ffff_0000, 0xffff_8000_0000_0000],
            (_, WordSize::Bits32) => &[0x0010_0000, 0x2c00_0000],
            (_, WordSize::Bits64) => &[0x0010_0000, 0xfff0_0000, 0x7f00_0001_0000],
        };
        let next = match options.addresses {
            AddressSpace::Numbers => {
                draw.pick(bases);
                1
            }
            // So near to the end that some of the objects, which take 8 bytes at least, are after it.
            AddressSpace::Across4G => {
                let end = if word == WordSize::Bits32 { limit(word) } else { 1 << 32 };
                end - 64 * FEWEST_CLASSES - 8 * options.objects.min(DRAWN) as u64
            }
            _ => *draw.pick(bases),
        };
        let distant = options.oddities.has(Oddity::DistantAddresses);
        let is_number = options.addresses == AddressSpace::Numbers;
        let mut ground = AddressAllocator::starting_at(
            options,
            next,
            if is_number { 0 } else { limit(word).saturating_sub(next) / 2 },
        );
        ground.distant = distant;
        ground.owes = distant && !is_number;
        if options.addresses == AddressSpace::Edges {
            ground.edges = DISTANCES.into();
        }
        ground
    }

    /// Addresses from `base` on for the objects of a block, with a number of bytes for gaps.
    pub(super) fn for_block(options: &GenerateOptions, base: u64, jumps: u64) -> AddressAllocator {
        AddressAllocator::starting_at(&options.clone().word(WordSize::Bits64), base, jumps)
    }

    fn starting_at(options: &GenerateOptions, next: u64, jumps: u64) -> AddressAllocator {
        let (word, space) = (options.word, options.addresses);
        AddressAllocator {
            next,
            start: next,
            last: next,
            jumps,
            word,
            space,
            distant: false,
            owes: false,
            edges: Vec::new(),
        }
    }

    /// Moves on to the second of two ranges for all further objects, if the options ask for ranges.
    pub(super) fn move_apart(&mut self) {
        if self.space == AddressSpace::Ranges && self.remaining() > 4 * APART {
            self.next += APART;
        }
    }

    /// Takes back bytes that the last objects did not need.
    pub(super) fn give_back(&mut self, bytes: u64) {
        self.next -= bytes;
    }

    /// The lowest address for the next object.
    pub(super) fn next_address(&self) -> u64 {
        self.next.next_multiple_of(8)
    }

    /// Bytes from the next address to the last one, or to the first one where addresses have wrapped.
    pub(super) fn remaining(&self) -> u64 {
        let end = if self.next < self.start { self.start } else { limit(self.word) };
        end.saturating_sub(self.next_address())
    }

    /// The distance between the starts of consecutive objects of a size.
    pub(super) fn pitch(&self, size: u64) -> u64 {
        let packed = size.next_multiple_of(8);
        match self.space {
            AddressSpace::Numbers => 1,
            AddressSpace::Unaligned => size + 1,
            AddressSpace::Sparse => packed + (1 << 20),
            _ => packed,
        }
    }

    /// Reserves this number of bytes without a gap, if there are as many.
    pub(super) fn reserve(&mut self, bytes: u128) -> Option<u64> {
        let unit = if matches!(self.space, AddressSpace::Numbers | AddressSpace::Unaligned) { 1 } else { 8 };
        let wraps = self.space == AddressSpace::Across4G && self.word == WordSize::Bits32 && self.next >= self.start;
        if wraps && u128::from(self.remaining()) < bytes {
            self.next = WRAPPED;
        }
        // One byte cannot number all, and its greatest number is the one that nothing has.
        let least = if self.space == AddressSpace::Numbers { 1 << 8 } else { 0 };
        let at = self.next.max(least).next_multiple_of(unit);
        let end = if self.next < self.start { self.start } else { limit(self.word) };
        let next = u128::from(at) + bytes;
        self.next = u64::try_from(next).ok().filter(|next| *next <= end)?;
        Some(at)
    }

    /// Allocates `size` bytes, after a gap that is drawn.
    pub(super) fn allocate(&mut self, size: u64, draw: &mut dyn Draw) -> Address {
        match self.space {
            AddressSpace::Numbers => {
                self.next += 1;
                return Address(self.next - 1);
            }
            AddressSpace::Edges if draw.one_in(BETWEEN_EDGES) => {
                let at = self.edges.pop().and_then(|distance| self.last.checked_add(distance));
                if let Some(at) = at.filter(|at| *at < limit(self.word) - ROOM) {
                    self.next = self.next.max(at);
                }
            }
            _ => {}
        }
        let jump = match self.space {
            AddressSpace::Dense | AddressSpace::Edges | AddressSpace::Ranges => 0,
            // Not past the place that is meant.
            AddressSpace::Across4G if self.next < 1 << 32 => 0,
            // In a block, there is less room.
            AddressSpace::Sparse => (8 * draw.between(1, 1 << 20)).min((self.jumps / 4).saturating_sub(1) & !7),
            AddressSpace::Unaligned => draw.below(16),
            _ => self.draw_gap(size, draw).next_multiple_of(8),
        };
        let size = size.next_multiple_of(8);
        let mut at = if jump < self.jumps / 4 {
            self.jumps -= jump;
            self.next + jump
        } else {
            self.next
        };
        if self.space == AddressSpace::Across4G && self.word == WordSize::Bits32 && at + size > limit(self.word) {
            at = WRAPPED;
        }
        // At the very end of a 32-bit process arrays overlap, rather than leave it.
        let room = limit(self.word).saturating_sub(at);
        self.next = if size < room / 4 || self.space == AddressSpace::Across4G { at + size } else { at + 8 };
        self.last = at;
        Address(at)
    }

    /// Draws a gap: mostly none, sometimes one at the edge of a width.
    fn draw_gap(&mut self, size: u64, draw: &mut dyn Draw) -> u64 {
        let owed = std::mem::take(&mut self.owes);
        match draw.below(64) {
            _ if owed => 8 * draw.between(1 << 30, 1 << 32),
            0..=47 => 0,
            48..=55 => 8 * draw.between(1, 40),
            // Edges of one and two bytes: 128 and 32768 units of 4 and of 8 bytes.
            56..=57 => 512 - size.min(512),
            58 => 1024 - size.min(1024),
            59 => 0x2_0000 - size.min(0x2_0000),
            60 => 0x4_0000 - size.min(0x4_0000),
            61..=62 => 8 * draw.between(0x1000, 0x1_0000),
            // Beyond four bytes of units, where words are wide.
            _ if self.distant => 8 * draw.between(1, 1 << 32),
            _ => 0,
        }
    }
}

/// Bytes between two ranges.
const APART: u64 = 16 << 20;
/// A lower bound of the number of classes in any heap.
const FEWEST_CLASSES: u64 = 16;
/// Bytes that are left for objects after the last distance.
const ROOM: u64 = 1 << 29;

/// Distances at which widths change, the last one first: in bytes, and in units of 4 and 8 bytes.
const DISTANCES: [u64; 10] = [
    1 << 63,
    (1 << 34) + 8,
    1 << 34,
    (1 << 34) - 8,
    (1 << 33) + 8,
    1 << 33,
    (1 << 33) - 8,
    (1 << 31) + 8,
    1 << 31,
    (1 << 31) - 8,
];

/// The last address that is handed out.
fn limit(word: WordSize) -> u64 {
    match word {
        WordSize::Bits32 => 0xffff_f000,
        WordSize::Bits64 => 0xffff_ffff_ffff_f000,
    }
}
