//! The lines of roots, threads, stack traces and regions.

use serde::{Deserialize, Serialize};

use crate::model::{Region, Root, RootKind, Serial, StackFrame, StackTrace, Thread};

use super::spelling::{Hex, Text};

/// A GC root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RootLine {
    /// What keeps the object alive.
    pub root: RootName,
    /// The object that is kept alive.
    pub object: Hex,
    /// The JNI global reference's own id: `jni-global`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Hex>,
    /// Thread serial number: `jni-local`, `java-frame`, `native-stack`, `thread-block`, `thread-object` and
    /// `jni-monitor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// Frame number, -1 for none: `jni-local`, `java-frame` and `jni-monitor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<i32>,
    /// Stack trace serial number: `thread-object`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// How many classes and objects stand before it in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
}

/// Kinds of root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RootName {
    /// Unknown.
    Unknown,
    /// JNI global reference.
    JniGlobal,
    /// JNI local reference.
    JniLocal,
    /// Local of a Java frame.
    JavaFrame,
    /// Native stack.
    NativeStack,
    /// Class that cannot be unloaded.
    StickyClass,
    /// Thread block.
    ThreadBlock,
    /// Monitor in use.
    MonitorUsed,
    /// A thread object.
    ThreadObject,
    /// Android: an interned string.
    InternedString,
    /// Android: an object that waits for its finalizer.
    Finalizing,
    /// Android: held by a debugger.
    Debugger,
    /// Android: held while references are cleared.
    ReferenceCleanup,
    /// Android: held by the virtual machine itself.
    VmInternal,
    /// Android: held by nothing.
    Unreachable,
    /// Android: a monitor held by native code.
    JniMonitor,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ThreadLine {
    /// Thread serial number.
    pub serial: u32,
    /// The thread object.
    pub object: Hex,
    /// The thread's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
    /// Serial of its stack trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
}

/// A stack trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TraceLine {
    /// Stack trace serial number.
    pub serial: u32,
    /// Serial of the thread that it belongs to; 0 for none.
    pub thread: u32,
    /// Frames, innermost first.
    pub frames: Vec<FrameItem>,
}

/// A stack frame, with its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct FrameItem {
    /// Method name.
    pub method: Text,
    /// Method signature.
    pub signature: Text,
    /// Source file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Text>,
    /// The declaring class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Hex>,
    /// Line number: above 0 a line, -1 unknown, -2 compiled, -3 native.
    pub line: i32,
}

/// From here on the objects belong to this part of the heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RegionLine {
    /// The part's number.
    pub id: u32,
    /// Its name.
    pub name: Text,
    /// How many classes and objects stand before it in the file.
    pub after: u64,
}

impl From<&Root> for RootLine {
    fn from(root: &Root) -> RootLine {
        let kind = RootName::of(root.kind);
        let line = RootLine {
            root: kind,
            object: root.object.into(),
            reference: None,
            thread: None,
            frame: None,
            trace: None,
            after: root.after,
        };
        match root.kind {
            RootKind::JniGlobal(reference) => RootLine { reference: Some(reference.into()), ..line },
            RootKind::JniLocal(thread, frame)
            | RootKind::JavaFrame(thread, frame)
            | RootKind::JniMonitor(thread, frame) => RootLine { thread: Some(thread.0), frame: Some(frame), ..line },
            RootKind::NativeStack(thread) | RootKind::ThreadBlock(thread) => {
                RootLine { thread: Some(thread.0), ..line }
            }
            RootKind::ThreadObject(thread, trace) => RootLine { thread: Some(thread.0), trace: Some(trace.0), ..line },
            RootKind::Unknown
            | RootKind::StickyClass
            | RootKind::MonitorUsed
            | RootKind::InternedString
            | RootKind::Finalizing
            | RootKind::Debugger
            | RootKind::ReferenceCleanup
            | RootKind::VmInternal
            | RootKind::Unreachable => line,
        }
    }
}

