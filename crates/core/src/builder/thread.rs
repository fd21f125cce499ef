//! Threads of a heap under construction, with their stack traces and locals.

use crate::model::{Name, PrimitiveType, RootKind, Serial, StackFrame, StackTrace, Thread};

use super::error::BuildError;
use super::input::{BuiltValue, FieldInput, ReferenceTarget};
use super::layout::AddressTable;
use super::object::BuiltContents;
use super::{ClassId, HeapBuilder, ObjectId};

/// A thread of a heap under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(usize);

/// The line of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameLine {
    /// Not known.
    #[default]
    Unknown,
    /// A compiled method, of which the agent says no line.
    Compiled,
    /// A native method.
    Native,
    /// A line of the source.
    Line(u32),
    /// The number as a dump has it.
    Bits(i32),
}

impl FrameLine {
    fn number(self) -> i32 {
        match self {
            FrameLine::Unknown => -1,
            FrameLine::Compiled => -2,
            FrameLine::Native => -3,
            FrameLine::Line(line) => line as i32,
            FrameLine::Bits(bits) => bits,
        }
    }
}

/// A thread under construction.
#[derive(Clone, Debug)]
pub(super) struct BuiltThread {
    name: String,
    object: ReferenceTarget,
    frames: Vec<(Option<ClassId>, StackFrame)>,
    /// Locals: of a Java frame or of native code, with the frame.
    locals: Vec<(bool, Option<usize>, ReferenceTarget)>,
    thread_locals: Vec<(ObjectId, ReferenceTarget)>,
}

impl BuiltThread {
    /// A thread that was made elsewhere.
    pub(super) fn imported(
        name: String,
        object: ReferenceTarget,
        frames: Vec<(Option<ClassId>, StackFrame)>,
    ) -> BuiltThread {
        BuiltThread { name, object, frames, locals: Vec::new(), thread_locals: Vec::new() }
    }
}

/// The priority of threads, unless it is changed (`Thread.NORM_PRIORITY`).
const PRIORITY: u64 = 5;
/// The status of a thread that runs (JVM TI: alive, runnable).
const RUNNABLE: u64 = 5;

impl HeapBuilder {
    /// A platform thread with its object.
    ///
    /// # Errors
    /// If the library's classes are left out in part.
    pub fn thread(&mut self, name: &str) -> Result<ThreadId, BuildError> {
        self.add_thread_of_class("java.lang.Thread", name)
    }

    /// A virtual thread with its object, which may be mounted on a carrier.
    ///
    /// # Errors
    /// If the library has none.
    pub fn virtual_thread(&mut self, name: &str, carrier: Option<ReferenceTarget>) -> Result<ThreadId, BuildError> {
        let class = "java.lang.VirtualThread";
        if self.settings.world && self.class_named(class).is_err() {
            return Err(BuildError::new("virtual threads are of JDK 21 and later; choose heap library=jdk-21"));
        }
        let thread = self.add_thread_of_class(class, name)?;
        if let (Some(carrier), ReferenceTarget::Object(object)) = (carrier, self.threads[thread.0].object) {
            self.set_value(object, "carrierThread", BuiltValue::Reference(carrier))?;
        }
        Ok(thread)
    }

    fn add_thread_of_class(&mut self, class: &str, name: &str) -> Result<ThreadId, BuildError> {
        let id = ThreadId(self.threads.len());
        let object = match self.settings.world {
            true => self.thread_object_of_class(class, name, id)?.into(),
            false => ReferenceTarget::Null,
        };
        Ok(self.push_thread(BuiltThread::imported(name.to_owned(), object, Vec::new())))
    }

    pub(super) fn push_thread(&mut self, thread: BuiltThread) -> ThreadId {
        self.threads.push(thread);
        ThreadId(self.threads.len() - 1)
    }

    fn thread_object_of_class(&mut self, class: &str, name: &str, id: ThreadId) -> Result<ObjectId, BuildError> {
        let class = self.class_named(class)?;
        let object = self.new_instance(class)?;
        let units: Vec<u16> = name.encode_utf16().collect();
        let named = match self.settings.library.has_character_names() {
            true => {
                let (_, bytes, _) = self.text_contents(&units);
                let characters = self.class_named("char[]")?;
                self.add_object(characters, BuiltContents::Primitives(bytes))
            }
            false => self.string_of_units(&units)?,
        };
        self.set_value(object, "name", BuiltValue::Reference(named.into()))?;
        self.set_value(object, "tid", BuiltValue::Primitive(PrimitiveType::Long, id.0 as u64 + 1))?;
        let holder = match self.field_place(class, "holder") {
            Ok(_) => {
                let holder = self.class_named("java.lang.Thread$FieldHolder")?;
                let holder = self.new_instance(holder)?;
                self.set_value(object, "holder", BuiltValue::Reference(holder.into()))?;
                holder
            }
            Err(_) => object,
        };
        for (field, value) in [("priority", PRIORITY), ("threadStatus", RUNNABLE)] {
            self.set_value(holder, field, BuiltValue::Primitive(PrimitiveType::Int, value))?;
        }
        Ok(object)
    }

