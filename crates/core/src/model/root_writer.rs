//! Roots that a writer of heap dumps records, and the numbers that it gives to them.
//!
//! Which kinds it has is in the rows of [`RootKind::FORMS`](super::RootKind::FORMS). All of this was seen in dumps of
//! JDK 5, 8, 11, 17, 21 and 25, of `jhsdb jmap --binaryheap` of JDK 17 and of the hprof agent of JDK 6, and agrees with
//! the writers' sources (`heapDumper.cpp`, `HeapHprofBinWriter.java`, `hprof_site.c`, ART's `hprof.cc`).

use std::collections::{HashMap, HashSet};

use super::blocks::ObjectBlocks;
use super::{Address, Class, Hierarchy, Object, Root, RootKind, RootNumber, RootWriter, Serial};

impl RootWriter {
    /// The roots that a dump of this writer records, in their own order and with the numbers that it gives to them. Left
    /// out are
    ///
    /// - kinds that it does not write;
    /// - threads without an object, and those whose object is known to be no `java/lang/Thread`;
    /// - in dumps of HotSpot and the hprof agent, sticky classes but those of the boot loader that are no arrays;
    /// - in dumps of HotSpot and the serviceability agent, locals of threads that are no root themselves;
    /// - in ART's dumps, repetitions of a root that has no numbers.
    pub fn recorded_roots(self, roots: &[Root], objects: &RootObjects) -> Vec<Root> {
        let is_hotspot = matches!(self, RootWriter::HotSpot | RootWriter::HotSpot8);
        let has_boot_classes = is_hotspot || self == RootWriter::Agent;
        let is_thread = |root: &Root| matches!(root.kind, RootKind::ThreadObject(..));
        let is_told = |root: &&Root| {
            root.kind.form().writers.contains(&self)
                && (!is_thread(root) || objects.can_be_thread(root.object))
                && (!has_boot_classes || root.kind != RootKind::StickyClass || objects.sticky.contains(&root.object))
        };
        let mut told: Vec<Root> = roots.iter().filter(is_told).map(|root| self.renumber(*root)).collect();
        if is_hotspot || self == RootWriter::Sa {
            let threads: HashSet<Serial> =
                told.iter().filter(|root| is_thread(root)).filter_map(|root| root.kind.thread()).collect();
            told.retain(|root| root.kind.thread().is_none_or(|thread| threads.contains(&thread)));
        }
        if self == RootWriter::Art {
            let mut seen = HashSet::new();
            told.retain(|root| {
                let mut kind = root.kind;
                let has_numbers = kind.numbers().next().is_some();
                has_numbers || seen.insert((kind.index(), root.object))
            });
        }
        told
    }

    /// The root with the numbers that this writer gives to it: the agents that know no frame have -1, and one trace for
    /// all threads.
    fn renumber(self, mut root: Root) -> Root {
        let trace = match self {
            RootWriter::HotSpot | RootWriter::HotSpot8 | RootWriter::Agent => return root,
            RootWriter::Sa => 1,
            RootWriter::Art => u32::MAX.into(),
        };
        for number in root.kind.numbers() {
            match number {
                RootNumber::Frame(_) => number.set(-1_i32 as u32 as u64),
                RootNumber::Trace(_) => number.set(trace),
                RootNumber::Reference(_) | RootNumber::Thread(_) => {}
            }
        }
        root
    }
}

/// Facts of a heap about the objects that its roots name.
#[derive(Clone, Debug, Default)]
pub struct RootObjects {
    /// `java/lang/Thread` and its subclasses; empty where the heap does not have that class, so that nothing is known.
    threads: HashSet<Address>,
    /// Objects of thread roots that were not seen yet.
    asked: HashSet<Address>,
    /// Objects of thread roots that are no threads.
    others: HashSet<Address>,
    /// Classes of the boot loader that are no arrays.
    sticky: HashSet<Address>,
    /// Classes of primitive types.
    primitives: HashSet<Address>,
}

impl RootObjects {
    /// The facts of the class table; [`record_object`](RootObjects::record_object) adds those of objects.
    pub fn from_classes(classes: &[Class], roots: &[Root]) -> RootObjects {
        let places: HashMap<Address, usize> =
            classes.iter().enumerate().map(|(place, class)| (class.address, place)).collect();
        let hierarchy = Hierarchy::new(classes, |address| places.get(&address).copied());
        let mut threads = HashSet::new();
        for &place in hierarchy.downward() {
            let above = hierarchy.superclass(place).map(|above| classes[above].address);
            if is_named_thread(&classes[place]) || above.is_some_and(|above| threads.contains(&above)) {
                threads.insert(classes[place].address);
            }
        }
        let is_sticky =
            |class: &&Class| class.loader.unwrap_or_default().is_null() && !class.is_array() && !class.is_primitive();
        let of_threads = roots.iter().filter(|root| matches!(root.kind, RootKind::ThreadObject(..)));
        let of_threads = of_threads.map(|root| root.object).filter(|_| !threads.is_empty());
        let (others, asked) = of_threads.partition(|object| places.contains_key(object));
        let sticky = classes.iter().filter(is_sticky).map(|class| class.address).collect();
        let primitives = classes.iter().filter(|class| class.is_primitive()).map(|class| class.address).collect();
        RootObjects { threads, asked, others, sticky, primitives }
    }

