//! Where objects are: mostly packed, with jumps that need gaps and references of some widths.

use crate::model::{Address, WordSize};

use super::oddity::Oddity;
use super::options::{AddressSpace, GenerateOptions};
use crate::draw::Draw;

/// Hands out ascending addresses, all multiples of 8.
#[derive(Debug)]
pub(super) struct Ground {
    next: u64,
    /// Bytes that jumps may still take: half of what there is, so that the other half is left for
    /// objects.
    jumps: u64,
    word: WordSize,
    /// Whether addresses are numbers, one after the other.
    numbers: bool,
    /// Whether some lie gigabytes apart.
    distant: bool,
    /// Whether the first gap is still to come that is one of gigabytes.
    owes: bool,
}

impl Ground {
    pub(super) fn new(options: &GenerateOptions, draw: &mut dyn Draw) -> Ground {
        let word = options.word;
        let bases: &[u64] = match (word, options.oddities.has(Oddity::HighAddresses)) {
            (WordSize::Bits32, false) => &[0x0010_0000, 0x2c00_0000],
            (WordSize::Bits32, true) => &[0x7fff_0000, 0xa000_0000],
            (WordSize::Bits64, false) => &[0x0010_0000, 0xfff0_0000, 0x7f00_0001_0000],
            (WordSize::Bits64, true) => &[0x7fff_ffff_ffff_0000, 0xffff_8000_0000_0000],
        };
        let next = *draw.pick(bases);
        let distant = options.oddities.has(Oddity::DistantAddresses);
        match options.addresses {
            AddressSpace::Memory => {
                Ground { next, jumps: (limit(word) - next) / 2, word, numbers: false, distant, owes: distant }
            }
            AddressSpace::Numbers => Ground { next: 1, jumps: 0, word, numbers: true, distant, owes: false },
        }
    }

    /// Places from `base` on for objects of a block, with so many bytes for jumps.
    pub(super) fn of_block(base: u64, jumps: u64) -> Ground {
        Ground { next: base, jumps, word: WordSize::Bits64, numbers: false, distant: false, owes: false }
    }

    /// Where the next object may begin.
    pub(super) fn next(&self) -> u64 {
        self.next.next_multiple_of(8)
    }

    /// Bytes from there to the last place.
    pub(super) fn room(&self) -> u64 {
        limit(self.word).saturating_sub(self.next())
    }

    /// Room for `size` bytes, after a gap that is drawn.
    pub(super) fn allot(&mut self, size: u64, draw: &mut dyn Draw) -> Address {
        if self.numbers {
            self.next += 1;
            return Address(self.next - 1);
        }
        let owed = std::mem::take(&mut self.owes);
        let jump = match draw.below(64) {
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
        };
        let jump = jump.next_multiple_of(8);
        let size = size.next_multiple_of(8);
        let at = if jump < self.jumps / 4 {
            self.jumps -= jump;
            self.next + jump
        } else {
            self.next
        };
        // At the very end of a 32-bit process arrays overlap, rather than leave it.
        let room = limit(self.word).saturating_sub(at);
        self.next = if size < room / 4 { at + size } else { at + 8 };
        Address(at)
    }
}

/// The last address that is handed out.
fn limit(word: WordSize) -> u64 {
    match word {
        WordSize::Bits32 => 0xffff_f000,
        WordSize::Bits64 => 0xffff_ffff_ffff_f000,
    }
}
