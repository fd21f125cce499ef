//! A survey of the whole file, which the search for reliances needs before it begins.

use std::io::Read;

use foldhash::{HashMap, HashSet};

use crate::error::DecodeError;
use crate::hprof::decode::{DecodeStep, Decoder};
use crate::hprof::lift::HeapCounter;
use crate::hprof::record::{Record, RecordBody, Segment};
use crate::hprof::sub_record::SubRecord;
use crate::hprof::wire::RecordTag;
use crate::model::{Address, AddressSet, FrameId, RootKind, Serial, TextId, count_step};

/// The records that name strings in a file, and the places of its classes, objects and threads.
#[derive(Debug, Default)]
pub(super) struct UsageSurvey {
    /// The records that name each string, in the order of the file.
    uses: HashMap<TextId, Vec<TextUse>>,
    /// Strings.
    pub(super) texts: HashSet<TextId>,
    /// Stack frames.
    pub(super) frames: HashSet<FrameId>,
    /// Classes and objects of any heap.
    pub(super) addresses: AddressSet,
    /// The heaps.
    pub(super) heaps: Vec<HeapSurvey>,
}

/// A record that names a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextUse {
    /// The class that has it for its own name or for a field's; `None` of a frame, thread or part of the heap.
    pub(super) class: Option<Address>,
    /// Whether it is the class's own name.
    pub(super) is_class_name: bool,
    /// Index of the record.
    pub(super) index: u64,
}

/// One heap of a file.
#[derive(Debug, Default)]
pub(super) struct HeapSurvey {
    /// Its classes and objects.
    pub(super) addresses: AddressSet,
    /// Its classes.
    pub(super) classes: HashMap<Address, ClassPlace>,
    /// The first ROOT THREAD OBJECT of each thread.
    pub(super) threads: HashMap<Serial, u64>,
}

/// The place of a class.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClassPlace {
    superclass: Address,
    /// Index of its CLASS DUMP.
    pub(super) index: u64,
    /// Index of the last one among the CLASS DUMPs of it and its superclasses. 0 is none, for in front of each stands the
    /// head of a dump record.
    pub(super) complete: u64,
}

/// Counts the heaps on the way through a file.
#[derive(Debug)]
pub(super) struct HeapTracker {
    pub(super) counter: HeapCounter,
    /// The dump record that is open.
    tag: RecordTag,
}

impl Default for HeapTracker {
    fn default() -> HeapTracker {
        HeapTracker { counter: HeapCounter::default(), tag: RecordTag::HEAP_DUMP }
    }
}

impl HeapTracker {
    /// A dump record begins; whether a heap begins with it.
    pub(super) fn segment(&mut self, segment: Segment) -> bool {
        self.tag = segment.tag;
        self.counter.begin_segment(segment.tag).0
    }

    /// The dump record ends; whether its heap does.
    pub(super) fn segment_end(&mut self) -> bool {
        self.counter.end_segment(self.tag)
    }
}

impl UsageSurvey {
    /// Reads a file to its end, or as far as it can be read.
    pub(super) fn read<R: Read>(decoder: &mut Decoder<R>) -> (UsageSurvey, Result<u64, DecodeError>) {
        let (mut survey, mut heaps) = (UsageSurvey::default(), HeapTracker::default());
        let read = decoder.visit(|step| {
            match step {
                DecodeStep::Record(at, record) => {
                    heaps.counter.observe_record(record.tag());
                    survey.record(at.index, record);
                }
                DecodeStep::Segment(_, segment) if heaps.segment(segment) => survey.heaps.push(HeapSurvey::default()),
                DecodeStep::SegmentEnd(_) => _ = heaps.segment_end(),
                DecodeStep::Sub(at, sub_record) => survey.sub_record(at.index, sub_record),
                DecodeStep::Segment(..) | DecodeStep::More(_) => {}
            }
            Ok(())
        });
        survey.heaps.iter_mut().for_each(HeapSurvey::complete);
        (survey, read)
    }

    /// The records that name a string: of thousands the first few.
    pub(super) fn uses(&self, text: TextId) -> &[TextUse] {
        self.uses.get(&text).map_or(&[], Vec::as_slice)
    }

    fn record(&mut self, index: u64, record: &Record<'_>) {
        match &record.body {
            RecordBody::Text(id, _) => _ = self.texts.insert(*id),
            RecordBody::LoadClass(load) => {
                self.insert_use(load.name, TextUse { class: Some(load.class), is_class_name: true, index });
            }
            RecordBody::Frame(frame) => {
                self.frames.insert(frame.id);
                let names = [frame.method, frame.signature, frame.source];
                names.into_iter().for_each(|name| self.insert_use(name, TextUse::without_class(index)));
            }
            RecordBody::StartThread(thread) => self.insert_use(thread.name, TextUse::without_class(index)),
            _ => {}
        }
    }

    fn sub_record(&mut self, index: u64, sub_record: &SubRecord<'_>) {
        if let SubRecord::HeapInfo(_, name) = sub_record {
            self.insert_use(*name, TextUse::without_class(index));
        }
        if let SubRecord::Class(class) = sub_record {
            let names = class.statics.iter().map(|(name, _)| *name).chain(class.fields.iter().map(|(name, _)| *name));
            names
                .for_each(|name| self.insert_use(name, TextUse { class: Some(class.id), is_class_name: false, index }));
        }
        let Some(heap) = self.heaps.last_mut() else { return };
        match sub_record {
            SubRecord::Class(class) => {
                heap.classes.insert(class.id, ClassPlace { superclass: class.superclass, index, complete: 0 });
            }
            SubRecord::Root(root) => {
                if let RootKind::ThreadObject(thread, _) = root.kind {
                    heap.threads.entry(thread).or_insert(index);
                }
            }
            _ => {}
        }
        if let Some(address) = sub_record.address() {
            heap.addresses.insert(address.0);
            self.addresses.insert(address.0);
        }
    }

    fn insert_use(&mut self, text: TextId, new: TextUse) {
        if text.0 == 0 {
            return;
        }
        let uses = self.uses.entry(text).or_default();
        let is_same = |known: &TextUse| (known.class, known.is_class_name) == (new.class, new.is_class_name);
        if uses.len() < USES && !uses.iter().any(is_same) {
            uses.push(new);
        }
    }
}

impl TextUse {
    fn without_class(index: u64) -> TextUse {
        TextUse { class: None, is_class_name: false, index }
    }
}

impl HeapSurvey {
    /// Follows the superclasses of every class, each once.
    fn complete(&mut self) {
        let mut all: Vec<Address> = self.classes.keys().copied().collect();
        // On a cycle it matters where one begins.
        all.sort_unstable();
        for mut next in all {
            let (mut chain, mut last) = (Vec::new(), 0);
            while let Some(class) = self.classes.get_mut(&next).filter(|_| !next.is_null()) {
                count_step();
                if class.complete > 0 {
                    // Known, or a class that is its own superclass.
                    last = class.complete;
                    break;
                }
                class.complete = class.index;
                chain.push(next);
                next = class.superclass;
            }
            for class in chain.iter().rev() {
                if let Some(class) = self.classes.get_mut(class) {
                    last = last.max(class.index);
                    class.complete = last;
                }
            }
        }
    }
}

/// Records that are kept of those that name one string.
const USES: usize = 8;
