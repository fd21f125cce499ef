//! A small heap with the facts that only HPROF can record, built by hand.

use crate::generate::Library;
use crate::generate::library::LibraryClass;
use crate::hprof::IdSize;
use crate::model::{
    Address, Class, Contents, Facts, Field, FieldType, Heap, Name, Object, ObjectKind, PoolEntry, PrimitiveType,
    Region, Root, RootKind, Serial, StackFrame, StackTrace, Static, Surroundings, Thread, Value, WordSize,
};

/// The writer's numbering of threads and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SerialNumbering {
    /// Threads from 1, the trace n + 1 for the thread n.
    HotSpot,
    /// Threads from 200001, traces from 300001, each of thread 0.
    Agent,
    /// Threads from 1, whose roots name the trace ffffffff; no traces.
    Art,
}

impl SerialNumbering {
    /// The numbering of a profile.
    pub(super) fn for_profile(profile: &str) -> SerialNumbering {
        match profile {
            "agent" => SerialNumbering::Agent,
            "art" => SerialNumbering::Art,
            _ => SerialNumbering::HotSpot,
        }
    }
}

/// The unusual part of a specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpecimenTwist {
    /// The plain specimen.
    Plain,
    /// Names of fields and classes with U+0000, characters beyond U+FFFF and lone surrogates.
    Names,
    /// The lowest and highest values of every type, and floats that are no numbers.
    Values,
    /// References and a root that lead nowhere.
    Dangling,
    /// Addresses above 2^31, or with identifiers of 8 bytes above 2^63.
    HighAddresses,
}

/// A specimen: the size of its identifiers, how threads are numbered, whose library it has, and what is odd.
#[derive(Clone, Copy, Debug)]
pub(super) struct Specimen {
    pub(super) id: IdSize,
    pub(super) numbers: SerialNumbering,
    pub(super) library: Library,
    pub(super) twist: SpecimenTwist,
}

/// Addresses of the specimen: classes 0x40 apart, objects 0x20 apart after them.
struct SpecimenAddresses(u64);

