//! A small heap with what HPROF alone can tell, built by hand.

use crate::hprof::IdSize;
use crate::model::{
    Address, Class, Contents, Facts, Field, FieldType, Heap, Name, Object, ObjectKind, PoolEntry, PrimitiveType,
    Region, Root, RootKind, Serial, StackFrame, StackTrace, Static, Surroundings, Thread, Value, WordSize,
};

/// How the writer numbers threads and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Threads from 1, the trace n + 1 for the thread n.
    HotSpot,
    /// Threads from 200001, traces from 300001, each of thread 0.
    Agent,
    /// Threads from 1, whose roots name the trace ffffffff; no traces.
    Art,
}

impl Numbers {
    /// Those of a profile.
    pub(super) fn of(profile: &str) -> Numbers {
        match profile {
            "agent" => Numbers::Agent,
            "art" => Numbers::Art,
            _ => Numbers::HotSpot,
        }
    }
}

/// Addresses of the specimen: classes 0x40 apart, objects 0x20 apart after them. With identifiers of 4 bytes they
/// are above 2^31, with 8 above 2^47.
struct Ground(u64);

impl Ground {
    fn class(&self, n: u64) -> Address {
        Address(self.0 + 0x40 * n)
    }

    fn object(&self, n: u64) -> Address {
        Address(self.0 + 0x1_0000 + 0x20 * n)
    }
}

const OBJECT: u64 = 0;
const CLASS: u64 = 1;
const STRING: u64 = 2;
const THREAD: u64 = 3;
const LOADER: u64 = 4;
const BASE: u64 = 5;
const MIDDLE: u64 = 6;
const LEAF: u64 = 7;
const TWIN: u64 = 8;
const OTHER_TWIN: u64 = 9;
const LAMBDA: u64 = 10;
const ODD: u64 = 11;
const HALF: u64 = 12;
/// The classes of arrays: the eight primitive ones, then Object[], String[] and int[][].
const ARRAYS: u64 = 16;
const OBJECTS: u64 = 24;
const STRINGS: u64 = 25;
const INTS_OF_INTS: u64 = 26;

/// Fields and static fields of every type, a hierarchy of three, arrays of every kind, names that are hard to read,
/// roots of every kind, threads with traces, class loaders, signers, a constant pool, parts of the heap, and
/// references and roots that lead nowhere.
pub(super) fn specimen(id: IdSize, numbers: Numbers) -> Heap {
    let ground = Ground(if id == IdSize::Eight { 0xffff_8000_0001_0000 } else { 0x9000_0000 });
    Heap {
        facts: Facts {
            word_size: Some(if id == IdSize::Eight { WordSize::Bits64 } else { WordSize::Bits32 }),
            timestamp: Some(1_700_000_000_123),
            ..Facts::default()
        },
        classes: classes(&ground),
        objects: objects(&ground),
        surroundings: surroundings(&ground, numbers),
    }
}

/// The same process a while later: one object and one class more, a name that is new.
pub(super) fn later(mut heap: Heap) -> Heap {
    let (class, object) = (heap.classes[OBJECT as usize].address, heap.objects[0].address);
    let address = Address(class.0 + 0x8000);
    heap.classes.push(Class { address, ..named("pkg/Later".into(), class, Vec::new()) });
    heap.objects.remove(3);
    heap.objects.push(Object {
        class: Some(address),
        contents: Contents::Fields(Vec::new()),
        ..Object::new(Address(object.0 + 0x8000), ObjectKind::Instance)
    });
    heap
}

fn named(name: Name, superclass: Address, fields: Vec<Field>) -> Class {
    Class {
        name,
        superclass: Some(superclass),
        loader: Some(Address::NULL),
        statics: Some(Vec::new()),
        fields: Some(fields),
        ..Class::default()
    }
}

fn field(name: impl Into<Name>, kind: FieldType) -> Field {
    Field { name: name.into(), kind }
}

fn primitive(name: &str, kind: PrimitiveType) -> Field {
    field(name, FieldType::Primitive(kind))
}

