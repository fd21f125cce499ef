//! The model to records: a writer's policy.
//!
//! Two steps. [`carry()`] says *what* a profile's dump records of a heap (model to model:
//! nulls dropped, elements reversed, hashes cut to 16 bits ...). Spelling then says *how*: record
//! form, widths, cache slots. The second step takes its decisions from one function per profile, in
//! `profiles.rs`.

mod carry;
mod choice;
mod options;
mod profiles;
mod recognise;
mod spell;

use std::io::Write;
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::compare::sorted::{MEMORY, visit_sorted};
use crate::error::{Error, LowerError};
use crate::lower::Adherence;
use crate::model::blocks::{BlockFilling, FilledBlocks, ObjectBlocks};
use crate::model::{
    Address, Class, Contents, Facts, Heap, HeapPart, HeapSource, Object, Pieces, PiecewiseContents, WordSize,
    is_ascending,
};
use crate::setters::setters;

pub use profiles::{ArrayWord, ElementOrder, FieldSwap, HeaderPolicy, ObjectOrder, ObjectSurvey, PROFILES, Profile};
pub use recognise::recognise;
pub use spell::Speller;

use super::encode;
use super::open::format;
use super::record::{Header, HeaderRecord, ObjectArray, Record, ReferenceList};
use super::wire::{RecordLayout, Units, Version};
use carry::Carrier;

/// Options for the dump that is made of a heap.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LowerOptions {
    /// PHD version.
    pub version: Version,
    /// The writer to imitate.
    pub profile: &'static Profile,
    /// Word size; the heap's own, else 64 bits, if absent.
    pub word: Option<WordSize>,
    /// Seed of the choices of the profile `any`.
    pub seed: u64,
    /// Whose order and hashes.
    pub adherence: Adherence,
}

setters! {
    impl LowerOptions {
        set profile: &'static Profile;
        option word: WordSize;
        set seed: u64;
        set adherence: Adherence;
    }
}

impl LowerOptions {
    /// The version with its default profile.
    pub fn new(version: Version) -> LowerOptions {
        LowerOptions {
            version,
            profile: Profile::default_of(version),
            word: None,
            seed: 0,
            adherence: Adherence::Writer,
        }
    }

    /// These options with another profile.
    ///
    /// # Errors
    /// If there is no such profile, or it does not write this version.
    pub fn with_profile(self, name: &str) -> Result<LowerOptions, Error> {
        let profile = Profile::named(name).filter(|profile| profile.versions.contains(&self.version));
        let profile = profile.ok_or_else(|| format(self.version).unknown_profile(name))?;
        Ok(LowerOptions { profile, ..self })
    }
}

/// Writes a heap as a PHD.
///
/// Memory is bounded by the class table; a heap whose objects do not ascend is sorted in temporary files for a writer who
/// would. A source is visited up to three times.
///
/// # Errors
/// If the heap holds what the dump cannot say ([`LowerError`]), its source fails, or writing does.
pub fn write(source: &mut dyn HeapSource, options: &LowerOptions, out: &mut dyn Write) -> Result<(), Error> {
    let mut sink = RecordSink { buffer: Vec::with_capacity(FLUSH * 2), out };
    let arithmetic = options.profile.arithmetic;
    run(source, options, &mut |step| {
        match step {
            LowerStep::Header(header, _) => encode::header(&mut sink.buffer, header)?,
            LowerStep::Class(_, record, layout) => encode::record(&mut sink.buffer, layout, &record)?,
            LowerStep::Object(
                Object { address, contents: Contents::Long(PiecewiseContents::References(listed)), .. },
                record,
                layout,
            ) => {
                sink.long_record(&record, layout, listed, |to| arithmetic.units(to, *address, layout))?;
            }
            LowerStep::Object(_, record, layout) => encode::record(&mut sink.buffer, layout, &record)?,
        }
        sink.flush_if_full()
    })?;
    encode::end_tag(&mut sink.buffer);
    sink.flush()
}

/// The heap that a reader gets back from the dump that `options` make of `source`.
///
/// # Errors
/// If the heap holds what the dump cannot say, or its source fails.
pub fn carry(source: &mut dyn HeapSource, options: &LowerOptions) -> Result<Heap, Error> {
    let mut carried = Heap::default();
    run(source, options, &mut |step| {
        match step {
            LowerStep::Header(header, facts) => {
                carried.facts = facts;
                // Two facts are decided by a spelling: `any` may add totals, and tag 5 has no length.
                for record in &header.records {
                    if let HeaderRecord::Totals(totals) = record {
                        carried.facts.totals = Some(*totals);
                    }
                }
            }
            LowerStep::Class(class, ..) => {
                let after_objects = Some(carried.objects.len() as u64);
                carried.classes.push(Class { after_objects, ..class.clone() });
            }
            LowerStep::Object(object, record, _) => {
                let lost = matches!(record, Record::ObjectArray(ObjectArray { length: None, .. }));
                let length = object.length.filter(|_| !lost);
                carried.objects.push(Object { length, contents: object.contents.hold()?, ..object.clone() });
            }
        }
        Ok(())
    })?;
    Ok(carried)
}

/// A step in making a dump: the facts, and the record that holds them.
enum LowerStep<'s> {
    Header(&'s Header, Facts),
    Class(&'s Class, Record<'s>, RecordLayout),
    Object(&'s Object, Record<'s>, RecordLayout),
}

