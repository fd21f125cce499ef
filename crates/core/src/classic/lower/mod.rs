//! The model to records: what each writer's dumps record ([`carry`]), and how they are spelled.

mod carry;
mod options;
mod profiles;
mod recognise;
mod spell;
mod template;

use std::io::Write;
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::bytes::ebcdic::MappedStream;
use crate::compare::sorted::{MEMORY, visit_sorted};
use crate::error::Error;
use crate::lower::Adherence;
use crate::model::blocks::{BlockFilling, FilledBlocks, ObjectBlocks};
use crate::model::{
    Address, Class, Contents, Facts, Heap, HeapPart, HeapSource, Name, Object, ObjectKind, WordSize, is_ascending,
};
use crate::setters::setters;
use crate::threads::in_order;

pub(super) use options::encoding;
pub use profiles::{ClassReferences, NameEncoding, NullSpelling, PROFILES, Profile, TrailerSpelling};
pub use recognise::recognise;

use super::encode;
use super::lift::{self, FirstReferences};
use super::open::FORMAT;
use super::record::{BreakdownCounts, EofTotals, Record};
use super::wire::{Encoding, EntryRecordKind};
use carry::{CarriedEntry, CarriedReferences, Carrier};
use spell::Speller;
use template::ShapeTemplate;

/// Options for the dump that is made of a heap.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LowerOptions {
    /// The writer to imitate.
    pub profile: &'static Profile,
    /// Word size; the heap's own, else 64 bits, if absent.
    pub word: Option<WordSize>,
    /// The encoding of the text.
    pub encoding: Encoding,
    /// Seed of the choices of the profile `any`.
    pub seed: u64,
    /// Whose order.
    pub adherence: Adherence,
    /// Threads that make blocks of objects; 1 is enough.
    pub threads: usize,
}

setters! {
    impl LowerOptions {
        set profile: &'static Profile;
        option word: WordSize;
        set encoding: Encoding;
        set seed: u64;
        set adherence: Adherence;
        set threads: usize;
    }
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            profile: Profile::DEFAULT,
            word: None,
            encoding: Encoding::default(),
            seed: 0,
            adherence: Adherence::Writer,
            threads: 1,
        }
    }
}

impl LowerOptions {
    /// These options with another profile.
    ///
    /// # Errors
    /// If there is no such profile.
    pub fn with_profile(self, name: &str) -> Result<LowerOptions, Error> {
        let profile = Profile::named(name).ok_or_else(|| FORMAT.unknown_profile(name))?;
        Ok(LowerOptions { profile, ..self })
    }
}

/// Writes a heap as a classic heap dump.
///
/// Memory is bounded by the class table; a heap whose objects do not ascend is sorted in temporary files for a writer who
/// would.
///
/// # Errors
/// If the heap holds what the dump cannot say ([`crate::error::LowerError`]), its source fails, or writing does.
pub fn write(source: &mut dyn HeapSource, options: &LowerOptions, out: &mut dyn Write) -> Result<(), Error> {
    let mut out = MappedStream::new(out, options.encoding.inverse());
    let mut buffer = Vec::with_capacity(2 * FLUSH);
    let failed = |e| Error::io("writing the dump", e);
    run(source, options, StepUnit::Block, &mut |step| {
        match step {
            LowerStep::Record(_, record) => encode::record(&mut buffer, &record),
            LowerStep::More(text) => buffer.extend_from_slice(text),
        }
        if buffer.len() >= FLUSH {
            out.write_all(&buffer).map_err(failed)?;
            buffer.clear();
        }
        Ok(())
    })?;
    out.write_all(&buffer).map_err(failed)
}

const FLUSH: usize = 64 * 1024;

/// The heap that a reader gets back from the dump that `options` make of `source`.
///
/// # Errors
/// If the heap holds what the dump cannot say, or its source fails.
pub fn carry(source: &mut dyn HeapSource, options: &LowerOptions) -> Result<Heap, Error> {
    let mut carried = Heap::default();
    let mut firsts = FirstReferences::default();
    let mut nulls = TrailerTally::default();
    let mut stated = 0;
    run(source, options, StepUnit::Object, &mut |step| {
        let charset = options.encoding.charset;
        match step {
            LowerStep::Record(Some(told), Record::Entry(entry)) => {
                nulls.add_references(told)?;
                let references = told.references.hold()?;
                if carried.classes.is_empty() && carried.objects.is_empty() {
                    carried.facts.word_size = lift::word_size(entry.address.text);
                }
                let name = lift::name(entry.name, charset);
                match entry.kind {
                    EntryRecordKind::Class => {
                        let after_objects = Some(carried.objects.len() as u64);
                        carried.classes.push(Class { after_objects, ..class(told, name, references) });
                    }
                    EntryRecordKind::Object => {
                        firsts.insert(&name, references.first().copied());
                        carried.objects.push(object(told, name, references));
                    }
                }
            }
            LowerStep::Record(_, Record::Version(line)) => {
                carried.facts.version_text = Some(lift::name(line.version(), charset));
            }
            LowerStep::Record(_, Record::Eof(_, totals)) => stated = totals.nulls,
            _ => {}
        }
        Ok(())
    })?;
    carried.facts.null_references = (nulls.nulls == 0).then_some(stated);
    // What a reader takes for class blocks: where every object happens to refer to its own class first, it cannot know.
    let blocks = firsts.are_blocks(&carried.classes);
    let by_name = lift::classes_by_name(&carried.classes);
    for object in &mut carried.objects {
        let block = match &mut object.contents {
            Contents::References(listed) if blocks => Some(listed.remove(0)),
            _ => None,
        };
        if matches!(&object.contents, Contents::References(listed) if listed.is_empty())
            && matches!(object.kind, ObjectKind::PrimitiveArray(_))
        {
            object.contents = Contents::Unknown;
        }
        let named = object.class_name.as_ref().and_then(|name| by_name.get(name).copied().flatten());
        object.class = block.or(named);
    }
    Ok(carried)
}