fn classes(ground: &Ground) -> Vec<Class> {
    let object = ground.class(OBJECT);
    let reference = |name: &str| field(name, FieldType::Object);
    let every: Vec<Field> = std::iter::once(reference("next"))
        .chain(PrimitiveType::ALL.map(|kind| primitive(&format!("the{}", kind.signature()), kind)))
        .collect();
    let statics = |pairs: Vec<(&str, Value)>| {
        Some(pairs.into_iter().map(|(name, value)| Static { name: name.into(), value }).collect())
    };
    let twin = |loader, signers, domain| Class {
        loader: Some(loader),
        signers: Some(signers),
        protection_domain: Some(domain),
        ..named("pkg/Twin".into(), object, vec![primitive("weight", PrimitiveType::Double)])
    };
    let own = vec![
        (OBJECT, named("java/lang/Object".into(), Address::NULL, Vec::new())),
        (CLASS, named("java/lang/Class".into(), object, vec![reference("name")])),
        (
            STRING,
            Class {
                statics: statics(vec![
                    ("serialVersionUID", Value::primitive(PrimitiveType::Long, 0xa0f0_a438_7a3b_b342)),
                    ("COMPACT_STRINGS", Value::primitive(PrimitiveType::Boolean, 1)),
                ]),
                ..named(
                    "java/lang/String".into(),
                    object,
                    vec![
                        reference("value"),
                        primitive("hash", PrimitiveType::Int),
                        primitive("coder", PrimitiveType::Byte),
                    ],
                )
            },
        ),
        (
            THREAD,
            named("java/lang/Thread".into(), object, vec![reference("name"), primitive("tid", PrimitiveType::Long)]),
        ),
        (LOADER, named("pkg/Loader".into(), object, vec![reference("parent")])),
        (
            BASE,
            Class {
                statics: Some(
                    values(ground.object(9), LOW)
                        .into_iter()
                        .zip(&every)
                        .map(|(value, field)| Static { name: field.name.clone(), value })
                        .chain([Static { name: "next".into(), value: Value::reference(Address::NULL) }])
                        .collect(),
                ),
                constant_pool: Some(vec![
                    PoolEntry { index: 7, value: Value::reference(ground.object(0)) },
                    PoolEntry { index: 9, value: Value::reference(ground.class(STRING)) },
                ]),
                ..named("pkg/Base".into(), object, every.clone())
            },
        ),
        (MIDDLE, named("pkg/Middle".into(), ground.class(BASE), Vec::new())),
        (
            LEAF,
            named(
                "pkg/Leaf".into(),
                ground.class(MIDDLE),
                vec![
                    reference("next"),
                    primitive("a\u{0}b", PrimitiveType::Byte),
                    primitive("\u{1f600}", PrimitiveType::Char),
                    field(Name::from_bytes([0xed, 0xa0, 0x80]), FieldType::Primitive(PrimitiveType::Short)),
                ],
            ),
        ),
        (TWIN, twin(Address::NULL, Address::NULL, Address::NULL)),
        (OTHER_TWIN, twin(ground.object(6), ground.object(12), ground.object(7))),
        (LAMBDA, named("pkg/Leaf$$Lambda$14+0x00007f6d9c007228".into(), object, vec![reference("arg$1")])),
        (ODD, named(Name::from_text("pkg/\u{dc}n\u{131}\u{1f600}\u{0}"), object, Vec::new())),
        (HALF, named(Name::from_bytes(*b"pkg/\xed\xb0\x80"), object, Vec::new())),
    ];
    let arrays = PrimitiveType::ALL.map(|kind| format!("[{}", kind.signature())).into_iter();
    let arrays = arrays.chain(["[Ljava/lang/Object;", "[Ljava/lang/String;", "[[I"].map(str::to_owned));
    let arrays = arrays.zip(ARRAYS..).map(|(name, n)| (n, named(name.as_str().into(), object, Vec::new())));
    own.into_iter().chain(arrays).map(|(n, class)| Class { address: ground.class(n), ..class }).collect()
}

