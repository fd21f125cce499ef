//! Blocks of the objects of shapes that are not held: each block has as many units of a run as make some dozens of
//! objects.

use std::sync::Arc;

use crate::model::blocks::{BlockFilling, BlockItem, BlockShape, ObjectBlocks, ValueSpan};
use crate::model::{Address, Contents, IdentityHash, Object, PrimitiveType};

use super::built::{self, FieldSlot, HeapAround};
use crate::generate::shape::placed::{PlacedRun, PlacedShape};
use crate::generate::shape::structure::{KEY, KindBody};

/// The most objects and references of a block, unless one unit has more.
const OBJECTS: u64 = 64;
const REFERENCES: u64 = 4096;

/// Blocks of one run: all of its units that make whole blocks, or the remaining units.
#[derive(Clone, Debug)]
pub(in crate::generate) struct RunBlocks {
    shape: Arc<PlacedShape>,
    run: usize,
    /// The first unit, the units of a block, and the number of blocks.
    first: u64,
    units: u64,
    count: u64,
    block: [BlockShape; 1],
    /// The open references of a unit: the object, and the reference's place among those of the object.
    references: Vec<(u64, u64)>,
    /// The open values of a unit, each with its object.
    values: Vec<(u64, OpenValue)>,
    has_hashes: bool,
    text: PrimitiveType,
}

/// A value that differs from object to object.
#[derive(Clone, Copy, Debug)]
enum OpenValue {
    /// The field at this place, with that many bytes.
    Field(u32, u8),
    /// The whole array.
    Bytes(u64),
    /// The characters of a key.
    Key,
}

impl RunBlocks {
    /// The blocks of all objects of a shape that are not held, in their order.
    pub(in crate::generate) fn from_shape(shape: &Arc<PlacedShape>, around: &HeapAround) -> Vec<RunBlocks> {
        let mut blocks = Vec::new();
        for (place, run) in shape.runs.iter().enumerate().filter(|(_, run)| !run.is_held) {
            let references = (run.first..).zip(&run.unit).map(|(object, _)| shape.references(object).count() as u64);
            let references: u64 = references.sum();
            let units = (OBJECTS / run.unit.len() as u64).min(REFERENCES / references.max(1)).clamp(1, run.count);
            let (whole, left) = (run.count / units, run.count % units);
            blocks.push(RunBlocks::new(shape, around, place, (0, units, whole)));
            if left > 0 {
                blocks.push(RunBlocks::new(shape, around, place, (whole * units, left, 1)));
            }
        }
        blocks
    }

    fn new(
        shape: &Arc<PlacedShape>,
        around: &HeapAround,
        run: usize,
        (first, units, count): (u64, u64, u64),
    ) -> RunBlocks {
        let mut blocks = RunBlocks {
            shape: Arc::clone(shape),
            run,
            first,
            units,
            count,
            block: [BlockShape::default()],
            references: Vec::new(),
            values: Vec::new(),
            has_hashes: around.has_hashes(),
            text: around.text(),
        };
        let number = blocks.first_number(0);
        let run = &shape.runs[run];
        let of_unit = run.unit.len() as u64;
        let mut unit: Vec<Object> = (number..number + of_unit).map(|object| around.object(shape, object)).collect();
        let mut items = Vec::new();
        for (object, place) in unit.iter_mut().zip(0..) {
            blocks.open_values(object, place, number + place, around, &mut items);
        }
        let mut block = BlockShape::default();
        for number in 0..units {
            let first = (number * of_unit) as u32;
            for (object, offset) in unit.iter().zip(&run.offsets) {
                block.objects.push(Object { address: Address(number * run.stride + offset), ..object.clone() });
            }
            block
                .references
                .extend(items.iter().map(|item| BlockItem { object: first + item.object, item: item.item }));
            block.values.extend(blocks.values.iter().map(|&(object, open)| {
                let object = first + object as u32;
                match open {
                    OpenValue::Field(item, bytes) => ValueSpan::Field(BlockItem { object, item }, bytes),
                    OpenValue::Bytes(bytes) => ValueSpan::Array(object, bytes as u32),
                    OpenValue::Key => ValueSpan::Array(object, (KEY * blocks.text.size()) as u32),
                }
            }));
        }
        if blocks.has_hashes {
            block.hashed = (0..block.objects.len() as u32).collect();
        }
        blocks.block = [block];
        blocks
    }