/// Calls `take` with every step of a dump, in file order.
fn run(
    source: &mut dyn HeapSource,
    options: &LowerOptions,
    take: &mut dyn FnMut(LowerStep<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let sorts = options.profile.objects(options) == ObjectOrder::Ascending && !is_ascending(source)?;
    let survey = profiles::ObjectSurvey::collect(source, options)?;
    let classes = source.classes().to_vec();
    let carrier = Carrier::new(&classes, source.facts(), options);
    let speller = Speller::new(source.facts(), &survey, options)?;
    let facts = carrier.facts(source.facts(), &survey);
    take(LowerStep::Header(speller.header(), facts))?;
    let layout = speller.layout();
    let pending = carrier.class_order();
    let mut walk = HeapWalk { classes: &classes, carrier: &carrier, speller, layout, pending, objects: 0, take };
    if sorts {
        visit_sorted(source, MEMORY, &mut |object| walk.object(object))?;
    } else {
        source.visit_parts(&mut |part| match part {
            HeapPart::Object(object) => walk.object(object),
            HeapPart::Blocks(blocks) => walk.blocks(blocks),
        })?;
    }
    walk.finish()
}

/// Goes through a heap: classes in their places, and objects.
struct HeapWalk<'w, 't> {
    classes: &'w [Class],
    carrier: &'w Carrier<'w>,
    speller: Speller,
    layout: RecordLayout,
    /// The classes that are still to come.
    pending: Peekable<IntoIter<usize>>,
    objects: u64,
    take: &'t mut dyn FnMut(LowerStep<'_>) -> Result<(), Error>,
}

impl HeapWalk<'_, '_> {
    fn class(&mut self, index: usize) -> Result<(), Error> {
        let class = self.carrier.class(index)?;
        (self.take)(LowerStep::Class(&class, self.speller.class(&class)?, self.layout))
    }

    fn object(&mut self, object: &Object) -> Result<(), Error> {
        let (carrier, classes, objects) = (self.carrier, self.classes, self.objects);
        while let Some(index) = self.pending.next_if(|&index| carrier.stands_after(&classes[index]) <= objects) {
            self.class(index)?;
        }
        self.emit_object(&carrier.object(object)?)
    }

    fn emit_object(&mut self, carried: &Object) -> Result<(), Error> {
        self.objects += 1;
        (self.take)(LowerStep::Object(carried, self.speller.object(carried)?, self.layout))
    }

    /// Objects in blocks. Each shape is carried once, unless classes stand among them.
    fn blocks(&mut self, blocks: &dyn ObjectBlocks) -> Result<(), Error> {
        let mut filled = FilledBlocks::new(blocks);
        let (carrier, classes) = (self.carrier, self.classes);
        let mut shapes = Vec::new();
        for shape in blocks.shapes() {
            shapes.push(shape.carried(|object| carrier.object(object), listed)?);
        }
        let mut filling = BlockFilling::default();
        for block in 0..blocks.count() {
            let shape = &mut shapes[blocks.shape_of(block)];
            let end = self.objects + shape.len() as u64;
            if self.pending.peek().is_some_and(|&index| carrier.stands_after(&classes[index]) < end) {
                filled.fill(block).iter().try_for_each(|object| self.object(object))?;
                continue;
            }
            blocks.fill(block, &mut filling);
            for object in shape {
                let hash = filling.hash(object);
                let told = &mut object.told;
                told.address = Address(filling.address + object.offset);
                if let Contents::References(listed) = &mut told.contents {
                    object.references.iter().for_each(|&(at, lane)| listed[at] = Address(filling.references[lane]));
                }
                if hash.is_some() {
                    told.hash = carrier.hash(hash);
                }
                self.emit_object(told)?;
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), Error> {
        while let Some(index) = self.pending.next() {
            self.class(index)?;
        }
        Ok(())
    }
}

/// The references of a carried object that are held.
fn listed(object: &Object) -> &[Address] {
    match &object.contents {
        Contents::References(listed) => listed,
        _ => &[],
    }
}

/// Writes a heap in memory as a PHD in memory.
///
/// # Errors
/// If the heap holds what the dump cannot say.
pub fn to_bytes(heap: &Heap, options: &LowerOptions) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    write(&mut heap.clone(), options, &mut bytes)?;
    Ok(bytes)
}

struct RecordSink<'o> {
    buffer: Vec<u8>,
    out: &'o mut dyn Write,
}

const FLUSH: usize = 64 * 1024;

impl RecordSink<'_> {
    /// A record whose references are written as they are read.
    fn long_record(
        &mut self,
        record: &Record<'_>,
        layout: RecordLayout,
        listed: &Pieces<Address>,
        units: impl Fn(Address) -> Units,
    ) -> Result<(), Error> {
        let Some(width) = record.references().map(|references| references.width) else { return Ok(()) };
        let count = LowerError::length32("the list of references", listed.count(), "references")?;
        let mut buffer = std::mem::take(&mut self.buffer);
        encode::record_around(&mut buffer, layout, record, count, |buffer| {
            listed.visit(|piece| {
                buffer.extend_from_slice(&ReferenceList::from_units(width, piece.iter().map(|to| units(*to))).bytes);
                std::mem::swap(&mut self.buffer, buffer);
                let flushed = self.flush_if_full();
                std::mem::swap(&mut self.buffer, buffer);
                flushed
            })
        })?;
        self.buffer = buffer;
        Ok(())
    }

    fn flush_if_full(&mut self) -> Result<(), Error> {
        if self.buffer.len() >= FLUSH { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.out.write_all(&self.buffer).map_err(|e| Error::io("writing the dump", e))?;
        self.buffer.clear();
        Ok(())
    }
}

fn unsupported(message: String) -> Error {
    LowerError::Profile(message).into()
}
