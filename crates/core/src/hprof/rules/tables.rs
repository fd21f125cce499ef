//! The rules of the whole file: strings, loaded classes, frames, traces and threads, and the records that name them.

use std::collections::hash_map::Entry;
use std::fmt;

use foldhash::{HashMap, HashSet};

use crate::error::RuleId;
use crate::findings::Findings;
use crate::hprof::decode::RecordSlice;
use crate::hprof::record::{Record, RecordBody};
use crate::hprof::sub_record::ClassDump;
use crate::model::{Address, FrameId, RootKind, Serial, TextId};

use super::FindingPlace;

/// The identifiers and serial numbers that the records of a file give.
#[derive(Debug, Default)]
pub(super) struct FileTables {
    /// Strings, and whether each could be the name of an array's class.
    texts: HashMap<TextId, bool>,
    /// Classes, and the names that they were loaded with.
    loads: HashMap<Address, TextId>,
    serials: HashSet<Serial>,
    frames: HashSet<FrameId>,
    traces: HashSet<Serial>,
    threads: HashSet<Serial>,
    /// Classes that any heap has.
    dumped: HashSet<Address>,
    /// The trace that was asked for last: thousands of objects name the same.
    last_trace: Serial,
}

impl FileTables {
    /// First pass: takes a record in.
    pub(super) fn insert_record(&mut self, at: &RecordSlice<'_>, record: &Record<'_>, findings: &mut Findings) {
        match &record.body {
            RecordBody::Text(id, text) => {
                // A string that comes in pieces is longer than any class's name.
                let array = text.starts_with(b"[") || text.ends_with(b"[]") || at.rest > 0;
                match self.texts.entry(*id) {
                    Entry::Vacant(entry) => *entry.insert(array),
                    Entry::Occupied(mut entry) => {
                        FindingPlace::from_slice(at).report(findings, super::TEXT_DUPLICATE_ID, || {
                            let found = format!("{:#x} again; the last one counts", id.0);
                            ("an identifier that no other string has".to_owned(), found)
                        });
                        entry.insert(array)
                    }
                };
            }
            RecordBody::LoadClass(load) => {
                self.loads.insert(load.class, load.name);
                self.serials.insert(load.serial);
            }
            RecordBody::Frame(frame) => {
                self.frames.insert(frame.id);
            }
            RecordBody::Trace(trace) => {
                self.traces.insert(trace.serial);
            }
            RecordBody::StartThread(thread) => {
                self.threads.insert(thread.serial);
            }
            _ => {}
        }
    }

    /// About how many bytes the tables take, while they grow.
    #[inline]
    pub(super) fn held(&self) -> u64 {
        let numbers = self.serials.len() + self.traces.len() + self.threads.len();
        let identifiers = self.frames.len() + self.dumped.len() + 2 * (self.texts.len() + self.loads.len());
        4 * (numbers * size_of::<Serial>() + identifiers * size_of::<TextId>()) as u64
    }

    /// First pass: takes a class in.
    pub(super) fn insert_class(&mut self, class: Address) {
        self.dumped.insert(class);
    }

    /// First pass: takes a root in.
    pub(super) fn insert_root(&mut self, kind: RootKind) {
        if let RootKind::ThreadObject(thread, _) = kind {
            self.threads.insert(thread);
        }
    }

    /// Second pass: judges a record.
    pub(super) fn judge(&mut self, place: FindingPlace, record: &Record<'_>, findings: &mut Findings) {
        match &record.body {
            RecordBody::LoadClass(load) => {
                if !self.dumped.contains(&load.class) {
                    place.report(findings, super::LOAD_CLASS_NO_DUMP, || {
                        ("a CLASS DUMP of every class that is loaded".to_owned(), format!("none of {}", load.class))
                    });
                }
                self.texts(place, [load.name].into_iter(), findings);
                self.traces(place, [load.trace].into_iter(), findings);
            }
            RecordBody::UnloadClass(serial) => self.classes(place, [*serial].into_iter(), findings),
            RecordBody::Frame(frame) => {
                self.texts(place, [frame.method, frame.signature].into_iter(), findings);
                self.classes(place, [frame.class].into_iter(), findings);
            }
            RecordBody::Trace(trace) => {
                let unknown =
                    UnknownReferences::count_unknown(trace.frames.iter().copied(), |id| self.frames.contains(id));
                unknown.report(place, super::FRAME_UNKNOWN_ID, "identifiers of STACK FRAMEs of the file", findings);
            }
            RecordBody::StartThread(thread) => {
                self.texts(place, [thread.name, thread.group, thread.parent_group].into_iter(), findings);
                self.traces(place, [thread.trace].into_iter(), findings);
            }
            RecordBody::AllocSites(sites) => {
                // A class that is being loaded has no serial number yet.
                let classes = sites.sites.iter().map(|site| site.class).filter(|serial| serial.0 != 0);
                self.classes(place, classes, findings);
                self.traces(place, sites.sites.iter().map(|site| site.trace), findings);
            }
            RecordBody::CpuSamples(samples) => {
                self.traces(place, samples.traces.iter().map(|(_, trace)| *trace), findings)
            }
            RecordBody::Text(..)
            | RecordBody::EndThread(_)
            | RecordBody::HeapSummary(_)
            | RecordBody::ControlSettings(_)
            | RecordBody::End
            | RecordBody::Unknown(..) => {}
        }
    }

