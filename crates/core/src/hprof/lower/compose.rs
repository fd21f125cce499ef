//! The log that a writer would have written: strings, loaded classes, frames and traces, with identifiers.

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::LowerError;
use crate::hprof::wire::IdSize;
use crate::model::{
    Address, AllocationSite, AllocationSites, Class, ControlSettings, CpuSamples, Event, EventKind, Frame, FrameId,
    HeapSummary, LoadClass, Name, NameForms, Root, RootKind, Serial, StackTrace, StartThread, Surroundings, TextId,
    Thread, Trace, count_step,
};

use super::arrays::ArrayClasses;
use super::plan::LowerPlan;
use super::profiles::LogStrings;

/// Composes the logs of a file's heaps. A log does not repeat the records of an earlier heap's log.
pub(super) struct Composer<'p> {
    plan: &'p LowerPlan,
    texts: HashMap<Name, TextId>,
    /// Names of classes as the dump spells them.
    names: NameForms,
    loads: HashMap<Address, (Serial, Name)>,
    next_text: u64,
    next_class: u32,
    next_frame: u64,
    /// Whether a heap's log was composed before.
    begun: bool,
    time: u32,
    events: Vec<Event>,
    /// Whether the trace without frames was recorded before.
    dummy_told: bool,
    /// Traces that were recorded before.
    traces: HashMap<Serial, StackTrace>,
}

