//! Stack traces and threads: those of a heap's own log, and of those recorded before it the ones that the heap names.
//!
//! A file may have thousands of heaps after thousands of traces, so no heap lists all that was recorded before it.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::model::{Event, EventKind, Root, RootKind, Serial, StackTrace, Thread};

use super::names::LogIndex;

/// The stack traces that the classes and objects of a heap name, of those that were recorded before the heap.
#[derive(Debug, Default)]
pub struct NamedTraces {
    earlier: HashSet<Serial>,
    named: BTreeSet<Serial>,
    /// Thousands of objects name the same.
    last: Option<Serial>,
}

impl NamedTraces {
    /// A class or object names a trace; whether it is one that the heap did not name before.
    #[inline]
    pub fn insert(&mut self, trace: Serial) -> bool {
        if self.last == Some(trace) {
            return false;
        }
        self.last = Some(trace);
        self.earlier.contains(&trace) && self.named.insert(trace)
    }

    /// The heap of this log ends: what it named, by serial number.
    pub fn finish_heap(&mut self, events: &[Event]) -> Vec<Serial> {
        let traces = events.iter().filter_map(|event| match &event.kind {
            EventKind::Trace(trace) => Some(trace.serial),
            _ => None,
        });
        self.earlier.extend(traces);
        self.last = None;
        std::mem::take(&mut self.named).into_iter().collect()
    }
}

/// The stack traces and threads that the logs of a file's heaps have recorded so far, with their names.
#[derive(Debug, Default)]
pub struct Stacks {
    traces: LatestBySerial<StackTrace>,
    threads: LatestBySerial<Thread>,
}

impl Stacks {
    /// The stack traces and threads of the next heap. Those of its own log are all in it; of those before it, the
    /// traces that `named`, its roots or its threads name, and the threads that its roots name. A trace or thread
    /// that is recorded twice counts as the last says; frames and names are those of the heap in whose log it is.
    pub fn next_heap(
        &mut self,
        log: &LogIndex,
        heap: usize,
        events: &[Event],
        roots: &[Root],
        named: &[Serial],
    ) -> (Vec<StackTrace>, Vec<Thread>) {
        let (mut own_traces, mut own_threads) = (Vec::new(), Vec::new());
        let before = (self.traces.count, self.threads.count);
        for event in events {
            match &event.kind {
                EventKind::Trace(trace) => {
                    let frames = log.frames(heap, &trace.frames);
                    let told = StackTrace { serial: trace.serial, thread: trace.thread, frames };
                    self.traces.insert(before.0, trace.serial, told);
                    own_traces.push(trace.serial);
                }
                EventKind::StartThread(thread) => {
                    let name = log.name(heap, thread.name).cloned();
                    let (serial, object) = (thread.serial, thread.object);
                    let told = Thread { serial, object, name, trace: Some(thread.trace) };
                    self.threads.insert(before.1, serial, told);
                    own_threads.push(serial);
                }
                _ => {}
            }
        }
        let of_roots = roots.iter().filter_map(|root| root.kind.thread());
        let threads = add_root_threads(self.threads.select(own_threads.into_iter().chain(of_roots)), roots);
        let of_roots = roots.iter().filter_map(|root| match root.kind {
            RootKind::ThreadObject(_, trace) => Some(trace),
            _ => None,
        });
        let of_threads = threads.iter().filter_map(|thread| thread.trace);
        let named = named.iter().copied().chain(of_roots).chain(of_threads);
        (self.traces.select(own_traces.into_iter().chain(named)), threads)
    }
}

/// Threads and what the roots say of them; a root may be all that there is of a thread.
fn add_root_threads(mut threads: Vec<Thread>, roots: &[Root]) -> Vec<Thread> {
    let mut places: HashMap<Serial, usize> = threads.iter().map(|thread| thread.serial).zip(0..).collect();
    for root in roots {
        if let RootKind::ThreadObject(serial, trace) = root.kind {
            let at = *places.entry(serial).or_insert(threads.len());
            if at == threads.len() {
                threads.push(Thread { serial, object: root.object, name: None, trace: None });
            }
            threads[at].object = root.object;
            threads[at].trace = Some(trace);
        }
    }
    threads
}

/// The last item recorded under each serial number, with its place among all that were recorded.
#[derive(Debug)]
struct LatestBySerial<T> {
    by_serial: HashMap<Serial, (usize, T)>,
    count: usize,
}

impl<T> Default for LatestBySerial<T> {
    fn default() -> LatestBySerial<T> {
        LatestBySerial { by_serial: HashMap::new(), count: 0 }
    }
}

impl<T: Clone> LatestBySerial<T> {
    /// Records an item. One that a heap's log repeats keeps the place of the first time; the heap begins at the place
    /// `begin`.
    fn insert(&mut self, begin: usize, serial: Serial, item: T) {
        let known = self.by_serial.get(&serial).map(|(place, _)| *place).filter(|place| *place >= begin);
        self.by_serial.insert(serial, (known.unwrap_or(self.count), item));
        self.count += usize::from(known.is_none());
    }

    /// The items recorded under these serial numbers, in the order of the file.
    fn select(&self, serials: impl Iterator<Item = Serial>) -> Vec<T> {
        if self.by_serial.is_empty() {
            return Vec::new();
        }
        let found: BTreeMap<usize, &T> =
            serials.filter_map(|serial| self.by_serial.get(&serial)).map(|(place, item)| (*place, item)).collect();
        found.into_values().cloned().collect()
    }
}
