//! Entries of a process's log, which stand beside its heaps, with the identifiers that it used.
//!
//! HPROF has one record for each. [`super::Thread`] and [`super::StackTrace`] are the same facts with
//! their names resolved; the log keeps order and identifiers, so that a dump can be written again.

use super::{Address, FrameId, Name, Serial, TextId};

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Microseconds since the dump's time stamp, modulo 2^32.
    pub time: u32,
    /// The number of classes and objects of the heap that stand before it in file order.
    pub after: u64,
    /// The event itself.
    pub kind: EventKind,
    /// The number of equal entries that follow right after it. A record without contents takes a few bytes of a file,
    /// and of a compressed one next to none: a log keeps the number of them.
    pub repeats: u64,
}

impl Event {
    /// An event that is recorded once.
    pub fn new(time: u32, after: u64, kind: EventKind) -> Event {
        Event { time, after, kind, repeats: 0 }
    }

    /// The number of times that it is recorded.
    pub fn times(&self) -> u64 {
        self.repeats.saturating_add(1)
    }

    /// Appends the event to a log. An event equal to the last one is counted there.
    pub fn append_to(self, log: &mut Vec<Event>) {
        match log.last_mut() {
            Some(last) if (last.time, last.after) == (self.time, self.after) && last.kind == self.kind => {
                last.repeats = last.repeats.saturating_add(self.times());
            }
            _ => log.push(self),
        }
    }
}

/// The content of an entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A string that later entries name.
    Text(TextId, Name),
    /// A class was loaded.
    LoadClass(LoadClass),
    /// The class of this serial was unloaded.
    UnloadClass(Serial),
    /// A stack frame that later traces name.
    Frame(Frame),
    /// A stack trace.
    Trace(Trace),
    /// Allocation sites.
    AllocationSites(AllocationSites),
    /// Totals of the heap.
    HeapSummary(HeapSummary),
    /// A thread started.
    StartThread(StartThread),
    /// The thread of this serial ended.
    EndThread(Serial),
    /// CPU samples.
    CpuSamples(CpuSamples),
    /// Settings of the profiler.
    ControlSettings(ControlSettings),
    /// A record with a tag that no document lists.
    Unknown {
        /// The tag.
        tag: u8,
        /// The bytes.
        body: Vec<u8>,
    },
}

/// A class was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadClass {
    /// Class serial number, above 0.
    pub serial: Serial,
    /// The class object.
    pub class: Address,
    /// Stack trace of the loading.
    pub trace: Serial,
    /// The class's name.
    pub name: TextId,
}

/// A stack frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The frame's identifier.
    pub id: FrameId,
    /// Method name.
    pub method: TextId,
    /// Method signature.
    pub signature: TextId,
    /// Source file name; 0 if unknown.
    pub source: TextId,
    /// Serial of the declaring class.
    pub class: Serial,
    /// Line number: above 0 a line, -1 unknown, -2 compiled, -3 native.
    pub line: i32,
}

/// A stack trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Stack trace serial number.
    pub serial: Serial,
    /// Thread serial number; 0 if it belongs to none.
    pub thread: Serial,
    /// Frames, innermost first.
    pub frames: Vec<FrameId>,
}

/// Allocation sites, by size or by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllocationSites {
    /// 1 incremental (not complete), 2 sorted by allocation (not by what is live), 4 whether to force a
    /// collection.
    pub flags: u16,
    /// Sites below this part of the total are left out: the bits of an IEEE 754 float.
    pub cutoff: u32,
    /// Totals.
    pub totals: HeapSummary,
    /// The sites.
    pub sites: Vec<AllocationSite>,
}

/// An allocation site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllocationSite {
    /// 0 for plain objects; of arrays the type code of the elements.
    pub array: u8,
    /// Class serial number; 0 while the class is being loaded.
    pub class: Serial,
    /// Stack trace serial number.
    pub trace: Serial,
    /// Bytes that are live.
    pub live_bytes: u32,
    /// Instances that are live.
    pub live_instances: u32,
    /// Bytes ever allocated.
    pub allocated_bytes: u32,
    /// Instances ever allocated.
    pub allocated_instances: u32,
}

/// Totals of the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeapSummary {
    /// Bytes that are live.
    pub live_bytes: u32,
    /// Instances that are live.
    pub live_instances: u32,
    /// Bytes ever allocated.
    pub allocated_bytes: u64,
    /// Instances ever allocated.
    pub allocated_instances: u64,
}

/// A thread started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartThread {
    /// Thread serial number.
    pub serial: Serial,
    /// The thread object.
    pub object: Address,
    /// Stack trace of the start.
    pub trace: Serial,
    /// The thread's name.
    pub name: TextId,
    /// The name of its group.
    pub group: TextId,
    /// The name of its group's parent.
    pub parent_group: TextId,
}

/// CPU samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuSamples {
    /// Total number of samples.
    pub total: u32,
    /// Samples by stack trace.
    pub traces: Vec<(u32, Serial)>,
}

/// Settings of the profiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControlSettings {
    /// 1 allocation traces, 2 CPU sampling.
    pub flags: u32,
    /// Depth of stack traces.
    pub depth: u16,
}