impl<'p> Composer<'p> {
    pub(super) fn new(plan: &'p LowerPlan) -> Composer<'p> {
        Composer {
            plan,
            texts: HashMap::new(),
            names: plan.name_forms(),
            loads: HashMap::new(),
            next_text: match plan.id {
                IdSize::One | IdSize::Two => 1,
                IdSize::Four => 0x9000_0010,
                IdSize::Eight => 0x7f00_0000_1010,
            },
            next_class: plan.profile.log.first_class,
            next_frame: plan.profile.log.first_frame,
            begun: false,
            time: 0,
            events: Vec::new(),
            dummy_told: false,
            traces: HashMap::new(),
        }
    }

    /// The log in front of a heap. `table` has its classes in the order in which it has them itself, `classes` those of the
    /// dump in the dump's order.
    pub(super) fn compose(
        &mut self,
        table: &[Class],
        classes: &[Class],
        surroundings: &Surroundings,
        roots: &[Root],
    ) -> Result<Vec<Event>, LowerError> {
        let style = self.plan.profile.log;
        let traces = surroundings.traces.as_deref().unwrap_or_default();
        let threads = surroundings.threads.as_deref().unwrap_or_default();
        if style.non_heap && !std::mem::replace(&mut self.begun, true) {
            self.push_event(EventKind::ControlSettings(ControlSettings { flags: 1, depth: 4 }));
        }
        if style.dummy_in_front {
            self.push_dummy_trace(traces, true);
        }
        match style.strings {
            LogStrings::Needed => self.texts_of_classes(classes)?,
            // A symbol table has no order that a heap could tell.
            LogStrings::First | LogStrings::AtUse => self.texts_in_front(table, surroundings)?,
        }
        self.load_classes(classes)?;
        if style.strings == LogStrings::AtUse {
            self.texts_of_classes(classes)?;
            self.texts_of_frames(traces)?;
        }
        self.push_dummy_trace(traces, false);
        for trace in traces {
            if self.traces.get(&trace.serial) != Some(trace) {
                self.push_trace(trace)?;
                self.traces.insert(trace.serial, trace.clone());
            }
        }
        if style.non_heap {
            self.push_non_heap(classes, threads, roots)?;
        }
        let mut events = std::mem::take(&mut self.events);
        if self.plan.profile.is_seeded() {
            self.scatter(&mut events, classes);
        }
        Ok(events)
    }

    fn push_event(&mut self, kind: EventKind) {
        if self.plan.profile.log.times {
            self.time = self.time.wrapping_add(1_000);
        }
        self.events.push(Event::new(self.time, 0, kind));
    }

    fn text_id(&mut self, text: &Name) -> Result<TextId, LowerError> {
        if let Some(&id) = self.texts.get(text) {
            return Ok(id);
        }
        let id = TextId(self.next_text);
        self.plan.check_id(id.0)?;
        self.next_text += match self.plan.id {
            IdSize::One | IdSize::Two => 1,
            IdSize::Four | IdSize::Eight => 16 + text.as_bytes().len().next_multiple_of(16) as u64,
        };
        self.texts.insert(text.clone(), id);
        self.push_event(EventKind::Text(id, text.clone()));
        Ok(id)
    }

    /// The strings of the heap's own log, whether anything names them or not, and all others where they come first.
    fn texts_in_front(&mut self, classes: &[Class], surroundings: &Surroundings) -> Result<(), LowerError> {
        for event in surroundings.events.iter().flatten() {
            if let EventKind::Text(_, text) = &event.kind {
                self.text_id(text)?;
            }
        }
        if self.plan.profile.log.strings == LogStrings::First {
            for unused in ["<init>", "()V", "Code"] {
                self.text_id(&Name::from_text(unused))?;
            }
            self.texts_of_classes(classes)?;
            self.texts_of_frames(surroundings.traces.as_deref().unwrap_or_default())?;
        }
        for region in surroundings.regions.iter().flatten() {
            self.text_id(&region.name)?;
        }
        Ok(())
    }

    fn texts_of_classes(&mut self, classes: &[Class]) -> Result<(), LowerError> {
        for class in classes {
            let name = self.names.convert(&class.name);
            self.text_id(&name)?;
            for field in class.fields.iter().flatten() {
                self.text_id(&field.name)?;
            }
            for field in class.statics.iter().flatten() {
                self.text_id(&field.name)?;
            }
        }
        Ok(())
    }

    fn texts_of_frames(&mut self, traces: &[StackTrace]) -> Result<(), LowerError> {
        for frame in traces.iter().flat_map(|trace| trace.frames.iter()) {
            self.text_id(&frame.method)?;
            self.text_id(&frame.signature)?;
            frame.source.as_ref().map(|source| self.text_id(source)).transpose()?;
        }
        Ok(())
    }

    fn load_classes(&mut self, classes: &[Class]) -> Result<(), LowerError> {
        let after = self.plan.profile.log.arrays_after;
        let order = match &after {
            Some(primitives) => ArrayClasses::new(classes).order_with_repetitions(primitives),
            None => (0..classes.len()).collect(),
        };
        for class in order.into_iter().map(|index| &classes[index]) {
            let name = self.names.convert(&class.name);
            let told_before = self.loads.get(&class.address).is_some_and(|(_, told)| *told == name);
            if told_before && after.is_none() {
                continue;
            }
            let id = self.text_id(&name)?;
            let serial = Serial(self.next_class);
            self.next_class = self.next_class.wrapping_add(1).max(1);
            self.loads.insert(class.address, (serial, name));
            let trace = Serial(self.plan.profile.trace.unwrap_or(1));
            self.push_event(EventKind::LoadClass(LoadClass { serial, class: class.address, trace, name: id }));
        }
        Ok(())
    }

    /// The trace without frames, once in a file, unless the heap has a trace of this number. One in front is told
    /// again, so the heap may have the same.
    fn push_dummy_trace(&mut self, traces: &[StackTrace], in_front: bool) {
        let Some(serial) = self.plan.profile.log.dummy_trace.map(Serial) else { return };
        let dummy = StackTrace { serial, thread: Serial(0), frames: [].into() };
        let is_free = traces.iter().all(|trace| trace.serial != serial || in_front && *trace == dummy);
        if is_free && !self.dummy_told {
            self.dummy_told = !in_front;
            self.push_event(EventKind::Trace(Trace { serial, thread: dummy.thread, frames: Vec::new() }));
        }
    }

    fn push_trace(&mut self, trace: &StackTrace) -> Result<(), LowerError> {
        let mut frames = Vec::new();
        for frame in trace.frames.iter() {
            let id = FrameId(self.next_frame);
            self.plan.check_id(id.0)?;
            self.next_frame += 1;
            let told = Frame {
                id,
                method: self.text_id(&frame.method)?,
                signature: self.text_id(&frame.signature)?,
                source: frame.source.as_ref().map_or(Ok(TextId(0)), |source| self.text_id(source))?,
                class: frame.class.and_then(|class| self.loads.get(&class)).map_or(Serial(0), |(serial, _)| *serial),
                line: frame.line,
            };
            self.push_event(EventKind::Frame(told));
            frames.push(id);
        }
        self.push_event(EventKind::Trace(Trace { serial: trace.serial, thread: trace.thread, frames }));
        Ok(())
    }

    /// Appends the agent's records of threads, samples and sites.
    fn push_non_heap(&mut self, classes: &[Class], threads: &[Thread], roots: &[Root]) -> Result<(), LowerError> {
        let (group, parent) = (self.text_id(&Name::from_text("main"))?, self.text_id(&Name::from_text("system"))?);
        let trace = Serial(self.plan.profile.trace.unwrap_or(1));
        // The agent's thread that is no object was never started.
        let started: Vec<&Thread> = threads.iter().filter(|thread| !thread.object.is_null()).collect();
        for thread in &started {
            let name = thread.name.as_ref().map_or(Ok(TextId(0)), |name| self.text_id(name))?;
            let (serial, object) = (thread.serial, thread.object);
            let trace = thread.trace.unwrap_or(trace);
            let started = StartThread { serial, object, trace, name, group, parent_group: parent };
            self.push_event(EventKind::StartThread(started));
        }
        // One that no root keeps is over.
        let living: HashSet<Serial> = roots
            .iter()
            .filter_map(|root| {
                count_step();
                match root.kind {
                    RootKind::ThreadObject(thread, _) => Some(thread),
                    _ => None,
                }
            })
            .collect();
        for thread in started.iter().filter(|thread| !living.contains(&thread.serial)) {
            self.push_event(EventKind::EndThread(thread.serial));
        }
        if let Some(class) = classes.last() {
            let (serial, _) = self.loads.get(&class.address).cloned().unwrap_or_default();
            let totals = HeapSummary {
                live_bytes: 4096,
                live_instances: roots.len() as u32,
                allocated_bytes: 1 << 33,
                allocated_instances: 1 << 32,
            };
            let plain = AllocationSite {
                array: 0,
                class: serial,
                trace,
                live_bytes: 64,
                live_instances: 2,
                allocated_bytes: 96,
                allocated_instances: 3,
            };
            let sites = vec![plain, AllocationSite { array: 8, class: Serial(0), ..plain }];
            let sampled = started.first().and_then(|thread| thread.trace).unwrap_or(trace);
            // Half a percent, as a float.
            self.push_event(EventKind::AllocationSites(AllocationSites {
                flags: 2,
                cutoff: 0x3ba3_d70a,
                totals,
                sites,
            }));
            self.push_event(EventKind::HeapSummary(totals));
            self.push_event(EventKind::CpuSamples(CpuSamples { total: 7, traces: vec![(4, trace), (3, sampled)] }));
        }
        Ok(())
    }

    /// Adds records that every reader has to expect and no writer makes: records after their use, and unknown ones.
    fn scatter(&mut self, events: &mut Vec<Event>, classes: &[Class]) {
        let mut draw = SeedDraw::new(self.plan.seed, DrawStream::Spelling);
        for index in 0..classes.len().min(3) {
            let body: Vec<u8> = (0..draw.below(24)).map(|_| draw.u32() as u8).collect();
            let tag = [0x08, 0x10, 0xf0][index];
            let at = draw.below(events.len() as u64 + 1) as usize;
            events.insert(at, Event::new(0, 0, EventKind::Unknown { tag, body }));
        }
        if let Some(Event { kind: EventKind::LoadClass(load), .. }) =
            events.iter().find(|e| matches!(e.kind, EventKind::LoadClass(_)))
        {
            // Unloaded, and its serial number named afterwards all the same.
            let kind = EventKind::UnloadClass(load.serial);
            events.push(Event::new(u32::MAX, 0, kind));
        }
        if !self.plan.interrupts() {
            return;
        }
        for event in events.iter_mut() {
            if draw.one_in(4) {
                event.after = draw.below(classes.len() as u64 * 4);
            }
        }
        events.sort_by_key(|event| event.after);
    }
}