impl SpecimenAddresses {
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
const SYSTEM: u64 = 13;
const CLASS_LOADER: u64 = 14;
/// The classes of arrays: the eight primitive ones, then Object[], String[] and int[][].
const ARRAYS: u64 = 16;
const OBJECTS: u64 = 24;
const STRINGS: u64 = 25;
const INTS_OF_INTS: u64 = 26;

/// The classes that every program has, fields and static fields of every type, a hierarchy of three, arrays of every kind,
/// roots of every kind, threads with traces, class loaders, signers, a constant pool and parts of the heap.
pub(super) fn specimen(wanted: Specimen) -> Heap {
    let is_high = wanted.twist == SpecimenTwist::HighAddresses;
    let ground = SpecimenAddresses(match (wanted.id, is_high) {
        (IdSize::Eight, false) => 0x7f00_0001_0000,
        (IdSize::Eight, true) => 0xffff_8000_0001_0000,
        (_, false) => 0x2c00_0000,
        (_, true) => 0x9000_0000,
    });
    Heap {
        facts: Facts {
            word_size: Some(if wanted.id == IdSize::Eight { WordSize::Bits64 } else { WordSize::Bits32 }),
            timestamp: Some(1_700_000_000_123),
            ..Facts::default()
        },
        classes: classes(&ground, wanted),
        objects: objects(&ground, wanted),
        surroundings: surroundings(&ground, wanted),
    }
}

/// The fields of a class of the library.
fn library_fields(library: Library, name: &str) -> Vec<Field> {
    library.classes().into_iter().find(|class| class.name == name).map(|class| class.fields).unwrap_or_default()
}

/// An instance's values: those that are given by name, and zeros.
fn instance_values(fields: &[Field], known: &[(&str, u64)]) -> Vec<Value> {
    let bits =
        |field: &Field| known.iter().find(|(name, _)| field.name == Name::from(*name)).map_or(0, |(_, bits)| *bits);
    fields
        .iter()
        .map(|field| match field.kind {
            FieldType::Object => Value::reference(Address(bits(field))),
            FieldType::Primitive(kind) => Value::primitive(kind, bits(field)),
        })
        .collect()
}

/// The heap of the process a while later: one object and one class more, a name that is new.
pub(super) fn later(mut heap: Heap) -> Heap {
    let (class, object) = (heap.classes[OBJECT as usize].address, heap.objects[0].address);
    let address = Address(class.0 + 0x8000);
    heap.classes.push(Class { address, ..class_named("pkg/Later".into(), class, Vec::new()) });
    heap.objects.remove(3);
    heap.objects.push(Object {
        class: Some(address),
        contents: Contents::Fields(Vec::new()),
        ..Object::new(Address(object.0 + 0x8000), ObjectKind::Instance)
    });
    heap
}

fn class_named(name: Name, superclass: Address, fields: Vec<Field>) -> Class {
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

fn classes(ground: &SpecimenAddresses, wanted: Specimen) -> Vec<Class> {
    let object = ground.class(OBJECT);
    let reference = |name: &str| field(name, FieldType::Object);
    let every: Vec<Field> = std::iter::once(reference("next"))
        .chain(PrimitiveType::ALL.map(|kind| primitive(&format!("the{}", kind.signature()), kind)))
        .collect();
    let twin = |loader, signers, domain| Class {
        loader: Some(loader),
        signers: Some(signers),
        protection_domain: Some(domain),
        ..class_named("pkg/Twin".into(), object, vec![primitive("weight", PrimitiveType::Double)])
    };
    let of_library = |class: LibraryClass| {
        let places = [
            ("java/lang/Object", OBJECT),
            ("java/lang/Class", CLASS),
            ("java/lang/String", STRING),
            ("java/lang/Thread", THREAD),
            ("java/lang/ClassLoader", CLASS_LOADER),
            ("java/lang/System", SYSTEM),
        ];
        let place = places.into_iter().find(|(name, _)| *name == class.name)?.1;
        let superclass = if place == OBJECT { Address::NULL } else { object };
        let fixed = class.statics.into_iter().map(|(field, bits)| Static {
            value: instance_values(std::slice::from_ref(&field), &[]).into_iter().next().map_or_else(
                Value::default,
                |zero| match field.kind {
                    FieldType::Object => zero,
                    FieldType::Primitive(kind) => Value::primitive(kind, bits),
                },
            ),
            name: field.name,
        });
        let statics = Some(fixed.collect());
        Some((place, Class { statics, ..class_named(class.name.into(), superclass, class.fields) }))
    };
    let is_odd = wanted.twist == SpecimenTwist::Names;
    let odd = |odd: Name, plain: &str| if is_odd { odd } else { plain.into() };
    let library: Vec<(u64, Class)> = wanted.library.classes().into_iter().filter_map(of_library).collect();
    let own = vec![
        (LOADER, class_named("pkg/Loader".into(), ground.class(CLASS_LOADER), Vec::new())),
        (
            BASE,
            Class {
                statics: Some(
                    values(ground.object(9), if wanted.twist == SpecimenTwist::Values { LOW } else { ONES })
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
                ..class_named("pkg/Base".into(), object, every.clone())
            },
        ),
        (MIDDLE, class_named("pkg/Middle".into(), ground.class(BASE), Vec::new())),
        (
            LEAF,
            class_named(
                "pkg/Leaf".into(),
                ground.class(MIDDLE),
                vec![
                    reference("next"),
                    field(odd("a\u{0}b".into(), "small"), FieldType::Primitive(PrimitiveType::Byte)),
                    field(odd("\u{1f600}".into(), "letter"), FieldType::Primitive(PrimitiveType::Char)),
                    field(
                        odd(Name::from_bytes([0xed, 0xa0, 0x80]), "middle"),
                        FieldType::Primitive(PrimitiveType::Short),
                    ),
                ],
            ),
        ),
        (TWIN, twin(Address::NULL, Address::NULL, Address::NULL)),
        (OTHER_TWIN, twin(ground.object(6), ground.object(12), ground.object(7))),
        (LAMBDA, class_named("pkg/Leaf$$Lambda$14+0x00007f6d9c007228".into(), object, vec![reference("arg$1")])),
        (ODD, class_named(odd(Name::from_text("pkg/\u{dc}n\u{131}\u{1f600}\u{0}"), "pkg/Left"), object, Vec::new())),
        (HALF, class_named(odd(Name::from_bytes(*b"pkg/\xed\xb0\x80"), "pkg/Right"), object, Vec::new())),
    ];
    let arrays = PrimitiveType::ALL.map(|kind| format!("[{}", kind.signature())).into_iter();
    let arrays = arrays.chain(["[Ljava/lang/Object;", "[Ljava/lang/String;", "[[I"].map(str::to_owned));
    let arrays = arrays.zip(ARRAYS..).map(|(name, n)| (n, class_named(name.as_str().into(), object, Vec::new())));
    let mut all: Vec<(u64, Class)> = library.into_iter().chain(own).chain(arrays).collect();
    all.sort_by_key(|(n, _)| *n);
    all.into_iter().map(|(n, class)| Class { address: ground.class(n), ..class }).collect()
}

/// The lowest values of the primitive types: false, U+0000, and so on.
const LOW: [u64; 8] = [0, 0, 0xff80_0000, 0xfff0_0000_0000_0000, 0x80, 0x8000, 0x8000_0000, 0x8000_0000_0000_0000];
/// The highest: true, U+FFFF, a float and a double that are no number, and so on.
const HIGH: [u64; 8] = [1, 0xffff, 0x7fc0_0000, 0x7ff8_0000_0000_0000, 0x7f, 0x7fff, 0x7fff_ffff, u64::MAX >> 1];

/// Ordinary values: true, `a`, 1.5 and 2.5, and small numbers, one of them negative.
const ONES: [u64; 8] = [1, 0x61, 0x3fc0_0000, 0x4004_0000_0000_0000, 0x01, 0xffff, 0x0001_0000, 0x0001_0000_0000];
/// Another set of ordinary values.
const TWOS: [u64; 8] = [0, 0x7a, 0xbfc0_0000, 0xc004_0000_0000_0000, 0xff, 0x0102, 0xffff_fffe, 0xffff_ffff_ffff_fffe];

fn values(reference: Address, bits: [u64; 8]) -> Vec<Value> {
    let primitive = PrimitiveType::ALL.into_iter().zip(bits).map(|(kind, bits)| Value::primitive(kind, bits));
    std::iter::once(Value::reference(reference)).chain(primitive).collect()
}

fn objects(ground: &SpecimenAddresses, wanted: Specimen) -> Vec<Object> {
    let at = |n| ground.object(n);
    let is_odd = wanted.twist == SpecimenTwist::Values;
    let (low, high) = if is_odd { (LOW, HIGH) } else { (ONES, TWOS) };
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
    let object_fields = library_fields(wanted.library, "java/lang/Object");
    // What Android's objects have of java/lang/Object: their class, and a monitor that no one uses.
    let shadows = |place| instance_values(&object_fields, &[("shadow$_klass_", ground.class(place).0)]);
    let of_library = |n, place, name, known: &[(&str, u64)]| {
        let own = instance_values(&library_fields(wanted.library, name), known);
        instance(n, place, [own, shadows(place)].concat())
    };
    let plain = |n, place, own: Vec<Value>| instance(n, place, [own, shadows(place)].concat());
    let string = |n, value: Address, hash| {
        let known = [("value", value.0), ("hash", hash), ("count", 3)];
        of_library(n, STRING, "java/lang/String", &known)
    };
    let thread = |n, name: Address, tid| {
        let known = [("name", name.0), ("tid", tid), ("priority", 5), ("contextClassLoader", at(6).0)];
        of_library(n, THREAD, "java/lang/Thread", &known)
    };
    let loader = |n, parent: Address| of_library(n, LOADER, "java/lang/ClassLoader", &[("parent", parent.0)]);
    let text = wanted.library.text_element();
    let characters: Vec<u8> = match text {
        PrimitiveType::Char => b"\0m\0a\0i\0n".to_vec(),
        _ => b"main".to_vec(),
    };
    let name = |n| if wanted.library.has_character_names() { at(n + 1) } else { at(n) };
    let leaf = |n, next, base| {
        let own = [(PrimitiveType::Byte, 0xff), (PrimitiveType::Char, if is_odd { 0xd800 } else { 0x62 })];
        let own = own.into_iter().chain([(PrimitiveType::Short, 0x8001)]);
        let own = own.map(|(kind, bits)| Value::primitive(kind, bits));
        let all = std::iter::once(reference(next)).chain(own).chain(values(base, high));
        plain(n, LEAF, all.collect())
    };
    // Where nothing is.
    let nowhere = if wanted.twist == SpecimenTwist::Dangling { Address(ground.0 + 0xf_0000) } else { at(3) };
    let mut objects = vec![
        string(0, at(1), 0x9e37_79b9),
        primitives(1, text, characters),
        string(2, at(1), 0),
        plain(3, OBJECT, Vec::new()),
        thread(4, name(0), 1),
        thread(5, name(0), 12),
        loader(6, at(7)),
        loader(7, Address::NULL),
        plain(8, BASE, values(at(9), low)),
        leaf(9, at(8), at(9)),
        leaf(10, nowhere, at(10)),
        array(11, OBJECTS, vec![at(0), Address::NULL, nowhere, ground.class(CLASS)]),
        array(12, OBJECTS, Vec::new()),
        array(13, STRINGS, vec![Address::NULL, at(0), at(0)]),
        array(14, INTS_OF_INTS, vec![at(40), Address::NULL]),
        plain(15, TWIN, vec![Value::primitive(PrimitiveType::Double, 0x3ff0_0000_0000_0000)]),
        plain(16, OTHER_TWIN, vec![Value::primitive(PrimitiveType::Double, 0xbff0_0000_0000_0000)]),
        plain(17, LAMBDA, vec![reference(at(9))]),
        plain(18, ODD, Vec::new()),
        plain(19, HALF, Vec::new()),
        // The class object of a primitive type.
        of_library(20, CLASS, "java/lang/Class", &[("name", at(0).0), ("primitive", 1)]),
        primitives(40, PrimitiveType::Int, vec![0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]),
    ];
    for (kind, n) in PrimitiveType::ALL.into_iter().zip(0..) {
        objects.push(primitives(50 + 2 * n, kind, Vec::new()));
        let bytes: Vec<u8> = match kind {
            PrimitiveType::Boolean => vec![0, 1, 1],
            kind if is_odd => (0..3 * kind.size()).map(|byte| 0xf8_u8.wrapping_add(byte as u8)).collect(),
            kind => {
                let place = kind as usize;
                let three = [ONES[place], TWOS[place], ONES[place]];
                three.iter().flat_map(|bits| bits.to_be_bytes()[8 - kind.size() as usize..].to_vec()).collect()
            }
        };
        objects.push(primitives(51 + 2 * n, kind, bytes));
    }
    objects
}

fn surroundings(ground: &SpecimenAddresses, wanted: Specimen) -> Surroundings {
    let numbers = wanted.numbers;
    let at = |n| ground.object(n);
    let (first, trace, of_thread) = match numbers {
        SerialNumbering::HotSpot => (1, 2, true),
        SerialNumbering::Agent => (200_001, 300_001, false),
        SerialNumbering::Art => (1, u32::MAX, false),
    };
    let serial = |n: u32| Serial(first + n);
    let trace = |n: u32| if numbers == SerialNumbering::Art { Serial(trace) } else { Serial(trace + n) };
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
    let innermost = if numbers == SerialNumbering::Art { -1 } else { 0 };
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
        (if wanted.twist == SpecimenTwist::Dangling { Address(ground.0 + 0xe_0000) } else { at(9) }, RootKind::Unknown),
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
        threads: Some(vec![thread(0, at(4), "main"), thread(1, at(5), "worker")]),
        traces: Some(if numbers == SerialNumbering::Art { Vec::new() } else { traces }),
        regions: Some(vec![region(b'Z', "zygote", 0), region(b'A', "app", 30), region(b'I', "image", 50)]),
        ..Surroundings::default()
    }
}
