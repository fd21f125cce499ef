//! Identifiers and serial numbers to what they name.
//!
//! Strings, classes, frames and traces are kept across HEAP DUMP END: a second heap in a file brings only what
//! is new. An identifier that is given twice means the later thing from there on; one that is given only after
//! its use means that.

use std::collections::HashMap;
use std::hash::Hash;

use crate::model::{
    Address, Event, EventKind, Frame, FrameId, LoadClass, Name, Root, RootKind, Serial, StackFrame, StackTrace, TextId,
    Thread,
};

/// The log of a process, indexed.
#[derive(Clone, Debug, Default)]
pub struct Log {
    texts: Given<TextId, Name>,
    loads: Given<Address, LoadClass>,
    serials: Given<Serial, Address>,
    frames: Given<FrameId, Frame>,
}

/// What was given under a key, by the heap in front of which (or in which) it was.
#[derive(Clone, Debug)]
struct Given<K, V>(HashMap<K, Vec<(usize, V)>>);

impl<K, V> Default for Given<K, V> {
    fn default() -> Given<K, V> {
        Given(HashMap::new())
    }
}

impl<K: Eq + Hash, V: PartialEq> Given<K, V> {
    fn give(&mut self, key: K, heap: usize, value: V) {
        let given = self.0.entry(key).or_default();
        // Thousands of equal entries for one key take the room of one.
        if given.last().is_none_or(|(_, last)| *last != value) {
            given.push((heap, value));
        }
    }

    /// The last one up to the end of this heap, else the first after it.
    fn get(&self, key: &K, heap: usize) -> Option<&V> {
        let given = self.0.get(key)?;
        let after = given.partition_point(|(at, _)| *at <= heap);
        given.get(after.saturating_sub(1)).map(|(_, value)| value)
    }
}

impl Log {
    /// Takes up an entry of the log, in front of or in this heap.
    pub fn enter(&mut self, heap: usize, event: &EventKind) {
        match event {
            EventKind::Text(id, text) => self.texts.give(*id, heap, text.clone()),
            EventKind::LoadClass(load) => {
                self.loads.give(load.class, heap, *load);
                self.serials.give(load.serial, heap, load.class);
            }
            EventKind::Frame(frame) => self.frames.give(frame.id, heap, *frame),
            _ => {}
        }
    }

    /// The string of an identifier.
    pub fn text(&self, heap: usize, id: TextId) -> Option<&Name> {
        self.texts.get(&id, heap)
    }

    /// The identifiers of all strings up to the end of a heap; of several for one string the lowest.
    pub fn ids(&self, heap: usize) -> HashMap<Name, TextId> {
        let mut ids: HashMap<Name, TextId> = HashMap::with_capacity(self.texts.0.len());
        for id in self.texts.0.keys() {
            if let Some(text) = self.text(heap, *id) {
                let known = ids.entry(text.clone()).or_insert(*id);
                *known = (*known).min(*id);
            }
        }
        ids
    }

    /// An identifier that no string has, if there is one: 0 where it can be.
    pub fn no_text(&self, largest: u64) -> TextId {
        let unused = |id: &u64| !self.texts.0.contains_key(&TextId(*id));
        TextId([0].into_iter().chain((1..=largest).rev()).find(unused).unwrap_or_default())
    }

    /// How a class was loaded.
    pub fn load(&self, heap: usize, class: Address) -> Option<&LoadClass> {
        self.loads.get(&class, heap)
    }

    /// The class of a serial number.
    pub fn class(&self, heap: usize, serial: Serial) -> Option<Address> {
        self.serials.get(&serial, heap).copied()
    }

    /// The frame of an identifier, with its names.
    pub fn frame(&self, heap: usize, id: FrameId) -> Option<StackFrame> {
        let frame = self.frames.get(&id, heap)?;
        let text = |id| self.text(heap, id).cloned();
        Some(StackFrame {
            method: text(frame.method).unwrap_or_default(),
            signature: text(frame.signature).unwrap_or_default(),
            source: text(frame.source),
            class: self.class(heap, frame.class),
            line: frame.line,
        })
    }
}

/// The stack traces and threads that the entries up to a heap's end tell, with their names. `events` are those of
/// each heap up to this one; a trace or thread that is told twice counts as the last says.
pub fn resolve_log<'e>(
    log: &Log,
    heap: usize,
    events: impl Iterator<Item = &'e Event>,
    roots: &[Root],
) -> (Vec<StackTrace>, Vec<Thread>) {
    let mut traces: Vec<StackTrace> = Vec::new();
    let mut threads: Vec<Thread> = Vec::new();
    let (mut traces_at, mut threads_at) = (HashMap::new(), HashMap::new());
    for event in events {
        match &event.kind {
            EventKind::Trace(trace) => {
                let frames = trace.frames.iter().filter_map(|id| log.frame(heap, *id)).collect();
                let told = StackTrace { serial: trace.serial, thread: trace.thread, frames };
                put(&mut traces, &mut traces_at, trace.serial, told);
            }
            EventKind::StartThread(thread) => {
                let name = log.text(heap, thread.name).cloned();
                let (serial, object) = (thread.serial, thread.object);
                put(&mut threads, &mut threads_at, serial, Thread { serial, object, name, trace: Some(thread.trace) });
            }
            _ => {}
        }
    }
    for root in roots {
        if let RootKind::ThreadObject(serial, trace) = root.kind {
            match threads_at.get(&serial) {
                Some(&at) => {
                    let known: &mut Thread = &mut threads[at];
                    known.object = root.object;
                    known.trace = Some(trace);
                }
                None => {
                    let told = Thread { serial, object: root.object, name: None, trace: Some(trace) };
                    put(&mut threads, &mut threads_at, serial, told);
                }
            }
        }
    }
    (traces, threads)
}

fn put<T>(list: &mut Vec<T>, places: &mut HashMap<Serial, usize>, serial: Serial, item: T) {
    match places.get(&serial) {
        Some(&at) => list[at] = item,
        None => {
            places.insert(serial, list.len());
            list.push(item);
        }
    }
}
