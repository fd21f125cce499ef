//! GC roots, threads and stack traces, with their names resolved: carried by HPROF alone so far.

use std::mem::discriminant;
use std::sync::Arc;

use RootWriter::{Agent, Art, HotSpot, HotSpot8};

use super::{Address, Name, Serial};

/// A GC root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The object that is kept alive.
    pub object: Address,
    /// The reason why the object is kept.
    pub kind: RootKind,
    /// The number of classes and objects that stand before this root in file order.
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

/// Constant facts about a kind of root; [`RootKind::FORMS`] is the table of all.
#[derive(Clone, Copy, Debug)]
pub struct RootForm {
    /// Its name in listings and digests.
    pub name: &'static str,
    /// The kind in words, in a line.
    pub summary: &'static str,
    /// The kind, with zeros for its numbers.
    pub kind: RootKind,
    /// The writers that record roots of the kind; [`RootWriter`] has the sources. A kind that none of them records is
    /// in dumps of older writers, or in none but those of this project.
    pub writers: &'static [RootWriter],
}

/// A number that a root has beside its object. A kind's numbers stand in the order of these variants.
#[derive(Debug, PartialEq, Eq)]
pub enum RootNumber<'r> {
    /// The identifier of a JNI reference, which names no object.
    Reference(&'r mut Address),
    /// The serial number of a thread.
    Thread(&'r mut Serial),
    /// A frame number, -1 for none.
    Frame(&'r mut i32),
    /// The serial number of a stack trace.
    Trace(&'r mut Serial),
}

impl RootNumber<'_> {
    /// The number; a frame's with its sign extended.
    pub fn get(&self) -> u64 {
        match self {
            RootNumber::Reference(address) => address.0,
            RootNumber::Thread(serial) | RootNumber::Trace(serial) => serial.0.into(),
            RootNumber::Frame(number) => i64::from(**number) as u64,
        }
    }

    /// Makes it another one; what is too wide is cut.
    pub fn set(self, value: u64) {
        match self {
            RootNumber::Reference(address) => *address = Address(value),
            RootNumber::Thread(serial) | RootNumber::Trace(serial) => *serial = Serial(value as u32),
            RootNumber::Frame(number) => *number = value as i32,
        }
    }
}

/// A writer of heap dumps, as far as it decides which roots are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RootWriter {
    /// HotSpot of JDK 9 and later, whose dumps have no monitors (of 11, 17, 21 and 25; the source of 11 still writes those of
    /// a list that is empty in all of them).
    HotSpot,
    /// HotSpot of JDK 5 to 8 (dumps of 5 and 8).
    HotSpot8,
    /// The serviceability agent: threads and their JNI locals alone (dumps of 17).
    Sa,
    /// The hprof agent, which never writes a native stack (dump of 6; `hprof_io.c` has the function, and no caller).
    Agent,
    /// ART, which calls three of Android's kinds obsolete and aborts on them (`hprof.cc`, `MarkRootObject`).
    Art,
}

impl RootWriter {
    /// Every writer.
    pub const ALL: [RootWriter; 5] =
        [RootWriter::HotSpot, RootWriter::HotSpot8, RootWriter::Sa, RootWriter::Agent, RootWriter::Art];
}

const fn form(kind: RootKind, writers: &'static [RootWriter], name: &'static str, summary: &'static str) -> RootForm {
    RootForm { name, summary, kind, writers }
}

impl RootKind {
    /// Every kind, in the order of declaration.
    pub const FORMS: [RootForm; 16] = [
        form(RootKind::Unknown, &[Agent, Art], "unknown", "Unknown."),
        form(RootKind::JniGlobal(Address(0)), &[HotSpot, HotSpot8, Agent, Art], "jni-global", "JNI global reference."),
        form(RootKind::JniLocal(Serial(0), 0), &RootWriter::ALL, "jni-local", "JNI local reference."),
        form(
            RootKind::JavaFrame(Serial(0), 0),
            &[HotSpot, HotSpot8, Agent, Art],
            "java-frame",
            "Local of a Java frame.",
        ),
        form(RootKind::NativeStack(Serial(0)), &[Art], "native-stack", "Native stack."),
        form(RootKind::StickyClass, &[HotSpot, HotSpot8, Agent, Art], "sticky-class", "Class that cannot be unloaded."),
        form(RootKind::ThreadBlock(Serial(0)), &[Agent, Art], "thread-block", "Thread block."),
        form(RootKind::MonitorUsed, &[HotSpot8, Agent, Art], "monitor-used", "Monitor in use."),
        form(RootKind::ThreadObject(Serial(0), Serial(0)), &RootWriter::ALL, "thread-object", "A thread object."),
        form(RootKind::InternedString, &[Art], "interned-string", "Android: an interned string."),
        form(RootKind::Finalizing, &[], "finalizing", "Android: an object that waits for its finalizer."),
        form(RootKind::Debugger, &[Art], "debugger", "Android: held by a debugger."),
        form(RootKind::ReferenceCleanup, &[], "reference-cleanup", "Android: held while references are cleared."),
        form(RootKind::VmInternal, &[Art], "vm-internal", "Android: held by the virtual machine itself."),
        form(RootKind::Unreachable, &[], "unreachable", "Android: held by nothing."),
        form(RootKind::JniMonitor(Serial(0), 0), &[Art], "jni-monitor", "Android: a monitor held by native code."),
    ];

    /// Its place in [`RootKind::FORMS`].
    ///
    /// # Panics
    /// Never: a kind without a row fails wherever it is first used.
    pub fn index(self) -> usize {
        let row = Self::FORMS.iter().position(|form| form.kind.is_a(self));
        row.expect("every kind of root has its row")
    }

    /// Its row in [`RootKind::FORMS`].
    pub fn form(self) -> &'static RootForm {
        &Self::FORMS[self.index()]
    }

    /// Whether it is the same kind, whatever the numbers.
    pub fn is_a(self, other: RootKind) -> bool {
        discriminant(&self) == discriminant(&other)
    }

    /// Whether only Android has it.
    pub fn is_android(self) -> bool {
        self.index() >= RootKind::InternedString.index()
    }

    /// Its numbers.
    pub fn numbers(&mut self) -> impl Iterator<Item = RootNumber<'_>> {
        let (first, second) = match self {
            RootKind::JniGlobal(reference) => (Some(RootNumber::Reference(reference)), None),
            RootKind::JniLocal(thread, frame)
            | RootKind::JavaFrame(thread, frame)
            | RootKind::JniMonitor(thread, frame) => (Some(RootNumber::Thread(thread)), Some(RootNumber::Frame(frame))),
            RootKind::NativeStack(thread) | RootKind::ThreadBlock(thread) => (Some(RootNumber::Thread(thread)), None),
            RootKind::ThreadObject(thread, trace) => (Some(RootNumber::Thread(thread)), Some(RootNumber::Trace(trace))),
            RootKind::Unknown
            | RootKind::StickyClass
            | RootKind::MonitorUsed
            | RootKind::InternedString
            | RootKind::Finalizing
            | RootKind::Debugger
            | RootKind::ReferenceCleanup
            | RootKind::VmInternal
            | RootKind::Unreachable => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The serial number of the thread that the root is one of.
    pub fn thread(mut self) -> Option<Serial> {
        self.numbers().find_map(|number| if let RootNumber::Thread(thread) = number { Some(*thread) } else { None })
    }

    /// The JNI reference that it is, if it is one with an identifier of its own.
    pub fn reference(&mut self) -> Option<&mut Address> {
        self.numbers().find_map(|number| if let RootNumber::Reference(id) = number { Some(id) } else { None })
    }
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackTrace {
    /// Stack trace serial number.
    pub serial: Serial,
    /// The thread it belongs to.
    pub thread: Serial,
    /// Frames, innermost first; the heaps of a file that name one trace share them.
    pub frames: Arc<[StackFrame]>,
}

/// A stack frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
