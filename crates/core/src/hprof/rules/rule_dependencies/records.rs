//! The rules that records outside of the heap rely on.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::annotation::spans;
use crate::bytes::FieldSpan;
use crate::error::RuleId;
use crate::family::Reliance;
use crate::hprof::decode::{self, Decoder, RecordSlice};
use crate::hprof::record::{Record, RecordBody};
use crate::hprof::rules;
use crate::hprof::wire::{HEAD, RecordTag};
use crate::input::InputStream;
use crate::model::{Address, AllocationSites, Frame, FrameId, LoadClass, TextId, Trace};

use super::contents::PieceContents;
use super::marks::{RecordMarks, RecordStart};
use super::pass::{DependencyPass, record_start};
use super::{fields, survey::TextUse};

/// A record on its way.
struct MarkedRecord<'r> {
    at: RecordSlice<'r>,
    here: RecordStart,
    spans: Vec<FieldSpan>,
    marks: RecordMarks,
}

impl MarkedRecord<'_> {
    /// Marks a field by its name.
    fn mark(&mut self, rule: RuleId, field: &'static str) {
        for span in self.spans.iter().filter(|span| span.name == field) {
            self.marks.mark(rule, field, span.at.start as u64..span.at.end as u64);
        }
    }

    fn mark_if(&mut self, holds: bool, rule: RuleId, field: &'static str) {
        if holds {
            self.mark(rule, field);
        }
    }

    /// Marks all of the record.
    fn mark_all(&mut self, rule: RuleId) {
        let end = self.at.bytes.len() as u64 + self.at.rest;
        self.marks.mark(rule, "record", 0..end);
    }
}

impl DependencyPass<'_> {
    pub(super) fn record(&mut self, at: &RecordSlice<'_>, record: &Record<'_>) {
        let (id, length) = (self.id, at.bytes.len() as u64 + at.rest);
        let spans = spans(at.bytes, |cursor| decode::record(cursor, id, length).map(|_| ()));
        let mut open = MarkedRecord { at: *at, here: record_start(at), spans, marks: RecordMarks::default() };
        open.marks.mark(rules::RECORD_LAYOUT, "head", 0..HEAD as u64);
        open.mark_if(record.time != 0 && record.body != RecordBody::End, rules::RECORD_TIME, "time");
        open.spans.iter().for_each(|span| fields::mark(span, at.bytes, &mut open.marks));
        match layout_of(record.tag()) {
            Some(rule) => open.mark_all(rule),
            None if record.body != RecordBody::End => open.mark_all(rules::RECORD_SKIP),
            None => {}
        }
        let about = match &record.body {
            RecordBody::Text(id, text) => return self.text(open, *id, text),
            RecordBody::LoadClass(load) => self.load(&mut open, load),
            RecordBody::UnloadClass(serial) => self.index.log.class(self.heaps.counter.heap(), *serial),
            RecordBody::Frame(frame) => self.frame(&mut open, frame),
            RecordBody::Trace(trace) => self.trace(&mut open, trace),
            RecordBody::StartThread(thread) => {
                if !self.tables.threads.insert(thread.serial) {
                    open.mark_all(rules::THREAD_REPEATED);
                }
                self.names(&mut open, &[(thread.name, "thread name string id")])
            }
            RecordBody::AllocSites(sites) => mark_site_meaning(&mut open, sites),
            RecordBody::End => self.dump_end(&mut open, record.time),
            _ => None,
        };
        open.marks.report(open.here, &[about], self.found);
    }

    fn dump_end(&mut self, open: &mut MarkedRecord<'_>, time: u32) -> Option<Address> {
        self.end_heap(open.here, time, &mut open.marks);
        None
    }

    /// A string is about the classes that it names, whose own names or fields' they may be.
    fn text(&mut self, mut open: MarkedRecord<'_>, id: TextId, text: &[u8]) {
        let (uses, here, length) = (self.survey.uses(id), open.here, open.at.bytes.len() as u64 + open.at.rest);
        let contents = HEAD as u64 + self.id.bytes() as u64;
        PieceContents::Text.mark(self.id, text, contents, &mut open.marks);
        let twin = self.survey.frames.contains(&FrameId(id.0)) || self.survey.addresses.has(id.0);
        open.mark_if(twin, rules::ID_NAMESPACES, "string id");
        let mut digest = DefaultHasher::new();
        (text, open.at.rest).hash(&mut digest);
        let given = (digest.finish(), open.at.index);
        let before = self.tables.texts.insert(id, given);
        open.mark_if(before.is_some_and(|(before, _)| before != given.0), rules::TEXT_DUPLICATE_ID, "string id");
        // What is named before it is given is given too late for some; what stands twice was not too late.
        let late = |user: &&TextUse| before.is_none() && user.index < open.at.index;
        for user in uses.iter().filter(late) {
            (self.found)(here.reliance(rules::RECORD_ORDER, 0..length, user.class));
            if self.is_kept(Some(&user.index)) {
                (self.found)(here.reliance(rules::TABLES_KEPT, 0..length, user.class));
            }
        }
        let has_form = has_form(text);
        for user in uses.iter().filter(|user| user.is_class_name && has_form) {
            (self.found)(here.reliance(rules::NAME_FORMS, contents..length, user.class));
        }
        let mut about: Vec<Option<Address>> = uses.iter().map(|user| user.class).collect();
        about.sort_unstable();
        about.dedup();
        let about = if about.is_empty() { vec![None] } else { about };
        self.begin_contents(&open.at, PieceContents::Text, &about);
        open.marks.report(here, &about, self.found);
    }

    fn load(&mut self, open: &mut MarkedRecord<'_>, load: &LoadClass) -> Option<Address> {
        open.mark_if(load.serial.0 >> 31 == 1, rules::CLASS_SERIAL_ZERO, "class serial number");
        let dumped = self.tables.dumped.get(&load.class).copied();
        match self.tables.loads.insert(load.class, open.at.index) {
            Some(_) => open.mark_all(rules::LOAD_CLASS_LAST_WINS),
            None if dumped.is_some() => {
                open.mark_all(rules::RECORD_ORDER);
                if self.is_kept(dumped.as_ref()) {
                    open.mark_all(rules::TABLES_KEPT);
                }
            }
            None => {}
        }
        self.tables.serials.insert(load.serial);
        if self.tables.serials_due.remove(&load.serial) {
            open.mark_all(rules::RECORD_ORDER);
        }
        self.names(open, &[(load.name, "class name string id")]);
        Some(load.class)
    }

    fn frame(&mut self, open: &mut MarkedRecord<'_>, frame: &Frame) -> Option<Address> {
        let twin = self.survey.texts.contains(&TextId(frame.id.0)) || self.survey.addresses.has(frame.id.0);
        open.mark_if(twin, rules::ID_NAMESPACES, "stack frame id");
        if self.tables.frames.insert(frame.id, open.at.index).is_some() {
            open.mark_all(rules::FRAME_REPEATED);
        }
        if self.tables.frames_due.remove(&frame.id) {
            open.mark_all(rules::RECORD_ORDER);
        }
        if !self.tables.serials.contains(&frame.class) {
            self.tables.serials_due.insert(frame.class);
        }
        let names = [
            (frame.method, "method name string id"),
            (frame.signature, "method signature string id"),
            (frame.source, "source file name string id"),
        ];
        self.names(open, &names)
    }

    fn trace(&mut self, open: &mut MarkedRecord<'_>, trace: &Trace) -> Option<Address> {
        let is_again = !self.tables.traces.insert(trace.serial);
        open.mark_if(is_again, rules::TRACE_ORDER, "stack trace serial number");
        if is_again {
            open.mark_all(rules::TRACE_REPEATED);
        }
        open.mark_if(trace.frames.is_empty(), rules::TRACE_ORDER, "number of frames");
        let is_turned = !trace.frames.iter().eq(trace.frames.iter().rev());
        open.mark_if(is_turned, rules::TRACE_ORDER, "stack frame id");
        let is_kept = trace.frames.iter().any(|frame| self.is_kept(self.tables.frames.get(frame)));
        open.mark_if(is_kept, rules::TABLES_KEPT, "stack frame id");
        let due = trace.frames.iter().filter(|frame| !self.tables.frames.contains_key(frame));
        self.tables.frames_due.extend(due);
        None
    }

    /// Marks the names whose strings stand before the end of the last heap.
    fn names(&self, open: &mut MarkedRecord<'_>, names: &[(TextId, &'static str)]) -> Option<Address> {
        for (text, field) in names {
            open.mark_if(self.is_kept_text(*text), rules::TABLES_KEPT, field);
        }
        None
    }

    /// Whether a string stands before the end of the last heap and not after it.
    pub(super) fn is_kept_text(&self, text: TextId) -> bool {
        self.is_kept(self.tables.texts.get(&text).map(|(_, index)| index))
    }
}

