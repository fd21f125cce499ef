//! The rules that sub-records rely on.

use std::ops::Range;

use foldhash::HashSet;

use crate::bytes::FieldSpan;
use crate::error::RuleId;
use crate::hprof::annotate::sub_record_spans;
use crate::hprof::decode::RecordSlice;
use crate::hprof::rules;
use crate::hprof::sub_record::{ArrayHead, ClassDump, InstanceDump, ObjectArrayDump, RootRecord, SubRecord};
use crate::model::{Address, RootKind, TextId, Value};

use super::contents::{self, PieceContents};
use super::fields;
use super::marks::{RecordMarks, RecordStart};
use super::pass::{DependencyPass, record_start};

/// A sub-record on its way.
struct MarkedSubRecord<'r> {
    at: RecordSlice<'r>,
    here: RecordStart,
    spans: &'r [FieldSpan],
    marks: RecordMarks,
}

impl MarkedSubRecord<'_> {
    /// Marks a field by its name.
    fn mark_if(&mut self, holds: bool, rule: RuleId, field: &'static str) {
        if holds && let Some(span) = self.spans.iter().find(|span| span.name == field) {
            self.marks.mark(rule, field, range(span));
        }
    }
}

fn range(span: &FieldSpan) -> Range<u64> {
    span.at.start as u64..span.at.end as u64
}

