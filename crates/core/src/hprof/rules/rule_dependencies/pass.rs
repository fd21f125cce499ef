//! The pass that reports: earlier records, as far as they matter to later ones.

use std::mem;

use foldhash::{HashMap, HashSet};

use crate::error::RuleId;
use crate::family::Reliance;
use crate::hprof::decode::{DecodeStep, RecordSlice};
use crate::hprof::lift::DumpIndex;
use crate::hprof::record::{Segment, SegmentLength};
use crate::hprof::rules;
use crate::hprof::wire::{HEAD, Header, IdSize, RecordTag, Version};
use crate::model::{Address, AddressSet, Class, FrameId, PrimitiveType, Serial, TextId};

use super::contents::PieceContents;
use super::marks::{RecordMarks, RecordStart};
use super::survey::{HeapTracker, UsageSurvey};

/// The way through a file, record by record.
pub(super) struct DependencyPass<'p> {
    pub(super) id: IdSize,
    version: Version,
    pub(super) index: &'p DumpIndex,
    pub(super) survey: &'p UsageSurvey,
    pub(super) found: &'p mut dyn FnMut(Reliance),
    pub(super) heaps: HeapTracker,
    pub(super) heap: HeapState,
    pub(super) tables: RecordHistory,
    /// Contents of which a part is still to come, and the classes and objects that they describe.
    pending: Option<(PieceContents, Vec<Option<Address>>)>,
    /// Index of the first record after the last heap's last sub-record.
    ended: Option<u64>,
    /// The HEAP DUMP END of that heap, if it has one, and whether something follows it.
    end: Option<RecordStart>,
    is_end_told: bool,
    /// Index of the next record.
    next: u64,
    /// The first record since the last segment of a heap that goes on.
    between: Option<RecordStart>,
    /// The last heap in which each class or object was, if there are several heaps.
    met: HashMap<Address, usize>,
}

/// The state of the heap that is open.
#[derive(Default)]
pub(super) struct HeapState {
    /// When it began.
    time: u32,
    /// Segments so far.
    segments: usize,
    /// Classes and objects so far.
    seen: AddressSet,
    /// Objects that were roots.
    pub(super) roots: AddressSet,
    /// The part of the heap, and whether the segment states one.
    pub(super) part: ((u32, TextId), bool),
    /// Classes whose name another class has too.
    pub(super) namesakes: HashSet<Address>,
    /// Classes with the name of java.lang.Class.
    pub(super) mirrors: HashSet<Address>,
    /// The primitive types whose arrays have a class.
    pub(super) array_classes: [bool; PrimitiveType::ALL.len()],
}

/// The identifiers that the records so far gave, with the index of the last record that did.
#[derive(Default)]
pub(super) struct RecordHistory {
    /// Strings, with a digest that distinguishes different ones.
    pub(super) texts: HashMap<TextId, (u64, u64)>,
    pub(super) loads: HashMap<Address, u64>,
    pub(super) dumped: HashMap<Address, u64>,
    pub(super) frames: HashMap<FrameId, u64>,
    pub(super) traces: HashSet<Serial>,
    pub(super) threads: HashSet<Serial>,
    /// Frames that a trace named before they were given.
    pub(super) frames_due: HashSet<FrameId>,
    pub(super) serials_due: HashSet<Serial>,
    pub(super) serials: HashSet<Serial>,
}