/// Flags, a ratio and type codes that are not 0.
fn mark_site_meaning(open: &mut MarkedRecord<'_>, sites: &AllocationSites) -> Option<Address> {
    open.mark_if(sites.flags & 7 != 0, rules::SITES_MEANING, "flags");
    open.mark_if(sites.cutoff != 0, rules::SITES_MEANING, "cutoff ratio");
    open.mark_if(sites.sites.iter().any(|site| site.array != 0), rules::SITES_MEANING, "array indicator");
    None
}

/// Whether the name of a class has another spelling in the other form.
fn has_form(name: &[u8]) -> bool {
    name.starts_with(b"[") || name.ends_with(b"[]") || name.iter().any(|byte| matches!(byte, b'/' | b'.'))
}

/// The layout rule of a record whose length cuts its fields, at which a decoder stopped.
pub(super) fn cut_record_reliance(decoder: &Decoder<InputStream>, record: Option<u64>) -> Option<Reliance> {
    let (offset, bytes) = decoder.at_hand();
    let rule = layout_of(RecordTag(*bytes.first()?))?;
    Some(RecordStart { offset, record }.reliance(rule, 0..HEAD as u64, None))
}

/// The rule of a record's layout, if it has fields.
fn layout_of(tag: RecordTag) -> Option<RuleId> {
    Some(match tag {
        RecordTag::STRING_IN_UTF8 => rules::TEXT_LAYOUT,
        RecordTag::LOAD_CLASS => rules::LOAD_CLASS_LAYOUT,
        RecordTag::UNLOAD_CLASS => rules::UNLOAD_CLASS_LAYOUT,
        RecordTag::STACK_FRAME => rules::FRAME_LAYOUT,
        RecordTag::STACK_TRACE => rules::TRACE_LAYOUT,
        RecordTag::ALLOC_SITES => rules::SITES_LAYOUT,
        RecordTag::HEAP_SUMMARY => rules::SUMMARY_LAYOUT,
        RecordTag::START_THREAD => rules::START_THREAD_LAYOUT,
        RecordTag::END_THREAD => rules::END_THREAD_LAYOUT,
        RecordTag::CPU_SAMPLES => rules::SAMPLES_LAYOUT,
        RecordTag::CONTROL_SETTINGS => rules::CONTROL_LAYOUT,
        _ => return None,
    })
}
