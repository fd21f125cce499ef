//! The lines of the process's log.

use serde::{Deserialize, Serialize};

use crate::model::{
    self, ControlSettings, CpuSamples, Event, EventKind, Frame, FrameId, LoadClass, Serial, StartThread, TextId, Trace,
};

use super::spelling::{Bytes, Hex, Text};

/// An entry of the process's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct EventLine {
    /// How many classes and objects stand before it in the file.
    pub after: u64,
    /// Microseconds since the time stamp, modulo 2^32.
    pub time: u32,
    /// What happened.
    #[serde(flatten)]
    pub what: EventItem,
}

/// What an entry of the log says, by its key `event`. Texts, frames, classes and traces are named by the
/// identifiers and serial numbers of the dump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum EventItem {
    /// A string that later entries name.
    Text {
        /// Its identifier.
        id: Hex,
        /// The string.
        text: Text,
    },
    /// A class was loaded.
    LoadClass {
        /// Class serial number.
        serial: u32,
        /// The class object.
        class: Hex,
        /// Serial of the stack trace of the loading.
        trace: u32,
        /// Identifier of the class's name.
        name: Hex,
    },
    /// A class was unloaded.
    UnloadClass {
        /// Class serial number.
        serial: u32,
    },
    /// A stack frame that later traces name.
    Frame {
        /// The frame's identifier.
        id: Hex,
        /// Identifier of the method's name.
        method: Hex,
        /// Identifier of the method's signature.
        signature: Hex,
        /// Identifier of the source file's name; 0 if unknown.
        source: Hex,
        /// Serial of the declaring class.
        class: u32,
        /// Line number: above 0 a line, -1 unknown, -2 compiled, -3 native.
        line: i32,
    },
    /// A stack trace.
    Trace {
        /// Stack trace serial number.
        serial: u32,
        /// Thread serial number; 0 for none.
        thread: u32,
        /// Identifiers of the frames, innermost first.
        frames: Vec<Hex>,
    },
    /// Allocation sites.
    AllocationSites {
        /// 1 incremental, 2 sorted by allocation, 4 whether to force a collection.
        flags: u16,
        /// Sites below this part of the total are left out: the bits of an IEEE 754 float.
        cutoff: Hex,
        /// Totals.
        totals: Totals,
        /// The sites.
        sites: Vec<Site>,
    },
    /// Totals of the heap.
    HeapSummary(Totals),
    /// A thread started.
    StartThread {
        /// Thread serial number.
        serial: u32,
        /// The thread object.
        object: Hex,
        /// Serial of the stack trace of the start.
        trace: u32,
        /// Identifier of the thread's name.
        name: Hex,
        /// Identifier of its group's name.
        group: Hex,
        /// Identifier of the name of its group's parent.
        parent_group: Hex,
    },
    /// A thread ended.
    EndThread {
        /// Thread serial number.
        serial: u32,
    },
    /// CPU samples.
    CpuSamples {
        /// Total number of samples.
        total: u32,
        /// Samples by stack trace.
        traces: Vec<Samples>,
    },
    /// Settings of the profiler.
    ControlSettings {
        /// 1 allocation traces, 2 CPU sampling.
        flags: u32,
        /// Depth of stack traces.
        depth: u16,
    },
    /// A record with a tag that no document lists.
    Unknown {
        /// The tag.
        tag: u8,
        /// The bytes.
        body: Bytes,
    },
}

/// Totals of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Totals {
    /// Bytes that are live.
    pub live_bytes: u32,
    /// Instances that are live.
    pub live_instances: u32,
    /// Bytes ever allocated.
    pub allocated_bytes: u64,
    /// Instances ever allocated.
    pub allocated_instances: u64,
}

/// An allocation site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Site {
    /// 0 for plain objects; of arrays the type code of the elements.
    pub array: u8,
    /// Class serial number; 0 while the class is being loaded.
    pub class: u32,
    /// Stack trace serial number.
    pub trace: u32,
    /// Bytes that are live.
    pub live_bytes: u32,
    /// Instances that are live.
    pub live_instances: u32,
    /// Bytes ever allocated.
    pub allocated_bytes: u32,
    /// Instances ever allocated.
    pub allocated_instances: u32,
}

/// Samples of one stack trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Samples {
    /// Number of samples.
    pub samples: u32,
    /// Stack trace serial number.
    pub trace: u32,
}

impl From<&Event> for EventLine {
    fn from(event: &Event) -> EventLine {
        EventLine { after: event.after, time: event.time, what: (&event.kind).into() }
    }
}

impl EventLine {
    pub(super) fn event(self) -> Result<Event, String> {
        Ok(Event { time: self.time, after: self.after, kind: self.what.kind()? })
    }
}

