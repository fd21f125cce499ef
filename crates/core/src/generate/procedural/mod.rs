//! Heaps of any size, each object of which can be computed without the others.
//!
//! The classes, the surroundings of a heap, and its first objects are drawn ([`super::generate`]). All further objects
//! stand in blocks of 32 with one of 64 shapes, which are drawn as well; differences between blocks are functions of
//! seed and block. `specs/generator.md` has the definition.

mod description;
mod layout;
mod mix;
mod shapes;

use std::sync::Arc;

use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::Error;
use crate::model::blocks::{BlockFilling, BlockShape, FilledBlocks, ObjectBlocks};
use crate::model::{
    Address, Class, Facts, Heap, HeapPart, HeapSource, Root, RootKind, Surroundings, VisitObjects, VisitParts,
    is_ascending,
};

use super::DrawnHeap;
use super::objects::SpareBlocks;
use super::options::{AddressSpace, DRAWN, GenerateOptions};
use super::placement::{self, RunBlocks};
use super::plan::{HELD, MissingObjects};
use super::shape::PlacedShape;
use layout::{BlockLayout, OBJECTS, SHAPES};
use shapes::{DrawnShape, draw_shape};

/// The least number of drawn objects in a larger heap.
const FIRST: usize = 512;
/// The most objects of blocks that are roots.
const ROOTS: u64 = 64;
/// The distance of blocks between which near references lead.
const NEAR: u64 = 256;
/// The most bytes of gaps in a block.
const JUMPS: u64 = 1 << 22;

/// The heap of a seed, with any number of objects, in memory that does not depend on that number.
#[derive(Clone, Debug)]
pub struct ProceduralHeap {
    first: Heap,
    ascends: bool,
    blocks: Option<SeedBlocks>,
    shapes: Vec<Arc<PlacedShape>>,
    runs: Vec<RunBlocks>,
    missing: MissingObjects,
}

impl ProceduralHeap {
    /// The heap of a seed.
    ///
    /// # Errors
    /// If that many objects do not fit into the addresses of a process with this word size.
    pub fn new(options: &GenerateOptions, seed: u64) -> Result<ProceduralHeap, Error> {
        let options = &options.with_oddities();
        options.check()?;
        let mut draw = SeedDraw::new(seed, DrawStream::Heap);
        let in_blocks = match options.addresses {
            // Numbers are for identifiers of so few bytes that there are few objects.
            AddressSpace::Numbers => 0,
            _ if options.objects > DRAWN => (options.objects - FIRST) / OBJECTS as usize,
            _ => 0,
        };
        let objects = options.objects - in_blocks * OBJECTS as usize;
        let spare = SpareBlocks { count: in_blocks, objects: OBJECTS as usize };
        let mut drawn = super::draw_heap(&GenerateOptions { objects, ..options.clone() }, spare, &mut draw);
        let in_blocks = in_blocks - (drawn.heap.objects.len() - objects) / OBJECTS as usize;
        let mut first = std::mem::take(&mut drawn.heap);
        let plan = placement::plan_shapes(options, &first, &mut drawn.ground)?;
        let mut blocks = None;
        if in_blocks > 0 {
            let mut draw = SeedDraw::new(seed, DrawStream::Blocks);
            let computed = SeedBlocks::draw(options, &drawn, in_blocks as u64, &mut draw)?;
            first.surroundings.roots.get_or_insert_default().extend(computed.roots(&mut draw));
            drawn.ground.reserve(computed.layout.length());
            blocks = Some(computed);
        }
        let shapes = placement::place_shapes(options, plan, &mut drawn.ground)?;
        let around = placement::build(options, &shapes, &mut first);
        let runs = shapes.iter().flat_map(|shape| RunBlocks::from_shape(shape, &around)).collect();
        let missing = drawn.missing;
        let mut heap = ProceduralHeap { first, ascends: false, blocks, shapes, runs, missing };
        let last = heap.first.objects.last().map(|object| object.address);
        let starts = last.into_iter().chain(heap.all_blocks().map(|blocks| blocks.address(0)));
        heap.ascends = starts.is_sorted() && is_ascending(&mut &heap.first)?;
        Ok(heap)
    }

