//! Shapes of blocks: small heaps over the classes of a heap, with references and values left open.

use crate::draw::Draw;
use crate::model::blocks::{BlockItem, BlockShape, ValueSpan};
use crate::model::{Address, Contents, FieldType, IdentityHash, Object, ObjectKind, PrimitiveType, Value};

use super::layout::OBJECTS;
use crate::generate::DrawnHeap;
use crate::generate::addresses::AddressAllocator;
use crate::generate::classes::ClassPlan;
use crate::generate::contents;
use crate::generate::objects;
use crate::generate::oddity::Oddity;
use crate::generate::options::{GenerateOptions, Share};
use crate::generate::plan::{HELD, ObjectPlan};

/// The first address of a block's own objects while it is drawn: no heap has others there.
const OWN: u64 = 0x5000_0000_0000_0000;

/// A shape, and the computation of its open parts. Its references are first the far ones, then the near ones, then
/// those to the blocks that it holds, then those to objects of the block.
#[derive(Clone, Debug)]
pub(super) struct DrawnShape {
    pub(super) shape: BlockShape,
    /// Bytes from its first object to the next block.
    pub(super) length: u64,
    /// References to any object of any block.
    pub(super) far: usize,
    /// References to any object of a block nearby.
    pub(super) near: usize,
    /// References to an object of the block, by its offset.
    pub(super) own: Vec<u64>,
    /// A mask and an addend for each word of values.
    pub(super) masks: Vec<(u64, u64)>,
    /// A mask and an addend for hashes.
    pub(super) hash: (u32, u32),
}

/// Draws a shape, in which gaps between objects take at most `jumps` bytes.
pub(super) fn draw_shape(options: &GenerateOptions, before: &DrawnHeap, jumps: u64, draw: &mut dyn Draw) -> DrawnShape {
    let classes = &before.classes;
    let options = GenerateOptions { objects: OBJECTS as usize, ..options.clone() };
    let mut ground = AddressAllocator::for_block(&options, OWN, jumps);
    let mut plan = objects::plan_block(&options, classes, &mut ground, &before.popular, draw);
    let mut objects = contents::draw_objects(&options, classes, &mut plan, draw);
    let mut open = OpenParts::default();
    let mut hashed = Vec::new();
    let mut hash = (0, 0);
    for (place, object) in objects.iter_mut().enumerate() {
        object.address = Address(object.address.0 - OWN);
        open.open_object(place, object, &plan, classes, &options, draw);
        // What is odd about a hash is its value.
        match &mut object.hash {
            Some(IdentityHash::Bits32(bits @ 1..)) => (hash, *bits) = ((u32::MAX, 1), 0),
            Some(IdentityHash::Bits16(bits @ 1..0x8000)) => (hash, *bits) = ((0x7fff, 1), 0),
            _ => continue,
        }
        hashed.push(place as u32);
    }
    let held = (0..HELD as u32).map(|item| BlockItem { object: 0, item });
    let OpenParts { far, near, own, mut bytes, values } = open;
    bytes.resize(bytes.len().next_multiple_of(8), (0, 0));
    let masks = bytes.chunks_exact(8).map(|word| {
        let of = |part: fn(&(u8, u8)) -> u8| word.iter().fold(0, |bits, byte| bits << 8 | u64::from(part(byte)));
        (of(|byte| byte.0), of(|byte| byte.1))
    });
    DrawnShape {
        length: (ground.next_address() - OWN).next_multiple_of(8),
        far: far.len(),
        near: near.len(),
        masks: masks.collect(),
        hash,
        shape: BlockShape {
            objects,
            references: far.into_iter().chain(near).chain(held).chain(own.iter().map(|(item, _)| *item)).collect(),
            values,
            hashed,
        },
        own: own.into_iter().map(|(_, offset)| offset).collect(),
    }
}

/// The open parts of a shape.
#[derive(Default)]
struct OpenParts {
    far: Vec<BlockItem>,
    near: Vec<BlockItem>,
    own: Vec<(BlockItem, u64)>,
    /// A mask and an addend for each byte of the values.
    bytes: Vec<(u8, u8)>,
    values: Vec<ValueSpan>,
}

