//! The model to records: what each writer's dumps tell ([`carry`]), and how they are spelled.

mod carry;
mod options;
mod profiles;
mod recognise;
mod spell;

use std::io::Write;

use crate::bytes::ebcdic::Mapped;
use crate::compare::sorted::{MEMORY, visit_sorted};
use crate::error::Error;
use crate::lower::Adherence;
use crate::model::{
    Address, Class, Contents, Facts, Heap, HeapSource, Name, Object, ObjectKind, WordSize, is_ascending,
};
use crate::setters::setters;

pub(super) use options::encoding;
pub use profiles::{ClassReferences, Names, Nulls, PROFILES, Profile, Trailers};
pub use recognise::recognise;

use super::encode;
use super::family::FORMAT;
use super::lift::{self, FirstReferences};
use super::record::{Counts, Record, Totals};
use super::wire::{Encoding, EntryKind};
use carry::{Carrier, Listed, Told};
use spell::Speller;

/// Which dump to make of a heap.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LowerOptions {
    /// The writer to imitate.
    pub profile: &'static Profile,
    /// Word size; the heap's own, else 64 bits, if absent.
    pub word: Option<WordSize>,
    /// How the text is stored.
    pub encoding: Encoding,
    /// Seed of the choices of the profile `any`.
    pub seed: u64,
    /// Whose order.
    pub adherence: Adherence,
}

setters! {
    impl LowerOptions {
        set profile: &'static Profile;
        option word: WordSize;
        set encoding: Encoding;
        set seed: u64;
        set adherence: Adherence;
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
        }
    }
}

