//! Bytes of memory that entries of a heap take, about, without the names that they share.

use std::mem::size_of;

use super::{
    Address, AllocationSite, Class, Contents, Event, EventKind, Field, FrameId, Object, PoolEntry, Serial, Static,
    Value,
};

fn items_size<T>(count: usize) -> u64 {
    (count * size_of::<T>()) as u64
}

fn list_size<T>(list: &Option<Vec<T>>) -> u64 {
    items_size::<T>(list.as_ref().map_or(0, Vec::len))
}

impl Class {
    /// Bytes of memory that the class takes, without its names.
    pub(crate) fn memory_size(&self) -> u64 {
        let lists = [
            list_size::<Address>(&self.interfaces),
            list_size::<Address>(&self.references),
            list_size::<Static>(&self.statics),
            list_size::<PoolEntry>(&self.constant_pool),
            list_size::<Field>(&self.fields),
        ];
        size_of::<Class>() as u64 + lists.iter().sum::<u64>()
    }
}

impl Object {
    /// Bytes of memory that the object takes, without the name of its class.
    pub(crate) fn memory_size(&self) -> u64 {
        let contents = match &self.contents {
            Contents::References(listed) | Contents::Elements(listed) => items_size::<Address>(listed.len()),
            Contents::Fields(values) => items_size::<Value>(values.len()),
            Contents::Raw(bytes) | Contents::Primitives(bytes) => bytes.len() as u64,
            Contents::Long(_) | Contents::Unknown => 0,
        };
        let text = self.text.as_ref().map_or(0, |text| text.as_bytes().len());
        (size_of::<Object>() + text) as u64 + contents
    }
}

impl Event {
    /// Bytes of memory that the event takes, with its text.
    pub(crate) fn memory_size(&self) -> u64 {
        let contents = match &self.kind {
            EventKind::Text(_, text) => text.as_bytes().len() as u64,
            EventKind::Trace(trace) => items_size::<FrameId>(trace.frames.len()),
            EventKind::AllocationSites(sites) => items_size::<AllocationSite>(sites.sites.len()),
            EventKind::CpuSamples(samples) => items_size::<(u32, Serial)>(samples.traces.len()),
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