impl OpenParts {
    fn open_object(
        &mut self,
        place: usize,
        object: &mut Object,
        plan: &ObjectPlan,
        classes: &ClassPlan,
        options: &GenerateOptions,
        draw: &mut dyn Draw,
    ) {
        let is_free = plan.is_free(place, classes);
        // An owner's reference says something.
        let goes = |item: usize| is_free && plan.owned_address(place, item).is_none();
        let item = |item: usize| BlockItem { object: place as u32, item: item as u32 };
        match &mut object.contents {
            Contents::Fields(fields) => {
                for (number, value) in fields.iter_mut().enumerate() {
                    match value.kind {
                        FieldType::Object => {
                            self.open_reference(item(number), &mut value.bits, goes(number), options, draw)
                        }
                        FieldType::Primitive(kind) if is_free => {
                            self.open_field(item(number), kind, value, options, draw)
                        }
                        FieldType::Primitive(_) => {}
                    }
                }
            }
            Contents::Elements(elements) => {
                for (number, element) in elements.iter_mut().enumerate() {
                    self.open_reference(item(number), &mut element.0, goes(number), options, draw);
                }
            }
            Contents::Primitives(bytes) if !bytes.is_empty() => {
                let ObjectKind::PrimitiveArray(element) = object.kind else { return };
                if options.oddities.has(Oddity::ExtremeValues) && !plan.is_text(place) || plan.is_word(place) {
                    return;
                }
                let mask = if plan.is_text(place) { letters(element) } else { mask(element) };
                let size = element.size() as usize;
                self.values.push(ValueSpan::Array(place as u32, bytes.len() as u32));
                self.bytes.extend((0..bytes.len()).map(|byte| mask_of_byte(mask, size, byte % size)));
                bytes.fill(0);
            }
            _ => {}
        }
    }

    /// Opens a reference: to an object of the block if it has a meaning, or else to any object.
    fn open_reference(
        &mut self,
        item: BlockItem,
        bits: &mut u64,
        is_free: bool,
        options: &GenerateOptions,
        draw: &mut dyn Draw,
    ) {
        let Some(offset) = bits.checked_sub(OWN).filter(|offset| *offset < 1 << 60) else { return };
        *bits = 0;
        match if is_free { draw.below(4) } else { 4 } {
            0 => self.far.push(item),
            1 => self.near.push(item),
            // Most of what is near has its owner.
            2 if options.has_owners() => self.far.push(item),
            3 if options.has_owners() => self.near.push(item),
            _ => self.own.push((item, offset)),
        }
    }

    /// Opens a field's value, unless it is one of the extremes.
    fn open_field(
        &mut self,
        item: BlockItem,
        kind: PrimitiveType,
        value: &mut Value,
        options: &GenerateOptions,
        draw: &mut dyn Draw,
    ) {
        if options.oddities.has(Oddity::ExtremeValues) && draw.one_in(2) {
            return;
        }
        if value.bits == 0 && options.zeros != Share::default() {
            return;
        }
        let size = kind.size() as usize;
        self.values.push(ValueSpan::Field(item, size as u8));
        self.bytes.extend((0..size).map(|byte| mask_of_byte(mask(kind), size, byte)));
        value.bits = 0;
    }
}

/// A mask and an addend for the bits of a value: a boolean is 0 or 1, a character a letter, a float a number.
fn mask(kind: PrimitiveType) -> (u64, u64) {
    match kind {
        PrimitiveType::Boolean => (1, 0),
        PrimitiveType::Char => letters(kind),
        PrimitiveType::Float => (0x807f_ffff, 0x4000_0000),
        PrimitiveType::Double => (0x800f_ffff_ffff_ffff, 0x4000_0000_0000_0000),
        PrimitiveType::Byte | PrimitiveType::Short | PrimitiveType::Int | PrimitiveType::Long => (u64::MAX, 0),
    }
}

/// A mask and an addend for every other letter from `a` to `o`.
fn letters(_: PrimitiveType) -> (u64, u64) {
    (0x0e, 0x61)
}

fn mask_of_byte((and, or): (u64, u64), size: usize, byte: usize) -> (u8, u8) {
    let shift = 8 * (size - 1 - byte);
    ((and >> shift) as u8, (or >> shift) as u8)
}
