//! Objects in blocks that repeat a few shapes, for writers that prepare what repeats.

use std::borrow::Cow;

use super::{Address, Contents, IdentityHash, Object};

/// Very many objects: each block of them has one of a few [`BlockShape`]s, and what differs from block to block is
/// computed. The objects stand in the order of their blocks, and ascend.
pub trait ObjectBlocks: Send + Sync {
    /// The number of blocks.
    fn count(&self) -> u64;

    /// The shapes.
    fn shapes(&self) -> &[BlockShape];

    /// The place of a block's shape among [`ObjectBlocks::shapes`].
    fn shape_of(&self, block: u64) -> usize;

    /// The number of blocks after which each of the shapes has come once, and so on from there.
    fn period(&self) -> u64 {
        self.shapes().len() as u64
    }

    /// The number of blocks of a shape, by its place.
    fn blocks_of(&self, shape: usize) -> u64;

    /// The number of objects.
    fn objects(&self) -> u64 {
        self.shapes().iter().zip(0..).map(|(shape, place)| self.blocks_of(place) * shape.len()).sum()
    }

    /// A number of bytes that divides all addresses.
    fn unit(&self) -> u64;

    /// The address that those of a block's objects count from.
    fn address(&self, block: u64) -> Address;

    /// Computes what differs in a block from others of its shape.
    fn fill(&self, block: u64, filling: &mut BlockFilling);

    /// The block with the object at an address, and the object's place in it.
    fn find(&self, address: Address) -> Option<(u64, usize)>;
}

/// The objects of a block as far as all blocks of one shape have them alike. Zeros stand for what differs, and the address
/// of an object counts from the block's own.
#[derive(Clone, Debug, Default)]
pub struct BlockShape {
    /// The objects, ascending.
    pub objects: Vec<Object>,
    /// The place of each of [`BlockFilling::references`].
    pub references: Vec<BlockItem>,
    /// The places of the bytes of [`BlockFilling::values`], in turn.
    pub values: Vec<ValueSpan>,
    /// The places of the objects whose hash is one of [`BlockFilling::hashes`].
    pub hashed: Vec<u32>,
}

impl BlockShape {
    /// The number of objects.
    #[allow(clippy::len_without_is_empty, reason = "there is no block without objects")]
    pub fn len(&self) -> u64 {
        self.objects.len() as u64
    }
}

/// A field or an element of an object of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockItem {
    /// The object's place in the block.
    pub object: u32,
    /// The field's or element's place in the object.
    pub item: u32,
}

/// The place of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSpan {
    /// A field of that many bytes.
    Field(BlockItem, u8),
    /// All elements of an array, of this many bytes.
    Array(u32, u32),
}

impl ValueSpan {
    /// The number of bytes of [`BlockFilling::values`] that it takes.
    pub fn bytes(self) -> usize {
        match self {
            ValueSpan::Field(_, bytes) => bytes.into(),
            ValueSpan::Array(_, bytes) => bytes as usize,
        }
    }
}

/// The values in which a block differs from others of its shape.
#[derive(Clone, Debug, Default)]
pub struct BlockFilling {
    /// The address that those of the objects count from.
    pub address: u64,
    /// References, in the order of [`BlockShape::references`].
    pub references: Vec<u64>,
    /// Values of fields and elements, big-endian, one after the other in the order of [`BlockShape::values`], and up to
    /// seven bytes more.
    pub values: Vec<u8>,
    /// The bits of hashes, in the order of [`BlockShape::hashed`].
    pub hashes: Vec<u32>,
}

/// Blocks as objects, one block at a time.
#[derive(Debug)]
pub struct FilledBlocks<'b, B: ObjectBlocks + ?Sized> {
    blocks: &'b B,
    shapes: Vec<Cow<'b, [Object]>>,
    filling: BlockFilling,
}

