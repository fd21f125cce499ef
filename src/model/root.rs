//! GC roots, threads and stack traces, with their names resolved: carried by HPROF alone so far.

use std::sync::Arc;

use super::{Address, Name, Serial};

/// A GC root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The object that is kept alive.
    pub object: Address,
    /// What keeps it alive.
    pub kind: RootKind,
    /// How many classes and objects stand before this root in file order.
    pub after: Option<u64>,
}

/// The kinds of GC root of the HPROF manual's binary format page, and those that Android adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// Unknown.
    Unknown,
    /// JNI global reference, with the reference's own id.
    JniGlobal(Address),
    /// JNI local reference of a thread; frame number, -1 for none.
    JniLocal(Serial, i32),
    /// Local of a Java frame; frame number, -1 for none.
    JavaFrame(Serial, i32),
    /// Native stack of a thread.
    NativeStack(Serial),
    /// Class that cannot be unloaded.
    StickyClass,
    /// Thread block.
    ThreadBlock(Serial),
    /// Monitor in use.
    MonitorUsed,
    /// A thread object, with the thread's and its stack trace's serial.
    ThreadObject(Serial, Serial),
    /// Android: an interned string.
    InternedString,
    /// Android: an object that waits for its finalizer.
    Finalizing,
    /// Android: held by a debugger.
    Debugger,
    /// Android: held by the collector while it clears references.
    ReferenceCleanup,
    /// Android: held by the virtual machine itself.
    VmInternal,
    /// Android: in the dump although nothing holds it.
    Unreachable,
    /// Android: a monitor held by native code of a thread; frame number, -1 for none.
    JniMonitor(Serial, i32),
}

impl RootKind {
    /// The serial number of the thread that the root is one of.
    pub fn thread(self) -> Option<Serial> {
        match self {
            RootKind::JniLocal(thread, _)
            | RootKind::JavaFrame(thread, _)
            | RootKind::JniMonitor(thread, _)
            | RootKind::NativeStack(thread)
            | RootKind::ThreadBlock(thread)
            | RootKind::ThreadObject(thread, _) => Some(thread),
            RootKind::Unknown
            | RootKind::JniGlobal(_)
            | RootKind::StickyClass
            | RootKind::MonitorUsed
            | RootKind::InternedString
            | RootKind::Finalizing
            | RootKind::Debugger
            | RootKind::ReferenceCleanup
            | RootKind::VmInternal
            | RootKind::Unreachable => None,
        }
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Thread serial number.
    pub serial: Serial,
    /// The `java/lang/Thread` object.
    pub object: Address,
    /// Thread name.
    pub name: Option<Name>,
    /// Its stack trace.
    pub trace: Option<Serial>,
}

/// A stack trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackTrace {
    /// Stack trace serial number.
    pub serial: Serial,
    /// The thread it belongs to.
    pub thread: Serial,
    /// Frames, innermost first; the heaps of a file that name one trace share them.
    pub frames: Arc<[StackFrame]>,
}

/// A stack frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// Method name.
    pub method: Name,
    /// Method signature.
    pub signature: Name,
    /// Source file name, where known.
    pub source: Option<Name>,
    /// The declaring class; `None` if the frame names a class that was never loaded.
    pub class: Option<Address>,
    /// Line number: above 0 a line, -1 unknown, -2 compiled, -3 native.
    pub line: i32,
}
