//! GC roots, threads, stack traces and strings: carried by HPROF alone so far.

use super::{Address, Name, Serial};

/// A GC root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The object that is kept alive.
    pub object: Address,
    /// What keeps it alive.
    pub kind: RootKind,
}

/// The kinds of GC root of the HPROF manual's binary format page.
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
    /// Frames, innermost first.
    pub frames: Vec<StackFrame>,
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
    /// The declaring class.
    pub class: Address,
    /// Line number: above 0 a line, -1 unknown, -2 compiled, -3 native.
    pub line: i32,
}

/// A string of the dump's own string table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Its identifier: a namespace apart from object identifiers.
    pub id: u64,
    /// Its bytes.
    pub text: Name,
}