impl<'b, B: ObjectBlocks + ?Sized> FilledBlocks<'b, B> {
    /// Blocks of which none is filled so far.
    pub fn new(blocks: &'b B) -> FilledBlocks<'b, B> {
        let shapes = blocks.shapes().iter().map(|shape| Cow::Borrowed(shape.objects.as_slice())).collect();
        FilledBlocks { blocks, shapes, filling: BlockFilling::default() }
    }

    /// The objects of a block.
    pub fn fill(&mut self, block: u64) -> &[Object] {
        let number = self.blocks.shape_of(block);
        let shape = &self.blocks.shapes()[number];
        let filling = &mut self.filling;
        self.blocks.fill(block, filling);
        let objects = self.shapes[number].to_mut();
        for (object, relative) in objects.iter_mut().zip(&shape.objects) {
            object.address = Address(filling.address.wrapping_add(relative.address.0));
        }
        for (&BlockItem { object, item }, &to) in shape.references.iter().zip(&filling.references) {
            put_reference(&mut objects[object as usize], item, to);
        }
        let mut values = filling.values.as_slice();
        for span in &shape.values {
            let bytes;
            (bytes, values) = values.split_at(span.bytes());
            match *span {
                ValueSpan::Field(BlockItem { object, item }, _) => {
                    if let Contents::Fields(fields) = &mut objects[object as usize].contents {
                        fields[item as usize].bits = bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                    }
                }
                ValueSpan::Array(object, _) => {
                    if let Contents::Primitives(all) = &mut objects[object as usize].contents {
                        all.copy_from_slice(bytes);
                    }
                }
            }
        }
        for (&place, &bits) in shape.hashed.iter().zip(&filling.hashes) {
            let hash = &mut objects[place as usize].hash;
            *hash = hash.map(|kind| hash_of_kind(kind, bits));
        }
        objects
    }
}

/// The record that a dump has of an object in blocks, as far as it is alike in all blocks of one shape.
#[derive(Clone, Debug)]
pub struct CarriedObject<T> {
    /// The record; it has any values for the references that differ.
    pub told: T,
    /// The object's distance from its block's address.
    pub offset: u64,
    /// The references that differ: their place among the record's, and in [`BlockFilling::references`].
    pub references: Vec<(usize, usize)>,
    /// The place of its hash in [`BlockFilling::hashes`], and the hash that it stands for.
    pub hash: Option<(usize, IdentityHash)>,
}

/// A mark in the place of a reference while objects are carried: no heap has objects there.
const MARK: u64 = 0x5000_0000_0000_0000;

impl BlockShape {
    /// The record that a dump has of each object, as `carry` finds out from one of them; `references` gives the
    /// references of a record.
    ///
    /// # Errors
    /// An error of `carry`.
    pub fn carried<T, E>(
        &self,
        mut carry: impl FnMut(&Object) -> Result<T, E>,
        references: impl Fn(&T) -> &[Address],
    ) -> Result<Vec<CarriedObject<T>>, E> {
        let mut marked = self.objects.clone();
        for (&BlockItem { object, item }, lane) in self.references.iter().zip(0..) {
            put_reference(&mut marked[object as usize], item, MARK | lane);
        }
        let hash_of = |place: usize| {
            let number = self.hashed.iter().position(|hashed| *hashed as usize == place)?;
            Some((number, self.objects[place].hash?))
        };
        let carried = marked.iter().enumerate().map(|(place, object)| {
            let told = carry(object)?;
            let lanes = references(&told).iter().enumerate();
            let lanes = lanes.filter(|(_, to)| to.0 & !u64::from(u32::MAX) == MARK);
            let references = lanes.map(|(at, to)| (at, to.0 as u32 as usize)).collect();
            Ok(CarriedObject { told, offset: object.address.0, references, hash: hash_of(place) })
        });
        carried.collect()
    }
}

fn put_reference(object: &mut Object, item: u32, to: u64) {
    match &mut object.contents {
        Contents::Fields(fields) => fields[item as usize].bits = to,
        Contents::Elements(elements) => elements[item as usize] = Address(to),
        _ => {}
    }
}

impl BlockFilling {
    /// The hash of an object, of the kind that it stands for.
    pub fn hash<T>(&self, object: &CarriedObject<T>) -> Option<IdentityHash> {
        object.hash.map(|(number, kind)| hash_of_kind(kind, self.hashes[number]))
    }
}

fn hash_of_kind(kind: IdentityHash, bits: u32) -> IdentityHash {
    match kind {
        IdentityHash::Bits16(_) => IdentityHash::Bits16(bits as u16),
        IdentityHash::Bits32(_) => IdentityHash::Bits32(bits),
    }
}