impl RootName {
    fn of(kind: RootKind) -> RootName {
        match kind {
            RootKind::Unknown => RootName::Unknown,
            RootKind::JniGlobal(_) => RootName::JniGlobal,
            RootKind::JniLocal(..) => RootName::JniLocal,
            RootKind::JavaFrame(..) => RootName::JavaFrame,
            RootKind::NativeStack(_) => RootName::NativeStack,
            RootKind::StickyClass => RootName::StickyClass,
            RootKind::ThreadBlock(_) => RootName::ThreadBlock,
            RootKind::MonitorUsed => RootName::MonitorUsed,
            RootKind::ThreadObject(..) => RootName::ThreadObject,
            RootKind::InternedString => RootName::InternedString,
            RootKind::Finalizing => RootName::Finalizing,
            RootKind::Debugger => RootName::Debugger,
            RootKind::ReferenceCleanup => RootName::ReferenceCleanup,
            RootKind::VmInternal => RootName::VmInternal,
            RootKind::Unreachable => RootName::Unreachable,
            RootKind::JniMonitor(..) => RootName::JniMonitor,
        }
    }
}

impl RootLine {
    pub(super) fn root(&self) -> Result<Root, String> {
        let lacks = |key: &str| format!("expected the key {key} in a root of this kind");
        let thread = || self.thread.map(Serial).ok_or_else(|| lacks("thread"));
        let frame = || self.frame.ok_or_else(|| lacks("frame"));
        let kind = match self.root {
            RootName::Unknown => RootKind::Unknown,
            RootName::JniGlobal => RootKind::JniGlobal(self.reference.ok_or_else(|| lacks("reference"))?.address()),
            RootName::JniLocal => RootKind::JniLocal(thread()?, frame()?),
            RootName::JavaFrame => RootKind::JavaFrame(thread()?, frame()?),
            RootName::NativeStack => RootKind::NativeStack(thread()?),
            RootName::StickyClass => RootKind::StickyClass,
            RootName::ThreadBlock => RootKind::ThreadBlock(thread()?),
            RootName::MonitorUsed => RootKind::MonitorUsed,
            RootName::ThreadObject => {
                RootKind::ThreadObject(thread()?, self.trace.map(Serial).ok_or_else(|| lacks("trace"))?)
            }
            RootName::InternedString => RootKind::InternedString,
            RootName::Finalizing => RootKind::Finalizing,
            RootName::Debugger => RootKind::Debugger,
            RootName::ReferenceCleanup => RootKind::ReferenceCleanup,
            RootName::VmInternal => RootKind::VmInternal,
            RootName::Unreachable => RootKind::Unreachable,
            RootName::JniMonitor => RootKind::JniMonitor(thread()?, frame()?),
        };
        Ok(Root { object: self.object.address(), kind, after: self.after })
    }
}

impl From<&Thread> for ThreadLine {
    fn from(thread: &Thread) -> ThreadLine {
        ThreadLine {
            serial: thread.serial.0,
            object: thread.object.into(),
            name: thread.name.as_ref().map(Text::from),
            trace: thread.trace.map(|trace| trace.0),
        }
    }
}

impl From<ThreadLine> for Thread {
    fn from(line: ThreadLine) -> Thread {
        Thread {
            serial: Serial(line.serial),
            object: line.object.address(),
            name: line.name.map(Into::into),
            trace: line.trace.map(Serial),
        }
    }
}

impl From<&StackTrace> for TraceLine {
    fn from(trace: &StackTrace) -> TraceLine {
        let frames = trace.frames.iter().map(FrameItem::from).collect();
        TraceLine { serial: trace.serial.0, thread: trace.thread.0, frames }
    }
}

impl From<TraceLine> for StackTrace {
    fn from(line: TraceLine) -> StackTrace {
        let frames = line.frames.into_iter().map(Into::into).collect();
        StackTrace { serial: Serial(line.serial), thread: Serial(line.thread), frames }
    }
}

impl From<&StackFrame> for FrameItem {
    fn from(frame: &StackFrame) -> FrameItem {
        FrameItem {
            method: (&frame.method).into(),
            signature: (&frame.signature).into(),
            source: frame.source.as_ref().map(Text::from),
            class: frame.class.map(Hex::from),
            line: frame.line,
        }
    }
}

impl From<FrameItem> for StackFrame {
    fn from(item: FrameItem) -> StackFrame {
        StackFrame {
            method: item.method.into(),
            signature: item.signature.into(),
            source: item.source.map(Into::into),
            class: item.class.map(Hex::address),
            line: item.line,
        }
    }
}

impl From<&Region> for RegionLine {
    fn from(region: &Region) -> RegionLine {
        RegionLine { id: region.id, name: (&region.name).into(), after: region.after }
    }
}

impl From<RegionLine> for Region {
    fn from(line: RegionLine) -> Region {
        Region { id: line.id, name: line.name.into(), after: line.after }
    }
}