impl<'p> DependencyPass<'p> {
    pub(super) fn new(
        header: &Header,
        index: &'p DumpIndex,
        survey: &'p UsageSurvey,
        found: &'p mut dyn FnMut(Reliance),
    ) -> DependencyPass<'p> {
        DependencyPass {
            id: header.id_size,
            version: header.version,
            index,
            survey,
            found,
            heaps: HeapTracker::default(),
            heap: HeapState::default(),
            tables: RecordHistory::default(),
            pending: None,
            ended: None,
            end: None,
            is_end_told: false,
            next: 0,
            between: None,
            met: HashMap::default(),
        }
    }

    pub(super) fn step(&mut self, step: DecodeStep<'_, '_>) {
        match step {
            DecodeStep::Record(at, record) => {
                self.next = at.index + 1;
                self.report_heap_extent();
                if self.heaps.counter.is_open() && record.tag() != RecordTag::HEAP_DUMP_END {
                    self.between.get_or_insert(record_start(&at));
                }
                self.record(&at, record);
            }
            DecodeStep::Segment(at, segment) => self.segment(&at, segment),
            DecodeStep::Sub(at, sub_record) => {
                self.next = at.index + 1;
                self.sub_record(&at, sub_record);
            }
            DecodeStep::More(at) => self.add_piece(&at),
            DecodeStep::SegmentEnd(_) if self.heaps.segment_end() => (self.ended, self.end) = (Some(self.next), None),
            DecodeStep::SegmentEnd(_) => {}
        }
    }

    /// A rule that a stretch of bytes relies on, from its first byte on.
    pub(super) fn report(&mut self, place: RecordStart, rule: RuleId, length: u64) {
        (self.found)(place.reliance(rule, 0..length, None));
    }

    /// Whether something was given before the last heap ended and not since.
    pub(super) fn is_kept(&self, given: Option<&u64>) -> bool {
        given.zip(self.ended).is_some_and(|(&given, ended)| given < ended)
    }

    fn segment(&mut self, at: &RecordSlice<'_>, segment: Segment) {
        let (here, was_open) = (record_start(at), self.heaps.counter.is_open());
        let mut marks = RecordMarks::default();
        let all = 0..HEAD as u64;
        marks.mark(rules::RECORD_LAYOUT, "head", all.clone());
        // What a body is that is not a HEAP DUMP's, the rule of the series says.
        let is_segment = segment.tag == RecordTag::HEAP_DUMP_SEGMENT;
        marks.mark(if is_segment { rules::SEGMENT_SERIES } else { rules::SEGMENT_LAYOUT }, "tag", all.clone());
        marks.mark_if(!is_segment && self.version.has_segments(), rules::HEADER_SEGMENTS_OPTIONAL, "tag", 0..1);
        marks.mark_if(segment.stated == 0, rules::SEGMENT_ZERO_LENGTH, "length", 5..9);
        let is_wrapped = matches!(segment.length, SegmentLength::Wrapped(_));
        marks.mark_if(is_wrapped, rules::SEGMENT_WRAPPED, "length", 5..9);
        // A reader that takes 0 for the length takes the sub-records for records, and the file ends inside one of them.
        marks.mark_if(segment.length == SegmentLength::Unpatched, rules::FILE_TRUNCATED, "length", 5..9);
        marks.mark_if(segment.stated >> 31 == 1, rules::RECORD_LENGTH_UNSIGNED, "length", 5..9);
        if self.heaps.segment(segment) {
            marks.mark_if(segment.time != 0, rules::RECORD_TIME, "time", 1..5);
            if self.heaps.counter.heap() > 0 {
                marks.mark(rules::HEAP_SEVERAL, "tag", all.clone());
                // A HEAP DUMP says by itself that the heap before it is over, or that it was over with it.
                marks.mark_if(!is_segment || self.end.is_none(), rules::HEAP_EXTENT, "tag", all);
            }
            self.report_heap_extent();
            if was_open {
                (self.ended, self.end) = (Some(at.index), None);
            }
            self.begin_heap(segment.time);
        } else {
            marks.mark_if(segment.time != self.heap.time, rules::RECORD_TIME, "time", 1..5);
            if let Some(between) = self.between {
                self.report(between, rules::RECORD_ORDER, HEAD as u64);
            }
        }
        self.between = None;
        self.heap.segments += 1;
        self.heap.part.1 = false;
        self.next = at.index + 1;
        marks.report(here, &[None], self.found);
    }

    /// Reports that a record follows a HEAP DUMP END: it does not belong to that heap.
    fn report_heap_extent(&mut self) {
        if let Some(end) = self.end.filter(|_| !mem::replace(&mut self.is_end_told, true)) {
            self.report(end, rules::HEAP_EXTENT, HEAD as u64);
        }
    }

    /// A heap begins.
    fn begin_heap(&mut self, time: u32) {
        let classes = self.index.heaps.get(self.heaps.counter.heap()).map_or(&[][..], |heap| &heap.classes);
        self.heap = HeapState { time, ..HeapState::from_classes(classes) };
    }

    /// A HEAP DUMP END.
    pub(super) fn end_heap(&mut self, here: RecordStart, time: u32, marks: &mut RecordMarks) {
        if self.heaps.counter.end_heap() {
            marks.mark(rules::SEGMENT_SERIES, "tag", 0..HEAD as u64);
            marks.mark_if(time != self.heap.time, rules::RECORD_TIME, "time", 1..5);
            (self.ended, self.end, self.is_end_told) = (here.record, Some(here), false);
            self.between = None;
        }
    }

    /// A class or object comes; whether an earlier heap has one of this address.
    pub(super) fn record_entry(&mut self, address: Address) -> bool {
        self.heap.seen.insert(address.0);
        let heap = self.heaps.counter.heap();
        let several = self.survey.heaps.len() > 1;
        let before = if several { self.met.insert(address, heap) } else { None };
        before.is_some_and(|before| before != heap)
    }

    /// Whether the segment is not the first of its heap.
    pub(super) fn is_later_segment(&self) -> bool {
        self.heap.segments > 1
    }

    /// Whether something of the heap is still to come.
    pub(super) fn is_due(&self, address: Address) -> bool {
        let heap = self.survey.heaps.get(self.heaps.counter.heap());
        heap.is_some_and(|heap| heap.addresses.has(address.0)) && !self.heap.seen.has(address.0)
    }

    /// Contents, of which more may come.
    pub(super) fn begin_contents(&mut self, at: &RecordSlice<'_>, contents: PieceContents, about: &[Option<Address>]) {
        self.pending = (at.rest > 0).then(|| (contents, about.to_vec()));
    }

    fn add_piece(&mut self, at: &RecordSlice<'_>) {
        let Some((contents, about)) = self.pending.take() else { return };
        let mut marks = RecordMarks::default();
        contents.mark(self.id, at.bytes, 0, &mut marks);
        marks.report(record_start(at), &about, self.found);
        self.begin_contents(at, contents, &about);
    }
}

impl HeapState {
    fn from_classes(classes: &[Class]) -> HeapState {
        let mut heap = HeapState::default();
        let mut by_name: HashMap<&[u8], Address> = HashMap::default();
        for class in classes {
            let name = class.name.as_bytes();
            if matches!(name, b"java/lang/Class" | b"java.lang.Class") {
                heap.mirrors.insert(class.address);
            }
            let is_array = |kind: &PrimitiveType| match name {
                [b'[', letter] => *letter == kind.signature() as u8,
                _ => name.strip_suffix(b"[]") == Some(kind.keyword().as_bytes()),
            };
            PrimitiveType::ALL
                .iter()
                .filter(|kind| is_array(kind))
                .for_each(|kind| heap.array_classes[*kind as usize] = true);
            if !name.is_empty()
                && let Some(other) = by_name.insert(name, class.address).filter(|other| *other != class.address)
            {
                heap.namesakes.extend([class.address, other]);
            }
        }
        heap
    }
}

/// The place of a record.
pub(super) fn record_start(at: &RecordSlice<'_>) -> RecordStart {
    RecordStart { offset: at.offset, record: Some(at.index) }
}