    /// Whether objects would add facts.
    pub fn needs_objects(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Adds the facts of an object.
    pub fn record_object(&mut self, object: &Object) {
        if self.needs_objects() && self.asked.remove(&object.address) {
            let is_thread = object.class.is_some_and(|class| self.threads.contains(&class));
            if !is_thread {
                self.others.insert(object.address);
            }
        }
    }

    /// Adds the facts of the objects in blocks that are asked for.
    pub fn record_blocks(&mut self, blocks: &dyn ObjectBlocks) {
        let asked: Vec<Address> = self.asked.iter().copied().collect();
        for address in asked {
            if let Some((block, object)) = blocks.find(address) {
                let shape = &blocks.shapes()[blocks.shape_of(block)];
                self.record_object(&Object { address, ..shape.objects[object].clone() });
            }
        }
    }

    /// Whether this is the class of a primitive type.
    pub(crate) fn is_primitive(&self, class: Address) -> bool {
        self.primitives.contains(&class)
    }

    /// Whether this may be a thread's object: what is not in the heap may be one.
    fn can_be_thread(&self, object: Address) -> bool {
        !object.is_null() && !self.others.contains(&object)
    }
}

fn is_named_thread(class: &Class) -> bool {
    matches!(class.name.as_bytes(), b"java/lang/Thread" | b"java.lang.Thread")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ObjectKind;

    fn class(address: u64, name: &str, superclass: u64) -> Class {
        Class {
            address: Address(address),
            name: name.into(),
            superclass: Some(Address(superclass)),
            ..Class::default()
        }
    }

    fn root(object: u64, kind: RootKind) -> Root {
        Root { object: Address(object), kind, after: None }
    }

    /// A thread of a subclass, an object that is none, and one that is not in the heap.
    #[test]
    fn hotspot_has_threads_that_are_threads_and_their_locals() {
        let classes = [
            class(1, "java/lang/Object", 0),
            class(2, "java/lang/Thread", 1),
            class(3, "pkg/Worker", 2),
            class(4, "[I", 1),
            class(5, "int", 0),
        ];
        let roots = [
            root(0x10, RootKind::ThreadObject(Serial(1), Serial(2))),
            root(0x11, RootKind::ThreadObject(Serial(2), Serial(3))),
            root(0x12, RootKind::ThreadObject(Serial(3), Serial(4))),
            root(0, RootKind::ThreadObject(Serial(4), Serial(5))),
            root(0x20, RootKind::JavaFrame(Serial(1), 0)),
            root(0x20, RootKind::JniLocal(Serial(2), -1)),
            root(0x20, RootKind::JniLocal(Serial(3), -1)),
            root(0x20, RootKind::JavaFrame(Serial(9), 0)),
            root(0x20, RootKind::MonitorUsed),
            root(0x20, RootKind::NativeStack(Serial(1))),
            root(1, RootKind::StickyClass),
            root(4, RootKind::StickyClass),
            root(5, RootKind::StickyClass),
            root(0x20, RootKind::StickyClass),
        ];
        let mut objects = RootObjects::from_classes(&classes, &roots);
        assert!(objects.needs_objects());
        for (address, class) in [(0x10, 3), (0x11, 1), (0x20, 1)] {
            let kind = ObjectKind::Instance;
            objects.record_object(&Object { class: Some(Address(class)), ..Object::new(Address(address), kind) });
        }
        let told = |writer: RootWriter| writer.recorded_roots(&roots, &objects);
        let expected = [0, 2, 4, 6, 10].map(|index: usize| roots[index]);
        assert_eq!(told(RootWriter::HotSpot), expected);
        let with_monitor = [0, 2, 4, 6, 8, 10].map(|index: usize| roots[index]);
        assert_eq!(told(RootWriter::HotSpot8), with_monitor);
        // Where the heap has no java/lang/Thread, any object may be one.
        let unknown = RootObjects::from_classes(&classes[..1], &roots);
        assert!(!unknown.needs_objects());
        assert_eq!(RootWriter::HotSpot.recorded_roots(&roots[..3], &unknown), &roots[..3]);
    }

    #[test]
    fn art_has_no_obsolete_kinds_and_no_frame_or_trace_numbers() {
        let roots = [
            root(1, RootKind::ThreadObject(Serial(1), Serial(2))),
            root(1, RootKind::JavaFrame(Serial(1), 3)),
            root(1, RootKind::JniMonitor(Serial(1), 0)),
            root(1, RootKind::Finalizing),
            root(1, RootKind::ReferenceCleanup),
            root(1, RootKind::Unreachable),
            root(1, RootKind::Debugger),
            root(1, RootKind::Debugger),
            root(1, RootKind::NativeStack(Serial(1))),
            root(1, RootKind::NativeStack(Serial(1))),
        ];
        let told = RootWriter::Art.recorded_roots(&roots, &RootObjects::default());
        let expected = [
            root(1, RootKind::ThreadObject(Serial(1), Serial(u32::MAX))),
            root(1, RootKind::JavaFrame(Serial(1), -1)),
            root(1, RootKind::JniMonitor(Serial(1), -1)),
            root(1, RootKind::Debugger),
            root(1, RootKind::NativeStack(Serial(1))),
            root(1, RootKind::NativeStack(Serial(1))),
        ];
        assert_eq!(told, expected);
    }
}