    /// Second pass: judges what a class names outside of its heap.
    pub(super) fn class(&mut self, place: FindingPlace, class: &ClassDump, findings: &mut Findings) {
        if !self.loads.contains_key(&class.id) {
            place.report(findings, super::CLASS_NO_LOAD, || {
                (
                    "a LOAD CLASS for every CLASS DUMP, which gives it a name".to_owned(),
                    format!("none for {}", class.id),
                )
            });
        }
        let names = class.statics.iter().map(|(name, _)| *name).chain(class.fields.iter().map(|(name, _)| *name));
        self.texts(place, names, findings);
        self.trace(place, class.trace, findings);
    }

    /// Second pass: judges what a root names outside of its heap.
    pub(super) fn root(&mut self, place: FindingPlace, kind: RootKind, findings: &mut Findings) {
        if let RootKind::ThreadObject(_, trace) = kind {
            return self.trace(place, trace, findings);
        }
        let Some(thread) = kind.thread() else { return };
        let unknown = UnknownReferences::count_unknown([thread].into_iter(), |serial| self.threads.contains(serial));
        let expected = "the serial number of a START THREAD or ROOT THREAD OBJECT";
        unknown.report(place, super::THREAD_UNKNOWN_SERIAL, expected, findings);
    }

    /// Second pass: judges the stack trace of an object or class.
    #[inline]
    pub(super) fn trace(&mut self, place: FindingPlace, trace: Serial, findings: &mut Findings) {
        if trace == self.last_trace || trace.0 == 0 {
            return;
        }
        if self.traces.contains(&trace) {
            self.last_trace = trace;
        } else {
            self.traces(place, [trace].into_iter(), findings);
        }
    }

    /// Second pass: judges names.
    pub(super) fn texts(&self, place: FindingPlace, names: impl Iterator<Item = TextId>, findings: &mut Findings) {
        let unknown = UnknownReferences::count_unknown(names, |id| id.0 == 0 || self.texts.contains_key(id));
        unknown.report(place, super::TEXT_UNKNOWN_ID, "identifiers of strings of the file, or 0", findings);
    }

    /// Whether a class has the name of an array's class; `None` if it has no name.
    pub(super) fn is_array(&self, class: Address) -> Option<bool> {
        self.texts.get(self.loads.get(&class)?).copied()
    }

    fn traces(&self, place: FindingPlace, traces: impl Iterator<Item = Serial>, findings: &mut Findings) {
        let unknown = UnknownReferences::count_unknown(traces, |serial| serial.0 == 0 || self.traces.contains(serial));
        unknown.report(
            place,
            super::TRACE_UNKNOWN_SERIAL,
            "serial numbers of STACK TRACEs of the file, or 0",
            findings,
        );
    }

    fn classes(&self, place: FindingPlace, serials: impl Iterator<Item = Serial>, findings: &mut Findings) {
        let unknown = UnknownReferences::count_unknown(serials, |serial| self.serials.contains(serial));
        unknown.report(place, super::CLASS_UNKNOWN_SERIAL, "serial numbers of classes that were loaded", findings);
    }
}

/// The names in a record, and how many of them are unknown.
struct UnknownReferences<T> {
    total: usize,
    unknown: usize,
    first: Option<T>,
}

impl<T> UnknownReferences<T> {
    fn count_unknown(items: impl Iterator<Item = T>, is_known: impl Fn(&T) -> bool) -> UnknownReferences<T> {
        let mut found = UnknownReferences { total: 0, unknown: 0, first: None };
        for item in items {
            found.total += 1;
            if !is_known(&item) {
                found.unknown += 1;
                found.first.get_or_insert(item);
            }
        }
        found
    }
}

impl<T: ShowIdentifier> UnknownReferences<T> {
    fn report(self, place: FindingPlace, rule: RuleId, expected: &str, findings: &mut Findings) {
        let Some(first) = self.first else { return };
        place.report(findings, rule, || {
            let mut found = String::new();
            // Writing to a string does not fail.
            let _ = first.show(&mut found);
            if self.total > 1 {
                found = format!("{} of {} that are not, the first {found}", self.unknown, self.total);
            }
            (expected.to_owned(), found)
        });
    }
}

/// Identifiers are shown as the bytes have them, serial numbers as numbers.
trait ShowIdentifier {
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result;
}

impl ShowIdentifier for TextId {
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{:#x}", self.0)
    }
}

impl ShowIdentifier for FrameId {
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{:#x}", self.0)
    }
}

impl ShowIdentifier for Serial {
    fn show(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}
