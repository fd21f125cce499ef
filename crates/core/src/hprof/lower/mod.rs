//! The model to records: a writer's policy.
//!
//! Two steps. [`carry()`] says *what* a profile's dump records of a heap (names in its form, its own log of strings
//! and loaded classes, its order). Spelling then says *how*: identifiers of names, and where segments end.

mod arrays;
mod carry;
mod compose;
mod items;
mod objects;
mod options;
mod plan;
mod profiles;
mod recognise;
mod roots;
mod segments;
mod spell;
mod table;
mod template;

use std::io::Write;
use std::ops::Range;

use crate::error::Error;
use crate::family::SpelledBlocks;
use crate::lower::Adherence;
use crate::model::blocks::{BlockFilling, FilledBlocks, ObjectBlocks};
use crate::model::{Class, Dump, DumpSource, Facts, Heap, HeapSource, Object, Surroundings};
use crate::setters::setters;

use super::open::FORMAT;
use super::wire::IdSize;

pub use profiles::{
    ClassOrder, Framing, InstanceSizes, LogStrings, LogStyle, NameForm, PROFILES, Profile, RootOrder, SegmentCut,
};
pub use recognise::{keeping_options, recognise};

use carry::Carrier;
use items::{CarriedItem, visit_items};
#[cfg(feature = "corpus")]
pub(super) use options::library;
use plan::LowerPlan;
use segments::{SegmentMeasures, SegmentPass, SegmentWriter, WindowSink, WrittenSegments};
use spell::Speller;
use table::class_table;
use template::{ShapeTemplates, TemplateBlocks};

/// Options for the dump that is made of heaps.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LowerOptions {
    /// The writer to imitate.
    pub profile: &'static Profile,
    /// The framing of a heap; the writer's usual one, if absent.
    pub framing: Option<&'static Framing>,
    /// Size of identifiers; the writer's own, else the heap's, if absent.
    pub id_size: Option<IdSize>,
    /// The number of segments of each heap; as many as the heap's source asks for, else where the writer ends them, if absent.
    pub segments: Option<u64>,
    /// Seed of the choices of the profile `any`.
    pub seed: u64,
    /// Whose order, log and identifiers.
    pub adherence: Adherence,
    /// Threads that make blocks of objects; 1 is enough.
    pub threads: usize,
}

setters! {
    impl LowerOptions {
        set profile: &'static Profile;
        option framing: &'static Framing;
        option id_size: IdSize;
        option segments: u64;
        set seed: u64;
        set adherence: Adherence;
        set threads: usize;
    }
}

