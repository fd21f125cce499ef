//! The sub-records of objects that stand in blocks: made once for each shape, and for each block only what differs in it.

use std::ops::Range;

use crate::error::{Error, LowerError};
use crate::family::SpelledBlocks;
use crate::hprof::encode;
use crate::hprof::wire::{IdSize, SubRecordTag, size_of};
use crate::model::blocks::{BlockFilling, ObjectBlocks, ValueSpan};
use crate::model::{Contents, Object};

use super::carry::Carrier;
use super::objects::object_sub_record;
use super::plan::LowerPlan;

/// The shapes of blocks as bytes.
pub(super) struct ShapeTemplates<'b> {
    plan: LowerPlan,
    blocks: &'b dyn ObjectBlocks,
    stamps: Vec<ShapeTemplate>,
}

/// The templates and the filling of blocks, for comparison with a dump.
pub(super) struct TemplateBlocks<'b> {
    pub(super) stamps: ShapeTemplates<'b>,
    pub(super) filling: BlockFilling,
}

/// The sub-records of one shape, and where in them stands what differs from block to block.
#[derive(Default)]
pub(super) struct ShapeTemplate {
    image: Vec<u8>,
    tags: Vec<SubRecordTag>,
    /// The end of each sub-record.
    ends: Vec<usize>,
    /// Identifiers of the objects, and how far they are from the block's address.
    own: Vec<(usize, u64)>,
    /// The references of a filling.
    references: Vec<usize>,
    /// Its values, with how many bytes each takes.
    values: Vec<(usize, usize)>,
}

impl ShapeTemplate {
    pub(super) fn length(&self) -> u64 {
        self.image.len() as u64
    }

    pub(super) fn count(&self) -> u64 {
        self.ends.len() as u64
    }

    /// The sub-records in turn.
    pub(super) fn sub_records(&self) -> impl Iterator<Item = (SubRecordTag, Range<usize>)> {
        let places = std::iter::once(&0).chain(&self.ends).zip(&self.ends).map(|(start, end)| *start..*end);
        self.tags.iter().copied().zip(places)
    }
}

impl<'b> ShapeTemplates<'b> {
    /// # Errors
    /// If an object of a shape holds what the dump cannot say.
    pub(super) fn new(
        plan: &LowerPlan,
        blocks: &'b dyn ObjectBlocks,
        carrier: &Carrier<'_>,
    ) -> Result<ShapeTemplates<'b>, Error> {
        let id = plan.id;
        let mut stamps = Vec::new();
        for shape in blocks.shapes() {
            let mut stamp = ShapeTemplate::default();
            let (mut contents, mut objects) = (Vec::new(), Vec::new());
            for object in &shape.objects {
                let carried = carrier.object(object)?;
                let start = stamp.image.len();
                let sub_record = object_sub_record(id, &carried, &mut contents)?;
                encode::sub_record(&mut stamp.image, id, &sub_record)?;
                stamp.tags.push(sub_record.tag());
                stamp.ends.push(stamp.image.len());
                stamp.own.push((start + 1, object.address.0));
                objects.push((stamp.image.len(), carried));
            }
            // Contents are what a sub-record ends with.
            let place = |object: u32, item: u32| {
                let (end, object) = &objects[object as usize];
                end - bytes_of(object, id, item as usize)
            };
            stamp.references = shape.references.iter().map(|at| place(at.object, at.item)).collect();
            let span = |span: &ValueSpan| match *span {
                ValueSpan::Field(at, bytes) => (place(at.object, at.item), bytes.into()),
                ValueSpan::Array(object, bytes) => (place(object, 0), bytes as usize),
            };
            stamp.values = shape.values.iter().map(span).collect();
            stamps.push(stamp);
        }
        Ok(ShapeTemplates { plan: *plan, blocks, stamps })
    }

    /// The template of a block.
    pub(super) fn template_of(&self, block: u64) -> &ShapeTemplate {
        &self.stamps[self.blocks.shape_of(block)]
    }

    /// The bytes and sub-records of blocks of all shapes, one each.
    pub(super) fn total_bytes_and_count(&self) -> (u64, u64) {
        self.stamps.iter().fold((0, 0), |(bytes, count), stamp| (bytes + stamp.length(), count + stamp.count()))
    }

    /// Appends the sub-records of a block.
    pub(super) fn append_block(
        &self,
        block: u64,
        filling: &mut BlockFilling,
        out: &mut Vec<u8>,
    ) -> Result<(), LowerError> {
        self.blocks.fill(block, filling);
        let stamp = self.template_of(block);
        let start = out.len();
        out.extend_from_slice(&stamp.image);
        let bytes = &mut out[start..];
        let last = stamp.own.last().map_or(0, |(_, offset)| *offset);
        self.plan.check_id(filling.address + last)?;
        match self.plan.id {
            IdSize::Eight => stamp.write_identifiers(filling, bytes, u64::to_be_bytes),
            IdSize::Four => stamp.write_identifiers(filling, bytes, |id| (id as u32).to_be_bytes()),
            IdSize::Two => stamp.write_identifiers(filling, bytes, |id| (id as u16).to_be_bytes()),
            IdSize::One => stamp.write_identifiers(filling, bytes, |id| [id as u8]),
        }
        let mut values = filling.values.as_slice();
        for &(at, length) in &stamp.values {
            let (value, rest) = values.split_at(length);
            bytes[at..at + length].copy_from_slice(value);
            values = rest;
        }
        Ok(())
    }
}

impl ShapeTemplate {
    fn write_identifiers<const N: usize>(
        &self,
        filling: &BlockFilling,
        bytes: &mut [u8],
        spell: impl Fn(u64) -> [u8; N],
    ) {
        for &(at, offset) in &self.own {
            bytes[at..at + N].copy_from_slice(&spell(filling.address + offset));
        }
        for (&at, &to) in self.references.iter().zip(&filling.references) {
            bytes[at..at + N].copy_from_slice(&spell(to));
        }
    }
}

impl SpelledBlocks for TemplateBlocks<'_> {
    fn ends(&self, block: u64) -> &[usize] {
        &self.stamps.template_of(block).ends
    }

    fn spell(&mut self, block: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        Ok(self.stamps.append_block(block, &mut self.filling, out)?)
    }

    fn is_next(&self, block: u64, object: usize, bytes: &[u8]) -> bool {
        let stamp = self.stamps.template_of(block);
        let (tag, (_, offset)) = (stamp.tags[object], stamp.own[object]);
        let id = self.stamps.blocks.address(block).0 + offset;
        let spelled = &id.to_be_bytes()[8 - self.stamps.plan.id.bytes()..];
        bytes.split_first().is_some_and(|(first, rest)| *first == tag.0 && rest.starts_with(spelled))
    }
}

/// The bytes of an object's contents from this item on.
fn bytes_of(object: &Object, id: IdSize, item: usize) -> usize {
    match &object.contents {
        Contents::Fields(fields) => fields[item..].iter().map(|field| size_of(field.kind, id)).sum(),
        Contents::Elements(elements) => (elements.len() - item) * id.bytes(),
        Contents::Primitives(bytes) => bytes.len(),
        _ => 0,
    }
}
