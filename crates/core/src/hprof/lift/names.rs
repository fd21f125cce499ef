//! Identifiers and serial numbers to what they name.
//!
//! Strings, classes, frames and traces are kept across HEAP DUMP END: a second heap in a file brings only what
//! is new. An identifier that is given twice means the later thing from there on, up to the end of a heap; an
//! identifier that is given only after its heap means that.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};

use crate::hprof::decode::RepeatedTexts;
use crate::model::{Address, EventKind, Frame, FrameId, LoadClass, Name, Serial, StackFrame, TextId};

/// The log of a process, indexed.
#[derive(Clone, Debug, Default)]
pub struct LogIndex {
    texts: ValuesByHeap<TextId, Name>,
    loads: ValuesByHeap<Address, LoadClass>,
    serials: ValuesByHeap<Serial, Address>,
    frames: ValuesByHeap<FrameId, Frame>,
    /// The one of several strings of one identifier that counts.
    which: RepeatedTexts,
    /// The identifiers of each string, where they are going to be asked for.
    ids: Option<TextIds>,
}

/// The way from strings to identifiers.
#[derive(Clone, Debug, Default)]
struct TextIds {
    /// The identifiers that each string was ever given under.
    of: HashMap<Name, BTreeSet<TextId>>,
    /// The identifiers that were given something in each heap.
    given: HashMap<usize, Vec<TextId>>,
}

/// The values given under a key, each with the heap in front of which (or in which) it was given.
#[derive(Clone, Debug)]
struct ValuesByHeap<K, V>(HashMap<K, Vec<(usize, V)>>);

impl<K, V> Default for ValuesByHeap<K, V> {
    fn default() -> ValuesByHeap<K, V> {
        ValuesByHeap(HashMap::new())
    }
}

impl<K: Eq + Hash, V: PartialEq> ValuesByHeap<K, V> {
    fn insert(&mut self, key: K, heap: usize, value: V) {
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

impl LogIndex {
    /// An empty log.
    pub fn new(which: RepeatedTexts) -> LogIndex {
        LogIndex { which, ..LogIndex::default() }
    }

    /// An empty log that is going to be asked for the identifiers of strings.
    pub fn with_ids() -> LogIndex {
        LogIndex { ids: Some(TextIds::default()), ..LogIndex::default() }
    }

    /// Takes up an entry of the log, in front of or in this heap.
    pub fn insert(&mut self, heap: usize, event: &EventKind) {
        match event {
            EventKind::Text(id, _) if self.which == RepeatedTexts::First && self.texts.0.contains_key(id) => {}
            EventKind::Text(id, text) => {
                if let Some(ids) = &mut self.ids {
                    ids.of.entry(text.clone()).or_default().insert(*id);
                    ids.given.entry(heap).or_default().push(*id);
                }
                self.texts.insert(*id, heap, text.clone());
            }
            EventKind::LoadClass(load) => {
                self.loads.insert(load.class, heap, *load);
                self.serials.insert(load.serial, heap, load.class);
            }
            EventKind::Frame(frame) => self.frames.insert(frame.id, heap, *frame),
            _ => {}
        }
    }

    /// Takes up an entry after the last of this number of heaps: it counts for that one.
    pub fn insert_after(&mut self, heaps: usize, event: &EventKind) {
        self.insert(heaps.saturating_sub(1), event);
    }

    /// The string of an identifier. 0 names none, whether or not a string has it.
    pub fn text(&self, heap: usize, id: TextId) -> Option<&Name> {
        if id.0 == 0 { None } else { self.texts.get(&id, heap) }
    }

    /// Brings the identifiers of strings from the end of the heap before this one to its end; of several for one string the
    /// lowest. Only strings that were given in the heap, or whose identifiers were, are looked at, since a file may have
    /// thousands of heaps after thousands of strings.
    pub fn update_ids(&self, known: &mut HashMap<Name, TextId>, heap: usize) {
        let Some(ids) = &self.ids else { return };
        let mut look = |text: &Name| {
            let found =
                ids.of.get(text).and_then(|of| of.iter().copied().find(|id| self.text(heap, *id) == Some(text)));
            match found {
                Some(id) => _ = known.insert(text.clone(), id),
                None => _ = known.remove(text),
            }
        };
        if heap == 0 {
            return ids.of.keys().for_each(look);
        }
        for id in ids.given.get(&heap).into_iter().flatten() {
            let given = self.texts.0.get(id).map_or(&[][..], Vec::as_slice);
            let first = given.partition_point(|(at, _)| *at < heap).saturating_sub(1);
            given[first..].iter().take_while(|(at, _)| *at <= heap).for_each(|(_, text)| look(text));
        }
    }

    /// The LOAD CLASS of a class.
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

    /// The string of an identifier, if it has characters: a name without any is as good as none.
    pub fn name(&self, heap: usize, id: TextId) -> Option<&Name> {
        self.text(heap, id).filter(|name| !name.as_bytes().is_empty())
    }

    fn resolved(&self, heap: usize, frame: &Frame) -> StackFrame {
        let name = |id| self.name(heap, id).cloned();
        StackFrame {
            method: name(frame.method).unwrap_or_default(),
            signature: name(frame.signature).unwrap_or_default(),
            source: name(frame.source),
            class: self.class(heap, frame.class),
            line: frame.line,
        }
    }
}