/// The lowest values of the primitive types: false, U+0000, and so on.
const LOW: [u64; 8] = [0, 0, 0xff80_0000, 0xfff0_0000_0000_0000, 0x80, 0x8000, 0x8000_0000, 0x8000_0000_0000_0000];
/// The highest: true, U+FFFF, a float and a double that are no number, and so on.
const HIGH: [u64; 8] = [1, 0xffff, 0x7fc0_0000, 0x7ff8_0000_0000_0000, 0x7f, 0x7fff, 0x7fff_ffff, u64::MAX >> 1];

fn values(reference: Address, bits: [u64; 8]) -> Vec<Value> {
    let primitive = PrimitiveType::ALL.into_iter().zip(bits).map(|(kind, bits)| Value::primitive(kind, bits));
    std::iter::once(Value::reference(reference)).chain(primitive).collect()
}

fn objects(ground: &Ground) -> Vec<Object> {
    let at = |n| ground.object(n);
    let reference = Value::reference;
    let instance = |n, class, values: Vec<Value>| Object {
        class: Some(ground.class(class)),
        contents: Contents::Fields(values),
        ..Object::new(at(n), ObjectKind::Instance)
    };
    let array = |n, class, elements: Vec<Address>| Object {
        class: Some(ground.class(class)),
        length: Some(elements.len() as u64),
        contents: Contents::Elements(elements),
        ..Object::new(at(n), ObjectKind::ObjectArray)
    };
    let primitives = |n, kind: PrimitiveType, bytes: Vec<u8>| Object {
        length: Some(bytes.len() as u64 / kind.size()),
        contents: Contents::Primitives(bytes),
        ..Object::new(at(n), ObjectKind::PrimitiveArray(kind))
    };
    let string = |n, value, hash| {
        let hash = Value::primitive(PrimitiveType::Int, hash);
        instance(n, STRING, vec![reference(value), hash, Value::primitive(PrimitiveType::Byte, 1)])
    };
    let thread = |n, name, tid| instance(n, THREAD, vec![reference(name), Value::primitive(PrimitiveType::Long, tid)]);
    let leaf = |n, next, base| {
        let own = [(PrimitiveType::Byte, 0xff), (PrimitiveType::Char, 0xd800), (PrimitiveType::Short, 0x8001)];
        let own = own.map(|(kind, bits)| Value::primitive(kind, bits));
        instance(n, LEAF, std::iter::once(reference(next)).chain(own).chain(values(base, HIGH)).collect())
    };
    // Where nothing is.
    let nowhere = Address(ground.0 + 0xf_0000);
    let mut objects = vec![
        string(0, at(1), 0x9e37_79b9),
        primitives(1, PrimitiveType::Byte, b"\x41\xff\x00".to_vec()),
        string(2, Address::NULL, 0),
        instance(3, OBJECT, Vec::new()),
        thread(4, at(0), 1),
        thread(5, at(2), u64::MAX),
        instance(6, LOADER, vec![reference(at(7))]),
        instance(7, LOADER, vec![reference(Address::NULL)]),
        instance(8, BASE, values(at(9), LOW)),
        leaf(9, at(8), at(9)),
        leaf(10, nowhere, at(10)),
        array(11, OBJECTS, vec![at(0), Address::NULL, nowhere, ground.class(CLASS)]),
        array(12, OBJECTS, Vec::new()),
        array(13, STRINGS, vec![Address::NULL, at(0), at(0)]),
        array(14, INTS_OF_INTS, vec![at(40), Address::NULL]),
        instance(15, TWIN, vec![Value::primitive(PrimitiveType::Double, 0x3ff0_0000_0000_0000)]),
        instance(16, OTHER_TWIN, vec![Value::primitive(PrimitiveType::Double, 0x8000_0000_0000_0000)]),
        instance(17, LAMBDA, vec![reference(at(9))]),
        instance(18, ODD, Vec::new()),
        instance(19, HALF, Vec::new()),
        // The class object of a primitive type.
        instance(20, CLASS, vec![reference(at(0))]),
        primitives(40, PrimitiveType::Int, vec![0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]),
    ];
    for (kind, n) in PrimitiveType::ALL.into_iter().zip(0..) {
        objects.push(primitives(50 + 2 * n, kind, Vec::new()));
        let bytes: Vec<u8> = match kind {
            PrimitiveType::Boolean => vec![0, 1, 1],
            kind => (0..3 * kind.size()).map(|byte| 0xf8_u8.wrapping_add(byte as u8)).collect(),
        };
        objects.push(primitives(51 + 2 * n, kind, bytes));
    }
    objects
}