impl From<&EventKind> for EventItem {
    fn from(kind: &EventKind) -> EventItem {
        match kind {
            EventKind::Text(id, text) => EventItem::Text { id: Hex(id.0), text: text.into() },
            EventKind::LoadClass(load) => EventItem::LoadClass {
                serial: load.serial.0,
                class: load.class.into(),
                trace: load.trace.0,
                name: Hex(load.name.0),
            },
            EventKind::UnloadClass(serial) => EventItem::UnloadClass { serial: serial.0 },
            EventKind::Frame(frame) => EventItem::Frame {
                id: Hex(frame.id.0),
                method: Hex(frame.method.0),
                signature: Hex(frame.signature.0),
                source: Hex(frame.source.0),
                class: frame.class.0,
                line: frame.line,
            },
            EventKind::Trace(trace) => EventItem::Trace {
                serial: trace.serial.0,
                thread: trace.thread.0,
                frames: trace.frames.iter().map(|id| Hex(id.0)).collect(),
            },
            EventKind::AllocationSites(sites) => EventItem::AllocationSites {
                flags: sites.flags,
                cutoff: Hex(sites.cutoff.into()),
                totals: sites.totals.into(),
                sites: sites.sites.iter().map(|site| (*site).into()).collect(),
            },
            EventKind::HeapSummary(totals) => EventItem::HeapSummary((*totals).into()),
            EventKind::StartThread(thread) => EventItem::StartThread {
                serial: thread.serial.0,
                object: thread.object.into(),
                trace: thread.trace.0,
                name: Hex(thread.name.0),
                group: Hex(thread.group.0),
                parent_group: Hex(thread.parent_group.0),
            },
            EventKind::EndThread(serial) => EventItem::EndThread { serial: serial.0 },
            EventKind::CpuSamples(samples) => EventItem::CpuSamples {
                total: samples.total,
                traces: samples.traces.iter().map(|(samples, t)| Samples { samples: *samples, trace: t.0 }).collect(),
            },
            EventKind::ControlSettings(settings) => {
                EventItem::ControlSettings { flags: settings.flags, depth: settings.depth }
            }
            EventKind::Unknown { tag, body } => EventItem::Unknown { tag: *tag, body: Bytes(body.clone()) },
        }
    }
}

impl EventItem {
    fn kind(self) -> Result<EventKind, String> {
        let text = |id: Hex| TextId(id.0);
        Ok(match self {
            EventItem::Text { id, text } => EventKind::Text(TextId(id.0), text.into()),
            EventItem::LoadClass { serial, class, trace, name } => EventKind::LoadClass(LoadClass {
                serial: Serial(serial),
                class: class.address(),
                trace: Serial(trace),
                name: text(name),
            }),
            EventItem::UnloadClass { serial } => EventKind::UnloadClass(Serial(serial)),
            EventItem::Frame { id, method, signature, source, class, line } => EventKind::Frame(Frame {
                id: FrameId(id.0),
                method: text(method),
                signature: text(signature),
                source: text(source),
                class: Serial(class),
                line,
            }),
            EventItem::Trace { serial, thread, frames } => EventKind::Trace(Trace {
                serial: Serial(serial),
                thread: Serial(thread),
                frames: frames.into_iter().map(|id| FrameId(id.0)).collect(),
            }),
            EventItem::AllocationSites { flags, cutoff, totals, sites } => {
                EventKind::AllocationSites(model::AllocationSites {
                    flags,
                    cutoff: cutoff.narrow("cutoff")?,
                    totals: totals.into(),
                    sites: sites.into_iter().map(Into::into).collect(),
                })
            }
            EventItem::HeapSummary(totals) => EventKind::HeapSummary(totals.into()),
            EventItem::StartThread { serial, object, trace, name, group, parent_group } => {
                EventKind::StartThread(StartThread {
                    serial: Serial(serial),
                    object: object.address(),
                    trace: Serial(trace),
                    name: text(name),
                    group: text(group),
                    parent_group: text(parent_group),
                })
            }
            EventItem::EndThread { serial } => EventKind::EndThread(Serial(serial)),
            EventItem::CpuSamples { total, traces } => {
                let traces = traces.into_iter().map(|s| (s.samples, Serial(s.trace))).collect();
                EventKind::CpuSamples(CpuSamples { total, traces })
            }
            EventItem::ControlSettings { flags, depth } => EventKind::ControlSettings(ControlSettings { flags, depth }),
            EventItem::Unknown { tag, body } => EventKind::Unknown { tag, body: body.0 },
        })
    }
}

impl From<model::HeapSummary> for Totals {
    fn from(totals: model::HeapSummary) -> Totals {
        let model::HeapSummary { live_bytes, live_instances, allocated_bytes, allocated_instances } = totals;
        Totals { live_bytes, live_instances, allocated_bytes, allocated_instances }
    }
}

impl From<Totals> for model::HeapSummary {
    fn from(totals: Totals) -> model::HeapSummary {
        let Totals { live_bytes, live_instances, allocated_bytes, allocated_instances } = totals;
        model::HeapSummary { live_bytes, live_instances, allocated_bytes, allocated_instances }
    }
}

impl From<model::AllocationSite> for Site {
    fn from(site: model::AllocationSite) -> Site {
        Site {
            array: site.array,
            class: site.class.0,
            trace: site.trace.0,
            live_bytes: site.live_bytes,
            live_instances: site.live_instances,
            allocated_bytes: site.allocated_bytes,
            allocated_instances: site.allocated_instances,
        }
    }
}

impl From<Site> for model::AllocationSite {
    fn from(site: Site) -> model::AllocationSite {
        model::AllocationSite {
            array: site.array,
            class: Serial(site.class),
            trace: Serial(site.trace),
            live_bytes: site.live_bytes,
            live_instances: site.live_instances,
            allocated_bytes: site.allocated_bytes,
            allocated_instances: site.allocated_instances,
        }
    }
}
