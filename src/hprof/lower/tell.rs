//! The items of a dump, in the order of the file.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::draw::{SeedDraw, Stream};
use crate::error::Error;
use crate::model::blocks::{Blocks, Filled};
use crate::model::{
    Class, DumpSource, Event, Facts, HeapSource, Name, Object, Part, Region, Root, RootObjects, StackTrace,
    Surroundings, Thread,
};

use super::super::lift::{Log, Named, Stacks};
use super::LowerOptions;
use super::carry::Carrier;
use super::compose::Composer;
use super::plan::Plan;
use super::table::table;

/// An item of a dump, as a writer of the profile records it.
pub(super) enum Told<'t> {
    Header(Facts),
    /// A heap begins at this time, with its log known.
    HeapBegins(&'t HeapTold<'t>),
    /// An entry of the log.
    Event(&'t Event),
    /// Another part of the heap; from here on, until the next.
    Region(&'t Region),
    Root(&'t Root),
    Class(&'t Class),
    Object(&'t Object),
    /// Very many objects.
    Blocks(BlocksTold<'t>),
    /// A heap ends, with the stack traces and threads that it records or names.
    HeapEnds(&'t HeapTold<'t>, Vec<StackTrace>, Vec<Thread>),
    /// The log after the last heap.
    Tail(&'t [Event]),
}

/// The facts of a heap beside its stream of items.
pub(super) struct HeapTold<'l> {
    pub(super) number: usize,
    pub(super) times: (u32, u32),
    /// The log of this heap and those before it.
    pub(super) log: &'l Log,
}

/// Objects in blocks, from a first block on, and the carrier that makes each object the dump's.
pub(super) struct BlocksTold<'b> {
    pub(super) blocks: &'b dyn Blocks,
    pub(super) first: u64,
    pub(super) carrier: &'b Carrier<'b>,
}

type Visit<'v> = dyn FnMut(Told<'_>) -> Result<(), Error> + 'v;

pub(super) fn tell(dump: &mut dyn DumpSource, plan: &Plan, visit: &mut Visit<'_>) -> Result<(), Error> {
    let facts = dump.heap(0).facts();
    visit(Told::Header(plan.facts(facts)))?;
    let mut composer = Composer::new(plan);
    let mut log = Log::with_ids();
    let (mut named, mut stacks) = (Named::default(), Stacks::default());
    // Where every heap has a log of its own, a name may be given after its use, even after the last heap.
    let own = plan.as_heap() && (0..dump.heaps()).all(|number| dump.heap(number).surroundings().events.is_some());
    for number in (0..dump.heaps()).filter(|_| own) {
        let events = dump.heap(number).surroundings().events.iter().flatten();
        events.for_each(|event| log.enter(number, &event.kind));
    }
    let heaps = dump.heaps();
    dump.tail().iter().filter(|_| own).for_each(|event| log.enter_after(heaps, &event.kind));
    for number in 0..heaps {
        let heap = dump.heap(number);
        let (classes, mirrors) = table(plan, heap.classes());
        let surroundings = heap.surroundings().clone();
        let of_roots = root_objects(plan, heap, &surroundings)?;
        let carrier = Carrier::new(plan, &classes);
        let mut draw = SeedDraw::new(plan.seed.wrapping_add(number as u64), Stream::Spelling);
        let roots = carrier.roots(&surroundings, &of_roots, &mut draw)?;
        let regions = carrier.regions(&surroundings);
        let mut events = match &surroundings.events {
            Some(events) if plan.as_heap() => events.clone(),
            _ => composer.compose(heap.classes(), &classes, &surroundings, &roots)?,
        };
        if !plan.interrupts() {
            events.iter_mut().for_each(|event| event.after = 0);
        }
        events.iter().filter(|_| !own).for_each(|event| log.enter(number, &event.kind));
        let kept = surroundings.times.filter(|_| plan.profile.log.times || plan.as_heap());
        let last = events.last().filter(|_| plan.profile.log.times).map_or(0, |event| event.time);
        let times = kept.unwrap_or((last, last));
        let times = if plan.framing.end { times } else { (times.0, times.0) };
        let told = HeapTold { number, times, log: &log };
        visit(Told::HeapBegins(&told))?;

        let surround = Surround { entries: 0, events: &events, regions: &regions, roots: &roots };
        let entries = Entries { surround, named: &mut named, objects: 0, visit };
        let order = carrier.class_order().into_iter().peekable();
        let mirrors = mirrors.into_iter().peekable();
        let mut walk = Walk { carrier: &carrier, classes: &classes, log: &log, heap: number, order, mirrors, entries };
        heap.visit_parts(&mut |part| match part {
            Part::Object(object) => walk.object(object),
            Part::Blocks(blocks) => walk.blocks(blocks),
        })?;
        walk.rest()?;
        let (traces, threads) = stacks.next_heap(&log, number, &events, &roots, &named.end(&events));
        visit(Told::HeapEnds(&told, traces, threads))?;
    }
    let tail = if plan.as_heap() { dump.tail().to_vec() } else { Vec::new() };
    visit(Told::Tail(&tail))
}

/// The facts in a heap's objects about its roots, for writers that go by them.
fn root_objects(plan: &Plan, heap: &mut dyn HeapSource, surroundings: &Surroundings) -> Result<RootObjects, Error> {
    if plan.as_heap() || plan.profile.root_writer.is_none() {
        return Ok(RootObjects::default());
    }
    let mut objects = RootObjects::of(heap.classes(), surroundings.roots.as_deref().unwrap_or_default());
    if objects.asks() {
        heap.visit_parts(&mut |part| {
            match part {
                Part::Object(object) => objects.see(object),
                Part::Blocks(blocks) => objects.see_blocks(blocks),
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
    let plan = Plan::new(heap.facts(), options)?;
    let mut omitted = BTreeMap::new();
    let Some(writer) = plan.profile.root_writer.filter(|_| !plan.as_heap()) else { return Ok(omitted) };
    let surroundings = heap.surroundings().clone();
    let objects = root_objects(&plan, heap, &surroundings)?;
    let roots = surroundings.roots.unwrap_or_default();
    for root in &roots {
        *omitted.entry(root.kind.form().name).or_default() += 1;
    }
    for root in writer.told(&roots, &objects) {
        omitted.entry(root.kind.form().name).and_modify(|count| *count -= 1);
    }
    omitted.retain(|_, count| *count > 0);
    Ok(omitted)
}

/// Goes through a heap: classes in their places, class objects that are instances, and objects.
struct Walk<'w, 'v> {
    carrier: &'w Carrier<'w>,
    classes: &'w [Class],
    log: &'w Log,
    /// The heap's number.
    heap: usize,
    /// The classes that are still to come.
    order: Peekable<IntoIter<usize>>,
    /// Class objects that are instances: they stand among the objects by their addresses.
    mirrors: Peekable<IntoIter<Object>>,
    entries: Entries<'w, 'v>,
}

impl Walk<'_, '_> {
    fn object(&mut self, object: &Object) -> Result<(), Error> {
        while let Some(mirror) = self.mirrors.next_if(|mirror| mirror.address < object.address) {
            self.put(&mirror)?;
        }
        self.put(object)
    }

    fn put(&mut self, object: &Object) -> Result<(), Error> {
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
    fn blocks(&mut self, blocks: &dyn Blocks) -> Result<(), Error> {
        let mut filled = Filled::new(blocks);
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

    fn rest(mut self) -> Result<(), Error> {
        while let Some(mirror) = self.mirrors.next() {
            self.put(&mirror)?;
        }
        while let Some(index) = self.order.next() {
            self.class(index)?;
        }
        self.entries.surround.rest(self.entries.visit)
    }
}

/// The classes and objects of a heap as they are recorded, with what stands between them.
struct Entries<'e, 'v> {
    surround: Surround<'e>,
    named: &'e mut Named,
    objects: u64,
    visit: &'e mut Visit<'v>,
}

impl Entries<'_, '_> {
    fn class(&mut self, class: Class) -> Result<(), Error> {
        let told = Class { after_objects: Some(self.objects), ..class };
        self.named.name(told.trace.unwrap_or_default());
        self.surround.surround(self.visit)?;
        (self.visit)(Told::Class(&told))?;
        self.surround.entries += 1;
        Ok(())
    }

    /// All blocks from the first on, in which there are that many objects.
    fn blocks(&mut self, blocks: &dyn Blocks, first: u64, objects: u64, carrier: &Carrier<'_>) -> Result<(), Error> {
        for object in blocks.shapes().iter().flat_map(|shape| &shape.objects) {
            self.named.name(carrier.trace(object.trace));
        }
        (self.visit)(Told::Blocks(BlocksTold { blocks, first, carrier }))?;
        self.surround.entries += objects;
        self.objects += objects;
        Ok(())
    }

    fn object(&mut self, told: &Object) -> Result<(), Error> {
        self.named.name(told.trace.unwrap_or_default());
        self.surround.surround(self.visit)?;
        (self.visit)(Told::Object(told))?;
        self.surround.entries += 1;
        self.objects += 1;
        Ok(())
    }
}

/// The events, regions and roots that stand between the entries of a heap.
struct Surround<'s> {
    entries: u64,
    events: &'s [Event],
    regions: &'s [Region],
    roots: &'s [Root],
}

impl Surround<'_> {
    /// Visits the events, roots and regions that are due before the next entry.
    fn surround(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.up_to(self.entries, visit)
    }

    /// Whether nothing is due among the entries up to this number, itself left out.
    fn is_clear_to(&self, entries: u64) -> bool {
        self.events.first().is_none_or(|event| event.after >= entries)
            && self.roots.first().is_none_or(|root| root.after.unwrap_or(u64::MAX) >= entries)
            && self.regions.first().is_none_or(|region| region.after >= entries)
    }

    fn rest(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.up_to(u64::MAX, visit)
    }

    fn up_to(&mut self, entries: u64, visit: &mut Visit<'_>) -> Result<(), Error> {
        while let [event, rest @ ..] = self.events
            && event.after <= entries
        {
            let after = self.entries;
            visit(Told::Event(&Event { after, ..event.clone() }))?;
            self.events = rest;
        }
        // A part of the heap is told of objects alone, so after the roots that stand before one (ART).
        while let [root, rest @ ..] = self.roots
            && root.after.unwrap_or(u64::MAX) <= entries
        {
            let after = Some(self.entries);
            visit(Told::Root(&Root { after, ..*root }))?;
            self.roots = rest;
        }
        while let [region, rest @ ..] = self.regions
            && region.after <= entries
        {
            let after = self.entries;
            visit(Told::Region(&Region { after, ..region.clone() }))?;
            self.regions = rest;
        }
        Ok(())
    }
}