fn surroundings(ground: &Ground, numbers: Numbers) -> Surroundings {
    let at = |n| ground.object(n);
    let (first, trace, of_thread) = match numbers {
        Numbers::HotSpot => (1, 2, true),
        Numbers::Agent => (200_001, 300_001, false),
        Numbers::Art => (1, u32::MAX, false),
    };
    let serial = |n: u32| Serial(first + n);
    let trace = |n: u32| if numbers == Numbers::Art { Serial(trace) } else { Serial(trace + n) };
    let frame = |n: u64, method: &str, source: Option<&str>, line| StackFrame {
        method: method.into(),
        signature: "()V".into(),
        source: source.map(Name::from),
        class: Some(ground.class(n)),
        line,
    };
    let traces = vec![
        StackTrace {
            serial: trace(0),
            thread: if of_thread { serial(0) } else { Serial(0) },
            frames: [
                frame(OBJECT, "wait", None, -3),
                frame(LEAF, "run", Some("Leaf.java"), 42),
                frame(THREAD, "run", Some("Thread.java"), -1),
            ]
            .into(),
        },
        StackTrace {
            serial: trace(1),
            thread: if of_thread { serial(1) } else { Serial(0) },
            frames: [frame(BASE, "<clinit>", Some("Base.java"), 1)].into(),
        },
    ];
    let innermost = if numbers == Numbers::Art { -1 } else { 0 };
    let kinds = [
        (at(4), RootKind::ThreadObject(serial(0), trace(0))),
        (at(5), RootKind::ThreadObject(serial(1), trace(1))),
        (at(3), RootKind::JavaFrame(serial(0), innermost)),
        (at(9), RootKind::JavaFrame(serial(0), if innermost == 0 { 1 } else { -1 })),
        (at(9), RootKind::JniLocal(serial(1), -1)),
        (at(11), RootKind::NativeStack(serial(1))),
        (at(11), RootKind::ThreadBlock(serial(0))),
        (at(3), RootKind::MonitorUsed),
        (at(0), RootKind::JniGlobal(Address(0xfeed))),
        (ground.class(BASE), RootKind::StickyClass),
        (ground.class(BASE), RootKind::StickyClass),
        (Address(ground.0 + 0xe_0000), RootKind::Unknown),
        (at(0), RootKind::InternedString),
        (at(8), RootKind::Finalizing),
        (at(8), RootKind::Debugger),
        (at(8), RootKind::ReferenceCleanup),
        (at(20), RootKind::VmInternal),
        (at(19), RootKind::Unreachable),
        (at(3), RootKind::JniMonitor(serial(1), -1)),
    ];
    let thread =
        |n, object, name: &str| Thread { serial: serial(n), object, name: Some(name.into()), trace: Some(trace(n)) };
    let region = |id: u8, name: &str, after| Region { id: id.into(), name: name.into(), after };
    Surroundings {
        roots: Some(kinds.map(|(object, kind)| Root { object, kind, after: None }).to_vec()),
        threads: Some(vec![thread(0, at(4), "main"), thread(1, at(5), "")]),
        traces: Some(if numbers == Numbers::Art { Vec::new() } else { traces }),
        regions: Some(vec![region(b'Z', "zygote", 0), region(b'A', "app", 30), region(b'I', "image", 50)]),
        ..Surroundings::default()
    }
}
