//! Heaps built by hand: classes, objects, strings, collections, threads and roots, by name.
//!
//! [`HeapBuilder`] checks every name when it is used. Addresses, sizes, hashes and serial numbers follow from the order of
//! the calls unless they are given. Heap files (docs/heap-file.md) are read by calls of this builder and nothing else.

mod boxing;
mod class;
mod collection;
mod error;
mod facts;
mod import;
mod input;
mod layout;
mod leak;
mod object;
mod repeat;
mod thread;

use foldhash::{HashMap, HashMapExt};

use crate::generate::Library;
use crate::model::{
    Event, Facts, HashRegime, Name, ObjectKind, Region, RootKind, Serial, StackTrace, Thread, WordSize,
};
use crate::setters;

#[cfg(feature = "heap-file")]
pub(crate) use boxing::{box_class, boxed_hash, is_shared_box, text_hash};
pub use class::ClassBuilder;
#[cfg(feature = "heap-file")]
pub(crate) use collection::{CollectionLayout, EntryInput, spread_hash};
pub use error::BuildError;
pub use facts::{GivenClassFacts, GivenObjectFacts, HashFact};
#[cfg(feature = "heap-file")]
pub(crate) use input::BuiltValue;
pub use input::{FieldInput, ReferenceTarget};
pub use layout::BuiltHeap;
#[cfg(feature = "heap-file")]
pub(crate) use layout::CLASS_BYTES;
pub use leak::{LeakHolder, LeakRequest};
pub use object::ObjectBuilder;
#[cfg(feature = "heap-file")]
pub(crate) use object::{BuiltContents, HASH_INCREMENT, decode_text, encode_text};
#[cfg(feature = "heap-file")]
pub(crate) use repeat::{FillMember, MemberContents, RepeatedUnit, UnitMember};
pub use thread::{FrameLine, ThreadId};

use class::BuiltClass;
use object::BuiltObject;
use thread::BuiltThread;

/// A class of a heap under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(usize);

/// An object of a heap under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(usize);

/// The version text of a heap's process, unless one is given.
pub(crate) const VERSION_TEXT: &str = "heapsmith synthetic heap";

/// A repeated part of a heap under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct RepeatId(usize);

/// The meaning of the instance sizes of a heap's classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InstanceSizeRule {
    /// Bytes of an object: header, fields and padding (PHD).
    #[default]
    Footprint,
    /// Bytes of the fields, those of superclasses included (HPROF).
    Fields,
}

/// The settings of a heap under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapSettings {
    /// The Java library whose classes the heap has.
    pub library: Library,
    /// The word size of the process.
    pub word: WordSize,
    /// Whether references in objects take 4 bytes in a process of 64 bits.
    pub compressed_references: bool,
    /// Whether the library's classes are there, and what follows from them.
    pub world: bool,
    /// The meaning of instance sizes.
    pub instance_sizes: InstanceSizeRule,
    /// Whether the heap has the names of classes as in Java: `java.lang.String`, `int[]`.
    pub java_names: bool,
}

impl Default for HeapSettings {
    fn default() -> HeapSettings {
        HeapSettings {
            library: Library::default(),
            word: WordSize::Bits64,
            compressed_references: false,
            world: true,
            instance_sizes: InstanceSizeRule::default(),
            java_names: false,
        }
    }
}

setters! {
    impl HeapSettings {
        set library: Library;
        set word: WordSize;
        set compressed_references: bool;
        set world: bool;
        set instance_sizes: InstanceSizeRule;
        set java_names: bool;
    }
}

impl HeapSettings {
    /// Bytes of a reference in an object.
    pub(crate) fn reference_bytes(self) -> u64 {
        if self.compressed_references { 4 } else { self.word.bytes() as u64 }
    }
}

/// A root of a heap under construction.
#[derive(Clone, Debug)]
struct BuiltRoot {
    kind: RootKind,
    object: ReferenceTarget,
    after: Option<u64>,
}