fn class(told: &CarriedEntry, name: Name, references: Vec<Address>) -> Class {
    Class {
        address: told.address,
        name,
        class_object_size: Some(told.size),
        references: Some(references),
        ..Class::default()
    }
}

fn object(told: &CarriedEntry, name: Name, references: Vec<Address>) -> Object {
    let kind = ObjectKind::from_class_name(name.as_bytes());
    Object {
        class_name: Some(name),
        size: Some(told.size),
        contents: Contents::References(references),
        ..Object::new(told.address, kind)
    }
}

/// A step in making a dump.
enum LowerStep<'s> {
    /// A record, and the facts that it holds if it is an entry.
    Record(Option<&'s CarriedEntry>, Record<'s>),
    /// More text: of the references of the record before, which are too many to be held, or of many entries.
    More(&'s [u8]),
}

/// The counts that the trailers will state.
#[derive(Default)]
struct TrailerTally {
    counts: BreakdownCounts,
    references: u64,
    nulls: u64,
}

impl TrailerTally {
    fn add_references(&mut self, told: &CarriedEntry) -> Result<(), Error> {
        let (count, nulls) = told.references.count()?;
        self.references += count;
        self.nulls += nulls;
        Ok(())
    }

    /// Adds the counts of `once`, multiplied by `times`.
    fn add_times(
        &mut self,
        times: u64,
        once: impl FnOnce(&mut TrailerTally) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut one = TrailerTally::default();
        once(&mut one)?;
        self.counts.objects += one.counts.objects * times;
        self.counts.object_arrays += one.counts.object_arrays * times;
        self.counts.primitive_arrays += one.counts.primitive_arrays * times;
        self.references += one.references * times;
        self.nulls += one.nulls * times;
        Ok(())
    }

    fn add_object(&mut self, name: &Name, by_leaf: bool) {
        match counted_kind(name.as_bytes(), by_leaf) {
            ObjectKind::Instance => self.counts.objects += 1,
            ObjectKind::ObjectArray => self.counts.object_arrays += 1,
            ObjectKind::PrimitiveArray(_) => self.counts.primitive_arrays += 1,
        }
    }
}

/// The kind under which a dialect counts the objects of a type (C13).
pub(super) fn counted_kind(name: &[u8], by_leaf: bool) -> ObjectKind {
    let dimensions = name.iter().take_while(|b| **b == b'[').count();
    if by_leaf && dimensions > 1 {
        return ObjectKind::from_class_name(&name[dimensions - 1..]);
    }
    ObjectKind::from_class_name(name)
}

/// The unit in which a dump's objects come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepUnit {
    /// One by one.
    Object,
    /// As text, where that can be made of blocks.
    Block,
}