    /// The number of objects.
    pub fn objects(&self) -> u64 {
        self.first.objects.len() as u64 + self.all_blocks().map(ObjectBlocks::objects).sum::<u64>()
    }

    /// The number of requested threads without room: each takes two or three of the heap's objects.
    pub fn missing_threads(&self) -> u64 {
        self.missing.threads
    }

    /// The number of requested class loaders without room: each takes an object.
    pub fn missing_loaders(&self) -> u64 {
        self.missing.loaders
    }

    /// The heap without the objects in blocks: the drawn objects and those of shapes that are few or large.
    pub fn drawn(&self) -> &Heap {
        &self.first
    }

    /// This heap with another one in the place of the drawn one.
    ///
    /// # Errors
    /// If the change fails.
    pub(crate) fn with_drawn(self, change: impl FnOnce(Heap) -> Result<Heap, Error>) -> Result<ProceduralHeap, Error> {
        Ok(ProceduralHeap { first: change(self.first)?, ..self })
    }

    /// The blocks of the seed, if there are more objects than are drawn.
    pub fn blocks(&self) -> Option<&dyn ObjectBlocks> {
        self.blocks.as_ref().map(|blocks| blocks as &dyn ObjectBlocks)
    }

    /// All blocks, in their order: those of the seed, and those of shapes.
    pub fn all_blocks(&self) -> impl Iterator<Item = &dyn ObjectBlocks> {
        self.blocks().into_iter().chain(self.runs.iter().map(|run| run as &dyn ObjectBlocks))
    }

    /// The shapes, in the order of the option.
    pub fn shapes(&self) -> impl Iterator<Item = &PlacedShape> {
        self.shapes.iter().map(Arc::as_ref)
    }
}

impl HeapSource for ProceduralHeap {
    fn facts(&self) -> &Facts {
        &self.first.facts
    }

    fn classes(&self) -> &[Class] {
        &self.first.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.first.surroundings
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        self.first.objects.iter().try_for_each(&mut *visit)?;
        for blocks in self.all_blocks() {
            let mut filled = FilledBlocks::new(blocks);
            (0..blocks.count()).try_for_each(|block| filled.fill(block).iter().try_for_each(&mut *visit))?;
        }
        Ok(())
    }

    fn visit_parts(&mut self, visit: &mut VisitParts<'_>) -> Result<(), Error> {
        self.first.objects.iter().try_for_each(|object| visit(HeapPart::Object(object)))?;
        self.all_blocks().try_for_each(|blocks| visit(HeapPart::Blocks(blocks)))
    }

    fn ascends(&self) -> bool {
        self.ascends
    }
}

/// The blocks of a seed.
#[derive(Clone, Debug)]
struct SeedBlocks {
    key: u64,
    shapes: Vec<BlockShape>,
    drawn: Vec<DrawnShape>,
    layout: BlockLayout,
}

impl SeedBlocks {
    fn draw(
        options: &GenerateOptions,
        before: &DrawnHeap,
        blocks: u64,
        draw: &mut dyn Draw,
    ) -> Result<SeedBlocks, Error> {
        let (key, ground) = (draw.u64(), &before.ground);
        let groups = blocks.div_ceil(SHAPES as u64);
        let jumps = (ground.remaining() / groups / SHAPES as u64 / 2).min(JUMPS);
        let mut drawn: Vec<DrawnShape> = (0..SHAPES).map(|_| draw_shape(options, before, jumps, draw)).collect();
        let lengths = std::array::from_fn(|shape| drawn[shape].length);
        let offsets = drawn.iter().flat_map(|drawn| drawn.shape.objects.iter().map(|object| object.address.0));
        let layout = BlockLayout::new(key, blocks, ground.next_address(), offsets, &lengths);
        let layout = layout.filter(|layout| blocks <= 1 << 32 && layout.length() <= ground.remaining().into());
        let layout = layout.ok_or_else(|| {
            let bits = 8 * options.word.bytes();
            Error::Usage(format!(
                "{} objects do not fit into addresses of {bits} bits; choose fewer objects",
                options.objects
            ))
        })?;
        let shapes = drawn.iter_mut().map(|drawn| std::mem::take(&mut drawn.shape)).collect();
        Ok(SeedBlocks { key, shapes, drawn, layout })
    }

