//! What a dump tells, item by item, in the order of the file.

use crate::draw::{SeedDraw, Stream};
use crate::error::Error;
use crate::model::{Class, DumpSource, Event, Facts, Name, Object, Region, Root, StackTrace, Thread};

use super::super::lift::{Log, Named, Stacks};
use super::carry::Carrier;
use super::compose::Composer;
use super::plan::Plan;

/// An item of a dump, as it is told.
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
    /// A heap ends, with the stack traces and threads that it tells or names.
    HeapEnds(&'t HeapTold<'t>, Vec<StackTrace>, Vec<Thread>),
    /// The log after the last heap.
    Tail(&'t [Event]),
}

/// What is told of a heap besides its stream.
pub(super) struct HeapTold<'l> {
    pub(super) number: usize,
    pub(super) times: (u32, u32),
    /// The log of this heap and those before it.
    pub(super) log: &'l Log,
}

type Visit<'v> = dyn FnMut(Told<'_>) -> Result<(), Error> + 'v;

pub(super) fn tell(dump: &mut dyn DumpSource, plan: &Plan, visit: &mut Visit<'_>) -> Result<(), Error> {
    let facts = dump.heap(0).facts();
    visit(Told::Header(plan.facts(facts)))?;
    let mut composer = Composer::new(plan);
    let mut log = Log::default();
    let (mut named, mut stacks) = (Named::default(), Stacks::default());
    // Where every heap has a log of its own, a name may be given after its use, even behind the last heap.
    let own = plan.as_heap() && (0..dump.heaps()).all(|number| dump.heap(number).surroundings().events.is_some());
    for number in (0..dump.heaps()).filter(|_| own) {
        let events = dump.heap(number).surroundings().events.iter().flatten();
        events.for_each(|event| log.enter(number, &event.kind));
    }
    let heaps = dump.heaps();
    dump.tail().iter().filter(|_| own).for_each(|event| log.enter(heaps, &event.kind));
    for number in 0..heaps {
        let heap = dump.heap(number);
        let classes = heap.classes().to_vec();
        let surroundings = heap.surroundings().clone();
        let carrier = Carrier::new(plan, &classes);
        let mut draw = SeedDraw::new(plan.seed.wrapping_add(number as u64), Stream::Spelling);
        let roots = carrier.roots(&surroundings, &mut draw)?;
        let regions = carrier.regions(&surroundings);
        let mut events = match &surroundings.events {
            Some(events) if plan.as_heap() => events.clone(),
            _ => composer.compose(&classes, &surroundings, &roots)?,
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

        let mut stream = Surround { entries: 0, events: &events, regions: &regions, roots: &roots };
        let mut order = carrier.class_order().into_iter().peekable();
        let class = |index: usize| {
            let class = &classes[index];
            let load = log.load(number, class.address);
            let name = load.and_then(|load| log.text(number, load.name)).cloned().unwrap_or_else(Name::default);
            carrier.class(index, name, load.map(|load| load.serial))
        };
        let mut objects = 0;
        heap.visit_objects(&mut |object| {
            while let Some(index) = order.next_if(|&index| carrier.stands_after(&classes[index]) <= objects) {
                let told = Class { after_objects: Some(objects), ..class(index)? };
                named.name(told.trace.unwrap_or_default());
                stream.surround(visit)?;
                visit(Told::Class(&told))?;
                stream.entries += 1;
            }
            let told = carrier.object(object)?;
            named.name(told.trace.unwrap_or_default());
            stream.surround(visit)?;
            visit(Told::Object(&told))?;
            stream.entries += 1;
            objects += 1;
            Ok(())
        })?;
        for index in order {
            let told = Class { after_objects: Some(objects), ..class(index)? };
            named.name(told.trace.unwrap_or_default());
            stream.surround(visit)?;
            visit(Told::Class(&told))?;
            stream.entries += 1;
        }
        stream.rest(visit)?;
        let (traces, threads) = stacks.next_heap(&log, number, &events, &roots, &named.end(&events));
        visit(Told::HeapEnds(&told, traces, threads))?;
    }
    let tail = if plan.as_heap() { dump.tail().to_vec() } else { Vec::new() };
    visit(Told::Tail(&tail))
}

/// What stands between the entries of a heap.
struct Surround<'s> {
    entries: u64,
    events: &'s [Event],
    regions: &'s [Region],
    roots: &'s [Root],
}

impl Surround<'_> {
    /// What is due before the next entry.
    fn surround(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.up_to(self.entries, visit)
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
        // A part of the heap is told of objects alone, so behind the roots that stand before one (ART).
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
