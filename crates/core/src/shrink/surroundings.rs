//! Roots, threads, stack traces and the log, without what was removed.

use std::collections::HashSet;

use crate::model::{Event, EventKind, Heap, Root, RootKind, Serial, StackFrame, StackTrace};

use super::removed::{RemainingBefore, RemovedAddresses};

/// Removes whatever names objects and classes that are gone.
pub(super) fn cut(heap: &mut Heap, gone: &RemovedAddresses<'_>, places: &RemainingBefore<'_>) {
    let around = &mut heap.surroundings;
    around.roots.iter_mut().for_each(|roots| roots.retain(|root| !gone.contains(root.object)));
    for root in around.roots.iter_mut().flatten() {
        root.after = root.after.map(|after| places.entries_before(after));
    }
    around.regions.iter_mut().flatten().for_each(|region| region.after = places.entries_before(region.after));
    for trace in around.traces.iter_mut().flatten() {
        if trace.frames.iter().any(|frame| frame.class.is_some_and(|class| gone.contains(class))) {
            let frames = trace.frames.iter().map(|frame| {
                let class = frame.class.filter(|class| !gone.contains(*class));
                StackFrame { class, ..frame.clone() }
            });
            *trace = StackTrace { frames: frames.collect(), ..trace.clone() };
        }
    }
    let mut unloaded = HashSet::new();
    for events in around.events.iter_mut() {
        events.iter_mut().for_each(|event| event.after = places.entries_before(event.after));
        events.retain(|event| match &event.kind {
            EventKind::LoadClass(load) if gone.contains(load.class) => {
                unloaded.insert(load.serial);
                false
            }
            EventKind::StartThread(thread) => !gone.contains(thread.object),
            _ => true,
        });
    }
    let classes = DroppedSerials { classes: unloaded, ..DroppedSerials::default() };
    let threads = around.threads.iter().flatten().filter(|thread| gone.contains(thread.object));
    let threads = threads.map(|thread| thread.serial).collect();
    let traces = traces_of(heap, &threads);
    DroppedSerials { threads, traces, ..classes }.remove_from(heap);
}

/// A heap without some of its roots.
#[doc(hidden)]
pub fn without_roots(heap: &Heap, is_dropped: &dyn Fn(usize) -> bool) -> Heap {
    let mut heap = heap.clone();
    heap.surroundings.roots = heap.surroundings.roots.take().map(|roots| outside(roots, is_dropped));
    heap
}

/// A heap without some of its threads, their roots and their traces.
#[doc(hidden)]
pub fn without_threads(heap: &Heap, is_dropped: &dyn Fn(usize) -> bool) -> Heap {
    let mut heap = heap.clone();
    let threads = heap.surroundings.threads.iter().flatten().map(|thread| thread.serial);
    let threads: HashSet<Serial> =
        threads.enumerate().filter(|(index, _)| is_dropped(*index)).map(|(_, serial)| serial).collect();
    let traces = traces_of(&heap, &threads);
    DroppedSerials { threads, traces, ..DroppedSerials::default() }.remove_from(&mut heap);
    heap
}

/// A heap without some of its stack traces.
#[doc(hidden)]
pub fn without_traces(heap: &Heap, is_dropped: &dyn Fn(usize) -> bool) -> Heap {
    let mut heap = heap.clone();
    let traces = heap.surroundings.traces.iter().flatten().map(|trace| trace.serial);
    let traces = traces.enumerate().filter(|(index, _)| is_dropped(*index)).map(|(_, serial)| serial).collect();
    DroppedSerials { traces, ..DroppedSerials::default() }.remove_from(&mut heap);
    heap
}

fn outside<T>(list: Vec<T>, is_dropped: &dyn Fn(usize) -> bool) -> Vec<T> {
    list.into_iter().enumerate().filter(|(index, _)| !is_dropped(*index)).map(|(_, item)| item).collect()
}

/// Traces of threads that leave.
fn traces_of(heap: &Heap, threads: &HashSet<Serial>) -> HashSet<Serial> {
    let traces = heap.surroundings.traces.iter().flatten();
    traces.filter(|trace| threads.contains(&trace.thread)).map(|trace| trace.serial).collect()
}

/// Serial numbers that leave a heap.
#[derive(Default)]
struct DroppedSerials {
    threads: HashSet<Serial>,
    traces: HashSet<Serial>,
    classes: HashSet<Serial>,
}

impl DroppedSerials {
    /// Removes the entries that have these numbers, and whatever names them.
    fn remove_from(&self, heap: &mut Heap) {
        if self.threads.is_empty() && self.traces.is_empty() && self.classes.is_empty() {
            return;
        }
        let has = |trace: &Serial| !self.traces.contains(trace);
        let around = &mut heap.surroundings;
        around.threads.iter_mut().for_each(|list| list.retain(|thread| !self.threads.contains(&thread.serial)));
        around.threads.iter_mut().flatten().for_each(|thread| thread.trace = thread.trace.filter(has));
        around.traces.iter_mut().for_each(|list| list.retain(|trace| has(&trace.serial)));
        around.roots.iter_mut().for_each(|roots| roots.retain(|root| !self.has_root(root)));
        around.events.iter_mut().for_each(|events| events.retain_mut(|event| self.stays(event)));
        heap.classes.iter_mut().for_each(|class| class.trace = class.trace.filter(has));
        heap.objects.iter_mut().for_each(|object| object.trace = object.trace.filter(has));
    }

    fn has_root(&self, root: &Root) -> bool {
        let trace = if let RootKind::ThreadObject(_, trace) = root.kind { Some(trace) } else { None };
        root.kind.thread().is_some_and(|thread| self.threads.contains(&thread))
            || trace.is_some_and(|trace| self.traces.contains(&trace))
    }

    /// Whether an entry of the log stays, without what it names.
    fn stays(&self, event: &mut Event) -> bool {
        match &mut event.kind {
            EventKind::UnloadClass(class) => !self.classes.contains(class),
            EventKind::Frame(frame) => {
                if self.classes.contains(&frame.class) {
                    frame.class = Serial(0);
                }
                true
            }
            EventKind::Trace(trace) => !self.traces.contains(&trace.serial) && !self.threads.contains(&trace.thread),
            EventKind::StartThread(thread) => {
                !self.threads.contains(&thread.serial) && !self.traces.contains(&thread.trace)
            }
            EventKind::EndThread(thread) => !self.threads.contains(thread),
            EventKind::LoadClass(load) => {
                if self.traces.contains(&load.trace) {
                    load.trace = Serial(0);
                }
                true
            }
            EventKind::AllocationSites(sites) => {
                sites.sites.retain(|site| !self.traces.contains(&site.trace) && !self.classes.contains(&site.class));
                true
            }
            EventKind::CpuSamples(samples) => {
                samples.traces.retain(|(_, trace)| !self.traces.contains(trace));
                true
            }
            EventKind::Text(..)
            | EventKind::HeapSummary(_)
            | EventKind::ControlSettings(_)
            | EventKind::Unknown { .. } => true,
        }
    }
}