    /// Opens the parts of an object that differ between units.
    fn open_values(
        &mut self,
        object: &mut Object,
        place: u64,
        number: u64,
        around: &HeapAround,
        items: &mut Vec<BlockItem>,
    ) {
        match &mut object.contents {
            Contents::Fields(fields) => {
                for ((field, slot), item) in fields.iter_mut().zip(around.slots(&self.shape, number)).zip(0..) {
                    match slot {
                        FieldSlot::Reference(of) if field.bits != 0 => {
                            items.push(BlockItem { object: place as u32, item });
                            self.references.push((place, of));
                        }
                        FieldSlot::Value(kind) => self.values.push((place, OpenValue::Field(item, kind.size() as u8))),
                        _ => continue,
                    }
                    field.bits = 0;
                }
            }
            Contents::Elements(elements) => {
                for (element, item) in elements.iter_mut().zip(0..).filter(|(element, _)| !element.is_null()) {
                    *element = Address::NULL;
                    items.push(BlockItem { object: place as u32, item });
                    self.references.push((place, item.into()));
                }
            }
            Contents::Primitives(bytes) => {
                let is_key = matches!(self.shape.kind_of(number).kind.body, KindBody::Key(_));
                self.values.push((place, if is_key { OpenValue::Key } else { OpenValue::Bytes(bytes.len() as u64) }));
                bytes.fill(0);
            }
            _ => {}
        }
        object.hash = object.hash.map(|_| IdentityHash::Bits16(0));
    }

    fn run(&self) -> &PlacedRun {
        &self.shape.runs[self.run]
    }

    /// The number of a block's first object.
    fn first_number(&self, block: u64) -> u64 {
        let run = self.run();
        run.first + (self.first + block * self.units) * run.unit.len() as u64
    }
}

impl ObjectBlocks for RunBlocks {
    fn count(&self) -> u64 {
        self.count
    }

    fn shapes(&self) -> &[BlockShape] {
        &self.block
    }

    fn shape_of(&self, _: u64) -> usize {
        0
    }

    fn blocks_of(&self, _: usize) -> u64 {
        self.count
    }

    fn unit(&self) -> u64 {
        let run = self.run();
        let bits = run.offsets.iter().fold(run.base | run.stride, |bits, offset| bits | offset);
        1 << bits.trailing_zeros().min(3)
    }

    fn address(&self, block: u64) -> Address {
        let run = self.run();
        Address(run.base + (self.first + block * self.units) * run.stride)
    }

    fn fill(&self, block: u64, filling: &mut BlockFilling) {
        filling.address = self.address(block).0;
        let (first, of_unit) = (self.first_number(block), self.run().unit.len() as u64);
        filling.references.clear();
        filling.values.clear();
        filling.hashes.clear();
        for unit in (0..self.units).map(|unit| first + unit * of_unit) {
            let to = |&(object, place): &(u64, u64)| self.shape.target(unit + object, place).0;
            filling.references.extend(self.references.iter().map(to));
            for &(object, open) in &self.values {
                let value = self.shape.structure.value(unit + object);
                match open {
                    OpenValue::Field(_, bytes) => filling.values.extend(&value.to_be_bytes()[8 - usize::from(bytes)..]),
                    OpenValue::Bytes(bytes) => {
                        filling.values.extend((0..bytes).map(|place| built::repeated_byte(value, place)))
                    }
                    OpenValue::Key => filling.values.extend(built::key_characters(value, self.text)),
                }
            }
            if self.has_hashes {
                filling.hashes.extend((unit..unit + of_unit).map(|object| u32::from(built::hash_bits(object))));
            }
        }
    }

    fn find(&self, address: Address) -> Option<(u64, usize)> {
        let objects = self.units * self.run().unit.len() as u64;
        let from = self.shape.find(address)?.checked_sub(self.first_number(0))?;
        (from < objects * self.count).then_some((from / objects, (from % objects) as usize))
    }
}
