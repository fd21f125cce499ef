//! The expected objects of a dump.

use crate::error::Error;
use crate::family::Lowering;
use crate::generate::ProceduralHeap;
use crate::model::blocks::{BlockFilling, BlockItem, ObjectBlocks, ValueSpan};
use crate::model::{Address, Contents, Heap, HeapSource, IdentityHash, Object, Value};

/// A generated heap, as a writer dumps it.
pub(super) struct ExpectedHeap<'h> {
    /// The heap without the objects in blocks.
    pub(super) head: Heap,
    ascends: bool,
    parts: Vec<ExpectedBlocks<'h>>,
}

/// The place of an object among those in blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectPosition {
    /// The place among the heap's parts in blocks.
    pub(super) part: usize,
    pub(super) block: u64,
    /// The block's shape.
    pub(super) shape: usize,
    /// The object's place in the block.
    pub(super) object: usize,
}

/// Objects in blocks, as a writer dumps them.
struct ExpectedBlocks<'h> {
    blocks: &'h dyn ObjectBlocks,
    /// The number of the first object.
    first: u64,
    shapes: Vec<Vec<ExpectedObject>>,
    filling: BlockFilling,
    /// The block that the objects of its shape are of.
    filled: Option<u64>,
}

/// An object of a shape.
struct ExpectedObject {
    object: Object,
    offset: u64,
    /// Items of its contents that are references of the filling.
    references: Vec<(usize, usize)>,
    /// Items that are values of the filling: where these begin, and how many bytes they take.
    fields: Vec<(usize, usize, usize)>,
    /// The range of all its contents, if they are values.
    all: Option<(usize, usize)>,
    hash: Option<usize>,
}

impl<'h> ExpectedHeap<'h> {
    pub(super) fn new(heap: &'h ProceduralHeap, lowering: &Lowering) -> Result<ExpectedHeap<'h>, Error> {
        let mut first = heap.drawn().clone();
        let head = carry(lowering, &mut first)?;
        let mut parts: Vec<ExpectedBlocks<'h>> = Vec::new();
        for blocks in heap.all_blocks() {
            let number = parts.last().map_or(0, ExpectedBlocks::end_number);
            parts.push(ExpectedBlocks::new(blocks, number, &first, lowering)?);
        }
        Ok(ExpectedHeap { head, ascends: heap.ascends(), parts })
    }

    /// Whether the objects stand in the order of their addresses.
    pub(super) fn ascends(&self) -> bool {
        self.ascends
    }

    /// The number of objects in blocks.
    pub(super) fn in_blocks(&self) -> u64 {
        self.parts.last().map_or(0, ExpectedBlocks::end_number)
    }

    /// Whether the object of this number, among those in blocks, is at an address.
    #[inline]
    pub(super) fn is_at(&mut self, number: u64, address: Address) -> bool {
        let Some(spot) = self.place(number) else { return false };
        self.filled_object(spot).address == address
    }

    /// The place of the object of this number among those in blocks.
    #[inline]
    pub(super) fn place(&self, number: u64) -> Option<ObjectPosition> {
        let part = match self.parts.as_slice() {
            [_] => 0,
            parts => parts.partition_point(|told| told.end_number() <= number),
        };
        let told = self.parts.get(part)?;
        let (block, object) = ((number - told.first) / told.size(), ((number - told.first) % told.size()) as usize);
        (block < told.blocks.count()).then(|| ObjectPosition {
            part,
            block,
            shape: told.blocks.shape_of(block),
            object,
        })
    }

    /// The number of objects in a block.
    pub(super) fn size(&self, spot: ObjectPosition) -> u64 {
        self.parts[spot.part].size()
    }

    /// The address of the object of this place.
    pub(super) fn address(&self, ObjectPosition { part, block, shape, object }: ObjectPosition) -> Address {
        let told = &self.parts[part];
        Address(told.blocks.address(block).0.wrapping_add(told.shapes[shape][object].offset))
    }

    /// The number of the object at an address, among those in blocks.
    pub(super) fn number_of(&self, address: Address) -> Option<u64> {
        self.parts.iter().find_map(|told| {
            let (block, object) = told.blocks.find(address)?;
            Some(told.first + block * told.size() + object as u64)
        })
    }

    /// The object of this number.
    ///
    /// # Panics
    /// If there are fewer.
    pub(super) fn object(&mut self, number: u64) -> &Object {
        let spot = self.place(number).expect("objects in blocks");
        self.filled_object(spot)
    }

    #[inline]
    fn filled_object(&mut self, ObjectPosition { part, block, shape, object }: ObjectPosition) -> &Object {
        let told = &mut self.parts[part];
        told.fill(block);
        &told.shapes[shape][object].object
    }
}

impl<'h> ExpectedBlocks<'h> {
    fn new(
        blocks: &'h dyn ObjectBlocks,
        number: u64,
        first: &Heap,
        lowering: &Lowering,
    ) -> Result<ExpectedBlocks<'h>, Error> {
        let mut filling = BlockFilling::default();
        blocks.fill(0, &mut filling);
        let base = filling.address;
        let shapes = blocks.shapes().iter().map(|shape| {
            // Every reference that is open gets a place of its own, in turn, and after them every object.
            let objects = base + PLACE * shape.references.len() as u64;
            let mut marked = shape.objects.clone();
            for (&at, lane) in shape.references.iter().zip(0..) {
                set_item(&mut marked[at.object as usize].contents, at.item as usize, base + PLACE * lane);
            }
            for (object, place) in marked.iter_mut().zip(0..) {
                object.address = Address(objects + PLACE * place);
            }
            // Some writers store no hash of 0.
            for &place in &shape.hashed {
                let hash = &mut marked[place as usize].hash;
                *hash = hash.map(|kind| match kind {
                    IdentityHash::Bits16(_) => IdentityHash::Bits16(1),
                    IdentityHash::Bits32(_) => IdentityHash::Bits32(1),
                });
            }
            let places = base..objects;
            let mut around = Heap { objects: first.objects.iter().cloned().chain(marked).collect(), ..first.clone() };
            let carried = carry(lowering, &mut around)?;
            let mut told: Vec<ExpectedObject> = shape
                .objects
                .iter()
                .zip(0..)
                .map(|(original, place)| {
                    let at = Address(objects + PLACE * place);
                    let object = carried.objects.iter().find(|object| object.address == at).cloned();
                    let object = object.unwrap_or_default();
                    let references = items(&object.contents).filter(|(_, to)| places.contains(to));
                    let references = references.map(|(item, to)| (item, ((to - base) / PLACE) as usize)).collect();
                    let (offset, fields) = (original.address.0, Vec::new());
                    ExpectedObject { object, offset, references, fields, all: None, hash: None }
                })
                .collect();
            for (&place, number) in shape.hashed.iter().zip(0..) {
                told[place as usize].hash = Some(number);
            }
            let mut start = 0;
            for span in &shape.values {
                let bytes = span.bytes();
                match *span {
                    ValueSpan::Field(BlockItem { object, item }, _) => {
                        told[object as usize].fields.push((item as usize, start, bytes));
                    }
                    ValueSpan::Array(object, _) => told[object as usize].all = Some((start, bytes)),
                }
                start += bytes;
            }
            Ok(told)
        });
        let shapes = shapes.collect::<Result<Vec<_>, Error>>()?;
        Ok(ExpectedBlocks { blocks, first: number, shapes, filling, filled: None })
    }

