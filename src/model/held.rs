//! Bytes of memory that entries of a heap take, about, without the names that they share.

use std::mem::size_of;

use super::{
    Address, AllocationSite, Class, Contents, Event, EventKind, Field, FrameId, Object, PoolEntry, Serial, Static,
    Value,
};

fn all<T>(count: usize) -> u64 {
    (count * size_of::<T>()) as u64
}

fn listed<T>(list: &Option<Vec<T>>) -> u64 {
    all::<T>(list.as_ref().map_or(0, Vec::len))
}

impl Class {
    /// Bytes of memory that the class takes, without its names.
    pub(crate) fn held(&self) -> u64 {
        let lists = [
            listed::<Address>(&self.interfaces),
            listed::<Address>(&self.references),
            listed::<Static>(&self.statics),
            listed::<PoolEntry>(&self.constant_pool),
            listed::<Field>(&self.fields),
        ];
        size_of::<Class>() as u64 + lists.iter().sum::<u64>()
    }
}

impl Object {
    /// Bytes of memory that the object takes, without the name of its class.
    pub(crate) fn held(&self) -> u64 {
        let contents = match &self.contents {
            Contents::References(listed) | Contents::Elements(listed) => all::<Address>(listed.len()),
            Contents::Fields(values) => all::<Value>(values.len()),
            Contents::Raw(bytes) | Contents::Primitives(bytes) => bytes.len() as u64,
            Contents::Long(_) | Contents::Unknown => 0,
        };
        size_of::<Object>() as u64 + contents
    }
}

impl Event {
    /// Bytes of memory that the event takes, with its text.
    pub(crate) fn held(&self) -> u64 {
        let contents = match &self.kind {
            EventKind::Text(_, text) => text.as_bytes().len() as u64,
            EventKind::Trace(trace) => all::<FrameId>(trace.frames.len()),
            EventKind::AllocationSites(sites) => all::<AllocationSite>(sites.sites.len()),
            EventKind::CpuSamples(samples) => all::<(u32, Serial)>(samples.traces.len()),
            EventKind::Unknown { body, .. } => body.len() as u64,
            EventKind::LoadClass(_)
            | EventKind::UnloadClass(_)
            | EventKind::Frame(_)
            | EventKind::HeapSummary(_)
            | EventKind::StartThread(_)
            | EventKind::EndThread(_)
            | EventKind::ControlSettings(_) => 0,
        };
        size_of::<Event>() as u64 + contents
    }
}