/// Calls `take` with every step of a dump, in file order.
fn run(
    source: &mut dyn HeapSource,
    options: &LowerOptions,
    objects: StepUnit,
    take: &mut dyn FnMut(LowerStep<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let profile = options.profile;
    let sorts = profile.sorts(options) && !is_ascending(source)?;
    let classes = source.classes().to_vec();
    let facts: Facts = source.facts().clone();
    let word = Profile::word(&facts, options);
    let carrier = Carrier::new(&classes, word, options);
    let mut speller = Speller::new(profile, word, options.encoding, options.seed);
    if let Some(record) = speller.header(facts.version_text.as_ref())? {
        take(LowerStep::Record(None, record))?;
    }
    let pending = carrier.class_order().into_iter().peekable();
    let (tally, dropped) = (TrailerTally::default(), 0);
    let threads = options.threads;
    let mut walk = HeapWalk { profile, carrier: &carrier, speller, pending, objects: 0, tally, dropped, threads, take };
    if sorts {
        visit_sorted(source, MEMORY, &mut |object| walk.object(object))?;
    } else {
        source.visit_parts(&mut |part| match part {
            HeapPart::Object(object) => walk.object(object),
            HeapPart::Blocks(blocks) => walk.blocks(blocks, objects),
        })?;
    }
    while let Some(index) = walk.pending.next() {
        walk.class(index)?;
    }
    let HeapWalk { mut speller, tally, dropped, take, .. } = walk;
    let unlisted = match profile.nulls {
        // What the heap itself knows no more of than their number.
        NullSpelling::Counted | NullSpelling::Drawn if tally.nulls == 0 => dropped + facts.null_references.unwrap_or(0),
        _ => dropped,
    };
    take(LowerStep::Record(None, speller.breakdown(tally.counts)))?;
    let (references, nulls) = (tally.references + unlisted, tally.nulls + unlisted);
    let totals = EofTotals { objects: tally.counts.total(), references, nulls };
    take(LowerStep::Record(None, speller.eof(totals)))
}

/// Goes through a heap: classes in their places, and objects.
struct HeapWalk<'w, 't> {
    profile: &'static Profile,
    carrier: &'w Carrier<'w>,
    speller: Speller,
    /// The classes that are still to come.
    pending: Peekable<IntoIter<usize>>,
    objects: u64,
    tally: TrailerTally,
    /// Null references that are not listed.
    dropped: u64,
    threads: usize,
    take: &'t mut dyn FnMut(LowerStep<'_>) -> Result<(), Error>,
}

impl HeapWalk<'_, '_> {
    fn class(&mut self, index: usize) -> Result<(), Error> {
        self.tally.counts.classes += 1;
        self.entry(EntryRecordKind::Class, &self.carrier.class(index)?)
    }

    fn object(&mut self, object: &Object) -> Result<(), Error> {
        let (carrier, objects) = (self.carrier, self.objects);
        while let Some(index) = self.pending.next_if(|&index| carrier.stands_after(index) <= objects) {
            self.class(index)?;
        }
        self.objects += 1;
        let told = carrier.object(object)?;
        self.tally.add_object(&told.name, self.profile.counts_by_leaf);
        self.entry(EntryRecordKind::Object, &told)
    }

    fn entry(&mut self, kind: EntryRecordKind, told: &CarriedEntry) -> Result<(), Error> {
        if let Some(record) = self.speller.comment() {
            (self.take)(LowerStep::Record(None, record))?;
        }
        self.tally.add_references(told)?;
        self.dropped += told.dropped;
        (self.take)(LowerStep::Record(Some(told), self.speller.entry(kind, told)?))?;
        match &told.references {
            CarriedReferences::Held(_) => Ok(()),
            CarriedReferences::Long(references) => {
                self.speller.long_references(references, &mut |text| (self.take)(LowerStep::More(text)))
            }
        }
    }

    /// Objects in blocks: as text that is made once for each shape, where every entry is spelled alike and no class stands
    /// among them.
    fn blocks(&mut self, blocks: &dyn ObjectBlocks, by: StepUnit) -> Result<(), Error> {
        let end = self.objects + blocks.objects();
        let is_apart = self.pending.peek().is_none_or(|&index| self.carrier.stands_after(index) >= end);
        if by == StepUnit::Object || self.profile.is_seeded() || !is_apart {
            let mut filled = FilledBlocks::new(blocks);
            return (0..blocks.count())
                .try_for_each(|block| filled.fill(block).iter().try_for_each(|object| self.object(object)));
        }
        let mut stamps = Vec::new();
        for (number, shape) in blocks.shapes().iter().enumerate() {
            let carried = shape.carried(|object| self.carrier.object(object), |told| told.references.held())?;
            let times = blocks.blocks_of(number);
            for object in &carried {
                self.tally.add_times(times, |tally| {
                    tally.add_object(&object.told.name, self.profile.counts_by_leaf);
                    tally.add_references(&object.told)
                })?;
                self.dropped += object.told.dropped * times;
            }
            stamps.push(ShapeTemplate::new(&mut self.speller, carried)?);
        }
        self.objects = end;
        let (speller, take, period) = (&self.speller, &mut self.take, blocks.period());
        let make = |part: u64, (filling, text): &mut (BlockFilling, Vec<u8>)| {
            text.clear();
            (part * period..((part + 1) * period).min(blocks.count())).try_for_each(|block| {
                blocks.fill(block, filling);
                Ok(stamps[blocks.shape_of(block)].append_block(speller, filling, text)?)
            })
        };
        in_order(self.threads, blocks.count().div_ceil(period), make, |_, (_, text)| take(LowerStep::More(text)))
    }
}

/// Writes a heap in memory as a dump in memory.
///
/// # Errors
/// If the heap holds what the dump cannot say.
pub fn to_bytes(heap: &Heap, options: &LowerOptions) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    write(&mut heap.clone(), options, &mut bytes)?;
    Ok(bytes)
}