    fn size(&self) -> u64 {
        self.blocks.shapes()[0].len()
    }

    /// The number after that of the last object.
    fn end_number(&self) -> u64 {
        self.first + self.blocks.count() * self.size()
    }

    #[inline]
    fn fill(&mut self, block: u64) {
        if self.filled == Some(block) {
            return;
        }
        self.filled = Some(block);
        let filling = &mut self.filling;
        self.blocks.fill(block, filling);
        for told in &mut self.shapes[self.blocks.shape_of(block)] {
            told.fill(filling);
        }
    }
}

impl ExpectedObject {
    fn fill(&mut self, filling: &BlockFilling) {
        let object = &mut self.object;
        object.address = Address(filling.address + self.offset);
        for &(item, lane) in &self.references {
            set_item(&mut object.contents, item, filling.references[lane]);
        }
        if let Contents::Fields(fields) = &mut object.contents {
            for &(item, start, bytes) in &self.fields {
                let bytes = &filling.values[start..start + bytes];
                fields[item].bits = bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            }
        }
        if let (Contents::Primitives(all), Some((start, bytes))) = (&mut object.contents, self.all) {
            all.copy_from_slice(&filling.values[start..start + bytes]);
        }
        if let Some(number) = self.hash {
            let bits = filling.hashes[number];
            object.hash = match object.hash {
                Some(IdentityHash::Bits32(_)) => Some(IdentityHash::Bits32(bits)),
                Some(IdentityHash::Bits16(_)) => Some(IdentityHash::Bits16((bits & 0x7fff) as u16)),
                None => None,
            };
        }
    }
}

/// Places of addresses while a shape is carried: every format can spell multiples of 8.
const PLACE: u64 = 8;

fn carry(lowering: &Lowering, heap: &mut Heap) -> Result<Heap, Error> {
    lowering.carry(&mut (heap as &mut dyn HeapSource))?.into_only_heap()
}

/// The references among contents, with their places.
fn items(contents: &Contents) -> Box<dyn Iterator<Item = (usize, u64)> + '_> {
    match contents {
        Contents::References(listed) | Contents::Elements(listed) => {
            Box::new(listed.iter().enumerate().map(|(at, to)| (at, to.0)))
        }
        Contents::Fields(fields) => {
            let of = |(at, value): (usize, &Value)| Some((at, value.as_reference()?.0));
            Box::new(fields.iter().enumerate().filter_map(of))
        }
        _ => Box::new(std::iter::empty()),
    }
}

fn set_item(contents: &mut Contents, item: usize, to: u64) {
    match contents {
        Contents::References(listed) | Contents::Elements(listed) => listed[item] = Address(to),
        Contents::Fields(fields) => fields[item].bits = to,
        _ => {}
    }
}