/// A heap under construction.
///
/// # Example
///
/// ```
/// use heapsmith::builder::{HeapBuilder, HeapSettings};
/// use heapsmith::Format;
///
/// let mut heap = HeapBuilder::new(HeapSettings::default());
/// let order = heap.class("shop.Order")?.field("int", "id")?.field("shop.Order", "next")?.id();
/// let second = heap.object(order)?.set("id", 2)?.id();
/// let first = heap.object(order)?.set("id", 1)?.set("next", second)?.id();
/// let orders = heap.instance("java.util.ArrayList")?.elements([first, second])?.id();
/// heap.root("jni-global", orders)?;
///
/// let error = heap.object(order)?.set("nxet", second).unwrap_err();
/// assert_eq!(error.to_string(), "no field \"nxet\" in shop.Order; it has id, next; did you mean next?");
///
/// let dump = heap.build()?.write(Format::HPROF)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct HeapBuilder {
    settings: HeapSettings,
    classes: Vec<BuiltClass>,
    /// Classes by their names in JVM form; several loaders may have one of the same name.
    by_name: HashMap<Name, Vec<ClassId>>,
    /// Array classes by the classes of their elements, as they were asked for.
    array_classes: HashMap<ClassId, ClassId>,
    /// Classes that the heap lacks, by the kind of their objects.
    absent_classes: HashMap<ObjectKind, ClassId>,
    objects: Vec<BuiltObject>,
    repeats: Vec<repeat::BuiltRepeat>,
    /// Boxed values that Java keeps once, by class and bits.
    shared_boxes: HashMap<(ClassId, u64), ObjectId>,
    /// The value that every HashSet's map has for each of its elements.
    present: Option<ReferenceTarget>,
    /// The number of ThreadLocal objects, from which their hashes follow.
    thread_locals: u32,
    roots: Vec<BuiltRoot>,
    threads: Vec<BuiltThread>,
    /// Traces and threads that were given with their serial numbers.
    traces: Vec<(StackTrace, Vec<Option<ClassId>>)>,
    bare_threads: Vec<(Thread, ReferenceTarget)>,
    regions: Vec<Region>,
    /// The log, if it is known.
    events: Option<Vec<Event>>,
    facts: Facts,
    times: Option<(u32, u32)>,
}

impl HeapBuilder {
    /// A heap with the library's classes, or without any.
    pub fn new(settings: HeapSettings) -> HeapBuilder {
        let mut heap = HeapBuilder {
            settings,
            classes: Vec::new(),
            by_name: HashMap::new(),
            array_classes: HashMap::new(),
            absent_classes: HashMap::new(),
            objects: Vec::new(),
            repeats: Vec::new(),
            shared_boxes: HashMap::new(),
            present: None,
            thread_locals: 0,
            roots: Vec::new(),
            threads: Vec::new(),
            traces: Vec::new(),
            bare_threads: Vec::new(),
            regions: Vec::new(),
            events: None,
            facts: Facts {
                word_size: Some(settings.word),
                version_text: Some(Name::from_text(VERSION_TEXT)),
                hash_regime: Some(HashRegime::WhereUsed32),
                ..Facts::default()
            },
            times: None,
        };
        if settings.world {
            heap.declare_world();
        }
        heap
    }

    /// The settings.
    pub fn settings(&self) -> HeapSettings {
        self.settings
    }

    /// The facts of the dump's header, to be changed.
    pub fn facts_mut(&mut self) -> &mut Facts {
        &mut self.facts
    }

    /// Sets when the heap was dumped, and when that ended: microseconds since the time stamp.
    pub fn set_times(&mut self, begin: u32, end: u32) {
        self.times = Some((begin, end));
    }

    /// Adds a part of the heap (Android).
    pub fn add_region(&mut self, region: Region) {
        self.regions.push(region);
    }

    /// Adds an entry of the process's log, with the identifiers that it has in the dump.
    pub fn add_event(&mut self, event: Event) {
        event.append_to(self.events.get_or_insert_default());
    }

    /// Makes the process's log a known one, though it may be empty.
    pub fn begin_log(&mut self) {
        self.events.get_or_insert_default();
    }

    /// Adds a root, of a kind by its name in listings, such as `jni-global`.
    ///
    /// # Errors
    /// If there is no such kind.
    pub fn root(&mut self, kind: &str, object: impl Into<ReferenceTarget>) -> Result<(), BuildError> {
        let form = RootKind::FORMS.iter().find(|form| form.name == kind).ok_or_else(|| {
            let names = RootKind::FORMS.iter().map(|form| form.name);
            BuildError::unknown("kind of root", kind, names)
        })?;
        self.add_root(form.kind, object.into(), None);
        Ok(())
    }

    /// Adds a root with all its numbers, and its place in the file.
    pub fn add_root(&mut self, kind: RootKind, object: ReferenceTarget, after: Option<u64>) {
        self.roots.push(BuiltRoot { kind, object, after });
    }

    /// Adds a stack trace by its serial number. The classes of its frames take the place of the addresses in the frames.
    pub fn add_trace(&mut self, trace: StackTrace, classes: Vec<Option<ClassId>>) {
        self.traces.push((trace, classes));
    }

    /// Adds a thread by its serial number. The object takes the place of that in the thread.
    pub fn add_thread(&mut self, thread: Thread, object: ReferenceTarget) {
        self.bare_threads.push((thread, object));
    }

    /// The serial number of the trace without frames, which objects name that have no other.
    pub(crate) fn empty_trace(&self) -> Serial {
        Serial(self.settings.library.first_serials().1)
    }
}