impl Default for LowerOptions {
    fn default() -> LowerOptions {
        LowerOptions {
            profile: Profile::default_profile(),
            framing: None,
            id_size: None,
            segments: None,
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

/// Writes heaps as an HPROF dump.
///
/// Memory is bounded by the class table, the log and the roots. A source is visited once, or twice where a heap is one
/// record, whose length comes first, or has a given number of segments; and each time once more in advance where the writer
/// has roots of threads alone that are threads.
///
/// # Errors
/// If a heap holds what the dump cannot say ([`crate::error::LowerError`]), its source fails, or writing does.
pub fn write_dump(dump: &mut dyn DumpSource, options: &LowerOptions, out: &mut dyn Write) -> Result<(), Error> {
    write_window(dump, options, ALL, out).map(|_| ())
}

/// Every byte.
const ALL: Range<u64> = 0..u64::MAX;

/// Like [`write_dump`] for the bytes in a window; gives the length of the whole dump. In the profile `even`, blocks
/// outside of the window take no time.
///
/// # Errors
/// Like [`write_dump`].
pub fn write_window(
    dump: &mut dyn DumpSource,
    options: &LowerOptions,
    window: Range<u64>,
    out: &mut dyn Write,
) -> Result<u64, Error> {
    let plan = LowerPlan::from_dump(dump, options)?;
    let mut measures = SegmentMeasures::default();
    if plan.framing.cut.is_measured() {
        let pass = SegmentPass::Measure(measures);
        measures = run(dump, &plan, WindowSink::new(&mut std::io::sink(), ALL), pass)?.measures;
    }
    measures.check_cut(plan.framing.cut)?;
    let written = run(dump, &plan, WindowSink::new(out, window), SegmentPass::Write(measures))?;
    Ok(written.bytes)
}

/// Writes one heap as an HPROF dump.
///
/// # Errors
/// Like [`write_dump`].
pub fn write(mut source: &mut dyn HeapSource, options: &LowerOptions, out: &mut dyn Write) -> Result<(), Error> {
    write_dump(&mut source, options, out)
}

/// The dump of a heap as bytes.
///
/// # Errors
/// If the heap holds what the dump cannot say.
pub fn to_bytes(heap: &Heap, options: &LowerOptions) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    write(&mut heap.clone(), options, &mut bytes)?;
    Ok(bytes)
}

/// The dump that a reader gets back from what `options` make of `dump`.
///
/// # Errors
/// If a heap holds what the dump cannot say, or its source fails.
pub fn carry_dump(dump: &mut dyn DumpSource, options: &LowerOptions) -> Result<Dump, Error> {
    let plan = LowerPlan::from_dump(dump, options)?;
    let mut carried = Dump::default();
    let mut header = None;
    visit_items(dump, &plan, &mut |told| {
        match (told, carried.heaps.last_mut()) {
            (CarriedItem::Header(facts), _) => header = Some(facts),
            (CarriedItem::HeapBegins(told), _) => carried.heaps.push(Heap {
                facts: header.clone().unwrap_or_default(),
                surroundings: Surroundings {
                    roots: Some(Vec::new()),
                    threads: None,
                    traces: None,
                    regions: Some(Vec::new()),
                    events: Some(Vec::new()),
                    times: Some(told.times),
                },
                ..Heap::default()
            }),
            (CarriedItem::Event(event), Some(heap)) => {
                event.clone().append_to(heap.surroundings.events.get_or_insert_default());
            }
            (CarriedItem::Region(region), Some(heap)) => {
                heap.surroundings.regions.get_or_insert_default().push(region.clone());
            }
            (CarriedItem::Root(root), Some(heap)) => heap.surroundings.roots.get_or_insert_default().push(*root),
            (CarriedItem::Class(class), Some(heap)) => heap.classes.push(class.clone()),
            (CarriedItem::Object(object), Some(heap)) => {
                heap.objects.push(Object { contents: object.contents.hold()?, ..object.clone() })
            }
            (CarriedItem::Blocks(told), Some(heap)) => {
                let mut filled = FilledBlocks::new(told.blocks);
                for block in told.first..told.blocks.count() {
                    for object in filled.fill(block) {
                        heap.objects.push(told.carrier.object(object)?);
                    }
                }
            }
            (CarriedItem::Tail(events), _) => carried.tail = events.to_vec(),
            (CarriedItem::HeapEnds(_, traces, threads), Some(heap)) => {
                heap.surroundings.traces = Some(traces);
                heap.surroundings.threads = Some(threads);
            }
            (_, None) => {}
        }
        Ok(())
    })?;
    Ok(carried)
}

/// The heap that a reader gets back from the dump that `options` make of `source`.
///
/// # Errors
/// Like [`carry_dump`].
pub fn carry(mut source: &mut dyn HeapSource, options: &LowerOptions) -> Result<Heap, Error> {
    Ok(carry_dump(&mut source, options)?.heaps.into_iter().next().unwrap_or_default())
}

/// The objects of blocks as the dump that `options` make of their heap spells them.
///
/// # Errors
/// If an object holds what the dump cannot say.
pub fn spell_blocks<'b>(
    facts: &Facts,
    classes: &[Class],
    blocks: &'b dyn ObjectBlocks,
    options: &LowerOptions,
) -> Result<Box<dyn SpelledBlocks + 'b>, Error> {
    let plan = LowerPlan::new(facts, options)?;
    let (classes, _) = class_table(&plan, classes);
    let stamps = ShapeTemplates::new(&plan, blocks, &Carrier::new(&plan, &classes))?;
    Ok(Box::new(TemplateBlocks { stamps, filling: BlockFilling::default() }))
}

fn run(
    dump: &mut dyn DumpSource,
    plan: &LowerPlan,
    sink: WindowSink<'_>,
    pass: SegmentPass,
) -> Result<WrittenSegments, Error> {
    let mut speller = Speller::new(plan, SegmentWriter::new(sink, plan.framing, plan.seed, pass));
    visit_items(dump, plan, &mut |told| speller.spell(told))?;
    speller.finish()
}
