//! The layout of blocks: from a block to its address and back, without a table of blocks.
//!
//! Blocks come in groups of 64, in which each shape occurs once: the block of number `j` in its group has the shape `j ^ x`,
//! where `x` is the group's. So all groups are of one length, whatever the shapes' lengths are.

use super::mix;

/// The objects of a block.
pub(super) const OBJECTS: u64 = 32;
/// The number of shapes, and of blocks in a group.
pub(super) const SHAPES: usize = 64;

/// The addresses of all objects in blocks.
#[derive(Clone, Debug)]
pub(super) struct BlockLayout {
    key: u64,
    blocks: u64,
    base: u64,
    /// Bytes of a group.
    group: u64,
    /// The start of each block in its group in units, by the group's `x` and the block's number in the group.
    starts: Vec<u32>,
    /// The start of each object in its block in units, by shape.
    offsets: Vec<u32>,
}

/// The unit of addresses.
pub(super) const UNIT: u64 = 1;

impl BlockLayout {
    /// A layout of blocks from `base` on. `offsets` are those of the objects of each shape, in bytes, and `lengths` the
    /// lengths of its blocks. `None` if a group is too long.
    pub(super) fn new(
        key: u64,
        blocks: u64,
        base: u64,
        offsets: impl Iterator<Item = u64>,
        lengths: &[u64; SHAPES],
    ) -> Option<BlockLayout> {
        let units = |bytes: u64| u32::try_from(bytes / UNIT).ok();
        let group = lengths.iter().try_fold(0_u64, |sum, length| sum.checked_add(*length))?;
        units(group)?;
        let mut starts = Vec::with_capacity(SHAPES * SHAPES);
        for x in 0..SHAPES {
            let mut start = 0;
            for number in 0..SHAPES {
                starts.push(units(start)?);
                start += lengths[number ^ x];
            }
        }
        let offsets = offsets.map(units).collect::<Option<Vec<u32>>>()?;
        (offsets.len() as u64 == OBJECTS * SHAPES as u64).then_some(())?;
        Some(BlockLayout { key, blocks, base, group, starts, offsets })
    }

    /// The bytes that all blocks take.
    pub(super) fn length(&self) -> u128 {
        let (groups, rest) = (self.blocks / SHAPES as u64, self.blocks % SHAPES as u64);
        // What the last group takes depends on its order: the whole of it is reserved.
        u128::from(self.group) * u128::from(groups + u64::from(rest > 0))
    }

    #[inline]
    fn order_of(&self, group: u64) -> usize {
        mix::six_bits(self.key, group as u32) as usize
    }

    /// The shape of a block.
    #[inline]
    pub(super) fn shape_of(&self, block: u64) -> usize {
        (block as usize % SHAPES) ^ self.order_of(block / SHAPES as u64)
    }

    /// The address of a block.
    #[inline]
    pub(super) fn block_address(&self, block: u64) -> u64 {
        let (group, number) = (block / SHAPES as u64, block as usize % SHAPES);
        let start = self.starts[(self.order_of(group) * SHAPES + number) % (SHAPES * SHAPES)];
        self.base + group * self.group + u64::from(start) * UNIT
    }

    /// The address of an object.
    #[inline]
    pub(super) fn address(&self, block: u64, object: u32) -> u64 {
        let (group, number) = (block / SHAPES as u64, block as usize % SHAPES);
        let order = self.order_of(group);
        let start = self.starts[(order * SHAPES + number) % (SHAPES * SHAPES)];
        let offset =
            self.offsets[((number ^ order) * OBJECTS as usize + object as usize) % (SHAPES * OBJECTS as usize)];
        self.base + group * self.group + (u64::from(start) + u64::from(offset)) * UNIT
    }

    /// The block and object at an address.
    pub(super) fn find(&self, address: u64) -> Option<(u64, usize)> {
        let from = address.checked_sub(self.base).filter(|from| from.is_multiple_of(UNIT))?;
        let (group, within) = (from / self.group, u32::try_from(from % self.group / UNIT).ok()?);
        let order = self.order_of(group);
        let starts = &self.starts[order * SHAPES..][..SHAPES];
        let number = starts.partition_point(|start| *start <= within).checked_sub(1)?;
        let shape = number ^ order;
        let offsets = &self.offsets[shape * OBJECTS as usize..][..OBJECTS as usize];
        let object = offsets.binary_search(&(within - starts[number])).ok()?;
        let block = group * SHAPES as u64 + number as u64;
        (block < self.blocks).then_some((block, object))
    }

    /// The number of blocks with a shape: one in each group, but for the end of the last group.
    pub(super) fn blocks_of(&self, shape: usize) -> u64 {
        let (groups, rest) = (self.blocks / SHAPES as u64, self.blocks % SHAPES as u64);
        groups + u64::from(((shape ^ self.order_of(groups)) as u64) < rest)
    }

    /// The unit of addresses.
    pub(super) fn unit(&self) -> u64 {
        let places = self.starts.iter().chain(&self.offsets).fold(0, |bits, place| bits | (u64::from(*place) * UNIT));
        let bits = places | self.base | self.group;
        1 << bits.trailing_zeros().min(3)
    }

    /// The address of the first block.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks
    }
}
