//! The items of a dump, in the order of the file.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::draw::{DrawStream, SeedDraw};
use crate::error::Error;
use crate::hprof::lift::{LogIndex, NamedTraces, Stacks};
use crate::model::blocks::{FilledBlocks, ObjectBlocks};
use crate::model::{
    Class, DumpSource, Event, Facts, HeapPart, HeapSource, Name, Object, Region, Root, RootObjects, StackTrace,
    Surroundings, Thread,
};

use super::LowerOptions;
use super::carry::Carrier;
use super::compose::Composer;
use super::plan::LowerPlan;
use super::table::class_table;

/// An item of a dump, as a writer of the profile records it.
pub(super) enum CarriedItem<'t> {
    Header(Facts),
    /// A heap begins at this time, with its log known.
    HeapBegins(&'t CarriedHeap<'t>),
    /// An entry of the log.
    Event(&'t Event),
    /// Another part of the heap; from here on, until the next.
    Region(&'t Region),
    Root(&'t Root),
    Class(&'t Class),
    Object(&'t Object),
    /// Very many objects.
    Blocks(CarriedBlocks<'t>),
    /// A heap ends, with the stack traces and threads that it records or names.
    HeapEnds(&'t CarriedHeap<'t>, Vec<StackTrace>, Vec<Thread>),
    /// The log after the last heap.
    Tail(&'t [Event]),
}

/// The facts of a heap beside its stream of items.
pub(super) struct CarriedHeap<'l> {
    pub(super) number: usize,
    pub(super) times: (u32, u32),
    /// The log of this heap and those before it.
    pub(super) log: &'l LogIndex,
}

/// Objects in blocks, from a first block on, and the carrier that makes each object the dump's.
pub(super) struct CarriedBlocks<'b> {
    pub(super) blocks: &'b dyn ObjectBlocks,
    pub(super) first: u64,
    pub(super) carrier: &'b Carrier<'b>,
}

type VisitItem<'v> = dyn FnMut(CarriedItem<'_>) -> Result<(), Error> + 'v;

pub(super) fn visit_items(dump: &mut dyn DumpSource, plan: &LowerPlan, visit: &mut VisitItem<'_>) -> Result<(), Error> {
    let facts = dump.heap(0).facts();
    visit(CarriedItem::Header(plan.facts(facts)))?;
    let mut composer = Composer::new(plan);
    let mut log = LogIndex::with_ids();
    let (mut named, mut stacks) = (NamedTraces::default(), Stacks::default());
    // Where every heap has a log of its own, a name may be given after its use, even after the last heap.
    let own = plan.follows_heap() && (0..dump.heaps()).all(|number| dump.heap(number).surroundings().events.is_some());
    for number in (0..dump.heaps()).filter(|_| own) {
        let events = dump.heap(number).surroundings().events.iter().flatten();
        events.for_each(|event| log.insert(number, &event.kind));
    }
    let heaps = dump.heaps();
    dump.tail().iter().filter(|_| own).for_each(|event| log.insert_after(heaps, &event.kind));
    for number in 0..heaps {
        let heap = dump.heap(number);
        let (classes, mirrors) = class_table(plan, heap.classes());
        let surroundings = heap.surroundings().clone();
        let of_roots = root_objects(plan, heap, &surroundings)?;
        let carrier = Carrier::new(plan, &classes);
        let mut draw = SeedDraw::new(plan.seed.wrapping_add(number as u64), DrawStream::Spelling);
        let roots = carrier.roots(&surroundings, &of_roots, &mut draw)?;
        let regions = carrier.regions(&surroundings);
        let mut events = match &surroundings.events {
            Some(events) if plan.follows_heap() => events.clone(),
            _ => composer.compose(heap.classes(), &classes, &surroundings, &roots)?,
        };
        if !plan.interrupts() {
            events.iter_mut().for_each(|event| event.after = 0);
        }
        events.iter().filter(|_| !own).for_each(|event| log.insert(number, &event.kind));
        let kept = surroundings.times.filter(|_| plan.profile.log.times || plan.follows_heap());
        let last = events.last().filter(|_| plan.profile.log.times).map_or(0, |event| event.time);
        let times = kept.unwrap_or((last, last));
        let times = if plan.framing.end { times } else { (times.0, times.0) };
        let told = CarriedHeap { number, times, log: &log };
        visit(CarriedItem::HeapBegins(&told))?;

        let surround = PendingSurroundings { entries: 0, events: &events, regions: &regions, roots: &roots };
        let entries = EntryEmitter { surround, named: &mut named, objects: 0, visit };
        let order = carrier.class_order().into_iter().peekable();
        let mirrors = mirrors.into_iter().peekable();
        let mut walk =
            HeapWalk { carrier: &carrier, classes: &classes, log: &log, heap: number, order, mirrors, entries };
        heap.visit_parts(&mut |part| match part {
            HeapPart::Object(object) => walk.object(object),
            HeapPart::Blocks(blocks) => walk.blocks(blocks),
        })?;
        walk.finish()?;
        let (traces, threads) = stacks.next_heap(&log, number, &events, &roots, &named.finish_heap(&events));
        visit(CarriedItem::HeapEnds(&told, traces, threads))?;
    }
    let tail = if plan.follows_heap() { dump.tail().to_vec() } else { Vec::new() };
    visit(CarriedItem::Tail(&tail))
}

/// The facts in a heap's objects about its roots, for writers that go by them.
fn root_objects(
    plan: &LowerPlan,
    heap: &mut dyn HeapSource,
    surroundings: &Surroundings,
) -> Result<RootObjects, Error> {
    if plan.follows_heap() || plan.profile.root_writer.is_none() {
        return Ok(RootObjects::default());
    }
    let mut objects = RootObjects::from_classes(heap.classes(), surroundings.roots.as_deref().unwrap_or_default());
    if objects.needs_objects() {
        heap.visit_parts(&mut |part| {
            match part {
                HeapPart::Object(object) => objects.record_object(object),
                HeapPart::Blocks(blocks) => objects.record_blocks(blocks),
            }
            Ok(())
        })?;
    }
    Ok(objects)
}

/// The number of roots that a writer leaves out, by the name of their kind.
pub(super) fn omitted_roots(
    heap: &mut dyn HeapSource,
    options: &LowerOptions,
) -> Result<BTreeMap<&'static str, u64>, Error> {
    let plan = LowerPlan::new(heap.facts(), options)?;
    let mut omitted = BTreeMap::new();
    let Some(writer) = plan.profile.root_writer.filter(|_| !plan.follows_heap()) else { return Ok(omitted) };
    let surroundings = heap.surroundings().clone();
    let objects = root_objects(&plan, heap, &surroundings)?;
    let roots = surroundings.roots.unwrap_or_default();
    for root in &roots {
        *omitted.entry(root.kind.form().name).or_default() += 1;
    }
    for root in writer.recorded_roots(&roots, &objects) {
        omitted.entry(root.kind.form().name).and_modify(|count| *count -= 1);
    }
    omitted.retain(|_, count| *count > 0);
    Ok(omitted)
}

/// Goes through a heap: classes in their places, class objects that are instances, and objects.
struct HeapWalk<'w, 'v> {
    carrier: &'w Carrier<'w>,
    classes: &'w [Class],
    log: &'w LogIndex,
    /// The heap's number.
    heap: usize,
    /// The classes that are still to come.
    order: Peekable<IntoIter<usize>>,
    /// Class objects that are instances: they stand among the objects by their addresses.
    mirrors: Peekable<IntoIter<Object>>,
    entries: EntryEmitter<'w, 'v>,
}

impl HeapWalk<'_, '_> {
    fn object(&mut self, object: &Object) -> Result<(), Error> {
        while let Some(mirror) = self.mirrors.next_if(|mirror| mirror.address < object.address) {
            self.emit_object(&mirror)?;
        }
        self.emit_object(object)
    }

    fn emit_object(&mut self, object: &Object) -> Result<(), Error> {
        let (carrier, classes, objects) = (self.carrier, self.classes, self.entries.objects);
        while let Some(index) = self.order.next_if(|&index| carrier.stands_after(&classes[index]) <= objects) {
            self.class(index)?;
        }
        self.entries.object(&carrier.object(object)?)
    }

    fn class(&mut self, index: usize) -> Result<(), Error> {
        let load = self.log.load(self.heap, self.classes[index].address);
        let name = load.and_then(|load| self.log.text(self.heap, load.name)).cloned().unwrap_or_else(Name::default);
        self.entries.class(self.carrier.class(index, name, load.map(|load| load.serial))?)
    }

    /// Objects in blocks: together, where nothing else stands among them.
    fn blocks(&mut self, blocks: &dyn ObjectBlocks) -> Result<(), Error> {
        let mut filled = FilledBlocks::new(blocks);
        let mut first = 0;
        if blocks.count() > 0 {
            // What is due before the first object comes with it.
            filled.fill(0).iter().try_for_each(|object| self.object(object))?;
            first = 1;
        }
        let before = if first == 0 { 0 } else { blocks.shapes()[blocks.shape_of(0)].len() };
        let objects = blocks.objects() - before;
        let (carrier, classes, end) = (self.carrier, self.classes, self.entries.objects + objects);
        let alone = self.mirrors.peek().is_none()
            && self.order.peek().is_none_or(|&index| carrier.stands_after(&classes[index]) >= end)
            && self.entries.surround.is_clear_to(self.entries.surround.entries + objects);
        if alone {
            self.entries.blocks(blocks, first, objects, carrier)
        } else {
            (first..blocks.count())
                .try_for_each(|block| filled.fill(block).iter().try_for_each(|object| self.object(object)))
        }
    }

    fn finish(mut self) -> Result<(), Error> {
        while let Some(mirror) = self.mirrors.next() {
            self.emit_object(&mirror)?;
        }
        while let Some(index) = self.order.next() {
            self.class(index)?;
        }
        self.entries.surround.emit_rest(self.entries.visit)
    }
}

/// The classes and objects of a heap as they are recorded, with what stands between them.
struct EntryEmitter<'e, 'v> {
    surround: PendingSurroundings<'e>,
    named: &'e mut NamedTraces,
    objects: u64,
    visit: &'e mut VisitItem<'v>,
}

impl EntryEmitter<'_, '_> {
    fn class(&mut self, class: Class) -> Result<(), Error> {
        let told = Class { after_objects: Some(self.objects), ..class };
        self.named.insert(told.trace.unwrap_or_default());
        self.surround.emit_due(self.visit)?;
        (self.visit)(CarriedItem::Class(&told))?;
        self.surround.entries += 1;
        Ok(())
    }

    /// All blocks from the first on, in which there are that many objects.
    fn blocks(
        &mut self,
        blocks: &dyn ObjectBlocks,
        first: u64,
        objects: u64,
        carrier: &Carrier<'_>,
    ) -> Result<(), Error> {
        for object in blocks.shapes().iter().flat_map(|shape| &shape.objects) {
            self.named.insert(carrier.carried_trace(object.trace));
        }
        (self.visit)(CarriedItem::Blocks(CarriedBlocks { blocks, first, carrier }))?;
        self.surround.entries += objects;
        self.objects += objects;
        Ok(())
    }

    fn object(&mut self, told: &Object) -> Result<(), Error> {
        self.named.insert(told.trace.unwrap_or_default());
        self.surround.emit_due(self.visit)?;
        (self.visit)(CarriedItem::Object(told))?;
        self.surround.entries += 1;
        self.objects += 1;
        Ok(())
    }
}

/// The events, regions and roots that stand between the entries of a heap.
struct PendingSurroundings<'s> {
    entries: u64,
    events: &'s [Event],
    regions: &'s [Region],
    roots: &'s [Root],
}

impl PendingSurroundings<'_> {
    /// Visits the events, roots and regions that are due before the next entry.
    fn emit_due(&mut self, visit: &mut VisitItem<'_>) -> Result<(), Error> {
        self.emit_up_to(self.entries, visit)
    }

    /// Whether nothing is due among the entries up to this number, itself left out.
    fn is_clear_to(&self, entries: u64) -> bool {
        self.events.first().is_none_or(|event| event.after >= entries)
            && self.roots.first().is_none_or(|root| root.after.unwrap_or(u64::MAX) >= entries)
            && self.regions.first().is_none_or(|region| region.after >= entries)
    }

    fn emit_rest(&mut self, visit: &mut VisitItem<'_>) -> Result<(), Error> {
        self.emit_up_to(u64::MAX, visit)
    }

    fn emit_up_to(&mut self, entries: u64, visit: &mut VisitItem<'_>) -> Result<(), Error> {
        while let [event, rest @ ..] = self.events
            && event.after <= entries
        {
            let after = self.entries;
            visit(CarriedItem::Event(&Event { after, ..event.clone() }))?;
            self.events = rest;
        }
        // A part of the heap is told of objects alone, so after the roots that stand before one (ART).
        while let [root, rest @ ..] = self.roots
            && root.after.unwrap_or(u64::MAX) <= entries
        {
            let after = Some(self.entries);
            visit(CarriedItem::Root(&Root { after, ..*root }))?;
            self.roots = rest;
        }
        while let [region, rest @ ..] = self.regions
            && region.after <= entries
        {
            let after = self.entries;
            visit(CarriedItem::Region(&Region { after, ..region.clone() }))?;
            self.regions = rest;
        }
        Ok(())
    }
}