impl DependencyPass<'_> {
    pub(super) fn sub_record(&mut self, at: &RecordSlice<'_>, sub_record: &SubRecord<'_>) {
        let spans = sub_record_spans(at.bytes, self.id);
        let mut open =
            MarkedSubRecord { at: *at, here: record_start(at), spans: &spans, marks: RecordMarks::default() };
        let end = at.bytes.len() as u64 + at.rest;
        layout_of(sub_record).into_iter().for_each(|rule| open.marks.mark(rule, "sub-record", 0..end));
        spans.iter().for_each(|span| fields::mark(span, at.bytes, &mut open.marks));
        open.marks.mark_if(self.is_later_segment(), rules::SEGMENT_SERIES, "sub-record tag", 0..1);
        self.part(&open, sub_record);
        let address = sub_record.address();
        if let Some(address) = address {
            let is_met = self.record_entry(address);
            open.mark_if(is_met, rules::HEAP_SEVERAL, spans.get(1).map_or("", |span| span.name));
        }
        match sub_record {
            SubRecord::Root(root) => self.root(&mut open, root),
            SubRecord::Class(class) => self.class(&mut open, class),
            SubRecord::Instance(instance) => self.instance(&mut open, instance),
            SubRecord::ObjectArray(array) => self.object_array(&mut open, array),
            SubRecord::PrimitiveArray(array) => {
                self.primitive_array(&mut open, &array.head);
                self.mark_contents(&mut open, PieceContents::Primitives(array.head.element), "elements", address);
            }
            SubRecord::NoDataArray(head) => self.primitive_array(&mut open, head),
            SubRecord::HeapInfo(_, name) => {
                open.mark_if(self.is_kept_text(*name), rules::TABLES_KEPT, "heap name string id");
            }
            SubRecord::Flat(..) => {}
        }
        open.marks.report(open.here, &[address], self.found);
    }

    /// The part of the heap: at the start of each dump record it is none.
    fn part(&mut self, open: &MarkedSubRecord<'_>, sub_record: &SubRecord<'_>) {
        let none = (0, TextId(0));
        match sub_record {
            SubRecord::HeapInfo(number, name) => self.heap.part = ((*number, *name), true),
            SubRecord::Flat(..) => {}
            _ => {
                let (part, is_stated) = self.heap.part;
                if !is_stated && part != none {
                    self.report(open.here, rules::ANDROID_HEAP_INFO, 1);
                }
                self.heap.part = (if is_stated { part } else { none }, true);
            }
        }
    }

    fn root(&mut self, open: &mut MarkedSubRecord<'_>, root: &RootRecord) {
        let tag = root.tag();
        open.mark_if((1..=7).contains(&tag.0), rules::SUB_RECORD_NAMESPACE, "sub-record tag");
        open.mark_if(root.object.is_null(), rules::ID_NONE, "object id");
        open.mark_if(self.is_due(root.object), rules::SUB_RECORD_ORDER, "object id");
        open.mark_if(!self.heap.roots.insert(root.object.0), rules::ROOT_REPEATED, "object id");
        let heap = self.survey.heaps.get(self.heaps.counter.heap());
        let is_class = heap.is_some_and(|heap| heap.classes.contains_key(&root.object));
        open.mark_if(is_class, rules::CLASS_OBJECT, "object id");
        match root.kind {
            RootKind::JniGlobal(reference) => {
                open.mark_if(reference != root.object, rules::ROOT_JNI_GLOBAL, "JNI global reference id");
            }
            RootKind::ThreadObject(thread, _) => {
                open.mark_if(true, rules::THREAD_SERIALS, "thread serial number");
                open.mark_if(true, rules::THREAD_SERIALS, "stack trace serial number");
                let is_again =
                    heap.and_then(|heap| heap.threads.get(&thread)).is_some_and(|&first| first < open.at.index);
                for field in ["object id", "thread serial number", "stack trace serial number"] {
                    open.mark_if(is_again, rules::THREAD_REPEATED, field);
                    open.mark_if(self.tables.threads.contains(&thread), rules::THREAD_RECORD_AND_ROOT, field);
                }
            }
            kind => {
                let thread = kind.thread().and_then(|thread| heap?.threads.get(&thread));
                let is_due = thread.is_some_and(|&index| index > open.at.index);
                open.mark_if(is_due, rules::SUB_RECORD_ORDER, "thread serial number");
            }
        }
    }

    fn class(&mut self, open: &mut MarkedSubRecord<'_>, class: &ClassDump) {
        open.mark_if(class.superclass.is_null(), rules::CLASS_SUPERCLASS_NONE, "super class object id");
        open.mark_if(self.heap.namesakes.contains(&class.id), rules::NAME_REPEATED, "class object id");
        open.mark_if(self.is_kept(self.tables.loads.get(&class.id)), rules::TABLES_KEPT, "class object id");
        let heap = self.index.heaps.get(self.heaps.counter.heap());
        let bytes = heap.and_then(|heap| heap.layouts.instance_bytes(class.id));
        let differs = bytes.is_some_and(|bytes| bytes != u64::from(class.instance_size));
        open.mark_if(differs, rules::CLASS_INSTANCE_SIZE_MEANING, "instance size");
        self.tables.dumped.entry(class.id).or_insert(open.at.index);
        self.field_names(open, class);
        let values = class.constant_pool.iter().map(|(_, value)| *value);
        self.values(open, "value of entry", values);
        self.values(open, "value of field", class.statics.iter().map(|(_, value)| *value));
    }

    /// The names of a class's fields, of static ones and others apart.
    fn field_names(&self, open: &mut MarkedSubRecord<'_>, class: &ClassDump) {
        let statics: (_, Vec<TextId>) =
            ("static field name string id", class.statics.iter().map(|(name, _)| *name).collect());
        let own = ("field name string id", class.fields.iter().map(|(name, _)| *name).collect());
        for (field, names) in [statics, own] {
            let mut known = HashSet::default();
            let places = open.spans.iter().filter(|span| span.name == field);
            for (name, span) in names.into_iter().zip(places) {
                open.marks.mark_if(!known.insert(name), rules::NAME_REPEATED, field, range(span));
                open.marks.mark_if(self.is_kept_text(name), rules::TABLES_KEPT, field, range(span));
            }
        }
    }

    fn values(&self, open: &mut MarkedSubRecord<'_>, field: &'static str, values: impl Iterator<Item = Value>) {
        let places = open.spans.iter().filter(|span| span.name == field);
        for (value, span) in values.zip(places) {
            contents::value(field, value, range(span), self.id, &mut open.marks);
        }
    }

    fn instance(&mut self, open: &mut MarkedSubRecord<'_>, instance: &InstanceDump<'_>) {
        let is_due = self.class_place(instance.class).is_some_and(|(_, complete)| complete > open.at.index);
        open.mark_if(is_due, rules::SUB_RECORD_ORDER, "class object id");
        open.mark_if(self.heap.mirrors.contains(&instance.class), rules::CLASS_OBJECT, "class object id");
        let heap = self.index.heaps.get(self.heaps.counter.heap());
        let span = open.spans.iter().find(|span| span.name == "field values");
        // Instances of more than 256 KiB, of as many fields, are left out.
        if let (Some(heap), Some(span), 0) = (heap, span, open.at.rest) {
            contents::instance(instance, &heap.layouts, range(span), self.id, &mut open.marks);
        }
    }

    fn object_array(&mut self, open: &mut MarkedSubRecord<'_>, array: &ObjectArrayDump<'_>) {
        let is_due = self.class_place(array.class).is_some_and(|(index, _)| index > open.at.index);
        open.mark_if(is_due, rules::SUB_RECORD_ORDER, "array class object id");
        open.mark_if(true, rules::OBJECT_ARRAY_CLASS, "array class object id");
        self.mark_contents(open, PieceContents::Elements, "element", Some(array.id));
    }

    fn primitive_array(&mut self, open: &mut MarkedSubRecord<'_>, head: &ArrayHead) {
        let has_class = self.heap.array_classes[head.element as usize];
        open.mark_if(!has_class, rules::PRIMITIVE_ARRAY_CLASS, "element type");
    }

    /// Contents begin, of which more may come.
    fn mark_contents(
        &mut self,
        open: &mut MarkedSubRecord<'_>,
        contents: PieceContents,
        field: &str,
        of: Option<Address>,
    ) {
        if let Some(span) = open.spans.iter().find(|span| span.name == field) {
            contents.mark(self.id, &open.at.bytes[span.at.clone()], span.at.start as u64, &mut open.marks);
        }
        self.begin_contents(&open.at, contents, &[of]);
    }

    /// The places of a class of this heap: its own, and the last one among its own and its superclasses'.
    fn class_place(&self, class: Address) -> Option<(u64, u64)> {
        let heap = self.survey.heaps.get(self.heaps.counter.heap())?;
        heap.classes.get(&class).map(|place| (place.index, place.complete))
    }
}

/// The rule of a sub-record's layout.
fn layout_of(sub_record: &SubRecord<'_>) -> Option<RuleId> {
    Some(match sub_record {
        SubRecord::Root(root) if root.tag().is_android() => rules::ANDROID_ROOTS,
        SubRecord::Root(_) => rules::ROOT_LAYOUT,
        SubRecord::Class(_) => rules::CLASS_LAYOUT,
        SubRecord::Instance(_) => rules::INSTANCE_LAYOUT,
        SubRecord::ObjectArray(_) => rules::OBJECT_ARRAY_LAYOUT,
        SubRecord::PrimitiveArray(_) => rules::PRIMITIVE_ARRAY_LAYOUT,
        SubRecord::NoDataArray(_) => rules::ANDROID_NO_DATA_ARRAY,
        SubRecord::HeapInfo(..) => rules::ANDROID_HEAP_INFO,
        SubRecord::Flat(..) => return None,
    })
}