    /// The object of a thread; null without the library's classes.
    pub fn thread_object(&self, thread: ThreadId) -> ReferenceTarget {
        self.threads[thread.0].object
    }

    /// Makes a thread one that does not keep the process alive.
    ///
    /// # Errors
    /// If the thread has no object.
    pub fn set_daemon(&mut self, thread: ThreadId) -> Result<(), BuildError> {
        let ReferenceTarget::Object(object) = self.threads[thread.0].object else {
            return Err(BuildError::new("the thread has no object"));
        };
        let holder = match self.value_of(object, "holder") {
            Some(BuiltValue::Reference(ReferenceTarget::Object(holder))) => holder,
            _ => object,
        };
        self.set_value(holder, "daemon", BuiltValue::Primitive(PrimitiveType::Boolean, 1))
    }

    /// The serial number of a thread.
    pub fn thread_serial(&self, thread: ThreadId) -> Serial {
        Serial(self.settings.library.first_serials().0 + thread.0 as u32)
    }

    /// The serial number of the first thread.
    pub(crate) fn first_thread(&self) -> Serial {
        self.thread_serial(ThreadId(0))
    }

    fn trace_serial(&self, thread: usize) -> Serial {
        Serial(self.empty_trace().0 + 1 + thread as u32)
    }

    /// Adds a frame below those that the thread has, and gives its number, from 0 for the innermost. Its class may be one that
    /// was never loaded.
    pub fn frame(&mut self, thread: ThreadId, class: Option<ClassId>, frame: StackFrame) -> usize {
        let frames = &mut self.threads[thread.0].frames;
        frames.push((class, frame));
        frames.len() - 1
    }

    /// A frame of a method, without a class yet.
    pub fn stack_frame(method: Name, signature: Name, source: Option<Name>, line: FrameLine) -> StackFrame {
        StackFrame { method, signature, source, class: None, line: line.number() }
    }

    /// Adds a local of a Java frame.
    pub fn local(&mut self, thread: ThreadId, frame: Option<usize>, object: impl Into<ReferenceTarget>) {
        self.threads[thread.0].locals.push((true, frame, object.into()));
    }

    /// Adds a local reference of native code.
    pub fn jni_local(&mut self, thread: ThreadId, frame: Option<usize>, object: impl Into<ReferenceTarget>) {
        self.threads[thread.0].locals.push((false, frame, object.into()));
    }

    /// Adds a value to a thread's map of local values.
    ///
    /// # Errors
    /// If the key is no `java.lang.ThreadLocal`, or the thread has no object.
    pub fn thread_local(
        &mut self,
        thread: ThreadId,
        key: ObjectId,
        value: impl Into<FieldInput>,
    ) -> Result<(), BuildError> {
        if self.threads[thread.0].object == ReferenceTarget::Null {
            return Err(BuildError::new("the thread has no object that could have a map"));
        }
        if self.value_of(key, "threadLocalHashCode").is_none() {
            return Err(BuildError::new("the key of a thread-local value is a java.lang.ThreadLocal"));
        }
        let value = self.target(value.into(), None)?;
        self.threads[thread.0].thread_locals.push((key, value));
        Ok(())
    }

    /// Gives threads their maps of local values.
    pub(crate) fn finish_threads(&mut self) -> Result<(), BuildError> {
        for thread in 0..self.threads.len() {
            let entries = std::mem::take(&mut self.threads[thread].thread_locals);
            if let (false, ReferenceTarget::Object(object)) = (entries.is_empty(), self.threads[thread].object) {
                let map = self.thread_local_map(&entries)?;
                self.set_value(object, "threadLocals", BuiltValue::Reference(map.into()))?;
            }
        }
        Ok(())
    }

    /// The threads, their traces and their roots.
    pub(super) fn thread_facts(
        &self,
        addresses: &AddressTable,
    ) -> (Vec<Thread>, Vec<StackTrace>, Vec<(RootKind, ReferenceTarget)>) {
        let (mut threads, mut traces, mut roots) = (Vec::new(), Vec::new(), Vec::new());
        for (number, built) in self.threads.iter().enumerate() {
            let (serial, trace) = (self.thread_serial(ThreadId(number)), self.trace_serial(number));
            threads.push(Thread {
                serial,
                object: addresses.address(built.object),
                name: Some(Name::from_text(&built.name)),
                trace: Some(trace),
            });
            let frames = built.frames.iter().map(|(class, frame)| StackFrame {
                class: class.map(|class| addresses.address(class.into())).or(frame.class),
                ..frame.clone()
            });
            let of = if self.settings.library.has_traces_of_threads() { serial } else { Serial(0) };
            traces.push(StackTrace { serial: trace, thread: of, frames: frames.collect() });
            if built.object != ReferenceTarget::Null {
                roots.push((RootKind::ThreadObject(serial, trace), built.object));
            }
            for (is_java, frame, object) in &built.locals {
                let frame = frame.map_or(-1, |frame| frame as i32);
                let kind =
                    if *is_java { RootKind::JavaFrame(serial, frame) } else { RootKind::JniLocal(serial, frame) };
                roots.push((kind, *object));
            }
        }
        (threads, traces, roots)
    }
}
