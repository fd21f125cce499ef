//! Identifiers and serial numbers to what they name.
//!
//! Strings, classes, frames and traces are kept across HEAP DUMP END: a second heap in a file brings only what
//! is new. An identifier that is given twice means the later thing from there on; one that is given only after
//! its use means that.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::super::decode::Texts;
use crate::model::{Address, EventKind, Frame, FrameId, LoadClass, Name, Serial, StackFrame, TextId};

/// The log of a process, indexed.
#[derive(Clone, Debug, Default)]
pub struct Log {
    texts: Given<TextId, Name>,
    loads: Given<Address, LoadClass>,
    serials: Given<Serial, Address>,
    frames: Given<FrameId, Frame>,
    /// Which of several strings of one identifier counts.
    which: Texts,
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
    /// Nothing yet.
    pub fn new(which: Texts) -> Log {
        Log { which, ..Log::default() }
    }

    /// Takes up an entry of the log, in front of or in this heap.
    pub fn enter(&mut self, heap: usize, event: &EventKind) {
        match event {
            EventKind::Text(id, _) if self.which == Texts::First && self.texts.0.contains_key(id) => {}
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
        self.frames.get(&id, heap).map(|frame| self.resolved(heap, frame))
    }

    /// The frames of those identifiers that name one, with their names.
    pub fn frames(&self, heap: usize, ids: &[FrameId]) -> Arc<[StackFrame]> {
        // A list of known length first, so that the frames themselves, which are ten times as long, need no second one.
        let known: Vec<&Frame> = ids.iter().filter_map(|id| self.frames.get(id, heap)).collect();
        known.iter().map(|frame| self.resolved(heap, frame)).collect()
    }

    fn resolved(&self, heap: usize, frame: &Frame) -> StackFrame {
        let text = |id| self.text(heap, id).cloned();
        StackFrame {
            method: text(frame.method).unwrap_or_default(),
            signature: text(frame.signature).unwrap_or_default(),
            source: text(frame.source),
            class: self.class(heap, frame.class),
            line: frame.line,
        }
    }
}
