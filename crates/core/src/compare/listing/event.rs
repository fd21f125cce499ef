//! The lines of the process's log.

use serde::{Deserialize, Serialize};

use crate::model::{
    AllocationSites, ControlSettings, CpuSamples, Event, EventKind, Frame, HeapSummary, LoadClass, Name, Serial,
    StartThread, TextId, Trace,
};

use super::Keyed;

/// An entry of the process's log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(bound(deserialize = "'e: 'static"))]
pub struct EventLine<'e> {
    /// How many classes and objects stand before it in the file.
    after: u64,
    /// Microseconds since the time stamp, modulo 2^32.
    time: u32,
    /// What happened.
    #[serde(flatten)]
    what: EventItem<'e>,
}

/// What an entry of the log says, by its key `event`. Texts, frames, classes and traces are named by the
/// identifiers and serial numbers of the dump.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case", bound(deserialize = "'e: 'static"))]
pub enum EventItem<'e> {
    /// A string that later entries name.
    Text(Keyed<'e, (TextId, Name)>),
    /// A class was loaded.
    LoadClass(Keyed<'e, LoadClass>),
    /// A class was unloaded.
    UnloadClass(Keyed<'e, Serial, 0>),
    /// A stack frame that later traces name.
    Frame(Keyed<'e, Frame>),
    /// A stack trace.
    Trace(Keyed<'e, Trace>),
    /// Allocation sites.
    AllocationSites(Keyed<'e, AllocationSites>),
    /// Totals of the heap.
    HeapSummary(Keyed<'e, HeapSummary>),
    /// A thread started.
    StartThread(Keyed<'e, StartThread>),
    /// A thread ended.
    EndThread(Keyed<'e, Serial, 1>),
    /// CPU samples.
    CpuSamples(Keyed<'e, CpuSamples>),
    /// Settings of the profiler.
    ControlSettings(Keyed<'e, ControlSettings>),
    /// A record with a tag that no document lists.
    Unknown(Keyed<'e, (u8, Vec<u8>)>),
}

impl<'e> From<&'e Event> for EventLine<'e> {
    fn from(event: &'e Event) -> EventLine<'e> {
        EventLine { after: event.after, time: event.time, what: (&event.kind).into() }
    }
}

impl From<EventLine<'static>> for Event {
    fn from(line: EventLine<'static>) -> Event {
        Event::new(line.time, line.after, line.what.into())
    }
}

impl<'e> From<&'e EventKind> for EventItem<'e> {
    fn from(kind: &'e EventKind) -> EventItem<'e> {
        match kind {
            EventKind::Text(id, text) => EventItem::Text(Keyed::from_entry((*id, text.clone()))),
            EventKind::LoadClass(load) => EventItem::LoadClass(Keyed::without_place(load)),
            EventKind::UnloadClass(serial) => EventItem::UnloadClass(Keyed::from_entry(*serial)),
            EventKind::Frame(frame) => EventItem::Frame(Keyed::without_place(frame)),
            EventKind::Trace(trace) => EventItem::Trace(Keyed::without_place(trace)),
            EventKind::AllocationSites(sites) => EventItem::AllocationSites(Keyed::without_place(sites)),
            EventKind::HeapSummary(totals) => EventItem::HeapSummary(Keyed::without_place(totals)),
            EventKind::StartThread(thread) => EventItem::StartThread(Keyed::without_place(thread)),
            EventKind::EndThread(serial) => EventItem::EndThread(Keyed::from_entry(*serial)),
            EventKind::CpuSamples(samples) => EventItem::CpuSamples(Keyed::without_place(samples)),
            EventKind::ControlSettings(settings) => EventItem::ControlSettings(Keyed::without_place(settings)),
            EventKind::Unknown { tag, body } => EventItem::Unknown(Keyed::from_entry((*tag, body.clone()))),
        }
    }
}

impl From<EventItem<'static>> for EventKind {
    fn from(item: EventItem<'static>) -> EventKind {
        match item {
            EventItem::Text(text) => {
                let (id, text) = text.into_entry();
                EventKind::Text(id, text)
            }
            EventItem::LoadClass(load) => EventKind::LoadClass(load.into_entry()),
            EventItem::UnloadClass(serial) => EventKind::UnloadClass(serial.into_entry()),
            EventItem::Frame(frame) => EventKind::Frame(frame.into_entry()),
            EventItem::Trace(trace) => EventKind::Trace(trace.into_entry()),
            EventItem::AllocationSites(sites) => EventKind::AllocationSites(sites.into_entry()),
            EventItem::HeapSummary(totals) => EventKind::HeapSummary(totals.into_entry()),
            EventItem::StartThread(thread) => EventKind::StartThread(thread.into_entry()),
            EventItem::EndThread(serial) => EventKind::EndThread(serial.into_entry()),
            EventItem::CpuSamples(samples) => EventKind::CpuSamples(samples.into_entry()),
            EventItem::ControlSettings(settings) => EventKind::ControlSettings(settings.into_entry()),
            EventItem::Unknown(record) => {
                let (tag, body) = record.into_entry();
                EventKind::Unknown { tag, body }
            }
        }
    }
}