    /// Draws roots among the objects of blocks, so that these are reachable.
    fn roots(&self, draw: &mut dyn Draw) -> Vec<Root> {
        let roots = (0..self.count().min(ROOTS)).map(|number| {
            let place = (draw.below(self.count()), draw.below(OBJECTS) as u32);
            // The first one holds all blocks.
            let (block, object) = if number == 0 { (0, 0) } else { place };
            let kind = RootKind::JniGlobal(Address((1 << 20) + 8 * number));
            Root { object: Address(self.layout.address(block, object)), kind, after: None }
        });
        roots.collect()
    }
}

/// The number of references that are computed together.
const TOGETHER: usize = 32;

impl ObjectBlocks for SeedBlocks {
    fn count(&self) -> u64 {
        self.layout.blocks()
    }

    fn shapes(&self) -> &[BlockShape] {
        &self.shapes
    }

    fn shape_of(&self, block: u64) -> usize {
        self.layout.shape_of(block)
    }

    fn blocks_of(&self, shape: usize) -> u64 {
        self.layout.blocks_of(shape)
    }

    fn unit(&self) -> u64 {
        self.layout.unit()
    }

    fn address(&self, block: u64) -> Address {
        Address(self.layout.block_address(block))
    }

    fn fill(&self, block: u64, filling: &mut BlockFilling) {
        let drawn = &self.drawn[self.layout.shape_of(block)];
        let key = mix::word(self.key, block);
        let start = self.layout.block_address(block);
        filling.address = start;
        let blocks = self.layout.blocks();
        let references = &mut filling.references;
        references.clear();
        let (mut number, lanes) = (0_u32, (drawn.far + drawn.near) as u32);
        while number < lanes {
            let together = (lanes - number).min(TOGETHER as u32) as usize;
            let mut targets = [(0_u32, 0_u32); TOGETHER];
            for (lane, target) in targets.iter_mut().enumerate() {
                let bits = mix::lane(key, number + lane as u32);
                *target = (bits, mix::five_bits(key, bits));
            }
            for (lane, &(bits, object)) in targets[..together].iter().enumerate() {
                let is_far = number as usize + lane < drawn.far || blocks < NEAR;
                let to = if is_far { mix::below(bits, blocks).into() } else { nearby_block(block, bits, blocks) };
                references.push(self.layout.address(to, object));
            }
            number += together as u32;
        }
        // The blocks are a tree.
        for held in 0..HELD as u64 {
            let below = block * HELD as u64 + 1 + held;
            let (to, object) = if below < blocks { (below, 0) } else { (block, 0) };
            references.push(self.layout.address(to, object));
        }
        references.extend(drawn.own.iter().map(|offset| start + offset));
        filling.values.clear();
        for (number, (and, or)) in (0..).zip(&drawn.masks) {
            filling.values.extend_from_slice(&(mix::word(key, number) & and | or).to_be_bytes());
        }
        filling.hashes.clear();
        let (and, or) = drawn.hash;
        let hashed = self.shapes[self.layout.shape_of(block)].hashed.len() as u32;
        filling.hashes.extend((lanes..lanes + hashed).map(|number| mix::lane(key, number) & and | or));
    }

    fn find(&self, address: Address) -> Option<(u64, usize)> {
        self.layout.find(address.0)
    }
}

/// A block at most 128 away from another one, with the ends joined.
#[inline]
fn nearby_block(block: u64, lane: u32, blocks: u64) -> u64 {
    let to = block + blocks + u64::from(lane >> 24) - NEAR / 2;
    if to >= 2 * blocks {
        to - 2 * blocks
    } else if to >= blocks {
        to - blocks
    } else {
        to
    }
}
