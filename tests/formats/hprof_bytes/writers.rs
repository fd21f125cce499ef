//! A small heap, and what each writer's file has to stand.

use heapsmith::hprof::lower::{self, LowerOptions, Profile};
use heapsmith::hprof::{Decoder, lift};
use heapsmith::lower::Adherence;
use heapsmith::model::{
    Address, Class, Contents, Facts, Field, FieldType, Heap, Object, ObjectKind, PoolEntry, PrimitiveType, Root,
    RootKind, Serial, StackFrame, StackTrace, Static, Surroundings, Thread, Value,
};
use pretty_assertions::assert_eq;

use super::dump::{name, spelled};

/// The numbers that a writer gives to its one thread and the trace of it.
#[derive(Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) thread: u32,
    /// The thread that the trace names.
    pub(crate) of_trace: u32,
    pub(crate) trace: u32,
}

/// Thread 1 has trace 2: HotSpot's way.
pub(crate) const HOTSPOT: Numbers = Numbers { thread: 1, of_trace: 1, trace: 2 };

/// `class A { static Object SELF; static long COUNT; Object next; int n; }` and one instance of it, which is also the
/// only thread, in `run`; an array of ints; with `arrays` an `A[]` and the classes of both.
pub(crate) fn small_heap(arrays: bool, numbers: Numbers) -> Heap {
    let int = FieldType::Primitive(PrimitiveType::Int);
    let object = class(0x1000, "java/lang/Object", 0);
    let class_a = Class {
        loader: Some(Address(0x2040)),
        signers: Some(Address(0x2050)),
        protection_domain: Some(Address(0x2060)),
        statics: Some(vec![
            Static { name: name("SELF"), value: Value::reference(Address(0x2000)) },
            Static { name: name("COUNT"), value: Value::primitive(PrimitiveType::Long, 5) },
        ]),
        constant_pool: Some(vec![PoolEntry { index: 3, value: Value::reference(Address(0x2000)) }]),
        fields: Some(vec![Field { name: name("next"), kind: FieldType::Object }, Field { name: name("n"), kind: int }]),
        ..class(0x1010, "A", 0x1000)
    };
    let of_a = Class { loader: Some(Address(0x2040)), ..class(0x1020, "[LA;", 0x1000) };
    let of_int = class(0x1030, "[I", 0x1000);
    let instance = Object {
        class: Some(Address(0x1010)),
        contents: Contents::Fields(vec![
            Value::reference(Address(0x2010)),
            Value::primitive(PrimitiveType::Int, 0xffff_fff9),
        ]),
        ..Object::new(Address(0x2000), ObjectKind::Instance)
    };
    let array = Object {
        class: Some(Address(0x1020)),
        length: Some(2),
        contents: Contents::Elements(vec![Address(0x2000), Address(0)]),
        ..Object::new(Address(0x2010), ObjectKind::ObjectArray)
    };
    let ints = Object {
        length: Some(2),
        contents: Contents::Primitives(vec![0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe]),
        ..Object::new(Address(0x2020), ObjectKind::PrimitiveArray(PrimitiveType::Int))
    };
    let (thread, trace) = (Serial(numbers.thread), Serial(numbers.trace));
    let root = |object, kind| Root { object: Address(object), kind, after: None };
    let frame = StackFrame {
        method: name("run"),
        signature: name("()V"),
        source: Some(name("A.java")),
        class: Some(Address(0x1010)),
        line: 42,
    };
    Heap {
        facts: Facts { timestamp: Some(1_700_000_000_000), ..Facts::default() },
        classes: if arrays { vec![object, class_a, of_a, of_int] } else { vec![object, class_a] },
        objects: if arrays { vec![instance, array, ints] } else { vec![instance, ints] },
        surroundings: Surroundings {
            roots: Some(vec![
                root(0x2000, RootKind::ThreadObject(thread, trace)),
                root(0x2000, RootKind::JavaFrame(thread, 0)),
                root(0x2020, RootKind::JniGlobal(Address(0x3000))),
                root(0x1000, RootKind::StickyClass),
            ]),
            threads: Some(vec![Thread {
                serial: thread,
                object: Address(0x2000),
                name: Some(name("main")),
                trace: Some(trace),
            }]),
            traces: Some(vec![StackTrace { serial: trace, thread: Serial(numbers.of_trace), frames: [frame].into() }]),
            ..Surroundings::default()
        },
    }
}

fn class(address: u64, of: &str, superclass: u64) -> Class {
    Class {
        address: Address(address),
        name: name(of),
        superclass: Some(Address(superclass)),
        statics: Some(Vec::new()),
        fields: Some(Vec::new()),
        ..Class::default()
    }
}

pub(crate) fn options(profile: &str) -> LowerOptions {
    LowerOptions::default().with_profile(profile).expect("a profile")
}

/// The options of a profile with another of its framings.
pub(crate) fn framed(profile: &str, number: usize) -> LowerOptions {
    let options = options(profile);
    options.framing(options.profile.framings.get(number))
}

/// A heap becomes exactly this file, is read from it again, and written again in its own order. The file is told by
/// the profile of this name.
pub(crate) fn check(heap: &Heap, options: &LowerOptions, file: &[u8], recognised: &str) {
    let written = lower::to_bytes(heap, options).expect("the heap can be said");
    assert_eq!(lines(&written), lines(file), "{}", options.profile.name);
    let carried = lower::carry(&mut heap.clone(), options).expect("the heap can be said");
    let (read, ended) = lift::heap(file).expect("a sound header");
    ended.expect("sound");
    assert_eq!(read, carried, "read again");
    let as_heap = options.adherence(Adherence::Heap);
    let again = lower::to_bytes(&read, &as_heap).expect("the heap can be said");
    assert_eq!(lines(&again), lines(file), "{}: written again", options.profile.name);
    let mut dump = lift::HprofDump::new(|| Ok(Decoder::new(file)?)).expect("sound");
    let bytes = file.to_vec();
    let found = lower::recognise(&mut dump, || Ok(Box::new(std::io::Cursor::new(bytes.clone())))).expect("readable");
    assert_eq!(found.map(|options| options.profile.name), Some(recognised));
}

/// Bytes in lines: a difference is shown where it is.
fn lines(bytes: &[u8]) -> String {
    bytes.chunks(16).map(|line| spelled(line) + "\n").collect()
}

#[test]
fn every_profile_but_the_seeded_one_has_a_file_spelled_by_hand() {
    let names: Vec<&str> = lower::PROFILES.iter().filter(|p: &&Profile| !p.is_seeded()).map(|p| p.name).collect();
    assert_eq!(names, ["hotspot-25", "hotspot-21", "hotspot-17", "hotspot-11", "hotspot-8", "sa", "agent", "art"]);
}