impl LowerOptions {
    /// The same with another profile.
    ///
    /// # Errors
    /// If there is no such profile.
    pub fn with_profile(self, name: &str) -> Result<LowerOptions, Error> {
        let profile = Profile::named(name).ok_or_else(|| FORMAT.no_profile(name))?;
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
    let mut out = Mapped::new(out, options.encoding.inverse());
    let mut buffer = Vec::with_capacity(2 * FLUSH);
    let failed = |e| Error::io("writing the dump", e);
    run(source, options, &mut |step| {
        match step {
            Step::Record(_, record) => encode::record(&mut buffer, &record),
            Step::More(text) => buffer.extend_from_slice(text),
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
    let mut nulls = Tally::default();
    let mut stated = 0;
    run(source, options, &mut |step| {
        let charset = options.encoding.charset;
        match step {
            Step::Record(Some(told), Record::Entry(entry)) => {
                nulls.references(told)?;
                let references = told.references.hold()?;
                if carried.classes.is_empty() && carried.objects.is_empty() {
                    carried.facts.word_size = lift::word_size(entry.address.text);
                }
                let name = lift::name(entry.name, charset);
                match entry.kind {
                    EntryKind::Class => {
                        let after_objects = Some(carried.objects.len() as u64);
                        carried.classes.push(Class { after_objects, ..class(told, name, references) });
                    }
                    EntryKind::Object => {
                        firsts.enter(&name, references.first().copied());
                        carried.objects.push(object(told, name, references));
                    }
                }
            }
            Step::Record(_, Record::Version(line)) => {
                carried.facts.version_text = Some(lift::name(line.version(), charset));
            }
            Step::Record(_, Record::Eof(_, totals)) => stated = totals.nulls,
            _ => {}
        }
        Ok(())
    })?;
    carried.facts.null_references = (nulls.nulls == 0).then_some(stated);
    // What a reader takes for class blocks: where every object happens to refer to its own class first, it cannot know.
    let blocks = firsts.are_blocks(&carried.classes);
    let by_name = lift::by_name(&carried.classes);
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

fn class(told: &Told, name: Name, references: Vec<Address>) -> Class {
    Class {
        address: told.address,
        name,
        class_object_size: Some(told.size),
        references: Some(references),
        ..Class::default()
    }
}

fn object(told: &Told, name: Name, references: Vec<Address>) -> Object {
    let kind = ObjectKind::of_class(name.as_bytes());
    Object {
        class_name: Some(name),
        size: Some(told.size),
        contents: Contents::References(references),
        ..Object::new(told.address, kind)
    }
}

/// A step in making a dump.
enum Step<'s> {
    /// A record, and what it tells if it is an entry.
    Record(Option<&'s Told>, Record<'s>),
    /// More text of the references of the record before, which are too many to be held.
    More(&'s [u8]),
}

/// What the trailers will say.
#[derive(Default)]
struct Tally {
    counts: Counts,
    references: u64,
    nulls: u64,
}

impl Tally {
    fn references(&mut self, told: &Told) -> Result<(), Error> {
        let (count, nulls) = told.references.count()?;
        self.references += count;
        self.nulls += nulls;
        Ok(())
    }

    fn object(&mut self, name: &Name, by_leaf: bool) {
        match kind_counted(name.as_bytes(), by_leaf) {
            ObjectKind::Instance => self.counts.objects += 1,
            ObjectKind::ObjectArray => self.counts.object_arrays += 1,
            ObjectKind::PrimitiveArray(_) => self.counts.primitive_arrays += 1,
        }
    }
}

/// The kind under which a dialect counts the objects of a type (C13).
pub(super) fn kind_counted(name: &[u8], by_leaf: bool) -> ObjectKind {
    let dimensions = name.iter().take_while(|b| **b == b'[').count();
    if by_leaf && dimensions > 1 {
        return ObjectKind::of_class(&name[dimensions - 1..]);
    }
    ObjectKind::of_class(name)
}

/// Calls `take` with every step of a dump, in file order.
fn run(
    source: &mut dyn HeapSource,
    options: &LowerOptions,
    take: &mut dyn FnMut(Step<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let profile = options.profile;
    let sorts = profile.sorts(options) && !is_ascending(source)?;
    let classes = source.classes().to_vec();
    let facts: Facts = source.facts().clone();
    let carrier = Carrier::new(&classes, options);
    let mut speller = Speller::new(profile, Profile::word(&facts, options), options.encoding, options.seed);
    if let Some(record) = speller.header(facts.version_text.as_ref())? {
        take(Step::Record(None, record))?;
    }
    let mut tally = Tally::default();
    let mut dropped = 0;
    let mut pending = carrier.class_order().into_iter().peekable();
    let mut objects = 0;
    let mut spell = |speller: &mut Speller, kind, told: Told, take: &mut dyn FnMut(Step<'_>) -> Result<(), Error>| {
        if let Some(record) = speller.comment() {
            take(Step::Record(None, record))?;
        }
        tally.references(&told)?;
        dropped += told.dropped;
        match kind {
            EntryKind::Class => tally.counts.classes += 1,
            EntryKind::Object => tally.object(&told.name, profile.counts_by_leaf),
        }
        take(Step::Record(Some(&told), speller.entry(kind, &told)?))?;
        match &told.references {
            Listed::Held(_) => Ok(()),
            Listed::Long(references) => speller.long_references(references, &mut |text| take(Step::More(text))),
        }
    };
    let mut visit = |object: &Object| {
        while let Some(index) = pending.next_if(|&index| carrier.stands_after(index) <= objects) {
            spell(&mut speller, EntryKind::Class, carrier.class(index)?, take)?;
        }
        objects += 1;
        spell(&mut speller, EntryKind::Object, carrier.object(object)?, take)
    };
    match sorts {
        true => visit_sorted(source, MEMORY, &mut visit)?,
        false => source.visit_objects(&mut visit)?,
    }
    pending.try_for_each(|index| spell(&mut speller, EntryKind::Class, carrier.class(index)?, take))?;
    let unlisted = match profile.nulls {
        // What the heap itself knows no more of than their number.
        Nulls::Counted | Nulls::Drawn if tally.nulls == 0 => dropped + facts.null_references.unwrap_or(0),
        _ => dropped,
    };
    take(Step::Record(None, speller.breakdown(tally.counts)))?;
    let (references, nulls) = (tally.references + unlisted, tally.nulls + unlisted);
    let totals = Totals { objects: tally.counts.total(), references, nulls };
    take(Step::Record(None, speller.eof(totals)))
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
